"""Character: a profile extended once, with habits of speech (Impressions A.8, SPEC 2.7)."""

from __future__ import annotations

import json
import re
from typing import Any

from agents import contest
from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty
from agents.mind import Note
from agents.packs import Pack, pack_of
from agents.repair import request_note

MOST_LINES = 7  # a description and six habits
LINE_CHARS = 700
_MARKUP = re.compile(r"[<>{}\[\]]")


class CharacterFaculty(Faculty):
    """Faculty that notes {"lines": [a description, a habit of speech, …]} once a game.

    The request has the contest table's profile, or the persona if there is none. An owner's own
    style has habits of speech already: it stands in the prompts as written, and nothing is noted.
    """

    name = contest.CHARACTER
    prepares = True

    def due(self, decision: Decision) -> bool:
        return decision.round >= 1 and self._is_open(decision)

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        return self._notes(decision, ask, prepared=True) if self.due(decision) else []

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        """Make the note before the first answer of an agent that acts before the first talk."""
        is_early = decision.round < 1 and self._is_open(decision)
        return self._notes(decision, ask, prepared=False) if is_early else []

    def _is_open(self, decision: Decision) -> bool:
        has_style = decision.persona is not None and decision.persona.style
        return not has_style and not decision.mind.of(self.name)

    def _notes(self, decision: Decision, ask: Ask, *, prepared: bool) -> list[Note]:
        brief = {"persona": {"text": decision.persona.text() if decision.persona else ""}}

        def take(reply: Reply) -> dict[str, Any]:
            return _lines(reply, pack_of(decision.ruleset))

        return request_note(ask, decision, self.name, brief, take, prepared=prepared)

    def brief(self, decision: Decision) -> dict[str, Any]:
        return dict(decision.mind.latest(self.name))


def _lines(reply: Reply, pack: Pack) -> dict[str, Any]:
    """Return the note's data.

    Raises BackendError if the reply has no description and habit, or they are no sentences, or they
    speak of the game: the person stands in every later prompt.
    """
    lines = reply.get("lines")
    if not isinstance(lines, list) or len(lines) < 2:
        raise BackendError("unusable", "give a description and at least one habit of speech")
    lines = [str(line)[:LINE_CHARS] for line in lines[:MOST_LINES]]
    if no_sentence := [line for line in lines if _MARKUP.search(line) or " " not in line]:
        raise BackendError("unusable", f"{json.dumps(no_sentence[0])} is no sentence")
    # "Seer", and not "Medium height" at the beginning of a sentence
    names = re.compile(rf"(?<=[\w,'’] )(?:{'|'.join(map(pack.name, pack.parts))})s?\b")
    if role_name := next(filter(None, map(names.search, lines)), None):
        raise BackendError("unusable", f"{role_name[0]}: leave out the game and its roles")
    return {"lines": lines}
