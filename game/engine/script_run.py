"""How a game goes on: a ruleset is a script, and deciding is running it against the log.

A script is a generator that tells events, opens windows and waits for them. Running it again over
a recorded log repeats what is recorded (draws are read back, not drawn) and then goes on. So a
game's position is nothing but its log, and a ruleset reads like its description.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from game.engine.events import PUBLIC, Event
from game.engine.ruleset import Ruleset
from game.engine.script_context import Answers, Ready, Script, ScriptContext, Wait
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import RATE_PEOPLE


class ScriptRun:
    """A script on its way through one game, standing where its log ends.

    It may be kept beside the log that it was run against and go on from there, with what was
    answered since; and with what others have added to that log meanwhile.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        log: Sequence[Event],
        rng: SeededRandom,
        opening: Mapping[str, Any] | None = None,
    ) -> None:
        """Opening (`seats`: names, `settings`, `people`: people's seats) begins a game whose log
        is empty.
        """
        self._ruleset, self._log, self._opening = ruleset, log, opening or {}
        self._context = ScriptContext(log, rng)
        self._script = self._run()
        self._wait: Wait | None = None

    def go_on(
        self, answers: Answers, ready: Ready, log: Sequence[Event] | None = None
    ) -> list[Event]:
        """Return the events that follow upon `log`, given the answers lying in open windows.

        log: where it may have grown since.

        `ready` says whether those a Wait names have answered (and the pace allows going on): the
        engine itself knows no clock. Raises LogMismatch when other rules wrote the log.
        """
        context = self._context
        context.new, context.answers = [], answers
        if log is not None:
            context.follow(log)
        while self._wait is None or context.is_behind or ready(self._wait):
            self._wait = next(self._script, None)
            if self._wait is None:  # the game is over
                break
        return context.new

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
        if self._ruleset.knows_people or first["settings"].get(RATE_PEOPLE.key):
            people = log[1]["seats"] if log else opening.get("people", ())
            context.seat_people(people)
        yield from self._ruleset.script(context)


def decide(
    ruleset: Ruleset,
    log: Sequence[Event],
    *,
    answers: Answers,
    ready: Ready,
    rng: SeededRandom,
    opening: Mapping[str, Any] | None = None,
) -> list[Event]:
    """Return the events that follow upon `log` (`ScriptRun`)."""
    return ScriptRun(ruleset, log, rng, opening).go_on(answers, ready)
