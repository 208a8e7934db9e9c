"""Opens tables: with chosen settings, or with those of an earlier table."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.db import transaction

from agents import backends
from agents.recipe import Recipe
from game import host_actions, lobby, portraits, services
from game.engine import rulesets
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import will_be_blind
from webapp.play.models import ClaimsSheet, Membership, Table
from webapp.play.tables import seat_plans
from webapp.play.tables.home import DEFAULT_RULESET
from webapp.play.tables.seat_plans import Casting
from webapp.play.turns import model_choices
from webapp.play.visitors import seat_visitor


def open_table(
    visitor: uuid.UUID,
    *,
    ruleset: str = DEFAULT_RULESET,
    mode: str = "play",
    guests: int = 0,
    pace: str = "natural",
    limits: Mapping[str, int] | None = None,
    settings: Mapping[str, Any] | None = None,
    spectators: bool = False,
    research: bool = False,
    claims: bool | None = None,
    faces: str = Table.ME,
    personas: bool = True,
    seed: str = "",
    backend: str = backends.HOUSE,
    method: str = Recipe.method,
    plain: bool = False,
    switches: Mapping[str, str] | None = None,
    casting: Casting | None = None,
    characters: bool | None = None,
    role: str = "",
) -> Game:
    """Open a table with the visitor as host, in a seat (`play`) or watching (`watch`).

    With guests the table gathers first; without guests the game begins at once.

    Args:
        plain: The built-in players use plain speech, in every seat.
        switches: The method's switches that differ from the usual ones.
        casting: seat, as text -> the recipe of its computer player (`CastForm.chosen_casting`).
        claims: Whether the table shows the sheet of claims. None: unless the game may be studied.
        characters: Whether some agents are written characters. None: unless the table is blind.
        role: The role that the host is dealt, "" for a random one.
    """
    seed = seed or seat_plans.draw_seed(ruleset, settings or {}, role)
    recipe = Recipe(backend, method, has_plain_speech=plain, switches=switches or {})
    is_blind = will_be_blind(settings)
    plans, host_seat = seat_plans.draw_seat_plans(
        ruleset,
        seed,
        guests,
        seated=mode == "play",
        characters=not is_blind if characters is None else characters,
        recipe=recipe,
        casting=casting or {},
        blind=is_blind,
    )
    gather = guests > 0
    with transaction.atomic():
        game = services.create(
            ruleset,
            plans,
            seed=seed,
            settings=settings,
            pace=pace,
            limits=limits,
            should_gather=gather,
        )
        table = Table(game=game, spectators=spectators, research=research, faces=faces)
        table.personas, table.recipe, table.casting = personas, recipe.data(), casting or {}
        shows_claims = not research if claims is None else claims
        _add_table(table, visitor, host_seat, shows_claims=shows_claims)
    return game


def _add_table(table: Table, visitor: uuid.UUID, host_seat: int, *, shows_claims: bool) -> None:
    """Store a new game's table and make the visitor its host. host_seat: 0 for a watcher."""
    table.save()
    if shows_claims:
        ClaimsSheet.objects.create(game=table.game)
    player = table.game.players.get(seat=host_seat) if host_seat else None
    seat_visitor(visitor, table.game, player, host=True)


def _recipe_arguments(table: Table) -> dict[str, Any]:
    """Return a table's recipe as arguments of `open_table`.

    If its model can't play today, they name the built-in players.
    """
    recipe = Recipe.of(table.recipe)
    is_playable = recipe.backend in model_choices.playable_backends()
    return {
        "backend": recipe.backend if is_playable else backends.HOUSE,
        "method": recipe.method,
        "plain": recipe.has_plain_speech,
        "switches": recipe.switches,
    }


def _playable_casting(table: Table) -> Casting:
    """Return the table's casting, without models that can't play today."""
    playable_backends = model_choices.playable_backends()
    return {
        seat: {k: v for k, v in choice.items() if k != "backend" or v in playable_backends}
        for seat, choice in table.casting.items()
    }


def open_similar_table(visitor: uuid.UUID, game: Game) -> Game:
    """Open a table with the people, rules, pace and limits of `game`, and a new deal.

    If several people played, all get seats at one new table, which waits for them.
    """
    with transaction.atomic():
        table, _new = Table.objects.select_for_update().get_or_create(game=game)
        if table.successor:
            return table.successor
        people = list(game.players.filter(kind=Player.PERSON, left_at=None, erased_at=None))
        memberships = Membership.objects.filter(game=game)
        membership = memberships.get(visitor=visitor)
        alone = len(people) == 1 and membership.player is not None
        new_game = open_table(
            visitor,
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
            casting=_playable_casting(table),
            **_recipe_arguments(table),
        )
        if alone:
            _keep_portrait(new_game, new_game.players.get(kind=Player.PERSON), people[0].portrait)
        elif people:
            for player in people:
                _seat_again(new_game, player, list(memberships.filter(player=player)), visitor)
            table.successor = new_game
            table.save()
            host_actions.refresh_pages(game.pk)
    return new_game


def _seat_again(
    new_game: Game, player: Player, browsers: list[Membership], host: uuid.UUID
) -> None:
    """Give the person a seat at the new table, with the same name and the same browsers."""
    if not browsers:
        return
    own = rulesets.get(new_game.ruleset).table_names
    name = "" if player.name in own else player.name
    hosts = any(membership.visitor == host for membership in browsers)
    if hosts:
        seat = Player.objects.get(membership__visitor=host, membership__game=new_game)
    else:
        seat = lobby.join(new_game.pk)
    # a name that was once accepted may be refused now; then the seat's is used
    with suppress(Illegal):
        lobby.rename(new_game.pk, seat.seat, name)
    _keep_portrait(new_game, seat, player.portrait)
    for membership in browsers:
        seat_visitor(membership.visitor, new_game, seat, host=hosts)


def _keep_portrait(new_game: Game, player: Player, portrait: int) -> None:
    """Give the person their previous portrait. The player who has it now gets another."""
    with suppress(Illegal):  # a blind table has no choice of portraits
        portraits.claim_portrait(new_game.pk, player.seat, portrait)
