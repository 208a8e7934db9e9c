"""An agent's reliability scores of other players, kept in its notes (SPEC 2.6).

One *reasoning* rates some players: role, confidence and evidence. Its note holds the result, or
{"failed": cause}:

- "ratings": [{"seat", "role", "confidence": 5..10, "evidence": [position, …], "reason"}, …], with
  positions in the agent's own view. "reason" may be missing. Players without a row keep their
  scores. `agents.reliability_scale` reads these rows.
- "upto": the number of events in the agent's view at that time
- "standing": whether the scores are valid from then on
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.decision import Decision, Note
from agents.packs import pack_of
from agents.reliability_scale import FACULTY, NONE, REASONING, ratings_in_note, reliability
from game.engine.events import RECORD
from game.engine.forms import Ratings, rating

BELIEF_THRESHOLD = 6  # statements of players with a higher reliability are believed


@dataclass(frozen=True)
class Scores:
    """Current scores.

    Attributes:
        by_seat: seat -> reliability, 1..10.
        event_count: number of events in the view at the last reasoning.
    """

    by_seat: Mapping[int, int] = field(default_factory=dict)
    event_count: int = 0

    def is_believed(self, speaker: int, position: int) -> bool | None:
        """Return whether a statement of `speaker` at a position in the view is believed.

        Returns None for a statement after the last reasoning, or of a player without a score.
        """
        if position > self.event_count or speaker not in self.by_seat:
            return None
        return self.by_seat[speaker] > BELIEF_THRESHOLD


def rating_form(decision: Decision) -> Ratings:
    """Return the form of a rating of all other living players: role and confidence of each."""
    other_seats = [s for s in decision.view.state.living() if s != decision.seat]
    return rating(other_seats, decision.ruleset.deck)


def is_reasoning_due(decision: Decision) -> bool:
    """Return whether the agent must reason before this answer.

    It need not in the game's first phase (SPEC 2.6), before a rating form, if the existing scores
    decide the answer, or if no other player is alive.
    """
    if (
        decision.switch_value(REASONING) == NONE
        or decision.moment.phase_number <= 1
        or is_decided_by_scores(decision)
    ):
        return False
    return not isinstance(decision.window.legal, Ratings) and bool(rating_form(decision).options)


def is_decided_by_scores(decision: Decision) -> bool:
    """Return whether the existing scores decide the answer.

    A player who leaves an office passes it to the player it trusts most (SPEC 1.2).
    """
    wording = decision.ruleset.wording.windows.get(decision.window.kind)
    return wording is not None and wording.picks == "entrust"


def rating_note(decision: Decision, rows: Mapping[str, Mapping[str, Any]]) -> Note:
    """Return the note of one reasoning.

    Args:
        rows: seat -> {"role", "confidence"} as `Ratings` takes them, with "evidence" and optionally
            "reason".
    """
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
    return scores_after(notes, decision.view.role, pack_of(decision.ruleset).hunted)


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
    """Return (position of the last vote, positions cited as evidence when it was cast).

    No positions are cited if the reasoning failed. Returns (0, empty) before the first vote.
    """
    for position, event in decision.view.newest_events(decision.ruleset.wording.ballots):
        notes = [n for n in decision.mind.of(FACULTY) if n.window == event["window"]]
        rows = [row for note in notes for row in note.data.get("ratings", ())]
        return position, frozenset(p for row in rows for p in row["evidence"])
    return 0, frozenset()


def most_trusted_seat(decision: Decision) -> int:
    """Return the seat with the highest reliability among the window's options (SPEC 1.2).

    Ties go to the lowest seat. Seats without a score come last.
    """
    score_by_seat = current_scores(decision).by_seat
    seats = [s for s in decision.window.options_for(decision.seat) if isinstance(s, int)]
    return max(seats, key=lambda seat: (score_by_seat.get(seat, 0), -seat))
