"""What each viewer of a game may see: its page, its pushed frames, its secrets."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence

from django.conf import settings
from django.test import Client

from game import deadlines, locked_game, selectors
from game.engine import visibility
from game.engine.events import Event
from game.models import Game, Player
from tests.engine.playing import Hand
from tests.game.clock import Clock
from webapp.play import visitors
from webapp.play.live.broadcaster import OpenPage, _SharedPages
from webapp.play.models import Desk, Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.visitors import Guest


def guest_in_seat(game: Game, seat: int | None) -> Guest:
    return Guest(game, Player.objects.get(game=game, seat=seat) if seat else None)


def client_in_seat(game: Game, seat: int | None, *, is_host: bool = False) -> Client:
    """Return a browser whose visitor sits in a seat of the game.

    A visitor without a seat watches.
    """
    client, visitor = Client(), uuid.uuid4()
    session = client.session
    session[visitors.VISITOR_KEY] = visitor.hex
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    player = Player.objects.get(game=game, seat=seat) if seat else None
    visitors.seat_visitor(visitor, game, player, is_host=is_host)
    return client


def table_secrets(game: Game) -> list[str]:
    """Return the random names and keys, which differ between any two tables."""
    keys = [*Desk.objects.filter(player__game=game).values_list("key", flat=True)]
    return [game.code, Table.objects.get(game=game).invitation, *keys]


def mask_secrets(text: str, game: Game, secrets: Sequence[str] = ()) -> str:
    """Replace the random names, keys and tokens in a text."""
    for secret in secrets or table_secrets(game):
        text = text.replace(secret, "X")
    return re.sub(r'(name="csrfmiddlewaretoken"\s+value|csrf[^"]*)="[^"]+"', "token", text)


def pushed_frames(game: Game, page: OpenPage, viewer: Guest) -> list[str]:
    """Return the frames that the viewer's open page is sent now."""
    game.refresh_from_db()
    update = _SharedPages(Snapshot(game)).find_update(page, viewer)
    return [mask_secrets(frame, game) for frame in update.frames] if update else []


async def discard_frame(_message: object) -> None:
    """Replace an open page's socket. Frames are read where they are made."""


def classify_moment(game: Game, event_count: int) -> tuple[object, ...]:
    """Return the phase, the pending questions and the events since `event_count`."""
    questions = sorted((o.window.kind, len(o.missing) > 0) for o in selectors.open_windows(game))
    view = selectors.view_for(game, visibility.MODERATOR)
    new = {e.kind for e in view.events[event_count:]}
    return (view.state.phase, bool(view.state.out), *questions, *sorted(new))


def guests(game: Game) -> list[Guest]:
    """Return the host, the other person, two players of each role, and a spectator."""
    roles, counts = selectors.view_for(game, visibility.MODERATOR).state.roles, Counter[str]()
    players = []
    for player in Player.objects.filter(game=game).order_by("-kind", "seat"):
        role = roles.get(player.seat, "")
        counts[role] += 1
        if counts[role] <= 2 or not role or player.kind == Player.PERSON:
            players.append(player)
    return [
        *(Guest(game, p, is_host=p.seat == 1, is_member=True) for p in players),
        Guest(game, None),
    ]


def play_moments(clock: Clock, game: Game, hand: Hand) -> Iterator[Game]:
    """Yield the game at every moment before its end, one answer of the hand at a time."""
    for _ in range(800):
        game.refresh_from_db()
        if game.ended_at:
            return
        yield game
        missing = [o for o in selectors.open_windows(game) if o.missing]
        if missing:
            window, seat = missing[0], missing[0].missing[0]
            locked_game.record_answer(game.pk, seat, window.window.key, hand(window.window, seat))
        else:
            assert game.due_at
            clock.at = game.due_at
            deadlines.settle_deadlines(game.pk)
    raise AssertionError("the game never ended")


def secrets(game: Game, log: list[Event], guest: Guest) -> set[str]:
    """Return text that the viewer may not read, and names of windows it may not know."""
    viewer, seat = guest.viewer, guest.viewer.seat
    hidden_events = [e for e in log if not viewer.can_see(e.audience)]
    texts = {e["text"] for e in hidden_events if e.data.get("text")}
    texts |= {f'"{e["key"]}"' for e in hidden_events if e.kind == "window_opened"}
    for window in selectors.open_windows(game):
        other_texts = [a.action.text for s, a in window.answers.items() if s != seat]
        texts |= {text for text in other_texts if text}
    return texts
