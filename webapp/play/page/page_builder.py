"""A viewer's page, built from the View, the open windows and the viewer's own desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from django.utils.html import escape
from django.utils.translation import gettext as _

from agents.packs import pack_of
from agents.reliability_scores import scores_after
from game.cached_games import OpenWindow
from game.engine import rulesets
from game.engine.events import PUBLIC
from game.engine.forms import Speech
from game.engine.moments import Moment
from game.engine.ruleset import Ruleset, role_of
from game.engine.visibility import View
from game.engine.windows import Window
from game.models import Player
from webapp.play.daily_deal import news_at_end
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.models import Desk
from webapp.play.page import sentences, table_owners
from webapp.play.page.agent_cards import Mate, company_of
from webapp.play.page.chat import chat_of
from webapp.play.page.choices import Choices, own_ratings
from webapp.play.page.claims_sheet import ClaimTable, claim_table
from webapp.play.page.composer import Composer
from webapp.play.page.ending import End, end_of
from webapp.play.page.host_panel import Hosting, hosting_of
from webapp.play.page.narrator import Narrator
from webapp.play.page.page_parts import DeadRow, Earlier, Me, NoteRow, Page
from webapp.play.page.portrait_paths import portrait_of
from webapp.play.page.public_link import public_link_of
from webapp.play.page.reportable_words import SaidList, to_report, to_take_out
from webapp.play.page.snapshot import Snapshot, take_snapshot
from webapp.play.page.speaking_pace import events_shown, tempo_of
from webapp.play.page.talk_passes import TalkProgress, progress_of
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Phase, Seat, SortedTalk, TalkGroup, TranscriptLine
from webapp.play.page.viewer_windows import ViewerWindows
from webapp.play.visitors import successor_for

MOST = 30_000  # bytes of text, the newest; a frame holds 60,000


def sorted_talk(view: View, ruleset: Ruleset, seats: Mapping[int, Seat]) -> SortedTalk | None:
    """Return the others' statements, grouped by whether the viewer believes them, oldest first.

    Returns None before the viewer has rated anybody. Everything comes from the viewer's own view:
    the questions they got, and what they heard. The transcript still has every statement.
    """
    notes = [
        {"ratings": event["ratings"], "upto": position, "standing": True}
        for position, event in own_ratings(view)
    ]
    if not any(note["ratings"] for note in notes):
        return None
    scores = scores_after(notes, view.role, pack_of(ruleset).hunted)
    groups: dict[bool | None, list[TranscriptLine]] = {True: [], False: [], None: []}
    lines, more = _newest(view, seats)
    for line in lines:
        if line.speaker:
            groups[scores.is_believed(line.speaker.number, line.position)].append(line)
    titles = {
        True: _("From those you believe"),
        False: _("From those you doubt"),
        None: _("Not judged yet"),
    }
    return SortedTalk([TalkGroup(titles[key], groups[key]) for key in titles], more)


def _newest(view: View, seats: Mapping[int, Seat]) -> tuple[list[TranscriptLine], bool]:
    """Return the newest statements of the others that fit, and whether there are older ones."""
    teller, room = TranscriptLines(view, seats), MOST
    newest_lines: list[TranscriptLine] = []
    for position, event in view.newest_events(teller.narrator.wording.kinds_of_shape("statement")):
        line = teller.line(position)
        if line is None or event["seat"] == view.seat or line.silent:
            continue
        room -= len(escape(line.removed or line.text).encode()) + 200
        if room < 0:
            return newest_lines[::-1], True
        newest_lines.append(line)
    return newest_lines[::-1], False


END = 10**9  # beyond every event


def page_for(guest: Guest, since: int = 0, snapshot: Snapshot | None = None) -> Page:
    """Build the guest's page, with the entries after the first `since` events."""
    return _Builder(guest, snapshot or take_snapshot(guest.game), since).page(since)


def first_page_for(guest: Guest) -> Page:
    """Build the page as it is opened, with the latest lines as its entries."""
    built = _Builder(guest, take_snapshot(guest.game))
    entries, earlier = built.lines(END)
    return replace(built.page(END), entries=entries, earlier=earlier)


def earlier_for(guest: Guest, before: int = END) -> Earlier:
    """Build the lines before position `before`, for the button that loads older ones."""
    return _Builder(guest, take_snapshot(guest.game)).earlier(before)


class _Builder:
    def __init__(self, guest: Guest, snapshot: Snapshot, since: int = 0) -> None:
        """since: how many of the viewer's events the page has shown."""
        self.guest, self.game, self.snapshot = guest, guest.game, snapshot
        self.disclosed = Disclosure(guest.game, guest.viewer)
        self.view: View = snapshot.log.view(guest.viewer)
        self.events_shown = events_shown(guest.game, snapshot.position, guest.player)
        if self.events_shown is not None:
            earlier_view = snapshot.log.view(guest.viewer, self.events_shown)
            if len(earlier_view.events) < since <= len(self.view.events):
                self.events_shown = None  # the page has shown more, at another pace
            else:
                self.view = earlier_view
        self.state = self.view.state
        self.ruleset = rulesets.get(guest.game.ruleset)
        self.open = [o for o in snapshot.open if self._may_know(o)]
        self.players = snapshot.players
        speeches = [o for o in self.open if isinstance(o.window.legal, Speech)]
        self.speaking = {s for o in speeches for s in o.asked if not self.game.paused_at}
        self.answered = any(self.view.seat in o.answers for o in self.open)
        mine = next((p for p in snapshot.players if p.seat == self.view.seat), None)
        self.desk = (mine and getattr(mine, "desk", None)) or Desk()
        self.handed = bool(mine and mine.stand_in)
        self.narrator = Narrator.of(self.view)
        seats = {p.seat: self._seat(p) for p in self.players}
        self.company = company_of(snapshot, self.view.seat, seats)
        self.seats = {**seats, **{m.seat.number: _with_card(m) for m in self.company}}
        self.windows = ViewerWindows(
            self.game,
            self.view,
            self.seats,
            self.players,
            self.open,
            desk=self.desk,
            handed=self.handed,
            disclosed=self.disclosed,
            is_held=self.events_shown is not None,
        )

    def _may_know(self, window: OpenWindow) -> bool:
        """Return whether the view shows that the window is open.

        Windows are filtered by the view, so that a database row reveals no more than an event
        would.
        """
        return window.window.key in self.state.windows

    def _end(self) -> End:
        end = end_of(self.snapshot.log, self.view, self.seats, self.game.seed)
        return replace(end, deal_news=news_at_end(self.game, self.guest.player))

    def page(self, since: int) -> Page:
        teller = TranscriptLines(self.view, self.seats)
        over = self.state.is_over
        composer = Composer(self.windows, self._talks)
        turn = composer.turn()
        awaited = replace(self.windows.awaited(), take_over=self._may_take_over())
        return Page(
            game=self.game.code,
            ruleset=self.ruleset.name,
            ruleset_title=_(self.ruleset.title),
            cursor=len(self.view.events),
            phase=self._phase(),
            seats=list(self.seats.values()),
            entries=teller.entries(since + 1),
            awaited=awaited,
            me=self._me(),
            turn=turn,
            progress=composer.progress(),
            dead=self._dead(),
            choice=Choices(self.windows).choice(),
            notes=self._notes(),
            note_roles=[(r.key, _(r.name)) for r in self.ruleset.roles],
            end=self._end() if over else None,
            draft=self.desk.secret_draft if turn and turn.secret else self.desk.draft,
            pace=self.game.pace,
            seed=self.game.seed if over or not self._people() else "",
            host=self._hosting(),
            amended=teller.amended(),
            seat_key=self.desk.key if self.view.seat and not self.disclosed.onward else "",
            status=self.game.status,
            company=self.company,
            next_game=self._next_game(),
            tempo=tempo_of(
                self.game,
                self.snapshot.table,
                self.players,
                host=self.guest.host,
                waits=awaited.mine,
                plays=bool(self.view.seat) and self.view.seat not in self.view.state.out,
            ),
            chat=chat_of(self.guest, self.players),
            research=bool(self.snapshot.table and self.snapshot.table.research),
            reportable=self._reportable(),
            sorted_talk=None if over else sorted_talk(self.view, self.ruleset, self.seats),
            claims=self._claims(),
            onward=self.disclosed.onward,
            told=table_owners.words_of(self.guest),
            public_link=public_link_of(self.guest, self.players),
        )

    def lines(self, before: int) -> tuple[list[TranscriptLine], int]:
        """Return the last lines before that position, and where they begin if there are more.

        The second value is 0 if there are no older lines.
        """
        transcript, more = TranscriptLines(self.view, self.seats).latest(before)
        return transcript, transcript[0].position if more else 0

    def earlier(self, before: int) -> Earlier:
        entries, earlier = self.lines(before)
        positions = range(entries[0].position, entries[-1].position + 1) if entries else range(0)
        host = self.guest.host
        return Earlier(
            self.game.code,
            _(self.ruleset.title),
            entries,
            earlier,
            to_take_out(self.view, self.seats, positions) if host else SaidList(),
            self._reportable(positions),
            self.disclosed.onward,
        )

    def _hosting(self) -> Hosting | None:
        if not self.guest.host or self.disclosed.onward:
            return None
        return hosting_of(self.snapshot, self.view, self.seats)

    def _reportable(self, lines: range | None = None) -> SaidList:
        me = self.guest.player
        if me is None or self.guest.host:
            return SaidList()
        return to_report(self.view, self.seats, me, self.snapshot.reported, lines)

    def _may_take_over(self) -> bool:
        seated = self.guest.player is not None and not self.guest.host
        return seated and self.snapshot.host_is_away

    def _next_game(self) -> str:
        """Return the table at which this one continues, for people with a seat there."""
        table = self.snapshot.table
        if table is None or table.successor_id is None or not self.guest.member:
            return ""
        return successor_for(self.guest, table)

    def _people(self) -> bool:
        return any(p.kind == Player.PERSON for p in self.players)

    def _seat(self, player: Player) -> Seat:
        """Return a seat as the viewer sees it. Viewers who see the same share it."""
        number = player.seat
        is_me = number == self.view.seat
        role = self.state.roles.get(number, "")
        note = self.desk.notes.get(str(number), {}).get("value", "")
        own = (is_me, is_me and self.answered, number in self.speaking, role, note)
        key = (number, *own, self.events_shown)
        if key not in self.snapshot.seats:
            self.snapshot.seats[key] = self._new_seat(player, role, note)
        return self.snapshot.seats[key]

    def _new_seat(self, player: Player, role: str, note: str) -> Seat:
        number, speaking = player.seat, player.seat in self.speaking
        return Seat(
            number=number,
            name=player.name,
            portrait=portrait_of(player),
            is_me=number == self.view.seat,
            out=number in self.state.out,
            role=sentences.role_name(self.ruleset.name, role),
            role_key=role,
            kind=self.disclosed.kind_of(player),
            speaking=speaking,
            typing=speaking and self._types(player),
            away=player.kind == Player.PERSON and self._away(player),
            handed=self.disclosed.has_stand_in(player),
            left=self.disclosed.has_left(player),
            answered=self.answered and number == self.view.seat,
            note=note,
            erased=self.disclosed.is_erased(player),
            badges=self.narrator.badges(self.state, number),
            is_done=any(number in talk.seats_done for talk in self._talks.values()),
        )

    @cached_property
    def _talks(self) -> dict[str, TalkProgress]:
        """The talks under way that the viewer knows of, by the keys of their windows."""
        every = ((o.window.key, self._talk_progress(o.window)) for o in self.open)
        return {key: talk for key, talk in every if talk}

    def _talk_progress(self, window: Window) -> TalkProgress | None:
        """Return how far a talk is. Viewers share that of a public one."""
        if window.answer_audience != PUBLIC:
            return progress_of(self.view, window)
        key = (window.key, self.events_shown)
        if key not in self.snapshot.talks:
            self.snapshot.talks[key] = progress_of(self.view, window)
        return self.snapshot.talks[key]

    def _away(self, player: Player) -> bool:
        """Return whether another person has no page open. The viewer always counts as present."""
        is_other_person = player.seat != self.view.seat and not player.stand_in
        return self.disclosed.may_tell_away and is_other_person and self.snapshot.away(player)

    def _types(self, player: Player) -> bool:
        """Return whether a person pressed a key just now, or is always shown as writing."""
        return self.disclosed.always_writing(player) or self.snapshot.typing(player)

    def _phase(self) -> Phase:
        state, narrator = self.state, self.narrator
        now = (state.phase, state.round)
        order = list(self.ruleset.day_phases(state.day, state.settings))
        if now not in order:  # the game begins, or is over
            order = list(self.ruleset.day_phases(max(state.day, 1), state.settings))
        at = order.index(now) if now in order else len(order) if state.is_over else -1
        steps = [
            (
                narrator.step(phase, Moment(day=state.day, round=n)),
                "done" if i < at else "now" if i == at else "ahead",
            )
            for i, (phase, n) in enumerate(order)
        ]
        icon = narrator.icon(state.phase)
        night = narrator.night(state.phase)
        title = _("Called off") if self.game.called_off else narrator.title_of(state)
        return Phase(state.phase, title, night=night, steps=steps, icon=icon)

    def _dead(self) -> list[DeadRow]:
        """List who is out, by day and cause, in games of several days."""
        rows: dict[tuple[int, str], list[Seat]] = {}
        for death in self.state.deaths if self.ruleset.days != 1 else ():
            rows.setdefault((death.moment.day, death.cause), []).append(self.seats[death.seat])
        title = _("Day {number}")
        return [
            DeadRow(title.format(number=day), self.narrator.cause(cause), seats)
            for (day, cause), seats in rows.items()
        ]

    def _claims(self) -> ClaimTable | None:
        rows = self.snapshot.claims
        if rows is None:
            return None
        return claim_table(self.view, rows, events_shown=self.events_shown)

    def _me(self) -> Me | None:
        if not self.view.role:
            return None
        role = role_of(self.ruleset, self.view.role)
        team = next(t for t in self.ruleset.teams if t.key == role.team)
        return Me(
            seat=self.seats[self.view.seat],
            role=_(role.name),
            role_key=role.key,
            team=_(team.name),
            does=_(role.does),
            goal=_(team.goal),
            knows=self.narrator.knowledge(self.view),
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


def _with_card(mate: Mate) -> Seat:
    favor = mate.favor if mate.level else 0
    return replace(mate.seat, face=mate.level, favor=favor, card=True)
