"""The papers' tables of an experiment, against values counted from what the command prints."""

from __future__ import annotations

import csv
import html
import json
import re
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.game.table import new_game
from tests.lab.making import day, game
from tests.lab.test_decision_change import ABSTAINED, MOVED
from webapp.measures import decision_change
from webapp.measures.game_record import Claim, GameRecord, Inducement, Poll
from webapp.play.models import LLMCall, MindNote
from webapp.study import analysis, timed_steps
from webapp.study.data.studies.game_records import records_by_condition
from webapp.study.data.studies.verification import removed_texts
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design
from webapp.study.experiments import here
from webapp.study.models import Condition, Slot, Study, StudyAnalysis
from webapp.study.planning import planned_tests, studies
from webapp.study.researcher.results.study_result_tables import study_results
from webapp.study.results.experiment_facts import experiment_tables
from webapp.study.results.figures import estimates
from webapp.study.results.paper_figures import paper_figures
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.result_table import (
    ResultTable,
    from_data,
    latex,
    markdown,
    table_cells,
)
from webapp.study.results.study_results import results
from webapp.study.results.study_rows import GameRow, StudyRows, name_test

database = pytest.mark.django_db(transaction=True)
ROLES = ("seer", "mason", "mason", "villager", "villager", "werewolf", "minion", "tanner")
EXILE_WINS = {"werewolf": "village", "tanner": "tanner", "": "werewolf"}


def one_night(votes: list[int | None], out: int, code: str = "a") -> GameRecord:
    """A game of eight in which seat n casts votes[n - 1] in one straw poll, and `out` is exiled."""
    roles = dict(enumerate(ROLES, 1))
    teams = {s: {"werewolf": "werewolf", "minion": "werewolf", "tanner": "tanner"}.get(r, "village")
             for s, r in roles.items()}  # fmt: skip
    winner = EXILE_WINS.get(roles[out], EXILE_WINS[""])
    winners = frozenset(s for s, team in teams.items() if team == winner)
    poll = Poll(1, 1, dict(enumerate(votes, 1)))
    return GameRecord(
        code, "one-night", False, roles, teams, winner=winner, winners=winners, polls=(poll,),
        exile_wins=EXILE_WINS,
    )  # fmt: skip


def cells(table: ResultTable) -> dict[str, list[str]]:
    """A row's first cell -> the others."""
    rows = [list(row.texts()) for row in table.rows]
    return {first: rest for first, *rest in rows}


def by_key(tables: list[ResultTable]) -> dict[str, ResultTable]:
    return {table.key: table for table in tables}


def test_planted_games_have_the_figures_of_table_5_6_and_7() -> None:
    """baseline: 8 polls, 4 for the Werewolf, 2 for a Mason, one for the Tanner, one invalid."""
    baseline = [one_night([6, 6, 6, 6, 2, 3, 8, None], out=6)]
    full = [one_night([8, 8, 8, 8, 8, 8, 8, 8], out=8), one_night([6] * 8, out=1, code="b")]
    tables = by_key(paper_tables({"baseline": baseline, "full": full}, "baseline"))
    shares = cells(tables["table-humanized-6"])
    assert shares["werewolf"] == ["50.00", "50.00"]
    assert shares["mason 1"] == shares["mason 2"] == ["12.50", "0.00"], "2 of 8, split over two"
    assert shares["tanner"] == ["12.50", "50.00"]
    assert shares["seer, published"] == ["5.51", "5.76"]
    variation = cells(tables["table-humanized-5"])
    units = [0, 1 / 8, 1 / 8, 0, 0, 4 / 8, 0, 1 / 8]
    assert variation["baseline"][:2] == ["8", f"{1 / pstdev(units):.3f}"]
    assert variation["full"][-1] == "15.212?"
    called = cells(tables["table-humanized-7"])
    assert called["village"] == ["12.50", "50.00", "50.00"]
    assert called["tanner"] == ["12.50", "12.50", "50.00 ↑"]
    assert called["werewolf"] == ["75.00", "37.50", "0.00 ↓"], "with the invalid poll, as the paper"
    assert called["village, published"] == ["12.5", "22.1", "21.33"]
    wins = cells(tables["table-humanized-7-wins"])
    assert wins["village"] == ["12.50", "100.00", "0.00 ↓"]
    assert wins["tanner"] == ["12.50", "0.00", "50.00 ↑"]
    assert wins["werewolf"] == ["75.00", "0.00", "50.00 ↑"]


def test_the_figures_say_their_values_and_are_the_same_bytes_again() -> None:
    conditions = {"baseline": [one_night([6, 6, 6, 6, 2, 3, 8, None], out=6)],
                  "full": [one_night([8] * 8, out=8)]}  # fmt: skip
    figures = paper_figures(conditions, "baseline")
    assert "full: mason 1 0.0 %, mason 2 0.0 %" in figures["votes-by-role"]
    assert "tanner 100.0 %" in figures["votes-by-role"]
    assert "baseline, minion: " in figures["votes-between-roles"]
    assert "<image" not in figures["votes-between-roles"], "a page may load nothing"
    assert paper_figures(conditions, "baseline") == figures
    between = by_key(paper_tables(conditions, "baseline"))["votes-between-roles"]
    rows = {tuple(list(row.texts())[:2]): list(row.texts())[2:] for row in between.rows}
    roles = ["mason", "minion", "seer", "tanner", "villager", "werewolf"]
    assert rows["baseline", "mason"] == ["0.0"] * 5 + ["100.0"]
    assert rows["baseline", "villager"][roles.index("mason")] == "50.0"
    assert rows["baseline", "tanner"] == ["0.0"] * 6, "its answer was invalid"


def test_an_undefined_value_has_a_reason_and_is_never_0() -> None:
    even = [one_night([1, 2, 3, 4, 5, 6, 7, 8], out=1)]
    tables = by_key(paper_tables({"even": even, "empty": []}, "even"))
    table = tables["table-humanized-5"]
    assert cells(table) == {"even": ["8", "–", "–", "–", "–"]}
    assert "judgement variation: every unit has the same share." in table.notes.sentences
    led = by_key(paper_tables({"one": [game()]}, "one"))["table-helmsman-1"]
    assert "–" in cells(led)["one"]
    assert any("in no game" in sentence for sentence in led.notes.sentences)


def test_a_model_named_as_in_the_paper_stands_beside_its_column() -> None:
    tables = by_key(paper_tables({"glm-4+homogeneous": [game()], "other": [game()]}, "other"))
    rows = cells(tables["table-helmsman-1"])
    first = rows["GLM-4, published, Table 1 (heterogeneous)"]
    assert first[:5] == ["30", "1.167", "–", "0.113", "–"]
    elected = rows["GLM-4, published, Table 19 (homogeneous, elected)"]
    assert elected[:4] == ["10", "1.152", "–", "0.098"]
    (outcomes,) = (row for name, row in rows.items() if "Table 24" in name)
    assert outcomes[-3:] == ["0.433", "0.615", "0.266"]
    assert [name for name in rows if "published" not in name] == ["glm-4+homogeneous", "other"]
    assert not any("Table 2 " in name for name in rows), "fine-tuned: GLM-4 is not in it"
    roles = rows_of(tables["table-helmsman-25"])
    assert ["GLM-4, published", "werewolf", "0.958", "–", "1.054", "–"] in roles


def test_a_model_named_as_in_the_paper_is_a_point_in_its_figures() -> None:
    """Helmsman, Table 1: GLM-4 has a Ratio of 1.167 and a DC of 0.113."""
    rows = StudyRows(("glm-4+homogeneous", "other"), by_itself=True, games=tuple(
        GameRow(str(n), str(n), ("glm-4+homogeneous", "other")[n % 2], record=record)
        for n, record in enumerate([*sheriffs()[:2], *sheriffs()[:2]])
    ))  # fmt: skip
    outcome = results(rows) | {"by_itself": True}
    drawn = estimates(outcome)
    assert "Helmsman, GLM-4" in drawn["leadership-dc-over_living"]
    assert "Helmsman" not in drawn["leadership-dc-over_others"]
    lines = [one for one in outcome["sections"]["leadership"]["lines"] if one["published"]]
    assert {(o["measure"], p["value"]) for o in lines for p in o["published"]} == {("dc", 0.113)}
    (led,) = [one for one in study_results(outcome, ())["sections"] if one["key"] == "leadership"]
    texts = [
        list(row.texts()) for block in led["blocks"] for t in block["tables"] for row in t.rows
    ]
    (row,) = [row for row in texts if row[0] == "Published: GLM-4 in Helmsman, Table 1"]
    assert "0.113" in row


def test_systems_and_attempts_are_counted() -> None:
    systems = {1: "a", 2: "b", 3: "b", 4: "a", 5: "b"}
    games = [game(systems=systems, inducements=(Inducement(1, 5, 2, "call"),)), game(code="b")]
    tables = by_key(paper_tables({"one": games}, "one"))
    wins = cells(tables["table-impressions-5"])
    assert wins["a"] == ["–", "100.0 (1; 21 to 100)", "–", "0.0 (1; 0 to 79)"]
    assert wins["b"][2] == "100.0 (1; 21 to 100)"


def played(games: int) -> tuple[Study, list[dict[str, Any]]]:
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": name, "table": {"method": name}} for name in ("baseline", "favor")]
    study = studies.create(owner, "Two", seed="two", design=Design.of({
        "table": {"people": 0, "blind": False},
        "factors": [{"name": "method", "levels": levels}],
        "assignment": {"games": games},
    }))  # fmt: skip
    studies.open(study)
    rows = list(here.play(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    assert study.state == Study.CLOSED
    return study, rows


def metrics(*words: str) -> str:
    out = StringIO()
    call_command("metrics", *words, stdout=out, stderr=StringIO())
    return out.getvalue()


@database
def test_every_format_and_the_page_show_what_was_played(client: Client, tmp_path: Path) -> None:
    study, rows = played(3)
    expected: dict[tuple[str, str], float] = {}
    for condition in ("baseline", "favor"):
        own = [row for row in rows if row["condition"] == condition]
        answers = [(row["roles"], vote["target"]) for row in own for poll in row["polls"]
                   for vote in poll["votes"]]  # fmt: skip
        votes = Counter(roles[target] for roles, target in answers if target)
        for role, holders in Counter(ROLES).items():
            unit = f"{role} 1" if holders > 1 else role
            expected[unit, condition] = 100 * votes[role] / holders / len(answers)
    text = metrics(study.code, "--format", "markdown")
    printed = dict(re.findall(r"^\| ([a-z]+(?: 1)?) \| ([^|]+ \| [^|]+) \|$", text, re.MULTILINE))
    for unit in {unit for unit, _condition in expected}:
        wanted = (f"{expected[unit, name]:.2f}" for name in ("baseline", "favor"))
        assert printed[unit] == " | ".join(wanted)
    assert r"\toprule" in metrics(study.code, "--format", "latex")
    whole = json.loads(metrics(study.code))
    assert set(whole["conditions"]) == {"baseline", "favor"}
    client.force_login(study.owner)
    StudyAnalysis.objects.get_or_create(study=study)
    analysis.compute_results(study)
    stored = StudyAnalysis.objects.get().data
    page = client.get(reverse("study:study_results", args=[study.code])).content.decode()
    assert "Who took part" not in page
    assert 'id="games-by-condition"' in page
    assert 'id="table-humanized-6"' in page
    assert 'id="design-in-words"' in page
    listed = re.search(r'href="([^"]+condition=favor)"', page)
    assert listed
    games = client.get(html.unescape(listed[1])).content.decode()
    own = [row["game"] for row in rows if row["condition"] == "favor"]
    others = [row["game"] for row in rows if row["condition"] != "favor"]
    assert all(f'code">{code}<' in games for code in own)
    assert not any(f'code">{code}<' in games for code in others)
    assert 'id="board-of-players"' not in page, "each system plays with itself alone"
    assert "endings-survived-by-role.svg" in page
    (favor,) = [t for t in from_data(stored["papers"]) if t.key == "favor-by-round"]
    assert [list(r.texts())[4] for r in favor.rows if list(r.texts())[:3] == [
        "favor", "werewolf", "2"]] == [favor_of_werewolves(rows)]  # fmt: skip
    assert f'<td class="num">{expected["werewolf", "favor"]:.2f}</td>' in re.sub(
        r"\s+(?=<)|(?<=>)\s+", "", page
    )
    the_report_needs_nothing_else(client, study, tmp_path / "report.zip")
    with pytest.raises(CommandError, match="no condition 'nothing'; known: baseline, favor"):
        metrics(study.code, "--baseline", "nothing")


def the_report_needs_nothing_else(client: Client, study: Study, out: Path) -> None:
    call_command("experiment", "export", study.code, out=out, stdout=StringIO())
    verify_finds_what_is_wrong(out)
    page = f"/study/studies/{study.code}"
    with zipfile.ZipFile(out) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    report = files["report.html"].decode()
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


def verify_finds_what_is_wrong(out: Path) -> None:
    """The archive is right; a changed vote changes figures."""

    def verify(file: Path) -> str:
        text = StringIO()
        try:
            call_command("experiment", "verify", file, stdout=text)
        except CommandError as error:
            text.write(str(error))
        return text.getvalue()

    right = verify(out)
    assert re.search(r"[1-9]\d\d figures are as its data give them", right), right
    assert "table-humanized-5: " not in right, "every figure of it is computed again"
    wrong = out.with_name("wrong.zip")
    with zipfile.ZipFile(out) as archive, zipfile.ZipFile(wrong, "w") as changed:
        for name in archive.namelist():
            text = archive.read(name)
            if name == "votes.csv":
                lines = text.splitlines()
                at = next(n for n, line in enumerate(lines) if b",poll," in line)
                cells = lines[at].split(b",")
                cells[-2] = b"1" if cells[-2] != b"1" else b"2"
                text = b"\r\n".join([*lines[:at], b",".join(cells), *lines[at + 1 :]])
            changed.writestr(name, text)
    found = verify(wrong)
    assert "votes.csv: is not what the manifest has the hash of" in found
    assert "table-humanized-5 / " in found
    assert "table-humanized-6 / " in found


def test_a_text_that_was_removed_since_is_reported_and_another_change_is_not() -> None:
    before = b"seat,said,text\r\n1,words,I am the Seer.\r\n2,nothing,\r\n"
    removed = before.replace(b"words,I am the Seer.", b"removed,")
    assert removed_texts("utterances.csv", before, before) == 0
    assert removed_texts("utterances.csv", before, removed) == 1
    assert removed_texts("utterances.csv", before, before.replace(b"Seer", b"Mason")) is None
    assert removed_texts("utterances.csv", before, removed.replace(b"2,nothing", b"3,no")) is None


def favor_of_werewolves(rows: list[dict[str, Any]]) -> str:
    """The mean favor of the others towards the Werewolf in round 2, from the agents' notes."""
    means = []
    for row in (row for row in rows if row["condition"] == "favor"):
        wolf = str([*row["roles"].values()].index("werewolf") + 1)
        notes = MindNote.objects.filter(game__code=row["game"], faculty="favor", round=2)
        values = [note.data["favor"][wolf] for note in notes if wolf in note.data["favor"]]
        means.append(fmean(values))
    return f"{fmean(means):.1f}"


@database
def test_failures_labels_and_costs_stand_by_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(models=["m"]) as endpoint:
        set_up(monkeypatch, endpoint)
        owner, _new = User.objects.get_or_create(username="ada")
        levels = [{"name": name, "table": {"backend": name}} for name in ("house", "openai")]
        study = studies.create(owner, "Costs", seed="c", design=Design.of({
            "table": {"people": 0, "blind": False, "method": "baseline"},
            "factors": [{"name": "model", "levels": levels}],
            "assignment": {"games": 1},
            "experiment": {"fallbacks": 0, "failures": 9},
        }))  # fmt: skip
        studies.open(study)
        endpoint.fail("garbage", times=8)
        list(here.play(study))
    tables = {table.key: table for table in experiment_tables(study)}
    games = cells(tables["games-by-condition"])
    assert games["house"] == ["1", "0", "0", "0"]
    assert games["openai"][:3] == ["0", "0", "1"]
    assert any(
        "openai, failed: 1 ×" in note for note in tables["games-by-condition"].notes.sentences
    )
    costs = cells(tables["cost-by-condition"])
    asked = LLMCall.objects.filter(backend="openai").count()
    assert costs["house"][:3] == ["0", "0", "0"]
    assert costs["openai"][0] == str(asked)
    assert costs["openai"][3] == "–", "the price is not known"


@database
def test_conditions_of_an_experiment_are_compared_as_planned() -> None:
    """Every test that can be planned is made; one that is planned is confirmatory."""
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": name, "table": {"settings": {"first_sheriff": name}}}
              for name in ("villager", "werewolf")]  # fmt: skip
    design = Design.of({
        "table": {"people": 0, "blind": False, "ruleset": "sheriff", "method": "helmsman",
                  "settings": {"election": False, "safe_first_night": True}},
        "factors": [{"name": "sheriff", "levels": levels}],
        "assignment": {"games": 6},
        "analysis": {"tests": [
            {"item": "dc/over_living/computer", "a": "villager", "b": "werewolf"}]},
    })  # fmt: skip
    study = studies.create(owner, "Compared", seed="c", design=design)
    assert studies.plan(study).problems == []
    studies.open(study)
    list(here.play(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    outcome = analysis.study_results(study)["results"]
    shown = study_results(outcome, ())
    (led,) = [one for one in shown["sections"] if one["key"] == "leadership"]
    assert "Ratio, of the others" in [block["title"] for block in led["blocks"]]
    assert led["help"].endswith("on all days.")
    made = {
        name_test(one["measure"], one["item"], one["group"]): one
        for section in outcome["sections"].values()
        for one in section["comparisons"]
    }
    cells_planned = build_conditions(design)
    assert set(made) == set(planned_tests.sides_by_test(design, cells_planned))
    planned = made["dc/over_living/computer"]
    assert planned["family"] == "confirmatory"
    assert made["ratio/others/computer"]["family"] != "confirmatory"
    records = records_by_condition(study)
    means = []
    for name in ("villager", "werewolf"):
        figures = [decision_change.decision_change(g, "over_living") for g in records[name]]
        values = [one.value for one in figures if one.value is not None]
        means.append(sum(values) / len(values))
    assert abs(planned["difference"]["value"]) == pytest.approx(abs(means[1] - means[0]))


@database
def test_planted_requests_cost_what_their_prices_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two games of a condition, 90 and 30 minutes: one counts, one failed; both are paid for."""
    file = tmp_path / "models.toml"
    file.write_text('[dear]\nmodel = "m"\nkey_env = ""\nprice_in = 2.0\nprice_out = 10.0\n')
    monkeypatch.setenv("FABULA_MODELS", str(file))
    owner, _new = User.objects.get_or_create(username="ada")
    levels = [{"name": "house"}, {"name": "dear", "table": {"backend": "dear"}}]
    study = studies.create(owner, "Planted", design=Design.of({
        "table": {"people": 0, "blind": False},
        "factors": [{"name": "model", "levels": levels}], "assignment": {"games": 2},
    }))  # fmt: skip
    condition = Condition.objects.create(study=study, index=1, name="dear", levels={}, table={})
    Condition.objects.create(study=study, index=0, name="house", levels={}, table={})
    games = [new_game(), new_game()]
    begin = timezone.now()
    for number, (state, minutes) in enumerate(((Slot.DONE, 90), (Slot.FAILED, 30))):
        Slot.objects.create(
            study=study, condition=condition, index=number, block=0, deal=str(number), state=state,
            void_reason="" if state == Slot.DONE else "the model is gone", game=games[number],
            began_at=begin, ended_at=begin + timedelta(minutes=minutes),
        )  # fmt: skip
        event = games[number].events.first()
        assert event
        event.labels = ["fallback:timeout", "stand-in"]
        event.save()
    asked = [(LLMCall.ANSWER, "dear"), (LLMCall.PREPARATION, "dear"), (LLMCall.RIVAL, "dear"),
             (LLMCall.ANSWER, "house")]  # fmt: skip
    used = {"prompt_tokens": 250_000}
    for number, of in enumerate(games):
        for purpose, backend in asked:
            LLMCall.objects.create(
                game=of, seat=1, purpose=purpose, window=f"{purpose}/{backend}", step="s",
                backend=backend, kind="vote", brief={}, seconds=1,
                exchange={"usage": used | {"completion_tokens": 50_000 * number}},
            )  # fmt: skip
    tables = {table.key: table for table in experiment_tables(study)}
    # 4 requests: 1,000,000 tokens in for 2, and 2 × 50,000 out for 1; 2 hours.
    assert cells(tables["cost-by-condition"])["dear"] == ["4", "1000000", "100000", "3.00", "2.0"]
    assert cells(tables["cost-by-condition"])["house"] == ["0", "0", "0", "0.00", "0.0"]
    assert cells(tables["games-by-condition"])["dear"] == ["1", "0", "1", "0", "1"]
    notes = tables["games-by-condition"].notes.sentences
    assert "dear, failed: 1 × the model is gone." in notes
    assert [c.header for c in tables["games-by-condition"].columns][-1] == "fallback"
    assert next(iter(cells(tables["games-by-condition"]))) == "dear", "it fails most often"
    LLMCall.objects.exclude(backend="house").delete()
    keys = [table.key for table in experiment_tables(study)]
    assert keys == ["design-in-words", "games-by-condition"]


def sheriffs() -> list[GameRecord]:
    """Three games: the Seer led two of them, the Guard one; one of the Seer's was not completed."""
    attempts = [Inducement(1, seat, target, "call") for seat, target in ((5, 2), (4, 2), (5, 3))]
    lost = {"winner": "werewolf", "winners": frozenset({4, 5}), "dead": frozenset({1})}
    return [
        game(MOVED, ABSTAINED, inducements=tuple(attempts[:2]), exiles=frozenset({(1, 2)})),
        game(ABSTAINED, code="b", leader=2, inducements=(attempts[2],), exiles=frozenset({(1, 3)})),
        game(day(), code="c", reason="sheriff_dead", inducements=(attempts[0],), **lost),
    ]


def test_planted_games_of_a_sheriff_have_their_lead_and_their_attempts() -> None:
    """DC of the days by hand: 2/4 and 1/4 over the others, 2/5 and 1/5 over all living."""
    tables = by_key(paper_tables({"one": sheriffs(), "polled": [one_night([6] * 8, out=6)]}, "one"))
    lead = cells(tables["table-helmsman-1"])
    assert list(lead) == ["one"], "where nobody leads there is no row"
    # Two games have a DC: (3/8 + 1/4) / 2 and (3/10 + 1/5) / 2, and a DC* of (1/2 + 2/5) / 2.
    # Two of three are completed and won.
    assert lead["one"] == ["3", "–", "0.312", "0.250", "0.450", "–", "0.667", "1.000", "0.667"]
    by_role = [list(row.texts()) for row in tables["figure-helmsman-3"].rows]
    assert by_role == [
        ["one", "guard", "1", "–", "–", "0.200", "–"], ["one", "seer", "2", "–", "–", "0.300", "–"]
    ]  # fmt: skip
    drawn = paper_figures({"one": sheriffs()}, "one")
    assert "seer, one: 0.30, n 1" in drawn["lead-by-role-dc"]
    assert "lead-by-role" not in drawn, "nobody has a Ratio"
    attempts = {row[1]: row[2:4] for row in rows_of(tables["table-impressions-8"])}
    assert attempts["werewolf, call"] == ["4", "3"]
    assert attempts["targets pressed by 1"] == ["2", "1"], "one of two, and not a half"
    assert attempts["targets pressed by 2"] == ["1", "1"]
    notes = tables["table-humanized-6"].notes.sentences
    assert "polled: 8 polls." in notes
    without = by_key(paper_tables({"one": sheriffs()}, "one"))
    assert not {"table-humanized-5", "table-humanized-6"} & set(without)
    assert "table-helmsman-1" not in by_key(paper_tables({"p": [one_night([6] * 8, out=6)]}, "p"))


def test_systems_stand_side_by_side_in_one_ruleset_only() -> None:
    alone = game(systems=dict.fromkeys(range(1, 6), "a"))
    assert "table-impressions-5" not in by_key(paper_tables({"one": [alone]}, "one"))
    both = game(systems={1: "a", 2: "b"})
    other = replace(both, ruleset="aiwolf-5")
    assert "table-impressions-5" in by_key(paper_tables({"one": [both]}, "one"))
    mixed = {"one": [both], "two": [other]}
    assert "table-impressions-5" not in by_key(paper_tables(mixed, "one"))


def test_planted_claims_are_counted_by_kind_and_together() -> None:
    """One takes another role and votes for another than announced: the vote is not in the sum."""
    claims = (
        Claim(1, 5, "role", "seer"), Claim(1, 5, "look", "seer", (2,), "werewolf", 1),
        Claim(1, 5, "look", "seer", (2,), "human", 1), Claim(1, 5, "role", "guard"),
    )  # fmt: skip
    games = [game(day(votes={5: 3}), claims=claims, systems={5: "x"})]
    (row,) = rows_of(by_key(paper_tables({"one": games}, "one"))["table-guarded-contradictions"])
    kinds = [float(value) for value in row[2:]]
    assert kinds[-2] == sum(kinds[:-2]) == 2
    assert len(set(kinds[:-1])) > 1


def test_games_of_different_decks_are_not_drawn_together() -> None:
    first = one_night([6] * 8, out=6)
    roles = {**first.roles, 8: "villager"}
    drawn = paper_figures({"one": [first], "two": [replace(first, roles=roles)]}, "one")
    assert set(drawn) == {"wins-by-team"}
    assert set(paper_figures({"one": [first]}, "one")) == {
        "votes-by-role", "votes-between-roles", "wins-by-team"
    }  # fmt: skip


def rows_of(table: ResultTable) -> list[list[str]]:
    return [list(row.texts()) for row in table.rows]


STRANGE = ("=1+1", "שלום " * 40, "n" * 200, "a|b & 50 % of <b>", *(f"cell-{n}" for n in range(60)))


def test_strange_names_and_64_conditions_have_tables_figures_and_safe_files() -> None:
    games = {name: [one_night([6] * 8, out=6, code=str(n))] for n, name in enumerate(STRANGE)}
    tables, figures = paper_tables(games, STRANGE[0]), paper_figures(games, STRANGE[0])
    assert {"votes-by-role", "wins-by-team"} <= set(figures)
    for svg in figures.values():
        ElementTree.fromstring(svg)
    cells_read = list(csv.DictReader(StringIO(table_cells(tables).decode())))
    assert {row["column"] for row in cells_read if row["table"] == "table-humanized-6"} == {
        "'=1+1", *STRANGE[1:]
    }  # fmt: skip
    assert not any(value.startswith("=") for row in cells_read for value in row.values())
    assert r"a\textbar{}b \& 50 \% of \textless{}b\textgreater{}" in latex(tables)
    assert r"a\|b \& 50 % of \<b\>" in markdown(tables)
    for table in tables:
        table.link_games({name: f"#games-{n}" for n, name in enumerate(STRANGE)} | {"": "#games"})
    assert by_key(tables)["table-humanized-5"].rows[0].cells[0].address == "#games-0"
    assert by_key(tables)["table-humanized-6"].columns[1].address == "#games-0"


def test_one_cell_and_no_finished_game_have_no_comparison() -> None:
    assert paper_tables({"only": [], "none": []}, "only") == []
    assert paper_figures({"only": []}, "only") == {}
    alone = paper_figures({"only": [one_night([6] * 8, out=6)]}, "only")
    assert {"votes-by-role", "wins-by-team"} <= set(alone)
