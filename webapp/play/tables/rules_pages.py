"""The pages of a game's rules, generated from its ruleset: as text, and in pictures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.declarations import (
    IntroPicture,
    QuizQuestion,
    RulesSection,
    Setting,
    casual_settings,
    effective_settings,
)
from game.engine.ruleset import Ruleset
from game.models import PORTRAIT_PATH

DEFAULT_RULESET = "one-night"
# Sizes in units of the picture's viewBox.
WIDTH, HEIGHT = 320, 200
CARD_SIZE, FACE = (42, 58), 40
PLAYER_RING_RADII = 122, 68
VOTE_LINE_GAPS = 24, 30  # a vote's line ends this far from the centers of its voter and target
PORTRAIT_NUMBERS = (3, 8, 14, 5, 17, 11, 20, 2, 9, 23)


@dataclass(frozen=True)
class PictureItem:
    """An item in a picture, by its center."""

    source: str  # a portrait's static path, or a role's key
    x: float
    y: float
    votes: Sequence[tuple[float, float, float, float]] = ()  # lines of the votes: x, y to x, y


def offered_rulesets() -> list[Ruleset]:
    """Return all rulesets: the default one first, then those for fewer players first."""
    installed = map(rulesets.get, rulesets.names())
    return sorted(installed, key=lambda r: (r.name != DEFAULT_RULESET, len(r.deck)))


def all_rules_pages() -> list[dict[str, Any]]:
    """Return the rules of every installed ruleset, as `rules_page` does."""
    return [page for ruleset in offered_rulesets() if (page := rules_page(ruleset.name))]


def rule_text(rule: IntroPicture | QuizQuestion) -> str:
    """Return the text of a rule, translated, with its figures."""
    return _(rule.text).format(**rule.figures)


def section_text(section: RulesSection) -> str:
    """Return the text of a section of the rules, translated, with its figures."""
    return " ".join(_(text) for text in section.texts).format(**section.figures)


def game_choices(chosen_name: str) -> list[tuple[str, str, bool]]:
    """List the rulesets to choose from as (name, title, is chosen), [] for a single one."""
    choices = [(r.name, _(r.title), r.name == chosen_name) for r in offered_rulesets()]
    return choices if len(choices) > 1 else []


def rules_page(name: str, table_settings: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Return a ruleset's rules for its page, None if there is no such ruleset.

    With `table_settings` they are a table's own rules, without them those of the casual settings.
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
            {"title": _(section.title), "text": section_text(section)}
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

    Settings that do not apply, or that only a study needs, are omitted unless all are listed.
    """
    values = effective_settings(ruleset.settings, settings)
    return [
        (_(s.label), _(s.help), _value_text(s, values[s.key]))
        for s in ruleset.settings
        if should_list_all or (s.has_effect(values) and not s.is_for_studies)
    ]


def _value_text(setting: Setting, value: bool | int | str) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return _(dict(setting.choices).get(str(value), str(value))) if value != "" else "–"


def how_to_page(name: str) -> dict[str, Any] | None:
    """Return the rules with the pictures' positions, None if the ruleset does not exist."""
    rules = rules_page(name)
    if rules is None:
        return None
    count = min(len(rules["deck"]), len(PORTRAIT_NUMBERS))
    portraits = [PORTRAIT_PATH.format(number) for number in PORTRAIT_NUMBERS[:count]]
    ring = _place_players(portraits)
    brief = [
        {"scene": item.scene, "title": _(item.title), "text": rule_text(item)}
        for item in rulesets.get(name).introduction
    ]
    return {
        "rules": rules,
        "brief": brief,
        "others": game_choices(name),
        "cards": _place_cards(rules["deck"]),
        "ring": ring,
        "star": PictureItem("", ring[0].x - 36, ring[0].y - 10),
    }


def _place_cards(deck: Sequence[str]) -> list[PictureItem]:
    columns = math.ceil(len(deck) / 2)
    step = min(CARD_SIZE[0] + 12, (WIDTH - 20) / columns)
    left = WIDTH / 2 - step * (columns - 1) / 2
    top, down = HEIGHT / 2 - 35, 70
    return [
        PictureItem(key, left + step * (i % columns), top + down * (i // columns))
        for i, key in enumerate(deck)
    ]


def _place_players(portraits: Sequence[str]) -> list[PictureItem]:
    """Place the players around a table, with their votes: nearly all for the same player."""
    items = []
    for i, portrait in enumerate(portraits):
        angle = 2 * math.pi * (i + 0.5) / len(portraits) - math.pi / 2
        x = WIDTH / 2 + PLAYER_RING_RADII[0] * math.cos(angle)
        y = HEIGHT / 2 + PLAYER_RING_RADII[1] * math.sin(angle)
        items.append(PictureItem(portrait, round(x, 1), round(y, 1)))
    most_voted, second_voted = items[0], items[-3]
    votes = [_vote_line(s, most_voted) for s in items[1:] if s is not second_voted]
    items[0] = replace(most_voted, votes=votes)
    items[-3] = replace(second_voted, votes=[_vote_line(most_voted, second_voted)])
    return items


def _vote_line(voter: PictureItem, target: PictureItem) -> tuple[float, float, float, float]:
    across, down = target.x - voter.x, target.y - voter.y
    length = math.hypot(across, down)
    begin, end = VOTE_LINE_GAPS[0] / length, 1 - VOTE_LINE_GAPS[1] / length
    start = round(voter.x + begin * across, 1), round(voter.y + begin * down, 1)
    return (*start, round(voter.x + end * across, 1), round(voter.y + end * down, 1))
