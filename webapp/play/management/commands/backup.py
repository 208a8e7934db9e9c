"""Copy the database and the secret key into FILE. Games can continue meanwhile."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp import backups


class Command(BaseCommand):  # a DatabaseCommand would migrate the database before the backup
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a new file (zip), which only you can read")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            backups.write_backup(file)
        except (backups.BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
