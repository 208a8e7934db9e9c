"""Capabilities of a server: which request format and parameters work, found once and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from agents.catalog import FORMATS, ModelSettings

LIMITS = ("max_tokens", "max_completion_tokens", "")  # names of one parameter, the usual first
ROLES = ("all", "folded", "user")  # as they are; the system's part of the user's; one message


@dataclass(frozen=True)
class Way:
    """How a server is asked.

    dropped: parameters that are left out. limit: what `max_tokens` is called, "" where it is left
    out. roles: one of ROLES.
    """

    format: str = FORMATS[0]
    dropped: tuple[str, ...] = ()
    limit: str = LIMITS[0]
    roles: str = ROLES[0]


@dataclass(frozen=True)
class Capabilities:
    """What was found out.

    format: to begin with; formats: by kind of request, what has worked. context: tokens that the
    server said it takes, 0 where it said nothing.
    """

    format: str = FORMATS[0]
    formats: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    limit: str = LIMITS[0]
    roles: str = ROLES[0]
    context: int = 0

    def way(self, kind: str) -> Way:
        """Return how a request of a kind is asked."""
        format_ = self.formats.get(kind, self.format)
        return Way(format_, self.dropped, self.limit, self.roles)

    def worked(self, kind: str, format_: str) -> Capabilities:
        """Return the same, knowing that a format has worked for a kind."""
        return replace(self, formats={**self.formats, kind: format_})

    def found(self, kind: str, request_form: Way) -> Capabilities:
        """Return the same, knowing a way that works where the one known was refused.

        Its format is taken for all kinds, unless the known one has worked for others.
        """
        other_formats = {f for k, f in self.formats.items() if k != kind}
        start = self.format if self.format in other_formats else request_form.format
        more = replace(
            self,
            format=start,
            dropped=request_form.dropped,
            limit=request_form.limit,
            roles=request_form.roles,
        )
        return more.worked(kind, request_form.format)

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "dropped": list(self.dropped), "formats": dict(self.formats)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Capabilities:
        """Return the facts that `data()` gave.

        Those of other versions as far as they are known.
        """
        fields = {key: data[key] for key in cls.__dataclass_fields__ if key in data}
        return cls(**{**fields, "dropped": tuple(fields.get("dropped", ()))})


class CapabilityStore(Protocol):
    """Where facts are kept. Neither raises: what can't be kept is found out again."""

    def load(self, backend: str, model: str) -> dict[str, Any]:
        """Return what was saved last, {} where there is nothing."""

    def save(self, backend: str, model: str, facts: Mapping[str, Any]) -> None:
        """Keep `facts`, JSON-shaped, in place of those before."""


class InMemory:
    """Facts of one process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], dict[str, Any]] = {}

    def load(self, backend: str, model: str) -> dict[str, Any]:
        return self._kept.get((backend, model), {})

    def save(self, backend: str, model: str, facts: Mapping[str, Any]) -> None:
        self._kept[backend, model] = dict(facts)


_store: CapabilityStore = InMemory()


def keep_in(store: CapabilityStore) -> CapabilityStore:
    """Keep in `store` what is found out from now on.

    Gives the store before.
    """
    global _store
    before, _store = _store, store
    return before


class ServerKnowledge:
    """The facts of one backend: read from the store when they are first needed."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._facts: Capabilities | None = None

    @property
    def facts(self) -> Capabilities:
        with self._lock:
            if self._facts is None:
                self._facts = self._load()
            return self._facts

    def again(self) -> None:
        """Look once more what the store has: another process may have found something out."""
        with self._lock:
            self._facts = self._load()

    def forget(self) -> None:
        """Begin with what the settings say, whatever was found out."""
        with self._lock:
            self._facts = Capabilities(format=self._settings.format)

    def worked(self, kind: str, format_: str) -> None:
        if self.facts.formats.get(kind) != format_:
            self._keep(lambda facts: facts.worked(kind, format_))

    def found(self, kind: str, request_form: Way) -> None:
        self._keep(lambda facts: facts.found(kind, request_form))

    def takes(self, context: int) -> None:
        if self.facts.context != context:
            self._keep(lambda facts: replace(facts, context=context))

    def _keep(self, change: Callable[[Capabilities], Capabilities]) -> None:
        with self._lock:
            self._facts = change(self._facts or self._load())
            facts = {**self._facts.data(), **self._setup()}
            _store.save(self._settings.name, self._settings.model, facts)

    def _load(self) -> Capabilities:
        """Return the store's facts where they were found with these settings."""
        saved = _store.load(self._settings.name, self._settings.model)
        if {key: saved.get(key) for key in self._setup()} != self._setup():
            return Capabilities(format=self._settings.format)
        return Capabilities.of(saved)

    def _setup(self) -> dict[str, Any]:
        """Return what the facts hold for: another address or another wish makes them void."""
        return {"url": self._settings.url, "wanted": self._settings.format}
