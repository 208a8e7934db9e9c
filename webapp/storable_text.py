"""Cleans external text so that every database can store it, and reads numbers from it.

PostgreSQL refuses a NUL.
"""

NUL = "\x00"
MAX_DIGITS = 9  # `int` raises ValueError for more than 4,300 digits, and columns have 64 bits.


def storable(text: str) -> str:
    """Return the text without NULs, and with "?" for unpaired surrogates."""
    return text.replace(NUL, "").encode("utf-8", "replace").decode()


def read_number(text: str, default: int = 0) -> int:
    """Return the whole number that posted text holds, or `default`."""
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else default
