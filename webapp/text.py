"""Text from outside as every database can keep it."""

from __future__ import annotations


def storable(text: str) -> str:
    """The text without NUL, which PostgreSQL refuses, and with "?" for halves of characters."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
