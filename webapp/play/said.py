"""What people said, as lists beside the log: for the host to take out, for others to report.

They are no part of the log's lines: what one can do about a line would be read aloud with it, and
be a stop of the Tab key at each. Where it would tell who is a person, everybody's words are listed.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.text import Truncator

from game.engine.views import View
from game.models import Game, Player
from webapp.play.models import Report
from webapp.play.page import Said, Seat

BEGINNING = 90  # characters of a statement that are enough to know it by


def to_take_out(view: View, seats: Mapping[int, Seat]) -> list[Said]:
    """What the host can take out, the newest first."""
    return _said(view, seats, "remove_words")


def reported(game: Game) -> dict[int, set[str]]:
    """What has been reported by whom: a player's id -> what stands for those words."""
    found: dict[int, set[str]] = {}
    rows = Report.objects.filter(utterance__game=game)
    for player, window, seat in rows.values_list("player", "utterance__window", "utterance__seat"):
        found.setdefault(player, set()).add(f"{window}:{seat}")
    return found


def to_report(
    view: View, seats: Mapping[int, Seat], player: Player, done: Mapping[int, set[str]]
) -> list[Said]:
    """What the player can report to the host, the newest first. done: `reported`."""
    return _said(view, seats, "report", but=player.seat, done=done.get(player.pk))


def _said(
    view: View, seats: Mapping[int, Seat], act: str, *, but: int = 0, done: set[str] | None = None
) -> list[Said]:
    found = []
    for position, event in enumerate(view.events, 1):
        if event.data.get("manner") != "say" or not event.data.get("text") or event["seat"] == but:
            continue
        seat = seats[event["seat"]]
        if seat.kind == "computer":
            continue
        words = f"{event['window']}:{event['seat']}"
        text = Truncator(event["text"]).chars(BEGINNING)
        found.append(Said(position, seat.name, text, f"{act}:{words}", words in (done or ())))
    return found[::-1]
