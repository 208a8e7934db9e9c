"""Receives the signal `game_changed`, and passes it to the notifier or to a simulation."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.dispatch import receiver

from game.signals import game_changed

# Called with a game's id and the keys of the new windows that agents may have to answer.
Sink = Callable[[int, list[str]], None]


def _notify(game_id: int, opened: list[str]) -> None:
    # Imported here, so that a simulation does not load Channels.
    from webapp.play.live.notifier import notifier

    notifier.notify(game_id, opened)


_sink: Sink = _notify


@receiver(game_changed, dispatch_uid="play")
def _on_game_changed(sender: object, game: int, opened: list[str], **kwargs: Any) -> None:
    _sink(game, opened)


@contextmanager
def diverted(sink: Sink) -> Iterator[None]:
    """Pass changes to `sink` instead of the notifier, for simulations and tests."""
    global _sink
    previous, _sink = _sink, sink
    try:
        yield
    finally:
        _sink = previous
