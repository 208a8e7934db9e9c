"""The rules of a study's games for participants, and the quiz questions on them.

Both follow from the rulesets and from the settings of the study's tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.declarations import questions_for_settings
from webapp.play.tables.rules_pages import how_to_page, rule_text, section_text
from webapp.study.design.stages import Design, TableDesign
from webapp.study.models import Study


@dataclass(frozen=True)
class RuleQuestion:
    """A yes/no question in the reader's language. `key` is "<ruleset>.<question>"."""

    key: str
    text: str
    is_true: bool
    why: str


def table_designs(study: Study) -> list[TableDesign]:
    """Return the tables of all conditions, or the base table while no conditions are stored."""
    rows = [TableDesign.model_validate(c.table) for c in study.conditions.all()]
    return rows or [Design.from_json(study.design).table]


def build_rules(study: Study) -> list[dict[str, Any]]:
    """Return the data of `how_to_page` for each ruleset, with the steps of the study's tables.

    A step that differs between tables has several texts. "pictures" is whether the illustrated
    game applies to all tables.
    """
    pages = []
    for name, all_settings in _distinct_settings(table_designs(study)).items():
        ruleset = rulesets.get(name)
        versions = [
            [(_(s.title), section_text(s)) for s in ruleset.describe_course(settings)]
            for settings in all_settings
        ]
        texts: dict[str, dict[str, None]] = {}
        for title, text in (step for version in versions for step in version):
            texts.setdefault(title, {})[text] = None
        page = how_to_page(name) or {}
        steps = [{"title": title, "texts": list(step_texts)} for title, step_texts in texts.items()]
        default_steps = [(_(s.title), section_text(s)) for s in ruleset.describe_course({})]
        page_rules = page["rules"] | {"steps": steps, "settings": []}
        has_pictures = all(version == default_steps for version in versions)
        pages.append(page | {"rules": page_rules, "pictures": has_pictures})
    return pages


def quiz_bank(tables: Sequence[TableDesign]) -> list[RuleQuestion]:
    """Return the questions that have the same answer at all these tables with their ruleset."""
    bank = []
    for name, all_settings in _distinct_settings(tables).items():
        ruleset = rulesets.get(name)
        right_by_settings = [
            questions_for_settings(ruleset.quiz, ruleset.settings, settings)
            for settings in all_settings
        ]
        for q in ruleset.quiz:
            if all(q in questions for questions in right_by_settings):
                text, explanation = rule_text(q), _(q.explanation).format(**q.figures)
                bank.append(RuleQuestion(f"{name}.{q.key}", text, q.is_yes, explanation))
    return bank


def _distinct_settings(tables: Sequence[TableDesign]) -> dict[str, list[dict[str, Any]]]:
    settings_by_ruleset: dict[str, list[dict[str, Any]]] = {}
    for table in tables:
        known_settings = settings_by_ruleset.setdefault(table.ruleset, [])
        if table.game_settings not in known_settings:
            known_settings.append(table.game_settings)
    return settings_by_ruleset
