"""Finds or installs a Chromium for the tests: `python -m tests.chromium` prints its path.

Sources in order: FABULA_CHROMIUM, a Chromium or Chrome of this system, Playwright's download, and
the system's package manager if it needs no confirmation.
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
INSTALL_TIMEOUT_MIN = 10


def can_start(path: str) -> bool:
    """Return whether the browser starts. A stub, or one without a library, does not."""
    try:
        probe = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def candidates() -> Iterator[str]:
    """Yield the paths of installed browsers."""
    if configured := os.environ.get("FABULA_CHROMIUM"):
        yield configured
    for name in NAMES:
        if path := shutil.which(name):
            yield path
    yield from (path for path in APPLICATIONS if Path(path).exists())
    if downloaded := playwright_path():
        yield downloaded


def playwright_path() -> str:
    """Return the path of Playwright's download, present or not, "" without Playwright.

    It is read in another process, because Playwright leaves an event loop behind.
    """
    code = (
        "from playwright.sync_api import sync_playwright as p\n"
        "with p() as it: print(it.chromium.executable_path)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    return process.stdout.strip()


def run_installer(command: list[str]) -> None:
    """Run an installer, with its output on standard error. A failure shows in the next search."""
    print("+ " + " ".join(command), file=sys.stderr, flush=True)
    try:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=2,
            timeout=INSTALL_TIMEOUT_MIN * 60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"  {error}", file=sys.stderr, flush=True)


def package_manager_commands() -> list[list[str]]:
    """Return the install commands of the package manager, [] if it needs confirmation."""
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
    """Return the path of an installed browser, "" if there is none."""
    return next((path for path in candidates() if can_start(path)), "")


def find_or_fetch() -> str:
    if path := find():
        return path
    run_installer([sys.executable, "-m", "playwright", "install", "chromium"])
    if path := find():
        return path
    if shutil.which("sudo") or os.geteuid() == 0:
        for command in package_manager_commands():
            run_installer(command)
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
