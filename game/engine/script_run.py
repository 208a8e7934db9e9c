"""Runs a ruleset's script against the log of a game.

A script is a generator that emits events, opens windows and waits for them. Running it over a
recorded log repeats what is recorded (draws are read back, not drawn) and then continues. So the
log alone determines a game's position, and a ruleset reads like a description of its game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from game.engine.events import PUBLIC, RECORD, Event
from game.engine.ruleset import Ruleset
from game.engine.script_context import Answers, IsReady, Script, ScriptContext, Wait
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import RATE_PEOPLE


class ScriptRun:
    """A run of a ruleset's script, which can be kept and continued (`advance`)."""

    def __init__(
        self,
        ruleset: Ruleset,
        log: Sequence[Event],
        rng: SeededRandom,
        opening: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            opening: `seats` (names), `settings` and `people` (the seats of people) of a new game,
                whose log is empty.
        """
        self._ruleset, self._log, self._opening = ruleset, log, opening or {}
        self._context = ScriptContext(log, rng)
        self._script = self._run()
        self._wait: Wait | None = None

    def advance(
        self, answers: Answers, ready: IsReady, log: Sequence[Event] | None = None
    ) -> list[Event]:
        """Run the script as far as the answers allow. Return the events that follow the log.

        Args:
            answers: the answers to open windows.
            ready: returns whether the answers that a Wait needs are in and the pace allows the game
                to continue. The engine itself has no clock.
            log: the log, if it may have grown since the last call.

        Raises:
            LogMismatch: the rules cannot produce the log.
        """
        context = self._context
        context.new_events, context.answers = [], answers
        if log is not None:
            context.extend_log(log)
        while self._wait is None or context.is_behind or ready(self._wait):
            self._wait = next(self._script, None)
            if self._wait is None:  # the game is over
                break
        return context.new_events

    def _run(self) -> Script:
        context, log, opening = self._context, self._log, self._opening
        first = log[0].data if log else opening
        context.emit(
            "game_opened",
            PUBLIC,
            ruleset=self._ruleset.name,
            version=self._ruleset.version,
            seats=list(first["seats"]),
            settings=dict(first["settings"]),
        )
        if self._ruleset.needs_people_seats or first["settings"].get(RATE_PEOPLE.key):
            people = log[1]["seats"] if log else opening.get("people", ())
            context.emit("people_seated", RECORD, seats=list(people))
        yield from self._ruleset.script(context)


def run_script(
    ruleset: Ruleset,
    log: Sequence[Event],
    *,
    answers: Answers,
    ready: IsReady,
    rng: SeededRandom,
    opening: Mapping[str, Any] | None = None,
) -> list[Event]:
    """Return the events that follow `log`. Use a `ScriptRun` for several steps of one game."""
    return ScriptRun(ruleset, log, rng, opening).advance(answers, ready)
