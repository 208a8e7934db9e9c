"""Tests of the exact SQL statements of a study, as tests/webapp/test_queries.py.

The clock's statements each second do not depend on the number of participants.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.query_counter import count_queries
from tests.study import studies
from tests.study.taking import browser_of
from webapp.play.live import notifier
from webapp.study import timed_steps
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, participant_state, seating

pytestmark = pytest.mark.django_db(transaction=True)
STAGES = [{"kind": "consent"}, {"kind": "background"}, {"kind": "game"}, {"kind": "debriefing"}]
PARTICIPANTS = 40
IDENTIFICATION = {
    "SELECT study_participant": 1,
    "SELECT django_session": 1,
}  # To identify the browser's participant.
QUERIES_PER_SECOND = {
    "SELECT study_participant": 2,
    "SELECT study_study": 1,
    "SELECT study_slot": 3,
    "SELECT study_seating": 3,
}


@pytest.fixture(autouse=True)
def _record_presence_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record an open page once, however slow the machine is."""
    monkeypatch.setattr(participant_state, "SEEN_WRITE_INTERVAL", timedelta(days=1))


def create_study_of_eight_tables(*, blind: bool = True, **design: object) -> Study:
    table = {"people": 5, "blind": blind}
    return studies.create_study(stages=STAGES, table=table, assignment={"games": 10}, **design)


def clock_queries(*, match: bool = False) -> Counter[str]:
    with count_queries() as queries:
        timed_steps.run_due_steps(with_slow_steps=match)
    return queries


def get_page(client: Client, address: str, status: int = 200) -> tuple[HttpResponse, Counter[str]]:
    with count_queries() as queries:
        response = client.get(address)
    assert response.status_code == status
    return response, queries


def test_stage_page_save_and_submission_queries() -> None:
    participant = studies.enrol(create_study_of_eight_tables(), 1)[0]
    client = browser_of(participant)
    url = f"/take/as/{participant.key}/"
    client.get(url)  # The open page is recorded from now on.
    _page, queries = get_page(client, url)
    page_queries = {
        "SELECT study_seating": 2,
        "SELECT study_response": 1,
        "SELECT study_message": 1,
    }
    assert queries == IDENTIFICATION | page_queries
    answers = {"step": 1, "revision": 0, "page": "one", "background/age": "age-18-24"}
    with count_queries() as queries:
        assert client.post(url, {**answers, "do": "save"}).status_code == 204
    assert queries == IDENTIFICATION | {
        "SELECT study_participant": 2,
        "SELECT study_seating": 1,
        "SELECT study_response": 1,
        "INSERT study_response": 1,
        "UPDATE study_participant": 1,  # The first input at the step.
    }
    more_answers = {"background/experience": "unknown", "background/chatbots": "never"}
    answers |= {"revision": 1, **more_answers}
    with count_queries() as queries:
        response = client.post(url, {**answers, "do": "done"})
    assert response.status_code == 302
    assert studies.stage_of(participant) == "waiting"
    assert queries == IDENTIFICATION | {
        "SELECT study_participant": 4,  # The page, two locked rows and the queue.
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
    participant = studies.queue(create_study_of_eight_tables())[0]
    client = browser_of(participant)
    url = f"/take/as/{participant.key}/"
    for address in (url, f"{url}news"):
        _page, queries = get_page(client, address)
        assert queries == IDENTIFICATION | {"SELECT study_seating": 1, "SELECT study_message": 1}


def test_news_queries_of_a_room_that_counts_missing_players() -> None:
    participant = studies.queue(create_study_of_eight_tables(blind=False))[0]
    _page, queries = get_page(browser_of(participant), f"/take/as/{participant.key}/news")
    assert queries == {
        "SELECT django_session": 1,
        "SELECT study_participant": 2,
        "SELECT study_seating": 1,
        "SELECT study_slot": 1,
        "SELECT study_message": 1,
    }


def test_arrival_queries_in_a_room_of_forty() -> None:
    study = create_study_of_eight_tables(waiting={"least": 60})
    studies.queue(study, PARTICIPANTS)
    participant = studies.reload(studies.enrol(study, 1)[0])
    with count_queries() as queries:
        assert lifecycle.advance(participant, participant.step)
    assert queries == {
        "SELECT study_participant": 2,
        "UPDATE study_response": 1,
        "UPDATE study_participant": 2,
        "SELECT study_study": 1,
        "SELECT study_seating": 2,
    }


def test_clock_queries_with_forty_waiting() -> None:
    studies.queue(create_study_of_eight_tables(waiting={"least": 60}), PARTICIPANTS)
    assert clock_queries() == QUERIES_PER_SECOND | {
        "SELECT study_seating": 4
    }  # Participants with a remaining game.


def test_clock_queries_with_forty_offers() -> None:
    study = create_study_of_eight_tables()
    studies.queue(study, PARTICIPANTS)
    assert Seating.objects.filter(state=Seating.HELD).count() == PARTICIPANTS
    assert clock_queries() == QUERIES_PER_SECOND, "open offers lock no rows"
    assert clock_queries(match=True) == QUERIES_PER_SECOND | {
        "SELECT study_participant": 4,
        "SELECT study_study": 4,
        "SELECT study_slot": 4,
        "SELECT study_seating": 5,
        "SELECT study_condition": 1,
    }
    late = Seating.objects.order_by("pk")[:1]
    Seating.objects.filter(pk__in=late.values("pk")).update(held_until=study.created_at)
    assert clock_queries()["UPDATE study_seating"] == 1, "an expired offer is released"


def test_clock_queries_with_forty_playing() -> None:
    study = create_study_of_eight_tables()
    people = studies.queue(study, PARTICIPANTS)
    with notifier.diverted(lambda game, opened: None):
        studies.confirm_all(people)
        assert study.slots.filter(state=Slot.PLAYING).count() == 8
        assert clock_queries() == QUERIES_PER_SECOND
        assert clock_queries(match=True) == QUERIES_PER_SECOND | {
            "SELECT study_participant": 4,
            "SELECT study_study": 4,
            "SELECT study_seating": 5,
            "SELECT game_answer": 1,
        }


def test_queries_of_the_last_confirmation() -> None:
    people = studies.queue(create_study_of_eight_tables(), 5)
    with notifier.diverted(lambda game, opened: None):
        studies.confirm_all(people[:4])
        with count_queries() as queries:
            assert seating.confirm_ready(studies.reload(people[4]))
    of_play = {name: n for name, n in queries.items() if name.split("_")[0].endswith("play")}
    assert of_play == {"INSERT play_table": 1, "INSERT play_membership": 1, "INSERT play_desk": 1}
    assert queries.total() == 62
    assert {studies.stage_of(person) for person in Participant.objects.all()} == {"game"}
