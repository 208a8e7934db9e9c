"""Claims: who claims which role with which result, read from the talk (Impressions A.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from agents import contest
from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty
from agents.faculties.guard import GuardFaculty
from agents.faculties.summary import TalkReader, unread
from agents.mind import Note
from agents.personas.styles import NAME as GUARD
from agents.repair import request_note
from agents.switches import Switch
from game.engine.turns import Turn


class ClaimsFaculty(TalkReader):
    """Faculty that notes the readings of new statements (`agents.claims.claim_reading`).

    The note has {"rule": reading, "upto": number of the last turn read}, and if a model has read
    {"model": reading, "alike": n, "statements": n}. It is made when the summary is. Until then the
    rule's reading serves.
    """

    name = contest.CLAIMS
    reading = contest.READING
    switches: tuple[Switch, ...] = (contest.READING,)
    requests: tuple[str, ...] = (contest.CLAIMS,)

    def read(self, decision: Decision, ask: Ask, *, prepared: bool) -> list[Note]:
        from agents.claims.claim_reading import read_by_rule

        turns = unread(decision, self.name)
        by_rule = read_by_rule(decision, turns, votes=contest.VOTES in self.requests)
        note = Note(
            self.name,
            decision.began if prepared else decision.moment,
            {"rule": by_rule, "upto": turns[-1].number},
            "" if prepared else decision.window.key,
        )
        if decision.switch(self.reading) == "rule":
            return [note]
        apart = decision.switch(contest.REQUESTS) == "apart"
        model: dict[str, list[Any]] = {}
        notes: list[Note] = []
        parts = [[turn] for turn in turns] if apart else [turns]
        for kind, part in product(self.requests, parts):
            new_notes = self._request(kind, decision, ask, part, prepared=prepared)
            notes += [n for n in new_notes if n.faculty != self.name or "failed" in n.data]
            for one in new_notes:
                for number, rows in one.data.get("model", {}).items():
                    model[number] = [*model.get(number, []), *rows]
        if not model:
            return notes
        return [*notes, replace(note, data={**note.data, **_compared(by_rule, model)})]

    def _request(
        self, kind: str, decision: Decision, ask: Ask, turns: Sequence[Turn], *, prepared: bool
    ) -> list[Note]:
        if GUARD in decision.faculties:  # a hunted player's model knows no partner (Guarded 4.1)
            decision = GuardFaculty().disguise(decision)
        numbers = [turn.number for turn in turns]
        step = f"{kind}/{numbers[0]}" if len(turns) == 1 else kind

        def take(reply: Reply) -> dict[str, Any]:
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
            ask, decision, self.name, brief, take, prepared=prepared, step=step, kind=kind
        )


class AnalysisFaculty(ClaimsFaculty):
    """Faculty that reads claims and announced votes before each own talk (Guarded 4.3).

    A model reads in two requests: results and claims, and votes. By rule nothing is noted, because
    the rule reads the whole talk whenever it is needed.
    """

    name = contest.ANALYSIS
    reading = contest.ANALYSIS_READING
    switches = (contest.ANALYSIS_READING,)
    requests = (contest.CLAIMS, contest.VOTES)
    prepares = False

    def due(self, decision: Decision) -> bool:
        return False

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        is_by_rule = decision.switch(self.reading) == "rule"
        if is_by_rule or not decision.in_talk or not unread(decision, self.name):
            return []
        return self.read(decision, ask, prepared=False)


def _compared(by_rule: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any]:
    from agents.claims.claim_reading import count_agreement

    return {"model": dict(model), **count_agreement(by_rule, model)}


class PatternsFaculty(Faculty):
    """Shows the role patterns (`agents.deduction.role_patterns`). It asks nothing."""

    name = contest.PATTERNS
    switches = (contest.PATTERN_VARIANT,)
