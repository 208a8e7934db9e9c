"""What is to stay as it was, read by the code as it is: JSON-shaped, by meaning and not by format.

`make.py` writes these facts beside a database, the test reads them anew. A deliberate change of how
something is told is made here, or in the JSON, and nowhere else.
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
from webapp.study.rating.rating_rows import to_ratings

Facts = dict[str, Any]


def labels_of(label: str | Iterable[str]) -> list[str]:
    """The parts of a label, whether it is one string ("stand-in, shortened") or a list of them."""
    parts = label.split(", ") if isinstance(label, str) else label
    return sorted(part for part in parts if part)


def labelled(event: Event) -> list[str]:
    return labels_of(getattr(event, "labels", None) or getattr(event, "label", ""))


def told(event: Event) -> list[Any]:
    """An event without its labels."""
    return [event.kind, str(event.audience), dict(event.data)]


def of_log(view: View, events: int | None = None) -> str:
    """SHA-256 (hex) of all that a view tells, or of its first `events`; labels are left out."""
    return sha256([told(event) for event in view.events[:events]])


def plain(data: Any) -> Any:
    """As JSON has it: lists for tuples, keys as text."""
    return json.loads(json.dumps(data))


def sha256(data: Any) -> str:
    plain = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(plain.encode()).hexdigest()


def of_game(game: Game) -> Facts:
    """A game in any state: what has been told in it, and what its agents have in mind.

    Of a finished one, how it ended and how its replay runs.
    """
    view = selectors.view_for(game, visibility.MODERATOR)
    return {
        "code": game.code,
        "status": game.status,
        "events": len(view.events),
        "transcript": of_log(view),
        **(of_end(game, view) if game.ended_at else {}),
        **of_minds(game),
    }


def of_end(game: Game, view: View) -> Facts:
    """How a finished game went and ended, and how many lines of its replay each viewer has."""
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
        "labels": [[e["window"], e["seat"], labelled(e)] for e in view.events if labelled(e)],
        "lines": {_key(viewer): story.transcript_of(viewer).last for viewer in viewers},
    }


def _key(viewer: visibility.Viewer) -> str:
    return str(viewer.seat) if viewer.seat else viewer.kind


def _ballots(view: View, kind: str) -> Facts:
    """window -> [[voter, target], …]"""
    found: dict[str, list[list[Any]]] = {}
    for event in view.events:
        if event.kind == kind:
            target = (event.data.get("targets") or [None])[0]
            found.setdefault(event["window"], []).append([event["seat"], target])
    return found


def of_minds(game: Game) -> Facts:
    """What agents have noted and asked, for as far as it is a fact and no form."""
    notes = MindNote.objects.filter(game=game).order_by("pk")
    asked = LLMCall.objects.filter(game=game).order_by("pk")
    rows = asked.values_list("backend", "kind", "failure")
    exchanges = asked.values_list("seat", "exchange__messages", "exchange__answer")
    return {
        "notes": _counted(notes.values_list("faculty", flat=True)),
        "favors": _favors(notes.filter(faculty="favor")),
        "asked": _counted(" ".join(filter(None, row)) for row in rows),
        "exchanges": sha256(list(exchanges)),
    }


def _favors(notes: QuerySet[MindNote]) -> dict[str, list[dict[str, float]]]:
    """seat -> what it felt for the others, round by round"""
    found: dict[str, list[dict[str, float]]] = {}
    for seat, data in notes.order_by("seat", "round").values_list("seat", "data"):
        found.setdefault(str(seat), []).append(data["favor"])
    return found


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def of_campaign(campaign: Campaign) -> Facts:
    """What is rated, what was rated, and the figures."""
    units = campaign.units.select_related("game").order_by("index")
    given = Assignment.objects.filter(rater__campaign=campaign).order_by("rater", "index")
    things = Stimulus.objects.filter(unit__campaign=campaign).order_by("unit__index", "place")
    return {
        "code": campaign.code,
        "units": [_unit(unit) for unit in units],
        "things": [_thing(thing) for thing in things.select_related("unit", "utterance")],
        "ratings": [_given(one) for one in given.select_related("rater", "unit")],
        "figures": figures_of(campaign),
    }


def _unit(unit: Unit) -> list[Any]:
    """[index, kind, game, position, seat, situations, expected value, withdrawn]"""
    code = unit.game.code if unit.game else ""
    where = [unit.index, unit.kind, code, unit.position, unit.seat]
    return [*where, unit.situations, unit.expected, unit.withdrawn]


def _thing(stimulus: Stimulus) -> list[Any]:
    """[unit, condition, a hash of its words, state, who speaks, model, method, labels]"""
    words = stimulus.utterance.text if stimulus.utterance else stimulus.text
    whose = [stimulus.speaker_kind, stimulus.model, stimulus.method]
    labels = labels_of(getattr(stimulus, "labels", None) or getattr(stimulus, "label", ""))
    what = [stimulus.unit.index, stimulus.condition, sha256(words)[:12], stimulus.state]
    return [*what, *whose, labels]


def _given(assignment: Assignment) -> list[Any]:
    """[rater, unit, whether it is a repeat, state, {dimension: value of each side}]"""
    rows = Rating.objects.filter(assignment=assignment).order_by("stimulus__place")
    values: dict[str, list[int]] = {}
    for dimension, value in rows.values_list("dimension", "value"):
        values.setdefault(dimension, []).append(value)
    who, unit = assignment.rater.pseudonym, assignment.unit.index
    return [who, unit, assignment.is_repeat, assignment.state, dict(sorted(values.items()))]


def figures_of(campaign: Campaign) -> Facts:
    """Of each dimension: means and spread by condition, agreement.

    Comparisons are left out: since then whole games, or deals, are compared (docs/statistics.md),
    which were raters or games before."""
    from webapp.statistics.rating_results import compute_statistics  # SciPy, where it is asked for

    dimensions = [asdict(d) for d in Instrument.from_json(campaign.instrument).dimensions]
    found = compute_statistics(to_ratings(campaign), dimensions)
    totals = ("marks", "kept", "repeats", "attention", "excluded", "games", "units", "raters")
    return {
        "totals": {name: found["totals"][name] for name in totals},
        **{d["key"]: _dimension(d) for d in found["dimensions"]},
    }


def _dimension(found: Facts) -> Facts:
    alpha = found["alpha"]
    return {
        "conditions": [
            [c["condition"], c["n"], _value(c["mean"]), _value(c["sd"])]
            for c in found["conditions"]
        ],
        "alpha": {level: _value(alpha.get(level)) for level in ("ordinal", "nominal", "interval")},
        "icc": _value(found["icc"]),
    }


def _value(outcome: Facts | None) -> float | None:
    """A figure to nine digits, None where it is not defined."""
    value = (outcome or {}).get("value")
    return None if value is None else float(f"{value:.9g}")
