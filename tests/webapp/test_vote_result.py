"""The end in words that fit the winner, the reason, and who reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from game import selectors, services
from game.engine import visibility
from game.engine.events import Event
from game.engine.forms import pick
from game.models import Game
from tests.game.table import new_game, open_window, play_until
from webapp.play.page.ending import End, build_telling, headline_for, last_vote
from webapp.play.page.page_builder import page_for
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db

ALL = tuple(range(1, 9))


def ended(on: str, *others: str) -> tuple[Game, dict[int, str]]:
    """A game of eight people who vote for the holders of these roles, equally often; the roles."""
    game = new_game(*ALL, seed="verdicts")
    play_until(game, "vote")
    roles = selectors.view_for(game, visibility.MODERATOR).state.roles
    vote = open_window(game, "vote")
    seats = [next(s for s in ALL if roles[s] == role) for role in (on, *others)]
    for number, seat in enumerate(ALL):
        wanted = seats[number % len(seats)]
        target = wanted if wanted != seat else next(s for s in ALL if s not in (*seats, seat))
        services.answer(game.pk, seat, vote.window.key, pick(target))
    game.refresh_from_db()
    assert game.ended_at
    return game, roles


def end_for(game: Game, seat: int) -> End:
    player = game.players.filter(seat=seat).first()
    end = page_for(Guest(game, player)).end
    assert end
    return end


def heads(on: str) -> dict[str, tuple[str, str]]:
    """Role -> (headline, what is said aloud), and "" for a watcher, where `on` is voted out."""
    game, roles = ended(on)
    found = {roles[s]: (end_for(game, s).headline, end_for(game, s).announcement) for s in ALL}
    watched = end_for(game, 0)
    return {**found, "": (watched.headline, watched.announcement)}


def test_the_werewolf_is_out() -> None:
    found = heads("werewolf")
    assert found["werewolf"] == ("The vote found you: the village wins.", "You lost.")
    assert found["seer"] == ("The vote found the Werewolf: the village wins.", "You won.")
    assert found["minion"] == ("The vote found the Werewolf: the village wins.", "You lost.")
    assert found[""] == ("The village wins.", "")


def test_somebody_of_the_village_is_out() -> None:
    found = heads("seer")
    assert found["werewolf"] == ("The vote missed you: the werewolf team wins.", "You won.")
    assert found["minion"] == ("The vote missed the Werewolf: the werewolf team wins.", "You won.")
    assert found["seer"] == (
        "You are out, and the Werewolf is not: the werewolf team wins.",
        "You lost.",
    )
    assert found["tanner"] == ("The vote missed the Werewolf: the werewolf team wins.", "You lost.")


def test_the_minion_is_out() -> None:
    said = "You are out instead of the Werewolf: the werewolf team wins."
    assert heads("minion")["minion"] == (said, "You won.")


def test_the_tanner_is_out() -> None:
    found = heads("tanner")
    assert found["tanner"] == ("They voted you out, as you wanted: the Tanner wins.", "You won.")
    name, said = found["villager"][0].split(" wanted to be voted out: ")
    assert name in ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
    assert (said, found["villager"][1]) == ("the Tanner wins.", "You lost.")


def test_a_tie_is_told() -> None:
    game, _roles = ended("seer", "minion")
    telling = end_for(game, 1).telling
    assert telling
    assert "There is a tie between" in telling.tie
    assert sorted(place for b in telling.ballots for place, _voter in b.voters) == list(range(8))
    assert telling.out == f"{game.players.get(seat=telling.seats_out[0]).name} is out."
    assert telling.was.startswith(telling.out.split()[0])


def changed(game: Game, seat: int, kept: Iterable[str], **over: str) -> visibility.View:
    """The seat's view of a log that other rules might have written."""
    view = selectors.view_for(game, visibility.seat(seat))
    events = [_with(e, over) for e in view.events if e.kind in kept]
    numbered = list(enumerate(events, 1))
    places = {kind: tuple(n for n, e in numbered if e.kind == kind) for kind in kept}
    return replace(view, events=tuple(events), positions_by_kind=places)


def _with(event: Event, over: dict[str, str]) -> Event:
    return replace(event, data={**event.data, **over}) if event.kind == "game_over" else event


def test_nobody_is_out_and_a_case_without_words_of_its_own() -> None:
    game, roles = ended("seer")
    seer = next(s for s in ALL if roles[s] == "seer")
    nobody = changed(game, seer, ("vote", "game_over"))
    assert (
        headline_for(nobody, nobody.events[-1], last_vote(nobody))
        == "No one is out: the werewolf team wins."
    )
    seats = {s.number: s for s in page_for(Guest(game, game.players.get(seat=seer))).seats}
    telling = build_telling(nobody, seats, last_vote(nobody))
    assert telling
    assert (telling.out, telling.was) == ("No one is out.", "")
    other = changed(game, seer, ("vote", "out", "game_over"), reason="werewolf_out", winner="")
    assert (
        headline_for(other, other.events[-1], last_vote(other))
        == "You were voted out: no one wins."
    )
    at_night = changed(game, seer, ("game_over",))
    assert (
        headline_for(at_night, at_night.events[-1], last_vote(at_night))
        == "The werewolf team wins."
    )
    assert build_telling(at_night, seats, last_vote(at_night)) is None


def test_a_vote_can_be_changed_until_the_last_is_cast() -> None:
    """Nobody at a blind table learns that theirs is the last."""
    for blind in (False, True):
        game = new_game(*ALL, seed="verdicts", settings={"blind": blind})
        play_until(game, "vote")
        vote = open_window(game, "vote")
        me, *others = ALL
        for number, seat in enumerate((*others, me)):
            game.refresh_from_db()
            choice = page_for(Guest(game, game.players.get(seat=me))).choice
            assert choice
            is_last = seat == me and not blind
            assert ("You can change your vote until everyone has voted." in choice.help) != is_last
            assert ("You cannot change yours" in choice.help) == is_last, number
            if seat != me:
                services.answer(game.pk, seat, vote.window.key, pick(me))
