"""SQL for the few queries that every change of a game makes, compiled once per process.

Django compiles a query each time, which takes several times as long as the database needs for it.
The models' own fields convert the values, as in Django's queries.

Compiled statements are cached by model, by the database's vendor (tests use both) and by shape.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import AutoField, Expression, Field, JSONField, Model
from django.db.models.constants import OnConflict

MAX_VALUES_PER_STATEMENT = 900  # Longer lists of rows are split.
PLAIN_TYPES = frozenset((str, int, bool, type(None)))  # values that need no conversion
M = TypeVar("M", bound=Model)
AnyField: TypeAlias = "Field[Any, Any]"  # Django's class takes parameters only in its type stubs


class ConflictRule(NamedTuple):
    """The effect of an insertion if a row with the same `unique` fields exists."""

    action: OnConflict | None = None  # None to raise an error
    updating: tuple[str, ...] = ()  # the fields to update
    unique: tuple[str, ...] = ()


def insert(
    rows: Sequence[Model], *, updating: tuple[str, ...] = (), unique: tuple[str, ...] = ()
) -> None:
    """Insert rows of one model and set their primary keys.

    If a row with the same `unique` fields exists, its `updating` fields are updated.
    """
    action = OnConflict.UPDATE if updating else None
    _insert_in_batches(rows, ConflictRule(action, updating, unique))


def insert_missing(rows: Sequence[Model]) -> int:
    """Insert the rows, ignoring conflicts, without setting their keys. Return how many."""
    return _insert_in_batches(rows, ConflictRule(OnConflict.IGNORE))


def update(row: Model, names: Iterable[str] = ()) -> None:
    """Update the named fields of an existing row, all fields without `names`."""
    database = connections[DEFAULT_DB_ALIAS]
    statement, fields = _compile_update(type(row), database.vendor, frozenset(names))
    with database.cursor() as cursor:
        cursor.execute(statement, [*_values(row, fields, database), row.pk])


def delete(model: type[Model], **equal: Any) -> None:
    """Delete the rows whose columns `equal` these values. No other row may refer to them."""
    database = connections[DEFAULT_DB_ALIAS]
    statement, fields = _compile_delete(model, database.vendor, tuple(equal))
    pairs = zip(fields, equal.values(), strict=True)
    with database.cursor() as cursor:
        cursor.execute(statement, [f.get_db_prep_value(value, database) for f, value in pairs])


def select(
    model: type[M], *, order: str = "", above: str = "", should_lock: bool = False, **equal: Any
) -> list[M]:
    """Return the rows whose columns `equal` these values. A list matches any of its values.

    Args:
        order: the column to sort by.
        above: the column that must be greater than its value, not equal.
        should_lock: whether to lock the rows until the transaction ends.
    """
    if [] in equal.values():
        return []
    database = connections[DEFAULT_DB_ALIAS]
    conditions = tuple(
        (name, _comparison(value, is_above=name == above)) for name, value in equal.items()
    )
    statement, columns = _compile_select(model, database.vendor, conditions, order, should_lock)
    names, converters = _field_converters(model, database.vendor)
    values = [
        column.get_db_prep_value(value, database)
        for column, expected in zip(columns, equal.values(), strict=True)
        if expected is not None  # "is null" has no parameter
        for value in (expected if isinstance(expected, list) else [expected])
    ]
    with database.cursor() as cursor:
        cursor.execute(statement, values)
        rows = [list(row) for row in cursor.fetchall()]
    for row in rows:
        for index, convert, column in converters:
            row[index] = convert(row[index], column, database)
    return [model.from_db(database.alias, names, row) for row in rows]


def select_first(model: type[M], **equal: Any) -> M | None:
    return next(iter(select(model, **equal)), None)


def _insert_in_batches(rows: Sequence[Model], conflict: ConflictRule) -> int:
    """Insert the rows in statements of limited size. Return the number of rows written."""
    if not rows:
        return 0
    model, database, written = type(rows[0]), connections[DEFAULT_DB_ALIAS], 0
    max_rows = max(1, MAX_VALUES_PER_STATEMENT // len(model._meta.concrete_fields))
    for first in range(0, len(rows), max_rows):
        batch = rows[first : first + max_rows]
        statement, fields, key = _compile_insert(model, database.vendor, len(batch), conflict)
        values = [value for row in batch for value in _values(row, fields, database)]
        with database.cursor() as cursor:
            cursor.execute(statement, values)
            new_keys = cursor.fetchall() if key else []
            written += cursor.rowcount
        for row, (number,) in zip(batch, new_keys, strict=bool(key)):
            row.pk = number
        for row in batch:
            row._state.adding, row._state.db = False, database.alias
    return written


def _values(row: Model, fields: Sequence[AnyField], database: Any) -> list[Any]:
    """Return the values of the row's fields as the database stores them."""
    return [
        value
        if type(value := field.pre_save(row, True)) in PLAIN_TYPES
        and not isinstance(field, JSONField)
        else field.get_db_prep_save(value, database)
        for field in fields
    ]


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)


@lru_cache(maxsize=256)
def _compile_insert(
    model: type[Model], vendor: str, count: int, conflict: ConflictRule
) -> tuple[str, tuple[AnyField, ...], str]:
    """Return (the statement, the fields that it writes of each row, the column that it returns)."""
    fields = tuple(f for f in model._meta.concrete_fields if not isinstance(f, AutoField))
    names = [_quote(str(f.column)) for f in fields]
    placeholders = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * count)
    verb = connection.ops.insert_statement(on_conflict=conflict.action)
    parts = [f"{verb} {_quote(model._meta.db_table)} ({', '.join(names)}) VALUES {placeholders}"]
    column = {f.name: str(f.column) for f in fields}
    updating = [column[name] for name in conflict.updating]
    unique = [column[name] for name in conflict.unique]
    parts.append(connection.ops.on_conflict_suffix_sql(fields, conflict.action, updating, unique))
    key, returns_keys = model._meta.pk, conflict.action != OnConflict.IGNORE
    key_column = str(key.column) if returns_keys and isinstance(key, AutoField) else ""
    if key_column:
        parts.append(f"RETURNING {_quote(key_column)}")
    return " ".join(filter(None, parts)), fields, key_column


@lru_cache(maxsize=64)
def _field_converters(
    model: type[Model], vendor: str
) -> tuple[list[str], list[tuple[int, Callable[..., Any], Expression]]]:
    """Return the model's field names, and (index, converter, column) of values to convert."""
    fields = model._meta.concrete_fields
    converters: list[tuple[int, Callable[..., Any], Expression]] = []
    for index, field in enumerate(fields):
        column = field.get_col(model._meta.db_table)
        own_converters = column.get_db_converters(connection)
        for convert in (*connection.ops.get_db_converters(column), *own_converters):
            converters.append((index, convert, column))
    return [f.attname for f in fields], converters


@lru_cache(maxsize=64)
def _compile_delete(
    model: type[Model], vendor: str, names: tuple[str, ...]
) -> tuple[str, list[AnyField]]:
    fields = [field for field in map(model._meta.get_field, names) if isinstance(field, Field)]
    where = " AND ".join(f"{_quote(str(field.column))} = %s" for field in fields)
    return f"DELETE FROM {_quote(model._meta.db_table)} WHERE {where}", fields


@lru_cache(maxsize=64)
def _compile_update(
    model: type[Model], vendor: str, names: frozenset[str]
) -> tuple[str, tuple[AnyField, ...]]:
    changeable = (f for f in model._meta.concrete_fields if not f.primary_key)
    fields = tuple(f for f in changeable if not names or f.name in names)
    assignments = ", ".join(f"{_quote(str(f.column))} = %s" for f in fields)
    key = _quote(str(model._meta.pk.column))
    return f"UPDATE {_quote(model._meta.db_table)} SET {assignments} WHERE {key} = %s", fields


def _comparison(value: Any, *, is_above: bool) -> str:
    """Return the SQL after a column that compares it with `value`: operator and placeholders."""
    if value is None:
        return "IS NULL"
    if isinstance(value, list):
        return f"IN ({', '.join(['%s'] * len(value))})"
    return "> %s" if is_above else "= %s"


@lru_cache(maxsize=256)
def _compile_select(
    model: type[Model],
    vendor: str,
    conditions: tuple[tuple[str, str], ...],
    order: str,
    should_lock: bool,
) -> tuple[str, list[AnyField]]:
    """Return (the statement, the fields of its parameters) for (column, comparison) conditions."""
    column_names = ", ".join(_quote(str(f.column)) for f in model._meta.concrete_fields)
    where = " AND ".join(f"{_quote(name)} {comparison}" for name, comparison in conditions)
    statement = f"SELECT {column_names} FROM {_quote(model._meta.db_table)} WHERE {where}"
    if order:
        statement += f" ORDER BY {_quote(order)}"
    if should_lock and connection.features.has_select_for_update:
        statement += f" {connection.ops.for_update_sql()}"
    fields = [model._meta.get_field(name) for name, _ in conditions]
    return statement, [field for field in fields if isinstance(field, Field)]
