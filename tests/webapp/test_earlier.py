"""Tests of the latest and earlier lines of a page: complete, secret and of constant cost."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import product

import pytest
from django.test import Client

from game import cached_games, game_actions, lobby, selectors
from game.engine import rulesets
from game.models import Game, Player
from tests.game.table import answer, finish, new_game, play_until
from tests.long_talk import RULESET
from tests.two_days import RULESET as TWO_DAYS
from tests.webapp.viewers import guests, secrets
from webapp.play.live import push
from webapp.play.page import transcript_lines
from webapp.play.page.table_page import END, FirstPage, OlderLines, Page
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]


@pytest.fixture
def few_lines_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show few lines at a time, so that a short game has many stretches."""
    monkeypatch.setattr(transcript_lines, "MIN_LATEST_LINES", 5)
    monkeypatch.setattr(transcript_lines, "MAX_LATEST_LINES", 12)


def guest_in_seat(game: Game, seat: int, *, host: bool = False) -> Guest:
    return Guest(game, Player.objects.get(game=game, seat=seat), is_host=host, is_member=True)


def load_all_lines(guest: Guest) -> list[list[transcript_lines.TranscriptLine]]:
    """Return the lines of the first page and all earlier ones, in stretches, oldest first."""
    page = FirstPage(guest)
    stretches, before = [page.entries], page.older_before_position
    while before:
        earlier_page = OlderLines(guest, before)
        stretches, before = [earlier_page.entries, *stretches], earlier_page.older_before_position
    return stretches


def test_latest_and_earlier_lines_make_the_complete_transcript(few_lines_at_a_time: None) -> None:
    game = new_game(1, 4, ruleset=TWO_DAYS.name)
    finish(game)
    for viewer in guests(game):
        stretches = load_all_lines(viewer)
        assert len(stretches) > 3
        assert [line for lines in stretches for line in lines] == Page(viewer).entries
        assert all(len(lines) <= transcript_lines.MAX_LATEST_LINES for lines in stretches)
        for lines in stretches[1:]:
            assert lines[0].kind == "phase" or len(lines) == transcript_lines.MAX_LATEST_LINES


def test_short_game_is_shown_completely() -> None:
    game = finish(new_game(1))
    page = FirstPage(guest_in_seat(game, 1))
    assert (page.entries, page.older_before_position) == (
        Page(guest_in_seat(game, 1)).entries,
        0,
    )


def test_earlier_lines_hold_nothing_hidden_at_any_position(
    few_lines_at_a_time: None, sit: Sit
) -> None:
    """A wolf whispers and an augur looks. No position returns another viewer's lines."""
    game = new_game(1, 4, ruleset=TWO_DAYS.name)
    clients = {seat: sit(game, seat) for seat in (1, 4)}
    play_until(game, "appraisal")
    for _ in range(24):
        missing = [o for o in selectors.open_windows(game) if o.missing]
        answer(game, missing[0].missing[0], missing[0])
    assert not Game.objects.get(pk=game.pk).ended_at
    log = cached_games.cached_game(game).log
    secret_count = 0
    for seat, client in clients.items():
        guest = guest_in_seat(game, seat)
        viewer_secrets = secrets(game, list(log), guest)
        secret_count += len(viewer_secrets)
        visible_ids = {f'id="e{line.position}"' for line in Page(guest).entries}
        odd_positions, htmx = ("", "0", "999999999", "9" * 40, "-1", "x"), {"HX-Request": "true"}
        requests = [(str(number), htmx) for number in range(1, len(log) + 3)]
        for before, headers in (*product(odd_positions, ({}, htmx)), *requests):
            query = {"before": before} if before else {}
            page = client.get(f"/games/{game.code}/earlier", query, headers=headers)
            text = page.content.decode()
            assert page.status_code == 200
            assert not [secret for secret in viewer_secrets if secret in text]
            assert set(re.findall(r'id="e\d+"', text)) <= visible_ids
    assert secret_count
    outsider_response = Client().get(f"/games/{game.code}/earlier")
    assert outsider_response.status_code == 403


def test_page_links_to_earlier_lines_with_and_without_scripts(
    few_lines_at_a_time: None, sit: Sit
) -> None:
    game = new_game(1, ruleset=TWO_DAYS.name)
    client = sit(game, 1)
    assert "Show earlier lines" not in client.get(f"/games/{game.code}/").content.decode()
    finish(game)
    page = client.get(f"/games/{game.code}/").content.decode()
    address = re.search(r'href="(/games/[^"]+/earlier\?before=\d+)"', page)
    assert address
    response = client.get(address[1])
    assert "no-store" in response["Cache-Control"]
    text = response.content.decode()
    assert f'href="/games/{game.code}/"' in text
    fragment = client.get(address[1], headers={"HX-Request": "true"}).content.decode()
    lines = re.findall(r'<li id="e\d+"', fragment)
    assert lines == re.findall(r'<li id="e\d+"', text)
    assert fragment.count('aria-live="off"') >= len(lines)  # the lines are not announced one by one
    assert f"{len(lines)} earlier lines are shown above." in fragment
    gathering = lobby.create_game(
        TWO_DAYS.name, [lobby.SeatPlan(Player.PERSON)] * 5, seed="1", should_gather=True
    )
    assert sit(gathering, 1).get(f"/games/{gathering.code}/earlier").status_code == 302


def test_earlier_statements_can_be_removed_and_reported(
    few_lines_at_a_time: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_lines, "MAX_LISTED", 2)
    game = new_game(1, 2, 3, 4, 5, ruleset=TWO_DAYS.name)
    finish(game)
    host, guest = guest_in_seat(game, 1, host=True), guest_in_seat(game, 2)
    page = Page(host)
    assert page.host
    assert (len(page.host.removable.listed), page.host.removable.has_more) == (2, True)
    assert Page(guest).reportable.has_more
    acts = {"report": acts_on_statements(guest), "remove_words": acts_on_statements(host)}
    statements = [e for e in cached_games.cached_game(game).log if e.data.get("manner") == "say"]
    reportable = [e for e in statements if e.audience.kind == "public" and e["seat"] != 2]
    assert {f"report:{e['window']}:{e['seat']}" for e in reportable} <= acts["report"]
    assert {f"remove_words:{e['window']}:{e['seat']}" for e in reportable} <= acts["remove_words"]
    window, seat = reportable[0]["window"], reportable[0]["seat"]
    game_actions.remove_text(game.pk, window, seat)
    removed = [line for lines in load_all_lines(guest) for line in lines if line.removed]
    assert len(removed) == 1
    assert Page(guest).amended == removed


def acts_on_statements(guest: Guest) -> set[str]:
    """Return the acts on statements that the guest has beside all stretches of lines."""
    acts, before = set[str](), END
    while before:
        earlier_page = OlderLines(guest, before)
        acts |= {
            statement.action
            for statement in (*earlier_page.removable.listed, *earlier_page.reportable.listed)
        }
        before = earlier_page.older_before_position
    return acts


def count_executed_lines(work: Callable[[], object]) -> int:
    """Return the number of executed lines of Python, each repetition counted."""
    count = 0

    def trace(_frame: object, event: str, _arg: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    work()  # the first run fills the caches
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def render_push(guest: Guest, cursor: int) -> tuple[str, ...]:
    page = Page(guest, cursor)
    return push.render_frames(page, push.render_parts(page))


@pytest.mark.django_db(transaction=True)
def test_push_and_page_cost_do_not_grow_with_game_length(
    monkeypatch: pytest.MonkeyPatch, sit: Sit
) -> None:
    monkeypatch.setitem(rulesets._RULESETS, RULESET.name, RULESET)
    for module, setting, number in (
        (transcript_lines, "MIN_LATEST_LINES", 20),
        (transcript_lines, "MAX_LATEST_LINES", 40),
        (transcript_lines, "MAX_LISTED", 5),
        (transcript_lines, "MAX_SORTED_BYTES", 500),
    ):
        monkeypatch.setattr(module, setting, number)
    game = new_game(1, 2, ruleset=RULESET.name)
    client = sit(game, 1)
    line_counts, sizes = [], []
    for day in (2, 6):
        play_until_day(game, day)
        for guest in (guest_in_seat(game, 1, host=True), guest_in_seat(game, 2)):
            cursor = Page(guest).cursor - 3
            line_counts.append(count_executed_lines(lambda g=guest, c=cursor: render_push(g, c)))
            sizes.append(sum(map(len, render_push(guest, cursor))))
        line_counts.append(count_executed_lines(lambda: client.get(f"/games/{game.code}/")))
        sizes.append(len(client.get(f"/games/{game.code}/").content))
    for early_count, late_count in zip(line_counts[:3], line_counts[3:], strict=True):
        assert late_count < 1.05 * early_count
    for early_size, late_size in zip(sizes[:3], sizes[3:], strict=True):
        assert late_size < 1.05 * early_size


def play_until_day(game: Game, day: int) -> None:
    """Play to the moment of that day at which 9 statements have been made."""
    for _ in range(2000):
        window = next(o for o in selectors.open_windows(game) if o.missing)
        if window.window.key.startswith(f"statement.{day}.") and ".2.5" in window.window.key:
            return
        answer(game, window.missing[0], window)
    raise AssertionError("the game never came there")
