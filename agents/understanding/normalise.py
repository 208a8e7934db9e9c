"""Normalise free text into plain sentences with few forms. Nothing is interpreted here.

"I'm", "i am" and "im" become "i am"; "Beta and Gamma" become "@2+3". At a table whose names end in
numbers, "player 3", "p3", "#3" and a bare "3" become "player_3". A word for a role becomes the
role's part in the game (`agents.packs.Part`) with its index in the ruleset: `looker0`, in the
plural "looker0s". The token of the hunted roles is "wolf" in every ruleset. Fillers, quotations and
lines that imitate another speaker are removed. Names of seats and roles and frequent words of the
talk are recognised with one slip: a letter too many, too few or wrong, or two letters swapped.
Existing words stay unchanged.

Python's `re` holds the interpreter lock while it matches. No pattern backtracks exponentially
(tests/agents/test_understanding_cost.py); the time grows at most with the square of the length,
which `MAX_TOKENS` bounds.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from agents.language.patterns import load
from agents.packs import Pack, Part
from game.engine.ruleset import role_of

PATTERNS = load("normalise")
MAX_TEXT_CHARS_READ = 3000
MAX_TOKENS = 180  # a longer statement is not read; the longest own statements have about 90
_TOKEN = re.compile(r"\w+|[^\w\s]")
MIN_LONG_LETTERS = 5  # words of at least this many letters have every kind of slip corrected
NO_LENGTH = 99  # a minimum that no word reaches
MAX_CHARS_BEFORE = 20  # so many characters before a bare number decide whether it is a seat
# Part of a village role that neither looks nor knows another player and is not the plain one.
_KEEPER = "keeper"
# Token of the verb for keeping a player alive at night.
_WARD = "ward"
# A token: part, index, plural.
_ROLE_TOKEN = re.compile(r"([a-z]+)(\d*)s?")


@dataclass(frozen=True)
class Sentence:
    """Sentence in normalised words, with names as `@3` or `@2+3`.

    Attributes:
        is_question: Whether it ends in a question mark.
    """

    text: str
    is_question: bool


def is_short_enough(text: str) -> bool:
    """Return whether `text` has at most MAX_TOKENS tokens."""
    return all(number < MAX_TOKENS for number, _ in enumerate(_TOKEN.finditer(text)))


@lru_cache(maxsize=64)
def _name_pattern(seats: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, int]]:
    """Return (pattern of all names in lower case, name -> seat)."""
    numbers = {name.lower(): number for number, name in enumerate(seats, 1)}
    longest_first = sorted(numbers, key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)"), numbers


@lru_cache(maxsize=4096)
def find_named_seats(text: str, seats: tuple[str, ...]) -> frozenset[int]:
    """Return the seats whose names or numbers occur in `text`."""
    pattern, numbers = _name_pattern(seats)
    names = pattern.findall(expand_seat_numbers(text, seats).lower())
    return frozenset(numbers[name] for name in names)


@lru_cache(maxsize=256)
def normalised_lines(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[str, ...]:
    """Return the lines of `text` in lower case, without quotations and imitated lines.

    Names are written `@3`, roles as tokens, and typing errors are corrected.
    """
    text = expand_seat_numbers(
        unicodedata.normalize("NFC", text[:MAX_TEXT_CHARS_READ]), seats
    ).lower()
    text = correct_spelling(PATTERNS.rewrite("quotations", text), seats, pack)
    pattern, numbers = _name_pattern(seats)
    text = pattern.sub(lambda m: f"@{numbers[m[1]]}", text)
    text = PATTERNS.genitive.sub(lambda m: f"@{numbers[m[1]]}'s" if m[1] in numbers else m[0], text)
    text = PATTERNS.rewrite("idioms", text)
    for rewrite in pack.data.idioms:  # rewrites of the game's own words into general ones
        units = [text] if rewrite.across else PATTERNS.units.findall(text)
        text = "".join(map(rewrite.apply, units))
    lines = replace_role_words(text, pack).split("\n")
    # A line may imitate the moderator's or a player's line in the transcript.
    return tuple(
        s for s in lines if not (PATTERNS.office_line.match(s) or PATTERNS.seat_line.match(s))
    )


@lru_cache(maxsize=256)  # every player of a game reads each statement
def plain_sentences(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[Sentence, ...]:
    """Return the normalised sentences of `text`, said in the game of `pack`."""
    lines = normalised_lines(text, seats, pack)
    parts = (
        part for s in lines for part in PATTERNS.sentences.findall(PATTERNS.rewrite("answers", s))
    )
    return tuple(map(_build_sentence, parts))


def _build_sentence(part: str) -> Sentence:
    """Return one normalised sentence."""
    part = part.strip()
    is_question = "?" in part[-3:]
    body = PATTERNS.rewrite("contractions", part.rstrip(".!?;—–… "))
    if is_question and (match := PATTERNS.tags.search(body + "?")):
        body, is_question = body[: match.start()], False
    body = _join_lists(PATTERNS.rewrite("plainer", body).strip(" ,"))
    unframed = PATTERNS.rewrite("rhetorical", body)
    is_question = is_question and unframed == body
    return Sentence(PATTERNS.rewrite("frames", unframed), is_question)


def _join_lists(body: str) -> str:
    """Return the sentence with `@2, @3 and @5` as `@2+3+5`, and `@2 and i` as `@2+me`."""
    body = PATTERNS.rewrite("pairs", body)
    # A bare "and" may begin a new clause, so it comes last.
    for seat_list in (PATTERNS.sure_list, PATTERNS.or_list, PATTERNS.and_list, PATTERNS.both_did):
        body = seat_list.sub(_join_seats, body)
    return PATTERNS.looked_at.sub(r"\1 \2+\3", body).replace("+@", "+")


def _join_seats(match: re.Match[str]) -> str:
    """Return the seats of a list as one mention, after the text before them."""
    head, _, seats = match[0].partition("@")
    return f"{head}@{'+'.join(dict.fromkeys(PATTERNS.seat.findall('@' + seats)))}"


def correct_spelling(text: str, seats: Sequence[str], pack: Pack) -> str:
    """Return the lower-case `text` with slips and chat shorthand corrected."""
    corrections = _corrections(tuple(s.lower() for s in seats), pack)

    def correct_word(match: re.Match[str]) -> str:
        word = match[0]
        return PATTERNS.spellings.get(word) or corrections.get(word, word)

    return PATTERNS.word.sub(correct_word, text)


@lru_cache(maxsize=64)
def _corrections(seats: tuple[str, ...], pack: Pack) -> dict[str, str]:
    """Return misspelling -> word, for misspellings that are one slip from only one word.

    For roles without words in the pack, only doubled and swapped letters count, because their
    similarity to ordinary words was not checked.
    """
    names = [(key, name) for key in pack.parts for form in role_names(pack, key) for name in form]
    frequent_words = PATTERNS.words["frequent"]
    words = [(word, MIN_LONG_LETTERS) for word in (*seats, *frequent_words)]
    for key, name in names:
        is_short_plural = name[-1] == "s" and len(name) <= MIN_LONG_LETTERS
        if " " not in name and not (key in pack.data.words and is_short_plural):
            words.append((name, MIN_LONG_LETTERS if key in pack.data.words else NO_LENGTH))
    known_words = {
        *seats,
        *frequent_words,
        *PATTERNS.words["ordinary"],
        *(name for _, name in names),
    }
    words_by_slip: dict[str, str] = {}
    ambiguous_slips: set[str] = set()
    for word, min_length in words:
        for slip in slips(word, min_length):
            first_word = words_by_slip.setdefault(slip, word)
            if slip in known_words or first_word.rstrip("s") != word.rstrip("s"):
                ambiguous_slips.add(slip)
    return {slip: word for slip, word in words_by_slip.items() if slip not in ambiguous_slips}


def slips(word: str, min_length: int = MIN_LONG_LETTERS) -> Iterable[str]:
    """Yield the misspellings one slip away from `word`.

    The first letter is only doubled or swapped, because it is hardly ever wrong otherwise.
    Words shorter than `min_length` get only doubled and swapped letters, because "well" is not
    "Will". One letter of a double may also be missing in words of MIN_LONG_LETTERS.
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    for i, letter in enumerate(word):
        yield word[:i] + letter + word[i:]
        if i + 1 < len(word) and word[i + 1] != letter:
            yield word[:i] + word[i + 1] + letter + word[i + 2 :]
        if len(word) >= min_length:
            yield from (word[: i + 1] + c + word[i + 1 :] for c in letters)
            if i:
                yield word[:i] + word[i + 1 :]
                yield from (word[:i] + c + word[i + 1 :] for c in letters)
        elif i and len(word) >= MIN_LONG_LETTERS and word[i - 1] == letter:
            yield word[:i] + word[i + 1 :]


# -- words for seats and roles, as forms that do not depend on a game's names


@lru_cache(maxsize=64)
def _seat_patterns(seats: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]] | None:
    """Return (pattern of a seat's number, number -> name), None if the names have no numbers."""
    parts = [PATTERNS.numbered.fullmatch(name) for name in seats]
    words = {part[1].lower() for part in parts if part}
    if len(words) != 1 or not all(parts):
        return None
    (word,) = words
    numbers = {part[2]: name for part, name in zip(parts, seats, strict=True) if part}
    short_forms = rf"{word[0]}|{word[:2]}|seat|number|no\.|nr\.?|nº"
    pattern = (
        rf"(?<![\w#])(?:{word}s?[ _-]?(?:number |no\.? ?|#)?|(?:{short_forms})[ _]?|# ?)"
        rf"({'|'.join(numbers)})(?![\w%])"
    )
    return re.compile(pattern, re.IGNORECASE), numbers


@lru_cache(maxsize=4096)
def expand_seat_numbers(text: str, seats: tuple[str, ...]) -> str:
    """Return `text` with the full name in place of every seat number.

    The text stays unchanged unless all names are one word followed by a number.
    """
    if not (seat_patterns := _seat_patterns(seats)):
        return text
    pattern, names = seat_patterns
    text = pattern.sub(lambda m: names[m[1]], PATTERNS.seat_genitive.sub(r"\1's", text))

    def seat_name(match: re.Match[str]) -> str:
        digits = re.findall(r"\d", match[0])
        is_name = set(digits) <= set(names) and _is_seat(match)
        return " and ".join(names[digit] for digit in digits) if is_name else match[0]

    return PATTERNS.alone.sub(seat_name, text)


def _is_seat(match: re.Match[str]) -> bool:
    """Return whether a bare number names a seat instead of counting."""
    start, after = match.string[: match.start()].rstrip(" "), match.string[match.end() :]
    if PATTERNS.counted.match(after):
        return False
    if start[-1:] in ("", "\n"):  # "1. ...", the number of a line
        return not re.match(r"[.)]\s", after)
    words_before = ["", *re.findall(r"[a-z]+", start[-MAX_CHARS_BEFORE:].lower())]
    if words_before[-1] in ("night", "day", "round"):
        return bool(PATTERNS.ordinal.search(words_before[-2]))
    return words_before[-1] not in PATTERNS.words["counting"]


def role_names(pack: Pack, key: str) -> tuple[list[str], list[str]]:
    """Return (singulars, plurals) of the game's names for a role, in lower case."""
    name = role_of(pack.ruleset, key).name
    singulars = list(dict.fromkeys(re.sub(r"[\W_]+", " ", word).lower() for word in (name, key)))
    return singulars, [_plural(word) for word in singulars]


def _plural(word: str) -> str:
    """Return the plural of an English noun, by the regular rules."""
    if word.endswith(("man", "f")):
        return re.sub("an$", "en", re.sub("f$", "ves", word))
    if word.endswith(("ch", "sh", "s", "x")):
        return f"{word}es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


@lru_cache(maxsize=32)
def _role_words(pack: Pack) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return (pattern of all words for roles, word -> token)."""
    tokens_by_word = dict.fromkeys(PATTERNS.words["wolf"], "wolf")
    for index, (key, part) in enumerate(pack.parts.items()):
        name = _KEEPER if part == "plain" and key != pack.plain_role else part
        token = "wolf" if part == "wolf" else f"{name}{index}"
        singulars, plurals = role_names(pack, key)
        tokens_by_word |= dict.fromkeys((*singulars, *pack.data.words.get(key, ())), token)
        tokens_by_word |= dict.fromkeys(plurals, token if part == "wolf" else f"{token}s")
    tokens_by_word |= dict.fromkeys(pack.data.badge, "badge")
    tokens_by_word |= {word: _WARD for word in pack.data.deeds if word not in tokens_by_word}
    longest_first = sorted(tokens_by_word, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, longest_first))
    return re.compile(rf"\b({alternatives})(?=(?:y|ish)?\b)"), tokens_by_word


def replace_role_words(text: str, pack: Pack) -> str:
    """Return the lower-case `text` with a token in place of every word for a role."""
    pattern, tokens = _role_words(pack)
    text = pattern.sub(lambda m: tokens[m[1]], PATTERNS.like_a_token.sub(" ", text))
    return PATTERNS.keeps.sub(f"{_WARD} ", text) if pack.data.deeds else text


def role_key(token: str, pack: Pack) -> str:
    """Return the key of the role that a token stands for.

    A part without an index stands for its first role, "" if the deck has none.
    """
    match = _ROLE_TOKEN.fullmatch(token)
    if match and match[2]:
        return pack.ruleset.roles[int(match[2])].key
    return pack.role(cast(Part, token))
