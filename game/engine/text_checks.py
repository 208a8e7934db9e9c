"""Counts, cuts, cleans and checks texts, and finds mentions in them.

A word is a run of characters between white space. In scripts written without spaces, two characters
count as one word (SPEC, "Lengths"). `static/js/words.js` counts the same way.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

MAX_CHARACTERS_PER_WORD = 20  # A text may have this many characters for each permitted word.
MAX_CHARACTERS = 4000  # A text without a word limit may have this many characters.
NO_LIMIT = -1
MAX_LINE_BREAKS = 10  # More line breaks would push the speaker's name out of sight.
MAX_ANSWER_LINE_BREAKS = 100  # The limit of a longer text, which only researchers read.
MAX_MARKS_IN_A_ROW = 4  # no living script puts more marks on one letter

# Contents of character classes, and signs.
# White space. Python and JavaScript define it differently: `static/js/words.js` has this list too.
WHITE_SPACE_RANGES = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Thai, Lao, Myanmar, Khmer, kana and Han: scripts that do not separate words by spaces.
SPACELESS_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_TRANSPARENT_SIGNS = "\u061c\u200c\u200d\u200e\u200f"  # signs that do not end a row of marks

_TOKEN = re.compile(f"[^{WHITE_SPACE_RANGES}]+")
_WHITE_SPACE_RUN = re.compile(f"[{WHITE_SPACE_RANGES}]+")
_SPACELESS_CHARACTER = re.compile(f"[{SPACELESS_RANGES}]")
_SPACED_WORD = re.compile(rf"(?:(?![{SPACELESS_RANGES}])[^\W_])+")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(r"<\s*[/!?]?\s*[A-Za-z][^<>]*>|<!--")
_UNICODE_TAGS = re.compile("[\U000e0000-\U000e007f]")
_LINE_END = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")
# The tab, and characters that are drawn as nothing or as a space though Unicode does not call them
# white space: fillers (Hangul, Khitan), the braille blank, two Egyptian blanks and a musical one.
_BLANK = re.compile("[\t\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U00016fe4\U0001d159]")
# Characters that are not drawn at all. The joiners (U+200C, U+200D) are not among them: they shape
# emoji, and Arabic and Indian scripts.
_UNDRAWN = re.compile(
    "[\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_SPACE = "[ \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]"
# Invisible characters that may stand between two spaces: joiners, direction marks, selectors.
_INVISIBLE = (
    "[\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200c-\u200f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
INVISIBLE_SIGN = re.compile(_INVISIBLE)
_SPACES = re.compile(f"{_SPACE}(?:{_INVISIBLE}*{_SPACE})+")
_EDGES = re.compile(f"^{_SPACE}+|{_SPACE}+$", re.MULTILINE)


def count_words(text: str) -> int:
    """Return the number of words in `text`."""
    words = spaceless = 0  # whole words, and characters of scripts without spaces
    for token in _TOKEN.findall(text):
        if spaceless_count := len(_SPACELESS_CHARACTER.findall(token)):
            spaceless += spaceless_count
            words += len(_SPACED_WORD.findall(token))
        else:
            words += 1
    return words + (spaceless + 1) // 2


def count_characters(text: str) -> int:
    """Return the number of characters in `text` without white space."""
    return len(_WHITE_SPACE_RUN.sub("", text))


def find_mention(text: str, names: Collection[str]) -> tuple[int, int]:
    """Return (start, end) of the first `@Name` of one of `names` in `text`, (-1, -1) for none.

    Where one name begins another ("Ann", "Anna"), the longer one counts.
    """
    matches = [(text.find(f"@{name}"), name) for name in names if f"@{name}" in text]
    if not matches:
        return -1, -1
    start, name = min(matches, key=lambda match: (match[0], -len(match[1])))
    return start, start + len(f"@{name}")


def shorten(text: str, max_before: int, max_after: int, names: Collection[str]) -> str:
    """Return `text` cut to the limits of a statement with mentions (SPEC 1.3).

    White space and the mention itself do not count. The limits are maximum characters before and
    after the first mention of one of `names`, or NO_LIMIT.
    """
    start, end = find_mention(text, names)
    if start < 0:
        return _cut_text(text, max_before)
    before, after = _cut_text(text[:start], max_before), _cut_text(text[end:], max_after)
    return f"{before}{text[start:end]}{after}"


def tidy(text: str, max_breaks: int = MAX_LINE_BREAKS) -> str:
    """Return `text` without white space that could hide its author's name.

    Runs of spaces, and of characters drawn as a space, become one space. At most one empty line
    separates two lines. After `max_breaks` line breaks all others become spaces.

    The function is idempotent. Every text that people write for others passes through it before it
    is stored. Texts stored before it existed pass through it for display (`readable_text`).
    """
    text = _UNDRAWN.sub("", _BLANK.sub(" ", _LINE_END.sub("\n", text)))
    text = _EDGES.sub("", _SPACES.sub(" ", unicodedata.normalize("NFC", text)))
    lines = [line if _is_drawn(line) else "" for line in text.split("\n")]
    text = re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    *kept_lines, excess = text.split("\n", max_breaks)
    return "\n".join([*kept_lines, " ".join(filter(None, excess.split("\n")))])


@lru_cache(maxsize=1024)  # every viewer of a game reads the same text
def readable_text(text: str) -> str:
    """Return a stored text as it is displayed: tidy, "…" if nothing of it is visible."""
    return text and (tidy(text) or "…")


def text_error(text: str, max_words: int) -> str:
    """Return the code of the reason why `text`, a result of `tidy`, can't be said, "" if it can.

    Args:
        max_words: NO_LIMIT if characters are counted and excess text is cut (`shorten`).

    Returns:
        `empty`, `too_long`, `too_many_words`, `control`, `tags`, `marks`, `bidi`, `markup` or "".
    """
    has_word_limit = max_words != NO_LIMIT
    if len(text) > (max_words * MAX_CHARACTERS_PER_WORD if has_word_limit else MAX_CHARACTERS):
        return "too_long"
    kinds = {unicodedata.category(c) for c in text if c not in "\n\t"}
    if kinds & {"Cc", "Cs"}:
        return "control"
    if error := hidden_content_error(text):
        return error
    if _BIDI.search(text):
        return "bidi"
    if not kinds - {"Cf", "Zs", "Zl", "Zp", "Mn"}:
        return "empty"
    if _MARKUP.search(text):
        return "markup"
    if has_word_limit and count_words(text) > max_words:
        return "too_many_words"
    return ""


def hidden_content_error(text: str) -> str:
    """Return the code of hidden content in `text`, "" for none.

    `tags`: invisible characters spell out a second text. `marks`: stacks of accents cover
    neighbouring lines.
    """
    if text.isascii():
        return ""
    if _UNICODE_TAGS.search(text):
        return "tags"
    return "marks" if _has_stacked_marks(text) else ""


def _cut_text(text: str, max_characters: int) -> str:
    if max_characters == NO_LIMIT or count_characters(text) <= max_characters:
        return text
    drawn_positions = [i for i, c in enumerate(text) if not _WHITE_SPACE_RUN.match(c)]
    return text[: drawn_positions[max_characters]]


def _is_drawn(line: str) -> bool:
    """Return whether a reader sees any character of the line."""
    return any(unicodedata.category(c) not in ("Cf", "Mn", "Zs") for c in line)


def _has_stacked_marks(text: str) -> bool:
    """Return whether more than MAX_MARKS_IN_A_ROW marks stand on one letter of `text`."""
    in_a_row = 0
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me"):
            in_a_row += 1
            if in_a_row > MAX_MARKS_IN_A_ROW:
                return True
        elif character not in _TRANSPARENT_SIGNS:
            in_a_row = 0
    return False
