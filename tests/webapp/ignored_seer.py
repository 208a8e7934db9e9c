"""A finished game whose vote ignored the Seer's true statement."""

from __future__ import annotations

from collections.abc import Callable

from game import locked_game, selectors
from game.cached_games import OpenWindow
from game.engine.events import Action, pick, say
from game.models import Game
from tests.game.table import any_answer, new_game
from webapp.play.models import Table

Hand = Callable[[OpenWindow, int], Action]


def play_with_answers(hand: Hand, **choices: object) -> Game:
    game = new_game(1, **choices)  # type: ignore[arg-type]
    Table.objects.create(game=game)
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                locked_game.record_answer(game.pk, seat, window.window.key, hand(window, seat))
    game.refresh_from_db()
    return game


def answer_as_ignored_seer(game_roles: dict[int, str], window: OpenWindow, seat: int) -> Action:
    """The Seer finds the Werewolf and says so. The vote exiles a Mason, four votes to three."""
    (wolf,) = (s for s, role in game_roles.items() if role == "werewolf")
    mason, other_mason = (s for s, role in game_roles.items() if role == "mason")
    kind = window.window.kind
    if game_roles[seat] == "seer" and kind == "statement":
        names = {s: seat_name(s) for s in (wolf, other_mason)}
        look_claim = f"I looked at {names[wolf]} and {names[other_mason]}"
        return say(f"I am the Seer. {look_claim}, and the Werewolf is one of them.")
    if kind == "statement":
        return say("Nothing from me.")
    if kind == "vote":
        followers = sorted(s for s in game_roles if s != wolf)[:3]
        other_target = mason if seat != mason else other_mason
        return pick(wolf if seat in followers else other_target)
    if game_roles[seat] == "seer" and kind == "divination":
        return pick(wolf, other_mason)
    return any_answer(window, seat)


def seat_name(seat: int) -> str:
    return ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")[seat - 1]


def play_game_with_ignored_seer(**choices: object) -> Game:
    """Play a game in which the vote ignores the Seer's true statement."""
    roles = roles_of(new_game(1))
    return play_with_answers(
        lambda window, seat: answer_as_ignored_seer(roles, window, seat), **choices
    )


def roles_of(game: Game) -> dict[int, str]:
    deal_events = game.events.filter(kind="role_dealt")
    return {e.data["seat"]: e.data["role"] for e in deal_events}
