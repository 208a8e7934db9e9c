"""Reads the data of a campaign once, for all files of its export."""

from collections.abc import Callable
from functools import cached_property

from game.models import Game
from webapp.study.data.text_redaction import build_name_remover, remove_contacts
from webapp.study.design import rating_design
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import PublicTalk, SpokenTurn, talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Campaign, CampaignGame, Slot
from webapp.study.rating import campaigns, rating_rows, turn_outcomes
from webapp.study.rating.rating_rows import RatedItem, RatingRow

CAMPAIGN_EXPORT_VERSION = "4"  # raised with every change of a column

GAME_COLUMNS = ("game_id", "ruleset")
SEAT_COLUMNS = ("deal_seed", "winner", "seat", "role", "team", "out")
ORIGIN_COLUMNS = ("speaker_kind", "model_id", "method", "labels")
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
    def config_hash(self) -> str:
        return campaigns.config_hash(self.campaign)

    @cached_property
    def redact(self) -> Callable[[str], str]:
        """A function that removes from a text what the export may not contain."""
        if not self.anonymous:
            return str
        study_ids = Slot.objects.filter(game__in=self.games).values_list("study", flat=True)
        remove_names = build_name_remover([self.campaign.study_id, *study_ids])
        return lambda text: remove_contacts(remove_names(text))

    @cached_property
    def games(self) -> dict[int, Game]:
        """Game id -> game, of all chosen games and all games with units."""
        chosen = Game.objects.filter(campaigngame__campaign=self.campaign)
        rated = Game.objects.filter(unit__campaign=self.campaign)
        return {game.pk: game for game in (chosen | rated).distinct().order_by("code")}

    @cached_property
    def conditions(self) -> dict[int, str]:
        """Game id -> condition, of the chosen games."""
        return {game_id: row.condition for game_id, row in self._campaign_games.items()}

    @cached_property
    def _campaign_games(self) -> dict[int, CampaignGame]:
        return {row.game_id: row for row in self.campaign.chosen_games.select_related("game")}

    def turn_condition(self, game_id: int, turn: SpokenTurn) -> str:
        """Return the condition of a turn, "" if it would reveal kinds at a blind table."""
        is_revealing = self.campaign.choice.get("compare") in rating_design.REVEALING_KEYS
        if game_id not in self._campaign_games or (is_revealing and self.games[game_id].blind):
            return ""
        return turn_outcomes.turn_condition(self.campaign, self._campaign_games[game_id], turn)

    def turn_outcome(self, game_id: int, turn: SpokenTurn) -> str:
        """Return the outcome of a turn, such as "failed:refused", "" if unrated or blind."""
        if self.games[game_id].blind or not turn_outcomes.is_rated(self.campaign, turn):
            return ""
        return ":".join(filter(None, turn_outcomes.turn_outcome(turn)))

    def game_values(self, game_id: int | None) -> tuple[str, str]:
        """Return the values of GAME_COLUMNS, "" for an attention check."""
        game = self.games[game_id] if game_id else None
        return (game.code, game.ruleset) if game else ("", "")

    def seat_values(self, game_id: int | None, seat: int | None) -> tuple[object, ...]:
        """Return the values of SEAT_COLUMNS. Those that do not apply are empty."""
        if game_id is None:
            return ("", "", None, "", "", "")
        game = self.games[game_id]
        if not seat:
            return (game.seed, game.winner, None, "", "", "")
        outcome = get_seat_outcomes(game)[seat - 1]
        return (game.seed, game.winner, seat, outcome.role, outcome.team, outcome.out or STAYED)

    @cached_property
    def talks(self) -> dict[int, PublicTalk]:
        """Game id -> public talk."""
        return {pk: talk_of(game) for pk, game in self.games.items()}

    @cached_property
    def rated_items_by_unit(self) -> dict[int, list[RatedItem]]:
        """Unit id -> rated items, by place."""
        return rating_rows.read_rated_items(self.campaign)

    @cached_property
    def rows_of_people(self) -> list[RatingRow]:
        """Ratings of people, one row for each value."""
        return list(rating_rows.read_rating_rows(self.campaign))

    def item_origin(self, item: RatedItem) -> tuple[str, ...]:
        """Return the values of ORIGIN_COLUMNS, "" if they would reveal kinds at a blind table."""
        game_id, row = item.unit.game_id, item.stimulus
        if game_id and self.games[game_id].blind and not item.is_system_answer:
            return ("",) * len(ORIGIN_COLUMNS)
        return (row.speaker_kind, row.model, row.method, "; ".join(row.labels))

    def turn_origin(self, game_id: int, turn: SpokenTurn) -> tuple[str, ...]:
        """Return the values of ORIGIN_COLUMNS, "" if they would reveal kinds at a blind table."""
        if self.games[game_id].blind:
            return ("",) * len(ORIGIN_COLUMNS)
        return (turn.kind, turn.model, turn.method, "; ".join(turn.labels))
