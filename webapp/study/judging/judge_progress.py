"""What a judge has done, and the estimated and actual cost of its requests."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Sum
from django.utils.translation import override

from webapp.study.judging import judge_prompts, judge_runs
from webapp.study.judging.criteria import CRITERIA, LIST_CRITERIA
from webapp.study.judging.prompts import Messages
from webapp.study.models import Assignment, Judge, JudgeDraw, Stimulus, Unit

SAMPLE_PROMPTS = 12  # an estimate uses the mean length of this many prompts
ANSWER_TOKENS = 150  # estimate for an answer: the numbers and a reason of three sentences
MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class Progress:
    """Progress of a judge."""

    total: int  # pages, or games × criteria
    done: int
    skipped: int  # those of `done` that have no usable answer
    answered: int  # number of answered draws
    tokens_in: int
    tokens_out: int
    failures: list[tuple[str, int]]  # (cause, number of draws whose last error has it)


def read_progress(judge: Judge) -> Progress:
    rows = judge.answers.all()
    causes = Counter(rows.exclude(failure="").values_list("failure", flat=True))
    tokens = rows.aggregate(sent=Sum("tokens_in", default=0), received=Sum("tokens_out", default=0))
    count = _count_pages if judge.mode == Judge.RATER else _count_scores
    total, done, skipped = count(judge)
    return Progress(
        total=total,
        done=done,
        skipped=skipped,
        answered=rows.filter(state=JudgeDraw.ANSWERED).count(),
        tokens_in=tokens["sent"],
        tokens_out=tokens["received"],
        failures=sorted(causes.items()),
    )


def _count_pages(judge: Judge) -> tuple[int, int, int]:
    """Return the numbers of (all, done, skipped) pages of the judge's rater."""
    states = Counter(
        Assignment.objects.filter(rater=judge.rater_id or 0)
        .exclude(state=Assignment.TIMED_OUT)
        .values_list("state", flat=True)
    )
    return states.total(), states.total() - states[Assignment.OPEN], states[Assignment.SKIPPED]


def _count_scores(judge: Judge) -> tuple[int, int, int]:
    """Return the numbers of (all, done, skipped) scores of games."""
    game_count, score_count = judge.campaign.chosen_games.count(), judge.scores.count()
    if judge.mode == Judge.LISTS:
        total = game_count * len(LIST_CRITERIA)
        done = total if judge.state == Judge.DONE else score_count
    else:
        total = game_count * len(CRITERIA)
        settled = judge.answers.filter(state__in=judge_runs.SETTLED)
        draw_counts = Counter(settled.values_list("game", "dimension"))
        done = sum(count >= judge.draws for count in draw_counts.values())
    return total, done, done - score_count


@dataclass(frozen=True)
class Estimate:
    """Estimated work and cost of a judge."""

    total: int  # number of pages, of list questions, or of games × criteria
    requests: int  # expected requests, without corrections of unusable replies
    tokens_in: int
    tokens_out: int
    cost: Decimal | None  # cost in the currency of the prices, None without prices


def estimate_judge(judge: Judge) -> Estimate:
    """Estimate a judge's requests, tokens and cost, from the mean length of sample prompts.

    Requests that are repeated after an invalid reply are not counted.
    """
    from agents.backends.openai import estimate_tokens  # slow to import, and only needed here

    with override("en"):  # a judge's prompts are English, whatever the researcher's language
        if judge.mode == Judge.RATER:
            item_count, prompts = _page_count(judge), list(_page_prompts(judge))
        else:
            tasks = [judge_runs.game_tasks(judge, game) for game in judge_runs.games_of(judge)]
            item_count = sum(map(len, tasks))
            # The prompts of all criteria are about as long as that of the first.
            per_game = None if judge.mode == Judge.LISTS else 1
            prompts = [
                question().messages
                for game_tasks in tasks[:SAMPLE_PROMPTS]
                for question in list(game_tasks.values())[:per_game]
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
