"""Memory: the words of others that come back to mind before one speaks (SPEC 2.4)."""

from __future__ import annotations

from typing import Any

from agents.faculties.favor import feelings, others_of
from agents.memory import Remembered, retrieve
from agents.mind import Note
from agents.scene import Ask, Reply, Request, Scene


class Memory:
    """Notes what was retrieved before a statement; adds {"memory": [{turn, speaker, text,
    recency, importance, fondness, score}, …]} to the brief, in the order it was said."""

    name = "memory"

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        return []

    def recall(self, scene: Scene) -> list[Note]:
        if scene.window.kind != "statement":
            return []
        said = heard(scene)
        found = retrieve([m for m in said if m.speaker != scene.seat], len(said) + 1)
        rows = [
            {
                "turn": r.memory.turn,
                "speaker": r.memory.speaker,
                "recency": round(r.recency, 4),
                "importance": round(r.importance, 4),
                "fondness": round(r.fondness, 4),
                "score": round(r.score, 4),
            }
            for r in found
        ]
        data = {"at": len(said) + 1, "window": scene.window.key, "retrieved": rows}
        return [Note(self.name, scene.view.state.round, data)]

    def brief(self, scene: Scene) -> dict[str, Any]:
        kept = scene.mind.latest(self.name)
        if kept.get("window") != scene.window.key:
            return {}
        texts = {m.turn: m.text for m in heard(scene)}
        return {
            "memory": [{**row, "text": texts.get(row["turn"], "")} for row in kept["retrieved"]]
        }

    def check(self, scene: Scene, request: Request, reply: Reply) -> str:
        return ""


def heard(scene: Scene) -> list[Remembered]:
    """Everything said in public so far, as this agent keeps it; silent turns count as turns."""
    touched: dict[int, int] = {}
    for note in scene.mind.of("memory"):
        touched.update({row["turn"]: note.data["at"] for row in note.data["retrieved"]})
    others, now = others_of(scene), feelings(scene.mind, others_of(scene))
    found, number, turn = [], 0, 0
    for event in scene.view.events:
        if event.kind == "phase_opened":
            number = event["round"]
        elif event.kind == "statement" and event.audience.kind == "public":
            turn += 1
            if event.data.get("text"):
                speaker = event["seat"]
                then = feelings(scene.mind, others, number).get(speaker, 0.0)
                found.append(
                    Remembered(
                        turn,
                        speaker,
                        event.data["text"],
                        touched.get(turn, turn),
                        then,
                        now.get(speaker, 0.0),
                    )
                )
    return found
