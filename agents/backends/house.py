"""The house player as a backend: rule-based and offline (SPEC 2.10).

A bug becomes a BackendError, so that the game goes on.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.contest import GUESS, INDUCING
from agents.decision import BackendError, Reply, Request
from agents.faculties.judgement import exact_role_probabilities
from agents.faculties.reliability import rating_form, seats_to_rate
from agents.house import faculty_answers, seat_choice
from agents.house.mindset import Mindset
from agents.house.passes import build_whisper, has_said_all, is_awaited, whispered_prey
from agents.house.speech import build_statement
from agents.house.stance import Stance
from agents.model_catalog import HOUSE
from agents.reliability_scale import RATINGS_REQUEST
from game.engine.events import RECORD, Option
from game.engine.forms import Pick, Ratings, Speech
from game.engine.labels import UNREAD

_log = logging.getLogger(__name__)


class HouseBackend:
    """Backend that answers every kind of request, and any unknown window with a legal answer."""

    name = HOUSE

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """Return the reply to `request`. `step` and `seconds` matter only to models."""
        try:
            return self._reply(request)
        except Exception as error:
            # Whatever the bug, the caller answers with a fallback, whose label names the cause.
            _log.exception("the house player stumbled at %s", request.decision.window.key)
            raise BackendError("broken", repr(error)) from error

    def _reply(self, request: Request) -> Reply:
        decision = request.decision
        if request.kind == "favor":
            return faculty_answers.build_favor_scores(decision)
        if request.kind == "judgement":
            roles = exact_role_probabilities(decision)
            return {"roles": {s: row for s, row in roles.items() if s != str(decision.seat)}}
        if reply := faculty_answers.build_contest_reply(request.kind, decision, request.brief):
            return reply
        mind = Mindset(decision, request.brief)
        faculty_answers.apply_guess(mind, request.brief.get(GUESS, {}))
        if request.kind == RATINGS_REQUEST:
            form = decision.window.legal
            assert isinstance(form, Ratings)
            return {"ratings": faculty_answers.guess_roles_with_evidence(mind, form)}
        if seats := seats_to_rate(request):
            form = rating_form(decision, seats)
            return {
                "ratings": faculty_answers.guess_roles_with_evidence(mind, form),
                **self._answer_window(mind, {}),
            }
        if request.kind == "strategy":
            mind.stance = replace(mind.stance, aim=0, spared=())  # the last round's plan has ended
            stance_note = _stance_note(mind, faculty_answers.build_plan_stance(mind))
            return {"plan": faculty_answers.build_plan(mind), "notes": [stance_note]}
        return self._answer_window(mind, request.brief.get(INDUCING, {}))

    def _answer_window(self, mind: Mindset, inducing_brief: Mapping[str, Any]) -> Reply:
        """Return the answer to the window, labelled if a statement could not be understood."""
        if statement := faculty_answers.build_inducing_statement(mind, inducing_brief):
            text, stance = statement
            closing = {} if inducing_brief["last"] else {"closing": True}
            return {"text": text, "notes": [_stance_note(mind, stance)], **closing}
        answer = self._answer_without_inducing(mind)
        return {**answer, "labels": [UNREAD]} if any(mind.dialogue.acts(UNREAD)) else answer

    def _answer_without_inducing(self, mind: Mindset) -> Reply:
        window, form = mind.decision.window, mind.decision.window.legal
        if isinstance(form, Ratings):
            return {"ratings": faculty_answers.guess_roles(mind, form)}
        if not isinstance(form, Speech):
            return _answer_pick(mind, window.pick)
        if form.may_over and not window.is_public_speech:
            if mind.part == "wolf" and (text := build_whisper(mind)):
                return {"text": text, "notes": [_stance_note(mind)]}
            return {"pass": "skip" if form.may_skip and is_awaited(mind) else "over"}
        if form.may_over and has_said_all(mind):
            return {"pass": "over"}
        text, stance = build_statement(mind)
        return {"text": text, "notes": [_stance_note(mind, stance)]}


def _answer_pick(mind: Mindset, pick: Pick) -> dict[str, object]:
    """Return a choice that serves the purpose of the pick, which the ruleset states.

    Without such a choice, the agent abstains, or names options at random if it may not abstain. If
    the pick has no purpose or several targets, abstaining is one of the answers drawn at random.
    """
    decision = mind.decision
    options = decision.window.options_for(decision.seat)
    is_single = pick.count == 1
    if is_single and decision.purpose == "exile":
        voted_seat, weighed = seat_choice.choose_vote(mind, options)
        if voted_seat in options:
            return {"targets": [voted_seat], "weighed": weighed}
    elif is_single and (target := _choose_target(mind, options)):
        return {"targets": [target]}
    has_purpose = is_single and decision.purpose
    if pick.may_abstain and (has_purpose or not decision.rng.below("abstain", len(options) + 1)):
        return {"targets": []}
    return {"targets": decision.rng.sample("any", options, pick.count)}


def _choose_target(mind: Mindset, options: Sequence[Option]) -> int:
    """Return the seat to pick, except for an exile, 0 if no option serves the purpose.

    The answer to a straw poll, which no player sees, is what the agent believes.
    """
    window, purpose = mind.decision.window, mind.decision.purpose
    if purpose:
        seats = [option for option in options if isinstance(option, int)]
        prey_seat = whispered_prey(mind) if purpose == "harm" else 0
        return prey_seat if prey_seat in seats else seat_choice.choose_pick(mind, purpose, seats)
    if window.answer_audience == RECORD and (seat := seat_choice.answer_poll(mind)) in options:
        return seat
    return 0


def _stance_note(mind: Mindset, stance: Stance | None = None) -> dict[str, object]:
    return {"faculty": "stance", "data": (stance or mind.stance).to_note_data()}
