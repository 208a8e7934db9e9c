"""What agents work out side by side when a round opens (SPEC 2.5).

A preparation reads only what was said before its round, so all of a table's run at once, beside
the polls and the first speaker; whoever comes to speak before its own is done waits for that.
"""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError

from agents.recipe import Recipe
from agents.think import prepare
from game.models import Game, Player
from game.models import Window as WindowRow
from webapp.play.leases import lease
from webapp.play.models import MindNote
from webapp.play.thinking import Asker, scene_of

logger = logging.getLogger(__name__)

DONE = "prepared"  # the note that says so
PAUSE = 0.1  # seconds between looks whether another process is done
_news = threading.Condition()  # of this process: a preparation is done


def key_of(window: str) -> str:
    """The key of the preparation that belongs to the round of a window: "prepare.DAY.ROUND"."""
    _, day, round_, *_ = window.split(".")
    return f"prepare.{day}.{round_}"


def called_for(game_id: int, opened: list[str]) -> list[tuple[str, int]]:
    """(first window of a round, seat) of the preparations that newly opened windows call for; the
    first speaker's comes first."""
    found = []
    for window in opened:
        first = first_of(game_id, window)
        if first and window == first.key:
            agents = Player.objects.filter(game_id=game_id).order_by("seat")
            found += [
                (window, p.seat)
                for p in sorted(agents, key=lambda p: p.seat not in first.asked)
                if not p.by_person and Recipe.of(p.recipe or {}).prepares
            ]
    return found


def first_of(game_id: int, window: str) -> WindowRow | None:
    """The first window of speech in the same round; none where `window` is none of speech."""
    kind, day, round_, *_ = window.split(".")
    if kind != "statement":
        return None
    rows = WindowRow.objects.filter(game_id=game_id, key__startswith=f"{kind}.{day}.{round_}.")
    return rows.order_by("opened_seq").first()


def prepared(game_id: int, seat: int, window: str) -> bool:
    what = {"game_id": game_id, "seat": seat, "window": key_of(window), "faculty": DONE}
    return MindNote.objects.filter(**what).exists()


def ensure(game_id: int, seat: int, window: str, recipe: Recipe) -> None:
    """Prepare the seat for the round of `window`, or wait until somebody else has."""
    if not recipe.prepares or not window.startswith("statement."):
        return
    while not prepared(game_id, seat, window):
        with lease(game_id, seat, key_of(window)) as mine:
            if mine:
                _prepare(game_id, seat, window, recipe)
                return
        with _news:
            _news.wait(PAUSE)


def _prepare(game_id: int, seat: int, window: str, recipe: Recipe) -> None:
    first = first_of(game_id, window)
    if first is None or prepared(game_id, seat, window):
        return
    game = Game.objects.get(pk=game_id)
    key = key_of(window)
    scene = scene_of(game, seat, first, purpose=key)
    try:
        notes = prepare(recipe, scene, Asker(game, seat, key, recipe))
    except DatabaseError:  # not the mind's doing: whoever comes next tries again
        raise
    except Exception:  # a fault in a mind must not hold the table up for good
        logger.exception("seat %s of %s could not prepare at %s", seat, game, key)
        notes = ()
    rows = [(n.faculty, n.round, n.data) for n in notes]
    rows.append((DONE, scene.view.state.round, {}))
    MindNote.objects.bulk_create(
        MindNote(game=game, seat=seat, window=key, round=r, faculty=f, data=d) for f, r, d in rows
    )
    with _news:
        _news.notify_all()


def begin(game_id: int, seat: int, window: str) -> None:
    """Prepare an agent for the round that `window` opened; done twice, it is done once."""
    player = Player.objects.filter(game_id=game_id, seat=seat).first()
    if player and not player.by_person:
        recipe = Recipe.of(player.recipe or {})
        if recipe.prepares:
            with lease(game_id, seat, key_of(window)) as mine:
                if mine:
                    _prepare(game_id, seat, window, recipe)
