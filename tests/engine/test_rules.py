"""Any legal play of any ruleset ends, replays without chance, and tells each viewer its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.engine import rulesets, visibility
from game.engine.events import Event
from game.engine.forms import pick
from game.engine.ruleset import Ruleset
from game.engine.script_context import LogMismatch
from game.engine.script_run import ScriptRun, decide
from game.engine.seeded_random import SeededRandom
from game.engine.state import State, evolve, fold
from game.engine.windows import Window
from tests.engine.playing import Round, drawing_hand, play, ready_with, seats_of, step
from tests.two_days import TwoDays

T = TypeVar("T")
RULESETS: list[Ruleset] = [rulesets.get("one-night"), rulesets.get("sheriff"), TwoDays()]
any_ruleset = st.sampled_from(RULESETS)
seeds = st.integers(0, 10**6).map(str)


class NoDraws(SeededRandom):
    """Chance that must not be asked."""

    def __init__(self) -> None:
        super().__init__("")

    def below(self, purpose: str, bound: int) -> int:
        raise AssertionError(f"drew {purpose} while replaying")

    def choice(self, purpose: str, options: Sequence[T]) -> T:
        raise AssertionError(f"drew {purpose} while replaying")


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds)
def test_any_legal_play_ends_and_its_log_is_its_state(ruleset: Ruleset, seed: str) -> None:
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
def test_a_log_replays_from_any_point_without_chance(
    ruleset: Ruleset, seed: str, data: st.DataObject
) -> None:
    game = play(ruleset, seed, drawing_hand(seed))
    never = decide(ruleset, game.log, answers={}, ready=lambda w: False, rng=NoDraws())
    assert never == []
    # A game that stopped between two moves goes on to the same log.
    half = Round(answers=game.answers)
    half.log = step(ruleset, seed, Round(), {"seats": ruleset.seat_names, "settings": {}})
    stops = data.draw(st.integers(0, 10))
    for _ in range(stops):
        waits = iter([True])
        ready = ready_with(game.answers)
        half.log += decide(
            ruleset,
            half.log,
            answers=game.answers,
            ready=lambda w, waits=waits, ready=ready: next(waits, False) and ready(w),
            rng=SeededRandom(seed),
        )
        assert half.log == game.log[: len(half.log)]
    half.log += step(ruleset, seed, half)
    assert half.log == game.log


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds, st.lists(st.integers(0, 3), max_size=40))
def test_a_course_that_is_kept_goes_on_as_one_that_is_run_anew(
    ruleset: Ruleset, seed: str, stops: list[int]
) -> None:
    """However often it stands still on the way."""
    game = play(ruleset, seed, drawing_hand(seed))
    course = ScriptRun(
        ruleset, (), SeededRandom(seed), {"seats": ruleset.seat_names, "settings": {}}
    )
    answered, log = ready_with(game.answers), list[Event]()
    for stop in [*stops, len(game.log)]:
        waits = iter([True] * stop)
        log += course.advance(
            game.answers, lambda w, waits=waits: next(waits, False) and answered(w)
        )
        assert log == game.log[: len(log)]
    assert log == game.log


def test_a_log_that_other_rules_wrote_is_refused() -> None:
    game = play(RULESETS[0], "x", drawing_hand("x"))
    forged = [*game.log[:5], Event("out", game.log[0].audience, {"seat": 1}), *game.log[6:]]
    with pytest.raises(LogMismatch):
        decide(RULESETS[0], forged, answers={}, ready=lambda w: False, rng=SeededRandom("x"))


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds)
def test_no_public_event_tells_a_hidden_role_or_window(ruleset: Ruleset, seed: str) -> None:
    game = play(ruleset, seed, drawing_hand(seed))
    ended = next(i for i, e in enumerate(game.log) if e.kind == "role_revealed")
    before = visibility.view_of(game.log[:ended], visibility.PUBLIC)
    out = {s for s in before.state.roles if s not in before.state.out}
    assert out == set(), "a role of somebody still in the game"
    secret = {
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
    assert not {e.kind for e in before.events} & secret
    opened = {e["kind"] for e in before.events if e.kind == "window_opened"}
    said = {"statement", "candidacy", "summing_up"}
    assert opened <= said | {"vote", "election", "first_side", "heir"}


@settings(max_examples=10, deadline=None)
@given(any_ruleset, seeds)
def test_a_view_is_made_of_nothing_but_its_viewers_events(ruleset: Ruleset, seed: str) -> None:
    """Change everything hidden from a viewer: events dropped, roles swapped; the view stays."""
    game = play(ruleset, seed, drawing_hand(seed))
    for viewer in [visibility.PUBLIC, *(visibility.seat(s) for s in seats_of(ruleset))]:
        mine = visibility.view_of(game.log, viewer)
        swapped = [
            e if viewer.can_see(e.audience) else Event(e.kind, e.audience, {**e.data, "role": "?"})
            for e in game.log
        ]
        bare = [e for e in game.log if viewer.can_see(e.audience)]
        assert visibility.view_of(swapped, viewer) == mine
        assert visibility.view_of(bare, viewer) == mine


def test_what_hidden_hands_do_changes_nothing_a_villager_sees() -> None:
    """Same deal, same public play, other whispers: the public stream is the same to the letter."""
    ruleset = TwoDays()
    plain, chatty = drawing_hand("same"), drawing_hand("same")

    def other(window: Window, seat: int):
        action = chatty(window, seat)
        return type(action)("over") if window.kind == "whisper" else action

    one, two = play(ruleset, "deal", plain), play(ruleset, "deal", other)
    assert any(e.kind == "whisper" and e["manner"] == "say" for e in one.log)
    assert one.log != two.log
    assert (
        visibility.view_of(one.log, visibility.PUBLIC).events
        == visibility.view_of(two.log, visibility.PUBLIC).events
    )


def test_the_divination_window_is_the_seers_alone() -> None:
    game = play(rulesets.get("one-night"), "3", drawing_hand("3"))
    (seer,) = [e["seat"] for e in game.log if e.kind == "role_dealt" and e["role"] == "seer"]
    for seat in range(1, 9):
        events = visibility.view_of(game.log, visibility.seat(seat)).events
        found = [e for e in events if e.kind in ("divination", "divined")]
        assert bool(found) == (seat == seer)


def test_labels_are_hidden_at_a_blind_table() -> None:
    game = play(rulesets.get("one-night"), "1", drawing_hand("1"), {"blind": True})
    late = [Event(e.kind, e.audience, e.data, ("timeout",)) for e in game.log]
    assert {e.labels for e in visibility.view_of(late, visibility.PUBLIC).events} == {()}
    assert {e.labels for e in visibility.view_of(late, visibility.MODERATOR).events} == {
        ("timeout",)
    }


def test_a_tied_vote_is_voted_once_more_then_drawn() -> None:
    ruleset = TwoDays()

    def hand(window: Window, seat: int):
        if window.kind == "vote" and window.key.startswith("vote.1."):
            wanted = 1 if seat % 2 else 3
            if "again" not in window.key and seat == 1:
                wanted = 2
            elif "again" not in window.key and seat == 5:
                wanted = 1
            return pick(wanted)
        return drawing_hand("t")(window, seat)

    log = play(ruleset, "t", hand).log
    votes = [(e["window"], e["targets"][0]) for e in log if e.kind == "vote"]
    # Seat 1 may not vote for itself the first time.
    assert sorted(t for w, t in votes if w == "vote.1.0") == [1, 1, 2, 3, 3]
    assert {t for w, t in votes if w == "vote.1.0.again"} <= {1, 3}
    second = [t for w, t in votes if w == "vote.1.0.again"]
    assert len(second) == 5, "a tie is voted once more"
    drawn = [e for e in log if e.kind == "drawn" and e["purpose"] == "tie/1"]
    assert bool(drawn) == (second.count(1) == second.count(3))
    out = next(e for e in log if e.kind == "out")
    assert out["seat"] == (drawn[0]["result"] if drawn else max((1, 3), key=second.count))


def test_who_is_out_is_asked_nothing_more() -> None:
    ruleset = TwoDays()
    log = play(ruleset, "7", drawing_hand("7")).log
    out: set[int] = set()
    for event in log:
        if event.kind == "out":
            assert event["seat"] not in out
            out.add(event["seat"])
        elif event.kind == "window_opened":
            assert event["kind"] == "heir" or not out & set(event["seats"])
    assert len(out) >= 3


def test_a_whole_one_night_game_keeps_the_papers_order() -> None:
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
def test_who_is_voted_out_decides_who_wins(role: str, winner: str) -> None:
    ruleset = rulesets.get("one-night")
    dealt = play(ruleset, "5", drawing_hand("5")).log
    seat = next(e["seat"] for e in dealt if e.kind == "role_dealt" and e["role"] == role)

    def hand(window: Window, voter: int):
        if window.kind == "vote" and voter != seat:
            return pick(seat)
        return drawing_hand("5")(window, voter)

    log = play(ruleset, "5", hand).log
    over = log[-1]
    roles = {e["seat"]: e["role"] for e in log if e.kind == "role_dealt"}
    assert (over.kind, over["winner"]) == ("game_over", winner)
    team = {r.key: r.team for r in ruleset.roles}
    assert over["winners"] == [s for s in range(1, 9) if team[roles[s]] == winner]


def test_answers_become_events_in_seat_order_whoever_was_first() -> None:
    ruleset = rulesets.get("one-night")
    game = play(ruleset, "5", drawing_hand("5"))
    shuffled = {
        key: dict(sorted(given.items(), key=lambda pair: -pair[0]))
        for key, given in game.answers.items()
    }
    again = Round(answers=shuffled)
    again.log = step(ruleset, "5", Round(), {"seats": ruleset.seat_names, "settings": {}})
    again.log += step(ruleset, "5", again)
    assert again.log == game.log
