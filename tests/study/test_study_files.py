"""Tests of studies as files and of what is locked when a study opens."""

from __future__ import annotations

import pytest
from django.test import Client

from game.engine import rulesets
from tests.study import world
from tests.study.forms import form_data
from tests.study.pages import page_url, unescaped_html
from tests.study.stage_factories import campaign_of, recreate_from_file
from tests.study.studies import MINIMAL_STAGES, create_draft, create_ready_study
from webapp.study.design import instruments
from webapp.study.design.stages import Design
from webapp.study.models import AuditEvent, Study
from webapp.study.planning import ready, studies, study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.program import app_version
from webapp.study.rating import campaigns
from webapp.study.researcher.setup.stage_pages import StageForm
from webapp.study.researcher.setup.study_setup import PART_FORMS
from webapp.study.researcher.setup.study_table_form import TableForm
from webapp.study.sessions import questions

pytestmark = pytest.mark.django_db


def test_study_round_trips_through_a_file() -> None:
    nasty = 'A "quoted" line\\n with \\ and \ttabs\n\nand """three""" quotes"'
    data = {
        "table": {"casting": {"3": {"persona": "own", "scores": dict.fromkeys("OCEAN", 4)}}},
        "stages": [{"kind": "consent", "title": nasty.split("\n")[0], "text": nasty}],
        "factors": [{"name": "f", "levels": [{"name": "a", "table": {"settings": {"a b": True}}}]}],
        "exits": {"completed": {"pay": "4.50"}, "left": {}},
    }
    design_file = DesignFile("An own one", Design.from_json(data), seed="42")
    for file in (design_file, *ready.all_ready().values()):
        assert study_file.parse_study_file(study_file.format_study_file(file)) == file


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "This is not a TOML file"),
        ("[table]\npeople = 1", "The file does not name the study"),
        ('name = "x"\n[table]\npeople = 99', "The table, people: enter 13 or less."),
    ],
)
def test_unreadable_study_file_is_rejected_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(studies.Refused, match=sentence):
        study_file.parse_study_file(text)


def test_opened_study_is_locked_and_its_copy_can_be_changed() -> None:
    study = create_draft()
    before = studies.config_hash(study)
    studies.change(study, design={**study.design, "currency": "EUR"})
    assert studies.config_hash(study) != before
    studies.open(study, "ada")
    assert study.config_hash == studies.config_hash(study)
    with pytest.raises(studies.Refused, match="Make a copy to change them"):
        studies.change(study, design={**study.design, "currency": "GBP"})
    with pytest.raises(studies.Refused, match="Make a copy to change them"):
        studies.change(study, seed="another")
    studies.change(study, name="A better name", listed_only=True)
    assert studies.config_hash(study) == study.config_hash
    copy = studies.copy(study)
    assert (copy.state, copy.design) == (Study.DRAFT, study.design)
    assert copy.seed != study.seed
    assert copy.key != study.key
    studies.change(copy, design={**copy.design, "currency": "GBP"})


def test_opened_study_keeps_the_questions_of_its_instruments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = create_draft(stages=[*MINIMAL_STAGES, {"kind": "interview"}])
    studies.open(study)
    stage = Design.from_json(study.design).stages[-1]
    before = questions.stage_instruments(stage, study.instruments_at_opening)
    of_a_later_version = dict.fromkeys(study.instruments_at_opening, instruments.get("chatbots"))
    monkeypatch.setattr(instruments, "_built_in", lambda: of_a_later_version)
    study.refresh_from_db()
    assert studies.config_hash(study) == study.config_hash
    assert questions.stage_instruments(stage, study.instruments_at_opening) == before


def test_study_transitions_are_recorded() -> None:
    study = create_draft()
    with pytest.raises(studies.Refused):
        studies.pause(study)
    for turn, state in (
        (studies.open, Study.OPEN),
        (studies.pause, Study.PAUSED),
        (studies.resume, Study.OPEN),
        (studies.close, Study.CLOSED),
        (studies.resume, Study.OPEN),
    ):
        turn(study, "ada")
        assert study.state == state
    with pytest.raises(studies.Refused):
        studies.open(study)
    events = AuditEvent.objects.filter(study=study).values_list("what", "actor")
    assert [event for event, _actor in events] == [
        "opened",
        "paused",
        "resumed",
        "closed",
        "resumed",
    ]
    assert {actor for _event, actor in events} == {"ada"}


@pytest.mark.parametrize(
    "line",
    [
        ".".join(["a"] * 30_000) + " = 1",
        " . ".join(['"a b"'] * 60) + " = 1",
        "[" + ".".join(["a"] * 30_000) + "]",
        "a = {" + ".".join(["a"] * 30_000) + " = 1}",
        "a = " + "[" * 30_000,
        "a = " + "{a=" * 30_000,
        "a = " + "9" * 5_000,
        "version = 0x" + "F" * 5_000,
        "a" * 100_000,
        ".".join([r'"\""'] * 12_000) + " = 1",
        'a = [{b = """\\""""""}, {' + ".".join(["a"] * 12_000) + " = 1}]",
    ],
)
def test_file_that_would_exhaust_the_parser_is_rejected(line: str) -> None:
    with pytest.raises(studies.Refused):
        study_file.parse_study_file(f'name = "x"\n{line}')


def test_text_with_many_dots_is_not_a_deep_key() -> None:
    dots = ".".join(["a"] * 40)
    about = f'"See {dots} \\" {dots}"'
    read = study_file.parse_study_file(f'name = "x"  # {dots}\nabout = {about}')
    assert read.about == f'See {dots} " {dots}'


def test_overview_shows_hash_and_version_to_copy(ada: Client) -> None:
    study = create_ready_study("who-is-human")
    draft_hash = studies.config_hash(study)
    page = unescaped_html(ada.get(page_url("study_setup", study)))
    assert f'value="{draft_hash}"' in page
    assert 'data-copy="settings-hash"' in page
    assert f'value="{app_version()}"' in page
    stored_hash = "f" * 64
    Study.objects.update(state=Study.CLOSED, config_hash=stored_hash)
    page = unescaped_html(ada.get(page_url("study_setup", study)))
    assert f'value="{stored_hash}"' in page, "the hash at opening is shown"


def test_browser_line_endings_do_not_change_the_config_hash(ada: Client) -> None:
    study = create_draft(exits={"completed": {"text": "Thanks.\n\nBye.", "pay": "1.00"}})
    study.design["stages"][0]["text"] = "Do you agree?\n\n- one\n- two\n"
    study.save()
    before = study.design
    config_hash = studies.config_hash(study)
    for address, form in (
        (page_url("study_stage", study, 1), StageForm(study, 0)),
        (page_url("study_part", study, "exits"), PART_FORMS["exits"](study)),
    ):
        fields = {k: str(v).replace("\n", "\r\n") for k, v in form_data(form).items()}
        assert ada.post(address, fields).status_code == 302
        study.refresh_from_db()
        assert studies.config_hash(study) == config_hash
    assert study.design["stages"] == before["stages"]
    assert study.design["exits"]["completed"]["text"] == "Thanks.\n\nBye."


def test_rule_with_its_default_value_does_not_change_the_hash(ada: Client) -> None:
    study = create_draft(table={"ruleset": "sheriff"})
    config_hash = studies.config_hash(study)
    defaults = {s.key: s.default for s in rulesets.get("sheriff").settings if s.key == "max_rounds"}
    study.design["table"]["settings"] = dict(defaults)
    study.save()
    assert defaults
    assert studies.config_hash(study) == config_hash
    ada.post(page_url("study_part", study, "table"), form_data(TableForm(study)))
    study.refresh_from_db()
    assert study.design["table"]["settings"] == {}
    study.design["table"]["settings"] = {"max_rounds": defaults["max_rounds"] - 1}
    assert studies.config_hash(study) != config_hash


def test_rating_study_round_trips_through_its_file() -> None:
    rival = {"backend": "house", "method": "baseline"}
    exits = {"completed": {"code": "C1", "url": ""}}
    first = world.create_campaign(
        world.ended_game("1"), rival=rival, rival_condition="other", time_limit=600, exits=exits
    )
    twin = campaign_of(recreate_from_file(first.study))
    assert twin.study.rates_only
    for name in (*campaigns.STAGE_SETTINGS, *campaigns.STUDY_SETTINGS):
        assert getattr(twin, name) == getattr(first, name), name
