"""The conditions of a design: its base table, changed by combinations of factor levels."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from django.utils.translation import gettext as _

from agents.backends import HOUSE
from agents.recipe import COMBINED_SOURCE, HUMANIZED_SOURCE, METHODS
from game.engine import rulesets
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, Level, TableDesign

SINGLE = "single"  # name of the condition of a design without factors
MAX_CONDITIONS = 64
FACULTIES = "faculties"  # key of a level's table: persona, favor, strategy -> on or off
# Faculties of a method (SPEC 2.5) -> its name.
CROSSED_METHODS = {
    frozenset(method.own_faculties): name
    for name, method in METHODS.items()
    if method.source in (HUMANIZED_SOURCE, COMBINED_SOURCE)
}
CROSSED_FACULTIES = ("persona", "favor", "strategy")


@dataclass(frozen=True)
class ConditionPlan:
    """One condition: a cell of the factorial design."""

    index: int  # number of the condition, from 1; the first factor changes slowest
    name: str  # the names of its levels, joined, as `label` has their labels
    levels: Mapping[str, str]  # factor -> level
    table: TableDesign
    label: str


def max_seats(conditions: Sequence[ConditionPlan]) -> int:
    """Return the number of seats of the largest table."""
    return max(len(rulesets.get(condition.table.ruleset).deck) for condition in conditions)


def count_conditions(design: Design) -> int:
    """Return the number of combinations of the factors' levels."""
    return prod(len(factor.levels) for factor in design.factors)


def build_conditions(design: Design) -> list[ConditionPlan]:
    """Return all conditions, in order. Raise `Refused` if there are too many or invalid ones."""
    if count_conditions(design) > MAX_CONDITIONS:
        sentence = _("The factors result in {n} conditions. The maximum is {most} per study.")
        raise Refused([sentence.format(n=count_conditions(design), most=MAX_CONDITIONS)])
    plans, errors = [], []
    base = design.table.to_json()
    for index, levels in enumerate(_combinations(design), 1):
        name, label = _join_names(levels), _join_labels(levels)
        names = {f.name: level.name for f, level in zip(design.factors, levels, strict=True)}
        try:
            table = TableDesign.from_json(_apply_levels(base, levels))
            plans.append(ConditionPlan(index, name, names, table, label or name))
        except Refused as refused:
            sentence = _("{name}: {what}")
            errors += [sentence.format(name=name, what=s) for s in refused.sentences]
    if errors:
        raise Refused(errors)
    return plans


def _combinations(design: Design) -> Iterator[tuple[Level, ...]]:
    return product(*(factor.levels for factor in design.factors))


def _join_names(levels: Iterable[Level]) -> str:
    return "+".join(level.name for level in levels) or SINGLE


def _join_labels(levels: Iterable[Level]) -> str:
    return ", ".join(level.label or level.name for level in levels)


def readable_names(design: Design) -> dict[str, str]:
    """Return name in the data -> label, of the conditions whose label is unique and differs."""
    labels = {_join_names(levels): _join_labels(levels) for levels in _combinations(design)}
    counts = Counter(labels.values())
    return {n: label for n, label in labels.items() if label not in ("", n) and counts[label] == 1}


def condition_label(design: Design, levels: Mapping[str, str]) -> str:
    """Return the label for people of the condition with these levels (factor -> level)."""
    all_levels = ((factor, level) for factor in design.factors for level in factor.levels)
    return _join_labels(lv for factor, lv in all_levels if levels.get(factor.name) == lv.name)


def overlap_sentences(design: Design) -> Iterator[str]:
    """Yield a sentence for each field that two factors set. The later factor takes effect."""
    setters: dict[str, str] = {}
    for factor in design.factors:
        fields = {field for level in factor.levels for field in _field_paths(level.table)}
        for field in sorted(fields & set(setters)):
            text = _("“{first}” and “{second}” both set “{field}”. “{second}” takes effect.")
            name = factor.label or factor.name
            yield text.format(first=setters[field], second=name, field=field)
        setters |= dict.fromkeys(fields, factor.label or factor.name)


def _field_paths(table: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _field_paths(value, f"{path}{key}.")
        else:
            yield f"{path}{key}"


def merge_tables(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the values of `changes`. Nested dicts are merged, too."""
    merged = dict(base)
    for key, value in changes.items():
        old_value = merged.get(key)
        are_both_tables = isinstance(old_value, Mapping) and isinstance(value, Mapping)
        merged[key] = merge_tables(old_value, value) if are_both_tables else value  # type: ignore[arg-type]
    return merged


def _apply_levels(base: Mapping[str, Any], levels: Sequence[Level]) -> dict[str, Any]:
    table = dict(base)
    for level in levels:
        if level.table.get("ruleset", table["ruleset"]) != table["ruleset"]:
            table["settings"] = {}  # the settings belong to another ruleset
        table = merge_tables(table, level.table)
    chosen = table.pop(FACULTIES, {})
    return {**table, "method": _crossed_method(str(table["method"]), chosen)} if chosen else table


def _crossed_method(method: str, chosen: Any) -> str:
    """Return the method that `method` becomes with these faculties switched on or off.

    Faculties that `chosen` does not have stay as they are. Raise `Refused` if that is impossible.
    """
    if not isinstance(chosen, Mapping) or set(chosen) - set(CROSSED_FACULTIES):
        text = _("Set “faculties” to a table of {known}, each true or false.")
        raise Refused([text.format(known=", ".join(CROSSED_FACULTIES))])
    if method not in CROSSED_METHODS.values():
        text = _(
            "“{method}” has no separate parts. Persona, favor and strategy can be changed only"
            " in {known}."
        )
        known_methods = ", ".join(CROSSED_METHODS.values())
        raise Refused([text.format(method=method, known=known_methods)])
    own_faculties = METHODS[method].own_faculties
    switched_on = {name for name in CROSSED_FACULTIES if chosen.get(name, name in own_faculties)}
    return CROSSED_METHODS[frozenset(switched_on)]


def conditions_by_backend(design: Design) -> dict[str, tuple[str, ...]]:
    """Return backend of a model -> its conditions, {} if conditions cannot be built."""
    names_by_backend = defaultdict[str, list[str]](list)
    try:
        conditions = build_conditions(design)
    except Refused:
        return {}
    for condition in conditions:
        for backend in sorted(condition.table.backend_names - {HOUSE}):
            names_by_backend[backend].append(condition.name)
    return {backend: tuple(names) for backend, names in sorted(names_by_backend.items())}
