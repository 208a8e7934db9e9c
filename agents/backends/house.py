"""The house player as a backend: rule-based, offline, it never fails (SPEC 2.10)."""

from __future__ import annotations

from collections import Counter

from agents.heard import Heard
from agents.house import aims, speak
from agents.house.stance import Stance, stance_of
from agents.scene import Reply, Request, Scene


class HouseBackend:
    """Answers every kind of request there is; windows it has no plan for, legally."""

    name = "house"

    def reply(self, step: str, request: Request) -> Reply:
        scene = request.scene
        stance = stance_of(scene)
        judgement = request.brief["judgement"]
        if scene.window.legal.form == "speech":
            return {
                "text": speak.statement(scene, stance, judgement),
                "notes": speak.notes(stance, scene.view.state.round),
            }
        return {"targets": self._targets(request, scene, stance)}

    def _targets(self, request: Request, scene: Scene, stance: Stance) -> list[int | str]:
        options = scene.window.options_for(scene.seat)
        count = scene.window.legal.count
        judgement = request.brief["judgement"]
        if count == 1 and request.kind == "poll":
            wanted = aims.suspect_for_poll(scene, stance, judgement)
        elif count == 1 and request.kind == "vote":
            wanted = self._vote(scene, stance, judgement)
        else:  # nothing is known at night yet: chance
            return scene.draws.sample("night", options, count)
        return [wanted] if wanted in options else scene.draws.sample("any", options, count)

    @staticmethod
    def _vote(scene: Scene, stance: Stance, judgement: dict[str, aims.Table]) -> int:
        """The vote follows the suspicion; everyone leans to where others go."""
        heard = Heard.of(scene.view)
        scores = aims.suspicion(scene, heard, stance, judgement)
        announced = Counter(t for a in heard.acts("vote") for t in a.targets)
        team = scene.view.role in ("werewolf", "minion")
        for seat in scores:  # a vote that nobody joins is wasted
            scores[seat] += (0.15 if team and announced[seat] else 0) + 0.025 * announced[seat]
        return aims.most(scores)
