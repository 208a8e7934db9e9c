"""Parsing of rows that models write: usable rows are kept, other rows are noted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.backends.trial import sample_requests
from agents.decision import BackendError, Reply, Request
from agents.faculties.favor import FavorFaculty
from agents.faculties.judgement import request_judgement
from agents.llm.reply_parsing import parse_reply
from game.engine.forms import picking
from tests.agents.one_night_prompts import ROLES, STATEMENTS
from tests.agents.table import log_of, scene_of

SCENE = scene_of(log_of(ROLES, *STATEMENTS, round=2), 3)  # Gamma's


def parse(kind: str, data: Any) -> Reply:
    decision = SCENE if kind in ("favor", "judgement") else scene_of(log_of(ROLES), 3, kind=kind)
    return parse_reply(json.dumps(data), Request(kind, decision, {}))


@pytest.mark.parametrize(
    ("rows", "scores", "unread"),
    [
        ([{"player": "Alpha", "score": 7}], {"1": 7}, 0),
        ([{"player": "alpha (Seer)", "score": "7"}], {"1": 7}, 0),
        ([{"player": "Player Alpha.", "score": "8/10"}], {"1": 8}, 0),
        (
            [{"player": "Alpha", "score": 7.0}, {"player": "Beta", "score": 7.5}],
            {"1": 7, "2": 8},
            1,
        ),
        ([{"player": "Gamma", "score": 9}, {"player": "Beta", "score": 2}], {"2": 2}, 1),
        ([{"player": "Alpha", "score": 11}, {"player": "Beta", "score": 2}], {"2": 2}, 1),
        ([{"player": "Nobody", "score": 5}, {"player": "Beta", "score": 2}], {"2": 2}, 1),
        ([{"player": "Eta", "score": "high"}, {"player": "Theta", "score": 2}], {"6": 2}, 1),
        ([{"player": "Alpha", "score": True}, "Beta", {"player": "Eta", "score": 1}], {"8": 1}, 2),
        ({"Alpha": 3, "Beta": "4"}, {"1": 3, "2": 4}, 0),
        ([{"Alpha": 3}], {"1": 3}, 0),
        ([], {}, 0),
    ],
)
def test_usable_scores_are_parsed_and_others_noted(
    rows: Any, scores: dict[str, int], unread: int
) -> None:
    reply = parse("favor", {"reason": "They said so.", "scores": rows})
    assert reply["scores"] == scores
    assert len(reply.get("unread", [])) == unread
    assert reply["reason"] == "They said so."
    note_data = FavorFaculty().prepare(SCENE, lambda step, request: reply)[0].data
    assert note_data["scores"] == scores


def test_unusable_scores_are_rejected_with_the_reason() -> None:
    with pytest.raises(BackendError, match="no score from 1 to 10") as error:
        parse("favor", {"scores": [{"player": "Alpha", "score": 0}]})
    assert error.value.is_mistake
    with pytest.raises(BackendError, match="no list of scores"):
        parse("favor", {"scores": "all fine"})


@pytest.mark.parametrize(
    ("rows", "roles", "unread"),
    [
        ([{"player": "Alpha", "roles": {"werewolf": 0.7, "seer": 0.3}}], {"1": (0.7, 0.3)}, 0),
        (
            [{"player": "Alpha (?)", "roles": {"Wolf": "70%", "the Seer": "30 %"}}],
            {"1": (0.7, 0.3)},
            0,
        ),
        ([{"player": "Alpha", "roles": {"wolves": 70, "Seer": 30}}], {"1": (0.7, 0.3)}, 1),
        ([{"player": "Alpha", "roles": {"werewolf": 7, "seer": 3}}], {"1": (0.7, 0.3)}, 1),
        (
            [
                {
                    "player": "Alpha",
                    "roles": {"werewolf": 0.7, "seer": 0.3, "witch": 0.1, "tanner": -1},
                }
            ],
            {"1": (0.7, 0.3)},
            2,
        ),
        ([{"player": "Alpha", "werewolf": 0.7, "seer": 0.3}], {"1": (0.7, 0.3)}, 0),
        (
            [{"player": "Alpha", "roles": [{"role": "wolf", "probability": 0.7}, {"seer": 0.3}]}],
            {"1": (0.7, 0.3)},
            0,
        ),
        (
            [{"player": "Gamma", "roles": {"seer": 1}}, {"player": "Eta", "roles": {"wolf": 0.5}}],
            {"8": (0.5, None)},
            1,
        ),
        ({"Alpha": {"werewolf": 0.7, "seer": 0.3}}, {"1": (0.7, 0.3)}, 0),
        ([{"player": "Alpha", "roles": "Seer"}], {"1": (None, 1.0)}, 0),
    ],
)
def test_usable_probabilities_are_parsed_and_others_noted(
    rows: Any, roles: dict[str, tuple[float | None, float | None]], unread: int
) -> None:
    reply = parse("judgement", {"players": rows})
    parsed_roles = {s: (row.get("werewolf"), row.get("seer")) for s, row in reply["roles"].items()}
    assert parsed_roles == roles
    assert len(reply.get("unread", [])) == unread
    (note,) = request_judgement(SCENE, lambda step, request: reply)
    assert set(roles) <= set(note.data["roles"])


def test_complete_rows_of_a_truncated_answer_are_kept() -> None:
    complete = {
        "reason": 'They "agree", {all} of them ]',
        "players": [{"player": name, "roles": {"seer": 0.2}} for name in ("Alpha", "Eta", "Zeta")],
    }
    text = json.dumps(complete)
    decision = Request("judgement", SCENE, {})
    reply = parse_reply(text[:-20], decision)
    assert reply["roles"] == {"1": {"seer": 0.2}, "8": {"seer": 0.2}}
    assert reply["reason"] == complete["reason"]
    assert "cut off" in reply["unread"][0]
    first = text.index("}}") + 2
    for end in range(first, len(text)):
        assert parse_reply(text[:end], decision)["roles"]
    for end in range(1, first):
        with pytest.raises(BackendError, match="unusable"):
            parse_reply(text[:end], decision)


@pytest.mark.parametrize(
    "choice",
    [
        "Beta",
        " beta ",
        "**Beta**",
        "Beta (Seer)",
        "Player Beta",
        "I vote for Beta!",
        ["Beta"],
        {"name": "Beta"},
    ],
)
def test_spellings_of_a_choice_are_parsed(choice: Any) -> None:
    assert parse("vote", {"reason": "Alpha lied to Delta.", "choice": choice})["targets"] == [2]
    assert parse("vote", {"vote": choice})["targets"] == [2]


@pytest.mark.parametrize("choice", ["Gamma", "Beta or Alpha", "the wolf", None, 7, [], [3]])
def test_invalid_choices_are_rejected(choice: Any) -> None:
    with pytest.raises(BackendError, match="choose 1 of: Alpha, Beta, Delta"):
        parse("vote", {"reason": "Alpha lied.", "choice": choice})


def test_reason_without_choice_is_rejected() -> None:
    with pytest.raises(BackendError, match="no choice in it"):
        parse("vote", {"reason": "Alpha"})


def test_pair_choice_takes_exactly_two_players() -> None:
    decision = scene_of(log_of(ROLES), 4, kind="divination", legal=picking(range(1, 9), 2))

    def parse_choice(data: Any) -> Reply:
        return parse_reply(json.dumps(data), Request("divination", decision, {}))

    assert parse_choice({"choices": ["Alpha", "beta (?)"]})["targets"] == [1, 2]
    assert parse_choice({"choices": "Eta and Beta"})["targets"] == [8, 2]
    many = parse_choice({"choices": ["Alpha", "Alpha", "Beta", "Zeta"]})
    assert many["targets"] == [1, 2]
    assert many["unread"] == ["Alpha was named twice", "Zeta was one too many"]
    with pytest.raises(BackendError, match="Alpha was named twice; choose 2 different ones of"):
        parse_choice({"choices": ["Alpha", "Alpha"]})


def test_reason_before_the_answer_is_kept_separate() -> None:
    requests = sample_requests()
    reply = parse_reply(
        '{"reason": "I fear Eta.", "plan": ["Press Eta.", "Spare Beta."]}', requests["strategy"]
    )
    assert reply == {"plan": "Press Eta. Spare Beta.", "reason": "I fear Eta."}
    reply = parse_reply(
        '{"reason": "I fear Eta.", "statement": "Hello\nall."}', requests["statement"]
    )
    assert reply == {"text": "Hello\nall.", "reason": "I fear Eta."}
