"""Written characters: data, voices that mean nothing more, and a stranger who hears who is who."""

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
from agents.personas.big_five import FACTORS, BadPersona, Persona
from agents.personas.characters import CHARACTERS, UnknownCharacter, draw, seated
from agents.recipe import Recipe
from agents.think import think
from agents.understanding.normalise import plain_sentences
from agents.understanding.speech_acts import FACTS
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import count_words, text_error
from tests.agents.table import NAMES, ONE_NIGHT, Played, play, understand

VOICES = voices()
SLOTS = ("before", "after", "soft")
SAID = ("I suspect Beta.", "I'm the Seer.", "I don't trust Beta.", "I vote for Beta.")


def marks(key: str, slot: str) -> list[str]:
    return [mark for phrase in getattr(VOICES[key], slot) for mark in expansions(phrase, 400)]


def personas(seats: Mapping[int, str]) -> dict[int, Persona]:
    return {seat: Persona.of_character(key, f"seat {seat}") for seat, key in seats.items()}


def places(seed: str, keys: Iterable[str]) -> dict[int, str]:
    """seat -> character: nobody always speaks first."""
    return dict(zip(SeededRandom(seed).shuffled("places", range(1, 9)), keys, strict=False))


@pytest.fixture(scope="module")
def games() -> list[tuple[dict[int, str], Played]]:
    """Eight characters a game, all ten in turn."""
    found = []
    for number in range(5):
        seats = places(f"voices/{number}", draw(f"voices/{number}", 8))
        found.append((seats, play(f"voices/{number}", keep=True, personas=personas(seats))))
    return found


# -- who there is


def test_there_are_ten_and_all_are_complete() -> None:
    assert len(CHARACTERS) >= 10
    assert set(VOICES) == set(CHARACTERS)
    for key, one in CHARACTERS.items():
        assert one.key == key
        assert one.name
        assert one.description.endswith(".")
        assert one.description.count(".") == 1
        assert set(one.scores) == set(FACTORS)
        assert 3 <= len(one.examples) <= 5
        assert len(one.habits) >= 2
        text = Persona.of_character(key, "s").text()
        assert all(part in text for part in (one.name, one.description, *one.habits, *one.examples))
        assert text_error(text, 600) == ""


def test_a_character_is_kept_in_the_data() -> None:
    who = Persona.of_character("cook", "s")
    assert Persona.of(who.data()) == who
    recipe = Recipe().cast("s", "judge")
    assert Recipe.of(recipe.data()) == recipe
    assert recipe.persona
    assert recipe.persona.scores == CHARACTERS["judge"].scores
    assert Recipe(method="baseline").cast("s", "judge").persona is None
    assert "character" not in Persona.draw("s").data()


def test_an_unknown_character_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadPersona, match=r"'pirate'.*lady, fisherman"):
        Persona(CHARACTERS["cook"].scores, "s", "pirate")
    with pytest.raises(UnknownCharacter, match="lady, fisherman"):
        Persona.of_character("pirate", "s")


def test_one_half_of_a_table_are_characters_and_all_differ() -> None:
    for number in range(50):
        found = seated(str(number), [2, 3, 4, 5, 6, 7, 8])
        assert found == seated(str(number), [8, 7, 6, 5, 4, 3, 2])
        assert len(found) == len(set(found.values())) == 4
    assert len({tuple(seated(str(n), range(1, 9)).items()) for n in range(50)}) > 45
    assert {key for n in range(50) for key in draw(str(n), 4)} == set(CHARACTERS)
    assert len(seated("many", range(1, 41))) == len(CHARACTERS)


# -- what they say


@pytest.mark.parametrize("key", sorted(VOICES))
@pytest.mark.parametrize("slot", SLOTS)
def test_a_mark_means_nothing(key: str, slot: str) -> None:
    found = marks(key, slot)
    assert len(set(found)) == len(found) >= 25
    for mark in found:
        assert not re.search(r"[{}\[\]|~]|  ", mark), mark
        assert "@" not in " ".join(s.text for s in plain_sentences(mark, NAMES, ONE_NIGHT)), (
            f"{mark}: taken for a name"
        )
        for to in (0, 3):  # 3: whom "you" would mean
            assert not understand(mark, 1, NAMES, to), mark
            for said in SAID if slot == "soft" and not to else ():
                acts = set(understand(said, 1, NAMES, to))
                assert set(understand(mark + said, 1, NAMES, to)) == acts, mark


@pytest.mark.parametrize("slot", SLOTS)
def test_no_two_characters_share_a_mark(slot: str) -> None:
    for one, other in combinations(VOICES, 2):
        assert not {*marks(one, slot)} & {*marks(other, slot)}


def test_a_voice_changes_no_meaning(games: list[tuple[dict[int, str], Played]]) -> None:
    """The same seat before the same window, of the same scores, with and without its voice."""
    compared = 0
    for seats, game in games:
        for decision, thought in game.decisions:
            if decision.window.kind != "statement" or decision.seat not in seats:
                continue
            said = thought.answer.action.text
            who = personas(seats)[decision.seat]
            silent = Recipe(persona=replace(who, character=""))
            plainly = think(silent, decision, HouseBackend().reply).answer.action.text
            assert set(understand(said, decision.seat, NAMES)) == set(
                understand(plainly, decision.seat, NAMES)
            ), f"{said}\n{plainly}"
            compared += 1
    assert compared == 5 * 8 * 3


def flourished(key: str, text: str) -> bool:
    return any(flourish_core(m) in text for slot in SLOTS for m in marks(key, slot))


def test_statements_are_legal_and_one_in_three_at_most_has_a_flourish(
    games: list[tuple[dict[int, str], Played]],
) -> None:
    shown = 0
    for seats, game in games:
        assert not [e for e in game.log if e.labels]
        assert len(game.said) == 24
        for seat, key in seats.items():
            texts = [text for who, text in game.said if who == seat]
            assert len(texts) == 3
            found = sum(flourished(key, text) for text in texts)
            assert found <= 1, texts
            shown += found
        for _seat, text in game.said:
            assert text_error(text, 120) == ""
            assert count_words(text) <= 120
    assert shown >= 5 * 8 / 2, "a voice that is hardly heard"


def test_a_fact_is_told_plainly(games: list[tuple[dict[int, str], Played]]) -> None:
    """No flourish in a statement of a claim, a look or a vote.

    Its sentence is word for word what the same seat says without a character, but for contractions
    spelled out.
    """
    told = 0
    for seats, game in games:
        for decision, thought in game.decisions:
            if decision.window.kind != "statement":
                continue
            said, key = thought.answer.action.text, seats[decision.seat]
            plainly = _of(
                replace(personas(seats)[decision.seat], character=""), decision, plain=True
            )
            for sentence in re.split(r"(?<=[.!?])\s+", plainly):
                if any(a.kind in FACTS for a in understand(sentence, decision.seat, NAMES)):
                    assert _full(sentence) in _full(said), f"{sentence}\n{said}"
                    assert not flourished(key, said), said
                    told += 1
    assert told > 60


def _of(who: Persona, decision: Decision, *, plain: bool) -> str:
    return think(
        Recipe(persona=who, has_plain_speech=plain), decision, HouseBackend().reply
    ).answer.action.text


def _full(text: str) -> str:
    """Without contractions, as far as the lady and the judge spell them out."""
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
    ("text", "said"),
    [
        ("Whom don't you trust?", "Whom don't you trust?"),
        ("Why doesn't Beta answer?", "Why doesn't Beta answer?"),
        ("I don't trust Beta.", "I do not trust Beta."),
    ],
)
def test_contractions_are_spelled_out_only_where_the_words_keep_their_places(
    text: str, said: str
) -> None:
    constraints = WordingConstraints(
        (), (), is_same_meaning=lambda _text: True, states_fact=lambda _text: True
    )
    assert apply_voice(text, "judge", SeededRandom("judge"), constraints) == said


def test_plain_speech_has_no_flourish_and_means_the_same(
    games: list[tuple[dict[int, str], Played]],
) -> None:
    """Whoever the computer player is: a plain recipe adds nothing to what it has to say."""
    compared = 0
    for seats, game in games[:2]:
        for decision, thought in game.decisions:
            if decision.window.kind != "statement":
                continue
            who = personas(seats)[decision.seat]
            plainly = _of(who, decision, plain=True)
            assert plainly == _of(replace(who, character=""), decision, plain=True)
            assert not flourished(seats[decision.seat], plainly)
            assert set(understand(plainly, decision.seat, NAMES)) == set(
                understand(thought.answer.action.text, decision.seat, NAMES)
            )
            compared += 1
    assert compared == 2 * 8 * 3


def test_plain_speech_is_kept_in_the_recipe_and_old_ones_stay() -> None:
    old = {"backend": "house", "method": "full"}
    assert Recipe.of(old).data() == old
    recipe = Recipe(has_plain_speech=True).cast("s", "judge").built_in()
    assert recipe.has_plain_speech
    assert Recipe.of(recipe.data()) == recipe


def test_no_mark_comes_twice_in_a_game(games: list[tuple[dict[int, str], Played]]) -> None:
    judges = dict.fromkeys(range(1, 9), "judge")
    for seats, game in [*games, (judges, play("judges", personas=personas(judges)))]:
        for key in set(seats.values()):
            texts = [text for seat, text in game.said if seats[seat] == key]
            for mark in {flourish_core(m) for slot in SLOTS for m in marks(key, slot)}:
                assert sum(mark in text for text in texts) <= 1, mark


def test_the_same_seed_is_the_same_game() -> None:
    who = personas(seated("again", range(1, 9)))
    one, two = (play("again", personas=who) for _ in "ab")
    assert one.said == two.said


# -- the stranger


def test_a_flourish_tells_who_speaks(games: list[tuple[dict[int, str], Played]]) -> None:
    """A stranger who knows the words of each character that no other uses names the one of eight
    who has most of them in a statement. Chance is one in eight."""
    words = {key: {w for s in SLOTS for m in marks(key, s) for w in bag(m)} for key in VOICES}
    own = {
        key: words[key].difference(*(words[other] for other in VOICES if other != key))
        for key in VOICES
    }
    right = []
    for seats, game in games:
        for seat, text in game.said:
            if flourished(seats[seat], text):
                most = max(seats.values(), key=lambda key: len(own[key] & bag(text)))
                right.append(most == seats[seat] and bool(own[most] & bag(text)))
    assert len(right) > 20
    assert sum(right) / len(right) >= 0.65


def bag(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))
