"""Creates, changes, opens and closes campaigns.

A function that raises `Refused`, with sentences that say what to correct, changes nothing.
"""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.models import Game
from webapp.study import study_models
from webapp.study.design import instruments
from webapp.study.design.rating_design import CampaignSettings, RatingDesign, normalize_settings
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import ConsentStage, Design, RatingsStage
from webapp.study.games import situations
from webapp.study.models import Campaign, CampaignGame, Rater, Stimulus, Study, Unit
from webapp.study.program import json_hash
from webapp.study.rating import (
    campaign_games,
    exclusion,
    known_answers,
    rating_plan,
    unit_candidates,
    units,
)
from webapp.study.rating.stimuli import system_answers

MAX_COPIED_NAME_CHARS = 110  # leaves room for a translation of "(copy)" in the 120 of a name
SETTINGS = tuple(CampaignSettings.model_fields)
# Settings of a stage of ratings. The file of a study has them in `RatingsStage.settings`.
STAGE_SETTINGS = tuple(RatingDesign.model_fields)
ALWAYS_CHANGEABLE = ("name", "listed_only", "exits")
# Settings that the first rating fixes. The hash and a preregistration contain them.
FIXED_SETTINGS = tuple(name for name in SETTINGS if name not in ALWAYS_CHANGEABLE)
# Settings that the study stores, for the campaign.
STUDY_SETTINGS = (*ALWAYS_CHANGEABLE, "consent", "least_experience", "time_limit")
# Settings that older campaigns lack. Empty ones are left out of the hash, so that these campaigns
# keep theirs.
LATER_SETTINGS = (
    "exclusion", "quiz", "break_after", "time_limit", "planned_analysis", "more_rivals",
    "without_log",
)  # fmt: skip


def create(owner: User, name: str, **settings: Any) -> Campaign:
    """Create a draft, and a new study for it, in which participants only rate.

    `settings` are those of `change`.
    """
    campaign = _build_draft(Study(owner=owner, seed=secrets.token_hex(8)))
    stages = (ConsentStage(experience=True), RatingsStage(campaign=campaign.code))
    campaign.study.design = Design(stages=stages, reading_factor=False).to_json()
    games = settings.pop("games", None)
    set_settings(campaign, {"name": name, "consent": _default_consent(), **settings})
    with transaction.atomic():
        campaign.study.save()
        campaign.study_id = campaign.study.pk
        campaign.save()
        if games is not None:
            change(campaign, games=games)
    return campaign


def create_in_study(study: Study, name: str, **settings: Any) -> Campaign:
    """Create the campaign of a study's stage of ratings, or of an experiment's judges.

    If the study plays games, they are added to the campaign as they end.
    """
    has_games = study.is_experiment or study.stage("game")
    campaign = _build_draft(study, name=name, games_of=study if has_games else None)
    set_settings(campaign, settings)
    campaign.save()
    return campaign


def _build_draft(study: Study, **fields: Any) -> Campaign:
    """Return an unsaved draft with the Guarded questionnaire."""
    return Campaign(
        study=study,
        seed=secrets.token_hex(8),
        instrument=instruments.get("guarded").to_json(),
        choice=normalize_settings({"choice": {}})["choice"],
        **fields,
    )


def _default_consent() -> str:
    """Return a consent text that the researcher should replace."""
    return _(
        "You will read excerpts from games of Werewolf and rate them. What you enter is stored"
        " under a random number, for research. Taking part is voluntary: you can stop at any time"
        " and ask for your ratings to be deleted."
    )


def change(campaign: Campaign, **settings: Any) -> Campaign:
    """Change and save settings and chosen games. An open campaign without ratings gets new units.

    `settings` are values of SETTINGS. `games` is a mapping of games to their conditions, or pairs
    of both. An empty condition becomes `campaign_games.default_condition`.
    """
    games = settings.pop("games", None)
    if games is not None:
        games = list(games.items() if isinstance(games, Mapping) else games)
        situations.request_reading([game for game, _condition in games])
    with _campaign_for_update(campaign) as row:
        old_values = {name: getattr(row, name) for name in FIXED_SETTINGS}
        old_systems = row.systems
        set_settings(row, settings)
        has_changed = games is not None or any(
            old_values[name] != getattr(row, name) for name in FIXED_SETTINGS
        )
        if has_changed and row.has_ratings:
            raise Refused([_("Ratings depend on these settings. Make a copy to change them.")])
        row.study.save(update_fields=["name", "listed_only", "design"])
        row.save()
        if old_systems != row.systems:
            system_answers(unit__campaign=row).update(
                text="", state=Stimulus.WAITING, failure="", model="", method="", labels=[]
            )
        if games is not None:
            campaign_games.replace_games(row, games)
        if has_changed and row.state == Campaign.OPEN:
            _draw_or_refuse(row)
    campaign.refresh_from_db()
    return campaign


@contextmanager
def _campaign_for_update(campaign: Campaign) -> Iterator[Campaign]:
    """Open a transaction, and yield the campaign's row, locked together with its study's."""
    rows = Campaign.objects.select_for_update().select_related("study__owner")
    with transaction.atomic():
        yield rows.get(pk=campaign.pk)


def set_settings(campaign: Campaign, settings: Mapping[str, Any]) -> None:
    """Set settings of the campaign and its study without saving either."""
    checked = normalize_settings(settings)
    study = campaign.study
    for name, value in checked.items():
        if name not in STUDY_SETTINGS:
            setattr(campaign, name, value)
    if "name" in checked:
        campaign.name = study.name = checked["name"]
    study.listed_only = checked.get("listed_only", study.listed_only)
    study.design = {**study.design, "exits": checked.get("exits", study.design["exits"])}
    for stage in study.design["stages"]:
        stage.update(_stage_settings(stage["kind"], checked))
        if stage.get("campaign") == campaign.code and study.state == Study.DRAFT:
            stage["items"] = campaign.units_per_rater
    study.design = Design.from_json(study.design).to_json()


def _stage_settings(kind: str, checked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings among `checked` that a stage of that kind holds."""
    if kind == "consent":
        names = {"consent": "text", "least_experience": "least_experience"}
        return {field: checked[name] for name, field in names.items() if name in checked}
    if kind == "ratings" and "time_limit" in checked:
        minutes = checked["time_limit"]
        return {"minutes": minutes, "then": "out" if minutes else "go_on"}
    return {}


def add_game(campaign: Campaign, game: Game, condition: str) -> None:
    """Add a game of the campaign's study while raters are at work. Idempotent.

    The game's units are drawn in addition to the existing ones: immediately, or after a worker has
    read the game.
    """
    with _campaign_for_update(campaign) as row:
        campaign_games.add_study_game(row, game, condition)
        situations.request_reading(unit_candidates.games_without_situations(row))
        units.draw_added_games(row)


def copy(campaign: Campaign, owner: User | None = None) -> Campaign:
    """Create a draft with the same settings and games, and with a new seed and new links."""
    new_name = _("{name} (copy)").format(name=campaign.name[:MAX_COPIED_NAME_CHARS])
    study_settings = {name: getattr(campaign, name) for name in STUDY_SETTINGS if name != "name"}
    study_settings["consent"] = study_settings["consent"] or _default_consent()
    with transaction.atomic():
        duplicate = create(owner or campaign.owner, new_name, **study_settings)
        for name in STAGE_SETTINGS:
            setattr(duplicate, name, getattr(campaign, name))
        duplicate.save()
        CampaignGame.objects.bulk_create(
            CampaignGame(campaign=duplicate, game_id=row.game_id, condition=row.condition)
            for row in campaign.chosen_games.all()
        )
    return duplicate


def delete(campaign: Campaign) -> None:
    """Delete a campaign without ratings, and its study if participants only rate in it."""
    if campaign.has_ratings:
        raise Refused([_("Ratings depend on this study. Close and keep it, or erase its raters.")])
    (campaign.study if campaign.study.rates_only else campaign).delete()


def draw_units(campaign: Campaign) -> int:
    """Draw the units of a campaign without ratings. Return the number without attention checks."""
    situations.request_reading(unit_candidates.games_without_situations(campaign))
    with _campaign_for_update(campaign) as row:
        if row.has_ratings:
            return row.units.exclude(kind=Unit.ATTENTION).count()
        return units.draw_units(row)


def open(campaign: Campaign) -> None:
    """Open the campaign to raters, or refuse with the problems to solve first."""
    situations.request_reading(unit_candidates.games_without_situations(campaign))
    with _campaign_for_update(campaign) as row:
        if row.games_of_id and not row.has_ratings:
            units.draw_added_games(row)  # games are added while it is open
        elif not row.has_ratings:
            _draw_or_refuse(row)
        row.state, row.closed_at = Campaign.OPEN, None
        row.opened_at = row.opened_at or timezone.now()
        _save_state(row)
    campaign.refresh_from_db()


def _save_state(row: Campaign) -> None:
    """Save the campaign's state, and give it to its study if participants only rate in it."""
    fields = ("state", "opened_at", "closed_at")
    row.save(update_fields=fields)
    if row.study.rates_only:
        for name in fields:
            setattr(row.study, name, getattr(row, name))
        row.study.save(update_fields=fields)


def _draw_or_refuse(campaign: Campaign) -> None:
    if problems := rating_plan.find_problems(campaign):
        raise Refused(problems)
    units.draw_units(campaign)
    if problems := rating_plan.drawn_unit_problems(campaign):
        raise Refused(problems)


def close(campaign: Campaign) -> None:
    """Close the campaign. No more units are assigned, but pages that are open can be saved."""
    campaign.state, campaign.closed_at = Campaign.CLOSED, timezone.now()
    _save_state(campaign)
    exclusion.apply_rules_to_all(campaign)


def config_hash(campaign: Campaign) -> str:
    """Return the SHA-256 (hex) of the settings, instrument and games that ratings depend on.

    The games of a study are left out, because they are added while raters are at work.
    """
    rows = campaign.chosen_games.order_by("game__code").values_list("game__code", "condition")
    games = [] if campaign.games_of_id else [list(row) for row in rows]
    data = {name: getattr(campaign, name) for name in FIXED_SETTINGS} | {"games": games}
    data = {name: value for name, value in data.items() if value or name not in LATER_SETTINGS}
    if known_units := known_answers.known_answer_units(campaign):
        data["known"] = known_units
    return json_hash(data)


def next_pseudonym(campaign: Campaign) -> str:
    """Return the next unused pseudonym (R001, R002 …), for a caller that locks the campaign."""
    raters = Rater.objects.filter(campaign=campaign)
    return study_models.next_pseudonym("R", raters.values_list("pseudonym", flat=True))
