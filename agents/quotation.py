"""Quotation of text as data: one line in quotation marks that the text itself cannot close."""

import json
import re
import unicodedata
from functools import lru_cache

MAX_QUOTED_CHARS = 2000  # A quoted text is cut to this length.
_STRAIGHT_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))


@lru_cache(maxsize=1024)  # the same text occurs in every later prompt of the table
def quote_text(text: str, max_chars: int = MAX_QUOTED_CHARS) -> str:
    """Return `text` as one quoted line with all inner quotation marks and line breaks escaped.

    A text of more than `max_chars` characters is cut after a whole word and ends with "…".
    """
    composed = unicodedata.normalize("NFC", text[:MAX_QUOTED_CHARS])
    printable = "".join(filter(is_printable, composed))
    cleaned = re.sub(r"[ \t]+", " ", printable.translate(_STRAIGHT_QUOTES))
    if len(cleaned) > max_chars:
        whole_words = cleaned[:max_chars].rpartition(" ")[0] or cleaned[:max_chars]
        cleaned = f"{whole_words.rstrip(' ,.;:')} …"
    return json.dumps(cleaned, ensure_ascii=False)


def is_printable(character: str) -> bool:
    """Return whether a character is no control or direction mark and no line separator."""
    invisible = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    return character in "\n\t" or unicodedata.category(character) not in invisible
