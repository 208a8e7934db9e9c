"""Words that an office asks for: why to be elected, and the last word before a vote."""

from __future__ import annotations

from collections.abc import Iterator

from agents.house.remarks import Remark, RemarkPlace
from agents.house.suspicion import Mindset

STAND = 7.4  # whoever stands for an office says why, whatever else there is to say


def office(m: Mindset) -> Iterator[Remark]:
    if m.says == "stand":
        yield from _stand(m)
    elif m.says == "lead":
        yield Remark("lead_sum", STAND, RemarkPlace.LEAD)
        if any(h.seat == m.me and h.when == m.view.state.day for h in m.dialogue.course.passed):
            yield Remark("lead_thanks", 4.4, RemarkPlace.OPEN)


def _stand(m: Mindset) -> Iterator[Remark]:
    """A reason that fits what I say I am, and what I would do."""
    looks = m.claims_a("looker") or (m.poses_as("looker") and m.look is not None)
    kind = "stand_looker" if looks else "stand_known" if m.claimed else "stand"
    yield Remark(kind, STAND, RemarkPlace.TABLE)
    if not m.chance("promise", 30):
        yield Remark("stand_promise", STAND - 0.2, RemarkPlace.TRUST)
    here = [s for s in m.dialogue.said if s.round == m.round]
    rivals = [s.seat for s in here if s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield Remark("stand_rival", 5.2, RemarkPlace.REPLY, {"x": rivals[-1]}, rivals[-1])
