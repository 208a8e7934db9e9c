"""Claims in statements, read by rule or by a model (Impressions A.9, SPEC 2.7).

The reading of a statement is a list of rows {"role": key, "targets": [seat, …], "result": an answer
of the role's look or ""}. The claimant is the statement's speaker. A row without a role is an
announced vote for its target. Readings are stored as {number of the turn, as a string: rows}.

The steps of claims (`agents.talk.claim_steps`) follow from all readings. They contain seats, role
keys of the deck, results and rounds, so text built from them repeats no text of a player.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agents.contest import ANALYSIS, ANALYSIS_READING, CLAIMS, CLAIMS_READING
from agents.decision import Decision
from agents.deduction.likelihoods import Knowledge
from agents.packs import Pack
from agents.talk.claim_steps import ClaimStep, drop_repeats
from agents.talk.dialogue import Dialogue
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import Statement, result_of
from game.engine.state import Turn
from game.engine.visibility import View

CLAIM_KINDS: tuple[str, ...] = ("claim", "report")  # kinds of speech acts that rows represent
CLAIM_AND_VOTE_KINDS = (*CLAIM_KINDS, "vote")
RowsByTurn = Mapping[str, Sequence[Mapping[str, Any]]]


def dialogue_of(decision: Decision) -> Dialogue:
    """Return the dialogue as the agent reads it.

    For the statements that a model has read, the model's claims replace those read by rule, or add
    to them if the method's switch is "both".
    """
    dialogue = Dialogue.of(decision.view, decision.pack)
    faculty, switch, replaced_kinds = CLAIMS, CLAIMS_READING, CLAIM_KINDS
    if ANALYSIS in decision.faculties:
        faculty, switch, replaced_kinds = ANALYSIS, ANALYSIS_READING, CLAIM_AND_VOTE_KINDS
    rows_by_turn: dict[str, Any] = {}
    for note in decision.mind.of(faculty):
        rows_by_turn |= note.data.get("model", {})
    if not rows_by_turn:
        return dialogue
    if decision.switch_value(switch) == "both":
        replaced_kinds = ()
    turns = [turn for turn in decision.view.turns if turn.text]
    statements = [
        _replace_acts(statement, rows_by_turn.get(str(turn.number)), replaced_kinds)
        for turn, statement in zip(turns, dialogue.statements, strict=True)
    ]
    return replace(dialogue, statements=statements)


def decision_claim_steps(decision: Decision) -> list[ClaimStep]:
    """Return all players' claims as the agent reads them."""
    return read_steps(dialogue_of(decision))


def _replace_acts(
    statement: Statement, rows: Iterable[Mapping[str, Any]] | None, kinds: Collection[str]
) -> Statement:
    """Return the statement with the acts of `rows`, if any, in place of its own of some kinds."""
    if rows is None:
        return statement
    acts = [act for act in statement.acts if act.kind not in kinds]
    for row in rows:
        targets = tuple(sorted(row["targets"]))
        if targets and row["result"]:
            act = SpeechAct("report", statement.seat, targets, row["role"], row["result"])
        elif row["role"]:
            act = SpeechAct("claim", statement.seat, role=row["role"])
        else:
            act = SpeechAct("vote", statement.seat, targets)
        if act not in acts:
            acts.append(act)
    return replace(statement, acts=tuple(acts))


def read_by_rule(
    decision: Decision, turns: Iterable[Turn], *, include_votes: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """Return the rule's reading of the given turns: turn number -> rows.

    The rows have announced votes only if `include_votes`.
    """
    pack = decision.pack
    spoken = (turn for turn in decision.view.turns if turn.text)
    read_numbers = {turn.number for turn in turns}
    statements = Dialogue.of(decision.view, pack).statements
    rows_by_turn: dict[str, list[dict[str, Any]]] = {}
    for turn, statement in zip(spoken, statements, strict=True):
        if turn.number in read_numbers:
            rows = claim_rows(statement, pack)
            if include_votes:
                rows += _vote_rows(statement)
            rows_by_turn[str(turn.number)] = rows
    return rows_by_turn


def claim_rows(statement: Statement, pack: Pack) -> list[dict[str, Any]]:
    """Return the claim rows of a statement. A report is one row with the role that it implies."""
    rows: list[dict[str, Any]] = []
    for act in statement.acts:
        if act.kind in CLAIM_KINDS and act.role in pack.deck:
            result = result_of(act, pack)
            row = {
                "role": act.role,
                "targets": list(result.targets) if result else [],
                "result": result.value if result else "",
            }
            if row not in rows:
                rows.append(row)
    reported_roles = {row["role"] for row in rows if row["result"]}
    return [row for row in rows if row["result"] or row["role"] not in reported_roles]


def _vote_rows(statement: Statement) -> list[dict[str, Any]]:
    """Return the row of the last announced vote, [] without one."""
    votes = [act for act in statement.acts if act.kind == "vote" and act.targets]
    return [{"role": "", "targets": [votes[-1].targets[0]], "result": ""}] if votes else []


def count_agreement(first: RowsByTurn, second: RowsByTurn) -> dict[str, int]:
    """Return {"alike": number of statements with equal readings, "statements": number of all}.

    Statements in which neither reads a claim are left out, because most statements have none.
    """
    compared = [key for key in first if key in second and (first[key] or second[key])]
    alike = sum(_claim_set(first[key]) == _claim_set(second[key]) for key in compared)
    return {"alike": alike, "statements": len(compared)}


def _claim_set(rows: Iterable[Mapping[str, Any]]) -> set[tuple[object, ...]]:
    return {(row["role"], tuple(sorted(row["targets"])), row["result"]) for row in rows}


def read_steps(dialogue: Dialogue) -> list[ClaimStep]:
    """Return all players' steps in a dialogue, without repeats."""
    return drop_repeats(
        step
        for statement in dialogue.statements
        for act in statement.acts
        for step in stated_steps(act, dialogue.pack, statement.round, statement.day)
    )


def stated_steps(act: SpeechAct, pack: Pack, round_: int, day: int) -> Iterator[ClaimStep]:
    """Yield the steps that an act states, whatever its speaker stated before."""
    make_step = partial(ClaimStep, act.speaker, round_, day=day)
    role = act.role
    if act.kind in ("claim", "report", "companion") and role in pack.deck:
        yield make_step("role", role)
        if result := result_of(act, pack):
            yield make_step("look", role, result.targets, result.value)
        elif act.kind == "report" and len(act.targets) > 1:  # more targets than the look has
            yield make_step("look", role, act.targets, act.value)
        if act.kind == "companion" and act.targets:
            yield make_step("partner", role, act.targets[:1])
    elif act.kind == "retract":
        yield make_step("back")
    elif act.kind == "deny" and role:
        yield make_step("back", role)
    elif act.kind == "vote" and act.targets:
        yield make_step("vote", targets=act.targets[:1])


def claims_by_seat(steps: Iterable[ClaimStep], seats: Iterable[int]) -> dict[int, list[ClaimStep]]:
    """Return seat -> its steps without votes, [] for none."""
    claims: dict[int, list[ClaimStep]] = {seat: [] for seat in seats}
    for step in steps:
        if step.seat in claims and step.kind != "vote":
            claims[step.seat].append(step)
    return claims


def voters_by_target(steps: Iterable[ClaimStep]) -> dict[int, list[int]]:
    """Return seat -> voters whose last announced vote is for it, most voters first."""
    last_votes = {s.seat: s.targets[0] for s in steps if s.kind == "vote"}
    voters: dict[int, list[int]] = {}
    for voter, target in sorted(last_votes.items()):
        voters.setdefault(target, []).append(voter)
    return dict(sorted(voters.items(), key=lambda item: (-len(item[1]), item[0])))


def own_story(steps: Iterable[ClaimStep], view: View, pack: Pack) -> list[ClaimStep]:
    """Return the viewer's own steps, announced votes included, each with its truth."""
    knowledge = Knowledge.of(view, pack)
    own = (step for step in steps if step.seat == view.seat)
    return [replace(step, is_true=is_true(step, view, knowledge)) for step in own]


def is_true(step: ClaimStep, view: View, knowledge: Knowledge) -> bool | None:
    """Return whether the viewer's own step is true, None for a vote or a withdrawn claim."""
    match step.kind:
        case "role":
            return step.role == view.role
        case "partner":
            roles = [view.state.roles.get(seat) for seat in step.targets]
            return view.role == step.role and all(role == step.role for role in roles)
        case "look":
            return step.result in knowledge.looks
    return None
