"""Tests of judges of an experiment: records, limits and scores by condition."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from itertools import count
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from tests.endpoint import Call, Endpoint
from tests.study.desk import sign_in
from webapp.study import analysis, timed_steps
from webapp.study.design.refusals import Refused
from webapp.study.experiments import local_run
from webapp.study.judging import judges
from webapp.study.judging.judge_progress import read_progress
from webapp.study.models import Judge, JudgeScore, Study
from webapp.study.planning import studies
from webapp.study.results.result_table import tables_from_json

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_figures")]


def create_experiment(*, played: bool = True) -> Study:
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": name, "table": {"method": name}} for name in ("baseline", "b5p")]
    design = {
        "table": {"people": 0, "blind": False, "backend": "house"},
        "assignment": {"games": 1},
        "factors": [{"name": "method", "levels": levels}],
    }
    study = studies.create(owner, "Judged", seed="judged", design=design)
    studies.open(study)
    if played:
        list(local_run.play_games(study))
        timed_steps.close_finished()
        study.refresh_from_db()
    return study


def add_judge(study: Study, **more: object) -> Judge:
    defaults = {"name": "Critics", "mode": Judge.PAPER, "backend": "openai", "draws": 2}
    return judges.add(judges.campaign_of_experiment(study), **{**defaults, **more})


def run_metrics(study: Study, format_name: str) -> str:
    output = io.StringIO()
    call_command("metrics", study.code, "--format", format_name, stdout=output)
    return output.getvalue()


def test_experiment_judge_scores_appear_by_condition(endpoint: Endpoint, tmp_path: Path) -> None:
    study = create_experiment()
    numbers = count()

    def answer(_call: Call) -> str:
        return json.dumps({"reason": "Read.", "score": 6 + next(numbers) % 2})

    endpoint.answer = answer
    before = analysis.input_digest(study)
    judge = add_judge(study, limit=12)
    output = io.StringIO()
    call_command("judge", study.code, judge.pseudonym, stdout=output)
    assert "J01: done, 6 of 6, 12 requests" in output.getvalue()
    assert {s.value for s in JudgeScore.objects.filter(judge=judge)} == {6.5}
    assert analysis.input_digest(study) != before, "the results are outdated"
    tables = {t.key: t for t in tables_from_json(analysis.study_results(study)["papers"])}
    rows = [tuple(row.texts()) for row in tables["judge-J01"].rows]
    engagement = {row[1]: row for row in rows if row[0] == "Engagement"}
    assert set(engagement) == {"baseline", "b5p"}
    assert engagement["baseline"][2:4] == ("1", "6.50")
    assert engagement["b5p"][-1] == "8.83", "the published value of an equal condition name"
    assert "Humanized, Table 8" in run_metrics(study, "markdown")
    (scored,) = json.loads(run_metrics(study, "json"))["judges"]
    assert {row["mean"]["value"] for row in scored["scores"][0]["conditions"]} == {6.5}
    client = sign_in("ada")
    page = client.get(reverse("study:study_data", args=[study.code])).content.decode()
    address = reverse("study:study_export", args=[study.code, "judge_scores.csv"])
    assert address in page
    out_file = tmp_path / "export.zip"
    call_command("experiment", "export", study.code, out=out_file, stdout=io.StringIO())
    call_command("study", "verify", out_file, stdout=io.StringIO())
    with zipfile.ZipFile(out_file) as archive:
        scores, codebook = (archive.read(name) for name in ("judge_scores.csv", "codebook.json"))
    assert scores == client.get(address).content
    table = list(csv.DictReader(io.StringIO(scores.decode())))
    assert len(table) == 12
    assert {row["condition"] for row in table} == {"baseline", "b5p"}
    assert list(json.loads(codebook)["columns"]["judge_scores.csv"]) == list(table[0])


def test_experiment_page_adds_judges_but_no_rater_mode(endpoint: Endpoint) -> None:
    study = create_experiment()
    client = sign_in("ada")
    page = client.get(reverse("study:study_judges", args=[study.code]), follow=True)
    text = page.content.decode()
    assert 'value="lists"' in text
    assert 'value="rater"' not in text
    assert text.count('aria-current="page"') == 1
    address = page.redirect_chain[-1][0]
    form = {"name": "Lists", "backend": "openai", "mode": "lists", "draws": "5", "limit": "3"}
    response = client.post(address, form)
    assert response.status_code == 302, response.content.decode()
    judge = Judge.objects.get()
    assert (judge.mode, judge.draws, judge.limit) == (Judge.LISTS, 5, 3)
    assert judge.campaign.study == study
    assert read_progress(judge).total == 2 * 2, "two games with Variation and Memorability"
    with pytest.raises(CommandError, match="paused: limit"):
        call_command("judge", study.code, "J01", stdout=io.StringIO())
    judge.refresh_from_db()
    assert judge.requests == len(endpoint.calls) == 3


def test_invalid_judging_is_rejected_with_the_reason(endpoint: Endpoint) -> None:
    study = create_experiment(played=False)
    with pytest.raises(Refused, match="An experiment has no raters"):
        add_judge(study, mode=Judge.RATER)
    judge = add_judge(study)
    with pytest.raises(CommandError, match="Wait until the experiment is closed"):
        call_command("judge", study.code, judge.pseudonym)
    assert not endpoint.calls
    with pytest.raises(CommandError, match="no campaign, experiment or rating study 'nothing'"):
        call_command("judge", "nothing")
