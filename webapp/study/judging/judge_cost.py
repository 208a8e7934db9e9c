"""Estimates of a judge's requests and cost. Nothing is stored or sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import override

from webapp.study.judging import judge_prompts, judge_runs, paper_questions
from webapp.study.judging.criteria import CRITERIA
from webapp.study.judging.transcripts import Messages
from webapp.study.models import Assignment, Judge, Stimulus, Unit

SAMPLE_PROMPTS = 12  # give the mean length
ANSWER_TOKENS = 150  # An answer has the numbers and a reason of three sentences.
MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class Estimate:
    """Estimated work and cost of a judge."""

    total: int  # number of pages, of list questions, or of games × criteria
    requests: int  # without corrections of unusable replies
    tokens_in: int
    tokens_out: int
    cost: Decimal | None  # in the currency of the prices, None without prices


def estimate_judge(judge: Judge) -> Estimate:
    """Estimate upper limits of a judge's requests, tokens and cost."""
    from agents.backends.openai import estimate_tokens  # slow to import, and only needed here

    with override("en"):  # a judge's prompts are English, whatever the researcher's language
        if judge.mode == Judge.RATER:
            item_count, prompts = _page_count(judge), list(_page_prompts(judge))
        elif judge.mode == Judge.LISTS:
            games = judge_runs.games_of(judge)
            item_count = sum(len(judge_runs.list_tasks(judge, game)) for game in games)
            prompts = [
                question().messages
                for game in games[:SAMPLE_PROMPTS]
                for question in judge_runs.list_tasks(judge, game).values()
            ]
        else:
            games = judge_runs.games_of(judge)
            item_count = len(games) * len(CRITERIA)
            prompts = [
                paper_questions.game_question(judge, game, CRITERIA[0]).messages
                for game in games[:SAMPLE_PROMPTS]
            ]
    mean_prompt_tokens = sum(map(estimate_tokens, prompts)) / len(prompts) if prompts else 0
    swapped_pages = 0
    if judge.mode == Judge.RATER and judge.campaign.answer_count > 1:
        # All pages but the checks are requested in both orders.
        swapped_pages = item_count - _attention_check_count(judge)
    requests = (item_count + swapped_pages) * judge.draws
    tokens_in, tokens_out = round(requests * mean_prompt_tokens), requests * ANSWER_TOKENS
    return Estimate(item_count, requests, tokens_in, tokens_out, cost(judge, tokens_in, tokens_out))


def cost(judge: Judge, tokens_in: int, tokens_out: int) -> Decimal | None:
    """Return the cost in the currency of the prices (per million tokens), None without prices."""
    if judge.price_in is None or judge.price_out is None:
        return None
    return (tokens_in * judge.price_in + tokens_out * judge.price_out) / MILLION


def _page_count(judge: Judge) -> int:
    campaign = judge.campaign
    rated = campaign.rated_units.filter(use="").count()
    unit_count = rated if judge.reach == Judge.ALL else min(rated, campaign.units_per_rater)
    known_answer_count = campaign.units.exclude(use="").count()
    repeats = min(campaign.repeats, unit_count // 2)
    return unit_count + repeats + _attention_check_count(judge) + known_answer_count


def _attention_check_count(judge: Judge) -> int:
    checks = judge.campaign.units.filter(kind=Unit.ATTENTION, withdrawn=False)
    return min(judge.campaign.attention, checks.count())


def _page_prompts(judge: Judge) -> Iterator[Messages]:
    unready = Stimulus.objects.filter(unit__campaign=judge.campaign).exclude(state=Stimulus.READY)
    rated = judge.campaign.rated_units.exclude(pk__in=unready.values("unit"))
    units = list(rated.select_related("game"))
    for unit in units[:: max(1, len(units) // SAMPLE_PROMPTS)][:SAMPLE_PROMPTS]:
        unit.campaign = judge.campaign
        yield judge_prompts.page_question(judge, Assignment(unit=unit)).messages
