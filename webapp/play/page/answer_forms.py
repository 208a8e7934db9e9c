"""The forms in which a viewer answers: choices and ratings, and the composer of statements."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.reliability_scale import ratings_in_note
from game.cached_games import OpenWindow
from game.engine.events import PUBLIC, Event
from game.engine.forms import Pick, Ratings, Speech
from game.engine.labels import TIMEOUT
from game.engine.text_checks import NO_LIMIT
from game.engine.visibility import View
from game.engine.windows import Window
from game.engine.wording import PhaseTexts
from game.models import Player
from webapp.play.page.desk_storage import GUESS_KEY
from webapp.play.page.talk_passes import progress_texts
from webapp.play.page.transcript_parts import Seat
from webapp.play.page.viewer_table import ChoiceOption, ViewerTable

GUESS_KIND = "guess"  # kind of the form for a private guess at night
RATING_MANNERS = ("rate", "nothing")  # values of "manner" in the answers to rating forms


@dataclass(frozen=True)
class RatingField:
    """A player to be rated, with the viewer's latest rating."""

    seat: Seat
    role: str  # the role's key, "" for no role
    confidence: int  # 0 for no confidence


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options`, or with ratings (`#choice`)."""

    window: str  # the window's key
    kind: str  # the window's kind, or "guess": a private guess that the rules do not ask for
    title: str
    help: str
    options: list[ChoiceOption]
    count: int = 1  # 1: radio buttons; more: checkboxes, exactly `count`
    can_abstain: bool = False
    is_ballot: bool = False
    # One row for each rated player, [] if no players are rated.
    rows: list[RatingField] = field(default_factory=list)
    # (key, name) of the roles that a rating can name.
    roles: list[tuple[str, str]] = field(default_factory=list)
    confidences: list[int] = field(default_factory=list)
    max_reason_words: int = 0  # 0: no reason is requested
    reason: str = ""  # the reason that was given already
    is_answered: bool = False  # the answer is in; it can be changed until the window closes
    has_timed_out: bool = False  # the rules gave that answer, because the time ran out
    submit: str = ""  # the label of the button
    has_ratings: bool = False  # some of the rows were filled before
    earlier_answers: list[str] = field(default_factory=list)  # others' answers to the same question


class Choices:
    def __init__(self, table: ViewerTable) -> None:
        self.table, self.seats, self.narrator = table, table.seats_by_number, table.narrator
        self.game, self.view, self.state = table.game, table.view, table.state

    def current(self) -> Choice | None:
        """Return the viewer's open choice or ratings, else at night a private guess."""
        choices = [o for o in self.table.own_windows if not isinstance(o.window.legal, Speech)]
        unanswered = [o for o in choices if self.view.seat not in o.answers]
        # Unanswered questions come first; otherwise the latest answer can be changed.
        for open_window in [*unanswered, *choices[::-1]]:
            legal = open_window.window.legal
            if isinstance(legal, Pick):
                return self._build_pick(open_window, legal)
            if isinstance(legal, Ratings):
                return self._build_ratings(open_window, legal)
        return self._build_guess()

    def _build_pick(self, open_window: OpenWindow, legal: Pick) -> Choice:
        answer = open_window.answers.get(self.view.seat)
        chosen = answer.action.targets if answer else ()
        options = [
            self.table.build_option(open_window.window, o, o in chosen)
            for o in legal.options_for(self.view.seat)
        ]
        return replace(
            self._base_choice(open_window, is_answered=answer is not None),
            options=options,
            count=legal.count,
            can_abstain=legal.may_abstain,
            max_reason_words=legal.max_reason_words,
            reason=answer.action.text if answer else "",
        )

    def _build_ratings(self, open_window: OpenWindow, legal: Ratings) -> Choice:
        answer = open_window.answers.get(self.view.seat)
        events = own_ratings(self.view)
        ratings = {r.seat: r for _position, event in events for r in ratings_in_note(event.data)}
        ratings |= {r.seat: r for r in answer.action.ratings} if answer else {}
        rows = []
        for option in legal.options_for(self.view.seat):
            rating = ratings.get(int(option))
            role, confidence = (rating.role, rating.confidence) if rating else ("", 0)
            rows.append(RatingField(self.seats[int(option)], role, confidence))
        roles = [(key, self.narrator.role_name(key)) for key in legal.roles]
        return replace(
            self._base_choice(open_window, is_answered=answer is not None),
            rows=rows,
            has_ratings=any(row.role for row in rows),
            roles=[*roles, (legal.choices[-1], _("can’t tell"))],
            confidences=list(range(legal.min_confidence, legal.max_confidence + 1)),
        )

    def _base_choice(self, open_window: OpenWindow, *, is_answered: bool) -> Choice:
        """Build the fields of a choice that picks and ratings have in common."""
        window = open_window.window
        wording = self.narrator.wording.window(window.kind)
        return Choice(
            window=window.key,
            kind=window.kind,
            title=_(wording.title) if wording.title else _("Your choice"),
            help=self._help(open_window, is_answered=is_answered),
            options=[],
            is_ballot=wording.is_ballot,
            is_answered=is_answered,
            has_timed_out=is_answered and TIMEOUT in open_window.answers[self.view.seat].labels,
            submit=_(wording.button) if wording.button else _("Choose"),
            earlier_answers=self._earlier_answers(window),
        )

    def _help(self, open_window: OpenWindow, *, is_answered: bool) -> str:
        """Return the rules of a choice. For an open vote, add until when it can be changed."""
        window = open_window.window
        wording = self.narrator.wording.window(window.kind)
        text = self.narrator.window_text(wording.help, window) or _count_help(window)
        if not wording.is_ballot or is_answered:  # choice.html says it for an answered vote
            return text
        until = _("You can change your vote until everyone has voted.")
        # Where the count is secret, a voter must not learn that theirs is the last missing vote.
        is_count_shown = self.table.disclosed.can_show_answer_count
        if is_count_shown and open_window.missing == (self.view.seat,):
            until = _("All other votes are in. You cannot change yours.")
        return f"{text} {until}"

    def _earlier_answers(self, window: Window) -> list[str]:
        """List the answers in this phase to the same question, if only some players see them."""
        newest = self.view.newest_events(["phase_opened", window.kind])
        in_this_phase = takewhile(lambda item: item[1].kind == window.kind, newest)
        secret_events = [event for _position, event in in_this_phase if event.audience != PUBLIC]
        return [text for e in reversed(secret_events) if (text := self.narrator.event_text(e))]

    def _build_guess(self) -> Choice | None:
        """Build a private guess for a viewer whom the rules ask nothing at night.

        So everyone has something to do, and activity at night does not reveal a role. A person
        alone with computer players does not need it.
        """
        phase = self.narrator.phase_texts(self.state.phase)
        if phase is None or not phase.guess or not self.view.seat or self.game.ended_at:
            return None
        must_answer = any(self.view.seat not in o.answers for o in self.table.own_windows)
        is_alone = sum(p.kind == Player.PERSON for p in self.table.players) == 1
        needs_no_cover = is_alone and not self.table.disclosed.is_blind
        if self.table.has_stand_in or self.table.is_out or must_answer or needs_no_cover:
            return None
        note = self.table.desk.notes.get(GUESS_KEY, {})
        phase_number = self.state.moment.phase_number
        guessed = note.get("seat") if note.get("phase") == phase_number else None
        suspects = [s for n, s in self.seats.items() if not s.is_me and n not in self.state.out]
        return Choice(
            window=f"{GUESS_KIND}.{phase_number}",
            kind=GUESS_KIND,
            title=_(phase.guess),
            help=_("Only you see this guess. It does not affect the game."),
            options=[ChoiceOption(str(s.number), s.name, s, s.number == guessed) for s in suspects],
            is_answered=guessed is not None,
            submit=_("Save my guess"),
        )


def _count_help(window: Window) -> str:
    """Return how many options must be chosen, "" for ratings."""
    if not isinstance(window.legal, Pick):
        return ""
    count = window.legal.count
    return ngettext("Choose one.", "Choose {count}.", count).format(count=count)


def own_ratings(view: View) -> Iterator[tuple[int, Event]]:
    """Yield (position, event) of every rating form that the viewer answered, oldest first.

    Answers by timeout or by a stand-in are skipped: they contain no judgement of the viewer.
    """
    events = view.events
    rating_positions = (
        positions
        for positions in view.positions_by_kind.values()
        if events[positions[0] - 1].data.get("manner") in RATING_MANNERS
    )
    for position in sorted(chain(*rating_positions)):
        event = events[position - 1]
        if "ratings" in event.data and event["seat"] == view.seat and not event.labels:
            yield position, event


@dataclass(frozen=True)
class CharacterLimits:
    """The maximum number of characters of a statement (SPEC 1.3), -1 for no limit."""

    base: int
    after: int  # limit of the text behind the first `@` with a name


@dataclass(frozen=True)
class SecretTalk:
    """A talk that only some players hear (`#secret_talk`)."""

    title: str
    hears: str  # who hears it, in a sentence
    hearers: list[Seat]  # all who hear it except the viewer


@dataclass(frozen=True)
class TurnPanel:
    """The part of the composer that changes (`#turn`).

    A push never replaces the textarea itself (`#composer`), so that the draft and the focus stay.
    """

    window: str  # its key; "" while others speak: the viewer can draft, but not send
    max_words: int
    skip_label: str = ""  # label of the button to say nothing now, "" for no button
    over_label: str = ""  # label of the button to say nothing more, "" for no button
    hint: str = ""  # when the draft can be sent, in a sentence
    # Players whom the viewer can address.
    addressees: list[ChoiceOption] = field(default_factory=list)
    character_limits: CharacterLimits | None = None  # None unless the rules count characters
    other_names: str = ""  # JSON list of all others' names if the rules know an `@Name`, else ""
    hearer_names: str = ""  # JSON list of the names that an `@` offers: others who can hear it
    secret: SecretTalk | None = None  # None if all players hear the statement


class Composer:
    def __init__(self, table: ViewerTable) -> None:
        self.table, self.seats, self.narrator = table, table.seats_by_number, table.narrator
        self.talks = table.visible_talks
        self.game, self.view, self.state = table.game, table.view, table.state

    def panel(self) -> TurnPanel | None:
        """Return the composer, None for a viewer who can't write now.

        A player can write at their own turn, and in a phase of talk also before it.
        """
        if not self.view.seat or self.game.ended_at or self.table.has_stand_in:
            return None
        for open_window in self.table.own_windows:
            legal = open_window.window.legal
            if isinstance(legal, Speech) and self.view.seat not in open_window.answers:
                return self._build_panel(open_window.window, legal, is_awaited=True)
        return None if self.table.is_out else self._panel_before_turn()

    def _panel_before_turn(self) -> TurnPanel | None:
        """Return the composer before the viewer's turn, in a phase of talk or in a secret talk."""
        talk = self._find_heard_talk()
        phase = self.narrator.phase_texts(self.state.phase)
        if talk and (talk.is_public_speech or not self._is_done(talk)):
            panel = self._build_panel(talk, talk.speech, is_awaited=False)
        else:
            panel = TurnPanel("", self.narrator.ruleset.max_words)
        can_write = bool(panel.secret) or (phase is not None and phase.is_talk)
        return replace(panel, hint=self._hint()) if can_write else None

    def _find_heard_talk(self) -> Window | None:
        """Return the newest open window of a talk whose statements the viewer hears."""
        for window in (o.window for o in reversed(self.table.open_windows)):
            hearers = window.answer_audience
            is_heard = hearers and (hearers == PUBLIC or self.view.seat in hearers.seats)
            if is_heard and isinstance(window.legal, Speech):
                return window
        return None

    def _is_done(self, talk: Window) -> bool:
        return talk.key in self.talks and self.view.seat in self.talks[talk.key].seats_done

    def progress(self) -> list[str]:
        """Return the sentences on the progress of the talk that the viewer hears."""
        talk = None if self.game.ended_at else self._find_heard_talk()
        if talk is None or talk.key not in self.talks:
            return []
        player_names = {number: seat.name for number, seat in self.seats.items()}
        return progress_texts(self.talks[talk.key], self.view, talk, player_names)

    def _hint(self) -> str:
        """Return a sentence that says when the draft can be sent."""
        if self.table.has_unheard_statement():
            return _("Your statement is in and will appear in a moment.")
        if (talk := self._find_heard_talk()) and self._is_done(talk):
            return _("Your draft is kept for the next talk.")
        phases_left = self._phases_left()
        has_more_talk = any(phase.is_talk for phase, _title in phases_left)
        if not self.narrator.ruleset.rounds or has_more_talk or not self._has_spoken():
            return _("You can write now and send it when your turn comes.")
        hint = _("You cannot speak again today.")
        next_phase = _("Next: {phase}.").format(phase=phases_left[0][1]) if phases_left else ""
        return f"{hint} {next_phase}".strip()

    def _phases_left(self) -> list[tuple[PhaseTexts, str]]:
        moment, wording = self.state.moment, self.narrator.wording
        phases = list(self.narrator.ruleset.day_phases(moment.day, self.state.settings))
        return [
            (
                wording.phase(key),
                self.narrator.phase_title(replace(moment, phase=key, round=number)),
            )
            for key, number in phases[phases.index((moment.phase, moment.round)) + 1 :]
        ]

    def _has_spoken(self) -> bool:
        """Return whether the viewer has made a statement in the present phase."""
        statement_kinds = self.narrator.wording.kinds_of_shape("statement")
        for event in reversed(self.view.events):
            if event.kind == "phase_opened":
                return False
            if event.kind in statement_kinds and event["seat"] == self.view.seat:
                return True
        return False

    def _build_panel(self, window: Window, legal: Speech, *, is_awaited: bool) -> TurnPanel:
        wording = self.narrator.wording.window(window.kind)
        other_names = [n for s, n in enumerate(self.state.seats, 1) if s != self.view.seat]
        options = legal.options_for(self.view.seat)
        living_others = [s for s in self.state.living() if s != self.view.seat]
        hearers = options if legal.has_mentions else living_others
        can_address = is_awaited and not legal.has_mentions
        limits = CharacterLimits(legal.max_characters, legal.max_characters_after)
        return TurnPanel(
            window.key if is_awaited else "",
            legal.max_words,
            skip_label=_(wording.skip) if is_awaited and legal.may_skip else "",
            over_label=_(wording.over) if is_awaited and legal.may_over else "",
            addressees=[self.table.build_option(window, o) for o in options if can_address],
            character_limits=limits if legal.max_words == NO_LIMIT else None,
            other_names=json.dumps(other_names) if legal.has_mentions else "",
            hearer_names=json.dumps([self.view.name(int(s)) for s in hearers]),
            secret=self._build_secret(window),
        )

    def _build_secret(self, window: Window) -> SecretTalk | None:
        """Return the secret talk of a window, None if everyone hears its statements."""
        wording, hearers = self.narrator.wording.window(window.kind), window.answer_audience
        if hearers is None or hearers == PUBLIC:
            return None
        title, hears = (_(text) if text else "" for text in (wording.title, wording.hears))
        other_hearers = [self.seats[seat] for seat in hearers.seats if seat != self.view.seat]
        return SecretTalk(title, hears, other_hearers)
