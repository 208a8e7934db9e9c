"""The monitor of a study: what it shows, what its cover hides, what can be done from it."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from channels.db import database_sync_to_async as later
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from game.models import Player
from tests.asked_queries import asked
from tests.study import experiments, studies
from tests.study.desk import signed_in
from webapp.asgi import application
from webapp.play.live import broadcaster, dispatch
from webapp.play.models import Desk, LLMCall
from webapp.study import interventions
from webapp.study.models import (
    Happening,
    Message,
    Participant,
    Seating,
    Slot,
    Study,
    StudyRole,
)
from webapp.study.monitor import frames, model_requests, page_content, researcher_blinding
from webapp.study.permissions import EDITOR, MONITOR, OWNER, Access
from webapp.study.researcher.running import monitor_socket
from webapp.study.sessions import lifecycle, messages, notices, seating
from webapp.study.timed_steps import run_due_steps

pytestmark = pytest.mark.django_db(transaction=True)

# Conditions whose names are in no other word of the page.
FACTORS = [
    {"name": "wits", "levels": [{"name": "quillfeather", "table": {"method": "full"}},
                                {"name": "brambleshade", "table": {"method": "baseline"}}]}
]  # fmt: skip
NAMES = ("quillfeather", "brambleshade")


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    model_requests.request_tally.clear()
    model_requests.label_tally.clear()
    with dispatch.diverted(lambda game, opened: None):
        yield


def at(study: Study, what: str = "") -> str:
    return reverse("study:study_monitor", args=[study.code]) + (f"/{what}" if what else "")


def text(page: Any) -> str:
    told = re.sub(r"<[^>]+>", " ", page.content.decode())
    return re.sub(r"\s+", " ", told)


def busy(**design: Any) -> tuple[Study, list[Participant]]:
    """Three play, two wait for a third."""
    made = studies.study(factors=FACTORS, assignment={"games": 4}, **design)
    return made, [*studies.seated(made), *studies.come(made, 2, ago=400)]


def lift(client: Client, study: Study) -> None:
    assert client.post(at(study, "cover"), {"do": "lift"}).status_code == 302


def test_it_tells_who_waits_how_long_and_who_is_away_from_which_game() -> None:
    made, people = busy()
    Seating.objects.filter(participant=people[1]).update(
        away_since=timezone.now() - timedelta(minutes=3)
    )
    ada = signed_in()
    page = ada.get(at(made))
    told = text(page)
    assert "0 of 8 games played" in told
    assert "5 participants are active. 1 game is in progress." in told
    assert "The waiting room longest 6 min, median 6 min 2" in told
    game = re.search(r'<tr id="table-(\d+)">.*?</tr>', page.content.decode(), re.DOTALL)
    assert game
    assert "P002" in game[0]
    assert "3 min" in game[0]
    assert re.search(r"P004 The waiting room 6 min", told)
    of_game = text(ada.get(at(made, f"games/{game[1]}")))
    assert "P002 away for 3 min" in of_game
    assert "The waiting room" in text(ada.get(at(made, "people/P004")))


def test_who_reads_the_end_page_of_their_game_is_not_away() -> None:
    made = studies.study(stages=[{"kind": "consent"}, {"kind": "game"}, {"kind": "interview"}])
    people = studies.seated(made)
    studies.play(people[0])
    run_due_steps()
    long_ago = timezone.now() - timedelta(minutes=4)
    made.participants.update(step_at=long_ago, seen_at=long_ago)
    Desk.objects.update(seen_at=long_ago)
    ada = signed_in()
    assert ada.get(at(made)).content.count(b"monitor-away") == 3
    Desk.objects.update(seen_at=timezone.now())
    assert b"monitor-away" not in ada.get(at(made)).content


def test_it_counts_requests_cost_failures_and_what_went_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, settings: Any
) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[cloud]\nmodel = "m"\nprice_in = 2.0\nprice_out = 10.0\ncurrency = "EUR"\n')
    monkeypatch.setenv("FABULA_MODELS", str(file))
    settings.BUDGET = {"site": {"requests": 500, "tokens": None}, "table": {}}
    made, people = busy()
    game = studies.game_of(people[0])
    for step, failure in enumerate(("", "", "timeout")):
        LLMCall.objects.create(
            game=game, seat=1, window="w", step=str(step), backend="cloud", kind="speech",
            brief={}, reply=None if failure else {}, failure=failure, seconds=1,
            exchange={"usage": {"prompt_tokens": 100_000, "completion_tokens": 10_000}},
        )  # fmt: skip
    Slot.objects.filter(study=made, index=8).update(
        state=Slot.VOID, void_reason="could not begin: no backend brambleshade"
    )
    ada = signed_in()
    for _again in range(2):  # what was counted once is not counted twice
        told = text(ada.get(at(made)))
        assert "requests 3 tokens (input, output) 300,000, 30,000 cost 0.90 EUR" in told
        assert "requests today, of the site’s budget 0 of 500" in told
        assert "model request: timeout 1" in told
        assert "game: could not begin 1" in told
    LLMCall.objects.update(at=timezone.now() - timedelta(hours=1))
    assert "requests 3 tokens" in text(ada.get(at(made)))
    assert "requests 3 tokens" in text(ada.get(at(made)))


def everything(client: Client, study: Study) -> bytes:
    """Every byte that the monitor sends of the study."""
    slots = [slot.index for slot in study.slots.filter(state=Slot.PLAYING)]
    ways = [f"games/{n}" for n in slots] + [
        f"people/{p.pseudonym}" for p in study.participants.all()
    ]
    found = [client.get(at(study)).content]
    for about in ways:
        found.append(client.get(at(study, about)).content)
    for about in ("", *ways):
        address = at(study, f"news/{about}" if about else "news")
        found.append(client.get(address, headers={"HX-Request": "true"}).content)
    return b"".join(found)


def test_what_the_cover_hides_is_in_no_byte_until_it_is_lifted_on_record() -> None:
    made, people = busy()
    slot = studies.seat_of(people[0]).slot
    named = [p.name for p in Player.objects.filter(game=slot.game)]
    why = f"it was {slot.condition.name}"
    Happening.objects.create(study=made, slot=slot, actor="ada", what="gave_time", reason=why)
    Happening.objects.create(study=made, slot=slot, actor="clock", what="paused", reason="no gpt-9")
    Slot.objects.filter(study=made, index=8).update(
        state=Slot.VOID, void_reason="could not begin: gpt-9"
    )
    ada = signed_in()
    sent = everything(ada, made).decode()
    for hidden in (*NAMES, "gpt-9", *(f" {name}<" for name in named), "baseline"):
        assert hidden not in sent, hidden
    assert "it was …" in sent
    lift(ada, made)
    lift(ada, made)
    shown = everything(ada, made).decode()
    for hidden in (*NAMES, "gpt-9", named[0]):
        assert hidden in shown, hidden
    notes = made.happenings.filter(what="uncovered")
    assert [row.actor for row in notes] == ["ada"]
    assert not any(name in everything(signed_in(), made).decode() for name in NAMES), "a session's"
    ada.post(at(made, "cover"), {"do": "cover"})
    assert not any(name in everything(ada, made).decode() for name in NAMES)


def test_help_stands_on_top_until_it_is_answered() -> None:
    made, people = busy()
    who, ada = people[3], signed_in()
    messages.request_help(who, "Where do I <b>click</b>?")
    page = ada.get(at(made))
    assert b"Where do I &lt;b&gt;click&lt;/b&gt;?" in page.content
    assert re.search(r"<title>\s*\(1\)", page.content.decode())
    own = at(made, f"people/{who.pseudonym}")
    wrong = ada.post(own, {"do": "tell", "tell-text": "x" * 1001})
    assert wrong.status_code == 422
    assert b"x" * 1001 in wrong.content, "what was typed is still there"
    assert ada.post(own, {"do": "tell", "tell-text": "On the lamp."}).status_code == 302
    assert "unread message" not in text(ada.get(at(made)))
    thread = text(ada.get(own))
    assert thread.index("click") < thread.index("On the lamp.")
    assert [m.actor for m in Message.objects.filter(from_participant=False)] == ["ada"]
    messages.request_help(who, "Thank you!")
    ada.post(own, {"do": "seen"})
    assert "unread message" not in text(ada.get(at(made)))


def test_acts_on_a_person_a_game_and_the_study_are_done_and_on_record() -> None:
    made, people = busy(stages=[*studies.STAGES[:2], {"kind": "debriefing", "minutes": 3}])
    ada, first, slot = signed_in(), people[0], studies.seat_of(people[0]).slot
    own, table = at(made, f"people/{first.pseudonym}"), at(made, f"games/{slot.index}")

    def post(address: str, do: str, status: int = 302, **typed: Any) -> str:
        page = ada.post(address, {"do": do, **{f"{do}-{k}": v for k, v in typed.items()}})
        assert page.status_code == status, text(page)
        return text(page) if status != 302 else ""

    post(own, "hand_over", reason="asked for it")
    assert studies.seat_of(first).player.stand_in  # type: ignore[union-attr]
    assert "replaced" in text(ada.get(at(made)))
    post(own, "give_back", reason="")
    post(table, "tell_table", text="Two minutes more.")
    assert Message.objects.filter(slot=slot).count() == 3
    said = post(own, "give_time", 422, minutes="abc", reason="a slow line")
    assert "whole number" in said
    page = ada.post(own, {"do": "give_time", "give_time-minutes": "5", "give_time-reason": ""})
    assert page.status_code in (302, 422)  # a table without limits has no time to give
    assert "Enter a text." in post(own, "exclude", 422, reason=" ")
    post(own, "exclude", reason="a colleague")
    assert studies.fresh(first).excluded
    assert "a colleague" in text(ada.get(own))
    post(table, "end_game", reason="wrong file")
    slot.refresh_from_db()
    assert slot.state == Slot.VOID
    refused = post(table, "end_game", 422, reason="wrong file")
    assert (
        "wrong file"
        in ada.post(table, {"do": "end_game", "end_game-reason": "wrong file"}).content.decode()
    )
    assert refused
    post(own, "remove", reason="rude")
    assert studies.kind(first) == "removed"
    post(at(made), "tell_all", text="Thank you for your patience.")
    post(at(made), "stop", reason="the server moves")
    assert studies.fresh(people[4]).exit == "technical"
    done = dict(made.happenings.filter(actor="ada").values_list("what", "reason"))
    assert {"handed_over", "gave_back", "told_table", "excluded", "ended", "told_all"} <= set(done)
    record = text(ada.get(at(made)))
    assert "stopped the study" in record
    assert "“the server moves”" in record


def test_those_who_wait_begin_with_fewer() -> None:
    made = studies.study()
    people = studies.come(made, 2)
    ada = signed_in()
    ada.post(at(made), {"do": "begin_short", "begin_short-reason": "late"})
    assert studies.state(people[0]) in ("asked", "begins")
    for person in people:
        seating.confirm_ready(studies.fresh(person))
    assert made.slots.filter(state=Slot.PLAYING).count() == 1


def grown(people: int) -> Study:
    made = studies.study(table={"people": 5}, assignment={"games": 20}, factors=FACTORS)
    studies.all_ready(studies.come(made, people))
    studies.come(made, 3)
    messages.request_help(studies.fresh(made.participants.all()[0]), "Help")
    return made


def test_the_page_asks_as_much_of_the_database_for_many_as_for_few() -> None:
    found = []
    for people in (5, 25):
        made, ada = grown(people), signed_in()
        lift(ada, made)
        ada.get(at(made))
        with asked() as counted:
            assert ada.get(at(made)).status_code == 200
        found.append(counted)
    assert found[0] == found[1]
    assert found[1].total() <= 20, found[1]


def test_only_what_is_new_goes_out() -> None:
    made, people = busy()
    sent = frames.SentParts()
    first = sent.find_changes(frames_of(made))
    assert set(first["lists"]["monitor-people"]["order"]) == {f"person-P00{n}" for n in range(1, 6)}
    assert sent.find_changes(frames_of(made)) == {}
    Seating.objects.filter(participant=people[0]).update(
        away_since=timezone.now() - timedelta(minutes=2)
    )
    news = sent.find_changes(frames_of(made))
    assert list(news["lists"]["monitor-people"]["rows"]) == ["person-P001"]
    assert not news.get("parts")
    assert lifecycle.leave_by(studies.fresh(people[4]), "left")
    news = sent.find_changes(frames_of(made))
    assert "person-P005" not in news["lists"]["monitor-people"]["order"]
    assert news["lists"]["monitor-people"]["rows"] == {}


def frames_of(study: Study) -> frames.PageContent:
    return page_content.study_content(Study.objects.get(pk=study.pk), is_lifted=False)


# -- the socket


async def opened(study: Study, client: Client, about: str = "") -> WebsocketCommunicator:
    cookie = client.cookies.get(settings.SESSION_COOKIE_NAME)
    headers = [(b"host", b"testserver"), (b"origin", b"http://testserver")]
    if cookie:
        headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie.value}".encode()))
    address = f"/ws/study/{study.code}/{about}"
    socket = WebsocketCommunicator(application, address, headers=headers)
    connected, _protocol = await socket.connect(timeout=10)
    assert connected
    return socket


async def closed_with(socket: WebsocketCommunicator) -> int:
    said: dict[str, Any] = await socket.receive_output(10)
    assert said["type"] == "websocket.close", said
    return int(said["code"])


def test_its_socket_is_its_researchers_alone() -> None:
    made, _people = busy()
    eve, nobody = signed_in("eve"), Client()

    async def talk() -> None:
        assert await closed_with(await opened(made, nobody)) == broadcaster.OUTSIDER
        assert await closed_with(await opened(made, eve)) == broadcaster.UNKNOWN
        assert await closed_with(await opened(made, eve, "people/P001/")) == broadcaster.UNKNOWN

    asyncio.run(talk())


def test_its_socket_is_for_roles_that_run_the_study() -> None:
    made, _people = busy()
    mo, ann = signed_in("mo"), signed_in("ann")
    for name, role in {"mo": StudyRole.MONITOR, "ann": StudyRole.ANALYST}.items():
        made.roles.create(account=User.objects.get(username=name), role=role)

    async def talk() -> None:
        assert await closed_with(await opened(made, ann)) == broadcaster.UNKNOWN
        socket = await opened(made, mo)
        assert "monitor-people" in await socket.receive_from(10)
        await socket.disconnect()

    asyncio.run(talk())


def test_its_socket_tells_what_changes_covered_and_ends_with_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor_socket, "MIN_PAUSE_S", 0.0)
    monkeypatch.setattr(monitor_socket, "PAUSE_FACTOR", 0)
    monkeypatch.setattr(monitor_socket, "POLL_EVERY_S", 0.3)
    made, people = busy()
    ada = signed_in()

    async def talk() -> None:
        socket = await opened(made, ada)
        first = await socket.receive_from(10)
        assert not any(name in first for name in NAMES)
        assert json.loads(first)["calls"] == 0
        await later(messages.request_help)(people[3], "Is anybody there?")
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_send(notices.monitor_group(made.pk), {"type": notices.REFRESH})
        news = json.loads(await socket.receive_from(10))
        while not news.get("calls"):
            news = json.loads(await socket.receive_from(10))
        assert "Is anybody there?" in news["parts"]["monitor-calls"]
        await later(ada.logout)()
        said = await socket.receive_output(10)
        while said["type"] != "websocket.close":
            said = await socket.receive_output(10)
        assert said["code"] == broadcaster.OUTSIDER

    asyncio.run(talk())


def test_the_cover_is_put_on_record_by_whoever_lifts_it() -> None:
    made = studies.study(factors=FACTORS)
    session: dict[str, Any] = {}
    owner, editor = Access(made, OWNER), Access(made, EDITOR)
    researcher_blinding.lift_blinding(session, owner, "ada")
    assert researcher_blinding.is_lifted(session, editor)
    assert not researcher_blinding.is_lifted(session, Access(made, MONITOR))
    assert not researcher_blinding.is_lifted(session, Access(studies.study(), OWNER))
    researcher_blinding.restore_blinding(session, owner, "ada")
    assert not researcher_blinding.is_lifted(session, owner)
    assert list(made.happenings.values_list("what", flat=True)) == ["uncovered", "covered"]


def test_restoring_the_blinding_of_an_experiment_changes_and_records_nothing() -> None:
    made = experiments.draft()
    ada = signed_in()
    assert ada.post(at(made, "cover"), {"do": "cover"}).status_code == 302
    assert not made.happenings.filter(what="covered").exists()


def test_a_researchers_reason_is_shown_whole_and_redacted_while_blinded() -> None:
    made, people = busy()
    slot = studies.seat_of(people[0]).slot
    reason = f"they shouted: at {slot.condition.name} alone"
    interventions.end_game(slot, actor="ada", reason=reason)
    page = text(signed_in().get(at(made)))
    assert "ended by hand: they shouted: at … alone" in page
    assert slot.condition.name not in page


def test_each_line_of_the_record_is_a_sentence_with_one_subject() -> None:
    made, people = busy()
    pseudonym = people[3].pseudonym
    slot = studies.seat_of(people[0]).slot
    for kind, actor, participant in (
        ("ended", "ada", None),
        ("out:full", "clock", people[3]),
        ("ratings:nothing_left", "clock", people[3]),
    ):
        Happening.objects.create(
            study=made, slot=slot, what=kind, actor=actor, participant=participant
        )
    page = text(signed_in().get(at(made)))
    assert "ada canceled the game" in page
    assert f"{pseudonym} left the study: arrived when the study was full" in page
    assert f"{pseudonym} had nothing left to rate" in page
    assert "the system" not in page
