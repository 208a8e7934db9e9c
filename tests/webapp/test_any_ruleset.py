"""Every page of every ruleset: played to its end, seen by everybody at every step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from django.core.management import call_command

from game import selectors, services
from game.engine import rulesets, visibility
from game.engine.seeded_random import SeededRandom
from game.models import Game, Player
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.table import new_game
from webapp.play.live.push import render_frame
from webapp.play.page.page_builder import page_for
from webapp.play.page.page_parts import Page
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SEEDS = {"two-days": "2"}  # ruleset -> the seed of its game; of any other "1"
GAMES = [(ruleset, SEEDS.get(ruleset, "1")) for ruleset in rulesets.names()]
ALIKE = 1  # moments of a kind at which every page is drawn


def played(name: str, seed: str, *people: int) -> Iterator[Game]:
    """A game whose people and computer players answer by lot.

    Given before every answer, and once more when it is over.
    """
    game = new_game(*people, ruleset=name, seed=seed, settings=FEW_STATEMENTS.get(name))
    hand = drawing_hand(seed)
    for _ in range(400):
        game.refresh_from_db()
        yield game
        open_ = [o for o in selectors.open_windows(game) if set(o.asked) - set(o.answers)]
        if not open_:
            return
        window = SeededRandom(seed).choice(str(game.version), open_)
        seat = min(set(window.asked) - set(window.answers))
        services.answer(game.pk, seat, window.window.key, hand(window.window, seat))
    raise AssertionError("the game never ended")


def guests(game: Game) -> list[Guest]:
    """A spectator, and one player of each role that lives or not, is asked and has answered."""
    state = selectors.view_for(game, visibility.MODERATOR).state
    open_ = selectors.open_windows(game)
    alike: dict[tuple[object, ...], Player] = {}
    for player in Player.objects.filter(game=game).order_by("-seat"):
        seat = player.seat
        asked = [(o.window.kind, seat in o.answers) for o in open_ if seat in o.asked]
        alike[state.roles.get(seat), player.kind, seat in state.out, *asked] = player
    return [Guest(game, None), *(Guest(game, p, is_member=True) for p in alike.values())]


def kind_of(game: Game, seen: int) -> tuple[object, ...]:
    """What the moment is like: the phase, what is asked, what has happened since event `seen`."""
    asked = sorted((o.window.kind, len(o.missing) > 0) for o in selectors.open_windows(game))
    view = selectors.view_for(game, visibility.MODERATOR)
    new = {e.kind for e in view.events[seen:]}
    return (view.state.phase, bool(view.state.out), *asked, *sorted(new))


@pytest.mark.parametrize(("name", "seed"), GAMES)
def test_every_page_can_be_drawn_and_the_finished_game_is_told_whole(
    name: str, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the first moment of each kind, and by replay and command once the game is over."""
    everybody = range(1, len(rulesets.get(name).deck) + 1)
    kinds, seen = Counter[tuple[object, ...]](), 0
    for game in played(name, seed, *everybody):
        kind, seen = kind_of(game, seen), game.events.count()
        kinds[kind] += 1
        if kinds[kind] > ALIKE:
            continue
        for guest in guests(game):
            page = page_for(guest)
            assert page.awaited.text
            render_frame(page)
            check_asked(game, guest, page)
            check_out(game, guest, page)
    assert game.status == Game.OVER
    check_replay(game)
    check_command(game, capsys)
    check_end_pages(game)


def check_asked(game: Game, guest: Guest, page: Page) -> None:
    """Whoever is asked finds the form of it on their page, and nobody else does."""
    seat = guest.player.seat if guest.player else 0
    mine = [o for o in selectors.open_windows(game) if seat in o.asked and seat not in o.answers]
    asked = {o.window.key for o in mine}
    shown = {page.turn.window} if page.turn and page.turn.window else set()
    if page.choice and not page.choice.is_answered and page.choice.kind != "guess":
        shown.add(page.choice.window)
    assert shown <= asked
    assert bool(shown) == bool(asked)
    assert page.awaited.is_mine == bool(asked)
    guesses = page.choice is not None and page.choice.kind == "guess"
    assert not (guesses and asked), "a guess would hide the question"


def check_out(game: Game, guest: Guest, page: Page) -> None:
    """Who is out watches and says nothing."""
    state = selectors.view_for(game, visibility.MODERATOR).state
    if guest.player and guest.player.seat in state.out and not state.is_over:
        asked = [o for o in selectors.open_windows(game) if guest.player.seat in o.asked]
        assert page.turn is None
        assert page.choice is None or asked
        assert asked or "You are out of the game and can keep watching." in page.awaited.text


def check_end_pages(game: Game) -> None:
    """Every page has its end, and no figure is unfilled."""
    for guest in guests(game):
        page = page_for(guest)
        told = [e.text for e in page.entries] + [e.title for e in page.entries]
        assert page.end
        assert not any("{" in text or "}" in text for text in [*told, page.end.headline])


def check_replay(game: Game) -> None:
    for sight in ("public", "moderator", "1", "3"):
        replay = build_guest_replay(Guest(game, None), sight)
        assert replay.chapters
        for at in range(replay.last, 0, -max(1, replay.last // 3)):  # of a long game some
            shown = build_guest_replay(Guest(game, None), sight, str(at))
            assert shown.announcement
            assert "{" not in shown.announcement


def check_command(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("transcript", game.code, viewer="moderator")
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["position"] for line in told] == list(range(1, game.events.count() + 1))
    assert told[-1]["kind"] == "game_over"
    assert "{" not in told[-1]["told"]
