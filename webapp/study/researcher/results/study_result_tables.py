"""Builds the tables and texts of a study's results page from the stored results."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from django.utils.translation import gettext as _

from webapp.statistics.comparison_design import ALPHA
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.results.campaign_result_tables import family_text
from webapp.study.results.campaign_tables import equivalence_cell
from webapp.study.results.result_table import (
    DASH,
    PAGE_FORMAT,
    Cell,
    Column,
    Data,
    Notes,
    ResultTable,
    Stat,
    figure_key,
    roles_figure_key,
    values_of_test,
)
from webapp.study.results.sections import MEASURE_LABELS, SECTION_TEXTS
from webapp.study.results.study_tables import FLOW_KEYS, clip_to_scale


def build_study_results(results: Data, figures: Collection[str]) -> dict[str, Any]:
    """Return the context of the page. `figures` are the keys of the stored figures."""
    items = {item["key"]: item for item in results["items"]}
    if results.get("by_itself"):
        items |= {
            key: {"label": label, "kind": ""}
            for key, label in LABELS["experiment_measures"].items()
        }
    sections = [
        _build_section(key, section, items, figures) for key, section in results["sections"].items()
    ]
    notes = Notes(PAGE_FORMAT)
    completers = _build_comparison_table("completers", results["completers"], items, notes)
    return {
        "totals": results["totals"],
        "told": results["told"],
        "flow": _build_flow(results["flow"], figures) if results["flow"] else None,
        "completers": completers if completers.rows else None,
        "sections": [section for section in sections if section["blocks"]],
        "left_out": [
            (LABELS["left_out"][key], count) for key, count in results["left_out"].items()
        ],
        "published": list(starmap(_build_published_table, enumerate(results["published"], 1))),
    }


def _build_flow(flow: Data, figures: Collection[str]) -> dict[str, Any]:
    """Return the flow of participants: counts, table, p of the test of attrition, figure."""
    head = (_("Condition"), _("Offered a seat"), _("Started a game"), _("Under way"),
            _("Finished"), _("Withdrew"), _("Excluded by you"), _("Games"),
            Column(_("Void games"), "quiet"))  # fmt: skip
    table = ResultTable("", head, key="flow")
    for row in flow["conditions"]:
        void = ", ".join(f"{n} × {reason or '?'}" for reason, n in row["void"].items()) or DASH
        table.add(row["condition"], *(row[key] for key in FLOW_KEYS), void)
    p_value = flow["attrition"]["value"]
    return {
        "before": [
            (_("agreed to take part"), flow["enrolled"]),
            (_("were screened out before any game"), flow["screened_out"]),
            (_("were not offered a seat"), flow["unassigned"]),
        ],
        "table": table,
        "p": "" if p_value is None else PAGE_FORMAT.p_value(p_value),
        "differs": p_value is not None and p_value < ALPHA,
        "figure": "flow" if "flow" in figures else "",
    }


def _build_section(
    key: str, section: Data, items: Data, figures: Collection[str]
) -> dict[str, Any]:
    """Return a section: title, help, blocks (tables, perhaps with a figure), notes."""
    notes = Notes(PAGE_FORMAT)
    blocks = [_build_block([_build_confusion_table(section.get("confusion", ()))])]
    lines_by_measure: dict[tuple[str, str], list[Data]] = {}
    for line in section["lines"]:
        lines_by_measure.setdefault((line["measure"], line["item"]), []).append(line)
    for (measure, item), lines in lines_by_measure.items():
        title, poles = _format_title(measure, item, items), _format_poles(items.get(item))
        tables = _build_estimate_tables(f"{key}-{len(blocks)}", title, poles, lines, notes)
        figure, role_figure = figure_key(key, measure, item), roles_figure_key(key, measure)
        tables[-1].figure = role_figure if role_figure in figures else ""
        blocks.append(_build_block(tables, figure if figure in figures else ""))
    choices = _build_choice_table(f"{key}-choices", section.get("choices", ()), items)
    comparisons = _build_comparison_table(f"{key}-compared", section["comparisons"], items, notes)
    blocks += [_build_block([choices]), _build_block([comparisons])]
    return {
        "key": key,
        "title": SECTION_TEXTS[key].title,
        "help": SECTION_TEXTS[key].help,
        "blocks": [block for block in blocks if any(table.rows for table in block["tables"])],
        "notes": notes.sentences,
    }


def _build_block(tables: Sequence[ResultTable], figure: str = "") -> dict[str, Any]:
    return {"title": tables[0].title, "tables": tables, "figure": figure}


def _format_title(measure: str, item: str, items: Data) -> str:
    """Return the label of the item, or of the measure with its variant."""
    if item in items:
        return str(items[item]["label"])
    name = str(MEASURE_LABELS.get(measure, measure))
    return f"{name}, {LABELS['variants'][item]}" if item in LABELS["variants"] else name


def _format_poles(item: Data | None) -> str:
    """Return the ends of a scale, "" for other items."""
    if not item or item["kind"] != "scale":
        return ""
    return f"{item['low']:g}: {item['low_pole']} … {item['high']:g}: {item['high_pole']}"


def _build_estimate_tables(
    key: str, title: str, poles: str, lines: Sequence[Data], notes: Notes
) -> list[ResultTable]:
    """Return the table of a measure, and a folded one for single teams and roles."""
    is_share = bool(lines[0]["share"])
    value_heads = ("%",) if is_share else (_("Mean"), "SD")
    head = (_("Of"), _("Condition"), "n", _("Games"), _("Groups"), *value_heads, _("95 % CI"))
    table = ResultTable(title, head, text_columns=2, notes=notes, key=key, help=poles)
    subgroup_table = replace(
        table, title=_("By team and by role"), key=f"{key}-parts", help="", folded=True, rows=[]
    )
    for line in sorted(lines, key=_is_of_subgroup):
        digits = 1 if is_share else SECTION_TEXTS[line["section"]].digits
        stat_names = ("value", "ci") if is_share else ("value", "sd", "ci")
        (subgroup_table if _is_of_subgroup(line) else table).add(
            _format_group(line["group"]),
            line["condition"] or _("all"),
            _("{part} of {n}").format(**line) if "part" in line else line["n"],
            line["games"],
            line["groups"],
            *(Stat(line[name], digits, is_percent=is_share) for name in stat_names),
        )
    for published in lines[0].get("published", ()):
        table.add(*_published_cells(published, len(value_heads)), style="is-published")
    if not table.rows:  # in an experiment, every line belongs to a team or a role
        return [replace(subgroup_table, title=title, help=poles, key=key, folded=False)]
    return [table, subgroup_table] if subgroup_table.rows else [table]


def _published_cells(published: Data, value_count: int) -> tuple[Any, ...]:
    """Return the cells of a published estimate. The table has `value_count` columns of values."""
    labels = LABELS["published"]
    label = str(labels.get(published["what"], labels["model"])).format(**published)
    name = Cell(_("Published: {what}").format(what=label), span=2)
    n = published["n"]
    if published["n_is"]:
        n = str(LABELS["published_n"][published["n_is"]]).format(n=n)
    return name, n, Cell(span=2), f"{published['value']:.3f}", Cell(span=value_count)


def _is_of_subgroup(line: Data) -> bool:
    return "/" in line["group"]


def _format_group(group: str) -> str:
    kind, _slash, subgroup = group.partition("/")
    name = str(LABELS["groups"].get(kind, kind)) or _("everyone")
    group_kind, _colon, key = subgroup.partition(":")
    texts = {"team": _("{who}, team {key}"), "role": _("{who} as {key}")}
    return texts[group_kind].format(who=name, key=key) if subgroup else name


def _build_comparison_table(
    key: str, comparisons: Sequence[Data], items: Data, notes: Notes
) -> ResultTable:
    """Return the comparisons, with equivalence tests if any has a margin."""
    has_margin = any("equivalence" in comparison for comparison in comparisons)
    head = [_("Measure"), _("Condition"), _("Difference"), _("Planned"), _("Design"),
            _("Games or groups"), _("Mean"), _("95 % CI"), _("Test"), "p",
            _("p (Holm)")]  # fmt: skip
    head += [_("Equivalent within")] * has_margin
    table = ResultTable(_("Compared"), head, text_columns=5, notes=notes, key=key)
    for comparison in comparisons:
        sides = (LABELS["groups"].get(side, side) for side in (comparison["b"], comparison["a"]))
        reason_keys = [*comparison["care"], *filter(None, [comparison["population"]])]
        table.add(
            _format_comparison(comparison, items),
            comparison["condition"] or _("all"),
            Cell(" − ".join(map(str, sides)), notes.explain(*reason_keys)),
            family_text(comparison),
            _format_design(comparison),
            f"{comparison['n_a']}, {comparison['n_b']}" if "n_a" in comparison else comparison["n"],
            *values_of_test(clip_to_scale(comparison), 3, no_p="")[:-2],
            *[equivalence_cell(comparison)] * has_margin,
        )
    return table


def _format_comparison(comparison: Data, items: Data) -> str:
    """Return the label of the compared item or measure, with its team or role if it has one."""
    if comparison["of"] != "condition":
        text = _("{what}: people and computer players")
        return text.format(what=MEASURE_LABELS[comparison["measure"]])
    title = _format_title(comparison["measure"], comparison["item"], items)
    if not _is_of_subgroup(comparison):
        return title
    return _("{what}: {who}").format(what=title, who=_format_group(comparison["group"]))


def _format_design(comparison: Data) -> str:
    designs = {"paired": _("paired"), "unpaired": _("unpaired")}
    units = {"game": _("by game"), "deal": _("by deal or person")}
    return f"{designs.get(comparison['design'], DASH)} {units.get(comparison['by'], '')}"


def _build_confusion_table(rows: Iterable[Data]) -> ResultTable:
    """Return the guesses about seats, by the true kind of their players."""
    head = (_("Actual kind"), _("Condition"), _("a person"), _("a computer player"),
            _("can’t tell"), _("Identified as human, %"))  # fmt: skip
    table = ResultTable(_("Seats identified as …"), head, text_columns=2, key="confusion")
    for row in rows:
        person, computer = row["person"], row["computer"]
        guesses = person + computer
        share = PAGE_FORMAT.number(100 * person / guesses, 1) if guesses else DASH
        labels = (str(LABELS["groups"][row["truth"]]), row["condition"] or _("all"))
        table.add(*labels, person, computer, row["unsure"], share)
    return table


def _build_choice_table(key: str, rows: Iterable[Data], items: Data) -> ResultTable:
    head = (_("Question"), _("Condition"), _("Participants"), Column(_("Chosen")))
    table = ResultTable(_("Choices"), head, text_columns=2, key=key)
    for row in (row for row in rows if row["people"]):
        item = items[row["item"]]
        texts = (f"{item['options'].get(key, key)}: {count}" for key, count in row["counts"])
        table.add(item["label"], row["condition"] or _("all"), row["people"], " · ".join(texts))
    return table


def _build_published_table(number: int, results: Data) -> ResultTable:
    """Return the table of an evaluation in the papers, as printed there."""
    title = f"{results['paper']}, {results['table']}: {results['what']}"
    head = (_("System"), *results["columns"])
    table = ResultTable(title, head, key=f"published-{number}", folded=True)
    for row in results["rows"]:
        table.add(row["row"], *row["cells"], style="is-published")
    return table
