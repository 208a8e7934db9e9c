"""Memory: statements of others that an agent recalls before it answers (SPEC 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.decision import Decision
from agents.faculties import Faculty
from agents.faculties.favor import get_favor_by_seat
from agents.memory_retrieval import Remembered, retrieve
from agents.mind import Note
from game.engine.events import RECORD


class MemoryFaculty(Faculty):
    """Faculty that notes the statements retrieved before an answer.

    It adds {"memory": [{turn, speaker, text, recency, importance, fondness, score}, …]} to the
    brief, in the order of the statements.
    """

    name = "memory"

    def recall(self, decision: Decision) -> list[Note]:
        """Return a note of the retrieved statements.

        "touches" in it is false for an answer that no player sees (a straw poll): polls are never
        fed back (SPEC 1.1), so that retrieval must not affect later ones.
        """
        current_turn = len(decision.view.turns) + 1
        memories = retrieve(_candidates(decision), current_turn)
        if not memories:
            return []
        rows = [
            {
                "turn": r.memory.turn,
                "speaker": r.memory.speaker,
                "recency": round(r.recency, 4),
                "importance": round(r.importance, 4),
                "fondness": round(r.fondness, 4),
                "score": round(r.score, 4),
            }
            for r in memories
        ]
        data = {
            "at": current_turn,
            "touches": decision.window.answer_audience != RECORD,
            "retrieved": rows,
        }
        return [Note(self.name, decision.moment, data, decision.window.key)]

    def brief(self, decision: Decision) -> dict[str, Any]:
        notes = [n for n in decision.mind.of(self.name) if n.window == decision.window.key]
        if not notes:
            return {}
        texts = {turn.number: turn.text for turn in decision.view.turns}
        rows = notes[-1].data["retrieved"]
        return {"memory": [{**row, "text": texts.get(row["turn"], "")} for row in rows]}


def remembered_statements(decision: Decision) -> list[Remembered]:
    """Return all public statements with the data that retrieval scores (`Remembered`).

    Silent turns count as turns.
    """
    last_access: dict[int, int] = {}  # turn of the statement -> turn of the last retrieval
    for note in decision.mind.of("memory"):
        if note.data.get("touches", True):
            last_access.update({row["turn"]: note.data["at"] for row in note.data["retrieved"]})
    other_seats = decision.other_seats
    current_favor = get_favor_by_seat(decision.mind, other_seats)
    favor_at_round: dict[tuple[int, int], Mapping[int, float]] = {}  # (phase number, pass) -> favor
    statements = []
    for turn in decision.view.turns:
        if turn.text:
            round_key = turn.moment.phase_number, turn.moment.pass_
            if round_key not in favor_at_round:
                favor_at_round[round_key] = get_favor_by_seat(
                    decision.mind, other_seats, turn.moment
                )
            favor_then = favor_at_round[round_key].get(turn.seat, 0.0)
            accessed = last_access.get(turn.number, turn.number)
            favor_now = current_favor.get(turn.seat, 0.0)
            statements.append(
                Remembered(turn.number, turn.seat, turn.text, accessed, favor_then, favor_now)
            )
    return statements


def _candidates(decision: Decision) -> list[Remembered]:
    """Return the statements of other players that may be retrieved.

    If a request shows only the latest talk, those statements are excluded: while all favors are
    equal the score is recency alone, and retrieval would return nothing but them.
    """
    is_whole_talk, since = decision.context == "whole", decision.shown_since
    candidate_turns = {
        t.number for t in decision.view.turns if is_whole_talk or t.moment.phase_number < since
    }
    return [
        m
        for m in remembered_statements(decision)
        if m.speaker != decision.seat and m.turn in candidate_turns
    ]
