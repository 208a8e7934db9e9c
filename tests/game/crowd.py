"""Concurrent answers to one game, and concurrent visitors for few seats. Run by `tests.at_once`."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

from django.db import connection
from django.test import Client

from game import lobby, locked_game, store
from game.engine.events import pick, say
from game.engine.forms import Illegal
from game.models import Player
from tests.game.table import new_game, open_window, play_until
from webapp.play.models import Membership, Table

GUESTS = 40  # concurrent visitors of a race


def send_answer(game_id: int, seat: int, key: str, action: object, post: uuid.UUID) -> str:
    """Send an answer. Returns: "taken", "again", or the error code."""
    try:
        is_taken = locked_game.record_answer(game_id, seat, key, action, request_id=post)  # type: ignore[arg-type]
    except Illegal as illegal:
        return illegal.code
    finally:
        connection.close()
    return "taken" if is_taken else "again"


def accept_invitation(address: str) -> int:
    """Accept the invitation as a new visitor. Returns: the response status."""
    try:
        return Client(SERVER_NAME="localhost").post(address, {"name": ""}).status_code
    finally:
        connection.close()


def race(guests: int, seats: int) -> dict[str, object]:
    """Let `guests` visitors race for `seats` open seats of one game."""
    plans = [lobby.SeatPlan(Player.OPEN)] * seats + [lobby.SeatPlan(Player.AGENT)] * (8 - seats)
    game = lobby.create_game("one-night", plans, seed="race", should_gather=True)
    address = f"/join/{Table.objects.create(game=game).invitation}/"
    with ThreadPoolExecutor(guests) as pool:
        answers = list(pool.map(accept_invitation, [address] * guests))
    people = Player.objects.filter(game=game, kind=Player.PERSON)
    return {
        "answers": {str(status): answers.count(status) for status in sorted(set(answers))},
        "people": people.count(),
        "sittings": Membership.objects.filter(game=game).count(),
        "seats": len(set(Membership.objects.filter(game=game).values_list("player", flat=True))),
    }


def talk_and_vote() -> dict[str, object]:
    """Let eight people answer the same windows concurrently."""
    people = tuple(range(1, 9))
    game = new_game(*people)
    play_until(game, "statement")
    key, post = open_window(game, "statement").window.key, uuid.uuid4()
    with ThreadPoolExecutor(8) as pool:
        same_posts = [pool.submit(send_answer, game.pk, 1, key, say("Me."), post) for _ in range(6)]
        other_posts = [
            pool.submit(send_answer, game.pk, 1, key, say("Me too."), uuid.uuid4())
            for _ in range(2)
        ]
        talk = sorted(f.result() for f in [*same_posts, *other_posts])
        play_until(game, "vote")
        key = open_window(game, "vote").window.key
        votes = [
            pool.submit(send_answer, game.pk, seat, key, pick(seat % 8 + 1), uuid.uuid4())
            for seat in people
            for _ in range(2)
        ]
        ballot = [f.result() for f in votes]
    log = store.load_log(game)
    texts = [e["text"] for e in log if e.kind == "statement" and e["window"].endswith("1.1.1")]
    return {
        "talk": talk,
        "said": texts,
        "ballot": sorted(set(ballot)),
        "votes": [[e["seat"], *e["targets"]] for e in log if e.kind == "vote"],
        "over": sum(e.kind == "game_over" for e in log),
    }


def came_of_it() -> dict[str, object]:
    return {**talk_and_vote(), "last": race(GUESTS, 1), "few": race(GUESTS, 3)}
