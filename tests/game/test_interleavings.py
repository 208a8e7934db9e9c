"""Any order of answers, deadlines, host actions, crashes and restarts gives a legal log."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game import clock, game_actions, store
from game.engine import rulesets
from game.engine.events import Event
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.models import Answer, Game
from tests.engine.playing import run_script
from tests.game.random_steps import RANDOM_STEPS, RandomGame, take_step

pytestmark = pytest.mark.django_db


def check(game: Game, log: list[Event], accepted: dict[tuple[str, int], str]) -> None:
    """Assert that the rules accept this log and that it has every confirmed post once."""
    new_events = run_script(
        rulesets.get(game.ruleset),
        log,
        answers={},
        ready=lambda wait: False,
        rng=SeededRandom(game.seed),
    )
    assert new_events == [], "the log is complete and matches the rules"
    assert [e.kind for e in log].count("game_over") == 1
    statements = [e for e in log if e.kind == "statement"]
    assert [e["seat"] for e in statements] == [*range(1, 9)] * 3
    assert sorted(e["seat"] for e in log if e.kind == "vote") == [*range(1, 9)]
    texts = {(e["window"], e["seat"]): e.data.get("text", "") for e in statements}
    for (key, seat), text in accepted.items():
        if text:
            assert texts[key, seat] == text
    assert len({e.data["window"] for e in statements}) == len(statements)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 10**6),
    st.sampled_from(["none", "natural", "even"]),
    st.lists(RANDOM_STEPS, max_size=60),
)
def test_any_interleaving_of_actions_yields_a_legal_log(
    seed: int, pace: str, steps: list[tuple[str, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        random_game = RandomGame(seed, pace)
        patch.setattr(clock, "now", lambda: random_game.at)
        for action, number in steps:
            take_step(random_game, action, number)
        with contextlib.suppress(Illegal):
            game_actions.resume(random_game.game.pk)
        for _ in range(500):
            if Game.objects.get(pk=random_game.game.pk).ended_at:
                break
            random_game.answer(0)
            random_game.tick(10)
        log = store.load_log(random_game.game)
    check(random_game.game, log, random_game.accepted)
    assert not Answer.objects.filter(window__closed_at=None, window__game=random_game.game).exists()
