"""Tests of tables and figures: digits, escaping, published values and reproducible bytes."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from tests.study.making import campaign_marks, dimension, mark
from webapp.statistics.rating_results import compute_statistics
from webapp.statistics.reported_statistics import format_decimals
from webapp.study.results import table_files
from webapp.study.results.campaign_tables import campaign_tables
from webapp.study.results.figures import distribution_figures
from webapp.study.results.published_means import MEANS_BY_INSTRUMENT
from webapp.study.results.study_tables import clip_to_scale
from webapp.study.results.table_files import escape_latex, escape_markdown

SPECIAL_TEXT = 'a_b & 50% | {x} \\end\n$y$ <b>"#1"</b> ~^*`[z]'
SVG = "{http://www.w3.org/2000/svg}"


def render_latex(results: dict[str, Any], published: Any = None) -> str:
    return table_files.render_latex(campaign_tables(results, published))


def render_markdown(results: dict[str, Any], published: Any = None) -> str:
    return table_files.render_markdown(campaign_tables(results, published))


def special_results() -> dict[str, Any]:
    marks = [
        mark(value, unit=f"u{n}", game=f"g{n}", condition=SPECIAL_TEXT)
        for n, value in enumerate((1, 2, 4, 5))
    ]
    return compute_statistics(
        marks, [dimension(label=SPECIAL_TEXT, low_pole=SPECIAL_TEXT, high_pole="\x00 & \ud800")]
    )


def cells_of_row(table: str, row: str) -> list[str]:
    """Return the cells of the first Markdown row that contains `row`."""
    line = next(line for line in table.splitlines() if line.startswith("|") and row in line)
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_table_numbers_have_their_digits() -> None:
    row = cells_of_row(render_markdown(special_results()), "50%")
    assert row[2:7] == ["4", "4", "1", "3.00", "1.83"]
    assert format_decimals(-0.001, 2) == "0.00"
    assert format_decimals(-0.25, 1) == "-0.2"


def test_comparison_row_matches_the_results() -> None:
    results = compute_statistics(campaign_marks(6, 24, ["interest"], games=12), [dimension()])
    pair = results["dimensions"][0]["comparisons"][0]
    row = cells_of_row(render_markdown(results), "full − baseline")
    assert row[1] == "exploratory"
    assert row[3:6] == ["paired by game", "12", f"{pair['difference']['value']:.2f}"]
    assert row[7] == f"t = {pair['test']['value']:.2f}"
    assert row[10] == f"{pair['effect']['value']:.2f}"
    assert row[11] == "\\[{:.2f}, {:.2f}\\]".format(*pair["effect"]["ci"]["value"])
    assert "generalize to other raters and other games" in render_markdown(results)
    alpha = results["dimensions"][0]["alpha"]["ordinal"]
    agreement = cells_of_row(render_markdown(results).split("### Agreement")[1], "Interest")
    assert agreement[3] == f"{alpha['value']:.3f}"
    assert agreement[4] == "\\[{:.3f}, {:.3f}\\]".format(*alpha["ci"]["value"])
    assert f"{alpha['value']:.3f}" in render_latex(results)


def test_markdown_escapes_special_characters() -> None:
    table = render_markdown(special_results())
    escaped = 'a\\_b \\& 50% \\| \\{x\\} \\\\end \\$y\\$ \\<b\\>"\\#1"\\</b\\> \\~^\\*\\`\\[z\\]'
    assert escape_markdown(SPECIAL_TEXT) == escaped
    assert table.count(escaped) == 3  # Twice as a label and once as a condition.
    widths = {
        line.replace("\\|", "").count("|") - 1
        for line in table.split("### Agreement")[0].splitlines()
        if line.startswith("|")
    }
    assert widths == {8}


def test_latex_escapes_special_characters() -> None:
    escaped = (
        r"a\_b \& 50\% \textbar{} \{x\} \textbackslash{}end \$y\$ "
        r"\textless{}b\textgreater{}\"\#1\"\textless{}/b\textgreater{} "
        r"\textasciitilde{}\textasciicircum{}*`[z]"
    ).replace('\\"', '"')
    assert escape_latex(SPECIAL_TEXT) == escaped
    table = render_latex(special_results())
    assert escaped in table
    row = next(line for line in table.splitlines() if line.startswith("{" + escaped))
    assert row.endswith(r" \\")
    assert row.replace(r"\&", "").count("&") == 7
    assert table.count(r"\begin{table}") == table.count(r"\end{table}") == 3


def test_undefined_value_is_a_dash_with_its_reason() -> None:
    table = render_markdown(compute_statistics([mark(4)], [dimension()]))
    assert cells_of_row(table, "Interest")[6:] == ["–", "–"]
    assert "One rating has no spread" in table


def test_published_means_appear_with_their_source() -> None:
    results = compute_statistics([mark(4, dimension="individuality")], [dimension("individuality")])
    table = render_markdown(results, MEANS_BY_INSTRUMENT["guarded"])
    assert cells_of_row(table, "Published: Vanilla LLM")[5] == "2.52"
    assert cells_of_row(table, "Published: Their agent")[5] == "4.54"
    assert "Table 7; judged by people, scale 1–5" in table
    assert "Published" not in render_markdown(results)
    assert "Published" not in render_markdown(
        results, MEANS_BY_INSTRUMENT["engagement"]
    )  # Published for other dimensions.


@pytest.mark.parametrize("write", [render_latex, render_markdown])
def test_scores_on_another_scale_have_a_separate_table(write: Any) -> None:
    results = compute_statistics([mark(4, dimension="wonder")], [dimension("wonder")])
    table = write(results, MEANS_BY_INSTRUMENT["engagement"])
    own_part, other_part = table.split("Published on another scale")
    assert "8.05" not in own_part
    assert "8.05" in other_part
    assert "judged by language model, scale 1" in other_part
    assert "Do not compare these" in other_part


def test_published_mean_ranks_appear_only_beside_ranks() -> None:
    rank = {"key": "context", "max": 5, "rank": True}
    marks = [
        mark(v, dimension="context", unit=f"u{v}", condition="ab"[v > 2]) for v in (1, 2, 3, 4, 5)
    ]
    results = compute_statistics(marks, [dimension(**rank)])
    table = render_markdown(results, MEANS_BY_INSTRUMENT["contest-5"])
    assert cells_of_row(table, "Published: mille")[5] == "4.250"
    assert cells_of_row(table, "| b |")[5] == "4.00"
    assert "mean ranks, 5 the first; the ranks of a game have the mean 3" in table
    scale_results = compute_statistics(marks, [dimension(**{**rank, "rank": False})])
    own_part, other_part = render_markdown(scale_results, MEANS_BY_INSTRUMENT["contest-5"]).split(
        "### Published on another scale"
    )
    assert "4.250" not in own_part
    assert "4.250" in other_part


def test_figures_are_well_formed_and_described() -> None:
    svg = distribution_figures(special_results())["interest"]
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert desc.text is not None
    assert "n 4, mean 3.00): 1: 1, 2: 1, 3: 0, 4: 1, 5: 1" in desc.text
    assert "$y$" in "".join(root.itertext())
    written = [element.text for element in root.iter(f"{SVG}text")]
    assert {"1", "2", "3", "4", "5"} <= set(written)


def test_figures_are_reproducible_and_can_share_a_page() -> None:
    results = compute_statistics(
        campaign_marks(4, 8, ["interest", "wonder"]), [dimension(), dimension("wonder")]
    )
    first, second = distribution_figures(results), distribution_figures(results)
    assert first == second
    earlier_ids: set[str] = set()
    for svg in first.values():
        elements = list(ElementTree.fromstring(svg).iter())
        assert not any("style" in element.attrib for element in elements)
        assert not any(element.tag in (f"{SVG}style", f"{SVG}metadata") for element in elements)
        ids = [element.attrib["id"] for element in elements if "id" in element.attrib]
        assert len(set(ids)) == len(ids)
        assert not earlier_ids & set(ids)  # Two figures can be on one page.
        earlier_ids |= set(ids)
        used = [element.get("clip-path", "url(#)")[5:-1] for element in elements]
        assert set(used) - {""} <= set(ids)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (1, 13), (0, 100)])
def test_figures_support_other_scales_and_no_data(low: int, high: int) -> None:
    marks = [mark(high, low=low, high=high, condition="c" * 10_000)]
    scale = {"min": low, "max": high}
    results = compute_statistics(marks, [dimension(**scale), dimension("wonder", **scale)])
    nothing = distribution_figures(compute_statistics([], [dimension()]))["interest"]
    for svg in (*distribution_figures(results).values(), nothing):
        assert ElementTree.fromstring(svg).tag == f"{SVG}svg"


def test_interval_of_a_share_difference_is_clipped() -> None:
    one = {"share": True, "difference": {"value": -0.2, "ci": {"value": [-1.239, 0.839]}}}
    assert clip_to_scale(one)["difference"]["ci"]["value"] == [-1.0, 0.839]
    assert clip_to_scale({**one, "share": False})["difference"] == one["difference"]
    assert clip_to_scale({**one, "difference": {"value": 0.0}})["difference"] == {"value": 0.0}
