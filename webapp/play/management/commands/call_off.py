"""End a game without a result, and record the reason."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from game import game_actions
from game.engine.forms import Illegal
from game.models import Game
from webapp.commands import DatabaseCommand, get_by_code
from webapp.play import refusals
from webapp.play.models import AuditEntry


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="the game's code, as addresses show it")
        parser.add_argument("--reason", required=True, help="stored with the game")

    def handle(self, *args: Any, **options: Any) -> None:
        game = get_by_code(Game, options["game"])
        reason = options["reason"].strip()
        if not reason:
            raise CommandError("give a reason: --reason TEXT")
        try:
            with transaction.atomic():
                game_actions.call_off(game.pk)
                AuditEntry.objects.create(game=game, what="call_off", reason=reason)
        except Illegal as illegal:
            raise CommandError(refusals.refusal_text(illegal)) from illegal
        self.stdout.write(f"called off: {game.code}")
