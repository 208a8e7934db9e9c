"""Games that are played once per test run and shared by its processes.

Their rows are stored and inserted again for every later test that needs the game.
"""

from __future__ import annotations

import hashlib
import pickle
import uuid
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.models import Max, Model, UUIDField

from game.models import Answer, Event, Game, Player, Utterance, Vote, Window
from tests import fresh_database
from webapp.play.models import LLMCall, MindNote

Rows = Mapping[type[Model], list[dict[str, Any]]]
MODELS: tuple[type[Model], ...] = (
    *(Player, Event, Window, Utterance, Answer, Vote),
    *(LLMCall, MindNote),
)
_stored_rows: dict[str, Rows] = {}


def once(key: object, play: Callable[[], Game]) -> Game:
    """Return the game of `key`, played by `play` the first time. Its `Table` is not stored."""
    name, played = repr(key), list[Game]()

    def build(file: Path) -> None:
        played.append(play())
        file.write_bytes(pickle.dumps(_rows(played[0])))

    if name not in _stored_rows:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        file = fresh_database.get_or_build_shared_file(f"game-{digest}", build)
        _stored_rows[name] = pickle.loads(file.read_bytes())
    return played[0] if played else _insert_rows(name)


def _rows(game: Game) -> Rows:
    rows = {Game: list(Game.objects.filter(pk=game.pk).values())}
    for model in MODELS:
        path = "window__game" if model is Answer else "game"
        rows[model] = list(model._default_manager.filter(**{path: game}).order_by("pk").values())
    return rows


def _insert_rows(name: str) -> Game:
    """Insert the stored game again with new ids."""
    rows = _stored_rows[name]
    (data,) = rows[Game]
    game = Game.objects.create(**{k: v for k, v in data.items() if k not in ("id", "code")})
    ids: dict[str, dict[Any, Any]] = {"game_id": {data["id"]: game.pk}}
    for model in MODELS:
        old_ids = [row["id"] for row in rows[model]]
        new_ids = dict(zip(old_ids, _free_ids(model, len(old_ids)), strict=True))
        _insert(model, _column_values(name, model), {**ids, "id": new_ids})
        ids[f"{model.__name__.lower()}_id"] = new_ids
    return game


def _free_ids(model: type[Model], count: int) -> list[Any]:
    if isinstance(model._meta.pk, UUIDField):
        return [uuid.uuid4() for _ in range(count)]
    if connection.vendor == "postgresql":
        table = model._meta.db_table
        query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        with connection.cursor() as cursor:
            cursor.execute(query, [table, count])
            return [number for (number,) in cursor.fetchall()]
    highest = model._default_manager.aggregate(highest=Max("pk"))["highest"] or 0
    return [*range(highest + 1, highest + 1 + count)]


@cache
def _column_values(name: str, model: type[Model]) -> list[dict[str, Any]]:
    """Return a stored game's rows as the database stores them, except ids.

    They are cached: to prepare the rows takes as long as to insert them.
    """
    fields = [f for f in model._meta.concrete_fields if not (f.is_relation or f.primary_key)]
    return [
        {**row, **{f.attname: f.get_db_prep_save(row[f.attname], connection) for f in fields}}
        for row in _stored_rows[name][model]
    ]


def _insert(model: type[Model], rows: list[dict[str, Any]], ids: dict[str, dict[Any, Any]]) -> None:
    """Insert the rows. `ids` maps columns to the new id of each old id."""
    fields = model._meta.concrete_fields
    changed = {f.attname: f for f in fields if f.attname in ids}
    values = [
        [
            changed[f.attname].get_db_prep_save(ids[f.attname].get(row[f.attname]), connection)
            if f.attname in changed
            else row[f.attname]
            for f in fields
        ]
        for row in rows
    ]
    columns = ", ".join(connection.ops.quote_name(f.column) for f in fields)
    places = ", ".join(["%s"] * len(fields))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({places})", values
        )
