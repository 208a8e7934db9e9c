"""A participant's way: coming in, coming back, other devices, waiting, leaving, every way out."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.study import entering, studies
from tests.study.entering import agree, come, enrolled, form_of, lines, press, shown, way
from webapp.play.models import Membership
from webapp.study import coming
from webapp.study.models import Happening, Identity, Participant, Response, Slot, Study
from webapp.study.participant import stage_pages
from webapp.study.sessions import clock, consenting, places, planning
from webapp.study.sessions.design import Design, ExitKind

pytestmark = pytest.mark.django_db(transaction=True)

SHOWN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
CONSENT = "We want to know how people play."
STAGES: list[dict[str, Any]] = [
    {"kind": "consent", "text": CONSENT},
    {"kind": "interview", "title": "A word before", "minutes": 12},
    {"kind": "game"},
    {"kind": "debriefing"},
]


@pytest.fixture(autouse=True)
def _plain_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stages between are texts with a button here: what is asked in them has its own tests."""
    for kind in ("interview", "debriefing"):
        monkeypatch.delitem(stage_pages._PAGES, kind, raising=False)


def study(**design: Any) -> Study:
    return studies.study(**{"stages": STAGES, "exits": entering.EXITS, **design})


def at(participant: Participant) -> str:
    return studies.kind(participant)


# -- coming in


def test_looking_stores_nothing_and_agreeing_does() -> None:
    made = study()
    client, page = come(made, PROLIFIC_PID="5f1e", STUDY_ID="s9", SESSION_ID="x1")
    assert CONSENT in shown(page)
    assert "5f1e" not in shown(page)
    assert page["Referrer-Policy"] == "strict-origin"
    assert f"takes about {planning.minutes(Design.of(made.design))} minutes" in lines(page)
    client.head(f"/take/{made.key}/")
    assert not Participant.objects.exists()
    assert not Session.objects.exists()
    answer = agree(client, made, page, extra_time="150", socket="41", scripts="1", sound="heard")
    row = Participant.objects.get()
    assert answer["Location"] == way(row)
    assert (row.pseudonym, row.extra_time, row.step) == ("P001", 150, 1)
    assert row.consent_version == consenting.consent_version(made)
    assert row.device == {"scripts": True, "sound": "heard", "socket_ms": 41}
    told = Identity.objects.get()
    assert (told.participant, told.label, told.study, told.session) == (row, "5f1e", "s9", "x1")
    page = client.get(way(row))
    assert "2 of 4: A word before, about 2 minutes" in lines(page)


@pytest.mark.parametrize("invited", [False, True])
def test_agreeing_begins_when_its_page_was_shown(
    invited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, client = study(), Client()
    if invited:
        row = Participant.objects.create(study=made, pseudonym="P001", invited=True)
    address = way(row) if invited else f"/take/{made.key}/"
    with monkeypatch.context() as then:
        then.setattr(timezone, "now", lambda: SHOWN)
        fields = form_of(client.get(address))
    again = client.post(address, {**fields, "version": "of another text"})
    assert again.status_code == 409
    assert client.post(address, form_of(again)).status_code == 302
    first, second = Participant.objects.get().visits
    assert (first["step"], first["came"]) == ("consent-0", SHOWN.isoformat())
    assert first["went"] == second["came"] or first["went"] < second["came"]
    assert second["went"] is None


def test_a_moment_that_somebody_made_up_is_not_taken() -> None:
    made = study()
    client, page = come(made)
    agree(client, made, page, shown=coming.moment_of("another", SHOWN))
    assert Participant.objects.get().visits[0]["came"] > SHOWN.isoformat()


def test_the_button_pressed_twice_makes_one_participant() -> None:
    made = study()
    client, page = come(made)
    first, second = agree(client, made, page), agree(Client(), made, page)
    assert first["Location"] == second["Location"]
    assert Participant.objects.count() == 1


def test_another_text_has_to_be_agreed_to_anew() -> None:
    made = study()
    client, page = come(made)
    made.design["stages"][0]["text"] = "Something else."
    made.save()
    answer = agree(client, made, page)
    assert answer.status_code == 409
    assert "Something else." in shown(answer)
    assert not Participant.objects.exists()
    assert agree(client, made, answer).status_code == 302


def test_a_form_that_is_not_ours_is_shown_again() -> None:
    made = study()
    answer = Client().post(f"/take/{made.key}/", {"coming": "made up", "extra_time": "100"})
    assert answer.status_code == 409
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("state", "status", "says"),
    [
        (Study.DRAFT, 409, "Not open yet"),
        (Study.PAUSED, 409, "This study pauses"),
        (Study.CLOSED, 410, "This study is closed"),
    ],
)
def test_a_study_that_is_not_open_says_so(state: str, status: int, says: str) -> None:
    made = study()
    client, row = enrolled(made)
    Study.objects.update(state=state)
    _other, page = come(made)
    assert (page.status_code, says in shown(page)) == (status, True)
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    assert says in shown(Client().get(way(invited)))
    assert "A word before" in shown(client.get(way(row))), "who is on the way goes on"


def test_a_full_study_says_so_before_anything_is_stored() -> None:
    made = study()
    Slot.objects.update(state=Slot.DONE)
    client, page = come(made)
    assert "All places are taken" in shown(page)
    assert "CODE-" not in shown(page), "anybody can open an address"
    back = client.post(f"/take/{made.key}/", entering.form_of(page))
    assert "CODE-full" in shown(back)
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    page = client.get(way(invited))
    assert "CODE-" not in shown(page)
    assert "CODE-full" in shown(client.post(way(invited), entering.form_of(page)))
    Participant.objects.all().delete()
    assert not Participant.objects.exists()


def test_who_declines_leaves_nothing() -> None:
    made = study()
    client, page = come(made, PROLIFIC_PID="5f1e")
    answer = agree(client, made, page, do="decline")
    assert "CODE-declined" in shown(answer)
    for form in ({}, {"coming": "made up"}):
        told = shown(Client().post(f"/take/{made.key}/", {**form, "do": "decline"}))
        assert "Words for declined." in told
        assert "CODE-" not in told, "without the page that was shown"
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    answer = Client().post(way(invited), {"do": "decline", "own": "1"})
    assert "CODE-declined" in shown(answer)
    invited.refresh_from_db()
    assert (invited.consented_at, invited.exit) == (None, "")
    assert not Identity.objects.exists()


def test_who_came_and_did_not_begin_is_counted_and_nothing_else() -> None:
    made = study(assignment={"games": 1})
    for _ in range(2):
        client, page = come(made)
        agree(client, made, page, do="decline")
    client.get(f"/take/{made.key}/unsuitable")
    client.head(f"/take/{made.key}/unsuitable")
    Slot.objects.update(state=Slot.PLAYING)
    come(made)
    made.refresh_from_db()
    counted = {"declined": 2, "unsuitable": 1, "full": 1}
    assert made.turned_away == counted
    Study.objects.update(state=Study.CLOSED)
    client.get(f"/take/{made.key}/unsuitable")
    made.refresh_from_db()
    assert made.turned_away == counted
    assert not Participant.objects.exists()
    assert not Session.objects.exists()


def test_a_study_for_listed_people_opens_by_personal_links_alone() -> None:
    made = study()
    Study.objects.update(listed_only=True)
    _client, page = come(made)
    assert page.status_code == 403
    invited = Participant.objects.create(study=made, pseudonym="P001", invited=True)
    client = Client()
    page = client.get(way(invited))
    assert CONSENT in shown(page)
    answer = client.post(way(invited), {**entering.form_of(page), "extra_time": "100"})
    assert answer["Location"] == way(invited)
    assert at(invited) == "interview"


def test_a_browser_that_keeps_nothing_is_told() -> None:
    made = study()
    client, page = come(made)
    address = f"/take/{made.key}/unsuitable"
    assert address in shown(page)
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    own = entering.form_of(Client().get(way(invited)))
    for form in (entering.form_of(page), own):  # its scripts send the form of the first page
        strict = Client(enforce_csrf_checks=True)
        assert "CODE-unsuitable" in shown(strict.post(address, form))
    told = shown(client.get(address))
    assert "keeps no cookies" in told
    assert "CODE-" not in told
    assert "https://example.org" not in told, "the way back has the code in it"
    for form in ({}, {"coming": "made up"}, {"own": "made up"}):
        assert "CODE-" not in shown(client.post(address, form))


# -- coming back


def test_reload_and_the_shared_link_lead_to_the_same_place() -> None:
    made = study()
    client, row = enrolled(made)
    press(client, row)
    for address in (way(row), f"/take/{made.key}/", f"/take/go/{made.key}/"):
        assert "You have waited" in lines(client.get(address, follow=True)), address


def test_name_and_session_resume_on_any_device_and_a_name_alone_never_does() -> None:
    made = study()
    both = {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x1"}
    first, row = enrolled(made, **both)
    press(first, row)
    for names in ({"PROLIFIC_PID": "5F1E"}, {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x2"}):
        _client, page = come(made, **names)
        assert (page.status_code, "open your own link" in shown(page)) == (409, True), names
        assert row.key not in shown(page)
    second, page = come(made, **both)
    assert "Go on in this browser?" in shown(page)
    assert row.key not in shown(page)
    answer = second.post(f"/take/{made.key}/", {**entering.form_of(page), "change": "1"})
    assert answer["Location"] == way(row)
    assert "You have waited" in lines(second.get(way(row)))
    assert Participant.objects.count() == 1


def test_an_unknown_name_without_a_session_may_begin() -> None:
    made = study()
    _client, row = enrolled(made, PROLIFIC_PID="5f1e")
    assert at(row) == "interview"
    _client, page = come(made, PROLIFIC_PID="5f1e")
    assert page.status_code == 409


def test_who_is_known_and_has_no_cookies_is_told_what_to_do() -> None:
    made = study()
    enrolled(made, PROLIFIC_PID="5f1e", SESSION_ID="x1")
    _client, page = come(made, PROLIFIC_PID="5f1e", SESSION_ID="x2")
    told = lines(page)
    assert "open your own link" in told
    assert "write to whoever runs this study, by the messages of the service" in told


@pytest.mark.parametrize("names", [{}, {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x2"}])
def test_the_browser_before_can_have_its_participant_back(names: dict[str, str]) -> None:
    made = study()
    first, row = enrolled(made, PROLIFIC_PID="5f1e", SESSION_ID="x1")
    second = Client()
    second.post(way(row), {"change": "1"})
    _client, page = come(made, first, **names)
    assert "Go on in this browser?" in shown(page), "and no consent afresh"
    answer = first.post(way(row), {"change": "1"})
    assert answer["Location"] == way(row)
    assert "A word before" in shown(first.get(way(row)))
    _client, page = come(made, second, PROLIFIC_PID="other")
    assert CONSENT in shown(page), "somebody else may begin by the same browser"
    assert Participant.objects.count() == 1


def test_the_own_link_moves_to_the_other_browser_with_the_seat() -> None:
    made = studies.study(table={"people": 1}, stages=STAGES)
    first, row = enrolled(made)
    press(first, row)
    assert press(first, row, do="ready").status_code == 302
    table = first.get(way(row))["Location"]
    assert first.get(table).status_code == 200
    second = Client()
    page = second.get(way(row))
    assert "Go on in this browser?" in shown(page)
    assert second.get(table).status_code == 403
    assert second.post(way(row), {"change": "1"})["Location"] == way(row)
    assert second.get(way(row))["Location"] == table
    assert second.get(table).status_code == 200
    assert first.get(table).status_code == 403, "the first browser has nothing of it any more"
    assert "Go on in this browser?" in shown(first.get(way(row)))
    assert Membership.objects.count() == 1


def test_two_people_of_one_browser_never_share_a_seat() -> None:
    made = study()
    client, one = enrolled(made, PROLIFIC_PID="a")
    client, two = enrolled(made, client, PROLIFIC_PID="b")
    assert one.visitor != two.visitor
    assert "A word before" in shown(client.get(way(two)))
    assert "Go on in this browser?" in shown(client.get(way(one)))


def test_a_second_tab_and_a_page_brought_back_move_nobody_twice() -> None:
    made = study()
    client, row = enrolled(made)
    for _again in range(2):
        answer = client.post(way(row), {"step": "1"})
        assert answer["Location"] == way(row)
    assert at(row) == "waiting"
    client.post(way(row), {"step": "1", "do": "ready"})
    assert at(row) == "waiting"


def test_what_was_typed_is_handed_in_as_the_time_ends() -> None:
    made = study()
    client, row = enrolled(made)
    typed = {"participant": row, "step": "interview-1", "instrument": "interview"}
    Response.objects.create(**typed, item="one", text="as far as I")
    page = shown(client.get(way(row)))
    row.refresh_from_db()
    assert "data-due" in page
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    client.get(way(row))
    assert at(row) == "waiting"
    assert Response.objects.get().state == Response.EXPIRED
    row.refresh_from_db()
    assert row.due_at is None, "the waiting room ends by its own rules"


def test_what_comes_as_the_time_ends_is_stored_before_the_next_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = study()
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
    assert at(row) == "waiting"


def test_after_a_game_the_time_begins_as_the_page_is_shown() -> None:
    stages = [STAGES[0], STAGES[2], {**STAGES[1], "minutes": 5}]
    made = study(table={"people": 1}, stages=stages)
    client, row = enrolled(made)
    clock.keep_time()
    studies.all_ready([row])
    studies.play(row)
    row = studies.fresh(row)
    assert at(row) == "interview"
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


def test_news_are_for_the_participants_browser_alone() -> None:
    made = study()
    client, row = enrolled(made)
    before = client.get(way(row, "news")).json()
    assert before["part"] == ""
    assert before["at"] in shown(client.get(way(row)))
    press(client, row)
    after = client.get(way(row, "news")).json()
    assert after["at"] != before["at"]
    assert "outlook" in after["part"]
    assert Client().get(way(row, "news")).status_code == 302


# -- waiting and playing


def test_the_waiting_room_tells_how_long_and_lets_go_paid() -> None:
    made = study()
    client, row = enrolled(made)
    press(client, row)
    page = lines(client.get(way(row)))
    assert "You wait 10 minutes at the most" in page
    assert "From 5 minutes on" in page
    press(client, row, do="leave")
    assert at(row) == "waiting", "not before its time"
    studies.earlier(row, 301)
    assert "I can’t wait any longer" in shown(client.get(way(row)))
    press(client, row, do="leave")
    assert at(row) == "waited_out"
    assert "CODE-waited_out" in shown(client.get(way(row)))


@pytest.mark.parametrize("pay", [0, 2])
def test_waiting_is_called_paid_only_where_it_is(pay: int) -> None:
    made = study(exits={**entering.EXITS, "waited_out": {"pay": pay}})
    client, row = enrolled(made)
    press(client, row)
    for seconds in (0, 301):
        studies.earlier(row, seconds)
        page = lines(client.get(way(row)))
        assert page.count("paid") == (2 if pay else 0), page
    assert "I can’t wait any longer" in page, "one can go either way"


@pytest.mark.parametrize("blind", [True, False])
def test_a_blind_study_does_not_say_who_waited_longest_plays_with_computers(blind: bool) -> None:
    made = study(table={"blind": blind}, waiting={"at_most": "begin"})
    client, row = enrolled(made)
    press(client, row)
    page = lines(client.get(way(row)))
    assert ("Then the game begins in any case." in page) is blind
    assert ("computer players" in page) is not blind


@pytest.mark.parametrize("blind", [True, False])
def test_how_many_are_missing_is_told_only_where_nobody_may_wonder(blind: bool) -> None:
    made = study(table={"blind": blind})
    client, row = enrolled(made)
    press(client, row)
    assert ("2 more are needed" in lines(client.get(way(row)))) is not blind


def test_from_ready_to_the_table_and_on_to_the_end() -> None:
    made = study(table={"people": 1})
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
    assert at(row) == "completed"
    assert "CODE-completed" in shown(client.get(way(row)))


def test_a_table_of_a_study_is_closed_to_all_that_a_host_or_guest_may() -> None:
    made = study(table={"people": 2, "blind": False})
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
    made = study()
    client, row = enrolled(made, PROLIFIC_PID="5f1e")
    Response.objects.create(
        participant=row, step="interview-1", instrument="interview", item="one", text="this"
    )
    page = client.get(way(row, "leave"))
    assert at(row) == "interview", "looking leaves nobody"
    assert "deleted for good" in shown(page)
    client.post(way(row, "leave"), {"do": do})
    assert at(row) == "left"
    assert Response.objects.exists() is (do == "keep")
    row.refresh_from_db()
    assert row.withdrew is (do == "erase")
    assert "CODE-left" in shown(client.get(way(row)))
    done = Happening.objects.filter(what="withdrew")
    assert done.exists() is (do == "erase")


def test_who_is_through_can_still_take_the_answers_back() -> None:
    made = study(stages=[STAGES[0], STAGES[1]])
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
    assert at(row) == "completed"
    page = shown(client.get(way(row)))
    assert "deleted for good" in page
    assert "CODE-completed" in page


@pytest.mark.parametrize("kind", entering.EXIT_KINDS)
def test_every_way_out_has_its_page(kind: ExitKind) -> None:
    made = study()
    client, row = enrolled(made)
    assert "CODE-" not in shown(client.get(way(row)))
    assert places.leave_by(row, kind)
    page = shown(client.get(way(row)))
    assert f"Words for {kind}." in page
    assert f'value="CODE-{kind}"' in page
    assert f'href="https://example.org/{kind}"' in page
    assert page.count("CODE-") == 1
    other = shown(Client().get(way(row)))
    assert "CODE-" not in other, "another browser has to be asked first"


def test_codes_of_ones_own_are_drawn_and_stay() -> None:
    own = {"completed": {"code_kind": "own", "pay": "2.50"}}
    made = study(stages=[STAGES[0], STAGES[1]], exits=own, currency="EUR")
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
