"""What people are asked beside the game: whom they take for what before they act, why they vote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from game.engine import rulesets, visibility
from game.engine.events import RECORD, Event, record_audience
from game.engine.forms import ABSTAIN, Action, Illegal, Pick, Ratings
from game.engine.ruleset import Ruleset
from game.engine.script_run import decide
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import RATING_KIND, VOTE_REASON
from game.engine.state import State, evolve
from game.engine.windows import Window
from tests.engine.playing import Round, drawing_hand, play, ready_with
from tests.engine.sheriff import GUARD, SEER, WOLVES, led

RULESETS = [rulesets.get(name) for name in rulesets.names()]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda r: r.name)
PERSON = 2
RATES = {"rate_people": True}
WHY = "Their story changed."


def opened(log: list[Event]) -> Iterator[tuple[Event, Window]]:
    """Every question of the game, as it is opened."""
    state = State()
    for event in log:
        state = evolve(state, event)
        if event.kind == "window_opened":
            yield event, state.windows[event["key"]]


def led_by(ruleset: Ruleset, log: list[Event]) -> list[tuple[str, tuple[int, ...]]]:
    """What each question to speak is for, and whom it asks, while PERSON is in the game."""
    gone = next((at for at, e in enumerate(log) if e.kind == "out" and e["seat"] == PERSON), None)
    words = ruleset.wording.windows
    return [(words[w.kind].says, w.seats) for _e, w in opened(log[:gone])]


def played(ruleset: Ruleset, settings: dict[str, Any], *people: int, seed: str = "3") -> Round:
    return play(ruleset, seed, drawing_hand(seed), settings, people)


@each_ruleset
def test_a_form_comes_before_every_act_of_a_person_after_the_first_phase(ruleset: Ruleset) -> None:
    log = played(ruleset, RATES, PERSON).log
    questions = [(event, window) for event, window in opened(log) if PERSON in window.seats]
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
        assert (form.kind, form.asks, form.moment) == (RATING_KIND, "people", act.moment)
        assert (form.clock, form.share, form.default) == (act.clock, act.share, "nothing")
        answers = [e.kind for e in log if e.data.get("window") in (form.key, act.key)]
        assert answers[0] == RATING_KIND, "it is answered before the act"
    forms = [w for _e, w in opened(log) if w.kind == RATING_KIND]
    heard = [
        seats for kind, seats in led_by(ruleset, log) if kind == "lead" and PERSON not in seats
    ]
    assert len(forms) == len(acts) + len(heard), "and before a Sheriff has the last word"
    assert {w.seats for w in forms} == {(PERSON,)}


@each_ruleset
def test_a_form_asks_of_every_other_living_player(ruleset: Ruleset) -> None:
    state = State()
    for event in played(ruleset, RATES, PERSON).log:
        state = evolve(state, event)
        if event.kind == "window_opened" and event["kind"] == RATING_KIND:
            legal = state.windows[event["key"]].legal
            assert set(legal.options_for(PERSON)) == set(state.living()) - {PERSON}
            assert set(legal.roles) == set(ruleset.deck)  # type: ignore[attr-defined]


@each_ruleset
def test_nobody_else_can_tell_that_somebody_rates(ruleset: Ruleset) -> None:
    """Everybody else gets the same whether anybody is a person or not, after the game too."""
    people, agents = (played(ruleset, RATES, *people).log for people in ((PERSON,), ()))
    seats = map(visibility.seat, range(1, len(ruleset.deck) + 1))
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, *seats):
        both = [visibility.view_of(log, viewer).events for log in (people, agents)]
        assert (both[0] == both[1]) == (viewer.seat != PERSON)


@each_ruleset
def test_computer_players_see_the_game_that_they_see_without_it(ruleset: Ruleset) -> None:
    off, on = (
        played(ruleset, settings, PERSON).log for settings in ({}, {**RATES, "ask_why": True})
    )
    for seat in set(range(1, len(ruleset.deck) + 1)) - {PERSON}:
        views = [visibility.view_of(log, visibility.seat(seat)).events[1:] for log in (off, on)]
        assert [_asked(event) for event in views[0]] == [_asked(event) for event in views[1]]


def _asked(event: Event) -> Event:
    """The event without what only people are asked, and by when."""
    if event.kind != "window_opened":
        return event
    data = {key: value for key, value in event.data.items() if key != "share"}
    legal = {key: value for key, value in event["legal"].items() if key != "why"}
    return replace(event, data={**data, "legal": legal})


# -- why somebody votes so


def reasoned(ruleset: Ruleset) -> Round:
    hand = drawing_hand("3")

    def because(window: Window, seat: int) -> Action:
        action = hand(window, seat)
        says = isinstance(window.legal, Pick) and window.legal.why and seat == PERSON
        return replace(action, text=WHY) if says else action

    return play(ruleset, "3", because, {"ask_why": True}, [PERSON])


@each_ruleset
def test_why_somebody_votes_so_is_on_record_and_in_no_players_view(ruleset: Ruleset) -> None:
    log = reasoned(ruleset).log
    votes = [e for e in log if e.kind in ruleset.wording.ballots and e["seat"] == PERSON]
    reasons = [e for e in log if e.kind == VOTE_REASON]
    assert votes
    said = {(e["window"], e["seat"], e["text"], e.audience) for e in reasons}
    assert {(e["window"], PERSON, WHY, RECORD) for e in votes} <= said
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, visibility.seat(PERSON)):
        told = str(visibility.view_of(log, viewer).events)
        assert "Their story" not in told
        assert VOTE_REASON not in told
    assert "text" not in votes[0].data


@each_ruleset
def test_the_log_with_reasons_repeats_itself_and_without_their_words_too(ruleset: Ruleset) -> None:
    game = reasoned(ruleset)
    bare = [
        replace(e, data={**e.data, "text": ""}) if e.kind == VOTE_REASON else e for e in game.log
    ]
    for log in (game.log, bare):
        again = decide(
            ruleset, log, answers={}, ready=ready_with({}), rng=SeededRandom("other seed")
        )
        assert again == []


def test_a_reason_is_one_short_line_and_none_where_none_is_asked() -> None:
    asks, other = Pick((1, 2, 3), may_abstain=True, why=4), Pick((1, 2, 3))
    assert asks.parse({"targets": ["2"], "why": " too \n quiet "}).text == "too quiet"
    assert asks.parse({"abstain": "1", "why": "no idea"}) == replace(ABSTAIN, text="no idea")
    assert asks.parse({"targets": ["2"], "why": ""}).text == ""
    assert other.parse({"targets": ["2"], "why": "too quiet"}).text == ""
    for legal, text, code in [
        (asks, "one two three four five", "too_many_words"),
        (asks, "<b>bold</b>", "markup"),
        (other, "too quiet", "not_a_choice"),
    ]:
        with pytest.raises(Illegal) as refused:
            legal.check(1, Action("pick", text=text, targets=(2,)))
        assert refused.value.code == code


# -- around the Sheriff's last word


@pytest.mark.parametrize("polls", [False, True])
def test_people_rate_before_and_after_the_sheriffs_word_and_at_no_other_time(polls: bool) -> None:
    settings = {"election": False, "first_sheriff": "guard", "max_rounds": 2}
    chosen = {**settings, "rate_leader": True, "poll_people": polls}
    log = led(chosen, people=[SEER, GUARD, WOLVES[0]]).log
    asked = [(w.kind, w.seats, w.moment.day) for _e, w in opened(log) if w.seats]
    for day in (1, 2):
        kinds = [(kind, seats) for kind, seats, on in asked if on == day]
        forms = [(RATING_KIND, (seat,)) for seat in sorted([SEER, WOLVES[0]])]
        last = kinds.index(("summing_up", (GUARD,)))
        poll = next(i for i, (kind, _seats) in enumerate(kinds) if kind == "pseudo_vote")
        before = poll if polls else last
        assert kinds[before - 2 : before] == forms
        assert kinds[last + 1 : last + 3] == forms
        assert len([k for k in kinds if k[0] == RATING_KIND]) == 4
    spoken = next(i for i, e in enumerate(log) if e.kind == "summing_up")
    assert sum(e.kind == RATING_KIND for e in log[:spoken]) == 2, (
        "they are in before the Sheriff is heard"
    )
    assert {e.audience for e in log if e.kind == RATING_KIND} == {
        record_audience(SEER),
        record_audience(WOLVES[0]),
    }
