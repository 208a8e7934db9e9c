"""The rules of the game with a Sheriff, one by one (SPEC 1.2).

The course, the first night, the Sheriff, and what a table can choose.
"""

from __future__ import annotations

from collections import Counter

import pytest

from game.engine import visibility
from game.engine.events import PUBLIC, RECORD, Event, to
from game.engine.forms import ABSTAIN, Action, pick
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import Hand, Round, drawing_hand, play, step
from tests.engine.sheriff import (
    GUARD,
    ONE_DAY,
    RULESET,
    SEED,
    SEER,
    VILLAGERS,
    WOLVES,
    all_for,
    badges,
    dealt,
    deaths,
    end,
    for_seat,
    led,
    lots,
    of,
    windows,
)

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
    first, *_rest = standing = lots(led(ONE_DAY))
    out = next(s for s in range(1, 8) if s not in standing)
    lost = led({"must_elect": out}, election=all_for(first))
    assert out in lots(lost)
    assert len(lots(lost)) == 3
    assert end(lost) == ("", "not_elected")
    won = led({"must_elect": out, "max_rounds": 1}, election=all_for(out))
    assert (badges(won), end(won)) == ([out], ("", "too_long"))


def test_a_seat_that_must_be_elected_stands_in_every_place_equally_often() -> None:
    places: Counter[int] = Counter()
    for number in range(300):
        hand = drawing_hand(str(number))

        def peaceful(window: Window, seat: int, hand: Hand = hand) -> Action | None:
            return pick(seat) if window.kind == "attack" else hand(window, seat)

        game = play(RULESET, str(number), peaceful, {"must_elect": 4, "max_rounds": 1})
        places[lots(game).index(4)] += 1
    assert all(70 <= places[place] <= 130 for place in range(3)), places  # 100 each, 3.7 sigma


def test_an_older_game_in_which_that_seat_stands_last_goes_on() -> None:
    lot = next(e for e in led(ONE_DAY).log if e.kind == "drawn" and e["purpose"] == "candidates")
    out = lot["result"][-1]
    game = led({"must_elect": out}, election=all_for(out))
    at = next(i for i, e in enumerate(game.log) if e.kind == "candidates")
    older = [e for e in game.log[:at] if e.data.get("purpose") != "standing"]
    older.append(Event("candidates", PUBLIC, {"seats": [*lot["result"][:2], out]}))
    new = step(RULESET, SEED, Round(older, game.answers))
    assert new[0].kind == "window_opened"
    assert new[0]["seats"] == [lot["result"][0]]


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
    assert setting.value_error(value) == told
    assert setting.value_error(setting.default) == ""


def test_the_papers_choices_are_the_defaults() -> None:
    defaults = {s.key: s.default for s in RULESET.settings}
    assert (defaults["election"], defaults["candidates"], defaults["max_rounds"]) == (True, 3, 6)
    assert defaults["sheriff_dies"] == "passes"
