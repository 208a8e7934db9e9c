"""A game with a Sheriff in the database, its hands led: everything happens once in two days."""

from __future__ import annotations

from collections.abc import Mapping

from game import selectors, services
from game.engine.forms import ABSTAIN, Action, pick, say
from game.engine.windows import Window
from game.models import Game, Player
from tests.engine.sheriff import GUARD, SEED, SEER, calm, led, lots
from webapp.play.models import Table

FIRST = lots(led({"max_rounds": 1}))[0]  # drawn first, and elected
PREY = SEER if FIRST != SEER else GUARD  # killed in the second night
SETTINGS = {"max_rounds": 2}


def two_days(words: Mapping[tuple[int, int], str] | None = None) -> Game:
    """Nobody dies in night 1.

    FIRST is elected, seat 7 abstaining, voted out by all, and hands the badge on. PREY is killed in
    night 2. On day 2 nobody votes, and the days are over.

    words: (day, seat) -> what is said in the talk then.
    """
    agent = services.SeatPlan(Player.AGENT, {"backend": "house", "method": "baseline"})
    game = services.create("sheriff", [agent] * 7, seed=SEED, pace="none", settings=SETTINGS)
    while windows := selectors.open_windows(game):
        for found in windows:
            for seat in found.missing:
                action = _hand(found.window, seat, words or {})
                services.answer(game.pk, seat, found.window.key, action)
    game.refresh_from_db()
    Table.objects.create(game=game, research=True, spectators=True)
    return game


def _hand(window: Window, seat: int, words: Mapping[tuple[int, int], str]) -> Action:
    day = window.moment.day
    if window.kind == "statement" and (day, seat) in words:
        return say(words[day, seat])
    if window.kind == "election":
        return ABSTAIN if seat == 7 else pick(FIRST)
    if window.kind == "vote" and day == 1:
        return pick(FIRST)
    if window.kind == "attack" and day == 2:
        return pick(PREY)
    if window.kind == "pseudo_vote":
        return pick(FIRST) if day == 1 else ABSTAIN
    return calm(window, seat)
