"""Sheriff games in which a participant is asked questions."""

from __future__ import annotations

from typing import Any

from game import locked_game, selectors
from game.engine.events import NOTHING, Action, Rating, pick, rate
from game.engine.side_questions import ROLE_GUESS_KIND
from game.engine.windows import Window
from game.models import Game, Player
from tests.engine.sheriff import calm
from tests.game.table import new_game
from tests.study.world import create_researcher
from webapp.study.design.participation_rules import InPlayQuestions, settings_for_questions
from webapp.study.models import Condition, Participant, Seating, Slot, Study

EVERYTHING = InPlayQuestions(confidence=True, polls=True, why=True, reliability=True)
PERSON, SHERIFF = 2, 5  # The Sheriff's seat is a setting.
WHY = "Their story changed."


def create_slot(game: Game, seat: int = PERSON) -> Slot:
    """Create a slot in which one participant played that game."""
    study = Study.objects.create(owner=create_researcher(), name="A study", seed="s")
    condition = Condition.objects.create(study=study, index=1, name="one", table={})
    slot = Slot.objects.create(
        study=study, block=1, index=1, condition=condition, deal="d", game=game, state=Slot.DONE
    )
    participant = Participant.objects.create(study=study, pseudonym="P001")
    player = Player.objects.get(game=game, seat=seat)
    Seating.objects.create(
        slot=slot, participant=participant, seat=seat, player=player, state=Seating.SEATED
    )
    return slot


def play_game(during: InPlayQuestions = EVERYTHING, days: int = 1, **settings: Any) -> Game:
    """Play a game in which seat 2 rates once, then reports no change and misses the last form."""
    fixed = {"election": False, "sheriff_seat": SHERIFF, "max_rounds": days}
    chosen = {**fixed, **settings_for_questions(during, "sheriff"), **settings}
    game = new_game(PERSON, ruleset="sheriff", settings=chosen)
    has_rated = False
    while windows := selectors.open_windows(game):
        for seat, window in [(s, o.window) for o in windows for s in o.missing]:
            if window.kind == ROLE_GUESS_KIND and ".vote" in window.key:
                locked_game.record_answer(game.pk, seat, window.key, NOTHING, labels=["timeout"])
            else:
                action = (
                    rate()
                    if has_rated and window.kind == ROLE_GUESS_KIND
                    else choose_action(window, seat)
                )
                has_rated = has_rated or window.kind == ROLE_GUESS_KIND
                locked_game.record_answer(game.pk, seat, window.key, action)
    game.refresh_from_db()
    return game


def choose_action(window: Window, seat: int) -> Action:
    if window.kind == ROLE_GUESS_KIND:
        return rate(Rating(SHERIFF, "werewolf", 9), Rating(7, "seer", 6))
    if window.kind in ("pseudo_vote", "vote") and seat == PERSON:
        target = 1 if window.kind == "pseudo_vote" else 7
        return Action("pick", text=WHY if window.legal.max_reason_words else "", targets=(target,))  # type: ignore[attr-defined]
    if window.kind == "vote" and seat == SHERIFF:
        return pick(7)
    if window.kind in ("attack", "divination", "protection"):
        return pick(*window.options_for(seat)[:1]) if window.kind == "divination" else pick(seat)
    return calm(window, seat)
