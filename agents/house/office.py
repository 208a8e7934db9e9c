"""Words that an office asks for: why to be elected, and the last word before a vote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.house.remarks import Remark, RemarkPlace
from agents.house.suspicion import Mindset

STAND = 7.4  # whoever stands for an office says why, whatever else there is to say


def office(m: Mindset, claim: Sequence[Remark]) -> Iterator[Remark]:
    """claim: what is said of itself in the same breath."""
    if m.says == "stand":
        role = next((move.role for move in claim), m.claimed)
        yield from _stand(m, role, bool(m.look) or any(move.look for move in claim))
    elif m.says == "lead":
        yield Remark("lead_sum", STAND, RemarkPlace.LEAD)
        if any(h.seat == m.me and h.when == m.view.state.day for h in m.dialogue.course.passed):
            yield Remark("lead_thanks", 4.4, RemarkPlace.OPEN)


def _stand(m: Mindset, role: str, looked: bool) -> Iterator[Remark]:
    """A reason that fits what I say I am, and what I would do.

    role: what I have claimed, "" for nothing; looked: whether I have a look to tell of.
    """
    looks = m.pack.part(role) == "looker" and looked
    if looks or role in ("", m.pack.plain):
        kind = "stand_looker" if looks else "stand_known" if role else "stand"
        yield Remark(kind, STAND, RemarkPlace.TABLE)
    if role not in ("", m.pack.plain) or not m.chance("promise", 30):
        yield Remark("stand_promise", STAND - 0.2, RemarkPlace.TRUST)
    here = [s for s in m.dialogue.said if s.round == m.round]
    rivals = [s.seat for s in here if s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield Remark("stand_rival", 5.2, RemarkPlace.REPLY, {"x": rivals[-1]}, rivals[-1])
