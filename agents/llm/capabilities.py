"""Capabilities of a server: the request format and parameters that it accepts.

They are found by trial once and then stored (docs/model-servers.md). A *form* is one combination of
format and parameters.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from agents.model_catalog import FORMATS, ModelSettings

# Names of the parameter that limits the answer's tokens, in the order of trial. "": none is sent.
LIMIT_PARAMETERS = ("max_tokens", "max_completion_tokens", "")
# Roles of messages, in the order of trial: all roles, the system message merged into the user's, or
# a single message of the user.
ROLES = ("all", "folded", "user")


@dataclass(frozen=True)
class RequestForm:
    """Format and parameters of a request to a server."""

    format: str = FORMATS[0]
    dropped: tuple[str, ...] = ()  # names of parameters that are not sent
    limit: str = LIMIT_PARAMETERS[0]  # the server's name of `max_tokens`, "" if it is not sent
    roles: str = ROLES[0]  # the roles that messages may have, one of ROLES


@dataclass(frozen=True)
class Capabilities(RequestForm):
    """Known capabilities of a server for one model, with the form to start with."""

    # Kind of request -> format that has worked.
    formats: Mapping[str, str] = field(default_factory=dict)
    context: int = 0  # context size in tokens as stated by the server, 0 if unknown

    def form_for(self, kind: str) -> RequestForm:
        format_ = self.formats.get(kind, self.format)
        return RequestForm(format_, self.dropped, self.limit, self.roles)

    def with_format(self, kind: str, format_: str) -> Self:
        """Return a copy in which a format has worked for a kind of request."""
        return replace(self, formats={**self.formats, kind: format_})

    def with_form(self, kind: str, request_form: RequestForm) -> Self:
        """Return a copy with a form that works, in place of the refused one.

        Its format becomes the start format of all kinds, unless the known start format has worked
        for another kind.
        """
        other_formats = {f for k, f in self.formats.items() if k != kind}
        start = self.format if self.format in other_formats else request_form.format
        capabilities = replace(self, **{**vars(request_form), "format": start})
        return capabilities.with_format(kind, request_form.format)

    def data(self) -> dict[str, Any]:
        """Return the capabilities, JSON-shaped."""
        return {**asdict(self), "dropped": list(self.dropped), "formats": dict(self.formats)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Build capabilities from `data()`. Fields of other versions are ignored."""
        fields = {key: data[key] for key in cls.__dataclass_fields__ if key in data}
        return cls(**{**fields, "dropped": tuple(fields.get("dropped", ()))})


class CapabilityStore:
    """Storage for capabilities in this process, as JSON-shaped facts of `CachedCapabilities`.

    Neither method raises an error. Facts that cannot be stored are found by trial again.
    """

    def __init__(self) -> None:
        self._facts_by_key: dict[tuple[str, str], dict[str, Any]] = {}

    def load(self, backend: str, model: str) -> dict[str, Any]:
        """Return the facts saved last, {} if there are none."""
        return self._facts_by_key.get((backend, model), {})

    def save(self, backend: str, model: str, facts: Mapping[str, Any]) -> None:
        """Replace the stored facts by `facts`."""
        self._facts_by_key[backend, model] = dict(facts)


_store = CapabilityStore()


def set_store(store: CapabilityStore) -> CapabilityStore:
    """Use `store` for all capabilities from now on, and return the previous store."""
    global _store
    previous, _store = _store, store
    return previous


class CachedCapabilities:
    """Capabilities of one backend, loaded from the store on first use. Thread-safe."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._capabilities: Capabilities | None = None

    @property
    def current(self) -> Capabilities:
        with self._lock:
            if self._capabilities is None:
                self._capabilities = self._load()
            return self._capabilities

    def reload(self) -> None:
        """Load the stored capabilities again: another process may have found a form."""
        with self._lock:
            self._capabilities = self._load()

    def forget(self) -> None:
        """Reset the capabilities in memory to what the settings say, for a new trial."""
        with self._lock:
            self._capabilities = Capabilities(format=self._settings.format)

    def save_format(self, kind: str, format_: str) -> None:
        if self.current.formats.get(kind) != format_:
            self._update(lambda capabilities: capabilities.with_format(kind, format_))

    def save_form(self, kind: str, request_form: RequestForm) -> None:
        self._update(lambda capabilities: capabilities.with_form(kind, request_form))

    def save_context(self, context: int) -> None:
        if self.current.context != context:
            self._update(lambda capabilities: replace(capabilities, context=context))

    def _update(self, change: Callable[[Capabilities], Capabilities]) -> None:
        with self._lock:
            self._capabilities = change(self._capabilities or self._load())
            facts = {**self._capabilities.data(), **self._settings_key()}
            _store.save(self._settings.name, self._settings.model, facts)

    def _load(self) -> Capabilities:
        """Return the stored capabilities if they were found with the same settings."""
        saved = _store.load(self._settings.name, self._settings.model)
        if {key: saved.get(key) for key in self._settings_key()} != self._settings_key():
            return Capabilities(format=self._settings.format)
        return Capabilities.of(saved)

    def _settings_key(self) -> dict[str, Any]:
        """Return the settings on which the capabilities depend: address and preferred format."""
        return {"url": self._settings.url, "wanted": self._settings.format}
