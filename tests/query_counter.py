"""Counter of database queries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

TABLE_NAME = re.compile(r'(?:FROM|INTO|UPDATE) "(\w+)"')
TRANSACTION_STATEMENTS = ("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK")


@contextmanager
def count_queries() -> Iterator[Counter[str]]:
    """Count the queries of this thread, such as "SELECT game_event", during the block.

    Statements that frame transactions are not counted.
    """
    counts: Counter[str] = Counter()

    def count(execute: Callable[..., Any], sql: Any, *args: Any) -> Any:
        words = str(sql).split()
        if words[0] not in TRANSACTION_STATEMENTS:
            table = TABLE_NAME.search(str(sql))
            counts[f"{words[0]} {table[1] if table else ''}".strip()] += 1
        return execute(sql, *args)

    with connection.execute_wrapper(count):
        yield counts
