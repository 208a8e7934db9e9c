"""Recognition of demands on a player, such as questions and requests."""

from __future__ import annotations

import pytest

from agents.language import remarks
from agents.language.phrasing import expansions, fill
from agents.packs import pack_of
from agents.understanding.demands import CHARGES, Demand, demands
from game.engine import rulesets
from tests.agents.table import NAMES
from tests.agents.train_demands import CORPUS, corpus, judge

PACK = pack_of(rulesets.get("one-night"))
SLOT_VALUES = {"x": "Beta", "y": "Delta", "w": "nervous"}
ALPHA, BETA, GAMMA, DELTA, EPSILON = range(1, 6)


def read_demands(text: str, seat: int = BETA, previous_speaker: int = 0) -> tuple[Demand, ...]:
    """Return the demands of Alpha on `seat`."""
    return demands(text, ALPHA, seat, NAMES, PACK, previous_speaker)


@pytest.mark.parametrize(
    ("text", "intent", "mentioned_seats", "roles"),
    [
        ("Beta, are you the Tanner?", "role", (), ("tanner",)),
        ("Beta, answer me: Seer or Villager?", "role", (), ("seer", "villager")),
        ("Beta, Gamma or Delta: who is it?", "whom", (GAMMA, DELTA), ()),
        ("Beta, why did you go after Gamma?", "why", (GAMMA,), ()),
        ("Beta, will you vote for Gamma with me?", "vote", (GAMMA,), ()),
        ("Beta, who gets your vote today?", "vote", (), ()),
        ("Beta, what do you make of Gamma?", "opinion", (GAMMA,), ()),
        ("Beta, whom do you trust?", "trust", (), ()),
        ("Beta, do you believe me?", "opinion", (ALPHA,), ()),
        ("Beta, am I on your list?", "opinion", (ALPHA,), ()),
        ("beta do u trust gamma or not", "trust", (GAMMA,), ()),
        ("Beta, should the Seer come out or wait?", "plan", (), ("seer",)),
        ("Beta, who is the other Mason?", "partner", (), ("mason",)),
        ("Beta, are you and Gamma the Masons?", "partner", (GAMMA,), ("mason",)),
        ("Are you and Gamma both Masons, Beta?", "partner", (GAMMA,), ("mason",)),
        ("Beta, which two cards did you look at last night?", "result", (), ()),
        ("Beta, what would change your mind?", "mind", (), ()),
        ("Beta, what would you have said if Gamma had kept quiet?", "would_have", (GAMMA,), ()),
        ("Suppose there's another Seer, Beta. What do you do then?", "then", (), ("seer",)),
        ("Beta, if Gamma lies, do you still stand by your story?", "stand", (GAMMA,), ()),
        ("Beta, while we wait for it, how about a role", "role", (), ()),
        ("Beta, that's not a reason, that's a greeting card. Give me a real one", "why", (), ()),
        ("If Gamma goes out, Beta, do you have a plan B?", "then", (GAMMA,), ()),
        (
            "Beta, if Gamma isn't the Seer, what is Gamma, Minion or the Werewolf?",
            "opinion",
            (GAMMA,),
            ("minion", "werewolf"),
        ),
        ("Who's the more believable Seer, Beta?", "trust", (), ("seer",)),
        ("What did Gamma do that Delta didn't, Beta?", "unequal", (GAMMA, DELTA), ()),
        ("Theta, everyone else has named a card. Beta, yours?", "role", (), ()),
        (
            "Beta, you only said Villager after Gamma. What took you so long",
            "timing",
            (),
            (),
        ),
        ("How about this, Beta: you, me and Delta all vote Gamma.", "deal", (GAMMA,), ()),
        ("Beta, you don't trust Gamma. We both vote Gamma, deal?", "deal", (GAMMA,), ()),
        ("beta what exactly did gamma do wrong", "why", (GAMMA,), ()),
        ("But why me and not Gamma, Beta?", "unequal", (GAMMA, ALPHA), ()),
        ("congrats Beta, you can count. now which of the three is it", "whom", (), ()),
        ("Beta, suddenly you're the Seer. you made that up on the spot", "doubt", (), ("seer",)),
        ("All those Villagers, Beta. Maybe start with your own card.", "role", (), ()),
        ("Everyone, say your role now!", "role", (), ()),
        ("Beta, why so quiet?", "silent", (), ()),
        ("I suspect Beta, because Beta only repeats what Gamma says.", "echo", (GAMMA,), ()),
        ("Beta, you never answered my question.", "evaded", (), ()),
        ("Beta, who lies about it?", "whom", (), ()),
        ("Beta, who is the Werewolf if not you?", "whom", (), ("werewolf",)),
        ("Beta, if you aren't the Werewolf, who is?", "whom", (), ("werewolf",)),
        ("Beta, why did you choose Gamma?", "motive", (GAMMA,), ()),
        ("Beta, if you were the Seer, would you claim on day one?", "suppose", (), ("seer",)),
        ("Beta, what would you do if you were a Werewolf?", "suppose", (), ("werewolf",)),
        ("Beta, did anyone claim Seer yet?", "claimed", (), ("seer",)),
        ("Has anyone claimed?", "claimed", (), ()),
        ("Beta, who has spoken most today?", "spoken", (), ()),
        ("Count the votes, Beta.", "ballots", (), ()),
        (
            "Beta, which of the Seers do you believe, Gamma or Delta?",
            "trust",
            (GAMMA, DELTA),
            ("seer",),
        ),
        ("Beta, what did you learn about Gamma?", "result", (GAMMA,), ()),
        ("Beta, why did you look at Gamma of all people?", "motive", (GAMMA,), ()),
        ("How do you know that Gamma is clean, Beta?", "source", (GAMMA,), ()),
        ("Beta, if Gamma turns out to be a Villager, who's next?", "then", (GAMMA,), ("villager",)),
        ("Why did you ask me of all people, Beta?", "motive", (), ()),
        ("beta u sound nervous", "manner", (), ()),
        ("Beta, what happens if you're wrong about Gamma?", "wrong", (GAMMA,), ()),
        ("beta whats ur problem with me", "why", (), ()),
        ("Beta, explain yourself.", "why", (), ()),
        ("Beta, walk me through your night.", "result", (), ()),
        ("gamma or delta, which one is the fake seer beta", "whom", (GAMMA, DELTA), ("seer",)),
        ("Beta, you've said nothing useful so far.", "silent", (), ()),
        ("You waited very long to say that, Beta.", "timing", (), ()),
        ("Now tell us who you're voting for, Beta.", "vote", (), ()),
    ],
)
def test_demand_is_recognized_with_its_seats_and_roles(
    text: str, intent: str, mentioned_seats: tuple[int, ...], roles: tuple[str, ...]
) -> None:
    assert (intent, mentioned_seats, roles) in {
        (d.intent, d.of, d.roles) for d in read_demands(text)
    }


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Beta, apart from Gamma, whom do you suspect?", "whom"),
        ("Beta, apart from Gamma, whom would you vote out?", "vote"),
    ],
)
def test_excluded_player_of_a_demand_is_recognized(text: str, intent: str) -> None:
    assert (intent, (), (GAMMA,)) in {(d.intent, d.of, d.excluded) for d in read_demands(text)}


@pytest.mark.parametrize(
    "text",
    [
        "One thing, Epsilon: why Beta?",
        "Why Beta, Epsilon?",
        "Epsilon, on what grounds? Why does Eta shield Beta?",
        "By all my marbles, what a morning... Epsilon, why Beta?",
        "By all my marbles, Epsilon, why Beta?",
        "Before we all follow, Epsilon, why Beta?",
    ],
)
def test_mentioned_player_is_not_an_addressee(text: str) -> None:
    assert read_demands(text, BETA, previous_speaker=GAMMA) == ()
    assert {d.intent for d in read_demands(text, EPSILON, previous_speaker=GAMMA)} == {"why"}


def test_second_person_refers_to_the_last_addressee() -> None:
    text = "I think Delta is lying. And you, Epsilon? You have said nothing so far."
    assert "silent" in {d.intent for d in read_demands(text, EPSILON)}
    assert not any(d.direct for d in read_demands(text, DELTA))


@pytest.mark.parametrize(
    "text",
    [
        "Good morning, everyone.",
        "I trust Beta.",
        "Gamma, who are you?",
        "My evening was quiet, if you must know.",
        "Beta, I listened to all of you.",
        "You can count me in, Delta: I really suspect Gamma.",
        "Beta, what you saw of me is the truth.",
        "Thank you, Beta.",
        "Everyone awake? Good.",
        "Four people suspect Beta.",
    ],
)
def test_statements_without_demand_on_the_seat_give_none(text: str) -> None:
    assert read_demands(text) == ()


@pytest.mark.parametrize("kind", sorted(k for k in remarks() if k.startswith("charge")))
def test_answers_to_charges_are_not_read_as_charges(kind: str) -> None:
    for phrase in remarks()[kind]:
        for text in expansions(phrase, 12):
            answer = fill(text, SLOT_VALUES)
            assert not {d.intent for d in read_demands(answer)} & set(CHARGES), answer


@pytest.mark.parametrize(
    ("file", "limits"),
    [("wants_held", (0.86, 0.62, 0.50, 0.42)), ("wants_held_scenes", (0.95, 0.87, 0.47, 0.47))],
)
def test_held_out_lines_keep_their_accuracy(file: str, limits: tuple[float, ...]) -> None:
    """Covers 720 and 384 lines of five authors whose lines were not used for training.

    In November 2026 the figures were 0.90, 0.64, 0.54, 0.44, and 0.99, 0.90, 0.51, 0.51. The limits
    are lower, so that a change of the patterns or a new training may cost a few lines.
    """
    figures = judge(corpus(CORPUS / f"{file}.jsonl"))
    assert all(v >= limit for v, limit in zip(figures.values(), limits, strict=True)), figures
