"""Settings of a campaign with their labels and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from django.utils.translation import gettext_lazy
from pydantic import BeforeValidator, Field, PlainSerializer, StrictBool, StrictInt

from webapp.study.design.exits import RATER_EXITS
from webapp.study.design.rating_design import RatingDesign
from webapp.study.design.setting_fields import (
    DesignPart,
    MultilineText,
    SingleLineText,
    Url,
    one_of,
    setting,
)

BLANK_IF_NONE = BeforeValidator(lambda value: value or "")


class RaterExit(DesignPart):
    """Completion code and return address of one exit of raters, "" for none."""

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


def normalize_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return these settings of a campaign in their stored form, or raise `Refused`."""
    if unknown := sorted(set(settings) - set(CampaignSettings.model_fields)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    normalized = CampaignSettings.from_json(settings).to_json()
    return {name: normalized[name] for name in settings}
