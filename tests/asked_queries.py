"""Counts what is asked of the database."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

NAMED = re.compile(r'(?:FROM|INTO|UPDATE) "(\w+)"')
FRAME = ("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK")  # of transactions


@contextmanager
def asked() -> Iterator[Counter[str]]:
    """What is asked of the database in this thread: "SELECT game_event" -> how often.

    The BEGIN and the like of transactions are not counted.
    """
    found: Counter[str] = Counter()

    def count(execute: Callable[..., Any], sql: Any, *args: Any) -> Any:
        words = str(sql).split()
        if words[0] not in FRAME:
            table = NAMED.search(str(sql))
            found[f"{words[0]} {table[1] if table else ''}".strip()] += 1
        return execute(sql, *args)

    with connection.execute_wrapper(count):
        yield found
