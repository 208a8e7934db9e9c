"""Claims about oneself: which role and which look to claim, true or invented, and when."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from agents.house.invented_looks import invent_look, is_taken_by_mate
from agents.house.mindset import Mindset
from agents.house.remarks import Named, Remark, look_slots, remark
from agents.house.stance import POSE_EVASIVE, POSE_TURNCOAT
from agents.language import join_names
from agents.packs import Part, Result
from agents.understanding.statements import AGAINST

MAX_REPEATS = 2  # a look is told at most this often on one day
DEFENCE_WEIGHT = 8.9  # weight of repeating a look, or disputing a rival's role, under pressure
ROLE_INTENTS = ("role", "partner", "evaded")  # demands that are answered with a role
# Part -> how often its holders counter a lone looker, in percent.
COUNTER_PERCENT: Mapping[Part | None, int] = {"wolf": 45, "helper": 40}
VOUCH_PERCENT = 55  # how often a mate vouches already in the first round


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
    has_rivals = has_rivals or (m.in_passes and is_taken_by_mate(m))
    if m.pack.part(pose) == "looker" and (has_rivals or pose in denied):
        pose = m.pack.plain_role
    m.stance = replace(m.stance, pose=pose)


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
    end, rivals = _result_kind(m, look), m.dialogue.claimants(role)
    names = _looked_at_slots(m, look)
    if rivals:
        kind = f"counter_{_report_kind(m, look)}_{end}"
        return remark(kind, names, x=rivals[-1], role=role, look=look)
    is_late = m.is_last_round and not m.has_attacks  # who speaks so late says why
    kind = f"{_report_kind(m, look, 'late' if is_late else 'report')}_{end}"
    return remark(kind, names, role=role, look=look)


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
    """Yield what I hold against the rival `x` for my role, facts of the log if there are any.

    If I claimed the role after the rival, the claim has said already that it is mine.
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
