"""Read queries on games, without lock and transaction (except `locked_cached_game`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

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
    """Return the game's row, and the cached game at that version (`game.cached_games`).

    Args:
        is_only_writer: whether no other process changes the game. Then the version that this
            process cached last is current, and the caller must not change the returned row.
    """
    if is_only_writer and (cached := cached_games.latest_cached(game_id)) and cached.row:
        return cached.row, cached
    game = store.load_game(game_id)
    return game, cached_games.current_cached_game(game)


@contextmanager
def locked_cached_game(game_id: int) -> Iterator[CachedGame]:
    """Lock a game for the block and yield its current version."""
    with transaction.atomic():
        yield cached_games.current_cached_game(store.load_game(game_id, should_lock=True))


def cached_game(game: Game) -> CachedGame:
    """Return the current version of `game`, even if that row is outdated."""
    return current_game(game.pk)[1]


def view_for(game: Game, viewer: Viewer) -> View:
    """Return everything that `viewer` may know now."""
    return Log(game).view(viewer)


class Log:
    """A game's current log, read once for any number of viewers."""

    def __init__(self, game: Game, cached: CachedGame | None = None) -> None:
        """Read the log, or use that of `cached` if the caller has read it already."""
        self._cached = cached or cached_game(game)
        self._is_revealed = game.revealed_at is not None

    def view(self, viewer: Viewer, event_count: int | None = None) -> View:
        """Return what `viewer` may know of the first `event_count` events, of all for None."""
        return self._cached.view(viewer, event_count, is_revealed=self._is_revealed)


class WindowOpening(NamedTuple):
    """A window with the view when it opened, and the keys of the windows that were closed then."""

    view: View
    window: Window
    closed_keys: frozenset[str]


def view_at(
    game: Game, viewer: Viewer, row: WindowRow, cached: CachedGame | None = None
) -> WindowOpening:
    """Return what `viewer` could know when window `row` opened."""
    cached = cached or cached_game(game)
    log = cached.log[: row.opened_seq]
    closed = frozenset(e["window"] for e in log if e.kind == "window_closed")
    return WindowOpening(cached.view(viewer, row.opened_seq), store.to_window(row), closed)


def open_windows(game: Game) -> Sequence[OpenWindow]:
    """Return the open windows, oldest first."""
    return cached_game(game).open_windows


def agents_missing(cached: CachedGame, keys: Sequence[str]) -> list[tuple[str, int]]:
    """Return (window key, seat) of each agent that has not answered a window of `keys`.

    Agents for whom the game waits come first.
    """
    agents = {p.seat for p in cached.players if not p.is_person_now}
    rows = [row for key, row in cached.windows.items() if key in keys]
    rows.sort(key=lambda w: (w.data["waits_for"] == "nobody", w.opened_seq))
    return [
        (row.key, seat)
        for row in rows
        for seat in row.asked
        if seat in agents and seat not in cached.open_answers[row.key]
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
    return [
        {
            "position": position,
            "kind": event.kind,
            "audience": str(event.audience),
            "data": _published_data(event.data),
            "labels": list(event.labels),
        }
        for position, event in enumerate(view_for(game, viewer).events, 1)
    ]


def _published_data(data: Data) -> dict[str, Any]:
    published = {key: value for key, value in data.items() if key != "sha256"}
    if digest := data.get("sha256"):
        published["digest"] = salted_hmac("fabula.words", digest, algorithm="sha256").hexdigest()
    return published
