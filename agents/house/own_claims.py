"""Claims about oneself: which role and which look to claim, true or invented, and when."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from agents.house.mindset import Mindset, probability_of_roles, seats_by_ascending_score
from agents.house.remarks import Named, Remark, look_slots, remark
from agents.house.stance import POSE_EVASIVE, POSE_TURNCOAT
from agents.language import join_names
from agents.packs import Part, Result
from agents.talk.whispers import planned_claims
from agents.understanding.statements import AGAINST
from game.engine.declarations import Look

MAX_REPEATS = 2  # a look is told at most this often on one day
DEFENCE_WEIGHT = 8.9  # weight of repeating a look, or disputing a rival's role, under pressure
ROLE_INTENTS = ("role", "partner", "evaded")  # demands that are answered with a role
FALSE_FIND_PERCENT = 45  # how often an invented look finds a hunted player, if it may
# Part -> how often its holders counter a lone looker, in percent.
COUNTER_PERCENT: Mapping[Part | None, int] = {"wolf": 45, "helper": 40}
VOUCH_PERCENT = 55  # how often a mate vouches already in the first round


def invent_look(mind: Mindset, source: str) -> Result | None:
    """Return a false look of the role `source` that fits my statements and the table's beliefs.

    The look does not clear players whom I pressed. It finds players whom I pressed first, and none
    who passes for a mate. Returns None if no look fits.
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
    if look is None or look.is_of_exiled or _is_taken_by_mate(m):
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


def build_claims(m: Mindset) -> Iterator[Remark]:
    """Yield at most one claim of a role, with the looks that go with it.

    As a side effect, the pose and the look of the statement are settled.
    """
    if _should_confess(m):
        yield remark("come_out", role=m.role)
        return
    if m.claimed:
        yield from _follow_up_claim(m)
        return
    _adjust_pose(m)
    pose = m.stance.pose
    if m.mate and (claim := _claim_with_mate(m)):
        yield claim
        return
    accusers = len(m.dialogue.pressing(m.me))
    # A looker who is asked for its result tells it with its role.
    intents = (*ROLE_INTENTS, "result") if m.poses_as("looker") else ROLE_INTENTS
    is_asked = any(d.intent in intents for _, d in m.demands)
    if pose == POSE_EVASIVE:
        if accusers and not is_asked:
            yield remark("evade")
    elif _should_claim(m, pose, accusers, is_asked):
        weight = 8.2 if is_asked else 6.6 if accusers else 4.6 if m.round == 1 else 6.4
        claim = _claim(m, pose, weight)
        yield claim
        yield from _further_looks(m, claim)


def _should_claim(m: Mindset, pose: str, accusers: int, is_asked: bool) -> bool:
    """Return whether I claim the role `pose` now, given the number of my accusers."""
    is_looker = m.poses_as("looker")
    has_no_look = is_looker and not m.look and not (m.is_liar and m.has_night_passed)
    # A looker whom nobody can kill does not hide.
    hides = m.round == 1 and (m.has_attacks or m.part != "looker")
    is_pressed = accusers >= 2 or (accusers > 0 and not hides)
    is_pressed = is_pressed or (m.part == "looker" and _leads_the_vote(m))  # I may be out soon
    has_found = m.has_attacks and m.look is not None and not m.is_liar and m.pack.accuses(m.look)
    is_time = m.round >= m.stance.when and not has_no_look
    has_rival = is_looker and bool(m.dialogue.claimants(pose))
    is_last_chance = m.is_last_round and not has_no_look and not m.has_attacks
    return is_asked or is_pressed or has_found or is_time or has_rival or is_last_chance


def _should_confess(m: Mindset) -> bool:
    """Return whether I confess my role because my side has two of the last three votes.

    A helper may begin; the hunted player answers.
    """
    if not m.in_passes or len(m.others) != 2 or m.claimed == m.role or m.has_confessed(m.me):
        return False
    if m.part == "wolf":
        return bool(m.allies)
    dares = m.stance.gut[m.me - 1] < 2 * m.pack.figure("reveal") - 1
    return m.part == "helper" and (dares or bool(m.allies))


def _is_attacked(m: Mindset, role: str) -> bool:
    """Return whether, since I last spoke, a player opposed me, looked at me or claimed `role`."""
    acts = [act for s in m.dialogue.since(m.me) for act in s.acts]
    is_opposed = any(a.kind in (*AGAINST, "report") and m.me in a.targets for a in acts)
    return is_opposed or any(a.kind in ("claim", "report") and a.role == role for a in acts)


def _leads_the_vote(m: Mindset) -> bool:
    """Return whether no other player has more accusers than I, and I have one."""
    most = max((len(m.dialogue.pressing(s)) for s in m.others), default=0)
    return len(m.dialogue.pressing(m.me)) >= max(most, 1)


def _adjust_pose(m: Mindset) -> None:
    """Adapt the pose to denials, rival claims and accusations.

    Liars give up a pose that has become impossible. Honest players under pressure stop posing.
    """
    denied = {a.role for a in m.dialogue.acts("deny", by=m.me)}
    if m.is_liar and m.stance.pose in denied:
        m.stance = replace(m.stance, pose=POSE_EVASIVE if m.is_bait else m.pack.plain_role)
    hidden = m.in_passes and not (m.is_last_round and _leads_the_vote(m))
    if m.has_attacks and not m.is_liar and not hidden and len(m.dialogue.pressing(m.me)) > 1:
        m.stance = replace(m.stance, pose=m.role)  # better known than voted out
    if not m.is_villain:
        return
    pose, dialogue = m.stance.pose, m.dialogue
    is_full = len(dialogue.claimants(pose)) >= m.pack.deck.count(pose) > 0
    if m.poses_as("mate") and (dialogue.pairs or is_full):
        pose = m.pack.plain_role
    is_accused = bool(dialogue.reporters(m.me, is_accused=True))
    lookers = dialogue.claimants(m.pack.role("looker"))
    can_counter = len(lookers) == 1 and dialogue.reports and (is_accused or m.part == "helper")
    if can_counter and m.chance("counter", COUNTER_PERCENT[m.part]):
        pose = dialogue.claims[lookers[0]]
    has_rivals = len(dialogue.claimants(pose)) > 1 or bool(m.partners & set(dialogue.lookers))
    has_rivals = has_rivals or (m.in_passes and _is_taken_by_mate(m))
    if m.pack.part(pose) == "looker" and (has_rivals or pose in denied):
        pose = m.pack.plain_role
    m.stance = replace(m.stance, pose=pose)


def _is_taken_by_mate(m: Mindset) -> bool:
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


def _claim_with_mate(m: Mindset) -> Remark | None:
    """Return a claim that confirms my mate, or vouches for it under pressure, None for neither."""
    is_confirmed = m.dialogue.companions.get(m.mate) == m.me
    if is_confirmed or m.dialogue.claims.get(m.mate) == m.role:
        return remark("confirm_mate", x=m.mate, role=m.role)
    if (accusers := m.dialogue.pressing(m.mate)) and (
        m.round > 1 or m.chance("vouch early", VOUCH_PERCENT)
    ):
        return remark("vouch_mate", x=m.mate, y=accusers[-1], role=m.role)
    return None


def _claim(m: Mindset, pose: str, weight: float) -> Remark:
    """Return the first claim of the role `pose`. A plain role's claim has this `weight`."""
    if m.pack.part(pose) == "looker":
        return _claim_looker(m, pose)
    if m.pack.part(pose) == "mate":
        if m.mate:
            return remark("claim_mate", x=m.mate, role=pose)
        return remark("claim_mate_alone", role=pose)
    role = pose if m.pack.part(pose) == "plain" else m.pack.plain_role
    if role == m.role and (protections := m.dialogue.course.protections):
        x = protections[-1].target
        course, when = m.dialogue.course, protections[-1].when
        if (
            x not in (m.me, *m.view.state.out)
            and when == course.nights
            and when in course.quiet_nights
        ):
            return remark("claim_keeper_quiet", x=x, weight=weight, role=role)
        return remark("claim_keeper", weight=weight, role=role)
    return remark("claim_plain", weight=weight, role=role)


def _claim_looker(m: Mindset, role: str) -> Remark:
    """Return the claim of a role that looks, with a true or an invented look if there is one."""
    look = m.look or (invent_look(m, role) if m.is_liar and m.has_night_passed else None)
    if look is None:
        return remark("claim_looker", role=role)
    m.adopt_look(look)
    kind = f"{_report_kind(m, look)}_{_result_kind(m, look)}"
    rivals = m.dialogue.claimants(role)
    if rivals:
        return remark(
            f"counter_{kind}", _looked_at_slots(m, look), x=rivals[-1], role=role, look=look
        )
    return remark(kind, _looked_at_slots(m, look), role=role, look=look)


def _further_looks(m: Mindset, claim: Remark) -> Iterator[Remark]:
    """Yield my other unreported true looks, in addition to that of `claim`.

    If talk runs in passes they get statements of their own. A protector is not revealed.
    """
    if not claim.look or m.is_liar or m.in_passes:
        return
    reported_looks = (claim.look, *m.dialogue.looks.get(m.me, ()))
    for look in m.knowledge.looks:
        if look not in reported_looks and not m.reveals_keeper(look):
            yield remark(
                f"further_{_result_kind(m, look)}", look_slots(look), role=m.role, look=look
            )


def _report_kind(m: Mindset, look: Result, kind: str = "report") -> str:
    """Return the stem of a report's kind: "exiled" for a look at an exiled player, else `kind`."""
    look_rule = m.pack.look(look.source)
    return "exiled" if look_rule and look_rule.is_of_exiled else kind


def _looked_at_slots(m: Mindset, look: Result) -> dict[str, Named]:
    """Return the slots of the players looked at, who may be out if talk runs in passes."""
    are_all_out = m.in_passes and set(look.targets) <= {*m.view.state.out}
    return {"d": look.targets[0]} if are_all_out else look_slots(look)


def _result_kind(m: Mindset, look: Result) -> str:
    """Return the end of a report's kind."""
    return "found" if m.pack.accuses(look) else "clean"


def _follow_up_claim(m: Mindset) -> Iterator[Remark]:
    """Yield what my claim obliges me to: reports, repeated looks, the defence of a mate."""
    looker = m.pack.role("looker")
    changes_claim = m.stance.pose == POSE_TURNCOAT and m.claims_a("plain") and m.is_last_round
    if changes_claim and looker and m.has_night_passed:
        if look := invent_look(m, looker):
            m.adopt_look(look)
            yield remark(f"turn_{_result_kind(m, look)}", look_slots(look), role=looker, look=look)
        return
    poses_as_looker = m.is_liar and m.has_attacks and m.has_night_passed and m.claims_a("looker")
    turns_today = (s for s in m.dialogue.turns(m.me) if s.round >= m.dialogue.today)
    has_reported = any(a.kind == "report" for s in turns_today for a in s.acts)
    if poses_as_looker and not has_reported and (look := invent_look(m, m.claimed)):
        m.adopt_look(look)
    if m.look and m.claimed == m.look.source:
        yield from _repeat_look(m, m.look)
    is_unnamed = m.mate and m.claimed == m.role and m.me not in m.dialogue.companions
    if is_unnamed and any(d.intent == "partner" for _, d in m.demands):
        yield remark("claim_mate", x=m.mate, role=m.role)
    accusers = [s for s in m.dialogue.pressing(m.mate) if s != m.me] if m.mate else []
    if accusers and accusers[-1] in {s.seat for s in m.dialogue.since(m.me)}:
        yield remark("spare_fellow", x=m.mate, y=accusers[-1], role=m.role)


def _repeat_look(m: Mindset, look: Result) -> Iterator[Remark]:
    """Yield a look that is new, or was told before and is told again.

    New looks are told at once. Others are repeated under pressure, and in a day's last statement
    where days follow. Against a rival the log says more.
    """
    role, reported = look.source, m.dialogue.reports.get(m.me)
    if reported is None or (look not in m.dialogue.looks[m.me] and m.dialogue.course.nights > 1):
        news = "news" if m.in_passes or m.is_recent(look) else "further"
        kind = _report_kind(m, look, news if reported else "report")
        names = _looked_at_slots(m, look)
        claim = remark(f"{kind}_{_result_kind(m, look)}", names, role=role, look=look)
        yield claim
        yield from _further_looks(m, claim)
        return
    times = sum(any(a.kind == "report" and a.targets == look.targets for a in s.acts)
                for s in m.statements_today)  # fmt: skip
    claimants = m.dialogue.claimants(role)
    rivals = [s for s in claimants if s in m.others]
    new_speakers = {s.seat for s in m.dialogue.since(m.me)}
    is_challenged = bool(rivals) and (rivals[-1] in new_speakers or m.is_last_round)
    # The weight is above that of a rebuttal (`replies`): a look convinces more.
    is_pressed = _is_attacked(m, role) or (_leads_the_vote(m) and not m.in_passes)
    weight = DEFENCE_WEIGHT if is_pressed else None
    is_found = bool(rivals) and m.pack.accuses(look) and rivals[-1] in look.targets
    is_disputed = is_challenged and not (is_found and is_pressed)
    against_rival = _dispute(m, rivals[-1], role) if is_disputed else ()
    disputes = [d for d in against_rival if d.key not in m.stance.said_keys]
    if disputes := [d for d in disputes if d.kind != "duel_why"] or disputes:
        drawn = disputes[m.draw("dispute", len(disputes))]
        yield replace(drawn, weight=weight or drawn.weight)
    elif (is_pressed or (m.is_last_round and m.has_attacks)) and times < MAX_REPEATS:
        kind = f"repeat_{_result_kind(m, look)}"
        yield remark(kind, look_slots(look), weight=weight, role=role, look=look)


def _dispute(m: Mindset, x: int, role: str) -> Iterator[Remark]:
    """Yield what I can hold against the rival `x` for my role: facts of the log, if there are any.

    That the role is mine I have said already if I claimed it after the rival.
    """
    look, claimants = m.dialogue.reports.get(x), m.dialogue.claimants(role)
    has_come_first = claimants.index(m.me) < claimants.index(x)
    if has_come_first:
        yield from (remark(kind, x=x, role=role) for kind in ("rival", "duel_late"))
    if look is None:
        return
    names: dict[str, Named] = {"x": x, "seen": join_names([m.view.name(s) for s in look.targets])}
    names, targets = {**names, **look_slots(look)}, sorted({*look.targets} - {m.me})
    if not m.pack.accuses(look):
        yield remark("duel_clears", names)
        for a in targets:
            if (y := m.dialogue.partner(a)) not in (0, m.me):
                yield remark("duel_known", x=x, a=a, y=y)
    else:
        before = takewhile(
            lambda s: s.seat != x or all(a.kind != "report" for a in s.acts),
            m.dialogue.statements,
        )
        accusers = {s.seat for s in before if x in s.presses()}
        yield from (remark("duel_payback", x=x, a=a) for a in targets if a in accusers)
        if (y := m.dialogue.suspect_of(x)) not in (0, m.me, *look.targets):
            yield remark("duel_aim", names, y=y)
    if m.pack.can_choose_target(look.source) and not m.is_last_round:  # it can be answered
        yield from (remark("duel_why", x=x, a=a) for a in targets)
