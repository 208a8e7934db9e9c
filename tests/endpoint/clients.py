"""The real openai client, pointed at a test endpoint."""

from __future__ import annotations

import functools

import openai

from tests.endpoint.server import Endpoint


@functools.cache
def _first() -> openai.OpenAI:
    return openai.OpenAI(base_url="http://127.0.0.1:1/v1", api_key="any-key", max_retries=0)


def client_of(endpoint: Endpoint, timeout: float = 5.0, key: str = "any-key") -> openai.OpenAI:
    """A client that never retries. All share one pool, since making that is the slow part."""
    return _first().with_options(base_url=endpoint.url, api_key=key, timeout=timeout)
