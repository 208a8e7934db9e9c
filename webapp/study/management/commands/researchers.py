"""Lists the researchers. --deactivate NAME and --activate NAME change who can sign in."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study.researcher.researcher_list import set_researcher_active


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        change = parser.add_mutually_exclusive_group()
        change.add_argument(
            "--deactivate", metavar="NAME", help="sign out and deactivate an account"
        )
        change.add_argument("--activate", metavar="NAME", help="allow an account to sign in again")

    def handle(self, *args: Any, **options: Any) -> None:
        if name := options["deactivate"] or options["activate"]:
            user = User.objects.filter(username=name).first()
            if user is None:
                raise CommandError(f"there is no researcher {name!r}")
            set_researcher_active(user, active=bool(options["activate"]))
        for user in User.objects.order_by("pk"):
            last_login = f"{user.last_login:%Y-%m-%d %H:%M}" if user.last_login else "never"
            state = "active" if user.is_active else "deactivated"
            self.stdout.write(f"{user.username}\t{state}\tlast signed in {last_login}")
