"""Tests of a study's planned tests: their names, rehearsal by simulation and registration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from webapp.study.design.conditions import build_conditions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Study
from webapp.study.planning import ready, studies, study_plan
from webapp.study.planning.planned_tests import sides_by_test
from webapp.study.rehearsal.rehearsal_options import PowerOptions
from webapp.study.rehearsal.study_power import rehearse_tests, simulate_games
from webapp.study.results.study_results import build_results
from webapp.study.results.study_rows import AnswerRow, GameRow, GuessRow, ItemRow, StudyRows

KIND = "who-is-human.kind"
TESTS = [
    {"item": f"right/{KIND}/computer", "a": "full", "b": "none", "margin": 0.1},
    {"item": "impressions.enjoyed", "a": "none", "b": "full"},
]


def create_design(games: int = 6, tests: Any = TESTS, **analysis: Any) -> Design:
    data = ready.get("who-is-human").design.to_json()
    levels = [{"name": "full"}, {"name": "none", "table": {"method": "baseline"}}]
    data["factors"] = [{"name": "mind", "levels": levels}]
    data["assignment"] |= {"games": games, "deals": "shared"}
    return Design.from_json({**data, "analysis": {"tests": tests, **analysis}})


def create_draft(design: Design) -> Study:
    owner, _new = User.objects.get_or_create(username="ada")
    return studies.create(owner, "Minds", design=design, seed="s")


def ignore_output(_text: str) -> None:
    """Discard the progress output."""


def test_design_without_analysis_plan_keeps_its_data() -> None:
    data = create_design(tests=[]).to_json()
    assert "analysis" not in data
    assert Design.from_json({**data, "analysis": {}}).to_json() == data


@pytest.mark.django_db
def test_plan_accepts_only_tests_that_the_results_contain() -> None:
    design = create_design()
    sides = sides_by_test(design, build_conditions(design))
    assert sides[f"right/{KIND}/computer"] == ["full", "none"]
    assert sides[f"told_apart/{KIND}"] == ["computer", "person"]
    item = ItemRow("impressions.enjoyed", "", "scale", 1, 5)
    games = [GameRow(f"{s}{n}", f"{s}{n}", s, (f"P{s}{n}",)) for s in "ab" for n in range(3)]
    rows = StudyRows(
        ("a", "b"), tuple(games), items=(item,),
        guesses=tuple(GuessRow(g.code, g.people[0], seat, KIND, "human", "person", kind)
                      for g in games for seat, kind in enumerate(("person", "computer"), 2)),
        answers=tuple(AnswerRow(g.people[0], g.code, g.condition, item.key, 1.0 + n % 3)
                      for n, g in enumerate(games)),
        planned=({"item": item.key, "a": "b", "b": "a", "margin": 1.0},),
    )  # fmt: skip
    sections = build_results(rows)["sections"]
    tests = [one for part in sections.values() for one in part["comparisons"]]
    names = {"/".join(filter(None, (t["measure"].replace("mean", ""), t["item"], t["group"])))
             for t in tests}  # fmt: skip
    assert names == {item.key, f"right/{KIND}", f"right/{KIND}/computer", f"told_apart/{KIND}"}
    assert names < set(sides)
    families = {t["item"]: t["family"] for t in tests if t["condition"] == ""}
    assert families == {item.key: "confirmatory", KIND: "exploratory"}
    (planned,) = [t for t in tests if t["item"] == item.key]
    assert planned["equivalence"]["margin"] == 1.0
    assert 0 < planned["equivalence"]["value"] < 1
    study = create_draft(create_design(tests=[{"item": "wonder", "a": "full", "b": "none"}]))
    assert "A planned test uses “wonder”" in " ".join(study_plan.build_plan(study).problems)


@pytest.mark.django_db
def test_plan_notes_unreachable_significance() -> None:
    few, enough = (
        study_plan.build_plan(create_draft(create_design(games))).notes for games in (6, 8)
    )
    assert any("smallest possible p of a comparison of two is 0.0312" in note for note in few)
    assert not any("smallest possible p" in note for note in enough)


def test_simulated_people_are_seated_by_the_design() -> None:
    design = create_design(4)
    design = design.model_copy(
        update={"assignment": design.assignment.model_copy(update={"games_each": 2})}
    )
    games = simulate_games(design, build_conditions(design))
    assert len(games) == 8
    played: dict[str, list[GameRow]] = {}
    for game in games:
        assert len(set(game.row.people)) == 3
        for name in game.row.people:
            played.setdefault(name, []).append(game.row)
    assert max(map(len, played.values())) == 2
    for rows in played.values():
        assert len({row.condition for row in rows}) == len({row.deal for row in rows}) == len(rows)


def test_power_grows_with_the_effect() -> None:
    options = PowerOptions(effect=3.0, noise=0.1, runs=6)
    result = rehearse_tests(create_design(8), options, ignore_output)
    assert [row["test"]["item"] for row in result["tests"]] == [test["item"] for test in TESTS]
    for row in result["tests"]:
        assert row["power"]["value"] > 0.6
        assert row["difference"] > 0
        assert row["type_i_error"]["value"] < 0.5
    assert rehearse_tests(create_design(8), options, ignore_output)["tests"] == result["tests"]
    none = rehearse_tests(create_design(8), replace(options, effect=0.0), ignore_output)["tests"]
    assert [row["power"] for row in none] == [row["type_i_error"] for row in none]


def test_only_tests_that_can_be_simulated_are_rehearsed() -> None:
    with pytest.raises(Refused, match="None of the planned tests can be simulated"):
        rehearse_tests(create_design(tests=[]), PowerOptions(runs=1), ignore_output)
    with pytest.raises(Refused, match="“wonder” can’t be simulated"):
        rehearse_tests(create_design(), PowerOptions(runs=1, item="wonder"), ignore_output)
    options = PowerOptions(runs=1, item="impressions.enjoyed", between=("full", "full"))
    with pytest.raises(Refused, match="Choose two of these conditions"):
        rehearse_tests(create_design(), options, ignore_output)


@pytest.fixture
def rehearsed(tmp_path: Path) -> tuple[Study, Path]:
    study = create_draft(create_design())
    output = StringIO()
    call_command("rehearse", study.code, power=True, runs=2, stdout=output, stderr=StringIO())
    (tmp_path / "rehearsal.json").write_text(output.getvalue())
    (tmp_path / "hypotheses.md").write_text("They are found out more often.")
    return study, tmp_path


def preregister(study: Study, folder: Path, name: str = "registered.json") -> dict[str, Any]:
    files = {"rehearsal": folder / "rehearsal.json", "hypotheses": folder / "hypotheses.md"}
    call_command("preregister", study.code, out=folder / name, **files, stdout=StringIO())
    data: dict[str, Any] = json.loads((folder / name).read_text())
    return data


@pytest.mark.django_db
def test_study_is_registered_with_its_tests_and_rehearsal(rehearsed: tuple[Study, Path]) -> None:
    study, folder = rehearsed
    data = preregister(study, folder)
    assert data["study"]["config_hash"] == studies.config_hash(study)
    assert data["study"]["design"]["analysis"]["tests"][0]["margin"] == 0.1
    assert [test["item"] for test in data["tests"]["chosen"]] == [test["item"] for test in TESTS]
    assert data["planned"]["games"] == 12
    assert data["rehearsal"]["tests"][0]["power"]["of"] == 2
    digest = hashlib.sha256((folder / "registered.json").read_bytes()).hexdigest()
    assert (folder / "registered.json.sha256").read_text().startswith(digest)
    Participant.objects.create(study=study, pseudonym="P001", consented_at=study.created_at)
    with pytest.raises(CommandError, match="Participants have already consented"):
        preregister(study, folder, "late.json")


@pytest.mark.django_db
def test_settings_changed_after_rehearsal_are_not_registered(rehearsed: tuple[Study, Path]) -> None:
    study, folder = rehearsed
    studies.change(study, design=create_design(7))
    with pytest.raises(CommandError, match="settings have changed since the rehearsal"):
        preregister(study, folder)
