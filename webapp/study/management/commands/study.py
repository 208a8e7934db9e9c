"""Exports a study's data as a ZIP, and verifies such a ZIP against the database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand, get_by_code
from webapp.study import analysis
from webapp.study.data import studies
from webapp.study.data.studies import ExportOptions, verification
from webapp.study.models import Study
from webapp.study.researcher import audit


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        subparsers = parser.add_subparsers(dest="do", required=True)
        export = subparsers.add_parser("export", help="write the ZIP of a study")
        export.add_argument("study", metavar="CODE")
        export.add_argument("--out", type=Path, required=True, help="file to write")
        export.add_argument("--messages", action="store_true", help="include the texts of requests")
        export.add_argument("--payments", action="store_true", help="include payments")
        export.add_argument(
            "--public", action="store_true", help="leave out what may not be published"
        )
        export.add_argument("--results", action="store_true", help="include the results as JSON")
        verify = subparsers.add_parser(
            "verify", help="compare a ZIP with its hashes and the database"
        )
        verify.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["do"] == "export":
                self._export(options)
            else:
                self._verify(options["file"])
        except OSError as error:
            raise CommandError(str(error)) from None

    def _export(self, options: dict[str, Any]) -> None:
        study = get_by_code(Study, options["study"])
        names = ("messages", "payments", "results", "public")
        try:
            body = studies.build_zip(study, ExportOptions(**{n: options[n] for n in names}))
        except studies.NotPublishable as error:
            raise CommandError(str(error)) from None
        options["out"].write_bytes(body)
        about = f"{study.code} all.zip"
        audit.record_line(None, "export", about, name="manage.py", study=study.code)
        self.stdout.write(f"{options['out']}: {len(body)} bytes")

    def _verify(self, file: Path) -> None:
        try:
            archive = verification.read_archive(file)
            comparison = verification.compare_archive(archive, analysis.study_results)
        except verification.UnreadableArchive as error:
            raise CommandError(f"{file}: {error}") from None
        for sentence in (*comparison.differences, *comparison.notices):
            self.stdout.write(sentence)
        if comparison.differences:
            raise CommandError(f"{file}: {len(comparison.differences)} differences")
        self.stdout.write(f"{file}: all files match their hashes and the database")
