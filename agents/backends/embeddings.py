"""Embeddings of texts, from any server with `/v1/embeddings`, or from the offline encoder."""

from collections.abc import Sequence

import openai

from agents.backends.sentence_encoder import OFFLINE_PREFIX, encode_offline
from agents.decision import BackendError
from agents.model_catalog import ModelSettings

BATCH_SIZE = 100  # texts in one request to a server


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
