"""Games in memory: whole games of house players, or a single decision of one seat."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeVar

from agents.backends.house import HouseBackend
from agents.decision import Decision, Mind, Note, Reply, Request, Send, mind_at
from agents.packs import pack_of
from agents.personas.big_five import Persona
from agents.recipe import Recipe
from agents.think import Thought, prepare, think
from agents.understanding import understand as talk
from agents.understanding.speech_acts import SpeechAct
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment, only_seats, say
from game.engine.forms import Form, picking, speech
from game.engine.ruleset import Ruleset, ScriptRun
from game.engine.script_context import Wait
from game.engine.seeded_random import SeededRandom
from game.engine.state import State, evolve, fold
from game.engine.visibility import View
from game.engine.windows import Answer, Window

ONE_NIGHT = pack_of(rulesets.get("one-night"))
SHERIFF = pack_of(rulesets.get("sheriff"))
NAMES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
T = TypeVar("T")
Person = Callable[[View, Window], Answer | None]


def understand(
    text: str, speaker: int, seats: Sequence[str] = NAMES, to: int = 0
) -> tuple[SpeechAct, ...]:
    """Return the speech acts of `text` in the one-night game."""
    return talk.understand(text, speaker, tuple(seats), to, ONE_NIGHT)


@dataclass
class PlayedGame:
    """One game: its log, its decisions, and the duration of each thought in seconds."""

    log: list[Event]
    seconds: list[float] = field(default_factory=list)
    decisions: list[tuple[Decision, Thought]] = field(default_factory=list)

    @property
    def roles(self) -> dict[int, str]:
        return {e["seat"]: e["role"] for e in self.log if e.kind == "role_dealt"}

    @property
    def statements(self) -> list[tuple[int, str]]:
        """(seat, text) of all public statements."""
        return [
            (e["seat"], e["text"])
            for e in self.log
            if e.data.get("manner") == "say" and e.audience == PUBLIC and e.data.get("text")
        ]

    @property
    def votes(self) -> list[tuple[int, Event, tuple[int, ...]]]:
        """(day, vote, living seats) of every counted vote, including abstentions."""
        return [
            (state.day, event, state.living())
            for event, state in visibility.steps_with_states(
                visibility.view_of(self.log, visibility.MODERATOR)
            )
            if event.kind == "vote"
        ]

    @property
    def winner(self) -> str:
        return str(next(e["winner"] for e in self.log if e.kind == "game_over"))


def play(
    seed: str,
    ruleset_name: str = "one-night",
    person: Person | None = None,
    keep: bool = False,
    method: str = "full",
    personas: Mapping[int, Persona] | None = None,
    is_plain: bool = False,
    recipe: Recipe | None = None,
    ask: Send | None = None,
    settings: Mapping[str, Any] | None = None,
) -> PlayedGame:
    """Play a whole game and answer its windows in order of opening.

    Args:
        person: Answers for a seat instead of the house player, unless it returns None.
        keep: Whether to record every decision.
        personas: Personas by seat. Other seats get a random one.
        is_plain: Whether agents use plain speech.
        recipe: Recipe of all agents, instead of `method` and `is_plain`.
        ask: Backend of all agents, instead of the house player.
        settings: Ruleset settings that differ from the defaults.
    """
    ruleset = rulesets.get(ruleset_name)
    base_recipe = recipe or Recipe(method=method, has_plain_speech=is_plain)
    seats = range(1, len(ruleset.seat_names) + 1)
    recipes = {seat: replace(base_recipe, persona=(personas or {}).get(seat)) for seat in seats}
    cast = {seat: recipe.cast(f"{seed}/{seat}") for seat, recipe in recipes.items()}
    game = _Game(ruleset, seed, cast, person, keep, ask or HouseBackend().reply, settings or {})
    while not game.state.is_over:
        for window in game.state.windows.values():
            game.answer(window)
        game.go_on()
    return game.played


class _Game:
    """A running game with its answers and notes so far."""

    def __init__(
        self,
        ruleset: Ruleset,
        seed: str,
        recipes: Mapping[int, Recipe],
        person: Person | None,
        keep: bool,
        ask: Send,
        overrides: Mapping[str, Any],
    ) -> None:
        self.ruleset, self.seed, self.recipes = ruleset, seed, recipes
        self.person, self.keep, self.ask = person, keep, ask
        self.answers: dict[str, dict[int, Answer]] = {}
        self.minds: dict[int, list[Note]] = {seat: [] for seat in recipes}
        self.rounds: set[Moment] = set()  # rounds for which all agents have prepared
        settings = {s.key: s.default for s in ruleset.settings} | dict(overrides)
        opening = {"seats": ruleset.seat_names, "settings": settings}
        self._run = ScriptRun(ruleset, (), SeededRandom(seed), opening)
        self._views = {seat: View(visibility.seat(seat)) for seat in recipes}
        self._seen_counts = dict.fromkeys(recipes, 0)  # number of log events that a view covers
        self.played, self.state = PlayedGame([]), State()
        self.go_on()

    def _ready(self, wait: Wait) -> bool:
        answers = self.answers.get(wait.window.key, {})
        return wait.waits_for == "nobody" or set(wait.window.seats) <= set(answers)

    def go_on(self) -> None:
        new = self._run.advance(self.answers, self._ready)
        self.played.log += new
        self.state = reduce(evolve, new, self.state)

    def _view(self, seat: int, count: int) -> View:
        """Return the view of the first `count` events, extending the last view if possible."""
        if count < self._seen_counts[seat]:
            self._views[seat], self._seen_counts[seat] = View(visibility.seat(seat)), 0
        new = self.played.log[self._seen_counts[seat] : count]
        view = visibility.extend_view(
            self._views[seat], visibility.visible_events(new, visibility.seat(seat))
        )
        self._views[seat], self._seen_counts[seat] = view, count
        return view

    def answer(self, window: Window) -> None:
        """Answer for all seats of `window`, based on the log before it opened."""
        if set(self.answers.setdefault(window.key, {})) >= set(window.seats):
            return
        log = log_up_to(self.played.log, window)
        self._prepare(log, window)
        for seat in window.seats:
            if seat in self.answers[window.key]:
                continue
            view = self._view(seat, len(log))
            if self.person and (answer := self.person(view, window)):
                self.answers[window.key][seat] = answer
                continue
            decision = self._decision(log, window, seat, window.key)
            thought = self._timed(think, self.recipes[seat], decision)
            if self.keep:
                self.played.decisions.append((decision, thought))
            self.answers[window.key][seat] = thought.answer
            self.minds[seat].extend(thought.notes)

    def _prepare(self, log: list[Event], window: Window) -> None:
        """Prepare all agents when the first statement of a round opens."""
        state = fold(log)
        if not state.rounds or state.rounds[-1] in self.rounds:
            return
        self.rounds.add(state.rounds[-1])
        key = f"prepare.{state.day}.{state.round}"
        for seat, recipe in self.recipes.items():
            decision = self._decision(log, window, seat, key)
            self.minds[seat].extend(self._timed(prepare, recipe, decision))

    def _decision(self, log: list[Event], window: Window, seat: int, purpose: str) -> Decision:
        closed = {e["window"] for e in log if e.kind == "window_closed"}
        return Decision(
            self.ruleset,
            self._view(seat, len(log)),
            window,
            mind_at(self.minds[seat], window.moment, closed),
            SeededRandom(f"{self.seed}/agent/{seat}/{purpose}"),
        )

    def _timed(self, work: Callable[[Recipe, Decision, Send], T], *arguments: Any) -> T:
        began = time.perf_counter()
        result = work(*arguments, self.ask)
        self.played.seconds.append(time.perf_counter() - began)
        return result


def log_up_to(log: list[Event], window: Window) -> list[Event]:
    """Return the log as it was when `window` opened."""
    opened = [e.data.get("key") if e.kind == "window_opened" else "" for e in log]
    return log[: opened.index(window.key) + 1]


def log_of(roles: Mapping[int, str], *statements: tuple[int, str], round: int = 1) -> list[Event]:
    """Return a one-night log: dealt `roles`, silent rounds before `round`, then `statements`."""
    log = [
        Event(
            "game_opened",
            PUBLIC,
            {"ruleset": "one-night", "version": 1, "seats": list(NAMES), "settings": {}},
        )
    ]
    log += [Event("role_dealt", only_seats(s), {"seat": s, "role": r}) for s, r in roles.items()]
    masons = sorted(s for s, r in roles.items() if r == "mason")
    if len(masons) == 2:
        log.append(Event("acquainted", only_seats(*masons), {"role": "mason", "seats": masons}))
    for number in range(1, round + 1):
        log.append(Event("phase_opened", PUBLIC, {"phase": "talk", "day": 1, "round": number}))
        opening = Window(f"w{number}", "statement", (1,), speech(120), PUBLIC, PUBLIC)
        log.append(Event("window_opened", PUBLIC, opening.to_json()))
        log.append(Event("window_closed", PUBLIC, {"window": opening.key}))
    for number, statement in enumerate(statements):
        log += _statement_events(number, statement)
    return log


def _statement_events(number: int, statement: tuple[int, str]) -> list[Event]:
    seat, text = statement
    window = Window(f"said.{number}", "statement", (seat,), speech(120), PUBLIC, PUBLIC)
    data: dict[str, Any] = {"window": window.key, "seat": seat, **say(text).to_json()}
    return [
        Event("window_opened", PUBLIC, window.to_json()),
        Event("statement", PUBLIC, data),
        Event("window_closed", PUBLIC, {"window": window.key}),
    ]


def divination(seat: int, targets: tuple[int, int], has_found: bool) -> Event:
    return Event(
        "divined", only_seats(seat), {"seat": seat, "targets": list(targets), "found": has_found}
    )


def scene_of(
    log: list[Event],
    seat: int,
    *,
    kind: str = "statement",
    legal: Form | None = None,
    notes: tuple[Note, ...] = (),
    seed: str = "s",
) -> Decision:
    """Return the decision of `seat` in a window of `kind` that opens after `log`."""
    if legal is None:
        legal = speech(120) if kind == "statement" else picking(range(1, len(NAMES) + 1))
    now = fold(log).moment
    window = Window(f"{kind}.test", kind, (seat,), legal, PUBLIC, PUBLIC, moment=now)
    opened = Event("window_opened", PUBLIC, window.to_json())
    view = visibility.view_of([*log, opened], visibility.seat(seat))
    return Decision(
        rulesets.get("one-night"), view, window, Mind(notes), SeededRandom(f"{seed}/{seat}")
    )


def ask_house(decision: Decision) -> Thought:
    """Answer of a house player."""
    return think(Recipe(method="baseline"), decision, HouseBackend().reply)


def scripted_ask(*replies: Reply | Exception) -> tuple[Callable[[str, Request], Reply], list[str]]:
    """Return a backend that gives `replies` in turn, and the list of its requested steps."""
    steps: list[str] = []
    remaining = list(replies)

    def ask(step: str, request: Request) -> Reply:
        steps.append(step)
        reply = remaining.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return ask, steps
