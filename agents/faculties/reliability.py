"""Reliability: before each action, what one takes the others for and by which evidence (SPEC 2.6).

Asked with the answer, in one request (`together`, the default: behind the reason for the answer);
before it, in one request for all players (`apart`), which is asked again player by player where a
model can't answer it so; or player by player at once, as in the paper (`each`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents import reliability_scores as scores
from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.faculties import Faculty
from agents.mind import Note
from agents.reliability_scale import FACULTY, REQUEST
from agents.repair import with_repair
from game.engine.events import to
from game.engine.forms import Action, Illegal, Ratings, pick

Rows = dict[str, dict[str, Any]]  # seat -> {"role", "confidence", "evidence", "reason"}


class ReliabilityFaculty(Faculty):
    """Notes as `agents.reliability_scores` has them.

    Brief: {"scores": {seat: m}} of what stands, and {"asked": [seat, …]} where the answer is to
    come with ratings.
    """

    name = FACULTY

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        if decision.reasoning == "together" or not scores.asked_for(decision):
            return []
        seats = [int(s) for s in scores.form_of(decision).options]
        each = decision.reasoning == "each"
        try:
            rows = {} if each else _request_rows(decision, ask, seats, self.name)
        except BackendError as error:
            if not error.mistake:
                return [scores.failed(decision, error.cause)]
            each = True
        if each:
            return [_one_by_one(decision, ask, seats)]
        return [scores.note_of(decision, rows)]

    def decide(self, decision: Decision) -> Action | None:
        return pick(scores.trusted(decision)) if scores.decides(decision) else None

    def brief(self, decision: Decision) -> dict[str, Any]:
        m = scores.standing(decision).m
        brief_data: dict[str, Any] = {"scores": {str(s): score for s, score in m.items()}}
        if decision.reasoning == "together" and scores.asked_for(decision):
            brief_data["asked"] = list(scores.form_of(decision).options)
        return brief_data

    def learned(self, decision: Decision, reply: Reply) -> list[Note]:
        if decision.reasoning != "together" or not scores.asked_for(decision):
            return []
        try:
            return [scores.note_of(decision, _rows(reply, scores.form_of(decision), decision))]
        except BackendError as error:
            return [scores.failed(decision, error.cause)]


def asks_of(decision: Decision, seats: list[int]) -> Decision:
    """Return the same moment with the question what `seats` are."""
    legal = replace(scores.form_of(decision), options=tuple(seats))
    own = to(decision.seat)
    window = replace(
        decision.window, kind=REQUEST, legal=legal, answer_audience=own, window_audience=own
    )
    return replace(decision, window=window)


def _request_rows(decision: Decision, ask: Ask, seats: list[int], step: str) -> Rows:
    question = asks_of(decision, seats)
    legal = question.window.legal
    assert isinstance(legal, Ratings)
    brief = {FACULTY: {"asked": seats}}
    request = Request(REQUEST, question, brief)
    return with_repair(ask, step, request, lambda reply: _rows(reply, legal, decision)).taken


def _one_by_one(decision: Decision, ask: Ask, seats: list[int]) -> Note:
    """Return a request a player.

    Returns who can't be had so keeps its score.
    """
    rows: Rows = {}
    cause = ""
    for seat in seats:
        try:
            rows |= _request_rows(decision, ask, [seat], f"{FACULTY}/{seat}")
        except BackendError as error:
            cause = error.cause
    return scores.failed(decision, cause) if cause and not rows else scores.note_of(decision, rows)


def _rows(reply: Reply, legal: Ratings, decision: Decision) -> Rows:
    """Return the reply's ratings. BackendError where it holds anything else, or none."""
    rating_rows = reply.get("ratings")
    if not isinstance(rating_rows, Mapping) or not rating_rows:
        raise BackendError("unusable", "no ratings")
    try:
        legal.check(decision.seat, legal.parse({"ratings": rating_rows}))
    except Illegal as illegal:
        raise BackendError("illegal", illegal.code) from illegal
    return {
        str(seat): {
            "role": row["role"],
            "confidence": int(row["confidence"]),
            "evidence": [int(p) for p in row.get("evidence", ())],
            "reason": str(row.get("reason") or ""),
        }
        for seat, row in rating_rows.items()
    }
