"""Summary: what was said so far, in a few lines (Impressions A.7, SPEC 2.7).

It is made at the end of a day's talk, with the first question that is no talk, from the summary
before it and the talk since. Who is asked nothing then makes it when the next talk opens.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents import contest
from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty
from agents.mind import Note
from agents.repair import request_note
from game.engine.turns import Turn

COMPLAINTS = 6  # missing lines that a repair names


class TalkReader(Faculty):
    """Faculty whose notes cover the talk up to a turn.

    A note is {"upto": number of the last turn read, …}.

    It reads what is new at the end of a day's talk (`is_time`), else when the next talk opens.
    """

    prepares = True

    def read(self, decision: Decision, ask: Ask, *, prepared: bool) -> list[Note]:
        """Return the notes of the turns that are `unread`."""
        raise NotImplementedError

    def due(self, decision: Decision) -> bool:
        return any(turn.moment < decision.began for turn in unread(decision, self.name))

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        return self.read(decision, ask, prepared=True) if self.due(decision) else []

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        if not is_time(decision) or not unread(decision, self.name):
            return []
        return self.read(decision, ask, prepared=False)


class SummaryFaculty(TalkReader):
    """Faculty that notes a summary of the talk.

    A note is {"lines": [str, …], "upto": number of the last turn in it, "added": n}. "added"
    counts the lines that the rule appended because the model left them out twice.
    """

    name = contest.SUMMARY

    def read(self, decision: Decision, ask: Ask, *, prepared: bool) -> list[Note]:
        brief = {self.name: self.brief(decision)}
        first = unread(decision, self.name)[0].moment.phase_number
        decision = replace(decision, since=first)
        return request_note(ask, decision, self.name, brief, _taker(decision), prepared=prepared)

    def brief(self, decision: Decision) -> dict[str, Any]:
        note = standing(decision, self.name)
        return {"lines": list(note.get("lines", ())), "upto": note.get("upto", 0)}


def standing(decision: Decision, faculty: str) -> dict[str, Any]:
    """Return the data of the newest note that is not a failure, {} if there is none."""
    notes = (note.data for note in reversed(decision.mind.of(faculty)))
    return next((data for data in notes if "failed" not in data), {})


def unread(decision: Decision, faculty: str) -> list[Turn]:
    """Return the turns with words since the last one that the faculty's notes cover."""
    upto = standing(decision, faculty).get("upto", 0)
    return [turn for turn in decision.view.turns if turn.text and turn.number > upto]


def is_time(decision: Decision) -> bool:
    """Check whether talk is read before this answer.

    In the talk itself it is read only if requests are apart.
    """
    return not decision.in_talk or decision.switch(contest.REQUESTS) == "apart"


def _taker(decision: Decision) -> Callable[[Reply], dict[str, Any]]:
    """Return what reads a reply.

    A first reply that drops a required line is refused. To a second one the lines are added.
    """
    from agents.claims.talk_summary import fit_lines, required_lines

    attempts: list[Reply] = []

    def take(reply: Reply) -> dict[str, Any]:
        attempts.append(reply)
        lines = reply.get("lines")
        if not isinstance(lines, list) or not any(str(line).strip() for line in lines):
            raise BackendError("unusable", "there was no line in it")
        lines = fit_lines([str(line).strip() for line in lines if str(line).strip()])
        missing = [line for line in required_lines(decision) if not line.is_in(lines)]
        if missing and len(attempts) == 1:
            missing_topics = "; ".join(json.dumps(line.about) for line in missing[:COMPLAINTS])
            raise BackendError("unusable", f"the summary leaves out: {missing_topics}")
        added = [line.text for line in missing]
        spoken = [turn.number for turn in decision.view.turns]
        data = {"lines": fit_lines(lines, added), "upto": max(spoken, default=0)}
        return {**data, "added": len(added)} if added else data

    return take
