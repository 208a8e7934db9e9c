"""The data of a campaign that all export files are made from, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from game.models import Game
from webapp.study.data.outside_names import name_remover, remove_contacts
from webapp.study.design import compared_conditions as conditions
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import PublicTalk, SpokenTurn, talk_of
from webapp.study.games.seat_outcomes import SeatOutcome, get_seat_outcomes
from webapp.study.models import Campaign, CampaignGame, Judge, Slot
from webapp.study.rating import rating_rows
from webapp.study.rating.campaigns import config_hash
from webapp.study.rating.rating_rows import RatedItem, RatingRow
from webapp.study.rating.turn_outcomes import is_rated, turn_condition, turn_outcome

CAMPAIGN_EXPORT_VERSION = "4"  # version of the exports, raised with every change of a column

GAME = ("game_id", "ruleset")
SEAT = ("deal_seed", "winner", "seat", "role", "team", "out")
STAYED = "no"  # value of `out`: the seat was in the game until its end


class CampaignSource:
    """A campaign with its ratings and talks.

    Attributes:
        anonymous: Whether e-mail addresses, telephone numbers and outside names are removed from
            texts.
    """

    def __init__(self, campaign: Campaign, *, anonymous: bool = False) -> None:
        self.campaign, self.anonymous = campaign, anonymous
        self.instrument = Instrument.from_json(campaign.instrument)

    @cached_property
    def hash(self) -> str:
        """The hash of the campaign's settings."""
        return config_hash(self.campaign)

    @cached_property
    def redact(self) -> Callable[[str], str]:
        """The function that returns a text as the files have it."""
        if not self.anonymous:
            return str
        played = Slot.objects.filter(game__in=self.games).values_list("study", flat=True)
        remove_names = name_remover([self.campaign.study_id, *played])
        return lambda text: remove_contacts(remove_names(text))

    @cached_property
    def games(self) -> dict[int, Game]:
        """All games with units and all chosen games, by id."""
        chosen = Game.objects.filter(campaigngame__campaign=self.campaign)
        rated = Game.objects.filter(unit__campaign=self.campaign)
        return {game.pk: game for game in (chosen | rated).distinct().order_by("code")}

    @cached_property
    def conditions(self) -> dict[int, str]:
        """Game id -> condition of the chosen game."""
        return dict(self.campaign.chosen.values_list("game_id", "condition"))

    @cached_property
    def _chosen(self) -> dict[int, CampaignGame]:
        return {row.game_id: row for row in self.campaign.chosen.select_related("game")}

    def condition(self, game: int, line: SpokenTurn) -> str:
        """Return the condition of a turn, "" if it would reveal kinds at a blind table."""
        is_revealing = self.campaign.choice.get("compare") in conditions.REVEALING_KEYS
        if game not in self._chosen or (is_revealing and self.games[game].blind):
            return ""
        return turn_condition(self.campaign, self._chosen[game], line)

    def seat_columns(self, game: int | None, seat: int | None) -> tuple[object, ...]:
        """Return the values of SEAT: of the game, and of the seat if one is rated."""
        if game is None:
            return ("", "", None, "", "", "")
        row = self.games[game]
        of_game = (row.seed, row.winner)
        if not seat:
            return (*of_game, None, "", "", "")
        outcome: SeatOutcome = get_seat_outcomes(row)[seat - 1]
        return (*of_game, seat, outcome.role, outcome.team, outcome.out or STAYED)

    def turn_outcome(self, game: int, line: SpokenTurn) -> str:
        """Return the outcome of a turn: "words", "failed:refused" ….

        It is "" if the turn's text is not rated, or while the game is blind.
        """
        if self.games[game].blind or not is_rated(self.campaign, line):
            return ""
        return ":".join(filter(None, turn_outcome(line)))

    @cached_property
    def talks(self) -> dict[int, PublicTalk]:
        """Game id -> its public talk."""
        return {pk: talk_of(game) for pk, game in self.games.items()}

    @cached_property
    def rated_items_by_unit(self) -> dict[int, list[RatedItem]]:
        return rating_rows.rated_items(self.campaign)

    @cached_property
    def rows(self) -> list[RatingRow]:
        """People's ratings."""
        return list(rating_rows.read_rating_rows(self.campaign))

    def rows_of_judge(self, judge: Judge) -> Iterator[RatingRow]:
        """Return a judge's ratings, which `rows` does not have."""
        return rating_rows.read_rating_rows(self.campaign, judge.rater)

    def origin_columns(self, item: RatedItem) -> tuple[str, str, str, str]:
        """Return (speaker's kind, model, method, labels) of a rated item, as exports show them."""
        facts = (item.speaker_kind, item.model, item.method, "; ".join(item.labels))
        return facts if item.is_rival else self.hide_if_blind(item.game, facts)

    def hide_if_blind(
        self, game: int | None, facts: tuple[str, str, str, str]
    ) -> tuple[str, str, str, str]:
        """Return facts that would reveal kinds of players, empty while the game is blind."""
        return ("", "", "", "") if game and self.games[game].blind else facts

    def game_columns(self, game: int | None) -> tuple[str, str]:
        """Return the values of GAME, "" for an attention check."""
        return (self.games[game].code, self.games[game].ruleset) if game else ("", "")
