"""Games that are played once per test run and shared by its processes.

Their rows are stored and inserted again for every later test that needs the game.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.db.models import Model

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
    return played[0] if played else _insert_rows(_stored_rows[name])


def _rows(game: Game) -> Rows:
    rows = {Game: list(Game.objects.filter(pk=game.pk).values())}
    for model in MODELS:
        path = "window__game" if model is Answer else "game"
        rows[model] = list(model._default_manager.filter(**{path: game}).order_by("pk").values())
    return rows


def _insert_rows(rows: Rows) -> Game:
    """Insert the stored game again with new ids."""
    (data,) = rows[Game]
    game = Game.objects.create(**{k: v for k, v in data.items() if k not in ("id", "code")})
    ids: dict[str, dict[Any, Any]] = {"game_id": {data["id"]: game.pk}}
    for model in MODELS:
        copies = []
        for row in rows[model]:
            values = {k: ids[k][v] if v and k in ids else v for k, v in row.items() if k != "id"}
            copies.append(model(**values))
        model._default_manager.bulk_create(copies)
        old_ids = [row["id"] for row in rows[model]]
        ids[f"{model.__name__.lower()}_id"] = dict(
            zip(old_ids, (m.pk for m in copies), strict=True)
        )
    return game
