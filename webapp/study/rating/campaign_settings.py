"""Settings of a campaign with their labels and bounds, and the checks of its games."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BeforeValidator, Field, PlainSerializer, StrictBool, StrictInt

from game.models import Game
from webapp.study.design.compared_conditions import MAX_CONDITION_CHARS
from webapp.study.design.exits import RATER_EXITS
from webapp.study.design.rating_design import RatingDesign
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import (
    DesignPart,
    MultilineText,
    SingleLineText,
    Url,
    one_of,
    setting,
    text_check,
)

BLANK_IF_NONE = BeforeValidator(lambda value: value or "")


class RaterExit(DesignPart):
    """Completion code and address of one exit of raters."""

    code: Annotated[SingleLineText, Field(max_length=40), BLANK_IF_NONE] = ""
    url: Annotated[Url, BLANK_IF_NONE] = ""


def _serialize_exits(exits: dict[str, RaterExit]) -> dict[str, Any]:
    """Return the exits that have a code or an address, in the format of a design."""
    return {
        kind: {"code_kind": "same" if exit_data.code else "none", **exit_data.to_json()}
        for kind, exit_data in exits.items()
        if exit_data.code or exit_data.url
    }


class CampaignSettings(RatingDesign):
    """Settings of a campaign: its own, and those that its study stores for it."""

    FIELDS_ADDED_LATER: ClassVar[tuple[str, ...]] = ()  # a row always has every setting

    name: SingleLineText = setting(
        gettext_lazy("Study name"), default="", min_length=1, max_length=120
    )
    seed: SingleLineText = setting(
        gettext_lazy("Seed"),
        gettext_lazy("The same seed gives the same sample and the same orders."),
        default="",
        min_length=1,
        max_length=80,
    )
    consent: MultilineText = setting(
        gettext_lazy("Consent text for raters"), default="", min_length=1, max_length=20_000
    )
    listed_only: StrictBool = setting(
        gettext_lazy("Listed raters only"),
        gettext_lazy(
            "The shared link is turned off, and each rater needs a personal link. Enter a "
            "list of raters under “Links” to get a link for each."
        ),
        default=False,
    )
    least_experience: StrictInt = setting(
        gettext_lazy("Required experience"),
        gettext_lazy("All raters state how well they know the game. Raters with less "
                     "experience are turned away."),
        default=0, ge=0, le=4,
    )  # fmt: skip
    time_limit: StrictInt = setting(
        gettext_lazy("Time limit in minutes"),
        gettext_lazy(
            "The time starts when a rater agrees to take part. Enter 0 for no limit. "
            "Ratings made in time count."
        ),
        default=0, ge=0, le=7 * 24 * 60,
    )  # fmt: skip
    exits: Annotated[
        dict[Annotated[str, one_of(*RATER_EXITS)], RaterExit], PlainSerializer(_serialize_exits)
    ] = {}


def check_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the normalized settings.

    Raises:
        Refused: With a sentence for every error.
        TypeError: There is no such setting.
    """
    if unknown := sorted(set(settings) - set(CampaignSettings.model_fields)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    normalized = CampaignSettings.from_json(settings).to_json()
    return {name: normalized[name] for name in settings}


def check_games(
    games: Sequence[tuple[Game, str]], eligible: Q, chosen_ids: Collection[int] = ()
) -> None:
    """Check that each game can be rated and occurs once.

    Args:
        games: Games with the names of their conditions.
        eligible: The filter for new games (`eligible_games`).
        chosen_ids: Games that are in the campaign already, which need not be eligible any more.
    """
    new_ids = {game.pk for game, _condition in games} - set(chosen_ids)
    allowed_ids = Game.objects.filter(eligible, pk__in=new_ids).values_list("pk", flat=True)
    if errors := list(dict.fromkeys(_game_errors(games, new_ids - set(allowed_ids)))):
        raise Refused(errors)


def _game_errors(games: Sequence[tuple[Game, str]], forbidden_ids: set[int]) -> Iterator[str]:
    seen_ids: set[int] = set()
    for game, condition in games:
        if game.ended_at is None or game.called_off:
            text = _("Game {code} has no result. Choose only finished games.")
            yield text.format(code=game.code)
        if game.pk in forbidden_ids:
            text = _(
                "Game {code} was played by people and can’t be used. Either its host "
                "did not allow research before the game, or it belongs to a study that "
                "is still running."
            )
            yield text.format(code=game.code)
        if game.pk in seen_ids:
            yield _("Game {code} is chosen twice. Remove one of the two.").format(code=game.code)
        seen_ids.add(game.pk)
        try:
            clean_condition_name(condition)
        except Refused as refused:
            yield from refused.sentences


def clean_condition_name(name: Any) -> str:
    """Return a condition's name without surrounding spaces. Refuse a long one."""
    return text_check(_("The condition name"), MAX_CONDITION_CHARS)(name)
