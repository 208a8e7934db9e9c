"""Helpers that create and open experiments."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User

from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import studies, study_plan

METHODS = {
    "name": "method",
    "levels": [
        {"name": "full", "table": {"method": "full"}},
        {"name": "plain", "table": {"method": "baseline"}},
    ],
}
SHORT_GAME_TABLE: dict[str, Any] = {
    "people": 0, "blind": False, "ruleset": "aiwolf-5", "settings": {"talk_per_agent": 1},
}  # fmt: skip
LLM_TABLE = {
    "people": 0, "blind": False, "ruleset": "one-night", "backend": "openai", "method": "baseline",
}  # fmt: skip

database = pytest.mark.django_db(transaction=True)


def create_draft(**design: Any) -> Study:
    owner, _new = User.objects.get_or_create(username="ada")
    data = {"table": SHORT_GAME_TABLE, "assignment": {"games": 2}, **design}
    return studies.create(owner, "An experiment", seed="s", design=Design.from_json(data))


def open_experiment(**design: Any) -> Study:
    study = create_draft(**design)
    studies.open(study)
    return study


def plan_problems(**design: Any) -> list[str]:
    return list(study_plan.build_plan(create_draft(**design)).problems)


def slot_states(study: Study) -> Counter[str]:
    return Counter(study.slots.values_list("state", flat=True))
