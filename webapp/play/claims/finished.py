"""Reads the claims in the talk of a finished game, for the metrics. For workers.

The worker that ends a game has understood nearly all its statements, so reading the claims then
costs almost nothing. A game that ended otherwise is read when its claims are first needed.
"""

from __future__ import annotations

from dataclasses import asdict

from agents.claims.claims_summary import read_steps
from agents.packs import pack_of
from agents.talk.claim_steps import ClaimStep
from agents.talk.dialogue import Dialogue
from game import selectors
from game.engine import rulesets
from game.engine.visibility import PUBLIC
from game.models import Game
from webapp.play.models import FinalClaims


def steps_of(game: Game) -> list[ClaimStep]:
    """Return all players' steps of claims in a finished game, without repeats."""
    row = FinalClaims.objects.filter(game=game, reworded=game.reworded).first()
    if row is None:
        return read_claims(game)
    return [ClaimStep(**{**step, "targets": tuple(step["targets"])}) for step in row.steps]


def read_claims(game: Game) -> list[ClaimStep]:
    """Read, store and return the claims of a finished game.

    A concurrent removal of text raises `Game.reworded`, which makes the stored row invalid.
    """
    game, position = selectors.current_game(game.pk)
    view = position.view(PUBLIC, is_revealed=True)
    steps = read_steps(Dialogue.of(view, pack_of(rulesets.get(game.ruleset))))
    rows = [{k: v for k, v in asdict(step).items() if k != "true"} for step in steps]
    FinalClaims.objects.update_or_create(
        game=game, defaults={"reworded": game.reworded, "steps": rows}
    )
    return steps
