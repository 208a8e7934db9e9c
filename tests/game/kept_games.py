"""Games that are played once a run, by whichever of its processes needs one first.

The rows of one are kept, and written again for the next test that asks for it.
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
_kept: dict[str, Rows] = {}


def once(key: object, play: Callable[[], Game]) -> Game:
    """The game that `play` plays, which is played where none of that key has been.

    Its table is not among its rows.
    """
    name, played = repr(key), list[Game]()

    def make(file: Path) -> None:
        played.append(play())
        file.write_bytes(pickle.dumps(_rows(played[0])))

    if name not in _kept:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        _kept[name] = pickle.loads(fresh_database.once(f"game-{digest}", make).read_bytes())
    return played[0] if played else _written(_kept[name])


def _rows(game: Game) -> Rows:
    found = {Game: list(Game.objects.filter(pk=game.pk).values())}
    for model in MODELS:
        path = "window__game" if model is Answer else "game"
        found[model] = list(model._default_manager.filter(**{path: game}).order_by("pk").values())
    return found


def _written(rows: Rows) -> Game:
    """The same game once more, under ids of its own."""
    (data,) = rows[Game]
    game = Game.objects.create(**{k: v for k, v in data.items() if k not in ("id", "code")})
    ids: dict[str, dict[Any, Any]] = {"game_id": {data["id"]: game.pk}}
    for model in MODELS:
        made = []
        for row in rows[model]:
            fresh = {k: ids[k][v] if v and k in ids else v for k, v in row.items() if k != "id"}
            made.append(model(**fresh))
        model._default_manager.bulk_create(made)
        old = [row["id"] for row in rows[model]]
        ids[f"{model.__name__.lower()}_id"] = dict(zip(old, (m.pk for m in made), strict=True))
    return game
