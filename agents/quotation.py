"""Quotes text as data: one line that its words can neither end nor break."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

LONGEST = 2000  # characters of one utterance


@lru_cache(maxsize=1024)  # the same text occurs in every later prompt of the table
def quoted(text: str, most: int = LONGEST) -> str:
    """Return `text` as one quoted line with all inner marks and breaks escaped.

    A text longer than `most` characters is cut after a whole word and ends with "…".
    """
    cleaned = "".join(c for c in unicodedata.normalize("NFC", text[:LONGEST]) if is_printable(c))
    cleaned = cleaned.replace("“", '"').replace("”", '"').replace("„", '"').replace("«", '"')
    cleaned = re.sub(r"[ \t]+", " ", cleaned.replace("»", '"'))
    if len(cleaned) > most:
        cleaned = (cleaned[:most].rpartition(" ")[0] or cleaned[:most]).rstrip(" ,.;:") + " …"
    return json.dumps(cleaned, ensure_ascii=False)


def is_printable(character: str) -> bool:
    """Check that a character is no control or direction mark and no line separator."""
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
