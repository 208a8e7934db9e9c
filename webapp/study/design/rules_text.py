"""The rules of the game for participants of a study, and the quiz questions on them.

Both come from the rulesets of the study's tables, with the settings of these tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.quiz import BLIND, QuizQuestion, questions_at
from webapp.play.page.sentences import rule_sentence
from webapp.play.tables.how_to import how_to_page
from webapp.study.design.stages import Design, TableDesign
from webapp.study.models import Study


@dataclass(frozen=True)
class RuleQuestion:
    """One question, in the reader's language. key: "<ruleset>.<question>"."""

    key: str
    text: str
    answer: bool
    why: str


def study_tables(study: Study) -> list[TableDesign]:
    """Return the tables of all its conditions, or the base table before conditions are stored."""
    rows = [TableDesign.model_validate(c.table) for c in study.conditions.all()]
    return rows or [Design.of(study.design).table]


def build_rules(study: Study) -> list[dict[str, Any]]:
    """Return what `how_to_page` gives for each ruleset, with the steps of the study's tables.

    A step that differs between tables has several texts. `pictures`: whether the illustrated game
    applies to all tables.
    """
    pages = []
    for name, chosen in _settings(study_tables(study)).items():
        ruleset = rulesets.get(name)
        versions = [
            [(_(t), rule_sentence(text)) for t, text in ruleset.steps_at(at)] for at in chosen
        ]
        texts: dict[str, dict[str, None]] = {}
        for title, text in (step for version in versions for step in version):
            texts.setdefault(title, {})[text] = None
        page = how_to_page(name) or {}
        steps = [{"title": title, "texts": list(step_texts)} for title, step_texts in texts.items()]
        usual = [(_(t), rule_sentence(text)) for t, text in ruleset.steps]
        page_rules = page["rules"] | {"steps": steps, "settings": []}
        pages.append(
            page | {"rules": page_rules, "pictures": all(version == usual for version in versions)}
        )
    return pages


def quiz_bank(study: Study) -> list[RuleQuestion]:
    """Return the questions whose answers are right at every table with that ruleset."""
    return quiz_bank_of_tables(study_tables(study))


def quiz_bank_of_tables(designed: Sequence[TableDesign]) -> list[RuleQuestion]:
    """Return the same for tables of a design."""
    return [
        RuleQuestion(f"{name}.{q.key}", rule_sentence(q.text), q.answer, rule_sentence(q.why))
        for name, chosen in _settings(designed).items()
        for q in _right_everywhere(name, chosen)
    ]


def _right_everywhere(name: str, chosen: Sequence[Mapping[str, Any]]) -> list[QuizQuestion]:
    ruleset = rulesets.get(name)
    right = [questions_at(ruleset.quiz, ruleset.settings, at) for at in chosen]
    return [q for q in ruleset.quiz if all(q in right_questions for right_questions in right)]


def _settings(designed: Sequence[TableDesign]) -> dict[str, list[dict[str, Any]]]:
    """Return ruleset -> the distinct settings of its tables."""
    settings_by_ruleset: dict[str, list[dict[str, Any]]] = {}
    for table in designed:
        chosen = {**table.settings, BLIND: table.blind}
        if chosen not in (listed_settings := settings_by_ruleset.setdefault(table.ruleset, [])):
            listed_settings.append(chosen)
    return settings_by_ruleset
