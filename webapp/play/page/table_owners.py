"""Tables that another app of the site runs (`Table.onward`).

Their people came from that app and go on to it. The app registers as a `TableOwner`, which says
what the bar above such a table shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.http import HttpRequest

from game.models import Game
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.page.chat import Words


@dataclass(frozen=True)
class GoingOn:
    """The button by which one goes on from a table whenever one likes.

    `fields` are posted to `address`.
    """

    address: str
    fields: dict[str, str]


@dataclass(frozen=True)
class Told:
    """Where a guest is on their way, in words.

    Due: when the table ends for them, where it does; ask: the address to which they post what they
    want to ask, as `text`.
    """

    text: str
    due: datetime | None = None
    on: GoingOn | None = None
    ask: str = ""


@dataclass(frozen=True)
class Bar:
    """The bar above a table.

    leave: the address where its guest leaves the whole of it.
    """

    told: Told
    leave: str


@dataclass(frozen=True)
class TableOwner:
    """An app that runs tables, as play sees it.

    Attributes:
        find_progress: Returns where a guest of its tables is on their way; none for others.
        list_messages: Returns what was said to a guest of its tables; nothing for others.
        kept_games: Conditions on `Game`: none that meets one of them pauses by itself.
        may_look_back: Returns whether a request may see the replay of a game at which its browser
            was not.
    """

    find_progress: Callable[[Guest], Told | None]
    list_messages: Callable[[Guest], Sequence[Words]]
    kept_games: Sequence[Q]
    may_look_back: Callable[[HttpRequest, Game], bool]


_owners: list[TableOwner] = []


def register(owner: TableOwner) -> None:
    """Add an app that runs tables. Called once, when the app is ready."""
    _owners.append(owner)


def kept_games() -> list[Q]:
    """Return the conditions on games that never pause by themselves."""
    return [kept_query for owner in _owners for kept_query in owner.kept_games]


def may_look_back(request: HttpRequest, game: Game) -> bool:
    """Return whether some app lets the request see the game's replay."""
    return any(owner.may_look_back(request, game) for owner in _owners)


def words_of(guest: Guest) -> list[Words]:
    """Return what was said between the guest and whoever runs the table, in order.

    Shown by that.
    """
    if guest.player is None or not Disclosure(guest.game).onward:
        return []
    return [words for owner in _owners for words in owner.list_messages(guest)]


def bar_of(guest: Guest) -> Bar | None:
    """Return the bar of the guest's table.

    Returns None where the table is run from here.
    """
    owner_address = Disclosure(guest.game).onward
    if not owner_address:
        return None
    progress_texts = (owner.find_progress(guest) for owner in _owners)
    return Bar(next((one for one in progress_texts if one), Told("")), f"{owner_address}leave")
