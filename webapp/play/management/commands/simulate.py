"""Agent-only games to their end, without web server or broker: one JSON object a game."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from agents import backends
from agents.recipe import Recipe, UnknownContext, UnknownMethod
from game.engine import rulesets
from game.engine.ruleset import Ruleset
from webapp.commands import DatabaseCommand
from webapp.play.simulation import simulate

UNKNOWN = (rulesets.UnknownRuleset, backends.UnknownBackend, UnknownMethod, UnknownContext)


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ruleset", required=True)
        parser.add_argument("--games", type=int, required=True)
        parser.add_argument("--seed", required=True)
        parser.add_argument("--backend", default="house")
        parser.add_argument("--method", default="baseline")
        parser.add_argument(
            "--context",
            default="paper",
            help="how much of the talk a model's request holds: paper or whole",
        )
        parser.add_argument(
            "--plain-speech",
            action="store_true",
            help="the built-in players speak without flourishes",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a setting of the ruleset; may be given several times",
        )
        parser.add_argument("--concurrency", type=int, default=8, help="games at once")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["games"] < 1 or options["concurrency"] < 1:
            raise CommandError("--games and --concurrency take numbers from 1 up")
        try:
            ruleset = rulesets.get(options["ruleset"])
            backends.get(options["backend"])
            recipe = Recipe(
                options["backend"],
                options["method"],
                context=options["context"],
                plain=options["plain_speech"],
            )
        except UNKNOWN as error:
            raise CommandError(str(error)) from error
        failures = 0
        results = simulate(
            options["ruleset"],
            games=options["games"],
            seed=options["seed"],
            recipe=recipe,
            concurrency=options["concurrency"],
            settings=dict(_setting(ruleset, text) for text in options["set"]),
        )
        for number, result in enumerate(results, 1):
            if isinstance(result, Exception):
                failures += 1
                self.stderr.write(f"game {number} failed: {result!r}")
                continue
            self.stdout.write(json.dumps(result, ensure_ascii=False))
            self.stdout.flush()
            self.stderr.write(f"{number} of {options['games']} games", ending="\r")
        self.stderr.write("")
        if failures:
            raise CommandError(f"{failures} of {options['games']} games failed")


def _setting(ruleset: Ruleset, text: str) -> tuple[str, bool | int | str]:
    """A setting of the form name=value. Raises CommandError for what the ruleset does not know."""
    name, _sep, value = text.partition("=")
    known = {setting.key: setting for setting in ruleset.settings}
    if name not in known:
        names = ", ".join(sorted(known)) or "none"
        raise CommandError(f"{ruleset.name} has no setting {name!r}; known: {names}")
    default = known[name].default
    read: bool | int | str = value
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise CommandError(f"--set {name} takes true or false, not {value!r}")
        read = value == "true"
    elif isinstance(default, int):
        try:
            read = int(value)
        except ValueError:
            raise CommandError(f"--set {name} takes a whole number, not {value!r}") from None
    if fault := known[name].fault(read):
        raise CommandError(f"--set: {fault}")
    return name, read
