"""The results as pages: every figure with what it rests on, "undefined" with its reason."""

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
from django.urls import reverse
from django.utils import timezone

from tests.live import wait_until
from tests.study import world
from tests.study.desk import signed_in
from tests.study.test_setup import at
from webapp.study import analysis, data
from webapp.study.models import Analysis, Campaign, Rater, Unit
from webapp.study.rating import campaigns, stimuli
from webapp.study.researcher.results.campaign_result_tables import PAGE, format_checks

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    made = world.campaign(world.finished("1"), world.finished("2"))
    campaigns.open(made)
    return made


def rated(campaign: Campaign) -> None:
    """Three raters, six units of each condition; the third is always content."""
    for n, start in enumerate((1, 2, 5)):
        rater = world.rater(campaign, label=f"outside-{n}")
        for place, unit in enumerate((*campaign.units.all()[:6], *campaign.units.all()[24:30])):
            world.rate(rater, unit, 5 if n == 2 else 1 + (start + place) % 4)


def plain(html: bytes) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.decode())))


def test_before_the_first_rating_the_page_says_that_results_will_come(campaign: Campaign) -> None:
    ada = signed_in()
    page = ada.get(at("results", campaign))
    assert "The first results will appear in a moment." in plain(page.content)
    analysis.compute_results(campaign)
    page = ada.get(at("results", campaign))
    assert "There are no ratings yet." in plain(page.content)
    assert b'hx-trigger="every' in page.content


def test_the_page_shows_what_was_worked_out(campaign: Campaign) -> None:
    rated(campaign)
    campaigns.close(campaign)
    analysis.compute_results(campaign)
    ada, stored = signed_in(), Analysis.objects.get()
    response = ada.get(at("results", campaign))
    told = plain(response.content)
    for item in stored.data["results"]["dimensions"]:
        assert item["label"] in told
        for row in item["conditions"]:
            if row["n"] > 1:
                assert f"{row['condition']} {row['n']} {row['units']} {row['games']}" in told
                assert (
                    f"{PAGE.number(row['mean']['value'])} {PAGE.number(row['sd']['value'])}" in told
                )
        alpha = item["alpha"]["ordinal"]
        if alpha["value"] is not None:
            assert f"alpha, ordinal {PAGE.number(alpha['value'], 3)}" in told
    # One game a condition: no interval, and the page says why.
    assert "undefined" in told
    assert "All ratings come from one game. The interval is computed over games" in told
    # The paper's means beside ours, and where they come from.
    assert re.search(r"Published: Vanilla LLM\W+\d+\W+2.52", told)
    assert re.search(r"Published: Their agent\W+\d+\W+4.54", told)
    assert "Table 7" in told
    # A rater who always gives the same value is flagged, by number and never by name.
    assert "R003" in told
    assert "Gave only one value." in told
    assert "outside-" not in told


def test_every_table_has_a_name_and_rows_as_wide_as_its_head(campaign: Campaign) -> None:
    rated(campaign)
    campaigns.close(campaign)
    analysis.compute_results(campaign)
    page = BeautifulSoup(signed_in().get(at("results", campaign)).content, "html.parser")
    tables = page.find_all("table")
    assert len(tables) == 3 * 2 + 2 + 2  # three items are compared, two are not; turns and raters
    for table in tables:
        assert len(page.find_all(id=table["aria-labelledby"])) == 1
        head, *rows = table.find_all("tr")
        columns = len(head.find_all("th", scope="col"))
        for row in rows:
            assert row.find("th")["scope"] == "row"
            cells = row.find_all(["th", "td"])
            assert sum(int(cell.get("colspan", 1)) for cell in cells) == columns


def test_an_item_asked_of_nothing_is_shown_and_said_to_be_empty(campaign: Campaign) -> None:
    rated(campaign)
    analysis.compute_results(campaign)
    page = signed_in().get(at("results", campaign)).content
    told = plain(page)
    assert "Deceiving" in told
    assert "There are no ratings yet." in told
    assert page.count(b'class="distribution"') == told.count("alpha, ordinal") == 3


def test_the_page_asks_again_and_changes_only_when_there_is_news(campaign: Campaign) -> None:
    rated(campaign)
    analysis.compute_results(campaign)
    ada, script = signed_in(), {"HX-Request": "true"}
    page = ada.get(at("results", campaign)).content.decode()
    again = unescape(re.search(r'hx-get="([^"]+results/part[^"]*)"', page)[1])  # type: ignore[index]
    assert ada.get(again, headers=script).status_code == 204
    world.rate(world.rater(campaign), Unit.objects.order_by("index")[7], 2)
    analysis.compute_results(campaign)
    news = ada.get(again, headers=script)
    assert news.status_code == 200
    assert b"<html" not in news.content
    assert "R004" in plain(news.content)
    assert ada.get(again)["Location"] == at("results", campaign)


def test_a_failure_is_told_and_the_last_results_stay(campaign: Campaign) -> None:
    rated(campaign)
    analysis.compute_results(campaign)
    Analysis.objects.update(failure="ValueError: that went wrong")
    told = plain(signed_in().get(at("results", campaign)).content)
    assert "could not be computed: ValueError: that went wrong" in told
    assert "Individuality" in told


def test_a_failed_computation_is_shown_and_the_next_visit_tries_again(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    ada, queued = signed_in(), list[int]()
    monkeypatch.setattr(analysis, "send", lambda _task, pk: queued.append(pk) or True)

    def visit(*, part: bool = False) -> str:
        url = (
            reverse("study:results_part", args=[campaign.code]) if part else at("results", campaign)
        )
        with django_capture_on_commit_callbacks(execute=True):
            return plain(ada.get(url, headers={"HX-Request": "true"} if part else {}).content)

    def fail(_campaign: Campaign) -> None:
        raise ModuleNotFoundError("No module named 'choix'")

    with monkeypatch.context() as patch:
        patch.setattr(analysis, "campaign_results", fail)
        analysis.compute_results(campaign)
    told = visit(part=True)
    assert "No module named 'choix'. Install what requirements.txt names (make setup)" in told
    assert "Reload this page to try again." in told
    assert queued == [], "the refresh of a page would repeat a failure for ever"
    again = visit()
    assert "No module named 'choix'" in again
    assert "A new attempt is in progress" in again
    assert queued == [campaign.pk]
    analysis.compute_results(campaign)
    assert "could not be computed" not in visit()


def test_a_request_that_nobody_answers_is_told(campaign: Campaign) -> None:
    ada = signed_in()
    long_ago = timezone.now() - 2 * analysis.REQUEST_TIMEOUT
    Analysis.objects.create(campaign=campaign, asked_at=long_ago)
    assert "No worker has answered within 120 seconds" in plain(
        ada.get(at("results", campaign)).content
    )
    analysis.compute_results(campaign)
    done = Analysis.objects.get()
    assert not done.failure
    # A request of which nothing came, because the results were there already.
    Analysis.objects.update(asked_at=done.done_at + timedelta(seconds=1))
    analysis.compute_results(campaign)
    Analysis.objects.update(asked_at=done.done_at)
    assert "moment" not in plain(ada.get(at("results", campaign)).content)
    assert Analysis.objects.get().done_at > done.done_at


@pytest.mark.django_db(transaction=True)
def test_results_of_a_slow_worker_are_not_requested_again(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued, failures = list[int](), list[str]()
    monkeypatch.setattr(analysis, "_queue", lambda _kind, pk: queued.append(pk))
    monkeypatch.setattr(analysis, "RENEWAL_INTERVAL_S", 0.02)
    analysis.newest_results(campaign)

    def compute_slowly(_campaign: Campaign) -> dict[str, Any]:
        recent = timezone.now() - analysis.REQUEST_TIMEOUT
        Analysis.objects.update(asked_at=recent - analysis.REQUEST_TIMEOUT)
        wait_until(Analysis.objects.filter(asked_at__gt=recent).exists, "the request is renewed")
        failures.append(analysis.newest_results(campaign).failure)
        return {}

    monkeypatch.setattr(analysis, "campaign_results", compute_slowly)
    analysis.compute_results(campaign)
    assert (queued, failures) == ([campaign.pk], [""])
    assert not Analysis.objects.get().failure


def test_figures_and_tables_to_take_away(campaign: Campaign) -> None:
    ada = signed_in()

    def figure(key: str) -> str:
        return reverse("study:figure", args=[campaign.code, key])

    def table(form: str) -> str:
        return reverse("study:tables", args=[campaign.code, form])

    for address in (figure("individuality"), table("tex"), table("md")):
        assert ada.get(address).status_code == 404
    rated(campaign)
    analysis.compute_results(campaign)
    stored = Analysis.objects.get()
    svg = ada.get(figure("individuality"))
    assert svg.content.decode() == stored.data["figures"]["individuality"]
    assert svg["Content-Type"].startswith("image/svg+xml")
    assert "default-src 'none'" in svg["Content-Security-Policy"]
    assert ada.get(figure("nonsense")).status_code == 404
    assert ada.get(table("tex"))["Location"] == at("results", campaign)  # hidden while people rate
    campaigns.close(campaign)
    assert ada.get(table("tex")).content.decode() == stored.data["latex"]
    markdown = ada.get(table("md"))
    assert markdown.content.decode() == stored.data["markdown"]
    assert markdown["Content-Disposition"].startswith("attachment")
    assert ada.get(f"/study/{campaign.code}/results/tables.exe").status_code == 404


def test_only_figures_whose_data_have_changed_are_drawn_again(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated(campaign)
    analysis.compute_results(campaign)
    before = Analysis.objects.get().data["figures"]
    Analysis.objects.all().delete()
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: pytest.fail("drawn"))
    analysis.compute_results(campaign)
    assert Analysis.objects.get().data["figures"] == before
    monkeypatch.undo()
    unit = campaign.units.all()[6]
    world.rate(world.rater(campaign), unit, 4)
    analysis.compute_results(campaign)
    after = Analysis.objects.get().data["figures"]
    changed = {key for key in before if after[key] != before[key]}
    assert changed == {dimension.key for dimension in stimuli.unit_dimensions(unit)} < after.keys()


def test_tests_are_hidden_while_people_rate_and_a_look_is_on_record(campaign: Campaign) -> None:
    rated(campaign)
    analysis.compute_results(campaign)
    ada = signed_in()

    def shown() -> tuple[bool, bool, bool]:
        told = plain(ada.get(at("results", campaign)).content)
        return "View anyway" in told, "Krippendorff" in told, "p (Holm)" in told

    assert shown() == (True, True, False)
    flow = plain(ada.get(at("results", campaign)).content)
    assert re.search(r"agreed to rate\s+\d+\s+were screened out\s+0\s+started rating", flow)
    assert "Hidden while people rate" in plain(ada.get(at("results", campaign)).content)
    before = data.build_file(campaign, "looks.csv").decode().splitlines()
    assert ada.post(f"{at('results', campaign)}/look").status_code == 302
    assert shown() == (False, True, True)
    after = data.build_file(campaign, "looks.csv").decode().splitlines()
    assert (len(before), len(after)) == (1, 2)
    assert after[1].endswith(",24,96,unplanned look")
    campaigns.close(campaign)
    assert shown() == (False, True, True)
    assert len(data.build_file(campaign, "looks.csv").decode().splitlines()) == 2


def test_a_look_after_closing_is_one_before_the_end_once_the_campaign_goes_on() -> None:
    made = world.campaign(world.finished("1"), world.finished("2"), raters_per_unit=1)
    campaigns.change(made, planned_analysis={"interim": True})
    campaigns.open(made)
    rater, ada = world.rater(made), signed_in()
    for unit in made.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)[:24]:
        world.rate(rater, unit, 3)
    analysis.compute_results(made)
    campaigns.close(made)
    assert "with 0.048" in plain(ada.get(at("results", made)).content)
    assert b"look" not in data.build_file(made, "looks.csv").partition(b"\n")[2]
    campaigns.open(made)
    assert b",24,48,look after closing" in data.build_file(made, "looks.csv")
    shown = plain(ada.get(at("results", made)).content)
    assert "View the planned interim analysis" not in shown
    assert "This interim analysis was not planned" in shown


def test_a_planned_look_is_at_half_of_the_ratings_with_a_bound_of_its_own() -> None:
    made = world.campaign(world.finished("1"), world.finished("2"), raters_per_unit=1)
    campaigns.change(made, planned_analysis={"interim": True})
    campaigns.open(made)
    rater, ada = world.rater(made), signed_in()
    for unit in made.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)[:24]:
        world.rate(rater, unit, 3)
    analysis.compute_results(made)
    assert "View the planned interim analysis" in plain(ada.get(at("results", made)).content)
    ada.post(f"{at('results', made)}/look")
    assert "compare the p (Holm)" in (told := plain(ada.get(at("results", made)).content))
    assert "with 0.0052" in told
    assert b",24,48,planned interim look" in data.build_file(made, "looks.csv")
    campaigns.close(made)
    assert "with 0.048" in plain(ada.get(at("results", made)).content)


def test_everything_can_be_taken_home(campaign: Campaign) -> None:
    rated(campaign)
    ada = signed_in()
    page = plain(ada.get(at("exports", campaign)).content)
    found = data.build_files(campaign)
    for name, body in found.items():
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
        assert {n.rpartition("/")[2] for n in archive.namelist()} == set(found)
    for nonsense in ("nothing.csv", "..", "settings.py"):
        assert ada.get(f"/study/{campaign.code}/export/{nonsense}").status_code == 404


def test_numbers_are_told_as_they_are() -> None:
    assert [PAGE.number(x) for x in (0, -0.001, -1.5, 2.675, 4)] == [
        "0.00",
        "0.00",
        "−1.50",
        "2.67",
        "4.00",
    ]
    assert [PAGE.p_value(p) for p in (0.0004, 0.001, 0.05, 1)] == [
        "< .001",
        "0.001",
        "0.050",
        "1.000",
    ]


def test_the_flow_of_raters_adds_up_in_the_page_and_in_the_file(campaign: Campaign) -> None:
    names = [f"outside-{n}" for n in range(4)]
    done, left, *_open = [world.rater(campaign, label=name) for name in names]
    now = timezone.now()
    Rater.objects.filter(pk=done.pk).update(finished_at=now)
    Rater.objects.filter(pk=left.pk).update(left_as=Rater.TIMED_OUT, left_at=now)
    rated(campaign)
    analysis.compute_results(campaign)
    page = BeautifulSoup(signed_in().get(at("results", campaign)).content, "html.parser")
    pairs = page.select_one("#flow").find_next("dl").select("div")  # type: ignore[union-attr]
    flow = {pair.dt.get_text(strip=True): int(pair.dd.get_text()) for pair in pairs}
    ends = ("were screened out", "finished all their ratings", "left early",
            "have not finished yet")  # fmt: skip
    assert [flow[end] for end in ends] == [0, 1, 1, 5]
    assert flow["agreed to rate"] == sum(flow[end] for end in ends)
    rows = csv.DictReader(io.StringIO(data.build_file(campaign, "raters.csv").decode()))
    assert [row["left_as"] for row in rows] == ["", "timed_out", *[""] * 5]


def test_a_check_that_was_not_reached_is_not_shown_as_failed() -> None:
    counts = {"passed": 1, "failed": 1, "unanswered": 1, "total": 3}
    assert format_checks(counts) == "1/2, 1 not answered"
    assert format_checks({**counts, "unanswered": 0, "total": 2}) == "1/2"
