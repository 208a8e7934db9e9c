"""The page of a table for one viewer."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from game.engine.events import Moment
from game.engine.ruleset import role_of, team_named
from game.models import Player
from webapp.play import table_owners
from webapp.play.daily_deal import news_at_end
from webapp.play.page.answer_forms import Choice, Choices, Composer, TurnPanel
from webapp.play.page.chat import Chat, build_chat
from webapp.play.page.claims_sheet import ClaimTable, build_claim_table
from webapp.play.page.ending import End, build_end
from webapp.play.page.host_panel import (
    HostPanel,
    PaceButtons,
    build_host_panel,
    build_pace_buttons,
)
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_lines import TranscriptLines, list_statements, sort_talk
from webapp.play.page.transcript_parts import Phase, Seat, SortedTalk, StatementList, TranscriptLine
from webapp.play.page.viewer_table import ViewerTable
from webapp.play.replay_access import PublicLink, build_public_link
from webapp.play.visitors import Guest, successor_for
from webapp.storable_text import read_number

END = 10**9  # a position after the last event of every game


def parse_position(text: str) -> int:
    """Return the position that an address or a form holds, END if it holds none."""
    return read_number(text, END)


@dataclass(frozen=True)
class Me:
    """The viewer's role and private knowledge (`#me`). None for a watcher."""

    seat: Seat
    role: str
    role_key: str
    team: str
    ability_text: str  # what the role can do or knows, as a sentence
    goal: str
    private_facts: list[str]  # sentences about the facts that the viewer's role knows


@dataclass(frozen=True)
class DeadRow:
    """The players who went out of the game on one day for one cause."""

    day: str  # the day's title
    cause: str
    seats: list[Seat]


@dataclass(frozen=True)
class NoteRow:
    seat: Seat
    role_key: str  # the role that the viewer suspects, "" for none
    text: str


class Page(ViewerTable):
    """A table's page for one viewer.

    Most properties are one partial of `templates/play/` each. The first load and every push render
    the same partials (`live.push.PART_FIELDS`).
    """

    older_before_position = 0  # there are older lines before this position, 0 if none

    def __init__(self, guest: Guest, since: int = 0, snapshot: Snapshot | None = None) -> None:
        """Prepare the page. Its entries are the lines after the first `since` events."""
        super().__init__(guest, snapshot or Snapshot(guest.game), since)
        self.code, self.status, self.pace = self.game.code, self.game.status, self.game.pace
        self.ruleset_title = _(self.ruleset.title)
        self.owner_address = self.disclosed.owner_address  # where people continue, "" for none
        self.cursor = len(self.view.events)  # how many of the viewer's events are on the page
        self.seats = list(self.seats_by_number.values())
        self._lines = TranscriptLines(self.view, self.seats_by_number)
        self._composer = Composer(self)
        # The key of the viewer's private link.
        self.seat_key = self.desk.key if self.view.seat and not self.owner_address else ""

    # -- the game

    @property
    def seed(self) -> str:
        """The seed of the deal, "" while it may not be shown."""
        without_people = all(p.kind != Player.PERSON for p in self.players)
        return self.game.seed if self.state.is_over or without_people else ""

    @property
    def is_open_to_research(self) -> bool:
        """Whether the game may be studied. Everyone at the table reads this."""
        return bool(self.snapshot.table and self.snapshot.table.research)

    @cached_property
    def next_game(self) -> str:
        """The code of the table at which this one continues, "" if the guest has no seat there."""
        table = self.snapshot.table
        if table is None or table.successor_id is None or not self.guest.is_member:
            return ""
        return successor_for(self.guest, table)

    @cached_property
    def phase(self) -> Phase:
        state, narrator = self.state, self.narrator
        present = (state.phase, state.round)
        phases = list(self.ruleset.day_phases(state.day, state.settings))
        if present not in phases:  # the game begins, or is over: show its first or its last day
            phases = list(self.ruleset.day_phases(max(state.day, 1), state.settings))
        edge = len(phases) if state.is_over else -1  # after or before all phases
        present_index = phases.index(present) if present in phases else edge
        steps = []
        for index, (phase, number) in enumerate(phases):
            done_or_ahead = "done" if index < present_index else "ahead"
            mark = "now" if index == present_index else done_or_ahead
            steps.append((narrator.step_name(phase, Moment(day=state.day, round=number)), mark))
        title = _("Called off") if self.game.called_off else narrator.present_title(state)
        is_night, icon = narrator.is_night(state.phase), narrator.phase_icon(state.phase)
        return Phase(state.phase, title, is_night=is_night, steps=steps, icon=icon)

    @cached_property
    def dead(self) -> list[DeadRow]:
        """The players who are out, by day and cause, in games of several days."""
        rows = defaultdict[tuple[int, str], list[Seat]](list)
        for death in self.state.deaths if self.ruleset.days != 1 else ():
            rows[death.moment.day, death.cause].append(self.seats_by_number[death.seat])
        title = _("Day {number}")
        return [
            DeadRow(title.format(number=day), self.narrator.exit_cause_text(cause), seats)
            for (day, cause), seats in rows.items()
        ]

    @cached_property
    def end(self) -> End | None:
        if not self.state.is_over:
            return None
        news = news_at_end(self.game, self.guest.player)
        return build_end(
            self.snapshot.position, self.view, self.seats_by_number, self.game.seed, news
        )

    # -- the talk

    @cached_property
    def entries(self) -> list[TranscriptLine]:
        return self._lines.entries(self.since + 1)

    def show_lines_before(self, position: int) -> None:
        """Make the last lines before a position the entries of the page."""
        self.entries, has_older = self._lines.latest(position)
        self.older_before_position = self.entries[0].position if has_older else 0

    @cached_property
    def amended(self) -> list[TranscriptLine]:
        """The lines whose text was removed after they were shown."""
        return self._lines.amended()

    @cached_property
    def progress(self) -> list[str]:
        return self._composer.progress()

    @cached_property
    def sorted_talk(self) -> SortedTalk | None:
        """The others' statements by belief, None after the game or without the viewer's ratings."""
        if self.state.is_over:
            return None
        return sort_talk(self.view, self.ruleset, self.seats_by_number)

    @cached_property
    def claims(self) -> ClaimTable | None:
        claims = self.snapshot.claims
        return None if claims is None else build_claim_table(self.view, claims, self.events_shown)

    @cached_property
    def chat(self) -> Chat | None:
        return build_chat(self.guest, self.players) if self.disclosed.can_chat else None

    @cached_property
    def reportable(self) -> StatementList:
        """Others' statements, which the viewer can report."""
        return self._list_reportable()

    def _list_reportable(self, positions: range | None = None) -> StatementList:
        player = self.guest.player
        if player is None or self.guest.is_host:
            return StatementList()
        return list_statements(
            self.view,
            self.seats_by_number,
            "report",
            positions,
            excluded_seat=player.seat,
            reported_keys=self.snapshot.reported.get(player.pk, ()),
        )

    # -- the viewer

    @cached_property
    def me(self) -> Me | None:
        if not self.view.role:
            return None
        role = role_of(self.ruleset, self.view.role)
        team = team_named(self.ruleset, role.team)
        return Me(
            seat=self.seats_by_number[self.view.seat],
            role=_(role.name),
            role_key=role.key,
            team=_(team.name),
            ability_text=_(role.does),
            goal=_(team.goal),
            private_facts=self.narrator.private_facts(self.view),
        )

    @cached_property
    def turn(self) -> TurnPanel | None:
        return self._composer.panel()

    @cached_property
    def choice(self) -> Choice | None:
        return Choices(self).current()

    @property
    def draft(self) -> str:
        return self.desk.secret_draft if self.turn and self.turn.secret else self.desk.draft

    @property
    def notes(self) -> list[NoteRow]:
        """The viewer's notes on all other seats, [] for watchers."""
        return [
            NoteRow(seat, note.get("value", ""), note.get("text", ""))
            for seat in self.seats
            if self.view.seat and not seat.is_me
            for note in [self.desk.notes.get(str(seat.number), {})]
        ]

    @property
    def note_roles(self) -> list[tuple[str, str]]:
        """The roles that a note can hold, as (key, name)."""
        return [(role.key, _(role.name)) for role in self.ruleset.roles]

    # -- the panels

    @cached_property
    def host(self) -> HostPanel | None:
        if not self.guest.is_host or self.owner_address:
            return None
        return build_host_panel(self.snapshot, self.view, self.seats_by_number)

    @cached_property
    def pace_buttons(self) -> PaceButtons | None:
        return build_pace_buttons(
            self.game,
            self.snapshot.table,
            self.players,
            is_host=self.guest.is_host,
            is_awaited=self.awaited.is_mine,
            is_playing=bool(self.view.seat) and not self.is_out,
        )

    @cached_property
    def public_link(self) -> PublicLink | None:
        return build_public_link(self.guest, self.players) if self.disclosed.can_publish else None

    @cached_property
    def owner_messages(self) -> list[table_owners.OwnerMessage]:
        if self.guest.player is None or not self.owner_address:
            return []
        return [m for owner in table_owners.owners for m in owner.list_messages(self.guest)]


class FirstPage(Page):
    """The page as it is opened, with the latest lines as its entries."""

    def __init__(self, guest: Guest) -> None:
        super().__init__(guest, END)
        self.show_lines_before(END)


class OlderLines(Page):
    """The lines before a position, for the button that loads older ones."""

    def __init__(self, guest: Guest, before: int = END) -> None:
        super().__init__(guest)
        self.show_lines_before(before)
        positions = [entry.position for entry in self.entries]
        positions_shown = range(positions[0], positions[-1] + 1) if positions else range(0)
        self.reportable = self._list_reportable(positions_shown)
        self.removable = StatementList()  # the statements that the viewer can remove as the host
        if guest.is_host:
            self.removable = list_statements(
                self.view, self.seats_by_number, "remove_words", positions_shown
            )
