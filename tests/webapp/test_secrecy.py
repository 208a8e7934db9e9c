"""Tests that no page, frame or transcript of any ruleset holds hidden information."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from game import store
from game.engine import rulesets, visibility
from game.models import Game
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.clock import Clock
from tests.game.table import new_game
from tests.webapp.viewers import classify_moment, client_in_seat, guests, play_moments, secrets
from webapp.play.live.push import render_frame
from webapp.play.models import Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SEEDS = {"one-night": "2", "two-days": "2"}  # ruleset -> seed of its game, "10" for others
GAMES = [(ruleset, SEEDS.get(ruleset, "10")) for ruleset in rulesets.names()]
MOMENTS_PER_KIND = 2  # moments of one kind at which every page is rendered


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@dataclass(frozen=True)
class ViewerState:
    """The information a viewer may have at a moment, and the page rendered from it."""

    visible: tuple[Any, ...]
    page: Page
    frame: str


def viewer_states(game: Game) -> Iterator[tuple[Guest, ViewerState]]:
    snapshot = Snapshot(game)
    for guest in guests(game):
        view, seat = snapshot.position.view(guest.viewer), guest.viewer.seat
        open_windows = [
            (o.window.key, len(o.answers), o.answers.get(seat))
            for o in snapshot.position.open_windows
            if o.window.key in view.state.windows
        ]
        page = Page(guest, snapshot=snapshot)
        yield guest, ViewerState((view, open_windows), page, render_frame(page))


def play_randomly(clock: Clock, ruleset: str, seed: str) -> Iterator[Game]:
    """Yield a game of two people at every moment before its end. Nobody lets a deadline pass."""
    settings = FEW_STATEMENTS.get(ruleset)
    game = new_game(1, 4, ruleset=ruleset, seed=seed, pace="natural", settings=settings)
    yield from play_moments(clock, game, drawing_hand(seed))


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_pages_hold_nothing_hidden_and_do_not_depend_on_it(
    clock: Clock, ruleset: str, seed: str
) -> None:
    """Neither text, window names nor roles of others, at the first moments of each kind."""
    states: dict[int, ViewerState] = {}
    kinds, event_count = Counter[tuple[object, ...]](), 0
    unchanged = hidden_count = 0
    for game in play_randomly(clock, ruleset, seed):
        kind, event_count = classify_moment(game, event_count), game.events.count()
        kinds[kind] += 1
        if kinds[kind] > MOMENTS_PER_KIND:
            continue
        log = store.load_log(game)
        for guest, state in viewer_states(game):
            seat, view = guest.viewer.seat, state.visible[0]
            if seat in states and state.visible == states[seat].visible:
                assert state.frame == states[seat].frame
                unchanged += 1
            states[seat] = state
            hidden_texts = secrets(game, log, guest)
            assert not [text for text in hidden_texts if text in state.frame]
            hidden_count += len(hidden_texts)
            assert {
                s.number: s.role_key for s in state.page.seats if s.role_key
            } == view.state.roles
    assert unchanged
    assert hidden_count


@pytest.mark.parametrize("ruleset", ["one-night", "aiwolf-5"])
def test_transcript_equals_the_event_stream_of_its_viewer(clock: Clock, ruleset: str) -> None:
    for number, game in enumerate(play_randomly(clock, ruleset, "2")):
        if number % 17:
            continue
        if not number:
            Table.objects.create(game=game, spectators=True)
            clients = {seat: client_in_seat(game, seat, is_host=seat == 1) for seat in (1, 4)} | {
                0: Client()
            }
        log = store.load_log(game)
        for seat, client in clients.items():
            viewer = visibility.seat(seat) if seat else visibility.PUBLIC
            visible_events = [e for e in log if viewer.can_see(e.audience)]
            lines = client.get(f"/games/{game.code}/transcript.jsonl").content.decode()
            transcript = [json.loads(line) for line in lines.splitlines()]
            assert [e["kind"] for e in transcript] == [e.kind for e in visible_events]
            story = client.get(f"/games/{game.code}/transcript.txt").content.decode()
            page = client.get(f"/games/{game.code}/").content.decode()
            guest = next(g for g in guests(game) if g.viewer.seat == seat)
            responses = lines + story + page
            assert not [text for text in secrets(game, log, guest) if text in responses]
