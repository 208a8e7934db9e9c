"""The rules of the game with a Sheriff, one by one (SPEC 1.2).

The day, its vote, the badge, the end, ratings, and what the dead see.
"""

from __future__ import annotations

from typing import Any

import pytest

from game.engine import visibility
from game.engine.events import PUBLIC, RECORD, record_audience, to
from game.engine.forms import ABSTAIN, Action, Illegal, Rating, pick, rate
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import Round
from tests.engine.sheriff import (
    GUARD,
    ONE_DAY,
    RULESET,
    SEER,
    VILLAGERS,
    WOLVES,
    Led,
    all_for,
    badges,
    deaths,
    end,
    for_seat,
    led,
    of,
    windows,
)

BLANK = SeededRandom("nothing is drawn")


# -- the day


def spoken(game: Round, day: int = 1) -> list[int]:
    """Who spoke on that day, the candidates aside."""
    seats, now = [], 0
    for event in game.log:
        now = event["day"] if event.kind == "phase_opened" else now
        if now == day and event.kind in ("statement", "summing_up"):
            seats.append(event["seat"])
    return seats


def side(word: str):
    return lambda window, seat: pick(word)


def test_the_talk_goes_round_from_the_chosen_side_and_the_sheriff_is_last() -> None:
    settings = {**ONE_DAY, "election": False, "first_sheriff": "person"}
    left = led(settings, people=[3], first_side=side("left"))
    assert spoken(left) == [2, 1, 7, 6, 5, 4, 3]
    right = led(settings, people=[3], first_side=side("right"))
    assert spoken(right) == [4, 5, 6, 7, 1, 2, 3]
    assert of(right, "summing_up")[0]["seat"] == 3


def test_the_dead_are_passed_over() -> None:
    settings = {"max_rounds": 2, "election": False, "first_sheriff": "person"}
    game = led(settings, people=[3], first_side=side("left"), vote=all_for(2, 0))
    assert spoken(game, 2) == [1, 7, 6, 5, 4, 3]


def test_the_pseudo_vote_is_before_the_sheriffs_words_and_no_player_ever_sees_it() -> None:
    game = led(ONE_DAY, pseudo_vote=all_for(2))
    (poll,) = windows(game, "pseudo_vote")
    (sheriff,) = badges(game)
    assert set(poll.seats) == set(range(1, 8)) - {sheriff}
    assert poll.asks == "agents"
    assert set(poll.options_for(1)) == set(range(1, 8))
    opened = next(i for i, e in enumerate(game.log) if e.data.get("key") == poll.key)
    said = [e for e in game.log[:opened] if e.kind == "statement"]
    assert len(said) == 6
    assert "summing_up" not in {e.kind for e in game.log[:opened]}
    assert len(of(game, "pseudo_vote")) == 6
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, *map(visibility.seat, range(1, 8))):
        seen = visibility.view_of(game.log, viewer).events
        assert "pseudo_vote" not in {e.kind for e in seen}
        assert "pseudo_vote" not in {e.data.get("kind") for e in seen}
    assert poll.default_for(1, BLANK).action == ABSTAIN


def test_people_are_asked_before_the_sheriff_speaks_where_the_table_wants_it() -> None:
    (poll,) = windows(led({**ONE_DAY, "poll_people": True}, people=[1]), "pseudo_vote")
    assert (poll.asks, poll.waits_for, poll.answer_audience) == ("everyone", "people", RECORD)


# -- the vote


def test_a_unique_maximum_is_out_and_keeps_its_secret() -> None:
    game = led(ONE_DAY, vote=for_seat(SEER, 1))
    assert deaths(game) == [(SEER, "vote", "vote")], "six abstentions don't outweigh one vote"
    (out,) = of(game, "out")
    assert "role" not in out.data
    assert {e.audience for e in of(game, "vote")} == {PUBLIC}
    window = windows(game, "vote")[0]
    assert set(window.options_for(1)) == set(range(1, 8)), "oneself included"


def test_a_tie_or_no_votes_put_nobody_out() -> None:
    def tied(window: Window, seat: int) -> Action:
        return pick(1) if seat in (1, 2) else pick(5) if seat in (3, 4) else ABSTAIN

    game = led(ONE_DAY, vote=tied)
    assert deaths(game) == []
    assert of(game, "undecided")[0]["among"] == [1, 5]
    assert deaths(led(ONE_DAY)) == []


def test_the_sheriff_breaks_a_tie_only_where_the_table_wants_it_and_only_among_the_tied() -> None:
    settings = {**ONE_DAY, "election": False, "first_sheriff": "guard"}
    others = [seat for seat in range(1, 8) if seat != GUARD]

    def tied(own: int) -> Led:
        """Seats 1 and 5 have equally many votes, the Sheriff's own among them if it is for 5."""
        ballots = dict(zip(others, (1, 1, 5, 5, 1 if own == 5 else 0, 0), strict=True))
        ballots[GUARD] = own
        return lambda window, seat: pick(ballots[seat]) if ballots[seat] else ABSTAIN

    wanted = {**settings, "sheriff_breaks_ties": True}
    game = led(wanted, vote=tied(5))
    assert deaths(game) == [(5, "vote", "vote")]
    (told,) = of(game, "tie_broken")
    assert (told["among"], told["seat"], told["targets"]) == ([1, 5], GUARD, [5])
    assert deaths(led(wanted, vote=tied(0))) == [], "the Sheriff abstained"
    assert deaths(led(wanted, vote=tied(2))) == [], "the Sheriff voted for none of the tied"
    assert deaths(led(settings, vote=tied(5))) == []


def test_nobody_hunts_in_a_safe_first_night_and_the_seer_looks_all_the_same() -> None:
    settings = {"max_rounds": 2, "safe_first_night": True}
    game = led(settings, attack=all_for(SEER))
    assert [w.moment.day for w in windows(game, "attack")] == [2, 2]
    assert [w.moment.day for w in windows(game, "protection")] == [2]
    assert [w.moment.day for w in windows(game, "divination")] == [1, 2]
    assert deaths(game) == [(SEER, "attack", "dawn")]
    assert len(of(game, "safe_night")) == 1
    assert not of(game, "quiet_night")


def test_the_first_day_can_end_with_the_election() -> None:
    game = led({"max_rounds": 2, "election_day": True}, vote=all_for(SEER))
    assert [w.moment.day for w in windows(game, "election")] == [1]
    assert {w.moment.day for w in windows(game, "statement")} == {2}
    assert {w.moment.day for w in windows(game, "vote")} == {2}
    assert [w.moment.day for w in windows(game, "divination")] == [1, 2]
    course = [(1, ["night", "dawn", "election"]), (2, ["night", "dawn", "talk", "vote"])]
    for day, phases in course:
        assert [p for p, _n in RULESET.day_phases(day, {"election_day": True})] == phases
    drawn = led({"max_rounds": 1, "election": False, "election_day": True}, vote=all_for(SEER))
    assert {w.moment.day for w in windows(drawn, "vote")} == {1}, "there is no election to end it"


# -- the badge


SHERIFF = {"election": False, "first_sheriff": "person", "max_rounds": 2}


def test_a_sheriff_who_is_voted_out_hands_the_badge_on_at_once() -> None:
    game = led(SHERIFF, people=[3], vote=all_for(3, 0), heir=all_for(6))
    assert badges(game) == [3, 6]
    handed = max(i for i, e in enumerate(game.log) if e.kind == "badge_given")
    assert game.log[handed + 1]["phase"] == "night", "before the next night"
    assert spoken(game, 2)[-1] == 6


def test_a_sheriff_killed_at_night_hands_it_on_before_the_order_is_chosen() -> None:
    protect = all_for(GUARD)
    person = VILLAGERS[0]
    game = led(SHERIFF, people=[person], attack=all_for(0, person), protection=protect)
    assert deaths(game)[0] == (person, "attack", "dawn")
    heir = of(game, "heir")[0]["targets"][0]
    assert badges(game) == [person, heir]
    assert of(game, "first_side")[1]["seat"] == heir


def test_a_silent_sheriff_begins_on_the_left_and_leaves_the_badge_to_the_lowest_seat() -> None:
    game = led(SHERIFF, people=[3], vote=all_for(3, 0))
    first = windows(game, "first_side")[0].default_for(3, BLANK)
    assert (first.action, first.labels) == (pick("left"), ("timeout",))
    heir = windows(game, "heir")[0]
    assert heir.default_for(3, BLANK).action == pick(1)
    assert heir.fallback_for(3, BLANK, "fallback:broken").action == pick(1)
    with pytest.raises(Illegal):
        heir.check(3, pick(3))


# -- the end


def test_the_village_wins_when_no_werewolf_is_left() -> None:
    game = led(vote=all_for(*WOLVES))
    assert end(game) == ("village", "wolves_gone")
    assert set(game.log[-1]["winners"]) == {SEER, GUARD, *VILLAGERS}


def test_the_werewolves_win_at_equality_after_a_vote_and_after_a_night() -> None:
    voted = led(vote=all_for(*VILLAGERS))
    assert end(voted) == ("werewolf", "wolves_equal")
    assert fold(voted.log).day == 3
    assert voted.log[-1]["winners"] == WOLVES
    killed = led(attack=all_for(SEER, VILLAGERS[0]), vote=all_for(VILLAGERS[1]))
    assert end(killed) == ("werewolf", "wolves_equal")
    assert (fold(killed.log).day, deaths(killed)[-1][1]) == (2, "attack")


def test_a_stop_rule_comes_before_a_victory() -> None:
    """Seat WOLVES[1] is the Sheriff, and the last Werewolf, when it is voted out."""
    settings = {"election": False, "first_sheriff": "person", "sheriff_dies": "ends"}
    game = led(settings, people=[WOLVES[1]], vote=all_for(*WOLVES))
    assert end(game) == ("", "sheriff_died")
    assert not of(game, "heir")
    late = led({"max_rounds": 2}, vote=all_for(*WOLVES))
    assert end(late) == ("", "too_long")


def test_the_game_ends_without_people_where_the_table_wants_it() -> None:
    person = VILLAGERS[0]
    game = led({"needs_people": True}, people=[person], attack=all_for(person))
    assert end(game) == ("", "no_person_left")
    two = led({"needs_people": True, "max_rounds": 1}, people=[person, 2], attack=all_for(person))
    assert end(two) == ("", "too_long")
    nobody = led({"needs_people": True, "max_rounds": 1}, attack=all_for(person))
    assert end(nobody) == ("", "too_long")


# -- what people take each other for


def test_people_rate_everyone_living_before_each_action_but_not_in_the_first_night() -> None:
    person, settings = SEER, {"rate_people": True, "max_rounds": 2}

    def rated(window: Window, seat: int) -> Action:
        return rate(Rating(int(window.options_for(seat)[0]), "guard", 7))

    game = led(settings, people=[person], reliability=rated, vote=all_for(VILLAGERS[0], 0))
    asked = windows(game, "reliability")
    assert {w.seats for w in asked} == {(person,)}
    assert asked[0].moment.phase == "election"
    assert {w.moment.phase for w in asked if w.moment.day == 2} >= {"night", "talk", "vote"}
    assert VILLAGERS[0] not in asked[-1].options_for(person)
    assert {e.audience for e in of(game, "reliability")} == {record_audience(person)}
    last = next(i for i, e in reversed(list(enumerate(game.log))) if e.kind == "statement")
    told = [e.data.get("kind", "") for e in game.log[last:] if e.kind == "window_opened"]
    assert told[:5] == ["pseudo_vote", "reliability", "summing_up", "reliability", "vote"]


def test_agents_rate_nobody_in_the_log() -> None:
    assert not windows(led({**ONE_DAY, "rate_people": True}), "reliability")


# -- what the dead see


def shown_to(game: Round, seat: int) -> list[int]:
    """Where in the log a seat alone is told roles."""
    own = to(seat)
    return [i for i, e in enumerate(game.log) if e.kind == "role_revealed" and e.audience == own]


def killed_on_day_two(settings: dict[str, Any]) -> Round:
    """A person is the Sheriff and is voted out on the first day; another day follows."""
    person = VILLAGERS[0]
    chosen = {"election": False, "first_sheriff": "person", "max_rounds": 2, **settings}
    return led(chosen, people=[person], vote=all_for(person, 0))


def test_a_person_who_is_out_sees_all_roles_once_the_badge_is_handed_on() -> None:
    game, person = killed_on_day_two({"dead_see": True}), VILLAGERS[0]
    shown = shown_to(game, person)
    assert [game.log[i]["seat"] for i in shown] == list(range(1, 8))
    _first, handed_on = (i for i, e in enumerate(game.log) if e.kind == "badge_given")
    assert handed_on < shown[0]
    assert not [s for s in range(1, 8) if s != person and shown_to(game, s)]
    before = fold(e for e in game.log[: shown[0]] if visibility.seat(person).can_see(e.audience))
    assert len(before.roles) == 1


@pytest.mark.parametrize("settings", [{}, {"dead_see": False}, {"dead_see": True, "blind": True}])
def test_otherwise_nobody_sees_more_for_being_out(settings: dict[str, Any]) -> None:
    """Neither at a blind table, nor where the game began before one could choose it."""
    assert not shown_to(killed_on_day_two(settings), VILLAGERS[0])
