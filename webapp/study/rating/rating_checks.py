"""Strict validation of a campaign's settings and games, with one sentence for each error."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from game.models import Game
from webapp.study.design.refusals import Refused
from webapp.study.design.value_checks import text_check
from webapp.study.rating.campaign_settings import CampaignSettings

MAX_CONDITION_CHARS = 60  # of a condition's name


def check_settings(settings: Mapping[str, Any], allowed_names: Collection[str]) -> dict[str, Any]:
    """Return the normalized settings.

    Raises:
        Refused: With a sentence for every error.
        TypeError: A name is not in `allowed_names`.
    """
    if unknown := sorted(set(settings) - set(allowed_names)):
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    normalized = CampaignSettings.from_json(settings).to_json()
    return {name: normalized[name] for name in settings}


def check_games(
    pairs: Iterable[tuple[Game, str]], eligible: Q, chosen_ids: Collection[int] = ()
) -> None:
    """Raise Refused if a game cannot be rated or occurs twice.

    Args:
        pairs: Games with the names of their conditions.
        eligible: The filter for new games (`eligible_games`).
        chosen_ids: Games that are in the campaign already, which need not be eligible any more.
    """
    pairs = list(pairs)
    new_ids = {game.pk for game, _condition in pairs} - set(chosen_ids)
    allowed_ids = set(Game.objects.filter(eligible, pk__in=new_ids).values_list("pk", flat=True))
    errors, seen_ids = [], set()
    for game, condition in pairs:
        if game.ended_at is None or game.called_off:
            errors.append(
                _("Game {code} has no result. Choose only finished games.").format(code=game.code)
            )
        if game.pk in new_ids - allowed_ids:
            errors.append(
                _(
                    "Game {code} was played by people and can’t be used. Either its host "
                    "did not allow research before the game, or it belongs to a study that "
                    "is still running."
                ).format(code=game.code)
            )
        if game.pk in seen_ids:
            errors.append(
                _("Game {code} is chosen twice. Remove one of the two.").format(code=game.code)
            )
        seen_ids.add(game.pk)
        try:
            clean_condition_name(condition)
        except Refused as refused:
            errors += refused.sentences
    if errors:
        raise Refused(list(dict.fromkeys(errors)))


def clean_condition_name(name: Any) -> str:
    """Return a condition's name without surrounding spaces. Raise Refused if it is too long."""
    return text_check(_("The condition name"), MAX_CONDITION_CHARS)(name)
