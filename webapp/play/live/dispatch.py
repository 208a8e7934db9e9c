"""Receives `game_changed` and passes it to the notifier, or to a simulation's own thread pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from game.signals import game_changed

Sink = Callable[[int, list[str]], None]  # (game id, keys of new windows for agents)


def _notify(game_id: int, opened: list[str]) -> None:
    from webapp.play.live.notifier import notifier

    notifier.notify(game_id, opened)


_sink: Sink = _notify


def _on_game_changed(sender: object, game: int, opened: list[str], **kwargs: Any) -> None:
    _sink(game, opened)


def listen() -> None:
    """Connect to the game's signal. Called once as the app starts."""
    game_changed.connect(_on_game_changed, dispatch_uid="play")


@contextmanager
def diverted(sink: Sink) -> Iterator[None]:
    """Pass changes to `sink` instead of the notifier, for simulations and tests."""
    global _sink
    previous, _sink = _sink, sink
    try:
        yield
    finally:
        _sink = previous
