"""Print the log of a game as a viewer may see it, one event a line (JSON Lines)."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from game import selectors
from game.engine import visibility
from game.models import Game
from webapp.commands import DatabaseCommand, get_by_code
from webapp.play.page.narrator import Narrator


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="the game's code, as addresses show it")
        parser.add_argument(
            "--viewer", default="public", help="moderator, public, or a seat (number or name)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        game = get_by_code(Game, options["game"])
        viewer = self._find_viewer(game, options["viewer"])
        view = selectors.view_for(game, viewer)
        narrator = Narrator.of(view) if view.events else None
        # A running game may have grown between the two reads.
        for line, event in zip(selectors.transcript(game, viewer), view.events, strict=False):
            sentence = narrator.event_text(event) if narrator else ""
            self.stdout.write(json.dumps({**line, "told": sentence}, ensure_ascii=False))

    def _find_viewer(self, game: Game, name: str) -> visibility.Viewer:
        if name in ("moderator", "public"):
            return visibility.Viewer(name)
        for player in game.players.all():
            if name.casefold() in (str(player.seat), player.name.casefold()):
                return visibility.seat(player.seat)
        seats = ", ".join(f"{p.seat} or {p.name}" for p in game.players.all())
        raise CommandError(f"no viewer {name!r}; known: moderator, public, {seats}")
