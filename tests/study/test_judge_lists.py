"""Tests of a judge's lists: role opinions per round and memorable sentences."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from statistics import stdev
from typing import Any

import pytest

from game.engine import rulesets
from game.models import Game
from tests.endpoint import Call, Endpoint
from tests.study import rating
from tests.study.desk import sign_in
from tests.study.judges import run_judge
from tests.study.pages import page_url
from webapp.lab.stored_games import load_record
from webapp.study import analysis
from webapp.study.data.campaign_export import build_file
from webapp.study.judging import judge_runs, judges, paper_questions
from webapp.study.judging.judge_progress import estimate_judge
from webapp.study.models import Campaign, Judge, JudgeDraw, JudgeScore

pytestmark = pytest.mark.django_db


def add_judge(campaign: Campaign, **more: Any) -> Judge:
    defaults = {"name": "Lists", "mode": Judge.LISTS, "backend": "openai"}
    return judges.add(campaign, **{**defaults, **more})


def list_reply(game: Game, opinions: dict[int, list[tuple[int, int, str]]]) -> Any:
    """Return a reply with the round's opinions and three sentences of seat 1."""
    played = load_record(game)
    names = list(game.players.order_by("seat").values_list("name", flat=True))
    statements = [s for s in played.statements if s.seat == 1][:3]
    first = {n: next(s.text for s in played.statements if s.round == n) for n in opinions}

    def answer(call: Call) -> str:
        if "highlights" in call.schema["properties"]:  # type: ignore[index]
            rows = [{"speaker": s.speaker, "sentence": s.text, "twist": 5} for s in statements]
            return json.dumps({"highlights": rows})
        text = call.messages[-1]["content"]
        number = next(n for n, statement in first.items() if statement[:40] in text)
        rows = [{"speaker": names[s - 1], "target": names[t - 1], "role": role}
                for s, t, role in opinions[number]]  # fmt: skip
        return json.dumps({"opinions": rows})

    return answer


def game_of(campaign: Campaign) -> Game:
    return judge_runs.games_of(Judge(campaign=campaign))[0]


def test_list_scores_match_the_papers_algorithms(endpoint: Endpoint) -> None:
    """In three rounds A calls B the Werewolf, then the Seer, then nothing."""
    campaign = rating.open_campaign()
    games = judge_runs.games_of(Judge(campaign=campaign))
    for other_game in games[1:]:
        campaign.chosen_games.filter(game=other_game).delete()
    game = games[0]
    rounds = paper_questions.rounds_of(load_record(game))
    assert len(rounds) == 3
    opinions = {1: [(1, 2, "werewolf")], 2: [(1, 2, "seer"), (1, 3, "tanner")], 3: []}
    endpoint.answer = list_reply(game, opinions)
    judge = run_judge(add_judge(campaign, draws=2))
    assert judge.state == Judge.DONE
    assert judge.requests == 2 * (3 + 1)
    cells = [{(1, 2): "werewolf"}, {(1, 2): "seer", (1, 3): "tanner"}, {}]
    total = 0
    for a, b in product(cells, repeat=2):
        for cell in {*a, *b}:
            if a.get(cell) != b.get(cell):
                total += 2 if cell in a and cell in b else 1
    scores = {s.dimension: s for s in JudgeScore.objects.filter(judge=judge)}
    assert scores["variation"].value == pytest.approx(total / 9, abs=1e-6)
    role = load_record(game).roles[1]
    deck = rulesets.get(game.ruleset).deck
    units = [3 / deck.count(r) if r == role else 0.0 for r in deck]
    assert scores["memorability"].value == pytest.approx(100 * 2 / (2 * stdev(units)), abs=1e-6)
    table = list(csv.DictReader(io.StringIO(build_file(campaign, "judge_scores.csv").decode())))
    assert {row["dimension"] for row in table} == {
        "variation-1", "variation-2", "variation-3", "memorability"
    }  # fmt: skip
    (score,) = {row["score"] for row in table if row["dimension"] != "memorability"}
    assert float(score) == pytest.approx(total / 9, abs=1e-6)
    stored = json.dumps(list(JudgeDraw.objects.values_list("values", "reason")))
    spoken = next(s.text for s in load_record(game).statements if s.seat == 1)
    assert spoken[:30] not in stored, "players' statements are not stored again"
    (judge_result,) = analysis.campaign_results(campaign)["judges"]
    means = {row["key"]: row["conditions"][0]["mean"]["value"] for row in judge_result["scores"]}
    assert means["variation"] == pytest.approx(total / 9, abs=1e-6)


def test_roles_are_hidden_in_rounds_and_shown_for_highlights(endpoint: Endpoint) -> None:
    campaign = rating.open_campaign()
    judge = add_judge(campaign)
    game = game_of(campaign)
    round_prompt = paper_questions.opinions_question(judge, game, 1).messages[-1]["content"]
    highlights_prompt = paper_questions.highlights_question(judge, game).messages[-1]["content"]
    speaker = next(s for s in load_record(game).statements if s.round == 1)
    label = f"{speaker.speaker} ({load_record(game).roles[speaker.seat]}):"
    assert f"{speaker.speaker}: " in round_prompt
    assert label not in round_prompt
    assert label in highlights_prompt
    later = next(s for s in load_record(game).statements if s.round == 2)
    assert later.text not in round_prompt, "a request contains one round"


def test_invented_sentence_is_rejected_and_repaired_once(endpoint: Endpoint) -> None:
    campaign = rating.open_campaign()
    for chosen in list(campaign.chosen_games.order_by("game__code"))[1:]:
        chosen.delete()
    game = game_of(campaign)
    right = list_reply(game, {1: [], 2: [], 3: []})
    calls = []

    def answer(call: Call) -> str:
        text = str(right(call))
        if "highlights" in call.schema["properties"]:  # type: ignore[index]
            calls.append(call)
            if len(calls) == 1:
                data = json.loads(text)
                data["highlights"][0]["sentence"] = "I am a teapot, short and stout."
                return json.dumps(data)
        return text

    endpoint.answer = answer
    judge = run_judge(add_judge(campaign))
    assert len(calls) == 2
    assert "did not say: I am a teapot" in json.dumps(calls[1].messages)
    draw = JudgeDraw.objects.get(judge=judge, dimension="memorability")
    assert (draw.state, draw.repaired) == (JudgeDraw.ANSWERED, True)
    assert not JudgeScore.objects.filter(dimension="variation", value__gt=0).exists()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"opinions": [{"speaker": "Nobody", "target": "Alpha", "role": "seer"}]}, "“speaker”"),
        ({"opinions": [{"speaker": "Alpha", "target": "Beta", "role": "wizard"}]}, "“role”"),
        ({"opinions": "none"}, "no list"),
    ],
)
def test_unknown_player_or_role_is_not_accepted(
    endpoint: Endpoint, data: dict[str, Any], sentence: str
) -> None:
    campaign = rating.open_campaign()
    question = paper_questions.opinions_question(add_judge(campaign), game_of(campaign), 1)
    with pytest.raises(Exception, match=sentence):
        question.parse(json.dumps(data))


def test_estimate_counts_one_request_per_round_plus_highlights(endpoint: Endpoint) -> None:
    campaign = rating.open_campaign()
    judge = add_judge(campaign, draws=5)
    games = judge_runs.games_of(judge)
    assert estimate_judge(judge).requests == 5 * sum(
        len(paper_questions.rounds_of(load_record(game))) + 1 for game in games
    )
    client = sign_in()
    page = client.get(page_url("judges", campaign)).content.decode()
    assert "lists, for Variation and Memorability" in page
