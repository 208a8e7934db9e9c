"""The rating campaigns of a packed database. Only `make.py` runs them."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from game.models import Game
from tests.endpoint import Endpoint
from tests.study import rating, world
from tests.study.desk import sign_in
from tests.upgrade.games import asks_for_words
from webapp.study import analysis
from webapp.study.design import instruments
from webapp.study.judging import judge_runs, judges
from webapp.study.models import Assignment, Campaign, Judge, Rater, Slot, Stimulus, Study
from webapp.study.rating import campaigns, comparison_system, stimuli, units
from webapp.study.rating.stimuli import RatingField, build_fields

RIVAL = {"backend": "openai", "method": "full"}


def all_of(
    ada: User, endpoint: Endpoint, games: dict[str, Game], study: Study
) -> dict[str, Campaign]:
    """The campaigns over the finished games and those of a finished study, their statistics worked
    out."""
    several = [(games["models"], "models"), (games["people"], "house")]
    conditions = {"baseline": "house", "full": "models"}
    for slot in study.slots.filter(state=Slot.DONE).order_by("pk"):
        assert slot.game
        several.append((slot.game, conditions[slot.condition.name]))
    found = {
        "single": single(ada, several),
        "pairs": paired(ada, games, endpoint),
        "contest": ranked(ada, several),
        "checked": checked(ada, games),
    }
    for campaign in found.values():
        analysis.compute_results(campaign)
    return found


def single(ada: User, games: list[tuple[Game, str]]) -> Campaign:
    """Utterances of some games, one by one.

    Five raters have handed in, one of them is left out; one is at it.
    """
    made = campaigns.create(
        ada,
        "Voices",
        games=games,
        seed="upgrade/single",
        choice={"pick": "sample", "per_condition": 6, "situations": [], "speakers": "all"},
        units_per_rater=6,
        raters_per_unit=3,
        repeats=1,
        attention=1,
        context=0,  # any units of a game may be given to one rater
    )
    world.store_situations(*(game for game, _condition in games))
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
        context=0,
        units_per_rater=4,
        raters_per_unit=4,
    )
    world.store_situations(*games.values())
    campaigns.draw_units(made)
    waiting = Stimulus.objects.filter(unit__campaign=made, place=2)
    for stimulus in waiting:
        if stimulus.unit.index == 2:
            endpoint.fail("refusal", times=2, when=asks_for_words)
        comparison_system.make_answer(stimulus)
    units.withdraw(waiting.get(state="failed").unit)
    campaigns.open(made)
    for _ in range(3):
        rate_all(made)
    return made


def ranked(ada: User, games: list[tuple[Game, str]]) -> Campaign:
    """The players of each game in order, closed.

    Four raters, one of them excluded, a model that rates as they do, and one that scores as in the
    paper.
    """
    made = campaigns.create(
        ada,
        "Contest",
        games=games,
        seed="upgrade/contest",
        instrument=instruments.get("contest-8").to_json(),
        choice={"speakers": "all"},
        units_per_rater=4,
        raters_per_unit=5,
    )
    world.store_situations(*(game for game, _condition in games))
    campaigns.open(made)
    for _ in range(4):
        rater = rate_all(made)
    campaigns.exclude(rater, "the order of the seats")
    for mode, draws in ((Judge.RATER, 2), (Judge.PAPER, 3)):
        judge = judges.add(made, name="A critic", mode=mode, backend="openai", draws=draws)
        judges.start(judge, is_queued=False)
        judge_runs.run_judge(judge.pk, seconds=600)
        judge.refresh_from_db()
        assert judge.state == Judge.DONE, judge.failure
    campaigns.close(made)
    return made


def checked(ada: User, games: dict[str, Game]) -> Campaign:
    """Utterances with a practice unit, a gold item and a check, half way.

    Two raters have handed in, one has left, one is at the ratings, one at the practice.
    """
    made = campaigns.create(
        ada,
        "Known answers",
        games=[(games["models"], "models"), (games["people"], "house")],
        seed="upgrade/checked",
        choice={"pick": "sample", "per_condition": 8, "situations": [], "speakers": "all"},
        units_per_rater=5,
        raters_per_unit=3,
        attention=1,
        context=0,
        exclusion={"failed_checks": 1},
    )
    world.store_situations(*games.values())
    campaigns.draw_units(made)
    for use, unit in zip(("practice", "gold"), made.units.filter(kind="utterance"), strict=False):
        item = stimuli.unit_dimensions(unit)[0].key
        known = {"use": use, f"least 1/{item}": "2", f"most 1/{item}": "4", "why": "So it is."}
        address = f"/study/{made.code}/units/{unit.index}/known"
        assert sign_in("ada").post(address, known).status_code == 302
    assert made.units.exclude(use="").count() == 2
    campaigns.open(made)
    rate_all(made)
    rate_all(made, PROLIFIC_PID="somebody")
    client, left = rate_some(made)
    client.post(f"/take/as/{left.participant.key}/leave", {"do": "keep"})
    left.refresh_from_db()
    assert left.left_as
    rate_some(made)
    rating.enrol(made)
    return made


def rate_all(campaign: Campaign, **names: str) -> Rater:
    """Somebody who rates everything and hands in."""
    client, rater = rating.enrol(campaign, **names)
    for assignment in rating.pages_of(rater):
        state(client, assignment, values_of(rater, assignment))
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.finished_at
    return rater


def rate_some(campaign: Campaign) -> tuple[Client, Rater]:
    """Somebody who rates a page, skips one, and begins with a third."""
    client, rater = rating.enrol(campaign)
    first, second, third = rating.pages_of(rater)[:3]
    state(client, first, values_of(rater, first))
    state(client, second, {}, skip="unclear")
    state(client, third, dict(list(values_of(rater, third).items())[:1]))
    return client, rater


def state(client: Client, assignment: Assignment, values: dict[str, int], skip: str = "") -> None:
    """Look at a page and state on it, some seconds later."""
    assert client.get(rating.page_url(assignment)).status_code == 200
    assignment.refresh_from_db()
    seconds = Random(f"{assignment.rater.pseudonym}/{assignment.index}").randint(4, 30)
    timezone.now.__self__.now += timedelta(seconds=seconds)  # the world's clock (`playing.World`)
    said = {"values": values, "skip": skip or None, "revision": assignment.revision}
    said["active_ms"] = 900 * seconds
    assert rating.post(client, assignment, said).status_code == 200


def values_of(rater: Rater, assignment: Assignment) -> dict[str, int]:
    """A value for everything that is asked; a check gets the one it asks for."""
    asked = build_fields(assignment)
    if expected := assignment.unit.expected:
        return dict.fromkeys(asked, expected)
    if any(field.dimension.rank for field in asked.values()):
        return _places(rater, assignment, asked)
    return {name: _value(rater, assignment, field) for name, field in asked.items()}


def _places(rater: Rater, assignment: Assignment, asked: dict[str, RatingField]) -> dict[str, int]:
    """Of each dimension an order of all seats: what they are worth, and the rater's taste."""
    taste = Random(f"{rater.pseudonym}/{assignment.unit.index}")
    felt = {
        name: Random(f"{assignment.unit.index}/{name}").random() + 0.7 * taste.random()
        for name in asked
    }
    orders: dict[str, list[str]] = {}
    for name in sorted(asked, key=felt.__getitem__):
        orders.setdefault(asked[name].dimension.key, []).append(name)
    return {name: place for order in orders.values() for place, name in enumerate(order, 1)}


def _value(rater: Rater, assignment: Assignment, field: RatingField) -> int:
    """What the words are worth, and what the rater makes of it."""
    worth = Random(f"{assignment.unit.index}/{field.slot}/{field.dimension.key}").randint(1, 5)
    taste = Random(f"{rater.pseudonym}/{field.name}/{assignment.unit.index}").choice((-1, 0, 0, 1))
    return min(field.dimension.max, max(field.dimension.min, worth + taste))
