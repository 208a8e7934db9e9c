"""Properties of every ruleset: games end, logs replay, and views stay private."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.engine import rulesets, visibility
from game.engine.events import Event, pick
from game.engine.ruleset import Ruleset, ScriptRun
from game.engine.script_context import LogMismatch
from game.engine.seeded_random import SeededRandom
from game.engine.state import State, evolve, fold
from game.engine.windows import Window
from tests.engine.playing import GameRun, drawing_hand, play, ready_with, run_script, seats_of, step
from tests.two_days import TwoDays

T = TypeVar("T")
RULESETS: list[Ruleset] = [rulesets.get("one-night"), rulesets.get("sheriff"), TwoDays()]
any_ruleset = st.sampled_from(RULESETS)
seeds = st.integers(0, 10**6).map(str)


class NoDraws(SeededRandom):
    """Random source that fails on every draw."""

    def __init__(self) -> None:
        super().__init__("")

    def below(self, purpose: str, bound: int) -> int:
        raise AssertionError(f"drew {purpose} while replaying")

    def choice(self, purpose: str, options: Sequence[T]) -> T:
        raise AssertionError(f"drew {purpose} while replaying")


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds)
def test_legal_play_ends_and_its_log_determines_the_state(ruleset: Ruleset, seed: str) -> None:
    game = play(ruleset, seed, drawing_hand(seed))
    state = State()
    for event in game.log:
        state = evolve(state, event)
    assert state == fold(game.log)
    assert state.is_over
    assert state.winner in {"", *(t.key for t in ruleset.teams)}
    assert not state.windows


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds, st.data())
def test_log_replays_from_any_point_without_random_draws(
    ruleset: Ruleset, seed: str, data: st.DataObject
) -> None:
    game = play(ruleset, seed, drawing_hand(seed))
    new_events = run_script(ruleset, game.log, answers={}, ready=lambda w: False, rng=NoDraws())
    assert new_events == []
    # A game that stops between two moves continues to the same log.
    partial = GameRun(answers=game.answers)
    partial.log = step(ruleset, seed, GameRun(), {"seats": ruleset.seat_names, "settings": {}})
    stops = data.draw(st.integers(0, 10))
    for _ in range(stops):
        waits = iter([True])
        ready = ready_with(game.answers)
        partial.log += run_script(
            ruleset,
            partial.log,
            answers=game.answers,
            ready=lambda w, waits=waits, ready=ready: next(waits, False) and ready(w),
            rng=SeededRandom(seed),
        )
        assert partial.log == game.log[: len(partial.log)]
    partial.log += step(ruleset, seed, partial)
    assert partial.log == game.log


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds, st.lists(st.integers(0, 3), max_size=40))
def test_continued_script_run_equals_a_restarted_one(
    ruleset: Ruleset, seed: str, stops: list[int]
) -> None:
    """The run may stop at any number of points."""
    game = play(ruleset, seed, drawing_hand(seed))
    course = ScriptRun(
        ruleset, (), SeededRandom(seed), {"seats": ruleset.seat_names, "settings": {}}
    )
    is_ready, log = ready_with(game.answers), list[Event]()
    for stop in [*stops, len(game.log)]:
        waits = iter([True] * stop)
        log += course.advance(
            game.answers, lambda w, waits=waits: next(waits, False) and is_ready(w)
        )
        assert log == game.log[: len(log)]
    assert log == game.log


def test_log_of_other_rules_is_rejected() -> None:
    game = play(RULESETS[0], "x", drawing_hand("x"))
    forged = [*game.log[:5], Event("out", game.log[0].audience, {"seat": 1}), *game.log[6:]]
    with pytest.raises(LogMismatch):
        run_script(RULESETS[0], forged, answers={}, ready=lambda w: False, rng=SeededRandom("x"))


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds)
def test_public_events_reveal_no_hidden_role_or_window(ruleset: Ruleset, seed: str) -> None:
    game = play(ruleset, seed, drawing_hand(seed))
    ended = next(i for i, e in enumerate(game.log) if e.kind == "role_revealed")
    before = visibility.view_of(game.log[:ended], visibility.PUBLIC)
    revealed_living = {s for s in before.state.roles if s not in before.state.out}
    assert revealed_living == set(), "the role of a living player is public"
    secret_kinds = {
        "divination",
        "whisper",
        "attack",
        "poll",
        "appraisal",
        "morning",
        "role_dealt",
        "acquainted",
        "divined",
        "people_seated",
        "protection",
        "protected",
        "attacked",
        "pseudo_vote",
        "reliability",
    }
    assert not {e.kind for e in before.events} & secret_kinds
    window_kinds = {e["kind"] for e in before.events if e.kind == "window_opened"}
    speech_kinds = {"statement", "candidacy", "summing_up"}
    assert window_kinds <= speech_kinds | {"vote", "election", "first_side", "heir"}


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds)
def test_view_depends_only_on_the_viewers_events(ruleset: Ruleset, seed: str) -> None:
    """Removing or changing events that are hidden from a viewer does not change its view."""
    game = play(ruleset, seed, drawing_hand(seed))
    for viewer in [visibility.PUBLIC, *(visibility.seat(s) for s in seats_of(ruleset))]:
        expected = visibility.view_of(game.log, viewer)
        swapped = [
            e if viewer.can_see(e.audience) else Event(e.kind, e.audience, {**e.data, "role": "?"})
            for e in game.log
        ]
        visible = [e for e in game.log if viewer.can_see(e.audience)]
        assert visibility.view_of(swapped, viewer) == expected
        assert visibility.view_of(visible, viewer) == expected


def test_whispers_do_not_change_the_public_events() -> None:
    """Two games that differ only in whispers have the same public events."""
    ruleset = TwoDays()
    random_hand, other_hand = drawing_hand("same"), drawing_hand("same")

    def silent_hand(window: Window, seat: int):
        action = other_hand(window, seat)
        return type(action)("over") if window.kind == "whisper" else action

    chatty_game, silent_game = (
        play(ruleset, "deal", random_hand),
        play(ruleset, "deal", silent_hand),
    )
    assert any(e.kind == "whisper" and e["manner"] == "say" for e in chatty_game.log)
    assert chatty_game.log != silent_game.log
    assert (
        visibility.view_of(chatty_game.log, visibility.PUBLIC).events
        == visibility.view_of(silent_game.log, visibility.PUBLIC).events
    )


def test_labels_are_hidden_in_a_blind_game() -> None:
    game = play(rulesets.get("one-night"), "1", drawing_hand("1"), {"blind": True})
    late = [Event(e.kind, e.audience, e.data, ("timeout",)) for e in game.log]
    assert {e.labels for e in visibility.view_of(late, visibility.PUBLIC).events} == {()}
    assert {e.labels for e in visibility.view_of(late, visibility.MODERATOR).events} == {
        ("timeout",)
    }


def test_tied_vote_is_repeated_once_and_then_drawn() -> None:
    ruleset = TwoDays()

    def hand(window: Window, seat: int):
        if window.kind == "vote" and window.key.startswith("vote.1."):
            target = 1 if seat % 2 else 3
            if "again" not in window.key and seat == 1:
                target = 2
            elif "again" not in window.key and seat == 5:
                target = 1
            return pick(target)
        return drawing_hand("t")(window, seat)

    log = play(ruleset, "t", hand).log
    votes = [(e["window"], e["targets"][0]) for e in log if e.kind == "vote"]
    # Seat 1 may not vote for itself the first time.
    assert sorted(t for w, t in votes if w == "vote.1.0") == [1, 1, 2, 3, 3]
    assert {t for w, t in votes if w == "vote.1.0.again"} <= {1, 3}
    second = [t for w, t in votes if w == "vote.1.0.again"]
    assert len(second) == 5, "a tie leads to a second ballot"
    drawn = [e for e in log if e.kind == "drawn" and e["purpose"] == "tie/1"]
    assert bool(drawn) == (second.count(1) == second.count(3))
    exile = next(e for e in log if e.kind == "out")
    assert exile["seat"] == (drawn[0]["result"] if drawn else max((1, 3), key=second.count))


def test_dead_players_are_not_asked() -> None:
    ruleset = TwoDays()
    log = play(ruleset, "7", drawing_hand("7")).log
    dead: set[int] = set()
    for event in log:
        if event.kind == "out":
            assert event["seat"] not in dead
            dead.add(event["seat"])
        elif event.kind == "window_opened":
            assert event["kind"] == "heir" or not dead & set(event["seats"])
    assert len(dead) >= 3


def test_one_night_game_follows_the_order_of_the_paper() -> None:
    """One night, three rounds of eight statements in seat order, one vote (Humanized, app. A)."""
    log = play(rulesets.get("one-night"), "5", drawing_hand("5")).log
    phases = [(e["phase"], e["round"]) for e in log if e.kind == "phase_opened"]
    assert phases == [("night", 0), ("talk", 1), ("talk", 2), ("talk", 3), ("vote", 0)]
    assert [e["seat"] for e in log if e.kind == "statement"] == [*range(1, 9)] * 3
    assert sum(e.kind == "poll" for e in log) == 24
    assert sum(e.kind == "vote" for e in log) == 8
    roles = sorted(e["role"] for e in log if e.kind == "role_dealt")
    assert roles == sorted(rulesets.get("one-night").deck)


@pytest.mark.parametrize(
    ("role", "winner"),
    [
        ("werewolf", "village"),
        ("tanner", "tanner"),
        ("minion", "werewolf"),
        ("seer", "werewolf"),
        ("villager", "werewolf"),
        ("mason", "werewolf"),
    ],
)
def test_exiled_role_determines_the_winner(role: str, winner: str) -> None:
    ruleset = rulesets.get("one-night")
    first_log = play(ruleset, "5", drawing_hand("5")).log
    seat = next(e["seat"] for e in first_log if e.kind == "role_dealt" and e["role"] == role)

    def hand(window: Window, voter: int):
        if window.kind == "vote" and voter != seat:
            return pick(seat)
        return drawing_hand("5")(window, voter)

    log = play(ruleset, "5", hand).log
    ending = log[-1]
    roles = {e["seat"]: e["role"] for e in log if e.kind == "role_dealt"}
    assert (ending.kind, ending["winner"]) == ("game_over", winner)
    team = {r.key: r.team for r in ruleset.roles}
    assert ending["winners"] == [s for s in range(1, 9) if team[roles[s]] == winner]


def test_answers_become_events_in_seat_order() -> None:
    ruleset = rulesets.get("one-night")
    game = play(ruleset, "5", drawing_hand("5"))
    shuffled = {
        key: dict(sorted(answers.items(), key=lambda pair: -pair[0]))
        for key, answers in game.answers.items()
    }
    replayed = GameRun(answers=shuffled)
    replayed.log = step(ruleset, "5", GameRun(), {"seats": ruleset.seat_names, "settings": {}})
    replayed.log += step(ruleset, "5", replayed)
    assert replayed.log == game.log
