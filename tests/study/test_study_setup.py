"""Tests of setting up a study part by part, and of its files, monitor and overview."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.study.desk import sign_in
from tests.study.forms import form_data
from tests.study.pages import page_url, unescaped_html
from tests.study.studies import MINIMAL_STAGES, create_draft, create_ready_study
from webapp.study.models import Condition, Slot, Study
from webapp.study.planning import ready, studies, study_plan
from webapp.study.researcher.setup.setup_parts import setup_parts
from webapp.study.researcher.setup.stage_pages import StageForm
from webapp.study.researcher.setup.study_setup import PART_FORMS
from webapp.study.researcher.setup.study_table_form import TableForm

pytestmark = pytest.mark.django_db

NUMBER_TOO_LONG = "1" * 5000  # `int` reads at most 4,300 digits


@pytest.fixture
def study() -> Study:
    """Return a draft that could be opened."""
    return create_draft()


def test_ready_study_opens_in_four_clicks_and_shows_its_links(ada: Client) -> None:
    assert "Who is human?" in unescaped_html(ada.get(reverse("study:new_study")))
    page = ada.post(reverse("study:new_study"), {"ready": "who-is-human"}, follow=True)
    study = Study.objects.get()
    assert "Open the study" in unescaped_html(page)
    assert "problems remain" not in unescaped_html(page)
    confirmation = unescaped_html(ada.get(page_url("study_open", study)))
    for words in ("Open the study?", "Participants who finish 24", "Yes, open it"):
        assert words in re.sub(r"<[^>]+>\s*|\s+", " ", confirmation).replace("  ", " "), words
    page = ada.post(page_url("study_state", study), {"do": "open"}, follow=True)
    study.refresh_from_db()
    assert study.state == Study.OPEN
    assert f"http://testserver/take/{study.key}/" in unescaped_html(page)
    assert "participants get no code and no return link" in unescaped_html(page), (
        "Prolific needs a code"
    )
    front = unescaped_html(ada.get(reverse("study:campaigns")))
    assert "Who is human?" in front
    assert "A new study with ratings only" in front


@pytest.mark.parametrize("key", ready.KEYS)
def test_each_part_saved_unchanged_keeps_the_design(key: str, ada: Client) -> None:
    study = create_ready_study(key)
    before = studies.config_hash(study)
    for part in PART_FORMS.keys() & {key for key, _title in setup_parts(study)}:
        page = ada.post(page_url("study_part", study, part), form_data(PART_FORMS[part](study)))
        assert page.status_code == 302, (part, unescaped_html(page))
        study.refresh_from_db()
        assert studies.config_hash(study) == before, part
    for number in range(1, len(study.design["stages"]) + 1):
        fields = form_data(StageForm(study, number - 1))
        assert ada.post(page_url("study_stage", study, number), fields).status_code == 302
        study.refresh_from_db()
        assert studies.config_hash(study) == before, number


def test_form_values_are_stored_in_the_design(ada: Client) -> None:
    study = create_draft(table={"ruleset": "sheriff"})
    fields = form_data(
        TableForm(study), people="2", people_seats=["2", "5"], method="b5p", blind="on",
        **{"limit-vote": "45", "rule_max_rounds": "5", "seat-1-persona": "profile:x"},
    )  # fmt: skip
    persona = TableForm(study).casts[0].fields["persona"].choices[1][1][0][0]  # type: ignore[attr-defined]
    fields |= {"seat-1-persona": persona, "seat-werewolf-method": "full"}
    assert ada.post(page_url("study_part", study, "table"), fields).status_code == 302
    study.refresh_from_db()
    table = study.design["table"]
    assert (table["people"], table["people_seats"], table["method"]) == (2, [2, 5], "b5p")
    assert table["limits"] == {"vote": 45}
    assert table["settings"] == {"max_rounds": 5}
    assert table["casting"] == {"1": {"persona": persona}, "werewolf": {"method": "full"}}
    exits = form_data(
        PART_FORMS["exits"](study), currency="GBP",
        **{"completed-code_kind": "same", "completed-code": "C0DE", "completed-pay": "4.50"},
    )  # fmt: skip
    ada.post(page_url("study_part", study, "exits"), exits)
    study.refresh_from_db()
    assert study.design["exits"] == {
        "completed": {"text": "", "code_kind": "same", "code": "C0DE", "url": "", "pay": "4.50"}
    }
    assert [p for p in study_plan.build_plan(study).problems if "see no contact" in p]
    ethics = form_data(PART_FORMS["ethics"](study), contact="ada@example.org", retention_days="90")
    assert ada.post(page_url("study_part", study, "ethics"), ethics).status_code == 302
    study.refresh_from_db()
    assert study.design["ethics"]["retention_days"] == 90
    assert not study_plan.build_plan(study).problems
    waiting = form_data(PART_FORMS["waiting"](study), at_most="begin", short_counts="on")
    assert not study.design["waiting"]["short_counts"]
    ada.post(page_url("study_part", study, "waiting"), waiting)
    study.refresh_from_db()
    assert study.design["waiting"]["short_counts"]


def test_required_experience_is_set_in_the_background_stage(ada: Client) -> None:
    study = create_ready_study("helmsman-baseline")
    at_stage = page_url("study_stage", study, 2)
    assert study.design["stages"][1]["least_experience"] == 1
    assert "I have played it" in unescaped_html(ada.get(at_stage))
    ada.post(at_stage, form_data(StageForm(study, 1), least_experience="2"))
    study.refresh_from_db()
    assert study.design["stages"][1]["least_experience"] == 2


def test_invalid_form_keeps_its_input_and_stores_nothing(ada: Client, study: Study) -> None:
    fields = form_data(PART_FORMS["games"](study), games="0", games_each="3")
    page = ada.post(page_url("study_part", study, "games"), fields)
    assert page.status_code == 422
    assert "Enter 1 or more." in unescaped_html(page)
    assert 'name="games_each" value="3"' in unescaped_html(page)
    study.refresh_from_db()
    assert study.design["assignment"]["games_each"] == 1


def test_plan_preview_counts_typed_values_and_stores_nothing(ada: Client, study: Study) -> None:
    fields = form_data(PART_FORMS["games"](study), games="123")
    page = ada.post(page_url("study_plan", study, "games"), fields)
    assert "123" in unescaped_html(page)
    study.refresh_from_db()
    assert study.design["assignment"]["games"] == 10


def test_style_of_one_seat_can_become_a_level(ada: Client) -> None:
    style = 'name = "Pip"\nage = 9\nhabits = ["Counts."]\n'
    seat = {"persona": "style", "style": style}
    table = {"ruleset": "aiwolf-5", "method": "guarded", "people": 0, "blind": False}
    study = create_draft(table={**table, "casting": {"2": seat}})
    url = f"{page_url('study_factors', study)}?vary=persona"
    before, label, _after = unescaped_html(ada.get(url)).partition("“Pip”, the style of seat 2")
    assert label
    number = re.findall(r'value="(\d+)"', before)[-1]
    ada.post(url, {"levels": ["0", number]})
    study.refresh_from_db()
    base, styled = study_plan.build_plan(study).conditions
    assert base.table.casting["3"]["persona"].startswith("profile:")
    assert styled.name == "pip"
    assert {number: dict(one) for number, one in styled.table.casting.items()} == {
        str(number): seat for number in range(1, 6)
    }
    assert "“Pip”, the style of seat 2" in unescaped_html(ada.get(page_url("study_factors", study)))


def test_factorial_design_is_built_from_the_form(ada: Client, study: Study) -> None:
    url = page_url("study_factors", study)
    assert "Method of the computer players" in unescaped_html(ada.get(url))
    assert ada.post(f"{url}?vary=method", {"levels": ["0"]}).status_code == 422
    ada.post(f"{url}?vary=method", {"levels": ["0", "8"]})
    ada.post(f"{url}?vary=people", {"levels": ["0", "2"]})
    page = unescaped_html(ada.get(url))
    study.refresh_from_db()
    names = [condition.name for condition in study_plan.build_plan(study).conditions]
    assert names == [
        "full+people-1", "full+people-3", "baseline+people-1", "baseline+people-3",
    ]  # fmt: skip
    assert "Memory only, Number of human players: 3" in page
    ada.post(url, {"do": "remove:1"})
    study.refresh_from_db()
    assert [f["name"] for f in study.design["factors"]] == ["people"]


def test_factor_that_is_submitted_twice_is_added_once(ada: Client, study: Study) -> None:
    url = page_url("study_factors", study)
    for _ in range(2):
        response = ada.post(f"{url}?vary=method", {"levels": ["0", "8"]})
        assert response["Location"] == url
    study.refresh_from_db()
    assert [factor["name"] for factor in study.design["factors"]] == ["method"]


def test_refused_factor_keeps_its_input(ada: Client, study: Study) -> None:
    url = page_url("study_factors", study)
    ada.post(f"{url}?vary=method", {"levels": ["0", "8"]})
    fields = {"label": "Company", "label_0": "Warm", "name_0": "warm", "method_0": "0"}
    both = {**fields, "label_1": "Cold", "name_1": "cold", "method_1": "8", "do": "drop:2"}
    assert ada.post(f"{url}?factor=1", both).status_code == 302
    response = ada.post(f"{url}?factor=1", {**fields, "label_0": "Typed", "do": "drop:1"})
    assert response.status_code == 422
    assert "levels: the minimum is 1." in unescaped_html(response)
    assert 'value="Typed"' in response.content.decode()
    study.refresh_from_db()
    assert [level["label"] for level in study.design["factors"][0]["levels"]] == ["Warm"]


def test_levels_have_labels_and_several_settings(ada: Client) -> None:
    study = create_draft(table={"limits": {"vote": 40}})
    url = page_url("study_factors", study)
    ada.post(f"{url}?vary=given_persona", {"levels": ["0", "1"]})
    study.refresh_from_db()
    file = study.design["factors"]
    file[0]["levels"][1]["table"]["limits"] = {"vote": 20}  # Only a file can set this.
    file[0]["levels"][1]["table"]["backend"] = "qwen"
    study.save()
    assert "qwen, not available: add [qwen] to the file of models" in unescaped_html(
        ada.get(f"{url}?factor=1")
    )
    fields = {"label": "Company", "label_0": "Warm", "name_0": "warm", "given_persona_0": "0",
              "label_1": "Cold", "name_1": "warm", "given_persona_1": "1", "backend_1": "",
            }  # fmt: skip
    wrong = ada.post(f"{url}?factor=1", fields)
    assert wrong.status_code == 422
    assert "This name is taken." in unescaped_html(wrong)
    assert 'value="Cold"' in wrong.content.decode(), "the typed value remains"
    fields["name_1"] = "cold"
    response = ada.post(f"{url}?factor=1", {**fields, "do": "also", "also": "given_favor"})
    assert response["Location"] == f"{url}?factor=1&also=given_favor"
    assert "Likes and dislikes" in unescaped_html(ada.get(response["Location"]))
    ada.post(response["Location"], {**fields, "given_favor_0": "0", "given_favor_1": "1"})
    ada.post(f"{url}?factor=1", {**fields, "given_favor_1": "1", "do": "level"})
    ada.post(f"{url}?factor=1", {**fields, "given_favor_1": "1", "label_2": "x", "name_2": "x",
                                 "do": "drop:3"})  # fmt: skip
    study.refresh_from_db()
    warm, cold = study_plan.build_plan(study).conditions
    assert [(c.name, c.label, c.table.method) for c in (warm, cold)] == [
        ("warm", "Warm", "full"), ("cold", "Cold", "strategy"),
    ]  # fmt: skip
    assert (cold.table.limits, cold.table.backend) == ({"vote": 20}, "house")
    page = unescaped_html(ada.get(url))
    assert all(words in page for words in ("Company", "Warm", "Cold"))


def test_stages_are_added_moved_and_removed(ada: Client, study: Study) -> None:
    url = page_url("study_stages", study)

    def kinds() -> list[str]:
        study.refresh_from_db()
        return [stage["kind"] for stage in study.design["stages"]]

    page = ada.post(url, {"do": "add", "kind": "interview"})
    assert page["Location"] == page_url("study_stage", study, 3)
    ada.post(url, {"do": "add", "kind": "rules"})
    assert kinds() == ["consent", "rules", "game", "interview"]
    ada.post(url, {"do": "down:2"})
    assert kinds() == ["consent", "game", "rules", "interview"]
    assert "must come before the game. Move it up" in unescaped_html(ada.get(url))
    ada.post(url, {"do": "up:3"})
    ada.post(url, {"do": "remove:4"})
    assert kinds() == ["consent", "rules", "game"]
    ada.post(url, {"do": "up:1"})
    ada.post(url, {"do": "remove:9"})
    ada.post(url, {"do": f"remove:{NUMBER_TOO_LONG}"})
    assert kinds() == ["consent", "rules", "game"]


def test_change_of_game_drops_the_old_rules(ada: Client) -> None:
    table = {"settings": {"poll_people": True}, "people": 8, "people_seats": list(range(1, 9))}
    study = create_draft(table=table)
    ada.post(page_url("study_part", study, "table"), {"do": "game:sheriff"})
    study.refresh_from_db()
    assert study.design["table"]["ruleset"] == "sheriff"
    assert not study_plan.build_plan(study).problems
    assert "Elect the Sheriff" in unescaped_html(ada.get(page_url("study_part", study, "table")))


def test_factor_with_thousands_of_digits_is_no_factor() -> None:
    page = sign_in().get(f"{page_url('study_factors', create_draft())}?factor={NUMBER_TOO_LONG}")
    assert page.status_code == 200


def test_opened_study_accepts_only_name_and_list_changes(ada: Client, study: Study) -> None:
    fields = form_data(PART_FORMS["games"](study), games="99")
    studies.open(study)
    page = ada.get(page_url("study_part", study, "games"))
    assert "Make a copy to change them." in unescaped_html(page)
    assert len(re.findall(r"<input[^>]*name=\"games\"[^>]*disabled", unescaped_html(page))) == 1
    ada.post(page_url("study_part", study, "games"), fields)
    for name, post in (
        ("study_stages", {"do": "remove:2"}),
        ("study_factors", {"do": "remove:1"}),
        ("study_setup", {"name": "Another name"}),
        ("study_listed", {"listed_only": "1"}),
    ):
        ada.post(page_url(name, study), post)
    study.refresh_from_db()
    assert study.design["assignment"]["games"] == 10
    assert [stage["kind"] for stage in study.design["stages"]] == [
        s["kind"] for s in MINIMAL_STAGES
    ]
    assert (study.name, study.listed_only) == ("Another name", True)
    copied = ada.post(page_url("study_copy", study), follow=True)
    assert "You can change everything in it" in unescaped_html(copied)


def test_monitor_counts_people_by_stage_and_games_by_condition(ada: Client) -> None:
    study = create_draft(stages=[*MINIMAL_STAGES, {"kind": "interview"}], assignment={"games": 2})
    Study.objects.filter(pk=study.pk).update(state=Study.OPEN)
    condition = Condition.objects.create(study=study, index=1, name="single", table={})
    for index, state in enumerate((Slot.DONE, Slot.VOID, Slot.FREE), 1):
        study.slots.create(block=1, index=index, condition=condition, deal="d", state=state)
    now = timezone.now()
    Study.objects.filter(pk=study.pk).update(turned_away={"declined": 31})
    for n, (step, exit_kind) in enumerate(
        [(3, ""), (3, ""), (1, ""), (4, "completed"), (1, "left")]
    ):
        study.participants.create(pseudonym=f"P{n}", step=step, exit=exit_kind, consented_at=now)
    ada.post(page_url("study_cover", study), {"do": "lift"})
    page = unescaped_html(ada.get(page_url("study_monitor", study)))
    assert "1 of 2 games played" in page
    assert "1 did not count and will be played again." in page
    fact = r"<dt>\s*([^<]*?)\s*(?:<span.*?</span>\s*)?</dt> <dd> (\d+)"
    figures = dict(re.findall(fact, page))
    assert (figures["Closing interview"], figures["The waiting room"]) == ("2", "1")
    assert figures["participants who finish"] == figures["participants who leave early"] == "1"
    assert figures["participants who do not agree"] == "31"
    assert figures["single"] == "1"
    assert ada.post(page_url("study_delete", study), follow=True).status_code == 200
    assert Study.objects.filter(pk=study.pk).exists(), "the study has participants"


def test_study_is_saved_as_a_file_and_recreated_from_it(ada: Client) -> None:
    study = create_ready_study("humanized")
    file = ada.get(page_url("study_file", study))
    assert file["Content-Disposition"].endswith('.toml"')
    upload = SimpleUploadedFile("x.toml", file.content)
    ada.post(reverse("study:new_study"), {"file": upload})
    recreated = Study.objects.exclude(pk=study.pk).get()
    assert studies.config_hash(recreated) == studies.config_hash(study)
    broken = SimpleUploadedFile("x.toml", b"name = 'x'\n[table]\npeople = 99")
    page = ada.post(reverse("study:new_study"), {"file": broken})
    assert page.status_code == 422
    assert "The table, people: enter 13 or less." in unescaped_html(page)


def test_money_is_shown_with_two_decimals() -> None:
    study = create_draft(currency="GBP", exits={"completed": {"pay": "4.5"}})
    page = unescaped_html(sign_in().get(page_url("study_setup", study)))
    assert "4.50 GBP for participants who finish" in page
    total = study_plan.build_plan(study).pay
    assert f"{total:.2f} GBP" in page
    assert not re.search(r"\d\.\d GBP", page)


def test_uncountable_figures_are_dashes_and_not_zero() -> None:
    study = create_draft(table={"people": 9})
    page = unescaped_html(sign_in().get(page_url("study_setup", study)))
    figures = re.findall(r"<dd>(.*?)</dd>", page)
    assert [one.strip() for one in figures[1:4]] == ["–"] * 3
    assert "More figures appear" in page
    page = unescaped_html(sign_in().get(page_url("study_setup", create_draft())))
    assert "More figures appear" not in page


def test_open_study_is_paused_and_closed_from_the_setup_page(ada: Client, study: Study) -> None:
    assert 'value="pause"' not in unescaped_html(ada.get(page_url("study_setup", study)))
    for state, offered, absent in (
        (Study.OPEN, "pause", "resume"),
        (Study.CLOSED, "resume", "close"),
    ):
        Study.objects.update(state=state)
        for name in ("study_setup", "study_monitor"):
            page = unescaped_html(ada.get(page_url(name, study)))
            assert f'value="{offered}"' in page
            assert f'value="{absent}"' not in page


def test_plan_notes_exits_without_pay() -> None:
    paid = {"completed": {"pay": "4.00"}, "waited_out": {"pay": "1.00"}, "left": {"pay": "1.00"}}
    notes = " ".join(study_plan.build_plan(create_draft(currency="GBP", exits=paid)).notes)
    assert "no pay for participants affected by a technical problem." in notes
    assert "no pay for participants who arrive when the study is full." in notes
    assert "participants who leave early" not in notes
    assert "no pay" not in " ".join(study_plan.build_plan(create_draft()).notes)


def test_overview_describes_factors_and_questions_in_plain_words() -> None:
    page = unescaped_html(sign_in().get(page_url("study_setup", create_ready_study("humanized"))))
    assert "Method of the computer players (Memory only /" in page
    study = create_ready_study("who-is-human")
    page = unescaped_html(sign_in().get(page_url("study_setup", study)))
    assert "Straw poll after each round" in page
    assert "1 question" not in page
    factors = unescaped_html(
        sign_in().get(page_url("study_factors", create_ready_study("humanized")))
    )
    assert "Personality only" in factors
    form = factors.split('id="plan"')[0]
    assert not re.search(r"\bb5p\b", form), "a random code or token can contain the letters"
