"""Tests of the command `models`, which tries what each configured model can do."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.endpoint import Endpoint
from webapp.play.management.commands.models import TABLE_HEAD
from webapp.play.models import BackendFacts

pytestmark = pytest.mark.django_db(transaction=True)


def run_models_command(*names: str) -> str:
    out = StringIO()
    call_command("models", *names, stdout=out)
    return out.getvalue()


def read_rows(table: str) -> dict[str, dict[str, str]]:
    """Return the rows of the command's table by request, each with its cells by column."""
    cells = [line.split(maxsplit=len(TABLE_HEAD) - 1) for line in table.splitlines()]
    return {
        row[0]: dict(zip(TABLE_HEAD, row, strict=True))
        for row in cells
        if len(row) == len(TABLE_HEAD)
    }


def test_models_command_lists_the_abilities_of_each_model(endpoint: Endpoint) -> None:
    endpoint.rules.structured = False
    endpoint.rules.refuses = ("temperature",)
    table = run_models_command()
    assert "house: built in" in table
    rows = read_rows(table)
    for kind in ("statement", "favor", "judgement", "strategy", "vote"):
        assert rows[kind]["format"] == "json_object"
        assert int(rows[kind]["tokens in"]) > 100
        assert float(rows[kind]["out/s"]) > 0
        assert rows[kind]["result"] == "usable"
    assert "refused: temperature" in table
    endpoint.rules.key = "right"
    assert "key: 401" in run_models_command("openai")
    with pytest.raises(CommandError, match="unknown: nobody; known: house, openai"):
        run_models_command("nobody")


def test_repaired_server_is_asked_in_its_best_format_again(endpoint: Endpoint) -> None:
    endpoint.rules.structured = False
    run_models_command("openai")
    endpoint.rules.structured = True
    assert "json_schema" in run_models_command("openai")
    assert set(BackendFacts.objects.get().facts["formats"].values()) == {"json_schema"}


def test_models_command_explains_how_to_configure_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "FABULA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    table = run_models_command()
    assert "house: built in" in table
    assert "export OPENAI_BASE_URL" in table
