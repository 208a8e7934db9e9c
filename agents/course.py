"""What everybody saw happen in a game besides the talk: deaths, ballots, badges that changed hands.

Which event is what is known from what the ruleset's windows say they are for (`WindowWords.picks`):
a death whose cause is the kind of a window that picks whom to harm is a kill by the hunted.
"""

from __future__ import annotations

from dataclasses import dataclass

from game.engine.events import PUBLIC
from game.engine.ruleset import Ruleset
from game.engine.visibility import View


@dataclass(frozen=True)
class Happening:
    """Who did or suffered something on a day, and toward whom: 0 for nobody."""

    day: int
    seat: int
    target: int = 0


@dataclass(frozen=True)
class Course:
    """nights: how many are over, or under way. killed: whom the hunted killed; exiled: whom a vote
    put out. ballots: public votes against somebody; backed: for an office. passed: who got a badge
    from whom, or by an election, from nobody. quiet: days whose night killed nobody."""

    nights: int = 0
    out: frozenset[int] = frozenset()
    killed: tuple[Happening, ...] = ()
    exiled: tuple[Happening, ...] = ()
    ballots: tuple[Happening, ...] = ()
    backed: tuple[Happening, ...] = ()
    passed: tuple[Happening, ...] = ()
    quiet: tuple[int, ...] = ()

    @classmethod
    def of(cls, view: View, ruleset: Ruleset) -> Course:
        """As `view` knows it."""
        windows, phases = ruleset.wording.windows, ruleset.wording.phases
        kinds = {kind: words.picks for kind, words in windows.items() if words.picks}
        nights: list[int] = []
        voted: dict[str, list[Happening]] = {"exile": [], "trust": []}
        passed: list[Happening] = []
        ended: list[int] = []  # days of nights that are over
        day, gone = 0, 0
        for event in view.events:
            data = event.data
            if event.kind == "phase_opened":
                day = data["day"]
                ended = list(nights)
                if data["phase"] in phases and phases[data["phase"]].light == "night":
                    nights.append(day)
            elif event.kind == "out":
                gone = data["seat"]
            elif event.kind == "badge_given" and event.audience == PUBLIC and data["seat"]:
                holders = [h.seat for h in passed]
                passed.append(Happening(day, data["seat"], gone if gone in holders[-1:] else 0))
            elif event.audience == PUBLIC and kinds.get(event.kind) in voted:
                target = next(iter(data.get("targets", ())), 0)
                if target and "seat" in data:
                    voted[kinds[event.kind]].append(Happening(day, data["seat"], target))
        deaths = [(Happening(d.moment.day, d.seat), kinds.get(d.cause)) for d in view.state.deaths]
        killed = tuple(d for d, why in deaths if why == "harm")
        harmed = {d.day for d in killed}
        quiet = [d for d in ended if d not in harmed] if "harm" in kinds.values() else []
        return cls(
            len(nights),
            frozenset(view.state.out),
            killed,
            tuple(d for d, why in deaths if why == "exile"),
            tuple(voted["exile"]),
            tuple(voted["trust"]),
            tuple(passed),
            tuple(quiet),
        )

    def voted_on(self, day: int) -> dict[int, int]:
        """voter -> whom it voted to put out that day, of those who voted for somebody."""
        return {b.seat: b.target for b in self.ballots if b.day == day}
