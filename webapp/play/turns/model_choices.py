"""The backends that a table may choose for its computer players, and why one can't play."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents import backends, model_catalog
from agents.methods import METHODS
from agents.model_catalog import BadCatalog
from webapp.play.turns import daily_budget

GOOD, BAD = 60.0, 5.0  # seconds for which a positive and a negative result are valid


class ModelChecks:
    """The results of checks by backend, in this process."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, Future[str]]] = {}  # with the end of their validity
        self._lock = threading.Lock()

    def trouble(self, backend: str) -> str:
        """Return why the backend can't be used, as one word, "" if it can (`backends.trouble`)."""
        with self._lock:
            until, pending = self._found.get(backend, (0.0, None))
            mine = pending is None or (pending.done() and time.monotonic() >= until)
            if mine:
                pending = Future()
                self._found[backend] = 0.0, pending
        assert pending is not None
        if mine:
            self._try(backend, pending)
        return pending.result()

    def _try(self, backend: str, pending: Future[str]) -> None:
        try:
            daily_budget.count_trial()
            cause = backends.trouble(backend)
        except BaseException as error:
            pending.set_exception(error)
            return
        with self._lock:
            self._found[backend] = time.monotonic() + (BAD if cause else GOOD), pending
        pending.set_result(cause)

    def forget(self) -> None:
        """Forget all results, so that every backend is checked again."""
        with self._lock:
            self._found.clear()


model_checks = ModelChecks()


logger = logging.getLogger(__name__)

METHOD_LABELS = {
    "full": gettext_lazy("everything: a personality, likes and dislikes, a plan"),
    "b5p": gettext_lazy("a personality only"),
    "favor": gettext_lazy("likes and dislikes only"),
    "strategy": gettext_lazy("a plan only"),
    "b5p+favor": gettext_lazy("a personality, likes and dislikes"),
    "b5p+strategy": gettext_lazy("a personality and a plan"),
    "favor+strategy": gettext_lazy("likes and dislikes, a plan"),
    "helmsman": gettext_lazy("whom they believe, judged before each answer"),
    "baseline": gettext_lazy("nothing: only what they remember"),
    "contest": gettext_lazy("the contest agent: a summary, claims, and last words that win votes"),
    "guarded": gettext_lazy("the guarded agent: rules may speak a prepared line instead"),
    "vanilla": gettext_lazy("the model alone, as the guarded agent is compared with it"),
}
TROUBLE = {
    "key": gettext_lazy("its server refuses the key"),
    "model": gettext_lazy("its server knows no such model"),
    "unreachable": gettext_lazy("its server can’t be reached"),
    "timeout": gettext_lazy("its server does not answer in time"),
    "server": gettext_lazy("its server reports an error"),
}


def known_backends() -> list[str]:
    """Return the backends of the catalog, only the built-in one if its file is invalid."""
    try:
        return backends.names()
    except BadCatalog as error:
        logger.error("the models can't be used: %s", error)
        return [backends.HOUSE]


def playable() -> list[str]:
    """Return the backends that may be used today.

    Without budget this is only the built-in one.
    """
    return [backends.HOUSE] if daily_budget.spent() else known_backends()


def usual() -> str:
    """Return the default backend: the first model, else the built-in player."""
    return next((name for name in known_backends() if name != backends.HOUSE), backends.HOUSE)


def usual_model() -> str:
    """Return the name of the model that "Play now" uses, "" for the built-in players."""
    if (name := usual()) == backends.HOUSE:
        return ""
    return model_catalog.settings()[name].model


def options() -> Sequence[tuple[str, str]]:
    """Return (backend, label) for the form."""
    built_in = _("the built-in players")
    return [(n, built_in if n == backends.HOUSE else n) for n in known_backends()]


def lack(backend: str) -> str:
    """Return what a backend lacks to play, as far as its settings tell, "" if nothing.

    Its server is not asked (`trouble` does so).
    """
    if backend == backends.HOUSE:
        return ""
    if backend not in known_backends():
        return _("add [{name}] to the file of models").format(name=backend[:60])
    settings = model_catalog.settings().get(backend)
    if settings is None or settings.url or settings.key or not settings.key_env:
        return ""
    return _("set the variable {name} to its key").format(name=settings.key_env)


def methods() -> Sequence[tuple[str, str]]:
    return [(name, str(METHOD_LABELS[name])) for name in METHOD_LABELS if name in METHODS]


def trouble(backend: str) -> str:
    """Return why a table can't play with the backend now, as a sentence, "" if it can."""
    if backend != backends.HOUSE and daily_budget.spent():
        return _(
            "The daily limit for language models is reached. They can play again after midnight"
            " (UTC)."
        )
    cause = "" if backend == backends.HOUSE else model_checks.trouble(backend)
    if not cause:
        return ""
    cause_text = TROUBLE.get(cause, gettext_lazy("its server’s answer can’t be used"))
    return _("The model “{name}” can’t play now: {why}.").format(name=backend, why=cause_text)
