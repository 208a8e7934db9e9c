"""A judge's lists: who is said to be what in each round, and memorable sentences."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import product
from statistics import stdev
from typing import Any

import pytest

from game.engine import rulesets
from game.models import Game
from tests.endpoint import Call, Endpoint
from tests.endpoint.clients import set_up
from tests.study import rating
from tests.study.desk import signed_in
from tests.study.test_setup import at
from webapp.lab.stored_games import load_record
from webapp.study import analysis
from webapp.study.data import build_file
from webapp.study.judging import judge_runs, judges, paper_questions
from webapp.study.judging.judge_cost import estimate_judge
from webapp.study.models import Campaign, Judge, JudgeDraw, JudgeScore

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr("celery.Celery.send_task", lambda *_args: None)
    with Endpoint(models=["m"]) as found:
        set_up(monkeypatch, found)
        yield found


def added(campaign: Campaign, **more: Any) -> Judge:
    usual = {"name": "Lists", "mode": Judge.LISTS, "backend": "openai"}
    return judges.add(campaign, **{**usual, **more})


def run(judge: Judge) -> Judge:
    judges.start(judge)
    judge_runs.run_judge(judge.pk)
    judge.refresh_from_db()
    return judge


def listing(game: Game, opinions: dict[int, list[tuple[int, int, str]]]) -> Any:
    """Answers: the opinions of the round that is asked about, and three sentences of seat 1."""
    played = load_record(game)
    names = list(game.players.order_by("seat").values_list("name", flat=True))
    own = [s for s in played.statements if s.seat == 1][:3]
    first = {n: next(s.text for s in played.statements if s.round == n) for n in opinions}

    def answer(call: Call) -> str:
        if "highlights" in call.schema["properties"]:  # type: ignore[index]
            rows = [{"speaker": s.speaker, "sentence": s.text, "twist": 5} for s in own]
            return json.dumps({"highlights": rows})
        text = call.messages[-1]["content"]
        number = next(n for n, said in first.items() if said[:40] in text)
        rows = [{"speaker": names[s - 1], "target": names[t - 1], "role": role}
                for s, t, role in opinions[number]]  # fmt: skip
        return json.dumps({"opinions": rows})

    return answer


def the_game(campaign: Campaign) -> Game:
    return judge_runs.games_of(Judge(campaign=campaign))[0]


def test_the_scores_are_those_of_the_papers_algorithms(endpoint: Endpoint) -> None:
    """Three rounds: A says B is the Werewolf; then that B is the Seer; then nothing."""
    campaign = rating.opened()
    games = judge_runs.games_of(Judge(campaign=campaign))
    for other in games[1:]:
        campaign.chosen.filter(game=other).delete()
    game = games[0]
    rounds = paper_questions.rounds_of(load_record(game))
    assert len(rounds) == 3
    opinions = {1: [(1, 2, "werewolf")], 2: [(1, 2, "seer"), (1, 3, "tanner")], 3: []}
    endpoint.answer = listing(game, opinions)
    judge = run(added(campaign, draws=2))
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
    kept = json.dumps(list(JudgeDraw.objects.values_list("values", "reason")))
    spoken = next(s.text for s in load_record(game).statements if s.seat == 1)
    assert spoken[:30] not in kept, "players' words are not stored again"
    (found,) = analysis.campaign_results(campaign)["judges"]
    means = {row["key"]: row["conditions"][0]["mean"]["value"] for row in found["scores"]}
    assert means["variation"] == pytest.approx(total / 9, abs=1e-6)


def test_roles_are_hidden_from_the_rounds_and_shown_for_the_sentences(endpoint: Endpoint) -> None:
    campaign = rating.opened()
    judge, game = added(campaign), the_game(campaign)
    hidden = paper_questions.opinions_question(judge, game, 1).messages[-1]["content"]
    shown = paper_questions.highlights_question(judge, game).messages[-1]["content"]
    speaker = next(s for s in load_record(game).statements if s.round == 1)
    label = f"{speaker.speaker} ({load_record(game).roles[speaker.seat]}):"
    assert f"{speaker.speaker}: " in hidden
    assert label not in hidden
    assert label in shown
    later = next(s for s in load_record(game).statements if s.round == 2)
    assert later.text not in hidden, "one round a request"


def test_a_sentence_that_nobody_said_is_refused_and_told_once(endpoint: Endpoint) -> None:
    campaign = rating.opened()
    for chosen in list(campaign.chosen.order_by("game__code"))[1:]:
        chosen.delete()
    game = the_game(campaign)
    right, calls = listing(game, {1: [], 2: [], 3: []}), []

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
    judge = run(added(campaign))
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
def test_an_absent_player_or_role_is_no_answer(
    endpoint: Endpoint, data: dict[str, Any], sentence: str
) -> None:
    campaign = rating.opened()
    question = paper_questions.opinions_question(added(campaign), the_game(campaign), 1)
    with pytest.raises(Exception, match=sentence):
        question.read(json.dumps(data))


def test_the_estimate_counts_a_request_a_round_and_one_more(endpoint: Endpoint) -> None:
    campaign = rating.opened()
    judge = added(campaign, draws=5)
    games = judge_runs.games_of(judge)
    assert estimate_judge(judge).requests == 5 * sum(
        len(paper_questions.rounds_of(load_record(game))) + 1 for game in games
    )
    client = signed_in()
    page = client.get(at("judges", campaign)).content.decode()
    assert "lists, for Variation and Memorability" in page
