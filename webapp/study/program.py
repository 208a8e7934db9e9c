"""The program's version, and hashes of the files that an experiment depends on."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path

from django.conf import settings

from agents import prompts

HASHED_FOLDERS = ("game", "agents", "webapp")
HASHED_SUFFIXES = (".py", ".toml", ".txt", ".json")


@cache
def app_version() -> str:
    project_file = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text("utf-8"))
    return str(project_file["project"]["version"])


@cache
def source_hash() -> str:
    """Return the SHA-256 (hex) over paths and contents of the program's code, data and prompts."""
    digest = hashlib.sha256()
    base = Path(settings.BASE_DIR)
    for folder in HASHED_FOLDERS:
        for file in sorted((base / folder).rglob("*")):
            if file.suffix in HASHED_SUFFIXES and file.is_file():
                name = file.relative_to(base).as_posix()
                digest.update(f"{name}\0{_sha256(file.read_bytes())}\n".encode())
    return digest.hexdigest()


@cache
def template_hashes() -> dict[str, str]:
    """Return "en/statement" -> SHA-256 (hex) of that prompt template, for every template."""
    files = sorted(prompts.HERE.glob("*/*.txt"))
    return {f"{f.parent.name}/{f.stem}": _sha256(f.read_bytes()) for f in files}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
