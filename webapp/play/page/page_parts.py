"""A table's page as plain data, which `page_builder` fills and `templates/play/` renders.

Most fields of `Page` are one partial each. The first load and every push render the same partials
(`live.push.PART_FIELDS`). The modules that build a part define its class.
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
    does: str  # what the role can do or knows, as a sentence
    goal: str
    knows: list[str]  # in sentences


@dataclass(frozen=True)
class DeadRow:
    """The players who went out of the game on one day for one cause."""

    day: str  # its title
    cause: str
    seats: list[Seat]


@dataclass(frozen=True)
class NoteRow:
    """The viewer's private note on one seat."""

    seat: Seat
    value: str  # role key
    text: str


@dataclass(frozen=True)
class Page:
    """A table's page for one viewer."""

    game: str  # its code, in addresses
    ruleset: str
    ruleset_title: str
    cursor: int  # how many of this viewer's events are on the page
    phase: Phase
    seats: list[Seat]
    entries: list[TranscriptLine]
    awaited: Awaited
    me: Me | None
    turn: TurnPanel | None
    choice: Choice | None
    notes: list[NoteRow]
    note_roles: list[tuple[str, str]]  # (role key, name) that a note can hold
    end: End | None
    progress: list[str]  # of the talk under way, in sentences
    dead: list[DeadRow]
    draft: str
    pace: str
    seed: str  # only if it may be shown
    host: HostPanel | None
    amended: list[TranscriptLine]  # lines that look different now
    seat_key: str  # of the viewer's private link
    status: str  # "running" | "paused" | "over" | "called_off"
    company: list[AgentCard]
    next_game: str  # the table at which this one continues, if the viewer has a seat there
    research: bool  # the game may be studied; shown to everyone
    pace_buttons: PaceButtons | None  # if the viewer can change the pace
    chat: Chat | None
    reportable: StatementList  # others' statements
    sorted_talk: SortedTalk | None  # where the viewer has rated the others
    claims: ClaimTable | None  # where the table shows the sheet
    owner_address: str  # where people continue if another app runs the table, else ""
    owner_messages: list[OwnerMessage]  # to and from that app
    public_link: PublicLink | None  # for a person at the table, if there can be one
    earlier: int = 0  # the position before which there are older lines, 0 for none


@dataclass(frozen=True)
class Earlier:
    """Older lines: those before a position of the viewer's stream."""

    game: str
    ruleset_title: str
    entries: list[TranscriptLine]
    earlier: int  # as on the page
    removable: StatementList  # statements among them that the viewer can remove as the host
    reportable: StatementList  # statements among them that the viewer can report
    owner_address: str  # as on the page
