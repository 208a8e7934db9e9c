"""Remarks on deaths, ballots and a badge, and speeches of candidates and of the badge's holder.

They state public facts only. Players who may be out stand in the slots `d` and `e`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remark_rules import build_remarks
from agents.house.remarks import MIN_REMARK_WEIGHT, Remark, remark

MENTION_PENALTY = 0.8  # weight taken off for each mention of the same players by others
MAX_MENTIONS = 5
CANDIDACY_WEIGHT = 7.4  # of a candidate's reason: above almost all other remarks
OWN_VOTE_KINDS = ("own_ballot", "lead_refused")  # they explain my vote, whatever others said of it


def build_happenings(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the night, the last exile, the ballots and the badge.

    A lot adds to each weight, and mentions of the same players today take from it.
    """
    if not m.has_attacks:
        return
    today = [statement for statement in m.dialogue.said if statement.round >= m.dialogue.today]
    for candidate in build_remarks(m, "happenings", {}):
        mentions = min(sum(candidate.seats <= s.names for s in today), MAX_MENTIONS)
        penalty = 0.0 if candidate.kind in OWN_VOTE_KINDS else MENTION_PENALTY * mentions
        lot = m.draw(f"happening/{m.pack.spelled(candidate.kind)}", 14) / 10
        weight = candidate.weight + lot - penalty
        if weight > MIN_REMARK_WEIGHT and candidate.key not in m.stance.said_keys:
            yield replace(candidate, weight=weight)


def build_office_remarks(m: Mindset, claim: Sequence[Remark]) -> Iterator[Remark]:
    """Yield the speech of a candidate or of the badge's holder.

    claim: the remarks in which the player claims a role in the same statement.
    """
    if m.speech_purpose == "stand":
        role = next((c.role for c in claim), m.claimed)
        yield from _candidacy(m, role, bool(m.look) or any(c.look for c in claim))
    elif m.speech_purpose == "lead":
        yield remark("lead_sum", weight=CANDIDACY_WEIGHT)
        if any(h.seat == m.me and h.when == m.view.state.day for h in m.dialogue.course.passed):
            yield remark("lead_thanks")


def _candidacy(m: Mindset, role: str, has_look: bool) -> Iterator[Remark]:
    """Yield a reason to be elected that fits my claim, and a promise.

    role: the claimed role, "" for none; has_look: whether I have a look to tell of.
    """
    is_looker = m.pack.part(role) == "looker" and has_look
    if is_looker or role in ("", m.pack.plain_role):
        kind = "stand_looker" if is_looker else "stand_known" if role else "stand"
        yield remark(kind, weight=CANDIDACY_WEIGHT)
    if role not in ("", m.pack.plain_role) or not m.chance("promise", 30):
        yield remark("stand_promise", weight=CANDIDACY_WEIGHT - 0.2)
    rivals = [s.seat for s in m.dialogue.said if s.round == m.round and s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield remark("stand_rival", x=rivals[-1])
