"""Check a ruleset: its declarations, random games, pages and prompts."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from game.engine import rulesets

# The tests that run for every ruleset.
TESTS = (
    "tests/engine/test_rules.py",
    "tests/engine/test_wording.py",
    "tests/engine/test_quiz.py",
    "tests/webapp/test_any_ruleset.py",
    "tests/agents/test_every_ruleset.py",
    "tests/test_literals.py",
)


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ruleset", help="its name; FABULA_RULESETS lists external ones")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            name = rulesets.get(options["ruleset"]).name
        except rulesets.UnknownRuleset as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"{name}: the declarations are consistent. Playing random games …")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        run = subprocess.run(
            [*command, "-k", f"{name} or test_literals"],
            cwd=settings.BASE_DIR,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        )
        if run.returncode:
            raise CommandError(f"{name}: see the failures above; docs/rulesets.md has the rules")
        self.stdout.write(f"{name}: no errors")
