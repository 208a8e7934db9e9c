"""Startup time of a bare clone and of a second start, and memory of the processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

from tests.live import free_port, isolated_environment
from webapp.runtime import PROJECT_ROOT

NAMES = {"daphne": "web", "celery": "worker", "sweep": "sweeper", "valkey-server": "redis"}


def start(folder: Path) -> tuple[subprocess.Popen[bytes], float]:
    """Run `make play` in `folder`. Returns: the process, seconds to the first 200."""
    port = free_port()
    env = {**isolated_environment(), "PORT": str(port)}
    env.pop("FABULA_DATA", None)
    env.pop("DJANGO_SETTINGS_MODULE", None)
    began = time.monotonic()
    process = subprocess.Popen(
        ["make", "play"], cwd=folder, env=env, stdout=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and time.monotonic() - began < 600:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return process, time.monotonic() - began
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise SystemExit("make play did not come up")


def stop(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(30)


def memory(folder: Path) -> dict[str, float]:
    """Return the resident megabytes by name of the processes started from `folder`."""
    megabytes = {}
    for process in psutil.process_iter(["cmdline", "memory_info"]):
        command_line = " ".join(process.info["cmdline"] or [])
        if str(folder) in command_line or "valkey-server" in command_line:
            for program, name in NAMES.items():
                if program in command_line:
                    megabytes[name] = process.info["memory_info"].rss / 2**20
    return megabytes


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="fabula-bench-"))
    try:
        subprocess.run(
            ["git", "clone", "-q", str(PROJECT_ROOT), str(folder / "fabula")], check=True
        )
        process, seconds = start(folder / "fabula")
        print(f"bare clone to 200: {seconds:.1f} s (packages may come from the installer's cache)")
        stop(process)
        times = []
        for _ in range(3):
            process, seconds = start(folder / "fabula")
            times.append(seconds)
            used = memory(folder)
            stop(process)
        print(f"second start: {', '.join(f'{t:.1f}' for t in times)} s")
        print("memory: " + ", ".join(f"{name} {mb:.0f} MB" for name, mb in sorted(used.items())))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
