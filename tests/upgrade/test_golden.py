"""Exports and printed figures of earlier revisions are unchanged, and studies continue."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.upgrade import golden, studies
from tests.upgrade.conftest import Old
from tests.upgrade.playing import World
from webapp.study import timed_steps
from webapp.study.data import studies as exports
from webapp.study.models import Assignment, Participant, Slot
from webapp.study.sessions import participant_state

LATER = datetime(2026, 6, 1, tzinfo=UTC)
pytestmark = pytest.mark.parametrize("migrated", golden.names(), indirect=True, scope="session")


def test_exports_and_printed_figures_are_unchanged(old: Old, migrated: tuple[str, object]) -> None:
    codes = {name: campaign["code"] for name, campaign in old.campaigns.items()}
    differences = golden.differences(golden.read(migrated[0]), golden.outputs(codes, old.studies))
    report = "\n".join(differences)
    assert not differences, (
        f"`python -m tests.upgrade.golden` rewrites what is meant to differ:\n{report}"
    )


def test_changed_figure_is_reported_with_file_and_line(migrated: tuple[str, object]) -> None:
    outputs = golden.read(migrated[0])
    path = "campaigns/single/pages/results.txt"
    lines = outputs[path].split("\n")
    lines[20] += " 0.01"
    changed = {**outputs, path: "\n".join(lines)}
    (difference,) = golden.differences(outputs, changed)
    assert difference.startswith(f"{path}:21\n")


def test_unfinished_participants_can_complete_their_study(old: Old) -> None:
    study = old.study("half_way")
    rows = study.participants.filter(exit="")
    kinds = sorted(participant_state.current_step(row).kind for row in rows if row.consented_at)
    assert kinds == ["game", "game", "ratings", "ratings", "rules", "waiting"]
    rated = set(Assignment.objects.filter(rater__participant__study=study, state="answered"))
    running_slots = {slot.pk for slot in study.slots.filter(state=Slot.PLAYING)}
    assert (rows.count(), len(rated) > 0, len(running_slots)) == (7, True, 1)
    with World(LATER).running() as world:
        timed_steps.restore_lost_time(LATER - max(row.step_at for row in rows if row.step_at))
        (newcomer,) = studies.people(study, 1, "newcomer")  # completes the waiting person's group
        walks = [
            *studies.returning_walks(study),
            studies.Walk(newcomer, f"/take/{study.key}/"),
        ]
        studies.walk(world, study, walks)
    exits = Participant.objects.filter(study=study).values_list("exit", flat=True)
    assert list(exits) == ["completed"] * 8
    assert study.slots.filter(pk__in=running_slots, state=Slot.DONE).exists()
    assert {a.pk for a in rated} <= set(
        Assignment.objects.filter(state="answered").values_list("pk", flat=True)
    )
    assert set(exports.FILE_NAMES) <= exports.build_files(study).keys()
