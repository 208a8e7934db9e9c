"""Decides when and to which open pages of a game updates are sent. `push` renders them.

A process has one broadcaster for each game with open pages. On each notification, and every
`POLL_EVERY_S` seconds without one, it reads the game once and sends each page the changes for its
viewer. Pages with the same content share one frame.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from game import selectors, sql_statements
from game.models import Game
from webapp.play import presence
from webapp.play.live import push
from webapp.play.live.notifier import group
from webapp.play.models import Membership, Removed
from webapp.play.page import lobby_view
from webapp.play.page.page_builder import page_for
from webapp.play.page.page_parts import Page
from webapp.play.page.snapshot import (
    SEEN_EVERY,
    Presence,
    Snapshot,
    change_key,
    presence_at,
    take_snapshot,
)
from webapp.play.visitors import Guest

logger = logging.getLogger(__name__)

POLL_EVERY_S = 4.0
# Close codes of the socket. After OUTSIDER, UNKNOWN and CROWD the page shows why and does not
# reconnect; after RELOAD it reloads itself; after BROKEN it reconnects and sends its cursor.
OUTSIDER, UNKNOWN, CROWD, RELOAD, BROKEN = 4403, 4404, 4429, 4410, 4000
MAX_PAGES = 20  # open pages of one visitor at one table
RESUBSCRIBE_PAUSE_S = 1  # after the connection to Redis failed


@dataclass(eq=False)
class OpenPage:
    visitor: uuid.UUID | None
    send: Callable[[str], Awaitable[None]]
    close: Callable[[int], Awaitable[None]]
    cursor: int | None = None  # the last entry that it has shown; None before its first message
    in_lobby: bool = False
    restart: int | None = None  # a cursor that the page has sent since the last poll
    # part -> (hash of its data, hash of its text) as last sent
    sent_hashes: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class PageUpdate:
    """The result of a poll for one page: frames to send, or a code to close with."""

    member: OpenPage
    frames: tuple[str, ...] = ()
    close: int = 0


class Broadcaster:
    """Polls one game and updates its open pages, as long as there are any."""

    def __init__(self, game_id: int) -> None:
        self.game_id = game_id
        self.members: set[OpenPage] = set()
        self.wake = asyncio.Event()
        self._change_key: tuple[object, ...] = ()
        self._presence_noted_at = 0.0
        self._present_guests: list[Guest] = []  # guests of the latest poll
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._watch())]

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _listen(self) -> None:
        """Wake the broadcaster on each notification.

        Without Redis there are only the periodic polls, until it reconnects.
        """
        layer = get_channel_layer()
        assert layer is not None
        while True:
            channel = ""
            try:
                channel = await layer.new_channel()
                await layer.group_add(group(self.game_id), channel)
                self.wake.set()  # for changes before the subscription
                while True:
                    await layer.receive(channel)
                    self.wake.set()
            except asyncio.CancelledError:
                if channel:
                    await layer.group_discard(group(self.game_id), channel)
                raise
            except Exception as error:
                logger.warning("no notifications of game %s: %s", self.game_id, error)
                await asyncio.sleep(RESUBSCRIBE_PAUSE_S)

    async def _watch(self) -> None:
        """Poll the game and deliver updates, on each wake-up and at least every POLL_EVERY_S."""
        while True:
            try:
                async with asyncio.timeout(POLL_EVERY_S):
                    await self.wake.wait()
            except TimeoutError:
                pass
            self.wake.clear()
            try:
                for update in await in_thread(self._poll)(list(self.members)):
                    await self._deliver(update)
                if time.monotonic() - self._presence_noted_at >= SEEN_EVERY.total_seconds():
                    await in_thread(self._note_presence)()
            except Exception:
                logger.exception("the poll of game %s failed; the next one follows", self.game_id)

    @staticmethod
    async def _deliver(update: PageUpdate) -> None:
        """Send an update to its page. An error closes only that page's socket.

        The page then reconnects and sends its cursor.
        """
        try:
            for frame in update.frames:
                await update.member.send(frame)
            if update.close:
                await update.member.close(update.close)
        except Exception as error:
            logger.warning("an update could not be sent: %r", error)
            with suppress(Exception):
                await update.member.close(BROKEN)

    def _poll(self, members: list[OpenPage]) -> list[PageUpdate]:
        """Return the updates for `members`. Runs in a thread, one poll at a time."""
        game, position = selectors.current_game(self.game_id)
        presence_rows = presence_at(game)
        guests = self._guests(game, presence_rows, members)
        self._present_guests = list(guests.values())
        restarted = [m for m in members if m.restart is not None]
        if restarted:
            self._note_presence()
            presence_rows = presence_at(game)
        key = change_key(game, presence_rows)
        updates = [PageUpdate(m, close=OUTSIDER) for m in members if m not in guests]
        if key == self._change_key and not restarted:
            return updates
        pages, failed = _SharedPages(take_snapshot(game, presence_rows, position)), False
        for member, guest in guests.items():
            try:
                if update := pages.find_update(member, guest):
                    updates.append(update)
            except Exception:  # an error of one page must not affect the others
                logger.exception("a page of game %s could not be built", self.game_id)
                failed = True
        self._change_key = () if failed else key
        return updates

    @staticmethod
    def _guests(
        game: Game, presence_rows: Presence, members: list[OpenPage]
    ) -> dict[OpenPage, Guest]:
        """Return the guest of each open page, without visitors who may no longer watch."""
        players = {player.pk: player for player in presence_rows.players}
        visitors = list({m.visitor for m in members if m.visitor})
        rows = sql_statements.select(Membership, game_id=game.pk, visitor=visitors)
        memberships = {row.visitor: row for row in rows}
        admits_spectators = presence_rows.table is not None and presence_rows.table.spectators
        removed = sql_statements.select(Removed, game_id=game.pk) if admits_spectators else []
        barred = {row.visitor for row in removed}
        guests = {}
        for member in members:
            membership = memberships.get(member.visitor) if member.visitor else None
            if membership:
                player = players.get(membership.player_id or 0)
                guests[member] = Guest(game, player, is_host=membership.host, is_member=True)
            elif admits_spectators and member.visitor not in barred:
                guests[member] = Guest(game, None)
        return guests

    def _note_presence(self) -> None:
        """Record the viewers of the latest poll as present.

        Arrivals are recorded before the poll that shows them, the others after their update is
        sent.
        """
        self._presence_noted_at = time.monotonic()
        presence.record_presence(self.game_id, self._present_guests)


class _SharedPages:
    """Pages rendered from one snapshot. Viewers with the same content share the strings."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._pages: dict[tuple[Any, ...], Page] = {}
        self._keys: dict[tuple[Any, ...], list[tuple[str, int]]] = {}
        self._frames: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def find_update(self, member: OpenPage, guest: Guest) -> PageUpdate | None:
        """Return the changes that the page has not been sent yet, None if there are none."""
        if member.restart is not None:
            member.cursor, member.restart, member.sent_hashes = member.restart, None, {}
        if member.cursor is None:
            return None
        if member.in_lobby:
            frame = lobby_view.render_lobby(guest, self.snapshot)
            if member.sent_hashes.get("lobby") == (0, hash(frame)):
                return None
            member.sent_hashes["lobby"] = 0, hash(frame)
            return PageUpdate(member, (frame,))
        if not self.snapshot.game.started_at:
            return None
        viewer_key = (guest.player and guest.player.pk, guest.is_host, member.cursor)
        if viewer_key not in self._pages:
            page = self._pages[viewer_key] = page_for(guest, member.cursor, self.snapshot)
            self._keys[viewer_key] = list(push.part_keys(page))
        page = self._pages[viewer_key]
        changed = _changed_parts(page, self._keys[viewer_key], member)
        if not changed and page.cursor == member.cursor:
            return None
        member.cursor = page.cursor
        frame_key = (*viewer_key, *changed)
        try:
            if frame_key not in self._frames:
                self._frames[frame_key] = push.render_frames(page, changed)
        except push.FrameTooLong as error:
            logger.warning("a part of %s bytes for game %s", error, self.snapshot.game.code)
            return PageUpdate(member, close=RELOAD)
        return PageUpdate(member, self._frames[frame_key])


def _changed_parts(page: Page, keys: list[tuple[str, int]], member: OpenPage) -> dict[str, str]:
    """Return name -> rendered part, for the parts that have changed since the page was last sent.

    Only parts with changed data are rendered. Their text may still be the same, because a part need
    not show all its data.
    """
    changed: dict[str, str] = {}
    sent_parts: dict[str, tuple[int, int]] = {}
    for name, key in keys:
        last_sent = member.sent_hashes.get(name)
        if last_sent is None or last_sent[0] != key:
            text = push.render_part(page, name)
            if last_sent is None or last_sent[1] != hash(text):
                changed[name] = text
            last_sent = key, hash(text)
        sent_parts[name] = last_sent
    member.sent_hashes = sent_parts
    return changed


_broadcasters: dict[int, Broadcaster] = {}


def enter(game_id: int, member: OpenPage) -> bool:
    """Add an open page. Return False if its visitor has too many of them."""
    broadcaster = _broadcasters.get(game_id)
    if broadcaster is None:
        broadcaster = _broadcasters[game_id] = Broadcaster(game_id)
    if sum(m.visitor == member.visitor for m in broadcaster.members if m.visitor) >= MAX_PAGES:
        return False
    broadcaster.members.add(member)
    return True


def leave(game_id: int, member: OpenPage) -> None:
    """Remove a closed page. With the last one the broadcaster stops."""
    broadcaster = _broadcasters.get(game_id)
    if broadcaster is None:
        return
    broadcaster.members.discard(member)
    if not broadcaster.members:
        broadcaster.stop()
        del _broadcasters[game_id]


def wake(game_id: int) -> None:
    """Make the game's broadcaster in this process poll at once."""
    if broadcaster := _broadcasters.get(game_id):
        broadcaster.wake.set()


def in_thread(function: Any) -> Any:
    """Wrap a function that uses the database, so that it runs in a thread and can be awaited."""
    return database_sync_to_async(function, thread_sensitive=False)
