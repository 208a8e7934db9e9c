"""A scripted Sheriff game in the database that has every kind of event in two days."""

from __future__ import annotations

from collections.abc import Mapping

from game import lobby, locked_game, selectors
from game.engine.events import ABSTAIN, Action, pick, say
from game.engine.windows import Window
from game.models import Game, Player
from tests.engine.sheriff import GUARD, SEED, SEER, calm, drawn_candidates, run
from webapp.play.models import Table

FIRST = drawn_candidates(run({"max_rounds": 1}))[0]  # drawn first, and elected
PREY = SEER if FIRST != SEER else GUARD  # killed in the second night
SETTINGS = {"max_rounds": 2}


def two_days(words: Mapping[tuple[int, int], str] | None = None) -> Game:
    """Play the scripted game: no death in night 1, and no vote on day 2, the last day.

    FIRST is elected while seat 7 abstains, is exiled by all, and passes the badge. PREY is killed
    in night 2. `words` maps (day, seat) to statements in the talk.
    """
    agent = lobby.SeatPlan(Player.AGENT, {"backend": "house", "method": "baseline"})
    game = lobby.create_game("sheriff", [agent] * 7, seed=SEED, pace="none", settings=SETTINGS)
    while windows := selectors.open_windows(game):
        for open_window in windows:
            for seat in open_window.missing:
                action = _hand(open_window.window, seat, words or {})
                locked_game.record_answer(game.pk, seat, open_window.window.key, action)
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
