"""Opens tables with chosen settings, or with those of an earlier table.

Repeated presses of a button open only one table. The session cannot identify a browser on its first
visit: each press would count as another visitor's. The CSRF token can: it is new for every page
that is rendered.
"""

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from agents import backends
from agents.recipe import Recipe
from game import game_actions, lobby
from game.engine import rulesets
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play import visitors
from webapp.play.disclosure import will_be_blind
from webapp.play.models import ClaimsSheet, Membership, Press, Table
from webapp.play.tables import seat_plans
from webapp.play.tables.rules_pages import DEFAULT_RULESET
from webapp.play.tables.seat_plans import Casting
from webapp.play.turns import model_choices
from webapp.play.visitors import seat_visitor
from webapp.rate_counters import keyed_digest

CSRF_FIELD = "csrfmiddlewaretoken"
PRESS_REPEAT_TIME = timedelta(seconds=20)  # within this time, a second press opens no other table
PRESS_RETENTION = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    ruleset: str = DEFAULT_RULESET
    mode: str = "play"  # "play" seats the host, "watch" does not
    guests: int = 0  # the number of invited people
    pace: str = "natural"  # pace of the computer players, a key of `clock.PACES`
    # Clock (`clock.CLOCKS`) -> time limit in seconds.
    limits: Mapping[str, int] = field(default_factory=dict)
    # The ruleset's settings that differ from their defaults, and "blind".
    settings: Mapping[str, Any] = field(default_factory=dict)
    spectators: bool = False  # anyone with the address may watch
    research: bool = False  # the game may be chosen for studies
    claims: bool | None = None  # the sheet of claims is shown; None: unless research is allowed
    faces: str = Table.ME  # which favor faces are shown: `Table.ME`, `Table.ALL`, `Table.HIDDEN`
    personas: bool = True  # a card of each computer player is shown
    seed: str = ""  # seed of the deal, "" for a random one
    # Recipe of all seats without a casting of their own.
    recipe: Recipe = field(default_factory=Recipe)
    casting: Casting = field(default_factory=dict)  # seat -> as `CastForm.chosen_casting`
    use_characters: bool | None = None  # some agents are written characters; None: unless blind
    role: str = ""  # role that the host is dealt, "" for a random one


DEFAULT_OPTIONS = TableOptions()


def open_table(visitor: uuid.UUID, options: TableOptions = DEFAULT_OPTIONS) -> Game:
    """Open a table with the visitor as host. Without guests the game begins at once."""
    settings = options.settings
    seed = options.seed or seat_plans.draw_seed(options.ruleset, settings, options.role)
    is_blind = will_be_blind(settings)
    plans, host_seat = seat_plans.draw_seat_plans(
        options.ruleset,
        seed,
        options.guests,
        is_host_playing=options.mode == "play",
        use_characters=not is_blind if options.use_characters is None else options.use_characters,
        recipe=options.recipe,
        casting=options.casting,
        is_blind=is_blind,
    )
    with transaction.atomic():
        game = lobby.create_game(
            options.ruleset,
            plans,
            seed=seed,
            settings=settings,
            pace=options.pace,
            limits=options.limits,
            should_gather=options.guests > 0,
        )
        _add_table(game, options)
        player = game.players.get(seat=host_seat) if host_seat else None  # None: a watcher
        seat_visitor(visitor, game, player, is_host=True)
    return game


def _add_table(game: Game, options: TableOptions) -> None:
    Table.objects.create(
        game=game,
        spectators=options.spectators,
        research=options.research,
        faces=options.faces,
        personas=options.personas,
        recipe=options.recipe.data(),
        casting=options.casting,
    )
    show_claims = not options.research if options.claims is None else options.claims
    if show_claims:
        ClaimsSheet.objects.create(game=game)


def _playable_recipe(table: Table) -> Recipe:
    """Return a table's recipe. Built-in players replace a model that can't play today."""
    recipe = Recipe.of(table.recipe)
    is_playable = recipe.backend in model_choices.playable_backends()
    return recipe if is_playable else replace(recipe, backend=backends.HOUSE)


def _playable_casting(table: Table) -> Casting:
    """Return the table's casting, without models that can't play today."""
    playable = model_choices.playable_backends()
    return {
        seat: {k: v for k, v in choice.items() if k != "backend" or v in playable}
        for seat, choice in table.casting.items()
    }


def open_similar_table(visitor: uuid.UUID, game: Game) -> Game:
    """Open a table with the people, rules, pace and limits of `game`, but another deal.

    If several people played, they share one new table, which waits for them.
    """
    with transaction.atomic():
        table, _new = Table.objects.select_for_update().get_or_create(game=game)
        if table.successor:
            return table.successor
        people = list(game.players.filter(kind=Player.PERSON, left_at=None, erased_at=None))
        memberships = Membership.objects.filter(game=game)
        membership = memberships.get(visitor=visitor)
        is_alone = len(people) == 1 and membership.player is not None
        new_game = open_table(
            visitor,
            TableOptions(
                ruleset=game.ruleset,
                mode="play" if membership.player else "watch",
                guests=len(people) - (membership.player is not None),
                pace=game.pace,
                limits=game.limits,
                settings=game.settings,
                spectators=table.spectators,
                research=table.research,
                claims=ClaimsSheet.objects.filter(game=game).exists(),
                faces=table.faces,
                personas=table.personas,
                recipe=_playable_recipe(table),
                casting=_playable_casting(table),
            ),
        )
        if is_alone:
            _keep_portrait(new_game, new_game.players.get(kind=Player.PERSON), people[0].portrait)
        elif people:
            for player in people:
                _seat_again(new_game, player, list(memberships.filter(player=player)), visitor)
            table.successor = new_game
            table.save()
            game_actions.refresh_pages(game.pk)
    return new_game


def _seat_again(
    new_game: Game, player: Player, browsers: list[Membership], host: uuid.UUID
) -> None:
    """Give the person a seat at the new table, with the same name and the same browsers."""
    if not browsers:
        return
    seat_names = rulesets.get(new_game.ruleset).table_names
    name = "" if player.name in seat_names else player.name
    is_host = any(membership.visitor == host for membership in browsers)
    own_seat = Player.objects.filter(membership__visitor=host, membership__game=new_game)
    seat = own_seat.get() if is_host else lobby.join(new_game.pk)
    with suppress(Illegal):  # a name may be refused at the new table: the seat's name stays
        lobby.rename(new_game.pk, seat.seat, name)
    _keep_portrait(new_game, seat, player.portrait)
    for membership in browsers:
        seat_visitor(membership.visitor, new_game, seat, is_host=is_host)


def _keep_portrait(new_game: Game, player: Player, portrait: int) -> None:
    """Give the person their previous portrait. A player who has it now gets another portrait."""
    with suppress(Illegal):  # a blind table has no choice of portraits
        game_actions.claim_portrait(new_game.pk, player.seat, portrait)


def press_key(request: HttpRequest, *, use_visitor: bool) -> str:
    """Return a key that repeated presses of a button share, "" if they cannot be recognised.

    With `use_visitor` the visitor replaces a missing token of the page.
    """
    page_id = request.POST.get(CSRF_FIELD, "")
    if not page_id and use_visitor and (visitor := visitors.visitor_of(request.session)):
        page_id = visitor.hex
    chosen = sorted((name, values) for name, values in request.POST.lists() if name != CSRF_FIELD)
    return keyed_digest(f"{page_id} {request.path} {chosen}") if page_id else ""


def find_press(key: str) -> Press | None:
    """Return the recent press with that key, None if none has opened a table."""
    since = timezone.now() - PRESS_REPEAT_TIME
    rows = Press.objects.filter(key=key, at__gte=since, game__isnull=False)
    return rows.select_related("game").first() if key else None


def open_once(key: str, visitor: uuid.UUID, options: TableOptions) -> tuple[Game, uuid.UUID]:
    """Return the game that these presses opened and its host. The first press opens it.

    Without a key (`press_key`), each press opens a table.
    """
    if not key:
        return open_table(visitor, options), visitor
    now = timezone.now()
    with transaction.atomic():
        Press.objects.filter(at__lt=now - PRESS_RETENTION).exclude(key=key).delete()
        Press.objects.get_or_create(key=key, defaults={"visitor": visitor, "at": now})
        press = Press.objects.select_for_update().get(key=key)
        if press.game is None or press.at < now - PRESS_REPEAT_TIME:
            press.visitor, press.at = visitor, now
            press.game = open_table(visitor, options)
            press.save()
        return press.game, press.visitor
