"""What is asked of the database, statement by statement: exact, and without a clock.

A process caches games (`game.cached_games`), so nothing is read twice. Where a number here
goes up, somebody asks for what is there already; where one goes down, lower it here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.test import Client

from game import services
from game.engine import rulesets
from game.engine.forms import say
from game.models import Game, Player
from tests.asked_queries import asked
from tests.game.table import answer, new_game, open_window, play_until
from tests.study import rating
from webapp.play.claim_reading import read_new_statements
from webapp.play.live.broadcaster import Broadcaster, OpenPage
from webapp.play.models import ClaimsSheet, Desk, Membership, Table
from webapp.play.turns import answering

pytestmark = pytest.mark.django_db(transaction=True)


def agents_game(kind: str, method: str = "baseline", *people: int) -> Game:
    plans = [
        services.SeatPlan(Player.PERSON)
        if seat in people
        else services.SeatPlan(Player.AGENT, {"backend": "house", "method": method})
        for seat in range(1, 9)
    ]
    game = services.create("one-night", plans, seed="1", pace="none")
    play_until(game, kind)
    return game


def test_an_answer_that_completes_nothing() -> None:
    game = agents_game("vote")
    vote = open_window(game, "vote").window.key
    with asked() as found:
        answering.answer_window(game.pk, 3, vote, use_lease=False)
    assert found == {
        "SELECT game_game": 1,
        "SELECT play_mindnote": 1,
        "INSERT game_answer": 1,
        "INSERT game_window": 1,
        "UPDATE game_game": 1,
        "INSERT play_llmcall": 1,
        "INSERT play_mindnote": 1,
    }


def test_an_answer_that_completes_a_window() -> None:
    game = agents_game("statement")
    turn = open_window(game, "statement")
    with asked() as found:
        answering.answer_window(game.pk, turn.asked[0], turn.window.key, use_lease=False)
    assert found == {
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


def test_a_preparation() -> None:
    game = agents_game("statement", "full")
    first = open_window(game, "statement").window.key
    with asked() as found:
        answering.prepare_round(game.pk, 5, first)
    assert found == {
        "SELECT game_game": 2,
        "SELECT game_window": 1,
        "INSERT play_lease": 1,
        "SELECT play_mindnote": 1,
        "INSERT play_llmcall": 1,
        "INSERT play_mindnote": 1,
        "DELETE play_lease": 1,
    }


def seated(game: Game, *seats: int) -> list[OpenPage]:
    """Their open pages, which have just told where they stand."""
    Table.objects.get_or_create(game=game)
    found = []
    for player in Player.objects.filter(game=game, seat__in=seats):
        visitor = uuid.uuid4()
        Membership.objects.create(visitor=visitor, game=game, player=player)
        Desk.objects.create(player=player)
        found.append(OpenPage(visitor, None, None, restart=0))  # type: ignore[arg-type]
    return found


def test_a_page(sit: Callable[[Game, int | None], Client]) -> None:
    game = agents_game("statement", "baseline", 4)
    client = sit(game, 4)
    client.get(f"/games/{game.code}/")
    with asked() as found:
        assert client.get(f"/games/{game.code}/").status_code == 200
    assert found == {
        "SELECT django_session": 1,
        "SELECT game_game": 2,
        "SELECT play_membership": 1,
        "SELECT play_table": 2,
        "SELECT game_player": 3,
        "SELECT play_desk": 1,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 1,
    }


def test_a_push_to_eight_viewers() -> None:
    game = agents_game("vote", "baseline", *range(1, 9))
    members = seated(game, *range(1, 9))
    made = object.__new__(Broadcaster)
    made.game_id, made._change_key, made._presence_noted_at = game.pk, (), 0.0
    with asked() as found:
        assert len(made._poll(members)) == 8
    assert found == {
        "SELECT game_game": 1,
        "SELECT play_membership": 1,
        "UPDATE play_desk": 1,
        "SELECT play_table": 3,
        "SELECT game_player": 2,
        "SELECT play_desk": 2,
        "SELECT play_mindnote": 1,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 2,
    }
    made._presence_noted_at = float("inf")  # that their pages are open need not be noted again
    window = open_window(game, "vote").window.key
    services.answer(game.pk, 3, window, {"targets": [2]}, is_agent=False)
    with asked() as found:
        assert made._poll(members)
    assert found == {
        "SELECT game_game": 1,
        "SELECT play_membership": 1,
        "SELECT play_table": 1,
        "SELECT game_player": 1,
        "SELECT play_desk": 1,
        "SELECT play_mindnote": 1,
        "SELECT play_report": 1,
        "SELECT play_claimssheet": 1,
    }
    with asked() as found:
        assert not made._poll(members)
    assert found == {
        "SELECT game_game": 1,
        "SELECT play_claimssheet": 1,
        "SELECT play_membership": 1,
        "SELECT play_table": 1,
        "SELECT game_player": 1,
        "SELECT play_desk": 1,
    }


def test_a_vote_that_a_page_posts(sit: Callable[[Game, int | None], Client]) -> None:
    game = agents_game("vote", "baseline", 4)
    client = sit(game, 4)
    client.get(f"/games/{game.code}/")
    vote = {"window": open_window(game, "vote").window.key, "target": 2, "post": uuid.uuid4()}
    with asked() as found:
        answer = client.post(
            f"/games/{game.code}/answer", {**vote, "cursor": 5}, headers={"HX-Request": "true"}
        )
    assert answer.status_code == 200
    assert found == {
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


def test_the_save_of_a_rating() -> None:
    client, rater = rating.enrolled(rating.opened("1", units_per_rater=3, repeats=0))
    first = rating.way(rater)[0]
    assert client.get(rating.item(first)).status_code == 200
    with asked() as found:
        assert rating.rate(client, first, 2).status_code == 200
    assert found == {
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


def contest_game(ruleset: str) -> Game:
    """A game of people alone at its first statement, with a sheet of claims."""
    seats = range(1, 1 + len(rulesets.get(ruleset).deck))
    game = new_game(*seats, ruleset=ruleset, seed=SEED)
    Table.objects.create(game=game)
    ClaimsSheet.objects.create(game=game)
    play_until(game, "statement")
    return game


def speak(game: Game) -> None:
    window = open_window(game, "statement")
    services.answer(game.pk, window.missing[0], window.window.key, say("I am the Seer."))


def vote_last(game: Game) -> None:
    """Give the vote that completes the ballot, as the votes before were given."""
    window = open_window(game, "vote")
    answer(game, window.missing[0], window)


def prepare_vote(game: Game) -> None:
    play_until(game, "vote")
    while len(open_window(game, "vote").missing) > 1:
        vote_last(game)


def push(game: Game) -> None:
    made = object.__new__(Broadcaster)
    made.game_id, made._change_key, made._presence_noted_at = game.pk, (), float("inf")
    members = seated_members[game.pk]
    assert len(made._poll(members)) == len(members)


seated_members: dict[int, list[OpenPage]] = {}


def sit_everybody(game: Game) -> None:
    seated_members[game.pk] = seated(game, *(p.seat for p in game.players.all()))


@pytest.mark.parametrize(
    ("prepare", "move"),
    [
        (lambda game: None, speak),
        (prepare_vote, vote_last),
        (speak, lambda game: read_new_statements(game.pk)),
        (sit_everybody, push),
    ],
    ids=["a statement", "the last vote", "the reading of claims", "a push to all"],
)
def test_what_is_asked_does_not_grow_with_the_seats(
    prepare: Callable[[Game], object], move: Callable[[Game], object]
) -> None:
    counts = []
    # The first game fills what a process keeps, so it is not counted.
    for ruleset in ("aiwolf-5", "aiwolf-5", "aiwolf-13"):
        game = contest_game(ruleset)
        prepare(game)
        with asked() as found:
            move(game)
        counts.append(found)
    assert counts[1] == counts[2]
