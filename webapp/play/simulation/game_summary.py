"""Summarises a finished game of agents: its result, its agents and their failures."""

from collections import Counter
from typing import Any

from agents.backends import HOUSE
from agents.decision import FAILED
from agents.personas.own_style import parse_own_style
from agents.recipe import Recipe
from game import selectors
from game.engine import labels, rulesets, visibility
from game.engine.events import PUBLIC, RECORD, Event, digest
from game.engine.visibility import View
from game.models import Game
from webapp.play.models import LLMCall, MindNote

# The summary of a game, or the error that ended it.
GameResult = dict[str, Any] | Exception


def game_summary(game: Game, seconds: float) -> dict[str, Any]:
    """Return the summary of a game, JSON-shaped. docs/models.md explains its figures."""
    view = selectors.view_for(game, visibility.MODERATOR)
    log, state = view.events, view.state
    all_labels = [label for e in log for label in e.labels]
    wording = rulesets.get(game.ruleset).wording
    statement_kinds = wording.kinds_of_shape("statement")
    kinds = Counter(labels.label_kind(label) for label in all_labels)
    requests = _count_requests(game)
    ending = next(e["reason"] for e in reversed(log) if e.kind == "game_over")
    return {
        "game": game.code,
        "ruleset": game.ruleset,
        "seed": game.seed,
        "winner": state.winner,
        "out": [view.name(s) for s in state.out],
        "roles": {view.name(s): state.roles[s] for s in sorted(state.roles)},
        "votes": [_vote_names(view, e) for e in log if e.kind in wording.ballots],
        "statements": sum(e.kind in statement_kinds and e.audience == PUBLIC for e in log),
        "fallbacks": kinds[labels.FALLBACK],
        "llm_calls": sum(requests["requests"].values()),
        "seconds": round(seconds, 3),
        "digest": digest(log),
        "ending": ending,
        "settings": dict(state.settings),
        "counts": wording.endings[ending].is_result,
        "agents": {p.name: _agent_facts(p.recipe) for p in game.players.all()},
        "polls": _poll_votes(view),
        "repaired": kinds["repaired"],
        "labels": dict(sorted(Counter(all_labels).items())),
        "failed_preparations": _count_failed_preparations(game),
        **requests,
    }


def _agent_facts(data: dict[str, Any]) -> dict[str, Any]:
    recipe = Recipe.of(data)
    persona = recipe.persona if "persona" in recipe.faculties else None
    style = None
    if persona and persona.style:
        style = parse_own_style(persona.style).character.name
    return {
        "backend": recipe.backend,
        "method": recipe.method,
        "context": recipe.context,
        "plain": recipe.has_plain_speech,
        "persona": dict(persona.scores) if persona else None,
        "style": style,
        "switches": recipe.switch_values,
    }


def _vote_names(view: View, event: Event) -> dict[str, Any]:
    targets = event.data.get("targets")
    target = view.name(targets[0]) if targets else None
    return {"voter": view.name(event["seat"]), "target": target}


def _poll_votes(view: View) -> list[dict[str, Any]]:
    """Return {"day", "round", "votes"} of each straw poll, in the order they were opened."""
    polls: dict[str, dict[str, Any]] = {}
    for event, state in visibility.steps_with_states(view):
        window = state.windows.get(event.data.get("key", ""))
        is_poll = window and window.answer_audience == RECORD and window.seats
        if event.kind == "window_opened" and window and is_poll:
            moment = window.moment
            polls[window.key] = {"day": moment.day, "round": moment.round, "votes": []}
        elif event.data.get("window") in polls and "seat" in event.data:
            polls[event["window"]]["votes"].append(_vote_names(view, event))
    return list(polls.values())


def _count_failed_preparations(game: Game) -> dict[str, dict[str, int]]:
    """Return faculty -> cause -> how often it failed."""
    failures: dict[str, Counter[str]] = {}
    for data in MindNote.objects.filter(game=game, faculty=FAILED).values_list("data", flat=True):
        failures.setdefault(data["faculty"], Counter())[data["cause"]] += 1
    return {faculty: dict(sorted(failures[faculty].items())) for faculty in sorted(failures)}


def _count_requests(game: Game) -> dict[str, Any]:
    """Count the requests to models by kind, their failures, and their tokens."""
    rows = LLMCall.objects.filter(game=game).exclude(backend=HOUSE).exclude(purpose=LLMCall.RIVAL)
    kinds: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for kind, failure, exchange in rows.values_list("kind", "failure", "exchange"):
        kinds[kind] += 1
        if failure:
            failures[failure] += 1
        exchange_data = exchange or {}
        totals["retries"] += exchange_data.get("retries") or 0
        totals["left_out"] += bool(exchange_data.get("left_out"))
        for name, tokens in (exchange_data.get("usage") or {}).items():
            totals[name] += tokens or 0
    return {
        "requests": dict(sorted(kinds.items())),
        "failed_requests": dict(sorted(failures.items())),
        "retries": totals["retries"],
        "left_out": totals["left_out"],  # requests whose talk was too long
        "tokens_in": totals["prompt_tokens"],
        "tokens_out": totals["completion_tokens"],
    }
