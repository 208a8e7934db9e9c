"""Persona (SPEC 2.1) and character (SPEC 2.7): who the agent is, and how it speaks."""

import json
import re
from functools import partial
from typing import Any

from agents import contest
from agents.decision import BackendError, Decision, Faculty, Note, Reply, Send, request_note
from agents.packs import Pack
from agents.personas.characters import get_character
from agents.personas.styles import GUARD

MAX_CHARACTER_LINES = 7  # a description and six habits
MAX_LINE_CHARS = 700
_MARKUP = re.compile(r"[<>{}\[\]]")


class PersonaFaculty(Faculty):
    """Faculty with the brief {"scores": {factor: 1..7}, "text": str}, {} without persona."""

    name = "persona"

    def brief(self, decision: Decision) -> dict[str, Any]:
        if decision.persona is None:
            return {}
        return {"scores": dict(decision.persona.scores), "text": persona_text(decision)}


def persona_text(decision: Decision) -> str:
    """Return the description of the persona, "" without one.

    A guarded agent has its written character, without scores of traits (Guarded 4.2).
    """
    persona = decision.persona
    if persona is None:
        return ""
    is_guarded = GUARD in decision.faculties and persona.character
    return get_character(persona.character).text() if is_guarded else persona.text()


class CharacterFaculty(Faculty):
    """Faculty that extends a profile to a character, once a game.

    Note and brief: {"lines": [a description, a habit of speech, …]}. The request has the contest
    table's profile, or the persona if there is none. An agent with a style that the table's owner
    wrote needs no note: the style has habits of speech, and prompts quote it.
    """

    name = contest.CHARACTER
    can_prepare = True

    def is_due(self, decision: Decision) -> bool:
        return decision.round >= 1 and self._needs_note(decision)

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        return self._notes(decision, send, is_prepared=True) if self.is_due(decision) else []

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        """Make the note before the first answer of an agent that acts before the first talk."""
        is_early = decision.round < 1 and self._needs_note(decision)
        return self._notes(decision, send, is_prepared=False) if is_early else []

    def _needs_note(self, decision: Decision) -> bool:
        has_style = decision.persona is not None and decision.persona.style
        return not has_style and not decision.mind.of(self.name)

    def _notes(self, decision: Decision, send: Send, *, is_prepared: bool) -> list[Note]:
        brief = {"persona": {"text": decision.persona.text() if decision.persona else ""}}
        parse_reply = partial(_parse_lines, pack=decision.pack)
        return request_note(send, decision, self.name, brief, parse_reply, is_prepared=is_prepared)

    def brief(self, decision: Decision) -> dict[str, Any]:
        return dict(decision.mind.latest(self.name))


def _parse_lines(reply: Reply, pack: Pack) -> dict[str, Any]:
    """Return the note's data {"lines": […]}, which every later prompt quotes.

    A reply is refused if it lacks a description or a habit, if a line is no sentence, or if a line
    mentions the game's roles.
    """
    lines = reply.get("lines")
    if not isinstance(lines, list) or len(lines) < 2:
        raise BackendError("unusable", "give a description and at least one habit of speech")
    lines = [str(line)[:MAX_LINE_CHARS] for line in lines[:MAX_CHARACTER_LINES]]
    if invalid_lines := [line for line in lines if _MARKUP.search(line) or " " not in line]:
        raise BackendError("unusable", f"{json.dumps(invalid_lines[0])} is no sentence")
    # A role's name at the beginning of a sentence may be a common word: "Medium height".
    role_names = re.compile(rf"(?<=[\w,'’] )(?:{'|'.join(map(pack.name, pack.parts))})s?\b")
    if mention := next(filter(None, map(role_names.search, lines)), None):
        raise BackendError("unusable", f"{mention[0]}: leave out the game and its roles")
    return {"lines": lines}
