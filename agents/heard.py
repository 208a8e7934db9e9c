"""What has been said at the table so far, as acts, with the questions one asks of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.talk.acts import Act
from agents.talk.understand import understand
from game.engine.views import View


@dataclass(frozen=True)
class Said:
    """One statement: who, in which round, the words, and what they mean."""

    seat: int
    round: int
    text: str
    acts: tuple[Act, ...]


@dataclass
class Heard:
    """All statements a viewer has heard, oldest first."""

    said: list[Said] = field(default_factory=list)

    @classmethod
    def of(cls, view: View) -> Heard:
        """Everything public that was said in `view`."""
        found, number = [], 0
        for event in view.events:
            if event.kind == "phase_opened":
                number = event["round"]
            elif event.kind == "statement" and event["manner"] == "say":
                text = event.data.get("text", "")
                acts = understand(text, event["seat"], view.state.seats)
                found.append(Said(event["seat"], number, text, acts))
        return cls(found)

    def acts(self, *kinds: str, by: int = 0) -> Iterator[Act]:
        """All acts of these kinds, oldest first, of one speaker where `by` says."""
        for said in self.said:
            for act in said.acts:
                if act.kind in kinds and by in (0, act.speaker):
                    yield act

    def claims(self) -> dict[int, str]:
        """seat -> the role it last claimed. Whoever reports what it saw claims the Seer."""
        found: dict[int, str] = {}
        for act in self.acts("claim", "report", "deny"):
            if act.kind == "deny":
                if found.get(act.speaker) == act.role:
                    del found[act.speaker]
            else:
                found[act.speaker] = act.role or "seer"
        return found

    def changed(self) -> set[int]:
        """Seats that have claimed more than one role."""
        roles: dict[int, set[str]] = {}
        for act in self.acts("claim"):
            roles.setdefault(act.speaker, set()).add(act.role)
        return {seat for seat, claimed in roles.items() if len(claimed) > 1}

    def reports(self) -> dict[int, Act]:
        """seat -> what it last reported to have seen."""
        return {act.speaker: act for act in self.acts("report")}

    def companions(self) -> dict[int, int]:
        """seat -> whom it last named as its companion."""
        return {act.speaker: act.targets[0] for act in self.acts("companion")}

    def against(self, seat: int) -> list[Act]:
        """Accusations, suspicions and announced votes against `seat`, oldest first."""
        return [a for a in self.acts("accuse", "suspect", "vote") if seat in a.targets]

    def toward(self, seat: int) -> list[Act]:
        """What others said to or of `seat` since it last spoke, oldest first."""
        found: list[Act] = []
        for said in self.said:
            if said.seat == seat:
                found = []
            else:
                found += [a for a in said.acts if seat in a.targets]
        return found

    def texts(self) -> set[str]:
        return {said.text for said in self.said}
