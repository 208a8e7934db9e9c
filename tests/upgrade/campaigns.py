"""Create the rating campaigns of a packed database. Only `make.py` uses this module."""

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
from tests.upgrade.games import is_statement_request
from webapp.study import analysis
from webapp.study.design import instruments
from webapp.study.judging import judge_runs, judges
from webapp.study.models import Assignment, Campaign, Judge, Rater, Slot, Stimulus, Study
from webapp.study.rating import campaigns, comparison_system, stimuli, units
from webapp.study.rating.stimuli import RatingField, build_fields

RIVAL = {"backend": "openai", "method": "full"}


def create_all(
    ada: User, endpoint: Endpoint, games: dict[str, Game], study: Study
) -> dict[str, Campaign]:
    """Create campaigns over finished games, with computed statistics."""
    rated_games = [(games["models"], "models"), (games["people"], "house")]
    conditions = {"baseline": "house", "full": "models"}
    for slot in study.slots.filter(state=Slot.DONE).order_by("pk"):
        assert slot.game
        rated_games.append((slot.game, conditions[slot.condition.name]))
    all_campaigns = {
        "single": create_single(ada, rated_games),
        "pairs": create_paired(ada, games, endpoint),
        "contest": create_ranked(ada, rated_games),
        "checked": create_checked(ada, games),
    }
    for one_campaign in all_campaigns.values():
        analysis.compute_results(one_campaign)
    return all_campaigns


def create_single(ada: User, games: list[tuple[Game, str]]) -> Campaign:
    """Create a campaign of single utterances with finished, excluded and active raters."""
    campaign = campaigns.create(
        ada,
        "Voices",
        games=games,
        seed="upgrade/single",
        choice={"pick": "sample", "per_condition": 6, "situations": [], "speakers": "all"},
        units_per_rater=6,
        raters_per_unit=3,
        repeats=1,
        attention=1,
        context=0,  # a rater may get any units of a game
    )
    world.store_situations(*(game for game, _condition in games))
    campaigns.open(campaign)
    for number in range(5):
        rater = rate_all(campaign, **({"PROLIFIC_PID": "somebody"} if number == 1 else {}))
    campaigns.exclude(rater, "in a hurry")
    rate_some(campaign)
    return campaign


def create_paired(ada: User, games: dict[str, Game], endpoint: Endpoint) -> Campaign:
    """Create a campaign of utterance pairs with a rival, one of whose answers failed."""
    campaign = campaigns.create(
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
    campaigns.draw_units(campaign)
    waiting = Stimulus.objects.filter(unit__campaign=campaign, place=2)
    for stimulus in waiting:
        if stimulus.unit.index == 2:
            endpoint.fail("refusal", times=2, when=is_statement_request)
        comparison_system.make_answer(stimulus)
    units.withdraw(waiting.get(state="failed").unit)
    campaigns.open(campaign)
    for _ in range(3):
        rate_all(campaign)
    return campaign


def create_ranked(ada: User, games: list[tuple[Game, str]]) -> Campaign:
    """Create a closed campaign that ranks the players of each game.

    It has four raters (one excluded), a model judge that rates like them, and one that scores as in
    the paper.
    """
    campaign = campaigns.create(
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
    campaigns.open(campaign)
    for _ in range(4):
        rater = rate_all(campaign)
    campaigns.exclude(rater, "the order of the seats")
    for mode, draws in ((Judge.RATER, 2), (Judge.PAPER, 3)):
        judge = judges.add(campaign, name="A critic", mode=mode, backend="openai", draws=draws)
        judges.start(judge, is_queued=False)
        judge_runs.run_judge(judge.pk, seconds=600)
        judge.refresh_from_db()
        assert judge.state == Judge.DONE, judge.failure
    campaigns.close(campaign)
    return campaign


def create_checked(ada: User, games: dict[str, Game]) -> Campaign:
    """Create a running campaign with a practice unit, a gold item and an attention check.

    Two raters finished, one left, one is rating, one is in practice.
    """
    campaign = campaigns.create(
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
    campaigns.draw_units(campaign)
    for use, unit in zip(
        ("practice", "gold"), campaign.units.filter(kind="utterance"), strict=False
    ):
        item = stimuli.unit_dimensions(unit)[0].key
        known_answer = {
            "use": use,
            f"least 1/{item}": "2",
            f"most 1/{item}": "4",
            "why": "So it is.",
        }
        address = f"/study/{campaign.code}/units/{unit.index}/known"
        assert sign_in("ada").post(address, known_answer).status_code == 302
    assert campaign.units.exclude(use="").count() == 2
    campaigns.open(campaign)
    rate_all(campaign)
    rate_all(campaign, PROLIFIC_PID="somebody")
    client, leaving_rater = rate_some(campaign)
    client.post(f"/take/as/{leaving_rater.participant.key}/leave", {"do": "keep"})
    leaving_rater.refresh_from_db()
    assert leaving_rater.left_as
    rate_some(campaign)
    rating.enrol(campaign)
    return campaign


def rate_all(campaign: Campaign, **identifiers: str) -> Rater:
    """Let a new rater rate everything and submit."""
    client, rater = rating.enrol(campaign, **identifiers)
    for assignment in rating.pages_of(rater):
        state(client, assignment, values_of(rater, assignment))
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.finished_at
    return rater


def rate_some(campaign: Campaign) -> tuple[Client, Rater]:
    """Let a new rater rate one page, skip one, and begin a third."""
    client, rater = rating.enrol(campaign)
    first, second, third = rating.pages_of(rater)[:3]
    state(client, first, values_of(rater, first))
    state(client, second, {}, skip="unclear")
    state(client, third, dict(list(values_of(rater, third).items())[:1]))
    return client, rater


def state(client: Client, assignment: Assignment, values: dict[str, int], skip: str = "") -> None:
    """Open a page and send values for it some seconds later."""
    assert client.get(rating.page_url(assignment)).status_code == 200
    assignment.refresh_from_db()
    seconds = Random(f"{assignment.rater.pseudonym}/{assignment.index}").randint(4, 30)
    timezone.now.__self__.now += timedelta(seconds=seconds)  # the world's clock (`playing.World`)
    data = {"values": values, "skip": skip or None, "revision": assignment.revision}
    data["active_ms"] = 900 * seconds
    assert rating.post(client, assignment, data).status_code == 200


def values_of(rater: Rater, assignment: Assignment) -> dict[str, int]:
    """Return the values for all fields of a page. A check gets its expected value."""
    fields = build_fields(assignment)
    if expected := assignment.unit.expected:
        return dict.fromkeys(fields, expected)
    if any(field.dimension.rank for field in fields.values()):
        return _ranks(rater, assignment, fields)
    return {name: _value(rater, assignment, field) for name, field in fields.items()}


def _ranks(rater: Rater, assignment: Assignment, fields: dict[str, RatingField]) -> dict[str, int]:
    """Return the ranks by dimension, from a common worth and the rater's taste."""
    taste = Random(f"{rater.pseudonym}/{assignment.unit.index}")
    scores = {
        name: Random(f"{assignment.unit.index}/{name}").random() + 0.7 * taste.random()
        for name in fields
    }
    orders: dict[str, list[str]] = {}
    for name in sorted(fields, key=scores.__getitem__):
        orders.setdefault(fields[name].dimension.key, []).append(name)
    return {name: rank for order in orders.values() for rank, name in enumerate(order, 1)}


def _value(rater: Rater, assignment: Assignment, field: RatingField) -> int:
    """Return a value from a common worth and the rater's taste."""
    worth = Random(f"{assignment.unit.index}/{field.slot}/{field.dimension.key}").randint(1, 5)
    taste = Random(f"{rater.pseudonym}/{field.name}/{assignment.unit.index}").choice((-1, 0, 0, 1))
    return min(field.dimension.max, max(field.dimension.min, worth + taste))
