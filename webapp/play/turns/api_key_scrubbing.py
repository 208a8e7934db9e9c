"""Removes API keys of model servers from their replies.

This happens before the replies are stored, spoken or forwarded. Players' text is redacted in
`record_redaction`, log files in `webapp.runtime.log_redaction`.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from agents import model_catalog
from agents.model_catalog import BadCatalog

REMOVED_KEY = "[key taken out]"
MIN_KEY_CHARS = 8  # a shorter "key" (any, none, test) is an ordinary word, not a secret


def without_api_keys(data: Any) -> Any:
    """Return JSON-shaped `data` without the keys of the configured servers.

    A key is found in its plain form, in JSON's escaping, and in URL encoding.
    """
    secrets = _key_forms()
    return _replace_secrets(data, secrets) if secrets else data


def _key_forms() -> list[str]:
    """List the keys in all their forms, longest first, because one may be a prefix of another."""
    try:
        configured_keys = {settings.key for settings in model_catalog.all_settings().values()}
    except BadCatalog:
        configured_keys = set()
    keys = {key for key in configured_keys if len(key) >= MIN_KEY_CHARS}
    forms = {f for key in keys for f in (key, json.dumps(key)[1:-1], quote(key, safe=""))}
    return sorted(forms | {key.replace("/", r"\/") for key in keys}, key=lambda f: (-len(f), f))


def _replace_secrets(data: Any, secrets: list[str]) -> Any:
    if isinstance(data, str):
        for secret in secrets:
            data = data.replace(secret, REMOVED_KEY)
        return data
    if isinstance(data, dict):
        return {_replace_secrets(k, secrets): _replace_secrets(v, secrets) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [_replace_secrets(item, secrets) for item in data]
    return data
