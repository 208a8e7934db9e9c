"""Quotation of text as data: one line that the text itself cannot end or break."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

MAX_QUOTED_CHARS = 2000  # of one utterance


@lru_cache(maxsize=1024)  # the same text occurs in every later prompt of the table
def quoted(text: str, max_chars: int = MAX_QUOTED_CHARS) -> str:
    """Return `text` as one quoted line with all inner quotation marks and line breaks escaped.

    A text of more than `max_chars` characters is cut after a whole word and ends with "…".
    """
    cleaned = "".join(
        c for c in unicodedata.normalize("NFC", text[:MAX_QUOTED_CHARS]) if is_printable(c)
    )
    cleaned = cleaned.replace("“", '"').replace("”", '"').replace("„", '"').replace("«", '"')
    cleaned = re.sub(r"[ \t]+", " ", cleaned.replace("»", '"'))
    if len(cleaned) > max_chars:
        whole_words = cleaned[:max_chars].rpartition(" ")[0] or cleaned[:max_chars]
        cleaned = f"{whole_words.rstrip(' ,.;:')} …"
    return json.dumps(cleaned, ensure_ascii=False)


def is_printable(character: str) -> bool:
    """Check that a character is no control or direction mark and no line separator."""
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
