"""Rules of the Sheriff game (SPEC 1.2): course, first night, election, settings."""

from __future__ import annotations

from collections import Counter

import pytest

from game.engine import visibility
from game.engine.events import ABSTAIN, PUBLIC, RECORD, Action, Event, only_seats, pick
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import GameRun, Hand, drawing_hand, play, step
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
    deaths,
    drawn_candidates,
    end,
    events_of,
    for_seat,
    run,
    seats_by_role,
    windows,
)

# -- the course


def test_deck_and_seat_names() -> None:
    assert sorted(RULESET.deck) == sorted(["seer", "guard", *["villager"] * 3, *["werewolf"] * 2])
    assert list(RULESET.seat_names) == [f"player_{n}" for n in range(1, 8)]
    assert {role: len(seats) for role, seats in seats_by_role().items()} == {
        "seer": 1,
        "guard": 1,
        "villager": 3,
        "werewolf": 2,
    }


def test_election_is_only_on_day_1_and_game_ends_after_six_days() -> None:
    game = run()
    course = [(e["day"], e["phase"]) for e in events_of(game, "phase_opened")]
    first = [(1, p) for p in ("night", "dawn", "election", "talk", "vote")]
    rest = [(day, p) for day in range(2, 7) for p in ("night", "dawn", "talk", "vote")]
    assert course == first + rest
    assert end(game) == ("", "too_long")
    assert game.log[-1]["winners"] == []


# -- the night


def test_second_werewolf_sees_its_partners_choice() -> None:
    game = run(ONE_DAY)
    first, second = windows(game, "attack")
    assert [first.seats, second.seats] == [(WOLVES[0],), (WOLVES[1],)]
    opened = next(i for i, e in enumerate(game.log) if e.data.get("key") == second.key)
    before = visibility.view_of(game.log[:opened], visibility.seat(WOLVES[1]))
    assert before.state.holders("werewolf") == tuple(WOLVES)
    assert [e["targets"] for e in before.events if e.kind == "attack"] == [[1]]
    other_seats = [s for s in range(1, 8) if s not in WOLVES]
    for viewer in (visibility.PUBLIC, *map(visibility.seat, other_seats)):
        assert "attack" not in {e.kind for e in visibility.view_of(game.log, viewer).events}


@pytest.mark.parametrize("person", WOLVES)
def test_person_chooses_last(person: int) -> None:
    game = run(ONE_DAY, people=[person])
    assert [w.seats[0] for w in windows(game, "attack")][-1] == person


def test_order_in_a_blind_game_does_not_reveal_people() -> None:
    game = run({**ONE_DAY, "blind": True}, people=[WOLVES[0]])
    assert [w.seats[0] for w in windows(game, "attack")] == WOLVES


def test_werewolves_kill_only_if_they_agree() -> None:
    assert deaths(run(ONE_DAY, attack=all_for(SEER))) == [(SEER, "attack", "dawn")]
    assert deaths(run(ONE_DAY, attack=for_seat(SEER, WOLVES[0]))) == []


def test_lone_werewolf_kills_alone() -> None:
    game = run({"max_rounds": 2}, attack=all_for(0, VILLAGERS[0]), vote=all_for(WOLVES[1], 0))
    assert deaths(game) == [(WOLVES[1], "vote", "vote"), (VILLAGERS[0], "attack", "dawn")]


def test_werewolves_may_kill_each_other_or_themselves() -> None:
    for window in windows(run(ONE_DAY), "attack"):
        assert set(window.options_for(window.seats[0])) == set(range(1, 8))
    assert deaths(run(ONE_DAY, attack=all_for(WOLVES[0]))) == [(WOLVES[0], "attack", "dawn")]


def test_seer_learns_the_exact_role_of_any_other_player() -> None:
    for target, role in [(GUARD, "guard"), (WOLVES[0], "werewolf"), (VILLAGERS[0], "villager")]:
        game = run(ONE_DAY, divination=all_for(target))
        (result,) = events_of(game, "divined")
        assert (result.audience, result["targets"], result["role"]) == (
            only_seats(SEER),
            [target],
            role,
        )
    (window,) = windows(game, "divination")
    assert set(window.options_for(SEER)) == set(range(1, 8)) - {SEER}


def test_guard_can_protect_the_same_player_or_itself_every_night() -> None:
    game = run({"max_rounds": 2}, attack=all_for(SEER), protection=all_for(SEER))
    assert deaths(game) == []
    assert len(events_of(game, "quiet_night")) == 2
    self_protected = run(ONE_DAY, attack=all_for(GUARD), protection=all_for(GUARD))
    assert deaths(self_protected) == []


def test_protection_lasts_one_night() -> None:
    game = run({"max_rounds": 2}, attack=all_for(SEER), protection=all_for(SEER, GUARD))
    assert deaths(game) == [(SEER, "attack", "dawn")]


def test_disagreement_and_rescue_look_the_same_to_players() -> None:
    saved = run(ONE_DAY, attack=all_for(SEER), protection=all_for(SEER))
    disagreed = run(ONE_DAY, protection=all_for(SEER))
    for viewer in (visibility.PUBLIC, visibility.seat(GUARD), visibility.seat(SEER)):
        rescue_events, disagreement_events = (
            visibility.view_of(g.log, viewer).events for g in (saved, disagreed)
        )
        assert rescue_events == disagreement_events
    assert events_of(saved, "attacked")[0]["saved"] is True


# -- the election


def test_three_candidates_speak_in_drawn_order() -> None:
    game = run(ONE_DAY)
    candidates = drawn_candidates(game)
    assert len(set(candidates)) == 3
    assert [e["seat"] for e in events_of(game, "candidacy")] == candidates
    (ballot,) = windows(game, "election")
    assert ballot.seats == tuple(range(1, 8)), "candidates vote too"
    assert set(ballot.options_for(candidates[0])) == set(candidates), "including themselves"
    ballot.check(1, ABSTAIN)
    assert {e.audience for e in events_of(game, "election")} == {PUBLIC}


def test_night_victim_is_no_candidate_and_has_no_vote() -> None:
    victim = drawn_candidates(run(ONE_DAY))[0]
    protect = all_for(next(s for s in range(1, 8) if s != victim))
    game = run({**ONE_DAY, "candidates": 7}, attack=all_for(victim), protection=protect)
    assert sorted(drawn_candidates(game)) == [s for s in range(1, 8) if s != victim]
    assert victim not in windows(game, "election")[0].seats


def test_candidate_with_most_ballots_is_elected() -> None:
    drawn = drawn_candidates(run(ONE_DAY))
    assert badges(run(ONE_DAY, election=for_seat(drawn[2], 4))) == [drawn[2]]
    assert badges(run(ONE_DAY, election=for_seat(drawn[1], *range(1, 8)))) == [drawn[1]]


def test_earliest_drawn_candidate_wins_a_tie_or_an_empty_election() -> None:
    first, second, third = drawn_candidates(run(ONE_DAY))
    assert badges(run(ONE_DAY)) == [first]

    def tied_votes(window: Window, seat: int) -> Action:
        return pick(third if seat < 3 else second) if seat < 5 else ABSTAIN

    assert badges(run(ONE_DAY, election=tied_votes)) == [second]


def test_setting_excludes_people_from_being_sheriff() -> None:
    people = [1, 2, 3, 4, 5]
    game = run({"people_lead": False, "max_rounds": 2}, people=people, vote=all_for(6, 7))
    assert sorted(drawn_candidates(game)) == [6, 7]
    (heir,) = windows(game, "heir")[:1]
    assert set(heir.options_for(heir.seats[0])) == {6, 7} - set(heir.seats)
    everybody = run({**ONE_DAY, "people_lead": False}, people=range(1, 8))
    assert len(drawn_candidates(everybody)) == 3, "people stand if only people play"


def test_required_candidate_stands_and_its_defeat_ends_the_game() -> None:
    first, *_rest = standing = drawn_candidates(run(ONE_DAY))
    required = next(s for s in range(1, 8) if s not in standing)
    defeat = run({"must_elect": required}, election=all_for(first))
    assert required in drawn_candidates(defeat)
    assert len(drawn_candidates(defeat)) == 3
    assert end(defeat) == ("", "not_elected")
    victory = run({"must_elect": required, "max_rounds": 1}, election=all_for(required))
    assert (badges(victory), end(victory)) == ([required], ("", "too_long"))


def test_required_candidate_is_in_each_position_equally_often() -> None:
    positions: Counter[int] = Counter()
    for number in range(300):
        hand = drawing_hand(str(number))

        def peaceful_hand(window: Window, seat: int, hand: Hand = hand) -> Action | None:
            return pick(seat) if window.kind == "attack" else hand(window, seat)

        game = play(RULESET, str(number), peaceful_hand, {"must_elect": 4, "max_rounds": 1})
        positions[drawn_candidates(game).index(4)] += 1
    assert all(70 <= positions[position] <= 130 for position in range(3)), (
        positions
    )  # 100 each, 3.7 sigma


def test_old_game_with_required_candidate_in_last_position_continues() -> None:
    draw = next(e for e in run(ONE_DAY).log if e.kind == "drawn" and e["purpose"] == "candidates")
    required = draw["result"][-1]
    game = run({"must_elect": required}, election=all_for(required))
    at = next(i for i, e in enumerate(game.log) if e.kind == "candidates")
    older = [e for e in game.log[:at] if e.data.get("purpose") != "standing"]
    older.append(Event("candidates", PUBLIC, {"seats": [*draw["result"][:2], required]}))
    new_events = step(RULESET, SEED, GameRun(older, game.answers))
    assert new_events[0].kind == "window_opened"
    assert new_events[0]["seats"] == [draw["result"][0]]


# -- drawn Sheriff


@pytest.mark.parametrize("role", ["seer", "guard", "villager", "werewolf"])
def test_sheriff_can_be_drawn_from_the_holders_of_a_role(role: str) -> None:
    game = run({**ONE_DAY, "election": False, "first_sheriff": role})
    assert badges(game)[0] in seats_by_role()[role]
    assert not events_of(game, "candidacy", "election")


def test_drawn_sheriff_is_secret_before_day_1() -> None:
    game = run({**ONE_DAY, "election": False})
    at = next(i for i, e in enumerate(game.log) if e.kind == "badge_given")
    assert fold(game.log[:at]).phase == "election"
    (drawn,) = (e for e in events_of(game, "drawn") if e["purpose"] == "sheriff")
    assert drawn.audience == RECORD
    assert drawn["among"] == list(range(1, 8))


def test_person_can_be_the_first_sheriff() -> None:
    settings = {**ONE_DAY, "election": False, "first_sheriff": "person"}
    assert badges(run(settings, people=[6])) == [6]


def test_game_is_void_if_the_drawn_sheriff_dies_in_night_1() -> None:
    settings = {"election": False, "first_sheriff": "seer"}
    game = run(settings, attack=all_for(SEER))
    assert end(game) == ("", "void")
    assert not badges(game)


# -- settings


@pytest.mark.parametrize(
    ("key", "value", "error"),
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
def test_invalid_setting_values_are_rejected(key: str, value: object, error: str) -> None:
    setting = {s.key: s for s in RULESET.settings}[key]
    assert setting.value_error(value) == error
    assert setting.value_error(setting.default) == ""


def test_defaults_follow_the_paper() -> None:
    defaults = {s.key: s.default for s in RULESET.settings}
    assert (defaults["election"], defaults["candidates"], defaults["max_rounds"]) == (True, 3, 6)
    assert defaults["sheriff_dies"] == "passes"
