"""What everybody saw happen in a game besides the talk: deaths, ballots, badges that changed hands.

Which event is what is known from what the ruleset's windows say they are for (`WindowWords.picks`):
a death whose cause is the kind of a window that picks whom to harm is a kill by the hunted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from game.engine.events import PUBLIC, Event
from game.engine.ruleset import Ruleset
from game.engine.visibility import View


@dataclass(frozen=True)
class Happening:
    """Who did or suffered something, toward whom (0: nobody), and when.

    On which day, or of what happens at night, in which night, from 1.
    """

    when: int
    seat: int
    target: int = 0


@dataclass(frozen=True)
class Course:
    """nights: how many have begun.

    quiet: those that are over and killed nobody. killed: whom the hunted killed; exiled: whom a
    vote put out. ballots: public votes against somebody. passed: who got a badge in public, and
    from whom (0: by an election, or a draw). kept: whom the viewer protected.
    """

    nights: int = 0
    out: frozenset[int] = frozenset()
    quiet: tuple[int, ...] = ()
    killed: tuple[Happening, ...] = ()
    exiled: tuple[Happening, ...] = ()
    ballots: tuple[Happening, ...] = ()
    passed: tuple[Happening, ...] = ()
    kept: tuple[Happening, ...] = ()

    @classmethod
    def of(cls, view: View, ruleset: Ruleset) -> Course:
        """As `view` knows it."""
        seen_events = _Seen(ruleset, view.seat)
        positions = [
            position for kind in seen_events.kinds for position in view.places.get(kind, ())
        ]
        for position in sorted(positions):
            seen_events.take(view.events[position - 1])
        harmed = {death.when for death in seen_events.found["harm"]}
        over = range(1, seen_events.over + 1) if "harm" in seen_events.picks.values() else ()
        return cls(
            seen_events.nights,
            frozenset(view.state.out),
            tuple(night for night in over if night not in harmed),
            tuple(seen_events.found["harm"]),
            tuple(seen_events.found["exiled"]),
            tuple(seen_events.found["exile"]),
            tuple(seen_events.found["badge"]),
            tuple(seen_events.found["keep"]),
        )

    @property
    def voted(self) -> int:
        """The day of the last ballot, 0 before the first."""
        return max((ballot.when for ballot in self.ballots), default=0)

    def last_votes(self) -> dict[int, int]:
        """Voter -> whom it voted to put out when that was last asked."""
        return {b.seat: b.target for b in self.ballots if b.when == self.voted}


class _Seen:
    """The facts that were noted so far."""

    def __init__(self, ruleset: Ruleset, viewer: int) -> None:
        self.viewer, self.phases = viewer, ruleset.wording.phases
        self.picks = {k: w.picks for k, w in ruleset.wording.windows.items() if w.picks}
        self.kinds = {"phase_opened", "out", "badge_given", *self.picks}
        self.nights = self.over = self.day = 0
        self.gone: set[int] = set()
        names = ("harm", "exiled", "exile", "badge", "keep")
        self.found: dict[str, list[Happening]] = {name: [] for name in names}

    def take(self, event: Event) -> None:
        data, public = event.data, event.audience == PUBLIC
        if event.kind == "phase_opened":
            self.day, self.over = data["day"], self.nights
            phase = self.phases.get(data["phase"])
            self.nights += phase is not None and phase.light == "night"
        elif event.kind == "out":
            self.gone.add(data["seat"])
            purpose = self.picks.get(data["cause"])
            if purpose == "harm":
                self._add("harm", self.nights, data["seat"])
            elif purpose == "exile":
                self._add("exiled", self.day, data["seat"])
        elif event.kind == "badge_given" and public and data["seat"]:
            holder = next((h.seat for h in self.found["badge"][-1:]), 0)
            self._add("badge", self.day, data["seat"], holder if holder in self.gone else 0)
        else:
            self._choice(self.picks.get(event.kind, ""), data, public)

    def _choice(self, picks: str, data: Mapping[str, Any], public: bool) -> None:
        """Note the player whom a public choice picked."""
        seat, target = data.get("seat", 0), next(iter(data.get("targets", ())), 0)
        if not seat or not isinstance(target, int) or not target:
            return
        if picks == "keep" and seat == self.viewer:
            self._add("keep", self.nights, seat, target)
        elif picks == "exile" and public:
            self._add("exile", self.day, seat, target)

    def _add(self, name: str, when: int, seat: int, target: int = 0) -> None:
        self.found[name].append(Happening(when, seat, target))
