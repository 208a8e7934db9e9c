"""A researcher sets a study up: part by part, in a few clicks, and only an own one."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from game.engine import rulesets
from tests.study.desk import sign_in
from tests.study.test_study_design import MINIMAL_STAGES, create_draft
from webapp.study.models import Condition, Identity, Participant, Slot, Study
from webapp.study.planning import ready, studies, study_plan
from webapp.study.program import app_version
from webapp.study.researcher.setup.study_setup import FORMS, setup_parts
from webapp.study.researcher.setup.study_stage_form import StageForm
from webapp.study.researcher.setup.study_table_form import TableForm

pytestmark = pytest.mark.django_db


def page_url(name: str, made: Study, *more: Any) -> str:
    return reverse(f"study:{name}", args=[made.code, *more])


def text_of(page: HttpResponse) -> str:
    return unescape(re.sub(r"\s+", " ", page.content.decode()))


def form_data(form: Any, **changed: Any) -> dict[str, Any]:
    """What a browser sends from a form as it is shown, some of it changed."""
    forms = [form, *getattr(form, "casts", ())]
    sent = {}
    for one in forms:
        for field in one:
            value = field.value()
            if value is not None and value is not False and value != []:
                sent[field.html_name] = "on" if value is True else value
    return {**sent, **changed}


def create_ready_study(key: str) -> Study:
    sign_in()
    made = create_draft()
    return studies.change(made, design=ready.get(key).design)


def test_ready_study_opens_in_four_clicks_and_shows_its_links() -> None:
    ada = sign_in()
    assert "Who is human?" in text_of(ada.get(reverse("study:new_study")))
    page = ada.post(reverse("study:new_study"), {"ready": "who-is-human"}, follow=True)
    made = Study.objects.get()
    assert "Open the study" in text_of(page)
    assert "problems remain" not in text_of(page)
    asked = text_of(ada.get(page_url("study_open", made)))
    for words in ("Open the study?", "Participants who finish 24", "Yes, open it"):
        assert words in re.sub(r"<[^>]+>\s*|\s+", " ", asked).replace("  ", " "), words
    page = ada.post(page_url("study_state", made), {"do": "open"}, follow=True)
    made.refresh_from_db()
    assert made.state == Study.OPEN
    assert f"http://testserver/take/{made.key}/" in text_of(page)
    assert "participants get no code and no return link" in text_of(page), (
        "who comes from Prolific needs one"
    )
    front = text_of(ada.get(reverse("study:campaigns")))
    assert "Who is human?" in front
    assert "A new study with ratings only" in front


@pytest.mark.parametrize("key", ready.ORDER)
def test_each_part_saved_unchanged_keeps_the_design(key: str) -> None:
    made, ada = create_ready_study(key), sign_in()
    before = studies.config_hash(made)
    for part in FORMS.keys() & {key for key, _title in setup_parts(made)}:
        page = ada.post(page_url("study_part", made, part), form_data(FORMS[part](made)))
        assert page.status_code == 302, (part, text_of(page))
        made.refresh_from_db()
        assert studies.config_hash(made) == before, part
    for number in range(1, len(made.design["stages"]) + 1):
        sent = form_data(StageForm(made, number - 1))
        assert ada.post(page_url("study_stage", made, number), sent).status_code == 302
        made.refresh_from_db()
        assert studies.config_hash(made) == before, number


def test_form_values_are_stored_in_the_design() -> None:
    made, ada = create_draft(table={"ruleset": "sheriff"}), sign_in()
    sent = form_data(
        TableForm(made), people="2", people_seats=["2", "5"], method="b5p", blind="on",
        **{"limit-vote": "45", "rule_max_rounds": "5", "seat-1-persona": "profile:x"},
    )  # fmt: skip
    persona = TableForm(made).casts[0].fields["persona"].choices[1][1][0][0]  # type: ignore[attr-defined]
    sent |= {"seat-1-persona": persona, "seat-werewolf-method": "full"}
    assert ada.post(page_url("study_part", made, "table"), sent).status_code == 302
    made.refresh_from_db()
    table = made.design["table"]
    assert (table["people"], table["people_seats"], table["method"]) == (2, [2, 5], "b5p")
    assert table["limits"] == {"vote": 45}
    assert table["settings"] == {"max_rounds": 5}
    assert table["casting"] == {"1": {"persona": persona}, "werewolf": {"method": "full"}}
    exits = form_data(
        FORMS["exits"](made), currency="GBP",
        **{"completed-code_kind": "same", "completed-code": "C0DE", "completed-pay": "4.50"},
    )  # fmt: skip
    ada.post(page_url("study_part", made, "exits"), exits)
    made.refresh_from_db()
    assert made.design["exits"] == {
        "completed": {"text": "", "code_kind": "same", "code": "C0DE", "url": "", "pay": "4.50"}
    }
    assert [p for p in study_plan.build_plan(made).problems if "see no contact" in p]
    ethics = form_data(FORMS["ethics"](made), contact="ada@example.org", retention_days="90")
    assert ada.post(page_url("study_part", made, "ethics"), ethics).status_code == 302
    made.refresh_from_db()
    assert made.design["ethics"]["retention_days"] == 90
    assert not study_plan.build_plan(made).problems
    waiting = form_data(FORMS["waiting"](made), at_most="begin", short_counts="on")
    assert not made.design["waiting"]["short_counts"]
    ada.post(page_url("study_part", made, "waiting"), waiting)
    made.refresh_from_db()
    assert made.design["waiting"]["short_counts"]


def test_required_experience_is_set_in_the_background_stage() -> None:
    made, ada = create_ready_study("helmsman-baseline"), sign_in()
    at_stage = page_url("study_stage", made, 2)
    assert made.design["stages"][1]["least_experience"] == 1
    assert "I have played it" in text_of(ada.get(at_stage))
    ada.post(at_stage, form_data(StageForm(made, 1), least_experience="2"))
    made.refresh_from_db()
    assert made.design["stages"][1]["least_experience"] == 2


def test_invalid_form_keeps_its_input_and_stores_nothing() -> None:
    made, ada = create_draft(), sign_in()
    sent = form_data(FORMS["games"](made), games="0", games_each="3")
    page = ada.post(page_url("study_part", made, "games"), sent)
    assert page.status_code == 422
    assert "Enter 1 or more." in text_of(page)
    assert 'name="games_each" value="3"' in text_of(page)
    made.refresh_from_db()
    assert made.design["assignment"]["games_each"] == 1


def test_plan_preview_counts_typed_values_and_stores_nothing() -> None:
    made, ada = create_draft(), sign_in()
    sent = form_data(FORMS["games"](made), games="123")
    page = ada.post(page_url("study_plan", made, "games"), sent)
    assert "123" in text_of(page)
    made.refresh_from_db()
    assert made.design["assignment"]["games"] == 10


def test_style_of_one_seat_can_become_a_level() -> None:
    style = 'name = "Pip"\nage = 9\nhabits = ["Counts."]\n'
    seat = {"persona": "style", "style": style}
    table = {"ruleset": "aiwolf-5", "method": "guarded", "people": 0, "blind": False}
    made, ada = create_draft(table={**table, "casting": {"2": seat}}), sign_in()
    way = f"{page_url('study_factors', made)}?vary=persona"
    before, label, _after = text_of(ada.get(way)).partition("“Pip”, the style of seat 2")
    assert label
    number = re.findall(r'value="(\d+)"', before)[-1]
    ada.post(way, {"levels": ["0", number]})
    made.refresh_from_db()
    plain, own = study_plan.build_plan(made).conditions
    assert plain.table.casting["3"]["persona"].startswith("profile:")
    assert own.name == "pip"
    assert {number: dict(one) for number, one in own.table.casting.items()} == {
        str(number): seat for number in range(1, 6)
    }
    assert "“Pip”, the style of seat 2" in text_of(ada.get(page_url("study_factors", made)))


def test_factorial_design_is_built_from_the_form() -> None:
    made, ada = create_draft(), sign_in()
    way = page_url("study_factors", made)
    assert "Method of the computer players" in text_of(ada.get(way))
    assert ada.post(f"{way}?vary=method", {"levels": ["0"]}).status_code == 422
    ada.post(f"{way}?vary=method", {"levels": ["0", "8"]})
    ada.post(f"{way}?vary=people", {"levels": ["0", "2"]})
    page = text_of(ada.get(way))
    made.refresh_from_db()
    names = [cell.name for cell in study_plan.build_plan(made).conditions]
    assert names == [
        "full+people-1", "full+people-3", "baseline+people-1", "baseline+people-3",
    ]  # fmt: skip
    assert "Memory only, Number of human players: 3" in page
    ada.post(way, {"do": "remove:1"})
    made.refresh_from_db()
    assert [f["name"] for f in made.design["factors"]] == ["people"]


def test_levels_have_labels_and_several_settings() -> None:
    made, ada = create_draft(table={"limits": {"vote": 40}}), sign_in()
    way = page_url("study_factors", made)
    ada.post(f"{way}?vary=given_persona", {"levels": ["0", "1"]})
    made.refresh_from_db()
    file = made.design["factors"]
    file[0]["levels"][1]["table"]["limits"] = {"vote": 20}  # what only a file sets
    file[0]["levels"][1]["table"]["backend"] = "qwen"
    made.save()
    assert "qwen, not available: add [qwen] to the file of models" in text_of(
        ada.get(f"{way}?factor=1")
    )
    sent = {"label": "Company", "label_0": "Warm", "name_0": "warm", "given_persona_0": "0",
            "label_1": "Cold", "name_1": "warm", "given_persona_1": "1", "backend_1": "",
            }  # fmt: skip
    wrong = ada.post(f"{way}?factor=1", sent)
    assert wrong.status_code == 422
    assert "This name is taken." in text_of(wrong)
    assert 'value="Cold"' in wrong.content.decode(), "what was typed stays"
    sent["name_1"] = "cold"
    answer = ada.post(f"{way}?factor=1", {**sent, "do": "also", "also": "given_favor"})
    assert answer["Location"] == f"{way}?factor=1&also=given_favor"
    assert "Likes and dislikes" in text_of(ada.get(answer["Location"]))
    ada.post(answer["Location"], {**sent, "given_favor_0": "0", "given_favor_1": "1"})
    ada.post(f"{way}?factor=1", {**sent, "given_favor_1": "1", "do": "level"})
    ada.post(f"{way}?factor=1", {**sent, "given_favor_1": "1", "label_2": "x", "name_2": "x",
                                 "do": "drop:3"})  # fmt: skip
    made.refresh_from_db()
    warm, cold = study_plan.build_plan(made).conditions
    assert [(c.name, c.label, c.table.method) for c in (warm, cold)] == [
        ("warm", "Warm", "full"), ("cold", "Cold", "strategy"),
    ]  # fmt: skip
    assert (cold.table.limits, cold.table.backend) == ({"vote": 20}, "house")
    shown = text_of(ada.get(way))
    assert all(words in shown for words in ("Company", "Warm", "Cold"))


def test_stages_are_added_moved_and_removed() -> None:
    made, ada = create_draft(), sign_in()
    way = page_url("study_stages", made)

    def kinds() -> list[str]:
        made.refresh_from_db()
        return [stage["kind"] for stage in made.design["stages"]]

    page = ada.post(way, {"do": "add", "kind": "interview"})
    assert page["Location"] == page_url("study_stage", made, 3)
    ada.post(way, {"do": "add", "kind": "rules"})
    assert kinds() == ["consent", "rules", "game", "interview"]
    ada.post(way, {"do": "down:2"})
    assert kinds() == ["consent", "game", "rules", "interview"]
    assert "must come before the game. Move it up" in text_of(ada.get(way))
    ada.post(way, {"do": "up:3"})
    ada.post(way, {"do": "remove:4"})
    assert kinds() == ["consent", "rules", "game"]
    ada.post(way, {"do": "up:1"})
    ada.post(way, {"do": "remove:9"})
    assert kinds() == ["consent", "rules", "game"]


def test_change_of_game_drops_the_old_rules() -> None:
    table = {"settings": {"poll_people": True}, "people": 8, "people_seats": list(range(1, 9))}
    made, ada = create_draft(table=table), sign_in()
    ada.post(page_url("study_part", made, "table"), {"do": "game:sheriff"})
    made.refresh_from_db()
    assert made.design["table"]["ruleset"] == "sheriff"
    assert not study_plan.build_plan(made).problems
    assert "Elect the Sheriff" in text_of(ada.get(page_url("study_part", made, "table")))


def test_opened_study_accepts_only_name_and_list_changes() -> None:
    made, ada = create_draft(), sign_in()
    sent = form_data(FORMS["games"](made), games="99")
    studies.open(made)
    page = ada.get(page_url("study_part", made, "games"))
    assert "Make a copy to change them." in text_of(page)
    assert len(re.findall(r"<input[^>]*name=\"games\"[^>]*disabled", text_of(page))) == 1
    ada.post(page_url("study_part", made, "games"), sent)
    for name, post in (
        ("study_stages", {"do": "remove:2"}),
        ("study_factors", {"do": "remove:1"}),
        ("study_setup", {"name": "Another name"}),
        ("study_listed", {"listed_only": "1"}),
    ):
        ada.post(page_url(name, made), post)
    made.refresh_from_db()
    assert made.design["assignment"]["games"] == 10
    assert [stage["kind"] for stage in made.design["stages"]] == [s["kind"] for s in MINIMAL_STAGES]
    assert (made.name, made.listed_only) == ("Another name", True)
    copied = ada.post(page_url("study_copy", made), follow=True)
    assert "You can change everything in it" in text_of(copied)


def test_personal_links_are_created_once_per_label_and_revoked() -> None:
    made, ada = create_draft(), sign_in()
    labels = {"labels": "ann@example.org\nBob\nANN@example.org"}
    page = ada.post(page_url("study_links", made), labels, follow=True)
    assert "2 links created." in text_of(page)
    page = ada.post(page_url("study_links", made), {"labels": "bob\nCy"}, follow=True)
    assert "1 link created. 1 was on the list already." in text_of(page)
    people = list(made.participants.all())
    assert [p.pseudonym for p in people] == ["P001", "P002", "P003"]
    assert all(p.invited and not p.consented_at for p in people)
    lines = ada.get(page_url("study_link_list", made)).content.decode().splitlines()
    assert lines[0] == f"ann@example.org\thttp://testserver/take/as/{people[0].key}/"
    ada.post(page_url("study_revoke", made, "P002"))
    Participant.objects.filter(pk=people[2].pk).update(consented_at=timezone.now())
    page = ada.post(page_url("study_revoke", made, "P003"), follow=True)
    assert "The link was used" in text_of(page)
    assert [p.pseudonym for p in made.participants.all()] == ["P001", "P003"]
    assert Identity.objects.count() == 2


def test_monitor_counts_people_by_stage_and_games_by_condition() -> None:
    made, ada = (
        create_draft(stages=[*MINIMAL_STAGES, {"kind": "interview"}], assignment={"games": 2}),
        sign_in(),
    )
    Study.objects.filter(pk=made.pk).update(state=Study.OPEN)
    cell = Condition.objects.create(study=made, index=1, name="single", table={})
    for index, state in enumerate((Slot.DONE, Slot.VOID, Slot.FREE), 1):
        made.slots.create(block=1, index=index, condition=cell, deal="d", state=state)
    now = timezone.now()
    Study.objects.filter(pk=made.pk).update(turned_away={"declined": 31})
    for n, (step, out) in enumerate([(3, ""), (3, ""), (1, ""), (4, "completed"), (1, "left")]):
        made.participants.create(pseudonym=f"P{n}", step=step, exit=out, consented_at=now)
    ada.post(page_url("study_cover", made), {"do": "lift"})
    page = text_of(ada.get(page_url("study_monitor", made)))
    assert "1 of 2 games played" in page
    assert "1 did not count and will be played again." in page
    fact = r"<dt>\s*([^<]*?)\s*(?:<span.*?</span>\s*)?</dt> <dd> (\d+)"
    told = dict(re.findall(fact, page))
    assert (told["Closing interview"], told["The waiting room"]) == ("2", "1")
    assert told["participants who finish"] == told["participants who leave early"] == "1"
    assert told["participants who do not agree"] == "31"
    assert told["single"] == "1"
    assert ada.post(page_url("study_delete", made), follow=True).status_code == 200
    assert Study.objects.filter(pk=made.pk).exists(), "people took part in it"


def test_study_is_saved_as_a_file_and_recreated_from_it() -> None:
    made, ada = create_ready_study("humanized"), sign_in()
    file = ada.get(page_url("study_file", made))
    assert file["Content-Disposition"].endswith('.toml"')
    upload = SimpleUploadedFile("x.toml", file.content)
    ada.post(reverse("study:new_study"), {"file": upload})
    again = Study.objects.exclude(pk=made.pk).get()
    assert studies.config_hash(again) == studies.config_hash(made)
    broken = SimpleUploadedFile("x.toml", b"name = 'x'\n[table]\npeople = 99")
    page = ada.post(reverse("study:new_study"), {"file": broken})
    assert page.status_code == 422
    assert "The table, people: enter 13 or less." in text_of(page)


def test_overview_shows_hash_and_version_to_copy() -> None:
    made, ada = create_ready_study("who-is-human"), sign_in()
    would = studies.config_hash(made)
    page = text_of(ada.get(page_url("study_setup", made)))
    assert f'value="{would}"' in page
    assert 'data-copy="settings-hash"' in page
    assert f'value="{app_version()}"' in page
    kept = "f" * 64
    Study.objects.update(state=Study.CLOSED, config_hash=kept)
    page = text_of(ada.get(page_url("study_setup", made)))
    assert f'value="{kept}"' in page, "what it was opened with, not what it would be now"


def test_browser_line_endings_do_not_change_the_config_hash() -> None:
    made, ada = (
        create_draft(exits={"completed": {"text": "Thanks.\n\nBye.", "pay": "1.00"}}),
        sign_in(),
    )
    made.design["stages"][0]["text"] = "Do you agree?\n\n- one\n- two\n"
    made.save()
    before, whole = made.design, studies.config_hash(made)
    for address, form in (
        (page_url("study_stage", made, 1), StageForm(made, 0)),
        (page_url("study_part", made, "exits"), FORMS["exits"](made)),
    ):
        sent = {k: str(v).replace("\n", "\r\n") for k, v in form_data(form).items()}
        assert ada.post(address, sent).status_code == 302
        made.refresh_from_db()
        assert studies.config_hash(made) == whole
    assert made.design["stages"] == before["stages"]
    assert made.design["exits"]["completed"]["text"] == "Thanks.\n\nBye."


def test_rule_with_its_default_value_does_not_change_the_hash() -> None:
    made, ada = create_draft(table={"ruleset": "sheriff"}), sign_in()
    plain = studies.config_hash(made)
    usual = {s.key: s.default for s in rulesets.get("sheriff").settings if s.key == "max_rounds"}
    made.design["table"]["settings"] = dict(usual)
    made.save()
    assert usual
    assert studies.config_hash(made) == plain
    ada.post(page_url("study_part", made, "table"), form_data(TableForm(made)))
    made.refresh_from_db()
    assert made.design["table"]["settings"] == {}
    made.design["table"]["settings"] = {"max_rounds": usual["max_rounds"] - 1}
    assert studies.config_hash(made) != plain


def test_money_is_shown_with_two_decimals() -> None:
    made = create_draft(currency="GBP", exits={"completed": {"pay": "4.5"}})
    page = text_of(sign_in().get(page_url("study_setup", made)))
    assert "4.50 GBP for participants who finish" in page
    total = study_plan.build_plan(made).pay
    assert f"{total:.2f} GBP" in page
    assert not re.search(r"\d\.\d GBP", page)


def test_uncountable_figures_are_dashes_and_not_zero() -> None:
    made = create_draft(table={"people": 9})
    page = text_of(sign_in().get(page_url("study_setup", made)))
    told = re.findall(r"<dd>(.*?)</dd>", page)
    assert [one.strip() for one in told[1:4]] == ["–"] * 3
    assert "More figures appear" in page
    page = text_of(sign_in().get(page_url("study_setup", create_draft())))
    assert "More figures appear" not in page


def test_open_study_is_paused_and_closed_from_the_setup_page() -> None:
    made, ada = create_draft(), sign_in()
    assert 'value="pause"' not in text_of(ada.get(page_url("study_setup", made)))
    for state, there, missing in (
        (Study.OPEN, "pause", "resume"),
        (Study.CLOSED, "resume", "close"),
    ):
        Study.objects.update(state=state)
        for name in ("study_setup", "study_monitor"):
            page = text_of(ada.get(page_url(name, made)))
            assert f'value="{there}"' in page
            assert f'value="{missing}"' not in page


def test_plan_notes_exits_without_pay() -> None:
    paid = {"completed": {"pay": "4.00"}, "waited_out": {"pay": "1.00"}, "left": {"pay": "1.00"}}
    notes = " ".join(study_plan.build_plan(create_draft(currency="GBP", exits=paid)).notes)
    assert "no pay for participants affected by a technical problem." in notes
    assert "no pay for participants who arrive when the study is full." in notes
    assert "participants who leave early" not in notes
    assert "no pay" not in " ".join(study_plan.build_plan(create_draft()).notes)


def test_overview_describes_factors_and_questions_in_plain_words() -> None:
    page = text_of(sign_in().get(page_url("study_setup", create_ready_study("humanized"))))
    assert "Method of the computer players (Memory only /" in page
    made = create_ready_study("who-is-human")
    page = text_of(sign_in().get(page_url("study_setup", made)))
    assert "Straw poll after each round" in page
    assert "1 question" not in page
    factors = text_of(sign_in().get(page_url("study_factors", create_ready_study("humanized"))))
    assert "Personality only" in factors
    form = factors.split('id="plan"')[0]
    assert not re.search(r"\bb5p\b", form), "a random code or token may have it among its letters"
