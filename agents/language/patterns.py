"""Patterns of a language, kept as data in `agents/language/LANGUAGE/patterns/*.toml`.

A file holds named regular expressions. They match text as `agents.understanding.normalise` returns
it; those in `agents/llm/patterns` match a model's text. Line breaks in a pattern, and the spaces
after them, are ignored. `{name}` inserts a text of `[parts]` or another pattern of the file, or of
`lexicon.toml` in the same folder. Further tables:

- `[parts]`: texts that only patterns insert.
- `[cues]`: patterns that are alternatives of whole words and phrases. `*` stands for any ending.
- `[words]`: name -> a set of words, separated by spaces.
- `[spellings]`: word -> what it stands for.
- `[[rewrite]]`: a `pattern` and `plain`, its replacement. Rewrites are grouped by `step` and
  applied in order, except in sentences that match `unless`. For `across` see `Rewrite`.
- `[rules]`: decision lists (`agents.understanding.rules`).

A file with the name of a pack holds the rewrites of that game's own words.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from agents import language

FOLDER = language.FOLDER / "patterns"
SHARED = "lexicon"
DEFAULT_STEP = "all"  # rewrites that name no step belong to this one
_PART = re.compile(r"\{([a-z]\w*)\}")  # not a quantifier such as {0,30}
_BREAK = re.compile(r"\n\s*")


class BadPatternError(ValueError):
    """Invalid pattern. The message names its file and the problem."""


@dataclass(frozen=True)
class Rewrite:
    """Replacement of a pattern in sentences.

    Attributes:
        unless: Sentences that match it stay unchanged.
        across: Whether the pattern may span two sentences.
    """

    pattern: re.Pattern[str]
    replacement: str
    unless: re.Pattern[str] | None
    across: bool

    def apply(self, sentence: str) -> str:
        if self.unless and self.unless.search(sentence):
            return sentence
        return self.pattern.sub(self.replacement, sentence)


@dataclass(frozen=True)
class Patterns:
    """The contents of one file. Every pattern is also an attribute: `load("trust").odd`.

    Attributes:
        rewrites: Step -> its rewrites, in order.
        rules: Name of a decision list -> its text.
    """

    name: str  # the file's name without its ending
    patterns: Mapping[str, re.Pattern[str]]
    words: Mapping[str, frozenset[str]]
    spellings: Mapping[str, str]
    rewrites: Mapping[str, tuple[Rewrite, ...]]
    rules: Mapping[str, str]

    def __post_init__(self) -> None:
        # Not by setattr, which a frozen class refuses.
        self.__dict__.update(self.patterns)

    def __getattr__(self, name: str) -> re.Pattern[str]:
        # Called only for missing attributes. It tells type checkers the type of the others.
        raise AttributeError(f"{self.name}.toml has no pattern {name}")

    def rewrite(self, step: str, text: str) -> str:
        """Return `text` with the rewrites of `step` applied."""
        for rewrite in self.rewrites[step]:
            text = rewrite.apply(text)
        return text


_FIELDS = frozenset(field.name for field in fields(Patterns))


@cache
def load(name: str, folder: Path = FOLDER) -> Patterns:
    """Return the contents of `name`.toml.

    Raises:
        BadPatternError: A pattern is no regular expression or names an unknown part, or its name
            is taken by the lexicon or by an attribute of `Patterns`.
    """
    table, texts = _read_file(name, folder)
    has_lexicon = name != SHARED and (folder / f"{SHARED}.toml").exists()
    shared = _read_file(SHARED, folder)[1] if has_lexicon else {}
    if duplicates := sorted(texts.keys() & shared.keys()):
        raise BadPatternError(f"{name}.toml: {duplicates[0]} is also defined in {SHARED}.toml")
    if reserved_names := sorted(key for key in texts if hasattr(Patterns, key) or key in _FIELDS):
        raise BadPatternError(f"{name}.toml: the name {reserved_names[0]} is reserved")
    parts = shared | texts
    rewrites: dict[str, list[Rewrite]] = {}
    for row in table.get("rewrite", ()):
        pattern = _compile(name, row["pattern"], row["pattern"], parts)
        exception = row.get("unless")
        unless = _compile(name, exception, exception, parts) if exception else None
        rewrite = Rewrite(pattern, row["plain"], unless, row.get("across", False))
        rewrites.setdefault(row.get("step", DEFAULT_STEP), []).append(rewrite)
    names = [key for key in texts if key not in table["parts"]]
    return Patterns(
        name,
        {key: _compile(name, key, texts[key], parts) for key in names},
        {key: frozenset(text.split()) for key, text in table.get("words", {}).items()},
        table.get("spellings", {}),
        {step: tuple(rows) for step, rows in rewrites.items()},
        table.get("rules", {}),
    )


def _read_file(name: str, folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tables of a file, and its patterns, cues and parts: name -> text."""
    table = {"parts": {}, **tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))}
    texts = {key: text for key, text in table.items() if isinstance(text, str)} | table["parts"]
    for key, text in table.get("cues", {}).items():
        texts[key] = r"(?<![\w@'])(?:" + text.replace("*", r"\w*") + r")(?![\w'])"
    return table, {key: _BREAK.sub("", text) for key, text in texts.items()}


def _compile(name: str, key: str, text: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    """Compile the pattern `key` of a file, with its parts inserted. Raises BadPatternError."""

    def insert_part(match: re.Match[str]) -> str:
        if match[1] not in parts:
            raise BadPatternError(f"{name}.toml: {key}: unknown part {match[1]}")
        return _PART.sub(insert_part, parts[match[1]])

    try:
        return re.compile(_PART.sub(insert_part, _BREAK.sub("", text)))
    except re.error as error:
        raise BadPatternError(f"{name}.toml: {key}: {error}") from error


def idioms(pack: str) -> tuple[Rewrite, ...]:
    """Return the rewrites of a game's own words into general ones, in order.

    Returns () for a pack that has no file of its own.
    """
    return load(pack).rewrites[DEFAULT_STEP] if (FOLDER / f"{pack}.toml").exists() else ()


LEXICON = load(SHARED)
