"""Play games of agents alone, without web server or broker. Print a JSON line for each game."""

from __future__ import annotations

import gc
import json
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import Any

from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.play.simulation import batches
from webapp.play.simulation.batch_options import (
    MODEL_GAMES_AT_ONCE,
    BadOptionError,
    parse_options,
    plan_batch,
)
from webapp.play.simulation.game_pool import run_batch
from webapp.play.simulation.game_summary import GameResult

GC_THRESHOLD = 20_000  # new objects before a garbage collection: some megabytes


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        _add_game_options(parser)
        _add_seat_options(parser)
        _add_run_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        batch_options = parse_options(options)
        try:
            planner, games = plan_batch(batch_options)
        except BadOptionError as error:
            raise CommandError(str(error)) from error
        # By default every few queries would trigger a collection of all loaded objects.
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 20)
        if batch_options.processes > 1:
            results = batches.run_in_processes(batch_options, games)
        else:
            results = run_batch(
                planner,
                batches.game_numbers(batch_options.part, games),
                batch_options.games_at_once,
                has_models=batch_options.has_models,
                should_resume=batch_options.go_on,
                should_replay=batch_options.setting is not None,
            )
        with batches.stoppable(), closing(results):
            if batch_options.part:
                self._write_for_parent(results)
            else:
                self._write_results(results, games)

    def _write_results(self, results: Iterable[GameResult], games: int) -> None:
        """Write the results as they arrive, and to stderr the progress and the failures."""
        done_games, failures = 0, 0
        try:
            for number, result in enumerate(results, 1):
                done_games = number
                if isinstance(result, Exception):
                    failures += 1
                    self.stderr.write(f"game {number} failed: {result!r}")
                else:
                    self.stdout.write(json.dumps(result, ensure_ascii=False))
                    self.stdout.flush()
                self.stderr.write(f"{number} of {games} games", ending="\r")
        except KeyboardInterrupt:
            text = (
                f"stopped after {done_games} of {games} games. To continue, repeat the command "
                "with --go-on: no game begins again, and no answered request is sent again."
            )
            raise CommandError(text, returncode=130) from None
        self.stderr.write("")
        if failures:
            raise CommandError(f"{failures} of {games} games failed")

    def _write_for_parent(self, results: Iterable[GameResult]) -> None:
        """Write the results for the process that started this one, failures too."""
        with suppress(KeyboardInterrupt):
            for result in results:
                self.stdout.write(json.dumps(batches.to_json(result), ensure_ascii=False))
                self.stdout.flush()


def _add_game_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--ruleset", required=True, help="the ruleset's name, such as one-night")
    add("--games", type=int, help="how many (with --setting: as many as the paper)")
    add("--seed", required=True, help="a text; batches with the same seed have the same deals")
    add("--backend", default="house", help="who plays: house (the default) or a model's name")
    add("--method", default="baseline", help="the agents' method (baseline): see manage.py recipes")
    add("--setting", help="a paper's setting: it sets the rules, the seats and how many games")
    add("--baseline", help="with --setting, the backend of the seats that are not tested (house)")
    add("--context", help="how much of the talk a model's request holds: paper, whole or evidence")
    _add_repeatable(parser, "--switch", "NAME=VALUE", "a method's switch: see manage.py recipes")


def _add_seat_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    cast_help = "the backend, method or persona of a seat or role, such as werewolf:method=guarded"
    _add_repeatable(parser, "--cast", "WHO:NAME=VALUE", cast_help)
    add("--plain-speech", action="store_true", help="the built-in players use plain speech")
    _add_repeatable(parser, "--set", "NAME=VALUE", "a setting of the ruleset")
    add("--settings-file", metavar="FILE", help="such as a contest server's (YAML)")
    _add_repeatable(parser, "--style", "FILE", "a style (TOML), for a seat drawn at random")


def _add_repeatable(parser: ArgumentParser, name: str, metavar: str, text: str) -> None:
    help_text = f"{text}; may be given several times"
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=help_text)


def _add_run_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--concurrency",
        type=int,
        help=f"games at once ({MODEL_GAMES_AT_ONCE} with a model, else one for each process)",
    )
    add("--processes", type=int, default=1, help="how many processes share the games (1)")
    add("--go-on", action="store_true", help="continue a stopped batch: repeat its options too")
    # The part of a child process, such as "0/2" (`batches.game_numbers`).
    add("--part", default="", help=SUPPRESS)
