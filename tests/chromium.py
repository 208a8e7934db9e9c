"""Finds or fetches a Chromium for the browser tests: `python -m tests.chromium` prints its path.

Tried in turn: FABULA_CHROMIUM, a Chromium or Chrome of this system, Playwright's own download,
and the system's package manager where it may be used without a question.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
INSTALLERS = {
    "apt-get": (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends"]),
    "dnf": (["dnf", "install", "-y"],),
    "pacman": (["pacman", "-Sy", "--noconfirm"],),
    "zypper": (["zypper", "--non-interactive", "install"],),
    "apk": (["apk", "add"],),
}
MINUTES = 10


def runs(path: str) -> bool:
    """Whether this is a browser that starts: a stub or one lacking a library is none."""
    try:
        probe = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def candidates() -> Iterator[str]:
    """Browsers that are already here."""
    if given := os.environ.get("FABULA_CHROMIUM"):
        yield given
    for name in NAMES:
        if path := shutil.which(name):
            yield path
    yield from (path for path in APPLICATIONS if Path(path).exists())
    if downloaded := playwrights_own():
        yield downloaded


def playwrights_own() -> str:
    """Where Playwright keeps its download, whether or not there is one. "" without Playwright.

    Asked in another process, because Playwright leaves an event loop behind.
    """
    code = (
        "from playwright.sync_api import sync_playwright as p\n"
        "with p() as it: print(it.chromium.executable_path)"
    )
    asked = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()


def fetch(command: list[str]) -> None:
    """Runs an installer, its output to standard error. Its failure shows in the next search."""
    print("+ " + " ".join(command), file=sys.stderr, flush=True)
    try:
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=2, timeout=MINUTES * 60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"  {error}", file=sys.stderr, flush=True)


def system_commands() -> list[list[str]]:
    """How the system's package manager would install it: [] where it may not without a question."""
    manager = next((name for name in INSTALLERS if shutil.which(name)), None)
    if manager is None:
        return []
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if (
        prefix
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode
    ):
        return []
    *before, install = INSTALLERS[manager]
    return [prefix + command for command in (*before, [*install, "chromium"])]


def find() -> str:
    """The path of a browser that is already here, "" when there is none."""
    return next((path for path in candidates() if runs(path)), "")


def find_or_fetch() -> str:
    if found := find():
        return found
    fetch([sys.executable, "-m", "playwright", "install", "chromium"])
    if found := find():
        return found
    if shutil.which("sudo") or os.geteuid() == 0:
        for command in system_commands():
            fetch(command)
    return find()


def main() -> int:
    if path := find_or_fetch():
        print(path)
        return 0
    print(
        "fabula: The browser tests need Chromium and none could be fetched; install one "
        "(Debian: apt-get install chromium; elsewhere: .venv/bin/playwright install chromium) "
        "or point at one with FABULA_CHROMIUM=/path/to/chromium make test.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
