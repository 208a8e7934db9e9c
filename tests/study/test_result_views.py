"""Tests of the results pages: figures, reasons for undefined values, looks and downloads."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.live import wait_until
from tests.study import world
from tests.study.desk import sign_in
from tests.study.pages import page_url, text_of
from webapp.study import analysis
from webapp.study.data import campaign_export as data
from webapp.study.models import Analysis, Campaign, Rater, Unit
from webapp.study.rating import campaigns, stimuli
from webapp.study.researcher.results.campaign_result_tables import format_checks
from webapp.study.results.result_table import PAGE_FORMAT

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    campaigns.open(campaign)
    return campaign


def add_ratings(campaign: Campaign) -> None:
    """Add three raters of six units per condition. The third always gives 5."""
    for n, start in enumerate((1, 2, 5)):
        rater = world.add_rater(campaign, label=f"outside-{n}")
        for index, unit in enumerate((*campaign.units.all()[:6], *campaign.units.all()[24:30])):
            world.rate_unit(rater, unit, 5 if n == 2 else 1 + (start + index) % 4)


def results_text(client: Client, campaign: Campaign) -> str:
    return text_of(client.get(page_url("results", campaign)))


def test_results_page_before_ratings_announces_results(campaign: Campaign, ada: Client) -> None:
    page = ada.get(page_url("results", campaign))
    assert "The first results will appear in a moment." in text_of(page)
    analysis.compute_results(campaign)
    page = ada.get(page_url("results", campaign))
    assert "There are no ratings yet." in text_of(page)
    assert b'hx-trigger="every' in page.content


def test_results_page_shows_the_computed_figures(campaign: Campaign, ada: Client) -> None:
    add_ratings(campaign)
    campaigns.close(campaign)
    analysis.compute_results(campaign)
    stored = Analysis.objects.get()
    response = ada.get(page_url("results", campaign))
    text = text_of(response)
    for item in stored.data["results"]["dimensions"]:
        assert item["label"] in text
        for row in item["conditions"]:
            if row["n"] > 1:
                assert f"{row['condition']} {row['n']} {row['units']} {row['games']}" in text
                mean, sd = (PAGE_FORMAT.number(row[name]["value"]) for name in ("mean", "sd"))
                assert f"{mean} {sd}" in text
        alpha = item["alpha"]["ordinal"]
        if alpha["value"] is not None:
            assert f"alpha, ordinal {PAGE_FORMAT.number(alpha['value'], 3)}" in text
    # With one game per condition there is no interval, and the page says why.
    assert "undefined" in text
    assert "All ratings come from one game. The interval is computed over games" in text
    # The page shows the paper's means and their source.
    assert re.search(r"Published: Vanilla LLM\W+\d+\W+2.52", text)
    assert re.search(r"Published: Their agent\W+\d+\W+4.54", text)
    assert "Table 7" in text
    # A rater with constant values is flagged by pseudonym, never by name.
    assert "R003" in text
    assert "Gave only one value." in text
    assert "outside-" not in text


def test_results_tables_have_captions_and_consistent_row_widths(campaign: Campaign) -> None:
    add_ratings(campaign)
    campaigns.close(campaign)
    analysis.compute_results(campaign)
    page = BeautifulSoup(sign_in().get(page_url("results", campaign)).content, "html.parser")
    tables = page.find_all("table")
    assert (
        len(tables) == 3 * 2 + 2 + 2
    )  # Three items with comparisons, two without, turns and raters.
    for table in tables:
        assert len(page.find_all(id=table["aria-labelledby"])) == 1
        head, *rows = table.find_all("tr")
        columns = len(head.find_all("th", scope="col"))
        for row in rows:
            assert row.find("th")["scope"] == "row"
            cells = row.find_all(["th", "td"])
            assert sum(int(cell.get("colspan", 1)) for cell in cells) == columns


def test_item_without_ratings_is_shown_as_empty(campaign: Campaign) -> None:
    add_ratings(campaign)
    analysis.compute_results(campaign)
    page = sign_in().get(page_url("results", campaign))
    text = text_of(page)
    assert "Deceiving" in text
    assert "There are no ratings yet." in text
    assert page.content.count(b'class="distribution"') == text.count("alpha, ordinal") == 3


def test_results_page_polls_and_changes_only_with_news(campaign: Campaign, ada: Client) -> None:
    add_ratings(campaign)
    analysis.compute_results(campaign)
    script = {"HX-Request": "true"}
    page = ada.get(page_url("results", campaign)).content.decode()
    poll_url = unescape(re.search(r'hx-get="([^"]+results/part[^"]*)"', page)[1])  # type: ignore[index]
    assert ada.get(poll_url, headers=script).status_code == 204
    world.rate_unit(world.add_rater(campaign), Unit.objects.order_by("index")[7], 2)
    analysis.compute_results(campaign)
    news = ada.get(poll_url, headers=script)
    assert news.status_code == 200
    assert b"<html" not in news.content
    assert "R004" in text_of(news)
    assert ada.get(poll_url)["Location"] == page_url("results", campaign)


def test_failure_is_shown_beside_the_last_results(campaign: Campaign) -> None:
    add_ratings(campaign)
    analysis.compute_results(campaign)
    Analysis.objects.update(failure="ValueError: that went wrong")
    text = text_of(sign_in().get(page_url("results", campaign)))
    assert "could not be computed: ValueError: that went wrong" in text
    assert "Individuality" in text


def test_failed_computation_is_shown_and_retried_on_next_visit(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    ada: Client,
) -> None:
    queued = list[int]()
    monkeypatch.setattr(analysis, "send", lambda _task, pk: queued.append(pk) or True)

    def visit(*, part: bool = False) -> str:
        url = (
            reverse("study:results_part", args=[campaign.code])
            if part
            else page_url("results", campaign)
        )
        with django_capture_on_commit_callbacks(execute=True):
            return text_of(ada.get(url, headers={"HX-Request": "true"} if part else {}))

    def fail(_campaign: Campaign) -> None:
        raise ModuleNotFoundError("No module named 'choix'")

    with monkeypatch.context() as patch:
        patch.setattr(analysis, "campaign_results", fail)
        analysis.compute_results(campaign)
    text = visit(part=True)
    assert "No module named 'choix'. Install what requirements.txt names (make setup)" in text
    assert "Reload this page to try again." in text
    assert queued == [], "a page refresh must not repeat the failure"
    second_text = visit()
    assert "No module named 'choix'" in second_text
    assert "A new attempt is in progress" in second_text
    assert queued == [campaign.pk]
    analysis.compute_results(campaign)
    assert "could not be computed" not in visit()


def test_unanswered_results_request_is_reported(campaign: Campaign, ada: Client) -> None:
    long_ago = timezone.now() - 2 * analysis.REQUEST_TIMEOUT
    Analysis.objects.create(campaign=campaign, requested_at=long_ago)
    assert "No worker has answered within 120 seconds" in results_text(ada, campaign)
    analysis.compute_results(campaign)
    stored = Analysis.objects.get()
    assert not stored.failure
    # A request without effect, because the results existed already.
    Analysis.objects.update(requested_at=stored.done_at + timedelta(seconds=1))
    analysis.compute_results(campaign)
    Analysis.objects.update(requested_at=stored.done_at)
    assert "moment" not in results_text(ada, campaign)
    assert Analysis.objects.get().done_at > stored.done_at


@pytest.mark.django_db(transaction=True)
def test_results_of_a_slow_worker_are_not_requested_again(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued, failures = list[int](), list[str]()
    monkeypatch.setattr(analysis, "_queue", lambda target, _rows: queued.append(target.pk))
    monkeypatch.setattr(analysis, "RENEWAL_INTERVAL_S", 0.02)
    analysis.newest_results(campaign)

    def compute_slowly(_campaign: Campaign) -> dict[str, Any]:
        recent = timezone.now() - analysis.REQUEST_TIMEOUT
        Analysis.objects.update(requested_at=recent - analysis.REQUEST_TIMEOUT)
        renewed = Analysis.objects.filter(requested_at__gt=recent)
        wait_until(renewed.exists, "the request is renewed")
        failures.append(analysis.newest_results(campaign).failure)
        return {}

    monkeypatch.setattr(analysis, "campaign_results", compute_slowly)
    analysis.compute_results(campaign)
    assert (queued, failures) == ([campaign.pk], [""])
    assert not Analysis.objects.get().failure


def test_figures_and_tables_can_be_downloaded(campaign: Campaign, ada: Client) -> None:

    def figure(key: str) -> str:
        return reverse("study:figure", args=[campaign.code, key])

    def table(form: str) -> str:
        return reverse("study:tables", args=[campaign.code, form])

    for address in (figure("individuality"), table("tex"), table("md")):
        assert ada.get(address).status_code == 404
    add_ratings(campaign)
    analysis.compute_results(campaign)
    stored = Analysis.objects.get()
    svg = ada.get(figure("individuality"))
    assert svg.content.decode() == stored.data["figures"]["individuality"]
    assert svg["Content-Type"].startswith("image/svg+xml")
    assert "default-src 'none'" in svg["Content-Security-Policy"]
    assert ada.get(figure("nonsense")).status_code == 404
    assert ada.get(table("tex"))["Location"] == page_url(
        "results", campaign
    )  # Tables are hidden while people rate.
    campaigns.close(campaign)
    assert ada.get(table("tex")).content.decode() == stored.data["latex"]
    markdown = ada.get(table("md"))
    assert markdown.content.decode() == stored.data["markdown"]
    assert markdown["Content-Disposition"].startswith("attachment")
    assert ada.get(f"/study/{campaign.code}/results/tables.exe").status_code == 404


def test_only_figures_with_changed_data_are_redrawn(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_ratings(campaign)
    analysis.compute_results(campaign)
    before = Analysis.objects.get().data["figures"]
    Analysis.objects.all().delete()
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: pytest.fail("drawn"))
    analysis.compute_results(campaign)
    assert Analysis.objects.get().data["figures"] == before
    monkeypatch.undo()
    unit = campaign.units.all()[6]
    world.rate_unit(world.add_rater(campaign), unit, 4)
    analysis.compute_results(campaign)
    after = Analysis.objects.get().data["figures"]
    changed = {key for key in before if after[key] != before[key]}
    assert changed == {dimension.key for dimension in stimuli.unit_dimensions(unit)} < after.keys()


def test_tests_are_hidden_during_rating_and_a_look_is_recorded(
    campaign: Campaign, ada: Client
) -> None:
    add_ratings(campaign)
    analysis.compute_results(campaign)

    def visible_parts() -> tuple[bool, bool, bool]:
        text = results_text(ada, campaign)
        return "View anyway" in text, "Krippendorff" in text, "p (Holm)" in text

    assert visible_parts() == (True, True, False)
    flow = results_text(ada, campaign)
    assert re.search(r"agreed to rate\s+\d+\s+were screened out\s+0\s+started rating", flow)
    assert "Hidden while people rate" in results_text(ada, campaign)
    before = data.build_file(campaign, "looks.csv").decode().splitlines()
    assert ada.post(f"{page_url('results', campaign)}/look").status_code == 302
    assert visible_parts() == (False, True, True)
    after = data.build_file(campaign, "looks.csv").decode().splitlines()
    assert (len(before), len(after)) == (1, 2)
    assert after[1].endswith(",24,96,unplanned look")
    campaigns.close(campaign)
    assert visible_parts() == (False, True, True)
    assert len(data.build_file(campaign, "looks.csv").decode().splitlines()) == 2


def half_rated_campaign() -> Campaign:
    """Return an open campaign with a planned interim analysis and half of its ratings."""
    campaign = world.create_campaign(
        world.ended_game("1"), world.ended_game("2"), raters_per_unit=1
    )
    campaigns.change(campaign, planned_analysis={"interim": True})
    campaigns.open(campaign)
    rater = world.add_rater(campaign)
    for unit in campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)[:24]:
        world.rate_unit(rater, unit, 3)
    analysis.compute_results(campaign)
    return campaign


def test_look_after_closing_becomes_interim_when_reopened() -> None:
    campaign, ada = half_rated_campaign(), sign_in()
    campaigns.close(campaign)
    assert "with 0.048" in results_text(ada, campaign)
    assert b"look" not in data.build_file(campaign, "looks.csv").partition(b"\n")[2]
    campaigns.open(campaign)
    assert b",24,48,look after closing" in data.build_file(campaign, "looks.csv")
    text = results_text(ada, campaign)
    assert "View the planned interim analysis" not in text
    assert "This interim analysis was not planned" in text


def test_planned_look_at_half_of_the_ratings_has_its_own_bound() -> None:
    campaign, ada = half_rated_campaign(), sign_in()
    assert "View the planned interim analysis" in results_text(ada, campaign)
    ada.post(f"{page_url('results', campaign)}/look")
    assert "compare the p (Holm)" in (text := results_text(ada, campaign))
    assert "with 0.0052" in text
    assert b",24,48,planned interim look" in data.build_file(campaign, "looks.csv")
    campaigns.close(campaign)
    assert "with 0.048" in results_text(ada, campaign)


def test_each_export_can_be_downloaded(campaign: Campaign, ada: Client) -> None:
    add_ratings(campaign)
    page = text_of(ada.get(page_url("exports", campaign)))
    files = data.build_files(campaign)
    for name, body in files.items():
        assert name in page
        response = ada.get(reverse("study:export", args=[campaign.code, name]))
        assert response.content == body
        assert response["Content-Disposition"] == (
            f'attachment; filename="fabula-{campaign.code}-{name}"'
        )
        assert response["X-Content-Type-Options"] == "nosniff"
        assert b"outside-" not in body
    packed = ada.get(reverse("study:export", args=[campaign.code, "all.zip"]))
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert {n.rpartition("/")[2] for n in archive.namelist()} == set(files)
    for nonsense in ("nothing.csv", "..", "settings.py"):
        assert ada.get(f"/study/{campaign.code}/export/{nonsense}").status_code == 404


def test_numbers_and_p_values_are_formatted() -> None:
    assert [PAGE_FORMAT.number(x) for x in (0, -0.001, -1.5, 2.675, 4)] == [
        "0.00",
        "0.00",
        "−1.50",
        "2.67",
        "4.00",
    ]
    assert [PAGE_FORMAT.p_value(p) for p in (0.0004, 0.001, 0.05, 1)] == [
        "< .001",
        "0.001",
        "0.050",
        "1.000",
    ]


def test_rater_flow_adds_up_on_the_page_and_in_the_file(campaign: Campaign) -> None:
    names = [f"outside-{n}" for n in range(4)]
    finished, timed_out, *_open = [world.add_rater(campaign, label=name) for name in names]
    now = timezone.now()
    Rater.objects.filter(pk=finished.pk).update(finished_at=now)
    Rater.objects.filter(pk=timed_out.pk).update(left_as=Rater.TIMED_OUT, left_at=now)
    add_ratings(campaign)
    analysis.compute_results(campaign)
    page = BeautifulSoup(sign_in().get(page_url("results", campaign)).content, "html.parser")
    pairs = page.select_one("#flow").find_next("dl").select("div")  # type: ignore[union-attr]
    flow = {pair.dt.get_text(strip=True): int(pair.dd.get_text()) for pair in pairs}
    ends = ("were screened out", "finished all their ratings", "left early",
            "have not finished yet")  # fmt: skip
    assert [flow[end] for end in ends] == [0, 1, 1, 5]
    assert flow["agreed to rate"] == sum(flow[end] for end in ends)
    rows = csv.DictReader(io.StringIO(data.build_file(campaign, "raters.csv").decode()))
    assert [row["left_as"] for row in rows] == ["", "timed_out", *[""] * 5]


def test_unreached_check_is_not_shown_as_failed() -> None:
    counts = {"passed": 1, "failed": 1, "unanswered": 1, "total": 3}
    assert format_checks(counts) == "1/2, 1 not answered"
    assert format_checks({**counts, "unanswered": 0, "total": 2}) == "1/2"
