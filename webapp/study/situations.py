"""Situations found in a game's log: what the Guarded questionnaire's last two items ask about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from game import selectors
from game.engine import views
from game.engine.events import Event
from game.engine.views import View
from game.models import Game

if TYPE_CHECKING:
    from agents.talk.acts import Act

CALLED, CLOSING = "called_werewolf", "closing"
KEYS = (CALLED, CLOSING)
LABELS = {
    CALLED: gettext_lazy("the seer just named the speaker"),
    CLOSING: gettext_lazy("the talk is closing"),
}


def found(game: Game) -> dict[int, list[str]]:
    """Position in the public transcript (1…) of a statement -> the situations it stands in."""
    return found_in(selectors.view_for(game, views.PUBLIC))


def found_in(view: View) -> dict[int, list[str]]:
    """`found` for a public view."""
    events = view.events
    said = [i for i, e in enumerate(events, 1) if e.kind == "statement"]
    closing = _closing(events)
    called = _called(view, said)
    rows = {i: [*([CALLED] if i in called else []), *([CLOSING] if i in closing else [])]
            for i in said}  # fmt: skip
    return {position: keys for position, keys in rows.items() if keys}


def _closing(events: Sequence[Event]) -> set[int]:
    """The statements of the last speaking round of each day; none on a day of one round only."""
    rounds: dict[int, list[list[int]]] = {}  # day -> its rounds -> positions
    here: list[int] = []
    for position, event in enumerate(events, 1):
        if event.kind == "phase_opened":
            here = []
            rounds.setdefault(event["day"], []).append(here)
        elif event.kind == "statement":
            here.append(position)
    spoken = [[r for r in day if r] for day in rounds.values()]
    return {p for day in spoken if len(day) > 1 for p in day[-1]}


def _called(view: View, said: Sequence[int]) -> set[int]:
    """The statements of speakers whom somebody who then claims to be the seer has named since
    they spoke last: as one of the two the werewolf is among, or as the werewolf."""
    from agents.heard import Heard  # megabytes a web process needs only where this is asked

    events = view.events
    heard = Heard.of(view)
    spoken = [i for i in said if events[i - 1].data.get("manner") == "say"]
    at = {position: number for number, position in enumerate(spoken)}
    found = set()
    for position in spoken:
        before = Heard(heard.said[: at[position]])
        speaker = int(events[position - 1]["seat"])
        seers = {seat for seat, role in before.claims.items() if role == "seer"}
        if any(_names(act, seers - {speaker}) for act in before.toward(speaker)):
            found.add(position)
    return found


def _names(act: Act, seers: set[int]) -> bool:
    if act.speaker not in seers:
        return False
    return act.found if act.kind == "report" else act.kind == "accuse"
