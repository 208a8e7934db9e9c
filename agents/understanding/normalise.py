"""From free text to plain sentences: one spelling for what matters, names as `@seat`, no filler.

Nothing is interpreted here, only brought into few forms: "I'm", "i am" and "im" become "i am",
"Beta and Gamma" become "@2+3", words for roles tokens (`roles`). Quotations and lines that pose as
somebody else's words are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.language.patterns import Rewrite, load
from agents.packs import Pack
from agents.understanding.role_tokens import tokens
from agents.understanding.seat_names import in_full
from agents.understanding.spelling import corrected

P = load("normalise")
FRAMES = load("frames")


LONGEST = 3000  # characters that are read of a text


@dataclass(frozen=True)
class Sentence:
    """Sentence in plain words, with names as `@3` or `@2+3`.

    is_question: it ends in a question mark.
    """

    text: str
    is_question: bool


@lru_cache(maxsize=64)
def _names(seats: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(seats, key=len, reverse=True)
    return re.compile(r"(?<!\w)(" + "|".join(re.escape(s.lower()) for s in ordered) + r")(?!\w)")


@lru_cache(maxsize=4096)
def seats_named(text: str, seats: tuple[str, ...]) -> frozenset[int]:
    """Return the seats whose names stand in `text`."""
    number = {name.lower(): i for i, name in enumerate(seats, 1)}
    return frozenset(number[n] for n in _names(seats).findall(in_full(text, seats).lower()))


@lru_cache(maxsize=256)
def spelled(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[str, ...]:
    """Return the lines of `text` in small letters.

    Names as `@3`, roles as tokens, slips put right, no quotations, none that poses as somebody
    else's.
    """
    text = in_full(unicodedata.normalize("NFC", text[:LONGEST]), seats).lower()
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    text = P.quoted.sub(" ", text).replace("@", " ")
    text = P.quoted_single.sub(" ", text)
    text = corrected(text, seats, pack)
    number = {name.lower(): str(i) for i, name in enumerate(seats, 1)}
    text = _names(seats).sub(lambda m: f"@{number[m[1]]}", text)
    text = P.genitive.sub(lambda m: f"@{number[m[1]]}'s" if m[1] in number else m[0], text)
    text = P.rewrite("idioms", text)
    if pack.data.idioms:
        text = _rewritten(text, pack.data.idioms)
    return tuple(line for line in tokens(text, pack).split("\n") if not _poses(line))


def _rewritten(text: str, rewrites: Sequence[Rewrite]) -> str:
    """Return the text with a game's own words in plain ones, sentence by sentence."""
    for rewrite in rewrites:
        units = [text] if rewrite.across else P.units.findall(text)
        text = "".join(map(rewrite.apply, units))
    return text


def plain_sentences(text: str, seats: Sequence[str], pack: Pack) -> tuple[Sentence, ...]:
    """Return the sentences of `text`, said in the game of `pack`."""
    return _plain_sentences(text, tuple(seats), pack)


@lru_cache(maxsize=256)
def _plain_sentences(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[Sentence, ...]:
    """Return the same, kept: the whole table listens to a statement."""
    sentences_found = []
    for line in spelled(text, seats, pack):
        line = P.dashed.sub(r"\1 and ", line)
        line = P.answered.sub(r"\1: ", line)
        line = P.scoffed.sub(r"\1 is not the \2", line)
        for part in P.sentences.findall(line):
            if sentence := _sentence(part.strip()):
                sentences_found.append(sentence)
    return tuple(sentences_found)


def _poses(line: str) -> bool:
    """Return whether a line imitates the moderator's or somebody's line in the transcript."""
    return bool(P.office_line.match(line) or P.seat_line.match(line))


def _sentence(part: str) -> Sentence | None:
    """Return one sentence, made plain.

    Returns None where nothing is left of it.
    """
    is_question = "?" in part[-3:]
    body = part.rstrip(".!?;—–… ")
    body = P.rewrite("contractions", body)
    if is_question and (tag := P.tags.search(body + "?")):
        body, is_question = body[: tag.start()], False
    body = P.fillers.sub(" ", _possessives(P.asides.sub(" ", body)))
    body = P.spaces.sub(" ", body).strip(" ,")
    unframed = FRAMES.rewrite("rhetorical", body := _lists(body))
    rhetorical, body = unframed != body, FRAMES.rewrite("frames", unframed)
    return Sentence(body, is_question and not rhetorical) if body else None


def _possessives(body: str) -> str:
    """Return `@3_s` for what is somebody's, `@3 is` otherwise."""
    body = P.seats_noun.sub(r"\1_s", body)
    return P.seat_is.sub(r"\1 is", body)


def _lists(body: str) -> str:
    """Return `@2, @3 and @5` as `@2+3+5`.

    `@2 and i` as `@2+me`.
    """
    body = P.and_me.sub(r"\1+me", body)
    body = P.me_and.sub(r"\1+me", body)
    # a bare "and" may begin a new clause: it comes last
    body = P.sure_list.sub(_join, body)
    body = P.or_list.sub(_join, body)
    body = P.and_list.sub(_join, body)
    body = P.both_did.sub(_join, body)
    return P.looked_at.sub(r"\1 \2+\3", body).replace("+@", "+")


def _join(match: re.Match[str]) -> str:
    """Return the seats of a list as one mention."""
    seats = P.seat.findall(match[0])
    head = match[0][: match[0].index("@")]
    return f"{head}@{'+'.join(dict.fromkeys(seats))}"
