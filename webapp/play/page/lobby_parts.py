"""What a lobby shows: plain data between the game's rows and the templates."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.play.page.chat_parts import Chat


@dataclass(frozen=True)
class LobbySeat:
    """One place of a table that gathers. Acts are `do=` values, "" where they make no sense."""

    kind: str  # "guest" | "open" | "computer"
    name: str  # of the seat or the guest; at a blind table "Guest 2"
    portrait: str = ""  # static path; "" at a blind table
    is_me: bool = False
    is_host: bool = False
    here: bool = False  # has the page open
    own_name: bool = False  # the guest chose it
    make_host: str = ""
    fill: str = ""
    invite: str = ""
    remove: str = ""


@dataclass(frozen=True)
class Lobby:
    """A table that gathers (`#lobby`), as one viewer may see it."""

    game: str
    ruleset: str
    title: str
    status: str  # "gathering" | "called_off"; anything else: the game has begun
    host: bool
    take_over: bool  # the host is away for long, and the viewer may host instead
    seated: bool
    blind: bool
    my_seat: str  # the seat's own name, "" for those who watch
    my_name: str
    seat_key: str  # of the viewer's private link
    invitation: str  # key of the invitation, "" where the viewer may not invite
    removed: int  # people the host has removed; 0 for everyone else
    places: list[LobbySeat]
    people: int  # who have come
    open: int
    absent: list[str]  # names of those who have come and have no page open just now
    computers: int
    spectators: bool
    research: bool  # the game may be studied; everybody is told
    research_act: str  # by which the host changes that, "" where nobody can
    facts: list[tuple[str, str]]  # pace, limits, rules: (name, value)
    chat: Chat | None = None
