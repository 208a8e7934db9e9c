"""One change of one game, inside a transaction that holds the game's row."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any

from django.db import transaction

from game import clock, store
from game.engine import rulesets
from game.engine.draws import Draws
from game.engine.events import Event
from game.engine.forms import Action, Illegal
from game.engine.rules import decide
from game.engine.state import fold
from game.engine.table import Wait
from game.engine.windows import Answer
from game.models import Game, Player
from game.models import Window as WindowRow
from game.signals import game_changed

POLL_SECONDS = 120  # agents' polls hold nobody up, but they do end
STAND_IN = "stand-in"  # label of what a computer player answered for a person


def locked(game_id: int) -> Game:
    """The game, its row held until the transaction ends."""
    return Game.objects.select_for_update().get(pk=game_id)


def announce(game: Game, opened: Iterable[str] = ()) -> None:
    """Count a change and save it; once committed, tell whoever listens.

    opened: keys of windows that wait for agents they did not wait for before.
    """
    game.stamp += 1
    store.save_game(game)
    transaction.on_commit(partial(_tell, game.pk, list(opened)))


def _tell(game_id: int, opened: list[str]) -> None:
    game_changed.send_robust(sender=Game, game=game_id, opened=opened)


class Move:
    """A step of a game that has started: take answers, let the clock act, go on."""

    def __init__(self, game_id: int) -> None:
        self.game = locked(game_id)
        self.at = clock.now()
        players = Player.objects.filter(game=self.game).only("seat", "kind", "stand_in")
        self.people = {p.seat for p in players if p.by_person}
        self.stand_ins = {p.seat for p in players if p.stand_in}
        self.company = len(self.people | self.stand_ins) > 1  # several people play
        self.rows = {w.key: w for w in WindowRow.objects.filter(game=self.game, closed_at=None)}
        self.given = store.answers(list(self.rows.values()))

    @cached_property
    def log(self) -> list[Event]:
        return store.load(self.game)

    def closed(self, key: str) -> WindowRow | None:
        """The window of that key if it is one that was closed."""
        return WindowRow.objects.filter(game=self.game, key=key).first()

    def allowed(
        self,
        row: WindowRow | None,
        seat: int,
        given: Action | Mapping[str, Any],
        agent: bool | None,
    ) -> Action:
        """What `seat` does now, by an action or by what was posted. Raises Illegal."""
        if row is None:
            raise Illegal("no_such_window")
        if seat not in row.asked:
            raise Illegal("not_asked")
        if row.closed_at:
            raise Illegal("game_over" if self.game.ended_at else "too_late")
        if agent is not None and agent == (seat in self.people):
            raise Illegal("handed_over")
        window = store.window(row)
        action = given if isinstance(given, Action) else window.legal.parse(given)
        window.check(seat, action)
        if seat in self.given[row.key] and not (seat in self.people and window.legal.revisable):
            raise Illegal("answered")
        return action

    def take(self, key: str, seat: int, given: Answer, post: uuid.UUID) -> None:
        """Keep an answer; an agent's statement takes the time that saying it takes."""
        row, game = self.rows[key], self.game
        if seat in self.stand_ins:
            given = Answer(given.action, (STAND_IN, *given.labels))
        store.save_answer(row, seat, given, post, self.at)
        self.given[key][seat] = given
        if given.action.manner == "say" and (seat not in self.people or clock.even(game.pace)):
            row.not_before = self._spoken(row, given)
        if seat not in self.people:
            row.agents_missing -= 1
        store.save_window(row, "not_before", "agents_missing")

    def _spoken(self, row: WindowRow, given: Answer) -> datetime:
        """When a speaker has said what is `given` in the window, at the game's pace. A night of
        fixed length does not wait for the end of a whisper."""
        chance = Draws(self.game.seed).below(f"pace/{row.key}", 1000) / 1000
        said = clock.statement_ends(self.game.pace, row.opened_at, given.action.text, chance)
        if row.data["clock"] == "night" and row.expires_at and self._fixed_nights:
            return min(said, max(row.expires_at, row.opened_at))
        return said

    def set_pace(self, pace: str) -> None:
        """The game goes on at that pace, as if the open windows had opened at it."""
        self.game.pace = pace
        for row in self.rows.values():
            if row.data["clock"] in ("night", "vote"):
                row.not_before = self._held_until(row.data, row.opened_at, self.game.phase_at)
            for seat, given in self.given[row.key].items():
                if given.action.manner == "say" and seat not in self.people:
                    row.not_before = self._spoken(row, given)
            store.save_window(row, "not_before")
        self.advance()

    def hurry(self) -> bool:
        """End the pauses for pace in which everybody has answered; False where there are none."""
        held = [
            row
            for row in self.rows.values()
            if row.not_before > self.at and set(row.asked) <= set(self.given[row.key])
        ]
        for row in held:
            row.not_before = self.at
            store.save_window(row, "not_before")
        if held:
            self.advance()
        return bool(held)

    def go_on(self, key: str, seat: int) -> None:
        """After `seat` has answered window `key`: go on, if that is what was awaited."""
        row, game = self.rows[key], self.game
        last = set(row.asked) <= set(self.given[key])
        if last or (row.data["waits_for"] == "people" and seat in self.people):
            self.advance()
        else:
            game.due_at = self._due()
            announce(game)

    def settle(self) -> None:
        """Bring the game up to now: answer for those whose time ran out, end pauses."""
        game = self.game
        if game.paused_at or game.due_at is None or game.due_at > self.at:
            return
        draws = Draws(game.seed)
        for row in list(self.rows.values()):
            if row.expires_at and row.expires_at <= self.at:
                window = store.window(row)
                for seat in set(row.asked) - set(self.given[row.key]):
                    self.take(row.key, seat, window.default_for(seat, draws), uuid.uuid4())
                row.not_before = min(row.not_before, self.at)
        self.advance()

    def change_hands(self, seat: int, *, to_agent: bool) -> None:
        """From now on a computer player answers for the person in `seat`, or no longer does."""
        store.set_stand_in(self.game, seat, on=to_agent)
        self.people ^= {seat}
        self.stand_ins ^= {seat}
        waiting = []
        for row in self.rows.values():
            if seat in row.asked and seat not in self.given[row.key]:
                row.agents_missing += 1 if to_agent else -1
                store.save_window(row, "agents_missing")
                waiting.append(row.key)
        self.advance(handed=waiting if to_agent else ())

    def shift(self, by: timedelta) -> None:
        """The open windows' clocks stood still for so long."""
        for row in self.rows.values():
            row.opened_at += by
            row.not_before += by
            row.expires_at = row.expires_at and row.expires_at + by
            store.save_window(row, "opened_at", "not_before", "expires_at")
        self.game.phase_at += by

    def give_time(self, seconds: int) -> bool:
        """Those who are still awaited have so much longer; False where nobody's time runs out.

        A night of fixed length becomes so much longer, whether anybody is awaited in it or not.
        """
        given, by = False, timedelta(seconds=seconds)
        for row in self.rows.values():
            night = row.data["clock"] == "night"
            if row.expires_at and (set(row.asked) - set(self.given[row.key]) or night):
                row.expires_at += by
                given = True
            if night and row.data.get("share", 1) == 1:  # as long for those who have answered
                row.not_before += by
            store.save_window(row, "expires_at", "not_before")
        if given and any(row.data["clock"] == "night" for row in self.rows.values()):
            self.game.phase_at += by  # what opens later in this night ends so much later too
        return given

    def call_off(self) -> None:
        """The game ends here, without a result; nobody is asked anything any more."""
        store.close_windows(self.game, self.at)
        game = self.game
        game.ended_at, game.called_off, game.due_at, game.paused_at = self.at, True, None, None
        announce(game)

    def advance(
        self, opening: Mapping[str, Any] | None = None, *, handed: Iterable[str] = ()
    ) -> None:
        """Let the rules decide, write what they say, and note when the game is next due."""
        game = self.game
        state = fold(self.log)
        self._phase_number = state.moment.phase_number
        events = decide(
            rulesets.get(game.ruleset),
            self.log,
            answers=self.given,
            ready=self._ready,
            draws=Draws(game.seed),
            opening=opening,
        )
        opened = store.append(game, state, len(self.log), events, self.at)
        self.log += events
        if any(e.kind == "phase_opened" for e in events):
            game.phase_at = self.at
        closed = {e["window"] for e in events if e.kind == "window_closed"}
        self._open(opened, closed)
        if over := next((e for e in events if e.kind == "game_over"), None):
            game.winner, game.ended_at = over["winner"], self.at
        game.due_at = self._due()
        announce(game, [*handed, *(row.key for row in opened if row.agents_missing)])

    def _ready(self, wait: Wait) -> bool:
        """Whether those the script waits for have answered, and the pace allows going on."""
        if self.game.paused_at:
            return False
        row = self.rows.get(wait.window.key)
        asked = set(row.asked) if row else _asked(wait.window.data(), self.people)
        if wait.whom == "nobody":
            return True
        awaited = asked & self.people if wait.whom == "people" else asked
        if row is None:  # it opens in this very step: nobody has answered yet
            new = wait.window.moment.phase_number > self._phase_number
            phase_at = self.at if new else self.game.phase_at
            held = self._held_until(wait.window.data(), self.at, phase_at)
            return not awaited and held <= self.at
        in_time = wait.whom == "people" or row.not_before <= self.at
        return awaited <= set(self.given[row.key]) and in_time

    def _open(self, opened: list[WindowRow], closed: set[str]) -> None:
        for row in opened:
            row.asked = sorted(_asked(row.data, self.people))
            row.agents_missing = len(set(row.asked) - self.people)
            if row.key in closed:  # nobody was asked
                row.closed_at = self.at
            self._start_clock(row)
        store.open_windows(opened)
        self.rows = {
            key: row
            for key, row in {**self.rows, **{r.key: r for r in opened}}.items()
            if key not in closed
        }
        self.given = {key: self.given.get(key, {}) for key in self.rows}

    def _start_clock(self, row: WindowRow) -> None:
        """Set the pause for pace and the deadline of a window that opens now."""
        game, kind = self.game, row.data["clock"]
        row.not_before = self._held_until(row.data, row.opened_at, game.phase_at)
        seconds = game.limits.get(kind)
        if kind == "night" and self._fixed_nights:
            row.expires_at = self._night_ends(row.data, game.phase_at)
            return
        if kind == "poll" and not seconds and not self.people & set(row.asked):
            seconds = POLL_SECONDS
        if seconds:
            row.expires_at = self.at + timedelta(seconds=seconds)

    def _held_until(
        self, window: Mapping[str, Any], opened: datetime, phase_at: datetime
    ) -> datetime:
        """How long the pace holds a window open, whoever answers.

        Where several people play, a night has a fixed length: else it would tell who acts in it.
        """
        if window["clock"] == "night":
            if window.get("share", 1) < 1:
                return opened
            if self._fixed_nights:
                return self._night_ends(window, phase_at)
            return clock.night_ends(self.game.pace, phase_at)
        if window["clock"] == "vote":
            return clock.vote_ends(self.game.pace, opened)
        return opened

    @property
    def _fixed_nights(self) -> bool:
        """Whether nights last as long as the table allows for them, no longer and no shorter: where
        several people play, and at a blind table, where it must not tell whether they do."""
        limited = bool(self.game.limits.get("night"))
        alike = self.company or bool(self.game.settings.get("blind"))
        return limited and alike and clock.PACES[self.game.pace].night > 0

    def _night_ends(self, window: Mapping[str, Any], phase_at: datetime) -> datetime:
        """When the part of the night ends in which the window must be answered."""
        seconds = self.game.limits["night"] * window.get("share", 1)
        return phase_at + timedelta(seconds=seconds)

    def _due(self) -> datetime | None:
        """When the game next needs attention by itself: a deadline, or the end of a pause."""
        if self.game.paused_at:
            return None
        times = []
        for row in self.rows.values():
            if set(row.asked) <= set(self.given[row.key]):
                if row.not_before > self.at:
                    times.append(row.not_before)
            elif row.expires_at:
                times.append(row.expires_at)
        return min(times, default=None)


def _asked(window: Mapping[str, Any], people: set[int]) -> set[int]:
    """The seats a window really asks at a table where `people` are the seats of people."""
    seats = set(window["seats"])
    if window["asks"] == "agents":
        return seats - people
    return seats & people if window["asks"] == "people" else seats
