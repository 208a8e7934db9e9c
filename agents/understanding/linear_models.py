"""Linear models over text features: their weights, their scores and their file.

A score is a sum of whole numbers divided by the square root of the number of known features, so it
is the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("weights.npz")
WEIGHT_UNIT = 64  # the stored weight that stands for 1


@dataclass(frozen=True)
class Linear:
    """One logistic model for each of several kinds.

    Attributes:
        index: Feature -> its row in `weights`.
        weights: Features x kinds, in 1/WEIGHT_UNIT.
        bias: One a kind, in 1/WEIGHT_UNIT.
    """

    kinds: tuple[str, ...]
    index: Mapping[str, int]
    weights: NDArray[np.int16]
    bias: NDArray[np.int16]

    def scores(self, features: Iterable[str]) -> dict[str, float]:
        """Return kind -> log odds."""
        indices = map(self.index.get, set(features))
        known_indices = [index for index in indices if index is not None]
        sums = self.weights.take(known_indices, axis=0).sum(axis=0, dtype=np.int64).tolist()
        normalizer = sqrt(max(len(known_indices), 1))
        return {
            kind: (total / normalizer + bias) / WEIGHT_UNIT
            for kind, total, bias in zip(self.kinds, sums, self.bias.tolist(), strict=True)
        }


@dataclass(frozen=True)
class LearnedModels:
    """The models with the data that their features and thresholds need.

    Attributes:
        models: Subject ("seat", "role", "line", ...) -> model.
        classes: Word -> the cue lists that contain it.
        add_thresholds: Kind -> the score from which it is added to the acts of the rules.
        drop_thresholds: Part of a role -> the score below which a claim of the role is removed.
    """

    models: Mapping[str, Linear]
    classes: Mapping[str, tuple[str, ...]]
    add_thresholds: Mapping[str, float]
    drop_thresholds: Mapping[str, float]


def save_models(learned: LearnedModels, path: Path = WEIGHTS) -> None:
    arrays: dict[str, Any] = {}
    for name, model in learned.models.items():
        arrays[f"{name}.features"] = _text_array("\n".join(model.index))
        arrays[f"{name}.weights"], arrays[f"{name}.bias"] = model.weights, model.bias
    metadata = {
        "kinds": {name: model.kinds for name, model in learned.models.items()},
        "classes": dict(learned.classes),
        "add": dict(learned.add_thresholds),
        "drop": dict(learned.drop_thresholds),
    }
    np.savez_compressed(path, about=_text_array(json.dumps(metadata, sort_keys=True)), **arrays)


def _text_array(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


@cache
def load_models(path: Path = WEIGHTS) -> LearnedModels:
    """Return the models of the file at `path`, read once a process."""
    with np.load(path, allow_pickle=False) as archive:
        metadata = json.loads(archive["about"].tobytes())
        models = {}
        for name, kinds in metadata["kinds"].items():
            features = archive[f"{name}.features"].tobytes().decode().split("\n")
            index = dict(zip(features, range(len(features)), strict=True))
            models[name] = Linear(
                tuple(kinds), index, archive[f"{name}.weights"], archive[f"{name}.bias"]
            )
    classes = {word: tuple(names) for word, names in metadata["classes"].items()}
    return LearnedModels(models, classes, metadata["add"], metadata["drop"])
