"""Blinding of researchers while a study runs: names of conditions and people's seats are hidden.

A researcher can lift the blinding of a study for one browser session. An audit event records it.
"""

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.design.conditions import SINGLE
from webapp.study.design.stages import Design
from webapp.study.models import AuditEvent
from webapp.study.permissions import Access
from webapp.study.sessions import game_verdicts, study_events

LIFTED_KEY = "uncovered"  # key in the session: codes of studies whose blinding is lifted
# Reasons written by the program that reveal neither condition nor seat.
SAFE_REASONS = (
    game_verdicts.BEGAN_SHORT, game_verdicts.DROPOUT, game_verdicts.CALLED_OFF,
    game_verdicts.PLAYER_LEFT, game_verdicts.GAME_IS_GONE,
)  # fmt: skip


def is_lifted(session: Mapping[str, Any], access: Access) -> bool:
    """Return whether the blinding is lifted. It always is for an experiment without people."""
    if access.study.is_experiment:
        return True
    return access["study_cover"] and access.study.code in session.get(LIFTED_KEY, ())


def lift_blinding(session: MutableMapping[str, Any], access: Access, actor: str) -> None:
    """Lift the blinding for this session, and record it once."""
    if not is_lifted(session, access):
        study_events.record_event(access.study, "uncovered", actor=actor)
        session[LIFTED_KEY] = [*session.get(LIFTED_KEY, ()), access.study.code]


def restore_blinding(session: MutableMapping[str, Any], access: Access, actor: str) -> None:
    """Restore the blinding for this session and record it."""
    lifted_codes = session.get(LIFTED_KEY, ())
    if access.study.code in lifted_codes:
        study_events.record_event(access.study, "covered", actor=actor)
        session[LIFTED_KEY] = [code for code in lifted_codes if code != access.study.code]


class Blinding:
    """The rules for what a researcher may see of a study: everything if `is_lifted`."""

    def __init__(self, design: Design, is_lifted: bool) -> None:
        self.design, self.is_lifted = design, is_lifted
        levels = [level for factor in design.factors for level in factor.levels]
        names = {name for level in levels for name in (level.name, level.label) if name}
        pattern = "|".join(re.escape(n) for n in sorted(names or {SINGLE}, key=len, reverse=True))
        self._condition_names = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)

    def redact_text(self, text: str) -> str:
        """Return a text that a person wrote, with names of conditions replaced by "…"."""
        return text if self.is_lifted else self._condition_names.sub("…", text)

    def redact_void_reason(self, text: str) -> str:
        """Return why a game does not count. While blinded, omit details that may name settings."""
        if self.is_lifted or text in SAFE_REASONS:
            return text
        cause, _colon, _detail = text.partition(":")
        return self.redact_text(text if cause == game_verdicts.ENDED_BY_HAND else cause)

    def redact_event_reason(self, row: AuditEvent) -> str:
        """Return an event's reason. While blinded, hide what may name settings."""
        if self.is_lifted or row.actor != study_events.CLOCK:
            return self.redact_text(row.reason)
        if row.what == "paused":
            return _("the cause is hidden by blinding")
        redact = self.redact_void_reason if row.what == "void" else self.redact_text
        return redact(row.reason)
