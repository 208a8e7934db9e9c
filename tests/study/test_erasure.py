"""A rater who asks for it is gone: from every table, every session and the file itself."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection

from game.engine.events import text_hash
from tests.study.world import campaign, finished, rate, rater
from webapp.play.turns import withdrawals
from webapp.study import data
from webapp.study.ethics import participant_erasure
from webapp.study.models import Analysis, Campaign, Rater, Rating, Stimulus
from webapp.study.rating import campaigns, rater_erasure, stimuli
from webapp.study.rating.rater_view import render_unit

LABEL = "5e9f-outside-label-of-a-person"


def everything() -> str:
    """All rows of all tables, sessions decoded."""
    told = [repr(list(m._default_manager.values_list())) for m in apps.get_models()]
    told += [repr(s.get_decoded()) for s in Session.objects.all()]
    return "\n".join(told)


def erase(who: Rater) -> None:
    assert who.participant
    participant_erasure.erase_participant(who.participant, actor="ada", keeps_owed=False)


def begun() -> tuple[Campaign, Rater, Rater]:
    of = campaign(finished())
    campaigns.open(of)
    gone, stays = rater(of, label=LABEL, visitor=uuid.uuid4()), rater(of, label="somebody-else")
    for who in (gone, stays):
        for unit in of.units.all()[:3]:
            rate(who, unit, 4)
        session = SessionStore()
        assert who.participant
        came = {of.study.key: who.participant.key}
        session.update({"raters": came, "participants": came, "visitor": "v"})
        session.save()
    Analysis.objects.create(campaign=of, data={"raters": [gone.pseudonym]})
    return of, gone, stays


@pytest.mark.django_db
def test_no_table_and_no_session_knows_the_rater() -> None:
    of, gone, _stays = begun()
    assert gone.participant
    keys = [LABEL, f"s-{LABEL}", gone.key, gone.participant.key]
    keys += [str(a.key) for a in gone.assignments.all()]
    uuids = [repr(a.key) for a in gone.assignments.all()]
    before = everything()
    assert all(key in before for key in keys)
    erase(gone)
    after = everything()
    assert not [key for key in keys + uuids if key in after]
    assert not Analysis.objects.filter(campaign=of).exists()


@pytest.mark.django_db
def test_the_others_keep_everything() -> None:
    of, gone, stays = begun()
    erase(gone)
    assert stays.assignments.count() == 3
    assert Rating.objects.filter(assignment__rater=stays).count() == 9
    sessions = [s.get_decoded() for s in Session.objects.all()]
    assert stays.participant
    assert {of.study.key: stays.participant.key} in [s["raters"] for s in sessions]
    assert [s["visitor"] for s in sessions] == ["v", "v"]
    rows = data.build_file(of, "ratings_long.csv").decode()
    assert "R002" in rows
    assert "R001" not in rows
    assert "R001" not in data.build_file(of, "raters.csv").decode()


@pytest.mark.django_db
def test_the_link_can_say_what_happened_and_nothing_else() -> None:
    _of, gone, stays = begun()
    key = gone.key
    erase(gone)
    gone = Rater.objects.get(pk=gone.pk)
    assert rater_erasure.was_erased(key)
    assert rater_erasure.is_erased(gone)
    assert not rater_erasure.was_erased(stays.key)
    assert not Rater.objects.filter(key=key).exists()
    assert (gone.experience, gone.consented_at) == (None, None)
    erase(gone)  # once more is no more
    assert Rater.objects.get(pk=gone.pk).key == gone.key


@pytest.mark.django_db
def test_the_quota_is_free_and_the_pseudonym_is_not() -> None:
    of, gone, _stays = begun()
    first = of.units.all()[0]
    assert first.assignments.filter(rater__excluded=False).count() == 2
    erase(gone)
    assert first.assignments.count() == 1
    assert rater(of).pseudonym == "R003"


@pytest.mark.django_db
def test_an_erased_last_rater_leaves_its_number() -> None:
    of, _gone, stays = begun()
    erase(stays)
    assert rater(of).pseudonym == "R003"


@pytest.mark.django_db(transaction=True)
def test_the_database_file_forgets_the_bytes() -> None:
    if connection.vendor != "sqlite":
        return
    _of, gone, _stays = begun()
    file = Path(str(connection.settings_dict["NAME"]))
    key = gone.key.encode()

    def bytes_on_disk() -> bytes:
        files = (file, file.with_name(file.name + "-wal"))
        return b"".join(f.read_bytes() for f in files if f.exists())

    assert LABEL.encode() in bytes_on_disk()
    assert key in bytes_on_disk()
    erase(gone)
    assert LABEL.encode() not in bytes_on_disk()
    assert key not in bytes_on_disk()


@pytest.mark.django_db
def test_an_excluded_rater_stays_in_the_export_with_the_reason() -> None:
    of, who, _stays = begun()
    campaigns.exclude(who, "failed both checks")
    rows = data.build_file(of, "ratings_long.csv").decode()
    assert rows.count("true,failed both checks") == 9
    campaigns.include(who)
    assert "failed both checks" not in data.build_file(of, "ratings_long.csv").decode()
    assert stimuli.unit_dimensions(of.units.all()[0])


@pytest.mark.django_db
def test_a_player_who_takes_their_name_back_is_in_no_other_systems_answer_and_no_export() -> None:
    words = {(1, 2): "I never liked marmalade.", (1, 3): "Zoë, did you say marmalade, Zoe?"}
    game = finished(words=words, names={2: "Zoë"})
    of = campaign(game, choice={"pick": "all", "speakers": "all"})
    campaigns.draw_units(of)
    unit = of.units.get(seat=3, position=of.units.filter(seat=3)[0].position)
    rival = Stimulus.objects.create(
        unit=unit, place=2, condition="rival", text="I ask you, Zoë: who are Zoe’s friends?"
    )
    rated = Stimulus.objects.get(unit__seat=2, utterance__text=words[1, 2])
    withdrawals.erase_person(game.players.get(seat=2))
    rival.refresh_from_db()
    assert rival.text == "I ask you, Beta: who are Beta’s friends?"
    seen = render_unit(rated.unit)
    assert seen.sides[0].text == "(These words were taken out.)"
    for name in data.FILES:
        body = data.build_file(of, name).decode()
        assert "never liked" not in body
        assert "Zo" not in body
        assert text_hash(words[1, 2]) not in body
    assert "did you say marmalade, Beta?" in data.build_file(of, "transcripts.csv").decode()
