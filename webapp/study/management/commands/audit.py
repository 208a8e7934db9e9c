"""Prints the audit log: sign-ins, sign-outs, downloads and changes of access, oldest first."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.utils import timezone

from webapp.commands import DatabaseCommand
from webapp.study.models import AuditLine


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=30, help="number of days (default: 30)")

    def handle(self, *args: Any, **options: Any) -> None:
        since = timezone.now() - timedelta(days=options["days"])
        for line in AuditLine.objects.filter(at__gte=since).order_by("pk").iterator():
            self.stdout.write(str(line))
