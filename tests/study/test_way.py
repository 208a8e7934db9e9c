"""A participant's way: the time of a stage, waiting, playing, leaving, every way out."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.study import entering, studies
from tests.study.entering import enrolled, lines, press, shown, way
from webapp.study import timed_steps
from webapp.study.design.exits import ExitKind
from webapp.study.models import Happening, Participant, Response
from webapp.study.participant import stage_pages
from webapp.study.sessions import lifecycle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]


# -- the time of a stage


def test_what_was_typed_is_handed_in_as_the_time_ends() -> None:
    made = entering.study()
    client, row = enrolled(made)
    typed = {"participant": row, "step": "interview-1", "instrument": "interview"}
    Response.objects.create(**typed, item="one", text="as far as I")
    page = shown(client.get(way(row)))
    row.refresh_from_db()
    assert "data-due" in page
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    client.get(way(row))
    assert studies.kind(row) == "waiting"
    assert Response.objects.get().state == Response.EXPIRED
    row.refresh_from_db()
    assert row.due_at is None, "the waiting room ends by its own rules"


def test_what_comes_as_the_time_ends_is_stored_before_the_next_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = entering.study()
    client, row = enrolled(made)
    taken: list[tuple[str, str]] = []

    class Asks(stage_pages.PlainPage):
        kind = "interview"

        def post(self, visit: stage_pages.Visit) -> Any:
            taken.append((visit.request.POST["do"], visit.request.POST["one"]))
            return super().post(visit)

    monkeypatch.setitem(stage_pages._PAGES, "interview", Asks())
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    press(client, row, do="on", one="as far as I came")
    assert taken == [("save", "as far as I came")]
    assert studies.kind(row) == "waiting"


def test_after_a_game_the_time_begins_as_the_page_is_shown() -> None:
    stages = [entering.STAGES[0], entering.STAGES[2], {**entering.STAGES[1], "minutes": 5}]
    made = entering.study(table={"people": 1}, stages=stages)
    client, row = enrolled(made)
    timed_steps.run_due_steps()
    studies.all_ready([row])
    studies.play(row)
    row = studies.fresh(row)
    assert studies.kind(row) == "interview"
    ended = row.step_at
    assert ended
    assert row.due_at == ended + timedelta(minutes=7), "two minutes for the end of the table"
    before = timezone.now()
    page = client.get(way(row))
    due = studies.fresh(row).due_at
    assert due
    assert before <= due - timedelta(minutes=5) <= timezone.now()
    assert due.strftime("%Y-%m-%dT%H:%M:%S") in shown(page)
    client.get(way(row))
    assert studies.fresh(row).due_at == due, "a second look changes nothing"


# -- waiting and playing


def test_the_waiting_room_tells_how_long_and_lets_go_paid() -> None:
    made = entering.study()
    client, row = enrolled(made)
    press(client, row)
    page = lines(client.get(way(row)))
    assert "You wait at most 10 minutes" in page
    assert "After 5 minutes you can stop waiting" in page
    press(client, row, do="leave")
    assert studies.kind(row) == "waiting", "not before its time"
    studies.earlier(row, 301)
    assert "I can’t wait any longer" in shown(client.get(way(row)))
    press(client, row, do="leave")
    assert studies.kind(row) == "waited_out"
    assert "CODE-waited_out" in shown(client.get(way(row)))


@pytest.mark.parametrize("pay", [0, 2])
def test_waiting_is_called_paid_only_where_it_is_and_the_amount_is_named(pay: int) -> None:
    exits = {**entering.EXITS, "waited_out": {"pay": pay}}
    made = entering.study(exits=exits, currency="GBP")
    client, row = enrolled(made)
    press(client, row)
    for seconds in (0, 301):
        studies.earlier(row, seconds)
        page = lines(client.get(way(row)))
        assert page.count("paid") == (2 if pay else 0), page
        assert page.count("2.00 GBP") == (2 if pay else 0), page
    assert "I can’t wait any longer" in page, "one can go either way"


@pytest.mark.parametrize("blind", [True, False])
def test_a_blind_study_does_not_say_who_waited_longest_plays_with_computers(blind: bool) -> None:
    made = entering.study(table={"blind": blind}, waiting={"at_most": "begin"})
    client, row = enrolled(made)
    press(client, row)
    page = lines(client.get(way(row)))
    assert ("After that, the game starts in any case." in page) is blind
    assert ("computer players" in page) is not blind


@pytest.mark.parametrize("blind", [True, False])
def test_how_many_are_missing_is_told_only_where_nobody_may_wonder(blind: bool) -> None:
    made = entering.study(table={"blind": blind})
    client, row = enrolled(made)
    press(client, row)
    assert ("2 more players are needed" in lines(client.get(way(row)))) is not blind


def test_from_ready_to_the_table_and_on_to_the_end() -> None:
    made = entering.study(table={"people": 1})
    client, row = enrolled(made)
    press(client, row)
    page = shown(client.get(way(row)))
    assert "I am ready" in page
    assert "data-until" in page
    press(client, row, do="ready")
    game = studies.game_of(row)
    table = f"/games/{game.code}/"
    assert client.get(way(row))["Location"] == table
    page = shown(client.get(table))
    assert "3 of 4: The game" in lines(client.get(table))
    assert f'href="/take/go/{made.key}/leave"' in page
    assert client.get(f"/take/go/{made.key}/leave")["Location"] == way(row, "leave")
    studies.play(row)
    page = shown(client.get(table))
    assert f'href="/take/go/{made.key}/"' in page
    pushed = shown(client.get(f"{table}news?cursor=1", headers={"HX-Request": "true"}))
    for told in (page, pushed):
        assert re.search(rf'id="onward"\s+href="/take/go/{made.key}/"', told)
    for closed in ("/replay", "/again", "transcript.", "/seat/", "/join/"):
        assert closed not in page, closed
    press(client, row)
    assert studies.kind(row) == "completed"
    assert "CODE-completed" in shown(client.get(way(row)))


def test_a_table_of_a_study_is_closed_to_all_that_a_host_or_guest_may() -> None:
    made = entering.study(table={"people": 2, "blind": False})
    pairs = [enrolled(made) for _each in range(2)]
    for client, row in pairs:
        press(client, row)
    for client, row in pairs:
        press(client, row, do="ready")
    client, row = pairs[0]
    game = studies.game_of(row)
    for do in ("leave", "renew_link", "take_over", "chat", "erase", "name", "call_off", "pause"):
        answer = client.post(f"/games/{game.code}/act", {"do": do, "words": "psst", "name": "Me"})
        assert answer.status_code == 403, do
    stranger = Client()
    assert stranger.get(f"/join/{game.table.invitation}/").status_code == 404
    desk = game.players.get(seat=studies.seat_of(row).seat).desk
    assert stranger.get(f"/seat/{desk.key}/").status_code == 404
    studies.play(row)
    for page in ("replay", "transcript.txt", "transcript.jsonl"):
        assert client.get(f"/games/{game.code}/{page}").status_code == 403, page
    assert client.post(f"/games/{game.code}/again").status_code == 403
    page = shown(client.get(f"/games/{game.code}/"))
    assert re.search(r'<div id="chat"\s+class="chat-lines"\s+hidden', page), "nobody talks here"


# -- leaving and the ways out


@pytest.mark.parametrize("do", ["keep", "erase"])
def test_leaving_says_first_what_becomes_of_the_answers(do: str) -> None:
    made = entering.study()
    client, row = enrolled(made, PROLIFIC_PID="5f1e")
    Response.objects.create(
        participant=row, step="interview-1", instrument="interview", item="one", text="this"
    )
    page = client.get(way(row, "leave"))
    assert studies.kind(row) == "interview", "looking leaves nobody"
    assert "permanently deleted" in shown(page)
    client.post(way(row, "leave"), {"do": do})
    assert studies.kind(row) == "left"
    assert Response.objects.exists() is (do == "keep")
    row.refresh_from_db()
    assert row.withdrew is (do == "erase")
    assert "CODE-left" in shown(client.get(way(row)))
    done = Happening.objects.filter(what="withdrew")
    assert done.exists() is (do == "erase")


def test_who_is_through_can_still_take_the_answers_back() -> None:
    made = entering.study(stages=entering.STAGES[:2])
    client, row = enrolled(made)
    Response.objects.create(
        participant=row, step="interview-1", instrument="interview", item="one", text="this"
    )
    press(client, row)
    page = shown(client.get(way(row)))
    assert "CODE-completed" in page
    assert way(row, "leave") in page
    client.post(way(row, "leave"), {"do": "erase"})
    assert not Response.objects.exists()
    assert studies.kind(row) == "completed"
    page = shown(client.get(way(row)))
    assert "permanently deleted" in page
    assert "CODE-completed" in page


@pytest.mark.parametrize("kind", entering.EXIT_KINDS)
def test_every_way_out_has_its_page(kind: ExitKind) -> None:
    made = entering.study()
    client, row = enrolled(made)
    assert "CODE-" not in shown(client.get(way(row)))
    assert lifecycle.leave_by(row, kind)
    page = shown(client.get(way(row)))
    assert f"Words for {kind}." in page
    assert f'value="CODE-{kind}"' in page
    assert f'href="https://example.org/{kind}"' in page
    assert page.count("CODE-") == 1
    other = shown(Client().get(way(row)))
    assert "CODE-" not in other, "another browser has to be asked first"


def test_codes_of_ones_own_are_drawn_and_stay() -> None:
    own = {"completed": {"code_kind": "own", "pay": "2.50"}}
    made = entering.study(stages=entering.STAGES[:2], exits=own, currency="EUR")
    codes = set()
    for _each in range(2):
        client, row = enrolled(made)
        press(client, row)
        row.refresh_from_db()
        page = shown(client.get(way(row)))
        assert f'value="{row.code}"' in page
        assert "2.50 EUR" in page
        codes.add(row.code)
    assert len(codes) == 2


def test_unknown_links_lead_nowhere() -> None:
    for address in ("/take/none/", "/take/as/none/", "/take/as/none/leave", "/take/go/none/"):
        assert Client().get(address).status_code == 404, address
