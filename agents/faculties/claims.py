"""Claims: the readings of claims, results and votes in the talk (Impressions A.9, Guarded 4.3)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from agents import contest
from agents.decision import BackendError, Decision, Faculty, Note, Reply, Send, Switch, request_note
from agents.faculties.guard import GuardFaculty
from agents.faculties.summary import TalkReader, unread_turns
from agents.personas.styles import GUARD
from game.engine.state import Turn


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
