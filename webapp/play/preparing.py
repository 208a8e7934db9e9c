"""What agents work out side by side when a round opens (SPEC 2.5).

A preparation reads only what was said before its round, so all of a table's run at once, beside
the polls and the first speaker; whoever comes to answer before its own is done waits for that.
"""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, transaction

from agents.mind import Note
from agents.recipe import Recipe
from agents.think import prepare, unprepared
from game import selectors
from game.models import Game, Player
from game.models import Window as WindowRow
from webapp.play import budget, notes
from webapp.play.forgetting import fit_to_keep
from webapp.play.leases import lease
from webapp.play.models import Asked, MindNote
from webapp.play.thinking import Asker, scene_of

logger = logging.getLogger(__name__)

DONE = "prepared"  # the note that says so
INSTEAD = "instead/"  # how the steps begin that the built-in player takes for a model
PAUSE = 0.1  # seconds between looks whether another process is done
_news = threading.Condition()  # of this process: a preparation is done


def key_of(first: WindowRow) -> str:
    """What stands for a window in the record of the preparation that `first`'s round calls for."""
    return f"prepare.{first.day}.{first.round}"


def called_for(game_id: int, opened: list[str]) -> list[tuple[str, int]]:
    """(first window of a round, seat) of the preparations that newly opened windows call for; the
    first speaker's comes first."""
    found = []
    rows = WindowRow.objects.filter(game_id=game_id, key__in=opened, opens_round=True)
    for first in rows if opened else ():
        gone = selectors.out(game_id)
        agents = Player.objects.filter(game_id=game_id).exclude(seat__in=gone).order_by("seat")
        found += [
            (first.key, p.seat)
            for p in sorted(agents, key=lambda p: p.seat not in first.asked)
            if not p.by_person and Recipe.of(p.recipe or {}).prepares
        ]
    return found


def first_of(window: WindowRow) -> WindowRow | None:
    """The window that began the round of talk in which `window` opened, or after which; none
    before the first."""
    rows = WindowRow.objects.filter(
        game_id=window.game_id, opens_round=True, opened_seq__lte=window.opened_seq
    )
    return rows.order_by("-opened_seq").first()


def prepared(first: WindowRow, seat: int) -> bool:
    what = {"game_id": first.game_id, "seat": seat, "window": key_of(first), "faculty": DONE}
    return MindNote.objects.filter(**what).exists()


def by_built_in(window: WindowRow, seat: int) -> bool:
    """Whether the built-in player prepared the round of `window` in a model's stead."""
    if not budget.limited() or (first := first_of(window)) is None:
        return False
    what = {"game_id": first.game_id, "seat": seat, "window": key_of(first), "faculty": DONE}
    note = MindNote.objects.filter(**what).first()
    return bool(note and note.data.get("instead"))


def ensure(window: WindowRow, seat: int, recipe: Recipe) -> None:
    """Prepare the seat for the round of `window`, or wait until somebody else has."""
    if not recipe.prepares or (first := first_of(window)) is None:
        return
    while not prepared(first, seat):
        with lease(first.game_id, seat, key_of(first)) as mine:
            if mine:
                _prepare(first, seat, recipe)
                return
        with _news:
            _news.wait(PAUSE)


def _prepare(first: WindowRow, seat: int, recipe: Recipe) -> None:
    if prepared(first, seat):
        return
    game = Game.objects.get(pk=first.game_id)
    key = key_of(first)
    scene = scene_of(game, seat, first, purpose=key)
    made: tuple[Note, ...]
    told: dict[str, str] = {}
    try:
        made = prepare(
            recipe, scene, Asker(game, seat, key, recipe, scene.began, Asked.PREPARATION)
        )
    except DatabaseError:  # not the mind's doing: whoever comes next tries again
        raise
    except budget.Exhausted:
        built_in, told = recipe.built_in(), {"instead": recipe.backend}
        asker = Asker(game, seat, key, built_in, scene.began, Asked.PREPARATION, prefix=INSTEAD)
        made = prepare(built_in, scene, asker)
    except Exception:  # a fault in a mind must not hold the table up for good
        logger.exception("seat %s of %s could not prepare at %s", seat, game, key)
        made = unprepared(recipe, scene, "crash")
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=game.pk)  # whoever takes words out holds it as well
        fit = fit_to_keep(game, scene.view, made)
        notes.keep(game, seat, key, [*fit, Note(DONE, scene.began, told)])
    with _news:
        _news.notify_all()


def begin(game_id: int, seat: int, window: str) -> None:
    """Prepare an agent for the round that `window` opened; done twice, it is done once."""
    player = Player.objects.filter(game_id=game_id, seat=seat).first()
    first = WindowRow.objects.filter(game_id=game_id, key=window, opens_round=True).first()
    if first and player and not player.by_person:
        recipe = Recipe.of(player.recipe or {})
        if recipe.prepares:
            with lease(game_id, seat, key_of(first)) as mine:
                if mine:
                    _prepare(first, seat, recipe)
