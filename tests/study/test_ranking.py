"""Tests of rankings: one page orders all players of a game, each on a different place."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from game import selectors
from game.engine import visibility
from tests.study import rating, world
from tests.study.desk import sign_in
from tests.study.ranking import contest_without_deeds, open_ranking, rank_by_seat, rating_body
from tests.study.sized_games import NAMES, finished_sized_game
from webapp.study import tasks
from webapp.study.data import campaign_export as data
from webapp.study.design import instruments
from webapp.study.design.refusals import Refused
from webapp.study.judging.judge_prompts import page_question as judge_question
from webapp.study.models import Analysis, Assignment, Campaign, Judge, Study, Unit
from webapp.study.rating import campaigns, rating_plan, rating_rows
from webapp.study.rating.rater_view import render_unit
from webapp.study.rating.rating_rows import read_marks
from webapp.study.rating.stimuli import build_fields

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("seats", "items"), [(5, 4), (8, 5), (13, 5)])
def test_ranking_page_asks_for_the_order_of_all_seats(seats: int, items: int) -> None:
    campaign = open_ranking(seats)
    (unit,) = campaign.units.all()
    assert (unit.kind, unit.seat) == (Unit.RANKING, None)
    client, rater = rating.enrol(campaign)
    (page,) = rating.pages_of(rater)
    assert len(build_fields(page)) == seats * items
    html = unescape(client.get(rating.page_url(page)).content.decode())
    assert html.count('<fieldset class="order"') == items
    assert html.count("<select") == seats * items
    assert all(f">{name}</option>" in html for name in NAMES[:seats])
    response = rating.post(client, page, rating_body(rank_by_seat(page)))
    assert response.json()["complete"]
    sums = Counter[str]()
    for name, value in rating.stored_rating(page)[0].items():
        sums[name.split("/")[1]] += value
    assert set(sums.values()) == {seats * (seats + 1) // 2}


def test_duplicate_place_is_rejected_and_changes_nothing() -> None:
    client, rater = rating.enrol(open_ranking())
    (page,) = rating.pages_of(rater)
    first = rank_by_seat(page, 0, "expression")
    assert rating.post(client, page, rating_body(first)).status_code == 200
    twice = {**first, "s1/expression": first["s2/expression"]}
    rejected = rating.post(client, page, rating_body(twice, 1))
    assert rejected.status_code == 422
    assert "“A · Natural speech”: two players have place 4" in rejected.json()["error"]
    assert rating.stored_rating(page)[0] == first
    assert rating.post(client, page, rating_body({**first, "s1/context": 6}, 1)).status_code == 422


def test_places_are_changed_as_whole_statements_with_a_revision() -> None:
    client, rater = rating.enrol(open_ranking())
    (page,) = rating.pages_of(rater)
    part = {"s1/expression": 5, "s4/expression": 1}
    assert not rating.post(client, page, rating_body(part)).json()["complete"]
    changed = {"s1/expression": 1, "s4/expression": 5}
    assert rating.post(client, page, rating_body(changed)).status_code == 409
    assert rating.post(client, page, rating_body(changed, 1)).json()["revision"] == 2
    assert rating.stored_rating(page)[0] == changed
    page.refresh_from_db()
    assert page.state == Assignment.OPEN


def test_plain_form_assigns_each_place_to_a_player() -> None:
    client, rater = rating.enrol(open_ranking())
    (page,) = rating.pages_of(rater)
    url = rating.page_url(page)
    form = {f"place/{value}/expression": f"s{value}" for value in range(1, 6)}
    form |= {"place/5/context": "s3", "place/4/context": "", "do": "stay"}
    assert client.post(url, form).status_code == 302
    values = {f"s{v}/expression": v for v in range(1, 6)} | {"s3/context": 5}
    assert rating.stored_rating(page)[0] == values
    html = client.get(url).content.decode()
    assert selected_option(html, "place/5/context") == "s3"
    assert selected_option(html, "place/4/context") == ""
    duplicate = {**form, "place/4/context": "s3"}
    rejected = client.post(url, duplicate)
    assert rejected.status_code == 422
    html = unescape(rejected.content.decode())
    assert "“B · Fits the talk”: a player has two places" in html
    assert selected_option(html, "place/4/context") == "s3", "the chosen value remains"
    assert rating.stored_rating(page)[0] == values
    for bad in ({"place/9/context": "s1"}, {"place/5": "s1"}, {"place/5/context": "s9"}):
        assert client.post(url, bad).status_code == 422


def selected_option(html: str, name: str) -> str:
    """Return the selected value of a place, or ""."""
    (options,) = re.findall(rf'<select name="{name}".*?</select>', html, re.DOTALL)
    selected = re.findall(r'value="(\w+)"\s+selected', options)
    return selected[0] if selected else ""


def test_deeds_are_shown_with_the_items_that_need_them() -> None:
    campaign = open_ranking(13)
    unit = campaign.units.get()
    deeds = render_unit(unit).deeds
    assert deeds
    assert unit.game
    cards = selectors.view_for(unit.game, visibility.MODERATOR).state.roles
    assert [row.name for row in deeds.rows] == list(NAMES)
    rows = {row.name: row for row in deeds.rows}
    seer = next(seat for seat, role in cards.items() if role == "seer")
    assert "Looked at" in rows[NAMES[seer - 1]].night[0]
    assert rows[NAMES[seer - 1]].role == "Seer"
    assert all(row.votes in NAMES for row in deeds.rows)
    assert sum(bool(row.end) for row in deeds.rows) == 1
    order = list(
        dict.fromkeys(f.dimension.label[0] for f in build_fields(first_page(campaign)).values())
    )
    assert order == list("ABCDF")


def test_unit_page_marks_the_rated_player_among_all_roles() -> None:
    instrument = instruments.get("players").to_json()
    campaign = world.create_campaign(finished_sized_game(5), instrument=instrument)
    campaigns.draw_units(campaign)
    unit = campaign.units.filter(kind=Unit.PLAYER)[1]
    page = sign_in().get(reverse("study:unit", args=[campaign.code, unit.index])).content.decode()
    marked = re.findall(r'class="is-own">\s*<th scope="row" class="speaker">([^<]+)', page)
    assert marked == [NAMES[(unit.seat or 0) - 1]]


@pytest.mark.parametrize("without", [0, 3])
def test_profile_is_shown_only_if_each_seat_has_one(without: int) -> None:
    """A missing profile would reveal a person, so none is shown."""
    game = finished_sized_game(5)
    for player in game.players.all():
        profile = {"age": "40", "personality": f"Number {player.seat} hums."}
        player.recipe = {
            **(player.recipe or {}),
            "profile": profile if player.seat != without else {},
        }
        player.save()
    campaign = world.create_campaign(
        game, instrument=instruments.get("contest-5").to_json(), units_per_rater=1
    )
    campaigns.open(campaign)
    client, rater = rating.enrol(campaign)
    (page,) = rating.pages_of(rater)
    keys = {f.dimension.key for f in build_fields(page).values()}
    html = client.get(rating.page_url(page)).content.decode()
    prompt = judge_question(Judge(campaign=campaign), page).messages[1]["content"]
    is_shown = [text in html and text in prompt for text in ("Number 1 hums.", "Number 5 hums.")]
    assert is_shown == [not without] * 2
    assert ("diversity" in keys) == (not without)
    notes = " ".join(rating_plan.build_plan(campaign)["notes"])
    assert ("“E · Character” is never asked" in notes) == bool(without)


def first_page(campaign: Campaign) -> Assignment:
    return rating.pages_of(rating.start_rater(campaign))[0]


def test_roles_are_hidden_without_an_item_that_needs_them() -> None:
    contest = instruments.get("contest-5").to_json()
    contest["dimensions"] = contest["dimensions"][:3]
    for part in ("values", "why"):
        contest["example"][part] = dict(list(contest["example"][part].items())[:3])
    campaign = world.create_campaign(finished_sized_game(5), instrument=contest, units_per_rater=1)
    campaigns.open(campaign)
    assert render_unit(campaign.units.get()).deeds is None


def test_half_of_the_raters_see_the_reverse_player_order() -> None:
    campaign = open_ranking(raters_per_unit=6)
    orders = []
    for _ in range(6):
        page = first_page(campaign)
        orders.append([s.slot for s in render_unit(page.unit, swapped=page.swapped).sides])
    forward, reverse = [f"s{n}" for n in range(1, 6)], [f"s{n}" for n in range(5, 0, -1)]
    assert Counter(map(tuple, orders)) == {tuple(forward): 3, tuple(reverse): 3}


def test_incomplete_ranking_of_an_item_does_not_count() -> None:
    campaign = open_ranking()
    client, rater = rating.enrol(campaign)
    (page,) = rating.pages_of(rater)
    part = {**rank_by_seat(page, 0, "expression"), "s1/context": 5, "s2/context": 4}
    assert rating.post(client, page, rating_body(part)).status_code == 200
    rows = list(rating_rows.read_rating_rows(campaign))
    answered = Counter(r.dimension.key for r in rows if r.value is not None)
    assert answered == {"expression": 5}
    assert {r.status for r in rows if r.dimension.key == "context"} == {"not_reached"}
    assert rating.stored_rating(page)[0] == part, "the partial ranking remains stored"


def test_exports_and_statistics_attribute_each_rank() -> None:
    campaign = open_ranking(games=2)
    for shift in (0, 0, 1):
        client, rater = rating.enrol(campaign)
        for page in rating.pages_of(rater):
            assert (
                rating.post(client, page, rating_body(rank_by_seat(page, shift))).status_code == 200
            )
    lines = list(
        csv.DictReader(io.StringIO(data.build_file(campaign, "ratings_long.csv").decode()))
    )
    assert {r["item_id"] for r in lines} == {f"u{g:04d}.{s}" for g in (1, 2) for s in range(1, 6)}
    assert {r["speaker_pseudonym"] for r in lines} == set(NAMES[:5])
    assert {r["side"] for r in lines} == {r["utterance_id"] for r in lines} == {""}
    first = {r["speaker_pseudonym"]: r["value"] for r in lines if r["rater_pseudonym"] == "R001"}
    assert first == {name: str(n) for n, name in enumerate(NAMES[:5], 1)}
    transcripts = data.build_file(campaign, "transcripts.csv").decode()
    assert ",rival," not in transcripts
    tasks.analyse(campaign.pk)
    stored = Analysis.objects.get()
    assert not stored.failure
    item = stored.data["results"]["dimensions"][0]
    assert item["kendall_w"]["value"] == pytest.approx(0.5556, abs=1e-4)
    assert all(row["mean"]["value"] == 3 for row in item["conditions"])
    assert len(read_marks(campaign)) == 2 * 3 * 5 * 4
    ada = sign_in("ada")
    for page in ("setup", "units", "units/1/", "raters", "progress", "results", "questions"):
        assert ada.get(f"/study/{campaign.code}/{page}", follow=True).status_code == 200, page
    text = ada.get(f"/study/{campaign.code}/results").content.decode()
    assert "the highest value is the first place. The ranks of a game have the mean 3." in text
    assert "3.125" in text, "the mean rank of the paper's Table 3"


def test_plan_notes_that_ranks_compare_nothing_between_games() -> None:
    campaign = open_ranking(games=2)
    plan = rating_plan.build_plan(campaign)
    assert plan["ratings"] == 2 * 5 * 4 * 3
    assert "can’t compare conditions" in " ".join(plan["notes"])


def test_ranks_compare_players_within_a_game() -> None:
    with pytest.raises(Refused, match="the true roles"):
        open_ranking(choice={"compare": "team"})
    campaign = open_ranking(games=2, choice={"compare": "team"}, instrument=contest_without_deeds())
    plan = rating_plan.build_plan(campaign)
    assert "can’t compare conditions" not in " ".join(plan["notes"])
    assert plan["by_condition"] == {"village": 6, "werewolf": 4}
    for shift in (0, 1):
        client, rater = rating.enrol(campaign)
        for page in rating.pages_of(rater):
            assert (
                rating.post(client, page, rating_body(rank_by_seat(page, shift))).status_code == 200
            )
    tasks.analyse(campaign.pk)
    item = Analysis.objects.get().data["results"]["dimensions"][0]
    ranks = {row["condition"]: (row["n"], row["mean"]["value"]) for row in item["conditions"]}
    assert {name: n for name, (n, _mean) in ranks.items()} == {"village": 12, "werewolf": 8}
    assert sum(n * mean for n, mean in ranks.values()) == pytest.approx(4 * 15)


def test_ranking_includes_all_players() -> None:
    game = finished_sized_game(5, names={2: "Anna"})
    contest = instruments.get("contest-5").to_json()
    campaign = world.create_campaign(game, instrument=contest, units_per_rater=1)
    problems = rating_plan.build_plan(campaign)["problems"]
    assert "a ranking includes all players" in " ".join(problems)
    campaigns.change(campaign, choice={"speakers": "all"})
    campaigns.open(campaign)
    rater = rating.start_rater(campaign)
    rendered = render_unit(rating.pages_of(rater)[0].unit)
    assert [side.speaker for side in rendered.sides] == list(NAMES[:5])
    assert "Anna" not in str(rendered)


def test_ranking_page_reveals_no_source_of_the_statements() -> None:
    recipe = {"backend": "openai/zork-9000", "method": "strategy", "character": "princess"}
    game = finished_sized_game(5, recipe=recipe, label="fallback:timeout", names={2: "Anna"})
    contest = instruments.get("contest-5").to_json()
    campaign = world.create_campaign(
        game, instrument=contest, units_per_rater=1, choice={"speakers": "all"}
    )
    campaigns.change(campaign, games=[(game, "zork-arm")])
    campaigns.open(campaign)
    client, rater = rating.enrol(campaign)
    (page,) = rating.pages_of(rater)
    html = rating.strip_tokens(client.get(rating.page_url(page)).content.decode())
    assert "Werewolf" in html
    secrets = ("zork", "Zork", "princess", "fallback", "Anna", "strategy", "contest", game.code)
    assert not [secret for secret in secrets if secret in html]


def test_ranking_campaign_has_repeats_and_checks() -> None:
    campaign = open_ranking(games=4, repeats=1, attention=1)
    client, rater = rating.enrol(campaign)
    pages = rating.pages_of(rater)
    assert [a.is_repeat for a in pages].count(True) == 1
    (check,) = [a for a in pages if a.unit.kind == Unit.ATTENTION]
    html = client.get(rating.page_url(check)).content.decode()
    assert '<fieldset class="order"' not in html
    assert rating.rate_page(client, check, check.unit.expected).json()["complete"]


# -- old campaigns


def create_old_campaign() -> tuple[Campaign, Client]:
    """Open a ranking campaign with one page per player, as in earlier versions."""
    campaign = world.create_campaign(finished_sized_game(8), units_per_rater=8)
    contest = instruments.get("contest-8").to_json() | {"key": "contest-13"}
    contest["dimensions"] = [
        {k: v for k, v in d.items() if k != "deeds"} for d in contest["dimensions"]
    ]
    Campaign.objects.filter(pk=campaign.pk).update(instrument=contest, state=Campaign.OPEN)
    Study.objects.filter(pk=campaign.study_id).update(state=Study.OPEN)
    campaign.refresh_from_db()
    for seat in range(1, 9):
        unit = Unit.objects.create(
            campaign=campaign, kind="player", index=seat, game=campaign.chosen_games.get().game,
            position=40, seat=seat,
        )  # fmt: skip
        unit.stimuli.create(condition="one")
    return campaign, Client()


def test_old_ranking_campaign_is_rated_as_before() -> None:
    campaign, client = create_old_campaign()
    rating.enrol(campaign, client)
    rater = campaign.raters.get()
    pages = rating.pages_of(rater)
    assert sorted(a.unit.seat or 0 for a in pages) == list(range(1, 9))
    html = client.get(rating.page_url(pages[0])).content.decode()
    assert '<fieldset class="order"' not in html
    for value, page in enumerate(pages, 1):
        assert rating.rate_page(client, page, value).json()["complete"]
    campaigns.close(campaign)
    campaigns.open(campaign)
    assert {u.kind for u in campaign.units.all()} == {"player"}, "rated units stay"
    tasks.analyse(campaign.pk)
    assert Analysis.objects.get().failure == ""


def test_ranked_seats_are_not_counted_as_rival_answers() -> None:
    """The second seat has the place number of a rival's answer in a pair."""
    campaign = open_ranking(8, 2)
    tasks.analyse(campaign.pk)
    selection = Analysis.objects.get().data["results"]["selection"]["conditions"]
    rows = csv.DictReader(io.StringIO(data.build_file(campaign, "transcripts.csv").decode()))
    turns = Counter(row["condition"] for row in rows)
    assert {row["condition"]: row["turns"] for row in selection} == dict(turns)
