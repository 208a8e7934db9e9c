"""The games that a campaign draws from, and the names of their conditions."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from agents.recipe import Recipe
from game.models import Game, Player
from webapp.study.design.rating_design import MAX_CONDITION_CHARS
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import text_check
from webapp.study.games.eligible_games import games_with_agreement, usable_games
from webapp.study.models import Campaign, CampaignGame


def replace_games(campaign: Campaign, games: Sequence[tuple[Game, str]]) -> None:
    """Replace the chosen games by these, with their conditions ("": the default one).

    The caller has locked the campaign. Raise `Refused` if a game or a name is not valid.
    """
    chosen_ids = set(campaign.chosen_games.values_list("game_id", flat=True))
    _check_games(games, usable_games(campaign.study.owner_id), chosen_ids)
    campaign.chosen_games.exclude(game__in=[game.pk for game, _condition in games]).delete()
    for game, typed_condition in games:
        condition = _clean_condition_name(typed_condition)
        campaign.chosen_games.update_or_create(
            game=game, defaults={"condition": condition or default_condition(game)}
        )


def add_study_game(campaign: Campaign, game: Game, condition: str) -> None:
    """Add a game of the campaign's study, once. The caller has locked the campaign."""
    if not campaign.chosen_games.filter(game=game).exists():
        _check_games([(game, condition)], games_with_agreement())
        condition = _clean_condition_name(condition)
        CampaignGame.objects.create(campaign=campaign, game=game, condition=condition)


def _check_games(
    games_with_conditions: Sequence[tuple[Game, str]], eligible: Q, chosen_ids: Collection[int] = ()
) -> None:
    """Raise `Refused` with a sentence for every error of games and conditions' names.

    `eligible` is the filter for new games. The `chosen_ids` are in the campaign already, and need
    not be eligible any more.
    """
    new_ids = {game.pk for game, _condition in games_with_conditions} - set(chosen_ids)
    eligible_ids = Game.objects.filter(eligible, pk__in=new_ids).values_list("pk", flat=True)
    errors = _game_errors(games_with_conditions, new_ids - set(eligible_ids))
    if distinct_errors := list(dict.fromkeys(errors)):
        raise Refused(distinct_errors)


def _game_errors(
    games_with_conditions: Sequence[tuple[Game, str]], ineligible_ids: set[int]
) -> Iterator[str]:
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
            _clean_condition_name(condition)
        except Refused as refused:
            yield from refused.sentences


def _clean_condition_name(name: Any) -> str:
    """Return a condition's name without surrounding spaces. Raise `Refused` if it is invalid."""
    return text_check(_("The condition name"), MAX_CONDITION_CHARS)(name)


def default_condition(game: Game) -> str:
    """Return the default name of a game's condition: the kinds and methods of its players."""
    names = map(occupant_name, Player.objects.filter(game=game).order_by("seat"))
    return " + ".join(dict.fromkeys(names))[:MAX_CONDITION_CHARS]


def occupant_name(player: Player) -> str:
    """Return backend and method of a computer player, "people" for others."""
    if player.kind != Player.AGENT:
        return _("people")
    recipe = Recipe.of(player.recipe or {})
    return f"{recipe.backend} {recipe.method}"
