"""Decision lists about texts, kept in the table `[rules]` of the pattern files.

    cue = right starts trust_after, not more:
      cue denied -> suspect
      -> defend

The first line whose conditions hold decides. A line with an arrow gives its result; "nothing" is no
result. A line with a colon leads to the indented lines below it; if none of them holds, there is no
result. A condition is
`TEXT has PATTERN`, `TEXT starts PATTERN`, `TEXT is PATTERN`, `TEXT denied`, or a `TEXT` alone,
which must not be empty. `not` negates it; `or` and `xor` join two. `name = ` stores a match: `name`
is its text, `name.1` its first group, `name.lead` the text of the match before that group,
`name.before` and `name.after` the text around the match. Texts are joined with "+" and sliced as in
Python: `left[-34:]+cue`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter

from agents.language.patterns import LEXICON, BadPatternError, load

PATTERNS = load("rules")
Texts = dict[str, str]
Check = Callable[[Texts], bool]
Judge = Callable[[str], re.Match[str] | bool | None]
# Texts from the caller (`agents.understanding.verdicts`), besides those that a rule stores.
CALLER_TEXTS = frozenset(
    ("clause", "ahead", "left", "right", "own", "many", "list", "more", "odd", "odd.1")
)
MATCH_TEXTS = ("", ".1", ".lead", ".before", ".after")
_CONDITION = re.compile(
    r"(?P<no>not )?(?:(?P<name>[a-z]+) = )?(?P<text>\S+)(?: (?P<verb>[a-z]+))?(?: (?P<key>\w+))?"
)
_TERM = re.compile(r"([a-z]+(?:\.\w+)?)(?:\[(-?\d*):(-?\d*)\])?")
_MATCHERS = {"has": re.Pattern.search, "starts": re.Pattern.match, "is": re.Pattern.fullmatch}


def is_negated(text: str) -> bool:
    """Return whether `text` contains an odd number of denials.

    The rules pass only some characters before a cue, because a denial does not reach far.
    """
    text = PATTERNS.stop_lying.sub(" ", PATTERNS.not_only.sub(" ", text))
    return len(LEXICON.denial.findall(text)) % 2 == 1


@dataclass(frozen=True)
class Rule:
    """Conditions, and the result or the further rules that follow from them."""

    conditions: tuple[Check, ...]
    result: str = ""
    rules: tuple[Rule, ...] = ()


def decide(rules: Sequence[Rule], texts: Texts) -> str:
    """Return the result of the first rule that holds, "" for none.

    Adds stored matches to `texts`.
    """
    for rule in rules:
        for check in rule.conditions:  # `all` over a generator takes twice as long
            if not check(texts):
                break
        else:
            return decide(rule.rules, texts) if rule.rules else rule.result
    return ""


@cache
def load_rules(name: str) -> Mapping[str, tuple[Rule, ...]]:
    """Return the decision lists of a pattern file. Rules may also name the lexicon's patterns.

    Raises:
        BadPatternError: A line is no rule, or names an unknown pattern or text.
    """
    loaded = load(name)
    parser = RuleParser(f"{name}.toml", {**LEXICON.patterns, **loaded.patterns})
    return {key: parser.parse(text) for key, text in loaded.rules.items()}


@dataclass(frozen=True)
class RuleParser:
    """Parser of the rules of a `file`, which may name `patterns`."""

    file: str
    patterns: Mapping[str, re.Pattern[str]]

    def parse(self, text: str) -> tuple[Rule, ...]:
        lines = [line for line in text.split("\n") if line.strip()]
        return self._take_block(lines, 0, CALLER_TEXTS)

    def _take_block(
        self, lines: list[str], indent: int, outer_names: frozenset[str]
    ) -> tuple[Rule, ...]:
        """Remove the lines at the head of `lines` with at least this indent, as rules.

        Returns: the rules, whose conditions may name the texts `outer_names`.
        """
        rules = []
        while lines and _indent_of(lines[0]) >= indent:
            line = lines.pop(0)
            head, arrow, result = line.strip().rstrip(":").partition("->")
            if bool(arrow) == line.endswith(":"):
                raise BadPatternError(
                    f"{self.file}: {line}: expected either an arrow or a colon at the end"
                )
            names = set(outer_names)
            conditions = filter(None, head.strip().split(", "))
            checks = tuple(self._parse_alternatives(c, names) for c in conditions)
            inner_indent = _indent_of(lines[0]) if lines and not arrow else 0
            is_nested = inner_indent > indent
            inner = self._take_block(lines, inner_indent, frozenset(names)) if is_nested else ()
            outcome = result.strip()
            rules.append(Rule(checks, "" if outcome == "nothing" else outcome, inner))
        return tuple(rules)

    def _parse_alternatives(self, text: str, text_names: set[str]) -> Check:
        """Return the check of conditions joined by "or" and "xor".

        Adds the names of their stored matches to `text_names`.
        """
        first, *joined = re.split(r" (x?or) ", text)
        check = self._parse_condition(first, text_names)
        for word, second in zip(joined[::2], joined[1::2], strict=True):
            check = _join_checks(check, self._parse_condition(second, text_names), word == "xor")
        return check

    def _parse_condition(self, text: str, text_names: set[str]) -> Check:
        parts = _CONDITION.fullmatch(text)
        if parts is None:
            raise BadPatternError(f"{self.file}: {text} is no condition")
        get_text, expected = self._build_text_getter(parts["text"], text_names), not parts["no"]
        judge, name = self._build_judge(text, parts["verb"], parts["key"]), parts["name"]
        if name:
            text_names |= {name + ending for ending in MATCH_TEXTS}

        def check(texts: Texts) -> bool:
            value = get_text(texts)
            result = judge(value)
            if name and result:
                _store_match(texts, name, value, result)
            return bool(result) == expected

        return check

    def _build_judge(self, condition: str, verb: str | None, key: str) -> Judge:
        """Return the function that decides whether a condition holds for its text."""
        if verb in _MATCHERS:
            if key not in self.patterns:
                raise BadPatternError(f"{self.file}: there is no pattern {key}")
            return partial(_MATCHERS[verb], self.patterns[key])
        if verb not in (None, "denied"):
            raise BadPatternError(f"{self.file}: {condition}: no text can be {verb}")
        return is_negated if verb else bool

    def _build_text_getter(self, text: str, text_names: set[str]) -> Callable[[Texts], str]:
        """Return a function that builds the text of a condition, such as `left[-34:]+cue`."""
        cuts: list[tuple[str, slice]] = []
        for term in text.split("+"):
            parts = _TERM.fullmatch(term)
            if parts is None or parts[1] not in text_names:
                raise BadPatternError(f"{self.file}: there is no text {term}")
            cuts.append((parts[1], slice(*(int(n) if n else None for n in parts.groups()[1:]))))
        if len(cuts) == 1 and cuts[0][1] == slice(None, None):
            return itemgetter(cuts[0][0])
        return lambda texts: "".join([texts[name][cut] for name, cut in cuts])


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _join_checks(first: Check, second: Check, is_exclusive: bool) -> Check:
    if is_exclusive:
        return lambda texts: first(texts) != second(texts)
    return lambda texts: first(texts) or second(texts)


def _store_match(texts: Texts, name: str, value: str, match: re.Match[str] | bool) -> None:
    """Add the text of a condition to `texts`, or its match with the text around it."""
    if isinstance(match, bool):
        texts[name] = value
        return
    start = match.start(1) if match.re.groups else match.end()
    texts |= {
        name: match[0],
        f"{name}.1": (match[1] or "") if match.re.groups else "",
        f"{name}.lead": value[match.start() : max(start, match.start())],
        f"{name}.before": value[: match.start()],
        f"{name}.after": value[match.end() :],
    }
