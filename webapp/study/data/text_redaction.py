"""Removes outside names, e-mail addresses and telephone numbers from exported texts.

An outside name is what a platform or a researcher calls a participant (`Identity`).
"""

import re
from collections.abc import Callable, Sequence

from webapp.study.models import Identity

NAME_REPLACEMENT = "[name taken out]"
CONTACT_REPLACEMENT = "[contact taken out]"
# An e-mail address, or a telephone number: nine digits or more, with separators between groups.
CONTACT_PATTERN = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.:-])\+?(?:\d[ ()/.-]{0,2}){8,}\d(?![\w:-])"
)
MIN_NAME_CHARS = 4  # shorter names are not removed, because they are often ordinary words


def build_name_remover(study_ids: Sequence[int]) -> Callable[[str], str]:
    """Return a function that removes the outside names of these studies' participants."""
    rows = Identity.objects.filter(participant__study__in=study_ids)
    names = {name for row in rows.values_list("label", "session") for name in row}
    long_names = [name for name in names if len(name) >= MIN_NAME_CHARS]
    if not long_names:
        return str
    # The longest first, because a pattern takes the first alternative that matches.
    alternatives = map(re.escape, sorted(long_names, key=lambda name: (-len(name), name)))
    pattern = re.compile("|".join(alternatives), re.IGNORECASE)
    return lambda text: pattern.sub(NAME_REPLACEMENT, text)


def remove_contacts(text: str) -> str:
    """Return the text with e-mail addresses and telephone numbers replaced."""
    return CONTACT_PATTERN.sub(CONTACT_REPLACEMENT, text)
