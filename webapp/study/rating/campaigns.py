"""Create, change, open and close campaigns. Pages and tests call these functions.

`Refused` carries sentences that say what to correct. Nothing is changed then.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.recipe import Recipe
from game.models import Game, Player
from webapp.study.design import instruments
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import ConsentStage, Design, RatingsStage
from webapp.study.games.eligible_games import games_with_agreement, usable_games
from webapp.study.models import Campaign, CampaignGame, Rater, Study
from webapp.study.program import json_hash
from webapp.study.rating import (
    campaign_settings,
    exclusion,
    rating_plan,
    situation_cache,
    unit_rows,
    units,
)
from webapp.study.rating.exclusion import exclude, include
from webapp.study.rating.rating_plan import plan

__all__ = [
    "Refused", "add_game", "apply", "change", "choose_games", "close", "condition_of",
    "config_hash", "copy", "create", "create_for", "delete", "exclude", "include",
    "lock_campaign", "next_pseudonym", "open", "plan",
]  # fmt: skip

# Settings that can change after the first rating.
ALWAYS_CHANGEABLE = ("name", "listed_only", "exits")
# Settings that the campaign's study stores.
STUDY_SETTINGS = (*ALWAYS_CHANGEABLE, "consent", "least_experience", "time_limit")
LOCKED = (
    "seed", "instrument", "choice", "rival", "rival_condition", "more_rivals", "without_log",
    "context", "raters_per_unit", "units_per_rater", "repeats", "attention", "lease_minutes",
    "consent", "least_experience", "exclusion", "quiz", "break_after", "time_limit",
    "planned_analysis",
)  # fmt: skip
SETTINGS = (*ALWAYS_CHANGEABLE, *LOCKED)
# Settings of a stage of ratings; a file has them in `RatingsStage.settings`.
STAGE_SETTINGS = tuple(name for name in LOCKED if name != "seed" and name not in STUDY_SETTINGS)
# Settings that older campaigns lack. Empty ones are left out of the hash, so that the hash of an
# older campaign does not change.
LATER_SETTINGS = (
    "exclusion", "quiz", "break_after", "time_limit", "planned_analysis", "more_rivals",
    "without_log",
)  # fmt: skip


def create(owner: User, name: str, **settings: Any) -> Campaign:
    """Create a draft, with the Guarded questionnaire by default."""
    campaign = _build_draft(Study(owner=owner, seed=secrets.token_hex(8)))
    campaign.study.design = _rating_only_design(campaign)
    games = settings.pop("games", None)
    apply(campaign, {"name": name, "consent": default_consent(), **settings})
    with transaction.atomic():
        campaign.study.save()
        campaign.study_id = campaign.study.pk
        campaign.save()
        if games is not None:
            choose_games(campaign, games)
    return campaign


def create_for(study: Study, name: str, **settings: Any) -> Campaign:
    """Create the campaign of a study's stage of ratings, or of an experiment's judges.

    The study's games are added to it as they end.
    """
    has_games = study.is_experiment or study.stage("game")
    campaign = _build_draft(study, name=name, games_of=study if has_games else None)
    apply(campaign, settings)
    campaign.save()
    return campaign


def _build_draft(study: Study, **fields: Any) -> Campaign:
    """Return an unsaved draft with the Guarded questionnaire."""
    return Campaign(
        study=study,
        seed=secrets.token_hex(8),
        instrument=instruments.get("guarded").to_json(),
        choice=campaign_settings.check_settings({"choice": {}}, SETTINGS)["choice"],
        **fields,
    )


def _rating_only_design(campaign: Campaign) -> dict[str, Any]:
    """Return the design of a study whose only work is to rate in this campaign."""
    ratings = RatingsStage(campaign=campaign.code)
    design = Design(stages=(ConsentStage(experience=True), ratings), reading_factor=False)
    return design.to_json()


def default_consent() -> str:
    """Return a default consent text, which the study should replace."""
    return _(
        "You will read excerpts from games of Werewolf and rate them. What you enter is stored"
        " under a random number, for research. Taking part is voluntary: you can stop at any time"
        " and ask for your ratings to be deleted."
    )


def change(campaign: Campaign, **settings: Any) -> Campaign:
    """Change settings (SETTINGS) and games (`games`, as in `choose_games`).

    The units of an open campaign without ratings are drawn again.
    """
    games = settings.pop("games", None)
    if games is not None:
        games = list(games.items() if isinstance(games, Mapping) else games)
        situation_cache.request_reading([game for game, _condition in games])
    with transaction.atomic():
        row = lock_campaign(campaign)
        old_values = {name: getattr(row, name) for name in LOCKED}
        old_systems = row.systems
        apply(row, settings)
        has_changed = any(old_values[name] != getattr(row, name) for name in LOCKED)
        if (has_changed or games is not None) and row.is_locked:
            raise Refused([locked_sentence()])
        row.study.save(update_fields=["name", "listed_only", "design"])
        row.save()
        if old_systems != row.systems:
            unit_rows.reset_rivals(row)
        if games is not None:
            _store_games(row, games)
        if (has_changed or games is not None) and row.state == Campaign.OPEN:
            _draw_or_refuse(row)
    campaign.refresh_from_db()
    return campaign


def lock_campaign(campaign: Campaign) -> Campaign:
    """Return the campaign's row with its study's, locked until the transaction ends."""
    rows = Campaign.objects.select_for_update().select_related("study__owner")
    return rows.get(pk=campaign.pk)


def locked_sentence() -> str:
    return _("Ratings depend on these settings. Make a copy to change them.")


def apply(campaign: Campaign, settings: Mapping[str, Any]) -> None:
    """Set settings of the campaign and its study without saving them."""
    checked = campaign_settings.check_settings(settings, SETTINGS)
    study = campaign.study
    for name, value in checked.items():
        if name not in STUDY_SETTINGS:
            setattr(campaign, name, value)
    if "name" in checked:
        campaign.name = study.name = checked["name"]
    study.listed_only = checked.get("listed_only", study.listed_only)
    study.design = {**study.design, "exits": checked.get("exits", study.design["exits"])}
    for stage in study.design["stages"]:
        stage |= _stage_settings(stage["kind"], checked)
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


def choose_games(
    campaign: Campaign, games: Mapping[Game, str] | Iterable[tuple[Game, str]]
) -> None:
    """Set the games to draw from, each with its condition.

    An empty condition becomes the default (`condition_of`).
    """
    change(campaign, games=games)


def _store_games(
    campaign: Campaign, games: Mapping[Game, str] | Iterable[tuple[Game, str]]
) -> None:
    pairs = list(games.items() if isinstance(games, Mapping) else games)
    rows = {row.game_id: row for row in campaign.chosen.all()}
    campaign_settings.check_games(pairs, usable_games(campaign.study.owner_id), chosen_ids=rows)
    kept_ids = {game.pk for game, _condition in pairs}
    CampaignGame.objects.filter(campaign=campaign).exclude(game__in=kept_ids).delete()
    for game, condition in pairs:
        label = campaign_settings.clean_condition_name(condition) or condition_of(game)
        row = rows.get(game.pk)
        if row is None:
            CampaignGame.objects.create(campaign=campaign, game=game, condition=label)
        elif row.condition != label:
            row.condition = label
            row.save(update_fields=["condition"])


def add_game(campaign: Campaign, game: Game, condition: str) -> None:
    """Add a game of the campaign's study while raters are at work.

    Its units are drawn in addition to the existing ones, immediately or once a worker has read it.
    A game that has joined already stays as it is.
    """
    with transaction.atomic():
        row = lock_campaign(campaign)
        if not row.chosen.filter(game=game).exists():
            campaign_settings.check_games([(game, condition)], games_with_agreement())
            CampaignGame.objects.create(
                campaign=row, game=game, condition=campaign_settings.clean_condition_name(condition)
            )
        situation_cache.request_reading(units.games_without_situations(row))
        units.draw_added_games(row)


def condition_of(game: Game) -> str:
    """Return the default name of a game's condition: the kinds and methods of its players."""
    parts: list[str] = []
    for player in Player.objects.filter(game=game).order_by("seat"):
        if player.kind == Player.AGENT:
            recipe = Recipe.of(player.recipe or {})
            parts.append(f"{recipe.backend} {recipe.method}")
        else:
            parts.append(_("people"))
    return " + ".join(dict.fromkeys(parts))[:60]


def copy(campaign: Campaign, owner: User | None = None) -> Campaign:
    """Create a draft with the same settings and games, and with a new seed and new links.

    Args:
        owner: Owner of the copy. By default the campaign's owner.
    """
    name = _("{name} (copy)").format(name=campaign.name[:110])
    study_settings = {n: getattr(campaign, n) for n in STUDY_SETTINGS if n != "name"}
    study_settings["consent"] = study_settings["consent"] or default_consent()
    with transaction.atomic():
        duplicate = create(owner or campaign.owner, name, **study_settings)
        for setting_name in STAGE_SETTINGS:
            setattr(duplicate, setting_name, getattr(campaign, setting_name))
        duplicate.save()
        CampaignGame.objects.bulk_create(
            CampaignGame(campaign=duplicate, game_id=row.game_id, condition=row.condition)
            for row in campaign.chosen.all()
        )
    return duplicate


def delete(campaign: Campaign) -> None:
    """Delete the campaign, and its study if that only rates.

    Raises:
        Refused: There are ratings.
    """
    if campaign.is_locked:
        raise Refused([_("Ratings depend on this study. Close and keep it, or erase its raters.")])
    (campaign.study if campaign.study.rates_only else campaign).delete()


def draw_units(campaign: Campaign) -> int:
    """Draw the units of a campaign without ratings.

    So they can be inspected, and the rivals' answers made, before it opens.

    Returns:
        Their number.
    """
    situation_cache.request_reading(units.games_without_situations(campaign))
    with transaction.atomic():
        row = lock_campaign(campaign)
        return (
            row.units.exclude(kind="attention").count() if row.is_locked else units.draw_units(row)
        )


def open(campaign: Campaign) -> None:
    """Open the campaign to raters.

    Raises:
        Refused: With the problems to solve first.
    """
    situation_cache.request_reading(units.games_without_situations(campaign))
    with transaction.atomic():
        row = lock_campaign(campaign)
        if row.games_of_id and not row.is_locked:
            units.draw_added_games(row)  # games are added while it is open
        elif not row.is_locked:
            _draw_or_refuse(row)
        row.state, row.closed_at = Campaign.OPEN, None
        row.opened_at = row.opened_at or timezone.now()
        _save_state(row)
    campaign.refresh_from_db()


def _save_state(row: Campaign) -> None:
    """Save the campaign's state, and give its study the same if that only rates."""
    times = ("state", "opened_at", "closed_at")
    row.save(update_fields=times)
    if row.study.rates_only:
        for name in times:
            setattr(row.study, name, getattr(row, name))
        row.study.save(update_fields=times)


def _draw_or_refuse(campaign: Campaign) -> None:
    if problems := rating_plan.find_problems(campaign):
        raise Refused(problems)
    units.draw_units(campaign)
    if problems := rating_plan.drawn_unit_problems(campaign):
        raise Refused(problems)


def close(campaign: Campaign) -> None:
    """Close the campaign: no more units are assigned. Pages that are open can still be saved."""
    campaign.state, campaign.closed_at = Campaign.CLOSED, timezone.now()
    _save_state(campaign)
    exclusion.apply_rules_to_all(campaign)


def config_hash(campaign: Campaign) -> str:
    """Return the SHA-256 (hex) of the settings, instrument and games that ratings depend on.

    The games of a study are left out, because they are added while raters are at work.
    """
    rows = campaign.chosen.order_by("game__code").values_list("game__code", "condition")
    games = [] if campaign.games_of_id else [list(r) for r in rows]
    data = {n: getattr(campaign, n) for n in LOCKED} | {"games": games}
    data = {n: value for n, value in data.items() if value or n not in LATER_SETTINGS}
    if known_units := unit_rows.known_answer_units(campaign):
        data["known"] = known_units
    return json_hash(data)


def next_pseudonym(campaign: Campaign) -> str:
    """Return the next unused pseudonym (R001, R002 …). The caller holds the campaign's row."""
    names = Rater.objects.filter(campaign=campaign).values_list("pseudonym", flat=True)
    numbers = [int(n[1:]) for n in names if n[1:].isdecimal()]
    return f"R{max(numbers, default=0) + 1:03d}"
