"""Faculties that read the talk: summaries, and readings of claims, results and votes.

Impressions A.7 and A.9, Guarded 4.3, SPEC 2.7. They read at the end of a day's talk, before the
agent answers the first window that is no talk, or without such a window when the next talk opens.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from agents import contest
from agents.decision import BackendError, Decision, Faculty, Note, Reply, Send, Switch, request_note
from agents.faculties.guard import GuardFaculty
from agents.personas.styles import GUARD
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
        decision = replace(decision, shown_since_override=first_phase)
        parse_reply = _reply_parser(decision)
        return request_note(send, decision, self.name, brief, parse_reply, is_prepared=is_prepared)

    def brief(self, decision: Decision) -> dict[str, Any]:
        note = latest_valid_note(decision, self.name)
        return {"lines": list(note.get("lines", ())), "upto": note.get("upto", 0)}


class ClaimsFaculty(TalkReader):
    """Faculty that notes the readings of new statements (`agents.claims.claim_reading`).

    Note: {"rule": reading, "upto": number of the last turn read}, and with a model's reading also
    {"model": reading, "alike": n, "statements": n}. The note is made with the summary. Until then
    the rule's reading is used.

    Attributes:
        reading: the switch that decides who reads.
        request_kinds: the kinds of requests to a model, one after the other.
    """

    name = contest.CLAIMS
    reading = contest.CLAIMS_READING
    switches: tuple[Switch, ...] = (contest.CLAIMS_READING,)
    request_kinds: tuple[str, ...] = (contest.CLAIMS,)

    def read(self, decision: Decision, send: Send, *, is_prepared: bool) -> list[Note]:
        from agents.claims.claim_reading import count_agreement, read_by_rule

        turns = unread_turns(decision, self.name)
        by_rule = read_by_rule(decision, turns, include_votes=contest.VOTES in self.request_kinds)
        note = Note(
            self.name,
            decision.round_start if is_prepared else decision.moment,
            {"rule": by_rule, "upto": turns[-1].number},
            "" if is_prepared else decision.window.key,
        )
        if decision.switch_value(self.reading) == "rule":
            return [note]
        is_one_request_per_turn = decision.switch_value(contest.REQUESTS) == "apart"
        turn_groups = [[turn] for turn in turns] if is_one_request_per_turn else [turns]
        rows_by_turn: dict[str, list[Any]] = {}  # number of the turn -> rows of the model
        failures: list[Note] = []
        for kind, group in product(self.request_kinds, turn_groups):
            for result in self._request_rows(kind, decision, send, group, is_prepared=is_prepared):
                if result.faculty != self.name or "failed" in result.data:
                    failures.append(result)
                for number, rows in result.data.get("model", {}).items():
                    rows_by_turn.setdefault(number, []).extend(rows)
        if not rows_by_turn:
            return failures
        agreement = count_agreement(by_rule, rows_by_turn)
        data = {**note.data, "model": rows_by_turn, **agreement}
        return [*failures, replace(note, data=data)]

    def _request_rows(
        self, kind: str, decision: Decision, send: Send, turns: Sequence[Turn], *, is_prepared: bool
    ) -> list[Note]:
        """Return the note of a model's reading of `turns`, or of its failure."""
        if GUARD in decision.faculties:  # a hunted player's model knows no partner (Guarded 4.1)
            decision = GuardFaculty().disguise(decision)
        numbers = [turn.number for turn in turns]
        step = f"{kind}/{numbers[0]}" if len(turns) == 1 else kind

        def parse_reply(reply: Reply) -> dict[str, Any]:
            rows = reply.get(kind)
            if not isinstance(rows, list):
                raise BackendError("unusable", f"there was no list of {kind} in it")
            reading: dict[str, list[Any]] = {str(number): [] for number in numbers}
            for row in rows:
                if str(row["turn"]) in reading:
                    reading[str(row["turn"])].append({k: v for k, v in row.items() if k != "turn"})
            return {"model": reading}

        brief = {kind: {"turns": numbers}}
        return request_note(
            send, decision, self.name, brief, parse_reply,
            is_prepared=is_prepared, step=step, kind=kind,
        )  # fmt: skip


class AnalysisFaculty(ClaimsFaculty):
    """Faculty that reads claims and announced votes before each talk (Guarded 4.3).

    A model gets two requests: one for claims with their results, one for votes. With the rule alone
    there is no note, because the rule reads the whole talk whenever a reading is needed.
    """

    name = contest.ANALYSIS
    reading = contest.ANALYSIS_READING
    switches = (contest.ANALYSIS_READING,)
    request_kinds = (contest.CLAIMS, contest.VOTES)
    can_prepare = False

    def is_due(self, decision: Decision) -> bool:
        return False

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        is_by_rule = decision.switch_value(self.reading) == "rule"
        if is_by_rule or not decision.is_in_talk or not unread_turns(decision, self.name):
            return []
        return self.read(decision, send, is_prepared=False)


class PatternsFaculty(Faculty):
    """Faculty whose switch chooses the role patterns (`agents.deduction.role_patterns`).

    It makes no request and no note: the prompt sections compute the patterns from the claims.
    """

    name = contest.PATTERNS
    switches = (contest.PATTERN_VARIANT,)


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
