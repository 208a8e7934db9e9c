"""What a study asks of the database: exact, as tests/webapp/test_queries.py.

What the clock asks each second is the same whether forty people wait, are asked or play.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.asked_queries import asked
from tests.study import studies
from tests.study.taking import browser_of
from webapp.play.live import dispatch
from webapp.study import timed_steps
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, participant_steps, seating

pytestmark = pytest.mark.django_db(transaction=True)
STAGES = [{"kind": "consent"}, {"kind": "background"}, {"kind": "game"}, {"kind": "debriefing"}]
ALL = 40
KNOWN = {"SELECT study_participant": 1, "SELECT django_session": 1}  # whose browser it is
EVERY_SECOND = {
    "SELECT study_participant": 2,
    "SELECT study_study": 1,
    "SELECT study_slot": 3,
    "SELECT study_seating": 3,
}


@pytest.fixture(autouse=True)
def _seen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, an open page is put on record once."""
    monkeypatch.setattr(participant_steps, "SEEN_WRITE_INTERVAL", timedelta(days=1))


def eight_tables(*, blind: bool = True, **design: object) -> Study:
    table = {"people": 5, "blind": blind}
    return studies.create_study(stages=STAGES, table=table, assignment={"games": 10}, **design)


def second(*, match: bool = False) -> Counter[str]:
    with asked() as found:
        timed_steps.run_due_steps(match=match)
    return found


def page(client: Client, address: str, status: int = 200) -> tuple[HttpResponse, Counter[str]]:
    with asked() as found:
        answer = client.get(address)
    assert answer.status_code == status
    return answer, found


def test_stage_page_save_and_submission_queries() -> None:
    who = studies.enrol(eight_tables(), 1)[0]
    client, own = browser_of(who), f"/take/as/{who.key}/"
    client.get(own)  # from now on it is on record that a page is open
    _shown, found = page(client, own)
    told = {"SELECT study_seating": 2, "SELECT study_response": 1, "SELECT study_message": 1}
    assert found == KNOWN | told
    typed = {"step": 1, "revision": 0, "page": "one", "background/age": "age-18-24"}
    with asked() as found:
        assert client.post(own, {**typed, "do": "save"}).status_code == 204
    assert found == KNOWN | {
        "SELECT study_participant": 2,
        "SELECT study_seating": 1,
        "SELECT study_response": 1,
        "INSERT study_response": 1,
        "UPDATE study_participant": 1,  # their first act at the step
    }
    rest = {"background/experience": "unknown", "background/chatbots": "never"}
    typed |= {"revision": 1, **rest}
    with asked() as found:
        answer = client.post(own, {**typed, "do": "done"})
    assert answer.status_code == 302
    assert studies.stage_of(who) == "waiting"
    assert found == KNOWN | {
        "SELECT study_participant": 4,  # the page's, two held to be changed, the queue
        "SELECT study_seating": 3,
        "SELECT study_response": 1,
        "INSERT study_response": 1,
        "UPDATE study_response": 1,
        "UPDATE study_participant": 1,
        "SELECT study_study": 1,
        "SELECT study_slot": 2,
        "SELECT study_condition": 1,
    }


def test_waiting_room_and_news_queries() -> None:
    who = studies.queue(eight_tables())[0]
    client, own = browser_of(who), f"/take/as/{who.key}/"
    for address in (own, f"{own}news"):
        _shown, found = page(client, address)
        assert found == KNOWN | {"SELECT study_seating": 1, "SELECT study_message": 1}


def test_news_queries_of_a_room_that_counts_missing_players() -> None:
    who = studies.queue(eight_tables(blind=False))[0]
    _shown, found = page(browser_of(who), f"/take/as/{who.key}/news")
    assert found == {
        "SELECT django_session": 1,
        "SELECT study_participant": 2,
        "SELECT study_seating": 1,
        "SELECT study_slot": 1,
        "SELECT study_message": 1,
    }


def test_arrival_queries_in_a_room_of_forty() -> None:
    study = eight_tables(waiting={"least": 60})
    studies.queue(study, ALL)
    who = studies.reload(studies.enrol(study, 1)[0])
    with asked() as found:
        assert lifecycle.advance(who, who.step)
    assert found == {
        "SELECT study_participant": 2,
        "UPDATE study_response": 1,
        "UPDATE study_participant": 2,
        "SELECT study_study": 1,
        "SELECT study_seating": 2,
    }


def test_clock_queries_with_forty_waiting() -> None:
    studies.queue(eight_tables(waiting={"least": 60}), ALL)
    assert second() == EVERY_SECOND | {"SELECT study_seating": 4}  # whom a game is left for


def test_clock_queries_with_forty_offers() -> None:
    study = eight_tables()
    studies.queue(study, ALL)
    assert Seating.objects.filter(state=Seating.HELD).count() == ALL
    assert second() == EVERY_SECOND, "nobody's row is held while they think"
    assert second(match=True) == EVERY_SECOND | {
        "SELECT study_participant": 4,
        "SELECT study_study": 4,
        "SELECT study_slot": 4,
        "SELECT study_seating": 5,
        "SELECT study_condition": 1,
    }
    late = Seating.objects.order_by("pk")[:1]
    Seating.objects.filter(pk__in=late.values("pk")).update(held_until=study.created_at)
    assert second()["UPDATE study_seating"] == 1, "but whoever is late loses the seat"


def test_clock_queries_with_forty_playing() -> None:
    study = eight_tables()
    people = studies.queue(study, ALL)
    with dispatch.diverted(lambda game, opened: None):
        studies.confirm_all(people)
        assert study.slots.filter(state=Slot.PLAYING).count() == 8
        assert second() == EVERY_SECOND
        assert second(match=True) == EVERY_SECOND | {
            "SELECT study_participant": 4,
            "SELECT study_study": 4,
            "SELECT study_seating": 5,
            "SELECT game_answer": 1,
        }


def test_queries_of_the_last_confirmation() -> None:
    people = studies.queue(eight_tables(), 5)
    with dispatch.diverted(lambda game, opened: None):
        studies.confirm_all(people[:4])
        with asked() as found:
            assert seating.confirm_ready(studies.reload(people[4]))
    of_play = {name: n for name, n in found.items() if name.split("_")[0].endswith("play")}
    assert of_play == {
        "INSERT play_table": 1,
        "INSERT play_membership": 1,
        "INSERT play_desk": 1,
    }
    assert found.total() == 62
    assert {studies.stage_of(person) for person in Participant.objects.all()} == {"game"}
