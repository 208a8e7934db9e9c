"""Favor: the agent's feeling toward each player, updated by one request per round (SPEC 2.2)."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from agents.decision import (
    BackendError,
    Decision,
    Faculty,
    Mind,
    Note,
    Reply,
    Request,
    Send,
    failed_preparation_note,
    send_with_repair,
)
from agents.favor_scale import INITIAL_FAVOR, favor_after_scores, favor_level
from game.engine.events import Moment


class FavorFaculty(Faculty):
    """Faculty that requests scores of how the other players treated the agent.

    Seats are strings in replies, notes and briefs.

    - Reply: {"scores": {seat: 1..10}}, and optionally {"why": {seat: [reason, …]}, "reason": str}.
      Only the given seats are updated.
    - Note: {"favor": {seat: 1.0..100.0}, "scores", "why", "reason"}.
    - Brief: as `favor_brief` gives it.
    """

    name = "favor"
    can_prepare = True

    def is_due(self, decision: Decision) -> bool:
        """Return whether there was a round of talk to score before this one (SPEC 2.2)."""
        return decision.round >= 2

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        """Return the note of the favor after the talk of the previous round (SPEC 2.2)."""
        if not self.is_due(decision):
            return []
        old_favor = get_favor_by_seat(decision.mind, decision.other_seats)
        brief = optional_favor_brief(decision)
        if "strategy" in decision.faculties:
            brief["strategy"] = {"list": decision.mind.latest("judgement").get("list", {})}
        request = Request(self.name, decision, brief)
        parse_reply = partial(_parse_scores, seats=old_favor.keys())
        try:
            result = send_with_repair(send, self.name, request, parse_reply)
        except BackendError as error:  # favor stays unchanged (SPEC 2.6)
            return [failed_preparation_note(decision, self.name, error.cause)]
        scores = result.value
        reasons_by_seat: Mapping[str, Any] = result.reply.get("why") or {}
        new_favor = favor_after_scores(old_favor, scores)
        data = {
            "favor": {str(seat): round(favor, 2) for seat, favor in new_favor.items()},
            "scores": {str(seat): score for seat, score in scores.items()},
            "why": {s: list(reasons) for s, reasons in reasons_by_seat.items() if int(s) in scores},
            "reason": str(result.reply.get("reason") or ""),
        }
        return [Note(self.name, decision.round_start, data)]

    def brief(self, decision: Decision) -> dict[str, Any]:
        return favor_brief(decision)


def favor_brief(decision: Decision) -> dict[str, Any]:
    """Return the current favor with its reasons, for a brief. Seats are strings.

    Returns:
        {"favor": {seat: 1.0..100.0}, "levels": {seat: 1..5}, "why": {seat: [reason, …]}, "reason":
        str}. "why" has the reasons for each player's last change, "reason" that of the last update.
    """
    favor_by_seat = get_favor_by_seat(decision.mind, decision.other_seats)
    reasons: dict[str, list[str]] = {}
    for note in decision.mind.of("favor"):  # a feeling lasts longer than the round that caused it
        reasons |= note.data.get("why", {})
    return {
        "favor": {str(s): f for s, f in favor_by_seat.items()},
        "levels": {str(s): favor_level(f) for s, f in favor_by_seat.items()},
        "why": reasons,
        "reason": decision.mind.latest("favor").get("reason", ""),
    }


def optional_favor_brief(decision: Decision) -> dict[str, Any]:
    """Return {"favor": `favor_brief`} for another faculty's brief, {} if favor is off."""
    return {"favor": favor_brief(decision)} if "favor" in decision.faculties else {}


def seats_to_score(decision: Decision) -> list[int]:
    """Return the other seats whose players were in the game when the previous round began.

    Players who were out by then did nothing in that round that could be scored.
    """
    if decision.round < 2:
        return decision.other_seats
    previous_start = decision.view.state.rounds[-2]
    already_out = {d.seat for d in decision.view.state.deaths if d.moment < previous_start}
    return [seat for seat in decision.other_seats if seat not in already_out]


def get_favor_by_seat(
    mind: Mind, seats: list[int], until: Moment | None = None
) -> dict[int, float]:
    """Return seat -> favor by the mind's last note, or by the last one until a moment."""
    notes = [n for n in mind.of("favor") if until is None or n.moment <= until]
    noted_favor = notes[-1].data["favor"] if notes else {}
    return {seat: float(noted_favor.get(str(seat), INITIAL_FAVOR)) for seat in seats}


def _parse_scores(reply: Reply, seats: Collection[int]) -> dict[int, int]:
    """Return seat -> score from 1 to 10, or raise BackendError for other seats or scores."""
    scores = reply.get("scores")
    if not isinstance(scores, Mapping):
        raise BackendError("unusable", "no scores")
    score_by_seat = {}
    for key, value in scores.items():
        if not str(key).isdecimal() or int(key) not in seats:
            raise BackendError("unusable", f"no player {key!r}")
        if type(value) is not int or not 1 <= value <= 10:
            raise BackendError("unusable", f"no score from 1 to 10: {value!r}")
        score_by_seat[int(key)] = value
    return score_by_seat
