"""Memory: statements of others that an agent recalls before it answers (SPEC 2.4)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.decision import Decision, Faculty, Note
from agents.faculties.favor import get_favor_by_seat
from game.engine.events import RECORD

RECENCY_DECAY_PER_TURN = 0.95
SCORE_WEIGHTS = (0.5, 2.0, 2.0)  # Weights of recency, importance and fondness.
MAX_MEMORIES = 10  # statements retrieved for one answer


@dataclass(frozen=True)
class Memory:
    """A statement in one agent's memory."""

    turn: int  # number of the turn of the statement, from 1
    speaker: int
    text: str
    last_access: int  # number of the turn when the statement was last heard or retrieved
    favor_then: float  # favor toward the speaker when the statement was made
    favor_now: float  # favor toward the speaker at retrieval


@dataclass(frozen=True)
class RetrievedMemory:
    """A memory with the three figures of its score, each scaled to 0 … 1."""

    memory: Memory
    recency: float
    importance: float
    fondness: float

    @property
    def score(self) -> float:
        figures = (self.recency, self.importance, self.fondness)
        return sum(weight * figure for weight, figure in zip(SCORE_WEIGHTS, figures, strict=True))


class MemoryFaculty(Faculty):
    """Faculty that notes the statements retrieved before an answer.

    Brief: {"memory": [{"turn", "speaker", "text", "recency", "importance", "fondness", "score"},
    …]}, in the order of the statements.
    """

    name = "memory"

    def recall(self, decision: Decision) -> list[Note]:
        """Return a note of the retrieved statements.

        The note's "touches" is false for an answer that no player sees, such as a straw poll. Polls
        have no effect on the game (SPEC 1.1), so their retrieval must not affect later ones.
        """
        current_turn = len(decision.view.turns) + 1
        memories = retrieve_memories(_retrievable_memories(decision), current_turn)
        if not memories:
            return []
        figures = ("recency", "importance", "fondness", "score")
        rows = [
            {"turn": retrieved.memory.turn, "speaker": retrieved.memory.speaker}
            | {name: round(getattr(retrieved, name), 4) for name in figures}
            for retrieved in memories
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


def list_memories(decision: Decision) -> list[Memory]:
    """Return all public statements as memories. Silent turns count in the numbers of turns."""
    last_access: dict[int, int] = {}  # turn of the statement -> turn of the last retrieval
    for note in decision.mind.of("memory"):
        if note.data.get("touches", True):
            last_access.update({row["turn"]: note.data["at"] for row in note.data["retrieved"]})
    mind, other_seats = decision.mind, decision.other_seats
    current_favor = get_favor_by_seat(mind, other_seats)
    favor_at_round: dict[tuple[int, int], Mapping[int, float]] = {}  # (phase number, pass) -> favor
    memories = []
    for turn in (turn for turn in decision.view.turns if turn.text):
        round_key = turn.moment.phase_number, turn.moment.pass_
        if round_key not in favor_at_round:
            favor_at_round[round_key] = get_favor_by_seat(mind, other_seats, turn.moment)
        favor_then = favor_at_round[round_key].get(turn.seat, 0.0)
        favor_now = current_favor.get(turn.seat, 0.0)
        accessed = last_access.get(turn.number, turn.number)
        memories.append(Memory(turn.number, turn.seat, turn.text, accessed, favor_then, favor_now))
    return memories


def _retrievable_memories(decision: Decision) -> list[Memory]:
    """Return the memories of other players' statements that may be retrieved.

    The statements that a request shows anyway are excluded: while all favors are equal the score is
    recency alone, and retrieval would return nothing but them.
    """
    since = math.inf if decision.context == "whole" else decision.shown_since
    numbers = {t.number for t in decision.view.turns if t.moment.phase_number < since}
    memories = list_memories(decision)
    return [m for m in memories if m.speaker != decision.seat and m.turn in numbers]


def retrieve_memories(
    memories: Sequence[Memory], turn: int, count: int = MAX_MEMORIES
) -> list[RetrievedMemory]:
    """Return the `count` memories with the highest scores at turn number `turn`, oldest first."""
    recency = _scale_min_max([RECENCY_DECAY_PER_TURN ** (turn - m.last_access) for m in memories])
    importance = _scale_min_max([m.favor_then for m in memories])
    fondness = _scale_min_max([m.favor_now for m in memories])
    rows = zip(memories, recency, importance, fondness, strict=True)
    retrievals = [RetrievedMemory(*row) for row in rows]
    best = sorted(retrievals, key=lambda r: (-r.score, -r.memory.turn))[:count]
    return sorted(best, key=lambda r: r.memory.turn)


def _scale_min_max(values: Sequence[float]) -> list[float]:
    """Return the values scaled to 0 … 1 by their minimum and maximum, all 0 if they are equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 0.0 for v in values]
