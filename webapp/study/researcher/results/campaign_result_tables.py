"""Builds the tables and texts of a campaign's results page from the stored statistics."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.statistics.reported_statistics import REASONS
from webapp.study.results.campaign_tables import (
    DIFFERENCE_NOTE,
    EFFECT_NOTE,
    PUBLISHED_NOTE,
    VARIANT_LABELS,
    equivalence_cell,
    values_of_variant,
)
from webapp.study.results.published_means import (
    PublishedMeans,
    format_published_means,
    is_comparable,
)
from webapp.study.results.result_table import (
    DASH,
    PAGE_FORMAT,
    Cell,
    Column,
    Data,
    Notes,
    ResultTable,
    Stat,
    select_stats,
    values_of_test,
)


def build_campaign_results(results: Data, published: PublishedMeans | None) -> dict[str, Any]:
    """Return the context of the page, with the published figures of a paper, if any."""
    turns = results["selection"]["conditions"]
    return {
        "totals": results["totals"],
        "missing": _format_missing(results["missing"]),
        "warnings": [_(REASONS[key]) for key in results["totals"].get("care", ())],
        "items": [_build_item(dimension, published) for dimension in results["dimensions"]],
        "turns": _build_turn_table(turns) if turns else None,
        "turns_failed": any(row["failed"] for row in turns),
        "turns_unrevealed": sum(row["untold"] for row in turns),
        "raters": _build_rater_table(results["raters"]),
        "sensitivity": _build_sensitivity_table(results),
        "published": published,
    }


def _build_item(dimension: Data, published: PublishedMeans | None) -> dict[str, Any]:
    notes = Notes(PAGE_FORMAT)
    is_rated = any(row["n"] for row in dimension["conditions"])
    published_means = format_published_means(published, dimension["key"]) if published else []
    comparable = bool(published and is_comparable(published, dimension))
    # In the order of the page, because `notes` numbers its sentences as they are added.
    means = _build_mean_table(dimension, published_means if comparable else [], notes)
    agreement = list(_build_agreement_rows(dimension, notes)) if is_rated else []
    comparisons = _build_comparison_table(dimension, notes)
    return {
        "key": dimension["key"],
        "label": dimension["label"] or dimension["key"],
        "low": f"{dimension['min']}: {dimension['low_pole']}",
        "high": f"{dimension['max']}: {dimension['high_pole']}",
        "rank": dimension["rank"],
        "means": means,
        "elsewhere": [] if comparable else published_means,
        "middle": f"{(1 + dimension['max']) / 2:g}",
        "agreement": agreement,
        "comparisons": comparisons if comparisons.rows else None,
        "notes": notes.sentences,
    }


def _build_mean_table(
    dimension: Data, published: Iterable[tuple[str, str]], notes: Notes
) -> ResultTable:
    """Return the means of each condition, and below them the published means."""
    head = (_("Condition"), _("Ratings"), _("Units"), _("Games"), _("Raters"), _("Mean"),
            _("SD of ratings"), _("95 % CI"), Column(_("Missing"), "quiet"))  # fmt: skip
    table = ResultTable("", head, notes=notes, key=f"item-{dimension['key']}")
    for row in dimension["conditions"]:
        counts = (row[name] for name in ("n", "units", "games", "raters"))
        missing = _format_missing(row["missing"])
        table.add(row["condition"], *counts, *select_stats(row, "mean", "sd", "ci"), missing)
    for system, mean in published:
        text = _("Published: {system}").format(system=system)
        name = Cell(text, notes=(notes.add(_(PUBLISHED_NOTE)),))
        table.add(name, Cell(span=4), mean, Cell(span=3), style="is-published")
    return table


def _format_missing(result: Data) -> str:
    """Return the missing answers as text: "12 of 40 (30 %): 2 skipped, 10 not reached"."""
    share = result["share_missing"]
    if share["value"] is None:
        return DASH
    if not share["part"]:
        return _("none of {whole}").format(whole=share["whole"])
    names = {"skipped": _("skipped"), "not_reached": _("not reached"), "timed_out": _("timed out")}
    text = _("{part} of {whole} ({percent}): {parts}")
    percent, parts = _format_percent(share["value"], 1), _format_counts(result, names)
    return text.format(part=share["part"], whole=share["whole"], percent=percent, parts=parts)


def _format_counts(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Return the counts that are not 0 as text: "2 skipped, 10 not reached"."""
    return ", ".join(f"{counts[key]} {name}" for key, name in names.items() if counts[key])


def _format_percent(share: float | None, digits: int) -> str:
    return DASH if share is None else f"{PAGE_FORMAT.number(100 * share, digits)} %"


def _build_agreement_rows(dimension: Data, notes: Notes) -> Iterable[dict[str, Any]]:
    """Yield (name, value, interval, basis) of each measure of agreement, as dicts."""
    alpha, icc, self_agreement = dimension["alpha"], dimension["icc"], dimension["self_agreement"]
    basis = ngettext(
        "{units} unit rated by two or more of {raters} raters",
        "{units} units rated by two or more of {raters} raters",
        alpha["units"],
    ).format(**alpha)
    # The other levels are based on the same units.
    yield _build_measure_row(_("Krippendorff’s alpha, ordinal"), alpha["ordinal"], notes, basis)
    yield _build_measure_row(_("Alpha, nominal"), alpha["nominal"], notes)
    yield _build_measure_row(_("Alpha, interval"), alpha["interval"], notes)
    name = _("Intraclass correlation, {kind}").format(kind=icc.get("type", "ICC(A,1)"))
    basis = _("{units} units, {raters} raters").format(**icc) if "units" in icc else ""
    yield _build_measure_row(name, icc, notes, basis)
    if dimension["rank"]:
        yield _build_measure_row(_("Kendall’s W"), dimension["kendall_w"], notes)
    repeat_count = self_agreement["n"]
    repeats = ngettext("{n} repeat", "{n} repeats", repeat_count).format(n=repeat_count)
    yield _build_measure_row(_("Same rater, same value"), self_agreement["exact"], notes, repeats)
    yield _build_measure_row(_("Same rater, within one step"), self_agreement["within_one"], notes)
    yield _build_measure_row(_("Same rater, weighted kappa"), self_agreement["kappa"], notes)


def _build_measure_row(name: str, result: Data, notes: Notes, basis: str = "") -> dict[str, Any]:
    interval = result.get("ci") if result["value"] is not None else None
    value = notes.cell(Stat(result, 3))
    ci = notes.cell(Stat(interval, 3)) if interval else None
    return {"name": name, "value": value, "ci": ci, "basis": basis}


def _build_comparison_table(dimension: Data, notes: Notes) -> ResultTable:
    """Return the comparisons of conditions, with equivalence tests if any has a margin."""
    head = [_("Difference"), _("Planned"), _("Design"), _("Games"), _("Mean"), _("95 % CI"),
            _("Test"), "p", _("p (Holm)"), _("Effect"), _("95 % CI")]  # fmt: skip
    has_margin = any("equivalence" in pair for pair in dimension["comparisons"])
    head += [_("Equivalent within (p unadjusted)")] * has_margin
    key = f"compared-{dimension['key']}"
    tests = ResultTable(_("Compared"), head, text_columns=3, notes=notes, key=key)
    for pair in dimension["comparisons"]:
        reason_keys = [*pair["care"], *filter(None, [pair["population"]])]
        label = Cell(f"{pair['b']} − {pair['a']}", notes=notes.explain(*reason_keys))
        values = [*values_of_test(pair, 2, "{} "), *[equivalence_cell(pair)] * has_margin]
        tests.add(label, family_text(pair), _format_design(pair), _format_size(pair), *values)
    if tests.rows:
        tests.note(*map(_, (DIFFERENCE_NOTE, EFFECT_NOTE)))
    return tests


def family_text(comparison: Data) -> str:
    """Return "yes" for a planned test, "no" for an exploratory one."""
    texts = {"confirmatory": _("yes"), "exploratory": _("no (exploratory)")}
    return texts.get(comparison.get("family", ""), DASH)


def _build_sensitivity_table(results: Data) -> ResultTable | None:
    head = (_("Item"), _("Difference"), _("Used"), _("Mean"), _("95 % CI"), _("p, unadjusted"))
    table = ResultTable("", head, text_columns=3, notes=Notes(PAGE_FORMAT), key="sensitivity")
    labels = {d["key"]: d["label"] or d["key"] for d in results["dimensions"]}
    names = {key: _(name) for key, name in VARIANT_LABELS.items()}
    for row in results["sensitivity"]:
        table.add(*values_of_variant(row, labels, names))
    return table if table.rows else None


def _format_size(comparison: Data) -> str:
    size = str(comparison["n"])
    if "n_a" in comparison:
        size = _("{n} against {m}").format(n=comparison["n_b"], m=comparison["n_a"])
    if not comparison["left_out"]:
        return size
    return _("{size}, {n} games excluded").format(size=size, n=comparison["left_out"])


def _format_design(comparison: Data) -> str:
    names = {
        ("paired", "game"): _("pairs, by game"),
        ("paired", "deal"): _("pairs, by deal"),
        ("unpaired", "game"): _("different games"),
        ("unpaired", "deal"): _("different deals"),
    }
    return names.get((comparison["design"], comparison["by"]), DASH)


def _build_turn_table(rows: Iterable[Data]) -> ResultTable:
    """Return the outcomes of the turns from which rated texts are drawn."""
    head = (_("Condition"), _("Turns"), _("Statements"), _("Failed"), _("Share"),
            Column(_("Reason"), "quiet"), _("Silent"), _("Removed"))  # fmt: skip
    table = ResultTable("", head, key="turns")
    names = {"timed_out": _("timed out"), "refused": _("refused"), "unusable": _("unusable answer")}
    for row in rows:
        counts = (row[name] for name in ("turns", "words", "failed"))
        causes = _format_counts(row["causes"], names) or DASH
        share = _format_percent(row["share_failed"]["value"], 1)
        table.add(row["condition"], *counts, share, causes, row["passed"], row["removed"])
    return table


def _build_rater_table(raters: Iterable[Data]) -> ResultTable:
    head = (_("Rater"), _("Answers"), _("Missing answers"), _("Time an item"), _("Longest run"),
            _("Checks passed"), _("Same rater, within one step"),
            Column(_("Flags"), "flags"))  # fmt: skip
    table = ResultTable("", head, key="conduct")
    for rater in raters:
        median = rater["speed"]["median_ms"]["value"]
        seconds = None if median is None else PAGE_FORMAT.number(median / 1000, 1)
        table.add(
            f"{rater['rater']} {_('excluded')}" if rater["excluded"] else rater["rater"],
            rater["answered"],
            rater["skipped"] + rater["not_reached"] + rater["timed_out"],
            _("{n} s").format(n=seconds) if seconds else DASH,
            rater["straight"]["longest_run"],
            format_checks(rater["attention"]),
            _format_percent(rater["self_agreement"]["within_one"]["value"], 0),
            Cell(flags=[_(REASONS[flag["why"]]) for flag in rater["flags"]]),
            style="is-out" if rater["excluded"] else "",
        )
    return table


def format_checks(checks: Data) -> str:
    """Return the passed among the answered checks, "3/4", and the number without an answer."""
    if not checks["total"]:
        return DASH
    text = f"{checks['passed']}/{checks['passed'] + checks['failed']}"
    if not checks["unanswered"]:
        return text
    return _("{text}, {n} not answered").format(text=text, n=checks["unanswered"])
