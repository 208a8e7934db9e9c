"""Persona, favor and memory, compared with hand calculations (SPEC 2.1, 2.2, 2.4)."""

from __future__ import annotations

import re

import pytest

from agents import favor_scale
from agents.decision import FAILED, BackendError, Mind, Note
from agents.faculties import memory
from agents.faculties.favor import FavorFaculty, get_favor_by_seat
from agents.faculties.judgement import most_probable_roles, request_judgement
from agents.faculties.memory import list_memories
from agents.llm.prompting import build_messages
from agents.personas import big_five
from agents.personas.big_five import (
    ADJECTIVES,
    ADVERBS_BY_STRENGTH,
    EFFECT_BY_ADJECTIVE,
    EXAMPLE_SENTENCES,
    FACET_PHRASES,
    SPEECH_BY_SCORE,
    BadPersona,
    Persona,
)
from agents.recipe import Recipe
from game.engine import rulesets
from game.engine.events import Moment
from tests.agents.golden import Script
from tests.agents.table import log_of, play, scene_of, scripted_ask

NEUTRAL = dict.fromkeys(big_five.FACTORS, 4)


def test_repeats_grow_with_distance_from_neutral() -> None:
    assert [big_five.strength(b) for b in range(1, 8)] == [3, 2, 1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("score", "key", "degree"),
    [
        (7, "+", "totally agree"),
        (6, "+", "strongly agree"),
        (5, "+", "slightly agree"),
        (3, "+", "slightly disagree"),
        (2, "+", "strongly disagree"),
        (1, "+", "totally disagree"),
        (7, "-", "totally disagree"),
        (5, "-", "slightly disagree"),
        (1, "-", "totally agree"),
    ],
)
def test_degree_of_agreement_follows_score_and_key(score: int, key: str, degree: str) -> None:
    assert big_five.agreement_degree(score, key) == degree


def test_neutral_persona_has_empty_text() -> None:
    assert Persona(NEUTRAL, "x").text() == ""


def statements_of(persona: Persona) -> list[tuple[str, str]]:
    """Return (statement, degree of agreement) of each line of agreement."""
    lines = (line.partition(".")[0].partition(": you ") for line in persona.agreements())
    return [(text, degree) for text, _colon, degree in lines]


def adjectives_of(persona: Persona) -> list[str]:
    """Return the adjectives in the manner of speaking, each with its adverb."""
    matches = (re.match(r"You speak in an? (.*?) way:", line) for line in persona.manner())
    return [adjective for match in matches if match for adjective in match[1].split(", ")]


@pytest.mark.parametrize("score", range(1, 8))
def test_number_of_statements_and_adjectives_is_r(score: int) -> None:
    persona = Persona({**NEUTRAL, "E": score}, "x")
    statements, adjectives = statements_of(persona), adjectives_of(persona)
    assert len(statements) == len(adjectives) == abs(score - 4)
    texts = [text for text, _ in statements]
    assert len(set(texts)) == len(texts)
    keys = {i.text: i for i in big_five.ipip_items()}
    for text, degree in statements:
        assert keys[text].factor == "E"
        assert degree == big_five.agreement_degree(score, keys[text].key)
    for adjective in adjectives:
        assert any(adjective.endswith(a) for a in ADJECTIVES["E"][score > 4])


def test_same_seed_gives_the_same_persona() -> None:
    assert Persona.draw("s").text() == Persona.draw("s").text()
    assert len({Persona.draw(str(n)).text() for n in range(50)}) == 50
    assert {s for n in range(200) for s in Persona.draw(str(n)).scores.values()} == set(range(1, 8))
    assert Persona.of(Persona.draw("s").data()) == Persona.draw("s")


def test_profiles_have_the_scores_of_the_paper() -> None:
    assert Persona.profile("profile-1").scores == {"A": 7, "E": 1, "N": 2, "O": 4, "C": 1}
    assert Persona.profile("profile-2").scores == {"A": 4, "E": 7, "N": 7, "O": 6, "C": 3}
    assert Persona.profile("profile-3").scores == {"A": 5, "E": 5, "N": 5, "O": 1, "C": 6}


@pytest.mark.parametrize(
    "scores", [{}, {**NEUTRAL, "X": 4}, {**NEUTRAL, "O": 8}, {**NEUTRAL, "O": 0}]
)
def test_invalid_scores_are_rejected(scores: dict[str, int]) -> None:
    with pytest.raises(BadPersona):
        Persona(scores)


def test_inventory_has_117_items_without_politics_or_religion() -> None:
    assert len(big_five.ipip_items()) == len({i.text for i in big_five.ipip_items()}) == 117
    assert {i.factor for i in big_five.ipip_items()} == set(big_five.FACTORS)
    texts = " ".join(i.text for i in big_five.ipip_items())
    assert not re.search(r"politic|liberal|conservative|crime|relig|church|\bgod\b", texts, re.I)


def test_each_adjective_has_its_own_manner_of_speaking() -> None:
    adjectives = [word for poles in ADJECTIVES.values() for pole in poles for word in pole]
    assert set(EFFECT_BY_ADJECTIVE) == set(adjectives)
    assert len(set(EFFECT_BY_ADJECTIVE.values())) == len(adjectives) == 60


def test_each_item_has_manners_for_agreement_and_disagreement() -> None:
    assert {(i.factor, i.facet) for i in big_five.ipip_items()} == {
        (f, n) for f in big_five.FACTORS for n in range(1, 7)
    }
    for item in big_five.ipip_items():
        low, high = FACET_PHRASES[item.factor][item.facet - 1]
        assert item.manner(is_agreement=True) == (high if item.key == "+" else low)
        assert item.manner(is_agreement=False) == (low if item.key == "+" else high)
    manners = {item.manner(agrees) for item in big_five.ipip_items() for agrees in (True, False)}
    assert len(manners) == 60


def test_facets_group_related_items() -> None:
    facets: dict[tuple[str, int], set[str]] = {}
    for item in big_five.ipip_items():
        facets.setdefault((item.factor, item.facet), set()).add(item.text)
    assert {facet: len(texts) for facet, texts in facets.items() if len(texts) != 4} == {
        ("O", 6): 1
    }
    assert facets["C", 2] == {
        "Like to tidy up",
        "Often forget to put things back in their proper place",
        "Leave a mess in my room",
        "Leave my belongings around",
    }


@pytest.mark.parametrize("score", [1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize("factor", big_five.FACTORS)
def test_score_determines_manner_speech_rule_and_examples(factor: str, score: int) -> None:
    persona = Persona({**NEUTRAL, factor: score}, "x")
    (manner,) = persona.manner()
    words = [adjective.split()[0] for adjective in adjectives_of(persona)]
    strength = big_five.strength(score)
    assert set(words) <= set(ADVERBS_BY_STRENGTH[strength])
    assert len(set(words)) == min(len(words), len(ADVERBS_BY_STRENGTH[strength]))
    assert re.match(r"You speak in an? \w+", manner)
    assert manner.startswith("You speak in an ") == (words[0][0] in "aeiou")
    assert manner.count(";") == strength - 1
    assert persona.speech_rules() == [SPEECH_BY_SCORE[factor][score]]
    assert len(persona.examples()) == 2
    assert set(persona.examples()) <= set(EXAMPLE_SENTENCES[factor][score > 4])
    for line in (manner, *persona.agreements(), *persona.speech_rules(), *persona.examples()):
        assert line in persona.text()


def test_persona_text_matches_a_hand_calculation() -> None:
    """Extraversion 3: R = 1 adjective and 1 statement, both of the low pole, degree slight."""
    persona = Persona({**NEUTRAL, "E": 3}, "s")
    assert persona.text().split("\n") == [
        "You speak in a slightly quiet way: few words, and no more than needed.",
        "How far you agree with these statements about you, and how it is heard:",
        "- Am always busy: you slightly disagree. You sometimes take your time, without hurry.",
        "Whenever you speak:",
        "- You say about three sentences.",
        "- Names, claims and accusations stay clear all the same.",
        "Sentences that sound like you, about other things (never repeat them):",
        *(f"- {line}" for line in persona.examples()),
    ]


def test_shared_manner_is_mentioned_once() -> None:
    for number in range(50):
        manners = [line.partition(". ")[2] for line in Persona.draw(str(number)).agreements()]
        mentioned = [manner for manner in manners if manner]
        assert len(set(mentioned)) == len(mentioned)


def test_profiles_of_the_paper_differ_in_every_part() -> None:
    first, second, third = (Persona.profile(f"profile-{n}", "s") for n in (1, 2, 3))
    for a, b in ((first, second), (first, third), (second, third)):
        for part in (Persona.manner, Persona.agreements, Persona.speech_rules):
            assert not set(part(a)) & set(part(b)), part
        assert a.examples() != b.examples()
    assert Persona.profile("baseline", "s").text() == ""


def test_character_text_precedes_the_manner() -> None:
    persona = Persona.of_character("judge", "s")
    text = persona.text()
    assert (
        text.index("Ambrose")
        < text.index("where your character leaves it open")
        < text.index(persona.manner()[0])
    )
    assert text.count("never repeat them") == 1, "only its own lines"
    assert text.count("so plainly that nobody can miss them") == 1
    assert "stay clear all the same" not in text


def test_manners_contain_no_game_terms() -> None:
    texts = [*EFFECT_BY_ADJECTIVE.values()]
    texts += [text for facets in FACET_PHRASES.values() for poles in facets for text in poles]
    texts += [text for scores in SPEECH_BY_SCORE.values() for text in scores.values()]
    texts += [text for poles in EXAMPLE_SENTENCES.values() for pole in poles for text in pole]
    roles = "|".join(role.name for name in rulesets.names() for role in rulesets.get(name).roles)
    for text in texts:
        assert not re.search(rf"\b(?:{roles}|wolf|votes?|seats?|roles?)\b", text, re.I), text


@pytest.mark.parametrize(
    ("before", "score", "after"),
    [
        (50, 1, 20),  # 50 - 30
        (50, 10, 80),  # 50 + 30
        (50, 4, 40),  # (4 - 1) / 9 · 60 - 30 = -10
        (50, 5.5, 50),
        (20, 1, 1),  # kept above 1
        (90, 10, 100),  # and below 100
        (50, 7, 60),
    ],
)
def test_favor_is_updated_by_the_score(before: float, score: float, after: float) -> None:
    assert favor_scale.updated_favor(before, score) == pytest.approx(after)


@pytest.mark.parametrize(
    ("value", "level"),
    [(1, 1), (20, 1), (20.1, 2), (40, 2), (41, 3), (60, 3), (61, 4), (80, 4), (80.5, 5), (100, 5)],
)
def test_favor_levels_have_the_paper_boundaries(value: float, level: int) -> None:
    assert favor_scale.favor_level(value) == level


def test_only_scored_players_change_favor() -> None:
    assert favor_scale.favor_after_scores({2: 50, 3: 70}, {3: 4}) == {2: 50, 3: 60}


def memory_of(turn: int, touched: int, then: float, now: float) -> memory.Memory:
    return memory.Memory(turn, 2, f"words {turn}", touched, then, now)


def test_memory_ranks_by_recency_importance_and_fondness() -> None:
    ranked = memory.retrieve_memories(
        [memory_of(1, 1, 80, 20), memory_of(2, 2, 20, 80), memory_of(3, 3, 50, 50)],
        turn=4,
        count=3,
    )
    oldest, middle_one, newest = ranked
    low, middle = 0.95**3, 0.95**2
    assert [r.recency for r in ranked] == pytest.approx([0, (middle - low) / (0.95 - low), 1])
    assert (oldest.importance, oldest.fondness, oldest.score) == (1, 0, 2)
    assert (middle_one.importance, middle_one.fondness) == (0, 1)
    assert newest.score == pytest.approx(0.5 + 1 + 1)
    best = memory.retrieve_memories([r.memory for r in ranked], turn=4, count=2)
    assert [r.memory.turn for r in best] == [2, 3], "in the order of their turns"


def test_constant_columns_score_zero_and_later_memories_win_ties() -> None:
    same = [memory_of(turn, 5, 50, 50) for turn in (1, 2, 3)]
    assert [r.score for r in memory.retrieve_memories(same, 6)] == [0, 0, 0]
    assert [r.memory.turn for r in memory.retrieve_memories(same, 6, count=2)] == [2, 3]
    assert memory.retrieve_memories([], 1) == []


def test_retrieval_renews_a_memory() -> None:
    stale, renewed = memory_of(1, 1, 50, 50), memory_of(1, 9, 50, 50)
    competitor = memory_of(5, 5, 50, 50)
    assert memory.retrieve_memories([stale, competitor], 10, 1)[0].memory is competitor
    assert memory.retrieve_memories([renewed, competitor], 10, 1)[0].memory is renewed


def test_memory_keeps_the_favor_of_its_round() -> None:
    first = Note("favor", Moment(3), {"favor": {"2": 80.0}, "scores": {}, "why": {}})
    log = log_of({1: "villager"}, (2, "Hello."), round=1) + log_of({}, (2, "Again."), round=2)[1:]
    decision = scene_of(log, 1, notes=(first,))
    earlier, later = list_memories(decision)
    assert (earlier.favor_then, earlier.favor_now) == (50, 80)
    assert (later.favor_then, later.favor_now) == (80, 80)


def round_two(notes: tuple[Note, ...] = ()):  # type: ignore[no-untyped-def]
    log = log_of({1: "villager"}, (3, "I think Alpha is the werewolf."), round=1)
    return scene_of(log + log_of({}, round=2)[1:], 1, notes=notes)


def test_favor_is_requested_once_per_round_after_round_one() -> None:
    ask, steps = scripted_ask({"scores": {"3": 1}, "why": {"3": ["accuse"]}})
    assert FavorFaculty().prepare(scene_of(log_of({1: "villager"}), 1), ask) == []
    (note,) = FavorFaculty().prepare(round_two(), ask)
    assert steps == ["favor/first"]
    assert note.data["favor"]["3"] == 20
    assert note.data["favor"]["2"] == 50, "only the returned scores apply"
    assert get_favor_by_seat(Mind((note,)), [2, 3]) == {2: 50, 3: 20}


@pytest.mark.parametrize(
    "reply",
    [
        BackendError("timeout"),
        {"scores": {"3": 11}},
        {"scores": {"9": 5}},
        {"scores": {"1": 5}},
        {"scores": {"3": "7"}},
        {"scores": None},
        {},
    ],
)
def test_invalid_favor_reply_changes_nothing_and_is_noted(reply: object) -> None:
    ask, steps = scripted_ask(reply, reply)  # type: ignore[arg-type]
    decision = round_two()
    (note,) = FavorFaculty().prepare(decision, ask)
    assert (note.faculty, note.data["faculty"]) == (FAILED, "favor"), "the failure is noted"
    assert steps == ["favor/first", "favor/repair"], "one repair, as for an answer"
    assert set(get_favor_by_seat(Mind((note,)), [2, 3]).values()) == {50}


def test_most_probable_roles_handle_ties_and_missing_players() -> None:
    """Equation (8): the most probable role. Ties and missing players count as Villager."""
    decision = scene_of(log_of({1: "werewolf"}), 1)
    roles = most_probable_roles(
        {
            "2": {"seer": 0.7, "villager": 0.2},
            "3": {"seer": 0.4, "minion": 0.4, "villager": 0.1},  # a tie
            "4": {},
            "5": {"minion": 0.05, "villager": 0.01},
            "6": {"tanner": 1.0},
        },
        decision,
    )
    sides = {s: {k: row[k] for k in ("role", "side")} for s, row in roles.items()}
    assert sides == {
        "2": {"role": "seer", "side": "opponent"},
        "3": {"role": "villager", "side": "opponent"},
        "4": {"role": "villager", "side": "opponent"},
        "5": {"role": "minion", "side": "teammate"},
        "6": {"role": "tanner", "side": "opponent"},
        "7": {"role": "villager", "side": "opponent"},
        "8": {"role": "villager", "side": "opponent"},
    }
    assert roles["3"]["top"] == [["seer", 0.4], ["minion", 0.4]], "a tie lists both roles"
    assert roles["3"]["share"] == round(0.4 / 0.9, 4)
    assert "top" not in roles["4"], "no probabilities were given"
    village = most_probable_roles(
        {"2": {"seer": 0.7}, "5": {"minion": 0.6}}, scene_of(log_of({1: "seer"}), 1)
    )
    assert village["2"]["side"] == "teammate"
    assert village["5"]["side"] == "opponent"
    assert village["3"] == {"role": "villager", "side": "teammate"}


def test_role_probabilities_are_normalized() -> None:
    """The row of a model may sum to 3 or omit roles."""
    greedy = {"tanner": 0.98, "villager": 0.86, "seer": 0.6, "werewolf": 0.56}
    ask, _ = scripted_ask({"roles": {"2": greedy, "3": {"werewolf": 0.4}}})
    (note,) = request_judgement(scene_of(log_of({1: "villager"}, round=2), 1), ask)
    for row in note.data["roles"].values():
        assert sum(row.values()) == pytest.approx(1, abs=0.001)
    assert note.data["roles"]["3"]["werewolf"] == pytest.approx(0.4)
    assert note.data["list"]["2"]["top"][0] == ["tanner", pytest.approx(0.98 / 3.02, abs=0.01)]
    assert note.data["list"]["3"]["role"] == "werewolf"


@pytest.mark.parametrize("method", ["baseline", "full"])
def test_memory_contains_only_turns_outside_the_prompt(method: str) -> None:
    script = Script()
    play("memory", recipe=Recipe("scripted", method, context="paper"), ask=script.ask)
    requests_with_memory = 0
    for request in script.requests:
        rows = request.brief.get("memory", {}).get("memory", ())
        prompt, _ = build_messages(request)
        assert bool(rows) == ("WHAT COMES BACK TO YOUR MIND" in prompt[1]["content"])
        shown_since = request.decision.shown_since
        numbers = {
            t.number for t in request.decision.view.turns if t.moment.phase_number < shown_since
        }
        assert {row["turn"] for row in rows} <= numbers
        if request.kind in ("statement", "poll", "vote") and numbers:
            assert rows
            requests_with_memory += 1
    assert requests_with_memory == 8 + 8 + 8, "the last round's statements and polls, and the votes"
