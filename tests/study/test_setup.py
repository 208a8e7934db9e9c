"""Tests of setting up a campaign: kept input, validation, preview and locking."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.study import world
from tests.study.desk import sign_in
from tests.study.forms import campaign_form_data, post_setup
from tests.study.pages import page_url
from tests.study.stage_factories import GAME, RATINGS, campaign_of, recreate_from_file
from webapp.study.design import instruments
from webapp.study.models import Campaign, Study, Unit
from webapp.study.planning import studies
from webapp.study.rating import campaigns, rating_plan

pytestmark = pytest.mark.django_db


def test_setup_page_links_to_its_errors(campaign: Campaign) -> None:
    page = sign_in().post(
        page_url("setup", campaign), campaign_form_data(campaign, context="-3", consent="")
    )
    assert page.status_code == 422
    linked_ids = re.findall(r'<a href="#(id_\w+)">', page.content.decode())
    assert linked_ids == ["id_context", "id_consent"]


def test_campaign_can_be_created_with_only_a_name(ada: Client) -> None:
    assert b"You have no studies yet" in ada.get("/study/").content
    rejected = ada.post("/study/new", {"name": " "})
    assert rejected.status_code == 422
    response = ada.post("/study/new", {"name": "Who sounds alive?"})
    campaign = Campaign.objects.get()
    assert response["Location"] == page_url("setup", campaign)
    page = ada.get(response["Location"]).content.decode()
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


def test_saved_settings_match_the_form(ada: Client) -> None:
    campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    assert post_setup(ada, campaign, **ENTERED).status_code == 302
    campaign.refresh_from_db()
    assert {name: getattr(campaign, name) for name in SAVED} == SAVED
    assert campaign_form_data(campaign)["pairs"] == "pairs"
    post_setup(ada, campaign, pairs="", instrument="engagement")
    campaign.refresh_from_db()
    assert (campaign.rival, campaign.instrument["key"]) == (None, "engagement")


def test_longest_stored_consent_text_can_be_saved(ada: Client) -> None:
    campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    consent = "x" * 20_000
    assert post_setup(ada, campaign, consent=consent).status_code == 302
    assert Campaign.objects.get().consent == consent
    assert post_setup(ada, campaign, consent=consent + "x").status_code == 422


def test_planned_tests_are_parsed_by_line_and_checked(ada: Client) -> None:
    campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    lines = "individuality; one; two; 0.5\n\nwonder ;one;three"
    assert post_setup(ada, campaign, tests=lines).status_code == 302
    campaign.refresh_from_db()
    first, second = campaign.planned_analysis["tests"]
    assert first == {"item": "individuality", "a": "one", "b": "two", "margin": 0.5}
    assert second["margin"] is None
    assert (
        campaign_form_data(campaign)["tests"] == "individuality; one; two; 0.5\nwonder; one; three"
    )
    problems = rating_plan.build_plan(campaign)["problems"]
    assert [text.split(",")[0] for text in problems] == [
        "A planned test uses “wonder”", "A planned test uses “three”",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "message"),
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
def test_rejected_setup_form_keeps_its_input(
    field: str, value: str, message: str, ada: Client, campaign: Campaign
) -> None:
    before = Campaign.objects.values().get()
    fields = campaign_form_data(campaign, **{"rival_condition": "<typed> & kept", field: value})
    response = ada.post(page_url("setup", campaign), fields)
    page = response.content.decode()
    assert response.status_code == 422
    assert message in unescape(page)
    assert "&lt;typed&gt; &amp; kept" in page
    assert value in unescape(page)
    assert Campaign.objects.values().get() == before


def test_dependent_settings_are_required(ada: Client, campaign: Campaign) -> None:
    for changed, message in [
        ({"pick": "sample", "per_condition": ""}, "Enter a number"),
        ({"pairs": "pairs", "rival_condition": ""}, "Enter a name for the other system"),
        ({"instrument": "nonsense"}, "Select a valid choice"),
    ]:
        response = post_setup(ada, campaign, **changed)
        assert response.status_code == 422
        assert message in response.content.decode()


def test_plan_preview_follows_the_form_and_stores_nothing(ada: Client) -> None:
    campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    before = Campaign.objects.values().get()

    def plan(**changed: Any) -> str:
        fields = campaign_form_data(campaign, **changed)
        page = ada.post(page_url("plan", campaign), fields, headers={"HX-Request": "true"}).content
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.decode()))

    assert "Units to rate 48" in plan()
    text = plan(pick="sample", per_condition="6", raters_per_unit="5")
    assert "Units to rate 12" in text
    assert "one 6" in text
    assert "Raters needed 15" in text
    assert "has only 24 of 500 units" in unescape(plan(pick="sample", per_condition="500"))
    assert "until you fix this: Units per rater" in plan(units_per_rater="many")
    assert Campaign.objects.values().get() == before


def test_campaign_that_cannot_open_explains_why(ada: Client, campaign: Campaign) -> None:
    response = post_setup(ada, campaign, name="Kept", do="open")
    assert response.status_code == 422
    assert "Choose at least one finished game." in response.content.decode()
    few = world.create_campaign(world.ended_game("1"), units_per_rater=500)
    response = post_setup(ada, few, do="open")
    assert "There are only 24 units" in response.content.decode()
    few.refresh_from_db()
    assert few.state == Campaign.DRAFT
    response = post_setup(ada, few, units_per_rater="5", do="open")
    assert response["Location"] == reverse("study:study_open", args=[few.study.code])
    few.refresh_from_db()
    assert few.state == Campaign.DRAFT, "the study opens after a confirmation"
    confirmation = ada.get(response["Location"]).content.decode()
    assert "Yes, open it" in confirmation
    assert "Raters needed" in confirmation
    opened = ada.post(reverse("study:study_state", args=[few.study.code]), {"do": "open"})
    assert opened["Location"] == reverse("study:study_people", args=[few.study.code])
    few.refresh_from_db()
    assert few.state == Campaign.OPEN


def test_rated_campaign_is_locked_and_can_be_copied(ada: Client) -> None:
    campaign = world.create_campaign(world.ended_game("1"))
    campaigns.open(campaign)
    assert post_setup(ada, campaign, context="5").status_code == 302
    world.rate_unit(world.add_rater(campaign), Unit.objects.filter(kind="utterance")[0])
    page = ada.get(page_url("setup", campaign)).content.decode()
    assert "Ratings depend on these settings" in page
    assert 'name="context" value="5"' in re.sub(r"\s+", " ", page)
    assert page.count("disabled") > 15
    fields = campaign_form_data(campaign, context="1", name="A better name", completed_code="NEW")
    ada.post(page_url("setup", campaign), fields)
    campaign.refresh_from_db()
    assert (campaign.context, campaign.name) == (5, "A better name")
    assert campaign.exits == {"completed": {"code": "NEW", "url": ""}}
    ada.post(page_url("games", campaign), {"do": "drop", "old": "one"})
    assert campaign.chosen_games.count() == 1
    assert b"deleted" not in ada.post(page_url("delete", campaign), follow=True).content
    questions = ada.post(page_url("instrument", campaign), question_data(campaign, title="Other"))
    assert questions.status_code == 422
    response = ada.post(page_url("copy", campaign))
    copy = Campaign.objects.order_by("-pk")[0]
    assert response["Location"] == page_url("setup", copy)
    assert (copy.state, copy.context, copy.has_ratings, copy.study.key != campaign.study.key) == (
        "draft",
        5,
        False,
        True,
    )
    assert copy.chosen_games.get().game == campaign.chosen_games.get().game
    assert post_setup(ada, copy, context="1").status_code == 302
    copy.refresh_from_db()
    assert copy.context == 1


def test_draft_can_be_deleted(ada: Client, campaign: Campaign) -> None:
    assert ada.get(page_url("delete", campaign)).status_code == 405
    ada.post(page_url("delete", campaign))
    assert not Campaign.objects.exists()


# -- games


# -- questions


def question_data(campaign: Campaign, **changed: str) -> dict[str, str]:
    """Return what the questions page sends, with some fields changed."""
    page = Client()
    page.force_login(campaign.owner)
    html = page.get(page_url("instrument", campaign)).context
    fields = {name: html["form"][name].value() or "" for name in html["form"].fields}
    for form in html["items"]:
        for name in form.fields:
            value = form[name].value()
            fields[form.add_prefix(name)] = "" if value in (None, False) else str(value)
    fields["form-TOTAL_FORMS"] = str(len(html["items"].forms))
    fields["form-INITIAL_FORMS"] = fields["form-TOTAL_FORMS"]
    return {**fields, "do": "save", **changed}


def test_unchanged_questions_are_saved_unchanged(ada: Client, campaign: Campaign) -> None:
    for instrument in instruments.for_raters():
        campaigns.change(campaign, instrument=instrument.to_json())
        assert (
            ada.post(page_url("instrument", campaign), question_data(campaign)).status_code == 302
        )
        campaign.refresh_from_db()
        assert campaign.instrument == instrument.to_json()


def test_custom_questionnaire_can_be_created(ada: Client, campaign: Campaign) -> None:
    fields = {
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
        fields |= {f"form-{n}-{name}": value for name, value in item.items()}
    assert ada.post(page_url("instrument", campaign), fields).status_code == 302
    campaign.refresh_from_db()
    stored = campaign.instrument
    assert [d["key"] for d in stored["dimensions"]] == ["warm_kind", "warm_kind_2"]
    assert stored["dimensions"][0]["max"] == 10
    assert stored["example"]["context"][1] == {"speaker": "Bo", "text": "Is it?"}
    assert stored["example"]["values"] == {"warm_kind": 7, "warm_kind_2": 7}
    assert b"Warmth" in ada.get(page_url("setup", campaign)).content
    # Saving the set-up keeps the questions.
    post_setup(ada, campaign, instrument="own")
    campaign.refresh_from_db()
    assert campaign.instrument == stored


def test_blank_items_at_the_end_are_left_out(ada: Client, campaign: Campaign) -> None:
    fields = question_data(campaign)
    count = int(fields["form-TOTAL_FORMS"])
    blank = {f"form-{count}-{name}": "" for name in ("key", "label", "question", "min", "max")}
    fields |= {"form-TOTAL_FORMS": str(count + 1), **blank}
    assert ada.post(page_url("instrument", campaign), fields).status_code == 302
    campaign.refresh_from_db()
    assert campaign.instrument == instruments.get("guarded").to_json()


@pytest.mark.parametrize(
    ("changed", "message"),
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
def test_rejected_questions_form_keeps_its_input(
    changed: dict[str, str], message: str, ada: Client, campaign: Campaign
) -> None:
    before = campaign.instrument
    fields = question_data(campaign, **{"form-1-question": "Typed <b>here</b>?", **changed})
    response = ada.post(page_url("instrument", campaign), fields)
    page = unescape(response.content.decode())
    assert response.status_code == 422
    assert message in page
    assert "Typed <b>here</b>?" in page
    assert all(value in page for value in changed.values())
    campaign.refresh_from_db()
    assert campaign.instrument == before


def test_items_are_added_moved_and_removed_with_unsaved_input(
    ada: Client, campaign: Campaign
) -> None:

    def labels(do: str, **changed: str) -> list[str]:
        response = ada.post(
            page_url("instrument", campaign), question_data(campaign, do=do, **changed)
        )
        assert response.status_code == 200
        assert "typed, not saved" in response.content.decode()
        return [form["label"].value() for form in response.context["items"]]

    first = {"form-0-label": "typed, not saved"}
    rest = ["Naturalness", "Interest", "Deceiving", "Closing"]
    assert labels("add", **first) == ["typed, not saved", *rest, ""]
    assert labels("up:1", **first) == ["Naturalness", "typed, not saved", *rest[1:]]
    assert labels("remove:4", **first) == ["typed, not saved", *rest[:-1]]
    for nonsense in ("remove:99", "up:0", "up:-1", "remove:x", "remove:" + "1" * 5000, "what"):
        assert labels(nonsense, **first) == ["typed, not saved", *rest]
    campaign.refresh_from_db()
    assert campaign.instrument == instruments.get("guarded").to_json()


def test_questionnaire_can_start_from_any_template_or_blank(
    ada: Client, campaign: Campaign
) -> None:
    for instrument in instruments.for_raters():
        page = ada.get(f"{page_url('instrument', campaign)}?from={instrument.key}")
        assert page.context["form"]["title"].value() == instrument.title
    assert len(ada.get(f"{page_url('instrument', campaign)}?from=blank").context["items"]) == 1
    assert ada.get(f"{page_url('instrument', campaign)}?from=nonsense").status_code == 200


def test_ratings_stage_is_set_up_on_the_campaign_page() -> None:
    ada = sign_in("ada")
    stages = [{"kind": "consent", "text": "Yes."}, GAME, RATINGS]
    study = studies.create(User.objects.get(username="ada"), "Ours", design={"stages": stages})
    url = f"/study/studies/{study.code}/setup/stages/3/ratings"
    address = ada.post(url)["Location"]
    assert 'name="consent"' not in ada.get(address).content.decode(), "the study has a consent"
    campaign = campaign_of(study)
    assert (
        ada.post(
            address, campaign_form_data(campaign, units_per_rater="7", context="3")
        ).status_code
        == 302
    )
    assert ada.post(url)["Location"] == address
    study.refresh_from_db()
    ada.post(f"/study/studies/{study.code}/copy")
    for twin in (Study.objects.latest("pk"), recreate_from_file(study)):
        of_twin = campaign_of(twin)
        assert (of_twin.context, of_twin.units_per_rater, of_twin.state) == (3, 7, "draft")
        assert of_twin.pk != campaign.pk
    studies.open(study)
    campaign.refresh_from_db()
    assert (campaign.state, campaign.games_of) == ("open", study)
