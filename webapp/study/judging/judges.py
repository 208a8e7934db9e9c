"""A researcher's actions on judges: adding, starting, pausing and removing them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from agents import backends, model_catalog
from agents.model_catalog import InvalidCatalog
from webapp.study.design.rating_design import MAX_CONDITION_CHARS
from webapp.study.design.refusals import Refused
from webapp.study.judging import judge_runs
from webapp.study.judging.criteria import CRITERIA, LIST_CRITERIA
from webapp.study.judging.draw_requests import MAX_MODEL_CHARS
from webapp.study.models import (
    Campaign,
    CampaignGame,
    Judge,
    JudgeDraw,
    Rater,
    Slot,
    Study,
)  # fmt: skip
from webapp.study.rating import campaigns
from webapp.study.study_models import next_pseudonym

MAX_DRAWS = 5
MAX_PERSONA_CHARS = 2000
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
        pseudonyms = row.judges.values_list("pseudonym", flat=True)
        return Judge.objects.create(
            campaign=row,
            # J01, J02 …: not in the series of people, so that people's pseudonyms and the draws
            # that depend on them are the same with and without judges.
            pseudonym=next_pseudonym("J", pseudonyms, digits=2),
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


def on_text_redacted(*, game: int, **_more: Any) -> None:
    """Delete judges' reasons about a game whose text was removed: they may repeat it."""
    of_game = Q(game=game) | Q(assignment__unit__game=game)
    JudgeDraw.objects.filter(of_game).exclude(reason="").update(reason="")
