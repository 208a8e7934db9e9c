"""Read queries on games, without lock and transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.crypto import salted_hmac

from game.cached_games import CachedGame, OpenWindow, cached_game
from game.engine.events import Data
from game.engine.visibility import View, Viewer
from game.models import Game
from game.models import Window as WindowRow


def view_for(game: Game, viewer: Viewer) -> View:
    """Return everything that `viewer` may know now."""
    return cached_game(game).view(viewer)


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
