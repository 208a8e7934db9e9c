"""Erase a person's statements and chosen name from a finished game.

For people who asked for it but can no longer open the table, where they could do it themselves.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.commands import DatabaseCommand, get_by_code
from webapp.play import refusals
from webapp.play.models import AuditEntry
from webapp.play.turns import withdrawals


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="the game's code, as addresses show it")
        parser.add_argument("seat", type=int, help="the number of the person's seat, from 1")

    def handle(self, *args: Any, **options: Any) -> None:
        game = get_by_code(Game, options["game"])
        player = game.players.filter(seat=options["seat"], kind=Player.PERSON).first()
        if player is None:
            raise CommandError(f"no person sat in seat {options['seat']}")
        try:
            with transaction.atomic():
                withdrawals.request_erasure(player)
                AuditEntry.objects.create(game=game, what="erase", seat=player.seat)
        except Illegal as illegal:
            raise CommandError(refusals.refusal_text(illegal)) from illegal
        withdrawals.complete_withdrawals(game.pk)
        self.stdout.write(f"erased: seat {player.seat} of {game.code}")
