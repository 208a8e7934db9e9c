"""What is asked of a player or held against it, and what only sounds like it."""

from __future__ import annotations

import pytest

from agents.house.phrasing import expansions, fill
from agents.language import remarks
from agents.packs import pack_of
from agents.understanding.points import Point, points
from agents.understanding.understand import understand
from game.engine import rulesets
from tests.agents.table import NAMES

PACK = pack_of(rulesets.get("one-night"))
FILLED = {"x": "Beta", "y": "Delta"}


def wanted(text: str, me: int = 2, pressed: bool = True, by: int = 1) -> set[tuple[str, bool]]:
    """(about, whether it is a charge) of what `by` wants of `me`."""
    return {(p.about, p.charge) for p in found(text, me, pressed, by)}


def found(text: str, me: int = 2, pressed: bool = True, by: int = 1) -> tuple[Point, ...]:
    return points(text, by, me, NAMES, PACK, 2, pressed)


@pytest.mark.parametrize(
    "text",
    [
        "My evening was quiet, if you must know.",
        "I suspect Beta. I was going to stay quiet, but Beta leaves me no choice.",
        "I'm very nervous about Beta.",
        "Finally, some noise! I suspect Beta.",
        "Louder, folks! Beta is the Werewolf.",
        "Nothing dramatic to report: I'm a Villager. My guess is Beta.",
        "I don't agree with Beta: waiting suits only one of us.",
        "What are we saving the vision for?",
        "Beta, I listened. To go for Zeta you have to ignore a lot.",
        "You can count me in, Delta: I really suspect Beta.",
        "I suspect Beta. Gamma says so little that nobody knows what to think.",
        "Beta, I never said much myself, but Delta is silent as well.",
    ],
)
def test_an_aside_or_a_word_of_oneself_or_others_is_no_charge(text: str) -> None:
    assert not {about for about, charge in wanted(text) if charge}


@pytest.mark.parametrize("kind", sorted(k for k in remarks() if k.startswith("charge")))
def test_an_answer_to_a_charge_is_no_charge(kind: str) -> None:
    for phrase in remarks()[kind]:
        for text in expansions(phrase, 12):
            said = fill(text, FILLED)
            held = [p for p in found(said) if p.charge]
            assert not held, (said, held)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Beta hardly says a word, so I suspect Beta.", "silent"),
        ("I suspect Beta. She is far too nervous.", "tone"),
        ("Beta, you sound rehearsed.", "tone"),
        ("Beta, why did you wait so long with your role?", "late"),
        ("Nothing to say, Beta?", "silent"),
        ("I think it's Beta, who never answered Gamma.", "evaded"),
    ],
)
def test_a_charge_has_the_accused_as_its_subject(text: str, about: str) -> None:
    assert (about, True) in wanted(text)


@pytest.mark.parametrize(
    "text",
    [
        "One thing, Epsilon: why Beta?",
        "Why Beta, Epsilon?",
        "I'd like to know, Epsilon, why Beta?",
        "Epsilon, on what grounds? Why does Eta shield Beta?",
    ],
)
def test_who_is_only_mentioned_is_not_asked(text: str) -> None:
    asks = any(2 in a.targets and a.kind == "question" for a in understand(text, 1, NAMES, 3, PACK))
    assert points(text, 1, 2, NAMES, PACK, 3, asked=asks) == ()
    assert {p.about for p in points(text, 1, 5, NAMES, PACK, 3)} == {"why"}


def test_you_is_whoever_was_turned_to_last() -> None:
    text = "I think Delta is lying. And you, Epsilon? Why do you say nothing?"
    assert wanted(text, 4) == set()
    assert ("silent", True) in wanted(text, 5, pressed=False)


@pytest.mark.parametrize(
    ("text", "about", "of", "roles"),
    [
        ("Beta, why should I believe your Villager claim?", "cheap", (), ()),
        ("Beta, why should anyone believe you?", "cheap", (), ()),
        ("Beta, do you believe my Villager claim?", "opinion", (1,), ()),
        ("Beta, do you believe me?", "opinion", (1,), ()),
        ("Beta, you told us Villager and now Mason. Which is it?", "changed", (), ()),
        ("Beta, is it Villager or Mason now, which is it?", "changed", (), ()),
        ("Beta, should the Seer come out or stay silent?", "plan", (), ("seer",)),
        ("Beta, is it better for the Seer to wait?", "plan", (), ("seer",)),
        ("Beta, who is the other Mason?", "partner", (), ()),
        ("Beta, what did you get dealt?", "role", (), ()),
        ("Beta, which two cards did you look at?", "result", (), ()),
        ("Gamma and Delta both claim Seer. Which of them do you trust, Beta?", "trust", (3, 4), ()),
        ("Beta, it is Gamma or Delta for me. Which one would you vote for?", "which", (3, 4), ()),
        ("Beta, prove you are not the Tanner.", "role", (), ("tanner",)),
        ("Beta, if you really are the Seer, what did you see?", "result", (), ()),
        ("Beta, why?", "why", (), ()),
        ("Beta, if Gamma is innocent after all, who is it?", "whom", (3,), ()),
    ],
)
def test_a_question_is_known_by_its_content(
    text: str, about: str, of: tuple[int, ...], roles: tuple[str, ...]
) -> None:
    held = found(text, pressed=False)
    assert [(p.about, p.of, p.roles) for p in held] == [(about, of, roles)]


@pytest.mark.parametrize(
    "text",
    [
        "Beta, I am tired. Of Eta, Delta and Zeta, somebody knows very well what happened.",
        "Beta, I listened. Do the sum with me: three claims, two cards.",
        "Beta, Zeta, Eta: all Villagers?",
        "Beta, count me in. How did Epsilon get from Delta to Eta so smoothly?",
        "Beta, what you saw of me is the truth.",
        "Of course, Beta: speak up, and you get the blame.",
    ],
)
def test_what_asks_nothing_is_no_question(text: str) -> None:
    assert found(text, pressed=False) == ()
