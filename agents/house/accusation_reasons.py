"""Remarks against the suspect (`Mindset.target`): reasons that are facts of the talk, and votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agents.house.facts import can_voice_suspicion
from agents.house.mindset import Mindset
from agents.house.remark_rules import build_remarks
from agents.house.remarks import Remark, remark

WEAK_SUSPICION = 0.2  # below it a doubt is voiced only sometimes in a day's first round
WEAK_DOUBT_PERCENT = 65
ASKED_BONUS = 3.5  # weight added to reasons that a question asks for
CHANGED_BONUS = 1.5  # weight added to reasons for a change of mind
MAX_REASONS = 4
NAME_INTENTS = ("whom", "vote", "why")  # questions whose answer is a name


def build_doubts(m: Mindset) -> Iterator[Remark]:
    """Yield a change of mind, the suspicion with its reasons, and the vote."""
    t, previous = m.target, m.previous_target
    if m.speech_purpose == "lead":  # the last speaker always says whom to vote for
        yield remark("lead_vote", t=t)
    if m.allies:  # they win by their votes and need no reason
        yield from build_remarks(m, "vote_announcement", {"t": t})
        return
    if not (can_voice_suspicion(m) or (m.has_fixed_target and previous == t)):
        return
    has_changed = bool(previous) and previous != t and not m.has_fixed_target
    if has_changed:
        yield from build_remarks(m, "change_of_mind", {"x": previous})
    if m.is_adored(t):
        yield remark("despite_liking", t=t)
    yield from _choose_reasons(m, t, has_changed)
    if (m.is_last_round or m.is_vote_owed) and m.speech_purpose != "lead":
        yield from build_remarks(m, "vote_announcement", {"t": t})


def _choose_reasons(m: Mindset, t: int, has_changed: bool) -> Iterator[Remark]:
    """Yield the best new reasons against `t`, or that I stay with my suspicion.

    has_changed: whether the statement says that I changed my mind.
    """
    reasons = _rank_by_weight(m, build_remarks(m, "reasons", {"t": t}))
    new_reasons = [reason for reason in reasons if reason.key not in m.stance.said_keys]
    asks_name = any(d.intent in NAME_INTENTS for _, d in m.demands)
    is_asked = m.has_fixed_target or m.is_vote_owed or asks_name
    # a vote without a reason convinces nobody
    is_expected = has_changed or is_asked or m.is_last_round
    is_weak = m.round == 1 and m.hunted_probability(t) < WEAK_SUSPICION and not is_expected
    if new_reasons and (not is_weak or m.chance("voice a doubt", WEAK_DOUBT_PERCENT)):
        bonus = ASKED_BONUS if is_asked else CHANGED_BONUS if has_changed else 0.0
        yield from (replace(r, weight=r.weight + bonus) for r in new_reasons[:MAX_REASONS])
    elif m.has_fixed_target and reasons:  # asked again: the best reason in other words
        yield replace(reasons[0], weight=reasons[0].weight + ASKED_BONUS)
    elif m.previous_target == t and not is_weak:
        yield remark("hold", t=t, weight=7.0 if is_asked else 5.0)


def _rank_by_weight(m: Mindset, remarks: Iterable[Remark]) -> list[Remark]:
    """Return the remarks, heaviest first.

    A lot adds to each weight, and mentions of the same players by others take from it.
    """
    spelled = m.pack.spelled
    ranked = [
        replace(
            r,
            weight=r.weight - 0.4 * m.count_mentions(r.seats) + m.draw(spelled(r.kind), 9) / 10,
        )
        for r in remarks
    ]
    return sorted(ranked, key=lambda r: (-r.weight, spelled(r.kind)))
