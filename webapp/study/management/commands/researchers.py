"""Lists researchers; --deactivate NAME or --activate NAME changes who may sign in."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.study.researcher.accounts import set_researcher_active


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--deactivate", metavar="NAME", help="sign out and deactivate an account"
        )
        which.add_argument("--activate", metavar="NAME", help="allow an account to sign in again")

    def handle(self, *args: Any, **options: Any) -> None:
        if name := options["deactivate"] or options["activate"]:
            person = User.objects.filter(username=name).first()
            if person is None:
                raise CommandError(f"there is no researcher {name!r}")
            set_researcher_active(person, bool(options["activate"]))
        for person in User.objects.order_by("pk"):
            signed_in_text = f"{person.last_login:%Y-%m-%d %H:%M}" if person.last_login else "never"
            state = "active" if person.is_active else "deactivated"
            self.stdout.write(f"{person.username}\t{state}\tlast signed in {signed_in_text}")
