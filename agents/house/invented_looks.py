"""Invented looks: what a player who poses as a role that looks says it saw."""

from agents.house.mindset import Mindset, probability_of_roles, seats_by_ascending_score
from agents.packs import Result
from agents.talk.whispers import planned_claims
from game.engine.declarations import Look

FALSE_FIND_PERCENT = 45  # how often an invented look finds a hunted player, if it may


def invent_look(mind: Mindset, source: str) -> Result | None:
    """Return a false look of `source` that fits my statements and the beliefs of others, or None.

    The look does not clear players whom I pressed. It finds players whom I pressed first, and none
    who passes for a mate.

    Args:
        source: the role that I pretend to look with.
    """
    look = mind.pack.look(source)
    assert look is not None
    if mind.in_passes:
        return _invent_look_of_night(mind, source, look)
    mates, protected = {s for pair in mind.dialogue.pairs for s in pair}, _protected_seats(mind)
    unreported = [s for s in mind.others if s not in _reported_seats(mind)] or mind.others
    by_score = seats_by_ascending_score(mind.scores, unreported)
    pressed = [
        s for s in mind.dialogue.pressed_by(mind.me) if s in unreported and s not in mind.partners
    ]
    finds = look.answer_for(mind.pack.hunted)
    clears = [v for v, _ in look.answers if not mind.pack.accuses(Result(source, (), v))]
    if len(pressed) <= look.seats and mind.chance("false find", FALSE_FIND_PERCENT):
        excluded = {*protected, *mind.defended_seats, *mates}
        suspects = [s for s in pressed if s not in mates]
        suspects += [s for s in reversed(by_score) if s not in {*excluded, *suspects}]
        if len(suspects) >= look.seats:
            return Result(source, tuple(sorted(suspects[: look.seats])), finds)
    clean = [s for s in (*protected, *by_score) if s in unreported and s not in pressed]
    looked_at = [*dict.fromkeys(clean), *unreported][: look.seats]
    claims = {mind.dialogue.claims.get(s, "") for s in looked_at}
    fitting_values = [
        v for v, roles in look.answers if v in clears and len(claims) == 1 and claims <= {*roles}
    ]
    return Result(source, tuple(sorted(looked_at)), (fitting_values or clears or [finds])[-1])


def _reported_seats(m: Mindset) -> set[int]:
    """Return the seats at which I have reported looks."""
    return {t for look in m.dialogue.looks.get(m.me, ()) for t in look.targets}


def _invent_look_of_night(m: Mindset, source: str, look: Look) -> Result | None:
    """Return a false look at one player in the last night that fits those reported before.

    The look never finds as many hunted players as there are, because the game would then be over.
    """
    reported_looks, reported_seats = m.dialogue.looks.get(m.me, ()), _reported_seats(m)
    invented = m.invented_look
    if invented and invented.source == source and not reported_seats & {*invented.targets}:
        return invented
    find_count = sum(map(m.pack.accuses, reported_looks))
    may_find = find_count < max(m.pack.deck.count(m.pack.hunted[0]) - 1, 1)
    finds, clears = look.answer_for(m.pack.hunted), look.answer_for([m.pack.plain_role])
    protected = _protected_seats(m)
    if look.is_of_exiled:
        exiled = [h.seat for h in m.dialogue.course.exiled if h.when == m.view.state.day - 1]
        if not exiled or exiled[0] in reported_seats:
            return None
        is_known = exiled[0] in m.view.state.roles
        is_hunted = is_known or probability_of_roles(m.believed[exiled[0]], m.pack.hunted) > 0.5
        value = finds if may_find and not is_hunted and m.chance("false find", 50) else clears
        return Result(source, (exiled[0],), value)
    fresh = [s for s in seats_by_ascending_score(m.scores, m.others) if s not in reported_seats]
    for whispered in _whispered_looks(m, source):
        if whispered.targets[0] in fresh and (may_find or whispered.value == clears):
            return whispered
    unclaimed = [s for s in fresh if s not in m.dialogue.lookers]
    candidates = [s for s in unclaimed if s not in {*protected, *m.defended_seats}]
    if candidates and may_find and m.chance("false find", round(100 * m.pack.figure("false_find"))):
        return Result(source, (candidates[-1],), finds)
    pressed = m.dialogue.pressed_by(m.me)
    clean = [s for s in (*protected, *unclaimed, *fresh) if s in fresh and s not in pressed]
    return Result(source, ((clean or fresh)[0],), clears) if fresh else None


def planned_look(m: Mindset) -> Result | None:
    """Return the false look of the next morning, which I whisper to my partners before.

    Returns None if I do not pose as a role that looks at the living, or if a partner does.
    """
    source = m.claimed or m.stance.pose
    look = m.pack.look(source) if m.pack.part(source) == "looker" else None
    if look is None or look.is_of_exiled or is_taken_by_mate(m):
        return None
    return _invent_look_of_night(m, source, look)


def _whispered_looks(m: Mindset, source: str) -> list[Result]:
    """Return the results that last night's whispers plan for me, the best first.

    Results that a partner asked for come before those that I announced, newer before older.
    """
    acts = [a for whisper in m.whispers if whisper.day >= m.view.state.day - 1 for a in whisper.acts
            if a.kind == "report" and a.role == source]  # fmt: skip
    acts.sort(key=lambda act: act.speaker == m.me, reverse=True)
    return [act.result for act in reversed(acts)]


def _protected_seats(mind: Mindset) -> list[int]:
    """Return the seats that an invented look clears and never finds.

    These are known partners, or the player whom a helper without partners takes for hunted.
    """
    partners = [s for s in mind.others if s in mind.partners] if mind.is_villain else []
    if mind.part != "helper" or partners:
        return partners
    hunted = mind.pack.hunted
    return seats_by_ascending_score(
        {s: -probability_of_roles(mind.believed[s], hunted) for s in mind.others}, mind.others
    )[:1]


def is_taken_by_mate(m: Mindset) -> bool:
    """Return whether a partner has claimed a role that looks, or was first to whisper so.

    Partners who are out of the game count, too.
    """
    partners = {*m.view.state.roles} - {m.me}
    first_whisperer = next(iter(whispered_claims(m)), m.me)
    return first_whisperer != m.me or any(
        m.pack.part(act.role) == "looker" and act.speaker in partners
        for act in m.dialogue.acts("claim", "report")
    )


def whispered_claims(m: Mindset) -> dict[int, str]:
    """Return living seat -> the looking role that the player whispered to claim, in order."""
    claims = planned_claims(m.whispers)
    lookers = m.pack.roles("looker")
    return {s: r for s, r in claims.items() if r in lookers and s in (m.me, *m.others)}
