"""Other people's words as data: no quotation can be ended from inside it, and none can pose."""

from __future__ import annotations

import json
import re
import unicodedata

LONGEST = 2000  # characters of one utterance


def quoted(text: str) -> str:
    """`text` as one line between quotation marks, with every mark and break inside it escaped."""
    kept = "".join(c for c in unicodedata.normalize("NFC", text[:LONGEST]) if _plain(c))
    kept = kept.replace("“", '"').replace("”", '"').replace("„", '"').replace("«", '"')
    kept = kept.replace("»", '"')
    return json.dumps(re.sub(r"[ \t]+", " ", kept), ensure_ascii=False)


def _plain(character: str) -> bool:
    """Neither a control or direction mark nor a line separator of Unicode's."""
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
