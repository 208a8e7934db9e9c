"""kill -9 under a study: whatever dies at whatever stage, everybody arrives, with all they gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.faults.study_people import STAGES, People
from tests.live import Stack

Kills = Mapping[str, Sequence[str]]  # stage -> who dies while somebody is there
ALL = ("web", "worker", "sweeper", "redis")
ALONE: Kills = {
    "rules": ("web",),
    "waiting": ("redis", "sweeper"),
    "ready": ALL,
    "game": ALL,
    "questionnaire": ("web", "worker"),
}
MANY: Kills = {
    "rules": ("web2",),
    "waiting": ("redis", "sweeper2"),
    "ready": ("web", "sweeper"),
    "game": ("worker", "redis", "web2"),
    "questionnaire": ("web", "worker2"),
}


@pytest.fixture
def alone() -> Iterator[Stack]:
    """A running Fabula whose database has nothing but the study in it."""
    with Stack() as running:
        yield running


@pytest.fixture
def many(postgres: str) -> Iterator[Stack]:
    with Stack(webs=2, workers=2, sweepers=2, database_url=postgres) as running:
        yield running


def through(stack: Stack, kills: Kills, file: Path) -> None:
    """People go through a study while processes die; afterwards nothing is wrong."""
    helper = "from tests.faults import study_people; study_people"
    link = stack.shell(f"{helper}.open_study()").split()[-1]
    people = People(stack.url, link)
    people.come()
    for stage in STAGES:
        people.kill(stack, stage, kills[stage])
    people.all_through()
    assert people.broken, "nobody noticed"
    people.write(file)
    assert stack.shell(f"{helper}.findings({str(file)!r})") == ""


@pytest.mark.live
def test_what_dies_at_a_stage_takes_no_place_and_no_answer(alone: Stack, tmp_path: Path) -> None:
    through(alone, ALONE, tmp_path / "people.json")


def test_two_web_processes_on_postgresql_and_each_process_is_killed(
    many: Stack, tmp_path: Path
) -> None:
    through(many, MANY, tmp_path / "people.json")
