"""The list of a visitor's games on the home page."""

from __future__ import annotations

import uuid
from typing import Any

from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.engine.visibility import View
from game.models import Game
from webapp.play.models import Membership
from webapp.play.page.narrator import Narrator, role_name

MAX_GAMES = 30


def visitor_games(visitor: uuid.UUID | None) -> list[dict[str, Any]]:
    """List the visitor's newest games, the running ones first."""
    if visitor is None:
        return []
    memberships = Membership.objects.filter(visitor=visitor).select_related("game", "player")
    memberships = memberships.order_by("-created_at")
    running = memberships.filter(game__ended_at=None)[:MAX_GAMES]
    ended = memberships.exclude(game__ended_at=None)[:MAX_GAMES]
    return [_game_row(row) for row in [*running, *ended][:MAX_GAMES]]


def _game_row(membership: Membership) -> dict[str, Any]:
    game, player = membership.game, membership.player
    viewer = visibility.seat(player.seat) if player else visibility.PUBLIC
    view = selectors.view_for(game, viewer)
    ruleset = rulesets.get(game.ruleset)
    return {
        "id": game.code,
        "title": _(ruleset.title),
        "when": game.ended_at or game.created_at,
        "phase": Narrator(ruleset, view.state.seats).present_title(view.state),
        "over": game.ended_at is not None,
        "role": role_name(ruleset.name, view.role),
        "seat_name": player.name if player else "",
        "result": _result_text(game, view),
    }


def _result_text(game: Game, view: View) -> str:
    """Return "won" or "lost" for a player, else a sentence, "" for a running game."""
    if game.called_off:
        return _("Called off")
    over = next((e for e in view.events if e.kind == "game_over"), None)
    if over is None:
        return ""
    if view.seat and over["winner"]:
        return "won" if view.seat in over["winners"] else "lost"
    return Narrator.of(view).headline(over["winner"])
