"""Whatever order answers, deadlines, hosts, crashes and restarts come in, the log is legal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game import clock, host_actions, lost_time, selectors, services, store
from game.engine import rulesets
from game.engine.events import Event
from game.engine.forms import Illegal
from game.engine.script_run import decide
from game.engine.seeded_random import SeededRandom
from game.models import Answer, Game
from tests.game.table import any_answer, new_game

pytestmark = pytest.mark.django_db
PEOPLE = (1, 4, 6)
LOOKS_EVERY = 4  # seconds between looks of a sweeper that has much to do


class Crash(Exception):
    """The process dies in the middle of its transaction."""


class Storm:
    """A game to which anything may happen; `accepted` are the posts that were confirmed."""

    def __init__(self, seed: int, pace: str) -> None:
        self.at = timezone.now()
        limits = {"statement": 60, "vote": 60, "night": 60}
        self.game = new_game(*PEOPLE, seed=str(seed), pace=pace, limits=limits)
        self.accepted: dict[tuple[str, int], str] = {}

    def answer(self, which: int, *, agent: bool | None = None, crash: bool = False) -> None:
        """One of those who are asked answers; `crash`: and all is lost before the commit."""
        asked = [(o, s) for o in selectors.open_windows(self.game) for s in o.asked]
        if not asked:
            return
        window, seat = asked[which % len(asked)]
        action = any_answer(window, seat)
        with contextlib.suppress(Illegal, Crash), transaction.atomic():
            services.answer(self.game.pk, seat, window.window.key, action, is_agent=agent)
            if crash:
                raise Crash
            self.accepted[window.window.key, seat] = action.text

    def late(self, which: int) -> None:
        """Somebody answers what was asked long ago."""
        rows = list(self.game.windows.exclude(closed_at=None))
        if rows:
            row = rows[which % len(rows)]
            window = store.to_window(row)
            with contextlib.suppress(Illegal):
                seat = window.seats[which % len(window.seats)]
                services.answer(
                    self.game.pk, seat, row.key, window.default_for(seat, SeededRandom("x")).action
                )
                raise AssertionError(f"{row.key} was closed")

    def host(self, which: int) -> None:
        """The host does something, sensible or not."""
        seat = PEOPLE[which % len(PEOPLE)]
        acts: list[Callable[[], None]] = [
            lambda: host_actions.pause(self.game.pk),
            lambda: host_actions.resume(self.game.pk),
            lambda: host_actions.extend_deadlines(self.game.pk),
            lambda: host_actions.hand_over(self.game.pk, seat),
            lambda: host_actions.return_seat(self.game.pk, seat),
        ]
        with contextlib.suppress(Illegal):
            acts[which % len(acts)]()

    def tick(self, seconds: float, *, kept: bool = True) -> None:
        """Time passes; the sweeper looks, or did not while it passed."""
        looks = -(-int(seconds) // LOOKS_EVERY) if kept else 1
        for _ in range(looks):
            self.at += timedelta(seconds=LOOKS_EVERY if kept else seconds)
            lost_time.give_back_lost_time()
            services.settle_deadlines(self.game.pk)


STEPS = st.tuples(
    st.sampled_from(["answer"] * 8 + ["agent", "person", "crash", "late", "host", "tick", "sleep"]),
    st.integers(0, 40),
)


def step(storm: Storm, what: str, number: int) -> None:
    match what:
        case "answer":
            storm.answer(number)
        case "agent" | "person":
            storm.answer(number, agent=what == "agent")
        case "crash":
            storm.answer(number, crash=True)
        case "late":
            storm.late(number)
        case "host":
            storm.host(number)
        case "tick":
            storm.tick(number)
        case "sleep":
            storm.tick(number * 100 - 1000, kept=False)


def check(game: Game, log: list[Event], accepted: dict[tuple[str, int], str]) -> None:
    """The rules would have written this log, and every confirmed post is in it once."""
    settled = decide(
        rulesets.get(game.ruleset),
        log,
        answers={},
        ready=lambda wait: False,
        rng=SeededRandom(game.seed),
    )
    assert settled == [], "nothing to add, and no LogMismatch"
    assert [e.kind for e in log].count("game_over") == 1
    statements = [e for e in log if e.kind == "statement"]
    assert [e["seat"] for e in statements] == [*range(1, 9)] * 3
    assert sorted(e["seat"] for e in log if e.kind == "vote") == [*range(1, 9)]
    said = {(e["window"], e["seat"]): e.data.get("text", "") for e in statements}
    for (key, seat), text in accepted.items():
        if text:
            assert said[key, seat] == text
    assert len({e.data["window"] for e in statements}) == len(statements)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 10**6),
    st.sampled_from(["none", "natural", "even"]),
    st.lists(STEPS, max_size=60),
)
def test_any_interleaving_yields_a_legal_log(
    seed: int, pace: str, steps: list[tuple[str, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        storm = Storm(seed, pace)
        patch.setattr(clock, "now", lambda: storm.at)
        for what, number in steps:
            step(storm, what, number)
        with contextlib.suppress(Illegal):
            host_actions.resume(storm.game.pk)
        for _ in range(500):
            if Game.objects.get(pk=storm.game.pk).ended_at:
                break
            storm.answer(0)
            storm.tick(10)
        log = store.load(storm.game)
    check(storm.game, log, storm.accepted)
    assert not Answer.objects.filter(window__closed_at=None, window__game=storm.game).exists()
