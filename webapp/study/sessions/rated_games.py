"""The campaigns in which participants rate, as raters, and a study's games that join them."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.study.design import instruments
from webapp.study.design.stages import Design, RatingsStage
from webapp.study.design.value_checks import Refused
from webapp.study.models import Campaign, Participant, Rater, Slot, Study
from webapp.study.rating import campaigns, exclusion, rater_exits, units
from webapp.study.sessions import participant_steps
from webapp.study.sessions.participant_steps import Step

logger = logging.getLogger(__name__)

RATERS_PER_UNIT = 3
CONTEXT = 8  # turns shown before the rated text


def stages(design: Design) -> list[RatingsStage]:
    return [stage for stage in design.stages if isinstance(stage, RatingsStage)]


def prepare(study: Study) -> None:
    """Create the campaigns of the study's stages as it is opened. Raises Refused."""
    for stage in stages(participant_steps.design_of(study)):
        campaign = campaign_of(study, stage)
        if campaign.study_id == study.pk:
            campaigns.open(campaign)


def unlock(study: Study) -> None:
    """Make the study's own campaigns drafts again. Those made as it was opened are deleted."""
    codes = {stage.campaign for stage in stages(participant_steps.design_of(study))}
    study.campaigns.exclude(code__in=codes).delete()
    study.campaigns.update(state=Campaign.DRAFT, opened_at=None, closed_at=None)


def campaign_of(study: Study, stage: RatingsStage) -> Campaign:
    """Return the campaign of a stage: the one it names, or one created at the first call.

    Raises Refused if it names a campaign that does not exist.
    """
    if known_campaign := find_campaign(study, stage):
        return known_campaign
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if stage.campaign:
            return _named_campaign(row, stage.campaign)
        campaign = find_campaign(row, stage) or _create_campaign(row, stage)
        if campaign.state == Campaign.DRAFT:
            campaigns.open(campaign)
        return campaign


def campaigns_of(study: Study) -> QuerySet[Campaign]:
    """Return the campaigns of the study's stages and those that its games join, oldest first."""
    return Campaign.objects.filter(Q(study=study) | Q(games_of=study)).order_by("pk")


def find_campaign(study: Study, stage: RatingsStage) -> Campaign | None:
    """Return the campaign of a stage, None if it has none yet."""
    if stage.campaign:
        return campaigns_of(study).filter(code=stage.campaign).first()
    rows = Campaign.objects.filter(games_of=study).order_by("pk")
    return next((c for c in rows if c.instrument.get("key") == stage.instrument), None)


def _named_campaign(study: Study, code: str) -> Campaign:
    campaign = Campaign.objects.filter(code=code, study__owner=study.owner).first()
    if campaign is None or campaign.games_of_id not in (None, study.pk):
        raise Refused([_("There are no ratings {code} for this study.").format(code=code)])
    if campaign.games_of_id is None:
        campaign.games_of = study
        campaign.save(update_fields=["games_of"])
    return campaign


def draft_of(study: Study, at: int) -> Campaign:
    """Return the campaign of the rating stage at that position, for its set-up page.

    Raises Refused, IndexError.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        stage = participant_steps.design_of(row).stages[at]
        if not isinstance(stage, RatingsStage):
            raise Refused([_("Nothing is rated at this stage.")])
        if known_campaign := find_campaign(row, stage) or (
            _named_campaign(row, stage.campaign) if stage.campaign else None
        ):
            return known_campaign
        campaign = _create_campaign(row, stage)
        stages = list(row.design["stages"])
        stages[at] = {**stages[at], "campaign": campaign.code}
        row.design = {**row.design, "stages": stages}
        row.save(update_fields=["design"])
    return campaign


def design_with_settings(study: Study) -> Design:
    """Return the design with the settings of the study's own campaigns, for a copy or a file."""
    data = dict(study.design)
    own = {c.code: c for c in study.campaigns.all()}
    data["stages"] = [
        {**stage, "campaign": "", "settings": _settings(own[stage["campaign"]])}
        if stage.get("campaign") in own
        else stage
        for stage in data["stages"]
    ]
    return Design.of(data)


def _settings(campaign: Campaign) -> dict[str, Any]:
    settings = {name: getattr(campaign, name) for name in campaigns.STAGE_SETTINGS}
    # TOML has no null.
    return {name: value for name, value in settings.items() if value is not None}


def create_campaigns(study: Study) -> None:
    """Create the campaigns that the design of a new study contains. Raises Refused."""
    stages = []
    for stage in study.design["stages"]:
        if settings := stage.pop("settings", None):
            if unknown := sorted(set(settings) - set(campaigns.STAGE_SETTINGS)):
                refusal_text = _("The ratings have settings that there are not: {names}.")
                raise Refused([refusal_text.format(names=", ".join(unknown)[:200])])
            name = study.name if study.rates_only else f"{study.name[:100]}: {stage['kind']}"
            stage["campaign"] = campaigns.create_for(study, name, **settings).code
        stages.append(stage)
    study.design = {**study.design, "stages": stages}
    study.save(update_fields=["design"])


def _create_campaign(study: Study, stage: RatingsStage) -> Campaign:
    """Create a campaign that rates everybody's statements, so that it does not reveal people.

    It has no participants of its own link.
    """
    return campaigns.create_for(
        study,
        f"{study.name[:100]}: {stage.instrument}",
        instrument=instruments.get(stage.instrument).data(),
        choice={"pick": "all", "speakers": "all", "fill": "depth"},
        context=CONTEXT,
        raters_per_unit=RATERS_PER_UNIT,
        units_per_rater=stage.items,
    )


def enrol(participant: Participant, experience: int | None) -> None:
    """Enrol a participant of a study that only rates as a rater of its campaign."""
    campaign = participant.study.campaigns.get()
    rater = rater_of(participant, campaign)
    rater.experience = experience
    if experience is not None and experience < campaign.least_experience:
        rater.screened_out_at = timezone.now()
    rater.save(update_fields=["experience", "screened_out_at"])


def rater_of(participant: Participant, campaign: Campaign) -> Rater:
    """Return the participant's rater in the campaign. Create it at the first call.

    The participant's consent to the study covers the ratings.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)  # nobody can exclude them meanwhile
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        if rater := Rater.objects.filter(campaign=campaign, participant=row).first():
            return rater
        rater = Rater.objects.create(
            campaign=campaign,
            participant=row,
            pseudonym=campaigns.next_pseudonym(campaign),
            consented_at=row.consented_at or timezone.now(),
            seen_at=timezone.now(),
        )
        if row.excluded:
            exclusion.exclude(rater, row.exclusion_reason)
    return rater


def all_rated(study: Study) -> bool:
    """Return whether a newcomer to a study that only rates would find nothing to rate."""
    return rater_exits.all_rated(study.campaigns.get())


def catch_up(study: Study) -> None:
    """Add every valid ended game of the study to its campaigns that are not closed."""
    if study.rates_only:
        return
    finished = Slot.objects.filter(study=study, state=Slot.DONE, game__ended_at__isnull=False)
    for stage in stages(participant_steps.design_of(study)):
        campaign = campaign_of(study, stage)
        if campaign.state == Campaign.CLOSED:
            continue
        fresh = finished.exclude(game__campaigngame__campaign=campaign)
        for slot in fresh.select_related("game", "condition"):
            assert slot.game
            try:
                campaigns.add_game(campaign, slot.game, slot.condition.name[:60])
            except Refused as refused:
                logger.warning("slot %s is not rated: %s", slot.pk, refused)


def is_reading_games(campaign: Campaign) -> bool:
    """Return whether a worker still reads games that have joined."""
    return bool(units.games_without_situations(campaign))


def add_ended_games(study: Study) -> None:
    """Run `catch_up` and log errors, so that no participant is held up."""
    try:
        catch_up(study)
    except Exception:
        logger.exception("study %s: games could not join its ratings", study.pk)


def end_rating(participant: Participant, step: Step | None) -> None:
    """Release what the participant holds as a rater in the study's campaigns.

    Args:
        step: The stage of ratings that they leave; none if they leave the study.
    """
    by_exit = {"timed_out": Rater.TIMED_OUT, "full": Rater.FULL}
    kind = Rater.TIMED_OUT if step else by_exit.get(participant.exit, Rater.WITHDRAWN)
    for rater in Rater.objects.filter(participant=participant, left_as="", finished_at=None):
        if step is None or is_rater_of(rater, step):
            rater_exits.leave(rater, kind)


def is_rater_of(rater: Rater, step: Step) -> bool:
    """Return whether the step is the one whose campaign the rater belongs to."""
    assert rater.participant
    if not isinstance(step.stage, RatingsStage):
        return False
    own = find_campaign(rater.participant.study, step.stage)
    return own is not None and own.pk == rater.campaign_id
