"""Tests that an erased rater is gone from tables, sessions and the database file."""

from __future__ import annotations

import uuid

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection

from game.engine.events import text_hash
from tests.study.personal_data import database_bytes, dump_database
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.play.turns import withdrawals
from webapp.study.data import campaign_export as data
from webapp.study.ethics import participant_erasure
from webapp.study.models import Analysis, Campaign, Rater, Rating, Stimulus
from webapp.study.rating import campaigns, exclusion, rater_erasure, stimuli
from webapp.study.rating.rater_view import render_unit

LABEL = "5e9f-outside-label-of-a-person"


def erase(rater: Rater) -> None:
    assert rater.participant
    participant_erasure.erase_participant(rater.participant, actor="ada", keeps_owed=False)


def create_rated_campaign() -> tuple[Campaign, Rater, Rater]:
    campaign = create_campaign(ended_game())
    campaigns.open(campaign)
    erased, other_rater = (
        add_rater(campaign, label=LABEL, visitor=uuid.uuid4()),
        add_rater(campaign, label="somebody-else"),
    )
    for rater in (erased, other_rater):
        for unit in campaign.units.all()[:3]:
            rate_unit(rater, unit, 4)
        session = SessionStore()
        assert rater.participant
        keys_by_study = {campaign.study.key: rater.participant.key}
        session.update({"raters": keys_by_study, "participants": keys_by_study, "visitor": "v"})
        session.save()
    Analysis.objects.create(campaign=campaign, data={"raters": [erased.pseudonym]})
    return campaign, erased, other_rater


@pytest.mark.django_db
def test_erased_rater_is_absent_from_tables_and_sessions() -> None:
    campaign, erased, _other_rater = create_rated_campaign()
    assert erased.participant
    keys = [LABEL, f"s-{LABEL}", erased.key, erased.participant.key]
    keys += [str(a.key) for a in erased.assignments.all()]
    uuids = [repr(a.key) for a in erased.assignments.all()]
    before = dump_database()
    assert all(key in before for key in keys)
    erase(erased)
    after = dump_database()
    assert not [key for key in keys + uuids if key in after]
    assert not Analysis.objects.filter(campaign=campaign).exists()


@pytest.mark.django_db
def test_erasure_leaves_other_raters_unchanged() -> None:
    campaign, erased, other_rater = create_rated_campaign()
    erase(erased)
    assert other_rater.assignments.count() == 3
    assert Rating.objects.filter(assignment__rater=other_rater).count() == 9
    sessions = [s.get_decoded() for s in Session.objects.all()]
    assert other_rater.participant
    assert {campaign.study.key: other_rater.participant.key} in [s["raters"] for s in sessions]
    assert [s["visitor"] for s in sessions] == ["v", "v"]
    rows = data.build_file(campaign, "ratings_long.csv").decode()
    assert "R002" in rows
    assert "R001" not in rows
    assert "R001" not in data.build_file(campaign, "raters.csv").decode()


@pytest.mark.django_db
def test_erased_link_reports_only_the_erasure() -> None:
    _campaign, erased, other_rater = create_rated_campaign()
    key = erased.key
    erase(erased)
    erased = Rater.objects.get(pk=erased.pk)
    assert rater_erasure.was_erased(key)
    assert rater_erasure.is_erased(erased)
    assert not rater_erasure.was_erased(other_rater.key)
    assert not Rater.objects.filter(key=key).exists()
    assert (erased.experience, erased.consented_at) == (None, None)
    erase(erased)  # A second erasure changes nothing.
    assert Rater.objects.get(pk=erased.pk).key == erased.key


@pytest.mark.django_db
def test_erasure_frees_the_quota_but_not_the_pseudonym() -> None:
    campaign, erased, _other_rater = create_rated_campaign()
    first = campaign.units.all()[0]
    assert first.assignments.filter(rater__excluded=False).count() == 2
    erase(erased)
    assert first.assignments.count() == 1
    assert add_rater(campaign).pseudonym == "R003"


@pytest.mark.django_db
def test_erased_last_rater_keeps_its_number() -> None:
    campaign, _erased, other_rater = create_rated_campaign()
    erase(other_rater)
    assert add_rater(campaign).pseudonym == "R003"


@pytest.mark.django_db(transaction=True)
def test_erased_bytes_are_absent_from_the_database_file() -> None:
    if connection.vendor != "sqlite":
        return
    _campaign, erased, _other_rater = create_rated_campaign()
    key = erased.key.encode()
    assert LABEL.encode() in database_bytes()
    assert key in database_bytes()
    erase(erased)
    assert LABEL.encode() not in database_bytes()
    assert key not in database_bytes()


@pytest.mark.django_db
def test_excluded_rater_stays_in_the_export_with_the_reason() -> None:
    campaign, excluded, _other_rater = create_rated_campaign()
    exclusion.exclude(excluded, "failed both checks")
    rows = data.build_file(campaign, "ratings_long.csv").decode()
    assert rows.count("true,failed both checks") == 9
    exclusion.include(excluded)
    assert "failed both checks" not in data.build_file(campaign, "ratings_long.csv").decode()
    assert stimuli.unit_dimensions(campaign.units.all()[0])


@pytest.mark.django_db
def test_erased_player_is_redacted_in_rival_answers_and_exports() -> None:
    words = {(1, 2): "I never liked marmalade.", (1, 3): "Zoë, did you say marmalade, Zoe?"}
    game = ended_game(words=words, names={2: "Zoë"})
    campaign = create_campaign(game, choice={"pick": "all", "speakers": "all"})
    campaigns.draw_units(campaign)
    unit = campaign.units.get(seat=3, position=campaign.units.filter(seat=3)[0].position)
    rival = Stimulus.objects.create(
        unit=unit, place=2, condition="rival", text="I ask you, Zoë: who are Zoe’s friends?"
    )
    stimulus = Stimulus.objects.get(unit__seat=2, utterance__text=words[1, 2])
    withdrawals.erase_person(game.players.get(seat=2))
    rival.refresh_from_db()
    assert rival.text == "I ask you, Beta: who are Beta’s friends?"
    rendered = render_unit(stimulus.unit)
    assert rendered.sides[0].text == "(These words were taken out.)"
    for name in data.FILE_NAMES:
        body = data.build_file(campaign, name).decode()
        assert "never liked" not in body
        assert "Zo" not in body
        assert text_hash(words[1, 2]) not in body
    assert "did you say marmalade, Beta?" in data.build_file(campaign, "transcripts.csv").decode()
