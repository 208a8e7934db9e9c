"""Replace the database and the secret key by those of a backup. Fabula must not run."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from webapp import backups
from webapp.runtime import StartupError
from webapp.runtime.launch_settings import LaunchSettings


class Command(BaseCommand):  # not a DatabaseCommand: the backup contains the database
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace an existing database; a copy of it is kept in the data folder",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with LaunchSettings.from_environment(os.environ).lock():
                backups.restore(options["file"], replace=options["replace"])
                call_command("migrate", interactive=False, verbosity=0)
        except (backups.BackupError, StartupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stderr.write("Restored. People keep their seats if the site has the same address.")
        self.stderr.write(
            "Text and names that were removed since the backup are back. Tables that refused "
            "research since then allow it again: see docs/security.md."
        )
