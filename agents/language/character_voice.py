"""Rewrite a statement in the words of a written character without changing its meaning."""

import re
from collections.abc import Callable, Collection
from functools import cache

from agents.language import voices

# Whether a wording is allowed and still means what the statement means.
MeaningCheck = Callable[[str], bool]

_FIXED = r"(?! (?:else|first|few|far|more|better|but)\b)"  # "nobody else", "the very first"
# "don't you", "doesn't Beta": spelled out, the words would have to change places.
_INVERTED = r"(?!(?<=n't) (?:i|you|he|she|it|we|they|that|this|there|\w+body|(?-i:[A-Z])\w+)\b)"


@cache
def _replacements(key: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return (pattern of the words that a character replaces, word -> replacement)."""
    rules = {old.lower(): new for old, new in voices()[key].words}
    either = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    return re.compile(rf"(?<![\w'])(?<!too )(?:{either})(?![\w']){_FIXED}{_INVERTED}", re.I), rules


def replace_words(text: str, key: str, is_same_meaning: MeaningCheck) -> str:
    """Return `text` in the words of the character `key`, all that keep the meaning."""
    pattern, rules = _replacements(key)
    matches = [*pattern.finditer(text)]

    def replace_chosen(chosen: Collection[int]) -> str:
        result, end = "", 0
        for index in sorted(chosen):
            match = matches[index]
            new = rules[match[0].lower()]
            if match[0][0].isupper():  # the first letter of "'bout" is the second character
                new = re.sub("[A-Za-z]", lambda letter: letter[0].upper(), new, count=1)
            result += text[end : match.start()] + new
            end = match.end()
        return re.sub(r",(?=[.,:;?!])", "", result + text[end:])

    def largest_fitting(accepted: list[int], candidates: list[int]) -> list[int]:
        """Add the candidates that keep the meaning, found by bisection."""
        both = [*accepted, *candidates]
        if not candidates or is_same_meaning(replace_chosen(both)):
            return both
        if len(candidates) == 1:
            return accepted
        half = len(candidates) // 2
        return largest_fitting(largest_fitting(accepted, candidates[:half]), candidates[half:])

    return replace_chosen(largest_fitting([], list(range(len(matches)))))
