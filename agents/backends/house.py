"""The house player as a backend: rule-based, offline, never fails (SPEC 2.10)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.contest import GUESS, INDUCING
from agents.decision import BackendError, Reply, Request
from agents.faculties.judgement import exact_role_probabilities
from agents.faculties.reliability import rating_form, seats_to_rate
from agents.house import seat_choice
from agents.house.faculty_answers import (
    apply_guess,
    build_contest_reply,
    build_favor_scores,
    build_inducing_statement,
    build_plan,
    build_plan_stance,
    guess_roles,
    guess_roles_with_evidence,
)
from agents.house.mindset import Mindset
from agents.house.passes import build_whisper, has_said_all, is_awaited, whispered_prey
from agents.house.speech import build_statement
from agents.house.stance import Stance
from agents.model_catalog import HOUSE
from agents.reliability_scale import REQUEST
from game.engine.events import RECORD
from game.engine.forms import Pick, Ratings, Speech
from game.engine.labels import UNREAD

_log = logging.getLogger(__name__)


class HouseBackend:
    """Backend that answers every kind of request, and any unknown window with a legal answer."""

    name = HOUSE

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        try:
            return self._reply(request)
        # The game must go on: the answer becomes a fallback, whose label names the cause.
        except Exception as error:
            _log.exception("the house player stumbled at %s", request.decision.window.key)
            raise BackendError("broken", repr(error)) from error

    def _reply(self, request: Request) -> Reply:
        decision = request.decision
        if request.kind == "favor":
            return build_favor_scores(decision)
        if request.kind == "judgement":
            roles = exact_role_probabilities(decision)
            return {"roles": {s: row for s, row in roles.items() if s != str(decision.seat)}}
        if reply := build_contest_reply(request.kind, decision, request.brief):
            return reply
        mind = Mindset(decision, request.brief)
        apply_guess(mind, request.brief.get(GUESS, {}))
        if request.kind == REQUEST:
            assert isinstance(decision.window.legal, Ratings)
            return {"ratings": guess_roles_with_evidence(mind, decision.window.legal)}
        if seats := seats_to_rate(request):
            form = rating_form(decision, seats)
            return {"ratings": guess_roles_with_evidence(mind, form), **self._answer(mind, {})}
        if request.kind == "strategy":
            mind.stance = replace(mind.stance, aim=0, spared=())  # the last round's plan has ended
            stance_note = _stance_note(mind, build_plan_stance(mind))
            return {"plan": build_plan(mind), "notes": [stance_note]}
        return self._answer(mind, request.brief.get(INDUCING, {}))

    def _answer(self, mind: Mindset, inducing_brief: Mapping[str, Any]) -> Reply:
        """Return the answer to the window, labelled if a statement could not be understood."""
        if statement := build_inducing_statement(mind, inducing_brief):
            text, stance = statement
            closing = {} if inducing_brief["last"] else {"closing": True}
            return {"text": text, "notes": [_stance_note(mind, stance)], **closing}
        answer = self._answer_form(mind)
        return {**answer, "labels": [UNREAD]} if any(mind.dialogue.acts(UNREAD)) else answer

    def _answer_form(self, mind: Mindset) -> Reply:
        decision, legal = mind.decision, mind.decision.window.legal
        if isinstance(legal, Ratings):
            return {"ratings": guess_roles(mind, legal)}
        if not isinstance(legal, Speech):
            return _answer_pick(mind, decision.window.pick)
        if legal.may_over and not decision.window.is_public_speech:
            if text := build_whisper(mind) if mind.part == "wolf" else "":
                return {"text": text, "notes": [_stance_note(mind)]}
            return {"pass": "skip" if legal.may_skip and is_awaited(mind) else "over"}
        if legal.may_over and has_said_all(mind):
            return {"pass": "over"}
        text, stance = build_statement(mind)
        return {"text": text, "notes": [_stance_note(mind, stance)]}


def _answer_pick(mind: Mindset, legal: Pick) -> dict[str, object]:
    """Return a choice that serves the purpose of the pick, which the ruleset states.

    The answer to a straw poll, which no player sees, is what the agent believes. Any other choice
    is drawn.
    """
    decision = mind.decision
    window, options = decision.window, decision.window.options_for(decision.seat)
    purpose = decision.purpose
    if legal.count == 1 and purpose == "exile":
        choice, weighed = seat_choice.choose_vote(mind, options)
        if choice in options:
            return {"targets": [choice], "weighed": weighed}
        if legal.may_abstain:
            return {"targets": []}
    elif legal.count == 1 and purpose:
        seats = [o for o in options if isinstance(o, int)]
        prey_seat = whispered_prey(mind) if purpose == "harm" else 0
        choice = prey_seat if prey_seat in seats else seat_choice.choose_pick(mind, purpose, seats)
        if choice or legal.may_abstain:
            return {"targets": [choice] if choice else []}
    elif (
        legal.count == 1
        and window.answer_audience == RECORD
        and (choice := seat_choice.answer_poll(mind)) in options
    ):
        return {"targets": [choice]}
    if legal.may_abstain and decision.rng.below("abstain", len(options) + 1) == 0:
        return {"targets": []}
    return {"targets": decision.rng.sample("any", options, legal.count)}


def _stance_note(mind: Mindset, stance: Stance | None = None) -> dict[str, object]:
    return {"faculty": "stance", "data": (stance or mind.stance).to_note_data()}
