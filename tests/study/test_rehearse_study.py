"""Tests of study rehearsals with simulated people on the pages of real processes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from game.models import Game
from tests import fresh_database
from tests.study import taking
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Study
from webapp.study.planning import estimates, ready
from webapp.study.rehearsal import separate_process, simulated_participants, study_runs
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions
from webapp.study.rehearsal.study_runs import prepare_design, rehearse
from webapp.study.sessions import enrolment

# Two conditions, two games each, two people a game. A game that somebody leaves is over, and its
# slot is drawn anew; who waits too long for another begins with computer players.
DESIGN = Design.from_json(
    {
        "table": {"ruleset": "one-night", "people": 2},
        "factors": [
            {
                "name": "method",
                "levels": [
                    {"name": "baseline", "table": {"method": "baseline"}},
                    {"name": "full", "table": {"method": "full"}},
                ],
            }
        ],
        "assignment": {"games": 2},
        "waiting": {"at_most": "begin"},
        "dropout": {"policy": "end"},
        "stages": [
            {"kind": "consent", "text": "You will play one game. Ask ada@example.org."},
            {"kind": "background"},
            {"kind": "rules", "quiz": {"questions": 3, "then": "go_on"}},
            {"kind": "game"},
            {
                "kind": "questionnaire",
                "instruments": ["who-is-human", "engagement"],
                "each_game": True,
            },
            {"kind": "interview"},
            {"kind": "debriefing", "reveal": True},
        ],
        "currency": "GBP",
        "exits": {"completed": {"code_kind": "same", "code": "DONE-7", "pay": "2.00"}},
    }
).to_json()
# The seed has two of the eight leave: one closes the page early, one presses "leave" in a game.
# One is careless.
OPTIONS = StudyRunOptions(
    participants=8, dropout=0.2, careless=0.1, speed=60, effect=1.5, seed="1017"
)


@pytest.fixture
def migrated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the rehearsal with a migrated database."""
    run = separate_process._run_program

    def run_with_database(command: list[str], say: Any) -> None:
        fresh_database.copy_migrated_database(
            Path(command[-1]) / separate_process.DATA_FOLDER / fresh_database.DATABASE_NAME
        )
        run(command, say)

    monkeypatch.setattr(separate_process, "_run_program", run_with_database)


def descendants() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def kill_worker(unrelated: set[psutil.Process]) -> None:
    """Kill this rehearsal's worker, as a lack of memory would.

    others: processes that do not belong to the rehearsal, such as a shared Fabula.
    """
    for child in descendants() - unrelated:
        if "worker" in child.cmdline():
            child.kill()


def rows_of(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))


@pytest.mark.live
@pytest.mark.django_db
@pytest.mark.usefixtures("migrated")
def test_eight_people_complete_a_study_with_two_dropouts() -> None:
    output = list[str]()
    archives = list[bytes]()
    unrelated = descendants()

    def say(line: str) -> None:
        if "on the way" in line and not any("worker process ended" in one for one in output):
            kill_worker(unrelated)
        output.append(line)

    result = rehearse("Rehearsed", DESIGN, OPTIONS, say, archives.append)
    context = f"{result}\n" + "\n".join(output)
    assert (result["participants"], result["drawn_to_leave"], result["left"]) == (8, 2, 2), context
    # The partner of a leaver plays another deal or leaves with pay if none is free.
    unlucky = result["ways_out"].get("technical", 0)
    assert (result["completed"] + unlucky, unlucky <= 1) == (6, True), context
    assert (result["stuck"], result["answers_lost"], result["codes_wrong"]) == (0, 0, 0), context
    assert result["screened"] == result["waited_out"] == 0, context
    conditions = result["by_condition"]
    assert set(conditions) == {"baseline", "full"}, context
    # The leaver's game is void. Another may have started short.
    assert 1 <= sum(one["void"] for one in conditions.values()) <= 2, context
    assert sum(one["completed"] for one in conditions.values()) == result["completed"], context
    assert sum(one["games"] for one in conditions.values()) == result["games"] >= 3 - unlucky, (
        context
    )
    assert all(one["games"] >= 1 for one in conditions.values()), context
    assert all(one["playing"] == 0 for one in conditions.values()), context
    assert not any("prepare" in line for line in output), "the rehearsal ends by itself"
    assert any("worker process ended (killed by SIGKILL); it is started again" in x for x in output)
    check_figures(result)
    check_archive(archives, result)


def check_figures(result: dict[str, Any]) -> None:
    minutes = {row["step"]: row["minutes"] for row in result["stages"]}
    assert minutes["rules-2"]["median"] > 1, "minutes are scaled back to normal speed"
    assert minutes["game-4"]["n"] >= 6
    assert result["waiting"]["n"] >= 6
    assert result["waiting"]["median"] <= result["waiting"]["p90"] <= result["waiting"]["max"]
    pay = result["pay"]
    assert (pay["currency"], pay["by_exit"]["completed"]["people"]) == ("GBP", result["completed"])
    assert pay["by_exit"]["completed"]["total"] == f"{2 * result['completed']:.2f}"
    assert float(pay["per_hour"]) > 0
    assert result["cost"]["requests"] == 0, "built-in players send no requests"


def check_archive(archives: list[bytes], result: dict[str, Any]) -> None:
    (body,) = archives
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert (manifest["rehearsal"], manifest["ended"]) == (True, True)
        people = rows_of(archive, "participants.csv")
        assert {row["participant"][:3] for row in people} == {"SIM"}
        assert sum(row["exit"] == "completed" for row in people) == result["completed"]
        assert "(rehearsal)" in archive.read("study.toml").decode()
        assert rows_of(archive, "responses_long.csv")
        assert rows_of(archive, "payments.csv")


@pytest.mark.django_db
def test_rehearsal_on_a_site_uses_a_copy_and_deletes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = taking.create_study({"kind": "game"})
    person = taking.add_participant(original)
    before = (list(original.slots.values()), Game.objects.count(), User.objects.count())
    rehearsed: list[Study] = []

    def walk(study: Study, url: str, _options: Any) -> dict[str, Any]:
        assert (url, study.state, study.owner) == ("http://here", Study.OPEN, original.owner)
        assert enrolment.next_pseudonym(study) == "SIM001"
        taking.add_participant(study)
        slot = study.slots.first()
        assert slot
        now = timezone.now()
        slot.game = Game.objects.create(ruleset="one-night", seed="1", created_at=now, phase_at=now)
        slot.save()
        rehearsed.append(study)
        return {"stuck": 0}

    monkeypatch.setattr(simulated_participants, "run_study", walk)
    abandoned = Study.objects.create(owner=original.owner, name="killed", seed="0", rehearsal=True)
    Study.objects.filter(pk=abandoned.pk).update(created_at=timezone.now() - timedelta(days=2))
    design = prepare_design(DESIGN, 60)
    (tmp_path / study_runs.DESIGN_FILE).write_text(
        json.dumps({"name": original.name, "design": design})
    )
    owner = original.owner.get_username()
    options = StudyRunOptions(participants=1, site="http://here", owner=owner)
    assert study_runs.run(tmp_path, options, options.site) == {"stuck": 0}
    assert rehearsed
    assert list(Study.objects.all()) == [original]
    assert (list(original.slots.values()), Game.objects.count(), User.objects.count()) == before
    assert list(Participant.objects.all()) == [person]
    with zipfile.ZipFile(tmp_path / separate_process.ARCHIVE_FILE) as archive:
        assert json.loads(archive.read("manifest.json"))["rehearsal"] is True


@pytest.mark.django_db
def test_study_that_cannot_open_is_not_rehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = [one for one in DESIGN["stages"] if one["kind"] != "background"]
    wrong = {"kind": "questionnaire", "instruments": ["horoscope"], "each_game": False}
    design = {**DESIGN, "stages": [*stages, wrong]}
    with pytest.raises(Refused) as error:
        simulated_participants.open_study({"name": "Rehearsed", "design": design}, OPTIONS)
    assert "horoscope" in " ".join(error.value.sentences)

    def refuse(*_arguments: Any) -> None:
        raise error.value

    def run(command: list[str], _say: Any) -> None:
        separate_process._write_result("study_runs", Path(command[-1]))

    monkeypatch.setattr(study_runs, "run", refuse)
    monkeypatch.setattr(separate_process, "_run_program", run)
    with pytest.raises(Refused, match="horoscope"):
        rehearse("Rehearsed", design, OPTIONS, lambda text: None)


def test_rehearsal_uses_house_players_and_faster_clocks() -> None:
    design = {**DESIGN, "table": {**DESIGN["table"], "backend": "openai", "casting": {"1": {}}}}
    rehearsal_design = prepare_design(design, 10)
    assert rehearsal_design["table"]["backend"] == "house"
    assert "casting" not in rehearsal_design["table"]
    assert rehearsal_design["waiting"]["most"] == 60
    assert rehearsal_design["dropout"]["grace"] == 10  # The minimum.
    assert Design.from_json(rehearsal_design).waiting.leave_paid_after == 30
    assert {stage.idle_minutes for stage in Design.from_json(rehearsal_design).stages} == {3}
    assert prepare_design(DESIGN, 1)["waiting"] == DESIGN["waiting"]


def test_rehearsal_limit_exceeds_the_expected_duration() -> None:
    for key, file in ready.all_ready().items():
        if not file.design.is_experiment:
            limit = simulated_participants._expected_s(
                Study(design=file.design.to_json()), speed=1.0
            )
            assert limit > 1.5 * 60 * estimates.total_minutes(file.design), key
