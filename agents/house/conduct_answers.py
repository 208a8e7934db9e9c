"""Answers to charges, and to questions about my own conduct and the record of the talk.

They fit what was said and done in truth. Each intent has one function. It takes the demand `p` and
returns its answer, or None if the player has nothing to say to it. Slots of the answers: x is the
player who makes the demand, y the player whom it is about.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from agents.house.doubts import can_voice_suspicion, has_reason
from agents.house.mindset import Mindset
from agents.house.remarks import Named, Remark, remark
from agents.house.situation import CLAIMING
from agents.language import join_names
from agents.understanding.demands import Demand

# A player whom I am asked about becomes my suspect if its score is at most this much below that of
# my first choice: in earlier rounds, and in the last one.
MAX_SCORE_GAP, MAX_SCORE_GAP_BEFORE_VOTE = 0.15, 0.05
EARLY_PERCENT = 50  # share of the players who say that they would claim a looking role at once


def say(p: Demand, kind: str, role: str = "", **slots: Named) -> Remark:
    """Return an answer to the player who makes the demand `p`."""
    return remark(kind, {"x": p.by, **slots}, role=role)


def suspect_when_asked(m: Mindset, seat: int) -> bool:
    """Speak of `seat` as my suspect, if it is near my first choice. Return whether I do."""
    return m.try_fix_target(seat, MAX_SCORE_GAP_BEFORE_VOTE if m.is_last_round else MAX_SCORE_GAP)


def _has_opposed(m: Mindset, seat: int) -> bool:
    """Return whether I have pressed `seat` or disputed its claim."""
    disputed = (t for act in m.dialogue.acts("disagree", by=m.me) for t in act.targets)
    return seat in m.dialogue.pressed_by(m.me) or seat in disputed


def _pressed_besides(m: Mindset, accuser: int) -> list[int]:
    """Return the living players whom I pressed, without the accuser, the newest first."""
    return [s for s in reversed(m.dialogue.pressed_by(m.me)) if s in m.others and s != accuser]


def _answer_silent(m: Mindset, p: Demand) -> Remark | None:
    dialogue, pressed = m.dialogue, _pressed_besides(m, p.by)
    if not dialogue.has_had_turn(m.me):
        return say(p, "charge_turnless")
    if dialogue.quiet[m.me]:
        return say(p, "charge_silent")
    if pressed:
        return say(p, "charge_named", y=pressed[0])
    if p.by in dialogue.pressed_by(m.me):
        return say(p, "charge_named_you")
    has_named = dialogue.pressed_by(m.me) or any(b.seat == m.me for b in dialogue.course.votes)
    return None if has_named else say(p, "charge_noside")


def _answer_changed(m: Mindset, p: Demand) -> Remark:
    pressed = _pressed_besides(m, p.by)
    if _has_changed_plan(m, p.roles):
        return say(p, "charge_plan")
    if m.me in m.dialogue.changed or m.has_told_both(p.roles):
        return say(p, "charge_changed")
    if m.target in pressed and m.target in p.of and m.try_fix_target(m.target, 0):
        return say(p, "answer_suspect")
    if not p.roles and len(pressed) > 1:
        return say(p, "charge_flip")
    named_seats = () if p.roles else (s for s in p.of if s in m.others and s != p.by)
    if y := next((s for s in named_seats if not _has_opposed(m, s)), 0):
        return say(p, "charge_pressed_not", y=y)
    if "claim" in p.topics or p.roles:
        return say(p, "charge_same" if m.claimed else "charge_untold")
    if p.of and pressed:
        if m.previous_target == m.target:
            return say(p, "charge_steady")
        return remark("turn", x=m.previous_target, weight=0)
    return say(p, "charge_differs")


def _has_changed_plan(m: Mindset, roles: Iterable[str]) -> bool:
    """Return whether I proposed that a role should wait, and proposed or did the opposite.

    roles: the roles that count, empty for all.
    """
    plans = {(act.role, act.about) for act in m.dialogue.acts("propose", by=m.me)}
    return any(
        (role, "wait") in plans and (m.claimed == role or (role, "speak") in plans)
        for role in roles or m.pack.deck
    )


def _answer_echo(m: Mindset, p: Demand) -> Remark | None:
    if not m.dialogue.turns(m.me):
        return None
    for y in _pressed_besides(m, p.by):
        if m.dialogue.first_accuser_of(y) == m.me:
            return say(p, "charge_first", y=y)
    return say(p, "charge_echo")


def _answer_timing(m: Mindset, p: Demand) -> Remark | None:
    if m.claimed and (p.roles or "late" in p.topics):
        return say(p, "charge_late" if _has_waited_to_claim(m) else "charge_prompt")
    if "accusation" in p.topics and m.dialogue.pressed_by(m.me):
        return say(p, "charge_early")
    if y := next((s for s in p.of if s in m.others), 0):
        if y != p.by and not _has_opposed(m, y):
            return say(p, "charge_pressed_not", y=y)
        return None if y == p.by else say(p, "charge_early")
    if any(s.seat == m.me and s.presses() for s in m.dialogue.statements[:1]):
        return say(p, "charge_early")
    if not m.claimed and _pressed_besides(m, p.by):
        return say(p, "charge_early_not")
    if m.claimed and not _has_waited_to_claim(m):
        return say(p, "charge_prompt")
    return say(p, "charge_late") if m.claimed or m.round > 1 else None


def _has_waited_to_claim(m: Mindset) -> bool:
    """Return whether I claimed no role in my first statement."""
    first = m.dialogue.turns(m.me)[0]
    return not any(act.kind in CLAIMING for act in first.acts)


def answer_side(m: Mindset, p: Demand) -> Remark | None:
    """Answer that I played with, defended or pressed a player."""
    y = next((s for s in p.of if s in m.others and s != p.by), 0)
    if not y:
        return None
    if "team" in p.topics and y not in (m.mate, m.dialogue.companions.get(m.me)):
        return say(p, "charge_together", y=y)
    if "defence" in p.topics:
        return say(p, "charge_defended" if y in m.defended_seats else "charge_defended_not", y=y)
    if y in m.dialogue.pressed_by(m.me):
        has_reason = can_voice_suspicion(m) and suspect_when_asked(m, y)
        return say(p, "answer_suspect") if has_reason else say(p, "charge_pressed", y=y)
    return None if _has_opposed(m, y) else say(p, "charge_pressed_not", y=y)


def answer_doubt(m: Mindset, p: Demand) -> Remark:
    """Answer that I lie. Others may claim the same card, too many of them for the deck."""
    rivals = {*m.dialogue.claimants(m.claimed)} - {m.me}
    is_about_claim = not p.roles or m.claimed in p.roles
    is_count = "count" in p.topics and is_about_claim
    if m.claimed and is_count and len(rivals) >= m.pack.deck.count(m.claimed):
        return say(p, "charge_crowd", role=m.claimed)
    return say(p, "charge_cheap" if m.claimed and p.roles else "charge_untrusted")


# -- questions about what I did or said


def find_motive(m: Mindset, p: Demand) -> Remark | None:
    """Return the reason for what the question speaks of, None if I can't tell what it means."""
    questioned = [t for act in m.dialogue.acts("question", by=m.me) for t in act.targets]
    if "question" in p.topics and questioned:
        y = next((s for s in (*p.of, p.by) if s in questioned), questioned[-1])
        return say(p, "owed_asked_you") if y == p.by else say(p, "owed_asked", y=y)
    if m.claimed and "late" in p.topics and _has_waited_to_claim(m):
        return say(p, "charge_late")
    looks = m.dialogue.looks.get(m.me, ())
    seats_looked_at = looks[-1].targets if looks and "look" in p.topics else ()
    for y in p.of or seats_looked_at:
        if answer := explain_act_toward(m, p, y):
            return answer
    if m.claimed and ("claim" in p.topics or m.claimed in p.roles):
        return say(p, "owed_claimed_openly")
    if proposals := m.dialogue.acts("propose", by=m.me):
        plan = next((a for a in proposals if a.role in p.roles), proposals[-1])
        if plan.role in p.roles or not p.of:
            return say(p, f"owed_proposed_{plan.about}", role=plan.role)
    is_about_suspect = {"accusation", "vote"} & p.topics and not p.of
    if is_about_suspect and m.previous_target and can_voice_suspicion(m):
        return say(p, "answer_suspect")
    return None


def explain_act_toward(m: Mindset, p: Demand, d: int) -> Remark | None:
    """Return the reason of my accusation, look, protection, defence or vote toward `d`."""
    if d in m.dialogue.pressed_by(m.me) and suspect_when_asked(m, d):
        return give_reason(m, p, d)
    course = m.dialogue.course
    own_looks = (k for k in m.dialogue.looks.get(m.me, ()) if d in k.targets)
    if "vote" not in p.topics:
        if any(m.pack.can_choose_target(k.source) for k in own_looks):
            return say(p, "owed_chose_look", d=d)
        if m.claimed == m.role and any(d == k.target for k in course.protections):
            return say(p, "owed_chose_kept", d=d)
    if course.last_votes().get(m.me) == d:
        return say(p, "owed_chose_vote", d=d)
    return say(p, "charge_defended", y=d) if d in m.defended_seats and d != p.by else None


def _answer_stand(m: Mindset, p: Demand) -> Remark | None:
    """Answer whether I stand by what I said."""
    return say(p, "owed_stand") if m.claimed or m.dialogue.pressed_by(m.me) else None


def _answer_suppose(m: Mindset, p: Demand) -> Remark:
    """Answer what I would do with the role."""
    if not p.roles or {*p.roles} & {*m.pack.liars}:
        return say(p, "owed_suppose_wolf")
    is_early = m.chance(f"suppose {m.pack.spelled('looker')}", EARLY_PERCENT)
    return say(p, "owed_suppose_speak" if is_early else "owed_suppose_wait")


def give_reason(m: Mindset, p: Demand, y: int) -> Remark:
    """Announce the reason of my suspicion of `y`, or admit that it is a feeling."""
    if has_reason(m, y) or y not in m.dialogue.pressed_by(m.me):
        return say(p, "answer_suspect")
    return say(p, "owed_feeling_you") if y == p.by else say(p, "owed_feeling", y=y)


# -- questions about the record of the talk


def _answer_claimed(m: Mindset, p: Demand) -> Remark | None:
    """Answer who of the living claims one of the roles, or any role."""
    claims = m.dialogue.claims
    seats = [s for s in (m.me, *m.others) if claims.get(s, "") in (p.roles or claims.values())]
    if not _is_next_to_answer(m, p):
        return None
    return say(p, "owed_claimed", y=_names(m, p, seats)) if seats else say(p, "owed_claimed_none")


def _answer_ballots(m: Mindset, p: Demand) -> Remark | None:
    """Answer with the votes announced today, else with the last ballot."""
    if not _is_next_to_answer(m, p):
        return None
    day = m.view.state.day
    pledges = {s: t for (d, s), t in m.dialogue.pledges.items() if d == day}
    for kind, votes in (
        ("owed_ballots", pledges),
        ("owed_ballots_last", m.dialogue.course.last_votes()),
    ):
        if votes:
            counts = Counter(votes.values()).most_common()
            return say(p, kind, y=join_names([f"{n} for {_names(m, p, [s])}" for s, n in counts]))
    return say(p, "owed_ballots_none")


def _is_next_to_answer(m: Mindset, p: Demand) -> bool:
    """Return whether a question names me or is unanswered. A question to all gets one answer."""
    question = next(s for s in reversed(m.dialogue.statements) if s.seat == p.by)
    return m.me in question.names or question is m.dialogue.statements[-1]


def _names(m: Mindset, p: Demand, seats: Sequence[int]) -> str:
    """Return the names of `seats`, "you" for the asker and "me" for myself."""
    names = {p.by: "you", m.me: "me"}
    in_order = sorted(seats, key=lambda s: s in names)
    return join_names([names.get(s, m.view.name(s)) for s in in_order])


CONDUCT_ANSWERS: Mapping[str, Callable[[Mindset, Demand], Remark | None]] = {
    "silent": _answer_silent,
    "changed": _answer_changed,
    "echo": _answer_echo,
    "timing": _answer_timing,
    "side": answer_side,
    "manner": lambda m, p: say(p, "charge_manner", w=p.word) if p.word else say(p, "charge_tone"),
    "doubt": answer_doubt,
    "stand": _answer_stand,
    "suppose": _answer_suppose,
    "would_have": lambda m, p: say(p, "owed_would_have"),
    "wrong": lambda m, p: say(p, "owed_wrong"),
    "mind": lambda m, p: say(p, "owed_mind"),
    "claimed": _answer_claimed,
    "ballots": _answer_ballots,
}
