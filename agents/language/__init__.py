"""Phrases of the house player, as data: one folder per language, read once per process.

`LANGUAGE/words.toml` holds small words, `LANGUAGE/remarks/*.toml` the phrases of each kind of
remark, `plain.toml` those that name roles by slots, `packs/RULESET/` those of one game,
`blocks.toml` the choices that phrases share, `styles.toml` the guard's lines, `asides.toml` and
`voices/` the additions of personas and written characters. `agents.language.phrasing` describes the
syntax of a phrase. Everything is checked when it is loaded.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGE = "en"
# What may have to hold for a phrase to be said (`agents.house.speech.circumstances`).
NEEDS = (
    "heard",  # somebody has spoken today
    "later",  # I have spoken before, or a day is over
    "claimed",  # I have claimed a role
    "unclaimed",
    "pressed",  # somebody presses me
    "unpressed",
    "last",  # my last words before a vote
    "more",  # there is another round of talk before the vote
    "many",  # more than four are left
    "told",  # somebody else has told of a look
    "grounds",  # the same statement has given a reason before
    "gave",  # I have told of a look today
    "sole",  # I have told of a look that I stand by, and nobody else has
    "recent",  # the look that is told is of the last night
    "asked",  # whoever is spoken to has asked me something before I last spoke
)
MANNERS = ("plain", "warm", "blunt", "careful", "wry")
BLOCK = re.compile(r"<([\w-]+)(?: (\w))?>")
_HEAD = re.compile(r"(?:\?(?P<needs>[\w,]+) )?(?:~(?P<manner>\w+) )?")
_HOME = Path(__file__).parent
Phrases = Mapping[str, tuple[str, ...]]


def parts(phrase: str) -> tuple[frozenset[str], str, str]:
    """Return (needs, manner or "", text) of a phrase."""
    head = _HEAD.match(phrase)
    assert head is not None
    needs = frozenset((head["needs"] or "").split(",")) - {""}
    return needs, head["manner"] or "", phrase[head.end() :]


class BadPhraseError(ValueError):
    """Invalid phrase. The message names its file, its kind and the problem."""


@dataclass(frozen=True)
class Voice:
    """Manner of speech of a written character.

    Attributes:
        before: Phrases that may open a statement.
        after: Phrases that may close it.
        soft: Phrases that may precede a sentence that begins with "I".
        words: (common words, the character's replacement).

    No phrase may be understood as a speech act. Tests expand every one.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    soft: tuple[str, ...]
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PackPhrases:
    """Phrases of one game, by kind of remark, and the blocks that they share."""

    phrases: Phrases
    blocks: Mapping[str, str]


@cache
def blocks() -> Mapping[str, str]:
    """Return block name -> its choices, for all games."""
    return _table(_folder() / "blocks.toml")


@cache
def words() -> Mapping[str, Any]:
    """Return the small words that texts are made of: numbers, lists, the answer of a look."""
    return _table(_folder() / "words.toml")


def number(count: int) -> str:
    """Return "three", or figures for a large number."""
    numbers = words()["numbers"]
    return numbers[count] if count < len(numbers) else str(count)


def listed(names: Sequence[str]) -> str:
    """Return "Beta", "Beta and Zeta", "Beta, Zeta and Eta"."""
    return str(words()["and"]).join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def addresses(text: str, name: str) -> bool:
    """Return whether `text` turns to `name`, rather than speaking of it."""
    either = "|".join(words()["address"].values()).replace("{name}", re.escape(name.lower()))
    return bool(re.search(either, text.lower().replace("’", "'")))


@cache
def remarks() -> Phrases:
    """Return kind of remark -> its phrases, for kinds that name no role."""
    return _read(sorted((_folder() / "remarks").glob("*.toml")), blocks())


@cache
def general_phrases() -> Phrases:
    """Return kind of remark -> phrases for any game, for kinds that name roles or looks."""
    return _read([_folder() / "plain.toml"], blocks())


@cache
def asides() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return factor and pole ("E+") -> "before", "after" or "soft" -> asides without meaning."""
    path = _folder() / "asides.toml"
    return {pole: _checked(slots, {}, path) for pole, slots in _table(path).items()}


@cache
def voices() -> Mapping[str, Voice]:
    """Return the key of a written character (`agents.personas.characters`) -> its voice."""
    return {path.stem: _voice(path) for path in sorted((_folder() / "voices").glob("*.toml"))}


def _voice(path: Path) -> Voice:
    data = dict(_table(path))
    words = tuple(data.pop("words").items())
    return Voice(words=words, **_checked(data, {}, path))


@cache
def pack(name: str) -> PackPhrases:
    """Return the phrases of the game whose folder in `packs` is called `name`."""
    return read_pack(_folder() / "packs" / name)


def read_pack(folder: Path) -> PackPhrases:
    """Return the phrases of a game from a folder of TOML files.

    The folder may lack `blocks.toml`.

    Raises:
        BadPhraseError: A phrase is invalid or names an unknown block.
    """
    shared = folder / "blocks.toml"
    own: Mapping[str, str] = _table(shared) if shared.exists() else {}
    files = sorted(path for path in folder.glob("*.toml") if path != shared)
    return PackPhrases(_read(files, {**blocks(), **own}), own)


def _folder() -> Path:
    return _HOME / LANGUAGE


def _table(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _read(paths: Iterable[Path], blocks: Mapping[str, str]) -> Phrases:
    """Return the phrases of all files. A kind may be in one file only."""
    phrases: dict[str, tuple[str, ...]] = {}
    for path in paths:
        more = _checked(_table(path), blocks, path)
        if twice := set(phrases) & set(more):
            raise BadPhraseError(f"{path}: {min(twice)} stands in another file too")
        if bare := [kind for kind, ps in more.items() if not any(p[0] not in "?~" for p in ps)]:
            raise BadPhraseError(
                f"{path}: {bare[0]} has no phrase for everybody that needs nothing"
            )
        phrases |= more
    return phrases


def _checked(
    table: Mapping[str, Any], blocks: Mapping[str, str], path: Path
) -> dict[str, tuple[str, ...]]:
    """Return `table` with tuples, after a check. Raises BadPhraseError.

    `blocks` are the blocks that phrases may name.
    """
    for kind, phrases in table.items():
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise BadPhraseError(f"{path}: {kind} must be a list of phrases")
        for phrase in phrases:
            if fault := _fault(phrase, blocks):
                raise BadPhraseError(f"{path}: {kind}: {fault}: {phrase}")
    return {kind: tuple(phrases) for kind, phrases in table.items()}


def _fault(phrase: str, blocks: Mapping[str, str]) -> str:
    """Return why a phrase is invalid, "" if it is valid."""
    depth = 0
    for mark in re.findall(r"[\[\]]", phrase):
        depth += 1 if mark == "[" else -1
        if depth < 0:
            break
    if depth:
        return "brackets do not match"
    if unknown := [name for name, _slot in BLOCK.findall(phrase) if name not in blocks]:
        return f"there is no block {unknown[0]}, only {', '.join(sorted(blocks))}"
    needs, manner, _text = parts(phrase)
    if manner and manner not in MANNERS:
        return f"there is no manner {manner}, only {', '.join(MANNERS)}"
    if strange := sorted(needs - {*NEEDS}):
        return f"there is no need {strange[0]}, only {', '.join(NEEDS)}"
    return ""
