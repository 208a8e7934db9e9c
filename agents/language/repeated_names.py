"""Shorten a text: pronouns for repeated names, and no names of players who are clearly meant."""

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.language import small_words
from agents.language.phrasing import MAX_BRIEF_WORDS, says_you


def replace_repeated_names(text: str, names: Sequence[str]) -> str:
    """Return `text` with pronouns for names that have just been mentioned.

    "Gamma says little, and I don't trust Gamma." becomes "… and I don't trust them." The name must
    be the only one of its sentence, and mentioned earlier in it, or be the only one of the sentence
    before. A mention is replaced between a word that governs it and the end of a clause, or between
    a joint and a verb whose plural is known. Brief sentences and players spoken to keep theirs.
    """
    shorter, named = [], ""  # the only name of the last sentence
    for sentence in _split_sentences(text):
        mentioned = _find_names(sentence, names)
        only_name = mentioned[0] if len({*mentioned}) == 1 else ""
        if only_name and _vocative_of(only_name, tuple(names)).search(sentence):
            only_name = ""
        if only_name and len(sentence.split()) > MAX_BRIEF_WORDS:
            sentence = _shorten(sentence, only_name, only_name == named)
        shorter.append(sentence)
        named = only_name if sentence.strip() else named
    return "".join(shorter)


def drop_vocatives(text: str, names: Sequence[str], previous: str = "", sole: str = "") -> str:
    """Return `text` without the name of a player who is clearly spoken to.

    This is a player whom the text has already addressed, or whom its first sentences answer.
    Questions keep the name.

    Args:
        previous: the last speaker, whom a text without a name answers.
        sole: the only player to be answered. Sentences that say "you" keep this name.
    """
    shorter: list[str] = []
    addressee = previous
    for sentence in _split_sentences(text):
        mentioned = _find_names(sentence, names)
        addressees = [
            n for n in dict.fromkeys(mentioned) if _vocative_of(n, tuple(names)).search(sentence)
        ]
        if len(addressees) == 1:
            rest = _vocative_of(addressees[0], tuple(names)).sub("", sentence)
            is_sole = addressees[0] == sole and not says_you(sentence)
            if (addressees[0] == addressee or is_sole) and not sentence.endswith("?"):
                sentence = rest[:1].upper() + rest[1:]
            addressee = addressees[0]
        elif mentioned:  # the text has moved on to others
            addressee = ""
        shorter.append(sentence)
    return "".join(shorter)


def _split_sentences(text: str) -> list[str]:
    """Return the sentences of `text` and the spaces between them."""
    return re.split(r"(?<=[.!?])(\s+)", text)


def _find_names(sentence: str, names: Sequence[str]) -> list[str]:
    """Return the names in a sentence, in order. One may begin it in upper case."""
    mentions = (
        (match.start(), name)
        for name in names
        for match in re.finditer(rf"\b{_any_case(name)}\b", sentence)
    )
    return [name for _, name in sorted(mentions)]


@lru_cache(maxsize=64)
def _vocative_of(name: str, names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the name of a player spoken to, with its comma, outside of lists."""
    either = "|".join(map(re.escape, names))
    before = "".join(f"(?<!{re.escape(n)})" for n in names)
    after = rf"(?=[.!?:]|,(?! (?:{either})))"
    return re.compile(rf"^{_any_case(name)}, (?!{either})|{before}, {re.escape(name)}{after}")


def _any_case(name: str) -> str:
    """Return a pattern of `name`, as it is or with its first letter in upper case."""
    return f"(?:{re.escape(name)}|{re.escape(name[:1].upper() + name[1:])})"


def _shorten(sentence: str, name: str, is_named: bool) -> str:
    """Return `sentence` with pronouns for the mentions of `name` but the first.

    is_named: whether the sentence before names the same player, so that the first may go, too.
    """
    mentions = list(re.finditer(rf"\b{_any_case(name)}\b", sentence))
    for match in reversed(mentions if is_named else mentions[1:]):
        before, after = sentence[: match.start()], sentence[match.end() :]
        sentence = f"{before}{_pronoun_before(before, after) or match[0] + after}"
    return sentence


def _pronoun_before(before: str, after: str) -> str:
    """Return `after` behind a pronoun, "" if the name between the texts has to stay."""
    words = small_words()["pronouns"]
    verb = re.match(r" (\w+)\b", after)
    if verb and verb[1] in words["verbs"] and re.search(rf"\b(?:{words['joints']}) $", before):
        return f"{words['subject']} {words['verbs'][verb[1]]}{after[verb.end() :]}"
    is_end = re.match(rf"[.,!?](?! who)|$| (?:{words['follows']})\b", after)
    if is_end and re.search(rf"\b(?:{words['governs']}) $", before):
        return f"{words['object']}{after}"
    return ""
