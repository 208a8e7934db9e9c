"""Precision and recall of refusing a model's words, on the corpus of statements
(tests/agents/corpus, `speech_*.jsonl`), and of detecting refusals of the request and fragments of
the prompt (`refusals_*.jsonl`).

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
from agents.llm.echo import PromptText
from agents.llm.prompting import messages
from agents.llm.reply_parsing import reply_of
from agents.llm.statement_checks import checked_reply
from agents.personas.big_five import Persona
from tests.agents.measure import load, shares
from tests.agents.table import NAMES, log_of, scene_of

SPEAKER = NAMES.index("Epsilon") + 1
PARTS = ("speech_work", "speech_held")
REFUSALS = ("refusals_work", "refusals_held", "refusals_fresh")
SAID = (("Alpha", "Good evening. Has anybody a first thought?"),)


@dataclass(frozen=True)
class Verdict:
    """What becomes of a line.

    The words as they would be spoken, their labels, why not, and the cause that a label would have.
    """

    text: str
    labels: list[str]
    fault: str
    cause: str = ""


def scene_for(row: dict[str, Any]) -> Decision:
    """Epsilon, a Villager, before a statement, after what the row's `said` tells."""
    said = [(NAMES.index(name) + 1, words) for name, words in row.get("said", SAID)]
    decision = scene_of(log_of({SPEAKER: "villager"}, *said), SPEAKER)
    if character := row.get("character"):
        return replace(decision, persona=Persona.of_character(character, "s"))
    return decision


def prompt_of(request: Request) -> PromptText:
    return PromptText.of(messages(request)[0], request.decision.view.state.seats)


def verdict(row: dict[str, Any]) -> Verdict:
    """What becomes of a line that a model gives as its statement."""
    return spoken(row["text"], scene_for(row))


def spoken(text: str, decision: Decision, prompt: PromptText | None = None) -> Verdict:
    """The same at any moment. prompt: of the request, where it is known already."""
    request = Request("statement", decision)
    try:
        reply = reply_of(json.dumps({"statement": text}), request)
        found = checked_reply(reply, decision, prompt or prompt_of(request))
    except BackendError as error:
        return Verdict("", [], error.detail, error.cause)
    return Verdict(found["text"], found["labels"], "")


def mistaken(row: dict[str, Any], found: Verdict) -> bool:
    """Whether a line is refused or spoken against what the corpus says, or spoken otherwise."""
    if bool(found.fault) == row["speak"]:
        return True
    if row["kind"] == "refusal" and found.cause != "refusal":
        return True
    return "becomes" in row and found.text != row["becomes"]


def measure(rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    """(rightly refused, refused, to be refused)."""
    found = [(row["speak"], bool(verdict(row).fault)) for row in rows]
    return (
        sum(refused and not speak for speak, refused in found),
        sum(refused for _, refused in found),
        sum(not speak for speak, _ in found),
    )


def show(part: str) -> None:
    rows = load(part)
    precision, recall = shares(*measure(rows))
    wrong = Counter(row["kind"] for row in rows if mistaken(row, verdict(row)))
    print(f"\n{part}.jsonl: {len(rows)} lines, {sum(not r['speak'] for r in rows)} to be refused")
    print(f"refusal: precision {precision:.2f}, recall {recall:.2f}")
    for kind, count in Counter(row["kind"] for row in rows).items():
        print(f"  {kind:16} {count - wrong[kind]:3} of {count:3} right")


def main() -> None:
    if "--why" in sys.argv:
        for row in load(PARTS[0]) + load(REFUSALS[0]):
            if mistaken(row, found := verdict(row)):
                print(
                    f"{row['text']}\n   {'spoken' if row['speak'] else 'refused'} is right: {found}"
                )
    for part in (*PARTS, *REFUSALS):
        show(part)


if __name__ == "__main__":
    main()
