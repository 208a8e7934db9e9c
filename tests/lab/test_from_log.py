"""Tests of records made from logs of games with a Sheriff, and of other games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agents.decision import Note
from game.engine import rulesets
from game.engine.events import ABSTAIN, BEFORE_FIRST_PHASE, Action, Rating, pick, rate
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
WEREWOLF, PARTNER = WOLVES
ONE_NIGHT = rulesets.get("one-night")
Rows = Mapping[int, tuple[str, int]]  # target -> (role, confidence)


def reliability_note(window: str, rows: Rows) -> Note:
    """Return the note of an agent's reliability faculty for a window."""
    ratings = [
        {"seat": seat, "role": role, "confidence": confidence, "evidence": [1]}
        for seat, (role, confidence) in rows.items()
    ]
    return Note("reliability", BEFORE_FIRST_PHASE, {"ratings": ratings}, window)


def build_game_record(game: GameRun, notes: Mapping[int, list[Note]] | None = None) -> GameRecord:
    return build_record("a", RULESET, game.log, notes or {})


# -- scores


def test_score_of_a_werewolf_rating_is_inverted_unless_the_judge_is_one() -> None:
    key = "vote.1.0"
    ratings: Rows = {SEER: ("werewolf", 8), GUARD: ("uncertain", 5), OTHER: ("villager", 9)}
    (day,) = build_game_record(
        led(ONE_DAY),
        {VILLAGER: [reliability_note(key, ratings)], WEREWOLF: [reliability_note(key, ratings)]},
    ).days
    assert day.scores[VILLAGER] == {SEER: 3, GUARD: 5, OTHER: 9}
    assert day.scores[WEREWOLF] == {SEER: 8, GUARD: 5, OTHER: 9}


def test_player_missing_from_the_vote_ratings_keeps_the_older_score() -> None:
    statement_key = f"statement.1.0.{VILLAGER}"
    notes = [
        reliability_note(statement_key, {SEER: ("guard", 6), OTHER: ("seer", 7)}),
        reliability_note("vote.1.0", {SEER: ("guard", 9)}),  # the request about OTHER failed
        Note(
            "failed", BEFORE_FIRST_PHASE, {"faculty": "reliability", "cause": "timeout"}, "vote.1.0"
        ),
    ]
    (day,) = build_game_record(led({**FIXED, **ONE_DAY}), {VILLAGER: notes}).days
    assert day.scores[VILLAGER] == {SEER: 9, OTHER: 7}
    assert day.older_score_pairs == {(VILLAGER, OTHER)}


def test_ratings_for_the_pseudo_vote_do_not_persist() -> None:
    notes = [
        reliability_note(f"statement.1.0.{VILLAGER}", {SEER: ("guard", 6)}),
        reliability_note("pseudo_vote.1.0", {SEER: ("guard", 10), OTHER: ("seer", 8)}),
    ]
    (day,) = build_game_record(led({**FIXED, **ONE_DAY}), {VILLAGER: notes}).days
    assert day.scores[VILLAGER] == {SEER: 6}


def test_scores_persist_over_days_and_do_not_change_earlier_days() -> None:
    notes = [
        reliability_note("vote.1.0", {SEER: ("guard", 6)}),
        reliability_note("vote.2.0", {SEER: ("guard", 7)}),
    ]
    first, second = build_game_record(led({"max_rounds": 2}), {VILLAGER: notes}).days
    assert (first.scores[VILLAGER], second.scores[VILLAGER]) == ({SEER: 6}, {SEER: 7})
    second_day = build_game_record(led({"max_rounds": 2}), {VILLAGER: notes[:1]}).days[1]
    assert second_day.scores[VILLAGER] == {SEER: 6}
    assert second_day.older_score_pairs == {(VILLAGER, SEER)}


def test_notes_of_other_faculties_are_no_scores() -> None:
    favor_note = replace(reliability_note("vote.1.0", {SEER: ("seer", 9)}), faculty="favor")
    assert not build_game_record(led(ONE_DAY), {VILLAGER: [favor_note]}).days[0].scores


def test_ratings_of_a_person_are_read_like_those_of_an_agent() -> None:
    target = next(s for s in VILLAGERS if s != VILLAGER)

    def answer_ratings(window: Window, seat: int) -> Action:
        if ".summing_up" in window.key:
            return rate(Rating(target, "werewolf", 10), Rating(SEER, "seer", 7))
        return rate(Rating(SEER, "seer", 9)) if ".vote" in window.key else rate()

    settings = {**FIXED, **ONE_DAY, "rate_people": True}
    (day,) = build_game_record(led(settings, people=[VILLAGER], reliability=answer_ratings)).days
    assert day.scores[VILLAGER] == {target: 1, SEER: 9}  # "unchanged" keeps the last rating
    assert day.older_score_pairs == {(VILLAGER, target)}
    assert build_game_record(led(settings, people=[VILLAGER])).people == {VILLAGER}


# -- votes and days


def test_record_has_votes_before_and_after_the_sheriff_spoke() -> None:
    def cast_vote(window: Window, seat: int) -> Action:
        return pick(WEREWOLF) if seat in (SEER, GUARD) else ABSTAIN

    settings = {**FIXED, **ONE_DAY}
    (day,) = build_game_record(led(settings, pseudo_vote=all_for(PARTNER), vote=cast_vote)).days
    assert day.leader == SEER
    assert day.pseudo_votes == {s: PARTNER for s in range(1, 8) if s != SEER}
    assert day.votes == {s: WEREWOLF if s in (SEER, GUARD) else None for s in range(1, 8)}


def test_unasked_people_have_no_pseudo_vote() -> None:
    (day,) = build_game_record(led({**FIXED, **ONE_DAY}, people=[GUARD])).days
    assert set(day.pseudo_votes) == set(range(1, 8)) - {SEER, GUARD}


def test_living_players_are_those_between_night_and_vote() -> None:
    settings = {"max_rounds": 2, "election": False, "first_sheriff": "guard"}
    game = led(settings, attack=all_for(VILLAGER, OTHER), vote=all_for(0, THIRD))
    first, second = build_game_record(game).days
    assert first.living == tuple(s for s in range(1, 8) if s != VILLAGER)
    dead = {VILLAGER, OTHER}
    assert second.living == tuple(s for s in range(1, 8) if s not in dead)
    assert (first.leader, second.leader) == (GUARD, GUARD)
    assert set(second.votes.values()) == {THIRD}


def test_leader_is_the_badge_holder_of_the_day() -> None:
    def choose_heir(window: Window, seat: int) -> Action:
        return pick(GUARD) if GUARD in window.options_for(seat) else calm(window, seat)

    game = led({**FIXED, "max_rounds": 2}, vote=all_for(SEER, 0), heir=choose_heir)
    first, second = build_game_record(game).days
    assert (first.leader, second.leader) == (SEER, GUARD)
    assert first.living == tuple(range(1, 8))


# -- ends


def test_sheriff_killed_in_the_first_night_makes_the_game_void() -> None:
    record = build_game_record(led(FIXED, attack=all_for(SEER)))
    assert (record.is_void, record.reason, record.leader) == (True, "void", 0)


def test_game_without_election_of_the_tested_player_is_void() -> None:
    def elect(window: Window, seat: int) -> Action:
        return pick(next(o for o in window.options_for(seat) if o != GUARD))

    record = build_game_record(led({"must_elect": GUARD}, election=elect))
    assert (record.is_void, record.reason) == (True, "not_elected")
    assert record.tested == GUARD
    assert GUARD in record.candidates
    assert record.elected in set(record.candidates) - {GUARD}


def test_day_that_ends_before_its_vote_has_no_votes() -> None:
    settings = {**FIXED, "sheriff_dies": "ends"}
    record = build_game_record(led(settings, attack=all_for(0, SEER)))
    assert [bool(day.votes) for day in record.days] == [True, False]
    assert SEER not in record.days[1].living
    assert not is_completed(record)
    assert sheriff_won(record) is None


def test_game_cut_at_the_last_day_is_not_completed() -> None:
    record = build_game_record(led({**FIXED, **ONE_DAY}))
    assert SEER not in record.dead
    assert record.reason == "too_long"
    assert not is_completed(record)


def test_game_with_a_living_sheriff_and_winning_team_is_completed_and_won() -> None:
    won_record = build_game_record(led(FIXED, vote=all_for(WEREWOLF, PARTNER)))
    assert (is_completed(won_record), sheriff_won(won_record)) == (True, True)
    lost_record = build_game_record(
        led(FIXED, attack=all_for(VILLAGER, OTHER, THIRD), vote=all_for(GUARD))
    )
    assert (is_completed(lost_record), sheriff_won(lost_record)) == (True, False)


def test_unfinished_log_is_refused() -> None:
    game = led(ONE_DAY)
    with pytest.raises(ValueError, match="game a is not over"):
        build_record("a", RULESET, game.log[:-1], {})


@pytest.mark.parametrize("name", rulesets.names())
def test_games_of_every_ruleset_make_records(name: str) -> None:
    ruleset: Any = rulesets.get(name)
    game = play(ruleset, "any", drawing_hand("any"))
    record = build_record("a", ruleset, game.log, {})
    assert record.has_leader == bool(ruleset.badge)
    assert set(record.roles.values()) <= set(ruleset.deck)
    assert record.days_with_vote
    assert record.winner == game.log[-1]["winner"]


def test_one_night_record_has_statements_polls_and_exile() -> None:
    game = play(ONE_NIGHT, "any", drawing_hand("any"))
    record = build_record("a", ONE_NIGHT, game.log, {}, systems={1: "house, full"})
    assert [(s.round, s.seat) for s in record.statements] == [
        (number, seat) for number in (1, 2, 3) for seat in range(1, 9)
    ]
    assert [(poll.round, len(poll.votes)) for poll in record.polls] == [(1, 8), (2, 8), (3, 8)]
    (day,) = record.days
    assert not day.pseudo_votes
    (exile,) = [event for event in game.log if event.kind == "out"]
    assert record.exiles == {(1, exile["seat"])}
    assert record.winner_by_exiled_role == {
        "werewolf": "village",
        "tanner": "tanner",
        "": "werewolf",
    }
    assert record.systems == {1: "house, full"}


def test_player_killed_at_night_is_no_exile() -> None:
    game = led({**FIXED, "max_rounds": 2}, attack=all_for(OTHER), vote=all_for(THIRD, 0))
    record = build_game_record(game)
    assert record.exiles == {(1, THIRD)}
    assert record.winner_by_exiled_role == {}
    assert not record.polls


def test_players_who_know_the_werewolves_have_no_opinions() -> None:
    game = play(ONE_NIGHT, "any", drawing_hand("any"))
    note = Note(
        "judgement", BEFORE_FIRST_PHASE, {"roles": {str(s): {"werewolf": 0.5} for s in range(1, 9)}}
    )
    record = build_record("a", ONE_NIGHT, game.log, {seat: [note] for seat in range(1, 9)})
    informed_seats = {seat for seat, team in record.teams.items() if team == "werewolf"}
    assert len(informed_seats) == 2, "the Werewolf and the Minion"
    assert {opinion.seat for opinion in record.opinions} == set(range(1, 9)) - informed_seats
