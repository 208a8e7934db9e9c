"""The game's questions to the viewer, and the text for the others meanwhile.

The texts are the ruleset's. There is one part of the page for each form of answer: the composer for
speech, a choice for picks, rows for ratings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.cached_games import OpenWindow
from game.engine.events import PUBLIC
from game.engine.forms import Option as Choosable
from game.engine.forms import Pick, Ratings, Speech
from game.engine.speech_text import NO_LIMIT
from game.engine.visibility import View
from game.engine.windows import Window
from game.engine.wording import PhaseWords
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.models import Desk
from webapp.play.page.drafts import GUESS
from webapp.play.page.narrator import Narrator
from webapp.play.page.own_ratings import standing
from webapp.play.page.sentences import names
from webapp.play.page.talk_passes import TalkProgress, progress_texts
from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class Awaited:
    """The answers that the table waits for, in one sentence (`#awaited`, announced politely).

    Their count (`#count`) is not announced.
    """

    text: str
    mine: bool = False  # it is waiting for this viewer
    answered: int = 0
    asked: int = 0  # 0: no count to show
    deadline: str = ""  # ISO-8601 UTC, "" for none: the page counts down to it
    default: str = ""  # what happens at the deadline
    handed: bool = False  # a computer player answers for this viewer, who can take the seat back
    absent: bool = False  # the awaited player is away
    take_over: bool = False  # the host has been away for long, and this viewer may take over
    # for a player who is out and gets no more questions: what they see now; "" for the others
    gone: str = ""


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    seat: Seat | None = None  # the seat that it names or stands for
    chosen: bool = False
    name: str = ""  # the seat's name, if the label is another word


@dataclass(frozen=True)
class CharacterLimits:
    """The length of a statement in characters (SPEC 1.3), -1 for no limit.

    after: of what stands behind the first `@` with a name.
    """

    base: int
    after: int


@dataclass(frozen=True)
class Secret:
    """A talk that only some hear (`#secret-talk`). hearers: the others who do."""

    title: str
    hears: str
    hearers: list[Seat]


@dataclass(frozen=True)
class TurnPanel:
    """The part of the composer that changes (`#turn`).

    The textarea itself (`#composer`) is never replaced by a push, so that a draft and the
    focus stay. `window` is "" while others speak: then one may draft, not send.

    names: JSON list of the others' names, which an `@` can name; living: of those among them whom
    it speaks to. Both are "" where it names nobody.
    """

    window: str
    max_words: int
    skip: str = ""  # the button to say nothing now, "" for none
    over: str = ""  # the button to say nothing more, "" for none
    hint: str = ""
    to: list[Option] = field(default_factory=list)  # whom one may address
    characters: CharacterLimits | None = None  # where no words are counted
    names: str = ""
    living: str = ""
    secret: Secret | None = None  # where not everybody hears what is said


@dataclass(frozen=True)
class RatingRow:
    """A player to be rated. role: the latest key, "" for none. confidence: 0 for none."""

    seat: Seat
    role: str
    confidence: int


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options`, or with ratings (`#choice`)."""

    window: str
    kind: str  # of the window; "guess" for a private guess, which is no question of the game
    title: str
    help: str
    options: list[Option]
    count: int = 1  # 1: radio buttons; more: checkboxes, exactly `count`
    may_abstain: bool = False
    ballot: bool = False
    rows: list[RatingRow] = field(default_factory=list)  # if players are rated
    roles: list[tuple[str, str]] = field(default_factory=list)  # (key, name) for a rating
    confidences: list[int] = field(default_factory=list)
    why: int = 0  # the most words of a reason; 0: no reason is requested
    why_text: str = ""  # the reason already given
    answered: bool = False  # my answer is in; it can be changed until the window closes
    submit: str = ""
    rated: bool = False  # some of the rows were filled before
    # answers of players who had the same question before
    told: list[str] = field(default_factory=list)


class Questions:
    """One viewer's questions.

    windows: those that the viewer may know to be open. talks: the talks in passes among them, by
    the keys of their windows. handed: a computer player answers for the viewer. is_held: the view
    ends where the viewer acted last (`speaking_pace.events_shown`).
    """

    def __init__(
        self,
        game: Game,
        view: View,
        seats: Mapping[int, Seat],
        players: Sequence[Player],
        windows: Sequence[OpenWindow],
        *,
        desk: Desk,
        handed: bool,
        disclosed: Disclosure,
        talks: Mapping[str, TalkProgress],
        is_held: bool = False,
    ) -> None:
        self.is_held, self.talks = is_held, talks
        self.game, self.view, self.seats, self.players = game, view, seats, players
        self.open, self.desk, self.handed, self.disclosed = windows, desk, handed, disclosed
        self.state, self.narrator = view.state, Narrator.of(view)
        self.mine = [] if handed else [o for o in windows if view.seat in o.asked]

    @cached_property
    def is_out(self) -> bool:
        """Whether the viewer is out of the game, and watches."""
        return self.view.seat in self.state.out

    # -- the awaited answers

    def awaited(self) -> Awaited:
        awaited = self._awaited()
        watches = self.is_out and not (self.mine or self.handed or self.game.ended_at)
        return replace(awaited, gone=self._sees_now()) if watches else awaited

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
                again = window.window.is_ballot and self._was_asked(window.window)
                text = self.narrator.prompt_text(window.window, again=again)
                return self._count(window, text, mine=True)
        if self._words_are_in():
            return Awaited(_("Your words are in. The table hears them in a moment."))
        awaited = self._awaited_text()
        if self.is_out:
            awaited = replace(awaited, text=f"{_('You are out, and watch.')} {awaited.text}")
        return awaited

    def _was_asked(self, window: Window) -> bool:
        """Return whether the phase has asked the same before this window."""
        for _position, event in self.view.newest(["phase_opened", "window_opened"]):
            if event.kind == "phase_opened":
                break
            if event["kind"] == window.kind and event["key"] != window.key:
                return True
        return False

    def _sees_now(self) -> str:
        """Return what an eliminated viewer sees from now on, in a sentence."""
        if len(self.state.roles) == len(self.seats):
            return _("You see everyone’s role now. Stay to the end, or come back to see it.")
        return _("The roles stay hidden until the end. Stay to see it, or come back for it.")

    def _awaited_text(self) -> Awaited:
        """Return the text about those asked: the first speaker, else the first chooser."""
        if self.is_held:
            text = _("The others go on. You read it all at once when the table needs you again.")
            return Awaited(text)
        for window in sorted(self.open, key=lambda o: not isinstance(o.window.legal, Speech)):
            awaited = self._of_one(window) if len(window.asked) == 1 else self._of_many(window)
            if awaited.text:
                return awaited
        phase = self.narrator.phase(self.state.phase)
        waits = self.narrator.of_phase(phase.waits, self.state.moment) if phase else ""
        return Awaited(waits or _("The game goes on in a moment."))

    def _of_many(self, window: OpenWindow) -> Awaited:
        """Return the sentence about several players.

        It names those who are away and have not answered, if the table may know that.
        """
        text = self.narrator.waiting_text(window.window)
        away = [self.seats[seat].name for seat in window.missing if self.seats[seat].away]
        if text and away:
            away_text = ngettext("{names} is away.", "{names} are away.", len(away))
            text = f"{text} {away_text.format(names=names(away))}"
        return self._count(window, text, absent=bool(away))

    def _of_one(self, window: OpenWindow) -> Awaited:
        seat = self.seats[window.asked[0]]
        text = self.narrator.waiting_text(window.window, seat.name, away=seat.away)
        awaited = self._count(window, text, absent=seat.away)
        player = next(p for p in self.players if p.seat == seat.number)
        return (
            replace(awaited, deadline="", default="")
            if self.disclosed.unhurried(player)
            else awaited
        )

    def _count(
        self, window: OpenWindow, text: str, *, mine: bool = False, absent: bool = False
    ) -> Awaited:
        """Add the visible progress and deadline to a sentence, but never who has answered."""
        many = len(window.asked) > 1 and self.disclosed.may_tell_count
        deadline = window.expires_at.isoformat() if window.expires_at else ""
        return Awaited(
            text,
            mine=mine,
            answered=len(window.answers) if many else 0,
            asked=len(window.asked) if many else 0,
            deadline=deadline,
            default=_default(window.window) if deadline else "",
            absent=absent,
        )

    # -- the composer

    def turn(self) -> TurnPanel | None:
        """Return the composer, or None for a viewer who is out or can't write now.

        It is open for a player whose turn it is, in any phase. In a phase of talk one may also
        draft before one's turn.
        """
        if not self.view.seat or self.game.ended_at or self.handed:
            return None
        for window in self.mine:
            legal = window.window.legal
            if isinstance(legal, Speech) and self.view.seat not in window.answers:
                return self._panel(window.window, legal, mine=True)
        return None if self.is_out else self._ahead_of_turn()

    def _ahead_of_turn(self) -> TurnPanel | None:
        """Return the composer before one's turn: in a phase of talk, and in a secret talk."""
        talk = self._talk()
        phase = self.narrator.phase(self.state.phase)
        if talk and (talk.public_speech or not self._is_done(talk)):
            panel = self._panel(talk, talk.speech, mine=False)
        else:
            panel = TurnPanel("", self.narrator.ruleset.max_words)
        may_write = bool(panel.secret) or (phase is not None and phase.talk)
        return replace(panel, hint=self._hint()) if may_write else None

    def _talk(self) -> Window | None:
        """Return the open window of a talk in which the viewer is heard, the newest first."""
        for window in reversed(self.open):
            hearers = window.window.answer_audience
            is_heard = hearers and (hearers == PUBLIC or self.view.seat in hearers.seats)
            if is_heard and isinstance(window.window.legal, Speech):
                return window.window
        return None

    def _is_done(self, talk: Window) -> bool:
        return talk.key in self.talks and self.view.seat in self.talks[talk.key].seats_done

    def progress(self) -> list[str]:
        """Return how far the talk under way is, in sentences."""
        talk = None if self.game.ended_at else self._talk()
        if talk is None or talk.key not in self.talks:
            return []
        player_names = {number: seat.name for number, seat in self.seats.items()}
        return progress_texts(self.talks[talk.key], self.view, talk, player_names)

    def _hint(self) -> str:
        """Return when the draft can be sent."""
        if self._words_are_in():
            return _("Your words are in. The table hears them in a moment.")
        if (talk := self._talk()) and self._is_done(talk):
            return _("What you write now is kept for the next talk.")
        ahead = self._ahead()
        again = not self.narrator.ruleset.rounds or any(phase.talk for phase, _title in ahead)
        if again or not self._has_spoken():
            return _("You can write already; you can say it when your turn comes.")
        hint = _("You have said your last words for today.")
        follows = _("Next: {phase}.").format(phase=ahead[0][1]) if ahead else ""
        return f"{hint} {follows}".strip()

    def _ahead(self) -> list[tuple[PhaseWords, str]]:
        """List the remaining phases of the day after the present one, with titles."""
        now, wording = self.state.moment, self.narrator.wording
        course = list(self.narrator.ruleset.day_phases(now.day))
        return [
            (wording.phase(key), self.narrator.title(replace(now, phase=key, round=number)))
            for key, number in course[course.index((now.phase, now.round)) + 1 :]
        ]

    def _has_spoken(self) -> bool:
        """Return whether the viewer has spoken since the present phase opened."""
        spoken = self.narrator.wording.of_shape("statement")
        for event in reversed(self.view.events):
            if event.kind == "phase_opened":
                return False
            if event.kind in spoken and event["seat"] == self.view.seat:
                return True
        return False

    def _words_are_in(self) -> bool:
        """Return whether the viewer has sent a statement that the table has not heard yet."""
        mine = [o for o in self.mine if isinstance(o.window.legal, Speech)]
        return any(self.view.seat in o.answers for o in mine)

    def _panel(self, window: Window, legal: Speech, *, mine: bool) -> TurnPanel:
        """Return the composer for a window. mine: the viewer is asked in it."""
        its = self.narrator.wording.window(window.kind)
        other_names = [n for s, n in enumerate(self.state.seats, 1) if s != self.view.seat]
        living = [self.view.name(int(s)) for s in legal.options_for(self.view.seat)]
        return TurnPanel(
            window.key if mine else "",
            legal.max_words,
            _(its.skip) if mine and legal.may_skip else "",
            _(its.over) if mine and legal.may_over else "",
            to=self._addressees(window, legal) if mine and not legal.mentions else [],
            characters=self._characters(legal),
            names=json.dumps(other_names) if legal.mentions else "",
            living=json.dumps(living) if legal.mentions else "",
            secret=self._secret(window),
        )

    def _secret(self, window: Window) -> Secret | None:
        """Return who hears what is said in a window, None where everybody does."""
        its, hearers = self.narrator.wording.window(window.kind), window.answer_audience
        if hearers is None or hearers == PUBLIC:
            return None
        title, hears = (_(text) if text else "" for text in (its.title, its.hears))
        return Secret(
            title, hears, [self.seats[seat] for seat in hearers.seats if seat != self.view.seat]
        )

    def _addressees(self, window: Window, legal: Speech) -> list[Option]:
        return [self._option(window, o) for o in legal.options_for(self.view.seat)]

    def _characters(self, legal: Speech) -> CharacterLimits | None:
        return CharacterLimits(legal.base, legal.after) if legal.max_words == NO_LIMIT else None

    # -- picks and ratings

    def choice(self) -> Choice | None:
        """Return the viewer's open choice or ratings, else at night a private guess."""
        pick_windows = [o for o in self.mine if not isinstance(o.window.legal, Speech)]
        # Unanswered questions come first; otherwise the latest answer can be changed.
        for window in [
            *(o for o in pick_windows if self.view.seat not in o.answers),
            *pick_windows[::-1],
        ]:
            if isinstance(window.window.legal, Pick):
                return self._pick(window, window.window.legal)
            if isinstance(window.window.legal, Ratings):
                return self._ratings(window, window.window.legal)
        return self._guess()

    def _pick(self, window: OpenWindow, legal: Pick) -> Choice:
        answer = window.answers.get(self.view.seat)
        chosen = answer.action.targets if answer else ()
        options = [
            self._option(window.window, o, o in chosen) for o in legal.options_for(self.view.seat)
        ]
        question = self._choice(window, answered=answer is not None)
        return replace(
            question,
            options=options,
            count=legal.count,
            may_abstain=legal.may_abstain,
            why=legal.why,
            why_text=answer.action.text if answer else "",
        )

    def _ratings(self, window: OpenWindow, legal: Ratings) -> Choice:
        answer = window.answers.get(self.view.seat)
        ratings = standing(self.view)
        ratings |= {r.seat: r for r in answer.action.ratings} if answer else {}
        rows = []
        for option in legal.options_for(self.view.seat):
            rating = ratings.get(int(option))
            role, sure = (rating.role, rating.confidence) if rating else ("", 0)
            rows.append(RatingRow(self.seats[int(option)], role, sure))
        roles = [(key, self.narrator.role(key)) for key in legal.roles]
        return replace(
            self._choice(window, answered=answer is not None),
            rows=rows,
            rated=any(row.role for row in rows),
            roles=[*roles, (legal.choices[-1], _("can’t tell"))],
            confidences=list(range(legal.least, legal.most + 1)),
        )

    def _choice(self, window: OpenWindow, *, answered: bool) -> Choice:
        its = self.narrator.wording.window(window.window.kind)
        return Choice(
            window=window.window.key,
            kind=window.window.kind,
            title=_(its.title) if its.title else _("Your choice"),
            help=self.narrator.window_text(its.help, window.window) or _help(window.window),
            options=[],
            ballot=its.ballot,
            answered=answered,
            submit=_(its.button) if its.button else _("Choose"),
            told=self._told_before(window.window),
        )

    def _told_before(self, window: Window) -> list[str]:
        """List earlier answers to the same question in this phase, if only a few seats see them."""
        asked_here = self.view.newest(["phase_opened", window.kind])
        same_kind = takewhile(lambda one: one[1].kind == window.kind, asked_here)
        secret = [event for _position, event in same_kind if event.audience != PUBLIC]
        return [
            sentence for event in reversed(secret) if (sentence := self.narrator.event_text(event))
        ]

    def _option(self, window: Window, option: Choosable, chosen: bool = False) -> Option:
        label = self.narrator.label(window, option)
        if isinstance(option, int):
            return Option(str(option), label, self.seats[option], chosen)
        meant_seat = self.narrator.ruleset.stands_for(option, self.view.seat, self.state)
        seat = self.seats.get(meant_seat)
        return Option(option, label, seat, chosen, seat.name if seat else "")

    def _guess(self) -> Choice | None:
        """Return a private guess for a viewer who has no question at night.

        It gives everybody something to do, so that nobody's activity reveals their role. A person
        who is alone with computer players does not need it.
        """
        phase = self.narrator.phase(self.state.phase)
        if phase is None or not phase.guess or not self.view.seat or self.game.ended_at:
            return None
        must_answer = any(self.view.seat not in o.answers for o in self.mine)
        alone = sum(p.kind == Player.PERSON for p in self.players) == 1
        if self.handed or self.is_out or must_answer or (alone and not self.disclosed.says_blind):
            return None
        mine = self.desk.notes.get(GUESS, {})
        guessed = mine.get("seat") if mine.get("phase") == self.state.moment.phase_number else None
        other_seats = [s for n, s in self.seats.items() if not s.is_me and n not in self.state.out]
        return Choice(
            window=f"{GUESS}.{self.state.moment.phase_number}",
            kind=GUESS,
            title=_(phase.guess),
            help=_("A guess for yourself alone: nobody sees it, and it changes nothing."),
            options=[Option(str(s.number), s.name, s, s.number == guessed) for s in other_seats],
            answered=guessed is not None,
            submit=_("Keep my guess"),
        )


def _default(window: Window) -> str:
    """Return what happens at the deadline."""
    if window.default == "draw":
        return _("then it is drawn by lot")
    if window.default == "abstain":
        return _("then no vote is counted")
    if window.default == "first":
        return _("then the first of these is chosen")
    return (
        _("then nothing is said") if isinstance(window.legal, Speech) else _("then nothing is kept")
    )


def _help(window: Window) -> str:
    if not isinstance(window.legal, Pick):
        return ""
    count = window.legal.count
    return ngettext("Choose one.", "Choose {count}.", count).format(count=count)
