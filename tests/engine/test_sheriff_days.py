"""Rules of the Sheriff game (SPEC 1.2): talk, vote, badge, end, ratings, view of the dead."""

from __future__ import annotations

from typing import Any

import pytest

from game.engine import visibility
from game.engine.events import (
    ABSTAIN,
    PUBLIC,
    RECORD,
    Action,
    Rating,
    only_seats,
    pick,
    rate,
    record_audience,
)
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import GameRun
from tests.engine.sheriff import (
    GUARD,
    ONE_DAY,
    RULESET,
    SEER,
    VILLAGERS,
    WOLVES,
    KindHand,
    all_for,
    badges,
    deaths,
    end,
    events_of,
    for_seat,
    run,
    windows,
)

BLANK = SeededRandom("nothing is drawn")


# -- the day


def speakers_on(game: GameRun, day: int = 1) -> list[int]:
    """Return the seats that spoke on `day`, without the candidates' speeches."""
    seats, now = [], 0
    for event in game.log:
        now = event["day"] if event.kind == "phase_opened" else now
        if now == day and event.kind in ("statement", "summing_up"):
            seats.append(event["seat"])
    return seats


def side(word: str):
    return lambda window, seat: pick(word)


def test_talk_starts_on_the_chosen_side_and_the_sheriff_is_last() -> None:
    settings = {**ONE_DAY, "election": False, "first_sheriff": "person"}
    left = run(settings, people=[3], first_side=side("left"))
    assert speakers_on(left) == [2, 1, 7, 6, 5, 4, 3]
    right = run(settings, people=[3], first_side=side("right"))
    assert speakers_on(right) == [4, 5, 6, 7, 1, 2, 3]
    assert events_of(right, "summing_up")[0]["seat"] == 3


def test_dead_players_are_skipped() -> None:
    settings = {"max_rounds": 2, "election": False, "first_sheriff": "person"}
    game = run(settings, people=[3], first_side=side("left"), vote=all_for(2, 0))
    assert speakers_on(game, 2) == [1, 7, 6, 5, 4, 3]


def test_pseudo_vote_precedes_the_sheriff_and_is_hidden() -> None:
    game = run(ONE_DAY, pseudo_vote=all_for(2))
    (poll,) = windows(game, "pseudo_vote")
    (sheriff,) = badges(game)
    assert set(poll.seats) == set(range(1, 8)) - {sheriff}
    assert poll.asks == "agents"
    assert set(poll.options_for(1)) == set(range(1, 8))
    opened = next(i for i, e in enumerate(game.log) if e.data.get("key") == poll.key)
    statements = [e for e in game.log[:opened] if e.kind == "statement"]
    assert len(statements) == 6
    assert "summing_up" not in {e.kind for e in game.log[:opened]}
    assert len(events_of(game, "pseudo_vote")) == 6
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, *map(visibility.seat, range(1, 8))):
        events = visibility.view_of(game.log, viewer).events
        assert "pseudo_vote" not in {e.kind for e in events}
        assert "pseudo_vote" not in {e.data.get("kind") for e in events}
    assert poll.default_for(1, BLANK).action == ABSTAIN


def test_setting_includes_people_in_the_pseudo_vote() -> None:
    (poll,) = windows(run({**ONE_DAY, "poll_people": True}, people=[1]), "pseudo_vote")
    assert (poll.asks, poll.waits_for, poll.answer_audience) == ("everyone", "people", RECORD)


# -- the vote


def test_player_with_most_votes_is_out_without_role_reveal() -> None:
    game = run(ONE_DAY, vote=for_seat(SEER, 1))
    assert deaths(game) == [(SEER, "vote", "vote")], "abstentions do not count"
    (exile,) = events_of(game, "out")
    assert "role" not in exile.data
    assert {e.audience for e in events_of(game, "vote")} == {PUBLIC}
    window = windows(game, "vote")[0]
    assert set(window.options_for(1)) == set(range(1, 8)), "including oneself"


def test_tie_or_no_votes_put_no_player_out() -> None:
    def tied_votes(window: Window, seat: int) -> Action:
        return pick(1 if seat < 3 else 5) if seat < 5 else ABSTAIN

    game = run(ONE_DAY, vote=tied_votes)
    assert deaths(game) == []
    assert events_of(game, "undecided")[0]["among"] == [1, 5]
    assert deaths(run(ONE_DAY)) == []


def test_sheriff_breaks_a_tie_only_with_the_setting() -> None:
    settings = {**ONE_DAY, "election": False, "first_sheriff": "guard"}
    voters = [seat for seat in range(1, 8) if seat != GUARD]

    def tied_votes(own: int) -> KindHand:
        """Build a hand in which seats 1 and 5 are tied, and the Sheriff votes for `own`."""
        ballots = dict(zip(voters, (1, 1, 5, 5, 1 if own == 5 else 0, 0), strict=True))
        ballots[GUARD] = own
        return lambda window, seat: pick(ballots[seat]) if ballots[seat] else ABSTAIN

    with_setting = {**settings, "sheriff_breaks_ties": True}
    game = run(with_setting, vote=tied_votes(5))
    assert deaths(game) == [(5, "vote", "vote")]
    (tie_break,) = events_of(game, "tie_broken")
    assert (tie_break["among"], tie_break["seat"], tie_break["targets"]) == ([1, 5], GUARD, [5])
    assert deaths(run(with_setting, vote=tied_votes(0))) == [], "the Sheriff abstained"
    assert deaths(run(with_setting, vote=tied_votes(2))) == [], (
        "the Sheriff voted for another player"
    )
    assert deaths(run(settings, vote=tied_votes(5))) == []


def test_safe_first_night_has_a_look_but_no_attack() -> None:
    settings = {"max_rounds": 2, "safe_first_night": True}
    game = run(settings, attack=all_for(SEER))
    assert [w.moment.day for w in windows(game, "attack")] == [2, 2]
    assert [w.moment.day for w in windows(game, "protection")] == [2]
    assert [w.moment.day for w in windows(game, "divination")] == [1, 2]
    assert deaths(game) == [(SEER, "attack", "dawn")]
    assert len(events_of(game, "safe_night")) == 1
    assert not events_of(game, "quiet_night")


def test_first_day_can_end_with_the_election() -> None:
    game = run({"max_rounds": 2, "election_day": True}, vote=all_for(SEER))
    assert [w.moment.day for w in windows(game, "election")] == [1]
    assert {w.moment.day for w in windows(game, "statement")} == {2}
    assert {w.moment.day for w in windows(game, "vote")} == {2}
    assert [w.moment.day for w in windows(game, "divination")] == [1, 2]
    course = [(1, ["night", "dawn", "election"]), (2, ["night", "dawn", "talk", "vote"])]
    for day, phases in course:
        assert [p for p, _n in RULESET.day_phases(day, {"election_day": True})] == phases
    without_election = run(
        {"max_rounds": 1, "election": False, "election_day": True}, vote=all_for(SEER)
    )
    assert {w.moment.day for w in windows(without_election, "vote")} == {1}, (
        "without an election the day goes on"
    )


# -- the badge


SHERIFF = {"election": False, "first_sheriff": "person", "max_rounds": 2}


def test_exiled_sheriff_passes_the_badge_before_the_night() -> None:
    game = run(SHERIFF, people=[3], vote=all_for(3, 0), heir=all_for(6))
    assert badges(game) == [3, 6]
    last_badge = max(i for i, e in enumerate(game.log) if e.kind == "badge_given")
    assert game.log[last_badge + 1]["phase"] == "night", "before the next night"
    assert speakers_on(game, 2)[-1] == 6


def test_killed_sheriff_passes_the_badge_before_the_side_choice() -> None:
    protect = all_for(GUARD)
    person = VILLAGERS[0]
    game = run(SHERIFF, people=[person], attack=all_for(0, person), protection=protect)
    assert deaths(game)[0] == (person, "attack", "dawn")
    heir = events_of(game, "heir")[0]["targets"][0]
    assert badges(game) == [person, heir]
    assert events_of(game, "first_side")[1]["seat"] == heir


def test_sheriff_timeouts_default_to_left_side_and_lowest_seat() -> None:
    game = run(SHERIFF, people=[3], vote=all_for(3, 0))
    first = windows(game, "first_side")[0].default_for(3, BLANK)
    assert (first.action, first.labels) == (pick("left"), ("timeout",))
    heir = windows(game, "heir")[0]
    assert heir.default_for(3, BLANK).action == pick(1)
    assert heir.fallback_for(3, BLANK, "fallback:broken").action == pick(1)
    with pytest.raises(Illegal):
        heir.check(3, pick(3))


# -- the end


def test_village_wins_without_living_werewolves() -> None:
    game = run(vote=all_for(*WOLVES))
    assert end(game) == ("village", "wolves_gone")
    assert set(game.log[-1]["winners"]) == {SEER, GUARD, *VILLAGERS}


def test_werewolves_win_at_equality_after_vote_or_night() -> None:
    vote_game = run(vote=all_for(*VILLAGERS))
    assert end(vote_game) == ("werewolf", "wolves_equal")
    assert fold(vote_game.log).day == 3
    assert vote_game.log[-1]["winners"] == WOLVES
    night_game = run(attack=all_for(SEER, VILLAGERS[0]), vote=all_for(VILLAGERS[1]))
    assert end(night_game) == ("werewolf", "wolves_equal")
    assert (fold(night_game.log).day, deaths(night_game)[-1][1]) == (2, "attack")


def test_stop_rule_precedes_a_victory() -> None:
    """Seat WOLVES[1] is the Sheriff and the last Werewolf when it is voted out."""
    settings = {"election": False, "first_sheriff": "person", "sheriff_dies": "ends"}
    game = run(settings, people=[WOLVES[1]], vote=all_for(*WOLVES))
    assert end(game) == ("", "sheriff_died")
    assert not events_of(game, "heir")
    late = run({"max_rounds": 2}, vote=all_for(*WOLVES))
    assert end(late) == ("", "too_long")


def test_setting_ends_the_game_without_living_people() -> None:
    person = VILLAGERS[0]
    game = run({"needs_people": True}, people=[person], attack=all_for(person))
    assert end(game) == ("", "no_person_left")
    two_people = run(
        {"needs_people": True, "max_rounds": 1}, people=[person, 2], attack=all_for(person)
    )
    assert end(two_people) == ("", "too_long")
    no_people = run({"needs_people": True, "max_rounds": 1}, attack=all_for(person))
    assert end(no_people) == ("", "too_long")


# -- ratings by people


def test_people_rate_living_players_before_actions_after_night_1() -> None:
    person, settings = SEER, {"rate_people": True, "max_rounds": 2}

    def rating_hand(window: Window, seat: int) -> Action:
        return rate(Rating(int(window.options_for(seat)[0]), "guard", 7))

    game = run(settings, people=[person], reliability=rating_hand, vote=all_for(VILLAGERS[0], 0))
    rating_windows = windows(game, "reliability")
    assert {w.seats for w in rating_windows} == {(person,)}
    assert rating_windows[0].moment.phase == "election"
    assert {w.moment.phase for w in rating_windows if w.moment.day == 2} >= {
        "night",
        "talk",
        "vote",
    }
    assert VILLAGERS[0] not in rating_windows[-1].options_for(person)
    assert {e.audience for e in events_of(game, "reliability")} == {record_audience(person)}
    last = next(i for i, e in reversed(list(enumerate(game.log))) if e.kind == "statement")
    window_kinds = [e.data.get("kind", "") for e in game.log[last:] if e.kind == "window_opened"]
    assert window_kinds[:5] == ["pseudo_vote", "reliability", "summing_up", "reliability", "vote"]


def test_agents_have_no_rating_windows() -> None:
    assert not windows(run({**ONE_DAY, "rate_people": True}), "reliability")


# -- view of the dead


def reveal_positions(game: GameRun, seat: int) -> list[int]:
    """Log positions of role reveals that only `seat` sees."""
    own = only_seats(seat)
    return [i for i, e in enumerate(game.log) if e.kind == "role_revealed" and e.audience == own]


def play_exiled_sheriff(settings: dict[str, Any]) -> GameRun:
    """Play a game of two days in which a person is the Sheriff and is exiled on day 1."""
    person = VILLAGERS[0]
    all_settings = {"election": False, "first_sheriff": "person", "max_rounds": 2, **settings}
    return run(all_settings, people=[person], vote=all_for(person, 0))


def test_dead_person_sees_all_roles_after_the_badge_is_passed() -> None:
    game, person = play_exiled_sheriff({"dead_see": True}), VILLAGERS[0]
    reveals = reveal_positions(game, person)
    assert [game.log[i]["seat"] for i in reveals] == list(range(1, 8))
    _first, badge_passed = (i for i, e in enumerate(game.log) if e.kind == "badge_given")
    assert badge_passed < reveals[0]
    assert not [s for s in range(1, 8) if s != person and reveal_positions(game, s)]
    before = fold(e for e in game.log[: reveals[0]] if visibility.seat(person).can_see(e.audience))
    assert len(before.roles) == 1


@pytest.mark.parametrize("settings", [{}, {"dead_see": False}, {"dead_see": True, "blind": True}])
def test_dead_person_sees_no_roles_without_the_setting(settings: dict[str, Any]) -> None:
    """Covers blind games and games that started before the setting existed."""
    assert not reveal_positions(play_exiled_sheriff(settings), VILLAGERS[0])
