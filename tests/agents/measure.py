"""Precision and recall of the understanding on the corpus, kind by kind (tests/agents/corpus).

.venv/bin/python -m tests.agents.measure          # figures of both parts
.venv/bin/python -m tests.agents.measure --why    # and every mistake on work.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from agents.talk.acts import Act
from tests.agents.table import NAMES, understand

CORPUS = Path(__file__).parent / "corpus"
SPEAKER = NAMES.index("Epsilon") + 1
KINDS = (
    "claim",
    "deny",
    "retract",
    "companion",
    "report",
    "suspect",
    "accuse",
    "vote",
    "defend",
    "agree",
    "disagree",
    "question",
    "propose",
)


def load(part: str) -> list[dict[str, Any]]:
    lines = (CORPUS / f"{part}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def labels(act: Act) -> list[str]:
    """An act as the corpus writes it."""
    names = [NAMES[t - 1] for t in act.targets]
    match act.kind:
        case "report":
            return [f"report {' '.join(sorted(names))} {'wolf' if act.found else 'clean'}"]
        case "claim" | "deny":
            return [f"{act.kind} {act.role}"]
        case "retract":
            return ["retract"]
        case "propose":
            return [f"propose {act.role} {act.about}"]
        case "companion":
            return [f"companion {name} {act.role}" for name in names]
        case "suspect" if act.role and act.role != "werewolf":
            return [f"suspect {name} {act.role}" for name in names]
    return [f"{act.kind} {name}" for name in names]


def plain(label: str) -> str:
    """A corpus label without what is not compared: the order of names, the role taken back."""
    words = label.split()
    if words[0] == "report":
        return f"report {' '.join(sorted(words[1:-1]))} {words[-1]}"
    return "retract" if words[0] == "retract" else label


def found_in(row: dict[str, Any]) -> set[str]:
    """What the understanding makes of a line, told as the corpus tells it."""
    to = NAMES.index(row["to"]) + 1 if row.get("to") else 0
    acts = understand(row["text"], SPEAKER, NAMES, to)
    found = {label for act in acts for label in labels(act)}
    companions = {label.split()[2] for label in found if label.startswith("companion")}
    stronger = {label.split()[1] for label in found if label.startswith("accuse")}
    implied = {f"claim {role}" for role in companions}
    implied |= {f"{kind} {name}" for name in stronger for kind in ("suspect", "disagree")}
    told = {f"claim {act.split()[2]}" for act in row["acts"] if act.startswith("companion")}
    return found - implied - (told - set(row["acts"]))


def wanted_in(row: dict[str, Any]) -> set[str]:
    return {plain(label) for label in row["acts"]}


def measure(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int, int]]:
    """kind -> (right, found, wanted)."""
    right, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        have, want = found_in(row), wanted_in(row)
        for label in have:
            found[label.split()[0]] += 1
        for label in want:
            wanted[label.split()[0]] += 1
        for label in have & want:
            right[label.split()[0]] += 1
    return {kind: (right[kind], found[kind], wanted[kind]) for kind in KINDS}


def shares(right: int, found: int, wanted: int) -> tuple[float, float]:
    """(precision, recall); 1 where there is nothing to divide by."""
    return (right / found if found else 1.0, right / wanted if wanted else 1.0)


def show(part: str) -> None:
    figures = measure(load(part))
    print(f"\n{part}.jsonl: {len(load(part))} lines")
    print(f"{'':10} precision  recall   wanted")
    for kind, figure in figures.items():
        precision, recall = shares(*figure)
        print(f"{kind:10} {precision:9.2f} {recall:7.2f} {figure[2]:8}")


def main() -> None:
    if "--why" in sys.argv:
        for row in load("work"):
            have, want = found_in(row), wanted_in(row)
            if have != want:
                print(row["text"])
                print(f"   missed {sorted(want - have)}  wrong {sorted(have - want)}")
    for part in ("work", "held"):
        show(part)


if __name__ == "__main__":
    main()
