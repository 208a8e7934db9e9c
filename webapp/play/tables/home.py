"""Data of the home page and of the rules page, which is generated from the ruleset."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.engine.roles import Setting, casual_settings, effective_settings
from game.engine.ruleset import Ruleset
from game.engine.visibility import View
from game.models import Game
from webapp.play.models import Membership
from webapp.play.page import narrator
from webapp.play.page.narrator import Narrator

DEFAULT_RULESET = "one-night"


def offered_rulesets() -> list[Ruleset]:
    """Return all rulesets: the one of "Play now" first, then those for fewer players."""
    installed = map(rulesets.get, rulesets.names())
    return sorted(installed, key=lambda r: (r.name != DEFAULT_RULESET, len(r.deck)))


def all_rules_pages() -> list[dict[str, Any]]:
    """Return the rules of every installed ruleset, as `rules_page` does."""
    return [page for ruleset in offered_rulesets() if (page := rules_page(ruleset.name))]


def game_choices(chosen: str) -> list[tuple[str, str, bool]]:
    """List the rulesets to choose from as (name, title, is chosen), [] for a single one."""
    choices = [(r.name, _(r.title), r.name == chosen) for r in offered_rulesets()]
    return choices if len(choices) > 1 else []


def visitor_games(visitor: uuid.UUID | None, most: int = 30) -> list[dict[str, Any]]:
    """List the visitor's newest games, at most `most`: the running ones first."""
    if visitor is None:
        return []
    memberships = Membership.objects.filter(visitor=visitor).select_related("game", "player")
    memberships = memberships.order_by("-created_at")
    running = list(memberships.filter(game__ended_at=None)[:most])
    over = list(memberships.exclude(game__ended_at=None)[:most])
    return [_game_row(s) for s in (*running, *over)][:most]


def _game_row(membership: Membership) -> dict[str, Any]:
    game, player = membership.game, membership.player
    viewer = visibility.seat(player.seat) if player else visibility.PUBLIC
    view = selectors.view_for(game, viewer)
    ruleset = rulesets.get(game.ruleset)
    state = view.state
    return {
        "id": game.code,
        "title": _(ruleset.title),
        "when": game.ended_at or game.created_at,
        "phase": Narrator(ruleset, state.seats).present_title(state),
        "over": game.ended_at is not None,
        "role": narrator.role_name(ruleset.name, view.role),
        "seat_name": player.name if player else "",
        "result": _result_text(game, view),
    }


def _result_text(game: Game, view: View) -> str:
    if game.called_off:
        return _("Called off")
    over = next((e for e in view.events if e.kind == "game_over"), None)
    if over is None:
        return ""
    if view.seat and over["winner"]:
        return "won" if view.seat in over["winners"] else "lost"
    return Narrator.of(view).headline(over["winner"])


def rules_page(name: str, chosen: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Return a ruleset's rules for its page, None if the ruleset does not exist.

    Args:
        chosen: The settings of a table, for the rules of that table. None: the usual ones.
    """
    if name not in rulesets.names():
        return None
    ruleset = rulesets.get(name)
    facts: list[tuple[str, Any]] = [(_("Players"), len(ruleset.deck))]
    if ruleset.rounds > 1:
        facts.append((_("Rounds of talk"), ruleset.rounds))
    if ruleset.max_words:
        facts.append((_("Words per statement"), ruleset.max_words))
    chosen_or_usual = casual_settings(ruleset.settings) if chosen is None else chosen
    steps = ruleset.describe_course(chosen_or_usual)
    return {
        "title": _(ruleset.title),
        "summary": _(ruleset.summary),
        "name": ruleset.name,
        "deck": sorted(ruleset.deck, key=[r.key for r in ruleset.roles].index),
        "seats": list(ruleset.table_names) if chosen is None else [],  # a table draws its own
        "teams": _team_rows(ruleset),
        "steps": [{"title": _(t), "text": narrator.rule_sentence(text)} for t, text in steps],
        "facts": facts,
        "settings": _setting_rows(ruleset, chosen_or_usual, should_list_all=chosen is None),
        "of_table": chosen is not None,
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
                    "does": _(role.does),
                }
                for role in ruleset.roles
                if role.team == team.key
            ],
        }
        for team in ruleset.teams
    ]


def _setting_rows(
    ruleset: Ruleset, chosen: Mapping[str, Any], *, should_list_all: bool
) -> list[tuple[str, str, str]]:
    """Return (label, help, value) of each setting.

    Args:
        should_list_all: Include settings that do not apply or that only a study needs.
    """
    values = effective_settings(ruleset.settings, chosen)
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
