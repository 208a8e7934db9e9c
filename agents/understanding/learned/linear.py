"""Linear models over features that are words: their weights, their scores, where they are kept.

A score is a sum of whole numbers, divided by the root of how many features are known: the same on
every machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("weights.npz")
UNIT = 64  # a stored weight of 64 is a weight of 1


@dataclass(frozen=True)
class Linear:
    """One logistic model a kind.

    weights: features x kinds, in 1/UNIT; bias: as scores.
    """

    kinds: tuple[str, ...]
    index: Mapping[str, int]
    weights: NDArray[np.int16]
    bias: NDArray[np.int16]

    def scores(self, features: Iterable[str]) -> dict[str, float]:
        """Kind -> log odds."""
        indices = map(self.index.get, set(features))
        known_indices = [index for index in indices if index is not None]
        sums = self.weights.take(known_indices, axis=0).sum(axis=0, dtype=np.int64).tolist()
        root = sqrt(max(len(known_indices), 1))
        return {
            kind: (total / root + bias) / UNIT
            for kind, total, bias in zip(self.kinds, sums, self.bias.tolist(), strict=True)
        }


@dataclass(frozen=True)
class Learned:
    """The models by what they are about, and what their features need besides the text.

    classes: word -> the cue lists it stands in; add: kind -> the score from which it is added to
    what rules found; drop: part of a role -> the score below which its claim is none.
    """

    models: Mapping[str, Linear]
    classes: Mapping[str, tuple[str, ...]]
    add: Mapping[str, float]
    drop: Mapping[str, float]


def save(learned: Learned, path: Path = WEIGHTS) -> None:
    arrays: dict[str, Any] = {}
    for name, model in learned.models.items():
        arrays[f"{name}.features"] = _letters("\n".join(model.index))
        arrays[f"{name}.weights"], arrays[f"{name}.bias"] = model.weights, model.bias
    about = {
        "kinds": {name: model.kinds for name, model in learned.models.items()},
        "classes": dict(learned.classes),
        "add": dict(learned.add),
        "drop": dict(learned.drop),
    }
    np.savez_compressed(path, about=_letters(json.dumps(about, sort_keys=True)), **arrays)


def _letters(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


@lru_cache(maxsize=1)
def learned(path: Path = WEIGHTS) -> Learned:
    """Return what is kept at `path`, read once a process."""
    with np.load(path, allow_pickle=False) as archive:
        about = json.loads(archive["about"].tobytes())
        models = {}
        for name, kinds in about["kinds"].items():
            features = archive[f"{name}.features"].tobytes().decode().split("\n")
            index = dict(zip(features, range(len(features)), strict=True))
            models[name] = Linear(
                tuple(kinds), index, archive[f"{name}.weights"], archive[f"{name}.bias"]
            )
    classes = {word: tuple(names) for word, names in about["classes"].items()}
    return Learned(models, classes, about["add"], about["drop"])
