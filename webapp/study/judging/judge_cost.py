"""Estimate of a judge's requests and cost. It is a dry run: nothing is written or sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import override

from webapp.study.judging import judge_runs, paper_questions, questions
from webapp.study.judging.criteria import CRITERIA
from webapp.study.judging.transcripts import Messages
from webapp.study.models import Assignment, Judge, Stimulus, Unit
from webapp.study.rating import known_answers

SAMPLE_PROMPTS = 12  # prompts from which the mean length is computed
ANSWER_TOKENS = 150  # tokens of an answer: a reason of three sentences, and the numbers
MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class Estimate:
    """An estimate.

    total: pages, or games by criteria. requests: without repairs. cost: None if no price was
    given.
    """

    total: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None


def estimate_judge(judge: Judge) -> Estimate:
    """Return an upper limit: units that share a game may not all go to one rater."""
    from agents.backends.openai import estimate_tokens

    with override("en"):
        if judge.mode == Judge.RATER:
            item_count, prompts = _pages(judge), list(_page_prompts(judge))
        elif judge.mode == Judge.LISTS:
            item_count = sum(
                len(judge_runs.list_tasks(judge, g)) for g in judge_runs.games_of(judge)
            )
            prompts = list(_lists(judge))
        else:
            item_count = len(judge_runs.games_of(judge)) * len(CRITERIA)
            prompts = list(_games(judge))
    each = sum(map(estimate_tokens, prompts)) / len(prompts) if prompts else 0
    turned = item_count - _checks(judge) if _in_pairs(judge) else 0
    requests = (item_count + turned) * judge.draws
    told_in, told_out = round(requests * each), requests * ANSWER_TOKENS
    return Estimate(item_count, requests, told_in, told_out, cost(judge, told_in, told_out))


def cost(judge: Judge, tokens_in: int, tokens_out: int) -> Decimal | None:
    """Return the cost in the currency of the prices, which are for a million tokens."""
    if judge.price_in is None or judge.price_out is None:
        return None
    return (tokens_in * judge.price_in + tokens_out * judge.price_out) / MILLION


def _pages(judge: Judge) -> int:
    campaign = judge.campaign
    rated = campaign.units.filter(withdrawn=False, use="").exclude(kind=Unit.ATTENTION).count()
    unit_count = rated if judge.reach == Judge.ALL else min(rated, campaign.units_per_rater)
    check_count = campaign.units.filter(
        use__in=(known_answers.GOLD, known_answers.PRACTICE)
    ).count()
    repeats = min(campaign.repeats, unit_count // 2)
    return unit_count + repeats + _checks(judge) + check_count


def _checks(judge: Judge) -> int:
    """Return how many attention checks the judge gets."""
    checks = judge.campaign.units.filter(kind=Unit.ATTENTION, withdrawn=False)
    return min(judge.campaign.attention, checks.count())


def _in_pairs(judge: Judge) -> bool:
    """Return whether its pages are pairs, which it is asked in both orders."""
    return judge.mode == Judge.RATER and judge.campaign.answer_count > 1


def _page_prompts(judge: Judge) -> Iterator[Messages]:
    rows = judge.campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)
    unready = Stimulus.objects.filter(unit__campaign=judge.campaign).exclude(state="idle")
    unit_list = list(rows.exclude(pk__in=unready.values("unit")).select_related("game"))
    for unit in unit_list[:: max(1, len(unit_list) // SAMPLE_PROMPTS)][:SAMPLE_PROMPTS]:
        unit.campaign = judge.campaign
        yield questions.page_question(judge, Assignment(unit=unit)).messages


def _lists(judge: Judge) -> Iterator[Messages]:
    for game in judge_runs.games_of(judge)[:SAMPLE_PROMPTS]:
        for question in judge_runs.list_tasks(judge, game).values():
            yield question().messages


def _games(judge: Judge) -> Iterator[Messages]:
    for game in judge_runs.games_of(judge)[:SAMPLE_PROMPTS]:
        yield paper_questions.game_question(judge, game, CRITERIA[0]).messages
