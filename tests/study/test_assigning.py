"""Units go out by leases: quotas exact, balanced, in a drawn order, never one's own game."""

from __future__ import annotations

import uuid
from collections import Counter
from itertools import pairwise

import pytest
from django.conf import settings
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.engine.seeded_random import SeededRandom
from tests.study import rating, world
from webapp.play.models import Membership
from webapp.study.design import instruments
from webapp.study.models import Assignment, Campaign, Rater, Unit
from webapp.study.rater import assigning
from webapp.study.rater.assigning import arrange_units
from webapp.study.rating import campaigns, quotas, rater_erasure
from webapp.study.rating.rater_view import render_unit
from webapp.study.rating.units import capacity, tracks

pytestmark = pytest.mark.django_db


def given_to(rater: Rater) -> list[Assignment]:
    return list(rater.assignments.select_related("unit__game").order_by("index"))


def counted(campaign: Campaign) -> Counter[int]:
    """How many have each unit, repeats and checks left out."""
    rows = Assignment.objects.filter(unit__campaign=campaign, is_repeat=False)
    rows = rows.exclude(unit__kind=Unit.ATTENTION).exclude(state=Assignment.TIMED_OUT)
    return Counter(rows.values_list("unit", flat=True))


@pytest.mark.parametrize("fill", ["depth", "breadth"])
def test_every_unit_goes_to_exactly_as_many_as_asked_for(fill: str) -> None:
    campaign = rating.opened("1", units_per_rater=5, raters_per_unit=2, choice={"fill": fill})
    raters = [rating.begun(campaign) for _ in range(12)]
    counts = counted(campaign)
    assert set(counts.values()) == {2}
    assert len(counts) == 24
    given = [len(given_to(rater)) for rater in raters]
    assert given == ([5] * 8 + [4, 4, 0, 0] if fill == "depth" else [5] * 9 + [3, 0, 0])


def test_few_raters_overlap_where_overlap_is_wanted() -> None:
    campaign = rating.opened(*map(str, range(8)), units_per_rater=40, raters_per_unit=2)  # of 192
    for _ in range(3):
        rating.begun(campaign)
    assert Counter(counted(campaign).values()) == {2: 40, 1: 40}


def shows(unit: Unit, other: Unit) -> bool:
    """Whether the page of a unit shows the words that another rates."""
    words = render_unit(other).sides[0].text
    return unit.game_id == other.game_id and words in [e.text for e in render_unit(unit).context]


@pytest.mark.parametrize(("context", "paired"), [(1, True), (8, False)])
def test_no_rater_is_shown_the_words_of_one_unit_before_another(context: int, paired: bool) -> None:
    rival = {"backend": "house", "method": "full"} if paired else None
    campaign = rating.opened(
        "1", "2", units_per_rater=4, raters_per_unit=2, context=context, rival=rival,
        rival_condition="rival" if paired else "",
    )  # fmt: skip
    everything = list(campaign.units.all())
    assert any(shows(a, b) for a, b in pairwise(reversed(everything))), "else nothing is tested"
    for number in range(26):
        rater = rating.begun(campaign)
        if number == 3:  # what lapsed and went to others has been read: its track stays
            rating.lapse(*given_to(rater))
            for _ in range(24):
                rating.begun(campaign)
            assigning.assign_pages(rater)
    for rater in campaign.raters.all():
        mine = [a.unit for a in given_to(rater)]
        assert not [(a, b) for a in mine for b in mine if a != b and shows(a, b)]
    assert set(counted(campaign).values()) == {2}
    assert len(counted(campaign)) == 48


@given(st.sets(st.integers(1, 40), min_size=1), st.integers(0, 12))
def test_tracks_are_apart_and_as_few_as_can_be(turns: set[int], context: int) -> None:
    at = sorted(turns)
    found = tracks(at, context)
    same = [(a, b) for i, a in enumerate(at) for j, b in enumerate(at[:i]) if found[i] == found[j]]
    assert all(a - b > context for a, b in same)
    assert max(found) + 1 == max(len([b for b in at if a - context <= b <= a]) for a in at)
    sizes = Counter(found).values()
    assert max(sizes) - min(sizes) <= 1
    assert capacity((1, track) for track in found) == min(sizes)


def test_a_plan_says_how_many_units_a_rater_can_be_given() -> None:
    campaign = world.campaign(world.finished("1"), context=8, units_per_rater=5)
    assert "at most 2 units" in campaigns.plan(campaign)["problems"][0]
    campaigns.change(campaign, units_per_rater=2)
    assert not campaigns.plan(campaign)["problems"]
    assert campaigns.plan(campaign)["raters_needed"] == 24


def test_the_least_rated_go_first_where_that_is_asked_for() -> None:
    choice = {"fill": "breadth"}
    campaign = rating.opened("1", units_per_rater=6, raters_per_unit=3, choice=choice)
    for raters in range(1, 13):
        rating.begun(campaign)
        counts = counted(campaign)
        spread = [counts[unit.pk] for unit in campaign.units.all()]
        assert max(spread) - min(spread) <= 1
        assert sum(spread) == 6 * raters


def test_conditions_are_balanced_within_a_rater() -> None:
    campaign = rating.opened("1", "2", units_per_rater=8)
    rater = rating.begun(campaign)
    conditions = Counter(a.unit.stimuli.get().condition for a in given_to(rater))
    assert conditions == {"one": 4, "two": 4}


def test_the_same_seed_gives_the_same_pages_and_raters_get_different_ones() -> None:
    campaign = rating.opened("1", units_per_rater=12, raters_per_unit=4)
    first, second = rating.begun(campaign), rating.begun(campaign)
    orders = [[a.unit.index for a in given_to(rater)] for rater in (first, second)]
    assert orders[0] != sorted(orders[0])
    assert orders[0] != orders[1]
    Assignment.objects.all().delete()
    assigning.assign_pages(first)
    assert [a.unit.index for a in given_to(first)] == orders[0]


def test_giving_again_gives_nothing_more() -> None:
    campaign = rating.opened("1", units_per_rater=5, repeats=2, attention=1)
    rater = rating.begun(campaign)
    before = [(a.pk, a.index) for a in given_to(rater)]
    assert len(before) == 8
    assigning.assign_pages(rater)
    assert [(a.pk, a.index) for a in given_to(rater)] == before


@given(
    units=st.integers(1, 60),
    repeats=st.integers(0, 20),
    checks=st.integers(0, 6),
    seed=st.text("abc", max_size=4),
)
def test_repeats_come_late_and_apart_and_checks_are_spread(
    units: int, repeats: int, checks: int, seed: str
) -> None:
    way = arrange_units(range(units), repeats, range(1000, 1000 + checks), SeededRandom(seed), "r")
    plain = [p.unit for p in way if not p.is_repeat and not p.is_check]
    assert sorted(plain) == list(range(units))
    assert sum(p.is_repeat for p in way) == min(repeats, units // 2)
    assert sum(p.is_check for p in way) == checks
    first: dict[int, int] = {}
    for place, page in enumerate([p for p in way if not p.is_check]):
        if page.is_repeat:
            assert place - first[page.unit] >= 2, "never adjacent"
            assert place >= units // 2
        first.setdefault(page.unit, place)
    assert not way[0].is_check
    at = [i for i, p in enumerate(way) if p.is_check]
    if units >= 3 * checks:
        assert all(b - a > 1 for a, b in pairwise(at))


def test_repeats_and_checks_are_outside_the_quotas() -> None:
    campaign = rating.opened("1", units_per_rater=6, raters_per_unit=1, repeats=3, attention=2)
    for _ in range(4):
        rating.begun(campaign)
    assert set(counted(campaign).values()) == {1}
    rows = Assignment.objects.filter(unit__campaign=campaign)
    assert rows.filter(is_repeat=True).count() == 12
    assert rows.filter(unit__kind=Unit.ATTENTION).count() == 8


def test_nobody_rates_a_game_they_sat_in_or_watched() -> None:
    campaign = rating.opened("1", "2", units_per_rater=30)
    mine, other = [row.game for row in campaign.chosen.all()]
    visitor = uuid.uuid4()
    Membership.objects.create(visitor=visitor, game=mine)
    rater = rating.begun(campaign, visitor=visitor)
    assert {a.unit.game_id for a in given_to(rater)} == {other.pk}


def test_a_second_browser_that_sat_in_the_game_takes_its_pages_away() -> None:
    campaign = rating.opened("1", "2", units_per_rater=10)
    rater = rating.begun(campaign)
    seen = {a.unit.game_id for a in given_to(rater)}
    assert len(seen) == 2
    visitor, mine = uuid.uuid4(), seen.pop()
    Membership.objects.create(visitor=visitor, game_id=mine)
    assigning.assign_pages(rater, visitor=visitor)
    left = [a for a in given_to(rater) if a.state == Assignment.OPEN]
    assert len(left) == 10
    assert mine not in {a.unit.game_id for a in left}


def test_a_lapsed_lease_that_is_still_free_is_renewed() -> None:
    campaign = rating.opened("1", units_per_rater=4, raters_per_unit=2)
    rater = rating.begun(campaign)
    before = given_to(rater)
    rating.lapse(*before)
    assigning.renew_leases(rater)
    after = given_to(rater)
    assert [a.pk for a in after] == [a.pk for a in before]
    assert all(a.leased_until > b.leased_until for a, b in zip(after, before, strict=True))


def full_house() -> tuple[Campaign, Rater, list[Assignment]]:
    """A rater whose leases have lapsed and whose units were given to somebody else."""
    campaign = rating.opened("1", units_per_rater=12, raters_per_unit=1)
    rater = rating.begun(campaign)
    mine = given_to(rater)
    rating.lapse(*mine)
    for _ in range(2):
        rating.begun(campaign)
    assert set(counted(campaign).values()) == {1, 2}  # lapsed rows are still there
    return campaign, rater, mine


def test_what_was_given_away_is_taken_from_the_way_and_replaced_where_it_can_be() -> None:
    campaign, rater, mine = full_house()
    other = Rater.objects.filter(campaign=campaign).exclude(pk=rater.pk).order_by("pk")[1]
    campaigns.exclude(other, "left")  # its places are free again
    assigning.assign_pages(rater)
    rows = given_to(rater)
    given_away = {a.pk for a in rows if a.state == Assignment.TIMED_OUT}
    kept = {a.pk for a in mine} - given_away
    assert given_away
    way = assigning.rater_pages(rater)
    assert len(way) == 12
    assert kept < {a.pk for a in way}
    assert not given_away & {a.pk for a in way}


def test_a_late_answer_is_stored_outside_the_quota() -> None:
    campaign, rater, mine = full_house()
    client = Client()
    session = client.session
    assert rater.participant
    session["raters"] = {campaign.study.key: rater.participant.key}
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    assigning.assign_pages(rater)
    late = mine[0]
    answer = rating.rate(client, late, 4)
    assert answer.status_code == 200, answer.content
    late.refresh_from_db()
    assert (late.state, late.over_quota) == (Assignment.ANSWERED, True)
    assert set(rating.stored(late)[0].values()) == {4}
    now = late.submitted_at
    assert now
    places = Assignment.objects.filter(quotas.takes_place(now), unit=late.unit)
    assert places.count() == 1
    assert assigning.rater_pages(rater)[0].pk == late.pk, "it is the rater's own page again"


def test_a_late_answer_to_what_nobody_else_took_counts() -> None:
    campaign = rating.opened("1", units_per_rater=2, raters_per_unit=1)
    client, rater = rating.enrolled(campaign)
    mine = rating.way(rater)
    rating.lapse(*mine)
    assert rating.rate(client, mine[0]).status_code == 200
    mine[0].refresh_from_db()
    assert (mine[0].state, mine[0].over_quota) == (Assignment.ANSWERED, False)


def test_after_a_late_answer_one_unseen_page_less_is_owed() -> None:
    campaign = rating.opened("1", "2", units_per_rater=12, raters_per_unit=1)
    client, rater = rating.enrolled(campaign)
    mine = given_to(rater)
    rating.lapse(*mine)
    for _ in range(3):
        rating.begun(campaign)
    assigning.assign_pages(rater)
    before = len(assigning.rater_pages(rater))
    late = next(a for a in given_to(rater) if a.state == Assignment.TIMED_OUT)
    assert rating.rate(client, late).status_code == 200
    way = assigning.rater_pages(rater)
    assert late.pk in {a.pk for a in way}
    assert len(way) == before


def test_page_that_is_answered_while_it_is_dropped_stays_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = rating.opened("1", units_per_rater=4, raters_per_unit=1)
    _client, rater = rating.enrolled(campaign)
    read_first = QuerySet.first
    answered: list[int] = []

    def answer_meanwhile(query: QuerySet[Assignment]) -> Assignment | None:
        row = read_first(query)
        if isinstance(row, Assignment):
            own = Assignment.objects.filter(pk=row.pk)
            own.update(state=Assignment.ANSWERED, first_answer_at=timezone.now())
            answered.append(row.pk)
        return row

    monkeypatch.setattr(QuerySet, "first", answer_meanwhile)
    assigning.drop_page(rater)
    assert Assignment.objects.get(pk__in=answered).state == Assignment.ANSWERED


def test_what_is_left_out_frees_its_place_and_an_answer_after_all_knows_it() -> None:
    campaign = rating.opened("1", units_per_rater=24, raters_per_unit=1)
    client, rater = rating.enrolled(campaign)
    first = rating.way(rater)[0]
    skip = {"values": {}, "skip": "I don’t understand the words", "revision": 0}
    assert rating.state(client, first, skip).json()["complete"]
    second = rating.begun(campaign)
    assert [a.unit_id for a in given_to(second)] == [first.unit_id]
    assert rating.rate(client, first).status_code == 200
    first.refresh_from_db()
    assert (first.state, first.over_quota) == (Assignment.ANSWERED, True)


def test_excluded_raters_and_withdrawn_units_take_no_place() -> None:
    campaign = rating.opened("1", units_per_rater=24, raters_per_unit=1)
    rater = rating.begun(campaign)
    assert not given_to(rating.begun(campaign))
    campaigns.exclude(rater, "speed")
    second = rating.begun(campaign)
    assert len(given_to(second)) == 24
    gone = given_to(second)[3]
    Unit.objects.filter(pk=gone.unit_id).update(withdrawn=True)
    assigning.assign_pages(second)
    assert gone.pk not in {a.pk for a in assigning.rater_pages(second)}
    assert len(assigning.rater_pages(second)) == 23


def test_erasing_frees_the_places() -> None:
    campaign = rating.opened("1", units_per_rater=24, raters_per_unit=1)
    client, rater = rating.enrolled(campaign)
    rating.rate(client, rating.way(rater)[0])
    rater_erasure.erase_rater(rater)
    assert len(given_to(rating.begun(campaign))) == 24


def test_sides_are_as_often_the_one_as_the_other() -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = rating.opened(
        "1", seed="sides", units_per_rater=8, raters_per_unit=4, repeats=2, rival=rival,
        rival_condition="rival",
    )  # fmt: skip
    raters = [rating.begun(campaign) for _ in range(12)]
    plain = Assignment.objects.filter(unit__campaign=campaign, is_repeat=False)
    by_unit = Counter(plain.values_list("unit", "swapped"))
    assert all(by_unit[unit.pk, True] == 2 for unit in campaign.units.all())
    for rater in raters:
        sides = Counter(a.swapped for a in given_to(rater) if not a.is_repeat)
        assert 2 <= sides[True] <= 6
        known = {a.unit_id: a.swapped for a in given_to(rater) if not a.is_repeat}
        repeats = [a for a in given_to(rater) if a.is_repeat]
        assert [a.swapped for a in repeats] == [known[a.unit_id] for a in repeats]
    assert len({a.swapped for a in given_to(raters[0])}) == 2


def test_pairs_whose_rival_has_not_answered_are_given_to_nobody() -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = rating.opened("1", units_per_rater=24, rival=rival, rival_condition="rival")
    stimulus = campaign.units.first().stimuli.get(place=2)  # type: ignore[union-attr]
    stimulus.state, stimulus.failure = "failed", "timeout"
    stimulus.save()
    rater = rating.begun(campaign)
    assert stimulus.unit_id not in {a.unit_id for a in given_to(rater)}
    assert len(given_to(rater)) == 23


def test_the_players_of_a_game_are_ranked_one_after_the_other() -> None:
    """In campaigns of the time when each had a page; now there is one for all of them."""
    players = instruments.get("players").to_json()
    campaign = rating.opened("1", "2", units_per_rater=12, raters_per_unit=2, instrument=players)
    for dimension in campaign.instrument["dimensions"]:
        dimension |= {"rank": True, "max": 8}
    campaign.save()
    raters = [rating.begun(campaign) for _ in range(5)]
    assigning.assign_pages(raters[0])  # what does not fit is not begun
    assert [len(given_to(rater)) for rater in raters] == [8, 8, 8, 8, 0]
    for rater in raters[:4]:
        assert len({a.unit.game_id for a in given_to(rater)}) == 1
        assert sorted(a.unit.seat or 0 for a in given_to(rater)) == list(range(1, 9))


def test_a_closed_campaign_gives_nothing_new() -> None:
    campaign = rating.opened("1")
    campaigns.close(campaign)
    rater = world.rater(campaign)
    assigning.assign_pages(rater)
    assert not given_to(rater)
