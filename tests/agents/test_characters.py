"""Characters: their data, voices without game meaning, and recognizable flourishes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

import pytest

from agents.backends.house import HouseBackend
from agents.decision import Decision
from agents.language import voices
from agents.language.character_voice import WordingConstraints, apply_voice, flourish_core
from agents.language.phrasing import expansions
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
from agents.understanding.normalise import plain_sentences
from agents.understanding.speech_acts import FACTS
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import count_words, text_error
from tests.agents.table import NAMES, ONE_NIGHT, PlayedGame, play, understand

VOICES = voices()
SLOTS = ("before", "after", "soft")
PLAIN_STATEMENTS = ("I suspect Beta.", "I'm the Seer.", "I don't trust Beta.", "I vote for Beta.")


def expand_flourishes(key: str, slot: str) -> list[str]:
    return [mark for phrase in getattr(VOICES[key], slot) for mark in expansions(phrase, 400)]


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
@pytest.mark.parametrize("slot", SLOTS)
def test_flourishes_have_no_game_meaning(key: str, slot: str) -> None:
    flourishes = expand_flourishes(key, slot)
    assert len(set(flourishes)) == len(flourishes) >= 25
    for mark in flourishes:
        assert not re.search(r"[{}\[\]|~]|  ", mark), mark
        assert "@" not in " ".join(s.text for s in plain_sentences(mark, NAMES, ONE_NIGHT)), (
            f"{mark}: taken for a name"
        )
        for to in (0, 3):  # 3: the seat that "you" would mean
            assert not understand(mark, 1, NAMES, to), mark
            for statement in PLAIN_STATEMENTS if slot == "soft" and not to else ():
                acts = set(understand(statement, 1, NAMES, to))
                assert set(understand(mark + statement, 1, NAMES, to)) == acts, mark


@pytest.mark.parametrize("slot", SLOTS)
def test_characters_do_not_share_flourishes(slot: str) -> None:
    for first, second in combinations(VOICES, 2):
        assert not {*expand_flourishes(first, slot)} & {*expand_flourishes(second, slot)}


def test_voice_does_not_change_the_meaning(games: list[tuple[dict[int, str], PlayedGame]]) -> None:
    """Compare the same decision with and without the character's voice."""
    compared = 0
    for seats, game in games:
        for decision, thought in game.decisions:
            if decision.window.kind != "statement" or decision.seat not in seats:
                continue
            text = thought.answer.action.text
            persona = personas(seats)[decision.seat]
            silent = Recipe(persona=replace(persona, character=""))
            plainly = think(silent, decision, HouseBackend().reply).answer.action.text
            assert set(understand(text, decision.seat, NAMES)) == set(
                understand(plainly, decision.seat, NAMES)
            ), f"{text}\n{plainly}"
            compared += 1
    assert compared == 5 * 8 * 3


def has_flourish(key: str, text: str) -> bool:
    return any(flourish_core(m) in text for slot in SLOTS for m in expand_flourishes(key, slot))


def test_statements_are_legal_and_at_most_a_third_have_a_flourish(
    games: list[tuple[dict[int, str], PlayedGame]],
) -> None:
    total = 0
    for seats, game in games:
        assert not [e for e in game.log if e.labels]
        assert len(game.statements) == 24
        for seat, key in seats.items():
            texts = [text for speaker, text in game.statements if speaker == seat]
            assert len(texts) == 3
            count = sum(has_flourish(key, text) for text in texts)
            assert count <= 1, texts
            total += count
        for _seat, text in game.statements:
            assert text_error(text, 120) == ""
            assert count_words(text) <= 120
    assert total >= 5 * 8 / 2, "too few flourishes"


def test_facts_are_stated_without_flourish(games: list[tuple[dict[int, str], PlayedGame]]) -> None:
    """A claim, a look or a vote is worded as without a character, except for contractions."""
    compared = 0
    for seats, game in games:
        for decision, thought in game.decisions:
            if decision.window.kind != "statement":
                continue
            text, key = thought.answer.action.text, seats[decision.seat]
            plainly = plain_statement_of(
                replace(personas(seats)[decision.seat], character=""), decision
            )
            for sentence in re.split(r"(?<=[.!?])\s+", plainly):
                if any(a.kind in FACTS for a in understand(sentence, decision.seat, NAMES)):
                    assert expand_contractions(sentence) in expand_contractions(text), (
                        f"{sentence}\n{text}"
                    )
                    assert not has_flourish(key, text), text
                    compared += 1
    assert compared > 60


def plain_statement_of(persona: Persona, decision: Decision) -> str:
    return think(
        Recipe(persona=persona, has_plain_speech=True), decision, HouseBackend().reply
    ).answer.action.text


def expand_contractions(text: str) -> str:
    """Expand the contractions that the lady and the judge expand, and lower the case."""
    for old, new in SPELLED_OUT:
        text = re.sub(rf"\b{re.escape(old)}\b", new, text, flags=re.I)
    return text.lower()


SPELLED_OUT = {
    (old, new)
    for key in ("lady", "judge")
    for old, new in VOICES[key].words
    if "'" in old and "'" not in new
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Whom don't you trust?", "Whom don't you trust?"),
        ("Why doesn't Beta answer?", "Why doesn't Beta answer?"),
        ("I don't trust Beta.", "I do not trust Beta."),
    ],
)
def test_contractions_are_expanded_only_if_word_order_stays(text: str, expected: str) -> None:
    constraints = WordingConstraints(
        (), (), is_same_meaning=lambda _text: True, states_fact=lambda _text: True
    )
    assert apply_voice(text, "judge", SeededRandom("judge"), constraints) == expected


def styled_texts(text: str, circumstances: frozenset[str]) -> set[str]:
    """Return `text` as impatient players say it with 200 seeds."""
    constraints = WordingConstraints(
        (), (), is_same_meaning=lambda _text: True, states_fact=lambda _text: False
    )
    persona = Persona({**dict.fromkeys(FACTORS, 4), "A": 1})
    seeds = (SeededRandom(f"aside/{number}") for number in range(200))
    return {apply_persona(text, persona, rng, constraints, circumstances) for rng in seeds}


def test_first_speaker_does_not_remark_on_earlier_talk() -> None:
    remarks_on_talk = re.compile("About time|wasting our time|Enough of this show")
    later = styled_texts("We should hear from everybody.", frozenset({"told", "rivals"}))
    first = styled_texts("We should hear from everybody.", frozenset())
    assert any(remarks_on_talk.search(text) for text in later)
    assert not any(remarks_on_talk.search(text) for text in first)


def test_nothing_follows_a_closing_question() -> None:
    texts = styled_texts("Before we go on, Beta, what are you?", frozenset({"told", "rivals"}))
    assert len(texts) > 2
    assert all(text.endswith("what are you?") for text in texts)


def test_plain_speech_has_no_flourish_and_the_same_meaning(
    games: list[tuple[dict[int, str], PlayedGame]],
) -> None:
    """A plain recipe adds nothing to a statement, whatever the character."""
    compared = 0
    for seats, game in games[:2]:
        for decision, thought in game.decisions:
            if decision.window.kind != "statement":
                continue
            persona = personas(seats)[decision.seat]
            plainly = plain_statement_of(persona, decision)
            assert plainly == plain_statement_of(replace(persona, character=""), decision)
            assert not has_flourish(seats[decision.seat], plainly)
            assert set(understand(plainly, decision.seat, NAMES)) == set(
                understand(thought.answer.action.text, decision.seat, NAMES)
            )
            compared += 1
    assert compared == 2 * 8 * 3


def test_plain_speech_is_stored_and_old_recipes_stay_unchanged() -> None:
    old = {"backend": "house", "method": "full"}
    assert Recipe.of(old).data() == old
    recipe = Recipe(has_plain_speech=True).cast("s", "judge").built_in()
    assert recipe.has_plain_speech
    assert Recipe.of(recipe.data()) == recipe


def test_flourishes_do_not_repeat_within_a_game(
    games: list[tuple[dict[int, str], PlayedGame]],
) -> None:
    judges = dict.fromkeys(range(1, 9), "judge")
    for seats, game in [*games, (judges, play("judges", personas=personas(judges)))]:
        for key in set(seats.values()):
            texts = [text for seat, text in game.statements if seats[seat] == key]
            for mark in {flourish_core(m) for slot in SLOTS for m in expand_flourishes(key, slot)}:
                assert sum(mark in text for text in texts) <= 1, mark


def test_same_seed_gives_the_same_game() -> None:
    cast = personas(assign_characters("again", range(1, 9)))
    first, second = (play("again", personas=cast) for _ in "ab")
    assert first.statements == second.statements


# -- recognition


def test_flourishes_identify_the_speaker(games: list[tuple[dict[int, str], PlayedGame]]) -> None:
    """Guess the speaker by the words that only one character uses. Chance is 1/8."""
    words = {
        key: {w for s in SLOTS for m in expand_flourishes(key, s) for w in word_set(m)}
        for key in VOICES
    }
    own = {
        key: words[key].difference(*(words[another] for another in VOICES if another != key))
        for key in VOICES
    }
    hits = []
    for seats, game in games:
        for seat, text in game.statements:
            if has_flourish(seats[seat], text):
                guess = max(seats.values(), key=lambda key: len(own[key] & word_set(text)))
                hits.append(guess == seats[seat] and bool(own[guess] & word_set(text)))
    assert len(hits) > 20
    assert sum(hits) / len(hits) >= 0.65


def word_set(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))
