"""Games of agents alone, played to their end in this process."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any

from agents import backends
from agents.recipe import Recipe
from game.engine import rulesets
from webapp.play.simulation.game_plans import plan_games
from webapp.play.simulation.game_pool import run_batch


def simulate(
    ruleset: str,
    *,
    games: int,
    seed: str,
    recipe: Recipe,
    concurrency: int,
    settings: Mapping[str, Any] | None = None,
    numbers: Iterable[int] | None = None,
    should_resume: bool = False,
) -> Generator[dict[str, Any] | Exception]:
    """Play `games` games, or those with the given `numbers`. Game i has the seed "`seed`/i"."""
    planner = plan_games(rulesets.get(ruleset), seed, recipe, settings or {})
    chosen = range(games) if numbers is None else numbers
    yield from run_batch(
        planner,
        chosen,
        concurrency,
        has_models=recipe.backend != backends.HOUSE,
        should_resume=should_resume,
    )
