"""A viewer's page, made from the View, the open windows and the viewer's own desk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game import selectors
from game.engine import rulesets, views
from game.engine.roles import role_of
from game.engine.views import View
from game.engine.windows import Window
from game.models import Game, Player
from game.selectors import Open
from webapp.play import sentences
from webapp.play.ending import end_of
from webapp.play.entries import Teller, knowledge, phase_title
from webapp.play.models import Desk
from webapp.play.page import Awaited, Choice, Me, NoteRow, Option, Page, Phase, Seat, Turn

TYPING_LASTS = timedelta(seconds=6)


@dataclass(frozen=True)
class Guest:
    """Who looks at a table: from a seat, or watching (`player` none)."""

    game: Game
    player: Player | None

    @property
    def viewer(self) -> views.Viewer:
        return views.seat(self.player.seat) if self.player else views.PUBLIC


def page_for(guest: Guest, since: int = 0) -> Page:
    """Everything the guest's page shows; its entries only those after the first `since` events."""
    return _Builder(guest).page(since)


class _Builder:
    def __init__(self, guest: Guest) -> None:
        self.guest, self.game = guest, guest.game
        self.view: View = selectors.view_for(guest.game, guest.viewer)
        self.state = self.view.state
        self.ruleset = rulesets.get(guest.game.ruleset)
        self.open = [o for o in selectors.open_windows(guest.game) if self._may_know(o)]
        self.players = list(Player.objects.filter(game=guest.game).select_related("desk"))
        desk = Desk.objects.filter(player=guest.player).first() if guest.player else None
        self.desk = desk or Desk()
        self.mine = [o for o in self.open if self.view.seat in o.asked]
        self.seats = {p.seat: self._seat(p) for p in self.players}

    def _may_know(self, window: Open) -> bool:
        """Open windows come from the view, so that a row can't tell what an event would not."""
        return window.window.key in self.state.windows

    def page(self, since: int) -> Page:
        teller = Teller(self.view, self.seats, rounds=self.ruleset.rounds)
        over = self.state.over
        return Page(
            game=self.game.code,
            ruleset=self.ruleset.name,
            ruleset_title=_(self.ruleset.title),
            cursor=len(self.view.events),
            phase=self._phase(),
            seats=list(self.seats.values()),
            entries=teller.entries(since + 1),
            awaited=self._awaited(),
            me=self._me(),
            turn=self._turn(),
            choice=self._choice(),
            notes=self._notes(),
            note_roles=[(r.key, _(r.name)) for r in self.ruleset.roles],
            end=end_of(self.game, self.view, self.seats) if over else None,
            draft=self.desk.draft,
            pace=self.game.pace,
            seed=self.game.seed if over or not self._people() else "",
        )

    def _people(self) -> bool:
        return any(p.kind == Player.PERSON for p in self.players)

    def _seat(self, player: Player) -> Seat:
        number = player.seat
        role = self.state.roles.get(number, "")
        speaking = any(o.window.kind == "statement" and number in o.asked for o in self.open)
        kind = "" if self.game.blind else _KINDS.get(player.kind, "")
        note = self.desk.notes.get(str(number), {})
        return Seat(
            number=number,
            name=player.name,
            portrait=f"portraits/portrait-{player.portrait:02d}.svg",
            is_me=number == self.view.seat,
            out=number in self.state.out,
            role=sentences.role_name(self.ruleset.name, role),
            role_key=role,
            kind=kind,
            speaking=speaking,
            typing=speaking and self._types(player),
            answered=any(number == self.view.seat and number in o.answers for o in self.open),
            note=note.get("value", ""),
        )

    def _types(self, player: Player) -> bool:
        """An agent whose statement is awaited is always at it; a person when keys were pressed.

        At a blind table the two must look the same.
        """
        if player.kind == Player.AGENT or self.game.blind:
            return True
        at = getattr(player, "desk", None) and player.desk.typing_at
        return bool(at and timezone.now() - at < TYPING_LASTS)

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
        for window in self.mine:
            if self.view.seat not in window.answers:
                return self._awaits_me(window)
        for window in self.open:
            if window.window.kind == "statement":
                name = self.view.name(window.asked[0])
                return self._count(window, _("{name} is speaking.").format(name=name))
        for window in self.open:
            if window.window.clock in ("vote", "poll"):
                return self._count(window, _("Waiting for everyone’s vote."))
        if self.state.phase == "night":
            return Awaited(_("It is night. Whoever acts in the dark is acting now."))
        return Awaited(_("The moderator is about to go on."))

    def _awaits_me(self, window: Open) -> Awaited:
        text = {
            "statement": _("It’s your turn: say something to the table."),
            "vote": _("Vote: who has to go?"),
            "divination": _("You are the Seer: choose two players to look at."),
            "poll": _("Straw poll: whom do you take for the Werewolf?"),
        }.get(window.window.kind, _("The table is waiting for you."))
        return self._count(window, text, mine=True)

    def _count(self, window: Open, text: str, *, mine: bool = False) -> Awaited:
        """The sentence with what may be told of progress and deadline: never who has answered."""
        many = len(window.asked) > 1
        deadline = window.expires_at.isoformat() if window.expires_at else ""
        default = {
            "nothing": _("then the turn passes in silence"),
            "abstain": _("then no vote is counted"),
            "draw": _("then the lot decides"),
        }[window.window.default]
        return Awaited(
            text,
            mine=mine,
            answered=len(window.answers) if many else 0,
            asked=len(window.asked) if many else 0,
            deadline=deadline,
            default=default if deadline else "",
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
            goal=_(team.goal),
            knows=knowledge(self.view),
        )

    def _turn(self) -> Turn | None:
        if not self.view.seat or self.state.over or self.state.phase != "talk":
            return None
        for window in self.mine:
            legal = window.window.legal
            if legal.form == "speech" and self.view.seat not in window.answers:
                return Turn(
                    window.window.key, legal.max_words, legal.may_skip, legal.may_over, hint=""
                )
        hint = _("You can write already; you can say it when your turn comes.")
        return Turn("", self.ruleset.max_words, hint=hint)

    def _choice(self) -> Choice | None:
        window = next((o for o in self.mine if o.window.legal.form == "pick"), None)
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
            count=window.window.legal.count,
            options=[
                Option(str(o), self.seats[int(o)].name, self.seats[int(o)], o in chosen)
                for o in window.window.options_for(self.view.seat)
            ],
            may_abstain=window.window.legal.may_abstain,
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


def _choice_texts(window: Window) -> tuple[str, str, str]:
    """(title, help, label of the button) of a choice."""
    count = window.legal.count
    if window.kind == "vote":
        return (
            _("Your vote"),
            _("Whoever has the most votes is out. You can change your vote until all are in."),
            _("Vote"),
        )
    if window.kind == "divination":
        return (
            _("Look into the dark"),
            _("Choose two players. You learn whether the Werewolf is one of the two."),
            _("Look"),
        )
    if window.kind == "poll":
        return (
            _("Straw poll"),
            _("Whom do you take for the Werewolf? No player ever sees your answer."),
            _("Answer"),
        )
    text = ngettext("Choose one.", "Choose {count}.", count).format(count=count)
    return _("Your choice"), text, _("Choose")


_KINDS = {Player.PERSON: "person", Player.AGENT: "computer"}
