"""Exports and printed figures of earlier revisions stay, to the byte; studies go on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.upgrade import golden, studies
from tests.upgrade.conftest import Old
from tests.upgrade.playing import World
from webapp.study import timed_steps
from webapp.study.data import studies as exports
from webapp.study.models import Assignment, Participant, Slot
from webapp.study.sessions import participant_steps

LATER = datetime(2026, 6, 1, tzinfo=UTC)
pytestmark = pytest.mark.parametrize("migrated", golden.names(), indirect=True, scope="session")


def test_every_export_and_every_printed_figure_stays(
    old: Old, migrated: tuple[str, object]
) -> None:
    codes = {name: campaign["code"] for name, campaign in old.campaigns.items()}
    found = golden.differences(golden.read(migrated[0]), golden.outputs(codes, old.studies))
    told = "\n".join(found)
    assert not found, f"`python -m tests.upgrade.golden` rewrites what is meant to differ:\n{told}"


def test_one_changed_figure_is_told_with_its_file_and_line(migrated: tuple[str, object]) -> None:
    kept = golden.read(migrated[0])
    path = "campaigns/single/pages/results.txt"
    lines = kept[path].split("\n")
    lines[20] += " 0.01"
    changed = {**kept, path: "\n".join(lines)}
    (told,) = golden.differences(kept, changed)
    assert told.startswith(f"{path}:21\n")


def test_people_who_were_half_way_come_to_the_end_of_their_study(old: Old) -> None:
    study = old.study("half_way")
    rows = study.participants.filter(exit="")
    kinds = sorted(participant_steps.current_step(row).kind for row in rows if row.consented_at)
    assert kinds == ["game", "game", "ratings", "ratings", "rules", "waiting"]
    rated = set(Assignment.objects.filter(rater__participant__study=study, state="answered"))
    begun = {slot.pk for slot in study.slots.filter(state=Slot.PLAYING)}
    assert (rows.count(), len(rated) > 0, len(begun)) == (7, True, 1)
    with World(LATER).running() as world:
        timed_steps.restore_lost_time(LATER - max(row.step_at for row in rows if row.step_at))
        (newcomer,) = studies.people(study, 1, "newcomer")  # so that nobody waits in vain
        walks = [*studies.come_back(study), studies.Walk(newcomer, studies.shared_link(study))]
        studies.walk(world, study, walks)
    exits = Participant.objects.filter(study=study).values_list("exit", flat=True)
    assert list(exits) == ["completed"] * 8
    assert study.slots.filter(pk__in=begun, state=Slot.DONE).exists()
    assert {a.pk for a in rated} <= set(
        Assignment.objects.filter(state="answered").values_list("pk", flat=True)
    )
    assert set(exports.FILES) <= exports.build_files(study).keys()
