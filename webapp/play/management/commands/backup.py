"""Copies the database and the secret key into FILE, also while games run. Changes nothing."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp import backups


# not a DatabaseCommand, which would migrate the database before the backup
class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a new file, a zip; readable by you alone")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            backups.write_backup(file)
        except (backups.BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
