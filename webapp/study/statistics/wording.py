"""Numbers and names as tables and figures show them."""

from __future__ import annotations


def fixed(value: float, digits: int) -> str:
    """With that many decimals, and no minus before nothing."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def one_line(text: str) -> str:
    """White space of any kind as single spaces; other control characters left out."""
    return " ".join("".join(one for one in text if one.isprintable() or one.isspace()).split())
