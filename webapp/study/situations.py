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

CALLED, NAMED, CLOSING = "called_werewolf", "one_of_two", "closing"
KEYS = (CALLED, NAMED, CLOSING)
LABELS = {
    CALLED: gettext_lazy("the seer just called the speaker a werewolf"),
    NAMED: gettext_lazy("the seer just named the speaker as one of two"),
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
    rows = _seen(view, said)
    for position in closing:
        rows.setdefault(position, []).append(CLOSING)
    return dict(sorted(rows.items()))


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


def _seen(view: View, said: Sequence[int]) -> dict[int, list[str]]:
    """Position -> how somebody who then claims to be the seer has named the speaker since the
    speaker's last words: as the werewolf, or as one of two whom the werewolf is among."""
    from agents.heard import Heard  # megabytes a web process needs only where this is asked

    events = view.events
    heard = Heard.of(view)
    spoken = [i for i in said if events[i - 1].data.get("manner") == "say"]
    found = {}
    for number, position in enumerate(spoken):
        before = Heard(heard.said[:number])
        speaker = int(events[position - 1]["seat"])
        seers = {seat for seat, role in before.claims.items() if role == "seer"} - {speaker}
        keys = {_told(act) for act in before.toward(speaker) if act.speaker in seers}
        if here := [key for key in KEYS if key in keys]:
            found[position] = here
    return found


def _told(act: Act) -> str:
    """The situation that a seer's act puts its targets in, "" for none."""
    if act.kind == "accuse":
        return CALLED
    if act.kind == "report" and act.found:
        return CALLED if len(act.targets) == 1 else NAMED
    return ""
