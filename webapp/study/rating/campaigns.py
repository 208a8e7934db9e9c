"""Setting up, opening and closing a campaign. Pages and tests call these functions.

`Refused` carries sentences that say what to correct; nothing has been changed then.
"""

from __future__ import annotations

import hashlib
import json
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
from webapp.study.design.stages import ConsentStage, Design, RatingsStage
from webapp.study.design.value_checks import Refused
from webapp.study.games.eligible_games import games_with_agreement, usable_games
from webapp.study.models import Campaign, CampaignGame, Rater, Rating, Study
from webapp.study.rating import exclusion, rating_checks, rating_plan, situation_cache, units
from webapp.study.rating.exclusion import exclude, include
from webapp.study.rating.rating_plan import plan

__all__ = [
    "Refused",
    "add_game",
    "apply",
    "change",
    "choose_games",
    "close",
    "condition_of",
    "config_hash",
    "copy",
    "create",
    "create_for",
    "delete",
    "exclude",
    "include",
    "lock_campaign",
    "next_pseudonym",
    "open",
    "plan",
]  # fmt: skip

# Settings that may still be changed when there are ratings.
ALWAYS_CHANGEABLE = ("name", "listed_only", "exits")
# Settings that the campaign's study stores.
OF_STUDY = (*ALWAYS_CHANGEABLE, "consent", "least_experience", "time_limit")
LOCKED = (
    "seed", "instrument", "choice", "rival", "rival_condition", "more_rivals", "without_log",
    "context", "raters_per_unit", "units_per_rater", "repeats", "attention", "lease_minutes",
    "consent", "least_experience", "exclusion", "quiz", "break_after", "time_limit",
    "planned_analysis",
)  # fmt: skip
SETTINGS = (*ALWAYS_CHANGEABLE, *LOCKED)
# Settings of a stage of ratings; a file has them in `Ratings.settings`.
OF_STAGE = tuple(name for name in LOCKED if name != "seed" and name not in OF_STUDY)
# Settings that earlier campaigns did not have: in the hash only where they say something, so that
# the hash of a campaign stays what it was.
LATER_SETTINGS = (
    "exclusion", "quiz", "break_after", "time_limit", "planned_analysis", "more_rivals",
    "without_log",
)  # fmt: skip


def create(owner: User, name: str, **settings: Any) -> Campaign:
    """Return a new draft, with the Guarded questionnaire unless `settings` say otherwise.

    Raises Refused.
    """
    campaign = _unsaved(Study(owner=owner, seed=secrets.token_hex(8)))
    campaign.study.design = _design(campaign)
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

    The study's games join it as they end.
    """
    has_games = study.is_experiment or study.stage("game")
    campaign = _unsaved(study, name=name, games_of=study if has_games else None)
    apply(campaign, settings)
    campaign.save()
    return campaign


def _unsaved(study: Study, **more: Any) -> Campaign:
    """Return a draft with the Guarded questionnaire."""
    return Campaign(
        study=study,
        seed=secrets.token_hex(8),
        instrument=instruments.get("guarded").data(),
        choice=rating_checks.check_settings({"choice": {}}, SETTINGS)["choice"],
        **more,
    )


def _design(campaign: Campaign) -> dict[str, Any]:
    """Return the design of a study that only rates, with this campaign."""
    ratings = RatingsStage(campaign=campaign.code)
    design = Design(stages=(ConsentStage(experience=True), ratings), reading_factor=False)
    return design.data()


def default_consent() -> str:
    """Return a default consent text, which the study should replace."""
    return _(
        "You will read excerpts from games of Werewolf and rate them. What you enter is stored"
        " under a random number, for research. Taking part is voluntary: you can stop at any time"
        " and ask for your ratings to be deleted."
    )


def change(campaign: Campaign, **settings: Any) -> Campaign:
    """Set some of SETTINGS, and `games` as `choose_games` takes them. Raises Refused.

    Before the first rating an open campaign can be changed too: its units are drawn anew.
    """
    games = settings.pop("games", None)
    if games is not None:
        games = list(games.items() if isinstance(games, Mapping) else games)
        situation_cache.request_reading([game for game, _condition in games])
    with transaction.atomic():
        row = lock_campaign(campaign)
        before = {name: getattr(row, name) for name in LOCKED}
        recipes = row.systems
        apply(row, settings)
        moved = any(before[name] != getattr(row, name) for name in LOCKED)
        if (moved or games is not None) and row.locked:
            raise Refused([locked_sentence()])
        row.study.save(update_fields=["name", "listed_only", "design"])
        row.save()
        if recipes != row.systems:
            units.forget_rivals(row)
        if games is not None:
            _choose(row, games)
        if (moved or games is not None) and row.state == Campaign.OPEN:
            _draw_or_refuse(row)
    campaign.refresh_from_db()
    return campaign


def lock_campaign(campaign: Campaign) -> Campaign:
    """Return the campaign's row with its study's, locked until the transaction ends."""
    rows = Campaign.objects.select_for_update().select_related("study__owner")
    return rows.get(pk=campaign.pk)


def locked_sentence() -> str:
    return _("Ratings rest on these settings: they stay as they are. Make a copy to change them.")


def apply(campaign: Campaign, settings: Mapping[str, Any]) -> None:
    """Put settings on the campaign and its study, unsaved. Raises Refused."""
    checked = rating_checks.check_settings(settings, SETTINGS)
    study = campaign.study
    for name, value in checked.items():
        if name not in OF_STUDY:
            setattr(campaign, name, value)
    if "name" in checked:
        campaign.name = study.name = checked["name"]
    study.listed_only = checked.get("listed_only", study.listed_only)
    study.design = {**study.design, "exits": checked.get("exits", study.design["exits"])}
    for stage in study.design["stages"]:
        stage |= _stage_settings(stage["kind"], checked)
        if stage.get("campaign") == campaign.code and study.state == Study.DRAFT:
            stage["items"] = campaign.units_per_rater
    study.design = Design.of(study.design).data()


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
    """Set the games to draw from, each with its condition ("": `condition_of`).

    Raises Refused.
    """
    change(campaign, games=games)


def _choose(campaign: Campaign, games: Mapping[Game, str] | Iterable[tuple[Game, str]]) -> None:
    pairs = list(games.items() if isinstance(games, Mapping) else games)
    rows = {row.game_id: row for row in campaign.chosen.all()}
    rating_checks.check_games(pairs, usable_games(campaign.study.owner_id), chosen=rows)
    kept_ids = {game.pk for game, _condition in pairs}
    CampaignGame.objects.filter(campaign=campaign).exclude(game__in=kept_ids).delete()
    for game, condition in pairs:
        label = rating_checks.condition_label(condition) or condition_of(game)
        row = rows.get(game.pk)
        if row is None:
            CampaignGame.objects.create(campaign=campaign, game=game, condition=label)
        elif row.condition != label:
            row.condition = label
            row.save(update_fields=["condition"])


def add_game(campaign: Campaign, game: Game, condition: str) -> None:
    """Add a game of the campaign's study while raters are at work.

    Its units are drawn in addition to the existing ones, immediately or once a worker has read it.
    A game that has joined already stays as it is. Raises Refused.
    """
    with transaction.atomic():
        row = lock_campaign(campaign)
        if not row.chosen.filter(game=game).exists():
            rating_checks.check_games([(game, condition)], games_with_agreement())
            CampaignGame.objects.create(
                campaign=row, game=game, condition=rating_checks.condition_label(condition)
            )
        situation_cache.request_reading(units.games_without_situations(row))
        units.grow(row)


def condition_of(game: Game) -> str:
    """Return the default name of a game's condition: who played, and how."""
    parts: list[str] = []
    for player in Player.objects.filter(game=game).order_by("seat"):
        if player.kind == Player.AGENT:
            recipe = Recipe.of(player.recipe or {})
            parts.append(f"{recipe.backend} {recipe.method}")
        else:
            parts.append(_("people"))
    return " + ".join(dict.fromkeys(parts))[:60]


def copy(campaign: Campaign, owner: User | None = None) -> Campaign:
    """Return a draft of the same settings and games, with a seed and links of its own.

    owner: of the copy; by default the campaign's.
    """
    name = _("{name} (copy)").format(name=campaign.name[:110])
    of_study = {n: getattr(campaign, n) for n in OF_STUDY if n != "name"}
    of_study["consent"] = of_study["consent"] or default_consent()
    with transaction.atomic():
        duplicate = create(owner or campaign.owner, name, **of_study)
        for own in OF_STAGE:
            setattr(duplicate, own, getattr(campaign, own))
        duplicate.save()
        CampaignGame.objects.bulk_create(
            CampaignGame(campaign=duplicate, game_id=row.game_id, condition=row.condition)
            for row in campaign.chosen.all()
        )
    return duplicate


def delete(campaign: Campaign) -> None:
    """Delete the campaign, and its study if that only rates.

    Raises Refused if anybody has rated.
    """
    if campaign.locked:
        raise Refused([_("Ratings rest on this study: close it and keep it, or erase its raters.")])
    (campaign.study if campaign.study.rates_only else campaign).delete()


def draw_units(campaign: Campaign) -> int:
    """Draw the units of a campaign that has no ratings yet. Return their number.

    Then the units can be inspected and the rivals' answers made. Raises Refused.
    """
    situation_cache.request_reading(units.games_without_situations(campaign))
    with transaction.atomic():
        row = lock_campaign(campaign)
        return row.units.exclude(kind="attention").count() if row.locked else units.draw(row)


def open(campaign: Campaign) -> None:
    """Open the campaign to raters. Raises Refused with what must be done first."""
    situation_cache.request_reading(units.games_without_situations(campaign))
    with transaction.atomic():
        row = lock_campaign(campaign)
        if row.games_of_id and not row.locked:
            units.grow(row)  # its games join while it is open
        elif not row.locked:
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
    if problems := rating_plan.problems(campaign):
        raise Refused(problems)
    units.draw(campaign)
    if problems := rating_plan.unready(campaign):
        raise Refused(problems)


def close(campaign: Campaign) -> None:
    """Close the campaign: no more units are assigned.

    Pages that are open can still be stored.
    """
    campaign.state, campaign.closed_at = Campaign.CLOSED, timezone.now()
    _save_state(campaign)
    exclusion.apply_to_all(campaign)


def config_hash(campaign: Campaign) -> str:
    """Return the SHA-256 (hex) of what ratings depend on: settings, instrument, games.

    A study's games join while it is rated, so they are left out.
    """
    rows = campaign.chosen.order_by("game__code").values_list("game__code", "condition")
    games = [] if campaign.games_of_id else [list(r) for r in rows]
    data = {n: getattr(campaign, n) for n in LOCKED} | {"games": games}
    data = {n: value for n, value in data.items() if value or n not in LATER_SETTINGS}
    if known_units := units.known_answer_units(campaign):
        data["known"] = known_units
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def next_pseudonym(campaign: Campaign) -> str:
    """Return the next of R001, R002 …, one that was never used.

    The caller holds the campaign's row.
    """
    names = Rater.objects.filter(campaign=campaign).values_list("pseudonym", flat=True)
    numbers = [int(n[1:]) for n in names if n[1:].isdecimal()]
    return f"R{max(numbers, default=0) + 1:03d}"


def count_ratings(campaign: Campaign) -> int:
    """Return the number of ratings (values)."""
    return Rating.objects.filter(assignment__rater__campaign=campaign).count()
