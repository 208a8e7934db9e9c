"""The rating campaigns of a packed database. Only `make.py` runs them."""

from __future__ import annotations

from random import Random

from django.contrib.auth.models import User
from django.test import Client

from game.models import Game
from tests.endpoint import Endpoint
from tests.study import rating, world
from tests.upgrade.games import asks_for_words
from webapp.study import analysis, campaigns, comparison_system, units
from webapp.study.models import Assignment, Campaign, Rater, Stimulus
from webapp.study.rater.rating_form import Field, fields

RIVAL = {"backend": "openai", "method": "full"}


def all_of(endpoint: Endpoint, games: dict[str, Game]) -> dict[str, Campaign]:
    """The campaigns over the finished games, their statistics worked out."""
    ada = User.objects.create_user("ada")  # without a password
    found = {"single": single(ada, games), "pairs": paired(ada, games, endpoint)}
    for campaign in found.values():
        analysis.work_out(campaign)
    return found


def single(ada: User, games: dict[str, Game]) -> Campaign:
    """Utterances of two games, one by one: five raters have handed in, one of them is left out;
    one is at it."""
    made = campaigns.create(
        ada,
        "Voices",
        games=[(games["models"], "models"), (games["people"], "house")],
        seed="upgrade/single",
        choice={"pick": "sample", "per_condition": 6, "situations": [], "speakers": "agents"},
        units_per_rater=6,
        raters_per_unit=3,
        repeats=1,
        attention=1,
    )
    world.read(*games.values())
    campaigns.open(made)
    for number in range(5):
        rater = rate_all(made, **({"PROLIFIC_PID": "somebody"} if number == 1 else {}))
    campaigns.exclude(rater, "in a hurry")
    rate_some(made)
    return made


def paired(ada: User, games: dict[str, Game], endpoint: Endpoint) -> Campaign:
    """Utterances beside a rival's: one of its answers could not be had, and is withdrawn."""
    made = campaigns.create(
        ada,
        "Side by side",
        games=[(games["models"], "as played")],
        seed="upgrade/pairs",
        choice={"pick": "sample", "per_condition": 5, "situations": [], "speakers": "agents"},
        rival=RIVAL,
        rival_condition="rival",
        units_per_rater=4,
        raters_per_unit=4,
    )
    world.read(*games.values())
    campaigns.prepare(made)
    waiting = Stimulus.objects.filter(unit__campaign=made, place=2)
    for stimulus in waiting:
        if stimulus.unit.index == 2:
            endpoint.fail("refusal", times=2, when=asks_for_words)
        comparison_system.make(stimulus)
    units.withdraw(waiting.get(state="failed").unit)
    campaigns.open(made)
    for _ in range(3):
        rate_all(made)
    return made


def rate_all(campaign: Campaign, **names: str) -> Rater:
    """Somebody who rates everything and hands in."""
    client, rater = rating.enrolled(campaign, **names)
    for assignment in rating.way(rater):
        state(client, assignment, values_of(rater, assignment))
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.finished_at
    return rater


def rate_some(campaign: Campaign) -> Rater:
    """Somebody who rates a page, skips one, and begins with a third."""
    client, rater = rating.enrolled(campaign)
    first, second, third = rating.way(rater)[:3]
    state(client, first, values_of(rater, first))
    state(client, second, {}, skip="unclear")
    state(client, third, dict(list(values_of(rater, third).items())[:1]))
    return rater


def state(client: Client, assignment: Assignment, values: dict[str, int], skip: str = "") -> None:
    """Look at a page and state on it."""
    assert client.get(rating.item(assignment)).status_code == 200
    assignment.refresh_from_db()
    said = {"values": values, "skip": skip or None, "revision": assignment.revision}
    assert rating.state(client, assignment, said).status_code == 200


def values_of(rater: Rater, assignment: Assignment) -> dict[str, int]:
    """A value for everything that is asked; a check gets the one it asks for."""
    asked = fields(assignment)
    if expected := assignment.unit.expected:
        return dict.fromkeys(asked, expected)
    return {name: _value(rater, assignment, field) for name, field in asked.items()}


def _value(rater: Rater, assignment: Assignment, field: Field) -> int:
    """What the words are worth, and what the rater makes of it."""
    worth = Random(f"{assignment.unit.index}/{field.slot}/{field.dimension.key}").randint(1, 5)
    taste = Random(f"{rater.pseudonym}/{field.name}/{assignment.unit.index}").choice((-1, 0, 0, 1))
    return min(field.dimension.max, max(field.dimension.min, worth + taste))
