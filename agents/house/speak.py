"""What a house player says: a handful of moves, the most pressing first, put into words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.evidence import LIES
from agents.heard import Heard
from agents.house import aims
from agents.house.lines import LINES
from agents.house.stance import Stance
from agents.scene import Scene
from game.engine.words import count_words

AIM_WORDS = 75  # a statement stays below this; the rules allow more
TRIES = 40  # different choices of words before a repetition would stand


@dataclass(frozen=True)
class Move:
    """One thing to say. kind: of LINES. weight: the most pressing are said. place: their order."""

    kind: str
    weight: float
    place: int
    names: Mapping[str, int]


def statement(scene: Scene, stance: Stance, brief: Mapping[str, aims.Table]) -> str:
    """A statement of one to four sentences that nobody has made in this game before."""
    speaker = Speaker(scene, stance, brief)
    moves = sorted(speaker.moves(), key=lambda m: (-m.weight, m.place, m.kind))
    length = 2 + scene.draws.below("length", 3)
    chosen: list[Move] = []
    for move in moves:
        if len(chosen) < length and all(m.kind != move.kind for m in chosen):
            chosen.append(move)
    chosen.sort(key=lambda m: m.place)
    said = speaker.heard.texts()
    text = ""
    for number in range(TRIES):
        text = " ".join(_words(scene, move, number) for move in chosen)
        while count_words(text) > AIM_WORDS and len(chosen) > 1:
            chosen = sorted(chosen, key=lambda m: -m.weight)[:-1]
            chosen.sort(key=lambda m: m.place)
            text = " ".join(_words(scene, move, number) for move in chosen)
        if text not in said:
            break
    return text


def _words(scene: Scene, move: Move, number: int) -> str:
    """The move in words; `number` asks for other words. A block said before is avoided."""
    names = {slot: scene.view.name(seat) for slot, seat in move.names.items()}
    blocks = [filled for block in LINES[move.kind] if "{" not in (filled := _fill(block, names))]
    before = " ".join(e.data.get("text", "") for e in scene.view.events if e.kind == "statement")
    fresh = [b for b in blocks if b not in before] or blocks
    return scene.draws.choice(f"{move.kind}/{number}", fresh)


def _fill(block: str, names: Mapping[str, str]) -> str:
    for slot, name in names.items():
        block = block.replace("{" + slot + "}", name)
    return block


class Speaker:
    """One player about to speak: what it knows, wants, has said and has been told."""

    def __init__(self, scene: Scene, stance: Stance, brief: Mapping[str, aims.Table]) -> None:
        self.scene, self.stance, self.brief = scene, stance, brief
        self.me, self.role = scene.seat, scene.view.role
        self.round = max(scene.view.state.round, 1)
        self.heard = Heard.of(scene.view)
        self.claims = self.heard.claims()
        self.reports = self.heard.reports()
        self.scores = aims.suspicion(scene, self.heard, stance, brief)
        self.target = aims.most(self.scores)

    def moves(self) -> list[Move]:
        found = [*self._answers(), *self._claim(), *self._observations(), *self._suspicion()]
        if not any(m.weight >= 5 for m in found) or self.scene.draws.below("opener", 3) == 0:
            first = not self.heard.said
            found.append(Move("open_first" if first else "open", 2.5, 0, {}))
        found.extend(self._courtesies())
        return found

    # -- what was said to me

    def _answers(self) -> Iterator[Move]:
        toward = self.heard.toward(self.me)
        for seat, report in self.reports.items():
            if self.me in report.targets and report.found and seat != self.me:
                (other,) = [t for t in report.targets if t != self.me][:1] or [seat]
                fresh = any(a.kind == "report" for a in toward)
                weight = 8.0 if fresh else 3.0
                yield Move("rebut_report", weight, 1, {"x": seat, "y": other})
        pressing = [a for a in toward if a.kind in ("accuse", "suspect", "vote")]
        if pressing:
            yield Move("rebut", 7.0, 1, {"x": pressing[-1].speaker})
            return
        if asked := [a for a in toward if a.kind == "question"]:
            yield Move("answer", 6.0, 1, {"x": asked[-1].speaker})
        elif kind := [a for a in toward if a.kind == "defend"]:
            yield Move("thanks", 3.5, 1, {"x": kind[-1].speaker})

    # -- who I say I am

    def _claim(self) -> Iterator[Move]:
        mine = self.claims.get(self.me)
        partner = self._partner_claim()
        if mine is None and self.role == "mason" and partner:
            yield Move("confirm_mason", 9.0, 2, {"x": partner})
            return
        if mine == "villager" and self.stance.pose == "turncoat" and self.round == 3:
            yield Move("retract", 9.5, 2, {})
            yield self._claiming()
            return
        if mine is not None:
            yield from self._stand_by(mine)
            return
        pressed = len({a.speaker for a in self.heard.against(self.me)})
        asked = any(a.kind == "question" for a in self.heard.toward(self.me))
        rival = self.stance.pose == "seer" and "seer" in self.claims.values()
        due = self.round >= self.stance.when or pressed >= 2 or (asked and self.round > 1)
        if self.stance.pose == "none":
            if asked or pressed:
                yield Move("evade", 6.0, 2, {})
        elif due or (rival and self.role == "seer"):
            yield self._claiming()

    def _claiming(self) -> Move:
        pose = self.stance.pose
        if pose == "seer" or (pose == "turncoat" and self.round == 3):
            a, b, found = self._look()
            return Move("report_found" if found else "report_clean", 9.0, 2, {"a": a, "b": b})
        if pose == "mason":
            others = [s for s in self.scene.view.state.holders("mason") if s != self.me]
            if self.role == "mason" and others:
                return Move("claim_mason", 8.5, 2, {"x": others[0]})
            return Move("claim_mason_alone", 8.5, 2, {})
        return Move("claim_villager", 4.5 if self.round == 1 else 6.5, 2, {})

    def _look(self) -> tuple[int, int, bool]:
        """The Seer's true look, or one that fits the table: (seat, seat, found)."""
        for event in self.scene.view.events:
            if event.kind == "divined" and event["seat"] == self.me:
                a, b = event["targets"]
                return a, b, event["found"]
        order = sorted(self.scores, key=lambda s: (-self.scores[s], s))
        if self.scene.draws.below("fake found", 3) < 2:
            return min(order[:2]), max(order[:2]), True
        return min(order[-2:]), max(order[-2:]), False

    def _stand_by(self, mine: str) -> Iterator[Move]:
        rivals = [s for s, r in self.claims.items() if r == mine and s != self.me]
        if mine == "seer":
            if rivals:
                yield Move("rebut_counter", 6.5, 1, {"x": rivals[0]})
            if report := self.reports.get(self.me):
                a, b = report.targets
                yield Move("stand_by_report", 4.0, 2, {"a": a, "b": b})

    def _partner_claim(self) -> int:
        for seat, other in self.heard.companions().items():
            if other == self.me and seat in self.scene.view.state.holders("mason"):
                return seat
        return 0

    # -- what the talk adds up to

    def _observations(self) -> Iterator[Move]:
        by_role: dict[str, list[int]] = {}
        for seat, role in self.claims.items():
            by_role.setdefault(role, []).append(seat)
        seers = [s for s in by_role.get("seer", []) if s != self.me]
        if len(seers) > 1 and self.claims.get(self.me) != "seer":
            yield Move("two_seers", 5.5, 3, {"x": seers[0], "y": seers[1]})
        if len(by_role.get("mason", [])) > 2:
            yield Move("many_masons", 4.5, 3, {})
        others = [s for s in by_role.get("villager", []) if s != self.me]
        if len(by_role.get("villager", [])) > 2 and len(others) > 1:
            yield Move("fellow_villagers", 3.2, 3, {"x": others[0], "y": others[1]})
        for seat, other in self.heard.companions().items():
            if self.me not in (seat, other) and self.claims.get(other, "mason") != "mason":
                yield Move("companion_denied", 5.0, 3, {"x": seat, "y": other})
        for seat, report in self.reports.items():
            if seat == self.me or self.me in report.targets or len(seers) > 1:
                continue
            kind = "report_matters" if report.found else "report_clears"
            a, b = report.targets
            yield Move(kind, 4.6 - 0.4 * self.round, 3, {"x": seat, "a": a, "b": b})

    # -- whom I am after

    def _suspicion(self) -> Iterator[Move]:
        target = self.target
        if self.role == "tanner":
            yield Move("tanner", 5.2, 4, {})
        if not self.heard.said:
            return
        if self.round == 3:
            yield Move("vote", 6.2, 6, {"t": target})
            if self.scores[target] > 0.55 and self.role not in LIES:
                yield Move("accuse", 5.4, 5, {"t": target})
                return
        mine = [a.targets[0] for a in self.heard.acts("suspect", "accuse", "vote", by=self.me)]
        if mine and mine[-1] == target:
            yield Move("hold", 3.8, 4, {"t": target})
        elif mine:
            yield Move("turned", 4.4, 4, {"t": target, "x": mine[-1]})
            return
        yield self._reason(target)

    def _reason(self, target: int) -> Move:
        """Why `target`: the best reason the talk gives."""
        claim = self.claims.get(target)
        for seat, report in self.reports.items():
            if report.found and target in report.targets and seat not in (self.me, target):
                return Move("suspect_reported", 5.3, 4, {"t": target, "x": seat})
        rivals = [s for s, r in self.claims.items() if r == claim and s != target]
        if claim == "seer" and rivals:
            return Move("suspect_counter", 5.3, 4, {"t": target})
        if target in self.heard.changed():
            return Move("suspect_changed", 5.3, 4, {"t": target})
        if claim == "mason" and target not in self.heard.companions():
            return Move("suspect_mason", 5.0, 4, {"t": target})
        pushed = [a.targets[0] for a in self.heard.acts("accuse", "suspect", by=target)]
        pushed = [s for s in pushed if s not in (self.me, target)]
        if pushed and self.scene.draws.below("pusher", 2):
            return Move("suspect_pusher", 4.8, 4, {"t": target, "x": pushed[-1]})
        if claim == "villager" and self.scene.draws.below("cheap", 2):
            return Move("suspect_villager", 4.6, 4, {"t": target})
        spoken = any(s.seat == target for s in self.heard.said)
        if claim is None and spoken and self.scene.draws.below("silent", 3):
            return Move("suspect_silent", 4.6, 4, {"t": target})
        return Move("suspect_gut", 4.4, 4, {"t": target})

    # -- the rest

    def _courtesies(self) -> Iterator[Move]:
        drawn = self.scene.draws.below("courtesy", 100) / 100
        friend = aims.trusted(self.scene, self.brief)
        if friend and friend != self.target and self.role not in ("werewolf", "tanner"):
            yield Move("trust", 2.6 + drawn, 5, {"t": friend})
        silent = [s for s in self.scores if s not in self.claims and s != self.target]
        if silent and self.round < 3:
            asked = self.scene.draws.choice("ask whom", silent)
            yield Move("ask", 2.4 + 1.5 * (1 - drawn), 7, {"t": asked})
        seers = [s for s in self.reports if s != self.me]
        if seers and self.round == 2 and self.claims.get(self.me) != "seer":
            yield Move("ask_report", 2.0 + drawn, 7, {"t": seers[-1]})
        yield Move("close_late" if self.round == 3 else "close_early", 1.8 + drawn, 8, {})


def notes(stance: Stance, round_number: int) -> list[dict[str, Any]]:
    """The stance as the mind keeps it."""
    return [{"faculty": "stance", "round": round_number, "data": stance.data()}]
