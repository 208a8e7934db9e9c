"""Tests of the supervisor: restarts, messages, and no remaining process."""

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.live import wait_until
from tests.runtime.console import Console, lives

pytestmark = pytest.mark.live
TRIVIAL = "tests.runtime.trivial"
Start = Callable[..., Console]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the real supervisor over trivial children, and wait until all run."""
    consoles: list[Console] = []

    def start_supervisor(*names: str) -> Console:
        console = Console(tmp_path, sys.executable, "-m", TRIVIAL, str(tmp_path), *names)
        consoles.append(console)
        console.wait_for("started")
        for name in names:
            if name in ("steady", "stubborn", "parent"):
                wait_asleep(tmp_path, name)
        console.record_processes()
        return console

    yield start_supervisor
    for console in consoles:
        console.__exit__(None, None, None)


def wait_asleep(folder: Path, name: str, times: int = 1) -> None:
    log = folder / "logs" / f"{name}.log"
    wait_until(lambda: log.read_text().count("asleep") >= times, f"{name} sleeps")


def test_killed_child_is_restarted_with_a_message(start: Start, tmp_path: Path) -> None:
    with start("steady") as console:
        console.child("asleep").kill()
        wait_asleep(tmp_path, "steady", times=2)
        assert "The steady process ended (killed by SIGKILL); it is started" in console.output
        assert lives(psutil.Process(console.process.pid))


def test_three_deaths_of_a_child_end_everything_with_its_last_output(start: Start) -> None:
    with start("steady", "frail") as console:
        assert console.wait_for_exit() == 1
        console.wait_until_all_exit()
        assert console.output.count("it is started again") == 2
        assert "The frail process ended 3 times within a minute" in console.output
        assert "  | an ominous creak" in console.output
        assert "Traceback" not in console.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_end_signal_leaves_no_process(start: Start, number: signal.Signals) -> None:
    with start("steady", "parent") as console:
        console.process.send_signal(number)
        assert console.wait_for_exit() == 0
        console.wait_until_all_exit()
        assert "ending" in console.output


def test_unresponsive_child_is_killed_after_the_grace_period(start: Start) -> None:
    with start("stubborn", "steady") as console:
        console.interrupt()
        assert console.wait_for_exit() == 0
        console.wait_until_all_exit()


def test_second_interrupt_ends_the_grace_period(start: Start) -> None:
    with start("stubborn", "--patient") as console:
        console.interrupt()
        console.wait_for("ending")
        console.interrupt()
        assert console.wait_for_exit(seconds=20) == 0  # the grace is longer
        console.wait_until_all_exit()


def test_killed_supervisor_leaves_no_process(start: Start) -> None:
    with start("steady", "stubborn", "parent") as console:
        # The program, the orphan guard, three children and a grandchild.
        assert len(console.record_processes()) == 6
        console.process.kill()
        console.wait_until_all_exit()


def test_supervisor_ends_without_its_orphan_guard(start: Start) -> None:
    with start("steady") as console:
        console.child("orphan_guard.py").kill()
        assert console.wait_for_exit() == 1
        console.wait_until_all_exit()


def test_supervisor_ends_with_its_parent(tmp_path: Path) -> None:
    command = f"{sys.executable} -m {TRIVIAL} {tmp_path} steady --end-with-parent; true"
    with Console(tmp_path, "sh", "-c", command) as console:
        console.wait_for("started")
        wait_asleep(tmp_path, "steady")
        # The shell, the supervisor, the orphan guard and the child.
        assert len(console.record_processes()) == 4
        console.process.kill()
        console.wait_until_all_exit()
