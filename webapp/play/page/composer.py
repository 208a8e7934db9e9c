"""The composer of statements: what a viewer can say now, to whom, and who hears it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from game.engine.events import PUBLIC
from game.engine.forms import Speech
from game.engine.text_checks import NO_LIMIT
from game.engine.windows import Window
from game.engine.wording import PhaseTexts
from webapp.play.page.transcript_parts import Seat
from webapp.play.page.viewer_windows import (
    ChoiceOption,
    TalkProgress,
    ViewerWindows,
    progress_texts,
)


@dataclass(frozen=True)
class CharacterLimits:
    """The maximum number of characters of a statement (SPEC 1.3), -1 for no limit."""

    base: int
    after: int  # of the text behind the first `@` with a name


@dataclass(frozen=True)
class SecretTalk:
    """A talk that only some players hear (`#secret_talk`)."""

    title: str
    hears: str  # who hears it, in a sentence
    hearers: list[Seat]  # without the viewer


@dataclass(frozen=True)
class TurnPanel:
    """The part of the composer that changes (`#turn`).

    A push never replaces the textarea itself (`#composer`), so that the draft and the focus stay.
    """

    window: str  # its key; "" while others speak: the viewer can draft, but not send
    max_words: int
    skip_label: str = ""  # of the button to say nothing now, "" for none
    over_label: str = ""  # of the button to say nothing more, "" for none
    hint: str = ""  # when the draft can be sent, in a sentence
    addressees: list[ChoiceOption] = field(default_factory=list)  # to choose from
    character_limits: CharacterLimits | None = None  # if the rules count characters
    other_names: str = ""  # JSON list of all others' names if the rules know an `@Name`, else ""
    hearer_names: str = ""  # JSON list of the names that an `@` offers: others who can hear it
    secret: SecretTalk | None = None  # if only some players hear the statement


class Composer:
    """Builds the composer of one viewer.

    Args:
        talks: By window key, the talks in passes that the viewer knows to be open.
    """

    def __init__(self, windows: ViewerWindows, talks: Mapping[str, TalkProgress]) -> None:
        self.windows, self.seats, self.narrator = windows, windows.seats, windows.narrator
        self.talks = talks
        self.game, self.view, self.state = windows.game, windows.view, windows.state

    def panel(self) -> TurnPanel | None:
        """Return the composer, None for a viewer who can't write now.

        A player can write at their own turn, and in a phase of talk also before it.
        """
        if not self.view.seat or self.game.ended_at or self.windows.has_stand_in:
            return None
        for window in self.windows.own_windows:
            legal = window.window.legal
            if isinstance(legal, Speech) and self.view.seat not in window.answers:
                return self._build_panel(window.window, legal, is_awaited=True)
        return None if self.windows.is_out else self._panel_before_turn()

    def _panel_before_turn(self) -> TurnPanel | None:
        """Return the composer before the viewer's turn, in a phase of talk or in a secret talk."""
        talk = self._find_heard_talk()
        phase = self.narrator.phase(self.state.phase)
        if talk and (talk.is_public_speech or not self._is_done(talk)):
            panel = self._build_panel(talk, talk.speech, is_awaited=False)
        else:
            panel = TurnPanel("", self.narrator.ruleset.max_words)
        can_write = bool(panel.secret) or (phase is not None and phase.is_talk)
        return replace(panel, hint=self._hint()) if can_write else None

    def _find_heard_talk(self) -> Window | None:
        """Return the newest open window of a talk whose statements the viewer hears."""
        for window in reversed(self.windows.open_windows):
            hearers = window.window.answer_audience
            is_heard = hearers and (hearers == PUBLIC or self.view.seat in hearers.seats)
            if is_heard and isinstance(window.window.legal, Speech):
                return window.window
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
        if self.windows.has_unheard_statement():
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
        """Return the later phases of the day, each with its title."""
        moment, wording = self.state.moment, self.narrator.wording
        phases = list(self.narrator.ruleset.day_phases(moment.day, self.state.settings))
        return [
            (wording.phase(key), self.narrator.title(replace(moment, phase=key, round=number)))
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
            addressees=[self.windows.build_option(window, o) for o in options if can_address],
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
