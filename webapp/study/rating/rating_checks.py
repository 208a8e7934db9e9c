"""Strict validation of a campaign's settings and games, with one sentence for each fault."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, ClassVar

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BeforeValidator, Field, PlainSerializer

from game.models import Game
from webapp.study.design.exits import RATER_EXITS
from webapp.study.design.rating_design import RatingDesign
from webapp.study.design.value_checks import (
    Line,
    Lines,
    Part,
    Refused,
    Switch,
    Url,
    Whole,
    one_of,
    setting,
    text_check,
)

MAX_LABEL_CHARS = 60  # characters of a condition's name
OR_BLANK = BeforeValidator(lambda value: value or "")


def check_settings(settings: Mapping[str, Any], allowed_names: Collection[str]) -> dict[str, Any]:
    """Return the normalized settings.

    Raises Refused with every fault, TypeError for unknown names.
    """
    if unknown := sorted(set(settings) - set(allowed_names)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    data = CampaignSettings.of(settings).data()
    return {name: data[name] for name in settings}


def check_games(
    pairs: Iterable[tuple[Game, str]], may_enter: Q, chosen: Collection[int] = ()
) -> None:
    """Raise Refused if a game cannot be rated or is named twice.

    may_enter: a condition on new games (`eligible_games`). chosen: ids of games that are in the
    campaign already and stay.
    """
    pairs = list(pairs)
    new = {game.pk for game, _condition in pairs} - set(chosen)
    may = set(Game.objects.filter(may_enter, pk__in=new).values_list("pk", flat=True))
    faults, seen_ids = [], set()
    for game, condition in pairs:
        if game.ended_at is None or game.called_off:
            faults.append(
                _("The game {code} has no result: only finished games can be rated.").format(
                    code=game.code
                )
            )
        if game.pk in new - may:
            faults.append(
                _(
                    "People played the game {code}, and its table did not agree to be used in"
                    " research (only its host could say so, before they sat down), or it belongs"
                    " to a study that goes on."
                ).format(code=game.code)
            )
        if game.pk in seen_ids:
            faults.append(_("The game {code} is chosen twice.").format(code=game.code))
        seen_ids.add(game.pk)
        try:
            condition_label(condition)
        except Refused as refused:
            faults += refused.sentences
    if faults:
        raise Refused(list(dict.fromkeys(faults)))


def condition_label(name: Any) -> str:
    """Return a condition's name."""
    return text_check(_("A condition’s name"), MAX_LABEL_CHARS)(name)


class RaterExit(Part):
    code: Annotated[Line, Field(max_length=40), OR_BLANK] = ""
    url: Annotated[Url, OR_BLANK] = ""


def _drop_empty(exits: dict[str, RaterExit]) -> dict[str, Any]:
    """Return the exits in the format of a design, without empty ones."""
    return {
        kind: {"code_kind": "same" if exit_data.code else "none", **exit_data.data()}
        for kind, exit_data in exits.items()
        if exit_data.code or exit_data.url
    }


class CampaignSettings(RatingDesign):
    """Settings of a campaign: its own, and those that its study stores for it."""

    LATER: ClassVar[tuple[str, ...]] = ()  # a row has every setting

    name: Line = setting(gettext_lazy("The study’s name"), default="", min_length=1, max_length=120)
    seed: Line = setting(
        gettext_lazy("Seed"),
        gettext_lazy("The same seed draws the same sample and the same orders again."),
        default="",
        min_length=1,
        max_length=80,
    )
    consent: Lines = setting(
        gettext_lazy("The text raters agree to"), default="", min_length=1, max_length=20_000
    )
    listed_only: Switch = setting(
        gettext_lazy("Listed people only"),
        gettext_lazy(
            "The link for all lets nobody in: each comes by a personal link. Under “Links” you"
            " give a list of people and get a link for each."
        ),
        default=False,
    )
    least_experience: Whole = setting(
        gettext_lazy("Who may rate"),
        gettext_lazy("Everybody says how well they know the game; others are thanked."),
        default=0, ge=0, le=4,
    )  # fmt: skip
    time_limit: Whole = setting(
        gettext_lazy("Minutes for all of it"),
        gettext_lazy(
            "From the first button on; 0: as long as it takes. What was rated until then counts."
        ),
        default=0, ge=0, le=7 * 24 * 60,
    )  # fmt: skip
    exits: Annotated[
        dict[Annotated[str, one_of(*RATER_EXITS)], RaterExit], PlainSerializer(_drop_empty)
    ] = {}
