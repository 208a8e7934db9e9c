"""Setting up a campaign: what is refused keeps what was typed, what ratings rest on is locked."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from game.models import Game
from tests.study import world
from tests.study.desk import signed_in
from webapp.play import readings
from webapp.study import tasks
from webapp.study.design import instruments
from webapp.study.games import situations
from webapp.study.models import Campaign, CampaignGame, Unit
from webapp.study.rating import campaigns
from webapp.study.researcher.rating.campaign_setup import SetupForm

pytestmark = pytest.mark.django_db


def at(name: str, campaign: Campaign) -> str:
    return reverse(f"study:{name}", args=[campaign.code])


def entered(campaign: Campaign, **changed: Any) -> dict[str, Any]:
    """What a browser sends from the set-up page as it is shown, some of it changed."""
    form = SetupForm(campaign)
    shown = {name: form.get_initial_for_field(f, name) for name, f in form.fields.items()}
    return {**{k: "" if v is None else v for k, v in shown.items()}, **changed}


def fresh(name: str = "A study") -> Campaign:
    owner = User.objects.filter(username="ada").first() or world.researcher()
    return campaigns.create(owner, name)


def test_what_is_wrong_on_the_long_page_is_led_to() -> None:
    campaign = fresh()
    page = signed_in().post(at("setup", campaign), entered(campaign, context="-3", consent=""))
    assert page.status_code == 422
    ways = re.findall(r'<a href="#(id_\w+)">', page.content.decode())
    assert ways == ["id_context", "id_consent"]


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The games that workers were asked to read; no page reads one itself."""
    games: list[int] = []
    monkeypatch.setattr(readings, "_queue", lambda _model, game, _task: games.append(game))

    def never(game: Game) -> None:
        raise AssertionError("a page read a game for its meaning")

    monkeypatch.setattr(situations, "find_situations", never)
    return games


def test_games_are_read_by_a_worker_and_counted_once_it_has(
    queued: list[int],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    campaign, game, ada = fresh(), world.finished(), signed_in()
    with django_capture_on_commit_callbacks(execute=True):
        campaigns.choose_games(campaign, {game: ""})
    page = ada.get(at("setup", campaign)).content.decode()
    again = re.search(r'<section id="plan"[^>]*>', page)
    assert again
    assert 'hx-trigger="load delay:1s"' in again[0]
    assert "1 game is still being analysed" in page
    refused = ada.post(at("setup", campaign), entered(campaign, do="open"))
    assert "1 game is still being analysed" in refused.content.decode()
    assert ada.post(at("draw", campaign), follow=True).status_code == 200
    assert queued == [game.pk]  # asked for once, by whoever came first
    monkeypatch.undo()
    tasks.situations(game.pk)
    page = ada.post(at("plan", campaign), entered(campaign)).content.decode()
    assert "load delay" not in page
    assert "still being analysed" not in page
    game.version += 1  # words were taken out, say
    game.save()
    assert (
        "still being analysed" in ada.post(at("plan", campaign), entered(campaign)).content.decode()
    )


def test_a_campaign_begins_with_a_name_alone() -> None:
    ada = signed_in()
    assert b"You have no studies yet" in ada.get("/study/").content
    refused = ada.post("/study/new", {"name": " "})
    assert refused.status_code == 422
    made = ada.post("/study/new", {"name": "Who sounds alive?"})
    campaign = Campaign.objects.get()
    assert made["Location"] == at("setup", campaign)
    page = ada.get(made["Location"]).content.decode()
    assert "Choose at least one finished game." in page
    assert "Who sounds alive?" in ada.get("/study/").content.decode()


BACK = "https://app.prolific.com/submissions/complete?cc=C1"
ENTERED = {
    "name": "Named anew", "seed": "seven", "consent": "I agree.\nTo all.",
    "pick": "sample", "per_condition": "5", "situations": ["closing"], "speakers": "all",
    "words": "own", "teams": ["werewolf", "tanner"], "compare": "kind", "fill": "breadth",
    "quota_closing": "3", "quota_elsewhere": "5",
    "pairs": "pairs", "rival_backend": "house", "rival_method": "full",
    "rival_condition": "planned",
    "context": "3", "raters_per_unit": "4", "units_per_rater": "6", "repeats": "2",
    "attention": "1", "lease_minutes": "30", "least_experience": "2",
    "completed_code": "C1", "completed_url": BACK, "screened_out_code": "S1",
}  # fmt: skip
SAVED = {
    "name": "Named anew", "seed": "seven", "consent": "I agree.\nTo all.",
    "choice": {
        "pick": "sample", "per_condition": 5, "situations": ["closing"], "speakers": "all",
        "words": "own", "teams": ["tanner", "werewolf"], "compare": "kind", "fill": "breadth",
        "quotas": {"closing": 3, "": 5},
    },
    "rival": {"backend": "house", "method": "full"}, "rival_condition": "planned",
    "context": 3, "raters_per_unit": 4, "units_per_rater": 6, "repeats": 2,
    "attention": 1, "lease_minutes": 30, "least_experience": 2,
    "exits": {"completed": {"code": "C1", "url": BACK}, "screened_out": {"code": "S1", "url": ""}},
}  # fmt: skip


def test_what_is_saved_is_what_was_entered() -> None:
    ada, campaign = signed_in(), world.campaign(world.finished("1"), world.finished("2"))
    assert ada.post(at("setup", campaign), entered(campaign, **ENTERED)).status_code == 302
    campaign.refresh_from_db()
    assert {name: getattr(campaign, name) for name in SAVED} == SAVED
    assert entered(campaign)["pairs"] == "pairs"
    ada.post(at("setup", campaign), entered(campaign, pairs="", instrument="engagement"))
    campaign.refresh_from_db()
    assert (campaign.rival, campaign.instrument["key"]) == (None, "engagement")


def test_planned_tests_are_a_line_each_and_must_fit_the_campaign() -> None:
    ada, campaign = signed_in(), world.campaign(world.finished("1"), world.finished("2"))
    lines = "individuality; one; two; 0.5\n\nwonder ;one;three"
    assert ada.post(at("setup", campaign), entered(campaign, tests=lines)).status_code == 302
    campaign.refresh_from_db()
    first, second = campaign.planned_analysis["tests"]
    assert first == {"item": "individuality", "a": "one", "b": "two", "margin": 0.5}
    assert second["margin"] is None
    assert entered(campaign)["tests"] == "individuality; one; two; 0.5\nwonder; one; three"
    problems = campaigns.plan(campaign)["problems"]
    assert [text.split(",")[0] for text in problems] == [
        "A planned test uses “wonder”", "A planned test uses “three”",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("tests", "individuality; one", "is not a test"),
        ("tests", "individuality; one; two; small", "Enter the margin"),
        ("context", "1000", "Enter 100 or less."),
        ("units_per_rater", "0", "Enter 1 or more."),
        ("repeats", "5.0e0", "Enter a whole number."),
        ("name", "=cmd|" + "x" * 10_000, "The maximum is 120."),
        ("completed_code", "y" * 10_000, "The maximum is 40."),
        ("completed_url", "javascript:alert(1)", "Enter a valid URL."),
        ("consent", "", "Enter a text."),
        ("seed", "", "Enter a text."),
    ],
)
def test_a_refused_set_up_keeps_what_was_typed(field: str, value: str, says: str) -> None:
    ada, campaign = signed_in(), fresh()
    before = Campaign.objects.values().get()
    sent = entered(campaign, **{"rival_condition": "<typed> & kept", field: value})
    response = ada.post(at("setup", campaign), sent)
    page = response.content.decode()
    assert response.status_code == 422
    assert says in unescape(page)
    assert "&lt;typed&gt; &amp; kept" in page
    assert value in unescape(page)
    assert Campaign.objects.values().get() == before


def test_choices_need_what_belongs_to_them() -> None:
    ada, campaign = signed_in(), fresh()
    for changed, says in [
        ({"pick": "sample", "per_condition": ""}, "Enter a number"),
        ({"pairs": "pairs", "rival_condition": ""}, "Enter a name for the other system"),
        ({"instrument": "nonsense"}, "Select a valid choice"),
    ]:
        response = ada.post(at("setup", campaign), entered(campaign, **changed))
        assert response.status_code == 422
        assert says in response.content.decode()


def test_the_plan_follows_what_is_typed_and_stores_nothing() -> None:
    ada, campaign = signed_in(), world.campaign(world.finished("1"), world.finished("2"))
    before = Campaign.objects.values().get()

    def plan(**changed: Any) -> str:
        sent = entered(campaign, **changed)
        page = ada.post(at("plan", campaign), sent, headers={"HX-Request": "true"}).content
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.decode()))

    assert "Units to rate 48" in plan()
    told = plan(pick="sample", per_condition="6", raters_per_unit="5")
    assert "Units to rate 12" in told
    assert "one 6" in told
    assert "Raters needed 15" in told
    assert "has only 24 of 500 units" in unescape(plan(pick="sample", per_condition="500"))
    assert "until you fix this: Units per rater" in plan(units_per_rater="many")
    assert Campaign.objects.values().get() == before


def test_a_campaign_that_cannot_be_opened_says_what_to_do() -> None:
    ada, campaign = signed_in(), fresh()
    response = ada.post(at("setup", campaign), entered(campaign, name="Kept", do="open"))
    assert response.status_code == 422
    assert "Choose at least one finished game." in response.content.decode()
    few = world.campaign(world.finished("1"), units_per_rater=500)
    response = ada.post(at("setup", few), entered(few, do="open"))
    assert "There are only 24 units" in response.content.decode()
    few.refresh_from_db()
    assert few.state == Campaign.DRAFT
    response = ada.post(at("setup", few), entered(few, units_per_rater="5", do="open"))
    assert response["Location"] == reverse("study:study_open", args=[few.study.code])
    few.refresh_from_db()
    assert few.state == Campaign.DRAFT, "it is opened once that is confirmed"
    asked = ada.get(response["Location"]).content.decode()
    assert "Yes, open it" in asked
    assert "Raters needed" in asked
    opened = ada.post(reverse("study:study_state", args=[few.study.code]), {"do": "open"})
    assert opened["Location"] == reverse("study:study_people", args=[few.study.code])
    few.refresh_from_db()
    assert few.state == Campaign.OPEN


def test_what_ratings_rest_on_is_locked_and_a_copy_is_one_click() -> None:
    ada, campaign = signed_in(), world.campaign(world.finished("1"))
    campaigns.open(campaign)
    assert ada.post(at("setup", campaign), entered(campaign, context="5")).status_code == 302
    world.rate(world.rater(campaign), Unit.objects.filter(kind="utterance")[0])
    page = ada.get(at("setup", campaign)).content.decode()
    assert "Ratings depend on these settings" in page
    assert 'name="context" value="5"' in re.sub(r"\s+", " ", page)
    assert page.count("disabled") > 15
    sent = entered(campaign, context="1", name="A better name", completed_code="NEW")
    ada.post(at("setup", campaign), sent)
    campaign.refresh_from_db()
    assert (campaign.context, campaign.name) == (5, "A better name")
    assert campaign.exits == {"completed": {"code": "NEW", "url": ""}}
    ada.post(at("games", campaign), {"do": "drop", "old": "one"})
    assert campaign.chosen.count() == 1
    assert b"deleted" not in ada.post(at("delete", campaign), follow=True).content
    questions = ada.post(at("instrument", campaign), typed(campaign, title="Other"))
    assert questions.status_code == 422
    made = ada.post(at("copy", campaign))
    copy = Campaign.objects.order_by("-pk")[0]
    assert made["Location"] == at("setup", copy)
    assert (copy.state, copy.context, copy.locked, copy.study.key != campaign.study.key) == (
        "draft",
        5,
        False,
        True,
    )
    assert copy.chosen.get().game == campaign.chosen.get().game
    assert ada.post(at("setup", copy), entered(copy, context="1")).status_code == 302
    copy.refresh_from_db()
    assert copy.context == 1


def test_a_draft_can_be_deleted() -> None:
    ada, campaign = signed_in(), fresh()
    assert ada.get(at("delete", campaign)).status_code == 405
    ada.post(at("delete", campaign))
    assert not Campaign.objects.exists()


# Games


def test_games_are_found_added_named_and_removed() -> None:
    ada, campaign = signed_in(), fresh()
    plain = world.finished("1")
    planned = world.finished("2", recipe={"backend": "house", "method": "full"})
    mixed = world.finished("3", names={2: "Bo"})
    running = Game.objects.create(
        ruleset="one-night", seed="x", created_at=plain.created_at, phase_at=plain.phase_at
    )
    page = ada.get(at("games", campaign)).content.decode()
    assert all(game.code in page for game in (plain, planned, mixed))
    assert running.code not in page
    assert "7 house baseline, 1 people" in page
    for query, found in [
        ("seats=people", [mixed]),
        ("seats=agents", [plain, planned]),
        ("made=full", [planned]),
        ("made=house+baseline", [plain, mixed]),
        ("ruleset=one-night&since=2001-01-01", [plain, planned, mixed]),
        ("since=2999-01-01", []),
        ("chosen=yes", []),
        ("ruleset=nonsense&page=99", [plain, planned, mixed]),
    ]:
        page = ada.get(f"{at('games', campaign)}?{query}").content.decode()
        assert {g for g in (plain, planned, mixed) if g.code in page} == set(found), query

    def post(**sent: Any) -> str:
        return ada.post(at("games", campaign), sent, follow=True).content.decode()

    def chosen() -> dict[Game, str]:
        return {row.game: row.condition for row in CampaignGame.objects.select_related("game")}

    assert "1 game added." in post(do="add", game=[planned.code])
    assert chosen() == {planned: "house full"}
    post(do="add_all", query="seats=agents", condition="  no   plan ")
    post(do="add_all", query="")
    usual = {planned: "house full", plain: "no plan", mixed: "house baseline + people"}
    assert chosen() == usual
    assert "is not chosen yet" in post(do="add", game=[running.code, planned.code])
    assert "10000 characters" in post(do="rename", old="no plan", condition="x" * 10_000)
    assert "Enter a name for each condition" in post(do="rename", old="no plan", condition=" ")
    assert chosen() == usual
    post(do="rename", old="house baseline + people", condition="no plan")
    post(do=f"remove:{planned.code}")
    assert chosen() == {plain: "no plan", mixed: "no plan"}
    post(do="drop", old="no plan")
    post(do="nonsense")
    assert chosen() == {}


# Questions


def typed(campaign: Campaign, **changed: str) -> dict[str, str]:
    """What a browser sends from the page of the questions."""
    page = Client()
    page.force_login(campaign.owner)
    html = page.get(at("instrument", campaign)).context
    sent = {name: html["form"][name].value() or "" for name in html["form"].fields}
    for form in html["items"]:
        for name in form.fields:
            value = form[name].value()
            sent[form.add_prefix(name)] = "" if value in (None, False) else str(value)
    sent["form-TOTAL_FORMS"] = str(len(html["items"].forms))
    sent["form-INITIAL_FORMS"] = sent["form-TOTAL_FORMS"]
    return {**sent, "do": "save", **changed}


def test_saving_the_questions_unchanged_changes_nothing() -> None:
    ada, campaign = signed_in(), fresh()
    for instrument in instruments.for_raters():
        campaigns.change(campaign, instrument=instrument.to_json())
        assert ada.post(at("instrument", campaign), typed(campaign)).status_code == 302
        campaign.refresh_from_db()
        assert campaign.instrument == instrument.to_json()


def test_questions_made_here() -> None:
    ada, campaign = signed_in(), fresh()
    sent = {
        "title": "Warmth", "unit": "player", "intro": "",
        "context": "Ida: Good morning.\nBo: Is it?",
        "speaker": "Ida", "text": "It is.", "form-TOTAL_FORMS": "2", "form-INITIAL_FORMS": "0",
    }  # fmt: skip
    for n, label in enumerate(["Warm & kind", "Warm & kind"]):
        item = {
            "key": "", "label": label, "question": "How warm?", "low_pole": "cold",
            "high_pole": "warm", "min": "0", "max": "10", "situation": "", "value": "7",
            "why": "She smiles.",
        }  # fmt: skip
        sent |= {f"form-{n}-{name}": value for name, value in item.items()}
    assert ada.post(at("instrument", campaign), sent).status_code == 302
    campaign.refresh_from_db()
    own = campaign.instrument
    assert [d["key"] for d in own["dimensions"]] == ["warm_kind", "warm_kind_2"]
    assert own["dimensions"][0]["max"] == 10
    assert own["example"]["context"][1] == {"speaker": "Bo", "text": "Is it?"}
    assert own["example"]["values"] == {"warm_kind": 7, "warm_kind_2": 7}
    assert b"Warmth" in ada.get(at("setup", campaign)).content
    # Saving the set-up keeps them.
    ada.post(at("setup", campaign), entered(campaign, instrument="own"))
    campaign.refresh_from_db()
    assert campaign.instrument == own


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"form-0-label": "=" + "x" * 9_999}, "This text has 10000 characters. The maximum is 60."),
        ({"form-0-max": "1"}, "Enter more than the lowest value."),
        ({"form-0-value": "9"}, "Enter 1 to 5."),
        ({"form-0-max": "99"}, "the maximum is 20 steps per scale"),
        ({"title": ""}, "Enter a text."),
        ({"context": "nobody says this"}, "has no speaker"),
        ({"unit": "game"}, "only statements can have a situation"),
        ({"form-0-value": ""}, "“Individuality” has no value"),
        ({"form-TOTAL_FORMS": "999999"}, "Please submit at most 12 forms."),
    ],
)
def test_refused_questions_keep_what_was_typed(changed: dict[str, str], says: str) -> None:
    ada, campaign = signed_in(), fresh()
    before = campaign.instrument
    sent = typed(campaign, **{"form-1-question": "Typed <b>here</b>?", **changed})
    response = ada.post(at("instrument", campaign), sent)
    page = unescape(response.content.decode())
    assert response.status_code == 422
    assert says in page
    assert "Typed <b>here</b>?" in page
    assert all(value in page for value in changed.values())
    campaign.refresh_from_db()
    assert campaign.instrument == before


def test_items_come_go_and_move_without_losing_what_is_typed() -> None:
    ada, campaign = signed_in(), fresh()

    def labels(do: str, **changed: str) -> list[str]:
        response = ada.post(at("instrument", campaign), typed(campaign, do=do, **changed))
        assert response.status_code == 200
        assert "typed, not saved" in response.content.decode()
        return [form["label"].value() for form in response.context["items"]]

    first = {"form-0-label": "typed, not saved"}
    rest = ["Naturalness", "Interest", "Deceiving", "Closing"]
    assert labels("add", **first) == ["typed, not saved", *rest, ""]
    assert labels("up:1", **first) == ["Naturalness", "typed, not saved", *rest[1:]]
    assert labels("remove:4", **first) == ["typed, not saved", *rest[:-1]]
    for nonsense in ("remove:99", "up:0", "up:-1", "remove:x", "what"):
        assert labels(nonsense, **first) == ["typed, not saved", *rest]
    campaign.refresh_from_db()
    assert campaign.instrument == instruments.get("guarded").to_json()


def test_one_starts_from_any_of_the_built_in_ones_or_from_nothing() -> None:
    ada, campaign = signed_in(), fresh()
    for instrument in instruments.for_raters():
        page = ada.get(f"{at('instrument', campaign)}?from={instrument.key}")
        assert page.context["form"]["title"].value() == instrument.title
    assert len(ada.get(f"{at('instrument', campaign)}?from=blank").context["items"]) == 1
    assert ada.get(f"{at('instrument', campaign)}?from=nonsense").status_code == 200
