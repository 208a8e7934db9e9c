"""A process's cache of games: what it has read of their rows, shared between threads.

The rows are the source of truth. A `CachedGame` is immutable: the rows of a game at one version
(`Game.version`, raised by every change). A change builds a new one, which other threads see after
the commit; a rolled-back change is never cached. One read of the game's row tells whether the
cached version is current.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType

from django.db import connection

from game import sql_statements, store
from game.engine import visibility
from game.engine.events import PUBLIC, Event
from game.engine.script_run import ScriptRun
from game.engine.visibility import View, Viewer, extend_view, visible_events
from game.engine.windows import Answer, Window
from game.models import Game, Player
from game.models import Window as WindowRow

MOST_EVENTS = 20_000  # in all cached logs together
LATEST = 3  # cached views of one viewer, of different lengths
Given = Mapping[str, Mapping[int, Answer]]  # window key -> seat -> answer


@dataclass(frozen=True)
class OpenWindow:
    """An open window with its clock and the answers so far (secret: show each seat only its
    own).
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

    def can_be_extended(self, *, blind: bool) -> bool:
        """Return whether the host can give more time.

        blind: nobody may learn who is a person, so only public facts count, and neither who has
        answered nor hidden windows matter. A night of fixed length always counts, because everybody
        sees how long it is.
        """
        if self.expires_at is None:
            return False
        if self.window.clock == "night":
            return True
        return self.window.window_audience == PUBLIC if blind else bool(self.missing)


class CachedGame:
    """A game's rows at one version.

    Its parts are read on first use, or all at once (`read`). Callers copy a row before they change
    it.
    """

    def __init__(self, game: Game) -> None:
        self.game_id, self.code, self.version = game.pk, game.code, game.version
        self.reworded = game.reworded
        self.row: Game | None = None  # the game's row, as this process's own move left it
        self._views: dict[tuple[Viewer, bool], tuple[tuple[int, View], ...]] = {}
        self.script_run: ScriptRun | None = None

    # -- the rows

    @cached_property
    def log(self) -> Sequence[Event]:
        return store.load(self.game_id)

    @cached_property
    def players(self) -> Sequence[Player]:
        """The players, in the order of their seats."""
        return sql_statements.select(Player, order="seat", game_id=self.game_id)

    @cached_property
    def windows(self) -> Mapping[str, WindowRow]:
        """The open windows by their keys, oldest first."""
        rows = sql_statements.select(
            WindowRow, order="opened_seq", game_id=self.game_id, closed_at=None
        )
        return {row.key: row for row in rows}

    @cached_property
    def open_answers(self) -> Given:
        """The answers to the open windows."""
        return store.answers(list(self.windows.values()))

    @cached_property
    def round_windows(self) -> Sequence[WindowRow]:
        """The windows that began a round of talk, oldest first. Some may be closed."""
        return sql_statements.select(
            WindowRow, order="opened_seq", game_id=self.game_id, opens_round=True
        )

    def read(self) -> None:
        """Read the parts that most callers need."""
        _ = self.log, self.players, self.open_answers

    @property
    def has_log(self) -> bool:
        """Whether the log has been read."""
        return "log" in vars(self)

    # -- derived from the rows

    def player(self, seat: int) -> Player | None:
        return next((p for p in self.players if p.seat == seat), None)

    @cached_property
    def open(self) -> Sequence[OpenWindow]:
        """The open windows with their answers, oldest first."""
        return [
            OpenWindow(
                store.window(row),
                tuple(row.asked),
                MappingProxyType(self.open_answers[key]),
                row.opened_at,
                row.not_before,
                row.expires_at,
            )
            for key, row in self.windows.items()
        ]

    def awaited(self, key: str, seat: int) -> WindowRow | None:
        """Return window `key` if it is open and waits for the agent in `seat`, else None."""
        row, player = self.windows.get(key), self.player(seat)
        if row is None or player is None or player.by_person or seat not in row.asked:
            return None
        return None if seat in self.open_answers[key] else row

    def first_of(self, row: WindowRow) -> WindowRow | None:
        """Return the window that began the round of talk in which, or after which, `row` opened.

        Returns None before the first round.
        """
        before = [first for first in self.round_windows if first.opened_seq <= row.opened_seq]
        return before[-1] if before else None

    def view(self, viewer: Viewer, upto: int | None = None, *, revealed: bool = False) -> View:
        """Return the view of the log, or of its first `upto` events.

        Views are cached. A longer view is built from the cached one.
        """
        upto = len(self.log) if upto is None else upto
        blind = visibility.is_blind(self.log, revealed=revealed)
        cached_views = self._views.get((viewer, blind), ())
        begins, view = max(
            (k for k in cached_views if k[0] <= upto), default=(0, View(viewer)), key=_first
        )
        if begins < upto:
            view = extend_view(view, visible_events(self.log[begins:upto], viewer, blind=blind))
            with _lock:
                self._views[viewer, blind] = (*cached_views[1 - LATEST :], (upto, view))
        return view

    # -- from one position to the next

    def take_script_run(self) -> ScriptRun | None:
        """Hand over the game's script, run to the end of the log, to a caller who has locked the
        game.

        Only one caller gets it. It must pass the script on to the next position, or the script is
        lost.
        """
        with _lock:
            script_run, self.script_run = self.script_run, None
        return script_run

    def after(
        self,
        game: Game,
        events: Sequence[Event],
        opened: Sequence[WindowRow],
        windows: Mapping[str, WindowRow],
        answers: Given,
    ) -> CachedGame:
        """Return the position after a move, exactly as a new read of the rows would give it.

        events: of the move. opened: windows that it opened. windows: all that are open now. The
        players stay the same.
        """
        successor = CachedGame(game)
        successor.row = game
        successor.log = [*self.log, *(replace(e, data=store.as_read(e.data)) for e in events)]
        successor.players, successor.windows, successor.open_answers = (
            self.players,
            windows,
            answers,
        )
        if "round_windows" in vars(self):
            successor.round_windows = [
                *self.round_windows,
                *(row for row in opened if row.opens_round),
            ]
        with _lock:
            successor._views = dict(self._views)
        return successor

    def refreshed(self, game: Game) -> CachedGame:
        """Return the current position after changes by other processes, a host or the clock.

        Only new events are read. The script is kept and catches up later.
        """
        successor = CachedGame(game)
        is_same_log = (self.code, self.reworded) == (game.code, game.reworded)
        if not (is_same_log and self.has_log and self.log and self.version < game.version):
            return successor
        rows = store.load(self.game_id, len(self.log) - 1)
        if rows[:1] != [self.log[-1]]:  # the rows were replaced, for example by a restore
            return successor
        successor.log = [*self.log, *rows[1:]]
        with _lock:
            successor._views = dict(self._views)
        if not connection.in_atomic_block:
            successor.script_run = self.take_script_run()
        return successor


def _first(pair: tuple[int, View]) -> int:
    return pair[0]


# -- the cache of this process

_lock = threading.Lock()
_held: OrderedDict[int, CachedGame] = OrderedDict()  # by the game's id, the last used at the end
_own = threading.local()  # `uncommitted`: positions that only this thread's transaction knows


@contextmanager
def cache_uncommitted() -> Iterator[None]:
    """Cache positions inside this thread's transaction too, until the block ends.

    For a transaction that plays games and is rolled back. Without this every move of it reads the
    whole log and runs the script anew.
    """
    before = getattr(_own, "uncommitted", None)
    _own.uncommitted = {}
    try:
        yield
    finally:
        _own.uncommitted = before


def cache_inside_transaction(game_id: int, position: CachedGame | None) -> None:
    """Cache the position after a move that is not committed, or forget it where it is unknown."""
    if (positions := getattr(_own, "uncommitted", None)) is not None:
        positions[game_id] = position


def current_position(game: Game) -> CachedGame:
    """Return the position of a game whose row was just read, or is locked.

    Inside a transaction nothing is cached (but see `cache_uncommitted`): what was read may be
    rolled back.
    """
    own: CachedGame | None = (getattr(_own, "uncommitted", None) or {}).get(game.pk)
    if own and (own.code, own.version) == (game.code, game.version):
        return own
    with _lock:
        cached = _held.get(game.pk)
        if cached and (cached.code, cached.version) == (game.code, game.version):
            _held.move_to_end(game.pk)
            return cached
    position = cached.refreshed(game) if cached else CachedGame(game)
    if not connection.in_atomic_block:
        position.read()
        cache_game(position)
    return position


def latest_cached(game_id: int) -> CachedGame | None:
    """Return the newest position that this process has cached, current or not.

    For callers that are alone with the game.
    """
    with _lock:
        return _held.get(game_id)


def cache_game(position: CachedGame) -> None:
    """Cache a fully read, committed position unless a newer one is cached."""
    with _lock:
        cached = _held.get(position.game_id)
        if cached and cached.code == position.code:
            newer, same = cached.version > position.version, cached.version == position.version
            if newer or (same and cached.script_run and not position.script_run):
                return
        _held[position.game_id] = position
        _held.move_to_end(position.game_id)
        events = sum(len(p.log) for p in _held.values())
        while events > MOST_EVENTS and len(_held) > 1:
            _game, oldest = _held.popitem(last=False)
            events -= len(oldest.log)


def mark_outdated(game_id: int) -> None:
    """Mark the cached position as outdated after a change that was not applied to it."""
    if cached := latest_cached(game_id):
        cached.row = None


def remove(game_id: int) -> None:
    """Remove the game from the cache."""
    with _lock:
        _held.pop(game_id, None)


def forget() -> None:
    """Clear the cache, for example after a restore replaced the rows."""
    with _lock:
        _held.clear()
    if getattr(_own, "uncommitted", None):
        _own.uncommitted.clear()
