"""The tables and texts of a campaign's results page, from the stored statistics; no computation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from webapp.statistics.paper_figures import Published, is_comparable, means_of_paper
from webapp.statistics.reported_statistics import REASONS
from webapp.study.results.campaign_tables import (
    DIFFERENCE_NOTE,
    EFFECT_NOTE,
    PUBLISHED_NOTE,
    VARIANTS,
    equivalence_cell,
    values_of_variant,
)
from webapp.study.results.result_table import (
    DASH,
    Cell,
    Column,
    Notes,
    ResultTable,
    Stat,
    TextFormat,
    select_stats,
    values_of_test,
)

PAGE = TextFormat(
    minus="−",
    interval=gettext_noop("{low} to {high}"),
    below_001="< .001",
    undefined=gettext_noop("undefined"),
    absent="",
    numbered=True,
    translate=_,
)


def campaign_results(results: Mapping[str, Any], published: Published | None) -> dict[str, Any]:
    """Return the content of the page, with a paper's figures if there are any."""
    turns = results["selection"]["conditions"]
    return {
        "totals": results["totals"],
        "missing": _missing(results["missing"]),
        "care": [_(REASONS[key]) for key in results["totals"].get("care", ())],
        "items": [_item(one, published) for one in results["dimensions"]],
        "turns": _turns(turns) if turns else None,
        "turns_failed": any(row["failed"] for row in turns),
        "turns_unrevealed": sum(row["untold"] for row in turns),
        "raters": _raters(results["raters"]),
        "sensitivity": _sensitivity(results),
        "published": published,
    }


def _item(one: Mapping[str, Any], published: Published | None) -> dict[str, Any]:
    notes = Notes(PAGE)
    rated = any(row["n"] for row in one["conditions"])
    figures = means_of_paper(published, one["key"]) if published else []
    comparable = bool(published and is_comparable(published, one))
    means = _means(one, figures if comparable else [], notes)
    agreement = list(_agreement(one, notes)) if rated else []
    comparisons = _comparisons(one, notes)
    return {
        "key": one["key"],
        "label": one["label"] or one["key"],
        "low": f"{one['min']}: {one['low_pole']}",
        "high": f"{one['max']}: {one['high_pole']}",
        "rank": one["rank"],
        "means": means,
        "elsewhere": [] if comparable else figures,
        "middle": f"{(1 + one['max']) / 2:g}",
        "agreement": agreement,
        "comparisons": comparisons if comparisons.rows else None,
        "notes": notes.sentences,
    }


def _means(
    one: Mapping[str, Any], published: Iterable[tuple[str, str]], notes: Notes
) -> ResultTable:
    head = (_("Condition"), _("Ratings"), _("Units"), _("Games"), _("Raters"), _("Mean"),
            _("SD of ratings"), _("95 % CI"), Column(_("Missing"), "quiet"))  # fmt: skip
    table = ResultTable("", head, notes=notes, key=f"item-{one['key']}")
    for row in one["conditions"]:
        counts = (row[name] for name in ("n", "units", "games", "raters"))
        missing = _missing(row["missing"])
        table.add(row["condition"], *counts, *select_stats(row, "mean", "sd", "ci"), missing)
    for system, mean in published:
        text = _("Published: {system}").format(system=system)
        name = Cell(text, notes=(notes.add(_(PUBLISHED_NOTE)),))
        table.add(name, Cell(span=4), mean, Cell(span=3), style="is-published")
    return table


def _missing(result: Mapping[str, Any]) -> str:
    """Return for example "12 of 40 (30 %): 2 skipped, 10 not reached"."""
    share = result["share_missing"]
    if share["value"] is None:
        return DASH
    if not share["part"]:
        return _("none of {whole}").format(whole=share["whole"])
    names = {
        "skipped": _("skipped"),
        "not_reached": _("not reached"),
        "timed_out": _("timed out"),
    }
    text = _("{part} of {whole} ({percent}): {parts}")
    percent, parts = _percent(share["value"], 1), _counts(result, names)
    return text.format(part=share["part"], whole=share["whole"], percent=percent, parts=parts)


def _counts(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Return for example "2 skipped, 10 not reached"."""
    return ", ".join(f"{counts[key]} {name}" for key, name in names.items() if counts[key])


def _percent(share: float | None, digits: int) -> str:
    return DASH if share is None else f"{PAGE.number(100 * share, digits)} %"


def _agreement(one: Mapping[str, Any], notes: Notes) -> Iterable[dict[str, Any]]:
    """Yield name, value, interval and basis of each measure of agreement."""
    alpha, icc, again = one["alpha"], one["icc"], one["self_agreement"]
    basis = ngettext(
        "{units} unit rated by two or more of {raters} raters",
        "{units} units rated by two or more of {raters} raters",
        alpha["units"],
    ).format(**alpha)
    # The other levels are based on the same units.
    yield _measure(_("Krippendorff’s alpha, ordinal"), alpha["ordinal"], notes, basis)
    yield _measure(_("Alpha, nominal"), alpha["nominal"], notes)
    yield _measure(_("Alpha, interval"), alpha["interval"], notes)
    name = _("Intraclass correlation, {kind}").format(kind=icc.get("type", "ICC(A,1)"))
    basis = _("{units} units, {raters} raters").format(**icc) if "units" in icc else ""
    yield _measure(name, icc, notes, basis)
    if one["rank"]:
        yield _measure(_("Kendall’s W"), one["kendall_w"], notes)
    repeats = ngettext("{n} repeat", "{n} repeats", again["n"]).format(n=again["n"])
    yield _measure(_("With oneself, the same value"), again["exact"], notes, repeats)
    yield _measure(_("With oneself, within one step"), again["within_one"], notes)
    yield _measure(_("With oneself, weighted kappa"), again["kappa"], notes)


def _measure(name: str, result: Mapping[str, Any], notes: Notes, basis: str = "") -> dict[str, Any]:
    interval = result.get("ci") if result["value"] is not None else None
    value = notes.cell(Stat(result, 3))
    ci = notes.cell(Stat(interval, 3)) if interval else None
    return {"name": name, "value": value, "ci": ci, "basis": basis}


def _comparisons(one: Mapping[str, Any], notes: Notes) -> ResultTable:
    head = [_("Difference"), _("Planned"), _("Design"), _("Games"), _("Mean"), _("95 % CI"),
            _("Test"), "p", _("p (Holm)"), _("Effect"), _("95 % CI")]  # fmt: skip
    has_margin = any("equivalence" in pair for pair in one["comparisons"])
    head += [_("Equivalent within (p unadjusted)")] * has_margin
    tests = ResultTable(_("Compared"), head, 3, notes, f"compared-{one['key']}")
    for pair in one["comparisons"]:
        care = [*pair["care"], *filter(None, [pair["population"]])]
        label = Cell(f"{pair['b']} − {pair['a']}", notes=notes.explain(*care))
        values = [*values_of_test(pair, 2, "{} "), *[equivalence_cell(pair)] * has_margin]
        tests.add(label, family_text(pair), _design(pair), _size(pair), *values)
    if tests.rows:
        tests.note(*map(_, (DIFFERENCE_NOTE, EFFECT_NOTE)))
    return tests


def family_text(comparison: Mapping[str, Any]) -> str:
    """Return whether the test was planned."""
    texts = {"confirmatory": _("yes"), "exploratory": _("no: exploratory")}
    return texts.get(comparison.get("family", ""), DASH)


def _sensitivity(results: Mapping[str, Any]) -> ResultTable | None:
    """Return the comparisons with other ratings counted, none where there are none."""
    head = (_("Item"), _("Difference"), _("Counted"), _("Mean"), _("95 % CI"), _("p, unadjusted"))
    table = ResultTable("", head, 3, Notes(PAGE), "sensitivity")
    labels = {one["key"]: one["label"] or one["key"] for one in results["dimensions"]}
    names = {key: _(name) for key, name in VARIANTS.items()}
    for row in results["sensitivity"]:
        table.add(*values_of_variant(row, labels, names))
    return table if table.rows else None


def _size(one: Mapping[str, Any]) -> str:
    size = str(one["n"])
    if "n_a" in one:
        size = _("{n} against {m}").format(n=one["n_b"], m=one["n_a"])
    if not one["left_out"]:
        return size
    return _("{size}, {n} games left out").format(size=size, n=one["left_out"])


def _design(one: Mapping[str, Any]) -> str:
    names = {
        ("paired", "game"): _("pairs, by game"),
        ("paired", "deal"): _("pairs, by deal"),
        ("unpaired", "game"): _("different games"),
        ("unpaired", "deal"): _("different deals"),
    }
    return names.get((one["design"], one["by"]), DASH)


def _turns(rows: Iterable[Mapping[str, Any]]) -> ResultTable:
    """Return the outcomes of the turns from which rated texts are drawn."""
    head = (_("Condition"), _("Turns"), _("With words"), _("Failed"), _("Share"),
            Column(_("Why"), "quiet"), _("Said nothing"), _("Taken out"))  # fmt: skip
    table = ResultTable("", head, key="turns")
    names = {
        "timed_out": _("timed out"),
        "refused": _("refused"),
        "unusable": _("nothing usable came"),
    }
    for row in rows:
        counts = (row[name] for name in ("turns", "words", "failed"))
        causes = _counts(row["causes"], names) or DASH
        share = _percent(row["share_failed"]["value"], 1)
        table.add(row["condition"], *counts, share, causes, row["passed"], row["removed"])
    return table


def _raters(raters: Iterable[Mapping[str, Any]]) -> ResultTable:
    head = (_("Rater"), _("Answers"), _("Missing answers"), _("Time an item"), _("Longest run"),
            _("Checks passed"), _("With oneself, within one step"),
            Column(_("Flags"), "flags"))  # fmt: skip
    table = ResultTable("", head, key="conduct")
    for one in raters:
        median = one["speed"]["median_ms"]["value"]
        seconds = None if median is None else PAGE.number(median / 1000, 1)
        table.add(
            f"{one['rater']} {_('left out')}" if one["excluded"] else one["rater"],
            one["answered"],
            one["skipped"] + one["not_reached"] + one["timed_out"],
            _("{n} s").format(n=seconds) if seconds else DASH,
            one["straight"]["longest_run"],
            format_checks(one["attention"]),
            _percent(one["self_agreement"]["within_one"]["value"], 0),
            Cell(flags=[_(REASONS[flag["why"]]) for flag in one["flags"]]),
            style="is-out" if one["excluded"] else "",
        )
    return table


def format_checks(checks: Mapping[str, Any]) -> str:
    """Return the attention checks passed of those answered, and how many were not answered."""
    if not checks["total"]:
        return DASH
    text = f"{checks['passed']}/{checks['passed'] + checks['failed']}"
    if not checks["unanswered"]:
        return text
    return _("{text}, {n} not answered").format(text=text, n=checks["unanswered"])
