"""Creates .venv and installs the pinned requirements: the first half of every `make` target.

The script uses only the standard library, because it runs before anything is installed. A stamp in
.venv has the hash of what was installed, so that a run without changes costs little more than an
interpreter start. An interrupted installation leaves a mark in .venv, and the next run starts it
afresh.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
INSTALLING_MARK = VENV / ".fabula-installing"
UV_REQUIREMENT = "uv==0.13.8"
WITHOUT_DEPENDENCIES = "requirements-encoder.txt"  # installed with `--no-deps`
REQUIREMENTS_BY_SET = {
    "play": ["requirements.txt"],
    "develop": ["requirements.txt", "requirements-dev.txt", WITHOUT_DEPENDENCIES],
}


class InstallError(Exception):
    """The installation failed. The message is one sentence that tells a newcomer what to do."""


def say(text: str) -> None:
    print(text, flush=True)


def requirements_digest(name: str) -> str:
    """Return the hash of the set's requirements files and of the interpreter's version."""
    content = b"".join((ROOT / file).read_bytes() for file in REQUIREMENTS_BY_SET[name])
    return hashlib.sha256(content + venv_version().encode()).hexdigest()


def stamp_file(name: str) -> Path:
    return VENV / f".fabula-{name}"


def is_installed(name: str) -> bool:
    """Return whether .venv has the current requirements of the set `name`."""
    if INSTALLING_MARK.exists():
        return False
    try:
        return stamp_file(name).read_text() == requirements_digest(name)
    except OSError:
        return False


def venv_version() -> str:
    """Return the major and minor version of .venv's Python ("3.12"), "" if there is no .venv."""
    try:
        lines = (VENV / "pyvenv.cfg").read_text().splitlines()
    except OSError:
        return ""
    versions = [line.partition("=")[2] for line in lines if line.startswith("version")]
    return ".".join(versions[0].strip().split(".")[:2]) if versions else ""


def has_working_venv() -> bool:
    """Return whether .venv has an interpreter that starts and has pip."""
    try:
        probe = [str(PYTHON), "-c", "import pip, sys; sys.exit(sys.prefix == sys.base_prefix)"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def installation_lock() -> Iterator[None]:
    """Hold the installation lock for the block: a second `make` waits for the first."""
    with open(ROOT / "requirements.txt") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another make that is installing …")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def make_venv() -> None:
    """Create .venv anew, or raise `InstallError`."""
    # If this runs inside .venv, use the Python that created it.
    base = getattr(sys, "_base_executable", None) or sys.executable
    shutil.rmtree(VENV, ignore_errors=True)
    process = subprocess.run(
        [base, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False
    )
    if process.returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    if "No module named" in process.stderr or "ensurepip" in process.stdout + process.stderr:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise InstallError(
            f"{base} comes without its venv module; install it "
            f"(Debian and Ubuntu: apt install python{version}-venv) and run make again."
        )
    raise InstallError(f".venv could not be made: {last_line(process.stderr or process.stdout)}")


def last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason was given."


def run_module(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PYTHON), "-m", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def install(file: str) -> None:
    """Install one requirements file: with uv, which takes seconds, or with pip if uv fails.

    uv compiles the bytecode. Otherwise the first start of the site would take seconds longer.
    """
    packages = ["-r", file, *(["--no-deps"] if file == WITHOUT_DEPENDENCIES else [])]
    uv_install = ["uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", str(PYTHON)]
    pip_install = ["pip", "install", "--quiet", "--disable-pip-version-check"]
    if run_module("uv", "--version").stdout.split()[:2] != UV_REQUIREMENT.split("=="):
        run_module(*pip_install, UV_REQUIREMENT)
    if run_module(*uv_install, *packages).returncode == 0:
        return
    say("uv could not install; trying pip, which takes a minute or two …")
    process = run_module(*pip_install, *packages)
    if process.returncode != 0:
        sys.stderr.write(process.stderr)
        raise InstallError(f"{file} could not be installed: {last_line(process.stderr)}")


def ensure_installed(name: str, must_use_this_python: bool) -> None:
    """Install the requirements of the set `name` into .venv, unless they are installed.

    Make .venv anew if `must_use_this_python`, and it has another Python than runs this script.
    """
    this_version = f"{sys.version_info.major}.{sys.version_info.minor}"
    is_wrong_python = must_use_this_python and venv_version() != this_version
    if is_installed(name) and not is_wrong_python and has_working_venv():
        return
    with installation_lock():
        if is_installed(name) and not is_wrong_python and has_working_venv():
            return
        if is_wrong_python or INSTALLING_MARK.exists() or not has_working_venv():
            say("Making .venv …")
            make_venv()
        INSTALLING_MARK.touch()
        # requirements-dev.txt includes requirements.txt
        for file in REQUIREMENTS_BY_SET[name][1:] or REQUIREMENTS_BY_SET[name]:
            say(f"Installing {file} …")
            install(file)
        for set_name in REQUIREMENTS_BY_SET if name == "develop" else [name]:
            stamp_file(set_name).write_text(requirements_digest(set_name))
        INSTALLING_MARK.unlink()


def main() -> int:
    os.chdir(ROOT)
    name = "develop" if "--develop" in sys.argv else "play"
    try:
        ensure_installed(name, must_use_this_python="--chosen" in sys.argv)
    except InstallError as error:
        print(f"fabula: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"fabula: .venv could not be made: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
