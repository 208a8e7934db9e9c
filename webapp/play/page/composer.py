"""The composer: what a viewer may write now, and who hears it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from game.engine.events import PUBLIC
from game.engine.forms import Speech
from game.engine.text_checks import NO_LIMIT
from game.engine.windows import Window
from game.engine.wording import PhaseWords
from webapp.play.page.talk_passes import TalkProgress, progress_texts
from webapp.play.page.transcript_parts import Seat
from webapp.play.page.viewer_windows import Option, ViewerWindows


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

    living: JSON list of the names that an `@` offers, of others who can hear it. names: of all
    others, where the rules give an `@` a meaning; "" elsewhere.
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


class Composer:
    """The composer of one viewer.

    talks: the talks in passes that the viewer knows to be open, by the keys of their windows.
    """

    def __init__(self, windows: ViewerWindows, talks: Mapping[str, TalkProgress]) -> None:
        self.windows, self.seats, self.narrator = windows, windows.seats, windows.narrator
        self.talks = talks
        self.game, self.view, self.state = windows.game, windows.view, windows.state

    def turn(self) -> TurnPanel | None:
        """Return the composer, or None for a viewer who is out or can't write now.

        It is open for a player whose turn it is, in any phase. In a phase of talk one may also
        draft before one's turn.
        """
        if not self.view.seat or self.game.ended_at or self.windows.handed:
            return None
        for window in self.windows.mine:
            legal = window.window.legal
            if isinstance(legal, Speech) and self.view.seat not in window.answers:
                return self._panel(window.window, legal, mine=True)
        return None if self.windows.is_out else self._ahead_of_turn()

    def _ahead_of_turn(self) -> TurnPanel | None:
        """Return the composer before one's turn: in a phase of talk, and in a secret talk."""
        talk = self._talk()
        phase = self.narrator.phase(self.state.phase)
        if talk and (talk.is_public_speech or not self._is_done(talk)):
            panel = self._panel(talk, talk.speech, mine=False)
        else:
            panel = TurnPanel("", self.narrator.ruleset.max_words)
        may_write = bool(panel.secret) or (phase is not None and phase.talk)
        return replace(panel, hint=self._hint()) if may_write else None

    def _talk(self) -> Window | None:
        """Return the open window of a talk in which the viewer is heard, the newest first."""
        for window in reversed(self.windows.open):
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
        if self.windows.words_are_in():
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
        course = list(self.narrator.ruleset.day_phases(now.day, self.state.settings))
        return [
            (wording.phase(key), self.narrator.title(replace(now, phase=key, round=number)))
            for key, number in course[course.index((now.phase, now.round)) + 1 :]
        ]

    def _has_spoken(self) -> bool:
        """Return whether the viewer has spoken since the present phase opened."""
        spoken = self.narrator.wording.kinds_of_shape("statement")
        for event in reversed(self.view.events):
            if event.kind == "phase_opened":
                return False
            if event.kind in spoken and event["seat"] == self.view.seat:
                return True
        return False

    def _panel(self, window: Window, legal: Speech, *, mine: bool) -> TurnPanel:
        """Return the composer for a window. mine: the viewer is asked in it."""
        its = self.narrator.wording.window(window.kind)
        other_names = [n for s, n in enumerate(self.state.seats, 1) if s != self.view.seat]
        living_others = [s for s in self.state.living() if s != self.view.seat]
        hearers = legal.options_for(self.view.seat) if legal.mentions else living_others
        return TurnPanel(
            window.key if mine else "",
            legal.max_words,
            _(its.skip) if mine and legal.may_skip else "",
            _(its.over) if mine and legal.may_over else "",
            to=self._addressees(window, legal) if mine and not legal.mentions else [],
            characters=self._characters(legal),
            names=json.dumps(other_names) if legal.mentions else "",
            living=json.dumps([self.view.name(int(s)) for s in hearers]),
            secret=self._secret(window),
        )

    def _secret(self, window: Window) -> Secret | None:
        """Return who hears what is said in a window, None where everybody does."""
        its, hearers = self.narrator.wording.window(window.kind), window.answer_audience
        if hearers is None or hearers == PUBLIC:
            return None
        title, hears = (_(text) if text else "" for text in (its.title, its.hears))
        return Secret(
            title,
            hears,
            [self.seats[seat] for seat in hearers.seats if seat != self.view.seat],
        )

    def _addressees(self, window: Window, legal: Speech) -> list[Option]:
        return [self.windows.option(window, o) for o in legal.options_for(self.view.seat)]

    def _characters(self, legal: Speech) -> CharacterLimits | None:
        return CharacterLimits(legal.base, legal.after) if legal.max_words == NO_LIMIT else None
