"""Password hashing on one thread of low priority, so that games don't wait.

A hash takes 0.3 s of CPU. A process computes them one after the other, in a thread that (on Linux)
gives way to games. The queue is short, so that no sign-in waits long.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth.hashers import PBKDF2PasswordHasher

# At niceness 19, beside the workers of an experiment, signing in took minutes.
NICENESS = 5
MAX_WAITING = 4  # number of sign-ins that may wait in one queue


def _lower_priority() -> None:
    if sys.platform == "linux":  # on other systems it would change the whole process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


_thread = ThreadPoolExecutor(1, "hashing", _lower_priority)


class LowPriorityHasher(PBKDF2PasswordHasher):
    """Django's hasher, run in the one thread."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        return _thread.submit(super().encode, password, salt, iterations).result()


class HashingBusy(Exception):
    """Too many passwords are waiting to be checked."""


# The free places of the two queues. A flood of strangers does not block known users.
stranger_queue = threading.BoundedSemaphore(MAX_WAITING)
known_queue = threading.BoundedSemaphore(MAX_WAITING)


@contextlib.contextmanager
def occupy_place(queue: threading.BoundedSemaphore) -> Iterator[None]:
    """Occupy a place in the queue for the block, or raise `HashingBusy`."""
    if not queue.acquire(blocking=False):
        raise HashingBusy
    try:
        yield
    finally:
        queue.release()
