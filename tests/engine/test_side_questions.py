"""Side questions to people: role ratings before they act, and reasons for votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from game.engine import rulesets, visibility
from game.engine.events import ABSTAIN, RECORD, Action, Event, record_audience
from game.engine.forms import Illegal, Pick, Ratings
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import ROLE_GUESS_KIND, VOTE_REASON
from game.engine.state import State, evolve
from game.engine.windows import Window
from tests.engine.playing import GameRun, drawing_hand, play, ready_with, run_script
from tests.engine.sheriff import GUARD, SEER, WOLVES, run

RULESETS = [rulesets.get(name) for name in rulesets.names()]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda r: r.name)
PERSON = 2
RATES = {"rate_people": True}
WHY = "Their story changed."


def opened_windows(log: list[Event]) -> Iterator[tuple[Event, Window]]:
    """Yield (event, window) of every opened window."""
    state = State()
    for event in log:
        state = evolve(state, event)
        if event.kind == "window_opened":
            yield event, state.windows[event["key"]]


def speech_purposes(ruleset: Ruleset, log: list[Event]) -> list[tuple[str, tuple[int, ...]]]:
    """Return (purpose, seats) of each speech window while PERSON is in the game."""
    death_position = next(
        (at for at, e in enumerate(log) if e.kind == "out" and e["seat"] == PERSON), None
    )
    window_wording = ruleset.wording.windows
    return [
        (window_wording[w.kind].says, w.seats) for _e, w in opened_windows(log[:death_position])
    ]


def play_drawn(
    ruleset: Ruleset, settings: dict[str, Any], *people: int, seed: str = "3"
) -> GameRun:
    return play(ruleset, seed, drawing_hand(seed), settings, people)


@each_ruleset
def test_rating_form_precedes_every_act_after_the_first_phase(ruleset: Ruleset) -> None:
    log = play_drawn(ruleset, RATES, PERSON).log
    questions = [(event, window) for event, window in opened_windows(log) if PERSON in window.seats]
    acts = [
        at
        for at, (_event, window) in enumerate(questions)
        if not isinstance(window.legal, Ratings)
        and window.asks == "everyone"
        and window.moment.phase_number > 1
    ]
    assert acts
    for at in acts:
        form, act = questions[at - 1][1], questions[at][1]
        assert (form.kind, form.asks, form.moment) == (ROLE_GUESS_KIND, "people", act.moment)
        assert (form.clock, form.share, form.default) == (act.clock, act.share, "nothing")
        answers = [e.kind for e in log if e.data.get("window") in (form.key, act.key)]
        assert answers[0] == ROLE_GUESS_KIND, "the form is answered before the act"
    forms = [w for _e, w in opened_windows(log) if w.kind == ROLE_GUESS_KIND]
    lead_speeches = [
        seats
        for kind, seats in speech_purposes(ruleset, log)
        if kind == "lead" and PERSON not in seats
    ]
    assert len(forms) == len(acts) + len(lead_speeches), (
        "one more form before the Sheriff's last speech"
    )
    assert {w.seats for w in forms} == {(PERSON,)}


@each_ruleset
def test_rating_form_covers_all_other_living_players(ruleset: Ruleset) -> None:
    state = State()
    for event in play_drawn(ruleset, RATES, PERSON).log:
        state = evolve(state, event)
        if event.kind == "window_opened" and event["kind"] == ROLE_GUESS_KIND:
            legal = state.windows[event["key"]].legal
            assert set(legal.options_for(PERSON)) == set(state.living()) - {PERSON}
            assert set(legal.roles) == set(ruleset.deck)  # type: ignore[attr-defined]


@each_ruleset
def test_rating_forms_are_invisible_to_other_players(ruleset: Ruleset) -> None:
    """Other viewers get the same events with and without people, also after the game."""
    people, agents = (play_drawn(ruleset, RATES, *people).log for people in ((PERSON,), ()))
    seats = map(visibility.seat, range(1, len(ruleset.deck) + 1))
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, *seats):
        both = [visibility.view_of(log, viewer).events for log in (people, agents)]
        assert (both[0] == both[1]) == (viewer.seat != PERSON)


@each_ruleset
def test_side_questions_do_not_change_the_agents_view(ruleset: Ruleset) -> None:
    off, on = (
        play_drawn(ruleset, settings, PERSON).log for settings in ({}, {**RATES, "ask_why": True})
    )
    for seat in set(range(1, len(ruleset.deck) + 1)) - {PERSON}:
        views = [visibility.view_of(log, visibility.seat(seat)).events[1:] for log in (off, on)]
        assert [_without_side_questions(event) for event in views[0]] == [
            _without_side_questions(event) for event in views[1]
        ]


def _without_side_questions(event: Event) -> Event:
    """Return the event without side questions and deadlines."""
    if event.kind != "window_opened":
        return event
    data = {key: value for key, value in event.data.items() if key != "share"}
    legal = {key: value for key, value in event["legal"].items() if key != "why"}
    return replace(event, data={**data, "legal": legal})


# -- reasons for votes


def play_with_reasons(ruleset: Ruleset) -> GameRun:
    hand = drawing_hand("3")

    def hand_with_reason(window: Window, seat: int) -> Action:
        action = hand(window, seat)
        has_reason = (
            isinstance(window.legal, Pick) and window.legal.max_reason_words and seat == PERSON
        )
        return replace(action, text=WHY) if has_reason else action

    return play(ruleset, "3", hand_with_reason, {"ask_why": True}, [PERSON])


@each_ruleset
def test_vote_reason_is_recorded_and_hidden_from_players(ruleset: Ruleset) -> None:
    log = play_with_reasons(ruleset).log
    votes = [e for e in log if e.kind in ruleset.wording.ballots and e["seat"] == PERSON]
    reasons = [e for e in log if e.kind == VOTE_REASON]
    assert votes
    recorded = {(e["window"], e["seat"], e["text"], e.audience) for e in reasons}
    assert {(e["window"], PERSON, WHY, RECORD) for e in votes} <= recorded
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, visibility.seat(PERSON)):
        view_text = str(visibility.view_of(log, viewer).events)
        assert "Their story" not in view_text
        assert VOTE_REASON not in view_text
    assert "text" not in votes[0].data


@each_ruleset
def test_log_with_reasons_replays_with_and_without_their_text(ruleset: Ruleset) -> None:
    game = play_with_reasons(ruleset)
    bare = [
        replace(e, data={**e.data, "text": ""}) if e.kind == VOTE_REASON else e for e in game.log
    ]
    for log in (game.log, bare):
        new_events = run_script(
            ruleset, log, answers={}, ready=ready_with({}), rng=SeededRandom("other seed")
        )
        assert new_events == []


def test_vote_reason_is_one_short_line_and_only_if_requested() -> None:
    with_reason, without_reason = (
        Pick((1, 2, 3), may_abstain=True, max_reason_words=4),
        Pick((1, 2, 3)),
    )
    assert with_reason.parse({"targets": ["2"], "why": " too \n quiet "}).text == "too quiet"
    assert with_reason.parse({"abstain": "1", "why": "no idea"}) == replace(ABSTAIN, text="no idea")
    assert with_reason.parse({"targets": ["2"], "why": ""}).text == ""
    assert without_reason.parse({"targets": ["2"], "why": "too quiet"}).text == ""
    for legal, text, code in [
        (with_reason, "one two three four five", "too_many_words"),
        (with_reason, "<b>bold</b>", "markup"),
        (without_reason, "too quiet", "not_a_choice"),
    ]:
        with pytest.raises(Illegal) as error:
            legal.check(1, Action("pick", text=text, targets=(2,)))
        assert error.value.code == code


# -- ratings around the Sheriff's last speech


@pytest.mark.parametrize("polls", [False, True])
def test_people_rate_only_before_and_after_the_sheriffs_speech(polls: bool) -> None:
    settings = {"election": False, "first_sheriff": "guard", "max_rounds": 2}
    all_settings = {**settings, "rate_leader": True, "poll_people": polls}
    log = run(all_settings, people=[SEER, GUARD, WOLVES[0]]).log
    windows = [(w.kind, w.seats, w.moment.day) for _e, w in opened_windows(log) if w.seats]
    for day in (1, 2):
        kinds = [(kind, seats) for kind, seats, window_day in windows if window_day == day]
        forms = [(ROLE_GUESS_KIND, (seat,)) for seat in sorted([SEER, WOLVES[0]])]
        last = kinds.index(("summing_up", (GUARD,)))
        poll = next(i for i, (kind, _seats) in enumerate(kinds) if kind == "pseudo_vote")
        before = poll if polls else last
        assert kinds[before - 2 : before] == forms
        assert kinds[last + 1 : last + 3] == forms
        assert len([k for k in kinds if k[0] == ROLE_GUESS_KIND]) == 4
    speech_position = next(i for i, e in enumerate(log) if e.kind == "summing_up")
    assert sum(e.kind == ROLE_GUESS_KIND for e in log[:speech_position]) == 2, (
        "the ratings precede the Sheriff's speech"
    )
    assert {e.audience for e in log if e.kind == ROLE_GUESS_KIND} == {
        record_audience(SEER),
        record_audience(WOLVES[0]),
    }
