"""Wording of rulesets: complete, and consistent with their events."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from game.engine import rulesets, visibility
from game.engine.declarations import Look
from game.engine.events import PUBLIC, Event
from game.engine.forms import Pick
from game.engine.ruleset import Ruleset
from game.engine.ruleset_checks import check_ruleset
from game.engine.ruleset_files import InvalidRuleset
from game.engine.state import State, evolve
from game.engine.wording import (
    EventTexts,
    MissingWording,
    Wording,
    concerned_seats,
    event_facts,
    event_figures,
    sentence_for,
)
from tests.engine.playing import drawing_hand, play
from tests.two_days import TwoDays

RULESETS: list[Ruleset] = [rulesets.get(name) for name in rulesets.names()]
# The fields of `EventTexts` that hold sentences.
TEXTS_OF_EVENTS = [
    field.name
    for field in fields(EventTexts)
    if field.name not in ("shape", "icon", "reveals", "is_chapter")
]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda r: r.name)


class Names:
    """Plain names for the figures of a sentence."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset

    def seat_name(self, number: int) -> str:
        return self.ruleset.seat_names[number - 1]

    def join_names(self, names: list[str]) -> str:
        return ", ".join(names)

    def role_name(self, key: str) -> str:
        return key

    def option_text(self, kind: str, word: str) -> str:
        windows = self.ruleset.wording.windows
        return windows[kind].options[word] if kind in windows else word


@cache
def games(ruleset: Ruleset) -> list[list[Event]]:
    return [play(ruleset, seed, drawing_hand(seed)).log for seed in map(str, range(12))]


def declared_kinds(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield (verb, kind) of every literal kind in the calls of a ruleset's script."""
    verbs = {
        "emit": 0,
        "open_window": 0,
        "open_phase": 0,
        "run_talk_in_passes": 1,
        "open_poll": 1,
        "open_night_choice": 1,
    }
    for file in Path(inspect.getfile(type(ruleset))).parent.glob("*.py"):
        for call in (n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            kind_nodes = [k.value for k in call.keywords if k.arg == "kind"]
            kind_nodes += call.args[verbs[name] :][:1] if name in verbs else []
            for node in kind_nodes:
                if isinstance(node, ast.Constant):
                    yield name, str(node.value)


@each_ruleset
def test_every_script_action_has_wording(ruleset: Ruleset) -> None:
    wording = ruleset.wording
    script = type(ruleset).__module__
    family = [r.wording for r in RULESETS if type(r).__module__ == script]
    own = {*wording.events, *wording.phases}
    foreign_kinds = {
        kind
        for wording_of_rules in family
        for kind in (*wording_of_rules.events, *wording_of_rules.phases)
    } - own
    declarations = list(declared_kinds(ruleset))
    assert declarations
    for verb, kind in declarations:
        if kind in foreign_kinds:
            continue
        if verb == "open_phase":
            assert wording.phase(kind).title
            continue
        wording.event(kind)
        if verb != "emit":
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


def test_missing_wording_error_names_the_kind() -> None:
    with pytest.raises(MissingWording, match="no words for the kind of event 'earthquake'"):
        TwoDays().wording.event("earthquake")


@each_ruleset
def test_every_sentence_can_be_filled_from_its_event(ruleset: Ruleset) -> None:
    """Every case of a sentence has all its figures, for every viewer."""
    names = Names(ruleset)
    more = {name: name for name in ("goal", "why", "headline", "deal", "each", "who", "round")}
    sentences = 0
    for log in games(ruleset):
        for event in log:
            event_words = ruleset.wording.event(event.kind)
            for viewer in (0, *range(1, len(ruleset.deck) + 1)):
                facts = event_facts(event, viewer, ruleset.deck)
                figures = {**more, **event_figures(event, viewer, names)}
                for words in TEXTS_OF_EVENTS:
                    text = sentence_for(getattr(event_words, words), facts)
                    used = {field for _text, field, *_ in Formatter().parse(text) if field}
                    assert not [f for f in used if not figures.get(f)], (
                        f"{text!r} for seat {viewer}"
                    )
                    sentence = text.format(**figures)
                    assert not set("{}") & set(sentence), sentence
                    assert bool(sentence.strip()) == bool(text), text
                    sentences += bool(text)
    assert sentences


@each_ruleset
def test_every_question_can_be_displayed(ruleset: Ruleset) -> None:
    """Questions have sentences and titles, options have names, and phases are in the day bar."""
    for log in games(ruleset):
        state = State()
        for event in log:
            state = evolve(state, event)
            if event.kind == "phase_opened":
                assert (event["phase"], event["round"]) in ruleset.day_phases(event["day"], {})
            if event.kind != "window_opened" or not event["seats"]:
                continue
            window, window_words = (
                state.windows[event["key"]],
                ruleset.wording.window(event["kind"]),
            )
            assert window_words.mine
            assert window_words.name
            assert not isinstance(window.legal, Pick) or window_words.title
            words = {o for o in window.legal.options_for(0) if isinstance(o, str)}
            assert words <= set(window_words.options)
            if window.window_audience == PUBLIC:
                assert window_words.waiting


@each_ruleset
def test_night_events_do_not_reveal_who_acts(ruleset: Ruleset) -> None:
    """Public events of a dark phase contain no window and no answer."""
    dark = {key for key, its in ruleset.wording.phases.items() if its.light == "night"}
    for log in games(ruleset):
        phase = ""
        for event in visibility.view_of(log, visibility.PUBLIC).events:
            phase = event["phase"] if event.kind == "phase_opened" else phase
            is_secret = event.kind in ("window_opened", "window_closed") or "manner" in event.data
            is_badge_passed = "heir" in str(
                event.data
            )  # the badge of a killed holder is passed after the night
            assert is_badge_passed or not (phase in dark and is_secret)


@each_ruleset
def test_second_person_is_used_only_for_concerned_seats(ruleset: Ruleset) -> None:
    """A sentence with "you" is used only for the seats it concerns."""
    for log in games(ruleset):
        for event in log:
            event_words = ruleset.wording.event(event.kind)
            for viewer in range(1, len(ruleset.deck) + 1):
                text = sentence_for(event_words.table, event_facts(event, viewer, ruleset.deck))
                assert viewer in concerned_seats(event) or not text.lower().startswith("you ")


def _changed_ruleset(**changes: object) -> Ruleset:
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
def test_inconsistent_ruleset_error_names_the_fault(changes: dict[str, object], error: str) -> None:
    check_ruleset(TwoDays())
    with pytest.raises(InvalidRuleset, match=f"ruleset 'two-days': .*{error}"):
        check_ruleset(_changed_ruleset(**changes))
