"""Which remarks a player can make, by the decision lists in `agents/house/rules/*.toml`.

A condition of a line is one of

- `pressed x y`: a fact of `agents.house.facts.FACTS`, or a member of `Mindset`, `Dialogue` or
  `Course` (`is_trusted y`, `has_attacks`, `claims y`), about what stands in these slots. `not`
  negates it, "did:agree,since" has options. A name that is a slot holds if something stands in it.
- `round > 1`, `x == target`, `size of != 1`: compare two facts, or a fact and a number.
- `z = partner y`: put something into the slot z. Of several alternatives, it is the first with
  which the rest of the line holds. A line that begins with `each` is said for every alternative.

A result is a kind of remark with its slots. `x:u` puts what stands in u into the slot x; `role` and
`look` are the role and the look that the remark tells of, and `seen` the players looked at; `@4.2`
is its weight. `see NAME` goes on with another list. The slot `me` is the speaker.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import Any

from agents.house.facts import FACTS, FACTS_WITH_OPTIONS
from agents.house.mindset import Mindset
from agents.house.remarks import KINDS, Named, Remark, look_slots, remark
from agents.language.decision_lists import Line, parse_decision_list
from agents.talk.course import Course
from agents.talk.dialogue import Dialogue

Slots = Mapping[str, Any]  # slot -> a seat, a role, a look, a text, or several of them
Condition = Callable[[Mindset, Slots], Iterator[Slots]]  # the ways in which it holds
_HOME = Path(__file__).parent
_COMPARISON = re.compile(r"(.+) (==|!=|<=|>=|<|>) (.+)")
_COMPARATORS = {"==": eq, "!=": ne, "<=": le, ">=": ge, "<": lt, ">": gt}


@dataclass(frozen=True)
class _Rule:
    """A line of a list: its conditions, and the remark, list or lines to which it leads."""

    conditions: tuple[Condition, ...]
    is_for_each: bool
    result: tuple[str, ...]
    rules: tuple[_Rule, ...]

    def solutions(self, m: Mindset, slots: Slots, index: int = 0) -> Iterator[Slots]:
        """Yield the slots with which all conditions from the one at `index` on hold."""
        if index == len(self.conditions):
            yield slots
            return
        for filled in self.conditions[index](m, slots):
            yield from self.solutions(m, filled, index + 1)

    def remarks(self, m: Mindset, slots: Slots) -> Iterator[Remark]:
        """Yield the remarks to which the line leads with these slots."""
        if self.rules:
            yield from _first_that_holds(self.rules, m, slots)
        elif self.result[:1] == ("see",):
            yield from build_remarks(m, self.result[1], slots)
        elif self.result:
            yield _build_remark(self.result, slots)


def build_remarks(m: Mindset, name: str, slots: Slots) -> Iterator[Remark]:
    """Yield the remarks of the decision list `name`, with what stands in `slots`."""
    slots = {"me": m.me, **slots}
    if name in FIRST_LINES:
        yield from _first_that_holds(FIRST_LINES[name], m, slots)
        return
    for rule in EVERY_LINES[name]:
        for number, filled in enumerate(rule.solutions(m, slots)):
            if number == 0 or rule.is_for_each:
                yield from rule.remarks(m, filled)
            if not rule.is_for_each:
                break


def _first_that_holds(rules: tuple[_Rule, ...], m: Mindset, slots: Slots) -> Iterator[Remark]:
    for rule in rules:
        if (filled := next(rule.solutions(m, slots), None)) is not None:
            yield from rule.remarks(m, filled)
            return


def _build_remark(result: tuple[str, ...], slots: Slots) -> Remark:
    """Return the remark of a result such as `rebut_many x:later y:first role @8.5`."""
    kind, *terms = result
    names: dict[str, Named] = {}
    role, look, weight = "", None, None
    for term in terms:
        slot, _, source = term.partition(":")
        if term[0] == "@":
            weight = float(slots[term[1:]]) if term[1:] in slots else float(term[1:])
        elif slot == "role":
            role = slots[source or "role"]
        elif slot == "look":
            look = slots["look"]
        elif slot == "seen":
            names |= look_slots(slots["look"])
        elif (content := slots[source or slot]) != "":
            names[slot] = content
    about = {**slots, **names}.get(KINDS[kind].about, 0)
    return remark(kind, names, weight=weight, about=about, role=role, look=look)


def _build_value(text: str) -> Callable[[Mindset, Slots], Any]:
    """Return a function that computes a fact such as `did:agree,since x y`.

    Raises:
        KeyError: there is no such fact.
    """
    name, *arguments = text.split()
    if name[0].isdigit():
        number = float(name)
        return lambda m, slots: number
    key, colon, options = name.partition(":")
    fact = FACTS_WITH_OPTIONS[key](*filter(None, options.split(","))) if colon else FACTS.get(key)
    owner = next((c for c in (Mindset, Dialogue, Course) if key in _members(c)), None)

    def compute(m: Mindset, slots: Slots) -> Any:
        if name in slots and not arguments:
            return slots[name]
        values = [slots[argument] for argument in arguments if argument in slots]
        if fact:
            return fact(m, *values)
        sources: dict[type | None, object] = {Dialogue: m.dialogue, Course: m.dialogue.course}
        member = getattr(sources.get(owner, m), key)
        if callable(member):
            return member(*values)
        if not values:
            return member
        return member.get(*values) if isinstance(member, Mapping) else values[0] in member

    return compute


def _members(owner: type) -> set[str]:
    return {*dir(owner), *getattr(owner, "__annotations__", ())}


def _build_condition(text: str) -> Condition:
    """Return the condition of a line: a fact, its negation, or the filling of slots."""
    if compared := _COMPARISON.fullmatch(text):
        is_so = _COMPARATORS[compared[2]]
        left, right = _build_value(compared[1]), _build_value(compared[3])
        return lambda m, slots: iter((slots,) if is_so(left(m, slots), right(m, slots)) else ())
    head, equals, source = text.partition(" = ")
    if not equals:
        fact = _build_value(text.removeprefix("not "))
        expected = not text.startswith("not ")
        return lambda m, slots: iter((slots,) if bool(fact(m, slots)) == expected else ())
    names, value = head.split(), _build_value(source)

    def fill_slots(m: Mindset, slots: Slots) -> Iterator[Slots]:
        found = value(m, slots)
        for content in found if isinstance(found, list) else [found]:
            if content in (None, 0, ()):
                continue
            contents = content if len(names) > 1 else (content,)
            yield {**slots, **dict(zip(names, contents, strict=True))}

    return fill_slots


def _build_rules(lines: tuple[Line, ...]) -> tuple[_Rule, ...]:
    rules = []
    for line in lines:
        first, *rest = line.conditions or ("",)
        texts = [first.removeprefix("each "), *rest] if line.conditions else []
        conditions = tuple(map(_build_condition, texts))
        result = tuple(line.result.split())
        rules.append(_Rule(conditions, first.startswith("each "), result, _build_rules(line.lines)))
    return tuple(rules)


def _load_lists() -> dict[str, dict[str, tuple[_Rule, ...]]]:
    """Return table -> list -> its rules. The names of lists differ in all files and tables."""
    tables: dict[str, dict[str, tuple[_Rule, ...]]] = {"first_line": {}, "every_line": {}}
    for path in sorted((_HOME / "rules").glob("*.toml")):
        for table, lists in tomllib.loads(path.read_text("utf-8")).items():
            for name, text in lists.items():
                if any(name in known for known in tables.values()):
                    raise ValueError(f"{path.name}: {name} stands in another list too")
                tables[table][name] = _build_rules(parse_decision_list(text, ValueError))
    return tables


_LISTS = _load_lists()
# Of a list of the first table, the first line that holds decides; of the second, every line does.
FIRST_LINES, EVERY_LINES = _LISTS["first_line"], _LISTS["every_line"]
_FACTS_OF_KINDS = tomllib.loads((_HOME / "remark_facts.toml").read_text("utf-8"))
OWN_VIEW = frozenset(_FACTS_OF_KINDS["own_view"].split())
CHECKS = {
    kind: tuple(map(_build_condition, facts.split(", ")))
    for facts, kinds in _FACTS_OF_KINDS["facts"].items()
    for kind in kinds.split()
}


def is_true(m: Mindset, remark: Remark) -> bool:
    """Return whether the others have said and done what `remark` says they have."""
    if remark.kind in OWN_VIEW or not remark.seats:
        return True
    seats = {slot: seat for slot, seat in remark.names.items() if isinstance(seat, int)}
    slots = {**seats, "me": m.me, "all": tuple(remark.seats)}
    checks = CHECKS.get(remark.kind, ())
    return bool(checks) and all(any(True for _ in check(m, slots)) for check in checks)
