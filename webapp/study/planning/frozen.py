"""The program, prompts and questions that a study depends on, frozen when it is opened."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from webapp.study import program
from webapp.study.design import instruments
from webapp.study.design.stages import Design, RatingsStage


def program_facts(design: Design) -> dict[str, Any]:
    """Return the version of the program, and hashes of its files, prompts and instruments.

    Returns:
        {"version", "program": SHA-256, "templates": name -> SHA-256, "instruments": key of a
        built-in instrument -> SHA-256}.
    """
    return {
        "version": program.app_version(),
        "program": program.source_hash(),
        "templates": dict(program.template_hashes()),
        "instruments": {key: _hash(data) for key, data in named_instruments(design).items()},
    }


def named_instruments(design: Design) -> dict[str, Any]:
    """Return key -> data of the built-in instruments that the design names."""
    refs = [ref for stage in design.stages for ref in getattr(stage, "instruments", ())]
    refs += [stage.instrument for stage in design.stages if isinstance(stage, RatingsStage)]
    keys = sorted({ref for ref in refs if isinstance(ref, str)})
    return {key: instruments.get(key).to_json() for key in keys}


def _hash(data: Any) -> str:
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
