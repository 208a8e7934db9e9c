"""Memory: statements of others that an agent recalls before it answers (SPEC 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.decision import Decision
from agents.faculties import Faculty
from agents.faculties.favor import feelings, others_of
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

        A retrieval for an answer that nobody sees (a straw poll) does not affect later retrievals:
        polls are never fed back (SPEC 1.1).
        """
        now = len(decision.view.turns) + 1
        memories = retrieve(_candidates(decision), now)
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
        data = {"at": now, "touches": decision.window.answer_audience != RECORD, "retrieved": rows}
        return [Note(self.name, decision.moment, data, decision.window.key)]

    def brief(self, decision: Decision) -> dict[str, Any]:
        notes = [n for n in decision.mind.of(self.name) if n.window == decision.window.key]
        if not notes:
            return {}
        brief_data = notes[-1].data
        texts = {turn.number: turn.text for turn in decision.view.turns}
        return {
            "memory": [
                {**row, "text": texts.get(row["turn"], "")} for row in brief_data["retrieved"]
            ]
        }


def _candidates(decision: Decision) -> list[Remembered]:
    """Return the others' statements that may be retrieved.

    If a request shows only the latest talk, the shown statements are left out. While all favors are
    equal the score is recency alone, and retrieval would return only the shown statements.
    """
    is_whole_talk, since = decision.context == "whole", decision.shown_since
    hidden = {
        t.number for t in decision.view.turns if is_whole_talk or t.moment.phase_number < since
    }
    return [
        m
        for m in remembered_statements(decision)
        if m.speaker != decision.seat and m.turn in hidden
    ]


def remembered_statements(decision: Decision) -> list[Remembered]:
    """Return all public statements with the data that retrieval scores.

    The data are the last access, and favor toward the speaker then and now. Silent turns count as
    turns.
    """
    touched: dict[int, int] = {}
    for note in decision.mind.of("memory"):
        if note.data.get("touches", True):
            touched.update({row["turn"]: note.data["at"] for row in note.data["retrieved"]})
    other_seats = others_of(decision)
    now = feelings(decision.mind, other_seats)
    feelings_at: dict[tuple[int, int], Mapping[int, float]] = {}  # turns of one moment share them
    lines = []
    for turn in decision.view.turns:
        if turn.text:
            moment = turn.moment.phase_number, turn.moment.pass_
            if moment not in feelings_at:
                feelings_at[moment] = feelings(decision.mind, other_seats, turn.moment)
            then = feelings_at[moment].get(turn.seat, 0.0)
            last = touched.get(turn.number, turn.number)
            lines.append(
                Remembered(turn.number, turn.seat, turn.text, last, then, now.get(turn.seat, 0.0))
            )
    return lines
