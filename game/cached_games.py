"""This process's cache of game rows, shared between its threads.

The rows are the source of truth. A `CachedGame` is immutable: it has the rows of a game at
one version (`Game.version`, raised by every change). A change builds a new `CachedGame`, which
other threads see after the commit. A rolled-back change is never cached. One read of the game's row
shows whether the cached version is current.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from django.db import connection, transaction

from game import sql_statements, store
from game.engine import visibility
from game.engine.events import PUBLIC, Event
from game.engine.ruleset import ScriptRun
from game.engine.visibility import View, Viewer, extend_view, visible_events
from game.engine.windows import Answer, Window
from game.models import Game, Player
from game.models import Window as WindowRow

MAX_CACHED_EVENTS = 20_000  # The limit of all cached logs together.
MAX_VIEWS_PER_VIEWER = 3  # Views of one game have different lengths.
AnswersByWindow = Mapping[str, Mapping[int, Answer]]  # window key -> seat -> answer


@dataclass(frozen=True)
class OpenWindow:
    """An open window with its clock and the answers so far.

    The answers are secret: show each seat only its own.
    """

    window: Window
    asked: tuple[int, ...]
    answers: Mapping[int, Answer]
    opened_at: datetime
    not_before: datetime
    expires_at: datetime | None

    @property
    def missing(self) -> tuple[int, ...]:
        return tuple(s for s in self.asked if s not in self.answers)

    def can_be_extended(self, *, is_blind: bool) -> bool:
        """Return whether the host can give more time.

        A night of fixed length can always be extended, because everyone sees how long it is. At a
        blind table only public facts count, not missing answers and hidden windows.
        """
        if self.expires_at is None:
            return False
        if self.window.clock == "night":
            return True
        return self.window.window_audience == PUBLIC if is_blind else bool(self.missing)


class CachedGame:
    """A game's rows at one version. Callers copy a row before they change it.

    Its parts are read on first use, or all at once (`read_parts`).

    Attributes:
        row: the game's row, if this process made the change that led to this version. None if
            another process did, or if the version is outdated (`mark_outdated`).
        script_run: the script, which has run to the end of the log; None if it must run anew.
    """

    def __init__(self, game: Game) -> None:
        self.game_id, self.code, self.version = game.pk, game.code, game.version
        self.reworded, self.is_revealed = game.reworded, game.revealed_at is not None
        self.row: Game | None = None
        self._views: dict[tuple[Viewer, bool], tuple[tuple[int, View], ...]] = {}
        self.script_run: ScriptRun | None = None

    # -- the rows

    @cached_property
    def log(self) -> Sequence[Event]:
        return store.load_log(self.game_id)

    @cached_property
    def players(self) -> Sequence[Player]:
        """The players, in the order of their seats."""
        return sql_statements.select(Player, order="seat", game_id=self.game_id)

    @cached_property
    def windows(self) -> Mapping[str, WindowRow]:
        """The open windows by their keys, oldest first."""
        return {row.key: row for row in self._select_windows(closed_at=None)}

    @cached_property
    def open_answers(self) -> AnswersByWindow:
        return store.load_answers(list(self.windows.values()))

    @cached_property
    def round_windows(self) -> Sequence[WindowRow]:
        """The windows that began a round of talk, oldest first. Some may be closed."""
        return self._select_windows(opens_round=True)

    def _select_windows(self, **conditions: Any) -> list[WindowRow]:
        return sql_statements.select(
            WindowRow, order="opened_seq", game_id=self.game_id, **conditions
        )

    def read_parts(self) -> None:
        """Read the parts that most callers need."""
        _ = self.log, self.players, self.open_answers

    @property
    def has_log(self) -> bool:
        return "log" in vars(self)

    # -- derived from the rows

    def player(self, seat: int) -> Player | None:
        return next((p for p in self.players if p.seat == seat), None)

    @cached_property
    def open_windows(self) -> Sequence[OpenWindow]:
        """The open windows with their answers, oldest first."""
        return [
            OpenWindow(
                store.to_window(row),
                tuple(row.asked),
                MappingProxyType(self.open_answers[key]),
                row.opened_at,
                row.not_before,
                row.expires_at,
            )
            for key, row in self.windows.items()
        ]

    def awaited_window(self, key: str, seat: int) -> WindowRow | None:
        """Return window `key` if it is open and waits for the agent in `seat`, else None."""
        row, player = self.windows.get(key), self.player(seat)
        if row is None or player is None or player.is_person_now or seat not in row.asked:
            return None
        return None if seat in self.open_answers[key] else row

    def round_start_window(self, row: WindowRow) -> WindowRow | None:
        """Return the window that began the last round of talk before `row`, or with it.

        None if `row` opened before the first round.
        """
        earlier = [first for first in self.round_windows if first.opened_seq <= row.opened_seq]
        return earlier[-1] if earlier else None

    def view(
        self, viewer: Viewer, event_count: int | None = None, *, is_revealed: bool | None = None
    ) -> View:
        """Return the view of the log's first `event_count` events, of the whole log for None.

        Views are cached. A longer view is built from the longest shorter one.

        Args:
            is_revealed: Whether to show who is a person at a blind table; None: if the game does.
        """
        if event_count is None:
            event_count = len(self.log)
        is_revealed = self.is_revealed if is_revealed is None else is_revealed
        hide_labels = visibility.is_blind(self.log, is_revealed=is_revealed)
        cached_views = self._views.get((viewer, hide_labels), ())
        shorter = (v for v in cached_views if v[0] <= event_count)
        length, view = max(shorter, default=(0, View(viewer)), key=itemgetter(0))
        if length < event_count:
            new_events = visible_events(
                self.log[length:event_count], viewer, should_hide_labels=hide_labels
            )
            view = extend_view(view, new_events)
            kept_views = cached_views[1 - MAX_VIEWS_PER_VIEWER :]
            with _lock:
                self._views[viewer, hide_labels] = (*kept_views, (event_count, view))
        return view

    def view_at(self, viewer: Viewer, row: WindowRow) -> tuple[View, Window, frozenset[str]]:
        """Return (view, window, keys of closed windows) as of when window `row` opened."""
        closed = (e["window"] for e in self.log[: row.opened_seq] if e.kind == "window_closed")
        view = self.view(viewer, row.opened_seq, is_revealed=False)
        return view, store.to_window(row), frozenset(closed)

    # -- from one version to the next

    def take_script_run(self) -> ScriptRun | None:
        """Take the game's script. The caller locks the game.

        Only one caller gets the script, and must give it to the next version. Otherwise the script
        is lost and the next change runs it anew.
        """
        with _lock:
            script_run, self.script_run = self.script_run, None
        return script_run

    def build_successor(
        self,
        game: Game,
        events: Sequence[Event],
        opened: Sequence[WindowRow],
        windows: Mapping[str, WindowRow],
        answers: AnswersByWindow,
    ) -> "CachedGame":
        """Return the next version, exactly as a new read of the rows would give it.

        `game` is the changed row, whose players are the same as before. `opened` are the windows
        that the change opened, `windows` all that are open now, and `answers` all answers in them.
        """
        successor = CachedGame(game)
        successor.row = game
        stored_events = (replace(e, data=store.as_stored_json(e.data)) for e in events)
        successor.log = [*self.log, *stored_events]
        successor.players, successor.windows = self.players, windows
        successor.open_answers = answers
        if "round_windows" in vars(self):
            new_rows = (row for row in opened if row.opens_round)
            successor.round_windows = [*self.round_windows, *new_rows]
        with _lock:
            successor._views = dict(self._views)
        return successor

    def load_successor(self, game: Game) -> "CachedGame":
        """Return the current version of `game`, which another process changed.

        Only new events are read. The script is kept, and repeats them when it runs next.
        """
        successor = CachedGame(game)
        is_same_log = (self.code, self.reworded) == (game.code, game.reworded)
        if not (is_same_log and self.has_log and self.log and self.version < game.version):
            return successor
        rows = store.load_new_events(self.game_id, len(self.log) - 1)
        if rows[:1] != [self.log[-1]]:  # the rows were replaced, for example by a restore
            return successor
        successor.log = [*self.log, *rows[1:]]
        with _lock:
            successor._views = dict(self._views)
        if not connection.in_atomic_block:
            successor.script_run = self.take_script_run()
        return successor


# -- the cache of this process

_lock = threading.Lock()
# Game id -> cached game, the last used at the end.
_cached_games: OrderedDict[int, CachedGame] = OrderedDict()
# Attribute `uncommitted`: game id -> the version that only this thread's transaction knows.
_transaction = threading.local()


@contextmanager
def cache_uncommitted() -> Iterator[None]:
    """Cache uncommitted versions for this thread's transaction, until the block ends.

    Use it for a transaction that plays games and is rolled back. Otherwise every change would read
    the whole log and run the script anew.
    """
    before = getattr(_transaction, "uncommitted", None)
    _transaction.uncommitted = {}
    try:
        yield
    finally:
        _transaction.uncommitted = before


def cache_inside_transaction(game_id: int, cached: CachedGame | None) -> None:
    """Cache an uncommitted version, or remove the cached one (None)."""
    if (uncommitted := getattr(_transaction, "uncommitted", None)) is not None:
        uncommitted[game_id] = cached


def current_cached_game(game: Game) -> CachedGame:
    """Return the cached game at the version of `game`, a row that was just read or is locked.

    Inside a transaction a version that is read now is not cached, because the transaction may be
    rolled back (exception: `cache_uncommitted`).
    """
    uncommitted: dict[int, CachedGame] = getattr(_transaction, "uncommitted", None) or {}
    own = uncommitted.get(game.pk)
    if own and (own.code, own.version) == (game.code, game.version):
        return own
    with _lock:
        cached = _cached_games.get(game.pk)
        if cached and (cached.code, cached.version) == (game.code, game.version):
            _cached_games.move_to_end(game.pk)
            return cached
    current = cached.load_successor(game) if cached else CachedGame(game)
    if not connection.in_atomic_block:
        current.read_parts()
        cache_game(current)
    return current


def current_game(game_id: int, *, is_only_writer: bool = False) -> tuple[Game, CachedGame]:
    """Return the game's row, and the cached game at that version.

    Args:
        is_only_writer: whether no other process changes the game. Then the version that this
            process cached last is current, and the caller must not change the returned row.
    """
    if is_only_writer and (cached := latest_cached(game_id)) and cached.row:
        return cached.row, cached
    game = store.load_game(game_id)
    return game, current_cached_game(game)


@contextmanager
def locked_cached_game(game_id: int) -> Iterator[CachedGame]:
    """Lock a game for the block and yield its current version."""
    with transaction.atomic():
        yield current_cached_game(store.load_game(game_id, should_lock=True))


def cached_game(game: Game) -> CachedGame:
    """Return the current version of `game`, even if that row is outdated."""
    return current_game(game.pk)[1]


def latest_cached(game_id: int) -> CachedGame | None:
    """Return the newest version that this process has cached, even if it is outdated.

    Use it only if no other process changes the game.
    """
    with _lock:
        return _cached_games.get(game_id)


def cache_game(candidate: CachedGame) -> None:
    """Cache a fully read, committed version unless a newer one is cached."""
    with _lock:
        cached = _cached_games.get(candidate.game_id)
        if cached and cached.code == candidate.code:
            is_same = cached.version == candidate.version
            has_lost_script = is_same and cached.script_run and not candidate.script_run
            if cached.version > candidate.version or has_lost_script:
                return
        _cached_games[candidate.game_id] = candidate
        _cached_games.move_to_end(candidate.game_id)
        event_count = sum(len(game.log) for game in _cached_games.values())
        while event_count > MAX_CACHED_EVENTS and len(_cached_games) > 1:
            _game_id, oldest = _cached_games.popitem(last=False)
            event_count -= len(oldest.log)


def mark_outdated(game_id: int) -> None:
    """Mark the cached version as outdated after a change that was not applied to it."""
    if cached := latest_cached(game_id):
        cached.row = None


def remove_from_cache(game_id: int) -> None:
    with _lock:
        _cached_games.pop(game_id, None)


def clear_cache() -> None:
    """Clear the cache, for example after a restore replaced the rows."""
    with _lock:
        _cached_games.clear()
    if getattr(_transaction, "uncommitted", None):
        _transaction.uncommitted.clear()
