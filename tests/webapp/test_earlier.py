"""A page begins with the latest lines, older ones come when asked for, and no length costs more."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import product

import pytest
from django.test import Client

from game import host_actions, selectors, services
from game.engine import rulesets
from game.models import Game, Player
from tests.game.table import answer, finish, new_game, play_until
from tests.long_talk import RULESET
from tests.two_days import RULESET as TWO_DAYS
from tests.webapp.test_secrecy import guests, secrets
from webapp.play.live import push
from webapp.play.page import host_panel, page_builder, transcript_lines
from webapp.play.page.page_builder import END, earlier_for, first_page_for, page_for
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few lines at a time, so that a short game has many times as many."""
    monkeypatch.setattr(transcript_lines, "MIN_LATEST_LINES", 5)
    monkeypatch.setattr(transcript_lines, "MAX_LATEST_LINES", 12)


def guest_of(game: Game, seat: int, *, host: bool = False) -> Guest:
    return Guest(game, Player.objects.get(game=game, seat=seat), is_host=host, is_member=True)


def walked_back(guest: Guest) -> list[list[transcript_lines.TranscriptLine]]:
    """What the page begins with, and all that came before, as it is asked for; the oldest first."""
    page = first_page_for(guest)
    found, before = [page.entries], page.earlier
    while before:
        older = earlier_for(guest, before)
        found, before = [older.entries, *found], older.earlier
    return found


def test_page_and_older_lines_are_the_whole_story(short: None) -> None:
    game = new_game(1, 4, ruleset=TWO_DAYS.name)
    finish(game)
    for guest in guests(game):
        stretches = walked_back(guest)
        assert len(stretches) > 3
        assert [line for lines in stretches for line in lines] == page_for(guest).entries
        assert all(len(lines) <= transcript_lines.MAX_LATEST_LINES for lines in stretches)
        for lines in stretches[1:]:
            assert lines[0].kind == "phase" or len(lines) == transcript_lines.MAX_LATEST_LINES


def test_a_short_game_is_shown_whole() -> None:
    game = finish(new_game(1))
    page = first_page_for(guest_of(game, 1))
    assert (page.entries, page.earlier) == (page_for(guest_of(game, 1)).entries, 0)


def test_older_lines_hold_nothing_hidden_whatever_number_is_asked_for(
    short: None, sit: Sit
) -> None:
    """A wolf whispers, an augur looks: no number brings another viewer's lines."""
    game = new_game(1, 4, ruleset=TWO_DAYS.name)
    clients = {seat: sit(game, seat) for seat in (1, 4)}
    play_until(game, "appraisal")
    for _ in range(24):
        missing = [o for o in selectors.open_windows(game) if o.missing]
        answer(game, missing[0].missing[0], missing[0])
    assert not Game.objects.get(pk=game.pk).ended_at
    log = selectors.cached_game(game).log
    hidden = 0
    for seat, client in clients.items():
        guest = guest_of(game, seat)
        told = secrets(game, list(log), guest)
        hidden += len(told)
        whole = {f'id="e{line.position}"' for line in page_for(guest).entries}
        odd, htmx = ("", "0", "999999999", "9" * 40, "-1", "x"), {"HX-Request": "true"}
        every = [(str(number), htmx) for number in range(1, len(log) + 3)]
        for before, headers in (*product(odd, ({}, htmx)), *every):
            asked = {"before": before} if before else {}
            page = client.get(f"/games/{game.code}/earlier", asked, headers=headers)
            text = page.content.decode()
            assert page.status_code == 200
            assert not [secret for secret in told if secret in text]
            assert set(re.findall(r'id="e\d+"', text)) <= whole
    assert hidden
    outsider = Client().get(f"/games/{game.code}/earlier")
    assert outsider.status_code == 403


def test_the_page_leads_to_older_lines_with_scripts_and_without(short: None, sit: Sit) -> None:
    game = new_game(1, ruleset=TWO_DAYS.name)
    client = sit(game, 1)
    assert "Show earlier lines" not in client.get(f"/games/{game.code}/").content.decode()
    finish(game)
    page = client.get(f"/games/{game.code}/").content.decode()
    address = re.search(r'href="(/games/[^"]+/earlier\?before=\d+)"', page)
    assert address
    plain = client.get(address[1])
    assert "no-store" in plain["Cache-Control"]
    text = plain.content.decode()
    assert f'href="/games/{game.code}/"' in text
    part = client.get(address[1], headers={"HX-Request": "true"}).content.decode()
    lines = re.findall(r'<li id="e\d+"', part)
    assert lines == re.findall(r'<li id="e\d+"', text)
    assert part.count('aria-live="off"') >= len(lines)  # not read aloud one by one
    assert f"{len(lines)} earlier lines are shown above." in part
    gathering = services.create(
        TWO_DAYS.name, [services.SeatPlan(Player.PERSON)] * 5, seed="1", should_gather=True
    )
    assert sit(gathering, 1).get(f"/games/{gathering.code}/earlier").status_code == 302


def test_older_words_can_still_be_taken_out_and_reported(
    short: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_panel, "MAX_LISTED", 2)
    game = new_game(1, 2, 3, 4, 5, ruleset=TWO_DAYS.name)
    finish(game)
    host, other = guest_of(game, 1, host=True), guest_of(game, 2)
    page = page_for(host)
    assert page.host
    assert (len(page.host.removable.listed), page.host.removable.has_more) == (2, True)
    assert page_for(other).reportable.has_more
    can = {"report": every_word(other), "remove_words": every_word(host)}
    spoken = [e for e in selectors.cached_game(game).log if e.data.get("manner") == "say"]
    heard = [e for e in spoken if e.audience.kind == "public" and e["seat"] != 2]
    assert {f"report:{e['window']}:{e['seat']}" for e in heard} <= can["report"]
    assert {f"remove_words:{e['window']}:{e['seat']}" for e in heard} <= can["remove_words"]
    window, seat = heard[0]["window"], heard[0]["seat"]
    host_actions.remove_words(game.pk, window, seat)
    gone = [line for lines in walked_back(other) for line in lines if line.removed]
    assert len(gone) == 1
    assert page_for(other).amended == gone


def every_word(guest: Guest) -> set[str]:
    """What the guest can do about words, beside all stretches of lines."""
    found, before = set[str](), END
    while before:
        older = earlier_for(guest, before)
        found |= {words.action for words in (*older.words.listed, *older.reportable.listed)}
        before = older.earlier
    return found


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python are run, those of every loop counted."""
    count = 0

    def trace(_frame: object, event: str, _arg: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    work()  # what is kept from the first time is no part of it
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def _pushed(guest: Guest, cursor: int) -> tuple[str, ...]:
    page = page_for(guest, cursor)
    return push.render_frames(page, push.render_parts(page))


@pytest.mark.django_db(transaction=True)
def test_a_push_and_a_page_cost_the_same_however_long_the_game(
    monkeypatch: pytest.MonkeyPatch, sit: Sit
) -> None:
    monkeypatch.setitem(rulesets._RULESETS, RULESET.name, RULESET)
    for where, what, number in (
        (transcript_lines, "MIN_LATEST_LINES", 20),
        (transcript_lines, "MAX_LATEST_LINES", 40),
        (host_panel, "MAX_LISTED", 5),
        (page_builder, "MAX_SORTED_BYTES", 500),
    ):
        monkeypatch.setattr(where, what, number)
    game = new_game(1, 2, ruleset=RULESET.name)
    client = sit(game, 1)
    run, weight = [], []
    for day in (2, 6):
        play_until_day(game, day)
        for guest in (guest_of(game, 1, host=True), guest_of(game, 2)):
            cursor = page_for(guest).cursor - 3
            run.append(lines_run(lambda g=guest, c=cursor: _pushed(g, c)))
            weight.append(sum(map(len, _pushed(guest, cursor))))
        run.append(lines_run(lambda: client.get(f"/games/{game.code}/")))
        weight.append(len(client.get(f"/games/{game.code}/").content))
    for few, many in zip(run[:3], run[3:], strict=True):
        assert many < 1.05 * few
    for light, heavy in zip(weight[:3], weight[3:], strict=True):
        assert heavy < 1.05 * light


def play_until_day(game: Game, day: int) -> None:
    """To the same place of that day: 9 of its statements have been made."""
    for _ in range(2000):
        window = next(o for o in selectors.open_windows(game) if o.missing)
        if window.window.key.startswith(f"statement.{day}.") and ".2.5" in window.window.key:
            return
        answer(game, window.missing[0], window)
    raise AssertionError("never came there")
