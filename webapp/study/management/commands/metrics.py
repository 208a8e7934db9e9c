"""Prints metrics of finished games or of an experiment (docs/metrics.md).

JSON has every metric. Markdown and LaTeX are the papers' tables with the published figures.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.lab.report import MixedRulesets, build_report
from webapp.lab.stored_games import UnknownGame, load_records
from webapp.measures.game_record import GameRecord
from webapp.study.data.studies.game_records import find_baseline, records_by_condition
from webapp.study.design.conditions import readable_names
from webapp.study.design.stages import Design
from webapp.study.judging.concordance import judge_results
from webapp.study.models import Study
from webapp.study.results.experiment_tables import experiment_paper_tables
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.table_files import render_latex, render_markdown
from webapp.study.results.text_distances import text_distances

ALL_GAMES = "all games"  # the only condition if games are given
FORMATS = {"markdown": render_markdown, "latex": render_latex}


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "games",
            nargs="+",
            metavar="GAME",
            help="code of a game; or a file with `simulate` output or a code per line; - reads the"
            " same from standard input; or the code of one experiment",
        )
        parser.add_argument("--format", choices=("json", *FORMATS), default="json")
        parser.add_argument(
            "--baseline", default="", help="condition that the others are compared with"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sources: Sequence[str] = options["games"]
        study = Study.objects.filter(code=sources[0]).first() if len(sources) == 1 else None
        try:
            if study is None:
                self._write_games(sources, options)
            else:
                self._write_experiment(study, options)
        except (UnknownGame, MixedRulesets) as error:
            raise CommandError(str(error)) from error

    def _write_games(self, sources: Sequence[str], options: Mapping[str, Any]) -> None:
        games, unfinished = load_records(_game_codes(sources))
        conditions = {ALL_GAMES: [game for game in games if not game.is_void]}
        baseline = _find_baseline(conditions, options)
        figures = build_report(games)  # refuses games of several rulesets
        if options["format"] != "json":
            self.stdout.write(FORMATS[options["format"]](paper_tables(conditions, baseline)))
            return
        for code, status in unfinished.items():
            figures["left_out"].setdefault(status, []).append(code)
        self.stdout.write(json.dumps(figures, ensure_ascii=False, indent=2))

    def _write_experiment(self, study: Study, options: Mapping[str, Any]) -> None:
        if not study.is_experiment:
            raise CommandError(f"{study.code} has people; its results are on its page")
        conditions = records_by_condition(study)
        baseline = _find_baseline(conditions, options)
        if options["format"] != "json":
            tables, _drawings = experiment_paper_tables(study, conditions, baseline)
            self.stdout.write(FORMATS[options["format"]](tables))
            return
        distances = text_distances(conditions)
        figures = {
            "experiment": study.code,
            "names": readable_names(Design.from_json(study.design)),
            "conditions": {name: build_report(games) for name, games in conditions.items()},
            "text_distance": distances.to_json() if distances else None,
            "judges": [row for c in study.campaigns.all() for row in judge_results(c, ())],
        }
        self.stdout.write(json.dumps(figures, ensure_ascii=False, indent=2))


def _find_baseline(
    conditions: Mapping[str, Sequence[GameRecord]], options: Mapping[str, Any]
) -> str:
    baseline: str = options["baseline"] or find_baseline(conditions)
    if baseline not in conditions:
        names = ", ".join(conditions)
        raise CommandError(f"there is no condition {baseline!r}; known: {names}")
    return baseline


def _game_codes(sources: Iterable[str]) -> Iterator[str]:
    """Yield the codes of games from codes, files of codes, or standard input ("-")."""
    for source in sources:
        if source == "-":
            yield from _read_codes(sys.stdin)
        elif (path := Path(source)).is_file():
            with path.open() as lines:
                yield from _read_codes(lines)
        else:
            yield source


def _read_codes(lines: Iterable[str]) -> Iterator[str]:
    """Yield a code from each line, which is the code or a JSON object with the code as `game`."""
    for line in filter(None, map(str.strip, lines)):
        if not line.startswith("{"):
            yield line
            continue
        try:
            yield json.loads(line)["game"]
        except (ValueError, KeyError) as error:
            raise CommandError(f"no game in this line: {line[:80]}") from error
