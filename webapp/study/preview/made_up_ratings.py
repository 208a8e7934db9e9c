"""The ratings of a preview, with a made-up game if the researcher has chosen none."""

from __future__ import annotations

import uuid

from django.utils import timezone
from django.utils.translation import gettext as _

from game.engine import rulesets
from game.models import Game
from webapp.study.design.compared_conditions import MAX_CONDITION_CHARS
from webapp.study.design.instruments import Instrument
from webapp.study.design.stages import RatingsStage, TableDesign
from webapp.study.games import situations
from webapp.study.models import (
    Assignment,
    Campaign,
    CampaignGame,
    Condition,
    Participant,
    Rater,
    Situations,
    Stimulus,
    Study,
)
from webapp.study.preview import made_up_games
from webapp.study.preview.positions import PREVIEW_KEY
from webapp.study.rater import assigning
from webapp.study.rating import unit_candidates, units
from webapp.study.sessions import study_campaigns

SITUATIONS_END = 400  # statements before this position have made-up situations
RATED_GAME_NUMBER = 900  # larger than the numbers of the participant's games


def open_campaign(study: Study, stage: RatingsStage, condition: Condition) -> Campaign:
    """Return the stage's campaign, open and with units. Refuse a stage with errors."""
    campaign = study_campaigns.get_or_create_campaign(study, stage)
    if not campaign.chosen_games.exists():
        game = _create_finished_game(study, campaign, condition)
        name = condition.name[:MAX_CONDITION_CHARS]
        CampaignGame.objects.create(campaign=campaign, game=game, condition=name)
    # All situations occur, so that each sample of units can be drawn.
    keys_by_position = {
        str(n): [situations.KEYS[n % len(situations.KEYS)]] for n in range(1, SITUATIONS_END)
    }
    for game in unit_candidates.games_without_situations(campaign):
        Situations.objects.update_or_create(
            game=game, defaults={"game_version": game.version, "keys_by_position": keys_by_position}
        )
    if not campaign.units.exists():
        _draw_units(campaign)
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    unready.update(state="idle", text=_("Sample text of this system."), failure="")
    campaign.state = Campaign.OPEN
    campaign.save(update_fields=["state"])
    return campaign


def _draw_units(campaign: Campaign) -> None:
    (units.draw_added_games if campaign.games_of_id else units.draw_units)(campaign)
    if not campaign.units.exists():  # one game is too small for the sample
        campaign.choice = {**campaign.choice, "pick": "all", "speakers": "all", "teams": []}
        campaign.save(update_fields=["choice"])
        units.draw_units(campaign)


def _create_finished_game(study: Study, campaign: Campaign, condition: Condition) -> Game:
    """Create a finished made-up game, with a seat for each rank of a ranking."""
    dimensions = Instrument.from_json(campaign.instrument).dimensions
    deck_size = max((d.max for d in dimensions if d.rank), default=0)
    table = TableDesign.from_json(condition.table)
    if study.rates_only:
        fitting = [n for n in rulesets.names() if len(rulesets.get(n).deck) == deck_size]
        ruleset = fitting[0] if fitting else table.ruleset
        condition.table = TableDesign(ruleset=ruleset, people=1, blind=False).to_json()
    slot = made_up_games.create_slot(study, condition, RATED_GAME_NUMBER)
    people = {} if study.rates_only else made_up_games.seat_participants(slot, None)
    slot.game = made_up_games.begin_game(slot, people)
    made_up_games.finish_game(slot)
    slot.game.refresh_from_db()
    return slot.game


def prepare_rater(participant: Participant, campaign: Campaign, *, is_trained: bool) -> Rater:
    """Return the participant's rater. A trained one gets pages with keys that never change."""
    rater = study_campaigns.get_or_create_rater(participant, campaign)
    rater.key = PREVIEW_KEY
    rater.experience = 2
    rater.trained_at = timezone.now() if is_trained else None
    rater.save(update_fields=["key", "experience", "trained_at"])
    if is_trained:
        assigning.assign_pages(rater, visitor=participant.visitor)
        for page in assigning.rater_pages(rater):
            page.key = uuid.uuid5(uuid.NAMESPACE_URL, f"{participant.study.code}/{page.index}")
            page.save(update_fields=["key"])
    return rater


def mark_all_answered(rater: Rater) -> None:
    """Mark all pages of the rater as answered, so that they can be submitted."""
    now = timezone.now()
    Assignment.objects.filter(rater=rater).update(
        state=Assignment.ANSWERED, shown_at=now, first_answer_at=now, submitted_at=now
    )
