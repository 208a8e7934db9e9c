"""A written character in words: its own marks and words, meaning no more than was said plainly."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from agents.house.phrases.characters import VOICES
from agents.house.words import expansions
from game.engine.draws import Draws

Same = Callable[[str], bool]  # whether words still mean what they meant, and are allowed

BOTH = 60  # percent of statements that are opened and closed, rather than one of the two
SOFT = 70  # percent of statements that have a soft insert, where a sentence begins with "I"
MOST = 400  # wordings of one mark that are looked at
TRIES = 6  # marks are drawn as long as one changes the meaning
_FIXED = r"(?! (?:else|first|few|far|more|better|but)\b)"  # "nobody else", "the very first"
_I = re.compile(r"(?:^|(?<=[.!?] ))I\b(?!,)")


def voiced(text: str, key: str, draws: Draws, said: Collection[str], same: Same) -> str:
    """`text` as the character `key` says it. No mark of it that was `said` before comes again."""
    voice = VOICES[key]
    text = _reworded(text, key, same)
    slots = draws.shuffled("voice/slots", ["before", "after"])
    if draws.below("voice/both", 100) >= BOTH:
        slots.pop()
    if draws.below("voice/soft", 100) < SOFT:
        slots.insert(0, "soft")
    options = {"before": voice.before, "after": voice.after, "soft": voice.soft}
    for slot in slots:
        marks = _marks(options[slot], draws, f"voice/{slot}", said)
        found = (new for mark in marks for new in _with(text, slot, mark) if same(new))
        text = next(found, text)
    return text


def core(mark: str) -> str:
    """What of a mark may stand only once in a game."""
    return mark.strip().rstrip(".!?, ")


def _marks(
    options: Sequence[str], draws: Draws, purpose: str, said: Collection[str]
) -> Iterator[str]:
    """Marks nobody has used, first of those phrases that nobody has used in any words."""
    used = {o: [m for m in _all(o) if any(core(m) in text for text in said)] for o in options}
    order = draws.shuffled(purpose, options)
    for option in sorted(order, key=lambda o: len(used[o]))[:TRIES]:
        fresh = [m for m in _all(option) if m not in used[option]]
        if fresh:
            yield draws.choice(f"{purpose}/{option}", fresh)


@cache
def _all(option: str) -> tuple[str, ...]:
    return tuple(expansions(option, MOST))


def _with(text: str, slot: str, mark: str) -> Iterator[str]:
    """`text` with the mark, in every place where it can stand."""
    if slot == "before":
        yield f"{mark} {text}"
    elif slot == "after":
        yield f"{text} {mark}"
    else:
        yield from (text[: m.start()] + mark + text[m.start() :] for m in _I.finditer(text))


@cache
def _words(key: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds the words a character says otherwise, and what it says."""
    rules = {old.lower(): new for old, new in VOICES[key].words}
    either = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    return re.compile(rf"(?<![\w'])(?<!too )(?:{either})(?![\w']){_FIXED}", re.I), rules


def _reworded(text: str, key: str, same: Same) -> str:
    """`text` in the character's words, wherever they mean the same."""
    pattern, rules = _words(key)
    places = list(pattern.finditer(text))

    def put(chosen: Collection[int]) -> str:
        found, at = "", 0
        for number in sorted(chosen):
            match = places[number]
            new = rules[match[0].lower()]
            if match[0][0].isupper():  # of "'bout" it is the second letter
                new = re.sub("[A-Za-z]", lambda letter: letter[0].upper(), new, count=1)
            found += text[at : match.start()] + new
            at = match.end()
        return re.sub(r",(?=[.,:;?!])", "", found + text[at:])

    def kept(sure: list[int], open_to: list[int]) -> list[int]:
        """`sure` and those of `open_to` that may join it, tried together and then by halves."""
        if not open_to or same(put([*sure, *open_to])):
            return [*sure, *open_to]
        if len(open_to) == 1:
            return sure
        half = len(open_to) // 2
        return kept(kept(sure, open_to[:half]), open_to[half:])

    return put(kept([], list(range(len(places)))))
