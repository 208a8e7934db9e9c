"""Ready studies as TOML files, which researchers copy and change."""

from functools import cache
from pathlib import Path

from django.utils.translation import gettext as _

from webapp.study.planning import study_file
from webapp.study.planning.study_file import DesignFile

FOLDER = Path(__file__).parent
# Studies are offered in this order: studies with people, then experiments.
KEYS = (
    "who-is-human", "humanized", "helmsman-evaluation", "helmsman-baseline", "village-evaluation",
    "guarded-comparison",
    "humanized-methods", "humanized-personas", "helmsman-models", "helmsman-roles",
    "contest-league-5", "contest-league-13", "contest-self", "inducing",
)  # fmt: skip


@cache
def all_ready() -> dict[str, DesignFile]:
    """Return key -> ready study, in the order in which they are offered."""
    texts = {key: (FOLDER / f"{key}.toml").read_text("utf-8") for key in KEYS}
    return {key: study_file.parse_study_file(text) for key, text in texts.items()}


def get(key: str) -> DesignFile:
    """Return the ready study of that key, or raise LookupError."""
    if key not in KEYS:
        raise LookupError(_("There is no ready study called “{key}”.").format(key=key[:40]))
    return all_ready()[key]
