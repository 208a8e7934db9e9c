"""Run the pandas and R examples of docs/study.md on the export of a new study.

R comes from Debian's packages. If they can't be installed, that part is skipped with a message.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.example_study import open_example_study, run_study_to_end, running_site

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "study.md"
R = ("r-base-core", "r-cran-lme4")
INSTALL = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *R]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.zip"
        with running_site() as stack:
            began = time.monotonic()
            study = open_example_study()
            run_study_to_end(study, stack.url)
            print(f"the study: {time.monotonic() - began:.0f} s")
            began = time.monotonic()
            file.write_bytes(_export_zip(study.code))
            print(f"its ZIP: {file.stat().st_size} bytes in {time.monotonic() - began:.1f} s")
        _run("pandas", [sys.executable, "-"], _lines("python"), Path(folder))
        if _has_r():
            _run("R", ["Rscript", "--vanilla", "-"], _lines("r"), Path(folder))
        else:
            print("R: it is not here, and its packages could not be installed")


def _export_zip(code: str) -> bytes:
    from webapp.study.data import studies
    from webapp.study.data.studies import ExportOptions
    from webapp.study.models import Study

    return studies.build_zip(Study.objects.get(code=code), ExportOptions(False, False))


def _lines(language: str) -> str:
    """Return the code lines of `language` in the document."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.S | re.M))


def _has_r() -> bool:
    if not shutil.which("Rscript") and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(INSTALL, check=False, stdout=subprocess.DEVNULL)
    return bool(shutil.which("Rscript"))


def _run(name: str, command: list[str], lines: str, folder: Path) -> None:
    began = time.monotonic()
    completed = subprocess.run(command, input=lines, cwd=folder, capture_output=True, text=True)
    print(f"{name}: {time.monotonic() - began:.1f} s, exit status {completed.returncode}")
    print(completed.stdout.strip() or completed.stderr.strip())
    if completed.returncode:
        raise SystemExit(1)
