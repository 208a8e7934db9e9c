"""Tables that another app of the site runs (`Table.onward`), such as those of studies.

People come to them from that app and return to it. The app adds a `TableOwner` to `owners`:
functions that play calls for what it cannot know itself, such as the bar above such a table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q
from django.http import HttpRequest

from game.models import Game
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import Link
from webapp.play.visitors import Guest


@dataclass(frozen=True)
class ContinueButton:
    """The button that takes a guest from a table to the next stage at any time."""

    address: str
    fields: dict[str, str]  # names and values of the fields that the button posts to `address`


@dataclass(frozen=True)
class GuestProgress:
    """A guest's current stage in the app that runs the table."""

    text: str
    due: datetime | None = None  # when the table ends for the guest, None if it does not
    continue_button: ContinueButton | None = None
    question_address: str = ""  # where a guest's question is posted as `text`, "" for nowhere
    exit_address: str = ""  # where the guest leaves the study; `find_bar` sets it


@dataclass(frozen=True)
class OwnerMessage:
    """A message between a guest and the owner of the table."""

    text: str
    at: datetime
    is_mine: bool  # the guest wrote it


@dataclass(frozen=True)
class TableOwner:
    find_progress: Callable[[Guest], GuestProgress | None]  # the guest's current stage
    list_messages: Callable[[Guest], Sequence[OwnerMessage]]  # messages to and from the guest
    kept_games: Sequence[Q]  # conditions on games, any of which prevents automatic pauses
    # Whether a visitor may watch the replay of a game that others played.
    can_watch_replay: Callable[[HttpRequest, Game], bool]
    # The link for a statement (seat, window) of a replay.
    link_at: Callable[[HttpRequest, Game, int, str], Link | None]


owners: list[TableOwner] = []  # an app adds itself when it is ready


def find_bar(guest: Guest) -> GuestProgress | None:
    """Return the guest's progress for the bar above the table, None if no other app runs it."""
    owner_address = Disclosure(guest.game).owner_address
    if not owner_address:
        return None
    stages = (owner.find_progress(guest) for owner in owners)
    progress = next((progress for progress in stages if progress), GuestProgress(""))
    return replace(progress, exit_address=f"{owner_address}leave")
