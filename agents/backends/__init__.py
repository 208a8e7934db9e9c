"""Backends: whatever answers requests. `house` is built in; it needs no key and no network."""

from __future__ import annotations

from typing import Protocol

from agents import catalog
from agents.catalog import ModelSettings
from agents.decision import Reply, Request


class Backend(Protocol):
    """Answers requests. Raises BackendError when it can't."""

    name: str

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """Return the answer to one request, within `seconds` where that is given."""


class UnknownBackend(LookupError):
    """There is no backend of that name.

    The message lists those there are.
    """


HOUSE = "house"


def names() -> list[str]:
    """Return the house player first, then the models there are. Raises BadCatalog."""
    return [HOUSE, *sorted(catalog.settings())]


def get(name: str) -> Backend:
    """Return the backend called `name`. Raises UnknownBackend, or BadCatalog."""
    if name == HOUSE:
        return _house()
    settings = catalog.settings().get(name)
    if settings is None:
        raise UnknownBackend(f"unknown backend {name!r}; known: {', '.join(names())}")
    return _model(settings)


def trouble(name: str) -> str:
    """Return why a backend can't be used now, in one word (key, model, unreachable …).

    Returns "" if it can. It is asked for a statement, as in a game.
    """
    if name == HOUSE:
        return ""
    from agents.backends.trial import trouble_of

    settings = catalog.settings().get(name)
    return trouble_of(settings) if settings else "unknown"


def _house() -> Backend:
    from agents.backends.house import HouseBackend

    return HouseBackend()


def _model(settings: ModelSettings) -> Backend:
    from agents.backends.openai import OpenAIBackend

    return OpenAIBackend(settings)
