"""A participant who asks for it is gone.

From every table, every session and the database's files, while others play on and somebody reads;
what is left to do is on record and done later.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from game.models import Answer, Game, Utterance
from tests.crashes import crash_everywhere
from tests.study import studies, taking, world
from tests.study.desk import signed_in
from webapp.play import pending_shredding, visitors
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Shredding, Withdrawal
from webapp.play.page import drafts
from webapp.play.turns import withdrawals
from webapp.study.ethics import own_data, participant_erasure, pending_erasures
from webapp.study.games.public_talk import talk_of
from webapp.study.models import (
    Erasure,
    Happening,
    Identity,
    Participant,
    Payment,
    Rater,
    Response,
    Seating,
    Slot,
    Study,
)
from webapp.study.rating import campaigns
from webapp.study.rating.rater_view import whole_talk, without_withdrawn
from webapp.study.sessions import (
    audit_events,
    lifecycle,
    messages,
    participant_steps,
    practice,
    rated_games,
)

pytestmark = pytest.mark.django_db(transaction=True)

LABEL = "5e9f-outside-label-of-a-person"
OWN = "The bells of my own village rang at noon."
STAGES = [
    {"kind": "consent", "text": "You agree."},
    {"kind": "practice"},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["who-is-human"]},
    {"kind": "debriefing"},
]


@pytest.fixture(autouse=True)
def _looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_erasures, "INTERVAL_S", 0.0)


def everything() -> str:
    """All rows of all tables, sessions decoded."""
    rows = [list(m._default_manager.values_list()) for m in apps.get_models() if m != Session]
    told = [repr(rows), json.dumps(rows, default=str, ensure_ascii=False)]
    return "\n".join([*told, *(repr(s.get_decoded()) for s in Session.objects.all())])


def filled(who: Participant) -> None:
    """They have an outside name, a pay that is due, answers, and a browser."""
    Identity.objects.create(participant=who, label=LABEL, session=f"s-{LABEL}")
    Response.objects.create(
        participant=who, step="interview-3", instrument="interview", item="one", text=OWN
    )
    audit_events.record_event(
        who.study_id, "excluded", actor="ada", participant=who, reason=f"is {LABEL}"
    )
    Participant.objects.filter(pk=who.pk).update(device={"sound": "heard-by-" + LABEL})
    session = SessionStore()
    session.update({"participants": {who.study.key: who.key}, visitors.LINK: who.key, "v": "w"})
    session.save()


def played(**design: object) -> tuple[Study, list[Participant], list[str]]:
    """Two people have played a game to its end and are asked about it; what the first one said."""
    made = studies.study(table={"people": 2}, **{"stages": STAGES, **design})
    people = studies.seated(made, 2)
    slot = studies.play(people[0])
    assert slot.game
    seat = studies.seat_of(people[0]).seat
    Utterance.objects.filter(game=slot.game, seat=seat).update(text=OWN)
    said = list(Utterance.objects.filter(game=slot.game, seat=seat).values_list("text", flat=True))
    assert said
    filled(people[0])
    return made, [studies.fresh(p) for p in people], said


def later(days: float = 2) -> None:
    """So many days after everything was asked for, the sweeper comes by."""
    for row in Erasure.objects.all():
        Erasure.objects.filter(pk=row.pk).update(asked_at=row.asked_at - timedelta(days=days))
    job = pending_erasures.PendingErasures()
    for _ in range(Erasure.objects.count() + 1):
        job.step()


def on_disk() -> bytes:
    file = Path(str(connection.settings_dict["NAME"]))
    files = (file, file.with_name(file.name + "-wal"))
    return b"".join(f.read_bytes() for f in files if f.exists())


def test_no_table_no_session_and_no_file_knows_the_participant() -> None:
    _made, (gone, stays), said = played()
    keys = [LABEL, gone.key, str(gone.visitor), OWN, *said]
    assert not [key for key in keys if key not in everything()]
    moves = Answer.objects.count()
    lifecycle.leave_by(stays, "left")
    participant_erasure.erase_participant(gone, actor=audit_events.PARTICIPANT, keeps_owed=False)
    after = everything()
    assert not [key for key in keys if key in after]
    if connection.vendor == "sqlite":
        assert not [key for key in keys if key.encode() in on_disk()]
    row = studies.fresh(gone)
    assert (row.pseudonym, row.withdrew, row.visits, row.times, row.device) == (
        "P001", True, [], {}, {},
    )  # fmt: skip
    assert Answer.objects.count() == moves, "the moves of the joint game stay"
    assert Erasure.objects.get().done_at
    assert Client().get(f"/take/as/{gone.key}/").status_code == 410
    assert [s.get_decoded()["v"] for s in Session.objects.all() if "v" in s.get_decoded()] == ["w"]
    other = studies.fresh(stays)
    assert (other.withdrew, bool(other.visits)) == (False, True)


def test_what_others_noted_for_themselves_stops_no_erasure() -> None:
    _made, (gone, stays), said = played()
    seat = studies.seat_of(gone).seat
    player = studies.seat_of(stays).player
    assert player
    drafts.save_guess(player, 1, str(seat))
    Payment.objects.create(participant=gone, amount=1, reason="bonus:won", status="sealed")
    lifecycle.leave_by(stays, "left")
    participant_erasure.erase_participant(gone, actor=audit_events.PARTICIPANT)
    assert not [words for words in said if words in everything()]
    assert player.desk.notes["guess"]["seat"] == seat
    assert Identity.objects.filter(participant=gone).exists(), "a bonus is still to be paid"
    assert "bonus:won" not in json.dumps(own_data.export_data(studies.fresh(gone)))


def test_practice_ratings_and_their_quotas_go_too() -> None:
    made = taking.study({"kind": "practice", "minutes": 2}, {"kind": "game"})
    who = taking.participant(made, "practice")
    assert who.visitor
    assert practice.begin_practice(who, participant_steps.current_step(who), who.visitor)
    game = Game.objects.get()
    of = world.campaign(world.finished())
    campaigns.open(of)
    rater = rated_games.get_or_create_rater(who, of)
    world.rate(rater, of.units.all()[0], 4)
    participant_erasure.erase_participant(studies.fresh(who), actor=audit_events.PARTICIPANT)
    later()
    assert not Game.objects.filter(pk=game.pk).exists()
    row = Rater.objects.get(pk=rater.pk)
    assert (row.assignments.count(), row.exclusion_reason) == (0, "erased")
    assert studies.fresh(who).practice is None


def test_a_reader_holds_nobody_up_and_the_bytes_go_when_it_is_done() -> None:
    if connection.vendor != "sqlite":
        return
    _made, (gone, stays), _said = played()
    lifecycle.leave_by(stays, "left")
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as reads:
        reads.execute("BEGIN")
        reads.execute("SELECT count(*) FROM study_participant").fetchone()
        stop, waited = threading.Event(), [0.0]
        writer = threading.Thread(target=write_on, args=(stop, waited))
        writer.start()
        began = time.monotonic()
        participant_erasure.erase_participant(
            gone, actor=audit_events.PARTICIPANT, keeps_owed=False
        )
        took = time.monotonic() - began
        began = time.monotonic()
        Sweeper().sweep()
        swept = time.monotonic() - began
        stop.set()
        writer.join()
        # SQLite's patience with a reader is 20 s (webapp.sqlite).
        assert took < 15, "it waited for the reader"
        assert swept < 15
        assert waited[0] < 15, "somebody else’s write waited"
        assert LABEL not in everything(), "whoever looks from now on finds nothing"
        assert Shredding.objects.filter(done_at=None).exists()
        assert LABEL.encode() in on_disk()
    pending_shredding.retry_shredding()
    assert not Shredding.objects.filter(done_at=None).exists()
    assert LABEL.encode() not in on_disk()
    assert OWN.encode() not in on_disk()


def write_on(stop: threading.Event, waited: list[float]) -> None:
    """Another process's writes, one after the other; how long the longest took."""
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]), timeout=30)) as writes:
        while not stop.is_set():
            began = time.monotonic()
            with writes:
                writes.execute("UPDATE study_study SET rehearsal = rehearsal")
            waited[0] = max(waited[0], time.monotonic() - began)


def test_a_game_that_goes_on_is_not_stopped_and_tells_nothing() -> None:
    made = studies.study(table={"people": 2}, stages=STAGES)
    gone, stays = studies.seated(made, 2)
    slot = studies.seat_of(gone).slot
    filled(gone)
    participant_erasure.erase_participant(
        studies.fresh(gone), actor=audit_events.PARTICIPANT, keeps_owed=False
    )
    game = studies.game_of(stays)
    assert game.status == Game.RUNNING
    assert not Response.objects.filter(participant=gone).exists()
    assert not Identity.objects.exists()
    studies.play(stays)
    seat = Seating.objects.get(participant=gone, slot=slot)
    Utterance.objects.filter(game=game, seat=seat.seat).update(text=OWN)
    Answer.objects.filter(window__game=game, seat=seat.seat).update(labels=[])  # their own words
    pending_erasures.PendingErasures().step()
    assert OWN in everything(), "the other one is still asked who was a person"
    lifecycle.leave_by(studies.fresh(stays), "left")
    pending_erasures.PendingErasures().step()
    assert OWN not in everything()
    assert Erasure.objects.get().done_at


def test_words_wait_a_day_at_most_for_others_who_never_come_back() -> None:
    _made, (gone, _stays), _said = played()
    Payment.objects.all().delete()
    participant_erasure.erase_participant(gone, actor=audit_events.PARTICIPANT)
    assert OWN in everything()
    later(1.1)
    assert OWN not in everything()


def test_raters_see_no_withdrawn_words_while_others_are_still_asked_about_the_game() -> None:
    _made, (gone, _stays), _said = played()
    game, seat = studies.game_of(gone), studies.seat_of(gone).seat

    def shown() -> set[str]:
        talk = without_withdrawn(talk_of(game), game)
        return {line.text for line in whole_talk(talk) if line.speaker == talk.names[seat - 1]}

    assert f"Seat {seat} speaks in statement.1.1.{seat}." in shown()
    participant_erasure.erase_participant(gone, actor=audit_events.PARTICIPANT)
    assert OWN in everything(), "the words are still there"
    assert {text for text in shown() if "votes" not in text} == {
        "said something that was taken out."
    }


def test_the_link_shows_code_and_way_for_a_day_and_the_name_stays_until_paid() -> None:
    exits = {"left": {"code_kind": "same", "code": "CODE-left", "pay": "2.00"}}
    _made, (gone, stays), _said = played(exits=exits, currency="GBP")
    lifecycle.leave_by(stays, "removed")
    client = taking.browser(gone)
    page = client.get(f"/take/as/{gone.key}/leave").content.decode()
    assert "I don’t want the payment" in page
    client.post(f"/take/as/{gone.key}/leave", {"do": "erase"})
    assert "CODE-left" in client.get(f"/take/as/{gone.key}/").content.decode()
    assert Identity.objects.get().label == LABEL, "they are owed pay"
    assert not Response.objects.filter(participant=gone).exists()
    later()
    assert client.get(f"/take/as/{gone.key}/").status_code == 200, "they are owed pay"
    Payment.objects.update(status=Payment.PAID)
    later()
    assert LABEL not in everything()
    assert not Payment.objects.exists()
    assert client.get(f"/take/as/{gone.key}/").status_code == 410


def test_who_does_without_pay_is_gone_at_once() -> None:
    exits = {"left": {"pay": "2.00"}}
    _made, (gone, stays), _said = played(exits=exits, currency="GBP")
    lifecycle.leave_by(stays, "removed")
    taking.browser(gone).post(f"/take/as/{gone.key}/leave", {"do": "erase", "forgo": "1"})
    assert LABEL not in everything()


def test_it_can_be_done_until_the_limit_and_not_after() -> None:
    ethics = {"withdraw_days": 10, "contact": "ada@example.org"}
    _made, (gone, _stays), _said = played(ethics=ethics)
    lifecycle.leave_by(gone, "left")
    client, address = taking.browser(gone), f"/take/as/{gone.key}/leave"
    assert "This is possible until" in client.get(address).content.decode()
    early = timezone.now() - timedelta(days=11)
    Participant.objects.filter(pk=gone.pk).update(exited_at=early)
    page = client.get(address).content.decode()
    assert "This was possible until" in page
    assert "ada@example.org" in page
    assert 'value="erase"' not in page
    client.post(address, {"do": "erase"})
    assert Response.objects.filter(participant=gone).exists()
    assert not Erasure.objects.exists()


def test_the_researcher_erases_with_a_reason_that_stays_on_record() -> None:
    made, (gone, stays), _said = played()
    ada, page = signed_in("ada"), f"/study/studies/{made.code}/ethics/erase"
    refused = ada.post(page, {"pseudonym": "P777", "reason": "asked by mail"})
    assert refused.status_code == 422
    assert ada.post(page, {"pseudonym": "p001", "reason": ""}).status_code == 422
    assert not Erasure.objects.exists()
    told = {"pseudonym": "p001", "reason": "asked by mail", "deletes_owed": "on"}
    assert ada.post(page, told).status_code == 302
    assert studies.kind(gone) == "removed"
    assert studies.fresh(stays).exit == "", "nobody else is touched"
    row = Happening.objects.get(what="erased")
    assert (row.actor, row.reason, row.participant) == ("ada", "asked by mail", gone)
    assert LABEL not in everything()
    assert Slot.objects.get(pk=studies.seat_of(stays).slot.pk).game


def test_a_copy_of_ones_data_has_all_of_it_and_nothing_of_others() -> None:
    _made, (one, other), said = played()
    seat = studies.seat_of(other)
    Utterance.objects.filter(game=studies.game_of(other), seat=seat.seat).update(text="Not mine.")
    client = taking.browser(one)
    assert client.get(f"/take/as/{one.key}/data").status_code == 200
    answer = client.get(f"/take/as/{one.key}/data.json")
    told = answer.json()
    text = answer.content.decode()
    assert told["outside_names"]["label"] == LABEL
    assert [a["text"] for a in told["answers"]] == [OWN]
    assert [s["text"] for s in told["games"][0]["said"]] == said
    assert told["games"][0]["chose"]
    assert told["you"]["visits"]
    assert "Not mine." not in text
    for secret in (other.pseudonym, other.key, str(other.visitor), one.key, "person"):
        assert secret not in text.replace(LABEL, ""), secret
    assert Client().get(f"/take/as/{one.key}/data.json").status_code == 302, "not by the link alone"
    lifecycle.leave_by(one, "left")
    assert client.get(f"/take/as/{one.key}/data.json").json()["you"]["exit"] == "left"


def test_what_was_said_with_the_researchers_is_in_the_copy() -> None:
    who = taking.participant(taking.study({"kind": "game"}))
    messages.request_help(who, "Is it my turn?")
    messages.send_to_participant(who, "Yes.", actor="ada")
    told = [(row["kind"], row["text"]) for row in own_data.export_data(who)["messages"]]
    assert told == [("help", "Is it my turn?"), ("from the researchers", "Yes.")]


def test_erasure_is_finished_by_the_sweeper_after_a_crash_at_any_step() -> None:
    if connection.vendor != "sqlite":
        return
    bonuses = [{"rule": "survived", "amount": "1.00"}]
    exits = {"left": {"pay": "2.00"}}
    _made, (gone, stays), said = played(exits=exits, currency="GBP", bonuses=bonuses)
    address = f"/take/as/{gone.key}/leave"
    lifecycle.leave_by(stays, "left")
    of = world.campaign(world.finished())
    campaigns.open(of)
    world.rate(rated_games.get_or_create_rater(gone, of), of.units.all()[0], 4)
    client, noted = taking.browser(gone), []

    def check() -> None:
        noted.append(Erasure.objects.exists())
        if not noted[-1]:
            assert (studies.fresh(gone).exit, OWN in everything()) == ("", True)
            return
        for _day in range(1 if len(noted) % 4 else 2):  # then all is done; again changes nothing
            Withdrawal.objects.update(at=timezone.now() - timedelta(hours=1))
            later()
            withdrawals.resume_withdrawals()
            after = everything()
            assert not [key for key in (LABEL, OWN, gone.key, *said) if key in after]
            assert (studies.kind(gone), studies.fresh(gone).withdrew) == ("left", True)
            assert Happening.objects.filter(participant=gone, what="withdrew").count() == 1
            assert Erasure.objects.get().done_at
            assert not Withdrawal.objects.filter(done_at=None).exists()
            assert Rater.objects.get().exclusion_reason == "erased"
            assert Client().get(f"/take/as/{gone.key}/").status_code == 410
            assert studies.fresh(stays).withdrew is False

    steps = crash_everywhere(lambda: client.post(address, {"do": "erase", "forgo": "1"}), check)
    assert noted.count(True) > 10, "it was recorded before the other steps"
    assert steps > 10


def test_consent_taken_back_at_the_debriefing_is_finished_after_a_crash_at_any_step() -> None:
    if connection.vendor != "sqlite":
        return
    exits = {"completed": {"code_kind": "same", "code": "CODE-done", "pay": "2.00"}}
    _made, (gone, stays), _said = played(
        exits=exits, currency="GBP", ethics={"consent_again": True}
    )
    lifecycle.leave_by(stays, "left")
    while (step := participant_steps.current_step(studies.fresh(gone))).kind != "debriefing":
        lifecycle.advance(studies.fresh(gone), step.index)
    client, noted = taking.browser(gone), []
    post = {"do": "on", "step": step.index, "again": Participant.TAKEN_BACK}

    def check() -> None:
        noted.append(Erasure.objects.exists())
        person = studies.fresh(gone)
        if not noted[-1]:
            assert (person.exit, person.consent_again) == ("", "")
            return
        Withdrawal.objects.update(at=timezone.now() - timedelta(hours=1))
        pending_erasures.PendingErasures().step()
        withdrawals.resume_withdrawals()
        assert OWN not in everything()
        person = studies.fresh(gone)
        assert (person.exit, person.consent_again) == ("completed", Participant.TAKEN_BACK)
        paid = Payment.objects.get(participant=gone)
        assert (paid.reason, paid.status) == ("completed", Payment.DUE)
        page = client.get(f"/take/as/{gone.key}/").content.decode()
        assert "CODE-done" in page

    crash_everywhere(lambda: client.post(f"/take/as/{gone.key}/", post), check)
    assert noted.count(True) > 8


def test_link_of_erased_participant_says_so_after_a_second_process_came_late() -> None:
    _made, (gone, stays), _said = played()
    late = participant_erasure.erase_participant(
        gone, actor=audit_events.PARTICIPANT, keeps_owed=False
    )
    lifecycle.leave_by(stays, "left")
    assert participant_erasure.continue_erasure(Erasure.objects.get())
    assert participant_erasure.continue_erasure(late)
    assert Client().get(f"/take/as/{gone.key}/").status_code == 410
