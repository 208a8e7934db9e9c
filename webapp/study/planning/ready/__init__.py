"""Ready studies, as data files. A researcher copies one and may change it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.utils.translation import gettext as _

from webapp.study.planning import study_file
from webapp.study.planning.study_file import DesignFile

FOLDER = Path(__file__).parent
ORDER = (
    "who-is-human",
    "humanized",
    "helmsman-evaluation",
    "helmsman-baseline",
    "village-evaluation",
    "guarded-comparison",
    # Experiments
    "humanized-methods",
    "humanized-personas",
    "helmsman-models",
    "helmsman-roles",
    "contest-league-5",
    "contest-league-13",
    "contest-self",
    "inducing",
)


@cache
def _read(key: str) -> DesignFile:
    return study_file.parse_study_file((FOLDER / f"{key}.toml").read_text("utf-8"))


def all_ready() -> dict[str, DesignFile]:
    """Return every ready study by its key, the one to begin with first."""
    return {key: _read(key) for key in ORDER}


def get(key: str) -> DesignFile:
    """Return the ready study of that key.

    Raises:
        LookupError: No ready study has this key.
    """
    if key not in ORDER:
        raise LookupError(_("There is no ready study called “{key}”.").format(key=key[:40]))
    return _read(key)
