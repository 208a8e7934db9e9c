"""The results as CSV, for programs, and as tables for a paper: Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.study.outcomes.sections import ALL
from webapp.study.statistics.outcomes import REASONS
from webapp.study.statistics.tables import DASH, ResultTable, chance, latex_of, markdown_of, size

ESTIMATES = ("section", "measure", "item", "group", "condition", "n", "part", "people", "games",
             "groups", "value", "sd", "low", "high", "method", "why", "care")  # fmt: skip
COMPARISONS = ("section", "measure", "item", "group", "condition", "of", "a", "b", "design", "by",
               "n", "difference", "low", "high", "test", "statistic", "p", "p_holm", "effect",
               "why", "why_no_interval", "care")  # fmt: skip
TITLES = {
    "guesses": "Who was taken for what",
    "questionnaires": "Questionnaires",
    "endings": "Wins and survival",
    "votes": "Vote accuracy",
    "leadership": "Ratio, DC and correlation",
}


def estimates(found: Mapping[str, Any]) -> list[list[Any]]:
    """A row of ESTIMATES for each line of the results; all conditions together: "all"."""
    rows = []
    for section in found["sections"].values():
        for line in section["lines"]:
            low, high = line["ci"]["value"] or (None, None)
            why = line["value"].get("why") or line["ci"].get("why", "")
            rows.append(
                [
                    *(line[k] for k in ESTIMATES[:4]), line["condition"] or "all", line["n"],
                    line.get("part"), line["people"], line["games"], line["groups"],
                    line["value"]["value"], line["sd"]["value"], low, high,
                    line["ci"].get("method", "") if low is not None else "", why,
                    "; ".join(line["ci"].get("care", ())),
                ]
            )  # fmt: skip
    return rows


def comparisons(found: Mapping[str, Any]) -> list[list[Any]]:
    """A row of COMPARISONS for each test."""
    rows = []
    for section in found["sections"].values():
        for one in section["comparisons"]:
            interval = one["difference"].get("ci") or {}
            low, high = interval.get("value") or (None, None)
            test = one["test"]
            rows.append(
                [
                    *(one[k] for k in COMPARISONS[:4]), one["condition"] or "all", one["of"],
                    one["a"], one["b"], one["design"], one["by"], one["n"],
                    one["difference"]["value"], low, high, test.get("name"), test["value"],
                    test.get("p", {}).get("value"), test.get("p_holm", {}).get("value"),
                    one["effect"]["value"], test.get("why", ""), interval.get("why", ""),
                    "; ".join([*one["care"], *interval.get("care", ())]),
                ]
            )  # fmt: skip
    return rows


def latex(found: Mapping[str, Any]) -> str:
    """Needs the package booktabs."""
    return "\n".join(map(latex_of, tables(found)))


def markdown(found: Mapping[str, Any]) -> str:
    return "\n".join(map(markdown_of, tables(found)))


def tables(found: Mapping[str, Any]) -> list[ResultTable]:
    """Two a section: estimates and comparisons; sections with nothing are left out."""
    made = []
    for key, section in found["sections"].items():
        if section["lines"]:
            made.append(_estimates(TITLES[key], section))
        if section["comparisons"]:
            made.append(_comparisons(f"{TITLES[key]}: compared", section))
    return made


def _estimates(title: str, section: Mapping[str, Any]) -> ResultTable:
    head = ("Measure", "Item", "Of", "Condition", "n", "Games", "Groups", "Mean", "SD", "95% CI")
    table = ResultTable(title, head, numeric=4)
    for line in section["lines"]:
        of = (line["measure"], line["item"] or DASH, line["group"] or DASH)
        counts = (str(line["n"]), str(line["games"]), str(line["groups"] or DASH))
        figures = [table.number(line[name], 3) for name in ("value", "sd", "ci")]
        table.rows.append((*of, _condition(line), *counts, *figures))
        for one in line.get("published", ()) if line["condition"] == ALL else ():
            source = f"Published, {one['what']} ({one['paper']}, {one['table']})"
            blank = (DASH, DASH)
            value = f"{one['value']:.3f}"
            n = " ".join(filter(None, (one["n_is"], str(one["n"]))))
            table.rows.append((of[0], one["variant"], of[2], source, n, *blank, value,
                               *blank))  # fmt: skip
    table.note(
        "Mean: over games. CI: over groups of games that share a deal or a person; of shares by"
        " Korn and Graubard, else by t."
    )
    return table


def _comparisons(title: str, section: Mapping[str, Any]) -> ResultTable:
    head = ("Measure", "Item", "Condition", "Pair", "Design", "n", "Difference", "95% CI", "Test",
            "p", "p (Holm)", "r")  # fmt: skip
    table = ResultTable(title, head, numeric=5)
    for one in section["comparisons"]:
        test, difference = one["test"], one["difference"]
        statistic = table.number(test, 1)
        p = [chance(test[name]) if name in test else DASH for name in ("p", "p_holm")]
        table.rows.append(
            (
                one["measure"], one["item"] or DASH, _condition(one), f"{one['b']} − {one['a']}",
                f"{one['design']} by {one['by']}" if one["design"] else DASH, size(one),
                table.number(difference, 3), table.number(difference.get("ci", difference), 3),
                f"{test['statistic']} = {statistic}" if "statistic" in test else statistic, *p,
                table.number(one["effect"], 2),
            )
        )  # fmt: skip
        for key in one["care"]:
            table.note(REASONS[key])
    return table


def _condition(line: Mapping[str, Any]) -> str:
    return str(line["condition"]) or "all"
