"""Tests of rooms: admission by label, waiting, the study behind the link and the owner's page."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tests.study import entering
from tests.study.desk import sign_in
from tests.study.entering import hidden_fields, page_url
from tests.study.pages import html_of, text_of
from webapp.study.models import Identity, Participant, Room, Slot, Study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]

ROOM = "/study/rooms/lab/"


@pytest.fixture
def study() -> Study:
    return entering.create_study()


def create_room(study: Study | None, *labels: str) -> Room:
    owner, _new = User.objects.get_or_create(username="ada")
    return Room.objects.create(owner=owner, name="lab", study=study, labels=labels)


def open_room(label: str = "", client: Client | None = None, **names: str) -> HttpResponse:
    names |= {"participant_label": label} if label else {}
    return (client or Client()).get(f"/take/room/lab/?{urlencode(names)}", follow=True)


def consent(client: Client, study: Study, page: HttpResponse) -> Participant:
    response = client.post(f"/take/{study.key}/", {**hidden_fields(page), "extra_time": "100"})
    return Participant.objects.get(key=response["Location"].split("/")[-2])


def poll_room(label: str = "", page: str = "p") -> Any:
    return open_room(label, visit=page)


def room_page(name: str = "ada") -> str:
    return text_of(sign_in(name).get(ROOM))


def test_listed_label_waits_and_enters_the_study_under_that_label(study: Study) -> None:
    create_room(study, "Seat 01", "Seat 02")
    Study.objects.update(state=Study.DRAFT)
    assert "Enter the label that you were given" in text_of(open_room())
    stranger = open_room("Seat 99")
    assert stranger.status_code == 403
    assert "“Seat 99” is not on the list." in text_of(stranger)
    assert 'value="Seat 99"' in html_of(stranger), "the typed label remains"
    waiting = open_room("seat01")
    assert "continues automatically" in text_of(waiting)
    assert "Your label is Seat 01" in text_of(waiting)
    assert "Seat 01 not here" in room_page(), "a visit stores nothing"
    response = poll_room("seat01")
    assert (response.status_code, "HX-Refresh" in response) == (204, False)
    assert "waiting 1" in room_page()
    assert "Seat 01 waiting" in room_page()
    Study.objects.update(state=Study.OPEN)
    assert poll_room("seat01")["HX-Refresh"] == "true"
    client = Client()
    participant = consent(client, study, open_room("seat01", client))
    assert Identity.objects.get(participant=participant).label == "Seat 01"
    assert "Seat 01 in the study" in room_page()
    Participant.objects.update(exit="completed")
    assert "Seat 01 finished the study" in room_page()


def test_repeated_label_leads_back_to_its_participant(study: Study) -> None:
    create_room(study, "a", "b")
    client, other_client = Client(), Client()
    participant = consent(client, study, open_room("a", client))
    assert text_of(open_room("a", client)) == text_of(client.get(page_url(participant)))
    page = open_room("A", other_client)
    assert "Continue in this browser?" in text_of(page)
    response = other_client.post(f"/take/{study.key}/", {**hidden_fields(page), "change": "1"})
    assert response["Location"] == page_url(participant)
    assert entering.CONSENT in html_of(open_room("b", other_client)), "another person, same browser"
    assert consent(other_client, study, open_room("b", other_client)) != participant
    assert Participant.objects.count() == 2


def test_room_list_admits_labels_to_a_listed_only_study(study: Study) -> None:
    create_room(study, "a")
    Study.objects.update(listed_only=True)
    forged = Client().get(f"/take/{study.key}/?participant_label=a&room=lab&session=room:lab")
    assert forged.status_code == 403
    client = Client()
    assert consent(client, study, open_room("a", client)).pseudonym == "P001"


def test_room_admits_nobody_new_to_a_paused_closed_or_full_study(study: Study) -> None:
    create_room(study)
    client = Client()
    consent(client, study, open_room("a", client))
    Study.objects.update(state=Study.PAUSED)
    assert "A word before" in text_of(open_room("a", client)), "enrolled participants continue"
    assert "continues automatically" in text_of(open_room("b"))
    Study.objects.update(state=Study.CLOSED)
    assert poll_room("b")["HX-Refresh"] == "true"
    closed = open_room("b")
    assert (closed.status_code, "This study is closed" in text_of(closed)) == (410, True)
    assert "A word before" in text_of(open_room("a", client))
    Study.objects.update(state=Study.OPEN)
    Slot.objects.update(state=Slot.DONE)
    assert "All places are taken" in text_of(open_room("b"))


def test_label_is_optional_in_a_room_without_a_list(study: Study) -> None:
    room = create_room(None)
    for page in ("p", "q", "p"):
        assert poll_room(page=page).status_code == 204
    text = room_page()
    assert "waiting 2" in text
    assert "2 waiting visitors have no label." in text
    room.study = study
    room.save()
    client = Client()
    consent(client, study, open_room(client=client))
    assert not Identity.objects.exists()


def test_room_owner_chooses_one_of_their_studies(study: Study) -> None:
    ada = sign_in("ada")
    assert "Start with a letter" in html_of(ada.post("/study/rooms", {"name": "My lab"}))
    assert ada.post("/study/rooms", {"name": "lab"})["Location"] == ROOM
    assert "name is taken" in html_of(ada.post("/study/rooms", {"name": "lab"}))
    ada.post(ROOM, {"do": "labels", "labels": "Anna\nBerta\n anna \n"})
    assert Room.objects.get().labels == ["Anna", "Berta"]
    links = ada.get(f"{ROOM}links.txt").content.decode()
    assert "/take/room/lab/?participant_label=Berta\n" in links
    second, foreign = entering.create_study(seed="2"), entering.create_study(seed="3")
    Study.objects.filter(pk=foreign.pk).update(owner=User.objects.create(username="eve"))
    rejected = ada.post(ROOM, {"do": "set_study", "study": foreign.code}, follow=True)
    assert "Choose one of your studies" in text_of(rejected)
    for chosen in (study, second):
        ada.post(ROOM, {"do": "set_study", "study": chosen.code})
        assert f"/take/{chosen.key}/" in html_of(open_room("Anna"))
    assert "/study/rooms/lab/" in html_of(ada.get(f"/study/studies/{second.code}/people"))
    ada.post(ROOM, {"do": "delete"})
    assert open_room("Anna").status_code == 404


def test_room_shows_other_roles_only_what_they_may_see(study: Study) -> None:
    create_room(study, "Anna")
    assert sign_in("zoe").get(ROOM).status_code == 404
    for name, role, label in (("mo", "monitor", False), ("eve", "editor", True)):
        client = sign_in(name)
        study.roles.create(account=User.objects.get(username=name), role=role)
        assert ("Anna" in html_of(client.get(ROOM))) == label
        assert (client.get(f"{ROOM}links.txt").status_code == 200) == label
        assert client.post(ROOM, {"do": "delete"}).status_code == 403
    assert "not here 1" in room_page("mo")
    Study.objects.update(owner=User.objects.get(username="zoe"))
    assert "continues automatically" in text_of(open_room("Anna")), "the owner lost the study"
