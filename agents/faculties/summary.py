"""Summary: the talk so far in a few lines (Impressions A.7, SPEC 2.7).

An agent makes it from its last summary and the talk since then. It does so at the end of a day's
talk, before it answers the first window that is no talk, or without such a window when the next
talk opens.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents import contest
from agents.decision import BackendError, Decision, Faculty, Note, Reply, Send, request_note
from game.engine.state import Turn

MAX_NAMED_LINES = 6  # a repair request names at most this many missing lines


class TalkReader(Faculty, ABC):
    """Faculty whose notes cover the talk up to a turn.

    A note is {"upto": number of the last turn read, …}. New turns are read at the end of a day's
    talk (`should_read_talk`), else when the next talk opens.
    """

    can_prepare = True

    @abstractmethod
    def read(self, decision: Decision, send: Send, *, is_prepared: bool) -> list[Note]:
        """Return the notes of the `unread_turns`."""

    def is_due(self, decision: Decision) -> bool:
        return any(turn.moment < decision.round_start for turn in unread_turns(decision, self.name))

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        return self.read(decision, send, is_prepared=True) if self.is_due(decision) else []

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        if not should_read_talk(decision) or not unread_turns(decision, self.name):
            return []
        return self.read(decision, send, is_prepared=False)


class SummaryFaculty(TalkReader):
    """Faculty that notes a summary of the talk.

    A note is {"lines": [str, …], "upto": number of the last turn in it, "added": n}. "added"
    counts the required lines that were appended because the model left them out twice.
    """

    name = contest.SUMMARY

    def read(self, decision: Decision, send: Send, *, is_prepared: bool) -> list[Note]:
        brief = {self.name: self.brief(decision)}
        first_phase = unread_turns(decision, self.name)[0].moment.phase_number
        decision = replace(decision, first_shown_phase=first_phase)
        parse_reply = _reply_parser(decision)
        return request_note(send, decision, self.name, brief, parse_reply, is_prepared=is_prepared)

    def brief(self, decision: Decision) -> dict[str, Any]:
        note = latest_valid_note(decision, self.name)
        return {"lines": list(note.get("lines", ())), "upto": note.get("upto", 0)}


def latest_valid_note(decision: Decision, faculty: str) -> dict[str, Any]:
    """Return the data of the newest note that is not a failure, {} if there is none."""
    notes = (note.data for note in reversed(decision.mind.of(faculty)))
    return next((data for data in notes if "failed" not in data), {})


def unread_turns(decision: Decision, faculty: str) -> list[Turn]:
    """Return the turns with words since the last one that the faculty's notes cover."""
    upto = latest_valid_note(decision, faculty).get("upto", 0)
    return [turn for turn in decision.view.turns if turn.text and turn.number > upto]


def should_read_talk(decision: Decision) -> bool:
    """Return whether new turns are read before this answer.

    Within the talk they are read only if each function makes a request of its own.
    """
    return not decision.is_in_talk or decision.switch_value(contest.REQUESTS) == "apart"


def _reply_parser(decision: Decision) -> Callable[[Reply], dict[str, Any]]:
    """Return the parser of replies.

    The first reply is refused if it lacks a required line. The second one gets the line appended.
    """
    from agents.claims.talk_summary import fit_lines, required_lines

    attempts: list[Reply] = []

    def parse_reply(reply: Reply) -> dict[str, Any]:
        attempts.append(reply)
        lines = reply.get("lines")
        if not isinstance(lines, list) or not any(str(line).strip() for line in lines):
            raise BackendError("unusable", "there was no line in it")
        lines = fit_lines([str(line).strip() for line in lines if str(line).strip()])
        missing = [line for line in required_lines(decision) if not line.is_in(lines)]
        if missing and len(attempts) == 1:
            missing_topics = "; ".join(json.dumps(line.about) for line in missing[:MAX_NAMED_LINES])
            raise BackendError("unusable", f"the summary leaves out: {missing_topics}")
        added = [line.text for line in missing]
        turn_numbers = [turn.number for turn in decision.view.turns]
        data = {"lines": fit_lines(lines, added), "upto": max(turn_numbers, default=0)}
        return {**data, "added": len(added)} if added else data

    return parse_reply
