"""Formats the stored statistics for the results page: cells, notes, sentences; no arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.statistics.outcomes import REASONS
from webapp.study.statistics.published import Published, alongside, beside


@dataclass(frozen=True)
class ResultCell:
    """What stands in a table's cell. note: the number of the reason below it, 0 for none."""

    text: str
    note: int = 0


@dataclass
class Notes:
    """The reasons a table's cells refer to, in the order they first came."""

    sentences: list[str] = field(default_factory=list)

    def number(self, sentence: str) -> int:
        if sentence not in self.sentences:
            self.sentences.append(sentence)
        return self.sentences.index(sentence) + 1

    def cell(self, outcome: Mapping[str, Any], digits: int = 2) -> ResultCell:
        """A statistic's value; "undefined" and why where it has none."""
        value = outcome["value"]
        if value is None:
            return ResultCell(_("undefined"), self.number(_(REASONS[outcome["why"]])))
        care = [_(REASONS[key]) for key in outcome.get("care", ())]
        text = _span(value, digits) if isinstance(value, list) else number(value, digits)
        return ResultCell(text, self.number(" ".join(care)) if care else 0)


def number(value: float, digits: int = 2) -> str:
    """With that many decimals and a true minus; no minus before nothing."""
    text = f"{value:.{digits}f}"
    plain = text.lstrip("-") if not text.strip("-0.") else text
    return plain.replace("-", "−")


def chance(value: float) -> str:
    return "< .001" if value < 0.001 else number(value, 3)


def _span(ends: Iterable[float], digits: int) -> str:
    low, high = (number(end, digits) for end in ends)
    return _("{low} to {high}").format(low=low, high=high)


def told(results: Mapping[str, Any], published: Published | None) -> dict[str, Any]:
    """Everything the page shows of the results, with a paper's figures beside where there are."""
    return {
        "totals": results["totals"],
        "missing": _missing(results["missing"]),
        "care": [_(REASONS[key]) for key in results["totals"].get("care", ())],
        "items": [_item(one, published) for one in results["dimensions"]],
        "selection": _selection(results["selection"]),
        "raters": [_rater(one) for one in results["raters"]],
        "published": published,
        "draws": results["settings"]["draws"],
    }


def _item(one: Mapping[str, Any], published: Published | None) -> dict[str, Any]:
    notes = Notes()
    rated = any(row["n"] for row in one["conditions"])
    figures = beside(published, one["key"]) if published else []
    comparable = bool(published and alongside(published, one))
    return {
        "key": one["key"],
        "label": one["label"] or one["key"],
        "low": f"{one['min']}: {one['low_pole']}",
        "high": f"{one['max']}: {one['high_pole']}",
        "rank": one["rank"],
        "rows": [_row(row, notes) for row in one["conditions"]],
        "beside": figures if comparable else [],
        "elsewhere": [] if comparable else figures,
        "middle": f"{(1 + one['max']) / 2:g}",
        "agreement": list(_agreement(one, notes)) if rated else [],
        "comparisons": [_comparison(pair, notes) for pair in one["comparisons"]],
        "notes": notes.sentences,
    }


def _row(row: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    return {
        "condition": row["condition"],
        "counts": (row["n"], row["units"], row["games"], row["raters"]),
        "cells": [notes.cell(row[name]) for name in ("mean", "sd", "ci")],
        "missing": _missing(row["missing"]),
    }


def _missing(found: Mapping[str, Any]) -> str:
    """ "12 of 40 (30 %): 2 skipped, 10 not reached" """
    share = found["share_missing"]
    if share["value"] is None:
        return "–"
    if not share["part"]:
        return _("none of {whole}").format(whole=share["whole"])
    names = {
        "skipped": _("skipped"),
        "not_reached": _("not reached"),
        "timed_out": _("timed out"),
    }
    parts = ", ".join(f"{found[key]} {name}" for key, name in names.items() if found[key])
    text = _("{part} of {whole} ({percent} %): {parts}")
    percent = number(100 * share["value"], 1)
    return text.format(part=share["part"], whole=share["whole"], percent=percent, parts=parts)


def _agreement(one: Mapping[str, Any], notes: Notes) -> Iterable[dict[str, Any]]:
    """(what, value, interval, what it rests on) for each measure of agreement."""
    alpha, icc, again = one["alpha"], one["icc"], one["self_agreement"]
    basis = ngettext(
        "{units} unit rated by two or more of {raters} raters",
        "{units} units rated by two or more of {raters} raters",
        alpha["units"],
    ).format(**alpha)
    levels = {
        "ordinal": _("Krippendorff’s alpha, ordinal"),
        "nominal": _("Alpha, nominal"),
        "interval": _("Alpha, interval"),
    }
    for level, name in levels.items():
        found = alpha[level]
        # One reason is enough where both are undefined for it.
        yield _measure(name, found, notes, basis if level == "ordinal" else "")
    name = _("Intraclass correlation, {kind}").format(kind=icc.get("type", "ICC(A,1)"))
    basis = _("{units} units, {raters} raters").format(**icc) if "units" in icc else ""
    yield _measure(name, icc, notes, basis)
    if one["rank"]:
        yield _measure(_("Kendall’s W"), one["kendall_w"], notes, "")
    repeats = ngettext("{n} repeat", "{n} repeats", again["n"]).format(n=again["n"])
    yield _measure(_("With oneself, the same value"), again["exact"], notes, repeats)
    yield _measure(_("With oneself, within one step"), again["within_one"], notes, "")
    yield _measure(_("With oneself, weighted kappa"), again["kappa"], notes, "")


def _measure(name: str, found: Mapping[str, Any], notes: Notes, basis: str) -> dict[str, Any]:
    interval = found.get("ci")
    return {
        "name": name,
        "value": notes.cell(found, 3),
        "ci": notes.cell(interval, 3) if interval and found["value"] is not None else None,
        "basis": basis,
    }


def _comparison(one: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    test, difference = one["test"], one["difference"]
    care = [notes.number(_(REASONS[key])) for key in one["care"]]
    ci = difference.get("ci")
    return {
        "a": one["a"],
        "b": one["b"],
        "n": _size(one),
        "design": _design(one),
        "difference": notes.cell(difference),
        "ci": notes.cell(ci) if ci else None,
        "statistic": test.get("statistic", ""),
        "w": notes.cell(test, 1),
        "p": chance(test["p"]["value"]) if "p" in test else "–",
        "p_holm": chance(test["p_holm"]["value"]) if "p_holm" in test else "–",
        "effect": notes.cell(one["effect"]),
        "care": care,
        "model": _model(one["model"], notes),
    }


def _size(one: Mapping[str, Any]) -> str:
    if "n_a" not in one:
        return str(one["n"])
    return _("{n} against {m}").format(n=one["n_b"], m=one["n_a"])


def _design(one: Mapping[str, Any]) -> str:
    names = {
        ("paired", "game"): _("pairs, by game"),
        ("paired", "deal"): _("pairs, by deal"),
        ("unpaired", "game"): _("different games"),
        ("unpaired", "deal"): _("different deals"),
    }
    return names.get((one["design"], one["by"]), "–")


def _model(found: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """The mixed model's row. p is told by its own name: it is not the comparison's."""
    effects = {
        "rater": _("rater"),
        "deal": _("deal"),
        "game": _("game"),
        "unit": _("unit"),
        "moment": _("moment"),
        "game:condition": _("condition within game"),
        "deal:condition": _("condition within deal"),
        "rest": _("rest"),
    }
    defined = found["value"] is not None
    variances = found.get("variances", {}).items()
    return {
        "estimate": notes.cell(found),
        "se": notes.cell(found["se"]) if defined else None,
        "ci": notes.cell(found["ci"]) if defined else None,
        "p": chance(found["p"]["value"]) if defined else "–",
        "df": found.get("df"),
        "variances": ", ".join(f"{effects[k]} {number(v)}" for k, v in variances),
    }


def _selection(found: Mapping[str, Any]) -> dict[str, Any]:
    """What became of the turns that the rated words come from."""
    return {
        "rows": [_turns(row) for row in found["conditions"]],
        "failed": any(row["failed"] for row in found["conditions"]),
        "untold": sum(row["untold"] for row in found["conditions"]),
    }


def _turns(row: Mapping[str, Any]) -> dict[str, Any]:
    share = row["share_failed"]["value"]
    names = {
        "timed_out": _("timed out"),
        "refused": _("refused"),
        "unusable": _("nothing usable came"),
    }
    causes = ", ".join(
        f"{row['causes'][k]} {name}" for k, name in names.items() if row["causes"][k]
    )
    return {
        "condition": row["condition"],
        "counts": (row["turns"], row["words"], row["failed"]),
        "share": "–" if share is None else f"{number(100 * share, 1)} %",
        "causes": causes or "–",
        "passed": row["passed"],
        "removed": row["removed"],
    }


def _rater(one: Mapping[str, Any]) -> dict[str, Any]:
    median, checks = one["speed"]["median_ms"]["value"], one["attention"]
    again = one["self_agreement"]["within_one"]["value"]
    seconds = "–" if median is None else _("{n} s").format(n=number(median / 1000, 1))
    return {
        "name": one["rater"],
        "excluded": one["excluded"],
        "answered": one["answered"],
        "missing": one["skipped"] + one["not_reached"] + one["timed_out"],
        "seconds": seconds,
        "longest_run": one["straight"]["longest_run"],
        "checks": f"{checks['passed']}/{checks['total']}" if checks["total"] else "–",
        "again": "–" if again is None else f"{number(100 * again, 0)} %",
        "flags": [_(REASONS[flag["why"]]) for flag in one["flags"]],
    }
