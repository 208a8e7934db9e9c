# ruff: noqa: N999
"""Prints what several systems say at one moment of a finished game, as a table (Guarded 5).

Each system sees what the player saw, and prepares as it would have in the game. LINE is the number
of a statement's line in `manage.py transcript GAME`.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from game.models import Game
from webapp.commands import DatabaseCommand, get_by_code
from webapp.study.games.public_talk import SpokenTurn, talk_of
from webapp.study.rating.comparison_system import cast_recipe, continue_turn
from webapp.study.rating.continuations import MAX_SYSTEMS, BadSystem, parse_systems


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="code of the game, as in its address")
        parser.add_argument("line", type=int)
        parser.add_argument(
            "--recipe",
            action="append",
            required=True,
            metavar="MODEL/METHOD[:SWITCH=VALUE,…]",
            help=f"a system, such as house/guarded; up to {MAX_SYSTEMS}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            recipes = parse_systems(options["recipe"])
        except BadSystem as error:
            raise CommandError(str(error)) from None
        game = get_by_code(Game, options["game"])
        if game.ended_at is None:
            raise CommandError("the game is not over")
        turn = _find_turn(game, options["line"])
        rows = [("the game", turn.text, ", ".join(turn.labels))]
        for name, recipe in recipes.items():
            seat_recipe = cast_recipe(recipe, game, turn.seat)
            answer = continue_turn(game, turn.seat, turn.window, seat_recipe).answer
            text = answer.action.text or f"({answer.action.kind})"
            rows.append((name, text, ", ".join(answer.labels)))
        self.stdout.write(f"{turn.speaker}, {turn.phase}")
        self.stdout.write("| system | text | labels |\n|---|---|---|")
        for row in rows:
            cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in row)
            self.stdout.write(f"| {' | '.join(cells)} |")


def _find_turn(game: Game, line: int) -> SpokenTurn:
    """Return the statement with that line number. Otherwise raise CommandError with examples."""
    talk = talk_of(game)
    try:
        return talk.turn_at(line)
    except LookupError:
        positions = ", ".join(str(turn.position) for turn in talk.spoken[:12])
        raise CommandError(f"line {line} is no statement; choose one of {positions} …") from None
