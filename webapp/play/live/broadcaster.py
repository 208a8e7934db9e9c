"""Decides which open pages of a game get updates, and when. `push` renders the updates.

A process has one broadcaster for each game with open pages. On each notification, and every
`POLL_EVERY_S` seconds without one, it reads the game once and sends each page the changes for its
viewer. Pages with the same content share one frame.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from game import cached_games, sql_statements
from webapp.play import presence
from webapp.play.live import push
from webapp.play.live.notifier import game_group
from webapp.play.models import Membership, Removed
from webapp.play.page import lobby_view
from webapp.play.page.snapshot import PRESENCE_INTERVAL, Snapshot
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest
from webapp.template_tags import context_key

logger = logging.getLogger(__name__)

POLL_EVERY_S = 4.0
# Close codes of the socket. After the first three the page shows why and does not reconnect.
CLOSE_OUTSIDER = 4403  # the visitor may not watch the game
CLOSE_UNKNOWN = 4404  # there is no such game
CLOSE_CROWD = 4429  # a limit of requests or of open pages is reached
CLOSE_RELOAD = 4410  # the page must reload itself
CLOSE_BROKEN = 4000  # sending failed: the page reconnects and sends its cursor
MAX_PAGES_PER_VISITOR = 20  # a visitor may open this many pages of one table
RESUBSCRIBE_PAUSE_S = 1  # pause after a failed connection to Redis


class PagePart(NamedTuple):
    """A part of a page, as `push.part_data` returns it."""

    name: str
    data: dict[str, Any]
    data_hash: int


class SentPart(NamedTuple):
    """Hashes of a part that a page was sent."""

    data_hash: int
    text_hash: int  # hash of the rendered text


@dataclass(eq=False)
class OpenPage:
    """A page that a browser has open, with what it was sent so far."""

    visitor: uuid.UUID | None
    send: Callable[[str], Awaitable[None]]
    close: Callable[[int], Awaitable[None]]
    cursor: int | None = None  # how many of its events it has shown; None before its first message
    in_lobby: bool = False
    new_cursor: int | None = None  # one that the page has sent since the last poll
    # Part's name -> what was last sent of it.
    sent_parts: dict[str, SentPart] = field(default_factory=dict)


@dataclass(frozen=True)
class PageUpdate:
    """The result of a poll for one page: frames to send, or a code to close with."""

    open_page: OpenPage
    frames: tuple[str, ...] = ()
    close: int = 0


class Broadcaster:
    """Polls one game and updates its open pages, as long as there are any."""

    def __init__(self, game_id: int) -> None:
        self.game_id = game_id
        self.open_pages: set[OpenPage] = set()
        self.wake = asyncio.Event()
        self._change_key: tuple[object, ...] = ()
        self._presence_noted_at = 0.0
        self._present_guests: list[Guest] = []  # guests who had a page open at the latest poll
        loops = (self._listen(), self._keep_polling())
        self._tasks = [asyncio.create_task(loop) for loop in loops]

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
                await layer.group_add(game_group(self.game_id), channel)
                self.wake.set()  # looks for changes from before the subscription
                while True:
                    await layer.receive(channel)
                    self.wake.set()
            except asyncio.CancelledError:
                if channel:
                    await layer.group_discard(game_group(self.game_id), channel)
                raise
            except Exception as error:
                logger.warning("no notifications of game %s: %s", self.game_id, error)
                await asyncio.sleep(RESUBSCRIBE_PAUSE_S)

    async def _keep_polling(self) -> None:
        """Poll the game and deliver updates, on each wake-up and at least every POLL_EVERY_S."""
        while True:
            try:
                async with asyncio.timeout(POLL_EVERY_S):
                    await self.wake.wait()
            except TimeoutError:
                pass
            self.wake.clear()
            try:
                for update in await in_thread(self._poll)(list(self.open_pages)):
                    await self._deliver(update)
                if time.monotonic() - self._presence_noted_at >= PRESENCE_INTERVAL.total_seconds():
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
                await update.open_page.send(frame)
            if update.close:
                await update.open_page.close(update.close)
        except Exception as error:
            logger.warning("an update could not be sent: %r", error)
            with suppress(Exception):
                await update.open_page.close(CLOSE_BROKEN)

    def _poll(self, open_pages: list[OpenPage]) -> list[PageUpdate]:
        """Return the updates for `open_pages`. Runs in a thread, one poll at a time."""
        game, position = cached_games.current_game(self.game_id)
        snapshot = Snapshot(game, position)
        guests = self._find_guests(snapshot, open_pages)
        self._present_guests = list(guests.values())
        has_new_cursor = any(page.new_cursor is not None for page in open_pages)
        if has_new_cursor:  # a page was opened just now: the others see that its viewer is here
            self._note_presence()
            snapshot = Snapshot(game, position)
        updates = [
            PageUpdate(page, close=CLOSE_OUTSIDER) for page in open_pages if page not in guests
        ]
        if snapshot.change_key == self._change_key and not has_new_cursor:
            return updates
        has_failed = False
        shared_pages = _SharedPages(snapshot)
        for open_page, guest in guests.items():
            try:
                if update := shared_pages.find_update(open_page, guest):
                    updates.append(update)
            except Exception:  # an error of one page must not affect the others
                logger.exception("a page of game %s could not be built", self.game_id)
                has_failed = True
        # After an error the next poll tries again.
        self._change_key = () if has_failed else snapshot.change_key
        return updates

    @staticmethod
    def _find_guests(snapshot: Snapshot, open_pages: list[OpenPage]) -> dict[OpenPage, Guest]:
        """Return the guest of each open page, without visitors who may no longer watch."""
        game, table = snapshot.game, snapshot.table
        players = {player.pk: player for player in snapshot.players}
        visitors = list({page.visitor for page in open_pages if page.visitor})
        rows = sql_statements.select(Membership, game_id=game.pk, visitor=visitors)
        memberships = {row.visitor: row for row in rows}
        admits_spectators = table is not None and table.spectators
        removed = sql_statements.select(Removed, game_id=game.pk) if admits_spectators else []
        barred = {row.visitor for row in removed}
        guests = {}
        for open_page in open_pages:
            membership = memberships.get(open_page.visitor) if open_page.visitor else None
            if membership:
                player = players.get(membership.player_id or 0)
                guests[open_page] = Guest(game, player, is_host=membership.host, is_member=True)
            elif admits_spectators and open_page.visitor not in barred:
                guests[open_page] = Guest(game, None)
        return guests

    def _note_presence(self) -> None:
        self._presence_noted_at = time.monotonic()
        presence.record_presence(self.game_id, self._present_guests)


class _SharedPages:
    """Pages rendered from one snapshot. Viewers with the same content share the strings."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._pages: dict[tuple[Any, ...], Page] = {}
        self._parts: dict[tuple[Any, ...], list[PagePart]] = {}
        self._frames: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def find_update(self, open_page: OpenPage, guest: Guest) -> PageUpdate | None:
        """Return the changes that the page has not been sent yet, None if there are none."""
        if open_page.new_cursor is not None:
            open_page.cursor, open_page.sent_parts = open_page.new_cursor, {}
            open_page.new_cursor = None
        if open_page.cursor is None:
            return None
        if open_page.in_lobby:
            frame = lobby_view.render_lobby(guest, self.snapshot)
            sent_part = SentPart(0, hash(frame))
            if open_page.sent_parts.get("lobby") == sent_part:
                return None
            open_page.sent_parts["lobby"] = sent_part
            return PageUpdate(open_page, (frame,))
        if not self.snapshot.game.started_at:
            return None
        viewer_key = (guest.player and guest.player.pk, guest.is_host, open_page.cursor)
        if viewer_key not in self._pages:
            page = self._pages[viewer_key] = Page(guest, open_page.cursor, self.snapshot)
            self._parts[viewer_key] = [
                PagePart(name, data, hash(context_key(data)))
                for name, data in push.part_data(page).items()
            ]
        page = self._pages[viewer_key]
        changed = _changed_parts(self._parts[viewer_key], open_page)
        if not changed and page.cursor == open_page.cursor:
            return None
        open_page.cursor = page.cursor
        frame_key = (*viewer_key, *changed)
        try:
            if frame_key not in self._frames:
                self._frames[frame_key] = push.render_frames(page, changed)
        except push.FrameTooLong as error:
            logger.warning("a part of %s bytes for game %s", error, self.snapshot.game.code)
            return PageUpdate(open_page, close=CLOSE_RELOAD)
        return PageUpdate(open_page, self._frames[frame_key])


def _changed_parts(parts: Iterable[PagePart], open_page: OpenPage) -> dict[str, str]:
    """Return name -> rendered part, for the parts that changed since they were last sent.

    Only parts with changed data are rendered. Their text may still be the same: a part need not
    show all its data.
    """
    changed: dict[str, str] = {}
    sent_parts: dict[str, SentPart] = {}
    for name, data, data_hash in parts:
        last_sent = open_page.sent_parts.get(name)
        if last_sent is None or last_sent.data_hash != data_hash:
            text = push.render_part(name, data)
            if last_sent is None or last_sent.text_hash != hash(text):
                changed[name] = text
            last_sent = SentPart(data_hash, hash(text))
        sent_parts[name] = last_sent
    open_page.sent_parts = sent_parts
    return changed


_broadcasters: dict[int, Broadcaster] = {}


def add_page(game_id: int, open_page: OpenPage) -> bool:
    """Start updating an open page. Return False if its visitor has too many of them."""
    if game_id not in _broadcasters:
        _broadcasters[game_id] = Broadcaster(game_id)
    broadcaster, visitor = _broadcasters[game_id], open_page.visitor
    same_visitor = [page for page in broadcaster.open_pages if visitor and page.visitor == visitor]
    if len(same_visitor) >= MAX_PAGES_PER_VISITOR:
        return False
    broadcaster.open_pages.add(open_page)
    return True


def remove_page(game_id: int, open_page: OpenPage) -> None:
    """Stop updating a closed page. With the last one the broadcaster stops."""
    broadcaster = _broadcasters.get(game_id)
    if broadcaster is None:
        return
    broadcaster.open_pages.discard(open_page)
    if not broadcaster.open_pages:
        broadcaster.stop()
        del _broadcasters[game_id]


def wake(game_id: int) -> None:
    """Make the game's broadcaster in this process poll at once."""
    if broadcaster := _broadcasters.get(game_id):
        broadcaster.wake.set()


def in_thread(function: Any) -> Any:
    """Wrap a function that uses the database, so that it runs in a thread and can be awaited."""
    return database_sync_to_async(function, thread_sensitive=False)
