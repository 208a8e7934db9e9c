"""Reads. They take no lock and no transaction; the log they start from is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.crypto import salted_hmac

from game import store
from game.engine.events import Data
from game.engine.views import View, Viewer, view_of
from game.engine.windows import Answer, Window
from game.models import Event as EventRow
from game.models import Game, Player
from game.models import Window as WindowRow


@dataclass(frozen=True)
class Open:
    """An open window with its clock and the answers so far (secret: show only the asker's own)."""

    window: Window
    asked: tuple[int, ...]
    answers: dict[int, Answer]
    opened_at: datetime
    not_before: datetime
    expires_at: datetime | None

    @property
    def missing(self) -> tuple[int, ...]:
        return tuple(s for s in self.asked if s not in self.answers)


def view_for(game: Game, viewer: Viewer) -> View:
    """Everything `viewer` may know now."""
    return Log(game).view(viewer)


class Log:
    """A game's log, read once for any number of viewers."""

    def __init__(self, game: Game) -> None:
        self._events = store.load(game)
        self._revealed = game.revealed_at is not None

    def view(self, viewer: Viewer) -> View:
        """Everything `viewer` may know."""
        return view_of(self._events, viewer, revealed=self._revealed)


def view_at(game: Game, viewer: Viewer, row: WindowRow) -> tuple[View, Window, frozenset[str]]:
    """The view as it was when the window opened, the window, and the windows closed by then."""
    log = store.load(game, upto=row.opened_seq)
    closed = frozenset(e["window"] for e in log if e.kind == "window_closed")
    return view_of(log, viewer), store.window(row), closed


def open_windows(game: Game) -> list[Open]:
    """The open windows, oldest first."""
    rows = list(WindowRow.objects.filter(game=game, closed_at=None).order_by("opened_seq"))
    given = store.answers(rows)
    return [
        Open(
            store.window(r),
            tuple(r.asked),
            given[r.key],
            r.opened_at,
            r.not_before,
            r.expires_at,
        )
        for r in rows
    ]


def agents_missing(game_id: int, keys: Sequence[str]) -> list[tuple[str, int]]:
    """(window key, seat) of every agent that has yet to answer one of the windows `keys`; first
    those that the game waits for."""
    seats = Player.objects.filter(game_id=game_id).only("seat", "kind", "stand_in")
    agents = {p.seat for p in seats if not p.by_person}
    found = WindowRow.objects.filter(game_id=game_id, key__in=keys, closed_at=None)
    rows = sorted(found, key=lambda w: (w.data["waits_for"] == "nobody", w.opened_seq))
    given = store.answers(rows)
    return [
        (row.key, seat)
        for row in rows
        for seat in row.asked
        if seat in agents and seat not in given[row.key]
    ]


def out(game_id: int) -> set[int]:
    """The seats that are out."""
    rows = EventRow.objects.filter(game_id=game_id, kind="out")
    return {data["seat"] for data in rows.values_list("data", flat=True)}


def awaited(player: Player, key: str) -> WindowRow | None:
    """Window `key` while it is open and waits for the agent; none otherwise."""
    if player.by_person:
        return None
    row = WindowRow.objects.filter(game_id=player.game_id, key=key, closed_at=None).first()
    if row is None or player.seat not in row.asked:
        return None
    return None if row.answers.filter(seat=player.seat).exists() else row


def waiting_for_agents(since: datetime) -> dict[int, list[str]]:
    """Game id -> keys of windows that have waited for agents since before `since`."""
    rows = WindowRow.objects.filter(closed_at=None, agents_missing__gt=0, opened_at__lt=since)
    found: dict[int, list[str]] = {}
    for game_id, key in rows.order_by("opened_at").values_list("game_id", "key"):
        found.setdefault(game_id, []).append(key)
    return found


def due(at: datetime) -> list[int]:
    """The ids of the games that need attention by `at`."""
    return list(Game.objects.filter(ended_at=None, due_at__lte=at).values_list("pk", flat=True))


def transcript(game: Game, viewer: Viewer) -> list[dict[str, Any]]:
    """The log as `viewer` may see it, one JSON-shaped dict an event, positions from 1.

    It goes out of the house: a text's hash, by which whoever guesses words that were taken out
    would know them, is keyed (`digest`), and the key stays.
    """
    view = view_for(game, viewer)
    return [
        {
            "position": i,
            "kind": e.kind,
            "audience": str(e.audience),
            "data": _published(e.data),
            "labels": list(e.labels),
        }
        for i, e in enumerate(view.events, 1)
    ]


def _published(data: Data) -> dict[str, Any]:
    told = {key: value for key, value in data.items() if key != "sha256"}
    if plain := data.get("sha256"):
        told["digest"] = salted_hmac("fabula.words", plain, algorithm="sha256").hexdigest()
    return told


def public_speech(row: WindowRow) -> bool:
    """Whether everybody hears what is said in the window."""
    return store.window(row).public_speech
