"""A researcher's actions on judges (add, start, pause, remove); a judge's progress and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from agents import backends, model_catalog
from agents.model_catalog import InvalidCatalog
from webapp.study import models
from webapp.study.design.rating_design import MAX_CONDITION_CHARS
from webapp.study.design.refusals import Refused
from webapp.study.judging import judge_prompts, judge_runs
from webapp.study.judging.criteria import CRITERIA, LIST_CRITERIA
from webapp.study.judging.draw_requests import MAX_MODEL_CHARS
from webapp.study.judging.prompts import Messages
from webapp.study.models import (
    Assignment,
    Campaign,
    CampaignGame,
    Judge,
    JudgeDraw,
    Rater,
    Slot,
    Stimulus,
    Study,
    Unit,
)
from webapp.study.rating import campaigns

MAX_DRAWS = 5
MAX_PERSONA_CHARS = 2000
SAMPLE_PROMPTS = 12  # an estimate uses the mean length of this many prompts
ANSWER_TOKENS = 150  # estimate for an answer: the numbers and a reason of three sentences
MILLION = Decimal(1_000_000)
PERSONA_KEYS_BY_MODE = {
    Judge.RATER: ("",),
    Judge.PAPER: tuple(c.key for c in CRITERIA),
    Judge.LISTS: tuple(c.key for c in LIST_CRITERIA),
}


def judge_backends() -> list[str]:
    """Return the backends that can judge. Raise `Refused` if their file is unreadable."""
    try:
        return [name for name in backends.names() if name != backends.HOUSE]
    except InvalidCatalog as error:
        raise Refused([str(error)]) from None


def campaign_of_experiment(study: Study) -> Campaign:
    """Return the campaign of an experiment's judges, after adding the games that count by now.

    The first call creates the campaign, which stays a draft, because people do not rate in it.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        campaign = row.campaigns.first() or campaigns.create_in_study(row, row.name)
        counted = row.slots.filter(state=Slot.DONE, game__called_off=False)
        conditions = dict(counted.values_list("game", "condition__name"))
        campaign.chosen_games.exclude(game__in=conditions).delete()
        new_rows = [
            CampaignGame(campaign=campaign, game_id=game, condition=name[:MAX_CONDITION_CHARS])
            for game, name in conditions.items()
        ]
        CampaignGame.objects.bulk_create(new_rows, ignore_conflicts=True)
    return campaign


def add(campaign: Campaign, **settings: Any) -> Judge:
    """Create a judge as a draft, or raise `Refused`. It sends no requests until it starts.

    `settings` are name, mode, backend, personas, draws, temperature, reach, limit, price_in and
    price_out.
    """
    errors = list(_setting_errors(settings))
    if campaign.study.is_experiment and settings.get("mode") == Judge.RATER:
        errors.append(_("An experiment has no raters. Choose a judge that works as in the paper."))
    if errors:
        raise Refused(errors)
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        model = model_catalog.chat_models()[settings["backend"]].model
        return Judge.objects.create(
            campaign=row,
            pseudonym=_next_pseudonym(row),
            model=model[:MAX_MODEL_CHARS],
            **{**settings, "personas": _personas(settings)},
        )


def _setting_errors(settings: Mapping[str, Any]) -> Iterator[str]:
    if settings.get("mode") not in PERSONA_KEYS_BY_MODE:
        yield _("Choose how the judge works: as a rater, or as in the paper.")
    if settings.get("backend") == backends.HOUSE:
        yield _("The built-in player can’t judge. Choose a language model.")
    elif settings.get("backend") not in judge_backends():
        yield _("This language model is not available. Choose one from the list.")
    if not str(settings.get("name", "")).strip():
        yield _("Enter a name for the judge.")
    if settings.get("draws", 1) not in range(1, MAX_DRAWS + 1):
        yield _("Enter a number of answers from 1 to {most}.").format(most=MAX_DRAWS)
    if any(len(text) > MAX_PERSONA_CHARS for text in settings.get("personas", {}).values()):
        yield _("Shorten the critic’s text to {most} characters.").format(most=MAX_PERSONA_CHARS)


def _personas(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the personas of the mode that are not empty. The others are the defaults."""
    persona_settings = settings.get("personas", {})
    persona_keys = PERSONA_KEYS_BY_MODE[settings["mode"]]
    return {
        key: text for key in persona_keys if (text := str(persona_settings.get(key, "")).strip())
    }


def _next_pseudonym(campaign: Campaign) -> str:
    """Return the next unused pseudonym (J01, J02 …).

    The series is separate from people's, so that their pseudonyms and the random draws that depend
    on these are the same with and without judges.
    """
    pseudonyms = campaign.judges.values_list("pseudonym", flat=True)
    return models.next_pseudonym("J", pseudonyms, digits=2)


def start(judge: Judge, *, is_queued: bool = True) -> None:
    """Start or resume the judge, by workers if `is_queued`, or raise `Refused`."""
    campaign = judge.campaign
    if judge.state == Judge.DONE:
        raise Refused([_("This judge has finished. Add another judge to ask again.")])
    if campaign.study.is_experiment:
        if campaign.study.state != Study.CLOSED:
            raise Refused([_("Wait until the experiment is closed. A judge judges all its games.")])
        campaign_of_experiment(campaign.study)  # games may have been added since
    if judge.mode == Judge.RATER and campaign.state == Campaign.DRAFT:
        raise Refused([_("Open the study first. This fixes what is rated.")])
    if judge.mode != Judge.RATER and not campaign.chosen_games.exists():
        raise Refused([_("Choose games first. There is nothing to judge yet.")])
    if judge.limit is not None and judge.requests >= judge.limit:
        sentence = _("All {n} requests are used. Add another judge with a higher limit.")
        raise Refused([sentence.format(n=judge.limit)])
    now = timezone.now()
    startable = Judge.objects.filter(pk=judge.pk, state__in=(Judge.DRAFT, Judge.PAUSED))
    if startable.update(state=Judge.RUNNING, failure="", beat_at=now):
        Judge.objects.filter(pk=judge.pk, started_at=None).update(started_at=now)
        judge.refresh_from_db()
        if is_queued:
            transaction.on_commit(lambda: judge_runs.queue_judge(judge))


def pause(judge: Judge) -> None:
    """Pause the judge. Answers in flight still arrive and count."""
    Judge.objects.filter(pk=judge.pk, state=Judge.RUNNING).update(state=Judge.PAUSED, failure="")


def remove(judge: Judge) -> None:
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=judge.campaign_id)
        Rater.everyone.filter(judge=judge).delete()
        Judge.objects.filter(pk=judge.pk).delete()


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


def progress(judge: Judge) -> Progress:
    rows = judge.answers.all()
    causes = Counter(rows.exclude(failure="").values_list("failure", flat=True))
    token_sums = rows.aggregate(input_tokens=Sum("tokens_in"), output_tokens=Sum("tokens_out"))
    if judge.mode == Judge.RATER:
        assignments = Assignment.objects.filter(rater=judge.rater_id or 0)
        assignments = assignments.exclude(state=Assignment.TIMED_OUT)
        item_count = assignments.count()
        skipped = assignments.filter(state=Assignment.SKIPPED).count()
        done_count = assignments.exclude(state=Assignment.OPEN).count()
    elif judge.mode == Judge.LISTS:
        item_count = judge.campaign.chosen_games.count() * len(LIST_CRITERIA)
        score_count = judge.scores.count()
        done_count = item_count if judge.state == Judge.DONE else score_count
        skipped = done_count - score_count
    else:
        item_count = judge.campaign.chosen_games.count() * len(CRITERIA)
        settled = rows.filter(state__in=judge_runs.SETTLED).values_list("game", "dimension")
        done_count = sum(count >= judge.draws for count in Counter(settled).values())
        skipped = done_count - judge.scores.count()
    return Progress(
        total=item_count,
        done=done_count,
        skipped=skipped,
        answered=rows.filter(state=JudgeDraw.ANSWERED).count(),
        tokens_in=token_sums["input_tokens"] or 0,
        tokens_out=token_sums["output_tokens"] or 0,
        failures=sorted(causes.items()),
    )


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


def on_text_redacted(*, game: int, **_more: Any) -> None:
    """Delete judges' reasons about a game whose text was removed: they may repeat it."""
    of_game = Q(game=game) | Q(assignment__unit__game=game)
    JudgeDraw.objects.filter(of_game).exclude(reason="").update(reason="")
