"""What a board asks.

Settled in the set-up, told to participants, kept as they agreed to it, and gathered on one page.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.test import Client

from tests.study import studies, taking
from tests.study.desk import signed_in
from tests.study.entering import agree, come, form_of, lines, shown
from webapp.study import program
from webapp.study.data.studies import build_file
from webapp.study.design.stages import Design
from webapp.study.models import ConsentText, Erasure, Participant, Payment, Response, Study
from webapp.study.planning import ethics_record, study_plan
from webapp.study.planning import studies as rules
from webapp.study.sessions import participant_steps

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


def study(**more: Any) -> Study:
    return studies.study(stages=STAGES, **{"ethics": ETHICS, **more})


def test_one_agrees_to_all_of_it_with_ticks_of_ones_own() -> None:
    made = study()
    client, page = come(made)
    text = lines(page)
    for told in ("Example University", "ada@example.org", "IRB 2026-17", "365 days", "30 days"):
        assert told in text, told
    assert "checked" not in shown(page).replace('value="100"', "").split("extra_time")[0]
    refused = agree(client, made, page)
    assert refused.status_code == 422
    assert "You must be this old" in lines(refused)
    assert not Participant.objects.exists()
    assert agree(client, made, refused, of_age="on").status_code == 302
    row = Participant.objects.get()
    assert (row.of_age, row.publish_words) == (True, False)
    kept = ConsentText.objects.get()
    assert kept.version == row.consent_version
    assert hashlib.sha256(kept.text.encode()).hexdigest() == kept.version
    assert TEXT in kept.text
    assert "Example University" in kept.text
    other, page = come(made, Client())
    agree(other, made, page, of_age="on", publish_words="on")
    assert Participant.objects.get(publish_words=True).pseudonym == "P002"
    assert ConsentText.objects.count() == 1
    rows = build_file(made, "participants.csv").decode()
    assert "publish_words" in rows.splitlines()[0]
    assert "consent_again" in rows.splitlines()[0]


def test_a_study_that_settles_nothing_asks_nothing_more() -> None:
    made = study(ethics={})
    client, page = come(made)
    assert 'type="checkbox"' not in shown(page)
    agree(client, made, page)
    row = Participant.objects.get()
    assert (row.of_age, row.publish_words) == (None, None)
    assert row.consent_version == hashlib.sha256(TEXT.encode()).hexdigest()
    assert "Participants are not asked for their consent again" in ethics_record.render_markdown(
        made
    )


@pytest.mark.parametrize("said", ["kept", "taken_back", ""])
def test_after_the_debriefing_one_says_whether_the_agreement_stands(said: str) -> None:
    exits = {"completed": {"pay": "3.00", "code_kind": "same", "code": "C0DE"}}
    made = taking.study(
        {"kind": "interview"}, {"kind": "debriefing"}, ethics=ETHICS, exits=exits, currency="GBP"
    )
    who = taking.participant(made, "debriefing")
    Response.objects.create(
        participant=who, step="interview-1", instrument="interview", item="one", text="mine"
    )
    client = taking.browser(who)
    page = client.get(f"/take/as/{who.key}/")
    assert "may we keep your data" in lines(page)
    assert 'name="again" value="kept" checked' not in " ".join(shown(page).split())
    form = {**form_of(page), "do": "on"} | ({"again": said} if said else {})
    client.post(f"/take/as/{who.key}/", form)
    row = studies.fresh(who)
    assert (row.exit, row.consent_again) == ("completed", said)
    assert Response.objects.filter(participant=who).exists() is (said != "taken_back")
    assert Erasure.objects.exists() is (said == "taken_back")
    assert Payment.objects.get().amount == 3, "the pay is the same"
    assert "C0DE" in client.get(f"/take/as/{who.key}/").content.decode()


def test_what_is_missing_is_said_and_people_who_are_recruited_need_a_contact() -> None:
    pay: dict[str, Any] = {"exits": {"completed": {"pay": "3.00"}}, "currency": "GBP"}
    made = rules.create(studies.study().owner, "Bare", design={"stages": STAGES, **pay})
    told = study_plan.build_plan(made)
    assert any("see no contact" in problem for problem in told.problems)
    note = next(n for n in told.notes if "Ethics boards require" in n)
    assert "data controller" in note
    assert "retention period" in note
    stages = [{**STAGES[0], "text": f"{TEXT} Write to ada@example.org."}, *STAGES[1:]]
    rules.change(made, design={"stages": stages, **pay})
    assert not study_plan.build_plan(made).problems
    rules.change(made, design={"stages": STAGES, "ethics": ETHICS, **pay})
    assert not study_plan.build_plan(made).problems
    assert not [n for n in study_plan.build_plan(made).notes if "Ethics boards" in n]
    rules.change(made, design={"stages": STAGES, "ethics": {**ETHICS, "identity_days": 400}})
    assert any("kept longer" in problem for problem in study_plan.build_plan(made).problems)


def test_the_page_gathers_it_and_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example.net/v1")
    monkeypatch.setenv("OPENAI_MODEL", "gpt-x")
    made = study(table={"backend": "openai"}, dropout={"policy": "end"})
    client, page = come(made)
    agree(client, made, page, of_age="on", publish_words="on")
    Study.objects.filter(pk=made.pk).update(
        frozen=program.program_facts(Design.from_json(made.design))
    )
    ada = signed_in("ada")
    answer = ada.get(f"/study/studies/{made.code}/ethics.md")
    assert answer["Content-Type"].startswith("text/markdown")
    text = answer.content.decode()
    for told in (
        "Example University", "ada@example.org", "IRB 2026-17", "Consent, GDPR Art. 6(1)(a)",
        "P001", "1 participant agreed", f"> {TEXT}", "models.example.net", "gpt-x",
        "The provider keeps requests for **30 days**.", "The game ends for everyone",
        "1 selected it, 0 did not", "365 days", "60 days", "30 days", program.source_hash(),
        program.template_hashes()["en/statement"], "unchanged", "who finish",
        "participants do not learn which players are human", "The study pays no participants.",
    ):  # fmt: skip
        assert told in text, told
    shown_page = ada.get(f"/study/studies/{made.code}/ethics")
    assert "models.example.net" in shown(shown_page)
    assert "<strong>30 days</strong>" in shown(shown_page)
    made.refresh_from_db()
    Study.objects.filter(pk=made.pk).update(frozen={**made.frozen, "version": "0.0"})
    made.refresh_from_db()
    assert "changed since" in ethics_record.render_markdown(made)


def test_what_is_frozen_is_kept_as_the_study_opens() -> None:
    made = rules.create(studies.study().owner, "A", design={"stages": STAGES, "ethics": ETHICS})
    before = rules.config_hash(made)
    rules.change(made, design={**made.design, "ethics": {**ETHICS, "contact": "b@example.org"}})
    assert rules.config_hash(made) != before
    rules.open(made, "ada")
    assert made.frozen["program"] == program.source_hash()
    assert set(made.frozen["templates"]) == set(program.template_hashes())
    assert participant_steps.design_of(made).ethics.contact == "b@example.org"
