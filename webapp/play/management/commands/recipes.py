"""List the methods of agents and their switches, with their sources."""

from argparse import ArgumentParser
from textwrap import fill
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.recipe import FACULTIES, METHODS, Method


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("method", nargs="?", help="list only this method")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["method"]
        if name is not None and name not in METHODS:
            raise CommandError(f"unknown method {name!r}; known: {', '.join(METHODS)}")
        for key, method in METHODS.items():
            if name in (None, key):
                self._describe(key, method)

    def _describe(self, key: str, method: Method) -> None:
        self.stdout.write(f"{key}  ({method.source})")
        self.stdout.write(f"  faculties: {', '.join(method.faculties)}; context: {method.context}")
        for faculty in (FACULTIES[name] for name in method.faculties):
            for switch in faculty.switches:
                default_value, *other_values = switch.values
                self.stdout.write(
                    f"  --switch {switch.name}={'|'.join([f'[{default_value}]', *other_values])}"
                )
                text = f"{switch.help} ({switch.source}; of {faculty.name})"
                self.stdout.write(fill(text, 96, initial_indent=" " * 6, subsequent_indent=" " * 6))
