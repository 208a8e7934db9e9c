"""Tests of the papers' tables of an experiment against counts of the command's output."""

from __future__ import annotations

import html
import json
import re
import zipfile
from collections import Counter
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.game.table import new_game
from tests.study.planted_games import ROLES, cells_by_row, one_night_record
from webapp.measures import decision_change
from webapp.play.models import LLMCall, MindNote
from webapp.study import analysis, timed_steps
from webapp.study.data.studies.game_records import records_by_condition
from webapp.study.data.studies.verification import count_removed_texts
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design
from webapp.study.experiments import local_run
from webapp.study.models import Condition, Slot, Study, StudyAnalysis
from webapp.study.planning import planned_tests, studies, study_plan
from webapp.study.researcher.results.study_result_tables import build_study_results
from webapp.study.results.experiment_facts import fact_tables
from webapp.study.results.paper_figures import paper_figures
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.result_table import tables_from_json
from webapp.study.results.study_rows import name_test

database = pytest.mark.django_db(transaction=True)


def play_experiment(games: int) -> tuple[Study, list[dict[str, Any]]]:
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": name, "table": {"method": name}} for name in ("baseline", "favor")]
    levels[1]["label"] = "With favor"
    study = studies.create(owner, "Two", seed="two", design=Design.from_json({
        "table": {"people": 0, "blind": False},
        "factors": [{"name": "method", "levels": levels}],
        "assignment": {"games": games},
    }))  # fmt: skip
    studies.open(study)
    rows = list(local_run.play_games(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    assert study.state == Study.CLOSED
    return study, rows


def run_metrics(*words: str) -> str:
    output = StringIO()
    call_command("metrics", *words, stdout=output, stderr=StringIO())
    return output.getvalue()


@database
def test_each_format_and_the_page_show_the_played_games(client: Client, tmp_path: Path) -> None:
    study, rows = play_experiment(3)
    expected: dict[tuple[str, str], float] = {}
    for condition in ("baseline", "favor"):
        condition_rows = [row for row in rows if row["condition"] == condition]
        answers = [(row["roles"], vote["target"]) for row in condition_rows for poll in row["polls"]
                   for vote in poll["votes"]]  # fmt: skip
        votes = Counter(roles[target] for roles, target in answers if target)
        for role, holders in Counter(ROLES).items():
            unit = f"{role} 1" if holders > 1 else role
            expected[unit, condition] = 100 * votes[role] / holders / len(answers)
    text = run_metrics(study.code, "--format", "markdown")
    printed = dict(re.findall(r"^\| ([a-z]+(?: 1)?) \| ([^|]+ \| [^|]+) \|$", text, re.MULTILINE))
    for unit in {unit for unit, _condition in expected}:
        expected_shares = (f"{expected[unit, name]:.2f}" for name in ("baseline", "favor"))
        assert printed[unit] == " | ".join(expected_shares)
    assert r"\toprule" in run_metrics(study.code, "--format", "latex")
    json_output = json.loads(run_metrics(study.code))
    assert set(json_output["conditions"]) == {"baseline", "favor"}
    assert json_output["names"] == {"favor": "With favor"}
    client.force_login(study.owner)
    StudyAnalysis.objects.get_or_create(study=study)
    analysis.compute_results(study)
    stored = StudyAnalysis.objects.get().data
    page = client.get(reverse("study:study_results", args=[study.code])).content.decode()
    assert "Participation" not in page
    assert 'id="games-by-condition"' in page
    assert 'id="table-humanized-6"' in page
    assert 'id="design-in-words"' in page
    link = re.search(r'href="([^"]+condition=favor)"', page)
    assert link
    games = client.get(html.unescape(link[1])).content.decode()
    assert "in the condition “With favor”" in games
    check_condition_labels(page, stored)
    condition_rows = [row["game"] for row in rows if row["condition"] == "favor"]
    other_codes = [row["game"] for row in rows if row["condition"] != "favor"]
    assert all(f'code">{code}<' in games for code in condition_rows)
    assert not any(f'code">{code}<' in games for code in other_codes)
    assert 'id="board-of-players"' not in page, "each system plays only with itself"
    assert "endings-survived-by-role.svg" in page
    check_summary_of_wins(stored, rows)
    (favor,) = [t for t in tables_from_json(stored["papers"]) if t.key == "favor-by-round"]
    assert [list(r.texts())[4] for r in favor.rows if list(r.texts())[:3] == [
        "favor", "werewolf", "2"]] == [favor_of_werewolves(rows)]  # fmt: skip
    assert f'<td class="num">{expected["werewolf", "favor"]:.2f}</td>' in re.sub(
        r"\s+(?=<)|(?<=>)\s+", "", page
    )
    check_report(client, study, tmp_path / "report.zip")
    with pytest.raises(CommandError, match="no condition 'nothing'; known: baseline, favor"):
        run_metrics(study.code, "--baseline", "nothing")


def check_summary_of_wins(stored: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Check that a win counts once per team and game and that nothing is pooled."""
    summary = cells_by_row(tables_from_json(stored["facts"])[0])
    for condition, cells in summary.items():
        winners = [row["winner"] for row in rows if row["condition"] == condition]
        shares = (100 * winners.count(t) / len(winners) for t in ("tanner", "village", "werewolf"))
        assert cells[:4] == [str(len(winners)), *(f"{share:.1f}" for share in shares)]
    endings = stored["results"]["sections"]["endings"]["lines"]
    assert {line["condition"] for line in endings} == {"baseline", "favor"}
    assert all(line["n"] == line["games"] == 3 for line in endings if line["measure"] == "won")


def check_condition_labels(page: str, stored: dict[str, Any]) -> None:
    """Check that data files have the condition's name and pages have its label."""
    assert not re.search(r">\s*favor\s*<(?!/code)|>[^<]* − favor\s*<", page.replace("\n", ""))
    assert re.search(r"baseline / With favor\s*<", page), "the design names the level"
    assert re.search(r"With favor</dt>\s*<dd>\s*<code>favor</code>", page)
    assert "With favor" in page
    for text in (stored["markdown"], stored["latex"], stored["figures"]["votes-by-role"],
                 stored["figures"]["endings-survived-by-role"]):  # fmt: skip
        assert "With favor" in text
    assert "| favor |" not in stored["markdown"]
    assert "& favor &" not in stored["latex"]
    for name in ("estimates", "comparisons", "tables_csv"):
        assert "favor" in stored[name]
        assert "With favor" not in stored[name]


def check_report(client: Client, study: Study, archive_file: Path) -> None:
    call_command("experiment", "export", study.code, out=archive_file, stdout=StringIO())
    check_verification(archive_file)
    page = f"/study/studies/{study.code}"
    with zipfile.ZipFile(archive_file) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    report = files["report.html"].decode()
    assert "With favor" in report
    assert "<code>favor</code>" in report
    assert report == client.get(f"{page}/results/take/html").content.decode()
    assert not re.search(r"<(script|link|img|iframe)\b|\ssrc=|href=\"(?!#)|@import", report)
    figures = {n.removeprefix("figures/") for n in files if n.startswith("figures/")}
    assert {"votes-by-role.svg", "votes-by-role.pdf", "favor-by-round.pdf"} <= figures
    assert report.count("<svg") == len(figures) / 2
    for name in (name for name in figures if name.endswith(".pdf")):
        assert files[f"figures/{name}"].startswith(b"%PDF-")
    pdf = client.get(f"{page}/results/figures/votes-by-role.svg?save=pdf")
    assert (pdf["Content-Type"], pdf.content) == (
        "application/pdf", files["figures/votes-by-role.pdf"]
    )  # fmt: skip
    with zipfile.ZipFile(BytesIO(client.get(f"{page}/data/all.zip").content)) as archive:
        assert archive.read("report.html") == files["report.html"]
    assert b"votes-between-roles" in files["report.html"]
    described = json.loads(files["codebook.json"])["columns"]
    for name in ("estimates.csv", "comparisons.csv", "tables.csv"):
        header = files[name].decode().splitlines()[0].split(",")
        assert list(described[name]) == header


def check_verification(archive_file: Path) -> None:
    """Check that the archive verifies and that a changed vote is reported."""

    def verify(file: Path) -> str:
        text = StringIO()
        try:
            call_command("experiment", "verify", file, stdout=text)
        except CommandError as error:
            text.write(str(error))
        return text.getvalue()

    right = verify(archive_file)
    assert re.search(r"[1-9]\d\d figures match the data", right), right
    assert "table-humanized-5: " not in right, "each of its figures is computed again"
    assert "table-guarded-contradictions: " in right
    assert "taken as given, because only the program's own rules read claims" in right
    wrong = archive_file.with_name("wrong.zip")
    with zipfile.ZipFile(archive_file) as archive, zipfile.ZipFile(wrong, "w") as changed:
        for name in archive.namelist():
            text = archive.read(name)
            if name == "votes.csv":
                lines = text.splitlines()
                header = lines[0].split(b",")
                line_number = next(n for n, line in enumerate(lines) if b",poll," in line)
                cells = lines[line_number].split(b",")
                target = header.index(b"target")
                cells[target] = b"1" if cells[target] != b"1" else b"2"
                text = b"\r\n".join(
                    [*lines[:line_number], b",".join(cells), *lines[line_number + 1 :]]
                )
            changed.writestr(name, text)
    report = verify(wrong)
    assert "votes.csv: is not what the manifest has the hash of" in report
    assert "table-humanized-5 / " in report
    assert "table-humanized-6 / " in report


def test_removed_text_is_reported_and_other_change_is_not() -> None:
    before = b"seat,said,text\r\n1,words,I am the Seer.\r\n2,nothing,\r\n"
    removed = before.replace(b"words,I am the Seer.", b"removed,")
    assert count_removed_texts(before, before) == 0
    assert count_removed_texts(before, removed) == 1
    assert count_removed_texts(before, before.replace(b"Seer", b"Mason")) is None
    assert count_removed_texts(before, removed.replace(b"2,nothing", b"3,no")) is None


def favor_of_werewolves(rows: list[dict[str, Any]]) -> str:
    """Return the mean favor towards the Werewolf in round 2 from the agents' notes."""
    means = []
    for row in (row for row in rows if row["condition"] == "favor"):
        wolf = str([*row["roles"].values()].index("werewolf") + 1)
        notes = MindNote.objects.filter(game__code=row["game"], faculty="favor", round=2)
        values = [note.data["favor"][wolf] for note in notes if wolf in note.data["favor"]]
        means.append(fmean(values))
    return f"{fmean(means):.1f}"


@database
def test_failures_labels_and_costs_are_listed_by_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(models=["m"]) as endpoint:
        set_up(monkeypatch, endpoint)
        owner, _new = User.objects.get_or_create(username="ada")
        levels = [{"name": name, "table": {"backend": name}} for name in ("house", "openai")]
        study = studies.create(owner, "Costs", seed="c", design=Design.from_json({
            "table": {"people": 0, "blind": False, "method": "baseline"},
            "factors": [{"name": "model", "levels": levels}],
            "assignment": {"games": 1},
            "experiment": {"fallbacks": 0, "failures": 9},
        }))  # fmt: skip
        studies.open(study)
        endpoint.fail("garbage", times=8)
        list(local_run.play_games(study))
    tables = {table.key: table for table in fact_tables(study)}
    games = cells_by_row(tables["games-by-condition"])
    assert games["house"] == ["1", "0", "0", "0"]
    assert games["openai"][:3] == ["0", "0", "1"]
    assert any(
        "openai, failed: 1 ×" in note for note in tables["games-by-condition"].notes.sentences
    )
    costs = cells_by_row(tables["cost-by-condition"])
    request_count = LLMCall.objects.filter(backend="openai").count()
    built_in = LLMCall.objects.filter(backend="house", game__slot__condition__name="house").count()
    assert costs["house"][:4] == [str(built_in), "0", "0", "0"]
    assert built_in
    assert costs["openai"][1] == str(request_count)
    assert costs["openai"][4] == "–", "the price is unknown"


@database
@pytest.mark.usefixtures("plain_figures")
def test_experiment_conditions_are_compared_as_planned() -> None:
    """Each plannable test is computed. A planned one is confirmatory."""
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": name, "table": {"settings": {"first_sheriff": name}}}
              for name in ("villager", "werewolf")]  # fmt: skip
    design = Design.from_json({
        "table": {"people": 0, "blind": False, "ruleset": "sheriff", "method": "helmsman",
                  "settings": {"election": False, "safe_first_night": True}},
        "factors": [{"name": "sheriff", "levels": levels}],
        "assignment": {"games": 4},
        "analysis": {"tests": [
            {"item": "dc/over_living/computer", "a": "villager", "b": "werewolf"}]},
    })  # fmt: skip
    study = studies.create(owner, "Compared", seed="c", design=design)
    assert study_plan.build_plan(study).problems == []
    studies.open(study)
    list(local_run.play_games(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    outcome = analysis.study_results(study)["results"]
    tables = build_study_results(outcome, ())
    (leadership,) = [one for one in tables["sections"] if one["key"] == "leadership"]
    assert "Ratio, of the other players" in [block["title"] for block in leadership["blocks"]]
    assert leadership["help"].endswith("on all days.")
    comparisons = {
        name_test(one["measure"], one["item"], one["group"]): one
        for section in outcome["sections"].values()
        for one in section["comparisons"]
    }
    cells_planned = build_conditions(design)
    assert set(comparisons) == set(planned_tests.sides_by_test(design, cells_planned))
    planned = comparisons["dc/over_living/computer"]
    assert planned["family"] == "confirmatory"
    assert comparisons["ratio/others/computer"]["family"] != "confirmatory"
    records = records_by_condition(study)
    means = []
    for name in ("villager", "werewolf"):
        figures = [decision_change.decision_change(g, "over_living") for g in records[name]]
        values = [one.value for one in figures if one.value is not None]
        means.append(sum(values) / len(values))
    assert abs(planned["difference"]["value"]) == pytest.approx(abs(means[1] - means[0]))


@database
def test_planted_requests_cost_their_listed_prices(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One game of 90 minutes counts and one of 30 minutes failed. Both cost money."""
    file = tmp_path / "models.toml"
    file.write_text('[dear]\nmodel = "m"\nkey_env = ""\nprice_in = 2.0\nprice_out = 10.0\n')
    monkeypatch.setenv("FABULA_MODELS", str(file))
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": "house"}, {"name": "dear", "table": {"backend": "dear"}}]
    study = studies.create(owner, "Planted", design=Design.from_json({
        "table": {"people": 0, "blind": False},
        "factors": [{"name": "model", "levels": levels}], "assignment": {"games": 2},
    }))  # fmt: skip
    condition = Condition.objects.create(study=study, index=1, name="dear", levels={}, table={})
    Condition.objects.create(study=study, index=0, name="house", levels={}, table={})
    games = [new_game(), new_game()]
    began_at = timezone.now()
    for number, (state, minutes) in enumerate(((Slot.DONE, 90), (Slot.FAILED, 30))):
        Slot.objects.create(
            study=study, condition=condition, index=number, block=0, deal=str(number), state=state,
            void_reason="" if state == Slot.DONE else "the model is gone", game=games[number],
            began_at=began_at, ended_at=began_at + timedelta(minutes=minutes),
        )  # fmt: skip
        event = games[number].events.first()
        assert event
        event.labels = ["fallback:timeout", "stand-in"]
        event.save()
    requests = [(LLMCall.ANSWER, "dear"), (LLMCall.PREPARATION, "dear"), (LLMCall.RIVAL, "dear"),
                (LLMCall.ANSWER, "house")]  # fmt: skip
    used = {"prompt_tokens": 250_000}
    for number, game in enumerate(games):
        for purpose, backend in requests:
            LLMCall.objects.create(
                game=game, seat=1, purpose=purpose, window=f"{purpose}/{backend}", step="s",
                backend=backend, kind="vote", brief={}, seconds=1,
                exchange={"usage": used | {"completion_tokens": 50_000 * number}},
            )  # fmt: skip
    tables = {table.key: table for table in fact_tables(study)}
    # 4 requests: 1,000,000 tokens in for 2, and 2 × 50,000 out for 1; 2 hours.
    assert cells_by_row(tables["cost-by-condition"])["dear"][1:] == [
        "4",
        "1000000",
        "100000",
        "3.00",
        "2.0",
    ]
    assert cells_by_row(tables["cost-by-condition"])["house"][1:] == ["0", "0", "0", "0.00", "0.0"]
    assert cells_by_row(tables["games-by-condition"])["dear"] == ["1", "0", "1", "0", "1"]
    notes = tables["games-by-condition"].notes.sentences
    assert "dear, failed: 1 × the model is gone." in notes
    assert [c.header for c in tables["games-by-condition"].columns][-1] == "fallback"
    assert next(iter(cells_by_row(tables["games-by-condition"]))) == "dear", "fails most often"
    LLMCall.objects.exclude(backend="house").delete()
    tables = {table.key: table for table in fact_tables(study)}
    assert cells_by_row(tables["cost-by-condition"])["dear"][1:] == ["0", "0", "0", "0.00", "2.0"]


def test_single_condition_and_empty_experiment_have_no_comparison() -> None:
    assert paper_tables({"only": [], "none": []}, "only") == []
    assert paper_figures({"only": []}, "only") == {}
    alone = paper_figures({"only": [one_night_record([6] * 8, exiled_seat=6)]}, "only")
    assert {"votes-by-role", "wins-by-team"} <= set(alone)
