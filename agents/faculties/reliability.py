"""Reliability: before each action, ratings of the others with evidence (SPEC 2.6).

The switch `reasoning` decides when a model gives them:

- `together`, the default: with its answer, after the reason for the answer.
- `apart`: before the answer, for all players in one request. If the model fails at that, it gets
  one request for each player.
- `each`: before the answer, in one request for each player, as in the paper.
- `none`: never.

The switch `sorting` decides whether a prompt sorts the talk by the resulting scores
(`agents.llm.numbered_context`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents import reliability_scores as scores
from agents.decision import Ask, BackendError, Decision, Note, Reply, Request, send_with_repair
from agents.faculties import Faculty
from agents.reliability_scale import (
    EACH,
    FACULTY,
    REASONING,
    REQUEST,
    REQUESTED_SEATS,
    SORTING,
    TOGETHER,
)
from game.engine.events import only_seats
from game.engine.forms import Illegal, Ratings, pick
from game.engine.windows import Answer

RatingsBySeat = dict[str, dict[str, Any]]  # seat -> {"role", "confidence", "evidence", "reason"}


class ReliabilityFaculty(Faculty):
    """Faculty that keeps reliability scores.

    Its notes are those of `agents.reliability_scores`. Brief: {"scores": {seat: 1..10}} with the
    current scores, and {REQUESTED_SEATS: [seat, …]} if the answer has to include ratings.
    """

    name = FACULTY
    switches = (REASONING, SORTING)

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        reasoning = decision.switch_value(REASONING)
        if reasoning == TOGETHER or not scores.is_reasoning_due(decision):
            return []
        seats = [int(s) for s in scores.rating_form(decision).options]
        if reasoning == EACH:
            return [_request_one_by_one(decision, ask, seats)]
        try:
            ratings = _request_ratings(decision, ask, seats, self.name)
        except BackendError as error:
            if not error.is_mistake:
                return [scores.failed_reasoning_note(decision, error.cause)]
            return [_request_one_by_one(decision, ask, seats)]
        return [scores.rating_note(decision, ratings)]

    def decide(self, decision: Decision) -> Answer | None:
        if not scores.is_decided_by_scores(decision):
            return None
        return Answer(pick(scores.most_trusted_seat(decision)))

    def brief(self, decision: Decision) -> dict[str, Any]:
        score_by_seat = scores.current_scores(decision).by_seat
        data: dict[str, Any] = {"scores": {str(s): score for s, score in score_by_seat.items()}}
        if _has_ratings_in_answer(decision):
            data[REQUESTED_SEATS] = list(scores.rating_form(decision).options)
        return data

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        if not _has_ratings_in_answer(decision):
            return []
        try:
            ratings = _parse_ratings(reply, scores.rating_form(decision), decision)
            return [scores.rating_note(decision, ratings)]
        except BackendError as error:
            return [scores.failed_reasoning_note(decision, error.cause)]


def _has_ratings_in_answer(decision: Decision) -> bool:
    """Return whether the request for the answer asks for ratings as well."""
    return decision.switch_value(REASONING) == TOGETHER and scores.is_reasoning_due(decision)


def _request_ratings(decision: Decision, ask: Ask, seats: list[int], step: str) -> RatingsBySeat:
    """Request ratings of `seats` in one request, with one repair.

    Args:
        step: name of the request within the window.
    """
    rating_decision = _rating_decision(decision, seats)
    legal = rating_decision.window.legal
    assert isinstance(legal, Ratings)
    request = Request(REQUEST, rating_decision, {FACULTY: {REQUESTED_SEATS: seats}})
    return send_with_repair(
        ask, step, request, lambda reply: _parse_ratings(reply, legal, decision)
    ).value


def _request_one_by_one(decision: Decision, ask: Ask, seats: list[int]) -> Note:
    """Request one rating per player. Players whose request fails keep their scores."""
    ratings: RatingsBySeat = {}
    cause = ""
    for seat in seats:
        try:
            ratings |= _request_ratings(decision, ask, [seat], f"{FACULTY}/{seat}")
        except BackendError as error:
            cause = error.cause
    if cause and not ratings:
        return scores.failed_reasoning_note(decision, cause)
    return scores.rating_note(decision, ratings)


def _rating_decision(decision: Decision, seats: list[int]) -> Decision:
    """Return the same decision with a rating of `seats` as its window."""
    legal = replace(scores.rating_form(decision), options=tuple(seats))
    own_audience = only_seats(decision.seat)
    window = replace(
        decision.window,
        kind=REQUEST,
        legal=legal,
        answer_audience=own_audience,
        window_audience=own_audience,
    )
    return replace(decision, window=window)


def _parse_ratings(reply: Reply, legal: Ratings, decision: Decision) -> RatingsBySeat:
    """Return the reply's ratings, or raise BackendError if they are missing or invalid."""
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
