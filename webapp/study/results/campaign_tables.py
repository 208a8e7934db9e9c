"""Tables of a campaign's results, for a paper.

An undefined value is a dash, with the reason in the notes below the table.
"""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_noop

from webapp.statistics.rating_results import CAUSES
from webapp.statistics.reported_statistics import REASONS, format_decimals
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument
from webapp.study.results.published_means import (
    MEANS_BY_INSTRUMENT,
    PublishedMeans,
    format_published_means,
    is_comparable,
    select_items,
)
from webapp.study.results.result_table import (
    DASH,
    Cell,
    Data,
    PValue,
    ResultTable,
    Stat,
    Value,
    select_stats,
    values_of_test,
)

DIFFERENCE_NOTE = gettext_noop(
    "The mean of a comparison gives each game the same weight: raters are averaged within "
    "a moment, and moments within a game. It may differ from the difference of the two "
    "means, which give each rating the same weight."
)
EFFECT_NOTE = gettext_noop(
    "Effect: matched-pairs rank-biserial r of pairs, Cliff's delta of different games or deals."
)
PUBLISHED_NOTE = gettext_noop("No test compares published means with these ratings.")
FAMILY_NOTE = (
    "Family: confirmatory tests were named before the first rating or participant. Holm's "
    "adjustment is within each family. Equivalence: the greater p of two one-sided tests, not "
    "adjusted."
)
VARIANT_LABELS = {
    "with_excluded": gettext_noop("with excluded raters"),
    "checks_passed": gettext_noop("without raters who failed a check"),
    "first_half": gettext_noop("first half of each rater's items"),
    "second_half": gettext_noop("second half of each rater's items"),
}
# Headers of the columns that `add_comparison` fills, after its labels.
COMPARISON_HEADERS = ("Pair", "Design", "n", "Difference", "95% CI", "Test", "p", "p (Holm)",
                      "Effect", "Effect 95% CI", "Equivalent within")  # fmt: skip


def campaign_tables(results: Data, published: PublishedMeans | None = None) -> list[ResultTable]:
    """Return the tables of means, agreement and comparisons, and others that are not empty."""
    optional_tables = [_sensitivity_table(results), _turn_table(results)]
    if published:
        optional_tables.append(_table_of_other_scales(results, published))
    return [
        means_table(results, published),
        _agreement_table(results),
        _comparison_table(results),
        *(table for table in optional_tables if table.rows),
    ]


def find_published_means(instrument: Instrument) -> PublishedMeans | None:
    """Return the published means of the items that still have the built-in wording."""
    published = MEANS_BY_INSTRUMENT.get(instrument.key)
    if published is None:
        return None
    built_in = instruments.get(instrument.key).dimensions
    return select_items(published, {d.key for d in instrument.dimensions if d in built_in})


def means_table(results: Data, published: PublishedMeans | None) -> ResultTable:
    """Return means by dimension and condition, with the published ones on the same scale."""
    head = ("Dimension", "Condition", "Ratings", "Games", "Raters", "Mean", "SD of ratings",
            "95% CI")  # fmt: skip
    table = ResultTable("Ratings by dimension and condition", head, text_columns=2)
    has_published = False
    for dimension in results["dimensions"]:
        label = _dimension_label(dimension)
        for row in dimension["conditions"]:
            counts = (row["n"], row["games"], row["raters"])
            table.add(label, row["condition"], *counts, *select_stats(row, "mean", "sd", "ci"))
        if published and is_comparable(published, dimension):
            for system, mean in format_published_means(published, dimension["key"]):
                table.add(label, f"Published: {system}", Cell(span=3), mean, Cell(span=2))
                has_published = True
        if dimension["rank"]:
            table.note(
                f"{label}: mean ranks, {dimension['max']} the first; the ranks of a game have the "
                f"mean {(1 + dimension['max']) / 2:g}."
            )
    table.note(
        "Mean and SD (n-1): over ratings. CI: Student's t on the logit of the mean's place on the "
        "scale, its error over raters and games (deals where games share one)."
    )
    if published and has_published:
        table.note(_source_text(published), PUBLISHED_NOTE)
    return table


def _table_of_other_scales(results: Data, published: PublishedMeans) -> ResultTable:
    """Return the table of published means on another scale or by another kind of judge."""
    head = ("Dimension", "System", "Published mean")
    table = ResultTable("Published on another scale", head, text_columns=2)
    for dimension in results["dimensions"]:
        if not is_comparable(published, dimension):
            for system, mean in format_published_means(published, dimension["key"]):
                table.add(_dimension_label(dimension), system, mean)
    table.note(
        _source_text(published),
        "Do not compare these with the ratings above: the scale or the kind of judge differs.",
    )
    return table


def _source_text(published: PublishedMeans) -> str:
    low, high = published["scale"]
    judges = f"judged by {published['judged_by']}"
    if published["judged_by"] == "not stated":
        judges = "the paper does not state who judged"
    source = f"{published['paper']}, {published['table']}"
    return f"Published: {source}; {judges}, scale {low}–{high}. {published['note']}"


def _agreement_table(results: Data) -> ResultTable:
    has_ranks = any(dimension["rank"] for dimension in results["dimensions"])
    head = ["Dimension", "Units", "Raters", "Alpha", "95% CI", "ICC(A,1)", "95% CI"]
    table = ResultTable("Agreement between raters", head + ["W"] * has_ranks)
    for dimension in results["dimensions"]:
        alpha, icc = dimension["alpha"], dimension["icc"]
        measures = [alpha["ordinal"], alpha["ordinal"].get("ci"), icc, icc.get("ci")]
        measures += [dimension["kendall_w"]] * has_ranks
        values = (Stat(measure, 3) for measure in measures)
        table.add(_dimension_label(dimension), alpha["units"], alpha["raters"], *values)
    table.note("Alpha: Krippendorff's, ordinal; units and raters are those with overlap.")
    return table


def _comparison_table(results: Data) -> ResultTable:
    head = ("Dimension", "Family", *COMPARISON_HEADERS)
    table = ResultTable("Comparisons of conditions", head, text_columns=4)
    for dimension in results["dimensions"]:
        for comparison in dimension["comparisons"]:
            labels = (_dimension_label(dimension), comparison["family"])
            add_comparison(table, labels, comparison, digits=2)
    table.note(
        "n: games, or deals where games share one. t: two-sided, its error over raters and games "
        "(docs/statistics.md).",
        DIFFERENCE_NOTE,
        EFFECT_NOTE,
        FAMILY_NOTE,
    )
    return table


def equivalence_cell(comparison: Data) -> str:
    """Return "±0.50: p = 0.012", or a dash without a stated margin or a test."""
    outcome = comparison.get("equivalence")
    if outcome is None or outcome["value"] is None:
        return DASH
    return f"±{outcome['margin']:g}: p = {format_decimals(outcome['value'], 3)}"


def _sensitivity_table(results: Data) -> ResultTable:
    head = ("Dimension", "Pair", "Counted", "Difference", "95% CI", "p, unadjusted")
    table = ResultTable("Comparisons with other ratings counted", head, text_columns=3)
    labels = {dimension["key"]: _dimension_label(dimension) for dimension in results["dimensions"]}
    for row in results["sensitivity"]:
        table.add(*values_of_variant(row, labels, VARIANT_LABELS))
    table.note("Exploratory: p is not adjusted.")
    return table


def values_of_variant(
    row: Data, labels: Mapping[str, str], names: Mapping[str, str]
) -> tuple[Value, ...]:
    """Return item, pair, variant, difference, its interval and p of a sensitivity row."""
    difference = row["difference"]
    pair = f"{row['b']} − {row['a']}"
    p = PValue(row["test"].get("p"))
    values = (Stat(difference), Stat(difference.get("ci")), p)
    return (labels[row["item"]], pair, names[row["variant"]], *values)


def add_comparison(
    table: ResultTable, labels: Iterable[Value], comparison: Data, *, digits: int
) -> None:
    """Add a row: `labels`, pair, design, n, the test, the equivalence test.

    n is that of pairs, or of each condition. The test's note is added first, because the notes of
    earlier exports have this order: test, other values, warnings.
    """
    table.notes.cell(Stat(comparison["test"]))
    table.add(
        *labels,
        f"{comparison['b']} − {comparison['a']}",
        f"{comparison['design']} by {comparison['by']}" if comparison["design"] else DASH,
        _size_text(comparison),
        *values_of_test(comparison, digits),
        equivalence_cell(comparison),
    )
    table.notes.explain(*comparison["care"], *filter(None, [comparison["population"]]))


def _size_text(comparison: Data) -> str:
    size, left_out = str(comparison["n"]), comparison["left_out"]
    if "n_a" in comparison:
        size = f"{comparison['n_a']}, {comparison['n_b']}"
    return f"{size} ({left_out} games left out)" if left_out else size


def _dimension_label(dimension: Data) -> str:
    return str(dimension["label"] or dimension["key"])


def _turn_table(results: Data) -> ResultTable:
    head = ("Condition", "Turns", "Words", "Failed", "Share", "Timed out", "Refused", "Unusable",
            "Passed", "Removed")  # fmt: skip
    table = ResultTable("Turns that the rated words come from", head)
    for row in results["selection"]["conditions"]:
        counts = (row[name] for name in ("turns", "words", "failed"))
        causes = (row["causes"][cause] for cause in CAUSES)
        share = Stat(row["share_failed"], 3)
        table.add(row["condition"], *counts, share, *causes, row["passed"], row["removed"])
    table.note(*(REASONS[key] for key in results["selection"]["care"]))
    return table
