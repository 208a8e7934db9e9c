"""A ranking is a ranking: one page orders all players of a game, each on a place of its own."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from html import unescape
from typing import Any

import pytest
from django.test import Client

from game import selectors
from game.engine import visibility
from tests.study import rating, world
from tests.study.desk import signed_in
from tests.study.seats import NAMES, played
from webapp.study import data, tasks
from webapp.study.design import instruments
from webapp.study.judging.questions import page_question as judge_question
from webapp.study.models import Analysis, Assignment, Campaign, Judge, Study, Unit
from webapp.study.rating import campaigns, rating_rows
from webapp.study.rating.rater_view import render_unit
from webapp.study.rating.rating_rows import to_ratings
from webapp.study.rating.stimuli import build_fields

pytestmark = pytest.mark.django_db


def ranking(seats: int = 5, games: int = 1, **settings: Any) -> Campaign:
    """An open campaign that ranks the players of games of so many seats."""
    found = [played(seats, str(n)) for n in range(games)]
    usual: dict[str, Any] = {"units_per_rater": games, "raters_per_unit": 3}
    usual["instrument"] = instruments.get(f"contest-{seats}").to_json()
    made = world.campaign(*found, **{**usual, **settings})
    campaigns.open(made)
    return made


def ordered(assignment: Assignment, shift: int = 0, *keys: str) -> dict[str, int]:
    """Whole rankings by the order of the seats, moved on by `shift`; of all items, or of some."""
    seats = assignment.unit.stimuli.count()
    return {
        name: 1 + (int(f.slot[1:]) - 1 + shift) % seats
        for name, f in build_fields(assignment).items()
        if not keys or f.dimension.key in keys
    }


def said(values: dict[str, int], revision: int = 0) -> dict[str, Any]:
    return {"values": values, "skip": None, "revision": revision}


@pytest.mark.parametrize(("seats", "items"), [(5, 4), (8, 5), (13, 5)])
def test_one_page_asks_for_the_order_of_all_seats(seats: int, items: int) -> None:
    campaign = ranking(seats)
    (unit,) = campaign.units.all()
    assert (unit.kind, unit.seat) == (Unit.RANKING, None)
    client, rater = rating.enrolled(campaign)
    (page,) = rating.way(rater)
    assert len(build_fields(page)) == seats * items
    html = unescape(client.get(rating.item(page)).content.decode())
    assert html.count('<fieldset class="order"') == items
    assert html.count("<select") == seats * items
    assert all(f">{name}</option>" in html for name in NAMES[:seats])
    answer = rating.state(client, page, said(ordered(page)))
    assert answer.json()["complete"]
    sums = Counter[str]()
    for name, value in rating.stored(page)[0].items():
        sums[name.split("/")[1]] += value
    assert set(sums.values()) == {seats * (seats + 1) // 2}


def test_no_two_players_have_one_place_and_nothing_is_lost_by_trying() -> None:
    client, rater = rating.enrolled(ranking())
    (page,) = rating.way(rater)
    first = ordered(page, 0, "expression")
    assert rating.state(client, page, said(first)).status_code == 200
    twice = {**first, "s1/expression": first["s2/expression"]}
    refused = rating.state(client, page, said(twice, 1))
    assert refused.status_code == 422
    assert "“A · Natural speech”: two players have place 4" in refused.json()["error"]
    assert rating.stored(page)[0] == first
    assert rating.state(client, page, said({**first, "s1/context": 6}, 1)).status_code == 422


def test_places_are_changed_by_whole_statements_on_a_revision_as_everything_else() -> None:
    client, rater = rating.enrolled(ranking())
    (page,) = rating.way(rater)
    part = {"s1/expression": 5, "s4/expression": 1}
    assert not rating.state(client, page, said(part)).json()["complete"]
    changed = {"s1/expression": 1, "s4/expression": 5}
    assert rating.state(client, page, said(changed)).status_code == 409
    assert rating.state(client, page, said(changed, 1)).json()["revision"] == 2
    assert rating.stored(page)[0] == changed
    page.refresh_from_db()
    assert page.state == Assignment.OPEN


def test_a_plain_form_gives_each_place_to_a_player() -> None:
    client, rater = rating.enrolled(ranking())
    (page,) = rating.way(rater)
    at = rating.item(page)
    form = {f"place/{value}/expression": f"s{value}" for value in range(1, 6)}
    form |= {"place/5/context": "s3", "place/4/context": "", "do": "stay"}
    assert client.post(at, form).status_code == 302
    values = {f"s{v}/expression": v for v in range(1, 6)} | {"s3/context": 5}
    assert rating.stored(page)[0] == values
    html = client.get(at).content.decode()
    assert chosen(html, "place/5/context") == "s3"
    assert chosen(html, "place/4/context") == ""
    doubled = {**form, "place/4/context": "s3"}
    refused = client.post(at, doubled)
    assert refused.status_code == 422
    html = unescape(refused.content.decode())
    assert "“B · Fits the talk”: a player has two places" in html
    assert chosen(html, "place/4/context") == "s3", "what was chosen is still there"
    assert rating.stored(page)[0] == values
    for bad in ({"place/9/context": "s1"}, {"place/5": "s1"}, {"place/5/context": "s9"}):
        assert client.post(at, bad).status_code == 422


def chosen(html: str, name: str) -> str:
    """The value selected in the list of a place, "" for none."""
    (options,) = re.findall(rf'<select name="{name}".*?</select>', html, re.DOTALL)
    found = re.findall(r'value="(\w+)"\s+selected', options)
    return found[0] if found else ""


def test_what_was_done_is_shown_where_an_item_asks_about_it_and_comes_last() -> None:
    campaign = ranking(13)
    unit = campaign.units.get()
    deeds = render_unit(unit).deeds
    assert deeds
    assert unit.game
    cards = selectors.view_for(unit.game, visibility.MODERATOR).state.roles
    assert [row.name for row in deeds.rows] == list(NAMES)
    told = {row.name: row for row in deeds.rows}
    seer = next(seat for seat, role in cards.items() if role == "seer")
    assert "Looked at" in told[NAMES[seer - 1]].night[0]
    assert told[NAMES[seer - 1]].role == "Seer"
    assert all(row.votes in NAMES for row in deeds.rows)
    assert sum(bool(row.end) for row in deeds.rows) == 1
    order = list(
        dict.fromkeys(f.dimension.label[0] for f in build_fields(page_of(campaign)).values())
    )
    assert order == list("ABCDF")


@pytest.mark.parametrize("without", [0, 3])
def test_the_given_profile_is_shown_where_an_item_asks_about_it(without: int) -> None:
    """Nowhere if a seat has none: that would tell who is a person."""
    game = played(5)
    for player in game.players.all():
        profile = {"age": "40", "personality": f"Number {player.seat} hums."}
        player.recipe = {
            **(player.recipe or {}),
            "profile": profile if player.seat != without else {},
        }
        player.save()
    made = world.campaign(
        game, instrument=instruments.get("contest-5").to_json(), units_per_rater=1
    )
    campaigns.open(made)
    client, rater = rating.enrolled(made)
    (page,) = rating.way(rater)
    keys = {f.dimension.key for f in build_fields(page).values()}
    html = client.get(rating.item(page)).content.decode()
    asked = judge_question(Judge(campaign=made), page).messages[1]["content"]
    shown = [text in html and text in asked for text in ("Number 1 hums.", "Number 5 hums.")]
    assert shown == [not without] * 2
    assert ("diversity" in keys) == (not without)
    notes = " ".join(campaigns.plan(made)["notes"])
    assert ("“E · Character” is never asked" in notes) == bool(without)


def page_of(campaign: Campaign) -> Assignment:
    return rating.way(rating.begun(campaign))[0]


def test_without_an_item_that_asks_for_it_no_role_is_shown() -> None:
    contest = instruments.get("contest-5").to_json()
    contest["dimensions"] = contest["dimensions"][:3]
    for part in ("values", "why"):
        contest["example"][part] = dict(list(contest["example"][part].items())[:3])
    made = world.campaign(played(5), instrument=contest, units_per_rater=1)
    campaigns.open(made)
    assert render_unit(made.units.get()).deeds is None


def test_half_of_the_raters_meet_the_players_in_the_reverse_order() -> None:
    campaign = ranking(raters_per_unit=6)
    orders = []
    for _ in range(6):
        page = page_of(campaign)
        orders.append([s.slot for s in render_unit(page.unit, swapped=page.swapped).sides])
    there, back = [f"s{n}" for n in range(1, 6)], [f"s{n}" for n in range(5, 0, -1)]
    assert Counter(map(tuple, orders)) == {tuple(there): 3, tuple(back): 3}


def test_a_ranking_counts_whole_or_not_at_all() -> None:
    campaign = ranking()
    client, rater = rating.enrolled(campaign)
    (page,) = rating.way(rater)
    part = {**ordered(page, 0, "expression"), "s1/context": 5, "s2/context": 4}
    assert rating.state(client, page, said(part)).status_code == 200
    rows = list(rating_rows.read_rating_rows(campaign))
    answered = Counter(r.dimension.key for r in rows if r.value is not None)
    assert answered == {"expression": 5}
    assert {r.status for r in rows if r.dimension.key == "context"} == {"not_reached"}
    assert rating.stored(page)[0] == part, "what was placed is there to go on from"


def test_exports_and_statistics_know_whose_rank_it_is() -> None:
    campaign = ranking(games=2)
    for shift in (0, 0, 1):
        client, rater = rating.enrolled(campaign)
        for page in rating.way(rater):
            assert rating.state(client, page, said(ordered(page, shift))).status_code == 200
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
    found = Analysis.objects.get()
    assert not found.failure
    item = found.data["results"]["dimensions"][0]
    assert item["kendall_w"]["value"] == pytest.approx(0.5556, abs=1e-4)
    assert all(row["mean"]["value"] == 3 for row in item["conditions"])
    assert len(to_ratings(campaign)) == 2 * 3 * 5 * 4
    ada = signed_in("ada")
    for page in ("setup", "units", "units/1/", "raters", "progress", "results", "questions"):
        assert ada.get(f"/study/{campaign.code}/{page}", follow=True).status_code == 200, page
    told = ada.get(f"/study/{campaign.code}/results").content.decode()
    assert "the highest value is the first place. The ranks of a game have the mean 3." in told
    assert "3.125" in told, "Table 3 of the paper, mean ranks as well"


def test_a_plan_says_that_ranks_compare_nothing_between_games() -> None:
    campaign = ranking(games=2)
    plan = campaigns.plan(campaign)
    assert plan["ratings"] == 2 * 5 * 4 * 3
    assert "can’t compare conditions" in " ".join(plan["notes"])


def unrevealing() -> dict[str, Any]:
    """The contest's items but for those that show what everybody was, or a profile."""
    contest = instruments.get("contest-5").to_json()
    dimensions = [d for d in contest["dimensions"] if not (d["deeds"] or d["situation"])]
    example = {
        **contest["example"],
        "values": {d["key"]: contest["example"]["values"][d["key"]] for d in dimensions},
        "why": {d["key"]: contest["example"]["why"][d["key"]] for d in dimensions},
    }
    return {**contest, "dimensions": dimensions, "example": example}


def test_within_a_game_ranks_compare_its_players() -> None:
    with pytest.raises(campaigns.Refused, match="the true roles"):
        ranking(choice={"compare": "team"})
    campaign = ranking(games=2, choice={"compare": "team"}, instrument=unrevealing())
    plan = campaigns.plan(campaign)
    assert "can’t compare conditions" not in " ".join(plan["notes"])
    assert plan["by_condition"] == {"village": 6, "werewolf": 4}
    for shift in (0, 1):
        client, rater = rating.enrolled(campaign)
        for page in rating.way(rater):
            assert rating.state(client, page, said(ordered(page, shift))).status_code == 200
    tasks.analyse(campaign.pk)
    item = Analysis.objects.get().data["results"]["dimensions"][0]
    found = {row["condition"]: (row["n"], row["mean"]["value"]) for row in item["conditions"]}
    assert {name: n for name, (n, _mean) in found.items()} == {"village": 12, "werewolf": 8}
    assert sum(n * mean for n, mean in found.values()) == pytest.approx(4 * 15)


def test_who_is_ranked_is_everybody() -> None:
    game = played(5, names={2: "Anna"})
    contest = instruments.get("contest-5").to_json()
    made = world.campaign(game, instrument=contest, units_per_rater=1)
    assert "a ranking includes all players" in " ".join(campaigns.plan(made)["problems"])
    campaigns.change(made, choice={"speakers": "all"})
    campaigns.open(made)
    page = rating.begun(made)
    seen = render_unit(rating.way(page)[0].unit)
    assert [side.speaker for side in seen.sides] == list(NAMES[:5])
    assert "Anna" not in str(seen)


def test_a_ranking_tells_raters_nothing_of_where_the_words_come_from() -> None:
    recipe = {"backend": "openai/zork-9000", "method": "strategy", "character": "princess"}
    game = played(5, recipe=recipe, label="fallback:timeout", names={2: "Anna"})
    contest = instruments.get("contest-5").to_json()
    made = world.campaign(game, instrument=contest, units_per_rater=1, choice={"speakers": "all"})
    campaigns.choose_games(made, [(game, "zork-arm")])
    campaigns.open(made)
    client, rater = rating.enrolled(made)
    (page,) = rating.way(rater)
    html = rating.without_tokens(client.get(rating.item(page)).content.decode())
    assert "Werewolf" in html
    secrets = ("zork", "Zork", "princess", "fallback", "Anna", "strategy", "contest", game.code)
    assert not [secret for secret in secrets if secret in html]


def test_repeats_and_checks_come_with_rankings_too() -> None:
    campaign = ranking(games=4, repeats=1, attention=1)
    client, rater = rating.enrolled(campaign)
    way = rating.way(rater)
    assert [a.is_repeat for a in way].count(True) == 1
    (check,) = [a for a in way if a.unit.kind == Unit.ATTENTION]
    html = client.get(rating.item(check)).content.decode()
    assert '<fieldset class="order"' not in html
    assert rating.rate(client, check, check.unit.expected).json()["complete"]


# -- campaigns of an earlier time


def old_campaign() -> tuple[Campaign, Client]:
    """Ratings rest on a ranking whose players stand on a page each, as they once did."""
    made = world.campaign(played(8), units_per_rater=8)
    contest = instruments.get("contest-8").to_json() | {"key": "contest-13"}
    contest["dimensions"] = [
        {k: v for k, v in d.items() if k != "deeds"} for d in contest["dimensions"]
    ]
    Campaign.objects.filter(pk=made.pk).update(instrument=contest, state=Campaign.OPEN)
    Study.objects.filter(pk=made.study_id).update(state=Study.OPEN)
    made.refresh_from_db()
    for seat in range(1, 9):
        unit = Unit.objects.create(
            campaign=made, kind="player", index=seat, game=made.chosen.get().game,
            position=40, seat=seat,
        )  # fmt: skip
        unit.stimuli.create(condition="one")
    return made, Client()


def test_a_ranking_of_an_earlier_time_is_rated_as_it_was() -> None:
    made, client = old_campaign()
    rating.enrolled(made, client)
    rater = made.raters.get()
    way = rating.way(rater)
    assert sorted(a.unit.seat or 0 for a in way) == list(range(1, 9))
    html = client.get(rating.item(way[0])).content.decode()
    assert '<fieldset class="order"' not in html
    for value, page in enumerate(way, 1):
        assert rating.rate(client, page, value).json()["complete"]
    campaigns.close(made)
    campaigns.open(made)
    assert {u.kind for u in made.units.all()} == {"player"}, "ratings rest on them"
    tasks.analyse(made.pk)
    assert Analysis.objects.get().failure == ""


def test_seats_are_no_answers_of_another_system() -> None:
    """The second seat of a ranking stands where a rival's answer stands in a pair."""
    campaign = ranking(8, 2)
    tasks.analyse(campaign.pk)
    selection = Analysis.objects.get().data["results"]["selection"]["conditions"]
    rows = csv.DictReader(io.StringIO(data.build_file(campaign, "transcripts.csv").decode()))
    told = Counter(row["condition"] for row in rows)
    assert {row["condition"]: row["turns"] for row in selection} == dict(told)
