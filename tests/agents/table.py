"""A table in memory: whole games of house players, or one seat before one window."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeVar

from agents.backends.house import HouseBackend
from agents.decision import Ask, Decision, Reply, Request
from agents.mind import Mind, Note, mind_at
from agents.packs import pack_of
from agents.personas.big_five import Persona
from agents.recipe import Recipe
from agents.think import Thought, prepare, think
from agents.understanding import understand as talk
from agents.understanding.speech_acts import SpeechAct
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment, to
from game.engine.forms import Form, picking, say, speech
from game.engine.ruleset import Ruleset
from game.engine.script_context import Wait
from game.engine.script_run import ScriptRun
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
    """What `text` means in the one-night game."""
    return talk.understand(text, speaker, tuple(seats), to, ONE_NIGHT)


@dataclass
class Played:
    """One game: its whole log, the views that were answered, how long each thought took (s)."""

    log: list[Event]
    seconds: list[float] = field(default_factory=list)
    decisions: list[tuple[Decision, Thought]] = field(default_factory=list)

    @property
    def roles(self) -> dict[int, str]:
        return {e["seat"]: e["role"] for e in self.log if e.kind == "role_dealt"}

    @property
    def said(self) -> list[tuple[int, str]]:
        """(seat, words) of whatever was said to everybody."""
        return [
            (e["seat"], e["text"])
            for e in self.log
            if e.data.get("manner") == "say" and e.audience == PUBLIC and e.data.get("text")
        ]

    @property
    def votes(self) -> list[tuple[int, Event, tuple[int, ...]]]:
        """(day, the vote, who lived) of every vote that counted, nobody's included."""
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
    plain: bool = False,
    recipe: Recipe | None = None,
    ask: Ask | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Played:
    """A whole game, answered in the order in which windows open.

    `person` may answer for a seat in the house players' stead; `keep` keeps every scene;
    `personas`: who sits where, drawn for the seats that aren't in it. `plain`: in plain speech.
    `recipe`: how all agents are made, in place of `method` and `plain`. `ask`: who answers their
    requests, in place of the house player. `settings`: of the ruleset, where they are no defaults.
    """
    ruleset = rulesets.get(ruleset_name)
    made = recipe or Recipe(method=method, has_plain_speech=plain)
    seats = range(1, len(ruleset.seat_names) + 1)
    who = {seat: replace(made, persona=(personas or {}).get(seat)) for seat in seats}
    cast = {seat: recipe.cast(f"{seed}/{seat}") for seat, recipe in who.items()}
    game = _Game(ruleset, seed, cast, person, keep, ask or HouseBackend().reply, settings or {})
    while not game.state.is_over:
        for window in game.state.windows.values():
            game.answer(window)
        game.go_on()
    return game.played


class _Game:
    """A game under way: what was answered and noted so far."""

    def __init__(
        self,
        ruleset: Ruleset,
        seed: str,
        recipes: Mapping[int, Recipe],
        person: Person | None,
        keep: bool,
        ask: Ask,
        chosen: Mapping[str, Any],
    ) -> None:
        self.ruleset, self.seed, self.recipes = ruleset, seed, recipes
        self.person, self.keep, self.ask = person, keep, ask
        self.answers: dict[str, dict[int, Answer]] = {}
        self.minds: dict[int, list[Note]] = {seat: [] for seat in recipes}
        self.rounds: set[Moment] = set()  # for which all have prepared
        settings = {s.key: s.default for s in ruleset.settings} | dict(chosen)
        opening = {"seats": ruleset.seat_names, "settings": settings}
        self._run = ScriptRun(ruleset, (), SeededRandom(seed), opening)
        self._views = {seat: View(visibility.seat(seat)) for seat in recipes}
        self._seen = dict.fromkeys(recipes, 0)  # how much of the log a view has been made of
        self.played, self.state = Played([]), State()
        self.go_on()

    def _ready(self, wait: Wait) -> bool:
        given = self.answers.get(wait.window.key, {})
        return wait.waits_for == "nobody" or set(wait.window.seats) <= set(given)

    def go_on(self) -> None:
        new = self._run.advance(self.answers, self._ready)
        self.played.log += new
        self.state = reduce(evolve, new, self.state)

    def _view(self, seat: int, upto: int) -> View:
        """The seat's view of the log's first events; what one has grown from is kept."""
        if upto < self._seen[seat]:
            self._views[seat], self._seen[seat] = View(visibility.seat(seat)), 0
        new = self.played.log[self._seen[seat] : upto]
        view = visibility.extend_view(
            self._views[seat], visibility.visible_events(new, visibility.seat(seat))
        )
        self._views[seat], self._seen[seat] = view, upto
        return view

    def answer(self, window: Window) -> None:
        """All who are asked and have not answered answer, and know what was before it opened."""
        if set(self.answers.setdefault(window.key, {})) >= set(window.seats):
            return
        log = upto(self.played.log, window)
        self._prepare(log, window)
        for seat in window.seats:
            if seat in self.answers[window.key]:
                continue
            view = self._view(seat, len(log))
            if self.person and (given := self.person(view, window)):
                self.answers[window.key][seat] = given
                continue
            decision = self._decision(log, window, seat, window.key)
            thought = self._timed(think, self.recipes[seat], decision)
            if self.keep:
                self.played.decisions.append((decision, thought))
            self.answers[window.key][seat] = thought.answer
            self.minds[seat].extend(thought.notes)

    def _prepare(self, log: list[Event], window: Window) -> None:
        """All agents' preparations, as a round's first statement opens."""
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

    def _timed(self, work: Callable[[Recipe, Decision, Ask], T], *what: Any) -> T:
        began = time.perf_counter()
        found = work(*what, self.ask)
        self.played.seconds.append(time.perf_counter() - began)
        return found


def upto(log: list[Event], window: Window) -> list[Event]:
    """The log as it was when `window` opened."""
    opened = [e.data.get("key") if e.kind == "window_opened" else "" for e in log]
    return log[: opened.index(window.key) + 1]


def log_of(roles: Mapping[int, str], *said: tuple[int, str], round: int = 1) -> list[Event]:
    """A one-night log.

    `roles` dealt to the seats named, silent rounds before `round`, then statements.
    """
    log = [
        Event(
            "game_opened",
            PUBLIC,
            {"ruleset": "one-night", "version": 1, "seats": list(NAMES), "settings": {}},
        )
    ]
    log += [Event("role_dealt", to(s), {"seat": s, "role": r}) for s, r in roles.items()]
    masons = sorted(s for s, r in roles.items() if r == "mason")
    if len(masons) == 2:
        log.append(Event("acquainted", to(*masons), {"role": "mason", "seats": masons}))
    for number in range(1, round + 1):
        log.append(Event("phase_opened", PUBLIC, {"phase": "talk", "day": 1, "round": number}))
        opening = Window(f"w{number}", "statement", (1,), speech(120), PUBLIC, PUBLIC)
        log.append(Event("window_opened", PUBLIC, opening.data()))
        log.append(Event("window_closed", PUBLIC, {"window": opening.key}))
    return log + [event for spoken in enumerate(said) for event in _spoken(*spoken)]


def _spoken(number: int, said: tuple[int, str]) -> list[Event]:
    seat, text = said
    window = Window(f"said.{number}", "statement", (seat,), speech(120), PUBLIC, PUBLIC)
    data: dict[str, Any] = {"window": window.key, "seat": seat, **say(text).data()}
    return [
        Event("window_opened", PUBLIC, window.data()),
        Event("statement", PUBLIC, data),
        Event("window_closed", PUBLIC, {"window": window.key}),
    ]


def divined(seat: int, targets: tuple[int, int], found: bool) -> Event:
    return Event("divined", to(seat), {"seat": seat, "targets": list(targets), "found": found})


def scene_of(
    log: list[Event],
    seat: int,
    *,
    kind: str = "statement",
    legal: Form | None = None,
    notes: tuple[Note, ...] = (),
    seed: str = "s",
) -> Decision:
    """`seat` before a window of `kind` that opens after `log`."""
    if legal is None:
        legal = speech(120) if kind == "statement" else picking(range(1, len(NAMES) + 1))
    now = fold(log).moment
    window = Window(f"{kind}.test", kind, (seat,), legal, PUBLIC, PUBLIC, moment=now)
    opened = Event("window_opened", PUBLIC, window.data())
    view = visibility.view_of([*log, opened], visibility.seat(seat))
    return Decision(
        rulesets.get("one-night"), view, window, Mind(notes), SeededRandom(f"{seed}/{seat}")
    )


def ask_house(decision: Decision) -> Thought:
    """What a house player answers."""
    return think(Recipe(method="baseline"), decision, HouseBackend().reply)


def asking(*replies: Reply | Exception) -> tuple[Callable[[str, Request], Reply], list[str]]:
    """A backend that gives `replies` in turn, and the steps it was asked for."""
    steps: list[str] = []
    left = list(replies)

    def ask(step: str, request: Request) -> Reply:
        steps.append(step)
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return ask, steps
