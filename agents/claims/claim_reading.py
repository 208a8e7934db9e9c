"""Claims in statements, read by rule or by a model (Impressions A.9, SPEC 2.7).

A reading of a statement is a list of rows {"role": its key, "targets": [seat, …], "result": an
answer of the role's look or ""}: who claims what is the statement's speaker. A row without a role
is an announced vote for its target. Readings are stored
as {number of the turn, as text: rows}.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.claims.claims_summary import steps_in
from agents.contest import ANALYSIS, ANALYSIS_READING, CLAIMS, READING
from agents.decision import Decision
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep
from agents.talk.dialogue import Dialogue
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import Statement, result_of
from game.engine.turns import Turn

READ_KINDS = ("claim", "report")  # of the speech acts that rows stand for
WITH_VOTES = (*READ_KINDS, "vote")
Reading = Mapping[str, Sequence[Mapping[str, Any]]]


def dialogue_of(decision: Decision) -> Dialogue:
    """Return the dialogue with a model's readings, where it has read.

    They replace the rule's claims, or are added to them if the switch says that both count.
    """
    dialogue = Dialogue.of(decision.view, pack_of(decision.ruleset))
    analyses = ANALYSIS in decision.faculties
    readings: dict[str, Any] = {}
    for note in decision.mind.of(ANALYSIS if analyses else CLAIMS):
        readings |= note.data.get("model", {})
    if not readings:
        return dialogue
    turns = [turn for turn in decision.view.turns if turn.text]
    adds = decision.switch(ANALYSIS_READING if analyses else READING) == "both"
    replaced = () if adds else WITH_VOTES if analyses else READ_KINDS
    statements = [
        _as_read(statement, readings.get(str(turn.number)), replaced)
        for turn, statement in zip(turns, dialogue.said, strict=True)
    ]
    return replace(dialogue, said=statements)


def steps_of(decision: Decision) -> list[ClaimStep]:
    """Return all players' claims as the agent reads them."""
    return steps_in(dialogue_of(decision))


def _as_read(
    statement: Statement, rows: Iterable[Mapping[str, Any]] | None, replaced: Collection[str]
) -> Statement:
    """Return the statement with the acts of `rows` in place of those of the kinds `replaced`.

    Without rows it stays as it is.
    """
    if rows is None:
        return statement
    acts = [act for act in statement.acts if act.kind not in replaced]
    for row in rows:
        targets = tuple(sorted(row["targets"]))
        act = SpeechAct("claim", statement.seat, role=row["role"])
        if targets and row["result"]:
            act = SpeechAct("report", statement.seat, targets, row["role"], row["result"])
        elif not row["role"]:
            act = SpeechAct("vote", statement.seat, targets)
        acts += [act] if act not in acts else []
    return replace(statement, acts=tuple(acts))


def read_by_rule(
    decision: Decision, turns: Iterable[Turn], *, votes: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """Return the rule's reading of the given turns. votes: announced votes are read, too."""
    pack = pack_of(decision.ruleset)
    spoken = (turn for turn in decision.view.turns if turn.text)
    turn_numbers = {turn.number for turn in turns}
    statements = Dialogue.of(decision.view, pack).said
    return {
        str(turn.number): [
            *rows_of(statement, pack),
            *(_vote_rows(statement) if votes else ()),
        ]
        for turn, statement in zip(spoken, statements, strict=True)
        if turn.number in turn_numbers
    }


def rows_of(statement: Statement, pack: Pack) -> list[dict[str, Any]]:
    """Return the rows of a statement as it was understood. A report implies its claim."""
    rows: list[dict[str, Any]] = []
    for act in statement.acts:
        if act.kind in READ_KINDS and act.role in pack.deck:
            result = result_of(act, pack)
            row = {
                "role": act.role,
                "targets": list(result.targets) if result else [],
                "result": result.value if result else "",
            }
            rows += [row] if row not in rows else []
    reported = {row["role"] for row in rows if row["result"]}
    return [row for row in rows if row["result"] or row["role"] not in reported]


def _vote_rows(statement: Statement) -> list[dict[str, Any]]:
    votes = [act for act in statement.acts if act.kind == "vote" and act.targets]
    return [{"role": "", "targets": [votes[-1].targets[0]], "result": ""}] if votes else []


def agreement(first: Reading, second: Reading) -> dict[str, int]:
    """Count the statements that both readings hold, and those that they read alike.

    Returns {"alike": count, "statements": count}.

    Statements in which neither reads a claim are left out: most statements hold none.
    """
    both = [key for key in first if key in second and (first[key] or second[key])]
    alike = [key for key in both if _content(first[key]) == _content(second[key])]
    return {"alike": len(alike), "statements": len(both)}


def _content(rows: Iterable[Mapping[str, Any]]) -> set[tuple[object, ...]]:
    return {(row["role"], tuple(sorted(row["targets"])), row["result"]) for row in rows}
