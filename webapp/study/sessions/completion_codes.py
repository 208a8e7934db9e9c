"""Completion codes: the code that a participant enters on the platform, as proof of taking part.

Each exit has one kind of code (`Exit.code_kind`): the same code for all participants, which the
researcher enters; or an own one for each, which is drawn when they leave; or none.
"""

from __future__ import annotations

import secrets

from webapp.study.design.exits import Exit
from webapp.study.models import Participant
from webapp.study.sessions import participant_state

OWN_CODE_BYTES = 4  # 8 hexadecimal digits, which no one can guess from other codes


def assign_code(row: Participant, settings: Exit) -> None:
    """Give a participant who leaves a code of their own, if the exit has such codes.

    A code that they have already stays. The caller saves the row.
    """
    if settings.code_kind == "own":
        row.code = row.code or secrets.token_hex(OWN_CODE_BYTES).upper()


def participant_code(participant: Participant) -> str:
    """Return a participant's completion code, "" before they leave and for exits without codes."""
    settings = participant_state.exit_settings(participant.study, participant.exit)
    return {"same": settings.code, "own": participant.code, "none": ""}[settings.code_kind]


def visitor_code(settings: Exit) -> str:
    """Return the code for a visitor who did not begin, "" unless all participants get the same."""
    return settings.code if settings.code_kind == "same" else ""
