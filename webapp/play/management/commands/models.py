"""What the models that are set up can do: each is asked what a game asks, with the real schemas.

Without names, all of them. What was found out about a server before is found out anew.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from agents import backends, catalog
from agents.catalog import ModelSettings
from webapp.commands import DatabaseCommand

if TYPE_CHECKING:
    from agents.backends.trial import TrialResult
    from agents.llm.capabilities import Capabilities

HEAD = ("request", "format", "seconds", "tokens in", "out", "out/s", "result")
NONE = """No model is set up. The shortest way:
  export OPENAI_API_KEY=…             # any text where the server wants none
  export OPENAI_BASE_URL=http://…/v1  # another server than OpenAI's
  export OPENAI_MODEL=…
or several in a file that FABULA_MODELS names: docs/models.md."""


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="name", help="a backend")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            known = catalog.settings()
        except catalog.BadCatalog as error:
            raise CommandError(str(error)) from error
        wanted = options["names"] or list(known)
        if unknown := set(wanted) - {*known, backends.HOUSE}:
            names = ", ".join((backends.HOUSE, *known))
            raise CommandError(f"unknown: {', '.join(sorted(unknown))}; known: {names}")
        if backends.HOUSE in wanted or not options["names"]:
            self.stdout.write(f"{backends.HOUSE}: built in; needs no server and no key")
        if not known:
            self.stdout.write(NONE)
        for name in wanted:
            if name in known:
                self._try(known[name])

    def _try(self, settings: ModelSettings) -> None:
        from agents.backends import trial

        where = settings.url or "OpenAI"
        self.stdout.write(f"\n{settings.name}: {settings.model} at {where}")
        rows: list[Sequence[str]] = [HEAD]
        for found in trial.try_requests(settings):
            usage = found.exchange.get("usage") or {}
            rows.append(
                (
                    found.kind,
                    str(found.exchange.get("format") or "-"),
                    f"{found.seconds:.1f}",
                    str(usage.get("prompt_tokens") or "-"),
                    str(usage.get("completion_tokens") or "-"),
                    f"{found.speed:.1f}" if found.speed else "-",
                    _result(found),
                )
            )
            if found.cause in ("key", "model", "unreachable"):
                break  # it is the same for every request
        for line in _table(rows):
            self.stdout.write(line)
        self.stdout.write(_facts(trial.facts_of(settings)))


def _result(found: TrialResult) -> str:
    """ "usable", with what was not; or the cause and what it is about."""
    if found.cause:
        return f"{found.cause}: {found.detail}"[:160].replace("\n", " ")
    unread = found.exchange.get("unread") or []
    return f"usable but for {len(unread)}: {unread[0]}"[:160] if unread else "usable"


def _facts(facts: Capabilities) -> str:
    """What the server refused, and what it said of its context."""
    refused = [*facts.dropped]
    refused += [] if facts.limit == "max_tokens" else ["max_tokens"]
    told = [f"refused: {', '.join(refused) or 'no parameter'}"]
    if facts.roles != "all":
        told.append("the system's part stands in the user's message")
    if facts.context:
        told.append(f"context: {facts.context} tokens")
    return "; ".join(told)


def _table(rows: list[Sequence[str]]) -> list[str]:
    """The rows in columns as wide as their widest cell, the last as it is."""
    wide = [max(len(row[i]) for row in rows) for i in range(len(HEAD) - 1)]
    return [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, wide, strict=False)), row[-1]])
        for row in rows
    ]
