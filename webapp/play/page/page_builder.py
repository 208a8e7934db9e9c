"""Builds the page of one viewer from their view, the open windows and their own desk."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.events import PUBLIC, Moment
from game.engine.forms import Speech
from game.engine.ruleset import role_of, team_named
from game.engine.visibility import View
from game.engine.windows import Window
from game.models import Player
from webapp.play import table_owners
from webapp.play.daily_deal import news_at_end
from webapp.play.disclosure import Disclosure
from webapp.play.models import Desk
from webapp.play.page.agent_cards import AgentCard, build_agent_cards
from webapp.play.page.agent_pace import PaceButtons, build_pace_buttons, count_events_shown
from webapp.play.page.answer_forms import Choices, Composer
from webapp.play.page.chat import build_chat
from webapp.play.page.claims_sheet import ClaimTable, build_claim_table
from webapp.play.page.ending import End, build_end
from webapp.play.page.host_panel import HostPanel, StatementList, build_host_panel, list_statements
from webapp.play.page.narrator import Narrator, role_name
from webapp.play.page.page_parts import DeadRow, Me, NoteRow, OlderLines, Page
from webapp.play.page.public_link_panel import build_public_link
from webapp.play.page.snapshot import Snapshot, take_snapshot
from webapp.play.page.transcript_lines import TranscriptLines, sort_talk
from webapp.play.page.transcript_parts import Phase, Seat, TranscriptLine
from webapp.play.page.viewer_windows import TalkProgress, ViewerWindows, find_progress
from webapp.play.visitors import Guest, successor_for
from webapp.storable_text import read_number

END = 10**9  # a position after the last event of every game


def parse_position(text: str) -> int:
    """Return the position that an address or a form holds, END if it holds none."""
    return read_number(text, END)


def page_for(guest: Guest, since: int = 0, snapshot: Snapshot | None = None) -> Page:
    """Build the guest's page, with the entries after the first `since` events."""
    return _PageBuilder(guest, snapshot or take_snapshot(guest.game), since).page()


def first_page_for(guest: Guest) -> Page:
    """Build the page as it is opened, with the latest lines as its entries."""
    builder = _PageBuilder(guest, take_snapshot(guest.game), END)
    entries, older_before = builder.lines(END)
    return replace(builder.page(), entries=entries, older_before_position=older_before)


def earlier_for(guest: Guest, before: int = END) -> OlderLines:
    """Build the lines before position `before`, for the button that loads older ones."""
    return _PageBuilder(guest, take_snapshot(guest.game)).older_lines(before)


class _PageBuilder:
    """Builds the parts of one page.

    Args:
        since: How many of the viewer's events the page has shown. Its entries are those after them.

    Attributes:
        events_shown: How many events of the log the page shows, None for all. A page at the pace
            quick stands still after the viewer's answer (`count_events_shown`).
    """

    def __init__(self, guest: Guest, snapshot: Snapshot, since: int = 0) -> None:
        self.guest, self.game, self.snapshot, self.since = guest, guest.game, snapshot, since
        self.disclosed = Disclosure(guest.game, guest.viewer)
        self.view, self.events_shown = self._choose_view()
        self.state = self.view.state
        self.ruleset = rulesets.get(guest.game.ruleset)
        # Filtered by the view, so that a database row reveals no more than an event would.
        self.open_windows = [o for o in snapshot.open_windows if o.window.key in self.state.windows]
        self.players = snapshot.players
        statement_windows = [o for o in self.open_windows if isinstance(o.window.legal, Speech)]
        self.speaking = {s for o in statement_windows for s in o.asked if not self.game.paused_at}
        self.has_answered = any(self.view.seat in o.answers for o in self.open_windows)
        own_player = next((p for p in snapshot.players if p.seat == self.view.seat), None)
        # A reverse one-to-one: absent until first used.
        self.desk = (own_player and getattr(own_player, "desk", None)) or Desk()
        self.has_stand_in = bool(own_player and own_player.stand_in)
        self.narrator = Narrator.of(self.view)
        seats = {p.seat: self._seat(p) for p in self.players}
        self.cards = build_agent_cards(snapshot, self.view.seat, seats)
        self.seats = {**seats, **{c.seat.number: _seat_with_card(c) for c in self.cards}}
        self.windows = ViewerWindows(
            self.game,
            self.view,
            self.seats,
            self.players,
            self.open_windows,
            desk=self.desk,
            has_stand_in=self.has_stand_in,
            disclosed=self.disclosed,
            is_held=self.events_shown is not None,
        )

    def _choose_view(self) -> tuple[View, int | None]:
        """Return the view to show, and how many events of the log it has, None for all."""
        view = self.snapshot.log.view(self.guest.viewer)
        events_shown = count_events_shown(self.game, self.snapshot.position, self.guest.player)
        if events_shown is None:
            return view, None
        earlier_view = self.snapshot.log.view(self.guest.viewer, events_shown)
        if len(earlier_view.events) < self.since <= len(view.events):
            return view, None  # the page has shown more already, at another pace
        return earlier_view, events_shown

    def page(self) -> Page:
        """Build the page, with the lines after the first `self.since` events as its entries."""
        lines = TranscriptLines(self.view, self.seats)
        is_over = self.state.is_over
        composer = Composer(self.windows, self._visible_talks)
        turn_panel = composer.panel()
        has_secret_turn = turn_panel is not None and turn_panel.secret is not None
        without_people = all(p.kind != Player.PERSON for p in self.players)
        public_link = None
        if self.disclosed.can_publish:
            public_link = build_public_link(self.guest, self.players)
        can_take_over = self.snapshot.can_take_over(self.guest)
        awaited = replace(self.windows.awaited(), can_take_over=can_take_over)
        return Page(
            game=self.game.code,
            ruleset=self.ruleset.name,
            ruleset_title=_(self.ruleset.title),
            cursor=len(self.view.events),
            phase=self._phase(),
            seats=list(self.seats.values()),
            entries=lines.entries(self.since + 1),
            awaited=awaited,
            me=self._me(),
            turn=turn_panel,
            progress=composer.progress(),
            dead=self._dead(),
            choice=Choices(self.windows).current(),
            notes=self._notes(),
            note_roles=[(r.key, _(r.name)) for r in self.ruleset.roles],
            end=self._end(),
            draft=self.desk.secret_draft if has_secret_turn else self.desk.draft,
            pace=self.game.pace,
            seed=self.game.seed if is_over or without_people else "",
            host=self._host_panel(),
            amended=lines.amended(),
            seat_key=self.desk.key if self.view.seat and not self.disclosed.owner_address else "",
            status=self.game.status,
            agent_cards=self.cards,
            next_game=self._next_game(),
            pace_buttons=self._pace_buttons(is_awaited=awaited.is_mine),
            chat=build_chat(self.guest, self.players) if self.disclosed.can_chat else None,
            is_open_to_research=bool(self.snapshot.table and self.snapshot.table.research),
            reportable=self._reportable(),
            sorted_talk=None if is_over else sort_talk(self.view, self.ruleset, self.seats),
            claims=self._claims(),
            owner_address=self.disclosed.owner_address,
            owner_messages=self._owner_messages(),
            public_link=public_link,
        )

    def _end(self) -> End | None:
        if not self.state.is_over:
            return None
        deal_news = news_at_end(self.game, self.guest.player)
        return build_end(self.snapshot.log, self.view, self.seats, self.game.seed, deal_news)

    def _pace_buttons(self, *, is_awaited: bool) -> PaceButtons | None:
        return build_pace_buttons(
            self.game,
            self.snapshot.table,
            self.players,
            is_host=self.guest.is_host,
            is_awaited=is_awaited,
            is_playing=bool(self.view.seat) and self.view.seat not in self.view.state.out,
        )

    def lines(self, before: int) -> tuple[list[TranscriptLine], int]:
        """Return the last lines before a position, and where they begin, 0 if none are older."""
        lines, has_older = TranscriptLines(self.view, self.seats).latest(before)
        return lines, lines[0].position if has_older else 0

    def older_lines(self, before: int) -> OlderLines:
        entries, older_before_position = self.lines(before)
        positions = range(entries[0].position, entries[-1].position + 1) if entries else range(0)
        removable = StatementList()
        if self.guest.is_host:
            removable = list_statements(self.view, self.seats, "remove_words", positions)
        return OlderLines(
            game=self.game.code,
            ruleset_title=_(self.ruleset.title),
            entries=entries,
            older_before_position=older_before_position,
            removable=removable,
            reportable=self._reportable(positions),
            owner_address=self.disclosed.owner_address,
        )

    def _host_panel(self) -> HostPanel | None:
        if not self.guest.is_host or self.disclosed.owner_address:
            return None
        return build_host_panel(self.snapshot, self.view, self.seats)

    def _reportable(self, positions: range | None = None) -> StatementList:
        player = self.guest.player
        if player is None or self.guest.is_host:
            return StatementList()
        return list_statements(
            self.view,
            self.seats,
            "report",
            positions,
            excluded_seat=player.seat,
            reported_keys=self.snapshot.reported.get(player.pk, ()),
        )

    def _owner_messages(self) -> list[table_owners.OwnerMessage]:
        if self.guest.player is None or not self.disclosed.owner_address:
            return []
        return table_owners.list_messages(self.guest)

    def _next_game(self) -> str:
        """Return the code of the table at which this one continues, "" if the guest has no seat."""
        table = self.snapshot.table
        if table is None or table.successor_id is None or not self.guest.is_member:
            return ""
        return successor_for(self.guest, table)

    def _seat(self, player: Player) -> Seat:
        """Return a seat as the viewer sees it. Viewers who see the same share the object."""
        number = player.seat
        is_me = number == self.view.seat
        role = self.state.roles.get(number, "")
        note = self.desk.notes.get(str(number), {}).get("value", "")
        has_answered, is_speaking = is_me and self.has_answered, number in self.speaking
        is_done = any(number in talk.seats_done for talk in self._visible_talks.values())
        # What else a seat shows is the same for all viewers who are shown as many events.
        key = (number, is_me, has_answered, is_speaking, is_done, role, note, self.events_shown)
        if key not in self.snapshot.seats:
            self.snapshot.seats[key] = self._new_seat(player, role, note, is_done=is_done)
        return self.snapshot.seats[key]

    def _new_seat(self, player: Player, role: str, note: str, *, is_done: bool) -> Seat:
        number, is_speaking = player.seat, player.seat in self.speaking
        return Seat(
            number=number,
            name=player.name,
            portrait=player.portrait_path,
            is_me=number == self.view.seat,
            is_out=number in self.state.out,
            role=role_name(self.ruleset.name, role),
            role_key=role,
            kind=self.disclosed.kind_of(player),
            is_speaking=is_speaking,
            is_typing=is_speaking
            and (self.disclosed.is_shown_writing(player) or self.snapshot.is_typing(player)),
            is_away=player.kind == Player.PERSON and self._shows_away(player),
            has_stand_in=self.disclosed.has_stand_in(player),
            has_left=self.disclosed.has_left(player),
            has_answered=self.has_answered and number == self.view.seat,
            note=note,
            is_erased=self.disclosed.is_erased(player),
            badges=self.narrator.badges(self.state, number),
            is_done=is_done,
        )

    @cached_property
    def _visible_talks(self) -> dict[str, TalkProgress]:
        """The talks under way that the viewer knows of, by window key."""
        progress_by_key = ((o.window.key, self._talk_progress(o.window)) for o in self.open_windows)
        return {key: talk for key, talk in progress_by_key if talk}

    def _talk_progress(self, window: Window) -> TalkProgress | None:
        """Return the progress of a talk. All viewers share that of a public talk."""
        if window.answer_audience != PUBLIC:
            return find_progress(self.view, window)
        key = (window.key, self.events_shown)
        if key not in self.snapshot.talks:
            self.snapshot.talks[key] = find_progress(self.view, window)
        return self.snapshot.talks[key]

    def _shows_away(self, player: Player) -> bool:
        """Return whether the viewer sees that another person has no page open."""
        is_other_person = player.seat != self.view.seat and not player.stand_in
        return self.disclosed.can_show_away and is_other_person and self.snapshot.is_away(player)

    def _phase(self) -> Phase:
        """Build the present phase, with the bar of the day's phases."""
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

    def _dead(self) -> list[DeadRow]:
        """List the players who are out, by day and cause, in games of several days."""
        rows = defaultdict[tuple[int, str], list[Seat]](list)
        for death in self.state.deaths if self.ruleset.days != 1 else ():
            rows[death.moment.day, death.cause].append(self.seats[death.seat])
        title = _("Day {number}")
        return [
            DeadRow(title.format(number=day), self.narrator.exit_cause_text(cause), seats)
            for (day, cause), seats in rows.items()
        ]

    def _claims(self) -> ClaimTable | None:
        claims = self.snapshot.claims
        if claims is None:
            return None
        return build_claim_table(self.view, claims, self.events_shown)

    def _me(self) -> Me | None:
        """Return the viewer's role and knowledge, None for watchers."""
        if not self.view.role:
            return None
        role = role_of(self.ruleset, self.view.role)
        team = team_named(self.ruleset, role.team)
        return Me(
            seat=self.seats[self.view.seat],
            role=_(role.name),
            role_key=role.key,
            team=_(team.name),
            ability_text=_(role.does),
            goal=_(team.goal),
            private_facts=self.narrator.private_facts(self.view),
        )

    def _notes(self) -> list[NoteRow]:
        if not self.view.seat:
            return []
        return [
            NoteRow(seat, note.get("value", ""), note.get("text", ""))
            for seat in self.seats.values()
            if not seat.is_me
            for note in [self.desk.notes.get(str(seat.number), {})]
        ]


def _seat_with_card(card: AgentCard) -> Seat:
    favor = card.favor if card.level else 0
    return replace(card.seat, face=card.level, favor=favor, has_card=True)
