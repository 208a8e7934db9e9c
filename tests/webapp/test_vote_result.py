"""Tests of the result texts, which fit the winner, the reason and the reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from game import locked_game, selectors
from game.engine import visibility
from game.engine.events import Event, pick
from game.models import Game
from tests.game.table import new_game, open_window, play_until
from webapp.play.page.ending import End, build_vote_reveal, deciding_vote_events, headline_for
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db

SEATS = tuple(range(1, 9))


def play_with_votes_for(first_role: str, *other_roles: str) -> tuple[Game, dict[int, str]]:
    """Play a game of people who vote for the holders of these roles in equal numbers.

    Returns: the game, and the role of each seat.
    """
    game = new_game(*SEATS, seed="verdicts")
    play_until(game, "vote")
    roles = selectors.view_for(game, visibility.MODERATOR).state.roles
    vote = open_window(game, "vote")
    seats = [next(s for s in SEATS if roles[s] == role) for role in (first_role, *other_roles)]
    for number, seat in enumerate(SEATS):
        preferred = seats[number % len(seats)]
        target = (
            preferred if preferred != seat else next(s for s in SEATS if s not in (*seats, seat))
        )
        locked_game.record_answer(game.pk, seat, vote.window.key, pick(target))
    game.refresh_from_db()
    assert game.ended_at
    return game, roles


def end_for(game: Game, seat: int) -> End:
    player = game.players.filter(seat=seat).first()
    end = Page(Guest(game, player)).end
    assert end
    return end


def result_texts(role: str) -> dict[str, tuple[str, str]]:
    """Return (headline, spoken result) by role and for a spectator (""), if `role` is out."""
    game, roles = play_with_votes_for(role)
    texts = {roles[s]: (end_for(game, s).headline, end_for(game, s).announcement) for s in SEATS}
    spectator_end = end_for(game, 0)
    return {**texts, "": (spectator_end.headline, spectator_end.announcement)}


def test_result_texts_when_the_werewolf_is_out() -> None:
    texts = result_texts("werewolf")
    assert texts["werewolf"] == ("The vote found you: the village wins.", "You lost.")
    assert texts["seer"] == ("The vote found the Werewolf: the village wins.", "You won.")
    assert texts["minion"] == ("The vote found the Werewolf: the village wins.", "You lost.")
    assert texts[""] == ("The village wins.", "")


def test_result_texts_when_a_villager_is_out() -> None:
    texts = result_texts("seer")
    assert texts["werewolf"] == ("The vote missed you: the werewolf team wins.", "You won.")
    assert texts["minion"] == ("The vote missed the Werewolf: the werewolf team wins.", "You won.")
    assert texts["seer"] == (
        "You are out, and the Werewolf is not: the werewolf team wins.",
        "You lost.",
    )
    assert texts["tanner"] == ("The vote missed the Werewolf: the werewolf team wins.", "You lost.")


def test_result_texts_when_the_minion_is_out() -> None:
    headline = "You are out instead of the Werewolf: the werewolf team wins."
    assert result_texts("minion")["minion"] == (headline, "You won.")


def test_result_texts_when_the_tanner_is_out() -> None:
    texts = result_texts("tanner")
    assert texts["tanner"] == ("They voted you out, as you wanted: the Tanner wins.", "You won.")
    name, outcome = texts["villager"][0].split(" wanted to be voted out: ")
    assert name in ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
    assert (outcome, texts["villager"][1]) == ("the Tanner wins.", "You lost.")


def test_tie_is_explained() -> None:
    game, _roles = play_with_votes_for("seer", "minion")
    reveal = end_for(game, 1).vote_reveal
    assert reveal
    assert "There is a tie between" in reveal.tie
    assert sorted(order for b in reveal.ballots for order, _voter in b.voters) == list(range(8))
    assert reveal.out == f"{game.players.get(seat=reveal.seats_out[0]).name} is out."
    assert reveal.role.startswith(reveal.out.split()[0])


def view_with_other_rules(
    game: Game, seat: int, kinds: Iterable[str], **changes: str
) -> visibility.View:
    """Return the seat's view of a log as other rules might have written it."""
    view = selectors.view_for(game, visibility.seat(seat))
    events = [_update_game_over(e, changes) for e in view.events if e.kind in kinds]
    numbered = list(enumerate(events, 1))
    positions = {kind: tuple(n for n, e in numbered if e.kind == kind) for kind in kinds}
    return replace(view, events=tuple(events), positions_by_kind=positions)


def _update_game_over(event: Event, changes: dict[str, str]) -> Event:
    return replace(event, data={**event.data, **changes}) if event.kind == "game_over" else event


def test_result_texts_when_nobody_is_out_or_the_reason_is_unknown() -> None:
    game, roles = play_with_votes_for("seer")
    seer = next(s for s in SEATS if roles[s] == "seer")
    undecided = view_with_other_rules(game, seer, ("vote", "game_over"))
    assert (
        headline_for(undecided, undecided.events[-1], deciding_vote_events(undecided))
        == "No one is out: the werewolf team wins."
    )
    seats = {s.number: s for s in Page(Guest(game, game.players.get(seat=seer))).seats}
    reveal = build_vote_reveal(undecided, seats, deciding_vote_events(undecided))
    assert reveal
    assert (reveal.out, reveal.role) == ("No one is out.", "")
    other_reason = view_with_other_rules(
        game, seer, ("vote", "out", "game_over"), reason="werewolf_out", winner=""
    )
    assert (
        headline_for(other_reason, other_reason.events[-1], deciding_vote_events(other_reason))
        == "You were voted out: no one wins."
    )
    night_view = view_with_other_rules(game, seer, ("game_over",))
    assert (
        headline_for(night_view, night_view.events[-1], deciding_vote_events(night_view))
        == "The werewolf team wins."
    )
    assert build_vote_reveal(night_view, seats, deciding_vote_events(night_view)) is None


def test_vote_can_be_changed_until_the_last_vote() -> None:
    """A voter at a blind table does not learn that theirs is the last vote."""
    for blind in (False, True):
        game = new_game(*SEATS, seed="verdicts", settings={"blind": blind})
        play_until(game, "vote")
        vote = open_window(game, "vote")
        own_seat, *other_seats = SEATS
        for number, seat in enumerate((*other_seats, own_seat)):
            game.refresh_from_db()
            choice = Page(Guest(game, game.players.get(seat=own_seat))).choice
            assert choice
            is_last = seat == own_seat and not blind
            assert ("You can change your vote until everyone has voted." in choice.help) != is_last
            assert ("You cannot change yours" in choice.help) == is_last, number
            if seat != own_seat:
                locked_game.record_answer(game.pk, seat, vote.window.key, pick(own_seat))
