"""What I say I am, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remarks import Named, Remark, look_slots, remark
from agents.house.scores import least, share
from agents.house.stance import EVADES, TURNS
from agents.packs import Result
from agents.talk.whispers import planned_claims
from agents.understanding.statements import AGAINST
from game.engine.roles import Look


def false_look(mind: Mindset, source: str) -> Result | None:
    """Return a look that fits my statements and the table's beliefs, as of a `source`.

    Whom I pressed before I can't have cleared; if I found somebody hunted, it is among those I
    pressed. Seats that pass for mates are left out of a finding. None if no look fits.
    """
    dialogue, scores = mind.dialogue, mind.scores
    look = mind.pack.look(source)
    assert look is not None
    if mind.in_passes:
        return _new_look(mind, source, look)
    answers = [Result(source, (), value) for value, _roles in look.answers]
    finds = [r.value for r in answers if mind.pack.accuses(r)]
    clears = [r.value for r in answers if not mind.pack.accuses(r)]
    pressed = [s for s in dialogue.pressed_by(mind.me) if s in mind.others]
    vouched = {t for a in dialogue.acts("defend", by=mind.me) for t in a.targets}
    mates = {s for pair in dialogue.pairs for s in pair}
    open_to = [s for s in least(scores, mind.others) if s not in vouched and s not in mates]
    reported_seats = {t for r in dialogue.looks.get(mind.me, ()) for t in r.targets}
    others_left = [s for s in mind.others if s not in reported_seats] or mind.others
    spared = _spared(mind)
    ranked = [s for s in reversed(open_to) if s not in spared and s in others_left]
    pressed = [s for s in pressed if s not in mind.mates and s in others_left]
    if len(pressed) <= look.seats and finds and mind.chance("false find", 45):
        looked_at = [s for s in pressed if s not in mates]
        looked_at += [s for s in ranked if s not in looked_at]
        if len(looked_at) >= look.seats:
            return Result(source, tuple(sorted(looked_at[: look.seats])), finds[0])
    clean = [s for s in spared if s not in pressed and s in others_left]
    clean += [s for s in least(scores, others_left) if s not in pressed and s not in clean]
    looked_at = (clean + others_left)[: look.seats]
    claims = {dialogue.claims.get(s, "") for s in looked_at}
    fitting_values = [
        v for v, roles in look.answers if v in clears and len(claims) == 1 and claims <= {*roles}
    ]
    return Result(source, tuple(sorted(looked_at)), (fitting_values or clears or finds)[-1])


def _new_look(m: Mindset, source: str, look: Look) -> Result | None:
    """Return a made-up look of the last night, in line with those reported before.

    It is at one player. One of the hunted at least is never found: the game would be over.
    """
    reported_looks = m.dialogue.looks.get(m.me, ())
    reported_seats = {t for result in reported_looks for t in result.targets}
    if m.invented and m.invented.source == source and not reported_seats & {*m.invented.targets}:
        return m.invented
    find_count = sum(map(m.pack.accuses, reported_looks))
    may_find = find_count < max(m.pack.deck.count(m.pack.hunted[0]) - 1, 1)
    finds, clears = look.answer_for(m.pack.hunted), look.answer_for([m.pack.plain_role])
    spared = _spared(m)
    if look.is_of_exiled:
        exiled = [h.seat for h in m.dialogue.course.exiled if h.when == m.view.state.day - 1]
        if not exiled or exiled[0] in reported_seats:
            return None
        wolf = exiled[0] in m.view.state.roles or share(m.believed[exiled[0]], m.pack.hunted) > 0.5
        value = finds if may_find and not wolf and m.chance("false find", 50) else clears
        return Result(source, (exiled[0],), value)
    fresh = [s for s in least(m.scores, m.others) if s not in reported_seats]
    for whispered in _whispered_looks(m, source):
        if whispered.targets[0] in fresh and (may_find or whispered.value == clears):
            return whispered
    unclaimed = [s for s in fresh if s not in m.dialogue.lookers]
    open_to = [s for s in unclaimed if s not in {*spared, *m.vouched}]
    if open_to and may_find and m.chance("false find", round(100 * m.pack.figure("false_find"))):
        return Result(source, (open_to[-1],), finds)
    pressed = m.dialogue.pressed_by(m.me)
    clean = [s for s in (*spared, *unclaimed, *fresh) if s in fresh and s not in pressed]
    return Result(source, ((clean or fresh)[0],), clears) if fresh else None


def planned_look(m: Mindset) -> Result | None:
    """Return the look that I will make up for the next morning, to tell my partners before.

    None where I don't pose as one that looks at the living, or a partner does.
    """
    source = m.claimed or m.stance.pose
    look = m.pack.look(source) if m.pack.part(source) == "looker" else None
    if look is None or look.is_of_exiled or _is_taken_by_mate(m):
        return None
    return _new_look(m, source, look)


def _whispered_looks(m: Mindset, source: str) -> list[Result]:
    """Return the results of the last night's whispers that I might tell.

    Those that a partner asked for come before those that I announced, and newer ones before older.
    """
    acts = [a for whisper in m.whispers if whisper.day >= m.view.state.day - 1 for a in whisper.acts
            if a.kind == "report" and a.role == source]  # fmt: skip
    acts.sort(key=lambda act: act.speaker == m.me, reverse=True)
    return [act.result for act in reversed(acts)]


def _spared(mind: Mindset) -> list[int]:
    """Return whom a helper takes for hunted, and known mates.

    It clears them, and never names them.
    """
    known_mates = [s for s in mind.others if s in mind.mates] if mind.villain else []
    if mind.part != "helper" or known_mates:
        return known_mates
    hunted = mind.pack.hunted
    return least({s: -share(mind.believed[s], hunted) for s in mind.others}, mind.others)[:1]


REPEATS = 2  # times that a look is told on one day, where talk runs in passes
PUSHED = 8.9  # of a look told again by who is pressed
CLAIMED = ("role", "partner", "evaded")  # what is answered with a role


def claims(m: Mindset) -> Iterator[Remark]:
    """At most one claim a statement."""
    if _comes_out(m):
        yield remark("come_out", role=m.role)
        return
    if m.claimed:
        yield from _later(m)
        return
    _settle(m)
    pose = m.stance.pose
    if m.mate and (move := _with_mate(m)):
        yield move
        return
    pressed = len(m.dialogue.pressing(m.me))
    looks = m.poses_as("looker")  # who is asked what it saw tells it with its role
    is_asked = any(d.intent in CLAIMED or (looks and d.intent == "result") for _, d in m.demands)
    rival = m.poses_as("looker") and bool(m.dialogue.claimants(pose))
    empty = m.poses_as("looker") and not m.look and not (m.liar and m.slept)
    hides = m.round == 1 and (m.lasts or m.part != "looker")  # a looker whom nobody can kill won't
    pushed = is_asked or pressed >= 2 or (pressed > 0 and not hides) or _endangered(m)
    finds = m.lasts and m.look is not None and not m.liar and m.pack.accuses(m.look)
    due = pushed or finds or (m.round >= m.stance.when and not empty)
    forced = m.last_round and not empty and not m.lasts
    if pose == EVADES:
        if pressed and not is_asked:
            yield remark("evade")
    elif due or rival or forced:
        weight = 8.2 if is_asked else 6.6 if pressed else 4.6 if m.round == 1 else 6.4
        claim = _claim(m, pose, weight)
        yield claim
        yield from _further_looks(m, claim)


def _comes_out(m: Mindset) -> bool:
    """Whether a helper says what it is, or the hunted answers one: they are more than half."""
    if not m.in_passes or len(m.others) != 2 or m.claimed == m.role:
        return False
    if m.part == "wolf":
        return bool(m.allies)
    dares = m.stance.gut[m.me - 1] < 2 * m.pack.figure("reveal") - 1
    return m.part == "helper" and (dares or bool(m.allies))


def _endangered(m: Mindset) -> bool:
    """Whether a true looker may be out before it speaks again: nobody is pressed by more."""
    return m.part == "looker" and _leads_the_vote(m)


def _is_attacked(m: Mindset, role: str) -> bool:
    """Whether somebody has opposed me since I last spoke, found me, or claimed my `role`."""
    acts = [act for s in m.dialogue.since(m.me) for act in s.acts]
    is_opposed = any(a.kind in (*AGAINST, "report") and m.me in a.targets for a in acts)
    return is_opposed or any(a.kind in ("claim", "report") and a.role == role for a in acts)


def _leads_the_vote(m: Mindset) -> bool:
    most = max((len(m.dialogue.pressing(s)) for s in m.others), default=0)
    return len(m.dialogue.pressing(m.me)) >= max(most, 1)


def _settle(m: Mindset) -> None:
    """Liars bend their plan to what they denied and to what has been claimed by others."""
    denied = {a.role for a in m.dialogue.acts("deny", by=m.me)}
    if m.liar and m.stance.pose in denied:
        m.stance = replace(m.stance, pose=EVADES if m.bait else m.pack.plain_role)
    hidden = m.in_passes and not (m.last_round and _leads_the_vote(m))
    if m.lasts and not m.liar and not hidden and len(m.dialogue.pressing(m.me)) > 1:
        m.stance = replace(m.stance, pose=m.role)  # better known than lost
    if not m.villain:
        return
    pose, dialogue = m.stance.pose, m.dialogue
    if m.poses_as("mate") and (dialogue.pairs or _is_fully_claimed(m, pose)):
        pose = m.pack.plain_role
    is_accused = bool(dialogue.reporters(m.me, accused=True))
    lookers = dialogue.claimants(m.pack.role("looker"))
    if len(lookers) == 1 and dialogue.reports:
        if m.part == "wolf" and is_accused and m.chance("counter", 45):
            pose = dialogue.claims[lookers[0]]
        if m.part == "helper" and m.chance("counter", 40):
            pose = dialogue.claims[lookers[0]]
    rivals = len(dialogue.claimants(pose)) > 1 or bool(m.mates & set(dialogue.lookers))
    rivals = rivals or (m.in_passes and _is_taken_by_mate(m))
    if m.pack.part(pose) == "looker" and (rivals or pose in denied):
        pose = m.pack.plain_role
    m.stance = replace(m.stance, pose=pose)


def _is_taken_by_mate(m: Mindset) -> bool:
    """Return whether a partner has claimed a role that looks, or has whispered it first.

    Partners who are out of the game count, too.
    """
    mates = {*m.view.state.roles} - {m.me}
    planned = next(iter(whispered_claims(m)), m.me)
    return planned != m.me or any(
        m.pack.part(act.role) == "looker" and act.speaker in mates
        for act in m.dialogue.acts("claim", "report")
    )


def whispered_claims(m: Mindset) -> dict[int, str]:
    """Seat -> the role that looks that it whispered it would claim, of the living, in order."""
    claims = planned_claims(m.whispers)
    lookers = m.pack.roles("looker")
    return {s: r for s, r in claims.items() if r in lookers and s in (m.me, *m.others)}


def _is_fully_claimed(m: Mindset, role: str) -> bool:
    """Return whether as many claim `role` as the deck holds, and the deck holds some."""
    return len(m.dialogue.claimants(role)) >= m.pack.deck.count(role) > 0


def _with_mate(m: Mindset) -> Remark | None:
    """Return one of two mates confirms the other, and speaks up for it when it is pressed."""
    is_confirmed = m.dialogue.companions.get(m.mate) == m.me
    if is_confirmed or m.dialogue.claims.get(m.mate) == m.role:
        return remark("confirm_mate", x=m.mate, role=m.role)
    if (accusers := m.dialogue.pressing(m.mate)) and (m.round > 1 or m.chance("vouch early", 55)):
        return remark("vouch_mate", x=m.mate, y=accusers[-1], role=m.role)
    return None


def _claim(m: Mindset, pose: str, weight: float) -> Remark:
    if m.pack.part(pose) == "looker":
        return _looker(m, pose)
    if m.pack.part(pose) == "mate":
        if m.mate:
            return remark("claim_mate", x=m.mate, role=pose)
        return remark("claim_mate_alone", role=pose)
    role = pose if m.pack.part(pose) == "plain" else m.pack.plain_role
    if role == m.role and (protections := m.dialogue.course.protections):
        x = protections[-1].target
        course, when = m.dialogue.course, protections[-1].when
        if x not in (m.me, *m.view.state.out) and when == course.nights and when in course.quiet:
            return remark("claim_keeper_quiet", x=x, weight=weight, role=role)
        return remark("claim_keeper", weight=weight, role=role)
    return remark("claim_plain", weight=weight, role=role)


def _looker(m: Mindset, role: str) -> Remark:
    look = m.look or (false_look(m, role) if m.liar and m.slept else None)
    if look is None:
        return remark("claim_looker", role=role)
    m.adopt(look)
    kind = f"{_reporting(m, look)}_{_result(m, look)}"
    rivals = m.dialogue.claimants(role)
    if rivals:
        return remark(
            f"counter_{kind}", _looked_at_slots(m, look), x=rivals[-1], role=role, look=look
        )
    return remark(kind, _looked_at_slots(m, look), role=role, look=look)


def _further_looks(m: Mindset, claim: Remark) -> Iterator[Remark]:
    """Yield my other true looks that are not reported yet. `claim` reports one.

    Where talk runs in passes they have turns of their own. Who protects players is not given away.
    """
    if not claim.look or m.liar or m.in_passes:
        return
    reported_looks = (claim.look, *m.dialogue.looks.get(m.me, ()))
    for look in m.knowledge.looks:
        if look not in reported_looks and not m.gives_away(look):
            yield remark(f"further_{_result(m, look)}", look_slots(look), role=m.role, look=look)


def _reporting(m: Mindset, look: Result, kind: str = "report") -> str:
    """Return the kind of a report. A look at who was voted out is told in other words."""
    look_rule = m.pack.look(look.source)
    return "exiled" if look_rule and look_rule.is_of_exiled else kind


def _looked_at_slots(m: Mindset, look: Result) -> dict[str, Named]:
    """Return the slots of those looked at, who may be out of the game where talk is in passes."""
    are_all_out = m.in_passes and set(look.targets) <= {*m.view.state.out}
    return {"d": look.targets[0]} if are_all_out else look_slots(look)


def _result(m: Mindset, look: Result) -> str:
    return "found" if m.pack.accuses(look) else "clean"


def _later(m: Mindset) -> Iterator[Remark]:
    """Return what a claim made before obliges to."""
    looker = m.pack.role("looker")
    turns = m.stance.pose == TURNS and m.claims_a("plain") and m.last_round
    if turns and looker and m.slept:
        if look := false_look(m, looker):
            m.adopt(look)
            yield remark(f"turn_{_result(m, look)}", look_slots(look), role=looker, look=look)
        return
    poses = m.liar and m.lasts and m.slept and m.claims_a("looker")
    if poses and _last_told(m) < m.dialogue.today and (look := false_look(m, m.claimed)):
        m.adopt(look)
    if m.look and m.claimed == m.look.source:
        yield from _stands(m, m.look)
    accusers = [s for s in m.dialogue.pressing(m.mate) if s != m.me] if m.mate else []
    if accusers and accusers[-1] in {s.seat for s in m.dialogue.since(m.me)}:
        yield remark("spare_fellow", x=m.mate, y=accusers[-1], role=m.role)


def _last_told(m: Mindset) -> int:
    """Return the round in which I last told of a look."""
    turns = m.dialogue.turns(m.me)
    return max((s.round for s in turns if any(a.kind == "report" for a in s.acts)), default=0)


def _stands(m: Mindset, look: Result) -> Iterator[Remark]:
    """Yield a look told before: against who claims the same role, when pressed, and at the end.

    Returns what was seen since is told at once.
    """
    role, reported = look.source, m.dialogue.reports.get(m.me)
    if reported is None or (look not in m.dialogue.looks[m.me] and m.dialogue.course.nights > 1):
        news = "news" if m.in_passes or m.is_recent(look) else "further"
        kind = _reporting(m, look, news if reported else "report")
        names = _looked_at_slots(m, look)
        claim = remark(f"{kind}_{_result(m, look)}", names, role=role, look=look)
        yield claim
        yield from _further_looks(m, claim)
        return
    times = sum(any(a.kind == "report" and a.targets == look.targets for a in s.acts)
                for s in m.words_today)  # fmt: skip
    if m.in_passes and times >= REPEATS:
        return
    rivals = [s for s in m.dialogue.claimants(role) if s in m.others]
    since = m.dialogue.since(m.me)
    # Whom the vote may hit repeats it before any mere word on its accusers (`replies._rebuttal`).
    pushed = _is_attacked(m, role) or (_leads_the_vote(m) and not m.in_passes)
    is_found = bool(rivals) and m.pack.accuses(look) and rivals[-1] in look.targets
    answers = bool(rivals) and (rivals[-1] in {s.seat for s in since} or m.last_round)
    if answers and not (is_found and pushed):
        finds_hunted = m.pack.accuses(look) and rivals[-1] not in look.targets
        names = {"x": rivals[-1], **look_slots(look)}
        kind = "rival_found" if finds_hunted else "rival_clean"
        yield remark(kind, names, weight=PUSHED if pushed else 6.6, role=role, look=look)
    elif m.last_round or pushed:
        kind, weight = f"repeat_{_result(m, look)}", PUSHED if pushed else 5.6
        yield remark(kind, look_slots(look), weight=weight, role=role, look=look)
