"""The rules of the game with a Sheriff, one by one (SPEC 1.2)."""

from __future__ import annotations

from typing import Any

import pytest

from game.engine import visibility
from game.engine.events import PUBLIC, RECORD, to
from game.engine.forms import ABSTAIN, Action, Illegal, Rating, pick, rate
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import Round
from tests.engine.sheriff import (
    GUARD,
    RULESET,
    SEER,
    VILLAGERS,
    WOLVES,
    all_for,
    calm,
    dealt,
    end,
    led,
    lots,
    of,
)

ONE_DAY = {"max_rounds": 1}
BLANK = SeededRandom("nothing is drawn")


def windows(game: Round, kind: str) -> list[Window]:
    """The windows of that kind, in the order in which they opened."""
    return [
        fold(game.log[: at + 1]).windows[event["key"]]
        for at, event in enumerate(game.log)
        if event.kind == "window_opened" and event["kind"] == kind
    ]


def deaths(game: Round) -> list[tuple[int, str, str]]:
    """(seat, cause, phase)"""
    found = fold(game.log).deaths
    return [(d.seat, d.cause, d.moment.phase) for d in found]


def badges(game: Round) -> list[int]:
    return [event["seat"] for event in of(game, "badge_given")]


def for_seat(seat: int, *voters: int):
    """`voters` pick `seat`, the others are calm."""

    def hand(window: Window, voter: int) -> Action:
        return pick(seat) if voter in voters else calm(window, voter)

    return hand


# -- the course


def test_the_deck_and_the_seats() -> None:
    assert sorted(RULESET.deck) == sorted(["seer", "guard", *["villager"] * 3, *["werewolf"] * 2])
    assert list(RULESET.seat_names) == [f"player_{n}" for n in range(1, 8)]
    assert {role: len(seats) for role, seats in dealt().items()} == {
        "seer": 1,
        "guard": 1,
        "villager": 3,
        "werewolf": 2,
    }


def test_an_election_on_the_first_day_alone_and_at_most_six_days() -> None:
    game = led()
    course = [(e["day"], e["phase"]) for e in of(game, "phase_opened")]
    first = [(1, p) for p in ("night", "dawn", "election", "talk", "vote")]
    rest = [(day, p) for day in range(2, 7) for p in ("night", "dawn", "talk", "vote")]
    assert course == first + rest
    assert end(game) == ("", "too_long")
    assert game.log[-1]["winners"] == []


# -- the night


def test_werewolves_know_each_other_and_the_second_sees_the_firsts_choice() -> None:
    game = led(ONE_DAY)
    first, second = windows(game, "attack")
    assert [first.seats, second.seats] == [(WOLVES[0],), (WOLVES[1],)]
    opened = next(i for i, e in enumerate(game.log) if e.data.get("key") == second.key)
    before = visibility.view_of(game.log[:opened], visibility.seat(WOLVES[1]))
    assert before.state.holders("werewolf") == tuple(WOLVES)
    assert [e["targets"] for e in before.events if e.kind == "attack"] == [[1]]
    others = [s for s in range(1, 8) if s not in WOLVES]
    for viewer in (visibility.PUBLIC, *map(visibility.seat, others)):
        assert "attack" not in {e.kind for e in visibility.view_of(game.log, viewer).events}


@pytest.mark.parametrize("person", WOLVES)
def test_a_person_chooses_last(person: int) -> None:
    game = led(ONE_DAY, people=[person])
    assert [w.seats[0] for w in windows(game, "attack")][-1] == person


def test_at_a_blind_table_the_order_does_not_tell_who_is_a_person() -> None:
    game = led({**ONE_DAY, "blind": True}, people=[WOLVES[0]])
    assert [w.seats[0] for w in windows(game, "attack")] == WOLVES


def test_werewolves_kill_only_where_they_agree() -> None:
    assert deaths(led(ONE_DAY, attack=all_for(SEER))) == [(SEER, "attack", "dawn")]
    assert deaths(led(ONE_DAY, attack=for_seat(SEER, WOLVES[0]))) == []


def test_a_lone_werewolf_kills_by_itself() -> None:
    game = led({"max_rounds": 2}, attack=all_for(0, VILLAGERS[0]), vote=all_for(WOLVES[1], 0))
    assert deaths(game) == [(WOLVES[1], "vote", "vote"), (VILLAGERS[0], "attack", "dawn")]


def test_werewolves_may_kill_each_other_or_themselves() -> None:
    for window in windows(led(ONE_DAY), "attack"):
        assert set(window.options_for(window.seats[0])) == set(range(1, 8))
    assert deaths(led(ONE_DAY, attack=all_for(WOLVES[0]))) == [(WOLVES[0], "attack", "dawn")]


def test_the_seer_learns_an_exact_role_of_anyone_else() -> None:
    for target, role in [(GUARD, "guard"), (WOLVES[0], "werewolf"), (VILLAGERS[0], "villager")]:
        game = led(ONE_DAY, divination=all_for(target))
        (told,) = of(game, "divined")
        assert (told.audience, told["targets"], told["role"]) == (to(SEER), [target], role)
    (window,) = windows(game, "divination")
    assert set(window.options_for(SEER)) == set(range(1, 8)) - {SEER}


def test_the_guard_saves_and_may_protect_anyone_any_night_again() -> None:
    game = led({"max_rounds": 2}, attack=all_for(SEER), protection=all_for(SEER))
    assert deaths(game) == []
    assert len(of(game, "quiet_night")) == 2
    itself = led(ONE_DAY, attack=all_for(GUARD), protection=all_for(GUARD))
    assert deaths(itself) == []


def test_protection_does_not_last() -> None:
    game = led({"max_rounds": 2}, attack=all_for(SEER), protection=all_for(SEER, GUARD))
    assert deaths(game) == [(SEER, "attack", "dawn")]


def test_disagreement_and_rescue_sound_alike() -> None:
    saved = led(ONE_DAY, attack=all_for(SEER), protection=all_for(SEER))
    disagreed = led(ONE_DAY, protection=all_for(SEER))
    for viewer in (visibility.PUBLIC, visibility.seat(GUARD), visibility.seat(SEER)):
        one, other = (visibility.view_of(g.log, viewer).events for g in (saved, disagreed))
        assert one == other
    assert of(saved, "attacked")[0]["saved"] is True


# -- the election


def test_three_candidates_speak_in_the_order_of_the_lot() -> None:
    game = led(ONE_DAY)
    drawn = lots(game)
    assert len(set(drawn)) == 3
    assert [e["seat"] for e in of(game, "candidacy")] == drawn
    (ballot,) = windows(game, "election")
    assert ballot.seats == tuple(range(1, 8)), "candidates vote too"
    assert set(ballot.options_for(drawn[0])) == set(drawn), "also for themselves"
    ballot.check(1, ABSTAIN)
    assert {e.audience for e in of(game, "election")} == {PUBLIC}


def test_who_died_in_the_night_neither_stands_nor_votes() -> None:
    gone = lots(led(ONE_DAY))[0]
    protect = all_for(next(s for s in range(1, 8) if s != gone))
    game = led({**ONE_DAY, "candidates": 7}, attack=all_for(gone), protection=protect)
    assert sorted(lots(game)) == [s for s in range(1, 8) if s != gone]
    assert gone not in windows(game, "election")[0].seats


def test_most_ballots_elect() -> None:
    drawn = lots(led(ONE_DAY))
    assert badges(led(ONE_DAY, election=for_seat(drawn[2], 4))) == [drawn[2]]
    assert badges(led(ONE_DAY, election=for_seat(drawn[1], *range(1, 8)))) == [drawn[1]]


def test_a_tie_and_an_election_without_ballots_go_to_the_earliest_drawn() -> None:
    first, second, third = lots(led(ONE_DAY))
    assert badges(led(ONE_DAY)) == [first]

    def tied(window: Window, seat: int) -> Action:
        return pick(third) if seat < 3 else pick(second) if seat < 5 else ABSTAIN

    assert badges(led(ONE_DAY, election=tied)) == [second]


def test_people_can_be_kept_from_being_the_sheriff() -> None:
    people = [1, 2, 3, 4, 5]
    game = led({"people_lead": False, "max_rounds": 2}, people=people, vote=all_for(6, 7))
    assert sorted(lots(game)) == [6, 7]
    (heir,) = windows(game, "heir")[:1]
    assert set(heir.options_for(heir.seats[0])) == {6, 7} - set(heir.seats)
    everybody = led({**ONE_DAY, "people_lead": False}, people=range(1, 8))
    assert len(lots(everybody)) == 3, "where only people play they stand all the same"


def test_a_seat_that_must_be_elected_stands_and_the_game_ends_if_it_is_not() -> None:
    out = next(s for s in range(1, 8) if s not in lots(led(ONE_DAY)))
    lost = led({"must_elect": out})
    assert out in lots(lost)
    assert len(lots(lost)) == 3
    assert end(lost) == ("", "not_elected")
    won = led({"must_elect": out, "max_rounds": 1}, election=all_for(out))
    assert (badges(won), end(won)) == ([out], ("", "too_long"))


# -- a Sheriff who is drawn


@pytest.mark.parametrize("role", ["seer", "guard", "villager", "werewolf"])
def test_the_sheriff_can_be_drawn_among_the_holders_of_a_role(role: str) -> None:
    game = led({**ONE_DAY, "election": False, "first_sheriff": role})
    assert badges(game)[0] in dealt()[role]
    assert not of(game, "candidacy", "election")


def test_nobody_knows_a_drawn_sheriff_before_the_first_day() -> None:
    game = led({**ONE_DAY, "election": False})
    at = next(i for i, e in enumerate(game.log) if e.kind == "badge_given")
    assert fold(game.log[:at]).phase == "election"
    (drawn,) = (e for e in of(game, "drawn") if e["purpose"] == "sheriff")
    assert drawn.audience == RECORD
    assert drawn["among"] == list(range(1, 8))


def test_a_person_can_be_made_the_sheriff() -> None:
    settings = {**ONE_DAY, "election": False, "first_sheriff": "person"}
    assert badges(led(settings, people=[6])) == [6]


def test_the_game_is_void_where_the_drawn_sheriff_dies_in_the_first_night() -> None:
    settings = {"election": False, "first_sheriff": "seer"}
    game = led(settings, attack=all_for(SEER))
    assert end(game) == ("", "void")
    assert not badges(game)


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
    assert {e.audience for e in of(game, "reliability")} == {to(person)}
    last = next(i for i, e in reversed(list(enumerate(game.log))) if e.kind == "statement")
    told = [e.data.get("kind", "") for e in game.log[last:] if e.kind == "window_opened"]
    assert told[:4] == ["reliability", "pseudo_vote", "summing_up", "reliability"]
    assert told[4] == "vote"


def test_agents_rate_nobody_in_the_log() -> None:
    assert not windows(led({**ONE_DAY, "rate_people": True}), "reliability")


# -- settings


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("candidates", 0, "candidates must be from 1 to 7"),
        ("candidates", 8, "candidates must be from 1 to 7"),
        ("must_elect", 8, "must_elect must be from 0 to 7"),
        ("max_rounds", 0, "max_rounds must be from 1 to 30"),
        ("election", "no", "election must be true or false"),
        ("max_rounds", True, "max_rounds must be a whole number"),
        (
            "first_sheriff",
            "mayor",
            "first_sheriff must be one of anybody, seer, villager, guard, werewolf, person",
        ),
        ("sheriff_dies", "stays", "sheriff_dies must be one of passes, ends"),
    ],
)
def test_what_no_table_can_choose_is_refused(key: str, value: object, told: str) -> None:
    setting = {s.key: s for s in RULESET.settings}[key]
    assert setting.fault(value) == told
    assert setting.fault(setting.default) == ""


def test_the_papers_choices_are_the_defaults() -> None:
    defaults = {s.key: s.default for s in RULESET.settings}
    assert (defaults["election"], defaults["candidates"], defaults["max_rounds"]) == (True, 3, 6)
    assert defaults["sheriff_dies"] == "passes"


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
    before = fold(e for e in game.log[: shown[0]] if visibility.seat(person).sees(e.audience))
    assert len(before.roles) == 1


@pytest.mark.parametrize("settings", [{}, {"dead_see": False}, {"dead_see": True, "blind": True}])
def test_otherwise_nobody_sees_more_for_being_out(settings: dict[str, Any]) -> None:
    """Neither at a blind table, nor where the game began before one could choose it."""
    assert not shown_to(killed_on_day_two(settings), VILLAGERS[0])
