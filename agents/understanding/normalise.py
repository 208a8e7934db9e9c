"""Normalise free text into plain sentences with few forms. Nothing is interpreted here.

"I'm", "i am" and "im" become "i am"; "Beta and Gamma" become "@2+3"; words for roles become tokens
(`role_tokens`). Fillers, quotations and lines that imitate another speaker are removed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.language.patterns import Rewrite, load
from agents.packs import Pack
from agents.understanding.role_tokens import replace_role_words
from agents.understanding.seat_names import expand_seat_numbers
from agents.understanding.spelling import correct_spelling

P = load("normalise")
FRAMES = load("frames")
MAX_CHARS_READ = 3000  # of a text


@dataclass(frozen=True)
class Sentence:
    """Sentence in normalised words, with names as `@3` or `@2+3`.

    Attributes:
        is_question: Whether it ends in a question mark.
    """

    text: str
    is_question: bool


@lru_cache(maxsize=64)
def _name_pattern(seats: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(seats, key=len, reverse=True)
    return re.compile(
        r"(?<!\w)(" + "|".join(re.escape(s.lower()) for s in longest_first) + r")(?!\w)"
    )


@lru_cache(maxsize=4096)
def seats_named(text: str, seats: tuple[str, ...]) -> frozenset[int]:
    """Return the seats whose names or numbers occur in `text`."""
    numbers_by_name = {name.lower(): i for i, name in enumerate(seats, 1)}
    return frozenset(
        numbers_by_name[n]
        for n in _name_pattern(seats).findall(expand_seat_numbers(text, seats).lower())
    )


@lru_cache(maxsize=256)
def normalised_lines(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[str, ...]:
    """Return the lines of `text` in lower case, without quotations and imitated lines.

    Names are written `@3`, roles as tokens, and typing errors are corrected.
    """
    text = expand_seat_numbers(unicodedata.normalize("NFC", text[:MAX_CHARS_READ]), seats).lower()
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    text = P.quoted.sub(" ", text).replace("@", " ")
    text = P.quoted_single.sub(" ", text)
    text = correct_spelling(text, seats, pack)
    numbers_by_name = {name.lower(): str(i) for i, name in enumerate(seats, 1)}
    text = _name_pattern(seats).sub(lambda m: f"@{numbers_by_name[m[1]]}", text)
    text = P.genitive.sub(
        lambda m: f"@{numbers_by_name[m[1]]}'s" if m[1] in numbers_by_name else m[0], text
    )
    text = P.rewrite("idioms", text)
    if pack.data.idioms:
        text = _apply_rewrites(text, pack.data.idioms)
    return tuple(
        line for line in replace_role_words(text, pack).split("\n") if not _is_imitated_line(line)
    )


def _apply_rewrites(text: str, rewrites: Sequence[Rewrite]) -> str:
    """Return the text with a game's own words in general ones, sentence by sentence."""
    for rewrite in rewrites:
        units = [text] if rewrite.across else P.units.findall(text)
        text = "".join(map(rewrite.apply, units))
    return text


def plain_sentences(text: str, seats: Sequence[str], pack: Pack) -> tuple[Sentence, ...]:
    """Return the normalised sentences of `text`, said in the game of `pack`."""
    return _plain_sentences(text, tuple(seats), pack)


@lru_cache(maxsize=256)  # every player of a game reads each statement
def _plain_sentences(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[Sentence, ...]:
    sentences = []
    for line in normalised_lines(text, seats, pack):
        line = P.dashed.sub(r"\1 and ", line)
        line = P.answered.sub(r"\1: ", line)
        line = P.scoffed.sub(r"\1 is not the \2", line)
        for part in P.sentences.findall(line):
            if sentence := _build_sentence(part.strip()):
                sentences.append(sentence)
    return tuple(sentences)


def _is_imitated_line(line: str) -> bool:
    """Return whether a line imitates the moderator's or a player's line in the transcript."""
    return bool(P.office_line.match(line) or P.seat_line.match(line))


def _build_sentence(part: str) -> Sentence | None:
    """Return one normalised sentence, None if nothing is left of it."""
    is_question = "?" in part[-3:]
    body = part.rstrip(".!?;—–… ")
    body = P.rewrite("contractions", body)
    if is_question and (match := P.tags.search(body + "?")):
        body, is_question = body[: match.start()], False
    body = P.fillers.sub(" ", _rewrite_possessives(P.asides.sub(" ", body)))
    body = P.spaces.sub(" ", body).strip(" ,")
    unframed = FRAMES.rewrite("rhetorical", body := _join_lists(body))
    is_rhetorical, body = unframed != body, FRAMES.rewrite("frames", unframed)
    return Sentence(body, is_question and not is_rhetorical) if body else None


def _rewrite_possessives(body: str) -> str:
    """Return the sentence with "@3's" written as `@3_s` (possessive) or `@3 is`."""
    body = P.seats_noun.sub(r"\1_s", body)
    return P.seat_is.sub(r"\1 is", body)


def _join_lists(body: str) -> str:
    """Return the sentence with `@2, @3 and @5` as `@2+3+5`, and `@2 and i` as `@2+me`."""
    body = P.and_me.sub(r"\1+me", body)
    body = P.me_and.sub(r"\1+me", body)
    # A bare "and" may begin a new clause, so it comes last.
    body = P.sure_list.sub(_join_seats, body)
    body = P.or_list.sub(_join_seats, body)
    body = P.and_list.sub(_join_seats, body)
    body = P.both_did.sub(_join_seats, body)
    return P.looked_at.sub(r"\1 \2+\3", body).replace("+@", "+")


def _join_seats(match: re.Match[str]) -> str:
    """Return the seats of a list as one mention, after the text before them."""
    seats = P.seat.findall(match[0])
    head = match[0][: match[0].index("@")]
    return f"{head}@{'+'.join(dict.fromkeys(seats))}"
