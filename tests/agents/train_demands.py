"""Train the model of demands: `.venv/bin/python -m tests.agents.train_demands [--judge]`.

A line of the corpus says what a whole statement demands of each player. Which of its sentences
does so is found while training: the one that the model of the step before prefers. The house
player's own phrases are added, with what their kind demands (`tests.agents.meanings`), so that its
remarks are not taken for demands. `--judge` prints precision and recall on authors not trained on
and on the held-out lines instead.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents import language
from agents.house.phrase_slots import get_phrases
from agents.language.phrasing import expansions, fill
from agents.packs import Pack, pack_of
from agents.understanding import linear_models
from agents.understanding.demands import INTENTS, WEIGHTS, Unit, demands, split_sentences, units
from agents.understanding.features import statement_tokens
from agents.understanding.linear_models import LearnedModels, Linear
from game.engine import rulesets
from tests.agents.labelled import FILLED
from tests.agents.meanings import DEMANDS, meaning
from tests.agents.table import NAMES, ONE_NIGHT
from tests.agents.train import linear_of

CORPUS = Path(__file__).parent / "corpus"
SHERIFF = pack_of(rulesets.get("sheriff"))
SHERIFF_NAMES = ("Alder", "Bryony", "Clover", "Fern", "Hazel", "Linden", "Rowan")
C = 0.3  # as in tests.agents.train
STEPS = 2  # of training; from the second on, a demand goes to the sentence that scores best
WEIGHT_OF_DEMAND = 2.0
WEIGHT_OF_PHRASE = 0.5
PHRASE_TEXTS = 2  # of each phrase of the house player
STATEMENTS = 600  # of several phrases


@dataclass(frozen=True)
class Line:
    """A statement, and seat -> the intents of what it demands of it."""

    text: str
    names: tuple[str, ...]
    by: int
    before: int
    wants: dict[int, frozenset[str]]
    weight: float
    author: str

    @property
    def pack(self) -> Pack:
        return ONE_NIGHT if self.names == NAMES else SHERIFF


def corpus(path: Path) -> list[Line]:
    return [_line(json.loads(row)) for row in path.read_text().splitlines()]


def _line(row: dict) -> Line:
    names = NAMES if row["by"] in NAMES else SHERIFF_NAMES
    seats = {name: number for number, name in enumerate(names, start=1)}
    by = seats[row["by"]]
    wants: dict[int, set[str]] = {}
    for want in row["wants"]:
        to = seats.values() if want["to"] == "all" else [seats[want["to"]]]
        for seat in to:
            wants.setdefault(seat, set()).add(want["what"])
    fixed = {seat: frozenset(intents) for seat, intents in wants.items() if seat != by}
    before = seats.get(row.get("before") or "", 0)
    return Line(row["text"], names, by, before, fixed, 1.0, row.get("author", ""))


def phrases() -> Iterator[Line]:
    """The house player's phrases whose kind surely demands something, or nothing.

    Alone, and as statements of several.
    """
    own = ONE_NIGHT.data.phrases
    kinds = {
        *language.remarks(),
        *(k for k in language.general_phrases() if own.get(ONE_NIGHT.spelled(k))),
    }
    known = [
        (text, *DEMANDS.get(kind, "").partition(" ")[::2])
        for kind in sorted(kinds)
        for phrase in get_phrases(ONE_NIGHT, kind)
        for text in expansions(phrase, PHRASE_TEXTS)
        if kind in DEMANDS or "question" not in meaning(kind) or "?" not in text
    ]
    aside = (text for by_place in language.asides().values() for text in by_place.values())
    known += [(t, "", "") for texts in aside for said in texts for t in expansions(said, 1)]
    rng = random.Random(0)
    alone = [[one] for one in known]
    together = [rng.sample(known, rng.randint(2, 5)) for _ in range(STATEMENTS)]
    for parts in (*alone, *together):
        texts, wants = [], dict[int, set[str]]()
        for text, slot, intent in parts:
            seats = dict(zip("txyzab", rng.sample(range(2, len(NAMES) + 1), 6), strict=True))
            names = {key: NAMES[seat - 1] for key, seat in seats.items()}
            texts.append(fill(text, {**FILLED, "r": "Villager", **names}))
            if slot:
                wants.setdefault(seats[slot], set()).add(intent)
        before = rng.randint(2, len(NAMES))
        fixed = {seat: frozenset(intents) for seat, intents in wants.items()}
        yield Line(" ".join(texts), NAMES, 1, before, fixed, WEIGHT_OF_PHRASE, "house")


@dataclass
class Example:
    unit: Unit
    intents: frozenset[str]
    weight: float


def groups(line: Line) -> Iterator[tuple[list[Unit], frozenset[str]]]:
    """Of each seat that a line may concern, its sentences and what is demanded of it."""
    sentences = split_sentences(statement_tokens(line.text, line.names, line.by, line.pack))
    for seat in range(1, len(line.names) + 1):
        if seat != line.by and (found := list(units(sentences, seat, line.before))):
            yield found, line.wants.get(seat, frozenset())


def examples(lines: Iterable[Line], trained: Linear | None) -> Iterator[Example]:
    for line in lines:
        for sentences, intents in groups(line):
            given: dict[int, set[str]] = {unit.number: set() for unit in sentences}
            for intent in intents:
                given[_best(sentences, intent, trained)].add(intent)
            for unit in sentences:
                weight = line.weight * (WEIGHT_OF_DEMAND if given[unit.number] else 1.0)
                yield Example(unit, frozenset(given[unit.number]), weight)


def _best(sentences: Sequence[Unit], intent: str, trained: Linear | None) -> int:
    """The number of the sentence that holds a demand: by score, first by whom it is said to."""

    def score(unit: Unit) -> float:
        if trained is None:
            return 2.0 * unit.is_direct + ("?" in unit.sentence)
        scores = trained.scores(unit.features)
        return scores[intent] + scores["any"]

    return max(sentences, key=score).number


def train(lines: Sequence[Line]) -> Linear:
    trained: Linear | None = None
    for _ in range(STEPS):
        known = list(examples(lines, trained))
        weight = np.array([e.weight for e in known])

        def labels(
            kind: str, known: list[Example] = known, weight: np.ndarray = weight
        ) -> tuple[np.ndarray, np.ndarray]:
            held = [bool(e.intents) if kind == "any" else kind in e.intents for e in known]
            return np.array(held, dtype=int), weight

        trained, _ = linear_of(
            [sorted(e.unit.features) for e in known], ("any", *INTENTS), labels, rarest=3, c=C
        )
    assert trained is not None
    return trained


Reader = Callable[[Line, int], set[str]]


def read(line: Line, seat: int) -> set[str]:
    """What the model in use demands of `seat` in a line."""
    found = demands(line.text, line.by, seat, line.names, line.pack, line.before)
    return {demand.intent for demand in found}


def judge(lines: Iterable[Line], reader: Reader = read) -> dict[str, float]:
    """Precision and recall: that something is demanded of a player, and what."""
    anything, intent = np.zeros(3), np.zeros(3)
    for line in lines:
        for seat in range(1, len(line.names) + 1):
            if seat != line.by:
                truth, found = line.wants.get(seat, frozenset()), reader(line, seat)
                intent += [len(found & truth), len(found - truth), len(truth - found)]
                one, other = bool(found), bool(truth)
                anything += [one and other, one and not other, other and not one]
    return {
        "precision": anything[0] / (anything[0] + anything[1]),
        "recall": anything[0] / (anything[0] + anything[2]),
        "intent precision": intent[0] / (intent[0] + intent[1]),
        "intent recall": intent[0] / (intent[0] + intent[2]),
    }


def use(trained: Linear) -> None:
    """Save a model and let `demands` read with it."""
    linear_models.save_models(LearnedModels({"demands": trained}, {}, {}, {}), WEIGHTS)
    linear_models.load_models.cache_clear()
    demands.cache_clear()


def report(name: str, figures: dict[str, float]) -> None:
    print(f"{name:12}", *(f"{key} {value:.2f}" for key, value in figures.items()))


def main() -> None:
    lines, own = corpus(CORPUS / "wants_work.jsonl"), list(phrases())
    if "--judge" in sys.argv:
        for author in sorted({line.author for line in lines}):
            use(train([*(line for line in lines if line.author != author), *own]))
            report(author, judge(line for line in lines if line.author == author))
    use(train([*lines, *own]))
    for path in sorted(CORPUS.glob("wants_held*.jsonl")):
        report(path.stem, judge(corpus(path)))


if __name__ == "__main__":
    main()
