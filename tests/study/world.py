"""Finished games and campaigns for tests of ratings."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from game import lobby, locked_game, selectors
from game.engine import rulesets
from game.engine.events import pick, say
from game.engine.windows import Answer
from game.models import Game, Player
from tests.game import kept_games
from webapp.play.models import Table
from webapp.study.games import situations
from webapp.study.models import Assignment, Campaign, Identity, Participant, Rater, Rating, Unit
from webapp.study.rating import campaigns, stimuli
from webapp.study.sessions import enrolment

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def ended_game(
    seed: str = "1",
    *,
    words: Mapping[tuple[int, int], str] | None = None,
    names: Mapping[int, str] | None = None,
    recipe: Mapping[str, Any] | None = None,
    label: str = "",
    blind: bool = False,
    ruleset: str = "one-night",
) -> Game:
    """Return a finished game, one-night by default, whose table allows research.

    words: (round, seat) -> the statement, "" for silence. names: seats of people -> their names.
    Each game is played once per run.
    """
    arguments = (seed, words or {}, names or {}, recipe, label, blind, ruleset)
    game = kept_games.once(("finished", arguments), lambda: _play(*arguments))
    Table.objects.create(game=game, research=True)
    return game


def store_situations(*games: Game) -> None:
    """Do what a worker does after the games were chosen."""
    for game in games:
        situations.store_situations(game)


def _play(
    seed: str,
    words: Mapping[tuple[int, int], str],
    names: Mapping[int, str],
    recipe: Mapping[str, Any] | None,
    label: str,
    blind: bool,
    ruleset: str,
) -> Game:
    agent = lobby.SeatPlan(Player.AGENT, recipe or {"backend": "house", "method": "baseline"})
    seats = [
        lobby.SeatPlan(Player.PERSON, name=names[s]) if s in names else agent
        for s in range(1, 1 + len(rulesets.get(ruleset).seat_names))
    ]
    game = lobby.create_game(
        ruleset, seats, seed=seed, pace="none", settings={"blind": True} if blind else None
    )
    while windows := selectors.open_windows(game):
        for open_window in windows:
            for seat in open_window.missing:
                _answer(game, open_window, seat, words, label)
    game.refresh_from_db()
    assert game.ended_at
    return game


def _answer(game: Game, open_window: Any, seat: int, words: Mapping[Any, str], label: str) -> None:
    window = open_window.window
    if window.legal.name == "speech":
        number = window.moment.round
        text = words.get((number, seat), f"In round {number} I, seat {seat}, have nothing to tell.")
        answer = Answer(say(text)) if text else window.default_for(seat, None)
    else:
        answer = Answer(pick(*window.options_for(seat)[: window.legal.count]))
    locked_game.record_answer(
        game.pk, seat, window.key, answer.action, labels=[label] if label else answer.labels
    )


def create_researcher(name: str = "ada") -> User:
    return User.objects.create_user(name, password="a long enough one")


def create_campaign(*games: Game, owner: User | None = None, **settings: Any) -> Campaign:
    """Create a draft campaign whose first half of the games is "one" and the rest "two"."""
    # Without context any units of a game can go to one rater.
    defaults = {"units_per_rater": 4, "raters_per_unit": 2, "context": 0}
    chosen = [(g, "one" if 2 * i < len(games) else "two") for i, g in enumerate(games)]
    creator = owner or User.objects.filter(username="ada").first() or create_researcher()
    store_situations(*games)
    return campaigns.create(creator, "A study", games=chosen, **{**defaults, **settings})


def add_rater(campaign: Campaign, *, label: str = "", **more: Any) -> Rater:
    """Add a rater with a participant who consented.

    `visitor` belongs to the participant, `more` to the rater.
    """
    person = Participant.objects.create(
        study=campaign.study,
        pseudonym=enrolment.next_pseudonym(campaign.study),
        consented_at=more.get("consented_at", WHEN),
        visitor=more.pop("visitor", None),
        step=1,
    )
    fields = {"experience": 2, "consented_at": WHEN, **more}
    row = Rater.objects.create(
        campaign=campaign,
        participant=person,
        pseudonym=campaigns.next_pseudonym(campaign),
        **fields,
    )
    if label:
        Identity.objects.create(
            participant=person, label=label, study="study-1", session=f"s-{label}"
        )
    return row


def invite(campaign: Campaign, *, label: str = "") -> Participant:
    """Add a participant with a personal link who has not consented."""
    study = campaign.study
    pseudonym = enrolment.next_pseudonym(study)
    person = Participant.objects.create(study=study, pseudonym=pseudonym, invited=True)
    if label:
        Identity.objects.create(participant=person, label=label)
    return person


def rate_unit(
    rater: Rater,
    unit: Unit,
    value: int | None = 3,
    *,
    state: str = Assignment.ANSWERED,
    **more: Any,
) -> Assignment:
    """Add an assignment with the same value for each dimension, or without values."""
    index = rater.assignments.count() + 1
    assignment = Assignment.objects.create(
        rater=rater,
        unit=unit,
        index=index,
        key=uuid.uuid5(uuid.NAMESPACE_URL, f"{rater.pk}/{index}"),
        state=state,
        leased_until=WHEN + timedelta(hours=1),
        shown_at=WHEN,
        first_answer_at=WHEN + timedelta(seconds=3) if value is not None else None,
        submitted_at=WHEN + timedelta(seconds=9) if state == Assignment.ANSWERED else None,
        active_ms=8000 if state == Assignment.ANSWERED else None,
        revision=1 if value is not None else 0,
        **more,
    )
    for stimulus in unit.stimuli.all() if value is not None else ():
        Rating.objects.bulk_create(
            Rating(assignment=assignment, stimulus=stimulus, dimension=d.key, value=value)
            for d in stimuli.unit_dimensions(unit)
        )
    return assignment
