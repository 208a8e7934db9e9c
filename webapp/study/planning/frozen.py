"""Facts beside the design that a study depends on, frozen when it is opened.

They are the program, the prompts and the questions.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from webapp.study import program
from webapp.study.design import instruments
from webapp.study.design.stages import Design, RatingsStage


def program_facts(design: Design) -> dict[str, Any]:
    """Return the version of the program and the hashes that identify it.

    {"version", "program": SHA-256 of its files, "templates": name -> SHA-256, "instruments": key of
    a built-in one -> SHA-256}.
    """
    return {
        "version": program.app_version(),
        "program": program.source_hash(),
        "templates": dict(program.template_hashes()),
        "instruments": {key: _hash(data) for key, data in instruments_asked(design).items()},
    }


def instruments_asked(design: Design) -> dict[str, Any]:
    """Return the data of the built-in instruments that the design names, by key."""
    instrument_list = [one for stage in design.stages for one in getattr(stage, "instruments", ())]
    instrument_list += [
        stage.instrument for stage in design.stages if isinstance(stage, RatingsStage)
    ]
    keys = sorted({one for one in instrument_list if isinstance(one, str)})
    return {key: instruments.get(key).data() for key in keys}


def _hash(data: Any) -> str:
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
