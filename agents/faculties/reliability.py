"""Reliability: before each action, deductions about others with evidence (SPEC 2.6).

The switch `reasoning` has four values:

- `together`, the default, requests them with the answer, after the reason for the answer.
- `apart` requests them before the answer, for all players in one request. If a model fails at that,
  it requests them player by player.
- `each` requests them player by player from the start, as in the paper.
- `none` requests none.
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
        if decision.switch(REASONING) == "together" or not scores.is_reasoning_due(decision):
            return []
        seats = [int(s) for s in scores.rating_form(decision).options]
        if decision.switch(REASONING) == "each":
            return [_request_one_by_one(decision, ask, seats)]
        try:
            rows = _request_rows(decision, ask, seats, self.name)
        except BackendError as error:
            if not error.is_mistake:
                return [scores.failure_note(decision, error.cause)]
            return [_request_one_by_one(decision, ask, seats)]
        return [scores.rating_note(decision, rows)]

    def decide(self, decision: Decision) -> Answer | None:
        if not scores.is_decided_by_scores(decision):
            return None
        return Answer(pick(scores.most_trusted_seat(decision)))

    def brief(self, decision: Decision) -> dict[str, Any]:
        m = scores.current_scores(decision).m
        data: dict[str, Any] = {"scores": {str(s): score for s, score in m.items()}}
        if decision.switch(REASONING) == "together" and scores.is_reasoning_due(decision):
            data["asked"] = list(scores.rating_form(decision).options)
        return data

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        if decision.switch(REASONING) != "together" or not scores.is_reasoning_due(decision):
            return []
        try:
            rows = _parse_rows(reply, scores.rating_form(decision), decision)
            return [scores.rating_note(decision, rows)]
        except BackendError as error:
            return [scores.failure_note(decision, error.cause)]


def rating_decision(decision: Decision, seats: list[int]) -> Decision:
    """Return the same decision with a rating of `seats` as its window."""
    legal = replace(scores.rating_form(decision), options=tuple(seats))
    only_own = to(decision.seat)
    window = replace(
        decision.window,
        kind=REQUEST,
        legal=legal,
        answer_audience=only_own,
        window_audience=only_own,
    )
    return replace(decision, window=window)


def _request_rows(decision: Decision, ask: Ask, seats: list[int], step: str) -> Rows:
    """Request ratings of `seats` in one request, with one repair. Raises BackendError."""
    question = rating_decision(decision, seats)
    legal = question.window.legal
    assert isinstance(legal, Ratings)
    brief = {FACULTY: {"asked": seats}}
    request = Request(REQUEST, question, brief)
    return with_repair(ask, step, request, lambda reply: _parse_rows(reply, legal, decision)).value


def _request_one_by_one(decision: Decision, ask: Ask, seats: list[int]) -> Note:
    """Request one rating per player. Players whose request fails keep their scores."""
    rows: Rows = {}
    cause = ""
    for seat in seats:
        try:
            rows |= _request_rows(decision, ask, [seat], f"{FACULTY}/{seat}")
        except BackendError as error:
            cause = error.cause
    if cause and not rows:
        return scores.failure_note(decision, cause)
    return scores.rating_note(decision, rows)


def _parse_rows(reply: Reply, legal: Ratings, decision: Decision) -> Rows:
    """Return the reply's ratings. Raises BackendError if they are missing or invalid."""
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
