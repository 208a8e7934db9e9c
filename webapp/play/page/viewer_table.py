"""A game as one viewer sees it now: its seats, its open windows, and the awaited answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game import clock
from game.cached_games import CachedGame, OpenWindow
from game.engine import visibility
from game.engine.events import PUBLIC, Event, Option
from game.engine.forms import Speech
from game.engine.visibility import View
from game.engine.windows import Window
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.models import Desk
from webapp.play.page.agent_cards import build_agent_cards
from webapp.play.page.narrator import Narrator, join_names, role_name
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.talk_passes import TalkProgress, find_progress
from webapp.play.page.transcript_parts import Seat
from webapp.play.visitors import Guest


@dataclass(frozen=True)
class ChoiceOption:
    """An option of a choice, or an addressee of a statement."""

    value: str
    label: str
    seat: Seat | None = None  # the seat that it names or stands for
    is_chosen: bool = False
    name: str = ""  # the seat's name, if the label is another word
    mark: str = ""  # translated "you" or "partner" at night, else ""


@dataclass(frozen=True)
class Awaited:
    """The answers that the table waits for, in one sentence (`#awaited`, announced politely).

    Their count (`#count`) is not announced.
    """

    text: str
    is_mine: bool = False  # it is waiting for this viewer
    answered_count: int = 0
    asked_count: int = 0  # 0: no count to show
    deadline: str = ""  # ISO-8601 UTC, "" for none: the page counts down to it
    default: str = ""  # the consequence of a missed deadline
    has_stand_in: bool = False  # a computer player answers for this viewer
    is_absent: bool = False  # a player whose answer is missing is away
    can_take_over: bool = False  # the host has been away for long, and this viewer may take over
    exit_text: str = ""  # what an eliminated viewer sees from now on, "" for others


class ViewerTable:
    """A game at one moment, with what one viewer may know of it.

    Attributes:
        events_shown: How many events of the log the page shows, None for all. A page at the pace
            quick stands still after the viewer's answer (`count_events_shown`).
        own_windows: Those that ask the viewer, [] if a computer player answers for them.
        has_stand_in: A computer player answers for the viewer.
    """

    def __init__(self, guest: Guest, snapshot: Snapshot, since: int) -> None:
        """Select what may be shown on a page that has shown `since` of the viewer's events."""
        self.guest, self.game, self.snapshot, self.since = guest, guest.game, snapshot, since
        self.disclosed = Disclosure(guest.game, guest.viewer)
        self.view, self.events_shown = self._choose_view()
        self.state, self.narrator = self.view.state, Narrator.of(self.view)
        self.ruleset, self.players = self.narrator.ruleset, snapshot.players
        own_player = next((p for p in snapshot.players if p.seat == self.view.seat), None)
        # A reverse one-to-one: absent until first used.
        self.desk: Desk = (own_player and getattr(own_player, "desk", None)) or Desk()
        self.has_stand_in = bool(own_player and own_player.stand_in)
        # Filtered by the view, so that a database row reveals no more than an event would.
        self.open_windows = [
            o for o in snapshot.position.open_windows if o.window.key in self.state.windows
        ]
        asking_viewer = [o for o in self.open_windows if self.view.seat in o.asked]
        self.own_windows = [] if self.has_stand_in else asking_viewer
        self._has_answered = any(self.view.seat in o.answers for o in self.open_windows)
        statement_windows = [o for o in self.open_windows if isinstance(o.window.legal, Speech)]
        self._speaking = {s for o in statement_windows for s in o.asked if not self.game.paused_at}
        seats = {p.seat: self._seat(p) for p in self.players}
        self.agent_cards = build_agent_cards(snapshot, self.view.seat, seats)
        with_card = {c.seat.number: c.seat_with_favor for c in self.agent_cards}
        self.seats_by_number = {**seats, **with_card}

    def _choose_view(self) -> tuple[View, int | None]:
        """Return the view to show, and how many events of the log it has, None for all."""
        view = self.snapshot.position.view(self.guest.viewer)
        events_shown = count_events_shown(self.game, self.snapshot.position, self.guest.player)
        if events_shown is None:
            return view, None
        earlier_view = self.snapshot.position.view(self.guest.viewer, events_shown)
        if len(earlier_view.events) < self.since <= len(view.events):
            return view, None  # the page has shown more already, at another pace
        return earlier_view, events_shown

    # -- the seats

    def _seat(self, player: Player) -> Seat:
        """Return a seat as the viewer sees it. Viewers who see the same share the object."""
        number = player.seat
        is_me = number == self.view.seat
        role = self.state.roles.get(number, "")
        note = self.desk.notes.get(str(number), {}).get("value", "")
        has_answered, is_speaking = is_me and self._has_answered, number in self._speaking
        is_done = any(number in talk.seats_done for talk in self.visible_talks.values())
        # What else a seat shows is the same for all viewers who are shown as many events.
        key = (number, is_me, has_answered, is_speaking, is_done, role, note, self.events_shown)
        if key not in self.snapshot.seats:
            can_show_away = self.disclosed.can_show_away and not (is_me or player.stand_in)
            is_typing = self.disclosed.is_shown_writing(player) or self.snapshot.is_typing(player)
            self.snapshot.seats[key] = Seat(
                number=number,
                name=player.name,
                portrait=player.portrait_path,
                is_me=is_me,
                is_out=number in self.state.out,
                role=role_name(self.ruleset.name, role),
                role_key=role,
                kind=self.disclosed.kind_of(player),
                is_speaking=is_speaking,
                is_typing=is_speaking and is_typing,
                is_away=can_show_away and self.snapshot.is_away(player),
                has_stand_in=self.disclosed.has_stand_in(player),
                has_left=self.disclosed.has_left(player),
                has_answered=has_answered,
                note=note,
                is_erased=self.disclosed.is_erased(player),
                badges=self.narrator.badges(self.state, number),
                is_done=is_done,
            )
        return self.snapshot.seats[key]

    @cached_property
    def visible_talks(self) -> dict[str, TalkProgress]:
        """The talks under way that the viewer knows of, by window key."""
        progress_by_key = ((o.window.key, self._talk_progress(o.window)) for o in self.open_windows)
        return {key: talk for key, talk in progress_by_key if talk}

    def _talk_progress(self, window: Window) -> TalkProgress | None:
        """Return the progress of a talk in passes. All viewers share that of a public talk."""
        if not window.moment.pass_:
            return None
        if window.answer_audience != PUBLIC:
            return find_progress(self.view, window)
        key = (window.key, self.events_shown)
        if key not in self.snapshot.talks:
            self.snapshot.talks[key] = find_progress(self.view, window)
        return self.snapshot.talks[key]

    # -- the windows

    @cached_property
    def is_out(self) -> bool:
        return self.view.seat in self.state.out

    def has_unheard_statement(self) -> bool:
        """Return whether the viewer has sent a statement that is not public yet."""
        talks = [o for o in self.own_windows if isinstance(o.window.legal, Speech)]
        return any(self.view.seat in o.answers for o in talks)

    def build_option(self, window: Window, option: Option, is_chosen: bool = False) -> ChoiceOption:
        """Build an option of a window, with the seat that it names or stands for."""
        if isinstance(option, int):
            seat, name = self.seats_by_number[option], self.narrator.seat_name(option)
            return ChoiceOption(str(option), name, seat, is_chosen, mark=self._relation(seat))
        label = self.narrator.option_text(window.kind, option)
        number = self.narrator.ruleset.seat_of_option(option, self.view.seat, self.state)
        seat_meant = self.seats_by_number.get(number)
        name = seat_meant.name if seat_meant else ""
        return ChoiceOption(option, label, seat_meant, is_chosen, name)

    def _relation(self, seat: Seat) -> str:
        """Return the seat's relation to the viewer at night: "you", "partner" or "".

        The viewer knows that a partner has the same role.
        """
        if not self.narrator.is_night(self.state.phase):
            return ""
        if seat.is_me:
            return _("you")
        my_role = self.state.roles.get(self.view.seat or 0)
        return _("partner") if my_role and seat.role_key == my_role else ""

    # -- the awaited answers

    @cached_property
    def awaited(self) -> Awaited:
        """The answers that the table waits for, as the viewer may know it."""
        can_act = self.own_windows or self.has_stand_in or self.game.ended_at
        return replace(
            self._awaited(),
            can_take_over=self.snapshot.can_take_over(self.guest),
            exit_text="" if can_act or not self.is_out else self._exit_text(),
        )

    def _awaited(self) -> Awaited:
        if self.state.is_over:
            return Awaited(_("The game is over."))
        if self.game.called_off:
            return Awaited(_("The game was called off. No one has won."))
        if self.game.paused_at:
            text = _(
                "The host has paused the game. The clock is stopped, but you can still write "
                "and answer."
            )
            return Awaited(text, has_stand_in=self.has_stand_in)
        if self.has_stand_in:
            return Awaited(_("A computer player is playing for you."), has_stand_in=True)
        for open_window in self.own_windows:
            if self.view.seat not in open_window.answers:
                window = open_window.window
                is_repeated = window.is_ballot and self._is_repeated(window)
                prompt = self.narrator.wording.window(window.kind).mine
                text = self.narrator.window_text(prompt, window, is_repeated=is_repeated)
                return self._with_progress(open_window, text, is_mine=True)
        if self.has_unheard_statement():
            return Awaited(_("Your statement is in and will appear in a moment."))
        awaited = self._awaited_from_others()
        if self.is_out:
            out_text = _("You are out of the game and can keep watching.")
            awaited = replace(awaited, text=f"{out_text} {awaited.text}")
        return awaited

    def _is_repeated(self, window: Window) -> bool:
        """Return whether the phase had another window of this kind before."""
        for _position, event in self.view.newest_events(["phase_opened", "window_opened"]):
            if event.kind == "phase_opened":
                break
            if event["kind"] == window.kind and event["key"] != window.key:
                return True
        return False

    def _exit_text(self) -> str:
        """Return what an eliminated viewer sees from now on, in a sentence."""
        if len(self.state.roles) == len(self.seats_by_number):
            return _("You can see everyone’s role now. Stay until the end, or come back later.")
        return _("The roles stay hidden until the end. Stay to see them, or come back later.")

    def _awaited_from_others(self) -> Awaited:
        """Return the awaited answers of others: those of a talk first, else of another window."""
        if self.events_shown is not None:  # the page stands still
            text = _("The others continue. You will see everything at once when it is your turn.")
            return Awaited(text)
        talks_first = sorted(
            self.open_windows, key=lambda o: not isinstance(o.window.legal, Speech)
        )
        for open_window in talks_first:
            is_single = len(open_window.asked) == 1
            build = self._awaited_from_one if is_single else self._awaited_from_many
            if (awaited := build(open_window)).text:
                return awaited
        phase = self.narrator.phase_texts(self.state.phase)
        waits = self.narrator.phase_text(phase.waits, self.state.moment) if phase else ""
        return Awaited(waits or _("The game continues in a moment."))

    def _awaited_from_many(self, open_window: OpenWindow) -> Awaited:
        """Return the sentence about several players.

        Except at a blind table, it names those who are away and have not answered.
        """
        text = self.narrator.waiting_text(open_window.window)
        missing = [self.seats_by_number[number] for number in open_window.missing]
        away = [seat.name for seat in missing if seat.is_away]
        if text and away:
            away_text = ngettext("{names} is away.", "{names} are away.", len(away))
            text = f"{text} {away_text.format(names=join_names(away))}"
        return self._with_progress(open_window, text, is_absent=bool(away))

    def _awaited_from_one(self, open_window: OpenWindow) -> Awaited:
        seat = self.seats_by_number[open_window.asked[0]]
        text = self.narrator.waiting_text(open_window.window, seat.name, is_away=seat.is_away)
        awaited = self._with_progress(open_window, text, is_absent=seat.is_away)
        player = next(p for p in self.players if p.seat == seat.number)
        if self.disclosed.can_show_deadline(player):
            return awaited
        return replace(awaited, deadline="", default="")

    def _with_progress(
        self, open_window: OpenWindow, text: str, *, is_mine: bool = False, is_absent: bool = False
    ) -> Awaited:
        """Add the number of answers and the deadline to a sentence, but never who has answered."""
        shows_count = len(open_window.asked) > 1 and self.disclosed.can_show_answer_count
        deadline = open_window.expires_at.isoformat() if open_window.expires_at else ""
        return Awaited(
            text,
            is_mine=is_mine,
            answered_count=len(open_window.answers) if shows_count else 0,
            asked_count=len(open_window.asked) if shows_count else 0,
            deadline=deadline,
            default=_default_text(open_window.window) if deadline else "",
            is_absent=is_absent,
        )


def _default_text(window: Window) -> str:
    """Return what happens to players who have not answered by the deadline."""
    is_speech = isinstance(window.legal, Speech)
    texts = {
        "draw": _("then it is drawn at random"),
        "abstain": _("then no vote is counted"),
        "first": _("then the first of these is chosen"),
    }
    nothing = _("then nothing is said") if is_speech else _("then nothing is saved")
    return texts.get(window.default, nothing)


def count_events_shown(game: Game, position: CachedGame, player: Player | None) -> int | None:
    """Return how many events of the log a player's page shows at the pace quick.

    It stands still between two of their answers: it shows the game up to the first window that
    opened after the last answer. Everything that the agents say until the player's next turn then
    appears together.

    Return None if the page shows all events: at other paces, to other viewers, while a window is
    open to the person, and when they are out.
    """
    if game.pace != clock.QUICK or game.ended_at or game.paused_at:
        return None
    if player is None or not player.is_person_now or player.left_at:
        return None
    seat, log = player.seat, position.log
    awaited = (seat in o.asked for o in position.open_windows if o.window.waits_for != "nobody")
    if seat in position.view(visibility.PUBLIC).state.out or any(awaited):
        return None
    later = range(_events_at_last_answer(log, seat), len(log))
    return next((n for n in later if log[n].kind == "window_opened"), len(log))


def _events_at_last_answer(log: Sequence[Event], seat: int) -> int:
    """Return how many events there were when the seat's last window closed, 0 before that."""
    closed: dict[str, int] = {}  # window key -> how many events there were when it closed
    for number in range(len(log), 0, -1):
        event = log[number - 1]
        if event.kind == "window_closed":
            closed[event["window"]] = number
        elif event.kind == "window_opened" and event["key"] in closed and seat in event["seats"]:
            return closed[event["key"]]
    return 0
