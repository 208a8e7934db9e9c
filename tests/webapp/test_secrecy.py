"""No page, frame or transcript of any ruleset holds what its viewer may not know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from game import selectors, services, store
from game.engine import rulesets, visibility
from game.engine.events import Event
from game.models import Game, Player
from tests.engine.playing import FEW_STATEMENTS, Hand, drawing_hand
from tests.game.table import new_game
from tests.game.test_host_actions import Clock
from tests.webapp.test_any_ruleset import kind_of
from tests.webapp.test_blind import client_of
from webapp.play.live.push import render_frame
from webapp.play.models import Table
from webapp.play.page.page_builder import page_for
from webapp.play.page.page_parts import Page
from webapp.play.page.snapshot import take_snapshot
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SEEDS = {"one-night": "2", "two-days": "2"}  # ruleset -> the seed of its game; of any other "10"
GAMES = [(ruleset, SEEDS.get(ruleset, "10")) for ruleset in rulesets.names()]
ALIKE = 2  # moments of a kind at which every page is drawn


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@dataclass(frozen=True)
class Sight:
    """What one viewer may know at a moment, and the page that was made of it."""

    known: tuple[Any, ...]
    page: Page
    frame: str


def guests(game: Game) -> list[Guest]:
    """The host, who plays too, the other person, two players of each role, a spectator."""
    roles, seated = selectors.view_for(game, visibility.MODERATOR).state.roles, Counter[str]()
    players = []
    for player in Player.objects.filter(game=game).order_by("-kind", "seat"):
        role = roles.get(player.seat, "")
        seated[role] += 1
        if seated[role] <= 2 or not role or player.kind == Player.PERSON:
            players.append(player)
    return [
        *(Guest(game, p, is_host=p.seat == 1, is_member=True) for p in players),
        Guest(game, None),
    ]


def sights(game: Game) -> Iterator[tuple[Guest, Sight]]:
    snapshot = take_snapshot(game)
    for guest in guests(game):
        view, seat = snapshot.log.view(guest.viewer), guest.viewer.seat
        open_ = [
            (o.window.key, len(o.answers), o.answers.get(seat))
            for o in snapshot.open
            if o.window.key in view.state.windows
        ]
        page = page_for(guest, snapshot=snapshot)
        yield guest, Sight((view, open_), page, render_frame(page))


def running(time: Clock, ruleset: str, seed: str) -> Iterator[Game]:
    """A game of two people, at every moment before its end; nobody lets their time run out."""
    few = FEW_STATEMENTS.get(ruleset)
    game = new_game(1, 4, ruleset=ruleset, seed=seed, pace="natural", settings=few)
    yield from moments(time, game, drawing_hand(seed))


def moments(time: Clock, game: Game, hand: Hand) -> Iterator[Game]:
    """The game at every moment before its end, played on by the hand, an answer at a time."""
    for _ in range(800):
        game.refresh_from_db()
        if game.ended_at:
            return
        yield game
        missing = [o for o in selectors.open_windows(game) if o.missing]
        if missing:
            window, seat = missing[0], missing[0].missing[0]
            services.answer(game.pk, seat, window.window.key, hand(window.window, seat))
        else:
            assert game.due_at
            time.at = game.due_at
            services.settle_deadlines(game.pk)
    raise AssertionError("the game never ended")


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_a_page_holds_nothing_hidden_and_changes_with_nothing_hidden(
    time: Clock, ruleset: str, seed: str
) -> None:
    """Neither words, nor names of windows, nor others' roles: who is out sees no more of them.

    At the first few moments of each kind.
    """
    before: dict[int, Sight] = {}
    kinds, seen = Counter[tuple[object, ...]](), 0
    unmoved = hidden = 0
    for game in running(time, ruleset, seed):
        kind, seen = kind_of(game, seen), game.events.count()
        kinds[kind] += 1
        if kinds[kind] > ALIKE:
            continue
        log = store.load(game)
        for guest, now in sights(game):
            seat, view = guest.viewer.seat, now.known[0]
            if seat in before and now.known == before[seat].known:
                assert now.frame == before[seat].frame
                unmoved += 1
            before[seat] = now
            told = secrets(game, log, guest)
            assert not [text for text in told if text in now.frame]
            hidden += len(told)
            assert {s.number: s.role_key for s in now.page.seats if s.role_key} == view.state.roles
    assert unmoved
    assert hidden


def secrets(game: Game, log: list[Event], guest: Guest) -> set[str]:
    """Words that the viewer may not read, and names of windows the viewer may not know."""
    mine, seat = guest.viewer, guest.viewer.seat
    hidden = [e for e in log if not mine.can_see(e.audience)]
    found = {e["text"] for e in hidden if e.data.get("text")}
    found |= {f'"{e["key"]}"' for e in hidden if e.kind == "window_opened"}
    for window in selectors.open_windows(game):
        others = [a.action.text for s, a in window.answers.items() if s != seat]
        found |= {text for text in others if text}
    return found


@pytest.mark.parametrize("ruleset", ["one-night", "aiwolf-5"])
def test_a_transcript_is_its_viewers_own_stream(time: Clock, ruleset: str) -> None:
    for number, game in enumerate(running(time, ruleset, "2")):
        if number % 17:
            continue
        if not number:
            Table.objects.create(game=game, spectators=True)
            clients = {seat: client_of(game, seat) for seat in (1, 4)} | {0: Client()}
        log = store.load(game)
        for seat, client in clients.items():
            viewer = visibility.seat(seat) if seat else visibility.PUBLIC
            mine = [e for e in log if viewer.can_see(e.audience)]
            lines = client.get(f"/games/{game.code}/transcript.jsonl").content.decode()
            told = [json.loads(line) for line in lines.splitlines()]
            assert [e["kind"] for e in told] == [e.kind for e in mine]
            story = client.get(f"/games/{game.code}/transcript.txt").content.decode()
            page = client.get(f"/games/{game.code}/").content.decode()
            guest = next(g for g in guests(game) if g.viewer.seat == seat)
            told_all = lines + story + page
            assert not [text for text in secrets(game, log, guest) if text in told_all]
