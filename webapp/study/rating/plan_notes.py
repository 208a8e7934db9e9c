"""Notes on weaknesses of a campaign's plan that do not keep the campaign from opening."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine.labels import is_degraded
from webapp.statistics.comparison_design import (
    MIN_RATERS_PER_CONDITION,
    UNPAIRED,
    ComparisonDesign,
    choose_design,
)
from webapp.study.design.instruments import Instrument
from webapp.study.games import situations
from webapp.study.games.public_talk import SpokenTurn, talk_of
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating import effort
from webapp.study.rating.stimuli import rates_systems_only, system_answers
from webapp.study.rating.unit_candidates import PlannedUnit

MAX_DEGRADED_SHARE = 0.05  # a larger share of a condition's statements gives a note


def find_notes(campaign: Campaign, rated_units: Sequence[PlannedUnit]) -> Iterator[str]:
    """Yield a sentence for each weakness. `rated_units` are the units without attention checks."""
    yield from _ranking_notes(rated_units)
    yield from _time_notes(campaign, rated_units)
    yield from _situation_notes(campaign, rated_units)
    yield from _test_notes(campaign, rated_units)
    yield from _degraded_notes(campaign, rated_units)


def _ranking_notes(rated_units: Sequence[PlannedUnit]) -> Iterator[str]:
    """Yield a sentence if ranks cannot show a difference between games.

    Ranks compare the players of a game, so their mean is the same in every game.
    """
    rankings = [planned for planned in rated_units if planned.unit.kind == Unit.RANKING]
    if rankings and all(len({s.condition for s in p.stimuli}) == 1 for p in rankings):
        yield _(
            "In every game, all players have the same condition, and the mean rank of a "
            "game is always the same. This ranking can’t compare conditions. It shows "
            "which seats are ahead, and whether raters agree."
        )


def _time_notes(campaign: Campaign, rated_units: Sequence[PlannedUnit]) -> Iterator[str]:
    minutes_needed = effort.estimate_minutes(campaign, [planned.unit for planned in rated_units])
    if 0 < campaign.time_limit < minutes_needed:
        sentence = ngettext(
            "Raters have {limit} minute but need about {takes}. Most will not finish.",
            "Raters have {limit} minutes but need about {takes}. Most will not finish.",
            campaign.time_limit,
        )
        yield sentence.format(limit=campaign.time_limit, takes=minutes_needed)


def _situation_notes(campaign: Campaign, rated_units: Sequence[PlannedUnit]) -> Iterator[str]:
    """Yield a sentence for each item whose situation has no unit."""
    drawn_situations = {key for planned in rated_units for key in planned.unit.situations}
    for dimension in Instrument.from_json(campaign.instrument).dimensions:
        if dimension.situation and dimension.situation not in drawn_situations:
            sentence = _("“{item}” is never asked: no unit is in the situation “{situation}”.")
            label = situations.ALL_LABELS[dimension.situation]
            yield sentence.format(item=dimension.label, situation=label)


def _test_notes(campaign: Campaign, rated_units: Sequence[PlannedUnit]) -> Iterator[str]:
    """Yield a sentence for each pair of conditions, and for the raters, that allow no test."""
    for (a, b), design in _comparison_designs(rated_units).items():
        if reason := _no_test_reason(design):
            yield _("“{a}” against “{b}”: {why}").format(a=a, b=b, why=reason)
    raters = effort.raters_needed(campaign, len(rated_units))
    if (
        0 < raters < MIN_RATERS_PER_CONDITION
        and campaign.raters_per_unit < MIN_RATERS_PER_CONDITION
    ):
        yield _(
            "{n} raters are enough to rate everything, but a test that generalizes to other raters"
            " needs three. Increase the ratings per unit, or give each rater fewer units."
        ).format(n=raters)


def _comparison_designs(
    rated_units: Sequence[PlannedUnit],
) -> dict[tuple[str, str], ComparisonDesign]:
    """Return pair of conditions -> the design of their comparison if all units are rated."""
    deal_numbers: dict[str, int] = {}
    games_by_condition: dict[str, set[tuple[int, int]]] = {}  # condition -> (deal, game)
    for planned in rated_units:
        assert planned.unit.game
        game = planned.unit.game
        deal = deal_numbers.setdefault(build_deal_key(game), len(deal_numbers))
        for stimulus in planned.stimuli:
            games_by_condition.setdefault(stimulus.condition, set()).add((deal, game.pk))
    return {
        (a, b): choose_design(
            (deal, game, is_second)
            for condition, is_second in ((a, False), (b, True))
            for deal, game in games_by_condition[condition]
        )
        for a, b in combinations(sorted(games_by_condition), 2)
    }


def _no_test_reason(design: ComparisonDesign) -> str:
    """Return why the test of a comparison will be undefined, "" if it is defined."""
    if not design.kind:
        return _("all units come from one deal, so nothing can be compared.")
    if design.kind == UNPAIRED and min(len(design.first), len(design.second)) < 2:
        return _(
            "one of them has only one game, so the variation between its games is unknown (games:"
            " {m} and {n}). Choose at least two games of each. A useful test needs six or more."
        ).format(m=len(design.first), n=len(design.second))
    if design.kind != UNPAIRED and len(design.pairs) < 2:
        return _("only one deal has both. Choose at least two deals; six are a good start.")
    return ""


def _degraded_notes(campaign: Campaign, rated_units: Sequence[PlannedUnit]) -> Iterator[str]:
    """Yield a sentence for each condition with many statements that lack a part of its method."""
    for condition, flags in sorted(_degraded_flags(campaign, rated_units).items()):
        if sum(flags) > MAX_DEGRADED_SHARE * len(flags):
            sentence = _(
                "“{condition}”: {lacking} of {count} statements lack a part of their "
                "method, because a request to the model failed. Ratings would also reflect "
                "these failures. Choose games without them, or withdraw these units."
            )
            yield sentence.format(condition=condition, lacking=sum(flags), count=len(flags))


def _degraded_flags(
    campaign: Campaign, rated_units: Sequence[PlannedUnit]
) -> dict[str, list[bool]]:
    """Return condition -> whether each statement of its rated texts or players is degraded."""
    flags: defaultdict[str, list[bool]] = defaultdict(list)
    for planned in rated_units:
        if not (planned.turn and rates_systems_only(campaign)):
            turns = _rated_turns(planned)
            flags[planned.condition] += [is_degraded(turn.labels) for turn in turns]
    answers = system_answers(unit__campaign=campaign, unit__withdrawn=False, state=Stimulus.READY)
    for condition, labels in answers.values_list("condition", "labels"):
        flags[condition].append(is_degraded(labels))
    return flags


def _rated_turns(planned: PlannedUnit) -> Sequence[SpokenTurn]:
    if planned.turn:
        return (planned.turn,)
    unit = planned.unit
    assert unit.game is not None
    return [turn for turn in talk_of(unit.game).spoken if unit.seat in (None, turn.seat)]
