"""Metrics of finished games, as one JSON object (docs/metrics.md)."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.lab.report import MixedRulesets, report
from webapp.lab.stored_games import UnknownGame, find_games


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "games",
            nargs="+",
            metavar="GAME",
            help="a game's code; or a file of `simulate`'s output, or of a code a line; - reads the"
            " same from standard input",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            stored = find_games(_codes(options["games"]))
            figures = report(stored.records)
        except (UnknownGame, MixedRulesets) as error:
            raise CommandError(str(error)) from error
        for code, status in stored.unfinished.items():
            figures["left_out"].setdefault(status, []).append(code)
        self.stdout.write(json.dumps(figures, ensure_ascii=False, indent=2))


def _codes(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if word == "-":
            yield from _read(sys.stdin)
        elif (path := Path(word)).is_file():
            with path.open() as lines:
                yield from _read(lines)
        else:
            yield word


def _read(lines: Iterable[str]) -> Iterator[str]:
    """Yield the codes in lines of codes, or of JSON objects that have one as `game`."""
    for line in filter(None, map(str.strip, lines)):
        if not line.startswith("{"):
            yield line
            continue
        try:
            yield json.loads(line)["game"]
        except (ValueError, KeyError) as error:
            raise CommandError(f"no game in this line: {line[:80]}") from error
