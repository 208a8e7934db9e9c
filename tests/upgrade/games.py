"""The games of a packed database, each in a state of its own. Only `make.py` plays them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from unittest import mock

from agents.backends.openai import OpenAIBackend
from game import services
from game.engine.seeded_random import SeededRandom
from game.models import Game, Player
from game.selectors import OpenWindow
from tests.endpoint import Call, Endpoint
from tests.upgrade.playing import Person, World, anything, host_of, is_open
from webapp.play import tasks
from webapp.play.models import Table
from webapp.play.tables import opening

MODEL, HOUSE = {"backend": "openai"}, {"backend": "house"}
LONG = " ".join(["I have more to say than the table wants to hear."] * 14)
Faults = Mapping[tuple[str, int], Callable[[Endpoint], None]]


def finished(world: World, endpoint: Endpoint) -> dict[str, Game]:
    """The games that are over."""
    return {
        "models": of_models(world, endpoint),
        "people": of_people(world, endpoint),
        "blind": blind(world),
    }


def unfinished(world: World) -> dict[str, Game]:
    """The other ones.

    The running one is the last: its clock is not to run on while another is played.
    """
    return {
        "gathering": gathering(),
        "paused": paused(world),
        "voting": voting(world),
        "running": running(world),
    }


def seats_of(seed: str) -> list[int]:
    """The host's seat, then those of the guests as far as there are any, then computer players'."""
    return [at + 1 for at in SeededRandom(seed).shuffled("who sits where", range(8))]


def cast(seats: list[int], made: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {str(seat): made for seat in seats}


def only(game: Game, world: World, faults: Faults, endpoint: Endpoint | None = None) -> None:
    """The worker works for this game alone; before (window, seat) its fault is prepared."""
    left = dict(faults)

    def before(game_id: int, seat: int, key: str) -> bool:
        if game_id == game.pk and (key, seat) in left and endpoint:
            left.pop((key, seat))(endpoint)
        return game_id == game.pk

    world.before = before


def of_models(world: World, endpoint: Endpoint) -> Game:
    """Five models and three house players, watched.

    One answer of a model is mended, one is cut, two could not be had, nor one of its preparations.
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
        ("statement.1.2.1", 7): lambda e: e.fail("broken_answer"),  # of its preparation
        ("statement.1.2.4", 4): lambda e: e.fail("refusal", times=2),
        ("statement.1.3.5", 5): lambda e: e.say(json.dumps({"statement": LONG})),
        ("vote.1.0", 1): lambda e: e.fail("illegal_name", times=2),
    }
    only(game, world, faults, endpoint)
    world.go_on(game, lambda *_: False)
    return game


def of_people(world: World, endpoint: Endpoint) -> Game:
    """Anna, Ben and Cleo among house players.

    Ben leaves: a model stands in for him, whose first words are cut. Cleo misses a turn; she
    reports what Ben has said, and Anna takes it out.
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
    there = seated(game, anna, ben, cleo)
    anna.act(game, "start")
    left = seat_of(game, "Ben")

    def doing(window: OpenWindow, seat: int) -> bool:
        who, round_ = there[seat], window.window.key.split(".")[2:3]
        if window.window.kind == "statement" and (who, round_) == (ben, ["2"]):
            ben.act(game, "leave")
            return True
        missed = window.window.kind == "statement" and (who, round_) == (cleo, ["3"])
        return not missed and anything(who, game, window, seat)

    endpoint.say(json.dumps({"statement": LONG}), when=asks_for_words)
    only(game, world, {})
    world.go_on(game, doing)
    cleo.act(game, f"report:statement.1.1.{left}:{left}")
    anna.act(game, f"remove_words:statement.1.1.{left}:{left}")
    game.refresh_from_db()
    return game


def blind(world: World) -> Game:
    """Two people at a blind table, not revealed."""
    host, guest = Person(), Person()
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(guests=1, pace="even", settings={"blind": True}, seed="upgrade/blind"),
    )
    guest.join(game)
    host.act(game, "start")
    return played(world, game, host, guest)


def played(
    world: World, game: Game, *people: Person, until: Callable[[], bool] | None = None
) -> Game:
    """Play on, people answering anything."""
    there = seated(game, *people)
    only(game, world, {})
    world.go_on(game, lambda window, seat: anything(there[seat], game, window, seat), until)
    return game


def gathering() -> Game:
    """A host and a guest, and a seat still open."""
    host, guest = Person(), Person("Dora")
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(guests=2, allow_spectators=True, seed="upgrade/gathering"),
    )
    guest.join(game)
    return game


def paused(world: World) -> Game:
    """Two people, paused by the host in the first round."""
    host, guest = Person(), Person("Emil")
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(guests=1, seed="upgrade/paused", limits={"statement": 60}),
    )
    guest.join(game)
    host.act(game, "start")
    played(world, game, host, guest, until=lambda: is_open(game, "statement.1.1.5"))
    host.act(game, "pause")
    return game


def voting(world: World) -> Game:
    """One person; the vote is open, and three computer players have voted."""
    host = Person()
    game = opening.open_table(
        host.visitor, opening.TableOptions(pace="instant", seed="upgrade/voting")
    )
    played(world, game, host, until=lambda: is_open(game, "vote.1.0"))
    agents = game.players.filter(kind=Player.AGENT).values_list("seat", flat=True)
    for window, seats in (("poll.1.3", agents), ("vote.1.0", agents[:3])):
        for seat in seats:
            tasks.fill(game.pk, seat, window)
    return game


def running(world: World) -> Game:
    """Two people, the host about to speak in the second round; two of the seats are models'.

    The worker was killed while one model was asked in the first round's poll, and before the
    other's answer was stored.
    """
    seed = "upgrade/running"
    host, guest = Person(), Person("Flora")
    first, second = seats_of(seed)[2:4]
    game = opening.open_table(
        host.visitor,
        opening.TableOptions(
            guests=1, faces=Table.ALL, seed=seed, casting=cast([first, second], MODEL)
        ),
    )
    guest.join(game)
    host.act(game, "start")
    there, mine = seated(game, host, guest), host_of(game)
    world.before = lambda of, seat, key: (
        of == game.pk and not (key == "poll.1.1" and seat in (first, second))
    )
    world.go_on(
        game,
        doing=lambda window, seat: anything(there[seat], game, window, seat),
        until=lambda: is_open(game, f"statement.1.2.{mine}"),
    )
    for owner, name in ((OpenAIBackend, "reply"), (services, "answer")):
        seat = first if name == "reply" else second
        killed = mock.patch.object(owner, name, side_effect=KeyboardInterrupt)
        with killed, suppress(KeyboardInterrupt):
            tasks.fill(game.pk, seat, "poll.1.1")
    host.post(f"/games/{game.code}/draft", text="I was going to say that")
    host.post(f"/games/{game.code}/note", seat="1", value="seer", text="claims it")
    return game


def asks_for_words(call: Call) -> bool:
    return bool(call.format.get("json_schema", {}).get("name") == "statement")


def seated(game: Game, *people: Person) -> dict[int, Person]:
    """seat -> who sits there"""
    return {Player.objects.get(membership__visitor=p.visitor, game=game).seat: p for p in people}


def seat_of(game: Game, name: str) -> int:
    return Player.objects.get(game=game, name=name).seat
