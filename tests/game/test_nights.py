"""Nights have a constant length with several people, so timing reveals nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from game import deadlines, lobby, locked_game, selectors
from game.cached_games import OpenWindow
from game.engine import rulesets, visibility
from game.engine.events import Action, pick, say
from game.models import Event, Game
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.clock import Clock
from tests.game.table import new_game

pytestmark = pytest.mark.django_db
each_ruleset = pytest.mark.parametrize("ruleset", rulesets.names())
hand = drawing_hand("nights")
LONG = "one word after another " * 7  # has the longest speaking time
ALL_SEATS = range(1, 100)  # all seats are people
NIGHT = lobby.DEFAULT_LIMITS["night"]
SOON, LATE, NEVER = timedelta(seconds=2), timedelta(seconds=13), timedelta(days=1)
MORE = 60


class Nights:
    """A game with quick days, in which all seats answer night windows with a delay of `after`.

    Args:
        wolves_go: Whether votes exile Werewolves instead of other players.
        more: Whether the host adds time at the start of each night.
    """

    def __init__(
        self,
        time: Clock,
        game: Game,
        after: timedelta,
        *,
        wolves_go: bool = False,
        more: bool = False,
    ) -> None:
        self.time, self.game, self.after = time, game, after
        self.wolves_go, self.more = wolves_go, more
        self.ruleset = rulesets.get(game.ruleset)
        roles = selectors.view_for(game, visibility.MODERATOR).state.roles
        self.wolves = {seat for seat, role in roles.items() if role == "werewolf"}

    def lengths(self) -> list[float]:
        """Return seconds from each night's opening to the next public event."""
        self._play()
        public_events = list(Event.objects.filter(game=self.game, audience="public"))
        return [
            (following.at - event.at).total_seconds()
            for event, following in pairwise(public_events)
            if event.kind == "phase_opened" and self._is_dark(event.data["phase"])
        ]

    def _is_dark(self, phase: str) -> bool:
        return self.ruleset.wording.phase(phase).light == "night"

    def _play(self) -> None:
        nights = set[int]()
        for _ in range(400):
            self.game.refresh_from_db()
            if self.game.ended_at:
                return
            now = selectors.view_for(self.game, visibility.PUBLIC).state
            if self.more and self._is_dark(now.phase) and now.moment.phase_number not in nights:
                nights.add(now.moment.phase_number)
                deadlines.extend_deadlines(self.game.pk, MORE)
            self._go_on()
        raise AssertionError("the game never ended")

    def _go_on(self) -> None:
        """Answer one due window, or advance the clock to the next answer or deadline."""
        missing = [o for o in selectors.open_windows(self.game) if o.missing]
        for window in missing:
            if self._answer_time(window) <= self.time.at:
                return self._answer(window)
        self.game.refresh_from_db()
        times = [self._answer_time(window) for window in missing]
        times += [self.game.due_at] if self.game.due_at else []
        self.time.at = max(self.time.at, min(times))
        return deadlines.settle_deadlines(self.game.pk)

    def _answer_time(self, window: OpenWindow) -> datetime:
        at_night = window.window.clock == "night"
        return window.opened_at + (self.after if at_night else timedelta())

    def _answer(self, window: OpenWindow) -> None:
        seat = window.missing[0]
        locked_game.record_answer(self.game.pk, seat, window.window.key, self._action(window, seat))

    def _action(self, window: OpenWindow, seat: int) -> Action:
        if window.window.legal.name == "speech" and window.window.clock == "night":
            return say(LONG)
        options = set(window.window.options_for(seat))
        exile_options = options & self.wolves if self.wolves_go else options - self.wolves
        if window.window.kind == "vote" and exile_options:
            return pick(min(exile_options))
        return hand(window.window, seat)


@each_ruleset
@pytest.mark.parametrize(
    ("people", "wolves_go", "blind", "delays"),
    [
        ((1, 2), False, False, (NEVER,)),
        (ALL_SEATS, True, False, (timedelta(), LATE)),
        ((1, 2), True, True, (LATE,)),
        (ALL_SEATS, False, True, (SOON,)),
    ],
    ids=["two", "all, wolves go", "two, blind, wolves go", "all, blind"],
)
def test_every_night_has_the_same_length(
    time: Clock,
    ruleset: str,
    people: tuple[int, ...],
    wolves_go: bool,
    blind: bool,
    delays: tuple[timedelta, ...],
) -> None:
    fewer_statements = FEW_STATEMENTS.get(ruleset, {})
    choices = {
        "pace": "even" if blind else "natural",
        "settings": {"blind": blind, **fewer_statements},
    }
    for seed, after in enumerate(delays):
        game = new_game(*people, ruleset=ruleset, seed=str(seed), **choices)
        lengths = Nights(time, game, after, wolves_go=wolves_go).lengths()
        assert set(lengths) == {NIGHT}, after


@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
@pytest.mark.parametrize(
    ("wolves_go", "after"),
    [(False, timedelta()), (True, NEVER)],
    ids=["stay, at once", "go, never"],
)
def test_time_added_by_the_host_extends_every_night_equally(
    time: Clock, ruleset: str, wolves_go: bool, after: timedelta
) -> None:
    """The host's options do not reveal whether a seat is still awaited at night."""
    game = new_game(1, 2, ruleset=ruleset, pace="natural")
    nights = Nights(time, game, after, wolves_go=wolves_go, more=True)
    assert set(nights.lengths()) == {NIGHT + MORE}
