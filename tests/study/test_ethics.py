"""Tests of the ethics settings: consent, record page and frozen facts."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.test import Client

from game.models import Utterance
from tests.study import studies, taking
from tests.study.desk import sign_in
from tests.study.entering import consent, hidden_fields, visit
from tests.study.pages import html_of, text_of
from tests.study.personal_data import LABEL, OWN_STATEMENT, play_game_of_two
from webapp.study import program
from webapp.study.data.studies import build_file
from webapp.study.design.stages import Design
from webapp.study.ethics import data_export
from webapp.study.models import ConsentText, Erasure, Participant, Payment, Response, Study
from webapp.study.planning import ethics_record, study_plan
from webapp.study.planning import studies as rules
from webapp.study.sessions import lifecycle, messages, participant_state

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "We want to know how people play."
ETHICS: dict[str, Any] = {
    "controller": "Example University",
    "contact": "ada@example.org",
    "board": "IRB 2026-17",
    "legal_basis": "Consent, GDPR Art. 6(1)(a)",
    "least_age": 18,
    "retention_days": 365,
    "identity_days": 60,
    "withdraw_days": 30,
    "terms": "The provider keeps requests for **30 days**.",
    "publish_words": True,
    "consent_again": True,
}
STAGES = [{"kind": "consent", "text": TEXT}, {"kind": "game"}, {"kind": "debriefing"}]


def create_study(**more: Any) -> Study:
    return studies.create_study(stages=STAGES, **{"ethics": ETHICS, **more})


def test_consent_needs_its_own_checkboxes_and_stores_its_text() -> None:
    study = create_study()
    client, page = visit(study)
    text = text_of(page)
    for detail in ("Example University", "ada@example.org", "IRB 2026-17", "365 days", "30 days"):
        assert detail in text, detail
    assert "checked" not in html_of(page).replace('value="100"', "").split("extra_time")[0]
    rejected = consent(client, study, page)
    assert rejected.status_code == 422
    assert "You must be this old" in text_of(rejected)
    assert not Participant.objects.exists()
    assert consent(client, study, rejected, of_age="on").status_code == 302
    row = Participant.objects.get()
    assert (row.of_age, row.publish_words) == (True, False)
    stored = ConsentText.objects.get()
    assert stored.version == row.consent_version
    assert hashlib.sha256(stored.text.encode()).hexdigest() == stored.version
    assert TEXT in stored.text
    assert "Example University" in stored.text
    other_client, page = visit(study, Client())
    consent(other_client, study, page, of_age="on", publish_words="on")
    assert Participant.objects.get(publish_words=True).pseudonym == "P002"
    assert ConsentText.objects.count() == 1
    rows = build_file(study, "participants.csv").decode()
    assert "publish_words" in rows.splitlines()[0]
    assert "consent_again" in rows.splitlines()[0]


def test_study_without_ethics_settings_has_no_checkboxes() -> None:
    study = create_study(ethics={})
    client, page = visit(study)
    assert 'type="checkbox"' not in html_of(page)
    consent(client, study, page)
    row = Participant.objects.get()
    assert (row.of_age, row.publish_words) == (None, None)
    assert row.consent_version == hashlib.sha256(TEXT.encode()).hexdigest()
    assert "Participants are not asked for their consent again" in ethics_record.render_markdown(
        study
    )


@pytest.mark.parametrize("choice", ["kept", "taken_back", ""])
def test_participant_can_confirm_or_withdraw_consent_after_debriefing(choice: str) -> None:
    exits = {"completed": {"pay": "3.00", "code_kind": "same", "code": "C0DE"}}
    study = taking.create_study(
        {"kind": "interview"}, {"kind": "debriefing"}, ethics=ETHICS, exits=exits, currency="GBP"
    )
    participant = taking.add_participant(study, "debriefing")
    Response.objects.create(
        participant=participant, step="interview-1", instrument="interview", item="one", text="mine"
    )
    client = taking.browser_of(participant)
    page = client.get(f"/take/as/{participant.key}/")
    assert "may we keep your data" in text_of(page)
    assert 'name="again" value="kept" checked' not in " ".join(html_of(page).split())
    form = {**hidden_fields(page), "do": "on"} | ({"again": choice} if choice else {})
    client.post(f"/take/as/{participant.key}/", form)
    row = studies.reload(participant)
    assert (row.exit, row.consent_again) == ("completed", choice)
    assert Response.objects.filter(participant=participant).exists() is (choice != "taken_back")
    assert Erasure.objects.exists() is (choice == "taken_back")
    assert Payment.objects.get().amount == 3, "the pay is unchanged"
    assert "C0DE" in client.get(f"/take/as/{participant.key}/").content.decode()


def test_missing_ethics_settings_are_reported_and_contact_is_required() -> None:
    pay: dict[str, Any] = {"exits": {"completed": {"pay": "3.00"}}, "currency": "GBP"}
    study = rules.create(studies.create_study().owner, "Bare", design={"stages": STAGES, **pay})
    plan = study_plan.build_plan(study)
    assert any("see no contact" in problem for problem in plan.problems)
    note = next(n for n in plan.notes if "Ethics boards require" in n)
    assert "data controller" in note
    assert "retention period" in note
    stages = [{**STAGES[0], "text": f"{TEXT} Write to ada@example.org."}, *STAGES[1:]]
    rules.change(study, design={"stages": stages, **pay})
    assert not study_plan.build_plan(study).problems
    rules.change(study, design={"stages": STAGES, "ethics": ETHICS, **pay})
    assert not study_plan.build_plan(study).problems
    assert not [n for n in study_plan.build_plan(study).notes if "Ethics boards" in n]
    rules.change(study, design={"stages": STAGES, "ethics": {**ETHICS, "identity_days": 400}})
    assert any("kept longer" in problem for problem in study_plan.build_plan(study).problems)


def test_ethics_record_is_available_as_page_and_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example.net/v1")
    monkeypatch.setenv("OPENAI_MODEL", "gpt-x")
    study = create_study(table={"backend": "openai"}, dropout={"policy": "end"})
    client, page = visit(study)
    consent(client, study, page, of_age="on", publish_words="on")
    Study.objects.filter(pk=study.pk).update(
        program_at_opening=program.program_facts(Design.from_json(study.design))
    )
    ada = sign_in("ada")
    response = ada.get(f"/study/studies/{study.code}/ethics.md")
    assert response["Content-Type"].startswith("text/markdown")
    text = response.content.decode()
    for detail in (
        "Example University", "ada@example.org", "IRB 2026-17", "Consent, GDPR Art. 6(1)(a)",
        "P001", "1 participant agreed", f"> {TEXT}", "models.example.net", "gpt-x",
        "The provider keeps requests for **30 days**.", "The game ends for everyone",
        "1 selected it, 0 did not", "365 days", "60 days", "30 days", program.source_hash(),
        program.template_hashes()["en/statement"], "unchanged", "who finish",
        "participants do not learn which players are human", "The study pays no participants.",
    ):  # fmt: skip
        assert detail in text, detail
    assert "|\n\nSent to the models" in text, "one empty line after the table"
    shown_page = ada.get(f"/study/studies/{study.code}/ethics")
    assert "models.example.net" in html_of(shown_page)
    assert "<strong>30 days</strong>" in html_of(shown_page)
    study.refresh_from_db()
    Study.objects.filter(pk=study.pk).update(
        program_at_opening={**study.program_at_opening, "version": "0.0"}
    )
    study.refresh_from_db()
    assert "changed since" in ethics_record.render_markdown(study)


def test_opening_a_study_freezes_ethics_and_program_facts() -> None:
    study = rules.create(
        studies.create_study().owner, "A", design={"stages": STAGES, "ethics": ETHICS}
    )
    before = rules.config_hash(study)
    rules.change(study, design={**study.design, "ethics": {**ETHICS, "contact": "b@example.org"}})
    assert rules.config_hash(study) != before
    rules.open(study, "ada")
    assert study.program_at_opening["program"] == program.source_hash()
    assert set(study.program_at_opening["templates"]) == set(program.template_hashes())
    assert participant_state.design_of(study).ethics.contact == "b@example.org"


def test_data_export_has_all_own_data_and_nothing_of_others() -> None:
    _study, (exporter, peer), statements = play_game_of_two()
    seat = studies.seating_of(peer)
    Utterance.objects.filter(game=studies.game_of(peer), seat=seat.seat).update(text="Not mine.")
    client = taking.browser_of(exporter)
    assert client.get(f"/take/as/{exporter.key}/data").status_code == 200
    response = client.get(f"/take/as/{exporter.key}/data.json")
    export = response.json()
    text = response.content.decode()
    assert export["outside_names"]["label"] == LABEL
    assert [a["text"] for a in export["answers"]] == [OWN_STATEMENT]
    assert [s["text"] for s in export["games"][0]["said"]] == statements
    assert export["games"][0]["chose"]
    assert export["you"]["visits"]
    assert {"shown", "waited"} <= export["you"].keys(), "as in files of earlier versions"
    assert "Not mine." not in text
    for secret in (peer.pseudonym, peer.key, str(peer.visitor), exporter.key, "person"):
        assert secret not in text.replace(LABEL, ""), secret
    assert Client().get(f"/take/as/{exporter.key}/data.json").status_code == 302, "link not enough"
    lifecycle.leave_by(exporter, "left")
    assert client.get(f"/take/as/{exporter.key}/data.json").json()["you"]["exit"] == "left"


def test_data_export_includes_messages() -> None:
    participant = taking.add_participant(taking.create_study({"kind": "game"}))
    messages.request_help(participant, "Is it my turn?")
    messages.send_to_participant(participant, "Yes.", actor="ada")
    rows = [(row["kind"], row["text"]) for row in data_export.export_data(participant)["messages"]]
    assert rows == [("help", "Is it my turn?"), ("from the researchers", "Yes.")]
