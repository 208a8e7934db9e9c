"""Puts what `backup` has copied into FILE in the place of the database. Fabula must not run."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from webapp import backups
from webapp.runtime.launch_settings import LaunchSettings
from webapp.runtime.startup_error import StartupError


class Command(BaseCommand):  # not a DatabaseCommand: the backup contains the database
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--replace",
            action="store_true",
            help="where there is a database already; a copy of it is kept in the data folder",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with LaunchSettings.from_environment(os.environ).lock():
                backups.restore(options["file"], replace=options["replace"])
                call_command("migrate", interactive=False, verbosity=0)
        except (backups.BackupError, StartupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stderr.write("Restored. People keep their seats where they come by the same address.")
        self.stderr.write(
            "Words and names that were taken out since the copy was made are back, and tables that"
            " ended their use in research since may be used again: docs/security.md."
        )
