"""Embeddings of texts, from any server with `/v1/embeddings`, or from the offline encoder."""

from __future__ import annotations

from collections.abc import Sequence

import openai

from agents.decision import BackendError
from agents.model_catalog import ModelSettings

OFFLINE = "offline:"  # prefix of models that need no server
BATCH_SIZE = 100  # texts in one request


def embed(settings: ModelSettings, texts: Sequence[str]) -> list[list[float]]:
    """Return the vector of each text, in order.

    Raises:
        BackendError: with a one-word cause, after the retries of the settings.
    """
    if settings.model.startswith(OFFLINE):
        from agents.backends import sentence_encoder  # loads scipy

        return sentence_encoder.encode(settings.model, texts)
    vectors: list[list[float]] = []
    with openai.OpenAI(
        api_key=settings.key or "none",
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
