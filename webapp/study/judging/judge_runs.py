"""Runs of judges. Several workers may run a judge, and each may be killed at any time.

- Mode RATER: the judge answers page by page, and a pair in both orders. A rating is the mean of the
  draws, rounded to a whole number. In a ranking it is the order of the means.
- Mode PAPER: the judge scores every game of the campaign by each criterion. A score is the mean of
  the draws, not rounded.
- Mode LISTS: the scores of a game are computed from the judge's lists.
"""

import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import override

from agents.decision import BackendError
from game.models import Game
from webapp.celery import send
from webapp.lab.stored_games import load_record
from webapp.measures.judged_variety import Highlight, memorability, opinion_matrix, variation
from webapp.study.judging import draw_requests, judge_prompts, paper_questions
from webapp.study.judging.criteria import CRITERIA, MEMORABILITY, VARIATION
from webapp.study.judging.judge_prompts import JudgeQuestion
from webapp.study.models import Assignment, Campaign, Judge, JudgeDraw, JudgeScore, Rater, Unit
from webapp.study.rater import assigning, navigation, saving
from webapp.study.rating.stimuli import RatingFields, build_fields

logger = logging.getLogger(__name__)

TASK = "study.judge"
MAX_WORKERS_PER_JUDGE = 8  # other workers are left for games
MAX_RUN_S = 60.0  # after this time, a worker does other tasks first
# After this time without a heartbeat all workers of a judge are considered dead.
HEARTBEAT_TIMEOUT = timedelta(seconds=45)
SWEEP_INTERVAL_S = 5.0  # a process sweeps this often
SETTLED = (JudgeDraw.ANSWERED, JudgeDraw.FAILED)
STORED_SCORE_DIGITS = 6

_last_sweep = 0.0  # time of this process's last sweep


def queue_judge(judge: Judge) -> bool:
    """Queue the judge. If this returns False, `sweep_judges` queues it later."""
    try:
        parallel = draw_requests.backend_of(judge).settings.parallel
    except BackendError:
        parallel = 1  # the worker reports the error
    return all(send(TASK, judge.pk) for _ in range(max(1, min(MAX_WORKERS_PER_JUDGE, parallel))))


def sweep_judges(_missed: timedelta) -> None:
    """Queue the judges whose workers are dead. Sweeps may run concurrently."""
    global _last_sweep
    if time.monotonic() - _last_sweep < SWEEP_INTERVAL_S:
        return
    _last_sweep = time.monotonic()
    now = timezone.now()
    is_silent = Q(beat_at=None) | Q(beat_at__lt=now - HEARTBEAT_TIMEOUT)
    for judge in Judge.objects.filter(is_silent, state=Judge.RUNNING):
        if Judge.objects.filter(is_silent, pk=judge.pk, state=Judge.RUNNING).update(beat_at=now):
            queue_judge(judge)


def run_judge(judge_id: int) -> bool:
    """Request answers for at most MAX_RUN_S. Return whether any remain after that time."""
    judge = Judge.objects.select_related("campaign", "rater").filter(pk=judge_id).first()
    if judge is None or judge.state != Judge.RUNNING:
        return False
    deadline = time.monotonic() + MAX_RUN_S
    with override("en"):
        draws = _run_rater_mode(judge) if judge.mode == Judge.RATER else _run_games(judge)
        try:
            for _draw in draws:
                if time.monotonic() > deadline:
                    return True
        except draw_requests.JudgeStopped:
            return False
    return False


def count_draws(judge: Judge, unit: Unit) -> int:
    """Return the number of draws of a page. The second half of a pair's draws is swapped."""
    is_pair = unit.kind == Unit.UTTERANCE and judge.campaign.answer_count > 1
    return judge.draws * (2 if is_pair else 1)


def combine_draws(
    rating_fields: RatingFields, draws: Sequence[Mapping[str, float]]
) -> dict[str, int]:
    """Return name of each field -> the mean of the draws as a whole number, halves rounded up.

    A ranking orders the players by their means, and players of the same mean as in the first draw.
    """
    values_by_name = {
        name: [draw[judge_prompts.value_key(field)] for draw in draws]
        for name, field in rating_fields.items()
    }
    means = {name: sum(values) / len(values) for name, values in values_by_name.items()}
    ranked_names = [name for name, field in rating_fields.items() if field.dimension.rank]
    ranked_names.sort(key=lambda n: (means[n], values_by_name[n][0], n), reverse=True)
    combined = {n: math.floor(means[n] + 0.5) for n in rating_fields if n not in ranked_names}
    counts: Counter[str] = Counter()  # dimension -> number of players who have a rank
    for name in ranked_names:
        dimension = rating_fields[name].dimension
        combined[name] = dimension.max - counts[dimension.key]
        counts[dimension.key] += 1
    return combined


def games_of(judge: Judge) -> list[Game]:
    """Return the games of the campaign, which modes PAPER and LISTS score."""
    return list(Game.objects.filter(campaigngame__campaign=judge.campaign).order_by("code"))


def game_tasks(judge: Judge, game: Game) -> dict[str, Callable[[], JudgeQuestion]]:
    """Return `dimension` of the draws -> builder of the question, for all questions on a game."""
    if judge.mode != Judge.LISTS:
        return {c.key: partial(paper_questions.game_question, judge, game, c) for c in CRITERIA}
    tasks: dict[str, Callable[[], JudgeQuestion]] = {}
    for number in paper_questions.rounds_of(load_record(game)):
        key = paper_questions.round_key(number)
        tasks[key] = partial(paper_questions.opinions_question, judge, game, number)
    return {**tasks, MEMORABILITY: partial(paper_questions.highlights_question, judge, game)}


def _run_rater_mode(judge: Judge) -> Iterator[None]:
    """Answer the pages of the judge's rater. Yield after each draw, like `_run_games`."""
    rater = _get_or_create_rater(judge)
    assigning.assign_pages(rater)
    pages = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).order_by("index")
    for page in pages.select_related("unit__game", "rater"):
        page.unit.campaign = page.rater.campaign = judge.campaign
        for number in range(1, count_draws(judge, page.unit) + 1):
            swapped = number > judge.draws
            question = partial(judge_prompts.page_question, judge, page, swapped=swapped)
            draw_requests.answer_draw(judge, number, question, assignment=page)
            yield
        _store_rating(judge, page)
    has_open_pages = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).exists()
    if not has_open_pages and navigation.submit_all(rater):
        _finish(judge)


def _get_or_create_rater(judge: Judge) -> Rater:
    """Return the judge's rater. It is stored as people are, but takes no place in a quota."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=judge.campaign_id)
        row = Judge.objects.select_for_update(of=("self",)).get(pk=judge.pk)
        if row.rater is None:
            now = timezone.now()
            row.rater = Rater.everyone.create(
                campaign=campaign,
                kind=Rater.JUDGE,
                pseudonym=row.pseudonym,
                consented_at=now,
                seen_at=now,
            )
            row.save(update_fields=["rater"])
            navigation.mark_trained(row.rater)  # the prompts contain the worked example
    judge.rater = row.rater
    return row.rater


def _store_rating(judge: Judge, page: Assignment) -> None:
    """Store the rating of a page once all its draws are settled."""
    rows = list(JudgeDraw.objects.filter(judge=judge, assignment=page).order_by("number"))
    if sum(row.state in SETTLED for row in rows) < count_draws(judge, page.unit):
        return
    rating_fields = build_fields(page)
    answered = [row.values for row in rows if row.state == JudgeDraw.ANSWERED]
    if answered:
        submitted = saving.SubmittedRating(combine_draws(rating_fields, answered))
    else:
        reason = f"no usable answer: {rows[-1].failure}"[: saving.MAX_REASON_CHARS]
        submitted = saving.SubmittedRating({}, skip=reason)
    try:
        saving.store_rating(page, submitted, rating_fields)
    except (saving.RaterFinished, Assignment.DoesNotExist):
        logger.info("page %s of a judge is gone", page.pk)


def _run_games(judge: Judge) -> Iterator[None]:
    """Score all games, in mode LISTS by their lists."""
    is_complete = True
    for game in games_of(judge):
        tasks = game_tasks(judge, game)
        for dimension, question in tasks.items():
            for number in range(1, judge.draws + 1):
                draw_requests.answer_draw(judge, number, question, game=game, dimension=dimension)
                yield
            if judge.mode != Judge.LISTS:
                is_complete &= _store_score(judge, game, dimension)
        if judge.mode == Judge.LISTS:
            is_complete &= _store_lists(judge, game, list(tasks))
    if is_complete:
        _finish(judge)


def _store_score(judge: Judge, game: Game, dimension: str) -> bool:
    """Store the mean of a game's draws once all are settled. Return whether they are."""
    rows = JudgeDraw.objects.filter(judge=judge, game=game, dimension=dimension)
    draws = list(rows.order_by("number"))
    if sum(row.state in SETTLED for row in draws) < judge.draws:
        return False
    values = [row.values[dimension] for row in draws if row.state == JudgeDraw.ANSWERED]
    if values:
        _save_score(judge, game, dimension, sum(values) / len(values), len(values))
    return True


def _store_lists(judge: Judge, game: Game, dimensions: Sequence[str]) -> bool:
    """Store the scores of a game's lists once all draws are settled. Return whether they are.

    Draws with a failed round give no Variation. An undefined score is not stored.
    """
    rows = list(JudgeDraw.objects.filter(judge=judge, game=game).order_by("number"))
    if sum(row.state in SETTLED for row in rows) < judge.draws * len(dimensions):
        return False
    answered = {(r.dimension, r.number): r.values for r in rows if r.state == JudgeDraw.ANSWERED}
    game_record, variations, lists = load_record(game), list[float](), list[list[Highlight]]()
    for number in range(1, judge.draws + 1):
        rounds = [answered.get((key, number)) for key in dimensions if key != MEMORABILITY]
        if all(values is not None for values in rounds):
            matrices = [opinion_matrix((s, t, r) for s, t, r in v["opinions"]) for v in rounds if v]
            score = variation(matrices)
            variations += [score.value] if score.value is not None else []
        if listed := answered.get((MEMORABILITY, number)):
            lists.append([Highlight(seat, "", twist) for seat, twist in listed["highlights"]])
    memorability_score = memorability([(game_record, highlights) for highlights in lists])
    mean = sum(variations) / len(variations) if variations else None
    for key, value, draws in (
        (VARIATION, mean, len(variations)),
        (MEMORABILITY, memorability_score.value, len(lists)),
    ):
        if value is not None:
            _save_score(judge, game, key, value, draws)
    return True


def _save_score(judge: Judge, game: Game, key: str, value: float, draws: int) -> None:
    defaults = {"value": round(value, STORED_SCORE_DIGITS), "draws": draws}
    JudgeScore.objects.update_or_create(judge=judge, game=game, dimension=key, defaults=defaults)


def _finish(judge: Judge) -> None:
    running = Judge.objects.filter(pk=judge.pk, state=Judge.RUNNING)
    running.update(state=Judge.DONE, done_at=timezone.now(), failure="")
