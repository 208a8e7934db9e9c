"""Play games in one thread, with the sweeper, a worker, people's browsers and a fake clock.

Agents work as in play: notifications, queued tasks, `fill`. Only the queue is a list here, and time
passes when there is nothing to do.
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
from game.cached_games import OpenWindow
from game.models import Game, Player
from webapp.play import tasks, visitors
from webapp.play.live import notifier, sweeper
from webapp.play.live.notifier import Notifier
from webapp.play.models import Desk

STEP = timedelta(seconds=4)  # less than the gap that counts as lost time
MAX_STEPS = 5000  # steps within which any game ends


class Person:
    """A person with a browser."""

    def __init__(self) -> None:
        self.client = Client()

    @property
    def visitor(self) -> uuid.UUID:
        """The site's id of this browser, created on first use."""
        session = self.client.session
        if visitors.VISITOR_KEY not in session:
            session[visitors.VISITOR_KEY] = uuid.uuid4().hex
            session.save()
        return uuid.UUID(session[visitors.VISITOR_KEY])

    def get(self, address: str, **headers: str) -> HttpResponse:
        return self.client.get(address, headers=headers)

    def page(self, address: str) -> str:
        """Return the text of a page."""
        return read(self.client, address)

    def post(self, address: str, **data: Any) -> HttpResponse:
        """Send a form, which must be accepted."""
        answer = self.client.post(address, data)
        assert answer.status_code < 400, answer.content.decode()[:3000]
        return answer

    def sit_down_again(self, player: Player) -> None:
        """Return to the seat by its private link."""
        self.post(f"/seat/{Desk.objects.get(player=player).key}/")

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
    """Return the unescaped text of a page, which must be accessible."""
    answer = client.get(address)
    assert answer.status_code == 200, f"{address}: {answer.content.decode()[:2000]}"
    return html.unescape(answer.content.decode())


def people_of(game: Game) -> dict[int, Person]:
    """Map seats to people who return in a new browser, without those who left."""
    seats = Player.objects.filter(game=game, kind=Player.PERSON, left_at=None)
    people = {player.seat: Person() for player in seats}
    for player in seats:
        people[player.seat].sit_down_again(player)
    return people


def host_of(game: Game) -> int:
    """Return the host's seat."""
    return Player.objects.filter(game=game, membership__host=True).distinct().get().seat


def is_open(game: Game, key: str) -> bool:
    return any(o.window.key == key for o in selectors.open_windows(game))


def answer_anything(person: Person, game: Game, window: OpenWindow, seat: int) -> bool:
    """Answer any window."""
    if window.window.legal.name == "speech":
        person.say(game, window, f"Seat {seat} has the word in {window.window.key}, and no news.")
    else:
        options = window.window.options_for(seat)
        person.pick(game, window, *options[: window.window.legal.count])
    return True


# The reaction of an asked person; False means no action yet.
Doing = Callable[[OpenWindow, int], bool]


class World:
    """Simulation of sweeper, worker and people, in turn."""

    def __init__(self, begins: datetime) -> None:
        self.now = begins
        self.work: deque[tuple[Any, tuple[Any, ...]]] = deque()
        self.sweeper = sweeper.Sweeper()
        self.before: Callable[[int, int, str], bool] = lambda game, seat, key: True

    @contextmanager
    def running(self) -> Iterator[World]:
        """Use the clock and the queue of this world within the context."""
        with ExitStack() as stack:
            stack.enter_context(mock.patch.object(timezone, "now", self._clock))
            stack.enter_context(mock.patch.object(sweeper, "LOST_WORK_INTERVAL_S", 0.0))
            for task in (tasks.fill, tasks.prepare):
                queue = self._queue(task)
                stack.enter_context(mock.patch.object(task, "delay", queue))
            stack.enter_context(notifier.diverted(Notifier._queue_work))
            yield self

    def _clock(self) -> datetime:
        return self.now

    def _queue(self, task: Any) -> Callable[..., None]:
        return lambda *arguments: self.work.append((task, arguments))

    def go_on(self, game: Game, doing: Doing, until: Callable[[], bool] | None = None) -> None:
        """Play until `until` is true or the game is over, or raise AssertionError."""
        has_swept = False
        for _ in range(MAX_STEPS):
            game.refresh_from_db()
            if until() if until else game.ended_at:
                return
            if self._work_once():
                has_swept = False
            elif not has_swept:
                self.sweeper.sweep()
                has_swept = True
            else:
                if not self._ask(game, doing):
                    self.now += STEP
                has_swept = False
        raise AssertionError(f"{game} does not go on: {selectors.open_windows(game)}")

    def _work_once(self) -> bool:
        """Run the oldest task. A task that `before` rejects is lost."""
        if not self.work:
            return False
        task, (game_id, seat, key) = self.work.popleft()
        if self.before(game_id, seat, key):
            task(game_id, seat, key)
        return True

    def _ask(self, game: Game, doing: Doing) -> bool:
        """Let the first asked person with a reaction answer."""
        seats = {p.seat for p in game.players.all() if p.is_person_now}
        for open_window in selectors.open_windows(game):
            for seat in open_window.missing:
                if seat in seats and doing(open_window, seat):
                    return True
        return False
