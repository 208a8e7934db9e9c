"""Tests that units are assigned with leases, exact quotas, balance and a drawn order."""

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
from tests.study.rating import assignments_of
from webapp.play.models import Membership
from webapp.study.design import instruments
from webapp.study.models import Assignment, Campaign, Rater, Unit
from webapp.study.rater import assigning
from webapp.study.rater.assigning import arrange_pages
from webapp.study.rating import campaigns, exclusion, quotas, rater_erasure, rating_plan
from webapp.study.rating.rater_view import render_unit
from webapp.study.rating.units import capacity, tracks

pytestmark = pytest.mark.django_db


def raters_per_unit(campaign: Campaign) -> Counter[int]:
    """Count the assignments of each unit without repeats and checks."""
    rows = Assignment.objects.filter(unit__campaign=campaign, is_repeat=False)
    rows = rows.exclude(unit__kind=Unit.ATTENTION).exclude(state=Assignment.TIMED_OUT)
    return Counter(rows.values_list("unit", flat=True))


@pytest.mark.parametrize("fill", ["depth", "breadth"])
def test_each_unit_is_assigned_to_exactly_the_quota_of_raters(fill: str) -> None:
    campaign = rating.open_campaign(
        "1", units_per_rater=5, raters_per_unit=2, choice={"fill": fill}
    )
    raters = [rating.start_rater(campaign) for _ in range(12)]
    counts = raters_per_unit(campaign)
    assert set(counts.values()) == {2}
    assert len(counts) == 24
    page_counts = [len(assignments_of(rater)) for rater in raters]
    assert page_counts == ([5] * 8 + [4, 4, 0, 0] if fill == "depth" else [5] * 9 + [3, 0, 0])


def test_depth_fill_makes_few_raters_overlap() -> None:
    campaign = rating.open_campaign(
        *map(str, range(8)), units_per_rater=40, raters_per_unit=2
    )  # of 192
    for _ in range(3):
        rating.start_rater(campaign)
    assert Counter(raters_per_unit(campaign).values()) == {2: 40, 1: 40}


def shows_text_of(unit: Unit, rated: Unit) -> bool:
    """Return whether the page of a unit shows the text that another unit rates."""
    text = render_unit(rated).sides[0].text
    return unit.game_id == rated.game_id and text in [e.text for e in render_unit(unit).context]


@pytest.mark.parametrize(("context", "paired"), [(1, True), (8, False)])
def test_no_rater_reads_a_units_text_as_context_of_another(context: int, paired: bool) -> None:
    rival = {"backend": "house", "method": "full"} if paired else None
    campaign = rating.open_campaign(
        "1", "2", units_per_rater=4, raters_per_unit=2, context=context, rival=rival,
        rival_condition="rival" if paired else "",
    )  # fmt: skip
    all_units = list(campaign.units.all())
    assert any(shows_text_of(a, b) for a, b in pairwise(reversed(all_units))), "no pair to check"
    for number in range(26):
        rater = rating.start_rater(campaign)
        if number == 3:  # Expired pages were read, so their track stays.
            rating.expire_leases(*assignments_of(rater))
            for _ in range(24):
                rating.start_rater(campaign)
            assigning.assign_pages(rater)
    for rater in campaign.raters.all():
        own_units = [a.unit for a in assignments_of(rater)]
        assert not [(a, b) for a in own_units for b in own_units if a != b and shows_text_of(a, b)]
    assert set(raters_per_unit(campaign).values()) == {2}
    assert len(raters_per_unit(campaign)) == 48


@given(st.sets(st.integers(1, 40), min_size=1), st.integers(0, 12))
def test_tracks_are_separated_by_context_and_minimal_in_number(
    turns: set[int], context: int
) -> None:
    positions = sorted(turns)
    track_numbers = tracks(positions, context)
    same = [
        (a, b)
        for i, a in enumerate(positions)
        for j, b in enumerate(positions[:i])
        if track_numbers[i] == track_numbers[j]
    ]
    assert all(a - b > context for a, b in same)
    assert max(track_numbers) + 1 == max(
        len([b for b in positions if a - context <= b <= a]) for a in positions
    )
    sizes = Counter(track_numbers).values()
    assert max(sizes) - min(sizes) <= 1
    assert capacity((1, track) for track in track_numbers) == min(sizes)


def test_plan_limits_units_per_rater_to_track_capacity() -> None:
    campaign = world.create_campaign(world.ended_game("1"), context=8, units_per_rater=5)
    assert "at most 2 units" in rating_plan.build_plan(campaign)["problems"][0]
    campaigns.change(campaign, units_per_rater=2)
    assert not rating_plan.build_plan(campaign)["problems"]
    assert rating_plan.build_plan(campaign)["raters_needed"] == 24


def test_breadth_fill_assigns_least_rated_units_first() -> None:
    choice = {"fill": "breadth"}
    campaign = rating.open_campaign("1", units_per_rater=6, raters_per_unit=3, choice=choice)
    for raters in range(1, 13):
        rating.start_rater(campaign)
        counts = raters_per_unit(campaign)
        spread = [counts[unit.pk] for unit in campaign.units.all()]
        assert max(spread) - min(spread) <= 1
        assert sum(spread) == 6 * raters


def test_conditions_are_balanced_within_a_rater() -> None:
    campaign = rating.open_campaign("1", "2", units_per_rater=8)
    rater = rating.start_rater(campaign)
    conditions = Counter(a.unit.stimuli.get().condition for a in assignments_of(rater))
    assert conditions == {"one": 4, "two": 4}


def test_same_seed_repeats_assignment_and_raters_differ() -> None:
    campaign = rating.open_campaign("1", units_per_rater=12, raters_per_unit=4)
    first, second = rating.start_rater(campaign), rating.start_rater(campaign)
    orders = [[a.unit.index for a in assignments_of(rater)] for rater in (first, second)]
    assert orders[0] != sorted(orders[0])
    assert orders[0] != orders[1]
    Assignment.objects.all().delete()
    assigning.assign_pages(first)
    assert [a.unit.index for a in assignments_of(first)] == orders[0]


def test_repeated_assignment_adds_no_pages() -> None:
    campaign = rating.open_campaign("1", units_per_rater=5, repeats=2, attention=1)
    rater = rating.start_rater(campaign)
    before = [(a.pk, a.index) for a in assignments_of(rater)]
    assert len(before) == 8
    assigning.assign_pages(rater)
    assert [(a.pk, a.index) for a in assignments_of(rater)] == before


@given(
    units=st.integers(1, 60),
    repeats=st.integers(0, 20),
    checks=st.integers(0, 6),
    seed=st.text("abc", max_size=4),
)
def test_repeats_come_late_and_apart_and_checks_are_spread(
    units: int, repeats: int, checks: int, seed: str
) -> None:
    pages = arrange_pages(
        range(units), repeats, range(1000, 1000 + checks), SeededRandom(seed), "r"
    )
    rated_pages = [p for p in pages if p.unit < 1000]
    assert sorted(p.unit for p in rated_pages if not p.is_repeat) == list(range(units))
    assert sum(p.is_repeat for p in pages) == min(repeats, units // 2)
    check_positions = [i for i, p in enumerate(pages) if p.unit >= 1000]
    assert len(check_positions) == checks
    first: dict[int, int] = {}
    for position, page in enumerate(rated_pages):
        if page.is_repeat:
            assert position - first[page.unit] >= 2, "never adjacent"
            assert position >= units // 2
        first.setdefault(page.unit, position)
    assert pages[0].unit < 1000
    if units >= 3 * checks:
        assert all(b - a > 1 for a, b in pairwise(check_positions))


def test_repeats_and_checks_do_not_count_towards_quotas() -> None:
    campaign = rating.open_campaign(
        "1", units_per_rater=6, raters_per_unit=1, repeats=3, attention=2
    )
    for _ in range(4):
        rating.start_rater(campaign)
    assert set(raters_per_unit(campaign).values()) == {1}
    rows = Assignment.objects.filter(unit__campaign=campaign)
    assert rows.filter(is_repeat=True).count() == 12
    assert rows.filter(unit__kind=Unit.ATTENTION).count() == 8


def test_rater_gets_no_unit_of_a_game_they_sat_in() -> None:
    campaign = rating.open_campaign("1", "2", units_per_rater=30)
    own_game, other_game = [row.game for row in campaign.chosen_games.all()]
    visitor = uuid.uuid4()
    Membership.objects.create(visitor=visitor, game=own_game)
    rater = rating.start_rater(campaign, visitor=visitor)
    assert {a.unit.game_id for a in assignments_of(rater)} == {other_game.pk}


def test_pages_are_replaced_when_second_browser_sat_in_their_game() -> None:
    campaign = rating.open_campaign("1", "2", units_per_rater=10)
    rater = rating.start_rater(campaign)
    game_ids = {a.unit.game_id for a in assignments_of(rater)}
    assert len(game_ids) == 2
    visitor = uuid.uuid4()
    own_game_id = game_ids.pop()
    Membership.objects.create(visitor=visitor, game_id=own_game_id)
    assigning.assign_pages(rater, visitor=visitor)
    open_pages = [a for a in assignments_of(rater) if a.state == Assignment.OPEN]
    assert len(open_pages) == 10
    assert own_game_id not in {a.unit.game_id for a in open_pages}


def test_expired_lease_is_renewed_while_the_unit_is_free() -> None:
    campaign = rating.open_campaign("1", units_per_rater=4, raters_per_unit=2)
    rater = rating.start_rater(campaign)
    before = assignments_of(rater)
    rating.expire_leases(*before)
    assigning.renew_leases(rater)
    after = assignments_of(rater)
    assert [a.pk for a in after] == [a.pk for a in before]
    assert all(a.leased_until > b.leased_until for a, b in zip(after, before, strict=True))


def reassign_all_units() -> tuple[Campaign, Rater, list[Assignment]]:
    """Return a rater whose leases expired and whose units were assigned to others."""
    campaign = rating.open_campaign("1", units_per_rater=12, raters_per_unit=1)
    rater = rating.start_rater(campaign)
    pages = assignments_of(rater)
    rating.expire_leases(*pages)
    for _ in range(2):
        rating.start_rater(campaign)
    assert set(raters_per_unit(campaign).values()) == {1, 2}  # Expired rows remain.
    return campaign, rater, pages


def test_reassigned_pages_are_dropped_and_replaced_if_possible() -> None:
    campaign, rater, pages = reassign_all_units()
    excluded_rater = Rater.objects.filter(campaign=campaign).exclude(pk=rater.pk).order_by("pk")[1]
    exclusion.exclude(excluded_rater, "left")  # This frees the slots.
    assigning.assign_pages(rater)
    rows = assignments_of(rater)
    reassigned = {a.pk for a in rows if a.state == Assignment.TIMED_OUT}
    remaining = {a.pk for a in pages} - reassigned
    assert reassigned
    current_pages = assigning.rater_pages(rater)
    assert len(current_pages) == 12
    assert remaining < {a.pk for a in current_pages}
    assert not reassigned & {a.pk for a in current_pages}


def test_late_answer_to_reassigned_unit_is_stored_over_quota() -> None:
    campaign, rater, pages = reassign_all_units()
    client = Client()
    session = client.session
    assert rater.participant
    session["raters"] = {campaign.study.key: rater.participant.key}
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    assigning.assign_pages(rater)
    late_page = pages[0]
    response = rating.rate_page(client, late_page, 4)
    assert response.status_code == 200, response.content
    late_page.refresh_from_db()
    assert (late_page.state, late_page.over_quota) == (Assignment.ANSWERED, True)
    assert set(rating.stored_rating(late_page)[0].values()) == {4}
    now = late_page.submitted_at
    assert now
    occupied = Assignment.objects.filter(quotas.occupied_place_filter(now), unit=late_page.unit)
    assert occupied.count() == 1
    assert assigning.rater_pages(rater)[0].pk == late_page.pk, "it is the rater's page again"


def test_late_answer_to_free_unit_counts() -> None:
    campaign = rating.open_campaign("1", units_per_rater=2, raters_per_unit=1)
    client, rater = rating.enrol(campaign)
    pages = rating.pages_of(rater)
    rating.expire_leases(*pages)
    assert rating.rate_page(client, pages[0]).status_code == 200
    pages[0].refresh_from_db()
    assert (pages[0].state, pages[0].over_quota) == (Assignment.ANSWERED, False)


def test_late_answer_reduces_the_remaining_pages_by_one() -> None:
    campaign = rating.open_campaign("1", "2", units_per_rater=12, raters_per_unit=1)
    client, rater = rating.enrol(campaign)
    pages = assignments_of(rater)
    rating.expire_leases(*pages)
    for _ in range(3):
        rating.start_rater(campaign)
    assigning.assign_pages(rater)
    before = len(assigning.rater_pages(rater))
    late_page = next(a for a in assignments_of(rater) if a.state == Assignment.TIMED_OUT)
    assert rating.rate_page(client, late_page).status_code == 200
    current_pages = assigning.rater_pages(rater)
    assert late_page.pk in {a.pk for a in current_pages}
    assert len(current_pages) == before


def test_page_answered_while_being_dropped_stays_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = rating.open_campaign("1", units_per_rater=4, raters_per_unit=1)
    _client, rater = rating.enrol(campaign)
    read_first = QuerySet.first
    answered: list[int] = []

    def answer_meanwhile(query: QuerySet[Assignment]) -> Assignment | None:
        row = read_first(query)
        if isinstance(row, Assignment):
            own_row = Assignment.objects.filter(pk=row.pk)
            own_row.update(state=Assignment.ANSWERED, first_answer_at=timezone.now())
            answered.append(row.pk)
        return row

    monkeypatch.setattr(QuerySet, "first", answer_meanwhile)
    assigning.drop_unseen_page(rater)
    assert Assignment.objects.get(pk__in=answered).state == Assignment.ANSWERED


def test_skipped_unit_frees_its_slot_and_later_answer_is_over_quota() -> None:
    campaign = rating.open_campaign("1", units_per_rater=24, raters_per_unit=1)
    client, rater = rating.enrol(campaign)
    first = rating.pages_of(rater)[0]
    skip = {"values": {}, "skip": "I don’t understand the words", "revision": 0}
    assert rating.post(client, first, skip).json()["complete"]
    second = rating.start_rater(campaign)
    assert [a.unit_id for a in assignments_of(second)] == [first.unit_id]
    assert rating.rate_page(client, first).status_code == 200
    first.refresh_from_db()
    assert (first.state, first.over_quota) == (Assignment.ANSWERED, True)


def test_excluded_raters_and_withdrawn_units_free_their_slots() -> None:
    campaign = rating.open_campaign("1", units_per_rater=24, raters_per_unit=1)
    rater = rating.start_rater(campaign)
    assert not assignments_of(rating.start_rater(campaign))
    exclusion.exclude(rater, "speed")
    second = rating.start_rater(campaign)
    assert len(assignments_of(second)) == 24
    withdrawn = assignments_of(second)[3]
    Unit.objects.filter(pk=withdrawn.unit_id).update(withdrawn=True)
    assigning.assign_pages(second)
    assert withdrawn.pk not in {a.pk for a in assigning.rater_pages(second)}
    assert len(assigning.rater_pages(second)) == 23


def test_thousand_withdrawn_pages_are_removed_with_their_repeats() -> None:
    """SQLite accepts conditions of at most about 1000 terms."""
    campaign = rating.open_campaign("1", units_per_rater=1, raters_per_unit=2)
    rater, other_rater = rating.start_rater(campaign), rating.start_rater(campaign)
    units = Unit.objects.bulk_create(
        Unit(campaign=campaign, kind=Unit.UTTERANCE, index=index, withdrawn=True)
        for index in range(1000, 2100)
    )
    first_pages = [
        Assignment(rater=rater, unit=unit, index=unit.index, leased_until=timezone.now())
        for unit in units
    ]
    repeats = [
        Assignment(
            rater=row_rater,
            unit=unit,
            index=unit.index + len(units),
            leased_until=timezone.now(),
            is_repeat=True,
        )
        for unit in units
        for row_rater in (rater, other_rater)
    ]
    Assignment.objects.bulk_create(first_pages + repeats)
    quotas.revoke_assignments([page.pk for page in first_pages])
    still_open = Assignment.objects.filter(unit__in=units, state=Assignment.OPEN)
    assert set(still_open.values_list("rater", "is_repeat")) == {(other_rater.pk, True)}
    assert still_open.count() == len(units)
    quotas.revoke_assignments([])
    assert still_open.count() == len(units)


def test_erasing_a_rater_frees_their_slots() -> None:
    campaign = rating.open_campaign("1", units_per_rater=24, raters_per_unit=1)
    client, rater = rating.enrol(campaign)
    rating.rate_page(client, rating.pages_of(rater)[0])
    rater_erasure.erase_rater(rater)
    assert len(assignments_of(rating.start_rater(campaign))) == 24


def test_players_of_one_game_are_assigned_to_a_rater_together() -> None:
    """Old campaigns have one page per player. Newer ones have one page for all players."""
    players = instruments.get("players").to_json()
    campaign = rating.open_campaign(
        "1", "2", units_per_rater=12, raters_per_unit=2, instrument=players
    )
    for dimension in campaign.instrument["dimensions"]:
        dimension |= {"rank": True, "max": 8}
    campaign.save()
    raters = [rating.start_rater(campaign) for _ in range(5)]
    assigning.assign_pages(raters[0])  # A group that does not fit is not started.
    assert [len(assignments_of(rater)) for rater in raters] == [8, 8, 8, 8, 0]
    for rater in raters[:4]:
        assert len({a.unit.game_id for a in assignments_of(rater)}) == 1
        assert sorted(a.unit.seat or 0 for a in assignments_of(rater)) == list(range(1, 9))


def test_closed_campaign_assigns_nothing() -> None:
    campaign = rating.open_campaign("1")
    campaigns.close(campaign)
    rater = world.add_rater(campaign)
    assigning.assign_pages(rater)
    assert not assignments_of(rater)
