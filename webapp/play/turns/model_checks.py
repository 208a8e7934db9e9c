"""Whether a backend can play now: one real request, however many people ask.

Each trial is a request that the model's server may charge for, and anybody may press the button. So
what was found holds for a while, and whoever asks during a trial waits for its answer. Trials count
in the day's budget.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future

from agents import backends
from webapp.play.turns import budget

GOOD, BAD = 60.0, 5.0  # seconds for which it holds that a backend can play, and that it can't


class ModelChecks:
    """The results of checks by backend, in this process."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, Future[str]]] = {}  # until when
        self._lock = threading.Lock()

    def trouble(self, backend: str) -> str:
        """Why the backend can't be used, in one word.

        Returns "" if it can (`backends.trouble`).
        """
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
            budget.count_trial()
            cause = backends.trouble(backend)
        except BaseException as error:
            pending.set_exception(error)
            return
        with self._lock:
            self._found[backend] = time.monotonic() + (BAD if cause else GOOD), pending
        pending.set_result(cause)

    def forget(self) -> None:
        """Try every backend anew."""
        with self._lock:
            self._found.clear()


model_checks = ModelChecks()
