"""Train the model of demands: `.venv/bin/python -m tests.agents.train_demands [--judge]`.

A corpus line labels the demands of a whole statement on each player, or on one. The model is a
softmax over the intents and "none". The house player's phrases are added with the demands of their
kind (`tests.agents.meanings`), so that its remarks are not taken for demands.
`--judge` prints precision and recall on left-out authors and on the held-out lines.
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
from agents.house.remarks import get_phrases
from agents.language.phrasing import expansions, fill
from agents.packs import Pack, pack_of
from agents.understanding import features
from agents.understanding.demands import demands
from agents.understanding.features import (
    WEIGHT_UNIT,
    LearnedModels,
    Linear,
    is_seat,
    statement_tokens,
)
from agents.understanding.passages import (
    WEIGHTS,
    called_names,
    find_passage,
    name_features,
    split_sentences,
)
from game.engine import rulesets
from tests.agents.conduct.recorded_statements import record_statements
from tests.agents.labelled import SLOT_VALUES
from tests.agents.meanings import DEMANDS, meaning
from tests.agents.table import NAMES, ONE_NIGHT
from tests.agents.train import NORM, matrix

CORPUS = Path(__file__).parent / "corpus"
SHERIFF = pack_of(rulesets.get("sheriff"))
SHERIFF_NAMES = ("Alder", "Bryony", "Clover", "Fern", "Hazel", "Linden", "Rowan")
C = 0.3  # regularisation
RAREST = 4  # a feature of fewer examples is left out
WEIGHT_OF_PHRASE = 0.5
PHRASE_TEXTS = 4  # expansions of each phrase of the house player
GAMES = 60  # number of played games whose statements are used, too
WEIGHT_OF_STATEMENT = 0.5


@dataclass(frozen=True)
class Line:
    """A statement, and the intents of its demands by seat.

    Attributes:
        labelled: the seats whose demands are known.
    """

    text: str
    names: tuple[str, ...]
    by: int
    before: int
    wants: dict[int, frozenset[str]]
    weight: float
    author: str
    labelled: frozenset[int]

    @property
    def pack(self) -> Pack:
        return ONE_NIGHT if self.names == NAMES else SHERIFF


def corpus(path: Path) -> list[Line]:
    return [_line(json.loads(row)) for row in path.read_text().splitlines()]


def _line(row: dict) -> Line:
    names = NAMES if row["by"] in NAMES else SHERIFF_NAMES
    seats = {name: number for number, name in enumerate(names, start=1)}
    by = seats[row["by"]]
    intent_sets: dict[int, set[str]] = {}
    for want in row["wants"]:
        seats_addressed = seats.values() if want["to"] == "all" else [seats[want["to"]]]
        for seat in seats_addressed:
            intent_sets.setdefault(seat, set()).add(want["what"])
    intents = {seat: frozenset(intents) for seat, intents in intent_sets.items() if seat != by}
    before = seats.get(row.get("before") or "", 0)
    labelled = {seats[row["to"]]} if "to" in row else {*seats.values()} - {by}
    author = row.get("author", "")
    return Line(row["text"], names, by, before, intents, 1.0, author, frozenset(labelled))


def phrases() -> Iterator[Line]:
    """Yield house phrases whose demands are certain."""
    own = ONE_NIGHT.data.phrases
    kinds = {
        *language.remarks(),
        *(k for k in language.general_phrases() if own.get(ONE_NIGHT.spelled(k))),
    }
    labeled = [
        (text, *DEMANDS.get(kind, "").partition(" ")[::2])
        for kind in sorted(kinds)
        for character in ("", *language.voices())
        for phrase in get_phrases(ONE_NIGHT, kind, character)
        for text in expansions(phrase, PHRASE_TEXTS)
        if kind in DEMANDS or "question" not in meaning(kind) or "?" not in text
    ]
    rng = random.Random(0)
    for text, slot, intent in labeled:
        seats = dict(zip("txyzab", rng.sample(range(2, len(NAMES) + 1), 6), strict=True))
        names = {key: NAMES[seat - 1] for key, seat in seats.items()}
        filled = fill(text, {**SLOT_VALUES, "r": "Villager", **names})
        intents = {seats[slot]: frozenset([intent])} if slot else {}
        before = rng.randint(2, len(NAMES))
        labelled = frozenset(range(2, len(NAMES) + 1))
        yield Line(filled, NAMES, 1, before, intents, WEIGHT_OF_PHRASE, "house", labelled)


def statements() -> Iterator[Line]:
    """Yield the statements of played games with the demands of their remarks, on every seat."""
    for number in range(GAMES):
        before = 0
        for recorded in record_statements(f"demands/{number}"):
            intent_sets: dict[int, set[str]] = {}
            for remark, _ in recorded.wording:
                slot, _, intent = DEMANDS.get(remark.kind, "").partition(" ")
                if isinstance(seat := remark.names.get(slot), int):
                    intent_sets.setdefault(seat, set()).add(intent)
            intents = {seat: frozenset(intents) for seat, intents in intent_sets.items()}
            by, weight = recorded.seat, WEIGHT_OF_STATEMENT
            labelled = frozenset(range(1, len(NAMES) + 1)) - {by}
            yield Line(recorded.text, NAMES, by, before, intents, weight, "house", labelled)
            before = by


def examples(lines: Iterable[Line]) -> Iterator[tuple[list[str], str, float]]:
    """Yield (features, intent or "none", weight) of what each line says to or about each seat."""
    for line in lines:
        sentences = split_sentences(statement_tokens(line.text, line.names, line.by, line.pack))
        for seat in sorted(line.labelled):
            passage = find_passage(sentences, seat, line.before)
            intents = sorted(line.wants.get(seat, ())) or ["none"]
            for intent in intents if passage.units else ():
                yield sorted(passage.features), intent, line.weight / len(intents)


def train(lines: Sequence[Line], own: Sequence[Line]) -> None:
    """Train the models of calls and of demands, save them and make `demands` use them."""
    models = {"calls": train_calls(lines)}
    _save_and_use(models)  # the features of demands depend on the calls
    models["demands"] = train_intents([*lines, *own])
    _save_and_use(models)


def train_intents(lines: Iterable[Line]) -> Linear:
    return _fit(*zip(*examples(lines), strict=True))


def _fit(
    texts: Sequence[Sequence[str]],
    targets: Sequence[str | bool],
    example_weights: Sequence[float] | None = None,
) -> Linear:
    from sklearn.linear_model import LogisticRegression

    vocabulary, x = matrix(texts, rarest=RAREST)
    model = LogisticRegression(C=C, max_iter=200)
    model.fit(x, np.array(targets), sample_weight=example_weights)
    index = {feature: i for i, feature in enumerate(vocabulary)}
    parts = (model.coef_.T * NORM, model.intercept_)
    weights, bias = ((part * WEIGHT_UNIT).round().astype(np.int16) for part in parts)
    is_binary = len(model.classes_) == 2
    return Linear(("called",) if is_binary else tuple(model.classes_), index, weights, bias)


def call_examples(line: Line) -> Iterator[tuple[bool, list[set[str]]]]:
    """Yield (whether the line demands something of the seat, the features of its mentions)."""
    sentences = split_sentences(statement_tokens(line.text, line.names, line.by, line.pack))
    mentions: dict[int, list[set[str]]] = {}
    for number, sentence in enumerate(sentences):
        for index, word in enumerate(sentence):
            if is_seat(word):
                features = name_features(sentences, number, index, line.before)
                mentions.setdefault(int(word[1:]), []).append(features)
    for seat, views in mentions.items():
        yield bool(line.wants.get(seat)), views


def train_calls(lines: Iterable[Line]) -> Linear:
    """Return the model of names that are called.

    Of a seat that is named several times, the likeliest mention by a first model counts.
    """
    rows = [row for line in lines for row in call_examples(line)]
    certain = [(views, is_called) for is_called, views in rows if len(views) == 1 or not is_called]
    model = _fit_calls(certain)
    repeated = [views for is_called, views in rows if is_called and len(views) > 1]
    best = [max(views, key=lambda v: model.scores(v)["called"]) for views in repeated]
    return _fit_calls([*certain, *(([view], True) for view in best)])


def _fit_calls(rows: Iterable[tuple[list[set[str]], bool]]) -> Linear:
    examples = [(sorted(view), is_called) for views, is_called in rows for view in views]
    return _fit(*zip(*examples, strict=True))


Reader = Callable[[Line, int], set[str]]


def recognize(line: Line, seat: int) -> set[str]:
    """Return the intents that the current model finds for `seat` in a line."""
    recognized = demands(line.text, line.by, seat, line.names, line.pack, line.before)
    return {demand.intent for demand in recognized}


def judge(lines: Iterable[Line], reader: Reader = recognize) -> dict[str, float]:
    """Return the precision and recall of demands on a player, and of their intents."""
    anything, intent = np.zeros(3), np.zeros(3)
    for line in lines:
        for seat in line.labelled:
            expected, recognized = line.wants.get(seat, frozenset()), reader(line, seat)
            intent += [
                len(recognized & expected),
                len(recognized - expected),
                len(expected - recognized),
            ]
            is_recognized, is_expected = bool(recognized), bool(expected)
            anything += [
                is_recognized and is_expected,
                is_recognized and not is_expected,
                is_expected and not is_recognized,
            ]
    return {
        "precision": anything[0] / (anything[0] + anything[1]),
        "recall": anything[0] / (anything[0] + anything[2]),
        "intent precision": intent[0] / (intent[0] + intent[1]),
        "intent recall": intent[0] / (intent[0] + intent[2]),
    }


def _save_and_use(models: dict[str, Linear]) -> None:
    features.save_models(LearnedModels(models, {}, {}, {}), WEIGHTS)
    features.load_models.cache_clear()
    called_names.cache_clear()
    demands.cache_clear()


def report(name: str, figures: dict[str, float]) -> None:
    print(f"{name:12}", *(f"{key} {value:.2f}" for key, value in figures.items()))


def main() -> None:
    lines, own = corpus(CORPUS / "wants_work.jsonl"), [*phrases(), *statements()]
    if "--judge" in sys.argv:
        for author in sorted({line.author for line in lines}):
            train([line for line in lines if line.author != author], own)
            report(author, judge(line for line in lines if line.author == author))
    train(lines, own)
    for path in sorted(CORPUS.glob("wants_held*.jsonl")):
        report(path.stem, judge(corpus(path)))


if __name__ == "__main__":
    main()
