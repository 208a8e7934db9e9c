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
from webapp.play.disclosure import to_be_blind
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

    With guests the table gathers first; without, the game begins at once.

    Args:
        plain: the built-in players use plain speech, in every seat.
        switches: those of the method that differ from its usual ones.
        casting: seat, as text -> the recipe of its computer player (`CastForm.chosen_casting`).
        claims: whether it shows the sheet of claims; None: unless the game may be studied.
        characters: whether some agents are written characters; None: unless the table is blind.
        role: what the host is dealt, "" for whatever the lot gives.
    """
    seed = seed or seat_plans.draw_seed(ruleset, settings or {}, role)
    recipe = Recipe(backend, method, plain=plain, switches=switches or {})
    plans, mine = seat_plans.draw_seat_plans(
        ruleset,
        seed,
        guests,
        seated=mode == "play",
        characters=not to_be_blind(settings) if characters is None else characters,
        recipe=recipe,
        casting=casting or {},
        blind=to_be_blind(settings),
    )
    with transaction.atomic():
        game = services.create(
            ruleset,
            plans,
            seed=seed,
            settings=settings,
            pace=pace,
            limits=limits,
            gather=guests > 0,
        )
        Table.objects.create(
            game=game,
            spectators=spectators,
            research=research,
            faces=faces,
            personas=personas,
            recipe=recipe.data(),
            casting=casting or {},
        )
        if not research if claims is None else claims:
            ClaimsSheet.objects.create(game=game)
        player = game.players.get(seat=mine) if mine else None
        seat_visitor(visitor, game, player, host=True)
    return game


def _same_minds(table: Table) -> dict[str, Any]:
    """Return the recipe of a table, or the built-in players' if its model can't play today."""
    recipe = Recipe.of(table.recipe)
    is_playable = recipe.backend in model_choices.playable_backends()
    return {
        "backend": recipe.backend if is_playable else backends.HOUSE,
        "method": recipe.method,
        "plain": recipe.plain,
        "switches": recipe.switches,
    }


def _same_casting(table: Table) -> Casting:
    """Return the table's casting, without models that can't play today."""
    playable_backends = model_choices.playable_backends()
    return {
        seat: {k: v for k, v in choice.items() if k != "backend" or v in playable_backends}
        for seat, choice in table.casting.items()
    }


def same_again(visitor: uuid.UUID, game: Game) -> Game:
    """Open a table like `game`'s: the same people, rules, pace and limits, and a new deal.

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
        same = open_table(
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
            casting=_same_casting(table),
            **_same_minds(table),
        )
        if alone:
            _keep_portrait(same, same.players.get(kind=Player.PERSON), people[0].portrait)
        elif people:
            for player in people:
                _seat_again(same, player, list(memberships.filter(player=player)), visitor)
            table.successor = same
            table.save()
            host_actions.refresh_pages(game.pk)
    return same


def _seat_again(same: Game, player: Player, browsers: list[Membership], host: uuid.UUID) -> None:
    """Give the person a seat at the new table, with the same name and the same browsers."""
    if not browsers:
        return
    own = rulesets.get(same.ruleset).table_names
    name = "" if player.name in own else player.name
    hosts = any(membership.visitor == host for membership in browsers)
    if hosts:
        seat = Player.objects.get(membership__visitor=host, membership__game=same)
    else:
        seat = lobby.join(same.pk)
    # a name that was once accepted may be refused now; then the seat's is used
    with suppress(Illegal):
        lobby.rename(same.pk, seat.seat, name)
    _keep_portrait(same, seat, player.portrait)
    for membership in browsers:
        seat_visitor(membership.visitor, same, seat, host=hosts)


def _keep_portrait(same: Game, player: Player, portrait: int) -> None:
    """Give the person their previous portrait. The player who has it now gets another."""
    with suppress(Illegal):  # a blind table has no choice of portraits
        portraits.claim(same.pk, player.seat, portrait)
