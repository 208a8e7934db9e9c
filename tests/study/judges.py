"""Judges of campaigns, run in this process, and scripted replies of their models."""

from __future__ import annotations

import json
from typing import Any

from tests.endpoint import Call
from webapp.study.judging import judge_runs, judges
from webapp.study.models import Campaign, Judge


def add_judge(campaign: Campaign, **more: Any) -> Judge:
    defaults = {"name": "Critic", "mode": Judge.RATER, "backend": "openai"}
    return judges.add(campaign, **{**defaults, **more})


def run_judge(judge: Judge) -> Judge:
    """Start or resume the judge and run it in one worker."""
    judges.start(judge)
    judge_runs.run_judge(judge.pk)
    judge.refresh_from_db()
    return judge


def answer_with_scores(scores: Any) -> Any:
    """Return a reply with `scores(call, key)` for each requested number."""

    def answer(call: Call) -> str:
        properties = call.schema["properties"]  # type: ignore[index]
        numbers = {key: scores(call, key) for key in properties if key != "reason"}
        return json.dumps({"reason": "It has a voice of its own.", **numbers})

    return answer
