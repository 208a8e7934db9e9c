"""Play the games of a packed database, each to another state. Only `make.py` uses this."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from unittest import mock

from agents.backends.openai import OpenAIBackend
from game import services
from game.cached_games import OpenWindow
from game.engine.seeded_random import SeededRandom
from game.models import Game, Player
from tests.endpoint import Call, Endpoint
from tests.upgrade.playing import Person, World, answer_anything, host_of, is_open
from webapp.play import tasks
from webapp.play.models import Table
from webapp.play.tables import opening

MODEL, HOUSE = {"backend": "openai"}, {"backend": "house"}
LONG = " ".join(["I have more to say than the table wants to hear."] * 14)
Faults = Mapping[tuple[str, int], Callable[[Endpoint], None]]


def play_finished(world: World, endpoint: Endpoint) -> dict[str, Game]:
    """Play the finished games."""
    return {
        "models": play_models(world, endpoint),
        "people": play_people(world, endpoint),
        "blind": play_blind(world),
    }


def play_unfinished(world: World) -> dict[str, Game]:
    """Play the unfinished games. The running one is last, so that its clock stands still."""
    return {
        "gathering": open_gathering(),
        "paused": play_paused(world),
        "voting": play_voting(world),
        "running": play_running(world),
    }


def seats_of(seed: str) -> list[int]:
    """Return the seats in order: the host's, those of guests, those of agents."""
    return [at + 1 for at in SeededRandom(seed).shuffled("who sits where", range(8))]


def cast(seats: list[int], backend: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {str(seat): backend for seat in seats}


def only(game: Game, world: World, faults: Faults, endpoint: Endpoint | None = None) -> None:
    """Restrict the worker to this game, and prepare faults before their (window, seat)."""
    pending = dict(faults)

    def allow_work(game_id: int, seat: int, key: str) -> bool:
        if game_id == game.pk and (key, seat) in pending and endpoint:
            pending.pop((key, seat))(endpoint)
        return game_id == game.pk

    world.before = allow_work


def play_models(world: World, endpoint: Endpoint) -> Game:
    """Play a watched game of five models and three house players.

    One model answer is repaired, one is shortened, two answers and one preparation fail.
    """
    seed = "upgrade/models"
    game = opening.open_table(
        Person().visitor,
        opening.TableOptions(
            mode="watch",
            pace="none",
            allow_spectators=True,
            faces=Table.ALL,
            seed=seed,
            backend="openai",
            method="full",
            casting=cast([3, 6, 8], HOUSE),
        ),
    )
    faults: Faults = {
        ("statement.1.1.2", 2): lambda e: e.fail("half_json"),
        ("statement.1.2.1", 7): lambda e: e.fail("broken_answer"),  # fault of its preparation
        ("statement.1.2.4", 4): lambda e: e.fail("refusal", times=2),
        ("statement.1.3.5", 5): lambda e: e.say(json.dumps({"statement": LONG})),
        ("vote.1.0", 1): lambda e: e.fail("illegal_name", times=2),
    }
    only(game, world, faults, endpoint)
    world.go_on(game, lambda *_: False)
    return game


def play_people(world: World, endpoint: Endpoint) -> Game:
    """Play a game of Anna, Ben and Cleo among house players.

    Ben leaves, and a model stands in, whose first statement is shortened. Cleo misses a turn and
    reports Ben's statement, which Anna removes.
    """
    seed = "upgrade/people"
    anna, ben, cleo = Person("Anna"), Person("Ben"), Person("Cleo")
    guests = seats_of(seed)[1:3]
    game = opening.open_table(
        anna.visitor,
        opening.TableOptions(
            guests=2,
            pace="natural",
            settings={"poll_people": True},
            allow_research=True,
            allow_spectators=True,
            seed=seed,
            casting=cast(guests, MODEL),
        ),
    )
    anna.act(game, "name", name="Anna")
    ben.join(game)
    cleo.join(game)
    people_by_seat = people_by_seats(game, anna, ben, cleo)
    anna.act(game, "start")
    ben_seat = seat_of(game, "Ben")

    def answer_person(window: OpenWindow, seat: int) -> bool:
        person, round_ = people_by_seat[seat], window.window.key.split(".")[2:3]
        if window.window.kind == "statement" and (person, round_) == (ben, ["2"]):
            ben.act(game, "leave")
            return True
        is_missed = window.window.kind == "statement" and (person, round_) == (cleo, ["3"])
        return not is_missed and answer_anything(person, game, window, seat)

    endpoint.say(json.dumps({"statement": LONG}), when=is_statement_request)
    only(game, world, {})
    world.go_on(game, answer_person)
    cleo.act(game, f"report:statement.1.1.{ben_seat}:{ben_seat}")
    anna.act(game, f"remove_words:statement.1.1.{ben_seat}:{ben_seat}")
    game.refresh_from_db()
    return game


def play_blind(world: World) -> Game:
    """Play a blind game of two people, not revealed."""
    host, guest = Person(), Person()
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(guests=1, pace="even", settings={"blind": True}, seed="upgrade/blind"),
    )
    guest.join(game)
    host.act(game, "start")
    return play_on(world, game, host, guest)


def play_on(
    world: World, game: Game, *people: Person, until: Callable[[], bool] | None = None
) -> Game:
    """Play on with arbitrary answers of people."""
    people_by_seat = people_by_seats(game, *people)
    only(game, world, {})
    world.go_on(
        game, lambda window, seat: answer_anything(people_by_seat[seat], game, window, seat), until
    )
    return game


def open_gathering() -> Game:
    """Open a gathering game with a host, a guest and an open seat."""
    host, guest = Person(), Person("Dora")
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(guests=2, allow_spectators=True, seed="upgrade/gathering"),
    )
    guest.join(game)
    return game


def play_paused(world: World) -> Game:
    """Play a game of two people, paused by the host in round 1."""
    host, guest = Person(), Person("Emil")
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(guests=1, seed="upgrade/paused", limits={"statement": 60}),
    )
    guest.join(game)
    host.act(game, "start")
    play_on(world, game, host, guest, until=lambda: is_open(game, "statement.1.1.5"))
    host.act(game, "pause")
    return game


def play_voting(world: World) -> Game:
    """Play a game of one person up to the vote, in which three agents have voted."""
    host = Person()
    game = opening.open_table(
        host.visitor, opening.TableOptions(pace="instant", seed="upgrade/voting")
    )
    play_on(world, game, host, until=lambda: is_open(game, "vote.1.0"))
    agents = game.players.filter(kind=Player.AGENT).values_list("seat", flat=True)
    for window, seats in (("poll.1.3", agents), ("vote.1.0", agents[:3])):
        for seat in seats:
            tasks.fill(game.pk, seat, window)
    return game


def play_running(world: World) -> Game:
    """Play a game of two people and two models up to the host's statement in round 2.

    In the poll of round 1 the worker was killed during the request of one model, and before the
    answer of the other was stored.
    """
    seed = "upgrade/running"
    host, guest = Person(), Person("Flora")
    first_model, second_model = seats_of(seed)[2:4]
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(
            guests=1, faces=Table.ALL, seed=seed, casting=cast([first_model, second_model], MODEL)
        ),
    )
    guest.join(game)
    host.act(game, "start")
    people_by_seat, host_seat = people_by_seats(game, host, guest), host_of(game)
    world.before = lambda game_id, seat, key: (
        game_id == game.pk and not (key == "poll.1.1" and seat in (first_model, second_model))
    )
    world.go_on(
        game,
        doing=lambda window, seat: answer_anything(people_by_seat[seat], game, window, seat),
        until=lambda: is_open(game, f"statement.1.2.{host_seat}"),
    )
    for owner, name in ((OpenAIBackend, "reply"), (services, "answer")):
        seat = first_model if name == "reply" else second_model
        kill = mock.patch.object(owner, name, side_effect=KeyboardInterrupt)
        with kill, suppress(KeyboardInterrupt):
            tasks.fill(game.pk, seat, "poll.1.1")
    host.post(f"/games/{game.code}/draft", text="I was going to say that")
    host.post(f"/games/{game.code}/note", seat="1", value="seer", text="claims it")
    return game


def is_statement_request(call: Call) -> bool:
    return bool(call.format.get("json_schema", {}).get("name") == "statement")


def people_by_seats(game: Game, *people: Person) -> dict[int, Person]:
    """Map seats to their persons."""
    return {Player.objects.get(membership__visitor=p.visitor, game=game).seat: p for p in people}


def seat_of(game: Game, name: str) -> int:
    return Player.objects.get(game=game, name=name).seat
