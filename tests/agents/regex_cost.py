"""Texts that make a backtracking pattern slow, built from the patterns that read statements.

Each unbounded repeat of each pattern is fed with repetitions of what its body matches, alone and
in pairs: where two divisions of the same text match, the repetitions take exponential time.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import re._constants as op
import re._parser as parser
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from random import Random
from time import process_time
from typing import Any

import agents.understanding
from agents.language import patterns
from agents.llm import PATTERNS_FOLDER
from agents.packs import pack_of
from agents.understanding import understand as module
from agents.understanding.demands import demands
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.text_checks import text_error

LIMIT_S = 0.15  # three times what the slowest takes; backtracking takes seconds
RULESETS = [rulesets.get(name) for name in ("one-night", "sheriff")]
# Patterns that read no statement of these games: those of other games, and of a model's replies.
UNUSED_FILES = {"aiwolf", "whispers", *(path.stem for path in PATTERNS_FOLDER.glob("*.toml"))}


REPEATS = 40
MANY = 8  # a repeat allowed more often counts as unbounded
_CATEGORIES = {op.CATEGORY_DIGIT: "3", op.CATEGORY_SPACE: " ", op.CATEGORY_WORD: "a"}
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


class _TimedOutError(Exception):
    pass


def cpu_seconds(call: Callable[[], object], limit_s: float) -> float:
    """Return the processor time of `call`, which is interrupted after `limit_s` seconds."""

    def on_alarm(*_: object) -> None:
        raise _TimedOutError

    before = signal.signal(signal.SIGPROF, on_alarm)
    began = process_time()
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    try:
        with suppress(_TimedOutError):
            call()
            signal.setitimer(signal.ITIMER_PROF, 0)
            return process_time() - began
        return limit_s
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def all_patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns that read statements and replies by "module.name" or "file.name"."""
    package = agents.understanding
    named_patterns: dict[str, re.Pattern[str]] = {}
    for path in (*patterns.FOLDER.glob("*.toml"), *PATTERNS_FOLDER.glob("*.toml")):
        loaded = patterns.load(path.stem, path.parent)
        named_patterns |= {
            f"{path.stem}.{name}": pattern for name, pattern in loaded.patterns.items()
        }
        for step, rewrites in loaded.rewrites.items():
            of_step = _patterns_in([(r.pattern, r.unless) for r in rewrites])
            named_patterns |= {
                f"{path.stem}.{step}.{i}": pattern for i, pattern in enumerate(of_step)
            }
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for name, value in vars(importlib.import_module(info.name)).items():
            for number, pattern in enumerate(_patterns_in(value)):
                named_patterns[f"{info.name}.{name}.{number}"] = pattern
    return named_patterns


def _patterns_in(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _patterns_in(item)
    elif isinstance(value, dict):
        yield from _patterns_in(list(value.values()))


def slow_texts(pattern: re.Pattern[str], pairs: int) -> Iterator[str]:
    """Yield repetitive texts for each unbounded repeat. pairs: maximum number of unit pairs."""
    for prefix, bodies in _repeats(parser.parse(pattern.pattern, pattern.flags), ""):
        units = [body for body in bodies if body]
        both = [a + b for a, b in product(units, units)]
        both = both if len(both) <= pairs else Random(0).sample(both, pairs)
        for unit, gap in product(units + both, ("", " ")):
            yield prefix + (unit + gap) * REPEATS + "!"


def literals(pattern: re.Pattern[str]) -> set[str]:
    """Return texts that `pattern` or one pass of its repeats may match."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    return {s.strip() for s in _samples(tree, 40)} | {
        body.strip() for _prefix, bodies in _repeats(tree, "") for body in bodies
    }


def _repeats(tree: Any, prefix: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (prefix text, body texts) of each unbounded repeat in `tree`."""
    for kind, value in tree:
        if kind in _REPEATS:
            _least, most, body = value
            if most is op.MAXREPEAT or most > MANY:
                yield prefix, _samples(body, 400)
            yield from _repeats(body, prefix)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, prefix)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from _repeats(value[1], prefix)
        elif kind is op.SUBPATTERN:
            yield from _repeats(value[3], prefix)
        elif kind is op.ATOMIC_GROUP:
            yield from _repeats(value, prefix)
        prefix += next(iter(_node_samples(kind, value, 2)), "")


def _samples(tree: Any, cap: int) -> list[str]:
    """Return at most about `cap` texts that `tree` may match."""
    texts = [""]
    for kind, value in tree:
        endings = _node_samples(kind, value, cap)
        longer = [text + ending for text in texts for ending in endings]
        if len(longer) > cap:
            first_texts = [texts[0] + ending for ending in endings][:cap]
            longer = first_texts + Random(1).sample(longer, cap - len(first_texts))
        texts = list(dict.fromkeys(longer))
    return texts


def _node_samples(kind: Any, value: Any, cap: int) -> list[str]:
    if kind is op.LITERAL:
        return [chr(value)]
    if kind is op.IN:
        return [_character(value)]
    if kind is op.BRANCH:
        return list(dict.fromkeys(s for branch in value[1] for s in _samples(branch, 12)))[:400]
    if kind is op.SUBPATTERN:
        return _samples(value[3], cap)
    if kind is op.ATOMIC_GROUP:
        return _samples(value, cap)
    if kind in _REPEATS:
        least, _most, body = value
        return ([] if least else [""]) + [s * max(least, 1) for s in _samples(body, cap)]
    return ["z"] if kind in (op.ANY, op.NOT_LITERAL) else [""]


def _character(items: Any) -> str:
    """Return one character of a character class."""
    for kind, value in items:
        if kind is op.LITERAL:
            return chr(value)
        if kind is op.RANGE:
            return chr(value[0])
        if kind is op.CATEGORY:
            return _CATEGORIES.get(value, "!")
    return "z"


def statement_cost(text: str, ruleset_number: int) -> float:
    """Return the shortest processor time of three readings of `text`."""
    ruleset = RULESETS[ruleset_number]
    seats, pack = tuple(ruleset.seat_names), pack_of(ruleset)

    def read() -> None:
        for function in (module._understand, demands):
            function.cache_clear()
        understand(text, 5, seats, 3, pack)
        demands(text, 5, 2, seats, pack, 3)

    cost = cpu_seconds(read, 2.0)
    return min(cost, *(cpu_seconds(read, 2.0) for _ in range(2))) if cost > LIMIT_S else cost


def repetitive_statements(number: int, seed: int) -> list[str]:
    """Return `number` sayable statements: units from the patterns, repeated alone or in pairs."""
    rng = Random(seed)
    patterns = [p for name, p in all_patterns().items() if name.split(".")[0] not in UNUSED_FILES]
    units = sorted(set().union(*map(literals, patterns)) - {""})
    texts = []
    while len(texts) < number:
        pair = rng.sample(units, 2)
        gaps = rng.choices((" ", ", ", ". ", ""), k=2)
        unit = rng.choice([pair[0] + " ", pair[0] + gaps[0] + pair[1] + gaps[1]])
        text = re.sub(r"@(\d)", lambda m: f"player_{m[1]}", unit.replace("@ ", "")) * REPEATS
        while text_error(text, 120):
            text = text[: len(text) * 3 // 4].strip() or "a"
        texts.append(text)
    return texts
