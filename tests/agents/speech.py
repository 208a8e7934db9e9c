"""Measure precision and recall of the statement checks on tests/agents/corpus.

`speech_*.jsonl` holds statements to reject or accept, `refusals_*.jsonl` holds refusals of the
request and fragments of the prompt.

.venv/bin/python -m tests.agents.speech          # figures of all parts
.venv/bin/python -m tests.agents.speech --why    # and every mistake on working lines
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from agents.decision import BackendError, Decision, Request
from agents.llm.prompt_copies import PromptText
from agents.llm.prompting import build_messages
from agents.llm.reply_parsing import parse_reply
from agents.llm.statement_checks import clean_reply
from agents.personas.big_five import Persona
from tests.agents.measure import load, shares
from tests.agents.table import NAMES, log_of, scene_of

SPEAKER = NAMES.index("Epsilon") + 1
PARTS = ("speech_work", "speech_held")
REFUSALS = ("refusals_work", "refusals_held", "refusals_fresh")
STATEMENTS = (("Alpha", "Good evening. Has anybody a first thought?"),)


@dataclass(frozen=True)
class Verdict:
    """Result of the checks: the repaired text, labels, the fault, and the cause of the fault."""

    text: str
    labels: list[str]
    fault: str
    cause: str = ""


def scene_for(row: dict[str, Any]) -> Decision:
    """Return the decision of Epsilon, a Villager, after the statements in the row's `said`."""
    statements = [(NAMES.index(name) + 1, text) for name, text in row.get("said", STATEMENTS)]
    decision = scene_of(log_of({SPEAKER: "villager"}, *statements), SPEAKER)
    if character := row.get("character"):
        return replace(decision, persona=Persona.of_character(character, "s"))
    return decision


def prompt_of(request: Request) -> PromptText:
    return PromptText.of(build_messages(request)[0], request.decision.view.state.seats)


def verdict_of(row: dict[str, Any]) -> Verdict:
    """Check the text of a corpus row as a model's statement."""
    return check_statement(row["text"], scene_for(row))


def check_statement(text: str, decision: Decision, prompt: PromptText | None = None) -> Verdict:
    """Check `text` as a statement in `decision`. `prompt` avoids building the prompt again."""
    request = Request("statement", decision)
    try:
        reply = parse_reply(json.dumps({"statement": text}), request)
        checked = clean_reply(reply, decision, prompt or prompt_of(request))
    except BackendError as error:
        return Verdict("", [], error.detail, error.cause)
    return Verdict(checked["text"], checked["labels"], "")


def is_mistaken(row: dict[str, Any], verdict: Verdict) -> bool:
    """Return whether the verdict differs from the labels of the corpus row."""
    if bool(verdict.fault) == row["speak"]:
        return True
    if row["kind"] == "refusal" and verdict.cause != "refusal":
        return True
    return "becomes" in row and verdict.text != row["becomes"]


def measure(rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Count (correctly rejected, rejected, to be rejected)."""
    results = [(row["speak"], bool(verdict_of(row).fault)) for row in rows]
    return (
        sum(is_rejected and not is_allowed for is_allowed, is_rejected in results),
        sum(is_rejected for _, is_rejected in results),
        sum(not is_allowed for is_allowed, _ in results),
    )


def show(part: str) -> None:
    rows = load(part)
    precision, recall = shares(*measure(rows))
    wrong = Counter(row["kind"] for row in rows if is_mistaken(row, verdict_of(row)))
    print(f"\n{part}.jsonl: {len(rows)} lines, {sum(not r['speak'] for r in rows)} to be refused")
    print(f"refusal: precision {precision:.2f}, recall {recall:.2f}")
    for kind, count in Counter(row["kind"] for row in rows).items():
        print(f"  {kind:16} {count - wrong[kind]:3} of {count:3} right")


def main() -> None:
    if "--why" in sys.argv:
        for row in load(PARTS[0]) + load(REFUSALS[0]):
            if is_mistaken(row, verdict := verdict_of(row)):
                expected = "spoken" if row["speak"] else "refused"
                print(f"{row['text']}\n   {expected} is right: {verdict}")
    for part in (*PARTS, *REFUSALS):
        show(part)


if __name__ == "__main__":
    main()
