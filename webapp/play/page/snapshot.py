"""Reads the rows that a game's pages are built from, once for all viewers, and who is present."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property, lru_cache

from django.utils import timezone

from game import sql_statements
from game.cached_games import CachedGame, cached_game
from game.engine.events import BEFORE_FIRST_PHASE
from game.engine.visibility import PUBLIC
from game.models import Game, Player, Utterance
from webapp.play.disclosure import Disclosure
from webapp.play.models import ClaimsSheet, Desk, MindNote, Report, StatedClaim, Table
from webapp.play.page.talk_passes import TalkProgress
from webapp.play.page.transcript_parts import Seat
from webapp.play.visitors import Guest

# A player counts as typing for this long after the last pressed key.
TYPING_SHOWN_FOR = timedelta(seconds=6)
PRESENCE_INTERVAL = timedelta(seconds=5)  # while a page is open, `seen_at` is written this often
# A person is away without a write for this long; two may be missing.
AWAY_AFTER = timedelta(seconds=14)
# After this absence of the host, another person may become host.
HOST_AWAY_AFTER = timedelta(minutes=3)


class Snapshot:
    """The database rows for the pages of one game, for all viewers together.

    The rows that may change while the game's version stays the same are read at once, in four
    queries. The others are read on first use.

    Attributes:
        players: with their desks.
        seats, talks: caches that `ViewerTable` fills: seats, by what a viewer sees of them, and the
            progress of public talks, by window key and number of shown events.
    """

    def __init__(self, game: Game, position: CachedGame | None = None) -> None:
        self.game, self.position = game, position or cached_game(game)
        self.players = sql_statements.select(Player, order="seat", game_id=game.pk)
        desks = sql_statements.select(Desk, player_id=[p.pk for p in self.players])
        desk_by_player = {desk.player_id: desk for desk in desks}
        for player in self.players:  # caches a missing desk too, which saves a query
            Desk._meta.get_field("player").remote_field.set_cached_value(
                player, desk_by_player.get(player.pk)
            )
        self.table = sql_statements.select_first(Table, game_id=game.pk)
        # `Disclosure` reads the table from the game.
        Table._meta.get_field("game").remote_field.set_cached_value(game, self.table)
        self._claims_sheet = sql_statements.select_first(ClaimsSheet, game_id=game.pk)
        self.taken_at = timezone.now()
        self.seats: dict[tuple[object, ...], Seat] = {}
        self.talks: dict[tuple[str, int | None], TalkProgress | None] = {}

    @property
    def change_key(self) -> tuple[object, ...]:
        """A value that changes whenever a page of the game may look different."""
        people = [p for p in self.players if p.kind == Player.PERSON]
        return (
            self.game.version,
            is_host_away(self.game, self.table, self.taken_at),
            self._claims_sheet and self._claims_sheet.events_read,
            *((p.seat, self.is_away(p), self.is_typing(p)) for p in people),
        )

    def is_away(self, player: Player) -> bool:
        return is_away(player, self.taken_at)

    def is_typing(self, player: Player) -> bool:
        """Return whether the player pressed a key within TYPING_SHOWN_FOR."""
        desk = getattr(player, "desk", None)
        return bool(
            desk and desk.typing_at and abs(self.taken_at - desk.typing_at) < TYPING_SHOWN_FOR
        )

    def can_take_over(self, guest: Guest) -> bool:
        """Return whether the guest can become the host, because the host has been away for long."""
        is_other_player = guest.player is not None and not guest.is_host
        return is_other_player and is_host_away(self.game, self.table, self.taken_at)

    @cached_property
    def reported(self) -> dict[int, set[str]]:
        """Player id -> keys of the statements that the player has reported."""
        keys_by_player = defaultdict[int, set[str]](set)
        rows = sql_statements.select(Report, player_id=[p.pk for p in self.players])
        utterances = Utterance.objects.in_bulk({row.utterance_id for row in rows}) if rows else {}
        for row in rows:
            if utterance := utterances.get(row.utterance_id):  # None if it was deleted just now
                keys_by_player[row.player_id].add(f"{utterance.window}:{utterance.seat}")
        return keys_by_player

    @cached_property
    def favor_notes(self) -> list[MindNote]:
        """The favor notes that pages may show, because their players have spoken since.

        None are shown if the table hides favor.
        """
        is_hidden = self.table is None or self.table.faces == Table.HIDDEN
        if is_hidden or not Disclosure(self.game).can_show_agent_traits:
            return []
        last_statements = {turn.seat: turn.moment for turn in self.position.view(PUBLIC).turns}
        notes = _favor_notes(self.game.pk, self.game.code, self.position.version)
        return [n for n in notes if n.moment <= last_statements.get(n.seat, BEFORE_FIRST_PHASE)]

    @property
    def claims(self) -> Sequence[StatedClaim] | None:
        """The claims of the table's sheet, oldest first, None if the table has no sheet."""
        game, sheet = self.game, self._claims_sheet
        if sheet is None:
            return None
        if sheet.reworded != game.reworded:  # the rows may hold text that was removed since
            return ()
        return _cached_claims(game.pk, game.code, sheet.events_read, sheet.reworded)


@lru_cache(maxsize=200)
def _favor_notes(game_id: int, code: str, version: int) -> Sequence[MindNote]:
    """List the favor notes at this version of the game, in the order of their phases.

    The version suffices as a cache key: a new note shows only after a statement, which raises it.
    """
    notes = sql_statements.select(MindNote, order="id", game_id=game_id, faculty="favor")
    return sorted(notes, key=lambda note: note.phase_number)


@lru_cache(maxsize=200)
def _cached_claims(
    game_id: int, code: str, events_read: int, reworded: int
) -> tuple[StatedClaim, ...]:
    """Return the claims of the sheet. The arguments identify its state for the cache."""
    return tuple(sql_statements.select(StatedClaim, order="id", game_id=game_id))


def is_away(player: Player, at: datetime) -> bool:
    """Return whether the player is a person who has had no page open for AWAY_AFTER."""
    desk = getattr(player, "desk", None)
    is_here = desk and desk.seen_at and abs(at - desk.seen_at) < AWAY_AFTER
    return player.kind == Player.PERSON and not is_here


def people_away(game: Game) -> list[Player]:
    """Return the people who are away and have no stand-in."""
    now = timezone.now()
    people = game.players.filter(kind=Player.PERSON).select_related("desk")
    return [p for p in people if is_away(p, now) and not p.stand_in]


def is_host_away(game: Game, table: Table | None, at: datetime) -> bool:
    """Return whether pages may show that the host has been away for HOST_AWAY_AFTER."""
    if table is None or not Disclosure(game).can_show_host_away:
        return False
    return abs(at - table.host_seen_at) > HOST_AWAY_AFTER  # the clock may have been set back
