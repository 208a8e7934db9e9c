"""Backends: whatever answers requests. `house` is built in; it needs no key and no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agents.scene import Reply, Request


class Backend(Protocol):
    """Answers requests. Raises BackendError when it can't."""

    name: str

    def reply(self, step: str, request: Request) -> Reply:
        """The answer to one request; may take as long as a request takes, never longer."""


class UnknownBackend(LookupError):
    """There is no backend of that name; the message lists those there are."""


def _house() -> Backend:
    from agents.backends.house import HouseBackend

    return HouseBackend()


_BACKENDS: dict[str, Callable[[], Backend]] = {"house": _house}


def names() -> list[str]:
    return sorted(_BACKENDS)


def get(name: str) -> Backend:
    """The backend called `name`. Raises UnknownBackend."""
    if name not in _BACKENDS:
        raise UnknownBackend(f"unknown backend {name!r}; known: {', '.join(names())}")
    return _BACKENDS[name]()
