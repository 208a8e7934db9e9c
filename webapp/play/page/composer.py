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
from webapp.play.page.viewer_windows import ChoiceOption, ViewerWindows


@dataclass(frozen=True)
class CharacterLimits:
    """The most characters of a statement (SPEC 1.3), -1 for no limit."""

    base: int
    after: int  # of the text behind the first `@` with a name


@dataclass(frozen=True)
class Secret:
    """A talk that only some players hear (`#secret-talk`)."""

    title: str
    hears: str  # a sentence that says who hears it
    hearers: list[Seat]  # without the viewer


@dataclass(frozen=True)
class TurnPanel:
    """The part of the composer that changes (`#turn`).

    A push never replaces the textarea itself (`#composer`), so that the draft and the focus stay.

    Attributes:
        window: "" while others speak. The viewer can then draft, but not send.
        living: JSON list of the names that an `@` offers, of others who can hear it.
        names: JSON list of all others' names if the rules give an `@` a meaning, else "".
    """

    window: str
    max_words: int
    skip: str = ""  # the button to say nothing now, "" for none
    over: str = ""  # the button to say nothing more, "" for none
    hint: str = ""
    to: list[ChoiceOption] = field(default_factory=list)  # whom one may address
    characters: CharacterLimits | None = None  # where no words are counted
    names: str = ""
    living: str = ""
    secret: Secret | None = None  # where not everybody hears what is said


class Composer:
    """Builds the composer of one viewer."""

    def __init__(self, windows: ViewerWindows, talks: Mapping[str, TalkProgress]) -> None:
        """talks: by window key, the talks in passes that the viewer knows to be open."""
        self.windows, self.seats, self.narrator = windows, windows.seats, windows.narrator
        self.talks = talks
        self.game, self.view, self.state = windows.game, windows.view, windows.state

    def panel(self) -> TurnPanel | None:
        """Return the composer, or None for a viewer who is out or can't write now.

        It is open for a player whose turn it is, in any phase. In a phase of talk a player may
        also draft before their turn.
        """
        if not self.view.seat or self.game.ended_at or self.windows.has_stand_in:
            return None
        for window in self.windows.own:
            legal = window.window.legal
            if isinstance(legal, Speech) and self.view.seat not in window.answers:
                return self._build_panel(window.window, legal, is_asked=True)
        return None if self.windows.is_out else self._panel_before_turn()

    def _panel_before_turn(self) -> TurnPanel | None:
        """Return the composer before the viewer's turn, in a phase of talk or in a secret talk."""
        talk = self._heard_talk()
        phase = self.narrator.phase(self.state.phase)
        if talk and (talk.is_public_speech or not self._is_done(talk)):
            panel = self._build_panel(talk, talk.speech, is_asked=False)
        else:
            panel = TurnPanel("", self.narrator.ruleset.max_words)
        can_write = bool(panel.secret) or (phase is not None and phase.is_talk)
        return replace(panel, hint=self._hint()) if can_write else None

    def _heard_talk(self) -> Window | None:
        """Return the newest open window of a talk in which the viewer is heard."""
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
        talk = None if self.game.ended_at else self._heard_talk()
        if talk is None or talk.key not in self.talks:
            return []
        player_names = {number: seat.name for number, seat in self.seats.items()}
        return progress_texts(self.talks[talk.key], self.view, talk, player_names)

    def _hint(self) -> str:
        """Return a sentence that says when the draft can be sent."""
        if self.windows.has_unheard_statement():
            return _("Your statement is in and will appear in a moment.")
        if (talk := self._heard_talk()) and self._is_done(talk):
            return _("Your draft is kept for the next talk.")
        remaining = self._remaining_phases()
        has_more_talk = any(phase.is_talk for phase, _title in remaining)
        if not self.narrator.ruleset.rounds or has_more_talk or not self._has_spoken():
            return _("You can write now and send it when your turn comes.")
        hint = _("You cannot speak again today.")
        next_phase = _("Next: {phase}.").format(phase=remaining[0][1]) if remaining else ""
        return f"{hint} {next_phase}".strip()

    def _remaining_phases(self) -> list[tuple[PhaseWords, str]]:
        moment, wording = self.state.moment, self.narrator.wording
        phases = list(self.narrator.ruleset.day_phases(moment.day, self.state.settings))
        return [
            (wording.phase(key), self.narrator.title(replace(moment, phase=key, round=number)))
            for key, number in phases[phases.index((moment.phase, moment.round)) + 1 :]
        ]

    def _has_spoken(self) -> bool:
        statement_kinds = self.narrator.wording.kinds_of_shape("statement")
        for event in reversed(self.view.events):
            if event.kind == "phase_opened":
                return False
            if event.kind in statement_kinds and event["seat"] == self.view.seat:
                return True
        return False

    def _build_panel(self, window: Window, legal: Speech, *, is_asked: bool) -> TurnPanel:
        """Build the composer for a window. is_asked: the window waits for the viewer."""
        wording = self.narrator.wording.window(window.kind)
        other_names = [n for s, n in enumerate(self.state.seats, 1) if s != self.view.seat]
        living_others = [s for s in self.state.living() if s != self.view.seat]
        hearers = legal.options_for(self.view.seat) if legal.mentions else living_others
        return TurnPanel(
            window.key if is_asked else "",
            legal.max_words,
            _(wording.skip) if is_asked and legal.may_skip else "",
            _(wording.over) if is_asked and legal.may_over else "",
            to=self._addressees(window, legal) if is_asked and not legal.mentions else [],
            characters=CharacterLimits(legal.base, legal.after)
            if legal.max_words == NO_LIMIT
            else None,
            names=json.dumps(other_names) if legal.mentions else "",
            living=json.dumps([self.view.name(int(s)) for s in hearers]),
            secret=self._build_secret(window),
        )

    def _build_secret(self, window: Window) -> Secret | None:
        """Return the hearers of a window's statements, or None if everybody hears them."""
        wording, hearers = self.narrator.wording.window(window.kind), window.answer_audience
        if hearers is None or hearers == PUBLIC:
            return None
        title, hears = (_(text) if text else "" for text in (wording.title, wording.hears))
        others = [self.seats[seat] for seat in hearers.seats if seat != self.view.seat]
        return Secret(title, hears, others)

    def _addressees(self, window: Window, legal: Speech) -> list[ChoiceOption]:
        return [self.windows.build_option(window, o) for o in legal.options_for(self.view.seat)]
