"""Written characters: a person, a manner of speaking, and scores (SPEC 2.8).

`characters.toml` has those that any agent may be. The owner of a table may write another
character (`agents.personas.own_style`).
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.quotation import quote_text
from game.engine.seeded_random import SeededRandom

_FILE = Path(__file__).with_suffix(".toml")


class UnknownCharacter(LookupError):
    """There is no character with that key. The message lists the keys."""


@dataclass(frozen=True)
class Character:
    """A written character."""

    key: str
    name: str
    age: int
    description: str  # one sentence about the person
    habits: tuple[str, ...]  # habits of speech, one sentence each
    examples: tuple[str, ...]  # example lines
    scores: Mapping[str, int]  # 1 to 7 for each of the five factors
    # Name at a table, "" if the seat keeps its name because the character's own name is an everyday
    # word.
    table_name: str = ""
    gender: str = ""  # "female", "male", or "" for none
    first_person: str = "I"  # the word that the character uses for itself

    def text(self, quote: Callable[[str], str] = str) -> str:
        """Return the character's text in a prompt.

        `quote` is applied to words of the character that a table's owner may have written.
        """
        gender = f"{self.gender}, " if self.gender else ""
        self_name = quote_text(self.first_person)
        # One of two such characters at a table has another name, so the prompt states none.
        if self.first_person == self.table_name:
            self_name = "by your name at the table"
        self_reference = "" if self.first_person == "I" else f"You call yourself {self_name}."
        sayings = "Lines of yours, for the sound of them (never repeat them):"
        rule = (
            "Use such a saying in one statement of three at most, and never where you claim a role,"
            " report a look or name your vote."
        )
        return "\n".join(
            [
                f"Your character is {quote(self.name)}, {gender}aged {self.age}. "
                f"{self.description}",
                "At the table everyone, you too, goes by the name in the list of players.",
                f"{self_reference} How your character speaks:".strip(),
                *(f"- {quote(habit)}" for habit in self.habits),
                *([sayings] if self.examples else []),
                *(f"- {quote(line)}" for line in self.examples),
                "Claims, names and accusations you say so plainly that nobody can miss them.",
                *([rule] if self.examples else []),
            ]
        )


def _read_character(key: str, table: Mapping[str, Any]) -> Character:
    """Build a character from its table in the file, with tuples in place of lists."""
    lists = {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
    return Character(key, **{**table, **lists})


# Key -> character, in the order of the file.
CHARACTERS: dict[str, Character] = {
    key: _read_character(key, table)
    for key, table in tomllib.loads(_FILE.read_text("utf-8")).items()
}


def get_character(key: str) -> Character:
    """Return the character with that key, or raise UnknownCharacter."""
    if key not in CHARACTERS:
        known_keys = ", ".join(CHARACTERS)
        raise UnknownCharacter(f"unknown character {key!r}; known: {known_keys}")
    return CHARACTERS[key]


def draw_characters(seed: str, count: int) -> list[str]:
    """Return the keys of `count` different characters in random order, or of all if fewer."""
    return SeededRandom(f"{seed}/characters").shuffled("who", list(CHARACTERS))[:count]


def assign_characters(seed: str, seats: Sequence[int]) -> dict[int, str]:
    """Return seat -> character key for half of `seats`, rounded up. All are different."""
    count = (len(seats) + 1) // 2
    half = SeededRandom(f"{seed}/characters").shuffled("where", sorted(seats))[:count]
    return dict(zip(sorted(half), draw_characters(seed, len(half)), strict=False))
