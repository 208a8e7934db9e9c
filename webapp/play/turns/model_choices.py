"""The models and methods that a table can choose for its agents, and why a model can't play.

The detected capabilities of model servers are stored in the database, for all processes.
"""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents import backends, model_catalog
from agents.llm.capabilities import CapabilityStore
from agents.model_catalog import InvalidCatalog
from agents.recipe import METHODS
from webapp.play.models import BackendFacts
from webapp.play.turns import daily_budget
from webapp.play.turns.agent_records import without_api_keys

logger = logging.getLogger(__name__)

# How long the result of a check is valid: that a backend can play, and that it can't.
SUCCESS_VALID_S, FAILURE_VALID_S = 60.0, 5.0

METHOD_LABELS = {
    "full": gettext_lazy("Everything: personality, likes and dislikes, plan"),
    "b5p": gettext_lazy("Personality only"),
    "favor": gettext_lazy("Likes and dislikes only"),
    "strategy": gettext_lazy("Plan only"),
    "b5p+favor": gettext_lazy("Personality, likes and dislikes"),
    "b5p+strategy": gettext_lazy("Personality and plan"),
    "favor+strategy": gettext_lazy("Likes and dislikes, plan"),
    "helmsman": gettext_lazy("Trust in others, judged before each answer"),
    "baseline": gettext_lazy("Memory only"),
    "contest": gettext_lazy(
        "Contest agent: summary, claims, and last statements that ask for votes"
    ),
    "guarded": gettext_lazy("Guarded agent: rules can use a prepared line instead"),
    "vanilla": gettext_lazy("Model alone: the baseline for the guarded agent"),
}
ERROR_TEXTS = {
    "key": gettext_lazy("its server refuses the key"),
    "model": gettext_lazy("its server knows no such model"),
    "unreachable": gettext_lazy("its server can’t be reached"),
    "timeout": gettext_lazy("its server does not answer in time"),
    "server": gettext_lazy("its server reports an error"),
}
MAX_MODEL_CHARS = 200  # length of the column `BackendFacts.model`


class ModelChecks:
    """Checks whether backends can play, and keeps the results in this process."""

    def __init__(self) -> None:
        self._results: dict[str, tuple[float, Future[str]]] = {}  # (end of validity, cause or "")
        self._lock = threading.Lock()

    def find_error(self, backend: str) -> str:
        """Return why the backend can't be used, "" if it can. Parallel calls share one check."""
        with self._lock:
            valid_until, result = self._results.get(backend, (0.0, None))
            must_check = result is None or (result.done() and time.monotonic() >= valid_until)
            if must_check:
                result = Future()
                self._results[backend] = 0.0, result
        assert result is not None
        if must_check:
            self._check(backend, result)
        return result.result()

    def _check(self, backend: str, result: Future[str]) -> None:
        try:
            daily_budget.count_trial()
            cause = backends.error_cause(backend)
        except BaseException as error:
            result.set_exception(error)
            return
        valid_until = time.monotonic() + (FAILURE_VALID_S if cause else SUCCESS_VALID_S)
        with self._lock:
            self._results[backend] = valid_until, result
        result.set_result(cause)

    def clear(self) -> None:
        with self._lock:
            self._results.clear()


model_checks = ModelChecks()


def known_backends() -> list[str]:
    """Return the backends of the catalog, only the built-in one if the catalog is invalid."""
    try:
        return backends.names()
    except InvalidCatalog as error:
        logger.error("the models can't be used: %s", error)
        return [backends.HOUSE]


def playable_backends() -> list[str]:
    """Return the backends that may be used today: without budget only the built-in one."""
    return [backends.HOUSE] if daily_budget.is_spent() else known_backends()


def default_backend() -> str:
    """Return the default backend: the first model, else the built-in player."""
    return next((name for name in known_backends() if name != backends.HOUSE), backends.HOUSE)


def default_model() -> str:
    """Return the name of the model that "Play now" uses, "" for the built-in players."""
    if (name := default_backend()) == backends.HOUSE:
        return ""
    return model_catalog.chat_models()[name].model


def backend_options() -> Sequence[tuple[str, str]]:
    built_in = _("the built-in players")
    return [(n, built_in if n == backends.HOUSE else n) for n in known_backends()]


def missing_setup(backend: str) -> str:
    """Return what a backend's settings lack, as an advice, "" if nothing.

    It sends no request to the server (`backend_error` does).
    """
    if backend == backends.HOUSE:
        return ""
    if backend not in known_backends():
        return _("add [{name}] to the file of models").format(name=backend[:60])
    settings = model_catalog.chat_models().get(backend)
    if settings is None or settings.url or settings.api_key or not settings.key_env:
        return ""
    return _("set the variable {name} to its key").format(name=settings.key_env)


def method_options() -> Sequence[tuple[str, str]]:
    return [(name, str(METHOD_LABELS[name])) for name in METHOD_LABELS if name in METHODS]


def backend_error(backend: str) -> str:
    """Return why a table can't play with the backend now, as a sentence, "" if it can."""
    if backend != backends.HOUSE and daily_budget.is_spent():
        return _(
            "The daily limit for language models is reached. They can play again after midnight"
            " (UTC)."
        )
    cause = "" if backend == backends.HOUSE else model_checks.find_error(backend)
    if not cause:
        return ""
    cause_text = ERROR_TEXTS.get(cause, gettext_lazy("its server’s answer can’t be used"))
    return _("The model “{name}” can’t play now: {why}.").format(name=backend, why=cause_text)


class DatabaseCapabilityStore(CapabilityStore):
    """Storage in the database, with this process's memory as the fallback."""

    def load(self, backend: str, model: str) -> dict[str, Any]:
        try:
            key = {"backend": backend, "model": model[:MAX_MODEL_CHARS]}
            row = BackendFacts.objects.filter(**key).first()
        except DatabaseError as error:  # the table is missing, or the disk is full
            logger.debug("can't read capabilities of %s: %s", backend, error)
            return super().load(backend, model)
        return dict(row.facts) if row else {}

    def save(self, backend: str, model: str, facts: Mapping[str, Any]) -> None:
        try:
            BackendFacts.objects.update_or_create(
                backend=backend,
                model=model[:MAX_MODEL_CHARS],
                defaults={"facts": without_api_keys(dict(facts))},
            )
        except DatabaseError as error:
            logger.debug("can't store capabilities of %s: %s", backend, error)
            super().save(backend, model, facts)
