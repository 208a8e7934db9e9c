"""The conditions of a design: its base table, varied by each combination of its factors' levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.design.stages import Design, Level, TableDesign
from webapp.study.design.value_checks import Refused

SINGLE = "single"  # name of the condition of a design without factors
MAX_CONDITIONS = 64  # the most conditions of a design


@dataclass(frozen=True)
class ConditionPlan:
    """One condition.

    index: 1…, the first factor changing slowest; name: its levels' names, joined by "+"; levels:
    factor -> level; table: the whole configuration of its tables.
    """

    index: int
    name: str
    levels: Mapping[str, str]
    table: TableDesign


def count_conditions(design: Design) -> int:
    """Return the number of conditions that the factors make."""
    return prod(len(factor.levels) for factor in design.factors)


def build_conditions(design: Design) -> list[ConditionPlan]:
    """Return all conditions, in order. Raises Refused if a level makes an invalid table."""
    if count_conditions(design) > MAX_CONDITIONS:
        limit_text = _("The factors make {n} conditions; a study has at most {most}.")
        raise Refused([limit_text.format(n=count_conditions(design), most=MAX_CONDITIONS)])
    plans, faults = [], []
    base = design.table.data()
    for index, cell in enumerate(product(*(f.levels for f in design.factors)), 1):
        levels = {f.name: level.name for f, level in zip(design.factors, cell, strict=True)}
        name = "+".join(level.name for level in cell) or SINGLE
        try:
            table = TableDesign.of(_varied(base, cell))
            plans.append(ConditionPlan(index, name, levels, table))
        except Refused as refused:
            faults += [_("{name}: {what}").format(name=name, what=s) for s in refused.sentences]
    if faults:
        raise Refused(faults)
    return plans


def merge_tables(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` updated with `over`. Nested dicts are merged, other values are replaced."""
    merged_table = dict(base)
    for key, value in over.items():
        old = merged_table.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged_table[key] = merge_tables(old, value) if both else value  # type: ignore[arg-type]
    return merged_table


def _varied(base: Mapping[str, Any], cell: Sequence[Level]) -> dict[str, Any]:
    table = dict(base)
    for level in cell:
        if level.table.get("ruleset", table["ruleset"]) != table["ruleset"]:
            table["settings"] = {}  # the settings belong to another ruleset
        table = merge_tables(table, level.table)
    return table
