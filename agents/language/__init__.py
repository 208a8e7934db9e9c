"""Phrases of the house player, as data. One folder per language, read once per process.

`LANGUAGE/words.toml` holds small words, `LANGUAGE/remarks/*.toml` the phrases of each kind of
remark, `plain.toml` those that name roles by slots, `packs/RULESET/` those of one game,
`blocks.toml` the choices that phrases share, `styles.toml` the guard's lines, `voices/`
the sentences and words of written characters. `agents.language.phrasing` describes the
syntax of a phrase. Everything is checked when it is loaded.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGE = "en"
# What may have to hold for a phrase to be said (`agents.house.circumstances`).
NEEDS = (
    "heard",  # a player has spoken today
    "later",  # I have spoken before, or a day is over
    "claimed",  # I have claimed a role
    "unclaimed",
    "pressed",  # another player presses me
    "more",  # there is another round of talk before the vote
    "told",  # another player has told of a look
    "grounds",  # the same statement gives a reason against the suspect
    "shared",  # the same statement gives a reason that fits others, too
    "again",  # the reason of the same statement was given before
    "plains",  # another player claims the plain role
    "reasoned",  # the player whom the remark joins gave a reason for the last suspicion
    "facing",  # the same statement has spoken to the suspect before
    "reasonless",  # the player whom the remark answers or doubts accused another without a reason
    "split",  # as many others have announced a vote for a second player as for the first
    "alone",  # others have announced votes, none of them for my suspect
    "joined",  # another player has announced a vote for my suspect
)
MANNERS = ("plain", "warm", "blunt", "careful", "wry")
BLOCK = re.compile(r"<([\w-]+)(?: (\w))?>")
_HEAD = re.compile(r"(?:\?(?P<needs>[\w,]+) )?(?:~(?P<manner>\w+) )?")
FOLDER = Path(__file__).parent / LANGUAGE
Phrases = Mapping[str, tuple[str, ...]]


def split_phrase(phrase: str) -> tuple[frozenset[str], str, str]:
    """Split a phrase into its head and its text.

    Returns: (needs, manner or "", text).
    """
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
        phrases: Kind of remark -> whole sentences, preferred to the general phrases of the kind.
        words: (common words, the character's replacement).
    """

    phrases: Phrases
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PackPhrases:
    """Phrases of one game, by kind of remark, and the blocks that they share."""

    phrases: Phrases
    blocks: Mapping[str, str]


@cache
def blocks() -> Mapping[str, str]:
    """Return block name -> its choices, for all games."""
    return _load_toml(FOLDER / "blocks.toml")


@cache
def small_words() -> Mapping[str, Any]:
    """Return the language's small words: numbers, conjunctions, the answers of a look."""
    return _load_toml(FOLDER / "words.toml")


def number_word(count: int) -> str:
    """Return a number in words ("three"), in figures beyond the language's list."""
    numbers = small_words()["numbers"]
    return numbers[count] if count < len(numbers) else str(count)


def join_names(names: Sequence[str]) -> str:
    """Return "Beta", "Beta and Zeta", "Beta, Zeta and Eta"."""
    return str(small_words()["and"]).join(
        [", ".join(names[:-1]), names[-1]] if names[1:] else names
    )


def is_addressed_to(text: str, name: str) -> bool:
    """Return whether `text` addresses the player `name`, rather than mentioning them."""
    pattern = "|".join(small_words()["address"].values()).replace("{name}", re.escape(name.lower()))
    return bool(re.search(pattern, text.lower().replace("’", "'")))


def gives_reason(text: str) -> bool:
    """Return whether a statement is not bare and does not call itself a guess."""
    return not is_bare(text) and not re.search(small_words()["reason"]["feelings"], text.lower())


def is_bare(text: str) -> bool:
    """Return whether a statement is too short for a reason, and has no word such as "because"."""
    reason = small_words()["reason"]
    is_short = len(text.split()) <= reason["bare_words"]
    return is_short and not re.search(reason["words"], text.lower())


@cache
def remarks() -> Phrases:
    """Return kind of remark -> its phrases, for kinds that name no role."""
    return _load_phrases(sorted((FOLDER / "remarks").glob("*.toml")), blocks())


@cache
def general_phrases() -> Phrases:
    """Return kind of remark -> phrases for any game, for kinds that name roles or looks."""
    return _load_phrases([FOLDER / "plain.toml"], blocks())


@cache
def voices() -> Mapping[str, Voice]:
    """Return the key of a written character (`agents.personas.characters`) -> its voice."""
    found_voices = {}
    for path in sorted((FOLDER / "voices").glob("*.toml")):
        data = _load_toml(path)
        lists = _check_phrases(data["phrases"], blocks(), path).items()
        phrases = {kind: options for kinds, options in lists for kind in kinds.split()}
        found_voices[path.stem] = Voice(phrases, tuple(data["words"].items()))
    return found_voices


@cache
def pack_phrases(name: str) -> PackPhrases:
    """Return the phrases of the game whose folder in `packs` is called `name`."""
    return read_pack(FOLDER / "packs" / name)


def read_pack(folder: Path) -> PackPhrases:
    """Return the phrases of a game from a folder of TOML files.

    The folder may lack `blocks.toml`.

    Raises:
        BadPhraseError: A phrase is invalid or names an unknown block.
    """
    shared = folder / "blocks.toml"
    own: Mapping[str, str] = _load_toml(shared) if shared.exists() else {}
    files = sorted(path for path in folder.glob("*.toml") if path != shared)
    return PackPhrases(_load_phrases(files, {**blocks(), **own}), own)


def _load_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _load_phrases(paths: Iterable[Path], blocks: Mapping[str, str]) -> Phrases:
    """Return kind -> phrases of all files. A kind may be in one file only."""
    phrases: dict[str, tuple[str, ...]] = {}
    for path in paths:
        more = _check_phrases(_load_toml(path), blocks, path)
        if duplicates := set(phrases) & set(more):
            raise BadPhraseError(f"{path}: {min(duplicates)} stands in another file too")
        for kind, options in more.items():
            if all(phrase[0] in "?~" for phrase in options):
                raise BadPhraseError(f"{path}: {kind} has no phrase for everybody and any moment")
        phrases |= more
    return phrases


def _check_phrases(
    table: Mapping[str, Any], blocks: Mapping[str, str], path: Path
) -> dict[str, tuple[str, ...]]:
    """Return `table` with tuples in place of lists.

    Args:
        blocks: The blocks that phrases may name.

    Raises:
        BadPhraseError: A phrase is invalid.
    """
    for kind, phrases in table.items():
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise BadPhraseError(f"{path}: {kind} must be a list of phrases")
        for phrase in phrases:
            if error := _find_error(phrase, blocks):
                raise BadPhraseError(f"{path}: {kind}: {error}: {phrase}")
    return {kind: tuple(phrases) for kind, phrases in table.items()}


def _find_error(phrase: str, blocks: Mapping[str, str]) -> str:
    """Return the error in a phrase, "" if it is valid."""
    brackets = re.sub(r"[^\[\]]", "", phrase)
    while "[]" in brackets:
        brackets = brackets.replace("[]", "")
    if brackets:
        return "brackets do not match"
    if unknown := [name for name, _slot in BLOCK.findall(phrase) if name not in blocks]:
        return f"there is no block {unknown[0]}, only {', '.join(sorted(blocks))}"
    needs, manner, _text = split_phrase(phrase)
    if manner and manner not in MANNERS:
        return f"there is no manner {manner}, only {', '.join(MANNERS)}"
    if unknown_needs := sorted(needs - {*NEEDS}):
        return f"there is no need {unknown_needs[0]}, only {', '.join(NEEDS)}"
    return ""
