"""The all-knowing's transcript: what the table saw, and what was hidden from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine.events import Event
from game.engine.views import View
from webapp.play.entries import Teller
from webapp.play.page import Entry, Seat
from webapp.play.sentences import names, role_name


class AllKnowing(Teller):
    """Tells the deal, what the night showed, and the straw polls of the seats in `polled`.

    People are asked in a straw poll with the promise that no player ever sees their answers.
    """

    def __init__(
        self, view: View, seats: Mapping[int, Seat], *, polled: Collection[int], **more: Any
    ) -> None:
        super().__init__(view, seats, **more)
        self.polled = polled

    def _told(self, position: int, text: str) -> Entry:
        return Entry(position, "told", text=text)

    def _role(self, key: str) -> str:
        return role_name(self.ruleset.name, key)

    def _drawn(self, position: int, event: Event) -> Entry | None:
        if event["purpose"] != "deal":
            return super()._drawn(position, event)
        dealt = [e for e in self.view.events if e.kind == "role_dealt"]
        told = ", ".join(f"{self.view.name(e['seat'])}: {self._role(e['role'])}" for e in dealt)
        return self._told(position, _("The roles are dealt. {roles}.").format(roles=told))

    def _acquainted(self, position: int, event: Event) -> Entry | None:
        who = names([self.view.name(s) for s in event["seats"]])
        text = _("{names} learn of each other. Role: {role}.")
        return self._told(position, text.format(names=who, role=self._role(event["role"])))

    def _divined(self, position: int, event: Event) -> Entry:
        who, targets = event["seat"], names([self.view.name(s) for s in event["targets"]])
        if event["found"]:
            text = _("{name} looks at {targets}: the Werewolf is one of the two.")
        else:
            text = _("{name} looks at {targets}: neither is the Werewolf.")
        return self._told(position, text.format(name=self.view.name(who), targets=targets))

    def _window_closed(self, position: int, event: Event) -> Entry | None:
        """A straw poll, where its answers became known to the record."""
        found: dict[int, list[str]] = {}
        polls = [e for e in self.view.events[:position] if e.kind == "poll"]
        for poll in polls:
            if poll["window"] == event["window"] and poll["seat"] in self.polled:
                target = (poll.data.get("targets") or [0])[0]
                found.setdefault(target, []).append(self.view.name(poll["seat"]))
        if not found:
            return None
        most_first = sorted(found.items(), key=lambda pair: -len(pair[1]))
        told = "; ".join(self._suspicion(target, who) for target, who in most_first)
        text = _("Straw poll after round {number}, of the computer players. {votes}.")
        number = self._round_of(event["window"])
        return self._told(position, text.format(number=number, votes=told))

    def _suspicion(self, target: int, who: list[str]) -> str:
        if not target:
            text = ngettext("{names} suspects nobody", "{names} suspect nobody", len(who))
            return text.format(names=names(who))
        text = ngettext("{names} suspects {target}", "{names} suspect {target}", len(who))
        return text.format(names=names(who), target=self.view.name(target))

    def _round_of(self, window: str) -> int:
        """The round, or the day where there are no rounds, in which `window` was opened."""
        number = 0
        for event in self.view.events:
            if event.kind == "phase_opened":
                number = event["round"] or event["day"]
            elif event.kind == "window_opened" and event["key"] == window:
                break
        return number
