"""Backends, which answer requests. `house` is built in and needs no key and no network."""

from typing import Protocol

from agents import model_catalog
from agents.decision import Reply, Request


class Backend(Protocol):
    name: str

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """Return the reply to one request, or raise BackendError.

        Args:
            step: name of the request within the window.
            seconds: limit of the whole request. None: the backend's own.
        """


class UnknownBackend(LookupError):
    """There is no backend with that name. The message lists the backends."""


HOUSE = model_catalog.HOUSE


def names() -> list[str]:
    """Return the names of the house player and of the available models, in this order."""
    return [HOUSE, *sorted(model_catalog.chat_models())]


def get(name: str) -> Backend:
    """Return the backend with that name, or raise UnknownBackend."""
    if name == HOUSE:
        from agents.backends.house import HouseBackend

        return HouseBackend()
    settings = model_catalog.chat_models().get(name)
    if settings is None:
        raise UnknownBackend(f"unknown backend {name!r}; known: {', '.join(names())}")
    from agents.backends.openai import OpenAIBackend

    return OpenAIBackend(settings)


def error_cause(name: str) -> str:
    """Return why a backend cannot be used now, as a one-word cause, "" if it can.

    The check sends the request of a statement, as in a game (`trial.find_backend_error`).
    """
    if name == HOUSE:
        return ""
    from agents.backends.trial import find_backend_error

    settings = model_catalog.chat_models().get(name)
    return find_backend_error(settings) if settings else "unknown"
