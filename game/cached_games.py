"""A process's cache of games: what it has read of their rows, shared between threads.

The rows are the source of truth. A `CachedGame` is immutable: the rows of a game at one version
(`Game.version`, raised by every change). A change builds a new one, which other threads see after
the commit; a rolled-back change is never cached. One read of the game's row tells whether the
cached version is current.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType

from django.db import connection

from game import sql_statements, store
from game.engine import visibility
from game.engine.events import PUBLIC, Event
from game.engine.script_run import ScriptRun
from game.engine.visibility import View, Viewer, grown, visible
from game.engine.windows import Answer, Window
from game.models import Game, Player
from game.models import Window as WindowRow

MOST_EVENTS = 20_000  # of all logs at hand together
LATEST = 3  # views of one viewer, of different lengths, that are kept
Given = Mapping[str, Mapping[int, Answer]]  # window key -> seat -> answer


@dataclass(frozen=True)
class OpenWindow:
    """An open window with its clock and the answers so far (secret: show only the asker's own)."""

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

        blind: nobody may learn who is a person, so only what the whole table knows counts: who has
        answered does not, and neither does a window that is hidden. A night counts as long as it
        lasts at every table, because everybody sees how long that is.
        """
        if self.expires_at is None:
            return False
        if self.window.clock == "night":
            return True
        return self.window.window_audience == PUBLIC if blind else bool(self.missing)


class CachedGame:
    """A game's rows at one version.

    Its parts are read when they are first asked for, or at once (`read`); whoever wants to change a
    row of it takes a copy.
    """

    def __init__(self, game: Game) -> None:
        self.game_id, self.code, self.version = game.pk, game.code, game.version
        self.reworded = game.reworded
        self.row: Game | None = None  # the game's, as this process's own move left it
        self._views: dict[tuple[Viewer, bool], tuple[tuple[int, View], ...]] = {}
        self.script_run: ScriptRun | None = None

    # -- the rows

    @cached_property
    def log(self) -> Sequence[Event]:
        return store.load(self.game_id)

    @cached_property
    def players(self) -> Sequence[Player]:
        """In the order of their seats."""
        return sql_statements.select(Player, order="seat", game_id=self.game_id)

    @cached_property
    def windows(self) -> Mapping[str, WindowRow]:
        """The open ones, oldest first, by their keys."""
        rows = sql_statements.select(
            WindowRow, order="opened_seq", game_id=self.game_id, closed_at=None
        )
        return {row.key: row for row in rows}

    @cached_property
    def given(self) -> Given:
        """Return what lies in the open windows."""
        return store.answers(list(self.windows.values()))

    @cached_property
    def began(self) -> Sequence[WindowRow]:
        """The windows that began a round of talk, oldest first.

        They may be closed since.
        """
        return sql_statements.select(
            WindowRow, order="opened_seq", game_id=self.game_id, opens_round=True
        )

    def read(self) -> None:
        """Read what most ask for."""
        _ = self.log, self.players, self.given

    @property
    def has_log(self) -> bool:
        """Whether the log has been read."""
        return "log" in vars(self)

    # -- what follows from them

    def player(self, seat: int) -> Player | None:
        return next((p for p in self.players if p.seat == seat), None)

    @cached_property
    def open(self) -> Sequence[OpenWindow]:
        """The open windows with what lies in them, oldest first."""
        return [
            OpenWindow(
                store.window(row),
                tuple(row.asked),
                MappingProxyType(self.given[key]),
                row.opened_at,
                row.not_before,
                row.expires_at,
            )
            for key, row in self.windows.items()
        ]

    def awaited(self, key: str, seat: int) -> WindowRow | None:
        """Window `key` while it is open and waits for the agent in `seat`.

        None otherwise.
        """
        row, player = self.windows.get(key), self.player(seat)
        if row is None or player is None or player.by_person or seat not in row.asked:
            return None
        return None if seat in self.given[key] else row

    def first_of(self, row: WindowRow) -> WindowRow | None:
        """Return the window that began the round of talk in which `row` opened, or after which.

        Returns None before the first.
        """
        before = [first for first in self.began if first.opened_seq <= row.opened_seq]
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
            view = grown(view, visible(self.log[begins:upto], viewer, blind=blind))
            with _lock:
                self._views[viewer, blind] = (*cached_views[1 - LATEST :], (upto, view))
        return view

    # -- from one to the next

    def take_script_run(self) -> ScriptRun | None:
        """The game's script as it stood at the end of the log, for who holds the game's row.

        It goes on but once: whoever takes it gives it to the next position, or it is lost.
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
        """The position once a move has told these events, opened these windows and left those in
        `windows` open, in as many words as the rows would give back. Its players are the same.
        """
        successor = CachedGame(game)
        successor.row = game
        successor.log = [*self.log, *(replace(e, data=store.as_read(e.data)) for e in events)]
        successor.players, successor.windows, successor.given = self.players, windows, answers
        if "began" in vars(self):
            successor.began = [*self.began, *(row for row in opened if row.opens_round)]
        with _lock:
            successor._views = dict(self._views)
        return successor

    def gone_on(self, game: Game) -> CachedGame:
        """The position that the rows tell now, after moves of other processes, a host's acts, the
        clock's: of the log only what is new is read. The script comes along, to catch up.
        """
        successor = CachedGame(game)
        is_same_log = (self.code, self.reworded) == (game.code, game.reworded)
        if not (is_same_log and self.has_log and self.log and self.version < game.version):
            return successor
        rows = store.load(self.game_id, len(self.log) - 1)
        if rows[:1] != [self.log[-1]]:  # rows that were put in other ones' place
            return successor
        successor.log = [*self.log, *rows[1:]]
        with _lock:
            successor._views = dict(self._views)
        if not connection.in_atomic_block:
            successor.script_run = self.take_script_run()
        return successor


def _first(pair: tuple[int, View]) -> int:
    return pair[0]


# -- those at hand in this process

_lock = threading.Lock()
_held: OrderedDict[int, CachedGame] = OrderedDict()  # by the game's id, the last used at the end


def of(game: Game) -> CachedGame:
    """Return the position of a game whose row has just been read, or is held.

    Inside a transaction what is read stays with the caller: it may be undone.
    """
    with _lock:
        cached = _held.get(game.pk)
        if cached and (cached.code, cached.version) == (game.code, game.version):
            _held.move_to_end(game.pk)
            return cached
    position = cached.gone_on(game) if cached else CachedGame(game)
    if not connection.in_atomic_block:
        position.read()
        keep(position)
    return position


def at_hand(game_id: int) -> CachedGame | None:
    """Return the newest position that this process has cached, current or not.

    For who is alone with the game.
    """
    with _lock:
        return _held.get(game_id)


def keep(position: CachedGame) -> None:
    """Have a position at hand that has been read whole, and committed: unless a newer one is."""
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


def outdate(game_id: int) -> None:
    """This process has changed the game, and what is at hand does not tell how."""
    if cached := at_hand(game_id):
        cached.row = None


def drop(game_id: int) -> None:
    """Have nothing of the game at hand."""
    with _lock:
        _held.pop(game_id, None)


def forget() -> None:
    """Have nothing at hand: the rows may have been put in other ones' place."""
    with _lock:
        _held.clear()
