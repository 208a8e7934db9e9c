"""The version and the hashes of the program, which a study stores when it is opened."""

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from agents import prompts
from webapp.study.design import instruments
from webapp.study.design.stages import Design, RatingsStage

HASHED_FOLDERS = ("game", "agents", "webapp")
HASHED_SUFFIXES = (".py", ".toml", ".txt", ".json")


@cache
def app_version() -> str:
    project_file = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text("utf-8"))
    return str(project_file["project"]["version"])


@cache
def source_hash() -> str:
    """Return the SHA-256 (hex) over the paths and contents of code, data files and prompts."""
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
    files = sorted(prompts.FOLDER.glob("*.txt"))
    return {f"{f.parent.name}/{f.stem}": _sha256(f.read_bytes()) for f in files}


def program_facts(design: Design) -> dict[str, Any]:
    """Return version and hashes (name -> SHA-256) of program, prompts and built-in instruments."""
    return {
        "version": app_version(),
        "program": source_hash(),
        "templates": dict(template_hashes()),
        "instruments": {key: json_hash(data) for key, data in named_instruments(design).items()},
    }


def named_instruments(design: Design) -> dict[str, Any]:
    """Return key -> data of the built-in instruments that the design names."""
    refs = [ref for stage in design.stages for ref in getattr(stage, "instruments", ())]
    refs += [stage.instrument for stage in design.stages if isinstance(stage, RatingsStage)]
    # A built-in instrument is named by its key; an edited copy is in the design as data.
    keys = sorted({ref for ref in refs if isinstance(ref, str)})
    return {key: instruments.get(key).to_json() for key in keys}


def json_hash(data: Any) -> str:
    """Return the SHA-256 (hex) of the data as canonical JSON."""
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return _sha256(canonical.encode())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
