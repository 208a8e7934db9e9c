# ruff: noqa: N999
"""What several systems say at one moment of a finished game, side by side (Guarded 5).

Each system sees what the seat saw, and prepares as it would have in the game. LINE is the number of
a statement's line in `manage.py transcript GAME`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from agents import backends
from agents.catalog import BadCatalog
from agents.recipe import Recipe
from agents.switches import BadRecipe
from game.models import Game
from webapp.commands import DatabaseCommand
from webapp.study.games.public_talk import SpokenTurn, talk_of
from webapp.study.rating.comparison_system import cast_for, continue_turn

MOST_RECIPES = 6


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="the game's code, as addresses show it")
        parser.add_argument("line", type=int)
        parser.add_argument(
            "--recipe",
            action="append",
            required=True,
            metavar="BACKEND/METHOD[:SWITCH=VALUE,…]",
            help=f"a system, such as house/guarded; up to {MOST_RECIPES}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        texts = options["recipe"]
        if len(texts) > MOST_RECIPES:
            raise CommandError(f"{len(texts)} systems are too many: at most {MOST_RECIPES}")
        recipes = {text: read_recipe(text) for text in texts}
        game = Game.objects.filter(code=options["game"]).first()
        if game is None:
            raise CommandError(f"there is no game {options['game']!r}")
        if game.ended_at is None:
            raise CommandError("the game is not over")
        turn = _turn(game, options["line"])
        rows = [("the game", turn.text, ", ".join(turn.labels))]
        for text, recipe in recipes.items():
            thought = continue_turn(game, turn.seat, turn.window, cast_for(recipe, game, turn.seat))
            action = thought.answer.action
            rows.append((text, action.text or f"({action.kind})", ", ".join(thought.answer.labels)))
        self.stdout.write(f"{turn.speaker}, {turn.phase}")
        self.stdout.write("| system | words | labels |\n|---|---|---|")
        for row in rows:
            cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in row)
            self.stdout.write(f"| {' | '.join(cells)} |")


def read_recipe(text: str) -> Recipe:
    """Return the recipe of "BACKEND/METHOD:SWITCH=VALUE,…". Raises CommandError."""
    system, _colon, switches = text.partition(":")
    backend, slash, method = system.rpartition("/")
    if not slash:
        raise CommandError(f"{text!r} is no system: write BACKEND/METHOD, such as house/guarded")
    pairs = [pair.partition("=") for pair in switches.split(",") if pair]
    try:
        backends.get(backend)
        return Recipe(backend, method, switches={name: value for name, _, value in pairs})
    except (BadRecipe, BadCatalog, backends.UnknownBackend) as error:
        raise CommandError(str(error.args[0])) from None


def _turn(game: Game, line: int) -> SpokenTurn:
    talk = talk_of(game)
    try:
        return talk.at(line)
    except LookupError:
        known = ", ".join(str(turn.position) for turn in talk.spoken[:12])
        raise CommandError(f"nobody speaks in line {line}; statements are in {known} …") from None
