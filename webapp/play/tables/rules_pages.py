"""The rules of a game as a page shows them, generated from its ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.roles import Setting, casual_settings, effective_settings
from game.engine.ruleset import Ruleset
from webapp.play.page import narrator

DEFAULT_RULESET = "one-night"


def offered_rulesets() -> list[Ruleset]:
    """Return all rulesets: the default one first, then those for fewer players first."""
    installed = map(rulesets.get, rulesets.names())
    return sorted(installed, key=lambda r: (r.name != DEFAULT_RULESET, len(r.deck)))


def all_rules_pages() -> list[dict[str, Any]]:
    """Return the rules of every installed ruleset, as `rules_page` does."""
    return [page for ruleset in offered_rulesets() if (page := rules_page(ruleset.name))]


def game_choices(chosen_name: str) -> list[tuple[str, str, bool]]:
    """List the rulesets to choose from as (name, title, is chosen), [] for a single one."""
    choices = [(r.name, _(r.title), r.name == chosen_name) for r in offered_rulesets()]
    return choices if len(choices) > 1 else []


def rules_page(name: str, table_settings: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Return a ruleset's rules for its page, None if there is no such ruleset.

    Args:
        table_settings: The settings of a table, for its own rules. None: the casual settings.
    """
    if name not in rulesets.names():
        return None
    ruleset = rulesets.get(name)
    facts: list[tuple[str, Any]] = [(_("Players"), len(ruleset.deck))]
    if ruleset.rounds > 1:
        facts.append((_("Rounds of talk"), ruleset.rounds))
    if ruleset.max_words:
        facts.append((_("Words per statement"), ruleset.max_words))
    is_for_table = table_settings is not None
    settings = casual_settings(ruleset.settings) if table_settings is None else table_settings
    return {
        "title": _(ruleset.title),
        "summary": _(ruleset.summary),
        "name": ruleset.name,
        "deck": sorted(ruleset.deck, key=[r.key for r in ruleset.roles].index),
        "seats": [] if is_for_table else list(ruleset.table_names),  # a table draws its own
        "teams": _team_rows(ruleset),
        "steps": [
            {"title": _(section.title), "text": narrator.rule_text(section)}
            for section in ruleset.describe_course(settings)
        ],
        "facts": facts,
        "settings": _setting_rows(ruleset, settings, should_list_all=not is_for_table),
        "is_for_table": is_for_table,
    }


def _team_rows(ruleset: Ruleset) -> list[dict[str, Any]]:
    return [
        {
            "key": team.key,
            "title": _(team.name),
            "wins": _(team.wins),
            "roles": [
                {
                    "key": role.key,
                    "name": _(role.name),
                    "count": list(ruleset.deck).count(role.key),
                    "description": _(role.does),
                }
                for role in ruleset.roles
                if role.team == team.key
            ],
        }
        for team in ruleset.teams
    ]


def _setting_rows(
    ruleset: Ruleset, settings: Mapping[str, Any], *, should_list_all: bool
) -> list[tuple[str, str, str]]:
    """Return (label, help, value) of each setting.

    Args:
        should_list_all: Include settings that do not apply or that only a study needs.
    """
    values = effective_settings(ruleset.settings, settings)
    return [
        (_(s.label), _(s.help), _value_text(s, values[s.key]))
        for s in ruleset.settings
        if should_list_all
        or not (s.is_for_studies or (s.needs and values[s.needs[0]] != s.needs[1]))
    ]


def _value_text(setting: Setting, value: bool | int | str) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return _(dict(setting.choices).get(str(value), str(value))) if value != "" else "–"
