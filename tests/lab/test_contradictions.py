"""Tests of self-contradictions by hand (Guarded 6), and in the statements of a log."""

from __future__ import annotations

from agents.claims.claim_reading import read_steps
from agents.decision import Note
from agents.packs import pack_of
from agents.talk.dialogue import Dialogue
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment
from tests.agents.village import deal, out, statement_events, talk
from tests.lab.making import day, game
from webapp.lab.record_builder import build_record
from webapp.measures.contradictions import (
    KINDS,
    TOTAL,
    VOTES,
    contradiction_figures,
    count_contradictions,
)
from webapp.measures.game_record import Claim, GameRecord

ROLE, RESULT, MANY = KINDS


def make_game(*claims: Claim, **votes: int) -> GameRecord:
    votes_by_seat = {int(key[1:]): target for key, target in votes.items()}
    return game(day(votes={s: votes_by_seat.get(s, 4) for s in range(1, 6)}), claims=claims)


def counts(*claims: Claim, **votes: int) -> dict[str, int]:
    return {k: n for k, n in count_contradictions(make_game(*claims, **votes))[1].items() if n}


def look(target: int, value: str, max_looks: int = 1, day_number: int = 1) -> Claim:
    return Claim(day_number, 1, "look", "seer", (target,), value, max_looks)


SEER, GUARD = Claim(1, 1, "role", "seer"), Claim(1, 1, "role", "guard")


def test_second_role_claim_counts_unless_the_first_was_withdrawn() -> None:
    assert counts(SEER) == counts(SEER, SEER) == {}
    assert counts(SEER, GUARD) == {ROLE: 1}
    assert counts(SEER, GUARD, SEER) == {ROLE: 2}
    assert counts(SEER, Claim(1, 1, "back", "seer"), GUARD) == {}


def test_changed_result_and_two_results_of_a_night_count() -> None:
    assert counts(SEER, look(2, "human"), look(2, "human")) == {}
    assert counts(SEER, look(2, "human"), look(2, "werewolf")) == {RESULT: 1}
    assert counts(SEER, look(2, "human"), look(3, "human")) == {MANY: 1}
    assert counts(SEER, look(2, "human"), look(3, "human", max_looks=2, day_number=2)) == {}


def test_vote_that_differs_from_the_last_announcement_counts() -> None:
    announcements = [Claim(1, 1, "vote", targets=(target,)) for target in (2, 3)]
    assert counts(*announcements, s1=3) == {}
    assert counts(*announcements, s1=2) == {VOTES: 1}
    other_day = Claim(2, 1, "vote", targets=(2,))
    assert counts(other_day, s1=3) == {}


def test_figures_are_means_over_games_of_all_seats_of_a_system() -> None:
    first = make_game(SEER, GUARD, Claim(1, 2, "role", "seer"), Claim(1, 2, "role", "guard"))
    systems = {1: "a", 2: "a", 3: "b", 4: "b"}
    games = [
        GameRecord(**{**vars(record), "systems": systems, "people": frozenset({5})})
        for record in (first, make_game())
    ]
    table = contradiction_figures(games)
    assert (table["a"][ROLE].value, table["a"][TOTAL].value, table["a"][TOTAL].n) == (1.0, 1.0, 2)
    assert table["b"][TOTAL].value == table["people"][TOTAL].value == 0.0


def test_claims_and_attempts_are_read_from_a_log_and_its_notes() -> None:
    statements = [
        (2, "I am the Seer."),
        (2, "Bram here: I am the Medium."),
        (3, "I will vote for Arlo."),
    ]
    events = [
        *deal("villager", 2),
        *talk(1, *statements),
        out(1, "vote", 1),
        *statement_events(2, "I am the Medium. Arlo was a Werewolf, and Cleo was human.", "late"),
        Event("game_over", PUBLIC, {"winner": "", "winners": [], "reason": "stopped"}),
    ]
    moment = Moment(1, day=1, phase="talk")
    note = Note("inducing", moment, {"day": 1, "target": 1, "manner": "call"})
    ruleset = rulesets.get("aiwolf-13")
    dialogue = Dialogue.of(visibility.view_of(events, visibility.PUBLIC), pack_of(ruleset))
    record = build_record("a", ruleset, events, {3: [note]}, steps=read_steps(dialogue))
    kinds = [(claim.seat, claim.kind, claim.role) for claim in record.claims]
    assert kinds[:3] == [(2, "role", "seer"), (2, "role", "medium"), (3, "vote", "")]
    assert count_contradictions(record)[2][ROLE] == 1
    assert [
        (inducement.seat, inducement.target, inducement.manner) for inducement in record.inducements
    ] == [(3, 1, "call")]
