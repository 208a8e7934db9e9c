"""Read queries on games. They take no lock and open no transaction (except `locked_position`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac

from game import cached_games, store
from game.cached_games import CachedGame, OpenWindow
from game.engine.events import Data
from game.engine.visibility import View, Viewer
from game.engine.windows import Window
from game.models import Game
from game.models import Window as WindowRow


def current_game(game_id: int, *, is_only_writer: bool = False) -> tuple[Game, CachedGame]:
    """Return the game's row, and its cached data at that version (`game.cached_games`).

    Args:
        is_only_writer: whether no other process changes the game. Then this process's last position
            is current. Do not change the returned row.
    """
    if is_only_writer and (position := cached_games.latest_cached(game_id)) and position.row:
        return position.row, position
    game = store.load_game(game_id)
    return game, cached_games.current_position(game)


@contextmanager
def locked_position(game_id: int) -> Iterator[CachedGame]:
    """Lock a game for the block and yield its position."""
    with transaction.atomic():
        yield cached_games.current_position(store.load_game(game_id, should_lock=True))


def cached_game(game: Game) -> CachedGame:
    """Return the game's current position, even if the row `game` is outdated."""
    return current_game(game.pk)[1]


def view_for(game: Game, viewer: Viewer) -> View:
    """Return everything that `viewer` may know now."""
    return Log(game).view(viewer)


class Log:
    """A game's current log, for any number of viewers."""

    def __init__(self, game: Game, position: CachedGame | None = None) -> None:
        """Read the log, or use that of `position` if the caller has read it already."""
        self._position = position or cached_game(game)
        self._is_revealed = game.revealed_at is not None

    def view(self, viewer: Viewer, upto: int | None = None) -> View:
        """Return everything `viewer` may know, of the first `upto` events where that is given."""
        return self._position.view(viewer, upto, is_revealed=self._is_revealed)


def view_at(
    game: Game, viewer: Viewer, row: WindowRow, position: CachedGame | None = None
) -> tuple[View, Window, frozenset[str]]:
    """Return the view when the window opened, the window, and the windows closed by then.

    Args:
        position: the game's, if the caller has it already.
    """
    position = position or cached_game(game)
    log = position.log[: row.opened_seq]
    closed = frozenset(e["window"] for e in log if e.kind == "window_closed")
    return position.view(viewer, row.opened_seq), store.to_window(row), closed


def open_windows(game: Game) -> Sequence[OpenWindow]:
    """Return the open windows, oldest first."""
    return cached_game(game).open


def agents_missing(position: CachedGame, keys: Sequence[str]) -> list[tuple[str, int]]:
    """Return (window key, seat) of every answer of an agent that the windows `keys` lack.

    Agents that the game waits for come first.
    """
    agents = {p.seat for p in position.players if not p.by_person}
    rows = [row for key, row in position.windows.items() if key in keys]
    rows.sort(key=lambda w: (w.data["waits_for"] == "nobody", w.opened_seq))
    return [
        (row.key, seat)
        for row in rows
        for seat in row.asked
        if seat in agents and seat not in position.open_answers[row.key]
    ]


def windows_waiting_for_agents(since: datetime) -> dict[int, list[str]]:
    """Return game id -> keys of windows that have waited for agents since before `since`."""
    rows = WindowRow.objects.filter(closed_at=None, agents_missing__gt=0, opened_at__lt=since)
    windows: dict[int, list[str]] = {}
    for game_id, key in rows.order_by("opened_at").values_list("game_id", "key"):
        windows.setdefault(game_id, []).append(key)
    return windows


def due_games(at: datetime) -> list[int]:
    """Return the ids of the games that need attention by `at`."""
    return list(Game.objects.filter(ended_at=None, due_at__lte=at).values_list("pk", flat=True))


def transcript(game: Game, viewer: Viewer) -> list[dict[str, Any]]:
    """Return the log as `viewer` may see it, one JSON-shaped dict per event, positions from 1.

    The transcript leaves the server. So it has keyed hashes of texts (`digest`) and not the plain
    ones, with which a guess of removed text could be confirmed.
    """
    view = view_for(game, viewer)
    return [
        {
            "position": i,
            "kind": e.kind,
            "audience": str(e.audience),
            "data": _published_data(e.data),
            "labels": list(e.labels),
        }
        for i, e in enumerate(view.events, 1)
    ]


def _published_data(data: Data) -> dict[str, Any]:
    published = {key: value for key, value in data.items() if key != "sha256"}
    if digest := data.get("sha256"):
        published["digest"] = salted_hmac("fabula.words", digest, algorithm="sha256").hexdigest()
    return published
