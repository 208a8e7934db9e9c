"""An agent's deductions about other players: role, confidence and evidence (SPEC 2.6).

A note of the faculty holds the result of one reasoning, in the form `agents.reliability_scale`
reads, and more: {"ratings": [{"seat", "role", "confidence": 5..10, "evidence": [position, …],
"reason": str, if given}, …], "upto": how much of its view the agent had seen, "standing": whether
the scores are valid from then on}, with positions in the agent's own view, or {"failed": cause}.
Players who are left out keep their scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.decision import Decision
from agents.mind import Note
from agents.packs import pack_of
from agents.reliability_scale import FACULTY, REASONING, reliability, scores_of
from game.engine.events import RECORD
from game.engine.forms import Ratings, rating

BELIEVED = 6  # players rated above it are believed


@dataclass(frozen=True)
class Scores:
    """Current scores.

    Attributes:
        m: seat -> reliability, 1..10.
        upto: length of the view at the last scoring.
    """

    m: Mapping[int, int] = field(default_factory=dict)
    upto: int = 0

    def judged(self, speaker: int, position: int) -> bool | None:
        """Check whether a statement of `speaker` at a view position is believed.

        Returns None if it is not judged yet.
        """
        if position > self.upto or speaker not in self.m:
            return None
        return self.m[speaker] > BELIEVED


def form_of(decision: Decision) -> Ratings:
    """Return the rating form before an answer: role and confidence of each living player."""
    other_seats = [s for s in decision.view.state.living() if s != decision.seat]
    return rating(other_seats, decision.ruleset.deck)


def asked_for(decision: Decision) -> bool:
    """Check whether a reasoning is due.

    It is not due in the game's first phase (SPEC 2.6), before a form of the same kind, if the
    existing scores decide, or if nobody else is left.
    """
    if (
        decision.switch(REASONING) == "none"
        or decision.moment.phase_number <= 1
        or decides(decision)
    ):
        return False
    return not isinstance(decision.window.legal, Ratings) and bool(form_of(decision).options)


def decides(decision: Decision) -> bool:
    """Check whether the answer follows from the scores.

    A player who leaves an office passes it to the player it trusts most (SPEC 1.2).
    """
    words = decision.ruleset.wording.windows.get(decision.window.kind)
    return words is not None and words.picks == "entrust"


def note_of(decision: Decision, rows: Mapping[str, Mapping[str, Any]]) -> Note:
    """Return the note for an answer.

    `rows` is seat -> {"role", "confidence"} as `Ratings` takes them, with "evidence".
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
    standing = decision.window.answer_audience != RECORD  # pseudo-votes are never fed back
    data = {"ratings": ratings, "upto": event_count, "standing": standing}
    return Note(FACULTY, decision.moment, data, decision.window.key)


def failed(decision: Decision, cause: str) -> Note:
    """Return the note of a failed reasoning, which leaves the scores unchanged."""
    return Note(FACULTY, decision.moment, {"failed": cause}, decision.window.key)


def standing(decision: Decision) -> Scores:
    """Return the current scores, including the reasoning for this very window."""
    own = decision.window.key
    notes = (
        {**note.data, "standing": True} if note.window == own and "upto" in note.data else note.data
        for note in decision.mind.of(FACULTY)
    )
    return scored(notes, decision.view.role, pack_of(decision.ruleset).hunted)


def scored(notes: Iterable[Mapping[str, Any]], role: str, hunted: Collection[str]) -> Scores:
    """Return the scores after `notes`, oldest first, for a player who holds `role`."""
    scores_by_seat: dict[int, int] = {}
    last_position = 0
    for note in notes:
        if note.get("standing"):
            scores_by_seat |= {r.seat: reliability(r, role, hunted) for r in scores_of(note)}
            last_position = max(last_position, note["upto"])
    return Scores(scores_by_seat, last_position)


def deductions(decision: Decision) -> dict[int, Mapping[str, Any]]:
    """Return seat -> the row of the last valid reasoning on it before this window."""
    own = decision.window.key
    notes = [n.data for n in decision.mind.of(FACULTY) if n.window != own]
    return {row["seat"]: row for data in notes if data.get("standing") for row in data["ratings"]}


def cited(decision: Decision) -> tuple[int, frozenset[int]]:
    """Return (position of the last vote, positions cited as evidence when it was cast).

    The evidence is empty if that reasoning failed. Returns (0, empty) before the first vote.
    """
    for position, event in decision.view.newest_events(decision.ruleset.wording.ballots):
        notes = [n for n in decision.mind.of(FACULTY) if n.window == event["window"]]
        rows = [row for note in notes for row in note.data.get("ratings", ())]
        return position, frozenset(p for row in rows for p in row["evidence"])
    return 0, frozenset()


def trusted(decision: Decision) -> int:
    """Return the eligible seat with the highest score (SPEC 1.2).

    Ties go to the lowest seat. Seats without a score come last.
    """
    m = standing(decision).m
    seats = [s for s in decision.window.options_for(decision.seat) if isinstance(s, int)]
    return max(seats, key=lambda seat: (m.get(seat, 0), -seat))
