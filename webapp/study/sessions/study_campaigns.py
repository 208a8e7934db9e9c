"""The campaigns of a study: their creation, and the study's games and participants in them."""

import logging

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.study.design import instruments
from webapp.study.design.rating_design import MAX_CONDITION_CHARS
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, RatingsStage
from webapp.study.models import Campaign, Participant, Rater, Slot, Study
from webapp.study.rating import campaigns, exclusion
from webapp.study.sessions import participant_state
from webapp.study.sessions.participant_state import Step

logger = logging.getLogger(__name__)

RATERS_PER_UNIT = 3
MAX_STUDY_NAME_CHARS = 100  # length to which a study's name is cut in the name of a campaign
CONTEXT_TURNS = 8  # transcript entries shown before the rated text


def _rating_stages(study: Study) -> list[RatingsStage]:
    stages = participant_state.design_of(study).stages
    return [stage for stage in stages if isinstance(stage, RatingsStage)]


def open_campaigns(study: Study) -> None:
    """Create and open the campaigns of the study's rating stages."""
    for stage in _rating_stages(study):
        campaign = get_or_create_campaign(study, stage)
        if campaign.study_id == study.pk:
            campaigns.open(campaign)


def reset_campaigns(study: Study) -> None:
    """Make the study's own campaigns drafts, and delete those that its opening created."""
    codes = {stage.campaign for stage in _rating_stages(study)}
    study.campaigns.exclude(code__in=codes).delete()
    study.campaigns.update(state=Campaign.DRAFT, opened_at=None, closed_at=None)


def get_or_create_campaign(study: Study, stage: RatingsStage) -> Campaign:
    """Return the campaign that a stage names, or its own. The first call creates and opens it."""
    if campaign := find_campaign(study, stage):
        return campaign
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if stage.campaign:
            return _named_campaign(row, stage.campaign)
        campaign = find_campaign(row, stage) or _create_campaign(row, stage)
        if campaign.state == Campaign.DRAFT:
            campaigns.open(campaign)
        return campaign


def campaigns_of(study: Study) -> QuerySet[Campaign]:
    """Return the study's own campaigns and those that have its games, oldest first."""
    return Campaign.objects.filter(Q(study=study) | Q(games_of=study)).order_by("pk")


def find_campaign(study: Study, stage: RatingsStage) -> Campaign | None:
    """Return the campaign of a stage, None if it has none yet."""
    if stage.campaign:
        return campaigns_of(study).filter(code=stage.campaign).first()
    rows = Campaign.objects.filter(games_of=study).order_by("pk")
    return next((c for c in rows if c.instrument.get("key") == stage.instrument), None)


def _named_campaign(study: Study, code: str) -> Campaign:
    """Return the owner's campaign with that code, and make the study's games join it."""
    campaign = Campaign.objects.filter(code=code, study__owner=study.owner).first()
    if campaign is None or campaign.games_of_id not in (None, study.pk):
        raise Refused([_("This study has no ratings {code}.").format(code=code)])
    if campaign.games_of_id is None:
        campaign.games_of = study
        campaign.save(update_fields=["games_of"])
    return campaign


def get_or_create_draft(study: Study, stage_index: int) -> Campaign:
    """Return the campaign of a rating stage for its setup page. Create it at the first call."""
    with transaction.atomic():
        row = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        stage = participant_state.design_of(row).stages[stage_index]
        if not isinstance(stage, RatingsStage):
            raise Refused([_("Nothing is rated at this stage.")])
        if campaign := find_campaign(row, stage):
            return campaign
        if stage.campaign:
            return _named_campaign(row, stage.campaign)
        campaign = _create_campaign(row, stage)
        stages = list(row.design["stages"])
        stages[stage_index] = {**stages[stage_index], "campaign": campaign.code}
        row.design = {**row.design, "stages": stages}
        row.save(update_fields=["design"])
    return campaign


def design_with_settings(study: Study) -> Design:
    """Return the design with the settings of the study's own campaigns, for a copy or a file."""
    own_campaigns = {c.code: c for c in study.campaigns.all()}
    stages = []
    for stage in study.design["stages"]:
        if campaign := own_campaigns.get(stage.get("campaign")):
            values = {name: getattr(campaign, name) for name in campaigns.STAGE_SETTINGS}
            settings = {name: value for name, value in values.items() if value is not None}
            stage = {**stage, "campaign": "", "settings": settings}  # TOML has no null
        stages.append(stage)
    return Design.from_json({**study.design, "stages": stages})


def create_campaigns(study: Study) -> None:
    """Create a new study's campaigns from its design: the inverse of `design_with_settings`."""
    stages = []
    for stage in study.design["stages"]:
        if settings := stage.pop("settings", None):
            if unknown := sorted(set(settings) - set(campaigns.STAGE_SETTINGS)):
                refusal_text = _("The ratings have unknown settings: {names}.")
                raise Refused([refusal_text.format(names=", ".join(unknown)[:200])])
            name = study.name if study.rates_only else _campaign_name(study, stage["kind"])
            stage["campaign"] = campaigns.create_in_study(study, name, **settings).code
        stages.append(stage)
    study.design = {**study.design, "stages": stages}
    study.save(update_fields=["design"])


def _create_campaign(study: Study, stage: RatingsStage) -> Campaign:
    """Create a campaign with default settings.

    The statements of all players are rated, so that the choice does not reveal people.
    """
    return campaigns.create_in_study(
        study,
        _campaign_name(study, stage.instrument),
        instrument=instruments.get(stage.instrument).to_json(),
        choice={"pick": "all", "speakers": "all", "fill": "depth"},
        context=CONTEXT_TURNS,
        raters_per_unit=RATERS_PER_UNIT,
        units_per_rater=stage.items,
    )


def _campaign_name(study: Study, part: str) -> str:
    """Return the study's name, shortened so that a part of the study fits behind it."""
    return f"{study.name[:MAX_STUDY_NAME_CHARS]}: {part}"


def enrol_rater(participant: Participant, experience: int | None) -> None:
    """Create the rater of a participant whose study only rates (`Study.rates_only`)."""
    campaign = participant.study.campaigns.get()
    rater = get_or_create_rater(participant, campaign)
    rater.experience = experience
    if experience is not None and experience < campaign.least_experience:
        rater.screened_out_at = timezone.now()
    rater.save(update_fields=["experience", "screened_out_at"])


def get_or_create_rater(participant: Participant, campaign: Campaign) -> Rater:
    """Return the participant's rater in the campaign. Create it at the first call."""
    # The lock prevents an exclusion meanwhile.
    with participant_state.locked_participant(participant) as row:
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        if rater := Rater.objects.filter(campaign=campaign, participant=row).first():
            return rater
        rater = Rater.objects.create(
            campaign=campaign,
            participant=row,
            pseudonym=campaigns.next_pseudonym(campaign),
            consented_at=row.consented_at or timezone.now(),  # the study's consent covers ratings
            seen_at=timezone.now(),
        )
        if row.excluded:
            exclusion.exclude(rater, row.exclusion_reason)
    return rater


def add_missing_games(study: Study) -> None:
    """Add every valid ended game of the study to its campaigns that are not closed."""
    if study.rates_only:
        return
    finished = Slot.objects.filter(study=study, state=Slot.DONE, game__ended_at__isnull=False)
    for stage in _rating_stages(study):
        campaign = get_or_create_campaign(study, stage)
        if campaign.state == Campaign.CLOSED:
            continue
        missing = finished.exclude(game__campaigngame__campaign=campaign)
        for slot in missing.select_related("game", "condition"):
            assert slot.game
            try:
                campaigns.add_game(campaign, slot.game, slot.condition.name[:MAX_CONDITION_CHARS])
            except Refused as refused:
                logger.warning("slot %s is not rated: %s", slot.pk, refused)


def try_adding_games(study: Study) -> None:
    """Run `add_missing_games`, and log errors so that they do not stop a participant."""
    try:
        add_missing_games(study)
    except Exception:
        logger.exception("study %s: games could not join its ratings", study.pk)


def leave_ratings(participant: Participant, step: Step | None) -> None:
    """End the participant's unfinished ratings of a step (None: all), which frees their units."""
    kinds_by_exit = {"timed_out": Rater.TIMED_OUT, "full": Rater.FULL}
    kind = Rater.TIMED_OUT if step else kinds_by_exit.get(participant.exit, Rater.WITHDRAWN)
    for rater in Rater.objects.filter(participant=participant, left_as="", finished_at=None):
        if step is None or is_rater_of(rater, step):
            exclusion.record_exit(rater, kind)


def is_rater_of(rater: Rater, step: Step) -> bool:
    """Return whether the rater belongs to the campaign of the step."""
    assert rater.participant
    if not isinstance(step.stage, RatingsStage):
        return False
    campaign = find_campaign(rater.participant.study, step.stage)
    return campaign is not None and campaign.pk == rater.campaign_id
