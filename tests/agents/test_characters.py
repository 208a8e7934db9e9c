"""Characters: their data, sentences of their own, and habits of form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from agents.backends.house import HouseBackend
from agents.decision import Decision
from agents.language import small_words, voices
from agents.language.character_voice import replace_words
from agents.language.style import apply_persona
from agents.personas.big_five import FACTORS, BadPersona, Persona
from agents.personas.characters import (
    CHARACTERS,
    UnknownCharacter,
    assign_characters,
    draw_characters,
)
from agents.recipe import Recipe
from agents.think import think
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import count_words, text_error
from tests.agents.table import NAMES, PlayedGame, play, understand

VOICES = voices()


def personas(seats: Mapping[int, str]) -> dict[int, Persona]:
    return {seat: Persona.of_character(key, f"seat {seat}") for seat, key in seats.items()}


def shuffled_characters(seed: str, keys: Iterable[str]) -> dict[int, str]:
    """Map seats to characters in an order drawn from `seed`."""
    return dict(zip(SeededRandom(seed).shuffled("places", range(1, 9)), keys, strict=False))


@pytest.fixture(scope="module")
def games() -> list[tuple[dict[int, str], PlayedGame]]:
    """Eight characters a game, all ten in turn."""
    played_games = []
    for number in range(5):
        seats = shuffled_characters(f"voices/{number}", draw_characters(f"voices/{number}", 8))
        played_games.append((seats, play(f"voices/{number}", keep=True, personas=personas(seats))))
    return played_games


# -- data


def test_ten_characters_exist_and_are_complete() -> None:
    assert len(CHARACTERS) >= 10
    assert set(VOICES) == set(CHARACTERS)
    for key, character in CHARACTERS.items():
        assert character.key == key
        assert character.name
        assert character.description.endswith(".")
        assert character.description.count(".") == 1
        assert set(character.scores) == set(FACTORS)
        assert 3 <= len(character.examples) <= 5
        assert len(character.habits) >= 2
        text = Persona.of_character(key, "s").text()
        assert all(
            part in text
            for part in (
                character.name,
                character.description,
                *character.habits,
                *character.examples,
            )
        )
        assert text_error(text, 600) == ""


def test_character_survives_serialization() -> None:
    persona = Persona.of_character("cook", "s")
    assert Persona.of(persona.data()) == persona
    recipe = Recipe().cast("s", "judge")
    assert Recipe.of(recipe.data()) == recipe
    assert recipe.persona
    assert recipe.persona.scores == CHARACTERS["judge"].scores
    assert Recipe(method="baseline").cast("s", "judge").persona is None
    assert "character" not in Persona.draw("s").data()


def test_unknown_character_error_lists_the_known_ones() -> None:
    with pytest.raises(BadPersona, match=r"'pirate'.*lady, fisherman"):
        Persona(CHARACTERS["cook"].scores, "s", "pirate")
    with pytest.raises(UnknownCharacter, match="lady, fisherman"):
        Persona.of_character("pirate", "s")


def test_half_of_the_seats_get_different_characters() -> None:
    for number in range(50):
        drawn_characters = assign_characters(str(number), [2, 3, 4, 5, 6, 7, 8])
        assert drawn_characters == assign_characters(str(number), [8, 7, 6, 5, 4, 3, 2])
        assert len(drawn_characters) == len(set(drawn_characters.values())) == 4
    assert len({tuple(assign_characters(str(n), range(1, 9)).items()) for n in range(50)}) > 45
    assert {key for n in range(50) for key in draw_characters(str(n), 4)} == set(CHARACTERS)
    assert len(assign_characters("many", range(1, 41))) == len(CHARACTERS)


# -- voices


@pytest.mark.parametrize("key", sorted(VOICES))
def test_character_has_sentences_for_the_most_frequent_kinds(key: str) -> None:
    phrases = VOICES[key].phrases
    assert phrases.keys() == VOICES["judge"].phrases.keys()
    assert all(len(options) >= 3 for options in phrases.values())


def test_characters_share_no_sentence() -> None:
    sentences = [{p for ps in voice.phrases.values() for p in ps} for voice in VOICES.values()]
    assert len(set[str]().union(*sentences)) == sum(map(len, sentences))


def test_statements_are_legal(games: list[tuple[dict[int, str], PlayedGame]]) -> None:
    for _seats, game in games:
        assert not [e for e in game.log if e.labels]
        assert len(game.statements) == 24
        for _seat, text in game.statements:
            assert text_error(text, 120) == ""
            assert count_words(text) <= 120


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Whom don't you trust?", "Whom don't you trust?"),
        ("Why doesn't Beta answer?", "Why doesn't Beta answer?"),
        ("I don't trust Beta.", "I do not trust Beta."),
    ],
)
def test_contractions_are_expanded_only_if_word_order_stays(text: str, expected: str) -> None:
    assert replace_words(text, "judge", lambda _text: True) == expected


@pytest.mark.parametrize("form", range(len(small_words()["forms"])))
def test_habit_of_form_keeps_the_meaning(form: int) -> None:
    persona = Persona(dict.fromkeys(FACTORS, 4))
    for text in ("I'm the Seer. I don't trust Beta.", "That's odd, Beta. I can't say I vote Beta."):
        changed = apply_persona(text, persona, form, lambda _text: True)
        assert set(understand(changed, 1, NAMES)) == set(understand(text, 1, NAMES)), changed


def plain_statement_of(persona: Persona, decision: Decision) -> str:
    return think(
        Recipe(persona=persona, has_plain_speech=True), decision, HouseBackend().reply
    ).answer.action.text


def test_plain_speech_does_not_depend_on_the_character(
    games: list[tuple[dict[int, str], PlayedGame]],
) -> None:
    compared = 0
    for seats, game in games[:2]:
        for decision, _thought in game.decisions:
            if decision.window.kind != "statement":
                continue
            persona = personas(seats)[decision.seat]
            plainly = plain_statement_of(persona, decision)
            assert plainly == plain_statement_of(replace(persona, character=""), decision)
            compared += 1
    assert compared == 2 * 8 * 3


def test_plain_speech_is_stored_and_old_recipes_stay_unchanged() -> None:
    old = {"backend": "house", "method": "full"}
    assert Recipe.of(old).data() == old
    recipe = Recipe(has_plain_speech=True).cast("s", "judge").built_in()
    assert recipe.has_plain_speech
    assert Recipe.of(recipe.data()) == recipe


def test_same_seed_gives_the_same_game() -> None:
    cast = personas(assign_characters("again", range(1, 9)))
    first, second = (play("again", personas=cast) for _ in "ab")
    assert first.statements == second.statements


# -- recognition


def test_most_statements_of_characters_have_a_sentence_of_their_own(
    games: list[tuple[dict[int, str], PlayedGame]],
) -> None:
    """A sentence is recognized by its longest part without slots."""
    parts = {
        key: {max(re.split(r"{\w+}|<\w+>", p), key=len).strip(" ,.!?") for p in phrases}
        for key, phrases in ((k, sum(v.phrases.values(), ())) for k, v in VOICES.items())
    }
    own = [
        any(part in text for part in parts[seats[seat]] if len(part) > 7)
        for seats, game in games
        for seat, text in game.statements
    ]
    assert sum(own) / len(own) >= 0.6
