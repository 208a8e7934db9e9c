"""The speaking pace of computer players, chosen by a person who is alone with them."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any

from game import clock
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import Disclosure, to_be_blind
from webapp.play.guest import Guest
from webapp.play.models import Table
from webapp.play.page.page_parts import Tempo

KEY = "pace"  # session key: the pace that this browser prefers


def tempo_of(
    game: Game, table: Table | None, players: Iterable[Player], *, host: bool, waits: bool
) -> Tempo | None:
    """Return the pace's buttons, None if the pace is fixed.

    waits: the table waits for the viewer.
    """
    if not host or game.ended_at or not may_choose(game, table, players):
        return None
    ladder = clock.LADDER
    at = ladder.index(game.pace) if game.pace in ladder else len(ladder)
    return Tempo(
        slower=f"pace:{ladder[at - 1]}" if at else "",
        faster=f"pace:{ladder[at + 1]}" if at + 1 < len(ladder) else "",
        next="" if waits or game.paused_at else "next",
    )


def may_choose(game: Game, table: Table | None, players: Iterable[Player]) -> bool:
    """Whether at most one person plays, and neither a study nor a blind table fixes the pace."""
    people = [p for p in players if p.kind == Player.PERSON and p.left_at is None]
    studied = table is not None and table.research
    free = Disclosure(game).may_change_pace and not clock.even(game.pace) and not studied
    return len(people) <= 1 and free


def check(guest: Guest) -> None:
    """Raise Illegal("pace_fixed") if the guest may not choose the pace."""
    game = guest.game
    table = Table.objects.filter(game=game).first()
    if not game.started_at:
        raise Illegal("not_begun")
    if not may_choose(game, table, game.players.all()):
        raise Illegal("pace_fixed")


def remember(session: MutableMapping[str, Any], do: str) -> None:
    """Store the chosen pace for this browser's next games."""
    setting_name, _colon, pace = do.partition(":")
    if setting_name == KEY:
        session[KEY] = pace


def with_liked_pace(session: MutableMapping[str, Any], choices: dict[str, Any]) -> dict[str, Any]:
    """Return `choices` of a new table with the pace that this browser prefers.

    It applies only if the person will be alone there and has chosen no other pace.
    """
    pace = session.get(KEY)
    blind = to_be_blind(choices.get("settings"))
    fixed = choices.get("guests") or choices.get("research") or blind
    if pace not in clock.LADDER or fixed or choices.get("pace", "natural") != "natural":
        return choices
    return {**choices, "pace": pace}
