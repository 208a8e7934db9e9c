"""A table's page as plain data, which `page_builder` fills and `templates/play/` renders.

Most fields of `Page` are one partial each. The first load and every push render the same partials
(`live.push.PART_FIELDS`). Other parts' classes are in the modules that build them.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.play.page.agent_cards import AgentCard
from webapp.play.page.agent_pace import PaceButtons
from webapp.play.page.answer_forms import Choice, TurnPanel
from webapp.play.page.chat import Chat
from webapp.play.page.claims_sheet import ClaimTable
from webapp.play.page.ending import End
from webapp.play.page.host_panel import HostPanel, StatementList
from webapp.play.page.public_link_panel import PublicLink
from webapp.play.page.transcript_parts import Phase, Seat, SortedTalk, TranscriptLine
from webapp.play.page.viewer_windows import Awaited
from webapp.play.table_owners import OwnerMessage


@dataclass(frozen=True)
class Me:
    """The viewer's role and private knowledge (`#me`). None for a watcher."""

    seat: Seat
    role: str
    role_key: str
    team: str
    ability_text: str  # what the role can do or knows, as a sentence
    goal: str
    private_facts: list[str]  # in sentences


@dataclass(frozen=True)
class DeadRow:
    """The players who went out of the game on one day for one cause."""

    day: str  # the day's title
    cause: str
    seats: list[Seat]


@dataclass(frozen=True)
class NoteRow:
    """The viewer's private note on one seat."""

    seat: Seat
    role_key: str  # the role that the viewer suspects, "" for none
    text: str


@dataclass(frozen=True)
class Page:
    """A table's page for one viewer."""

    game: str  # the game's code, in addresses
    ruleset: str
    ruleset_title: str
    status: str  # "running" | "paused" | "over" | "called_off"
    pace: str
    seed: str  # "" while it may not be shown
    is_open_to_research: bool  # the game may be studied, which everyone is told
    next_game: str  # the table at which this one continues, if the viewer has a seat there

    cursor: int  # how many of this viewer's events are on the page
    phase: Phase
    seats: list[Seat]
    entries: list[TranscriptLine]
    amended: list[TranscriptLine]  # lines whose text was removed after they were shown
    awaited: Awaited
    progress: list[str]  # sentences on the progress of the present talk
    dead: list[DeadRow]
    end: End | None

    me: Me | None
    seat_key: str  # the key of the viewer's private link
    turn: TurnPanel | None
    choice: Choice | None
    draft: str
    notes: list[NoteRow]
    note_roles: list[tuple[str, str]]  # (role key, name) that a note can hold

    host: HostPanel | None
    pace_buttons: PaceButtons | None  # None if the viewer cannot change the pace
    agent_cards: list[AgentCard]
    chat: Chat | None
    reportable: StatementList  # others' statements, which the viewer can report
    sorted_talk: SortedTalk | None  # None after the game, or without ratings by the viewer
    claims: ClaimTable | None  # None if the table does not show the sheet
    public_link: PublicLink | None  # None for watchers, and if there can be none
    owner_address: str  # where people continue if another app runs the table, else ""
    owner_messages: list[OwnerMessage]  # to and from that app

    older_before_position: int = 0  # there are older lines before this position, 0 if none


@dataclass(frozen=True)
class OlderLines:
    """The lines before a position of the viewer's stream."""

    game: str  # as on the page
    ruleset_title: str
    entries: list[TranscriptLine]
    older_before_position: int  # as on the page
    removable: StatementList  # statements among them that the viewer can remove as the host
    reportable: StatementList  # statements among them that the viewer can report
    owner_address: str  # as on the page
