"""Tests that the situations of the questionnaire are found in the talk."""

from __future__ import annotations

import pytest

from tests.study.world import ended_game
from webapp.study.games import situations
from webapp.study.games.public_talk import talk_of

pytestmark = pytest.mark.django_db
SEER = "I am the Seer. I looked at Beta and Gamma, and the Werewolf is one of the two."


def speakers_in(key: str, words: dict[tuple[int, int], str]) -> list[tuple[str, str]]:
    """Return the (phase, speaker) of the statements in a situation."""
    game = ended_game(words=words)
    situation_keys, talk = situations.find_situations(game), talk_of(game)
    return [
        (talk.turn_at(p).phase[-1], talk.turn_at(p).speaker)
        for p, keys in sorted(situation_keys.items())
        if key in keys
    ]


def called_speakers(words: dict[tuple[int, int], str]) -> list[tuple[str, str]]:
    """Return the speakers whom the Seer has just called the Werewolf."""
    return speakers_in("called_werewolf", words)


def pair_speakers(words: dict[tuple[int, int], str]) -> list[tuple[str, str]]:
    """Return the speakers whom the Seer has just named as one of two."""
    return speakers_in("one_of_two", words)


def test_named_pair_is_in_its_situation_at_the_next_statement_only() -> None:
    assert pair_speakers({(1, 1): SEER}) == [("1", "Beta"), ("1", "Gamma")]
    assert called_speakers({(1, 1): SEER}) == []


def test_single_accused_is_called_and_not_one_of_two() -> None:
    words = {(1, 1): "I am the Seer. I looked at Delta, and Delta is the Werewolf."}
    assert called_speakers(words) == [("1", "Delta")]
    assert pair_speakers(words) == []


def test_pair_member_accused_later_is_in_both_situations() -> None:
    words = {(1, 1): f"{SEER} It must be Gamma: Gamma is the Werewolf."}
    assert pair_speakers(words) == [("1", "Beta"), ("1", "Gamma")]
    assert called_speakers(words) == [("1", "Gamma")]


def test_statements_before_the_claim_are_not_in_the_situation() -> None:
    """Zeta speaks seventh in round one, so Beta and Gamma answer in round two."""
    assert pair_speakers({(1, 7): SEER}) == [("2", "Beta"), ("2", "Gamma")]


def test_accusation_without_a_seer_claim_is_ignored() -> None:
    assert called_speakers({(1, 1): "Beta is the Werewolf, I am sure of it."}) == []


def test_clearing_two_players_accuses_nobody() -> None:
    clear = "I am the Seer. I looked at Beta and Gamma, and neither is the Werewolf."
    assert called_speakers({(1, 1): clear}) == pair_speakers({(1, 1): clear}) == []


def test_seer_accusing_later_still_counts() -> None:
    words = {(1, 1): "I am the Seer.", (2, 1): "Delta is the Werewolf."}
    assert called_speakers(words) == [("2", "Delta")]


def test_withdrawn_seer_claim_accuses_nobody() -> None:
    words = {(1, 1): SEER, (1, 2): "", (2, 1): "I lied: I am not the Seer, I am a Villager."}
    assert ("2", "Beta") not in pair_speakers(words)


def test_silent_turn_is_skipped_for_the_situation() -> None:
    """A silent turn cannot be rated. The statement of the next round still answers."""
    assert pair_speakers({(1, 1): SEER, (1, 2): ""}) == [("1", "Gamma"), ("2", "Beta")]


def test_last_round_of_the_day_is_closing() -> None:
    game = ended_game()
    situation_keys, talk = situations.find_situations(game), talk_of(game)
    closing = {p for p, keys in situation_keys.items() if situations.CLOSING in keys}
    assert closing == {line.position for line in talk.spoken if line.phase == "talk.1.3"}
    assert len(closing) == 8
