"""Reliability: before each action, ratings of the others with evidence (SPEC 2.6).

The switch `reasoning` decides when a model gives them:

- `together`, the default: with its answer, after the reason for the answer.
- `apart`: before the answer, for all players in one request. If the model fails at that, it gets
  one request for each player.
- `each`: before the answer, in one request for each player, as in the paper.
- `none`: never.

The switch `sorting` decides whether a prompt sorts the talk by the resulting scores
(`agents.llm.numbered_context`).

One *reasoning* rates some players: role, confidence and evidence. Its note holds the result, or
{"failed": cause}:

- "ratings": [{"seat", "role", "confidence": 5..10, "evidence": [position, …], "reason"}, …], with
  positions in the agent's own view. "reason" may be missing. Players without a row keep their
  scores. `agents.reliability_scale` reads these rows.
- "upto": the number of events in the agent's view at that time
- "standing": whether the scores are valid from then on
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.decision import (
    BackendError,
    Decision,
    Faculty,
    Note,
    Reply,
    Request,
    Send,
    send_with_repair,
)
from agents.reliability_scale import (
    EACH,
    FACULTY,
    NONE,
    RATINGS_REQUEST,
    REASONING,
    REQUESTED_SEATS,
    SORTING,
    TOGETHER,
    ratings_in_note,
    reliability,
)
from game.engine.events import RECORD, only_seats, pick
from game.engine.forms import Illegal, Ratings, rating
from game.engine.windows import Answer

BELIEF_THRESHOLD = 6  # statements of players with a higher reliability are believed
RatingsBySeat = dict[str, dict[str, Any]]  # seat -> {"role", "confidence", "evidence", "reason"}


class ReliabilityFaculty(Faculty):
    """Faculty that keeps reliability scores.

    Brief: {"scores": {seat: 1..10}} with the current scores, and {REQUESTED_SEATS: [seat, …]} if
    the answer has to include ratings.
    """

    name = FACULTY
    switches = (REASONING, SORTING)

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        reasoning = decision.switch_value(REASONING)
        if reasoning == TOGETHER or not is_reasoning_due(decision):
            return []
        seats = [int(s) for s in rating_form(decision).options]
        if reasoning == EACH:
            return [_request_one_by_one(decision, send, seats)]
        try:
            ratings = _request_ratings(decision, send, seats, self.name)
        except BackendError as error:
            if not error.is_mistake:
                return [failed_reasoning_note(decision, error.cause)]
            return [_request_one_by_one(decision, send, seats)]
        return [rating_note(decision, ratings)]

    def decide(self, decision: Decision) -> Answer | None:
        if not is_decided_by_scores(decision):
            return None
        return Answer(pick(most_trusted_seat(decision)))

    def brief(self, decision: Decision) -> dict[str, Any]:
        score_by_seat = current_scores(decision).by_seat
        data: dict[str, Any] = {"scores": {str(s): score for s, score in score_by_seat.items()}}
        if _has_ratings_in_answer(decision):
            data[REQUESTED_SEATS] = list(rating_form(decision).options)
        return data

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        if not _has_ratings_in_answer(decision):
            return []
        try:
            ratings = _parse_ratings(reply, rating_form(decision), decision)
            return [rating_note(decision, ratings)]
        except BackendError as error:
            return [failed_reasoning_note(decision, error.cause)]


@dataclass(frozen=True)
class Scores:
    """Current scores."""

    by_seat: Mapping[int, int] = field(default_factory=dict)  # seat -> reliability, 1..10
    event_count: int = 0  # number of events in the view at the last reasoning

    def is_believed(self, speaker: int, position: int) -> bool | None:
        """Return whether a statement of `speaker` at a position in the view is believed.

        Returns None for a statement after the last reasoning, or of a player without a score.
        """
        if position > self.event_count or speaker not in self.by_seat:
            return None
        return self.by_seat[speaker] > BELIEF_THRESHOLD


def seats_to_rate(request: Request) -> list[int]:
    """Return the seats whose reliability the reply has to rate, [] for none (SPEC 2.6)."""
    return list(request.brief.get(FACULTY, {}).get(REQUESTED_SEATS, ()))


def rating_form(decision: Decision, seats: Iterable[int] | None = None) -> Ratings:
    """Return the form of a rating of `seats`, or of all other living players if None."""
    return rating(decision.living_others if seats is None else seats, decision.ruleset.deck)


def is_reasoning_due(decision: Decision) -> bool:
    """Return whether the agent must reason before this answer.

    No reasoning is due in the game's first phase (SPEC 2.6), before a rating form, if the existing
    scores decide the answer, or if no other player is alive.
    """
    is_needless = decision.switch_value(REASONING) == NONE or is_decided_by_scores(decision)
    if is_needless or decision.moment.phase_number <= 1:
        return False
    return not isinstance(decision.window.legal, Ratings) and bool(decision.living_others)


def is_decided_by_scores(decision: Decision) -> bool:
    """Return whether the existing scores decide the answer.

    A player who leaves an office passes it to the player it trusts most (SPEC 1.2).
    """
    return decision.purpose == "entrust"


def rating_note(decision: Decision, rows: Mapping[str, Mapping[str, Any]]) -> Note:
    """Return the note of one reasoning, given its `rows` (RatingsBySeat)."""
    event_count = len(decision.view.events)
    ratings = [
        {
            "seat": int(seat),
            "role": row["role"],
            "confidence": row["confidence"],
            "evidence": [p for p in row.get("evidence", ()) if 1 <= p <= event_count],
            **({"reason": row["reason"]} if row.get("reason") else {}),
        }
        for seat, row in rows.items()
    ]
    is_valid = decision.window.answer_audience != RECORD  # pseudo-votes are never fed back
    data = {"ratings": ratings, "upto": event_count, "standing": is_valid}
    return Note(FACULTY, decision.moment, data, decision.window.key)


def failed_reasoning_note(decision: Decision, cause: str) -> Note:
    """Return the note of a failed reasoning, which leaves the scores unchanged."""
    return Note(FACULTY, decision.moment, {"failed": cause}, decision.window.key)


def current_scores(decision: Decision) -> Scores:
    """Return the current scores, including those of the reasoning for this window.

    These count here even if they are not valid later ("standing").
    """
    this_window = decision.window.key
    notes = (
        {**note.data, "standing": True}
        if note.window == this_window and "upto" in note.data
        else note.data
        for note in decision.mind.of(FACULTY)
    )
    return scores_after(notes, decision.view.role, decision.pack.hunted)


def scores_after(notes: Iterable[Mapping[str, Any]], role: str, hunted: Collection[str]) -> Scores:
    """Return the scores after `notes`, oldest first, for a player who holds `role`."""
    scores_by_seat: dict[int, int] = {}
    event_count = 0
    for note in notes:
        if note.get("standing"):
            scores_by_seat |= {r.seat: reliability(r, role, hunted) for r in ratings_in_note(note)}
            event_count = max(event_count, note["upto"])
    return Scores(scores_by_seat, event_count)


def deductions(decision: Decision) -> dict[int, Mapping[str, Any]]:
    """Return seat -> the row of the last valid reasoning on it before this window."""
    this_window = decision.window.key
    notes = [n.data for n in decision.mind.of(FACULTY) if n.window != this_window]
    return {row["seat"]: row for data in notes if data.get("standing") for row in data["ratings"]}


def cited_evidence(decision: Decision) -> tuple[int, frozenset[int]]:
    """Return the position of the last vote, 0 for none, and the positions cited at it."""
    for position, event in decision.view.newest_events(decision.ruleset.wording.ballots):
        notes = [n for n in decision.mind.of(FACULTY) if n.window == event["window"]]
        rows = [row for note in notes for row in note.data.get("ratings", ())]
        return position, frozenset(p for row in rows for p in row["evidence"])
    return 0, frozenset()


def most_trusted_seat(decision: Decision) -> int:
    """Return the option with the highest score, the lowest seat of several (SPEC 1.2)."""
    score_by_seat = current_scores(decision).by_seat
    seats = [s for s in decision.window.options_for(decision.seat) if isinstance(s, int)]
    return max(seats, key=lambda seat: (score_by_seat.get(seat, 0), -seat))


def _has_ratings_in_answer(decision: Decision) -> bool:
    """Return whether the request for the answer asks for ratings as well."""
    return decision.switch_value(REASONING) == TOGETHER and is_reasoning_due(decision)


def _request_ratings(decision: Decision, send: Send, seats: list[int], step: str) -> RatingsBySeat:
    """Request ratings of `seats` with a rating form as the window, and with one repair."""
    legal, own_audience = rating_form(decision, seats), only_seats(decision.seat)
    window = replace(
        decision.window,
        kind=RATINGS_REQUEST,
        legal=legal,
        answer_audience=own_audience,
        window_audience=own_audience,
    )
    brief = {FACULTY: {REQUESTED_SEATS: seats}}
    request = Request(RATINGS_REQUEST, replace(decision, window=window), brief)
    return send_with_repair(
        send, step, request, lambda reply: _parse_ratings(reply, legal, decision)
    ).value


def _request_one_by_one(decision: Decision, send: Send, seats: list[int]) -> Note:
    """Request one rating per player. Players whose request fails keep their scores."""
    ratings, cause = RatingsBySeat(), ""
    for seat in seats:
        try:
            ratings |= _request_ratings(decision, send, [seat], f"{FACULTY}/{seat}")
        except BackendError as error:
            cause = error.cause
    if cause and not ratings:
        return failed_reasoning_note(decision, cause)
    return rating_note(decision, ratings)


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
