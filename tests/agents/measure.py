"""Measure precision and recall of the understanding on tests/agents/corpus by kind.

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
    """Return the player names and the pack of a line's game.

    The names are the ruleset's own if the line has none of `NAMES`.
    """
    pack = pack_of(rulesets.get(row.get("ruleset", "one-night")))
    line_text = " ".join((row["text"], row.get("to", ""), *row["acts"]))
    if pack.ruleset is ONE_NIGHT.ruleset or re.search(
        rf"\b(?:{'|'.join(NAMES)})\b", line_text, re.IGNORECASE
    ):
        return NAMES[: len(pack.ruleset.seat_names)], pack
    return tuple(pack.ruleset.seat_names), pack


def labels(act: SpeechAct, table: tuple[str, ...] = NAMES, pack: Pack = ONE_NIGHT) -> list[str]:
    """Return the corpus labels of an act in the game of `pack` with the player names `table`."""
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


def normalize_label(label: str, pack: Pack = ONE_NIGHT) -> str:
    """Normalize a corpus label: order of names, role of a retraction.

    "clean" of a look that reveals roles becomes the plain role.
    """
    words = label.split()
    if words[0] == "report":
        value = (
            words[-1]
            if pack.ruleset is ONE_NIGHT.ruleset or words[-1] != "clean"
            else pack.plain_role
        )
        return f"report {' '.join(sorted(words[1:-1]))} {value}"
    return "retract" if words[0] == "retract" else label


_NO_MARK = re.compile(r"[^\w\s'’+@/-]|(?<!\w)[-'’]|[-'’](?!\w)|—|–")


def remove_punctuation(text: str) -> str:
    """Lower the case and remove punctuation outside words, as in hasty typing."""
    return " ".join(_NO_MARK.sub(" ", text.lower()).split())


def recognized_labels(row: dict[str, Any]) -> set[str]:
    """Return the corpus labels that the understanding finds in a line."""
    table, pack = game_of(row)
    to = table.index(row["to"]) + 1 if row.get("to") else 0
    acts = understand(row["text"], SPEAKER, table, to, pack)
    recognized = {label for act in acts for label in labels(act, table, pack)}
    companions = {label.split()[2] for label in recognized if label.startswith("companion")}
    stronger = {label.split()[1] for label in recognized if label.startswith("accuse")}
    implied = {f"claim {role}" for role in companions}
    implied |= {f"{kind} {name}" for name in stronger for kind in ("suspect", "disagree")}
    claimed_by_companion = {
        f"claim {act.split()[2]}" for act in row["acts"] if act.startswith("companion")
    }
    return recognized - implied - (claimed_by_companion - set(row["acts"]))


def expected_labels(row: dict[str, Any]) -> set[str]:
    return {normalize_label(label, game_of(row)[1]) for label in row["acts"]}


def measure(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int, int]]:
    """Map each kind to (correct, recognized, expected)."""
    correct, recognized, expected = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        recognized_here, expected_here = recognized_labels(row), expected_labels(row)
        for label in recognized_here:
            recognized[label.split()[0]] += 1
        for label in expected_here:
            expected[label.split()[0]] += 1
        for label in recognized_here & expected_here:
            correct[label.split()[0]] += 1
    return {kind: (correct[kind], recognized[kind], expected[kind]) for kind in KINDS}


def shares(correct: int, recognized: int, expected: int) -> tuple[float, float]:
    """Return (precision, recall), 1 for an empty denominator."""
    return (correct / recognized if recognized else 1.0, correct / expected if expected else 1.0)


def scores_by_kind(rows: list[dict[str, Any]]) -> dict[str, dict[str, float | int]]:
    """Return the precision, recall and number of expected labels by kind.

    "all" covers all kinds, "pressed" covers suspicions and accusations.
    """
    figures = measure(rows)
    every = _sum(figures.values())
    pressed = _sum(figures[kind] for kind in ("suspect", "accuse"))
    result: dict[str, dict[str, float | int]] = {}
    for kind, figure in {"all": every, **figures, "pressed": pressed}.items():
        precision, recall = shares(*figure)
        result[kind] = {"precision": precision, "recall": recall, "labels": figure[2]}
    return result


def _sum(figures: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    correct, recognized, expected = zip(*figures, strict=True)
    return sum(correct), sum(recognized), sum(expected)


def show(name: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{name}: {len(rows)} lines")
    print(f"{'':10} precision  recall   wanted")
    for kind, figure in scores_by_kind(rows).items():
        precision, recall, expected = figure.values()
        print(f"{kind:10} {precision:9.2f} {recall:7.2f} {expected:8}")


def mistakes(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        recognized, expected = recognized_labels(row), expected_labels(row)
        if recognized != expected:
            print(row["text"])
            print(
                f"   missed {sorted(expected - recognized)}  wrong {sorted(recognized - expected)}"
            )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, help="lines of the corpus's form")
    parser.add_argument("--json", action="store_true", help="exact figures, as JSON")
    parser.add_argument("--unpunctuated", action="store_true", help="small letters, no marks")
    parser.add_argument("--why", action="store_true", help="every mistake on working lines")
    options = parser.parse_args(arguments)
    parts = [options.file] if options.file else [CORPUS / f"{part}.jsonl" for part in PARTS]
    figures = {}
    for path in parts:
        rows = read(path)
        if options.unpunctuated:
            rows = [{**row, "text": remove_punctuation(row["text"])} for row in rows]
        if options.why and path.stem.endswith("work"):
            mistakes(rows)
        if options.json:
            figures[path.stem] = scores_by_kind(rows)
        else:
            show(path.name, rows)
    if options.json:
        print(json.dumps(figures[options.file.stem] if options.file else figures))


if __name__ == "__main__":
    main()
