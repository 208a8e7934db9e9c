"""A table's use in research: its host decides it, and everybody at the table is informed.

It can be turned off at any time. It can be turned on only while nobody else has a seat, so that
nobody there was informed otherwise.
"""

from __future__ import annotations

from game import host_actions, lobby
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.models import Membership, Table

TOLD = "research"  # field of an invitation's form: what its text said about research


def turn_on(game: Game) -> None:
    """Allow the table's use in research.

    Raises Illegal: `begun`, `over`, `told_otherwise`, or `studied` if it is allowed already.
    """
    lobby.refresh_pages(game.pk)  # locks the game's row: nobody can take a seat meanwhile
    if not nobody_else_is_here(game):
        raise Illegal("told_otherwise")
    _turn(game, "studied", research=True)


def turn_off(game: Game) -> None:
    """Forbid the table's use in research. Games that a campaign has drawn already stay in it.

    Raises Illegal("not_studied").
    """
    host_actions.refresh_pages(game.pk)
    _turn(game, "not_studied", research=False)


def _turn(game: Game, refusal: str, *, research: bool) -> None:
    if not Table.objects.filter(game=game, research=not research).update(research=research):
        raise Illegal(refusal)


def nobody_else_is_here(game: Game) -> bool:
    """Return whether no person but the host has a seat."""
    hosts = Membership.objects.filter(game=game, host=True, player__isnull=False).values("player")
    return not game.players.filter(kind=Player.PERSON).exclude(pk__in=hosts).exists()


def was_research_disclosed(game: Game, state: str) -> bool:
    """Return whether the reader's invitation mentioned research, True at a table without it.

    state: the value that the form sent.
    """
    return state == TOLD or not Table.objects.filter(game=game, research=True).exists()
