"""A table's use in research: its host decides it, and everybody at the table is informed.

It can be turned off at any time. It can be turned on only while nobody else has a seat, so nobody
joined under other terms.
"""

from __future__ import annotations

from game import host_actions, lobby
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.models import Membership, Table

RESEARCH_DISCLOSED = "research"  # value of the field "told": the page disclosed research


def turn_on(game: Game) -> None:
    """Allow the table's use in research.

    Locks the game's row, so nobody can sit down before the check, and refreshes its pages.

    Raises Illegal: `begun`, `over`, `told_otherwise`, or `studied` if it is allowed already.
    """
    lobby.refresh_pages(game.pk)
    if not is_host_alone(game):
        raise Illegal("told_otherwise")
    _set_research(game, research=True, error_code="studied")


def turn_off(game: Game) -> None:
    """Forbid the table's use in research. Games that a campaign has drawn already stay in it.

    Raises Illegal("not_studied").
    """
    host_actions.refresh_pages(game.pk)
    _set_research(game, research=False, error_code="not_studied")


def _set_research(game: Game, *, research: bool, error_code: str) -> None:
    if not Table.objects.filter(game=game, research=not research).update(research=research):
        raise Illegal(error_code)


def is_host_alone(game: Game) -> bool:
    """Return whether the host is the only person seated."""
    hosts = Membership.objects.filter(game=game, host=True, player__isnull=False).values("player")
    return not game.players.filter(kind=Player.PERSON).exclude(pk__in=hosts).exists()


def was_research_disclosed(game: Game, told: str) -> bool:
    """Return whether the visitor saw the research notice.

    True if the table does not allow research. told: The value of the form's field of that name.
    """
    return told == RESEARCH_DISCLOSED or not Table.objects.filter(game=game, research=True).exists()
