"""Tests that a process blocked by one call ends itself, so that it is restarted."""

import subprocess
import sys

import pytest

BLOCKED = r"""
import re, sys, time
from webapp.watchdog import start_watchdog

start_watchdog(blocked_s=2)
sys.stderr = None  # as in a worker, where Celery replaces it
time.sleep(3)  # not blocked: the watchdog is reset in time
re.match(r"(?:(?:a|a a) ?)*$", "a " * 60 + "!")
"""


@pytest.mark.live
def test_process_blocked_by_a_pattern_ends_and_logs_its_position() -> None:
    process = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=120
    )
    assert process.returncode == 1
    assert 'File "<string>", line 8 in <module>' in process.stderr
