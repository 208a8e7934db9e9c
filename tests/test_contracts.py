"""The house keeps its storeys: what may import what is checked, and the check can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_contracts_are_kept() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_forbidden_import_is_found(tmp_path: Path) -> None:
    for name in ("webapp", "game", "agents"):
        source = ROOT / name
        for file in source.rglob("*.py"):
            target = tmp_path / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.read_text())
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    words = tmp_path / "game/engine/words.py"
    words.write_text(words.read_text() + "\nimport django  # noqa\n")
    done = lint_imports(tmp_path)
    assert done.returncode != 0
    assert "The engine imports only the standard library BROKEN" in done.stdout
