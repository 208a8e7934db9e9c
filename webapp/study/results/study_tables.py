"""A study's results as rows of CSV files, and as tables for a paper."""

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

from webapp.study.results.campaign_tables import (
    COMPARISON_HEADERS,
    EFFECT_NOTE,
    FAMILY_NOTE,
    add_comparison,
)
from webapp.study.results.result_table import CONDITION, DASH, Data, ResultTable, Stat, select_stats
from webapp.study.results.sections import ALL_CONDITIONS, SECTION_TEXTS
from webapp.study.results.study_rows import ACCURATE, COMPUTER, WON

ESTIMATE_COLUMNS = (
    "section", "measure", "item", "group", "condition", "n", "part", "people", "games", "groups",
    "value", "sd", "low", "high", "method", "why", "care",
)  # fmt: skip
COMPARISON_COLUMNS = (
    "section", "measure", "item", "group", "condition", "of", "a", "b", "design", "by", "n",
    "difference", "low", "high", "test", "statistic", "p", "p_holm", "effect", "effect_low",
    "effect_high", "population", "why", "why_no_interval", "care", "family", "margin",
    "p_equivalence",
)  # fmt: skip
# Fields of `FlowRow`, in the order of the columns of the flow of participants.
FLOW_KEYS = ("assigned", "started", "under_way", "completed", "withdrew", "excluded", "games")
HELP_COMPARED = (
    "The second condition minus the first. A p (Holm) below the level means a significant "
    "difference; the interval shows how large it may be."
)
TEST_NOTE = (
    "W: Wilcoxon's signed-rank statistic; differences of zero are ranked, too (Pratt), but have no "
    "part in the effect. B: Brunner and Munzel's statistic. The interval of a difference is by t, "
    "that of a difference of shares cut at -1 and 1 (comparisons.csv has it uncut)."
)


def estimate_rows(results: Data) -> Iterator[list[Any]]:
    """Yield the cells of ESTIMATE_COLUMNS for each line of the results."""
    for line in _collect(results, "lines"):
        interval = line["ci"]
        low, high = interval["value"] or (None, None)
        cells = {
            **line, "condition": line["condition"] or "all", "part": line.get("part"),
            "value": line["value"]["value"], "sd": line["sd"]["value"], "low": low, "high": high,
            "method": "" if low is None else interval.get("method", ""),
            "why": line["value"].get("why") or interval.get("why", ""),
            "care": "; ".join(interval.get("care", ())),
        }  # fmt: skip
        yield [cells[column] for column in ESTIMATE_COLUMNS]


def comparison_rows(results: Data) -> Iterator[list[Any]]:
    """Yield the cells of COMPARISON_COLUMNS for each test."""
    for comparison in _collect(results, "comparisons"):
        difference, test, effect = (comparison[key] for key in ("difference", "test", "effect"))
        interval = difference.get("ci") or {}
        low, high = interval.get("value") or (None, None)
        effect_low, effect_high = (effect.get("ci") or {}).get("value") or (None, None)
        equivalence = comparison.get("equivalence", {})
        cells = {
            **comparison, "condition": comparison["condition"] or "all",
            "difference": difference["value"], "low": low, "high": high,
            "test": test.get("name"), "statistic": test["value"],
            "p": test.get("p", {}).get("value"), "p_holm": test.get("p_holm", {}).get("value"),
            "effect": effect["value"], "effect_low": effect_low, "effect_high": effect_high,
            "why": test.get("why", ""), "why_no_interval": interval.get("why", ""),
            "care": "; ".join([*comparison["care"], *interval.get("care", ())]),
            "family": comparison.get("family", ""),
            "margin": equivalence.get("margin"), "p_equivalence": equivalence.get("value"),
        }  # fmt: skip
        yield [cells[column] for column in COMPARISON_COLUMNS]


def _collect(results: Data, key: str) -> Iterator[Data]:
    """Yield the "lines" or the "comparisons" of all sections."""
    return chain.from_iterable(section[key] for section in results["sections"].values())


def study_tables(results: Data) -> list[ResultTable]:
    """Return the flow, then estimates and comparisons of each section that has any."""
    tables = [_flow_table(results["flow"])] if results["flow"] else []
    for key, section in results["sections"].items():
        if section["lines"]:
            tables.append(_estimate_table(key, section))
        if section["comparisons"]:
            tables.append(_comparison_table(key, f"{SECTION_TEXTS[key].title}: compared", section))
    if results["completers"]:
        title = "Comparisons of completers only"
        section = {"comparisons": results["completers"]}
        tables.append(_comparison_table("completers", title, section))
    return tables


def _flow_table(flow: Data) -> ResultTable:
    head = ("Condition", "Assigned", "Started", "Under way", "Completed", "Withdrew", "Excluded",
            "Games", "Void games")  # fmt: skip
    table = ResultTable("Flow of participants", head, key="flow", figure="flow")
    for row in flow["conditions"]:
        table.add(row["condition"], *(row[key] for key in FLOW_KEYS), sum(row["void"].values()))
        table.note(*(f"{row['condition']}, void: {n} × {why}" for why, n in row["void"].items()))
    table.note(
        f"Enrolled: {flow['enrolled']}; screened out: {flow['screened_out']}; offered no seat: "
        f"{flow['unassigned']}."
    )
    if (p := flow["attrition"]["value"]) is not None:
        table.note(f"Difference of attrition between conditions: p = {p:.3f} (Fisher).")
    return table


def _estimate_table(key: str, section: Data) -> ResultTable:
    texts = SECTION_TEXTS[key]
    head = ("Measure", "Item", "Of", "Condition", "n", "Games", "Groups", "Mean", "SD", "95% CI")
    table = ResultTable(str(texts.title), head, text_columns=4, key=key, help=str(texts.help))
    kinds = {line["group"].partition("/")[0] for line in section["lines"]}
    for line in section["lines"]:
        measure, group = line["measure"], _group_label(line["group"], kinds)
        counts = (line["n"], line["games"], line["groups"] or DASH)
        labels = (measure, line["item"] or DASH, group, line["condition"] or "all")
        table.add(*labels, *counts, *select_stats(line, "value", "sd", "ci", digits=3))
        for figure in line.get("published", ()) if line["condition"] == ALL_CONDITIONS else ():
            source = f"Published, {figure['what']} ({figure['paper']}, {figure['table']})"
            n = " ".join(filter(None, (figure["n_is"], str(figure["n"]))))
            value = f"{figure['value']:.3f}"
            table.add(measure, figure["variant"], group, source, n, DASH, DASH, value, DASH, DASH)
    table.drop_empty_columns("Item", "Of")
    table.note(
        "Mean: over games. CI: over groups of games that share a deal or a person; of shares by"
        " Korn and Graubard, else by t."
    )
    return table


def _comparison_table(key: str, title: str, section: Data) -> ResultTable:
    head = ("Measure", "Item", "Of", "Condition", "Family", *COMPARISON_HEADERS)
    table = ResultTable(title, head, text_columns=7, key=f"{key}-compared", help=HELP_COMPARED)
    kinds = {comparison["group"].partition("/")[0] for comparison in section["comparisons"]}
    for comparison in section["comparisons"]:
        measure, item, group = (comparison[key] for key in ("measure", "item", "group"))
        condition, family = comparison["condition"] or "all", comparison.get("family", DASH)
        labels = (measure, item or DASH, _group_label(group, kinds), condition, family)
        add_comparison(table, labels, clip_to_scale(comparison), digits=3)
    table.note(TEST_NOTE, EFFECT_NOTE, FAMILY_NOTE)
    table.drop_empty_columns("Item", "Of", "Equivalent within")
    return table


def _group_label(group: str, kinds: Collection[str]) -> str:
    """Return a label such as "person, team village" for "person/team:village".

    Args:
        kinds: All kinds of the table. The label has no kind if all players are computer players.
    """
    kind, _slash, subset = group.partition("/")
    kind = "" if kinds == {COMPUTER} else kind
    return ", ".join(filter(None, (kind, subset.replace(":", " ")))) or DASH


def clip_to_scale(comparison: Data) -> dict[str, Any]:
    """Return the comparison. The interval of a difference of shares is cut at -1 and 1."""
    interval = comparison["difference"].get("ci") or {}
    if not comparison.get("share") or not interval.get("value"):
        return dict(comparison)
    low, high = interval["value"]
    clipped = {**interval, "value": [max(-1.0, low), min(1.0, high)]}
    return {**comparison, "difference": {**comparison["difference"], "ci": clipped}}


def summary_table(results: Data) -> ResultTable:
    """Return an experiment's wins and correct votes by condition, and its significant tests."""
    values = {}  # (team or "" for votes, condition) -> value
    for line in _collect(results, "lines"):
        if line["measure"] in (WON, ACCURATE):
            team = line["group"].partition("team:")[2]
            values[team, line["condition"]] = Stat(line["value"], 1, is_percent=True)
    teams = list(dict.fromkeys(team for team, _condition in values if team))
    head = [CONDITION, "Games", *(f"{team.capitalize()} won, %" for team in teams)]
    has_votes = any(not team for team, _condition in values)
    head += ["Right votes, %"] * has_votes
    table = ResultTable("In short", head, key="summary")
    counts, keys = results["totals"]["by_condition"], [*teams, *[""] * has_votes]
    for name, games in counts.items():
        condition = name if len(counts) > 1 else ALL_CONDITIONS
        table.add(name, games, *(values.get((key, condition), DASH) for key in keys))
    table.note(*_significance_notes(results))
    if has_votes:
        table.note(
            "Right votes: of votes by players whose team wins by the exile of a Werewolf, those"
            " for a Werewolf."
        )
    return table


def _significance_notes(results: Data) -> Iterator[str]:
    """Yield sentences on the tests that are significant after Holm's adjustment."""
    tested = [c for c in _collect(results, "comparisons") if "p_holm" in c["test"]]
    if not tested:
        return
    settings = results["settings"]
    levels = {"confirmatory": settings["alpha_planned"], "exploratory": settings["alpha"]}
    significant = [c for c in tested if c["test"]["p_holm"]["value"] < levels[c["family"]]]
    yield (
        f"Tests of two conditions: {len(tested)}. Established after Holm's adjustment:"
        f" {len(significant)}. A difference that is not established may still exist: few games find"
        " only large ones."
    )
    for comparison in significant:
        group = _group_label(comparison["group"], {COMPUTER})
        parts = (comparison["measure"], comparison["item"], group if group != DASH else "")
        label = f"{comparison['b']} − {comparison['a']}, {' '.join(filter(None, parts))}"
        p = comparison["test"]["p_holm"]["value"]
        difference = comparison["difference"]["value"]
        yield f"{label}: {difference:+.3f}, p (Holm) {p:.3f}, {comparison['family']}."
