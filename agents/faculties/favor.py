"""Favor: the agent's feeling toward everyone, updated by one request per round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty
from agents.favor_scale import START, after, level
from agents.mind import Mind, Note
from agents.repair import request_prepared
from game.engine.moments import Moment


class FavorFaculty(Faculty):
    """Faculty that requests scores of how all others treated the agent.

    The reply is {"scores": {seat: 1..10}}, and only the given seats are updated. It may also hold
    {"why": {seat: [reason, …]}, "reason": str}. Notes and brief: {"favor": {seat: 1..100}, "why",
    "reason", …}, with seats as strings.
    """

    name = "favor"
    prepares = True

    def due(self, decision: Decision) -> bool:
        """Return true from the second round on (SPEC 2.2)."""
        return decision.round >= 2

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """Update favor once per round, from the talk of the round before (SPEC 2.2)."""
        if not self.due(decision):
            return []
        favor = feelings(decision.mind, others_of(decision))
        brief = {**favor_of(decision), **_last_list(decision)}
        result, failed = request_prepared(
            ask, decision, self.name, brief, lambda r: _scores(r, favor)
        )
        if result is None:
            return failed  # favor stays unchanged (SPEC 2.6)
        scores = result.value
        reasons_by_seat: Mapping[str, Any] = result.reply.get("why") or {}
        feelings_now = after(favor, scores)
        data = {
            "favor": {str(s): round(f, 2) for s, f in feelings_now.items()},
            "scores": {str(s): f for s, f in scores.items()},
            "why": {s: list(reasons) for s, reasons in reasons_by_seat.items() if int(s) in scores},
            "reason": str(result.reply.get("reason") or ""),
        }
        return [Note(self.name, decision.began, data)]

    def brief(self, decision: Decision) -> dict[str, Any]:
        return favor_brief(decision)


def favor_brief(decision: Decision) -> dict[str, Any]:
    """Return the current favor with its reasons, for a brief. Seats are strings.

    The form is {"favor": {seat: 1..100}, "levels": {seat: 1..5}, "why": {seat: [reason, …]},
    "reason": str}. "why" holds the reasons for each player's last change, "reason" that of the last
    update.
    """
    feelings_now = feelings(decision.mind, others_of(decision))
    reasons: dict[str, list[str]] = {}
    for note in decision.mind.of("favor"):  # a feeling lasts longer than the round that caused it
        reasons |= note.data.get("why", {})
    return {
        "favor": {str(s): f for s, f in feelings_now.items()},
        "levels": {str(s): level(f) for s, f in feelings_now.items()},
        "why": reasons,
        "reason": decision.mind.latest("favor").get("reason", ""),
    }


def favor_of(decision: Decision) -> dict[str, Any]:
    """Return {"favor": favor so far} for a preparation's brief, {} without the faculty."""
    if "favor" not in decision.faculties:
        return {}
    return {"favor": favor_brief(decision)}


def _last_list(decision: Decision) -> dict[str, Any]:
    """Return {"strategy": the last judgement's list} if strategy is on (SPEC 2.2)."""
    if "strategy" not in decision.faculties:
        return {}
    return {"strategy": {"list": decision.mind.latest("judgement").get("list", {})}}


def others_of(decision: Decision) -> list[int]:
    """Return all other seats, dead or alive."""
    return [s for s in range(1, len(decision.view.state.seats) + 1) if s != decision.seat]


def scored(decision: Decision) -> list[int]:
    """Return the other seats that were alive when the previous round began.

    Players who were out by then did nothing in that round.
    """
    if decision.round < 2:
        return others_of(decision)
    before = decision.view.state.rounds[-2]
    out = {death.seat for death in decision.view.state.deaths if death.moment < before}
    return [s for s in others_of(decision) if s not in out]


def feelings(mind: Mind, other_seats: list[int], upto: Moment | None = None) -> dict[int, float]:
    """Return seat -> favor from the mind's notes, up to the moment `upto` if given."""
    notes = [n for n in mind.of("favor") if upto is None or n.moment <= upto]
    kept_favor = notes[-1].data["favor"] if notes else {}
    return {s: float(kept_favor.get(str(s), START)) for s in other_seats}


def _scores(reply: Reply, favor: Mapping[int, float]) -> dict[int, int]:
    """Return the reply's scores. Raises BackendError if it holds anything else."""
    scores = reply.get("scores")
    if not isinstance(scores, Mapping):
        raise BackendError("unusable", "no scores")
    score_by_seat = {}
    for key, value in scores.items():
        if not str(key).isdecimal() or int(key) not in favor:
            raise BackendError("unusable", f"no player {key!r}")
        if type(value) is not int or not 1 <= value <= 10:
            raise BackendError("unusable", f"no score from 1 to 10: {value!r}")
        score_by_seat[int(key)] = value
    return score_by_seat
