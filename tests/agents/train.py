"""Trains what the house player's understanding has learned (agents/talk/learned/weights.npz).

.venv/bin/python -m tests.agents.train    # about two minutes; the same weights every time

Logistic regression (liblinear) on the working lines of the corpus, once as written and once
without punctuation, and on the house player's own phrases as tests/agents/meanings.py labels them.
Thresholds are chosen on scores that were predicted from other lines: five folds, near-duplicates in
the same one. scikit-learn comes with pingouin; it is needed here alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from agents.house.phrases import PHRASES
from agents.house.phrases.notices import NOTICES
from agents.house.words import expansions, fill
from agents.talk import cues
from agents.talk.learned import linear
from agents.talk.learned.breaks import MARKS, end, gap, masked, with_breaks
from agents.talk.learned.features import features, named, seen_from, tokens
from agents.talk.learned.fill import TAKEN
from agents.talk.learned.linear import UNIT, Learned, Linear
from tests.agents.meanings import meaning
from tests.agents.measure import SPEAKER, load, unpunctuated
from tests.agents.table import NAMES

FOLDS = 5
RAREST = 6  # examples that must show a feature
C = 1.0  # the weight of an error against that of large weights, at features of norm NORM
NORM = 8.0
KINDS = {
    "seat": (
        "suspect", TAKEN, "accuse", "vote", "defend", "agree", "disagree", "question", "companion",
    ),
    "role": ("claim", "deny", "speak", "wait"),
    "line": ("retract",),
}  # fmt: skip
# the precision at which a kind may be added
PRECISION = 0.85
SURE = {"claim": 0.93, "deny": 0.93, "retract": 0.93, "companion": 0.93}
LEAST, MOST = 0.25, 3.0  # the thresholds' range
ROLES = {
    "wolf": "wolf", "werewolf": "wolf", "werewolves": "wolf", "wolves": "wolf", "ww": "wolf",
    "seer": "seer", "seers": "seer", "mason": "mason", "masons": "mason", "villager": "villager",
    "villagers": "villager", "town": "villager", "townie": "villager", "townsfolk": "villager",
    "vanilla": "villager", "vil": "villager", "tanner": "tanner", "minion": "minion",
}  # fmt: skip
LISTS = (
    "NOT", "EVIL", "LYING", "VOTE", "GOOD", "TRUST", "AGREE", "DISAGREE", "ODD", "HEDGE", "MODAL",
    "CLAIMED",
)  # fmt: skip
SLOTS = {"t": "Beta", "x": "Gamma", "y": "Delta", "z": "Epsilon", "a": "Theta", "b": "Zeta"}
FILLED = {"q": "Seer", "n": "three"}
PHRASE_TEXTS = 8  # of what a phrase can become
HOUSE_WEIGHT = 1.5
Label = tuple[str, str, str]  # (family, target, kind)


@dataclass(frozen=True)
class Line:
    """A text and what it says. open: labels nobody knows, left out of training."""

    text: str
    group: int
    to: int = 0
    speaker: int = SPEAKER
    says: frozenset[Label] = frozenset()
    open: frozenset[Label] = frozenset()
    weight: float = 1.0
    house: bool = False
    bystander: int = 0  # a seat that may have spoken before and isn't meant


@dataclass
class Examples:
    """What one family of models is trained on, an example a (line, target)."""

    texts: list[list[str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)  # of the line


def role_of(name: str) -> str:
    return "wolf" if name == "werewolf" else name


def label(act: str) -> Label | None:
    """A label of the corpus as (family, target, kind); None for what is left to rules."""
    kind, *rest = act.split()
    if kind in ("claim", "deny"):
        return ("role", role_of(rest[0]), kind)
    if kind == "propose":
        return ("role", rest[0], rest[1])
    if kind == "retract":
        return ("line", "", kind)
    if kind == "report":
        return None
    seat = f"@{NAMES.index(rest[0]) + 1}"
    return ("seat", seat, TAKEN if kind == "suspect" and len(rest) > 1 else kind)


def corpus_lines() -> list[Line]:
    rows = load("work")
    groups = near_duplicates([row["text"] for row in rows])
    lines = []
    for row, group in zip(rows, groups, strict=True):
        says = {found for act in row["acts"] if (found := label(act))}
        # who names its partner claims the role too
        says |= {("role", a.split()[2], "claim") for a in row["acts"] if a.startswith("companion")}
        to = NAMES.index(row["to"]) + 1 if row.get("to") else 0
        lines.append(Line(row["text"], group, to, SPEAKER, frozenset(says)))
    return lines


def near_duplicates(texts: Sequence[str]) -> list[int]:
    """A group for each text; texts that differ in little but their names share one."""
    name = re.compile("|".join(rf"\b{n.lower()}\b" for n in NAMES))
    plain = [name.sub("name", text.lower()) for text in texts]
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4)).fit_transform(plain)
    alike = (grams @ grams.T).tocoo()
    group = list(range(len(texts)))

    def head(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for i, j, cosine in zip(alike.row, alike.col, alike.data, strict=True):
        if i < j and cosine > 0.6:
            group[max(head(i), head(j))] = min(head(i), head(j))
    return [head(i) for i in range(len(texts))]


def house_lines(first_group: int) -> Iterator[Line]:
    """The house player's own phrases, with what they mean."""
    seat = {slot: f"@{NAMES.index(name) + 1}" for slot, name in SLOTS.items()}
    for number, kind in enumerate(sorted(PHRASES)):
        says, open_ = meant(meaning(kind), seat)
        for phrase in PHRASES[kind]:
            for text in expansions(phrase, PHRASE_TEXTS):
                for role in ("Villager", "Werewolf") if kind in NOTICES else ("Villager",):
                    said = fill(text, {**SLOTS, **FILLED, "r": role})
                    yield Line(said, first_group + number, 0, 1, says, open_, HOUSE_WEIGHT, True)


def meant(written: str, seat: dict[str, str]) -> tuple[frozenset[Label], frozenset[Label]]:
    """(what is said, what may be said) of a line of tests/agents/meanings.py."""
    says: set[Label] = set()
    may: set[Label] = set()
    for part in filter(None, (p.strip() for p in written.split(";"))):
        head, *slots = part.rstrip("?").split("/")[0].split()
        names, _, role = head.rstrip("+-").partition("=")
        kinds = names.split("|")
        sure = not part.endswith("?") and len(kinds) == 1 and "*" not in slots
        into = says if sure else may
        for kind in kinds:
            if kind in ("claim", "deny"):
                into.add(("role", role_of(role), kind))
            elif kind == "propose":
                what = part.rstrip("?").split("/")[1]
                both = ("speak", "wait")
                into.update(("role", role, w) for w in (both if what == "*" else (what,)))
            elif kind == "retract":
                into.add(("line", "", kind))
            elif kind != "report":
                targets = seat.values() if "*" in slots else [seat[s] for s in slots]
                if role and kind == "suspect":
                    kind = TAKEN
                into.update(("seat", target, kind) for target in targets)
    return frozenset(says), frozenset(may)


def lexicon(lines: Iterable[Line]) -> dict[str, tuple[str, ...]]:
    """word -> the cue lists it stands in, of all words of the lines and of the lists."""
    lists = {name: getattr(cues, name) for name in LISTS}
    words = {w for line in lines for w in re.findall(r"[a-z]{2,}", line.text.lower())}
    words |= {w for p in lists.values() for w in re.findall(r"[a-z]{2,}", p.pattern)}
    words |= set(ROLES.values())
    found = {w: tuple(n for n, p in lists.items() if p.search(w)) for w in sorted(words)}
    return {word: names for word, names in found.items() if names}


def examples(lines: Sequence[Line], classes: dict[str, tuple[str, ...]]) -> dict[str, Examples]:
    roles = frozenset(ROLES.values())
    found = {family: Examples() for family in KINDS}
    for number, line in enumerate(lines):
        words = tokens(line.text, NAMES, line.speaker, ROLES)
        if not words:
            continue
        seats = dict.fromkeys([*named(words, len(NAMES)), *filter(None, [line.to])])
        targets = [("seat", f"@{seat}") for seat in seats if seat != line.speaker]
        if line.bystander:
            targets.append(("seat", f"@{line.bystander}"))
        targets += [("role", role) for role in sorted(roles & set(words))]
        for family, target in [*targets, ("line", "")]:
            others = roles if family == "role" else frozenset[str]()
            into = found[family]
            view = seen_from(target, words, others)
            into.texts.append(sorted(set(features(view, classes))))
            into.lines.append(line)
            into.targets.append(target)
            into.numbers.append(number)
    return found


def matrix(texts: Sequence[Sequence[str]]) -> tuple[list[str], csr_matrix]:
    """(the features that are not too rare, examples x features of norm NORM)."""
    counts: dict[str, int] = {}
    for text in texts:
        for feature in text:
            counts[feature] = counts.get(feature, 0) + 1
    vocabulary = sorted(f for f, count in counts.items() if count >= RAREST and "\n" not in f)
    index = {feature: i for i, feature in enumerate(vocabulary)}
    columns, values, starts = [], [], [0]
    for text in texts:
        known = [index[f] for f in text if f in index]
        columns += known
        values += [NORM / max(len(known), 1) ** 0.5] * len(known)
        starts.append(len(columns))
    return vocabulary, csr_matrix((values, columns, starts), (len(texts), len(vocabulary)))


def fitted(x: csr_matrix, y: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    model = LogisticRegression(C=C, solver="liblinear", dual=True, random_state=0, max_iter=2000)
    return model.fit(x, y, sample_weight=weight)


def foreseen(x: csr_matrix, y: np.ndarray, weight: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Scores of each example from a model that saw none of its fold."""
    scores = np.zeros(len(y))
    for number in range(FOLDS):
        there = fold == number
        if y[~there].any():
            use = ~there & (weight > 0)
            scores[there] = fitted(x[use], y[use], weight[use]).decision_function(x[there])
    return scores


def threshold(scores: np.ndarray, y: np.ndarray, precision: float) -> float:
    """The lowest score from which on `precision` is kept, within LEAST and MOST."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(y[order]) / np.arange(1, len(y) + 1)
    good = np.flatnonzero(right >= precision)
    lowest = scores[order[good[-1]]] if len(good) else MOST
    return float(np.clip(lowest, LEAST, MOST).round(2))


def model(
    name: str,
    texts: Sequence[Sequence[str]],
    kinds: Sequence[str],
    labels: Callable[[str], tuple[np.ndarray, np.ndarray]],
    fold: np.ndarray,
    counted: np.ndarray,
) -> tuple[Linear, dict[str, float], dict[str, np.ndarray]]:
    """A family's models, thresholds and foreseen scores.

    labels: kind -> (0 or 1, weight) an example; counted: the examples thresholds are chosen on.
    """
    vocabulary, x = matrix(texts)
    weights = np.zeros((len(vocabulary), len(kinds)))
    bias, add, told = np.zeros(len(kinds)), {}, {}
    for i, kind in enumerate(kinds):
        y, weight = labels(kind)
        told[kind] = scores = foreseen(x, y, weight, fold)
        use = counted & (weight > 0)
        add[kind] = threshold(scores[use], y[use], SURE.get(kind, PRECISION))
        best = fitted(x[weight > 0], y[weight > 0], weight[weight > 0])
        weights[:, i], bias[i] = best.coef_[0] * NORM, best.intercept_[0]
        over = use & (scores >= add[kind])
        print(
            f"{name:6}{kind:10} {int(y[use].sum()):5} examples, threshold {add[kind]:5.2f}: "
            f"precision {y[over].mean() if over.any() else 1:.2f} "
            f"recall {y[over].sum() / max(y[use].sum(), 1):.2f}"
        )
    index = {feature: i for i, feature in enumerate(vocabulary)}
    rounded = (weights * UNIT).round().astype(np.int16)
    return Linear(tuple(kinds), index, rounded, (bias * UNIT).round().astype(np.int16)), add, told


def folds(groups: Sequence[int]) -> np.ndarray:
    """The fold of each group, drawn once."""
    numbers = sorted(set(groups))
    drawn = np.random.default_rng(0).permutation(len(numbers)) % FOLDS
    fold = dict(zip(numbers, drawn, strict=True))
    return np.array([fold[group] for group in groups])


def families(
    lines: Sequence[Line], classes: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, Linear, dict[str, float], Any]]:
    for family, known in examples(lines, classes).items():
        fold = folds([line.group for line in known.lines])
        counted = np.array([not line.house for line in known.lines])

        def labels(
            kind: str, family: str = family, known: Examples = known
        ) -> tuple[np.ndarray, np.ndarray]:
            keys = [(family, target, kind) for target in known.targets]
            pairs = list(zip(keys, known.lines, strict=True))
            y = np.array([int(key in line.says) for key, line in pairs])
            weight = np.array([0.0 if key in line.open else line.weight for key, line in pairs])
            return y, weight

        trained, add, told = model(family, known.texts, KINDS[family], labels, fold, counted)
        yield family, trained, add, (known, told)


def punctuation(lines: Sequence[Line]) -> Iterator[tuple[str, Linear, dict[str, float]]]:
    """The models of breaks, from lines that have marks."""
    gaps, marks, ends, asks = [], [], [], []
    gap_groups, end_groups = [], []
    for line in lines:
        if not MARKS.search(line.text):
            continue
        words, after = parted(line.text)
        plain, first = masked(words, NAMES), 0
        for i, mark in enumerate(after):
            if i < len(words) - 1:
                gaps.append(sorted(set(gap(plain, i))))
                marks.append(mark)
                gap_groups.append(line.group)
            if mark in (".", "?") or i == len(words) - 1:
                ends.append(sorted(set(end(plain[first : i + 1]))))
                asks.append(mark)
                end_groups.append(line.group)
                first = i + 1
    for name, texts, kinds, said, groups in (
        ("break", gaps, {"break": ",.?", "stop": ".?"}, marks, gap_groups),
        ("asks", ends, {"asks": "?"}, asks, end_groups),
    ):
        everything = np.ones(len(said))

        def labels(
            kind: str, kinds: dict[str, str] = kinds, said: list[str] = said
        ) -> tuple[np.ndarray, np.ndarray]:
            return np.array([int(bool(m) and m in kinds[kind]) for m in said]), np.ones(len(said))

        trained, add, _ = model(name, texts, tuple(kinds), labels, folds(groups), everything > 0)
        yield name, trained, add


def parted(text: str) -> tuple[list[str], list[str]]:
    """(words, the mark after each: "", ",", "." or "?")."""
    words: list[str] = []
    after: list[str] = []
    for piece in re.split(r"\s+|(?<=[—–])|(?=[—–])", text):
        core = piece.strip(".,!?;:…—–-\"'()*")
        tail = piece[len(piece.rstrip(".,!?;:…—–-\"'()*")) :] if core else piece
        mark = "?" if "?" in tail else "." if set(tail) & set(".!;…") else ""
        mark = mark or ("," if set(tail) & set(",:—–") else "")
        if core:
            words.append(core)
            after.append(mark)
        elif words and mark:
            after[-1] = mark
    return words, after


YOU = re.compile(r"\b(?:you|u|ur|your|yours|yourself)\b", re.I)


def with_bystander(line: Line) -> Line:
    """`line` with a bystander where "you" can mean nobody else."""
    seats = named(tokens(line.text, NAMES, line.speaker, ROLES), len(NAMES))
    free = [s for s in range(1, len(NAMES) + 1) if s not in (*seats, line.speaker)]
    known = seats or not YOU.search(line.text)
    bystander = free[line.group % len(free)] if known and free and not line.to else 0
    return replace(line, bystander=bystander)


def train() -> Learned:
    written = corpus_lines()
    house = list(house_lines(len(written)))
    classes = lexicon([*written, *house])
    models: dict[str, Linear] = {}
    add: dict[str, float] = {}
    for name, trained, _ in punctuation(written):
        models[name] = trained
    add |= BREAKS
    linear.save(Learned(models, classes, ROLES, add, {}))
    linear.learned.cache_clear()
    bare = [replace(line, text=with_breaks(unpunctuated(line.text), NAMES)) for line in written]
    lines = [with_bystander(line) for line in (*written, *bare, *house)]
    for family, trained, thresholds, told in families(lines, classes):
        models[family] = trained
        add |= thresholds
        KEPT[family] = told
    return Learned(models, classes, ROLES, add, DROP)


KEPT: dict[str, Any] = {}
BREAKS = {"break": -0.5, "stop": 0.0, "asks": 0.0}
DROP = {"claim wolf": 2.5}


def main() -> None:
    linear.save(train())


if __name__ == "__main__":
    main()
