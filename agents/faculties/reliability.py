"""Reliability: before each action, deductions about others with evidence (SPEC 2.6).

Three modes: `together`, the default, requests them with the answer, after the reason for the
answer. `apart` requests them before the answer, for all players in one request, and player by
player if a model fails at that. `each` requests them player by player at once, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents import reliability_scores as scores
from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.faculties import Faculty
from agents.mind import Note
from agents.reliability_scale import FACULTY, REASONING, REQUEST, SORTING
from agents.repair import with_repair
from game.engine.events import to
from game.engine.forms import Illegal, Ratings, pick
from game.engine.windows import Answer

Rows = dict[str, dict[str, Any]]  # seat -> {"role", "confidence", "evidence", "reason"}


class ReliabilityFaculty(Faculty):
    """Faculty that keeps reliability scores.

    Its notes have the form of `agents.reliability_scores`. Brief: {"scores": {seat: m}} with the
    current scores, and {"asked": [seat, …]} if the answer is to include ratings.
    """

    name = FACULTY
    switches = (REASONING, SORTING)

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        if decision.switch(REASONING) == "together" or not scores.asked_for(decision):
            return []
        seats = [int(s) for s in scores.form_of(decision).options]
        each = decision.switch(REASONING) == "each"
        try:
            rows = {} if each else _request_rows(decision, ask, seats, self.name)
        except BackendError as error:
            if not error.mistake:
                return [scores.failed(decision, error.cause)]
            each = True
        if each:
            return [_one_by_one(decision, ask, seats)]
        return [scores.note_of(decision, rows)]

    def decide(self, decision: Decision) -> Answer | None:
        return Answer(pick(scores.trusted(decision))) if scores.decides(decision) else None

    def brief(self, decision: Decision) -> dict[str, Any]:
        m = scores.standing(decision).m
        brief_data: dict[str, Any] = {"scores": {str(s): score for s, score in m.items()}}
        if decision.switch(REASONING) == "together" and scores.asked_for(decision):
            brief_data["asked"] = list(scores.form_of(decision).options)
        return brief_data

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        if decision.switch(REASONING) != "together" or not scores.asked_for(decision):
            return []
        try:
            return [scores.note_of(decision, _rows(reply, scores.form_of(decision), decision))]
        except BackendError as error:
            return [scores.failed(decision, error.cause)]


def asks_of(decision: Decision, seats: list[int]) -> Decision:
    """Return the same decision with a rating of `seats` as its question."""
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
    return with_repair(ask, step, request, lambda reply: _rows(reply, legal, decision)).value


def _one_by_one(decision: Decision, ask: Ask, seats: list[int]) -> Note:
    """Request one rating per player. Players whose request fails keep their scores."""
    rows: Rows = {}
    cause = ""
    for seat in seats:
        try:
            rows |= _request_rows(decision, ask, [seat], f"{FACULTY}/{seat}")
        except BackendError as error:
            cause = error.cause
    return scores.failed(decision, cause) if cause and not rows else scores.note_of(decision, rows)


def _rows(reply: Reply, legal: Ratings, decision: Decision) -> Rows:
    """Return the reply's ratings. Raises BackendError if there are none or anything else."""
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
