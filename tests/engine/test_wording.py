"""A ruleset has words for everything it does, and they fit what happens."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event
from game.engine.forms import Pick
from game.engine.roles import Look
from game.engine.ruleset import Ruleset
from game.engine.ruleset_checks import InvalidRuleset, check_ruleset
from game.engine.state import State, evolve
from game.engine.wording import (
    NoWording,
    Wording,
    Words,
    concerned_seats,
    event_facts,
    event_figures,
)
from tests.engine.playing import drawing_hand, play
from tests.two_days import TwoDays

RULESETS: list[Ruleset] = [rulesets.get(name) for name in rulesets.names()]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda r: r.name)


class Names:
    """Names for figures, as plain as can be."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset

    def seat(self, number: int) -> str:
        return self.ruleset.seat_names[number - 1]

    def listed(self, names: list[str]) -> str:
        return ", ".join(names)

    def role(self, key: str) -> str:
        return key

    def option(self, kind: str, word: str) -> str:
        windows = self.ruleset.wording.windows
        return windows[kind].options[word] if kind in windows else word


@cache
def games(ruleset: Ruleset) -> list[list[Event]]:
    return [play(ruleset, seed, drawing_hand(seed)).log for seed in map(str, range(12))]


def declared(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """(verb, kind) of every literal kind in the calls of a ruleset's script."""
    verbs = {"tell": 0, "open": 0, "phase": 0, "talk_in_passes": 1}
    for file in Path(inspect.getfile(type(ruleset))).parent.glob("*.py"):
        for call in (n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            given = [k.value for k in call.keywords if k.arg == "kind"]
            given += call.args[verbs[name] :][:1] if name in verbs else []
            for one in given:
                if isinstance(one, ast.Constant):
                    yield name, str(one.value)


@each_ruleset
def test_everything_a_script_does_has_words(ruleset: Ruleset) -> None:
    wording = ruleset.wording
    family = [r.wording for r in RULESETS if type(r) is type(ruleset)]  # rulesets on one script
    own = {*wording.events, *wording.phases}
    others = {kind for its in family for kind in (*its.events, *its.phases)} - own
    found = list(declared(ruleset))
    assert found
    for verb, kind in found:
        if kind in others:
            continue
        if verb == "phase":
            assert wording.phase(kind).title
            continue
        wording.event(kind)
        if verb != "tell":
            wording.window(kind)
    for log in games(ruleset):
        for event in log:
            wording.event(event.kind)
            if event.kind == "phase_opened":
                wording.phase(event["phase"])
            elif event.kind == "window_opened":
                wording.window(event["kind"])
                wording.event(event["kind"])
            elif event.kind == "game_over":
                assert wording.ending(event["reason"]).why


def test_a_kind_without_words_is_named() -> None:
    with pytest.raises(NoWording, match="no words for the kind of event 'earthquake'"):
        TwoDays().wording.event("earthquake")


@each_ruleset
def test_every_sentence_fits_its_event(ruleset: Ruleset) -> None:
    """Whatever case is chosen, its figures are there and say something, for whoever reads it."""
    names = Names(ruleset)
    more = {name: name for name in ("goal", "why", "headline", "deal", "each", "who", "round")}
    said = 0
    for log in games(ruleset):
        for event in log:
            its = ruleset.wording.event(event.kind)
            for viewer in (0, *range(1, len(ruleset.deck) + 1)):
                told = event_facts(event, viewer, ruleset.deck)
                shown = {**more, **event_figures(event, viewer, names)}
                for words in vars(its).values():
                    text = words.sentence_for(told) if isinstance(words, Words) else ""
                    used = {field for _text, field, *_ in Formatter().parse(text) if field}
                    assert not [f for f in used if not shown.get(f)], f"{text!r} for seat {viewer}"
                    sentence = text.format(**shown)
                    assert not set("{}") & set(sentence), sentence
                    assert bool(sentence.strip()) == bool(text), text
                    said += bool(text)
    assert said


@each_ruleset
def test_whatever_is_asked_can_be_shown(ruleset: Ruleset) -> None:
    """A question has a sentence for those asked, and a title where something is chosen.

    Words that may be chosen have names; the day's bar knows every phase that opens.
    """
    for log in games(ruleset):
        state = State()
        for event in log:
            state = evolve(state, event)
            if event.kind == "phase_opened":
                assert (event["phase"], event["round"]) in ruleset.day_phases(event["day"], {})
            if event.kind != "window_opened" or not event["seats"]:
                continue
            window, its = state.windows[event["key"]], ruleset.wording.window(event["kind"])
            assert its.mine
            assert its.name
            assert not isinstance(window.legal, Pick) or its.title
            words = {o for o in window.legal.options_for(0) if isinstance(o, str)}
            assert words <= set(its.options)
            if window.window_audience == PUBLIC:
                assert its.others


@each_ruleset
def test_a_night_tells_nobody_who_acts(ruleset: Ruleset) -> None:
    """While the page lies in the dark, the public stream holds no question and no answer."""
    dark = {key for key, its in ruleset.wording.phases.items() if its.light == "night"}
    for log in games(ruleset):
        phase = ""
        for event in visibility.view_of(log, visibility.PUBLIC).events:
            phase = event["phase"] if event.kind == "phase_opened" else phase
            asked = event.kind in ("window_opened", "window_closed") or "manner" in event.data
            handed_on = "heir" in str(event.data)  # who was killed leaves when the night is over
            assert handed_on or not (phase in dark and asked)


@each_ruleset
def test_who_is_concerned_reads_of_themselves(ruleset: Ruleset) -> None:
    """A sentence that says "you" is chosen for those it concerns alone."""
    for log in games(ruleset):
        for event in log:
            its = ruleset.wording.event(event.kind)
            for viewer in range(1, len(ruleset.deck) + 1):
                text = its.table.sentence_for(event_facts(event, viewer, ruleset.deck))
                assert viewer in concerned_seats(event) or not text.lower().startswith("you ")


def _broken(**changes: object) -> Ruleset:
    """Return the two-day game with other declarations."""
    return type("Broken", (TwoDays,), changes)()


def _window(kind: str, **changes: Any) -> Wording:
    wording = TwoDays.wording
    windows = {**wording.windows, kind: replace(wording.windows[kind], **changes)}
    return replace(wording, windows=windows)


PARTIAL_LOOK = Look("omen", 1, (("werewolf", ("werewolf",)),))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"seat_names": ("Ann", "Ben")}, "seat_names needs 5 different names"),
        ({"deck": ("mason",) * 5}, "the deck holds 'mason', which is not among its roles"),
        ({"wording": _window("attack", picks="kill")}, "'attack' has the unknown picks 'kill'"),
        ({"badge": "crown"}, "the badge 'crown' has no name in the wording"),
        (
            {"day_phases": lambda self, day, settings: [("dusk", 0)]},
            "phase 'dusk' of day 1 has no wording",
        ),
        (
            {"roles": (*TwoDays.roles[1:], replace(TwoDays.roles[0], look=Look("sign", 1, ())))},
            "the look of 'augur' has the event 'sign', which has no wording",
        ),
        (
            {"roles": (*TwoDays.roles[1:], replace(TwoDays.roles[0], look=PARTIAL_LOOK))},
            "the look of 'augur' has no answer for the role 'villager'",
        ),
        ({"roles": (*TwoDays.roles, TwoDays.roles[0])}, "two roles have the key 'augur'"),
        (
            {"settings": (*TwoDays.settings, TwoDays.settings[0])},
            f"two settings have the key '{TwoDays.settings[0].key}'",
        ),
        ({"settings": TwoDays.settings[1:]}, "'candidates' needs 'election', which must stand"),
    ],
)
def test_a_ruleset_that_contradicts_itself_is_refused_by_name(
    changes: dict[str, object], error: str
) -> None:
    check_ruleset(TwoDays())
    with pytest.raises(InvalidRuleset, match=f"ruleset 'two-days': .*{error}"):
        check_ruleset(_broken(**changes))
