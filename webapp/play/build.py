"""A viewer's page, made from the View, the open windows and the viewer's own desk."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game import portraits
from game.engine import rulesets, views
from game.engine.forms import Pick, Speech
from game.engine.ruleset import role_of
from game.engine.views import View
from game.engine.windows import Window
from game.models import Game, Player
from game.selectors import Open
from webapp.play import sentences
from webapp.play.chat import chat_of
from webapp.play.company import company_of
from webapp.play.ending import end_of
from webapp.play.entries import Teller, knowledge, phase_title
from webapp.play.host_panel import hosting_of
from webapp.play.look import Look, look_at
from webapp.play.models import Desk, Sitting, Table
from webapp.play.page import Awaited, Choice, Mate, Me, NoteRow, Option, Page, Phase, Seat, Turn
from webapp.play.tempo import tempo_of


@dataclass(frozen=True)
class Guest:
    """Who looks at a table: from a seat, or watching (`player` none).

    member: has a place at the table; a spectator who only knows the address has none. visitor: the
    browser, where what is done depends on which of somebody's browsers it is.
    """

    game: Game
    player: Player | None
    host: bool = False
    member: bool = False
    visitor: uuid.UUID | None = None

    @property
    def viewer(self) -> views.Viewer:
        return views.seat(self.player.seat) if self.player else views.PUBLIC


def page_for(guest: Guest, since: int = 0, look: Look | None = None) -> Page:
    """Everything the guest's page shows; its entries only those after the first `since` events."""
    return _Builder(guest, look or look_at(guest.game)).page(since)


def portrait_of(player: Player) -> str:
    """The static path of a player's portrait."""
    return portrait_path(player.portrait)


def portrait_path(number: int) -> str:
    return f"portraits/portrait-{number:02d}.svg"


def portraits_for(game: Game) -> list[tuple[int, str]]:
    """(number, static path) of the portraits a person at the table may choose."""
    return [(number, portrait_path(number)) for number in portraits.free(game)]


class _Builder:
    def __init__(self, guest: Guest, look: Look) -> None:
        self.guest, self.game, self.look = guest, guest.game, look
        self.view: View = look.log.view(guest.viewer)
        self.state = self.view.state
        self.ruleset = rulesets.get(guest.game.ruleset)
        self.open = [o for o in look.open if self._may_know(o)]
        self.players = look.players
        mine = next((p for p in look.players if p.seat == self.view.seat), None)
        self.desk = (mine and getattr(mine, "desk", None)) or Desk()
        self.handed = bool(mine and mine.stand_in)
        self.mine = [] if self.handed else [o for o in self.open if self.view.seat in o.asked]
        plain = {p.seat: self._seat(p) for p in self.players}
        self.company = company_of(look, self.view.seat, plain)
        self.seats = {**plain, **{m.seat.number: _with_card(m) for m in self.company}}

    def _may_know(self, window: Open) -> bool:
        """Open windows come from the view, so that a row can't tell what an event would not."""
        return window.window.key in self.state.windows

    def page(self, since: int) -> Page:
        may_report = self.guest.player is not None and not self.guest.host
        teller = Teller(
            self.view,
            self.seats,
            rounds=self.ruleset.rounds,
            may_report=may_report,
            may_take_out=self.guest.host,
        )
        over = self.state.over
        awaited = self._awaited()
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
            turn=self._turn(),
            choice=self._choice(),
            notes=self._notes(),
            note_roles=[(r.key, _(r.name)) for r in self.ruleset.roles],
            end=end_of(self.look.log, self.view, self.seats) if over else None,
            draft=self.desk.draft,
            pace=self.game.pace,
            seed=self.game.seed if over or not self._people() else "",
            host=hosting_of(self.look, self.view, self.seats) if self.guest.host else None,
            amended=teller.amended(),
            seat_key=self.desk.key if self.view.seat else "",
            status=self.game.status,
            company=self.company,
            next_game=self._next_game(),
            tempo=tempo_of(
                self.game,
                self.look.table,
                self.players,
                host=self.guest.host,
                waits=awaited.mine,
            ),
            chat=chat_of(self.guest, self.players) if over else None,
            research=bool(self.look.table and self.look.table.research),
        )

    def _next_game(self) -> str:
        """The table this one went on to, for those who have a place at it."""
        table = self.look.table
        if table is None or table.successor_id is None or not self.guest.member:
            return ""
        return successor_for(self.guest, table)

    def _people(self) -> bool:
        return any(p.kind == Player.PERSON for p in self.players)

    def _seat(self, player: Player) -> Seat:
        number = player.seat
        role = self.state.roles.get(number, "")
        speaking = any(o.window.kind == "statement" and number in o.asked for o in self.open)
        open_seat = not self.game.blind and not self.game.ended_at
        kind = "" if self.game.blind else _KINDS.get(player.kind, "")
        note = self.desk.notes.get(str(number), {})
        return Seat(
            number=number,
            name=player.name,
            portrait=portrait_of(player),
            is_me=number == self.view.seat,
            out=number in self.state.out,
            role=sentences.role_name(self.ruleset.name, role),
            role_key=role,
            kind=kind,
            speaking=speaking,
            typing=speaking and self._types(player),
            away=self._away(player, open_seat),
            handed=open_seat and player.stand_in,
            answered=any(number == self.view.seat and number in o.answers for o in self.open),
            note=note.get("value", ""),
            erased=player.erased_at is not None and not self.game.blind,
        )

    def _away(self, player: Player, open_seat: bool) -> bool:
        """Who looks at the table is there, noted or not."""
        mine = player.seat == self.view.seat
        return open_seat and not mine and not player.stand_in and self.look.away(player)

    def _types(self, player: Player) -> bool:
        """An agent whose statement is awaited is always at it; a person when keys were pressed.

        At a blind table the two must look the same.
        """
        return not player.by_person or self.game.blind or self.look.typing(player)

    def _phase(self) -> Phase:
        state = self.state
        rounds = self.ruleset.rounds
        now = (state.phase, state.round)
        order = [("night", 0), *(("talk", n) for n in range(1, rounds + 1)), ("vote", 0)]
        at = order.index(now) if now in order else len(order) if state.over else -1
        steps = [
            (
                phase_title(phase, 1, number, rounds),
                "done" if i < at else "now" if i == at else "ahead",
            )
            for i, (phase, number) in enumerate(order)
        ]
        title = phase_title(state.phase, state.day, state.round, rounds)
        return Phase(state.phase, title, night=state.phase == "night", steps=steps)

    def _awaited(self) -> Awaited:
        if self.state.over:
            return Awaited(_("The game is over."))
        if self.game.called_off:
            return Awaited(_("The game was called off. Nobody has won."))
        if self.game.paused_at:
            text = _(
                "The host has paused the table. The clock is stopped; you can still write and"
                " answer."
            )
            return Awaited(text, handed=self.handed)
        if self.handed:
            return Awaited(_("A computer player is playing for you."), handed=True)
        for window in self.mine:
            if self.view.seat not in window.answers:
                return self._awaits_me(window)
        for window in self.open:
            if window.window.kind == "statement":
                return self._awaits_speaker(window)
        for window in self.open:
            if window.window.clock in ("vote", "poll"):
                return self._count(window, _("Waiting for everyone’s vote."))
        if self.state.phase == "night":
            return Awaited(
                _("It is night. Some players have something to do now; the others wait.")
            )
        return Awaited(_("The game goes on in a moment."))

    def _awaits_speaker(self, window: Open) -> Awaited:
        seat = self.seats[window.asked[0]]
        text = _("{name} is away. The table waits.") if seat.away else _("{name} is speaking.")
        told = self._count(window, text.format(name=seat.name), absent=seat.away)
        computer = not next(p for p in self.players if p.seat == seat.number).by_person
        # Nobody has to fear for a computer player's time; at a blind table all are alike.
        return replace(told, deadline="", default="") if computer and not self.game.blind else told

    def _awaits_me(self, window: Open) -> Awaited:
        text = {
            "statement": _("It’s your turn: say something to the table."),
            "vote": _("Vote: who has to go?"),
            "divination": _("You are the Seer: choose two players to look at."),
            "poll": _("Straw poll: who do you think is the Werewolf?"),
        }.get(window.window.kind, _("The table is waiting for you."))
        return self._count(window, text, mine=True)

    def _count(
        self, window: Open, text: str, *, mine: bool = False, absent: bool = False
    ) -> Awaited:
        """The sentence with what may be told of progress and deadline: never who has answered."""
        many = len(window.asked) > 1
        deadline = window.expires_at.isoformat() if window.expires_at else ""
        default = {
            "nothing": _("then nothing is said"),
            "abstain": _("then no vote is counted"),
            "draw": _("then it is drawn by lot"),
        }[window.window.default]
        return Awaited(
            text,
            mine=mine,
            answered=len(window.answers) if many else 0,
            asked=len(window.asked) if many else 0,
            deadline=deadline,
            default=default if deadline else "",
            absent=absent,
        )

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
            knows=knowledge(self.view),
        )

    def _turn(self) -> Turn | None:
        if not self.view.seat or self.game.ended_at or self.handed or self.state.phase != "talk":
            return None
        for window in self.mine:
            legal = window.window.legal
            if isinstance(legal, Speech) and self.view.seat not in window.answers:
                return Turn(
                    window.window.key, legal.max_words, legal.may_skip, legal.may_over, hint=""
                )
        hint = _("You can write already; you can say it when your turn comes.")
        return Turn("", self.ruleset.max_words, hint=hint)

    def _choice(self) -> Choice | None:
        window = next((o for o in self.mine if isinstance(o.window.legal, Pick)), None)
        if window is None:
            return None
        answer = window.answers.get(self.view.seat)
        chosen = answer.action.targets if answer else ()
        title, help_text, submit = _choice_texts(window.window)
        return Choice(
            window=window.window.key,
            kind=window.window.kind,
            title=title,
            help=help_text,
            count=window.window.pick.count,
            options=[
                Option(str(o), self.seats[int(o)].name, self.seats[int(o)], o in chosen)
                for o in window.window.options_for(self.view.seat)
            ],
            may_abstain=window.window.pick.may_abstain,
            answered=answer is not None,
            submit=submit,
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


def successor_for(guest: Guest, table: Table) -> str:
    """The code of the table that `table`'s people went on to, "" where the guest has no place."""
    mine = Sitting.objects.filter(game=table.game, player=guest.player, host=guest.host)
    places = Sitting.objects.filter(game=table.successor_id, visitor__in=mine.values("visitor"))
    place = places.select_related("game").first()
    return place.game.code if place else ""


def _choice_texts(window: Window) -> tuple[str, str, str]:
    """(title, help, label of the button) of a choice."""
    count = window.pick.count
    if window.kind == "vote":
        return (
            _("Your vote"),
            _("Whoever has the most votes is out. You can change your vote until all are in."),
            _("Vote"),
        )
    if window.kind == "divination":
        return (
            _("Look at two players"),
            _("Choose two players. You learn whether the Werewolf is one of the two."),
            _("Look"),
        )
    if window.kind == "poll":
        return (
            _("Straw poll"),
            _("Who do you think is the Werewolf? No player ever sees your answer."),
            _("Answer"),
        )
    text = ngettext("Choose one.", "Choose {count}.", count).format(count=count)
    return _("Your choice"), text, _("Choose")


_KINDS = {Player.PERSON: "person", Player.AGENT: "computer"}
