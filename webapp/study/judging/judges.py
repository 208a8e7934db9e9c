"""Judges as a researcher handles them: add, start, pause, remove, and their progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from agents import backends, model_catalog
from agents.model_catalog import BadCatalog
from webapp.study.design.value_checks import Refused
from webapp.study.judging import judge_runs
from webapp.study.judging.criteria import CRITERIA, LISTS
from webapp.study.models import (
    Assignment,
    Campaign,
    CampaignGame,
    Judge,
    JudgeDraw,
    Rater,
    Slot,
    Study,
)
from webapp.study.rating import campaigns

MOST_DRAWS = 5
LONGEST_PERSONA = 2000  # characters
PARTS = {
    Judge.RATER: ("",),
    Judge.PAPER: tuple(c.key for c in CRITERIA),
    Judge.LISTS: tuple(c.key for c in LISTS),
}


def models() -> list[str]:
    """Return the backends that can judge. Raises Refused if the file of models is unreadable."""
    try:
        return [name for name in backends.names() if name != backends.HOUSE]
    except BadCatalog as error:
        raise Refused([str(error)]) from None


def campaign_of_experiment(study: Study) -> Campaign:
    """Return the campaign that holds an experiment's judges, with the games that count so far.

    It is created at the first call. Nobody rates in it, and it stays a draft.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        campaign = row.campaigns.first() or campaigns.create_for(row, row.name)
        counted = row.slots.filter(state=Slot.DONE, game__called_off=False)
        conditions = dict(counted.values_list("game", "condition__name"))
        campaign.chosen.exclude(game__in=conditions).delete()
        new_rows = [
            CampaignGame(campaign=campaign, game_id=game, condition=name[:60])
            for game, name in conditions.items()
        ]
        CampaignGame.objects.bulk_create(new_rows, ignore_conflicts=True)
    return campaign


def add(campaign: Campaign, **settings: Any) -> Judge:
    """Create a judge as a draft. Nothing is requested yet. Raises Refused.

    settings: name, mode, backend, personas, draws, temperature, reach, limit, price_in, price_out.
    """
    faults = list(_faults(settings))
    if campaign.study.is_experiment and settings.get("mode") == Judge.RATER:
        faults.append(
            _("Nobody rates an experiment: let the judge judge its games as in the paper.")
        )
    if faults:
        raise Refused(faults)
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        model = model_catalog.settings()[settings["backend"]].model
        judge_settings = {**settings, "personas": _personas(settings)}
        return Judge.objects.create(
            campaign=row, pseudonym=_next_pseudonym(row), model=model[:120], **judge_settings
        )


def _faults(settings: Mapping[str, Any]) -> list[str]:
    faults = []
    if settings.get("mode") not in PARTS:
        faults.append(_("A judge rates as a rater, or as in the paper: by scores or by lists."))
    if settings.get("backend") == backends.HOUSE:
        faults.append(
            _("The built-in player can’t judge: it follows rules and has no taste. Choose a model.")
        )
    elif settings.get("backend") not in models():
        faults.append(_("There is no such language model here. Choose one of the list."))
    if not str(settings.get("name", "")).strip():
        faults.append(_("Give the judge a name."))
    if settings.get("draws", 1) not in range(1, MOST_DRAWS + 1):
        faults.append(_("A judge draws 1 to {most} answers.").format(most=MOST_DRAWS))
    if any(len(text) > LONGEST_PERSONA for text in settings.get("personas", {}).values()):
        faults.append(_("A critic has {most} characters at most.").format(most=LONGEST_PERSONA))
    return faults


def _personas(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the mode's personas that are not empty. For empty ones the judge uses ours."""
    persona_settings = settings.get("personas", {})
    parts = PARTS[settings["mode"]]
    return {key: text for key in parts if (text := str(persona_settings.get(key, "")).strip())}


def _next_pseudonym(campaign: Campaign) -> str:
    """Return the next of J01, J02 ….

    The series is separate, so that people's numbers and the draws that depend on them are the same
    with and without judges.
    """
    pseudonyms = campaign.judges.values_list("pseudonym", flat=True)
    return f"J{max((int(name[1:]) for name in pseudonyms), default=0) + 1:02d}"


def start(judge: Judge, *, queued: bool = True) -> None:
    """Start the judge, or resume it after a pause. Raises Refused.

    queued: workers run it.
    """
    campaign = judge.campaign
    if judge.state == Judge.DONE:
        raise Refused([_("This judge is done. Add another one to ask again.")])
    if campaign.study.is_experiment:
        if campaign.study.state != Study.CLOSED:
            raise Refused([_("Wait until the experiment is closed: a judge judges all its games.")])
        campaign_of_experiment(campaign.study)  # games may have been added since
    if judge.mode == Judge.RATER and campaign.state == Campaign.DRAFT:
        raise Refused([_("Open the study first: what is rated is settled then.")])
    if judge.mode != Judge.RATER and not campaign.chosen.exists():
        raise Refused([_("Choose games first: there is nothing to judge yet.")])
    if judge.limit is not None and judge.requests >= judge.limit:
        refusal_text = _("Its {n} requests are used up. Add another judge with a higher limit.")
        raise Refused([refusal_text.format(n=judge.limit)])
    now = timezone.now()
    waiting = Judge.objects.filter(pk=judge.pk, state__in=(Judge.DRAFT, Judge.PAUSED))
    if waiting.update(state=Judge.RUNNING, failure="", beat_at=now):
        Judge.objects.filter(pk=judge.pk, asked_at=None).update(asked_at=now)
        judge.refresh_from_db()
        if queued:
            transaction.on_commit(lambda: judge_runs.queue(judge))


def pause(judge: Judge) -> None:
    """Pause the judge. Answers in flight still arrive and count."""
    Judge.objects.filter(pk=judge.pk, state=Judge.RUNNING).update(state=Judge.PAUSED, failure="")


def remove(judge: Judge) -> None:
    """Delete the judge and all its answers."""
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=judge.campaign_id)
        Rater.everyone.filter(judge=judge).delete()
        Judge.objects.filter(pk=judge.pk).delete()


@dataclass(frozen=True)
class Progress:
    """Progress of a judge.

    total: pages, or games by criterion. done: how many of them are done. skipped: those of them
    without any usable answer. failures: how often each cause was the last one of a draw.
    """

    total: int
    done: int
    skipped: int
    answered: int
    tokens_in: int
    tokens_out: int
    failures: list[tuple[str, int]]


def progress(judge: Judge) -> Progress:
    """Return the judge's progress."""
    rows = judge.answers.all()
    causes = Counter(rows.exclude(failure="").values_list("failure", flat=True))
    token_sums = rows.aggregate(told_in=Sum("tokens_in"), told_out=Sum("tokens_out"))
    if judge.mode == Judge.RATER:
        mine = Assignment.objects.filter(rater=judge.rater_id or 0)
        mine = mine.exclude(state=Assignment.TIMED_OUT)
        item_count, skipped = mine.count(), mine.filter(state=Assignment.SKIPPED).count()
        done_count = mine.exclude(state=Assignment.OPEN).count()
    elif judge.mode == Judge.LISTS:
        item_count = judge.campaign.chosen.count() * len(LISTS)
        scored = judge.scores.count()
        done_count = item_count if judge.state == Judge.DONE else scored
        skipped = done_count - scored
    else:
        item_count = judge.campaign.chosen.count() * len(CRITERIA)
        done_count, skipped = _count_scored(judge)
    return Progress(
        total=item_count,
        done=done_count,
        skipped=skipped,
        answered=rows.filter(state=JudgeDraw.ANSWERED).count(),
        tokens_in=token_sums["told_in"] or 0,
        tokens_out=token_sums["told_out"] or 0,
        failures=sorted(causes.items()),
    )


def _count_scored(judge: Judge) -> tuple[int, int]:
    """Return (finished games by criterion, those of them without any usable answer)."""
    settled = Counter(
        judge.answers.filter(state__in=judge_runs.SETTLED).values_list("game", "dimension")
    )
    done_count = sum(n >= judge.draws for n in settled.values())
    return done_count, done_count - judge.scores.count()


def forget_reasons(*, game: int, **_more: Any) -> None:
    """Delete judges' reasons about a game whose text was removed, because they may repeat it."""
    of_game = Q(game=game) | Q(assignment__unit__game=game)
    JudgeDraw.objects.filter(of_game).exclude(reason="").update(reason="")
