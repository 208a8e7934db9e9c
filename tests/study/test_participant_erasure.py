"""Tests that an erased participant is gone from tables, sessions and database files.

Others play on and read at the same time. Remaining steps are recorded and done later.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from contextlib import closing
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from game.models import Answer, Game, Utterance
from tests.crashes import crash_everywhere
from tests.study import studies, taking, world
from tests.study.desk import sign_in
from tests.study.personal_data import (
    LABEL,
    OWN_STATEMENT,
    STAGES,
    add_personal_data,
    database_bytes,
    dump_database,
    play_game_of_two,
    run_erasures_later,
)
from webapp.play import shredding
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Shredding, Withdrawal
from webapp.play.page import desk_storage
from webapp.play.turns import withdrawals
from webapp.study.ethics import data_export, participant_erasure
from webapp.study.games.public_talk import talk_of
from webapp.study.models import (
    AuditEvent,
    Erasure,
    Identity,
    Participant,
    Payment,
    Rater,
    Response,
    Seating,
    Slot,
)
from webapp.study.rating import campaigns
from webapp.study.rating.rater_view import remove_withdrawn_texts, whole_talk
from webapp.study.sessions import (
    lifecycle,
    participant_state,
    practice,
    study_campaigns,
    study_events,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _remove_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(participant_erasure, "SWEEP_INTERVAL_S", 0.0)


def test_erased_participant_is_absent_from_tables_sessions_and_files() -> None:
    _study, (erased, peer), statements = play_game_of_two()
    keys = [LABEL, erased.key, str(erased.visitor), OWN_STATEMENT, *statements]
    assert not [key for key in keys if key not in dump_database()]
    moves = Answer.objects.count()
    lifecycle.leave_by(peer, "left")
    participant_erasure.erase_participant(erased, actor=study_events.PARTICIPANT, keeps_owed=False)
    after = dump_database()
    assert not [key for key in keys if key in after]
    if connection.vendor == "sqlite":
        assert not [key for key in keys if key.encode() in database_bytes()]
    row = studies.reload(erased)
    assert (row.pseudonym, row.withdrew, row.visits, row.times, row.device) == (
        "P001", True, [], {}, {},
    )  # fmt: skip
    assert Answer.objects.count() == moves, "the moves of the shared game remain"
    assert Erasure.objects.get().done_at
    assert Client().get(f"/take/as/{erased.key}/").status_code == 410
    assert [s.get_decoded()["v"] for s in Session.objects.all() if "v" in s.get_decoded()] == ["w"]
    peer.refresh_from_db()
    assert (peer.withdrew, bool(peer.visits)) == (False, True)


def test_notes_of_other_players_do_not_stop_an_erasure() -> None:
    _study, (erased, peer), statements = play_game_of_two()
    seat = studies.seating_of(erased).seat
    player = studies.seating_of(peer).player
    assert player
    desk_storage.save_guess(player, 1, str(seat))
    Payment.objects.create(participant=erased, amount=1, reason="bonus:won", status="sealed")
    lifecycle.leave_by(peer, "left")
    participant_erasure.erase_participant(erased, actor=study_events.PARTICIPANT)
    assert not [words for words in statements if words in dump_database()]
    assert player.desk.notes["guess"]["seat"] == seat
    assert Identity.objects.filter(participant=erased).exists(), "a bonus is still owed"
    assert "bonus:won" not in json.dumps(data_export.export_data(studies.reload(erased)))


def test_erasure_deletes_practice_ratings_and_quota() -> None:
    study = taking.create_study({"kind": "practice", "minutes": 2}, {"kind": "game"})
    participant = taking.add_participant(study, "practice")
    assert participant.visitor
    assert practice.begin_practice(
        participant, participant_state.current_step(participant), participant.visitor
    )
    game = Game.objects.get()
    campaign = world.create_campaign(world.ended_game())
    campaigns.open(campaign)
    rater = study_campaigns.get_or_create_rater(participant, campaign)
    world.rate_unit(rater, campaign.units.all()[0], 4)
    participant_erasure.erase_participant(
        studies.reload(participant), actor=study_events.PARTICIPANT
    )
    run_erasures_later()
    assert not Game.objects.filter(pk=game.pk).exists()
    row = Rater.objects.get(pk=rater.pk)
    assert (row.assignments.count(), row.exclusion_reason) == (0, "erased")
    assert studies.reload(participant).practice is None


def test_open_reader_does_not_block_erasure_and_bytes_go_later() -> None:
    if connection.vendor != "sqlite":
        return
    _study, (erased, peer), _statements = play_game_of_two()
    lifecycle.leave_by(peer, "left")
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM study_participant").fetchone()
        stop = threading.Event()
        waited = [0.0]
        writer = threading.Thread(target=keep_writing, args=(stop, waited))
        writer.start()
        began = time.monotonic()
        participant_erasure.erase_participant(
            erased, actor=study_events.PARTICIPANT, keeps_owed=False
        )
        erasure_s = time.monotonic() - began
        began = time.monotonic()
        Sweeper().sweep()
        sweep_s = time.monotonic() - began
        stop.set()
        writer.join()
        # SQLite's patience with a reader is 20 s (webapp.sqlite).
        assert erasure_s < 15, "the erasure waited for the reader"
        assert sweep_s < 15
        assert waited[0] < 15, "another process waited for its write"
        assert LABEL not in dump_database(), "new readers find nothing"
        assert Shredding.objects.filter(done_at=None).exists()
        assert LABEL.encode() in database_bytes()
    shredding.retry_shredding()
    assert not Shredding.objects.filter(done_at=None).exists()
    assert LABEL.encode() not in database_bytes()
    assert OWN_STATEMENT.encode() not in database_bytes()


def keep_writing(stop: threading.Event, waited: list[float]) -> None:
    """Write repeatedly as another process would. `waited` gets the longest wait in seconds."""
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]), timeout=30)) as writer:
        while not stop.is_set():
            began = time.monotonic()
            with writer:
                writer.execute("UPDATE study_study SET rehearsal = rehearsal")
            waited[0] = max(waited[0], time.monotonic() - began)


def test_erasure_during_a_running_game_keeps_the_game_and_its_words() -> None:
    study = studies.create_study(table={"people": 2}, stages=STAGES)
    erased, peer = studies.seat(study, 2)
    slot = studies.seating_of(erased).slot
    add_personal_data(erased)
    participant_erasure.erase_participant(
        studies.reload(erased), actor=study_events.PARTICIPANT, keeps_owed=False
    )
    game = studies.game_of(peer)
    assert game.status == Game.RUNNING
    assert not Response.objects.filter(participant=erased).exists()
    assert not Identity.objects.exists()
    studies.finish_game(peer)
    seat = Seating.objects.get(participant=erased, slot=slot)
    Utterance.objects.filter(game=game, seat=seat.seat).update(text=OWN_STATEMENT)
    Answer.objects.filter(window__game=game, seat=seat.seat).update(
        labels=[]
    )  # The player's own statements.
    participant_erasure.PendingErasures().step()
    assert OWN_STATEMENT in dump_database(), "the other player still has a questionnaire"
    lifecycle.leave_by(studies.reload(peer), "left")
    participant_erasure.PendingErasures().step()
    assert OWN_STATEMENT not in dump_database()
    assert Erasure.objects.get().done_at


def test_erased_text_waits_at_most_one_day_for_pending_answers() -> None:
    _study, (erased, _peer), _statements = play_game_of_two()
    Payment.objects.all().delete()
    participant_erasure.erase_participant(erased, actor=study_events.PARTICIPANT)
    assert OWN_STATEMENT in dump_database()
    run_erasures_later(1.1)
    assert OWN_STATEMENT not in dump_database()


def test_withdrawn_text_is_hidden_from_raters_at_once() -> None:
    _study, (erased, _peer), _statements = play_game_of_two()
    game = studies.game_of(erased)
    seat = studies.seating_of(erased).seat

    def visible_texts() -> set[str]:
        talk = remove_withdrawn_texts(talk_of(game), game)
        return {line.text for line in whole_talk(talk) if line.speaker == talk.names[seat - 1]}

    assert f"Seat {seat} speaks in statement.1.1.{seat}." in visible_texts()
    participant_erasure.erase_participant(erased, actor=study_events.PARTICIPANT)
    assert OWN_STATEMENT in dump_database(), "the text is still stored"
    assert {text for text in visible_texts() if "votes" not in text} == {
        "said something that was taken out."
    }


def test_link_shows_code_for_a_day_and_identity_stays_until_paid() -> None:
    exits = {"left": {"code_kind": "same", "code": "CODE-left", "pay": "2.00"}}
    _study, (erased, peer), _statements = play_game_of_two(exits=exits, currency="GBP")
    lifecycle.leave_by(peer, "removed")
    client = taking.browser_of(erased)
    page = client.get(f"/take/as/{erased.key}/leave").content.decode()
    assert "I don’t want the payment" in page
    client.post(f"/take/as/{erased.key}/leave", {"do": "erase"})
    assert "CODE-left" in client.get(f"/take/as/{erased.key}/").content.decode()
    assert Identity.objects.get().label == LABEL, "they are owed pay"
    assert not Response.objects.filter(participant=erased).exists()
    run_erasures_later()
    assert client.get(f"/take/as/{erased.key}/").status_code == 200, "they are owed pay"
    Payment.objects.update(status=Payment.PAID)
    run_erasures_later()
    assert LABEL not in dump_database()
    assert not Payment.objects.exists()
    assert client.get(f"/take/as/{erased.key}/").status_code == 410


def test_erasure_is_possible_only_until_the_limit() -> None:
    ethics = {"withdraw_days": 10, "contact": "ada@example.org"}
    _study, (erased, _peer), _statements = play_game_of_two(ethics=ethics)
    lifecycle.leave_by(erased, "left")
    client = taking.browser_of(erased)
    address = f"/take/as/{erased.key}/leave"
    assert "This is possible until" in client.get(address).content.decode()
    early = timezone.now() - timedelta(days=11)
    Participant.objects.filter(pk=erased.pk).update(exited_at=early)
    page = client.get(address).content.decode()
    assert "This was possible until" in page
    assert "ada@example.org" in page
    assert 'value="erase"' not in page
    client.post(address, {"do": "erase"})
    assert Response.objects.filter(participant=erased).exists()
    assert not Erasure.objects.exists()


def test_researcher_erases_a_participant_with_a_recorded_reason() -> None:
    study, (erased, peer), _statements = play_game_of_two()
    ada = sign_in("ada")
    page = f"/study/studies/{study.code}/ethics/erase"
    rejected = ada.post(page, {"pseudonym": "P777", "reason": "asked by mail"})
    assert rejected.status_code == 422
    assert ada.post(page, {"pseudonym": "p001", "reason": ""}).status_code == 422
    assert not Erasure.objects.exists()
    form = {"pseudonym": "p001", "reason": "asked by mail", "deletes_owed": "on"}
    assert ada.post(page, form).status_code == 302
    assert studies.stage_of(erased) == "removed"
    assert studies.reload(peer).exit == "", "no other participant is changed"
    row = AuditEvent.objects.get(what="erased")
    assert (row.actor, row.reason, row.participant) == ("ada", "asked by mail", erased)
    assert LABEL not in dump_database()
    assert Slot.objects.get(pk=studies.seating_of(peer).slot.pk).game


def test_sweeper_finishes_an_erasure_after_a_crash_at_any_step() -> None:
    if connection.vendor != "sqlite":
        return
    bonuses = [{"rule": "survived", "amount": "1.00"}]
    exits = {"left": {"pay": "2.00"}}
    _study, (erased, peer), statements = play_game_of_two(
        exits=exits, currency="GBP", bonuses=bonuses
    )
    address = f"/take/as/{erased.key}/leave"
    lifecycle.leave_by(peer, "left")
    campaign = world.create_campaign(world.ended_game())
    campaigns.open(campaign)
    world.rate_unit(
        study_campaigns.get_or_create_rater(erased, campaign), campaign.units.all()[0], 4
    )
    client = taking.browser_of(erased)
    is_recorded = []

    def check() -> None:
        is_recorded.append(Erasure.objects.exists())
        if not is_recorded[-1]:
            assert (studies.reload(erased).exit, OWN_STATEMENT in dump_database()) == ("", True)
            return
        for _day in range(
            1 if len(is_recorded) % 4 else 2
        ):  # The erasure completes. Repeating it changes nothing.
            Withdrawal.objects.update(at=timezone.now() - timedelta(hours=1))
            run_erasures_later()
            withdrawals.resume_withdrawals()
            after = dump_database()
            assert not [
                key for key in (LABEL, OWN_STATEMENT, erased.key, *statements) if key in after
            ]
            assert (studies.stage_of(erased), studies.reload(erased).withdrew) == ("left", True)
            assert AuditEvent.objects.filter(participant=erased, what="withdrew").count() == 1
            assert Erasure.objects.get().done_at
            assert not Withdrawal.objects.filter(done_at=None).exists()
            assert Rater.objects.get().exclusion_reason == "erased"
            assert Client().get(f"/take/as/{erased.key}/").status_code == 410
            assert studies.reload(peer).withdrew is False

    steps = crash_everywhere(lambda: client.post(address, {"do": "erase", "forgo": "1"}), check)
    assert is_recorded.count(True) > 10, "the erasure is recorded before its steps"
    assert steps > 10


def test_withdrawn_consent_is_completed_after_a_crash_at_any_step() -> None:
    if connection.vendor != "sqlite":
        return
    exits = {"completed": {"code_kind": "same", "code": "CODE-done", "pay": "2.00"}}
    _study, (erased, peer), _statements = play_game_of_two(
        exits=exits, currency="GBP", ethics={"consent_again": True}
    )
    lifecycle.leave_by(peer, "left")
    while (step := participant_state.current_step(studies.reload(erased))).kind != "debriefing":
        lifecycle.advance(studies.reload(erased), step.index)
    client = taking.browser_of(erased)
    is_recorded = []
    post = {"do": "on", "step": step.index, "again": Participant.TAKEN_BACK}

    def check() -> None:
        is_recorded.append(Erasure.objects.exists())
        person = studies.reload(erased)
        if not is_recorded[-1]:
            assert (person.exit, person.consent_again) == ("", "")
            return
        Withdrawal.objects.update(at=timezone.now() - timedelta(hours=1))
        participant_erasure.PendingErasures().step()
        withdrawals.resume_withdrawals()
        assert OWN_STATEMENT not in dump_database()
        person = studies.reload(erased)
        assert (person.exit, person.consent_again) == ("completed", Participant.TAKEN_BACK)
        paid = Payment.objects.get(participant=erased)
        assert (paid.reason, paid.status) == ("completed", Payment.DUE)
        page = client.get(f"/take/as/{erased.key}/").content.decode()
        assert "CODE-done" in page

    crash_everywhere(lambda: client.post(f"/take/as/{erased.key}/", post), check)
    assert is_recorded.count(True) > 8


def test_erased_link_is_gone_after_a_second_late_process() -> None:
    _study, (erased, peer), _statements = play_game_of_two()
    late = participant_erasure.erase_participant(
        erased, actor=study_events.PARTICIPANT, keeps_owed=False
    )
    lifecycle.leave_by(peer, "left")
    assert participant_erasure.continue_erasure(Erasure.objects.get())
    assert participant_erasure.continue_erasure(late)
    assert Client().get(f"/take/as/{erased.key}/").status_code == 410
