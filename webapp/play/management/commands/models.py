"""Test what the configured models can do, with requests of a game.

It also detects the capabilities of their servers again.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from agents import backends, model_catalog
from agents.model_catalog import ModelSettings
from webapp.commands import DatabaseCommand

if TYPE_CHECKING:
    from agents.backends.trial import TrialResult
    from agents.llm.capabilities import Capabilities

TABLE_HEAD = ("request", "format", "seconds", "tokens in", "out", "out/s", "result")
MAX_RESULT_CHARS = 160
NO_MODEL_TEXT = """No model is set up. The shortest way:
  export OPENAI_API_KEY=…             # any text if the server needs no key
  export OPENAI_BASE_URL=http://…/v1  # another server than OpenAI's
  export OPENAI_MODEL=…
or several in a file that FABULA_MODELS names: docs/models.md."""


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="name", help="a model (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            settings_by_name = model_catalog.chat_models()
        except model_catalog.InvalidCatalog as error:
            raise CommandError(str(error)) from error
        chosen = options["names"] or list(settings_by_name)
        if unknown := set(chosen) - {*settings_by_name, backends.HOUSE}:
            names = ", ".join((backends.HOUSE, *settings_by_name))
            raise CommandError(f"unknown: {', '.join(sorted(unknown))}; known: {names}")
        if backends.HOUSE in chosen or not options["names"]:
            self.stdout.write(f"{backends.HOUSE}: built in; needs no server and no key")
        if not settings_by_name:
            self.stdout.write(NO_MODEL_TEXT)
        for name in chosen:
            if name in settings_by_name:
                self._try_requests(settings_by_name[name])

    def _try_requests(self, settings: ModelSettings) -> None:
        from agents.backends import trial  # it loads the agents, which takes seconds

        self.stdout.write(f"\n{settings.name}: {settings.model} at {settings.url or 'OpenAI'}")
        rows: list[Sequence[str]] = [TABLE_HEAD]
        for trial_result in trial.try_requests(settings):
            rows.append(_table_row(trial_result))
            if trial_result.cause in ("key", "model", "unreachable"):
                break  # every other request would fail in the same way
        for line in _aligned_lines(rows):
            self.stdout.write(line)
        self.stdout.write(_capability_text(trial.known_capabilities(settings)))


def _table_row(trial_result: "TrialResult") -> Sequence[str]:
    """Return the cells of a request, in the order of TABLE_HEAD."""
    usage = trial_result.exchange.get("usage") or {}
    return (
        trial_result.kind,
        str(trial_result.exchange.get("format") or "-"),
        f"{trial_result.seconds:.1f}",
        str(usage.get("prompt_tokens") or "-"),
        str(usage.get("completion_tokens") or "-"),
        f"{trial_result.tokens_per_second:.1f}" if trial_result.tokens_per_second else "-",
        _result_text(trial_result),
    )


def _result_text(trial_result: "TrialResult") -> str:
    """Return "usable" with the first unusable part, or the cause of the error and its sentence."""
    if trial_result.cause:
        text = f"{trial_result.cause}: {trial_result.detail}"
        return text[:MAX_RESULT_CHARS].replace("\n", " ")
    unread = trial_result.exchange.get("unread") or []
    text = f"usable but for {len(unread)}: {unread[0]}" if unread else "usable"
    return text[:MAX_RESULT_CHARS]


def _capability_text(capabilities: "Capabilities") -> str:
    """Return what a server refuses or limits, in one line."""
    refused = [*capabilities.dropped]
    if capabilities.limit != "max_tokens":  # the server needs another name for it, or none
        refused.append("max_tokens")
    parts = [f"refused: {', '.join(refused) or 'no parameter'}"]
    if capabilities.roles != "all":
        parts.append("the system prompt is sent in the user message")
    if capabilities.context:
        parts.append(f"context: {capabilities.context} tokens")
    return "; ".join(parts)


def _aligned_lines(rows: list[Sequence[str]]) -> list[str]:
    """Align the rows in columns as wide as their widest cell. The last column has no padding."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(TABLE_HEAD) - 1)]
    return [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
