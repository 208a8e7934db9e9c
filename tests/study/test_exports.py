"""Tests of a campaign's exports: columns, reproducible bytes, round trips and formula guards."""

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
from tests.study.csv_files import ratings_long, read_csv
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.study import analysis
from webapp.study.csv_cells import csv_table, format_cell, restore_text
from webapp.study.data import campaign_export as data
from webapp.study.design import instruments
from webapp.study.models import Analysis, Assignment, Campaign, Rater, Rating, Stimulus, Unit
from webapp.study.rating import campaigns, exclusion, rating_rows, units

pytestmark = pytest.mark.django_db
COLUMN_LIST = (
    "export_schema_version, campaign_id, campaign_config_hash, game_id, ruleset, condition, "
    "deal_seed, winner, seat, role, team, out, item_id, "
    "utterance_id, utterance_index, phase, speaker_pseudonym, speaker_kind, model_id, method, "
    "labels, rater_pseudonym, assignment_id, presentation_index, side, dimension, scale_min, "
    "scale_max, value, status, is_attention, is_repeat, passed, shown_at_utc, "
    "first_answer_at_utc, submitted_at_utc, active_ms, revision, excluded, exclusion_reason, "
    "app_version"
)
COLUMNS = COLUMN_LIST.split(", ")


def create_rated_campaign(**settings: Any) -> tuple[Campaign, Rater]:
    campaign = create_campaign(ended_game("1"), ended_game("2"), **settings)
    units.draw_units(campaign)
    return campaign, add_rater(campaign)


def test_ratings_long_columns_match_the_specification() -> None:
    campaign, rater = create_rated_campaign()
    rate_unit(rater, campaign.units.all()[0], 4)
    first = data.build_file(campaign, "ratings_long.csv").decode().splitlines()[0]
    assert first.split(",") == COLUMNS


def test_exported_values_match_the_stored_rating() -> None:
    campaign, rater = create_rated_campaign()
    unit = campaign.units.all()[20]  # The last round has four items.
    assignment = rate_unit(rater, unit, 5)
    Rating.objects.filter(assignment=assignment, dimension="interest").update(value=2)
    rows = ratings_long(campaign)
    assert {r["dimension"]: r["value"] for r in rows} == {
        "individuality": "5", "naturalness": "5", "interest": "2", "closing": "5",
    }  # fmt: skip
    row = rows[0]
    stimulus = unit.stimuli.get()
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
    assert (row["rater_pseudonym"], row["assignment_id"]) == ("R001", str(assignment.key))
    assert (row["is_repeat"], row["is_attention"], row["passed"]) == ("false", "false", "")
    assert row["campaign_config_hash"] == campaigns.config_hash(campaign)


def test_long_file_and_marks_agree() -> None:
    campaign, rater = create_rated_campaign(attention=1)
    for n, state in enumerate(("answered", "skipped", "timed_out", "open")):
        rate_unit(rater, campaign.units.all()[n], 3 if state == "answered" else None, state=state)
    rate_unit(rater, campaign.units.get(kind=Unit.ATTENTION), 3)
    rows = [
        (r["assignment_id"], r["item_id"], r["dimension"], r["value"], r["status"], r["passed"])
        for r in ratings_long(campaign)
    ]
    assert rows == [
        (m.assignment, m.unit, m.dimension, format_cell(m.value), m.status, format_cell(m.passed))
        for m in rating_rows.read_marks(campaign)
    ]


@pytest.mark.parametrize(
    ("state", "status"),
    [("skipped", "skipped"), ("timed_out", "timed_out"), ("open", "not_reached")],
)
def test_missing_value_is_empty_with_its_status(state: str, status: str) -> None:
    campaign, rater = create_rated_campaign()
    rate_unit(rater, campaign.units.all()[0], None, state=state)
    rows = ratings_long(campaign)
    assert len(rows) == 3
    assert {(r["value"], r["status"]) for r in rows} == {("", status)}
    assert {r["active_ms"] for r in rows} == {""}


def test_skipped_unit_exports_no_earlier_value() -> None:
    campaign, rater = create_rated_campaign()
    assignment = rate_unit(rater, campaign.units.all()[0], 4)
    Assignment.objects.filter(pk=assignment.pk).update(state="skipped")
    assert {(r["value"], r["status"]) for r in ratings_long(campaign)} == {("", "skipped")}


def test_zero_is_exported_as_zero_and_missing_as_empty() -> None:
    instrument = instruments.get("guarded").to_json()
    instrument["dimensions"] = [{**instrument["dimensions"][0], "min": 0}]
    instrument["example"] = {}
    campaign, rater = create_rated_campaign(instrument=instrument)
    rate_unit(rater, campaign.units.all()[0], 0)
    rate_unit(rater, campaign.units.all()[1], None, state="skipped")
    assert [r["value"] for r in ratings_long(campaign)] == ["0", ""]


def test_attention_check_exports_whether_it_was_passed() -> None:
    campaign, rater = create_rated_campaign(attention=2)
    first, second = campaign.units.filter(kind=Unit.ATTENTION)
    rate_unit(rater, first, first.expected)
    assignment = rate_unit(rater, second, second.expected)
    wrong = Rating.objects.filter(assignment=assignment).first()
    wrong.value = second.expected % 5 + 1
    wrong.save()
    rows = ratings_long(campaign)
    assert {(r["is_attention"], r["passed"]) for r in rows[:3]} == {("true", "true")}
    assert {(r["is_attention"], r["passed"]) for r in rows[3:]} == {("true", "false")}
    assert {(r["game_id"], r["condition"], r["utterance_id"]) for r in rows} == {("", "", "")}


def test_pair_sides_are_exported_as_the_rater_saw_them() -> None:
    campaign = create_campaign(ended_game(), rival={"backend": "house"}, rival_condition="rival")
    units.draw_units(campaign)
    Stimulus.objects.filter(place=2).update(text="Other words.", state="idle", model="m-1")
    rater = add_rater(campaign)
    rate_unit(rater, campaign.units.all()[0], 3)
    rate_unit(rater, campaign.units.all()[1], 3, swapped=True)
    sides = {
        (r["item_id"], r["condition"], r["side"], r["model_id"]) for r in ratings_long(campaign)
    }
    assert sides == {
        ("u0001.1", "one", "left", "house"),
        ("u0001.2", "rival", "right", "m-1"),
        ("u0002.1", "one", "right", "house"),
        ("u0002.2", "rival", "left", "m-1"),
    }
    marks = rating_rows.read_marks(campaign)
    assert {(m.unit, m.moment) for m in marks if m.moment == "u0001"} == {
        ("u0001.1", "u0001"),
        ("u0001.2", "u0001"),
    }
    ids = {r["utterance_id"] for r in ratings_long(campaign)}
    spoken = {
        r["utterance_id"]: r["text"] for r in read_csv(data.build_file(campaign, "transcripts.csv"))
    }
    assert len(ids) == 4
    assert [spoken[i] for i in ids].count("Other words.") == 2


def test_wide_file_has_the_same_values() -> None:
    campaign, rater = create_rated_campaign()
    for n in (0, 20):
        rate_unit(rater, campaign.units.all()[n], n % 5 + 1)
    rate_unit(rater, campaign.units.all()[5], None, state="skipped")
    long_cells: dict[tuple[str, str], dict[str, str]] = {}
    for r in ratings_long(campaign):
        cells = long_cells.setdefault((r["assignment_id"], r["item_id"]), {})
        cells["rating." + r["dimension"]] = r["value"]
        cells["status." + r["dimension"]] = r["status"]
    wide_rows = read_csv(data.build_file(campaign, "ratings_wide.csv"))
    assert len(wide_rows) == 3
    for r in wide_rows:
        values = {k: v for k, v in r.items() if k.startswith(("rating.", "status.")) and v}
        assert values == {
            k: v for k, v in long_cells[r["assignment_id"], r["item_id"]].items() if v
        }
    assert wide_rows[0]["status.deceiving"] == ""


# -- formulas and round trips

FORMULA_TEXTS = (
    "=1+1",
    "+1",
    "-1",
    "hm;=1",
    "\t=1",
    "\r=1",
    "'=1",
    "＝1",
    "'",
    "=cmd|' /C calc'!A0",
)
FORMULA = re.compile('[ "]*[=+@＝＋－＠-]')


def test_exported_text_never_starts_like_a_formula() -> None:
    words = {(1, s): f"{FORMULA_TEXTS[s - 1].strip() or 'x'} is what I say" for s in range(1, 9)}
    campaign = create_campaign(ended_game(words=words))
    campaigns.change(
        campaign, games=[(row.game, "=HYPERLINK(1)") for row in campaign.chosen_games.all()]
    )
    units.draw_units(campaign)
    rater = add_rater(campaign)
    exclusion.exclude(rater, "-2+3 @home")
    rate_unit(rater, campaign.units.all()[0], 3)
    for name, content in data.build_files(campaign).items():
        if name.endswith(".csv"):
            for row in csv.reader(io.StringIO(content.decode(), newline="")):
                assert not [c for c in row if c.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))]
    assert {r["condition"] for r in ratings_long(campaign)} == {"=HYPERLINK(1)"}
    assert {r["exclusion_reason"] for r in ratings_long(campaign)} == {"-2+3 @home"}
    texts = [r["text"] for r in read_csv(data.build_file(campaign, "transcripts.csv"))]
    assert {"=1+1 is what I say", "hm;=1 is what I say"} <= set(texts)


@given(st.lists(st.text(st.sampled_from("=+-@＝;\t\r\n '\"a,"), max_size=8)))
def test_no_cell_starts_like_a_formula_for_any_separator(texts: list[str]) -> None:
    """Spreadsheets may split at commas, semicolons or tabs, with or without quotes."""
    lines = csv_table(["n", "text"], [[f"n{n}", text] for n, text in enumerate(texts)]).decode()
    cells = chain.from_iterable(
        row
        for sign in (",", ";", "\t")
        for row in csv.reader(io.StringIO(lines, newline=""), delimiter=sign)
    )
    assert not [c for c in (*cells, *re.split("[;\t\r\n]", lines)) if FORMULA.match(c)]


def test_pandas_restores_guarded_cells_as_documented() -> None:
    texts = ["=1", "hm;=cmd", "a\n- b\n- c", "'", "it's; 'so'", "plain; text", "\t@x", '"=1"']
    frame = pd.read_csv(
        io.BytesIO(csv_table(["text"], [[t] for t in texts])), keep_default_na=False
    )
    assert list(frame.replace(r"(^|[;\t\r\n])'", r"\1", regex=True).text) == texts
    assert format_cell("It's 3 - 4 = -1; don't, e.g. a-b") == "It's 3 - 4 = -1; don't, e.g. a-b"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_any_text_round_trips_through_a_cell(texts: list[str]) -> None:
    content = csv_table(["n", "text"], [[n, t] for n, t in enumerate(texts)])
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
    assert [restore_text(text) for _n, text in rows] == texts


def test_times_are_utc_with_milliseconds() -> None:
    moment = datetime(2026, 11, 5, 7, 8, 9, 123456, tzinfo=UTC)
    assert format_cell(moment) == "2026-11-05T07:08:09.123Z"
    assert [format_cell(v) for v in (None, 0, True, False, "")] == ["", "0", "true", "false", ""]


def test_negative_numbers_stay_numbers_and_similar_texts_are_guarded() -> None:
    assert [format_cell(v) for v in (-3, -0.25, Decimal("-1.50"))] == ["-3", "-0.25", "-1.50"]
    assert [format_cell(v) for v in ("-0.25", -math.inf)] == ["'-0.25", "'-inf"]


# -- archive


def test_same_data_gives_the_same_bytes_in_any_language() -> None:
    campaign, rater = create_rated_campaign()
    rate_unit(rater, campaign.units.all()[0], 4)
    first, files = data.build_zip(campaign), data.build_files(campaign)
    with translation.override("de"):
        assert data.build_zip(Campaign.objects.get(pk=campaign.pk)) == first
    for name in data.FILE_NAMES:
        assert data.build_file(campaign, name) == files[name]
    Rating.objects.update(value=5)
    assert data.build_zip(campaign) != first


def test_manifest_has_the_hash_of_every_other_file() -> None:
    campaign, rater = create_rated_campaign()
    rate_unit(rater, campaign.units.all()[0], 4)
    with zipfile.ZipFile(io.BytesIO(data.build_zip(campaign))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    manifest = json.loads(files.pop("manifest.json"))
    assert {n: f["sha256"] for n, f in manifest["files"].items()} == {
        n: hashlib.sha256(c).hexdigest() for n, c in files.items()
    }
    assert set(files) | {"manifest.json"} == set(data.FILE_NAMES)


def test_codebook_describes_every_column_and_item() -> None:
    campaign, _rater = create_rated_campaign()
    files = data.build_files(campaign)
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


def test_transcripts_are_complete_and_pseudonymous() -> None:
    words = {(1, 1): "Annabel, you = trouble.", (1, 3): ""}
    game = ended_game(words=words, names={2: "Annabel"})
    campaign = create_campaign(game)
    units.draw_units(campaign)
    content = b"".join(data.build_files(campaign).values())
    assert b"nnabel" not in content
    rows = [
        json.loads(line) for line in data.build_file(campaign, "transcripts.jsonl").splitlines()
    ]
    assert len(rows) == 24
    assert rows[0]["text"] == "Beta, you = trouble."
    assert (rows[1]["speaker_kind"], rows[1]["model_id"]) == ("person", "")
    assert (rows[2]["said"], rows[2]["text"], rows[2]["utterance_id"]) == ("nothing", "", None)


def test_external_rater_label_is_in_no_export() -> None:
    campaign, _rater = create_rated_campaign()
    labelled = add_rater(campaign, label="prolific-5f3a9c77d20b")
    rate_unit(labelled, campaign.units.all()[0], 3)
    content = b"".join(data.build_files(campaign).values())
    assert not re.search(rb"5f3a9c77|study-1|" + labelled.key.encode(), content)
    assert [r["rater_pseudonym"] for r in read_csv(data.build_file(campaign, "raters.csv"))] == [
        "R001",
        "R002",
    ]


def test_empty_campaign_exports_headers_only() -> None:
    campaign = create_campaign()
    assert ratings_long(campaign) == []
    assert set(data.build_files(campaign)) == set(data.FILE_NAMES)


def test_printed_figures_can_be_recomputed_from_the_archive() -> None:
    """Independent code computes 200 figures: means, intervals, agreement, tests, Holm, raters."""
    choice = {"speakers": "all", "compare": "team"}
    games = [ended_game(str(n)) for n in range(4)]
    campaign = create_campaign(*games, raters_per_unit=4, choice=choice)
    planned = {"item": "interest", "a": "village", "b": "werewolf", "margin": 1.5}
    campaigns.change(campaign, planned_analysis={"tests": [planned]})
    campaigns.open(campaign)
    units = campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION).order_by("index")
    teams = dict(Stimulus.objects.filter(unit__in=units).values_list("unit", "condition"))
    chosen: dict[tuple[int, str], list[Unit]] = {}
    for unit in units:
        chosen.setdefault((unit.game_id or 0, teams[unit.pk]), []).append(unit)
    for n in range(4):
        rater = add_rater(campaign, label=f"outside-{n}")
        for index, unit in enumerate(u for group in chosen.values() for u in group[:2]):
            rate_unit(rater, unit, 1 + (n * n + index * 7 + index // 6 + n * index) % 5)
    campaigns.close(campaign)
    analysis.compute_results(campaign)
    printed = Analysis.objects.get(campaign=campaign).data["results"]
    figures = list(recompute.figures(data.build_zip(campaign), printed))
    wrong = [(name, a, b) for name, a, b in figures if a != pytest.approx(b, rel=1e-5, abs=1e-9)]
    assert not wrong
    assert len(figures) >= 200, len(figures)
