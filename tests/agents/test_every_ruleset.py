"""Whole games of every ruleset, played by house players, and the prompts models would get.

The two-day test ruleset adds whispers, ratings, a badge, a word choice and a night kill.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache

import pytest

from agents.decision import Decision, Request
from agents.llm.prompting import build_messages
from agents.packs import pack_of
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.events import PUBLIC, UNCERTAIN, Event, say
from game.engine.forms import Pick, Ratings, Speech
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import PlayedGame, play
from tests.engine.playing import FEW_STATEMENTS

RULESETS = rulesets.names()
SEEDS = [f"any/{i}" for i in (3, 4, 5, 6, 23)]
FEW_SEEDS = {"one-night": SEEDS[:2], "aiwolf-13": SEEDS[:1]}  # one game covers all windows
MORE_SEEDS = {"aiwolf-5": ["5", "6"]}  # games with an attack


@lru_cache
def games(ruleset: str) -> list[PlayedGame]:
    """Return the whole games in which the first seat of each private audience says something."""
    seeds = [*FEW_SEEDS.get(ruleset, SEEDS), *MORE_SEEDS.get(ruleset, ())]
    few = FEW_STATEMENTS.get(ruleset)
    return [play(s, ruleset, person=_whispers, keep=True, settings=few) for s in seeds]


def _whispers(view: View, window: Window) -> Answer | None:
    private = isinstance(window.legal, Speech) and not window.is_public_speech
    if private and window.answer_audience and window.answer_audience.seats[0] == view.seat:
        return Answer(say(f"Psst, {window.key}."))
    return None


def window_prompt(decision: Decision) -> str:
    """Return the prompt for the window of `decision`, with the whole talk."""
    request = Request(decision.window.kind, replace(decision, context="whole"), {})
    return "\n".join(message["content"] for message in build_messages(request)[0])


@lru_cache
def scenes(ruleset: str) -> list[tuple[PlayedGame, Decision, str]]:
    """Return (game, decision, prompt for that decision) of all games."""
    return [
        (game, decision, window_prompt(decision))
        for game in games(ruleset)
        for decision, _thought in game.decisions
    ]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_house_players_answer_every_window_legally(ruleset: str) -> None:
    kinds = set()
    for game in games(ruleset):
        assert not [e for e in game.log if e.labels], "no fallbacks"
        for decision, thought in game.decisions:
            kinds.add(decision.window.kind)
            dead = set(decision.view.state.out)
            targets = set(thought.answer.action.targets)
            targets |= {rating.seat for rating in thought.answer.action.ratings}
            assert not targets & dead
            text, seats = thought.answer.action.text, decision.view.state.seats
            acts = understand(text, decision.seat, seats, 0, pack_of(decision.ruleset))
            addressed = {t for a in acts if a.strength or a.kind == "question" for t in a.targets}
            assert not addressed & dead, f"dead player pressed: {text}"
    # The window at the end of a night has no seats, and only people get the form before acts.
    targets = {k for k, w in rulesets.get(ruleset).wording.windows.items() if w.name}
    assert kinds == targets - {"reliability"}


def test_house_players_rate_by_belief_and_may_abstain() -> None:
    guesses, election_answers = set(), set()
    for game in games("two-days"):
        for decision, thought in game.decisions:
            action = thought.answer.action
            if isinstance(decision.window.legal, Ratings):
                legal, known_roles = decision.window.legal, decision.view.state.roles
                assert {r.seat for r in action.ratings} == set(legal.options_for(decision.seat))
                guesses |= {(r.role, r.confidence) for r in action.ratings}
                certain = {r.seat: r for r in action.ratings if r.seat in known_roles}
                for seat, rating in certain.items():
                    assert (rating.role, rating.confidence) == (
                        known_roles[seat],
                        legal.max_confidence,
                    )
            if isinstance(decision.window.legal, Pick) and decision.window.legal.may_abstain:
                election_answers.add(action.kind)
    assert {role for role, _ in guesses} == {*rulesets.get("two-days").deck, UNCERTAIN}
    assert election_answers == {"pick", "abstain"}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_private_answers_stay_out_of_other_players_prompts(ruleset: str) -> None:
    """Whispers, ratings and secret choices appear only in prompts of players who saw them."""
    checked = 0
    for game, decision, text in scenes(ruleset):
        names = list(game.log[0]["seats"])
        visible_ids = {id(event) for event in decision.view.events}
        visible = {w for e in decision.view.events for w in _secrets(e, names)}
        for event in game.log:
            if event.audience == PUBLIC or id(event) in visible_ids or "manner" not in event.data:
                continue
            for secret in _secrets(event, names):
                assert secret not in text or any(secret in text_seen for text_seen in visible)
                checked += 1
    assert checked


def _secrets(event: Event, names: list[str]) -> set[str]:
    """Return the text and the choice of a secret answer, as a prompt renders them."""
    if not {"seat", "window"} <= event.data.keys():
        return set()
    return {w for w in (event.data.get("text"), _choice(event.data, names)) if w}


def _choice(data: dict[str, object], names: list[str]) -> str:
    """Return a secret choice of this seat, as a prompt renders it."""
    targets, seat = data.get("targets"), data["seat"]
    if not isinstance(targets, list) or not isinstance(seat, int) or not targets:
        return ""
    if not all(isinstance(target, int) for target in targets):
        return ""  # a word such as "left"
    return f"{names[seat - 1]} chose {' and '.join(names[t - 1] for t in targets)}."


@pytest.mark.parametrize("ruleset", RULESETS)
def test_prompt_sentences_are_capitalized_and_complete(ruleset: str) -> None:
    for _game, _decision, prompt in scenes(ruleset):
        history = prompt.partition("WHAT HAPPENED SO FAR\n")[2]
        talk = history.partition("\n\n")[0].split("\n")
        assert not [line for line in talk if re.match(r"you\b|[^\"]*[{}]", line)], talk
        phases = sum(line.startswith("-- ") for line in talk)
        most_repeats = max(Counter(talk).values())
        assert most_repeats <= max(8, phases), (Counter(talk).most_common(1), "told too often")
