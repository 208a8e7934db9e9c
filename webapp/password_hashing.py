"""Password hashing (0.3 s of CPU each) on one thread of low priority, so that games don't wait.

All hashes of a process are made one after the other, by a thread that (on Linux) runs only where
nobody else wants the processor; and so many wait for it at most that nobody waits for long.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth.hashers import PBKDF2PasswordHasher

WAITING = 4  # attempts that may wait for the thread, of each kind


def _step_back() -> None:
    if sys.platform == "linux":  # elsewhere it would be the whole process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


_thread = ThreadPoolExecutor(1, "hashing", _step_back)


class QuietHasher(PBKDF2PasswordHasher):
    """Django's own, made by the one thread there is for it."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        return _thread.submit(super().encode, password, salt, iterations).result()


class Busy(Exception):
    """Too many passwords are waiting to be checked."""


class Queue:
    """Who may wait for the thread.

    Each kind of attempt has one of its own, so that strangers don't keep out whom we know.
    """

    def __init__(self, most: int = WAITING) -> None:
        self._places = threading.BoundedSemaphore(most)

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """Raises Busy where all places are taken."""
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            yield
        finally:
            self._places.release()


strangers, known = Queue(), Queue()
