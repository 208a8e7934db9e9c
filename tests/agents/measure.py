"""Precision and recall of the understanding on the corpus, kind by kind (tests/agents/corpus).

.venv/bin/python -m tests.agents.measure          # figures of all parts
.venv/bin/python -m tests.agents.measure --why    # and every mistake on working lines
.venv/bin/python -m tests.agents.measure --file LINES.jsonl --json    # of any lines of that form
.venv/bin/python -m tests.agents.measure --unpunctuated    # as typed without punctuation
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agents.packs import Pack, pack_of
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets
from tests.agents.table import NAMES, ONE_NIGHT

CORPUS = Path(__file__).parent / "corpus"
SPEAKER = NAMES.index("Epsilon") + 1
PARTS = ("work", "work_2", "work_3", "held", "sheriff_work", "sheriff_held")
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
    return read(CORPUS / f"{part}.jsonl")


def read(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def game_of(row: dict[str, Any]) -> tuple[tuple[str, ...], Pack]:
    """(the names of the table, the pack of its game) of a line.

    The ruleset's own names where none of `NAMES` is in it.
    """
    pack = pack_of(rulesets.get(row.get("ruleset", "one-night")))
    said = " ".join((row["text"], row.get("to", ""), *row["acts"]))
    if pack.ruleset is ONE_NIGHT.ruleset or re.search(
        rf"\b(?:{'|'.join(NAMES)})\b", said, re.IGNORECASE
    ):
        return NAMES[: len(pack.ruleset.seat_names)], pack
    return tuple(pack.ruleset.seat_names), pack


def labels(act: SpeechAct, table: tuple[str, ...] = NAMES, pack: Pack = ONE_NIGHT) -> list[str]:
    """An act as the corpus writes it, of the game of `pack` at a `table` of these names."""
    names = [table[t - 1] for t in act.targets]
    match act.kind:
        case "report":
            return [f"report {' '.join(sorted(names))} {_result(act, pack)}"]
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
        case "question" if len(names) == len(table) - 1:
            return []  # to everyone: the corpus has no label for it
    return [f"{act.kind} {name}" for name in names]


def _result(act: SpeechAct, pack: Pack) -> str:
    look = pack.look(act.role)
    if look and len(look.answers) > len(("wolf", "clean")):
        return act.value
    return "wolf" if pack.accuses(act.result) else "clean"


def plain(label: str, pack: Pack = ONE_NIGHT) -> str:
    """A corpus label without what is not compared: the order of names, the role taken back.

    "clean" of a look that tells roles is the role of whom nothing is known.
    """
    words = label.split()
    if words[0] == "report":
        found = (
            words[-1]
            if pack.ruleset is ONE_NIGHT.ruleset or words[-1] != "clean"
            else pack.plain_role
        )
        return f"report {' '.join(sorted(words[1:-1]))} {found}"
    return "retract" if words[0] == "retract" else label


_NO_MARK = re.compile(r"[^\w\s'’+@/-]|(?<!\w)[-'’]|[-'’](?!\w)|—|–")


def unpunctuated(text: str) -> str:
    """`text` as it is typed in haste: small letters, no marks but within words."""
    return " ".join(_NO_MARK.sub(" ", text.lower()).split())


def found_in(row: dict[str, Any]) -> set[str]:
    """What the understanding makes of a line, told as the corpus tells it."""
    table, pack = game_of(row)
    to = table.index(row["to"]) + 1 if row.get("to") else 0
    acts = understand(row["text"], SPEAKER, table, to, pack)
    found = {label for act in acts for label in labels(act, table, pack)}
    companions = {label.split()[2] for label in found if label.startswith("companion")}
    stronger = {label.split()[1] for label in found if label.startswith("accuse")}
    implied = {f"claim {role}" for role in companions}
    implied |= {f"{kind} {name}" for name in stronger for kind in ("suspect", "disagree")}
    told = {f"claim {act.split()[2]}" for act in row["acts"] if act.startswith("companion")}
    return found - implied - (told - set(row["acts"]))


def wanted_in(row: dict[str, Any]) -> set[str]:
    return {plain(label, game_of(row)[1]) for label in row["acts"]}


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


def told(rows: list[dict[str, Any]]) -> dict[str, dict[str, float | int]]:
    """Precision, recall and the number of wanted labels, of "all" kinds together, of each, and of
    suspicions and accusations together ("pressed")."""
    figures = measure(rows)
    every = _sum(figures.values())
    pressed = _sum(figures[kind] for kind in ("suspect", "accuse"))
    result: dict[str, dict[str, float | int]] = {}
    for kind, figure in {"all": every, **figures, "pressed": pressed}.items():
        precision, recall = shares(*figure)
        result[kind] = {"precision": precision, "recall": recall, "labels": figure[2]}
    return result


def _sum(figures: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    right, found, wanted = zip(*figures, strict=True)
    return sum(right), sum(found), sum(wanted)


def show(name: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{name}: {len(rows)} lines")
    print(f"{'':10} precision  recall   wanted")
    for kind, figure in told(rows).items():
        precision, recall, wanted = figure.values()
        print(f"{kind:10} {precision:9.2f} {recall:7.2f} {wanted:8}")


def mistakes(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        have, want = found_in(row), wanted_in(row)
        if have != want:
            print(row["text"])
            print(f"   missed {sorted(want - have)}  wrong {sorted(have - want)}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, help="lines of the corpus's form")
    parser.add_argument("--json", action="store_true", help="exact figures, as JSON")
    parser.add_argument("--unpunctuated", action="store_true", help="small letters, no marks")
    parser.add_argument("--why", action="store_true", help="every mistake on working lines")
    chosen = parser.parse_args(arguments)
    parts = [chosen.file] if chosen.file else [CORPUS / f"{part}.jsonl" for part in PARTS]
    figures = {}
    for path in parts:
        rows = read(path)
        if chosen.unpunctuated:
            rows = [{**row, "text": unpunctuated(row["text"])} for row in rows]
        if chosen.why and path.stem.endswith("work"):
            mistakes(rows)
        if chosen.json:
            figures[path.stem] = told(rows)
        else:
            show(path.name, rows)
    if chosen.json:
        print(json.dumps(figures[chosen.file.stem] if chosen.file else figures))


if __name__ == "__main__":
    main()
