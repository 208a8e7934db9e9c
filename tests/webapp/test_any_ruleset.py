"""Tests that every page of every ruleset renders for everyone, at every step of a game."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from django.core.management import call_command

from game import locked_game, selectors
from game.engine import rulesets, visibility
from game.engine.seeded_random import SeededRandom
from game.models import Game, Player
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.table import new_game
from tests.webapp.viewers import classify_moment
from webapp.play.live.push import render_frame
from webapp.play.page.table_page import Page
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SEEDS = {"two-days": "2"}  # ruleset -> seed of its game, "1" for others
GAMES = [(ruleset, SEEDS.get(ruleset, "1")) for ruleset in rulesets.names()]
MOMENTS_PER_KIND = 1  # moments of one kind at which every page is rendered


def play_randomly(name: str, seed: str, *people: int) -> Iterator[Game]:
    """Yield a game before every random answer, and once more when it is over."""
    game = new_game(*people, ruleset=name, seed=seed, settings=FEW_STATEMENTS.get(name))
    hand = drawing_hand(seed)
    for _ in range(400):
        game.refresh_from_db()
        yield game
        open_windows = [o for o in selectors.open_windows(game) if set(o.asked) - set(o.answers)]
        if not open_windows:
            return
        window = SeededRandom(seed).choice(str(game.version), open_windows)
        seat = min(set(window.asked) - set(window.answers))
        locked_game.record_answer(game.pk, seat, window.window.key, hand(window.window, seat))
    raise AssertionError("the game never ended")


def guests(game: Game) -> list[Guest]:
    """Return a spectator and one player per role, state and pending question."""
    state = selectors.view_for(game, visibility.MODERATOR).state
    open_windows = selectors.open_windows(game)
    players: dict[tuple[object, ...], Player] = {}
    for player in Player.objects.filter(game=game).order_by("-seat"):
        seat = player.seat
        questions = [(o.window.kind, seat in o.answers) for o in open_windows if seat in o.asked]
        players[state.roles.get(seat), player.kind, seat in state.out, *questions] = player
    return [Guest(game, None), *(Guest(game, p, is_member=True) for p in players.values())]


@pytest.mark.parametrize(("name", "seed"), GAMES)
def test_every_page_renders_and_finished_game_is_complete(
    name: str, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages at the first moment of each kind. Replay and command once the game is over."""
    seats = range(1, len(rulesets.get(name).deck) + 1)
    kinds, event_count = Counter[tuple[object, ...]](), 0
    for game in play_randomly(name, seed, *seats):
        kind, event_count = classify_moment(game, event_count), game.events.count()
        kinds[kind] += 1
        if kinds[kind] > MOMENTS_PER_KIND:
            continue
        for guest in guests(game):
            page = Page(guest)
            assert page.awaited.text
            render_frame(page)
            check_pending_question(game, guest, page)
            check_eliminated(game, guest, page)
    assert game.status == Game.OVER
    check_replay(game)
    check_command(game, capsys)
    check_end_pages(game)


def check_pending_question(game: Game, guest: Guest, page: Page) -> None:
    """A page has the form of each question to its player, and no other form."""
    seat = guest.player.seat if guest.player else 0
    pending = [o for o in selectors.open_windows(game) if seat in o.asked and seat not in o.answers]
    pending_keys = {o.window.key for o in pending}
    form_keys = {page.turn.window} if page.turn and page.turn.window else set()
    if page.choice and not page.choice.is_answered and page.choice.kind != "guess":
        form_keys.add(page.choice.window)
    assert form_keys <= pending_keys
    assert bool(form_keys) == bool(pending_keys)
    assert page.awaited.is_mine == bool(pending_keys)
    is_guess = page.choice is not None and page.choice.kind == "guess"
    assert not (is_guess and pending_keys), "a guess form would hide the question"


def check_eliminated(game: Game, guest: Guest, page: Page) -> None:
    """An eliminated player watches and cannot speak."""
    state = selectors.view_for(game, visibility.MODERATOR).state
    if guest.player and guest.player.seat in state.out and not state.is_over:
        questions = [o for o in selectors.open_windows(game) if guest.player.seat in o.asked]
        assert page.turn is None
        assert page.choice is None or questions
        assert questions or "You are out of the game and can keep watching." in page.awaited.text


def check_end_pages(game: Game) -> None:
    """Every page has an end without unfilled placeholders."""
    for guest in guests(game):
        page = Page(guest)
        texts = [e.text for e in page.entries] + [e.title for e in page.entries]
        assert page.end
        assert not any("{" in text or "}" in text for text in [*texts, page.end.headline])


def check_replay(game: Game) -> None:
    for sight in ("public", "moderator", "1", "3"):
        replay = build_guest_replay(Guest(game, None), sight)
        assert replay.chapters
        for at in range(replay.last, 0, -max(1, replay.last // 3)):  # a sample of a long game
            replay_at_line = build_guest_replay(Guest(game, None), sight, str(at))
            assert replay_at_line.announcement
            assert "{" not in replay_at_line.announcement


def check_command(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("transcript", game.code, viewer="moderator")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["position"] for line in lines] == list(range(1, game.events.count() + 1))
    assert lines[-1]["kind"] == "game_over"
    assert "{" not in lines[-1]["told"]
