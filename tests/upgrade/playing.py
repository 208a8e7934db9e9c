"""Games that go on in one thread: the sweeper, a worker, people at browsers, and a clock of ours.

The agents' work takes the way it takes in play: the news of a game, the queue's tasks, `fill`. Only
the queue is a list here, and time passes when nobody has anything to do.
"""

from __future__ import annotations

import html
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from game import selectors
from game.models import Game, Player
from game.selectors import OpenWindow
from webapp.play import tasks, visitors
from webapp.play.live import dispatch, sweeper
from webapp.play.live.notifier import Notifier
from webapp.play.models import Desk, Table

STEP = timedelta(seconds=4)  # less than what counts as time that nobody kept
ENOUGH = 5000  # steps in which any game comes to its end


class Person:
    """Somebody at a browser of their own."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.client = Client()

    @property
    def visitor(self) -> uuid.UUID:
        """By which the site knows this browser, from now on."""
        session = self.client.session
        if visitors.KEY not in session:
            session[visitors.KEY] = uuid.uuid4().hex
            session.save()
        return uuid.UUID(session[visitors.KEY])

    def get(self, address: str, **headers: str) -> HttpResponse:
        return self.client.get(address, headers=headers)

    def page(self, address: str) -> str:
        """A page, as `read` has it."""
        return read(self.client, address)

    def post(self, address: str, **data: Any) -> HttpResponse:
        """A form that is taken, or AssertionError."""
        answer = self.client.post(address, data)
        assert answer.status_code < 400, answer.content.decode()[:3000]
        return answer

    def sit_down_again(self, player: Player) -> None:
        """Come back to one's seat by the private link."""
        self.post(f"/seat/{Desk.objects.get(player=player).key}/")

    def join(self, game: Game) -> None:
        """Come by the invitation, under one's name."""
        table = Table.objects.get(game=game)
        told = "research" if table.research else ""  # what the page says of the table
        self.post(f"/join/{table.invitation}/", name=self.name, told=told)

    def act(self, game: Game, do: str, **more: str) -> None:
        self.post(f"/games/{game.code}/act", do=do, **more)

    def say(self, game: Game, window: OpenWindow, text: str) -> None:
        self._answer(game, window, text=text)

    def pick(self, game: Game, window: OpenWindow, *targets: int | str) -> None:
        self._answer(game, window, target=targets)

    def _answer(self, game: Game, window: OpenWindow, **data: Any) -> None:
        address = f"/games/{game.code}/answer"
        self.post(address, window=window.window.key, post=str(uuid.uuid4()), **data)


def read(client: Client, address: str) -> str:
    """A page with its characters as they read. AssertionError where it is refused."""
    answer = client.get(address)
    assert answer.status_code == 200, f"{address}: {answer.content.decode()[:2000]}"
    return html.unescape(answer.content.decode())


def people_of(game: Game) -> dict[int, Person]:
    """seat -> who sits there, come back in another browser; without those who have left."""
    seats = Player.objects.filter(game=game, kind=Player.PERSON, left_at=None)
    found = {player.seat: Person(player.name) for player in seats}
    for player in seats:
        found[player.seat].sit_down_again(player)
    return found


def host_of(game: Game) -> int:
    """The host's seat."""
    return Player.objects.filter(game=game, membership__host=True).distinct().get().seat


def is_open(game: Game, key: str) -> bool:
    return any(o.window.key == key for o in selectors.open_windows(game))


def anything(who: Person, game: Game, window: OpenWindow, seat: int) -> bool:
    """Answer whatever is asked."""
    if window.window.legal.name == "speech":
        who.say(game, window, f"Seat {seat} has the word in {window.window.key}, and no news.")
    else:
        options = window.window.options_for(seat)
        who.pick(game, window, *options[: window.window.legal.count])
    return True


# What a person does who is asked; False: nothing, for now.
Doing = Callable[[OpenWindow, int], bool]


class World:
    """Sweeper, worker and people, in turn."""

    def __init__(self, begins: datetime) -> None:
        self.now = begins
        self.work: deque[tuple[Any, tuple[Any, ...]]] = deque()
        self.sweeper = sweeper.Sweeper()
        self.before: Callable[[int, int, str], bool] = lambda game, seat, key: True

    @contextmanager
    def running(self) -> Iterator[World]:
        """The process's clock and queue are this world's."""
        with ExitStack() as stack:
            stack.enter_context(mock.patch.object(timezone, "now", self._clock))
            stack.enter_context(mock.patch.object(sweeper, "LOST_WORK_INTERVAL_S", 0.0))
            for task in (tasks.fill, tasks.prepare):
                queue = self._queue(task)
                stack.enter_context(mock.patch.object(task, "delay", queue))
            stack.enter_context(dispatch.diverted(Notifier._queue_work))
            yield self

    def _clock(self) -> datetime:
        return self.now

    def _queue(self, task: Any) -> Callable[..., None]:
        return lambda *arguments: self.work.append((task, arguments))

    def go_on(self, game: Game, doing: Doing, until: Callable[[], bool] | None = None) -> None:
        """Until `until` says so, or else until the game is over. AssertionError if it never is."""
        swept = False
        for _ in range(ENOUGH):
            game.refresh_from_db()
            if until() if until else game.ended_at:
                return
            if self._work_once():
                swept = False
            elif not swept:
                self.sweeper.sweep()
                swept = True
            else:
                if not self._ask(game, doing):
                    self.now += STEP
                swept = False
        raise AssertionError(f"{game} does not go on: {selectors.open_windows(game)}")

    def _work_once(self) -> bool:
        """Do the oldest task there is; `before` may refuse one, which is then lost."""
        if not self.work:
            return False
        task, (game_id, seat, key) = self.work.popleft()
        if self.before(game_id, seat, key):
            task(game_id, seat, key)
        return True

    def _ask(self, game: Game, doing: Doing) -> bool:
        """Let the first person who is asked, and does something, do it."""
        seats = {p.seat for p in game.players.all() if p.by_person}
        for found in selectors.open_windows(game):
            for seat in found.missing:
                if seat in seats and doing(found, seat):
                    return True
        return False
