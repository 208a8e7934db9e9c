"""The limits of the contest's talk and whispers, and the forms of their statements."""

from collections.abc import Mapping
from typing import Any, Literal

from game.engine.forms import Speech, speech_with_mentions
from game.engine.ruleset import TalkLimits
from game.engine.text_checks import NO_LIMIT

TalkKind = Literal["talk", "whisper"]
MAX_STATEMENT_WORDS = 60  # the limit of a statement if words are counted


def limits_of(rules: Mapping[str, Any], kind: TalkKind) -> TalkLimits:
    """Return the limits of the talk of a day, or of the whispers of a night."""
    return TalkLimits(
        max_answers=rules[f"{kind}_per_agent"],
        max_passes=rules[f"{kind}_per_day"],
        max_skips=rules[f"{kind}_max_skip"],
    )


def statement_form(rules: Mapping[str, Any], kind: TalkKind, to: tuple[int, ...]) -> Speech:
    """Return the form of a statement that may address one of the seats `to`."""
    if rules["count"] == "words":
        return speech_with_mentions(MAX_STATEMENT_WORDS, NO_LIMIT, NO_LIMIT, to)
    prefix = "" if kind == "talk" else f"{kind}_"  # the keys for talk have none
    base, after = rules[f"{prefix}base_length"], rules[f"{prefix}mention_length"]
    return speech_with_mentions(NO_LIMIT, base, after, to)
