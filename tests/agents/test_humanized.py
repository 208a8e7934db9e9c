"""Persona, favor and memory against figures worked out by hand (SPEC 2.1, 2.2, 2.4)."""

from __future__ import annotations

import re

import pytest

from agents import favor_scale
from agents.decision import BackendError
from agents.faculties import memory
from agents.faculties.favor import FavorFaculty, get_favor_by_seat
from agents.faculties.judgement import most_probable_roles, request_judgement
from agents.faculties.memory import remembered_statements
from agents.llm.prompting import messages
from agents.mind import FAILED, Mind, Note
from agents.personas import big_five
from agents.personas.big_five import ADJECTIVES, INTENSITY, BadPersona, Persona
from agents.personas.persona_style import FACETS, HEARD, MEASURES, SOUNDS
from agents.recipe import Recipe
from game.engine import rulesets
from game.engine.events import Moment
from tests.agents.golden import Script
from tests.agents.table import asking, log_of, play, scene_of

NEUTRAL = dict.fromkeys(big_five.FACTORS, 4)


def test_repeats() -> None:
    assert [big_five.repeats(b) for b in range(1, 8)] == [3, 2, 1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("score", "key", "says"),
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
def test_degrees_follow_score_and_key(score: int, key: str, says: str) -> None:
    assert big_five.degree(score, key) == says


def test_a_neutral_persona_says_nothing_of_itself() -> None:
    assert Persona(NEUTRAL, "x").text() == ""


@pytest.mark.parametrize("score", range(1, 8))
def test_statements_and_adjectives_are_as_many_as_r_says(score: int) -> None:
    who = Persona({**NEUTRAL, "E": score}, "x")
    assert len(who.statements()) == len(who.adjectives()) == abs(score - 4)
    texts = [text for text, _ in who.statements()]
    assert len(set(texts)) == len(texts)
    keys = {i.text: i for i in big_five.items()}
    for text, says in who.statements():
        assert keys[text].factor == "E"
        assert says == big_five.degree(score, keys[text].key)
    for said in who.adjectives():
        assert any(said.endswith(a) for a in ADJECTIVES["E"][score > 4])


def test_the_same_seed_is_the_same_person() -> None:
    assert Persona.draw("s").text() == Persona.draw("s").text()
    assert len({Persona.draw(str(n)).text() for n in range(50)}) == 50
    assert {s for n in range(200) for s in Persona.draw(str(n)).scores.values()} == set(range(1, 8))
    assert Persona.of(Persona.draw("s").data()) == Persona.draw("s")


def test_the_papers_profiles() -> None:
    assert Persona.profile("profile-1").scores == {"A": 7, "E": 1, "N": 2, "O": 4, "C": 1}
    assert Persona.profile("profile-2").scores == {"A": 4, "E": 7, "N": 7, "O": 6, "C": 3}
    assert Persona.profile("profile-3").scores == {"A": 5, "E": 5, "N": 5, "O": 1, "C": 6}


@pytest.mark.parametrize(
    "scores", [{}, {**NEUTRAL, "X": 4}, {**NEUTRAL, "O": 8}, {**NEUTRAL, "O": 0}]
)
def test_other_scores_are_refused(scores: dict[str, int]) -> None:
    with pytest.raises(BadPersona):
        Persona(scores)


def test_statements_are_the_inventorys_without_politics_and_religion() -> None:
    assert len(big_five.items()) == len({i.text for i in big_five.items()}) == 117
    assert {i.factor for i in big_five.items()} == set(big_five.FACTORS)
    texts = " ".join(i.text for i in big_five.items())
    assert not re.search(r"politic|liberal|conservative|crime|relig|church|\bgod\b", texts, re.I)


def test_each_adjective_has_its_manner_of_speaking() -> None:
    adjectives = [word for poles in ADJECTIVES.values() for pole in poles for word in pole]
    assert set(HEARD) == set(adjectives)
    assert len(set(HEARD.values())) == len(adjectives) == 60


def test_each_statement_has_a_manner_for_who_agrees_and_another_for_who_does_not() -> None:
    assert {(i.factor, i.facet) for i in big_five.items()} == {
        (f, n) for f in big_five.FACTORS for n in range(1, 7)
    }
    for item in big_five.items():
        low, high = FACETS[item.factor][item.facet - 1]
        assert item.manner(is_agreement=True) == (high if item.key == "+" else low)
        assert item.manner(is_agreement=False) == (low if item.key == "+" else high)
    manners = {item.manner(agrees) for item in big_five.items() for agrees in (True, False)}
    assert len(manners) == 60


def test_facets_hold_the_statements_that_belong_together() -> None:
    facets: dict[tuple[str, int], set[str]] = {}
    for item in big_five.items():
        facets.setdefault((item.factor, item.facet), set()).add(item.text)
    assert {place: len(texts) for place, texts in facets.items() if len(texts) != 4} == {
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
def test_a_score_tells_manner_measure_and_sound(factor: str, score: int) -> None:
    who = Persona({**NEUTRAL, factor: score}, "x")
    (manner,) = who.manner()
    words = [said.split()[0] for said in who.adjectives()]
    strength = big_five.repeats(score)
    assert set(words) <= set(INTENSITY[strength])
    assert len(set(words)) == min(len(words), len(INTENSITY[strength]))
    assert re.match(r"You speak in an? \w+", manner)
    assert manner.startswith("You speak in an ") == (words[0][0] in "aeiou")
    assert manner.count(";") == strength - 1
    assert who.measures() == [MEASURES[factor][score]]
    assert len(who.examples()) == 2
    assert set(who.examples()) <= set(SOUNDS[factor][score > 4])
    for told in (manner, *who.agreements(), *who.measures(), *who.examples()):
        assert told in who.text()


def test_a_persona_worked_out_by_hand() -> None:
    """Extraversion 3: R = 1 adjective and 1 statement, both of the low pole, put slightly."""
    who = Persona({**NEUTRAL, "E": 3}, "s")
    assert who.statements() == [("Am always busy", "slightly disagree")]
    assert who.text().split("\n") == [
        "You speak in a slightly quiet way: few words, and no more than needed.",
        "How far you agree with these statements about you, and how it is heard:",
        "- Am always busy: you slightly disagree. You sometimes take your time, without hurry.",
        "Whenever you speak:",
        "- You say about three sentences.",
        "- Names, claims and accusations stay clear all the same.",
        "Sentences that sound like you, about other things (never repeat them):",
        *(f"- {line}" for line in who.examples()),
    ]


def test_a_manner_is_told_once_where_two_statements_share_it() -> None:
    for number in range(50):
        manners = [line.partition(". ")[2] for line in Persona.draw(str(number)).agreements()]
        told = [manner for manner in manners if manner]
        assert len(set(told)) == len(told)


def test_the_papers_profiles_differ_in_every_part() -> None:
    one, two, three = (Persona.profile(f"profile-{n}", "s") for n in (1, 2, 3))
    for a, b in ((one, two), (one, three), (two, three)):
        for part in (Persona.manner, Persona.agreements, Persona.measures):
            assert not set(part(a)) & set(part(b)), part
        assert a.examples() != b.examples()
    assert Persona.profile("baseline", "s").text() == ""


def test_with_a_written_character_the_character_comes_first() -> None:
    who = Persona.of_character("judge", "s")
    text = who.text()
    assert (
        text.index("Ambrose")
        < text.index("where your character leaves it open")
        < text.index(who.manner()[0])
    )
    assert text.count("never repeat them") == 1, "its own lines, and no others"
    assert text.count("so plainly that nobody can miss them") == 1
    assert "stay clear all the same" not in text


def test_nothing_of_the_game_stands_in_a_manner() -> None:
    told = [*HEARD.values()]
    told += [words for facets in FACETS.values() for poles in facets for words in poles]
    told += [words for scores in MEASURES.values() for words in scores.values()]
    told += [words for poles in SOUNDS.values() for pole in poles for words in pole]
    roles = "|".join(role.name for name in rulesets.names() for role in rulesets.get(name).roles)
    for words in told:
        assert not re.search(rf"\b(?:{roles}|wolf|votes?|seats?|roles?)\b", words, re.I), words


@pytest.mark.parametrize(
    ("before", "score", "now"),
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
def test_favor_moves(before: float, score: float, now: float) -> None:
    assert favor_scale.updated_favor(before, score) == pytest.approx(now)


@pytest.mark.parametrize(
    ("value", "level"),
    [(1, 1), (20, 1), (20.1, 2), (40, 2), (41, 3), (60, 3), (61, 4), (80, 4), (80.5, 5), (100, 5)],
)
def test_levels_and_their_boundaries(value: float, level: int) -> None:
    assert favor_scale.favor_level(value) == level


def test_only_the_scored_move() -> None:
    assert favor_scale.favor_after_scores({2: 50, 3: 70}, {3: 4}) == {2: 50, 3: 60}


def kept(turn: int, touched: int, then: float, now: float) -> memory.Remembered:
    return memory.Remembered(turn, 2, f"words {turn}", touched, then, now)


def test_memory_ranks_by_three_figures() -> None:
    found = memory.retrieve(
        [kept(1, 1, 80, 20), kept(2, 2, 20, 80), kept(3, 3, 50, 50)], turn=4, count=3
    )
    one, two, three = found
    low, middle = 0.95**3, 0.95**2
    assert [r.recency for r in found] == pytest.approx([0, (middle - low) / (0.95 - low), 1])
    assert (one.importance, one.fondness, one.score) == (1, 0, 2)
    assert (two.importance, two.fondness) == (0, 1)
    assert three.score == pytest.approx(0.5 + 1 + 1)
    best = memory.retrieve([r.memory for r in found], turn=4, count=2)
    assert [r.memory.turn for r in best] == [2, 3], "in the order they were said"


def test_constant_columns_map_to_nothing_and_ties_go_to_the_later() -> None:
    same = [kept(turn, 5, 50, 50) for turn in (1, 2, 3)]
    assert [r.score for r in memory.retrieve(same, 6)] == [0, 0, 0]
    assert [r.memory.turn for r in memory.retrieve(same, 6, count=2)] == [2, 3]
    assert memory.retrieve([], 1) == []


def test_a_retrieved_memory_is_fresh_again() -> None:
    old, fresh = kept(1, 1, 50, 50), kept(1, 9, 50, 50)
    other = kept(5, 5, 50, 50)
    assert memory.retrieve([old, other], 10, 1)[0].memory is other
    assert memory.retrieve([fresh, other], 10, 1)[0].memory is fresh


def test_favor_then_is_that_of_the_round_it_was_said_in() -> None:
    first = Note("favor", Moment(3), {"favor": {"2": 80.0}, "scores": {}, "why": {}})
    log = log_of({1: "villager"}, (2, "Hello."), round=1) + log_of({}, (2, "Again."), round=2)[1:]
    decision = scene_of(log, 1, notes=(first,))
    one, two = remembered_statements(decision)
    assert (one.favor_then, one.favor_now) == (50, 80)
    assert (two.favor_then, two.favor_now) == (80, 80)


def round_two(notes: tuple[Note, ...] = ()):  # type: ignore[no-untyped-def]
    log = log_of({1: "villager"}, (3, "I think Alpha is the werewolf."), round=1)
    return scene_of(log + log_of({}, round=2)[1:], 1, notes=notes)


def test_nothing_is_asked_in_round_one_and_one_question_a_round_after() -> None:
    ask, steps = asking({"scores": {"3": 1}, "why": {"3": ["accuse"]}})
    assert FavorFaculty().prepare(scene_of(log_of({1: "villager"}), 1), ask) == []
    (note,) = FavorFaculty().prepare(round_two(), ask)
    assert steps == ["favor/first"]
    assert note.data["favor"]["3"] == 20
    assert note.data["favor"]["2"] == 50, "only those it returned"
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
def test_what_is_no_score_changes_nothing(reply: object) -> None:
    ask, steps = asking(reply, reply)  # type: ignore[arg-type]
    decision = round_two()
    (note,) = FavorFaculty().prepare(decision, ask)
    assert (note.faculty, note.data["faculty"]) == (FAILED, "favor"), "and says so"
    assert steps == ["favor/first", "favor/repair"], "one repair, as for an answer"
    assert set(get_favor_by_seat(Mind((note,)), [2, 3]).values()) == {50}


def test_the_most_probable_roles_with_ties_and_missing_players() -> None:
    """Equation (8): the likeliest role of each; who ties or is missing counts as a Villager."""
    decision = scene_of(log_of({1: "werewolf"}), 1)
    found = most_probable_roles(
        {
            "2": {"seer": 0.7, "villager": 0.2},
            "3": {"seer": 0.4, "minion": 0.4, "villager": 0.1},  # a tie
            "4": {},
            "5": {"minion": 0.05, "villager": 0.01},
            "6": {"tanner": 1.0},
        },
        decision,
    )
    sides = {s: {k: row[k] for k in ("role", "side")} for s, row in found.items()}
    assert sides == {
        "2": {"role": "seer", "side": "opponent"},
        "3": {"role": "villager", "side": "opponent"},
        "4": {"role": "villager", "side": "opponent"},
        "5": {"role": "minion", "side": "teammate"},
        "6": {"role": "tanner", "side": "opponent"},
        "7": {"role": "villager", "side": "opponent"},
        "8": {"role": "villager", "side": "opponent"},
    }
    assert found["3"]["top"] == [["seer", 0.4], ["minion", 0.4]], "a tie is told as one"
    assert found["3"]["share"] == round(0.4 / 0.9, 4)
    assert "top" not in found["4"], "nothing was said of it"
    village = most_probable_roles(
        {"2": {"seer": 0.7}, "5": {"minion": 0.6}}, scene_of(log_of({1: "seer"}), 1)
    )
    assert village["2"]["side"] == "teammate"
    assert village["5"]["side"] == "opponent"
    assert village["3"] == {"role": "villager", "side": "teammate"}


def test_a_row_of_probabilities_sums_to_one() -> None:
    """A model's row may sum to 3, or leave roles out."""
    greedy = {"tanner": 0.98, "villager": 0.86, "seer": 0.6, "werewolf": 0.56}
    ask, _ = asking({"roles": {"2": greedy, "3": {"werewolf": 0.4}}})
    (note,) = request_judgement(scene_of(log_of({1: "villager"}, round=2), 1), ask)
    for row in note.data["roles"].values():
        assert sum(row.values()) == pytest.approx(1, abs=0.001)
    assert note.data["roles"]["3"]["werewolf"] == pytest.approx(0.4)
    assert note.data["list"]["2"]["top"][0] == ["tanner", pytest.approx(0.98 / 3.02, abs=0.01)]
    assert note.data["list"]["3"]["role"] == "werewolf"


@pytest.mark.parametrize("method", ["baseline", "full"])
def test_memory_brings_back_only_what_a_short_request_does_not_show(method: str) -> None:
    script = Script()
    play("memory", recipe=Recipe("scripted", method, context="paper"), ask=script.ask)
    brought = 0
    for request in script.requests:
        rows = request.brief.get("memory", {}).get("memory", ())
        told, _ = messages(request)
        assert bool(rows) == ("WHAT COMES BACK TO YOUR MIND" in told[1]["content"])
        since = request.decision.shown_since
        numbers = {t.number for t in request.decision.view.turns if t.moment.phase_number < since}
        assert {row["turn"] for row in rows} <= numbers
        if request.kind in ("statement", "poll", "vote") and numbers:
            assert rows
            brought += 1
    assert brought == 8 + 8 + 8, "the last round's statements and polls, and the votes"
