"""Tests of judges that score whole games as in the paper."""

from __future__ import annotations

import csv
import io
import re

import pytest

from agents.quotation import quote_text
from tests.endpoint import Endpoint
from tests.study import rating, world
from tests.study.desk import sign_in
from tests.study.judges import add_judge, answer_with_scores, run_judge
from tests.study.pages import page_url, text_of
from webapp.study import analysis
from webapp.study.data import campaign_export as data
from webapp.study.design.refusals import Refused
from webapp.study.games.game_reveal import reveal_of
from webapp.study.games.public_talk import talk_of
from webapp.study.judging import paper_questions
from webapp.study.judging.criteria import CRITERIA
from webapp.study.models import Analysis, Judge, JudgeDraw, JudgeScore, Rating

pytestmark = pytest.mark.django_db


def test_paper_judge_scores_whole_games_apart_from_ratings(endpoint: Endpoint) -> None:
    campaign = rating.open_campaign("1", "2")
    tenths = iter(range(1000))
    endpoint.answer = answer_with_scores(lambda _call, _key: 6.5 + next(tenths) % 5 / 10)
    endpoint.say('{"reason": "So-so.", "score": 11}')  # This error is repaired.
    judge = run_judge(
        add_judge(campaign, mode=Judge.PAPER, draws=5, personas={"wonder": "You are a clown."})
    )
    assert (judge.state, judge.rater, judge.requests) == (Judge.DONE, None, 31)
    assert not Rating.objects.exists()
    assert {round(s.value, 6) for s in JudgeScore.objects.all()} == {6.7}  # The mean of 6.5 to 6.9.
    prompts = [call.prompt for call in endpoint.calls]
    assert all("Seer: " in prompt and "\n10 stands for: " in prompt for prompt in prompts)
    assert sum("You are a clown." in prompt for prompt in prompts) == 10
    analysis.compute_results(campaign)
    (judge_result,) = Analysis.objects.get().data["judges"]
    assert [item["key"] for item in judge_result["scores"]] == [
        "engagement",
        "wonder",
        "attraction",
    ]
    for item in judge_result["scores"]:
        assert [row["mean"]["value"] for row in item["conditions"]] == [6.7, 6.7]
        assert item["draws"]["sd"]["value"] == pytest.approx(0.158114, abs=1e-6)
    page = text_of(sign_in().get(page_url("results", campaign)))
    assert "Scores as in the paper: J01" in page
    assert "not human ratings" in page
    assert "8.38" in page  # Table 8, Engagement, Baseline
    table = list(
        csv.DictReader(io.StringIO(data.build_file(campaign, "judge_scores.csv").decode()))
    )
    assert len(table) == 30
    assert {row["rater_kind"] for row in table} == {"judge"}
    assert {row["score"] for row in table} == {"6.7"}
    assert {(row["scale_min"], row["scale_max"], row["draw_status"]) for row in table} == {
        ("1.0", "10.0", JudgeDraw.ANSWERED)
    }
    stored_judge = campaign.judges.get()
    assert {(row["judge_name"], row["judge_backend"], row["judge_mode"]) for row in table} == {
        (stored_judge.name, stored_judge.backend, stored_judge.mode)
    }
    draws = {
        (draw.game.code, draw.dimension, str(draw.number)): draw.values[draw.dimension]
        for draw in JudgeDraw.objects.filter(judge=stored_judge).select_related("game")
    }
    assert draws == {
        (row["game_id"], row["dimension"], row["draw"]): float(row["draw_value"]) for row in table
    }


def judge_prompt(ruleset: str, mode: str) -> str:
    """Return the prompt of a judge of `mode` about a finished game."""
    game = world.ended_game("1", ruleset=ruleset)
    judge = Judge(mode=mode, personas={})
    return paper_questions.game_question(judge, game, CRITERIA[0]).messages[-1]["content"]


@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
def test_paper_judge_sees_only_rules_talk_and_true_roles(ruleset: str) -> None:
    game = world.ended_game("1", ruleset=ruleset)
    talk, reveal = talk_of(game), reveal_of(game)
    prompt = judge_prompt(ruleset, Judge.PAPER)
    rules, _heading, talked = prompt.partition("THE TALK")
    talked, _heading, _steps = talked.partition("How to judge")
    assert "1 Seer: " in rules
    for line in talk.spoken:
        assert f"{line.speaker} ({reveal.rows[line.seat - 1].role})" in talked
        assert quote_text(line.text) in talked
    outside = re.sub(r'".*"', "", talked)  # players may speak of votes
    assert not re.search(r"vot|Nobody died|died|won\b|wins|learned|looked|Out\.", outside)
    assert reveal.winner not in prompt
    assert reveal.winner in judge_prompt(ruleset, Judge.PAPER_REVEALED)


def test_scores_of_the_first_paper_mode_keep_their_label(endpoint: Endpoint) -> None:
    campaign = rating.open_campaign("1")
    endpoint.answer = answer_with_scores(lambda _call, _key: 6.5)
    for mode in (Judge.PAPER_REVEALED, Judge.PAPER):
        judge = add_judge(campaign)
        Judge.objects.filter(pk=judge.pk).update(mode=mode)
        judge.refresh_from_db()
        run_judge(judge)
    table = csv.DictReader(io.StringIO(data.build_file(campaign, "judge_scores.csv").decode()))
    assert {row["judge_mode"] for row in table} == {"paper", "paper_talk"}
    analysis.compute_results(campaign)
    page = text_of(sign_in().get(page_url("results", campaign)))
    assert page.count("do not pool or compare its scores with others") == 1
    with pytest.raises(Refused, match="as a rater, or as in the paper"):
        add_judge(campaign, mode=Judge.PAPER_REVEALED)
