"""Removes outside names, e-mail addresses and telephone numbers from texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from webapp.study.models import Identity

REMOVED_NAME, REMOVED_CONTACT = "[name taken out]", "[contact taken out]"
# An e-mail address, or a telephone number: nine digits or more, with separators between groups.
CONTACT_PATTERN = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.:-])\+?(?:\d[ ()/.-]{0,2}){8,}\d(?![\w:-])"
)
MIN_NAME_CHARS = 4  # of a removed outside name; shorter ones are often ordinary words


def name_remover(studies: Sequence[int]) -> Callable[[str], str]:
    """Return a function that removes the outside names of these studies' participants."""
    rows = Identity.objects.filter(participant__study__in=studies)
    names = {n for row in rows.values_list("label", "session") for n in row if n}
    long_names = sorted((n for n in names if len(n) >= MIN_NAME_CHARS), key=lambda n: (-len(n), n))
    if not long_names:
        return str
    pattern = re.compile("|".join(map(re.escape, long_names)), re.IGNORECASE)
    return lambda text: pattern.sub(REMOVED_NAME, text)


def remove_contacts(text: str) -> str:
    """Return the text without e-mail addresses and telephone numbers."""
    return CONTACT_PATTERN.sub(REMOVED_CONTACT, text)
