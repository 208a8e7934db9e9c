"""The tables and texts of a study's results page, from the stored results; no computation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.statistics.comparison_design import ALPHA
from webapp.study.researcher.results.campaign_result_tables import PAGE, family_text
from webapp.study.results.campaign_tables import equivalence_cell
from webapp.study.results.result_table import (
    DASH,
    Cell,
    Column,
    Notes,
    ResultTable,
    Stat,
    figure_key,
    roles_figure_key,
    values_of_test,
)
from webapp.study.results.study_tables import FLOW_KEYS, clip_to_scale

Line = Mapping[str, Any]

TITLES = {
    "guesses": gettext_lazy("Who was taken for what"),
    "questionnaires": gettext_lazy("Questionnaires"),
    "endings": gettext_lazy("Winning, and staying in the game"),
    "votes": gettext_lazy("Votes for the right one"),
    "leadership": gettext_lazy("The Sheriff’s lead"),
}
HELP = {
    "guesses": gettext_lazy(
        "Of each guess whether it was right. “I can’t tell” counts apart, and so do guesses about"
        " somebody for whom a computer player stood in."
    ),
    "questionnaires": gettext_lazy("Answers that were handed in, or stood when the time was over."),
    "endings": gettext_lazy("Shares of seats. A seat at which somebody was stood in for is left"
                            " out."),
    "votes": gettext_lazy(
        "Of those who want somebody out: how many of their votes in the last ballot of a day named"
        " one of these. Nobody’s votes, and those that were drawn for somebody, are left out."
    ),
    "leadership": gettext_lazy(
        "Ratio and DC as the Helmsman paper has them: of the person on days when another was the"
        " Sheriff, of the computer players on days when the person was."
    ),
}  # fmt: skip
MEASURES = {
    "right": gettext_lazy("Guessed right"),
    "unsure": gettext_lazy("Can’t tell"),
    "sure": gettext_lazy("How sure they were"),
    "told_apart": gettext_lazy("Taken for a person"),
    "won": gettext_lazy("Won"),
    "survived": gettext_lazy("In the game at its end"),
    "accurate": gettext_lazy("Votes for the right one"),
    "ratio": gettext_lazy("Ratio"),
    "dc": gettext_lazy("DC, decisions changed"),
    "correlation": gettext_lazy("Correlation of scores, people and computer players"),
}
VARIANTS = {
    "person": gettext_lazy("of the person"),
    "others": gettext_lazy("of the computer players, the person being Sheriff"),
    "over_others": gettext_lazy("of the computer players, over the others"),
    "over_living": gettext_lazy("of the computer players, over all living"),
    "pooled_mean": gettext_lazy("all targets together, with the mean of the computer players"),
    "pooled_single": gettext_lazy("all pairs of scores together, each computer player by itself"),
    "pooled": gettext_lazy("all pairs of scores together"),  # results before November 2026
    "program": gettext_lazy("as the authors’ program has it: a mean over rows of scores"),
}
# Titles and help of an experiment, in which no person is the Sheriff.
BY_ITSELF = {
    "others": gettext_lazy("Ratio, of the others"),
    "over_others": gettext_lazy("DC, decisions changed, over the others"),
    "over_living": gettext_lazy("DC, decisions changed, over all living"),
}
HELP_BY_ITSELF = {
    "leadership": gettext_lazy("Ratio and DC as the Helmsman paper has them, on all days."),
}
GROUPS = {
    "person": gettext_lazy("people"),
    "computer": gettext_lazy("computer players"),
    "unsure": gettext_lazy("can’t tell"),
    "right": gettext_lazy("when right"),
    "wrong": gettext_lazy("when wrong"),
}
PUBLISHED = {
    "person": gettext_lazy("Helmsman’s human evaluation, {table}"),
    "baseline": gettext_lazy("Helmsman’s human baseline, {table}"),
    "simulation": gettext_lazy("Helmsman’s simulation without people (GLM-3), {table}"),
}
PUBLISHED_MODEL = gettext_lazy("{what} in Helmsman, {table}")
N_IS = {"about": gettext_lazy("about {n}"), "planned": gettext_lazy("{n} planned")}
LEFT_OUT = {
    "void_games": gettext_lazy("games that became void: in nothing"),
    "excluded": gettext_lazy("people left out by you: their answers and seats, in nothing"),
    "withdrew": gettext_lazy("people who took their answers back: likewise"),
    "no_game": gettext_lazy("people who played no game that counts"),
    "stood_in_seats": gettext_lazy("seats for which a computer player stood in: of neither kind"),
    "guesses_of_stood_in": gettext_lazy("guesses about those seats"),
    "guesses_without_a_choice": gettext_lazy("guesses of which only the scale beside was answered"),
    "answers_of_excluded": gettext_lazy("answers of people left out"),
    "answers_of_void_games": gettext_lazy("answers about void games"),
    "answers_not_handed_in": gettext_lazy("answers that were not handed in"),
    "answers_without_a_game": gettext_lazy("answers of people without a game that counts"),
    "drawn_votes": gettext_lazy("votes that were drawn, as time was over or no answer came"),
    "abstentions": gettext_lazy("votes for nobody"),
    "games_nobody_won": gettext_lazy("games that nobody won: in no share of wins"),
    "ended_before_a_vote": gettext_lazy("games that ended before anybody voted: without a Ratio"),
}
DIGITS = {"leadership": 3}


def study_results(results: Mapping[str, Any], figures: Collection[str]) -> dict[str, Any]:
    """Return the content of the page."""
    labels = {item["key"]: item for item in results["items"]}
    if results.get("by_itself"):
        labels |= {key: {"label": label, "kind": ""} for key, label in BY_ITSELF.items()}
    sections = [_section(key, part, labels, figures) for key, part in results["sections"].items()]
    if results.get("by_itself"):
        for one in sections:
            one["help"] = HELP_BY_ITSELF.get(one["key"], one["help"])
    return {
        "totals": results["totals"],
        "told": results["told"],
        "flow": _flow(results["flow"], figures) if results["flow"] else None,
        "completers": _completers(results["completers"], labels),
        "sections": [one for one in sections if one["blocks"]],
        "left_out": [(LEFT_OUT[key], n) for key, n in results["left_out"].items()],
        "published": [_published(*numbered) for numbered in enumerate(results["published"], 1)],
    }


def _flow(flow: Mapping[str, Any], figures: Collection[str]) -> dict[str, Any]:
    """Return the flow of participants: table, numbers before it, p of attrition, figure."""
    head = (_("Condition"), _("Offered a seat"), _("Began a game"), _("Under way"),
            _("Came to the end"), _("Took it back"), _("Left out by you"), _("Games"),
            Column(_("Void games"), "quiet"))  # fmt: skip
    table = ResultTable("", head, key="flow")
    for row in flow["conditions"]:
        void = ", ".join(f"{n} × {why or '?'}" for why, n in row["void"].items()) or DASH
        table.add(row["condition"], *(row[key] for key in FLOW_KEYS), void)
    return {
        "before": [
            (_("agreed to take part"), flow["enrolled"]),
            (_("were screened out before any game"), flow["screened_out"]),
            (_("were offered no seat"), flow["unassigned"]),
        ],
        "table": table,
        "p": PAGE.p_value(flow["attrition"]["value"]) if flow["attrition"]["value"] else "",
        "differs": (flow["attrition"]["value"] or 1) < ALPHA,
        "figure": "flow" if "flow" in figures else "",
    }


def _completers(comparisons: Sequence[Line], labels: Mapping[str, Any]) -> ResultTable | None:
    """Return the comparisons among those who came to the end, none where they are the same."""
    table = _comparisons("completers", comparisons, labels, Notes(PAGE))
    return table if table.rows else None


def _section(
    key: str, part: Mapping[str, Any], labels: Mapping[str, Any], figures: Collection[str]
) -> dict[str, Any]:
    """Return the blocks of a section (tables, perhaps with a figure) and its notes."""
    notes = Notes(PAGE)
    blocks = [_block([_confusion(part.get("confusion", ()))])]
    for measure, item in dict.fromkeys((ln["measure"], ln["item"]) for ln in part["lines"]):
        lines = [ln for ln in part["lines"] if (ln["measure"], ln["item"]) == (measure, item)]
        of = (f"{key}-{len(blocks)}", _title(measure, item, labels), _poles(labels.get(item)))
        figure, by_role = figure_key(key, measure, item), roles_figure_key(key, measure)
        tables = _estimates(*of, lines, notes)
        tables[-1].figure = by_role if by_role in figures else ""
        blocks.append(_block(tables, figure if figure in figures else ""))
    blocks.append(_block([_choices(f"{key}-choices", part.get("choices", ()), labels)]))
    compared = _comparisons(f"{key}-compared", part["comparisons"], labels, notes)
    blocks.append(_block([compared]))
    return {
        "key": key,
        "title": TITLES[key],
        "help": HELP[key],
        "blocks": [block for block in blocks if any(table.rows for table in block["tables"])],
        "notes": notes.sentences,
    }


def _block(tables: Sequence[ResultTable], figure: str = "") -> dict[str, Any]:
    return {"title": tables[0].title, "tables": tables, "figure": figure}


def _title(measure: str, item: str, labels: Mapping[str, Any]) -> str:
    if item in labels:
        return str(labels[item]["label"])
    name = str(MEASURES.get(measure, measure))
    return f"{name}, {VARIANTS[item]}" if item in VARIANTS else name


def _poles(item: Mapping[str, Any] | None) -> str:
    if not item or item["kind"] != "scale":
        return ""
    return f"{item['low']:g}: {item['low_pole']} … {item['high']:g}: {item['high_pole']}"


def _estimates(
    key: str, title: str, poles: str, lines: Sequence[Line], notes: Notes
) -> list[ResultTable]:
    """Return the table of a measure's estimates, and a folded one for single teams and roles."""
    share = bool(lines[0]["share"])
    of_value = ("%",) if share else (_("Mean"), "SD")
    head = (_("Of"), _("Condition"), "n", _("Games"), _("Groups"), *of_value, _("95 % CI"))
    table = ResultTable(title, head, 2, notes, key, help=poles)
    parts = ResultTable(_("By team and by role"), head, 2, notes, f"{key}-parts", folded=True)
    for line in sorted(lines, key=_is_part):
        digits = 1 if share else DIGITS.get(line["section"], 2)
        names = ("value", "ci") if share else ("value", "sd", "ci")
        (parts if _is_part(line) else table).add(
            _group(line["group"]),
            line["condition"] or _("all"),
            _("{part} of {n}").format(**line) if "part" in line else line["n"],
            line["games"],
            line["groups"],
            *(Stat(line[name], digits, percent=share) for name in names),
        )
    for one in lines[0].get("published", ()):
        label = str(PUBLISHED.get(one["what"], PUBLISHED_MODEL)).format(**one)
        name = Cell(_("Published: {what}").format(what=label), span=2)
        n = str(N_IS[one["n_is"]]).format(n=one["n"]) if one["n_is"] else one["n"]
        value, last = f"{one['value']:.3f}", Cell(span=len(of_value))
        table.add(name, n, Cell(span=2), value, last, style="is-published")
    if not table.rows:  # an experiment: every line is of a team or a role
        return [replace(parts, title=title, help=poles, key=key, folded=False)]
    return [table, parts] if parts.rows else [table]


def _is_part(line: Line) -> bool:
    """Return whether the line is of a single team or role."""
    return "/" in line["group"]


def _group(group: str) -> str:
    kind, _slash, part = group.partition("/")
    name = str(GROUPS.get(kind, kind)) or _("everybody")
    group_kind, _colon, key = part.partition(":")
    texts = {"team": _("{who}, team {key}"), "role": _("{who} as {key}")}
    return texts[group_kind].format(who=name, key=key) if part else name


def _comparisons(
    key: str, comparisons: Iterable[Line], labels: Mapping[str, Any], notes: Notes
) -> ResultTable:
    rows = list(comparisons)
    has_margin = any("equivalence" in one for one in rows)
    head = [_("What"), _("Condition"), _("Difference"), _("Planned"), _("Design"),
            _("Games or groups"), _("Mean"), _("95 % CI"), _("Test"), "p",
            _("p (Holm)")]  # fmt: skip
    head += [_("Equivalent within")] * has_margin
    table = ResultTable(_("Compared"), head, 5, notes, key)
    for one in rows:
        by = {"game": _("by game"), "deal": _("by deal or person")}.get(one["by"] or "", "")
        paired = {"paired": _("paired"), "unpaired": _("unpaired")}.get(one["design"] or "", DASH)
        pair = " − ".join(str(GROUPS.get(side, side)) for side in (one["b"], one["a"]))
        label = _title(one["measure"], one["item"], labels)
        if one["of"] != "condition":
            label = _("{what}: people and computer players").format(what=MEASURES[one["measure"]])
        elif _is_part(one):
            label = _("{what}: {who}").format(what=label, who=_group(one["group"]))
        table.add(
            label,
            one["condition"] or _("all"),
            Cell(pair, notes.explain(*one["care"], *filter(None, [one["population"]]))),
            family_text(one),
            f"{paired} {by}",
            f"{one['n_a']}, {one['n_b']}" if "n_a" in one else one["n"],
            *values_of_test(clip_to_scale(one), 3, no_p="")[:-2],
            *[equivalence_cell(one)] * has_margin,
        )
    return table


def _confusion(rows: Iterable[Mapping[str, Any]]) -> ResultTable:
    head = (_("Who they were"), _("Condition"), _("a person"), _("a computer player"),
            _("can’t tell"), _("Taken for a person, %"))  # fmt: skip
    table = ResultTable(_("Seats taken for …"), head, 2, key="confusion")
    for row in rows:
        person, computer = row["person"], row["computer"]
        guesses = person + computer
        share = PAGE.number(100 * person / guesses, 1) if guesses else DASH
        of = (str(GROUPS[row["truth"]]), row["condition"] or _("all"))
        table.add(*of, person, computer, row["unsure"], share)
    return table


def _choices(key: str, rows: Iterable[Mapping[str, Any]], labels: Mapping[str, Any]) -> ResultTable:
    head = (_("Question"), _("Condition"), _("People"), Column(_("Chosen")))
    table = ResultTable(_("Choices"), head, 2, key=key)
    for row in (row for row in rows if row["people"]):
        item = labels[row["item"]]
        counts = (f"{item['options'].get(choice, choice)}: {n}" for choice, n in row["counts"])
        table.add(item["label"], row["condition"] or _("all"), row["people"], " · ".join(counts))
    return table


def _published(number: int, results: Mapping[str, Any]) -> ResultTable:
    """Return the table of another evaluation in the papers, as printed."""
    title = f"{results['paper']}, {results['table']}: {results['what']}"
    head = (_("System"), *results["columns"])
    table = ResultTable(title, head, key=f"published-{number}", folded=True)
    for row in results["rows"]:
        table.add(row["row"], *row["cells"], style="is-published")
    return table
