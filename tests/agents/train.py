"""Train the learned part of the understanding (agents/understanding/weights.npz).

.venv/bin/python -m tests.agents.train    # about two minutes; the same weights every time

Logistic regression (liblinear) on the working lines of the corpus, once as written and once
without punctuation, and on the house player's own phrases as tests/agents/meanings.py labels them.
Thresholds are chosen on scores that were predicted from other lines, with five folds and
near-duplicates in the same fold. scikit-learn comes with pingouin and is needed only here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, get_args

import numpy as np
from scipy.sparse import csr_matrix

from agents.language.patterns import LEXICON
from agents.packs import Part
from agents.understanding.features import (
    WEIGHT_UNIT,
    LearnedModels,
    Linear,
    features,
    load_models,
    roles_in,
    save_models,
    seat_numbers,
)
from agents.understanding.normalise import expand_seat_numbers
from agents.understanding.punctuation import (
    BREAK,
    GAP_MODEL,
    MARKS,
    QUESTION,
    STOP,
    add_punctuation,
    gap_features,
    masked_words,
    question_features,
)
from tests.agents.labelled import Line, corpus_lines, house_lines, with_bystander
from tests.agents.measure import remove_punctuation
from tests.agents.table import ONE_NIGHT

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

FOLDS = 5
RAREST = 6  # minimum number of examples with a feature
C = 1.0  # the weight of an error against that of large weights, at features of norm NORM
NORM = 8.0
KINDS = {
    "seat": (
        "suspect", "accuse", "vote", "defend", "agree", "disagree", "question",
    ),
    "role": ("claim", "deny", "speak", "wait"),
    "line": ("retract",),
}  # fmt: skip
# precision required to add a kind
PRECISION = 0.85
CERTAIN_FROM = {"claim": 0.93, "deny": 0.93, "retract": 0.93}
LEAST, MOST = 0.25, 3.0  # range of thresholds
FIRM = {"claim": 2.0, "deny": 2.0}  # minimum thresholds of kinds with costly errors
# score thresholds of a mark in a gap, of its being a full stop, and of a question mark
MARK_THRESHOLDS = {BREAK: -0.5, STOP: 0.0, QUESTION: 0.0}
DROP_BELOW = {"wolf": 0.6}  # between the scores of irony and of a plain confession
# cue lists whose words form classes, in order of priority
LISTS = (
    "denial", "evil", "lying", "vote", "good", "trust", "agree", "disagree", "odd", "hedge",
    "modal", "claimed",
)  # fmt: skip
Labels = Callable[
    [str], tuple[np.ndarray, np.ndarray]
]  # kind -> (targets 0 or 1, weights) of the examples


@dataclass
class Examples:
    """Training examples of one family of models, each a (line, target)."""

    texts: list[list[str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)


def word_lists(lines: Iterable[Line]) -> dict[str, tuple[str, ...]]:
    """Map each word of the lines and lists to the cue lists that contain it."""
    lists = {name: LEXICON.patterns[name] for name in LISTS}
    words = {w for line in lines for w in re.findall(r"[a-z]{2,}", line.text.lower())}
    words |= {w for p in lists.values() for w in re.findall(r"[a-z]{2,}", p.pattern)}
    words |= {*get_args(Part)}
    lists_by_word = {w: tuple(n for n, p in lists.items() if p.search(w)) for w in sorted(words)}
    return {word: names for word, names in lists_by_word.items() if names}


def examples(lines: Sequence[Line], classes: dict[str, tuple[str, ...]]) -> dict[str, Examples]:
    examples_by_family = {family: Examples() for family in KINDS}
    for line in lines:
        words = line.words
        if not words:
            continue
        named = (seat for seat in seat_numbers(words) if seat <= len(line.table))
        seats = dict.fromkeys([*named, *filter(None, [line.to])])
        targets = [("seat", f"@{seat}") for seat in seats if seat != line.speaker]
        if line.bystander:
            targets.append(("seat", f"@{line.bystander}"))
        targets += [("role", role) for role in roles_in(words)]
        for family, target in [*targets, ("line", "")]:
            into = examples_by_family[family]
            into.texts.append(sorted(set(features(target, words, classes))))
            into.lines.append(line)
            into.targets.append(target)
    return examples_by_family


def matrix(texts: Sequence[Sequence[str]], rarest: int = RAREST) -> tuple[list[str], csr_matrix]:
    """Return (features of at least `rarest` examples, examples x features of norm NORM)."""
    counts: dict[str, int] = {}
    for text in texts:
        for feature in text:
            counts[feature] = counts.get(feature, 0) + 1
    vocabulary = sorted(f for f, count in counts.items() if count >= rarest and "\n" not in f)
    index = {feature: i for i, feature in enumerate(vocabulary)}
    columns, values, starts = [], [], [0]
    for text in texts:
        indices = [index[f] for f in text if f in index]
        columns += indices
        values += [NORM / max(len(indices), 1) ** 0.5] * len(indices)
        starts.append(len(columns))
    return vocabulary, csr_matrix((values, columns, starts), (len(texts), len(vocabulary)))


def fit(x: csr_matrix, y: np.ndarray, weight: np.ndarray, c: float = C) -> LogisticRegression:
    # Imported here: it takes a second, and tests that train nothing import this module.
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=c, solver="liblinear", dual=True, random_state=0, max_iter=2000)
    return model.fit(x, y, sample_weight=weight)


def predict_by_fold(
    x: csr_matrix, y: np.ndarray, weight: np.ndarray, fold: np.ndarray
) -> np.ndarray:
    """Return the score of each example from a model trained without its fold."""
    scores = np.zeros(len(y))
    for number in range(FOLDS):
        in_fold = fold == number
        if y[~in_fold].any():
            use = ~in_fold & (weight > 0)
            scores[in_fold] = fit(x[use], y[use], weight[use]).decision_function(x[in_fold])
    return scores


def threshold(scores: np.ndarray, y: np.ndarray, precision: float) -> float:
    """Return the lowest score that reaches `precision`, within LEAST and MOST."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(y[order]) / np.arange(1, len(y) + 1)
    good = np.flatnonzero(right >= precision)
    lowest = scores[order[good[-1]]] if len(good) else MOST
    return float(np.clip(lowest, LEAST, MOST).round(2))


def linear_of(
    texts: Sequence[Sequence[str]],
    kinds: Sequence[str],
    labels: Labels,
    rarest: int = RAREST,
    c: float = C,
) -> tuple[Linear, csr_matrix]:
    """Train the models of `kinds`. Returns: the models, the examples as a matrix."""
    vocabulary, x = matrix(texts, rarest)
    weights, bias = np.zeros((len(vocabulary), len(kinds))), np.zeros(len(kinds))
    for i, kind in enumerate(kinds):
        y, weight = labels(kind)
        best = fit(x[weight > 0], y[weight > 0], weight[weight > 0], c)
        weights[:, i], bias[i] = best.coef_[0] * NORM, best.intercept_[0]
    index = {feature: i for i, feature in enumerate(vocabulary)}
    rounded = [(part * WEIGHT_UNIT).round().astype(np.int16) for part in (weights, bias)]
    return Linear(tuple(kinds), index, *rounded), x


def thresholds(
    x: csr_matrix, kinds: Sequence[str], labels: Labels, fold: np.ndarray, counted: np.ndarray
) -> dict[str, float]:
    """Choose the threshold score of each kind on the examples in `counted`."""
    add = {}
    for kind in kinds:
        y, weight = labels(kind)
        scores, use = predict_by_fold(x, y, weight, fold), counted & (weight > 0)
        minimum = threshold(scores[use], y[use], CERTAIN_FROM.get(kind, PRECISION))
        add[kind] = max(minimum, FIRM.get(kind, LEAST))
        over = use & (scores >= add[kind])
        print(
            f"{kind:10} {int(y[use].sum()):5} examples, threshold {add[kind]:5.2f}: "
            f"precision {y[over].mean() if over.any() else 1:.2f} "
            f"recall {y[over].sum() / max(y[use].sum(), 1):.2f}"
        )
    return add


def folds(groups: Sequence[int]) -> np.ndarray:
    """Draw the fold of each group. Returns: the fold of each example."""
    numbers = sorted(set(groups))
    drawn = np.random.default_rng(0).permutation(len(numbers)) % FOLDS
    fold = dict(zip(numbers, drawn, strict=True))
    return np.array([fold[group] for group in groups])


def families(
    lines: Sequence[Line], classes: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, Linear, dict[str, float]]]:
    """Yield (family, models, thresholds) of seats, roles and whole statements."""
    for family, family_examples in examples(lines, classes).items():
        fold = folds([line.group for line in family_examples.lines])
        counted = np.array([not line.house for line in family_examples.lines])

        def labels(
            kind: str, family: str = family, family_examples: Examples = family_examples
        ) -> tuple[np.ndarray, np.ndarray]:
            keys = [(family, target, kind) for target in family_examples.targets]
            pairs = list(zip(keys, family_examples.lines, strict=True))
            y = np.array([int(key in line.says) for key, line in pairs])
            weight = np.array([0.0 if key in line.open else line.weight for key, line in pairs])
            return y, weight

        trained, x = linear_of(family_examples.texts, KINDS[family], labels)
        yield family, trained, thresholds(x, KINDS[family], labels, fold, counted)


def punctuation(lines: Sequence[Line]) -> Iterator[tuple[str, Linear]]:
    """Yield the punctuation models, trained on punctuated lines.

    Lines of other games count only if written with care, because many of them lack marks.
    """
    gaps: list[list[str]] = []
    ends: list[list[str]] = []
    marks: list[str] = []
    end_marks: list[str] = []
    for line in lines:
        careful = line.text[0].isupper() and line.text[-1] in ".!?"
        if not MARKS.search(line.text) or not (careful or line.pack.ruleset is ONE_NIGHT.ruleset):
            continue
        words, after = split_marks(expand_seat_numbers(line.text, line.table))
        masked, first = masked_words(words, line.table), 0
        for i, mark in enumerate(after):
            if i < len(words) - 1:
                gaps.append(sorted(set(gap_features(masked, i))))
                marks.append(mark)
            if mark in (".", "?") or i == len(words) - 1:
                ends.append(sorted(set(question_features(masked[first : i + 1]))))
                end_marks.append(mark)
                first = i + 1
    for name, texts, kinds, true_marks in (
        (GAP_MODEL, gaps, {BREAK: ",.?", STOP: ".?"}, marks),
        (QUESTION, ends, {QUESTION: "?"}, end_marks),
    ):

        def labels(
            kind: str, kinds: dict[str, str] = kinds, true_marks: list[str] = true_marks
        ) -> tuple[np.ndarray, np.ndarray]:
            return np.array([int(bool(m) and m in kinds[kind]) for m in true_marks]), np.ones(
                len(true_marks)
            )

        yield name, linear_of(texts, tuple(kinds), labels)[0]


def split_marks(text: str) -> tuple[list[str], list[str]]:
    """Split into (words, mark after each word: "", ",", "." or "?")."""
    words: list[str] = []
    after: list[str] = []
    for piece in re.split(r"\s+|(?<=[—–])|(?=[—–])", text):
        core = piece.strip(".,!?;:…—–-\"'()*")
        tail = piece[len(piece.rstrip(".,!?;:…—–-\"'()*")) :] if core else piece
        marks = (("?", "?"), (".", ".!;…"), (",", ",:—–"))
        mark = next((mark for mark, signs in marks if set(tail) & set(signs)), "")
        if core:
            words.append(core)
            after.append(mark)
        elif words and mark:
            after[-1] = mark
    return words, after


def train() -> LearnedModels:
    punctuated = corpus_lines()
    house = list(house_lines(len(punctuated)))
    classes = word_lists([*punctuated, *house])
    models, add = dict(punctuation(punctuated)), dict(MARK_THRESHOLDS)
    save_models(LearnedModels(models, classes, add, {}))  # used to punctuate bare lines
    load_models.cache_clear()
    unpunctuated_lines = [
        replace(line, text=add_punctuation(remove_punctuation(line.text), line.table))
        for line in punctuated
    ]
    lines = [with_bystander(line) for line in (*punctuated, *unpunctuated_lines, *house)]
    for family, trained, family_thresholds in families(lines, classes):
        models[family] = trained
        add |= family_thresholds
    return LearnedModels(models, classes, add, DROP_BELOW)


def main() -> None:
    save_models(train())


if __name__ == "__main__":
    main()
