"""A night tells nothing: where several people play it lasts as long, whatever is done in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from game import host_actions, selectors, services
from game.engine import rulesets, visibility
from game.engine.forms import Action, pick, say
from game.models import Event, Game
from game.selectors import OpenWindow
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.table import new_game
from tests.game.test_host_actions import Clock

pytestmark = pytest.mark.django_db
each_ruleset = pytest.mark.parametrize("ruleset", rulesets.names())
hand = drawing_hand("nights")
LONG = "one word after another " * 7  # takes longest to say
EACH = range(1, 100)  # everybody is a person
NIGHT = services.USUAL_LIMITS["night"]
SOON, LATE, NEVER = timedelta(seconds=2), timedelta(seconds=13), timedelta(days=1)
MORE = 60


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Nights:
    """A game whose days pass quickly; at night everybody answers `after` their window opened.

    wolves_go: the votes fall on the Werewolves, else on the others. more: the host adds time to
    each night, as soon as it has begun.
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
        """Seconds from each night's opening to the next thing that everybody is told."""
        self._play()
        told = list(Event.objects.filter(game=self.game, audience="public"))
        return [
            (after.at - event.at).total_seconds()
            for event, after in pairwise(told)
            if event.kind == "phase_opened" and self._dark(event.data["phase"])
        ]

    def _dark(self, phase: str) -> bool:
        return self.ruleset.wording.phase(phase).light == "night"

    def _play(self) -> None:
        nights = set[int]()
        for _ in range(400):
            self.game.refresh_from_db()
            if self.game.ended_at:
                return
            now = selectors.view_for(self.game, visibility.PUBLIC).state
            if self.more and self._dark(now.phase) and now.moment.phase_number not in nights:
                nights.add(now.moment.phase_number)
                host_actions.extend_deadlines(self.game.pk, MORE)
            self._go_on()
        raise AssertionError("the game never ended")

    def _go_on(self) -> None:
        """Somebody answers, or the time comes when somebody will or the clock acts."""
        missing = [o for o in selectors.open_windows(self.game) if o.missing]
        for window in missing:
            if self._answered_at(window) <= self.time.at:
                return self._answer(window)
        self.game.refresh_from_db()
        times = [self._answered_at(window) for window in missing]
        times += [self.game.due_at] if self.game.due_at else []
        self.time.at = max(self.time.at, min(times))
        return services.settle_deadlines(self.game.pk)

    def _answered_at(self, window: OpenWindow) -> datetime:
        at_night = window.window.clock == "night"
        return window.opened_at + (self.after if at_night else timedelta())

    def _answer(self, window: OpenWindow) -> None:
        seat = window.missing[0]
        services.answer(self.game.pk, seat, window.window.key, self._action(window, seat))

    def _action(self, window: OpenWindow, seat: int) -> Action:
        if window.window.legal.name == "speech" and window.window.clock == "night":
            return say(LONG)
        options = set(window.window.options_for(seat))
        to_go = options & self.wolves if self.wolves_go else options - self.wolves
        if window.window.kind == "vote" and to_go:
            return pick(min(to_go))
        return hand(window.window, seat)


@each_ruleset
@pytest.mark.parametrize(
    ("people", "wolves_go", "blind", "answered"),
    [
        ((1, 2), False, False, (NEVER,)),
        (EACH, True, False, (timedelta(), LATE)),
        ((1, 2), True, True, (LATE,)),
        (EACH, False, True, (SOON,)),
    ],
    ids=["two", "all, wolves go", "two, blind, wolves go", "all, blind"],
)
def test_every_night_lasts_as_long_whatever_is_done_in_it(
    time: Clock,
    ruleset: str,
    people: tuple[int, ...],
    wolves_go: bool,
    blind: bool,
    answered: tuple[timedelta, ...],
) -> None:
    few = FEW_STATEMENTS.get(ruleset, {})
    choices = {"pace": "even" if blind else "natural", "settings": {"blind": blind, **few}}
    for seed, after in enumerate(answered):
        game = new_game(*people, ruleset=ruleset, seed=str(seed), **choices)
        lengths = Nights(time, game, after, wolves_go=wolves_go).lengths()
        assert set(lengths) == {NIGHT}, after


@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
@pytest.mark.parametrize(
    ("wolves_go", "after"),
    [(False, timedelta()), (True, NEVER)],
    ids=["stay, at once", "go, never"],
)
def test_time_that_the_host_adds_makes_every_night_as_much_longer(
    time: Clock, ruleset: str, wolves_go: bool, after: timedelta
) -> None:
    """Whether anybody is awaited at night does not show in what the host may do."""
    game = new_game(1, 2, ruleset=ruleset, pace="natural")
    nights = Nights(time, game, after, wolves_go=wolves_go, more=True)
    assert set(nights.lengths()) == {NIGHT + MORE}
