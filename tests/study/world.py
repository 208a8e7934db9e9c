"""Finished games and campaigns for tests of the survey."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from game import selectors, services
from game.engine import rulesets
from game.engine.forms import pick, say
from game.engine.windows import Answer
from game.models import Game, Player
from tests.game import kept_games
from webapp.play.models import Table
from webapp.study.models import (
    Assignment,
    Campaign,
    Identity,
    Participant,
    Rater,
    Rating,
    Unit,
)
from webapp.study.rating import campaigns, situation_cache, stimuli
from webapp.study.sessions import enrolment

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def finished(
    seed: str = "1",
    *,
    words: Mapping[tuple[int, int], str] | None = None,
    names: Mapping[int, str] | None = None,
    recipe: Mapping[str, Any] | None = None,
    label: str = "",
    blind: bool = False,
    ruleset: str = "one-night",
) -> Game:
    """A game, one-night unless told otherwise, that is over; its table agreed to be studied.

    words: (round, seat) -> what is said then; "" says nothing. names: seats of people -> what they
    call themselves. The same game is played once a run.
    """
    given = (seed, words or {}, names or {}, recipe, label, blind, ruleset)
    game = kept_games.once(("finished", given), lambda: _play(*given))
    Table.objects.create(game=game, research=True)
    return game


def read(*games: Game) -> None:
    """What a worker does once the games are chosen."""
    for game in games:
        situation_cache.store_situations(game)


def _play(
    seed: str,
    words: Mapping[tuple[int, int], str],
    names: Mapping[int, str],
    recipe: Mapping[str, Any] | None,
    label: str,
    blind: bool,
    ruleset: str,
) -> Game:
    agent = services.SeatPlan(Player.AGENT, recipe or {"backend": "house", "method": "baseline"})
    seats = [
        services.SeatPlan(Player.PERSON, name=names[s]) if s in names else agent
        for s in range(1, 1 + len(rulesets.get(ruleset).seat_names))
    ]
    game = services.create(
        ruleset, seats, seed=seed, pace="none", settings={"blind": True} if blind else None
    )
    while windows := selectors.open_windows(game):
        for found in windows:
            for seat in found.missing:
                _answer(game, found, seat, words, label)
    game.refresh_from_db()
    assert game.ended_at
    return game


def _answer(game: Game, found: Any, seat: int, words: Mapping[Any, str], label: str) -> None:
    window = found.window
    if window.legal.name == "speech":
        number = window.moment.round
        text = words.get((number, seat), f"In round {number} I, seat {seat}, have nothing to tell.")
        answer = Answer(say(text)) if text else window.default_for(seat, None)
    else:
        answer = Answer(pick(*window.options_for(seat)[: window.legal.count]))
    services.answer(
        game.pk, seat, window.key, answer.action, labels=[label] if label else answer.labels
    )


def researcher(name: str = "ada") -> User:
    return User.objects.create_user(name, password="a long enough one")


def campaign(*games: Game, owner: User | None = None, **settings: Any) -> Campaign:
    """A campaign over the games, the first half of them "one", the rest "two"; not opened."""
    # no context: any units of a game may be given to one rater
    usual = {"units_per_rater": 4, "raters_per_unit": 2, "context": 0}
    chosen = [(g, "one" if 2 * i < len(games) else "two") for i, g in enumerate(games)]
    who = owner or User.objects.filter(username="ada").first() or researcher()
    read(*games)
    return campaigns.create(who, "A study", games=chosen, **{**usual, **settings})


def rater(of: Campaign, *, label: str = "", **more: Any) -> Rater:
    """A participant who has agreed, as a rater.

    `visitor` is the participant's, `more` the rater's.
    """
    person = Participant.objects.create(
        study=of.study,
        pseudonym=enrolment.next_pseudonym(of.study),
        consented_at=more.get("consented_at", WHEN),
        visitor=more.pop("visitor", None),
        step=1,
    )
    given = {"experience": 2, "consented_at": WHEN, **more}
    row = Rater.objects.create(
        campaign=of, participant=person, pseudonym=campaigns.next_pseudonym(of), **given
    )
    if label:
        Identity.objects.create(
            participant=person, label=label, study="study-1", session=f"s-{label}"
        )
    return row


def invited(of: Campaign, *, label: str = "") -> Participant:
    """A participant with a personal link, who has not agreed yet."""
    study = of.study
    pseudonym = enrolment.next_pseudonym(study)
    person = Participant.objects.create(study=study, pseudonym=pseudonym, invited=True)
    if label:
        Identity.objects.create(participant=person, label=label)
    return person


def rate(
    who: Rater, unit: Unit, value: int | None = 3, *, state: str = Assignment.ANSWERED, **more: Any
) -> Assignment:
    """An assignment with the same value for every dimension; None: no value at all."""
    index = who.assignments.count() + 1
    given = Assignment.objects.create(
        rater=who,
        unit=unit,
        index=index,
        key=uuid.uuid5(uuid.NAMESPACE_URL, f"{who.pk}/{index}"),
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
            Rating(assignment=given, stimulus=stimulus, dimension=d.key, value=value)
            for d in stimuli.unit_dimensions(unit)
        )
    return given
