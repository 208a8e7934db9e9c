"""Removal of outside names, e-mail addresses and telephone numbers from texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from webapp.study.models import Identity

OUTSIDE, CONTACT = "[name taken out]", "[contact taken out]"
# An e-mail address, or a telephone number: nine digits or more, with what separates their groups.
CONTACTS = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.:-])\+?(?:\d[ ()/.-]{0,2}){8,}\d(?![\w:-])"
)
# Minimum length of an outside name that is removed from texts. Shorter ones are often ordinary
# words.
MIN_NAME_CHARS = 4


def name_remover(studies: Sequence[int]) -> Callable[[str], str]:
    """Return a function that removes the outside names of these studies' participants."""
    rows = Identity.objects.filter(participant__study__in=studies)
    names = {n for row in rows.values_list("label", "session") for n in row if n}
    long_names = sorted((n for n in names if len(n) >= MIN_NAME_CHARS), key=lambda n: (-len(n), n))
    if not long_names:
        return str
    pattern = re.compile("|".join(map(re.escape, long_names)), re.IGNORECASE)
    return lambda text: pattern.sub(OUTSIDE, text)


def remove_contacts(text: str) -> str:
    """Return the text without e-mail addresses and telephone numbers."""
    return CONTACTS.sub(CONTACT, text)
