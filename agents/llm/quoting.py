"""Names of players in prompts, quoted where a model might read them as part of the sentence.

A name is unquoted if it is a single word that the prompts do not use themselves (Alpha, Ann2), and
quoted otherwise ("Alpha says", "Seer", "Only you").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.decision import Decision
from agents.prompts import all_words
from agents.quotation import quote_text
from game.engine.ruleset import Ruleset
from game.engine.wording import sentences_in

PLACEHOLDER = "…"  # marks a blank in a prompt's example; it is not a valid answer
_WORD = re.compile(r"\w+")
# Words that prompts use outside their templates, and the role names of chat formats.
_PROMPT_WORDS = frozenset(
    {"you", "your", "everyone", "alone", "nothing", "round", "day", "out", "vote", "votes"}
    | {"said", "says", "claim", "claims", "passes"}
    | {"user", "assistant", "system", "human", "tool", "model"}
)


def seat_label(name: str, decision: Decision) -> str:
    """Return a seat's name as it appears in prompts, the same in all prompts of a table."""
    return _safe_label(name, decision.ruleset)


def player_name(number: int, decision: Decision) -> str:
    """Return the prompt name of the player in a seat."""
    return seat_label(decision.view.name(number), decision)


def list_players(numbers: Iterable[int], decision: Decision) -> str:
    """Return player names separated by commas: "Alpha, Beta, Gamma"."""
    return ", ".join(player_name(n, decision) for n in numbers)


def join_players(numbers: Iterable[int], decision: Decision) -> str:
    """Return player names as in a sentence: "Alpha, Beta and Gamma"."""
    return join_names([player_name(n, decision) for n in numbers])


def join_names(names: Sequence[str]) -> str:
    """Return names as in a sentence: "Alpha, Beta and Gamma"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def is_placeholder(text: str) -> bool:
    """Return whether `text` is only the placeholder mark of an example, or punctuation."""
    return not any(c.isalnum() for c in text)


@lru_cache(maxsize=512)
def _safe_label(name: str, ruleset: Ruleset) -> str:
    roles = tuple(f"{r.key} {r.name}" for r in ruleset.roles)
    teams = tuple(f"{t.key} {t.name}" for t in ruleset.teams)
    return name if _is_safe(name, roles + teams + _sentences(ruleset)) else quote_text(name)


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


def _is_safe(name: str, reserved_names: tuple[str, ...]) -> bool:
    """Return whether `name` is one word that means nothing else in a prompt."""
    reserved_words = {word for words in reserved_names for word in words.casefold().split()}
    word = name.casefold()
    return bool(_WORD.fullmatch(name)) and word not in reserved_words | _PROMPT_WORDS | all_words()
