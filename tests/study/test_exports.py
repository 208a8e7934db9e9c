"""Exports: the issue's columns, the same bytes every time, back without a loss, no formula."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import zipfile
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain
from typing import Any

import pandas as pd
import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from tests.study import recompute
from tests.study.world import campaign, finished, rate, rater
from webapp.study import analysis, data
from webapp.study.csv_cells import csv_table, format_cell, restore_text
from webapp.study.design import instruments
from webapp.study.models import Analysis, Assignment, Campaign, Rater, Rating, Stimulus, Unit
from webapp.study.rating import campaigns, rating_rows, units

pytestmark = pytest.mark.django_db
ISSUE = (
    "export_schema_version, campaign_id, campaign_config_hash, game_id, ruleset, condition, "
    "deal_seed, winner, seat, role, team, out, item_id, "
    "utterance_id, utterance_index, phase, speaker_pseudonym, speaker_kind, model_id, method, "
    "labels, rater_pseudonym, assignment_id, presentation_index, side, dimension, scale_min, "
    "scale_max, value, status, is_attention, is_repeat, passed, shown_at_utc, "
    "first_answer_at_utc, submitted_at_utc, active_ms, revision, excluded, exclusion_reason, "
    "app_version"
)
COLUMNS = ISSUE.split(", ")


def read(content: bytes) -> list[dict[str, str]]:
    """As any careful reader would."""
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return [{k: restore_text(v) for k, v in row.items()} for row in rows]


def long(of: Campaign) -> list[dict[str, str]]:
    return read(data.build_file(of, "ratings_long.csv"))


def rated(**settings: Any) -> tuple[Campaign, Rater]:
    of = campaign(finished("1"), finished("2"), **settings)
    units.draw_units(of)
    return of, rater(of)


def test_the_columns_are_the_issues() -> None:
    of, who = rated()
    rate(who, of.units.all()[0], 4)
    first = data.build_file(of, "ratings_long.csv").decode().splitlines()[0]
    assert first.split(",") == COLUMNS


def test_every_value_comes_back() -> None:
    of, who = rated()
    unit = of.units.all()[20]  # in the last round: four items
    given = rate(who, unit, 5)
    Rating.objects.filter(assignment=given, dimension="interest").update(value=2)
    rows = long(of)
    assert {r["dimension"]: r["value"] for r in rows} == {
        "individuality": "5", "naturalness": "5", "interest": "2", "closing": "5",
    }  # fmt: skip
    row, stimulus = rows[0], unit.stimuli.get()
    assert row["utterance_id"] == str(stimulus.utterance_id)
    assert row["game_id"] == unit.game.code
    assert (row["utterance_index"], row["phase"], row["speaker_pseudonym"]) == (
        "21", "talk.1.3", "Epsilon",
    )  # fmt: skip
    assert (row["condition"], row["speaker_kind"], row["model_id"], row["method"]) == (
        "one", "agent", "house", "baseline",
    )  # fmt: skip
    assert (row["status"], row["scale_min"], row["scale_max"], row["side"]) == (
        "answered", "1", "5", "",
    )  # fmt: skip
    assert row["shown_at_utc"] == "2026-03-01T09:30:00.000Z"
    assert row["submitted_at_utc"] == "2026-03-01T09:30:09.000Z"
    assert (row["rater_pseudonym"], row["assignment_id"]) == ("R001", str(given.key))
    assert (row["is_repeat"], row["is_attention"], row["passed"]) == ("false", "false", "")
    assert row["campaign_config_hash"] == campaigns.config_hash(of)


def test_the_long_file_and_the_marks_tell_the_same() -> None:
    of, who = rated(attention=1)
    for n, state in enumerate(("answered", "skipped", "timed_out", "open")):
        rate(who, of.units.all()[n], 3 if state == "answered" else None, state=state)
    rate(who, of.units.get(kind=Unit.ATTENTION), 3)
    told = [
        (r["assignment_id"], r["item_id"], r["dimension"], r["value"], r["status"], r["passed"])
        for r in long(of)
    ]
    assert told == [
        (m.assignment, m.unit, m.dimension, format_cell(m.value), m.status, format_cell(m.passed))
        for m in rating_rows.to_ratings(of)
    ]


@pytest.mark.parametrize(
    ("state", "status"),
    [("skipped", "skipped"), ("timed_out", "timed_out"), ("open", "not_reached")],
)
def test_what_there_is_not_is_empty_and_says_why(state: str, status: str) -> None:
    of, who = rated()
    rate(who, of.units.all()[0], None, state=state)
    rows = long(of)
    assert len(rows) == 3
    assert {(r["value"], r["status"]) for r in rows} == {("", status)}
    assert {r["active_ms"] for r in rows} == {""}


def test_a_skipped_unit_counts_no_value_that_was_stated_before() -> None:
    of, who = rated()
    given = rate(who, of.units.all()[0], 4)
    Assignment.objects.filter(pk=given.pk).update(state="skipped")
    assert {(r["value"], r["status"]) for r in long(of)} == {("", "skipped")}


def test_zero_is_zero_and_nothing_is_nothing() -> None:
    own = instruments.get("guarded").to_json()
    own["dimensions"] = [{**own["dimensions"][0], "min": 0}]
    own["example"] = {}
    of, who = rated(instrument=own)
    rate(who, of.units.all()[0], 0)
    rate(who, of.units.all()[1], None, state="skipped")
    assert [r["value"] for r in long(of)] == ["0", ""]


def test_a_check_says_whether_it_was_passed() -> None:
    of, who = rated(attention=2)
    first, second = of.units.filter(kind=Unit.ATTENTION)
    rate(who, first, first.expected)
    given = rate(who, second, second.expected)
    wrong = Rating.objects.filter(assignment=given).first()
    wrong.value = second.expected % 5 + 1
    wrong.save()
    rows = long(of)
    assert {(r["is_attention"], r["passed"]) for r in rows[:3]} == {("true", "true")}
    assert {(r["is_attention"], r["passed"]) for r in rows[3:]} == {("true", "false")}
    assert {(r["game_id"], r["condition"], r["utterance_id"]) for r in rows} == {("", "", "")}


def test_the_sides_of_a_pair_are_told_as_the_rater_saw_them() -> None:
    of = campaign(finished(), rival={"backend": "house"}, rival_condition="rival")
    units.draw_units(of)
    Stimulus.objects.filter(place=2).update(text="Other words.", state="idle", model="m-1")
    who = rater(of)
    rate(who, of.units.all()[0], 3)
    rate(who, of.units.all()[1], 3, swapped=True)
    told = {(r["item_id"], r["condition"], r["side"], r["model_id"]) for r in long(of)}
    assert told == {
        ("u0001.1", "one", "left", "house"),
        ("u0001.2", "rival", "right", "m-1"),
        ("u0002.1", "one", "right", "house"),
        ("u0002.2", "rival", "left", "m-1"),
    }
    marks = rating_rows.to_ratings(of)
    assert {(m.unit, m.moment) for m in marks if m.moment == "u0001"} == {
        ("u0001.1", "u0001"),
        ("u0001.2", "u0001"),
    }
    ids = {r["utterance_id"] for r in long(of)}
    spoken = {r["utterance_id"]: r["text"] for r in read(data.build_file(of, "transcripts.csv"))}
    assert len(ids) == 4
    assert [spoken[i] for i in ids].count("Other words.") == 2


def test_the_wide_file_has_the_same_values() -> None:
    of, who = rated()
    for n in (0, 20):
        rate(who, of.units.all()[n], n % 5 + 1)
    rate(who, of.units.all()[5], None, state="skipped")
    tall: dict[tuple[str, str], dict[str, str]] = {}
    for r in long(of):
        place = tall.setdefault((r["assignment_id"], r["item_id"]), {})
        place["rating." + r["dimension"]] = r["value"]
        place["status." + r["dimension"]] = r["status"]
    wide = read(data.build_file(of, "ratings_wide.csv"))
    assert len(wide) == 3
    for r in wide:
        asked = {k: v for k, v in r.items() if k.startswith(("rating.", "status.")) and v}
        assert asked == {k: v for k, v in tall[r["assignment_id"], r["item_id"]].items() if v}
    assert wide[0]["status.deceiving"] == ""


# -- formulas, and the way back

EVIL = ("=1+1", "+1", "-1", "hm;=1", "\t=1", "\r=1", "'=1", "＝1", "'", "=cmd|' /C calc'!A0")
FORMULA = re.compile('[ "]*[=+@＝＋－＠-]')


def test_no_text_begins_like_a_formula() -> None:
    words = {(1, s): f"{EVIL[s - 1].strip() or 'x'} is what I say" for s in range(1, 9)}
    of = campaign(finished(words=words))
    campaigns.change(of, games=[(row.game, "=HYPERLINK(1)") for row in of.chosen.all()])
    units.draw_units(of)
    who = rater(of)
    campaigns.exclude(who, "-2+3 @home")
    rate(who, of.units.all()[0], 3)
    for name, content in data.build_files(of).items():
        if name.endswith(".csv"):
            for row in csv.reader(io.StringIO(content.decode(), newline="")):
                assert not [c for c in row if c.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))]
    assert {r["condition"] for r in long(of)} == {"=HYPERLINK(1)"}
    assert {r["exclusion_reason"] for r in long(of)} == {"-2+3 @home"}
    texts = [r["text"] for r in read(data.build_file(of, "transcripts.csv"))]
    assert {"=1+1 is what I say", "hm;=1 is what I say"} <= set(texts)


@given(st.lists(st.text(st.sampled_from("=+-@＝;\t\r\n '\"a,"), max_size=8)))
def test_no_text_begins_like_a_formula_wherever_a_spreadsheet_parts_it(texts: list[str]) -> None:
    """At commas, as it is meant, or at semicolons or tabs, as some do.

    With quotation marks taken as such or not.
    """
    lines = csv_table(["n", "text"], [[f"n{n}", text] for n, text in enumerate(texts)]).decode()
    cells = chain.from_iterable(
        row
        for sign in (",", ";", "\t")
        for row in csv.reader(io.StringIO(lines, newline=""), delimiter=sign)
    )
    assert not [c for c in (*cells, *re.split("[;\t\r\n]", lines)) if FORMULA.match(c)]


def test_pandas_reads_the_cells_back_as_the_docs_say() -> None:
    texts = ["=1", "hm;=cmd", "a\n- b\n- c", "'", "it's; 'so'", "plain; text", "\t@x", '"=1"']
    found = pd.read_csv(
        io.BytesIO(csv_table(["text"], [[t] for t in texts])), keep_default_na=False
    )
    assert list(found.replace(r"(^|[;\t\r\n])'", r"\1", regex=True).text) == texts
    assert format_cell("It's 3 - 4 = -1; don't, e.g. a-b") == "It's 3 - 4 = -1; don't, e.g. a-b"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_any_text_comes_back_from_a_cell(texts: list[str]) -> None:
    content = csv_table(["n", "text"], [[n, t] for n, t in enumerate(texts)])
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
    assert [restore_text(text) for _n, text in rows] == texts


def test_times_are_utc_to_the_millisecond() -> None:
    at = datetime(2026, 11, 5, 7, 8, 9, 123456, tzinfo=UTC)
    assert format_cell(at) == "2026-11-05T07:08:09.123Z"
    assert [format_cell(v) for v in (None, 0, True, False, "")] == ["", "0", "true", "false", ""]


def test_numbers_below_zero_stay_numbers_and_texts_like_them_are_guarded() -> None:
    assert [format_cell(v) for v in (-3, -0.25, Decimal("-1.50"))] == ["-3", "-0.25", "-1.50"]
    assert [format_cell(v) for v in ("-0.25", -math.inf)] == ["'-0.25", "'-inf"]


# -- the archive


def test_the_same_data_give_the_same_bytes_in_any_language() -> None:
    of, who = rated()
    rate(who, of.units.all()[0], 4)
    first, files = data.build_zip(of), data.build_files(of)
    with translation.override("de"):
        assert data.build_zip(Campaign.objects.get(pk=of.pk)) == first
    for name in data.FILES:
        assert data.build_file(of, name) == files[name]
    Rating.objects.update(value=5)
    assert data.build_zip(of) != first


def test_the_manifest_has_the_hash_of_every_other_file_in_the_archive() -> None:
    of, who = rated()
    rate(who, of.units.all()[0], 4)
    with zipfile.ZipFile(io.BytesIO(data.build_zip(of))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    told = json.loads(files.pop("manifest.json"))
    assert {n: f["sha256"] for n, f in told["files"].items()} == {
        n: hashlib.sha256(c).hexdigest() for n, c in files.items()
    }
    assert set(files) | {"manifest.json"} == set(data.FILES)


def test_the_codebook_knows_every_column_and_every_item() -> None:
    of, _who = rated()
    files = data.build_files(of)
    book = json.loads(files["codebook.json"])
    for name, content in files.items():
        if name.endswith(".csv"):
            heads = content.decode().splitlines()[0].split(",")
            assert list(book["columns"][name]) == heads
            assert all(book["columns"][name].values())
    row = json.loads(files["transcripts.jsonl"].splitlines()[0])
    assert list(row) == list(book["columns"]["transcripts.jsonl"])
    text = files["codebook.md"].decode()
    assert "None: mechanical" in text
    assert book["instrument"]["dimensions"][0]["key"] == "individuality"


def test_transcripts_are_whole_and_pseudonymous() -> None:
    words = {(1, 1): "Annabel, you = trouble.", (1, 3): ""}
    game = finished(words=words, names={2: "Annabel"})
    of = campaign(game)
    units.draw_units(of)
    content = b"".join(data.build_files(of).values())
    assert b"nnabel" not in content
    rows = [json.loads(line) for line in data.build_file(of, "transcripts.jsonl").splitlines()]
    assert len(rows) == 24
    assert rows[0]["text"] == "Beta, you = trouble."
    assert (rows[1]["speaker_kind"], rows[1]["model_id"]) == ("person", "")
    assert (rows[2]["said"], rows[2]["text"], rows[2]["utterance_id"]) == ("nothing", "", None)


def test_what_the_outside_calls_a_rater_is_in_no_export() -> None:
    of, _who = rated()
    named = rater(of, label="prolific-5f3a9c77d20b")
    rate(named, of.units.all()[0], 3)
    content = b"".join(data.build_files(of).values())
    assert not re.search(rb"5f3a9c77|study-1|" + named.key.encode(), content)
    assert [r["rater_pseudonym"] for r in read(data.build_file(of, "raters.csv"))] == [
        "R001",
        "R002",
    ]


def test_an_empty_campaign_exports_headings() -> None:
    of = campaign()
    assert long(of) == []
    assert set(data.build_files(of)) == set(data.FILES)


def test_printed_figures_can_be_recomputed_from_the_archive() -> None:
    """200 figures by independent code: means, intervals, agreement, tests, Holm, raters."""
    choice = {"speakers": "all", "compare": "team"}
    games = [finished(str(n)) for n in range(4)]
    made = campaign(*games, raters_per_unit=4, choice=choice)
    planned = {"item": "interest", "a": "village", "b": "werewolf", "margin": 1.5}
    campaigns.change(made, planned_analysis={"tests": [planned]})
    campaigns.open(made)
    drawn = made.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION).order_by("index")
    teams = dict(Stimulus.objects.filter(unit__in=drawn).values_list("unit", "condition"))
    chosen: dict[tuple[int, str], list[Unit]] = {}
    for unit in drawn:
        chosen.setdefault((unit.game_id or 0, teams[unit.pk]), []).append(unit)
    for n in range(4):
        who = rater(made, label=f"outside-{n}")
        for place, unit in enumerate(u for these in chosen.values() for u in these[:2]):
            rate(who, unit, 1 + (n * n + place * 7 + place // 6 + n * place) % 5)
    campaigns.close(made)
    analysis.compute_results(made)
    printed = Analysis.objects.get(campaign=made).data["results"]
    found = list(recompute.figures(data.build_zip(made), printed))
    wrong = [(what, a, b) for what, a, b in found if a != pytest.approx(b, rel=1e-5, abs=1e-9)]
    assert not wrong
    assert len(found) >= 200, len(found)
