"""Claims in statements, read by rule or by a model (Impressions A.9, SPEC 2.7).

A reading of a statement is a list of rows {"role": key, "targets": [seat, …], "result": an answer
of the role's look or ""}. The claimant is the statement's speaker. A row without a role is an
announced vote for its target. Readings are stored as {number of the turn, as a string: rows}.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.claims.claims_summary import read_steps
from agents.contest import ANALYSIS, ANALYSIS_READING, CLAIMS, CLAIMS_READING
from agents.decision import Decision
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep
from agents.talk.dialogue import Dialogue
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import Statement, result_of
from game.engine.state import Turn

CLAIM_KINDS = ("claim", "report")  # kinds of speech acts that rows represent
CLAIM_AND_VOTE_KINDS = (*CLAIM_KINDS, "vote")
Reading = Mapping[str, Sequence[Mapping[str, Any]]]


def dialogue_of(decision: Decision) -> Dialogue:
    """Return the dialogue with a model's readings of the statements that it has read.

    They replace the claims read by rule, or add to them if the method's switch is "both".
    """
    dialogue = Dialogue.of(decision.view, pack_of(decision.ruleset))
    analyses = ANALYSIS in decision.faculties
    readings: dict[str, Any] = {}
    for note in decision.mind.of(ANALYSIS if analyses else CLAIMS):
        readings |= note.data.get("model", {})
    if not readings:
        return dialogue
    turns = [turn for turn in decision.view.turns if turn.text]
    keeps_rule = decision.switch_value(ANALYSIS_READING if analyses else CLAIMS_READING) == "both"
    replaced = () if keeps_rule else CLAIM_AND_VOTE_KINDS if analyses else CLAIM_KINDS
    statements = [
        _replace_acts(statement, readings.get(str(turn.number)), replaced)
        for turn, statement in zip(turns, dialogue.said, strict=True)
    ]
    return replace(dialogue, said=statements)


def decision_claim_steps(decision: Decision) -> list[ClaimStep]:
    """Return all players' claims as the agent reads them."""
    return read_steps(dialogue_of(decision))


def _replace_acts(
    statement: Statement, rows: Iterable[Mapping[str, Any]] | None, replaced: Collection[str]
) -> Statement:
    """Replace the statement's acts of the kinds `replaced` by the acts of `rows`.

    If `rows` is None, return it unchanged.
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
    """Return the rule's reading of the given turns.

    Args:
        votes: whether to include announced votes.
    """
    pack = pack_of(decision.ruleset)
    spoken = (turn for turn in decision.view.turns if turn.text)
    turn_numbers = {turn.number for turn in turns}
    statements = Dialogue.of(decision.view, pack).said
    return {
        str(turn.number): [*rows_of(statement, pack), *(_vote_rows(statement) if votes else ())]
        for turn, statement in zip(spoken, statements, strict=True)
        if turn.number in turn_numbers
    }


def rows_of(statement: Statement, pack: Pack) -> list[dict[str, Any]]:
    """Return the claim rows of a statement. A report stands for its claim, too."""
    rows: list[dict[str, Any]] = []
    for act in statement.acts:
        if act.kind in CLAIM_KINDS and act.role in pack.deck:
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
    """Return the row of the last announced vote, [] without one."""
    votes = [act for act in statement.acts if act.kind == "vote" and act.targets]
    return [{"role": "", "targets": [votes[-1].targets[0]], "result": ""}] if votes else []


def count_agreement(first: Reading, second: Reading) -> dict[str, int]:
    """Count the statements of both readings, and those with equal content.

    Statements in which neither reads a claim are left out, because most statements have none.

    Returns:
        {"alike": number of equal ones, "statements": number of all}.
    """
    both = [key for key in first if key in second and (first[key] or second[key])]
    alike = [key for key in both if _content(first[key]) == _content(second[key])]
    return {"alike": len(alike), "statements": len(both)}


def _content(rows: Iterable[Mapping[str, Any]]) -> set[tuple[object, ...]]:
    return {(row["role"], tuple(sorted(row["targets"])), row["result"]) for row in rows}
