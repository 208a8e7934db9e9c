"""Which remarks a house player combines in a statement, and in whose manner."""

from __future__ import annotations

import re

import pytest

from agents.house.circumstances import remark_circumstances
from agents.house.doubt_reasons import build_reasons
from agents.house.mindset import Mindset
from agents.house.remark_choice import choose_remarks, propose_remarks
from agents.house.remarks import Remark, RemarkPlace, get_phrases, is_announcement_kept
from agents.house.speech import _join_texts
from agents.language.phrasing import expansions
from agents.language.repeated_names import replace_repeated_names
from agents.packs import Result, pack_of
from game.engine import rulesets
from tests.agents.conduct import addresses
from tests.agents.conduct.recorded_statements import record_statements
from tests.agents.table import log_of, play, scene_of

PACK = pack_of(rulesets.get("one-night"))
ANNOUNCED = ("so here it is.", "think aloud.", "so listen.", "here it comes.", "where I stand.")


def test_player_keeps_its_habits_of_speech() -> None:
    habits: dict[int, set[int]] = {}
    for statement in record_statements("habits/1"):
        habits.setdefault(statement.seat, set()).update(statement.habits)
    assert all(len(numbers) == 1 for numbers in habits.values()), habits
    assert len(set.union(*habits.values())) > len(habits) / 2  # of most players they differ


@pytest.mark.parametrize("seed", ["questions/0", "questions/4", "questions/5"])
def test_question_is_to_nobody_else_the_statement_speaks_of(seed: str) -> None:
    for statement in record_statements(seed):
        remarks = [remark for remark, _ in statement.wording]
        for question in (r for r in remarks if r.position == RemarkPlace.ASK):
            others = [r for r in remarks if r is not question]
            assert not any(question.about in r.seats for r in others), statement.wording


@pytest.mark.parametrize("seed", "abcdefgh")
def test_statements_do_not_end_on_an_announcement(seed: str) -> None:
    reply = addresses.reply_to_epsilon(
        "Gamma, what does the river tell the sea?", 3, seed, *addresses.BLAND
    )
    assert not reply.endswith(ANNOUNCED), reply


def test_announcement_is_dropped_without_its_continuation() -> None:
    """A lead-in remark is kept only together with the remark that it introduces."""
    lead, doubt = (
        Remark("owed_none", 8, RemarkPlace.LEAD),
        Remark("doubt_plain", 4, RemarkPlace.DOUBT),
    )
    assert is_announcement_kept(lead, [lead, doubt])
    assert not is_announcement_kept(lead, [lead])


@pytest.mark.parametrize(
    ("reason", "joined"),
    [
        ("Also, I know my card.", "also, I know my card."),
        ("Al is next.", "Al is next."),
        ("I'm sure.", "I'm sure."),
    ],
)
def test_text_behind_a_colon_is_lower_case_unless_a_name(reason: str, joined: str) -> None:
    assert _join_texts(["Voting Al:", reason], ["Al"]) == f"Voting Al: {joined}"


def test_announcement_without_continuation_is_replaced() -> None:
    """Regression: in this deal the best remarks of a terse player were lead-ins only."""
    assert not [e for e in play("bench/106").log if e.labels]


def test_no_suspect_answer_is_unavailable_after_a_report() -> None:
    report = (8, "I'm the Seer. I looked at Delta and Zeta: neither is the Werewolf.")
    for seed in "abcdef":
        decision = scene_of(
            log_of(addresses.DEAL, report, (5, "Gamma, whom do you suspect?")), 3, seed=seed
        )
        kinds = {m.kind for m in propose_remarks(Mindset(decision, {}))}
        assert "answer_nobody" not in kinds


def test_own_deeds_are_not_held_against_others() -> None:
    """Seat 4 accuses Zeta without a reason. Seat 3 notices it, unless it did so, too."""
    talk = [(1, "I suspect Zeta."), (4, "I suspect Zeta.")]
    for own, is_noticed in ("I suspect Eta.", True), ("I suspect Zeta.", False):
        mind = Mindset(scene_of(log_of(addresses.DEAL, (3, own), *talk), 3), {})
        assert ("doubt_bare" in {r.kind for r in build_reasons(mind, 4)}) == is_noticed


def test_player_cleared_by_the_own_look_is_not_accused() -> None:
    look = Result("seer", (3,), "villager")
    report = Remark("report_clean", 9.2, RemarkPlace.CLAIM, {"a": 3}, role="seer", look=look)
    case = [
        Remark("doubt_gut", 8.0, RemarkPlace.DOUBT, {"t": 3}),
        Remark("vote", 8.2, RemarkPlace.VOTE, {"t": 3}),
    ]
    chosen = choose_remarks(Mindset(scene_of(log_of(addresses.DEAL), 8), {}), [report, *case])
    assert chosen == [report]


@pytest.mark.parametrize(
    ("accusation", "need"),
    [
        ("I suspect Delta.", "reasonless"),
        ("I suspect Delta, because Delta never told us a role.", "reasoned"),
    ],
)
def test_reason_is_praised_only_where_one_was_given(accusation: str, need: str) -> None:
    mind = Mindset(scene_of(log_of(addresses.DEAL, (1, accusation)), 3), {})
    reply = Remark("join_in", 5.4, RemarkPlace.REPLY, {"x": 1, "t": 4})
    assert remark_circumstances(mind, reply, [reply]) == {need}


def test_claimant_does_not_doubt_others_for_the_same_claim() -> None:
    for seed in "abcdef":
        decision = scene_of(
            log_of(addresses.DEAL, *addresses.BLAND, (1, "I suspect Delta.")), 3, seed=seed
        )
        mind = Mindset(decision, {})
        kinds = {m.kind for m in propose_remarks(mind)}
        assert not ("claim_plain" in kinds and "doubt_plain" in kinds)


def test_claim_and_refusal_to_claim_are_not_combined() -> None:
    decision = scene_of(log_of(addresses.DEAL, *addresses.BLAND), 3)
    claim = Remark("claim_plain", 6.6, RemarkPlace.CLAIM, role="villager")
    refusal = Remark("answer_evade", 8.4, RemarkPlace.ANSWER, {"x": 5})
    assert choose_remarks(Mindset(decision, {}), [refusal, claim]) == [claim]


def test_claim_phrases_are_whole_sentences() -> None:
    texts = {t for p in get_phrases(PACK, "claim_plain") for t in expansions(p, 40)}
    assert not [t for t in texts if re.search(r"\band (?:saw|heard|noticed)\b", t)]


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("I went over what Beta said, and I can't trust Beta.",
         "I went over what Beta said, and I can't trust them."),
        ("Beta has been good company, and Beta seems honest to me.",
         "Beta has been good company, and they seem honest to me."),
        ("Beta and Gamma agree, so I trust Beta.", "Beta and Gamma agree, so I trust Beta."),
        ("I trust Beta. I vote for Beta.", "I trust Beta. I vote for them."),
    ],
)  # fmt: skip
def test_name_is_repeated_as_a_pronoun_where_it_is_clear(text: str, shorter: str) -> None:
    assert replace_repeated_names(text, ("Alpha", "Beta", "Gamma")) == shorter
