"""Names of players in prompts, and as models write them in their answers.

A name is unquoted in prompts if it is a single word that they do not use themselves (Alpha, Ann2),
and quoted otherwise ("Alpha says", "Seer", "Only you"). In answers, "Player 3", "player3" or "3"
may stand for "player_3".
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.decision import Decision
from agents.prompts import all_words
from agents.quotation import quote_text
from game.engine.ruleset import Ruleset
from game.engine.wording import sentences_in

_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"(.*?\D)(\d+)")
# Words that prompts use outside their templates, and the role names of chat formats.
_PROMPT_WORDS = frozenset(
    {"you", "your", "everyone", "alone", "nothing", "round", "day", "out", "vote", "votes"}
    | {"said", "says", "claim", "claims", "passes"}
    | {"user", "assistant", "system", "human", "tool", "model"}
)


def player_name(seat: int, decision: Decision) -> str:
    """Return the name of the player in a seat, the same in all prompts of a table."""
    return quote_name(decision.view.name(seat), decision.ruleset)


def list_players(seats: Iterable[int], decision: Decision) -> str:
    """Return player names separated by commas: "Alpha, Beta, Gamma"."""
    return ", ".join(player_name(seat, decision) for seat in seats)


def join_players(seats: Iterable[int], decision: Decision) -> str:
    """Return player names as in a sentence: "Alpha, Beta and Gamma"."""
    return join_names([player_name(seat, decision) for seat in seats])


def join_names(names: Sequence[str]) -> str:
    """Return names as in a sentence: "Alpha, Beta and Gamma"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def name_pattern(name: str) -> str:
    """Return a regular expression for `name` with other characters allowed for "_"."""
    return r"[\s_-]?#?".join(re.escape(part) for part in name.split("_"))


def find_seats_by_name(text: str, seat_names: Sequence[str]) -> set[int]:
    """Return the seats whose names occur in `text` as whole words."""
    return {
        seat
        for seat, name in enumerate(seat_names, 1)
        if re.search(rf"(?<!\w){name_pattern(name)}(?!\w)", text, re.I)
    }


def find_seat_by_number(text: str, seat_names: Sequence[str]) -> int | None:
    """Return the seat whose name ends with the bare number in `text`, None if there is none.

    Every name must consist of the same word and a number.
    """
    number = re.fullmatch(r"\W*(?:no\.|seat)?\W*(\d+)\W*", text, re.I)
    name_parts = [part for part in map(_NUMBERED.fullmatch, seat_names) if part]
    if (
        not number
        or len(name_parts) < len(seat_names)
        or len({part[1] for part in name_parts}) != 1
    ):
        return None
    numbers = [int(part[2]) for part in name_parts]
    return numbers.index(int(number[1])) + 1 if numbers.count(int(number[1])) == 1 else None


@lru_cache(maxsize=512)
def quote_name(name: str, ruleset: Ruleset) -> str:
    """Return a player's name, quoted if it is several words or means something in a prompt."""
    roles = tuple(f"{r.key} {r.name}" for r in ruleset.roles)
    teams = tuple(f"{t.key} {t.name}" for t in ruleset.teams)
    reserved_words = {
        word for text in roles + teams + _sentences(ruleset) for word in text.casefold().split()
    }
    is_reserved = name.casefold() in reserved_words | _PROMPT_WORDS | all_words()
    return quote_text(name) if is_reserved or not _WORD.fullmatch(name) else name


@lru_cache(maxsize=16)
def _sentences(ruleset: Ruleset) -> tuple[str, ...]:
    """Return all texts of the ruleset that appear in prompts."""
    wording, sentences = ruleset.wording, list[str]()
    for event in wording.events.values():
        sentences += sentences_in(event.prompt) + sentences_in(event.prompt_together)
    for phase in wording.phases.values():
        sentences += sentences_in(phase.prompt or phase.title)
    for window in wording.windows.values():
        sentences += [*sentences_in(window.prompt), window.hears, window.sees]
        sentences += window.options.values()
    return tuple(" ".join(_WORD.findall(text)) for text in sentences)
