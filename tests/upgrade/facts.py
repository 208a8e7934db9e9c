"""Facts of a database that upgrades must preserve, independent of their storage format.

The JSON file next to a database holds the facts that its revision read from it. The tests read them
again. A deliberate change is made here or in the JSON, and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from game import selectors
from game.engine import visibility
from game.engine.events import Event, digest
from game.engine.visibility import View
from game.models import Game
from webapp.play.models import LLMCall, MindNote
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.visitors import Guest
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rating, Stimulus, Unit
from webapp.study.rating.rating_rows import read_marks

Facts = dict[str, Any]


def labels_of(label: str | Iterable[str]) -> list[str]:
    """Return the sorted parts of a label, from one string ("stand-in, shortened") or a list."""
    parts = label.split(", ") if isinstance(label, str) else label
    return sorted(part for part in parts if part)


def event_labels(event: Event) -> list[str]:
    return labels_of(getattr(event, "labels", None) or getattr(event, "label", ""))


def event_data(event: Event) -> list[Any]:
    """Return the data of an event without its labels."""
    return [event.kind, str(event.audience), dict(event.data)]


def log_text(view: View, events: int | None = None) -> str:
    """Return the SHA-256 (hex) of a view or its first `events`, without labels."""
    return sha256([event_data(event) for event in view.events[:events]])


def to_json_types(data: Any) -> Any:
    """Convert to JSON types: lists for tuples, text keys."""
    return json.loads(json.dumps(data))


def sha256(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def game_facts(game: Game) -> Facts:
    """Return the facts of a game in any state: log, agents' notes, and the end if finished."""
    view = selectors.view_for(game, visibility.MODERATOR)
    return {
        "code": game.code,
        "status": game.status,
        "events": len(view.events),
        "transcript": log_text(view),
        **(end_facts(game, view) if game.ended_at else {}),
        **mind_facts(game),
    }


def end_facts(game: Game, view: View) -> Facts:
    """Return the facts of a finished game, including each viewer's replay lines."""
    state, story = view.state, ReplayedGame(Guest(game, None))
    seats = range(1, len(state.seats) + 1)
    viewers = (visibility.PUBLIC, visibility.MODERATOR, *map(visibility.seat, seats))
    return {
        "digest": digest(view.events),
        "winner": state.winner,
        "out": list(state.out),
        "roles": [state.roles[s] for s in seats],
        "votes": _ballots(view, "vote"),
        "polls": _ballots(view, "poll"),
        "labels": [
            [e["window"], e["seat"], event_labels(e)] for e in view.events if event_labels(e)
        ],
        "lines": {_key(viewer): story.transcript_of(viewer).line_count for viewer in viewers},
    }


def _key(viewer: visibility.Viewer) -> str:
    return str(viewer.seat) if viewer.seat else viewer.kind


def _ballots(view: View, kind: str) -> Facts:
    """Map windows to [[voter, target], …]."""
    ballots: dict[str, list[list[Any]]] = {}
    for event in view.events:
        if event.kind == kind:
            target = (event.data.get("targets") or [None])[0]
            ballots.setdefault(event["window"], []).append([event["seat"], target])
    return ballots


def mind_facts(game: Game) -> Facts:
    """Return the facts about the notes and requests of agents."""
    notes = MindNote.objects.filter(game=game).order_by("pk")
    calls = LLMCall.objects.filter(game=game).order_by("pk")
    rows = calls.values_list("backend", "kind", "failure")
    exchanges = calls.values_list("seat", "exchange__messages", "exchange__answer")
    return {
        "notes": _counts(notes.values_list("faculty", flat=True)),
        "favors": _favors(notes.filter(faculty="favor")),
        "asked": _counts(" ".join(filter(None, row)) for row in rows),
        "exchanges": sha256(list(exchanges)),
    }


def _favors(notes: QuerySet[MindNote]) -> dict[str, list[dict[str, float]]]:
    """Map seats to their favor values of each round."""
    favors: dict[str, list[dict[str, float]]] = {}
    for seat, data in notes.order_by("seat", "round").values_list("seat", "data"):
        favors.setdefault(str(seat), []).append(data["favor"])
    return favors


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def campaign_facts(campaign: Campaign) -> Facts:
    """Return the facts of a campaign: units, stimuli, ratings and figures."""
    units = campaign.units.select_related("game").order_by("index")
    assignments = Assignment.objects.filter(rater__campaign=campaign).order_by("rater", "index")
    stimuli = Stimulus.objects.filter(unit__campaign=campaign).order_by("unit__index", "place")
    return {
        "code": campaign.code,
        "units": [_unit(unit) for unit in units],
        "things": [_stimulus(stimulus) for stimulus in stimuli.select_related("unit", "utterance")],
        "ratings": [
            _assignment(assignment) for assignment in assignments.select_related("rater", "unit")
        ],
        "figures": figures_of(campaign),
    }


def _unit(unit: Unit) -> list[Any]:
    """Return [index, kind, game, position, seat, situations, expected, withdrawn]."""
    code = unit.game.code if unit.game else ""
    position = [unit.index, unit.kind, code, unit.position, unit.seat]
    return [*position, unit.situations, unit.expected, unit.withdrawn]


def _stimulus(stimulus: Stimulus) -> list[Any]:
    """Return [unit, condition, text hash, state, speaker, model, method, labels]."""
    text = stimulus.utterance.text if stimulus.utterance else stimulus.text
    speaker = [stimulus.speaker_kind, stimulus.model, stimulus.method]
    labels = labels_of(getattr(stimulus, "labels", None) or getattr(stimulus, "label", ""))
    head = [stimulus.unit.index, stimulus.condition, sha256(text)[:12], stimulus.state]
    return [*head, *speaker, labels]


def _assignment(assignment: Assignment) -> list[Any]:
    """Return [rater, unit, is_repeat, state, {dimension: values of each side}]."""
    rows = Rating.objects.filter(assignment=assignment).order_by("stimulus__place")
    values: dict[str, list[int]] = {}
    for dimension, value in rows.values_list("dimension", "value"):
        values.setdefault(dimension, []).append(value)
    rater, unit = assignment.rater.pseudonym, assignment.unit.index
    return [rater, unit, assignment.is_repeat, assignment.state, dict(sorted(values.items()))]


def figures_of(campaign: Campaign) -> Facts:
    """Return the means, spread and agreement by dimension.

    Comparisons are left out, because their unit changed from raters or games to whole games or
    deals (docs/statistics.md).
    """
    from webapp.statistics.rating_results import compute_statistics  # imports SciPy: on demand

    dimensions = [asdict(d) for d in Instrument.from_json(campaign.instrument).dimensions]
    statistics = compute_statistics(read_marks(campaign), dimensions)
    totals = ("marks", "kept", "repeats", "attention", "excluded", "games", "units", "raters")
    return {
        "totals": {name: statistics["totals"][name] for name in totals},
        **{d["key"]: _dimension(d) for d in statistics["dimensions"]},
    }


def _dimension(row: Facts) -> Facts:
    alpha = row["alpha"]
    return {
        "conditions": [
            [c["condition"], c["n"], _value(c["mean"]), _value(c["sd"])] for c in row["conditions"]
        ],
        "alpha": {level: _value(alpha.get(level)) for level in ("ordinal", "nominal", "interval")},
        "icc": _value(row["icc"]),
    }


def _value(outcome: Facts | None) -> float | None:
    """Return a figure with nine digits, None if undefined."""
    value = (outcome or {}).get("value")
    return None if value is None else float(f"{value:.9g}")
