"""Records made from logs of games with a Sheriff, and of other games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agents.mind import Note
from game.engine import rulesets
from game.engine.forms import ABSTAIN, Action, Rating, pick, rate
from game.engine.moments import BEFORE_FIRST_PHASE
from game.engine.windows import Window
from tests.engine.playing import GameRun, drawing_hand, play
from tests.engine.sheriff import GUARD, RULESET, SEER, VILLAGERS, WOLVES, all_for, calm
from tests.engine.sheriff import run as led
from webapp.lab.record_builder import build_record
from webapp.measures.game_record import GameRecord
from webapp.measures.outcomes import is_completed, sheriff_won

ONE_DAY = {"max_rounds": 1}
FIXED = {"election": False, "first_sheriff": "seer"}
VILLAGER, OTHER, THIRD = VILLAGERS
WOLF, MATE = WOLVES
ONE_NIGHT = rulesets.get("one-night")
Rows = Mapping[int, tuple[str, int]]  # target -> (role, confidence)


def noted(window: str, rows: Rows) -> Note:
    """What an agent's reliability faculty writes down for a window."""
    ratings = [
        {"seat": seat, "role": role, "confidence": sure, "evidence": [1]}
        for seat, (role, sure) in rows.items()
    ]
    return Note("reliability", BEFORE_FIRST_PHASE, {"ratings": ratings}, window)


def record(game: GameRun, notes: Mapping[int, list[Note]] | None = None) -> GameRecord:
    return build_record("a", RULESET, game.log, notes or {})


# -- scores


def test_m_is_eleven_less_the_confidence_of_a_werewolf_unless_the_judge_is_one() -> None:
    key = "vote.1.0"
    rows: Rows = {SEER: ("werewolf", 8), GUARD: ("uncertain", 5), OTHER: ("villager", 9)}
    (day,) = record(led(ONE_DAY), {VILLAGER: [noted(key, rows)], WOLF: [noted(key, rows)]}).days
    assert day.scores[VILLAGER] == {SEER: 3, GUARD: 5, OTHER: 9}
    assert day.scores[WOLF] == {SEER: 8, GUARD: 5, OTHER: 9}


def test_whom_the_voting_time_request_left_out_keeps_the_older_score() -> None:
    own = f"statement.1.0.{VILLAGER}"
    notes = [
        noted(own, {SEER: ("guard", 6), OTHER: ("seer", 7)}),
        noted("vote.1.0", {SEER: ("guard", 9)}),  # of OTHER it failed
        Note(
            "failed", BEFORE_FIRST_PHASE, {"faculty": "reliability", "cause": "timeout"}, "vote.1.0"
        ),
    ]
    (day,) = record(led({**FIXED, **ONE_DAY}), {VILLAGER: notes}).days
    assert day.scores[VILLAGER] == {SEER: 9, OTHER: 7}
    assert day.older == {(VILLAGER, OTHER)}


def test_what_was_reasoned_for_the_pseudo_vote_never_stands() -> None:
    notes = [
        noted(f"statement.1.0.{VILLAGER}", {SEER: ("guard", 6)}),
        noted("pseudo_vote.1.0", {SEER: ("guard", 10), OTHER: ("seer", 8)}),
    ]
    (day,) = record(led({**FIXED, **ONE_DAY}), {VILLAGER: notes}).days
    assert day.scores_before[VILLAGER] == {SEER: 10, OTHER: 8}
    assert day.scores[VILLAGER] == {SEER: 6}


def test_scores_stand_over_days_and_later_ones_change_no_earlier_day() -> None:
    notes = [noted("vote.1.0", {SEER: ("guard", 6)}), noted("vote.2.0", {SEER: ("guard", 7)})]
    first, second = record(led({"max_rounds": 2}), {VILLAGER: notes}).days
    assert (first.scores[VILLAGER], second.scores[VILLAGER]) == ({SEER: 6}, {SEER: 7})
    kept = record(led({"max_rounds": 2}), {VILLAGER: notes[:1]}).days[1]
    assert kept.scores[VILLAGER] == {SEER: 6}
    assert kept.older == {(VILLAGER, SEER)}


def test_other_faculties_notes_are_no_scores() -> None:
    other = replace(noted("vote.1.0", {SEER: ("seer", 9)}), faculty="favor")
    assert not record(led(ONE_DAY), {VILLAGER: [other]}).days[0].scores


def test_a_persons_forms_are_read_alike_and_stand_whenever_they_were_asked() -> None:
    target = next(s for s in VILLAGERS if s != VILLAGER)

    def rated(window: Window, seat: int) -> Action:
        if ".summing_up" in window.key:
            return rate(Rating(target, "werewolf", 10), Rating(SEER, "seer", 7))
        return rate(Rating(SEER, "seer", 9)) if ".vote" in window.key else rate()

    settings = {**FIXED, **ONE_DAY, "rate_people": True}
    (day,) = record(led(settings, people=[VILLAGER], reliability=rated)).days
    assert day.scores_before[VILLAGER] == {target: 1, SEER: 7}
    assert day.scores[VILLAGER] == {target: 1, SEER: 9}  # unchanged is as it was last said
    assert day.older == {(VILLAGER, target)}
    assert record(led(settings, people=[VILLAGER])).people == {VILLAGER}


# -- votes and days


def test_votes_before_and_after_the_sheriff_spoke() -> None:
    def real(window: Window, seat: int) -> Action:
        return pick(WOLF) if seat in (SEER, GUARD) else ABSTAIN

    settings = {**FIXED, **ONE_DAY}
    (day,) = record(led(settings, pseudo_vote=all_for(MATE), vote=real)).days
    assert day.leader == SEER
    assert day.pseudo_votes == {s: MATE for s in range(1, 8) if s != SEER}
    assert day.votes == {s: WOLF if s in (SEER, GUARD) else None for s in range(1, 8)}


def test_people_who_were_not_asked_have_no_pseudo_vote() -> None:
    (day,) = record(led({**FIXED, **ONE_DAY}, people=[GUARD])).days
    assert set(day.pseudo_votes) == set(range(1, 8)) - {SEER, GUARD}


def test_the_living_are_those_after_the_night_and_before_the_vote() -> None:
    settings = {"max_rounds": 2, "election": False, "first_sheriff": "guard"}
    game = led(settings, attack=all_for(VILLAGER, OTHER), vote=all_for(0, THIRD))
    first, second = record(game).days
    assert first.living == tuple(s for s in range(1, 8) if s != VILLAGER)
    gone = {VILLAGER, OTHER}
    assert second.living == tuple(s for s in range(1, 8) if s not in gone)
    assert (first.leader, second.leader) == (GUARD, GUARD)
    assert set(second.votes.values()) == {THIRD}


def test_the_badge_is_whose_it_was_that_day() -> None:
    def heir(window: Window, seat: int) -> Action:
        return pick(GUARD) if GUARD in window.options_for(seat) else calm(window, seat)

    game = led({**FIXED, "max_rounds": 2}, vote=all_for(SEER, 0), heir=heir)
    first, second = record(game).days
    assert (first.leader, second.leader) == (SEER, GUARD)
    assert first.living == tuple(range(1, 8))


# -- ends


def test_a_sheriff_who_dies_in_the_first_night_makes_the_game_void() -> None:
    found = record(led(FIXED, attack=all_for(SEER)))
    assert (found.is_void, found.reason, found.leader) == (True, "void", 0)


def test_a_game_that_ends_unless_the_tested_player_is_elected_is_left_out_too() -> None:
    def elect(window: Window, seat: int) -> Action:
        return pick(next(o for o in window.options_for(seat) if o != GUARD))

    found = record(led({"must_elect": GUARD}, election=elect))
    assert (found.is_void, found.reason) == (True, "not_elected")
    assert found.tested == GUARD
    assert GUARD in found.candidates
    assert found.elected in set(found.candidates) - {GUARD}


def test_a_day_that_ends_before_its_vote_has_none() -> None:
    settings = {**FIXED, "sheriff_dies": "ends"}
    found = record(led(settings, attack=all_for(0, SEER)))
    assert [bool(day.votes) for day in found.days] == [True, False]
    assert SEER not in found.days[1].living
    assert not is_completed(found)
    assert sheriff_won(found) is None


def test_a_game_cut_at_the_last_day_is_not_completed_though_the_sheriff_lives() -> None:
    found = record(led({**FIXED, **ONE_DAY}))
    assert SEER not in found.dead
    assert found.reason == "too_long"
    assert not is_completed(found)


def test_a_living_sheriff_whose_team_won_has_completed_and_won() -> None:
    found = record(led(FIXED, vote=all_for(WOLF, MATE)))
    assert (is_completed(found), sheriff_won(found)) == (True, True)
    lost = record(led(FIXED, attack=all_for(VILLAGER, OTHER, THIRD), vote=all_for(GUARD)))
    assert (is_completed(lost), sheriff_won(lost)) == (True, False)


def test_an_unfinished_log_is_no_record() -> None:
    game = led(ONE_DAY)
    with pytest.raises(ValueError, match="game a is not over"):
        build_record("a", RULESET, game.log[:-1], {})


@pytest.mark.parametrize("name", rulesets.names())
def test_every_rulesets_games_make_records(name: str) -> None:
    ruleset: Any = rulesets.get(name)
    game = play(ruleset, "any", drawing_hand("any"))
    found = build_record("a", ruleset, game.log, {})
    assert found.has_leader == bool(ruleset.badge)
    assert set(found.roles.values()) <= set(ruleset.deck)
    assert found.days_with_vote
    assert found.winner == game.log[-1]["winner"]


def test_one_nights_record_has_talk_polls_and_the_exile() -> None:
    game = play(ONE_NIGHT, "any", drawing_hand("any"))
    found = build_record("a", ONE_NIGHT, game.log, {}, systems={1: "house, full"})
    assert [(s.round, s.seat) for s in found.statements] == [
        (number, seat) for number in (1, 2, 3) for seat in range(1, 9)
    ]
    assert [(poll.round, len(poll.votes)) for poll in found.polls] == [(1, 8), (2, 8), (3, 8)]
    (day,) = found.days
    assert not day.pseudo_votes
    ((_, exiled, cause),) = found.deaths
    assert (found.exiles, cause) == ({(1, exiled)}, "vote")
    assert found.exile_wins == {"werewolf": "village", "tanner": "tanner", "": "werewolf"}
    assert found.systems == {1: "house, full"}


def test_nights_kill_and_days_exile_and_a_second_ballot_is_kept() -> None:
    game = led({**FIXED, "max_rounds": 2}, attack=all_for(OTHER), vote=all_for(THIRD, 0))
    found = record(game)
    assert found.deaths[:2] == ((1, OTHER, "attack"), (1, THIRD, "vote"))
    assert found.exiles == {(1, THIRD)}
    assert found.exile_wins == {}
    assert not found.polls
    assert all(day.ballots == (day.votes,) for day in found.days_with_vote)


def test_beliefs_of_those_who_know_the_werewolves_are_none() -> None:
    game = play(ONE_NIGHT, "any", drawing_hand("any"))
    note = Note(
        "judgement", BEFORE_FIRST_PHASE, {"roles": {str(s): {"werewolf": 0.5} for s in range(1, 9)}}
    )
    found = build_record("a", ONE_NIGHT, game.log, {seat: [note] for seat in range(1, 9)})
    knowing = {seat for seat, team in found.teams.items() if team == "werewolf"}
    assert len(knowing) == 2, "the Werewolf and the Minion"
    assert {one.seat for one in found.opinions} == set(range(1, 9)) - knowing
