"""Agent-only games to their end, without web server or broker: one JSON object a game."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents import backends
from agents.recipe import Recipe, UnknownMethod
from game.engine import rulesets
from webapp.play.simulation import simulate


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ruleset", required=True)
        parser.add_argument("--games", type=int, required=True)
        parser.add_argument("--seed", required=True)
        parser.add_argument("--backend", default="house")
        parser.add_argument("--method", default="baseline")
        parser.add_argument("--concurrency", type=int, default=8, help="games at once")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["games"] < 1 or options["concurrency"] < 1:
            raise CommandError("--games and --concurrency take numbers from 1 up")
        try:
            rulesets.get(options["ruleset"])
            backends.get(options["backend"])
            recipe = Recipe(options["backend"], options["method"])
        except (rulesets.UnknownRuleset, backends.UnknownBackend, UnknownMethod) as error:
            raise CommandError(str(error)) from error
        failures = 0
        results = simulate(
            options["ruleset"],
            games=options["games"],
            seed=options["seed"],
            recipe=recipe,
            concurrency=options["concurrency"],
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
