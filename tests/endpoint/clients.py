"""The real openai client, pointed at a test endpoint."""

from __future__ import annotations

import functools

import openai
import pytest

from tests.endpoint.server import Endpoint


@functools.cache
def _shared_client() -> openai.OpenAI:
    return openai.OpenAI(base_url="http://127.0.0.1:1/v1", api_key="any-key", max_retries=0)


def client_of(endpoint: Endpoint, timeout: float = 5.0, key: str = "any-key") -> openai.OpenAI:
    """Return a client without retries. All share one pool, because creating it is slow."""
    return _shared_client().with_options(base_url=endpoint.url, api_key=key, timeout=timeout)


def set_up(monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint, key: str = "any") -> None:
    """Configure the endpoint as model "m" by environment variables, without a catalog."""
    monkeypatch.delenv("FABULA_MODELS", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_MODEL", "m")
