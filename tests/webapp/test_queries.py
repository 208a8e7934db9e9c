"""Tests of the exact number of database queries, by statement and table.

A process caches games (`game.cached_games`), so nothing is read twice. A higher number here means
that something is read again that is cached already. Lower numbers here when they fall.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.test import Client

from game import lobby, locked_game
from game.engine import rulesets
from game.engine.events import say
from game.models import Game, Player
from tests.game.table import answer, new_game, open_window, play_until
from tests.query_counter import count_queries
from tests.study import rating
from webapp.play.claim_reading import read_new_statements
from webapp.play.live.broadcaster import Broadcaster, OpenPage
from webapp.play.models import ClaimsSheet, Desk, Membership, Table
from webapp.play.turns import answering

pytestmark = pytest.mark.django_db(transaction=True)


def play_agents_until(kind: str, method: str = "baseline", *people: int) -> Game:
    plans = [
        lobby.SeatPlan(Player.PERSON)
        if seat in people
        else lobby.SeatPlan(Player.AGENT, {"backend": "house", "method": method})
        for seat in range(1, 9)
    ]
    game = lobby.create_game("one-night", plans, seed="1", pace="none")
    play_until(game, kind)
    return game


def test_queries_of_an_answer_that_completes_nothing() -> None:
    game = play_agents_until("vote")
    vote = open_window(game, "vote").window.key
    with count_queries() as queries:
        answering.answer_window(game.pk, 3, vote, use_lease=False)
    assert queries == {
        "SELECT game_game": 1,
        "SELECT play_mindnote": 1,
        "INSERT game_answer": 1,
        "INSERT game_window": 1,
        "UPDATE game_game": 1,
        "INSERT play_llmcall": 1,
        "INSERT play_mindnote": 1,
    }


def test_queries_of_an_answer_that_completes_a_window() -> None:
    game = play_agents_until("statement")
    turn = open_window(game, "statement")
    with count_queries() as queries:
        answering.answer_window(game.pk, turn.asked[0], turn.window.key, use_lease=False)
    assert queries == {
        "SELECT game_game": 1,
        "SELECT play_mindnote": 1,
        "INSERT game_event": 1,
        "INSERT game_utterance": 1,
        "INSERT game_answer": 1,
        "INSERT game_window": 1,
        "UPDATE game_game": 1,
        "INSERT play_llmcall": 1,
        "INSERT play_mindnote": 1,
    }


def test_queries_of_a_preparation() -> None:
    game = play_agents_until("statement", "full")
    first = open_window(game, "statement").window.key
    with count_queries() as queries:
        answering.prepare_round(game.pk, 5, first)
    assert queries == {
        "SELECT game_game": 2,
        "SELECT game_window": 1,
        "INSERT play_lease": 1,
        "SELECT play_mindnote": 1,
        "INSERT play_llmcall": 1,
        "INSERT play_mindnote": 1,
        "DELETE play_lease": 1,
    }


def seat_with_open_pages(game: Game, *seats: int) -> list[OpenPage]:
    """Seat visitors and return their open pages, which have just reported their position."""
    Table.objects.get_or_create(game=game)
    open_pages = []
    for player in Player.objects.filter(game=game, seat__in=seats):
        visitor = uuid.uuid4()
        Membership.objects.create(visitor=visitor, game=game, player=player)
        Desk.objects.create(player=player)
        open_pages.append(OpenPage(visitor, None, None, new_cursor=0))  # type: ignore[arg-type]
    return open_pages


def test_queries_of_a_page(sit: Callable[[Game, int | None], Client]) -> None:
    game = play_agents_until("statement", "baseline", 4)
    client = sit(game, 4)
    client.get(f"/games/{game.code}/")
    with count_queries() as queries:
        assert client.get(f"/games/{game.code}/").status_code == 200
    assert queries == {
        "SELECT django_session": 1,
        "SELECT game_game": 2,
        "SELECT play_membership": 1,
        "SELECT play_table": 2,
        "SELECT game_player": 3,
        "SELECT play_desk": 1,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 1,
    }


def test_queries_of_a_push_to_eight_viewers() -> None:
    """Without a computer player no notes on favor are read."""
    game = play_agents_until("vote", "baseline", *range(1, 9))
    members = seat_with_open_pages(game, *range(1, 9))
    broadcaster = object.__new__(Broadcaster)
    broadcaster.game_id, broadcaster._change_key, broadcaster._presence_noted_at = game.pk, (), 0.0
    with count_queries() as queries:
        assert len(broadcaster._poll(members)) == 8
    assert queries == {
        "SELECT game_game": 1,
        "SELECT play_membership": 1,
        "UPDATE play_desk": 1,
        "SELECT play_table": 3,
        "SELECT game_player": 2,
        "SELECT play_desk": 2,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 2,
    }
    broadcaster._presence_noted_at = float("inf")  # presence is already noted
    window = open_window(game, "vote").window.key
    locked_game.record_answer(game.pk, 3, window, {"targets": [2]}, is_agent=False)
    with count_queries() as queries:
        assert broadcaster._poll(members)
    assert queries == {
        "SELECT game_game": 1,
        "SELECT play_membership": 1,
        "SELECT play_table": 1,
        "SELECT game_player": 1,
        "SELECT play_desk": 1,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 1,
    }
    with count_queries() as queries:
        assert not broadcaster._poll(members)
    assert queries == {
        "SELECT game_game": 1,
        "SELECT play_claimssheet": 1,
        "SELECT play_membership": 1,
        "SELECT play_table": 1,
        "SELECT game_player": 1,
        "SELECT play_desk": 1,
    }


def test_queries_of_a_posted_vote(sit: Callable[[Game, int | None], Client]) -> None:
    game = play_agents_until("vote", "baseline", 4)
    client = sit(game, 4)
    client.get(f"/games/{game.code}/")
    form = {"window": open_window(game, "vote").window.key, "target": 2, "post": uuid.uuid4()}
    with count_queries() as queries:
        response = client.post(
            f"/games/{game.code}/answer", {**form, "cursor": 5}, headers={"HX-Request": "true"}
        )
    assert response.status_code == 200
    assert queries == {
        "SELECT django_session": 1,
        "SELECT game_game": 4,
        "SELECT play_membership": 2,
        "INSERT game_answer": 1,
        "INSERT game_window": 1,
        "UPDATE game_game": 1,
        "SELECT play_table": 1,
        "SELECT game_player": 3,
        "SELECT play_desk": 1,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 1,
    }


def test_queries_of_a_saved_rating() -> None:
    client, rater = rating.enrol(rating.open_campaign("1", units_per_rater=3, repeats=0))
    first = rating.pages_of(rater)[0]
    assert client.get(rating.page_url(first)).status_code == 200
    with count_queries() as queries:
        assert rating.rate_page(client, first, 2).status_code == 200
    assert queries == {
        "SELECT django_session": 1,
        "SELECT study_campaign": 2,
        "SELECT study_assignment": 6,
        "SELECT study_unit": 1,
        "SELECT study_stimulus": 2,
        "SELECT study_rating": 1,
        "INSERT study_rating": 1,
        "UPDATE study_assignment": 2,
    }


SEED = "2"  # the first vote ends neither game


def start_contest_game(ruleset: str) -> Game:
    """Start a game of people only, at its first statement, with a claims sheet."""
    seats = range(1, 1 + len(rulesets.get(ruleset).deck))
    game = new_game(*seats, ruleset=ruleset, seed=SEED)
    Table.objects.create(game=game)
    ClaimsSheet.objects.create(game=game)
    play_until(game, "statement")
    return game


def make_statement(game: Game) -> None:
    window = open_window(game, "statement")
    locked_game.record_answer(game.pk, window.missing[0], window.window.key, say("I am the Seer."))


def cast_next_vote(game: Game) -> None:
    """Give the next vote of the ballot as the votes before."""
    window = open_window(game, "vote")
    answer(game, window.missing[0], window)


def play_to_last_vote(game: Game) -> None:
    play_until(game, "vote")
    while len(open_window(game, "vote").missing) > 1:
        cast_next_vote(game)


def push_to_all(game: Game) -> None:
    broadcaster = object.__new__(Broadcaster)
    broadcaster.game_id, broadcaster._change_key, broadcaster._presence_noted_at = (
        game.pk,
        (),
        float("inf"),
    )
    members = seated_members[game.pk]
    assert len(broadcaster._poll(members)) == len(members)


seated_members: dict[int, list[OpenPage]] = {}


def seat_everybody(game: Game) -> None:
    seated_members[game.pk] = seat_with_open_pages(game, *(p.seat for p in game.players.all()))


@pytest.mark.parametrize(
    ("prepare", "move"),
    [
        (lambda game: None, make_statement),
        (play_to_last_vote, cast_next_vote),
        (make_statement, lambda game: read_new_statements(game.pk)),
        (seat_everybody, push_to_all),
    ],
    ids=["a statement", "the last vote", "the reading of claims", "a push to all"],
)
def test_query_count_does_not_grow_with_the_seats(
    prepare: Callable[[Game], object], move: Callable[[Game], object]
) -> None:
    counts = []
    # The first game fills the process's caches, so it is not counted.
    for ruleset in ("aiwolf-5", "aiwolf-5", "aiwolf-13"):
        game = start_contest_game(ruleset)
        prepare(game)
        with count_queries() as queries:
            move(game)
        counts.append(queries)
    assert counts[1] == counts[2]
