"""Draws the units of a campaign, a sample of the candidates with their tracks, and stores them.

All random choices come from the campaign's seed, so the same settings and games give the same units
on any machine.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from django.db import transaction
from django.utils.translation import ngettext

from game.engine.seeded_random import SeededRandom
from game.models import Game
from webapp.study.design.instruments import Instrument
from webapp.study.design.refusals import Refused
from webapp.study.models import Campaign, CampaignGame, Stimulus, Unit
from webapp.study.rating.stimuli import rates_systems_only
from webapp.study.rating.unit_candidates import (
    PlannedUnit,
    find_candidates,
    games_without_situations,
    unit_identity,
)

# Keys of quotas beside situations.
ANY_SITUATION = "any"
OTHER_SITUATIONS = ""  # key for units in none of the situations with a quota


def draw_units(campaign: Campaign) -> int:
    """Create the rows of the units, unless the existing rows match the plan.

    Units that a researcher withdrew stay withdrawn if they are drawn again. Refuse if games must
    be read for their situations first. Return the number of units without attention checks.
    """
    if missing := games_without_situations(campaign):
        raise Refused([unread_notice(missing)])
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        planned_units = plan_units(campaign)
        if not are_stored(campaign, planned_units):
            withdrawn_units = {unit_identity(u): u for u in campaign.units.filter(withdrawn=True)}
            campaign.units.all().delete()
            _create_units(campaign, planned_units, withdrawn_units)
    return sum(planned.unit.kind != Unit.ATTENTION for planned in planned_units)


def are_stored(campaign: Campaign, planned_units: Sequence[PlannedUnit]) -> bool:
    """Return whether the campaign's rows are those of the planned units."""
    rows = campaign.units.order_by("index").prefetch_related("stimuli")
    stored = [_row_values(unit, unit.stimuli.all()) for unit in rows]
    return stored == [_row_values(planned.unit, planned.stimuli) for planned in planned_units]


def _row_values(unit: Unit, stimuli: Iterable[Stimulus]) -> tuple[Any, ...]:
    """Return the values of a unit's rows that can differ between two draws."""
    conditions = [stimulus.condition for stimulus in stimuli]
    return (*unit_identity(unit), unit.track, unit.situations, conditions)


def _create_units(
    campaign: Campaign,
    planned_units: Sequence[PlannedUnit],
    withdrawn_units: Mapping[tuple[Any, ...], Unit],
    first_index: int = 1,
) -> None:
    """Store planned units. Those that are withdrawn, by their identity, stay withdrawn."""
    for index, planned in enumerate(planned_units, first_index):
        unit = planned.unit
        unit.campaign, unit.index = campaign, index
        if withdrawn := withdrawn_units.get(unit_identity(unit)):
            unit.withdrawn, unit.use = True, withdrawn.use
            unit.known_answers = withdrawn.known_answers
    Unit.objects.bulk_create(planned.unit for planned in planned_units)
    for planned in planned_units:
        for stimulus in planned.stimuli:
            stimulus.unit = planned.unit  # only now, because it copies the id of the unit
    Stimulus.objects.bulk_create(
        stimulus for planned in planned_units for stimulus in planned.stimuli
    )


def draw_added_games(campaign: Campaign) -> None:
    """Draw the units of games that were added to the campaign.

    Existing rows stay, and so does everything that depends on them. This is only for campaigns that
    rate all units, because a sample cannot grow without a new draw. Unread games are added the next
    time.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        drawn_ids = set(campaign.units.exclude(game=None).values_list("game", flat=True))
        unread_ids = {game.pk for game in games_without_situations(campaign)}
        added = campaign.chosen_games.exclude(game__in=drawn_ids | unread_ids)
        rated_units = [
            unit
            for chosen in added.select_related("game")
            for unit in _assign_tracks(campaign, find_candidates(campaign, chosen))
        ]
        has_checks = campaign.units.filter(kind=Unit.ATTENTION).exists()
        last = campaign.units.order_by("-index").first()
        new_units = [*rated_units, *([] if has_checks else _draw_checks(campaign))]
        _create_units(campaign, new_units, {}, first_index=last.index + 1 if last else 1)


def set_withdrawn(unit: Unit, *, is_withdrawn: bool) -> None:
    """Withdraw a unit from assignment, or let it be rated again. It has no known answer then."""
    unit.withdrawn = is_withdrawn
    unit.use = ""
    unit.known_answers = {}
    unit.save(update_fields=["withdrawn", "use", "known_answers"])


def unread_notice(missing: Sequence[Game]) -> str:
    """Return a sentence saying that games are being read for their situations."""
    return ngettext(
        "The talk of {count} game is still being analysed. Try again in a few seconds.",
        "The talk of {count} games is still being analysed. Try again in a few seconds.",
        len(missing),
    ).format(count=len(missing))


def plan_units(campaign: Campaign) -> list[PlannedUnit]:
    """Return the units that would be drawn now, attention checks last."""
    chosen_games = campaign.chosen_games.select_related("game")
    units_by_game = {chosen: find_candidates(campaign, chosen) for chosen in chosen_games}
    if campaign.choice.get("pick") == "sample":
        units_by_game = _draw_sample(campaign, units_by_game)
    rated = [
        unit
        for game_units in units_by_game.values()
        for unit in _assign_tracks(campaign, game_units)
    ]
    return [*rated, *_draw_checks(campaign)]


def _draw_checks(campaign: Campaign) -> list[PlannedUnit]:
    """Draw the attention checks. Each asks for a value that every scale has."""
    dimensions = Instrument.from_json(campaign.instrument).dimensions_of(Unit.ATTENTION)
    low, high = max(d.min for d in dimensions), min(d.max for d in dimensions)
    values = range(low, high + 1)
    if not values:
        return []
    rng = SeededRandom(campaign.seed)
    expected_values = (rng.choice(f"check/{n}", values) for n in range(campaign.attention))
    return [
        PlannedUnit(Unit(kind=Unit.ATTENTION, expected=value), [Stimulus()])
        for value in expected_values
    ]


def _assign_tracks(campaign: Campaign, game_units: Sequence[PlannedUnit]) -> Sequence[PlannedUnit]:
    """Set the tracks of a game's units, which are in the order of its log, and return the units."""
    places = [planned.turn.place for planned in game_units if planned.turn]
    # Otherwise pages show the whole talk, or the log's texts are not rated.
    if len(places) == len(game_units) and not rates_systems_only(campaign):
        numbers = tracks(places, campaign.context)
        for planned, number in zip(game_units, numbers, strict=True):
            planned.unit.track = number
    return game_units


def tracks(places: Sequence[int], context: int) -> list[int]:
    """Return the track (from 0) of each unit of a game. A rater gets units of one track only.

    No unit of a track shows the text of another as context. Otherwise a later unit would reveal
    which side of a pair is from the game, and raters would read single texts before they rate them.
    There are as few tracks as possible, and their sizes differ by at most one. `places` are those
    of the units' turns, in ascending order. A unit shows `context` turns before its own.
    """
    # As many tracks are needed as the largest number of units within one context.
    first, track_count = 0, 1
    for last, place in enumerate(places):
        while places[first] < place - context:
            first += 1
        track_count = max(track_count, last - first + 1)
    return [number % track_count for number in range(len(places))]


def _draw_sample(
    campaign: Campaign, units_by_game: dict[CampaignGame, list[PlannedUnit]]
) -> dict[CampaignGame, list[PlannedUnit]]:
    """Draw the same number of units for each condition (and situation), evenly over its games."""
    rng = SeededRandom(campaign.seed)
    drawn_identities: set[tuple[Any, ...]] = set()
    for condition in dict.fromkeys(u.condition for units in units_by_game.values() for u in units):
        candidates_by_game = {
            chosen: candidates
            for chosen, units in units_by_game.items()
            if (candidates := [unit for unit in units if unit.condition == condition])
        }
        piles = [
            _shuffle_by_track(campaign, rng, units_by_game[chosen], candidates_by_game[chosen])
            for chosen in rng.shuffled(f"games/{condition}", list(candidates_by_game))
        ]
        for situation, count in situation_quotas(campaign).items():
            matching_piles = [
                [
                    unit
                    for unit in pile
                    if _is_in_situation(campaign, unit.unit, situation)
                    and unit_identity(unit.unit) not in drawn_identities
                ]
                for pile in piles
            ]
            # Units are taken from the piles in turn.
            dealt = [unit for layer in zip_longest(*matching_piles) for unit in layer if unit]
            drawn_identities |= {unit_identity(unit.unit) for unit in dealt[:count]}
    return {
        chosen: [unit for unit in units if unit_identity(unit.unit) in drawn_identities]
        for chosen, units in units_by_game.items()
    }


def _shuffle_by_track(
    campaign: Campaign,
    rng: SeededRandom,
    game_units: Sequence[PlannedUnit],
    candidates: Sequence[PlannedUnit],
) -> list[PlannedUnit]:
    """Return the candidates in a drawn order by tracks, so that a rater can get the first ones."""
    game = game_units[0].unit.game
    code = game.code if game else ""
    shuffled = rng.shuffled(f"units/{code}", list(candidates))
    if "fill" not in campaign.choice:
        return shuffled  # settings from before tracks existed, whose sample must stay the same
    game_tracks = {planned.unit.track for planned in _assign_tracks(campaign, game_units)}
    order = rng.shuffled(f"tracks/{code}", sorted(game_tracks))
    return sorted(shuffled, key=lambda planned: order.index(planned.unit.track))


def situation_quotas(campaign: Campaign) -> dict[str, int]:
    """Return situation (or ANY_SITUATION, OTHER_SITUATIONS) -> number of units per condition."""
    if quotas := campaign.choice.get("quotas"):
        return dict(quotas)
    return {ANY_SITUATION: int(campaign.choice.get("per_condition") or 0)}


def _is_in_situation(campaign: Campaign, unit: Unit, situation: str) -> bool:
    if situation == OTHER_SITUATIONS:
        return not set(unit.situations) & set(situation_quotas(campaign))
    return situation == ANY_SITUATION or situation in unit.situations


def capacity(units: Iterable[tuple[object, int]]) -> int:
    """Return how many of the units (game, track) every rater can get, on whichever tracks."""
    sizes: defaultdict[object, Counter[int]] = defaultdict(Counter)
    for game, track in units:
        sizes[game][track] += 1
    return sum(min(track_sizes.values()) for track_sizes in sizes.values())
