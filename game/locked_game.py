"""Makes one change to one game, in a transaction that locks the game's row.

`record_answer` is the most frequent change. `game.game_actions`, `game.deadlines` and `game.lobby`
have the others.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from game import cached_games, clock, store
from game.cached_games import CachedGame
from game.clock import Pacing
from game.engine import rulesets
from game.engine.events import PUBLIC, Action, Event
from game.engine.forms import Illegal
from game.engine.labels import LATE, STAND_IN, TIMEOUT
from game.engine.ruleset import ScriptRun
from game.engine.script_context import Wait
from game.engine.seeded_random import SeededRandom
from game.engine.visibility import MODERATOR
from game.engine.windows import Answer
from game.models import Answer as AnswerRow
from game.models import Game
from game.models import Window as WindowRow
from game.signals import game_changed
from game.store import NewAnswer


def lock_game(game_id: int) -> Game:
    """Return the game with its row locked until the transaction ends."""
    return store.load_game(game_id, should_lock=True)


def announce(
    game: Game,
    agent_windows: Iterable[str] = (),
    build_cached_game: Callable[[], CachedGame] | None = None,
    *,
    is_reworded: bool = False,
) -> None:
    """Count a change, save it, and notify listeners after the commit.

    Args:
        agent_windows: keys of windows that newly wait for agents.
        build_cached_game: builds the version after the change. Without it the cached version is
            marked as outdated.
        is_reworded: whether text was removed or replaced. Then the game is removed from the cache.
    """
    game.version += 1
    game.reworded += is_reworded
    store.save_game(game)
    cached = build_cached_game() if build_cached_game else None
    cached_games.cache_inside_transaction(game.pk, cached)
    if is_reworded:
        transaction.on_commit(partial(cached_games.remove_from_cache, game.pk))
    is_over = game.ended_at is not None
    transaction.on_commit(partial(_on_commit, game.pk, list(agent_windows), is_over, cached))


def _on_commit(
    game_id: int, agent_windows: list[str], is_over: bool, cached: CachedGame | None
) -> None:
    if cached:
        cached_games.cache_game(cached)
    else:
        cached_games.mark_outdated(game_id)
    game_changed.send_robust(sender=Game, game=game_id, opened=agent_windows, ended=is_over)


class LockedGame:
    """A game with its row locked, to which changes are made.

    Windows are changed on copies. After `add_answer`, or its own change to `rows` and
    `changed_windows`, the caller must write the changes: `advance` runs the script too,
    `write_answer` if necessary.

    Attributes:
        now: the time of the change, for all its rows.
        cached: the game's version before the change.
        people: the seats for which people answer now.
        stand_ins: the seats of people for whom a computer player answers.
        rows: the open windows by key, as copies.
        open_answers: window key -> seat -> answer, for the open windows.
        changed_windows: the keys of changed windows that are still open.
        new_answers: the answers that are not written yet.
    """

    def __init__(self, game_id: int, *, can_extend_cache: bool = False) -> None:
        """Lock and read the game.

        `can_extend_cache`: only the log, windows and answers change. Then the next version is built
        from memory instead of being read again.
        """
        self.game = lock_game(game_id)
        self.now = clock.now()
        self.cached = cached_games.current_cached_game(self.game)
        self.people = {p.seat for p in self.cached.players if p.is_person_now}
        self.stand_ins = {p.seat for p in self.cached.players if p.stand_in}
        self.pacing = Pacing(self.game, len(self.people | self.stand_ins))
        self.rows = {key: copy(row) for key, row in self.cached.windows.items()}
        self.open_answers = {
            key: dict(by_seat) for key, by_seat in self.cached.open_answers.items()
        }
        self.changed_windows: set[str] = set()
        self.new_answers: list[NewAnswer] = []
        self._can_extend_cache = can_extend_cache

    def find_window(self, key: str) -> WindowRow | None:
        """Return window `key`, open or closed, None if there is none."""
        return self.rows.get(key) or WindowRow.objects.filter(game=self.game, key=key).first()

    def validate_answer(
        self,
        row: WindowRow | None,
        seat: int,
        posted: Action | Mapping[str, Any],
        is_agent: bool | None,
    ) -> Answer:
        """Return the answer of `seat` as the rules accept it.

        An agent's answer may count as an Over. A person's post with that effect is refused, so that
        a slip does not end the person's day.

        Args:
            row: of the window, None if there is none.
            posted: an action, or the data of a person's post.
            is_agent: whether an agent or a person answers; None skips this check.

        Raises:
            Illegal: with the rules' code, or one of those below.
        """
        if row is None:
            raise Illegal("no_such_window")
        if seat not in row.asked:
            raise Illegal("not_asked")
        if row.closed_at:
            raise Illegal("game_over" if self.game.ended_at else "too_late")
        if is_agent is not None and is_agent == (seat in self.people):
            raise Illegal("handed_over")
        window = store.to_window(row)
        if isinstance(posted, Action):
            action = posted
        else:
            action = window.legal.parse(posted)
            window.check(seat, action)
        answer = window.accept(seat, action, [p.name for p in self.cached.players])
        earlier = self.open_answers[row.key].get(seat)
        if earlier and not (seat in self.people and window.legal.is_revisable):
            raise Illegal("answered")
        if seat in self.people and self._must_rate_first(row, seat):
            raise Illegal("rate_first")
        if earlier and {TIMEOUT, LATE} & set(earlier.labels):
            answer = Answer(answer.action, (LATE, *answer.labels))
        return answer

    def _must_rate_first(self, row: WindowRow, seat: int) -> bool:
        """Return whether an earlier question to people alone waits for the person in `seat`."""
        return any(
            seat in other.asked
            and seat not in self.open_answers[other.key]
            and other.opened_seq < row.opened_seq
            and other.data["asks"] == "people"
            for other in self.rows.values()
        )

    def add_answer(self, key: str, seat: int, answer: Answer, request_id: uuid.UUID) -> None:
        """Add an answer that `validate_answer` returned.

        The window of an agent's statement stays open as long as it takes to say the statement. At
        an even pace this applies to every answer in a speech window.
        """
        row, game = self.rows[key], self.game
        if seat in self.stand_ins:
            answer = Answer(answer.action, (STAND_IN, *answer.labels))
        stored_action = Action.from_json(store.as_stored_json(answer.action.to_json()))
        answer = Answer(stored_action, answer.labels)
        self.new_answers.append(NewAnswer(row, seat, answer, request_id))
        self.open_answers[key][seat] = answer
        self.changed_windows.add(key)
        is_even_speech = clock.is_even(game.pace) and clock.is_speech(row.data)
        if is_even_speech or (answer.action.kind == "say" and seat not in self.people):
            row.not_before = self.pacing.speech_end(row, answer)
        if seat not in self.people:
            row.agents_missing -= 1

    def is_answered(self, row: WindowRow) -> bool:
        return set(row.asked) <= set(self.open_answers[row.key])

    def write_answer(self, key: str, seat: int) -> None:
        """Write an added answer, and run the script if the window needs no other."""
        row, game = self.rows[key], self.game
        if self.is_answered(row) or (row.data["waits_for"] == "people" and seat in self.people):
            self.advance()
        else:
            game.due_at = self._next_due_at()
            store.save_answers(self.new_answers, self.now)
            self._write_windows()
            self._announce()

    def _write_windows(self, closed: Iterable[str] = (), opened: Iterable[WindowRow] = ()) -> None:
        """Close the `closed` windows. Write them, changed and opened ones in one statement."""
        for key in closed:
            self.rows[key].closed_at = self.now
        store.save_windows([*(self.rows[k] for k in {*self.changed_windows, *closed}), *opened])

    def _announce(
        self,
        agent_windows: Iterable[str] = (),
        events: Sequence[Event] = (),
        opened: Sequence[WindowRow] = (),
        script_run: ScriptRun | None = None,
    ) -> None:
        """Count the change and announce it. Cache the next version if it can be built."""
        before = self.cached

        def build_cached_game() -> CachedGame:
            rows = (events, opened, self.rows, self.open_answers)
            successor = before.build_successor(self.game, *rows)
            successor.script_run = script_run or before.take_script_run()
            return successor

        can_build = self._can_extend_cache and before.has_log
        announce(self.game, agent_windows, build_cached_game if can_build else None)

    def advance(
        self, opening: Mapping[str, Any] | None = None, *, handed_over: Iterable[str] = ()
    ) -> None:
        """Run the script, write its events, and store when the game is next due.

        `opening` is that of a new game (`ScriptRun`). `handed_over` are the keys of windows that
        now wait for an agent in place of a person.
        """
        game, log = self.game, self.cached.log
        state = self.cached.view(MODERATOR).state
        script_run = self.cached.take_script_run() or ScriptRun(
            rulesets.get(game.ruleset), log, SeededRandom(game.seed), opening
        )
        is_ready = partial(self._is_ready, state.moment.phase_number)
        events = script_run.advance(self.open_answers, is_ready, log)
        opened = store.append_events(game, state, len(log), events, self.now, self.new_answers)
        if any(e.kind == "phase_opened" for e in events):
            game.phase_at = self.now
        # At the pace QUICK a person sees new lines at their next turn. A person who is out has no
        # next turn, and days would pass in seconds.
        is_person_out = any(e.kind == "out" and e["seat"] in self.people for e in events)
        if game.pace == clock.QUICK and is_person_out:
            game.pace = clock.BRISK
        self._start_windows(opened, {e["window"] for e in events if e.kind == "window_closed"})
        if over := next((e for e in events if e.kind == "game_over"), None):
            game.winner, game.ended_at = over["winner"], self.now
        game.due_at = self._next_due_at()
        agent_windows = [*handed_over, *(row.key for row in opened if row.agents_missing)]
        self._announce(agent_windows, events, opened, script_run)

    def _is_ready(self, phase_number: int, wait: Wait) -> bool:
        """Return whether all awaited answers are in and the pace allows the game to continue.

        `phase_number` is that of the phase before the change.
        """
        if self.game.paused_at:
            return False
        row = self.rows.get(wait.window.key)
        asked_seats = set(row.asked if row else wait.window.respondents(self.people))
        if wait.waits_for == "nobody":
            return True
        only_people = wait.waits_for == "people"
        # At a blind table the end of a visible question would reveal how many people there are.
        if self.game.settings.get("blind") and wait.window.window_audience == PUBLIC:
            only_people = False
        awaited = asked_seats & self.people if only_people else asked_seats
        if row is None:  # the window opens in this very step: it has no answer yet
            opens_phase = wait.window.moment.phase_number > phase_number
            phase_at = self.now if opens_phase else self.game.phase_at
            hold_end = self.pacing.hold_end(wait.window.to_json(), self.now, phase_at)
            return not awaited and hold_end <= self.now
        is_pace_over = only_people or row.not_before <= self.now
        return is_pace_over and awaited <= set(self.open_answers[row.key])

    def _start_windows(self, opened: list[WindowRow], closed: set[str]) -> None:
        for row in opened:
            row.asked = sorted(store.to_window(row).respondents(self.people))
            row.agents_missing = len(set(row.asked) - self.people)
            if row.key in closed:  # the window has no respondents, so the script closed it at once
                row.closed_at = self.now
            self.pacing.start_clocks(row, self.now, self.people)
        self._write_windows(closed & self.rows.keys(), opened)
        rows = {**self.rows, **{row.key: row for row in opened}}
        self.rows = {key: row for key, row in rows.items() if key not in closed}
        self.open_answers = {key: self.open_answers.get(key, {}) for key in self.rows}

    def _next_due_at(self) -> datetime | None:
        """Return the next deadline or end of a pause for pace, None if there is none."""
        if self.game.paused_at:
            return None
        times = []
        for row in self.rows.values():
            if self.is_answered(row):
                if row.not_before > self.now:
                    times.append(row.not_before)
            elif row.expires_at:
                times.append(row.expires_at)
        return min(times, default=None)


@contextmanager
def lock_running_game(game_id: int) -> Iterator[LockedGame]:
    """Lock a running or paused game for the block (Illegal: `not_begun` or `over`)."""
    with transaction.atomic():
        locked = LockedGame(game_id)
        if locked.game.ended_at:
            raise Illegal("over")
        if not locked.game.started_at:
            raise Illegal("not_begun")
        yield locked


def record_answer(
    game_id: int,
    seat: int,
    window_key: str,
    action: Action | Mapping[str, Any],
    *,
    request_id: uuid.UUID | None = None,
    labels: Sequence[str] = (),
    is_agent: bool | None = None,
    on_answered: Callable[[CachedGame], None] | None = None,
) -> Game | None:
    """Record the answer of `seat` to a window and continue the game.

    Args:
        action: the action, or posted data that the window's form parses (`Form.parse`).
        request_id: of the client. A repeated request changes nothing.
        labels: of the answer (`game.engine.labels`).
        is_agent: whether an agent or a person answers; None skips the check of who has the seat.
        on_answered: called in the same transaction, with the game before the answer, to write
            further rows.

    Returns:
        the game's row after the answer, None for a repeated request.

    Raises:
        Illegal: with the rules' code, or one of `LockedGame.validate_answer`.
    """
    request_id = request_id or uuid.uuid4()
    with transaction.atomic():
        locked = LockedGame(game_id, can_extend_cache=True)
        row = locked.find_window(window_key)
        answered = row and (row.closed_at or seat in locked.open_answers[row.key])
        if answered and AnswerRow.objects.filter(window=row, seat=seat, post=request_id).exists():
            return None
        accepted = locked.validate_answer(row, seat, action, is_agent)
        all_labels = tuple(dict.fromkeys((*labels, *accepted.labels)))
        locked.add_answer(window_key, seat, Answer(accepted.action, all_labels), request_id)
        locked.write_answer(window_key, seat)
        if on_answered:
            on_answered(locked.cached)
    return locked.game
