"""Checks that games can be rated and that their conditions' names are valid."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from game.models import Game
from webapp.study.design.compared_conditions import MAX_CONDITION_CHARS
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import text_check


def check_games(
    games_with_conditions: Sequence[tuple[Game, str]],
    eligible: Q,
    chosen_ids: Collection[int] = (),
) -> None:
    """Check that each game can be rated and occurs once, and the names of the conditions.

    Args:
        games_with_conditions: Games with the names of their conditions.
        eligible: The filter for new games: `usable_games(...)` or `games_with_agreement()`.
        chosen_ids: Games that are in the campaign already, which need not be eligible any more.

    Raises:
        Refused: With a sentence for every error.
    """
    new_ids = {game.pk for game, _condition in games_with_conditions} - set(chosen_ids)
    eligible_ids = Game.objects.filter(eligible, pk__in=new_ids).values_list("pk", flat=True)
    errors = _game_errors(games_with_conditions, new_ids - set(eligible_ids))
    if distinct_errors := list(dict.fromkeys(errors)):
        raise Refused(distinct_errors)


def _game_errors(
    games_with_conditions: Sequence[tuple[Game, str]], ineligible_ids: set[int]
) -> Iterator[str]:
    """Yield a sentence for each error."""
    seen_ids: set[int] = set()
    for game, condition in games_with_conditions:
        if game.ended_at is None or game.called_off:
            text = _("Game {code} has no result. Choose only finished games.")
            yield text.format(code=game.code)
        if game.pk in ineligible_ids:
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
    """Return a condition's name without surrounding spaces. Raise `Refused` if it is invalid."""
    return text_check(_("The condition name"), MAX_CONDITION_CHARS)(name)
