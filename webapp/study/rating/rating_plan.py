"""The plan of a campaign: a dry run for the page where it is set up. Nothing is written.

It states units, ratings, raters, minutes, and the problems that keep the campaign from opening.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine.labels import is_degraded
from game.models import Player
from webapp.statistics.comparison_design import (
    MIN_RATERS,
    UNPAIRED,
    ComparisonDesign,
    Place,
    choose_design,
)
from webapp.study.design import compared_conditions
from webapp.study.design.analysis_plan import planned_test_errors
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_design import MAX_ANSWERS
from webapp.study.games import situations
from webapp.study.games.public_talk import AGENT, SpokenTurn, talk_of
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.models import Campaign, Unit
from webapp.study.rating import effort, exclusion, situation_cache, unit_rows, units
from webapp.study.rating.known_answers import GOLD
from webapp.study.rating.stimuli import rates_systems_only, system_answers
from webapp.study.rating.unit_rows import DrawnUnit, rated_conditions
from webapp.study.rating.units import capacity

MAX_DEGRADED_SHARE = 0.05  # of a condition's statements; above it a plan warns


def plan(campaign: Campaign) -> dict[str, Any]:
    """Return units, ratings, raters, minutes, problems, notes and flagged units.

    Ratings are counted in values. "units" and "by_condition" exclude attention checks and withdrawn
    units. "unread" is the number of games that a worker still reads for their situations. Units
    that depend on these are not counted yet.
    """
    missing = units.games_without_situations(campaign)
    situation_cache.request_reading(missing)
    drawn, rated = _draw_units(campaign)
    return {
        "unread": len(missing),
        "units": len(rated),
        "by_condition": dict(sorted(_by_condition(campaign, rated).items())),
        "ratings": effort.count_values(campaign, rated) * campaign.raters_per_unit,
        "raters_needed": _raters_needed(campaign, len(rated)),
        "minutes_per_rater": effort.minutes(campaign, rated),
        "problems": [*_problems(campaign, drawn, rated), *drawn_unit_problems(campaign)],
        "notes": list(_notes(campaign, rated)),
        "rules": exclusion.rules_text(campaign),
        "flags": _flagged_units(campaign, drawn),
    }


def find_problems(campaign: Campaign) -> list[str]:
    """Return sentences that say why the campaign cannot be opened and what to do."""
    drawn, rated = _draw_units(campaign)
    return list(_problems(campaign, drawn, rated))


def _draw_units(campaign: Campaign) -> tuple[list[DrawnUnit], list[DrawnUnit]]:
    """Return (all units that will be drawn, those of them that will be rated)."""
    drawn = units.plan_units(campaign)
    withdrawn_keys = {unit_rows.unit_identity(u) for u in campaign.units.filter(withdrawn=True)}
    return drawn, [
        u for u in drawn if u.kind != Unit.ATTENTION and u.identity not in withdrawn_keys
    ]


def drawn_unit_problems(campaign: Campaign) -> list[str]:
    """Return sentences about problems of the drawn units.

    Problems are units of known answer in the context of rated ones, or the reverse, and missing
    answers of the comparison system.
    """
    return [*_known_unit_problems(campaign), *_answer_problems(campaign)]


def _known_unit_problems(campaign: Campaign) -> Iterator[str]:
    """Yield a sentence for each game with units off the track of its known answers.

    Every rater gets the units of known answer, so all units of the game must be on their track. A
    change of the settings can have moved them.
    """
    known_tracks = set(campaign.units.exclude(use="").values_list("game", "game__code", "track"))
    for code in sorted({code for _game, code, _track in known_tracks if code}):
        tracks = {track for _game, of, track in known_tracks if of == code}
        rated_units = campaign.units.filter(game__code=code, withdrawn=False)
        if len(tracks) > 1 or rated_units.exclude(track__in=tracks).exists():
            sentence = _(
                "In game {code}, units with a known answer are shown before others, or the "
                "reverse. Choose these units again, or show fewer lines before each unit."
            )
            yield sentence.format(code=code)


def _answer_problems(campaign: Campaign) -> list[str]:
    """Return sentences about missing answers of the comparison system."""
    if campaign.rival is None:
        return []
    rows = system_answers(unit__campaign=campaign, unit__withdrawn=False)
    states = Counter(rows.values_list("state", flat=True))
    sentences = []
    if not sum(states.values()):
        sentences.append(_("Generate the other system’s answers first."))
    if waiting := states["waiting"]:
        sentences.append(
            ngettext(
                "{count} answer of the other system is missing. Start generating it, or wait.",
                "{count} answers of the other system are missing. Start generating them, or wait.",
                waiting,
            ).format(count=waiting)
        )
    if failed := states["failed"]:
        sentences.append(
            ngettext(
                "{count} answer of the other system failed. Try again, or withdraw its unit.",
                "{count} answers of the other system failed. Try again, or withdraw their units.",
                failed,
            ).format(count=failed)
        )
    return sentences


def _by_condition(campaign: Campaign, rated: Sequence[DrawnUnit]) -> Counter[str]:
    return Counter(c for unit in rated for c in rated_conditions(campaign, unit))


def _raters_needed(campaign: Campaign, count: int) -> int:
    """Return the number of raters for `count` units. A rater rates a unit once for its quota."""
    if not count:
        return 0
    units_each = min(campaign.units_per_rater, count)
    return max(campaign.raters_per_unit, math.ceil(count * campaign.raters_per_unit / units_each))


def _problems(
    campaign: Campaign, drawn: Sequence[DrawnUnit], rated: Sequence[DrawnUnit]
) -> Iterator[str]:
    instrument = Instrument.from_json(campaign.instrument)
    if errors := Instrument.check(campaign.instrument):
        yield from errors
    if not campaign.consent.strip():
        yield _("Write the consent text that raters agree to.")
    if not instrument.example:
        yield _("Write a worked example. Raters see it before they start.")
    if not campaign.chosen.exists():
        yield _("Choose at least one finished game.")
        return
    if missing := units.games_without_situations(campaign):
        yield units.unread_notice(missing)
        return
    yield from _blind_problems(campaign)
    yield from _speaker_problems(campaign, instrument)
    yield from _pairing_problems(campaign, instrument, drawn)
    yield from _ranking_problems(campaign, instrument)
    if not rated:
        yield _("These games have nothing to rate. Choose other games or units.")
        return
    conditions = sorted(_by_condition(campaign, rated))
    sides = {d.key: conditions for d in instrument.dimensions}
    yield from planned_test_errors(campaign.planned_analysis.get("tests", ()), sides)
    yield from _quota_problems(campaign, drawn, rated)
    yield from exclusion.find_limit_problems(campaign, campaign.units.filter(use=GOLD).count())


def _blind_problems(campaign: Campaign) -> Iterator[str]:
    """Yield a sentence for each blind game in which the ratings would reveal people."""
    reveals_people = (
        units.comparison_key(campaign) in compared_conditions.REVEALING_KEYS
        or campaign.choice.get("words", "any") != "any"
    )
    if campaign.choice.get("speakers", "agents") == "all" and not reveals_people:
        return
    for row in campaign.chosen.select_related("game"):
        if row.game.blind and row.game.players.filter(kind=Player.PERSON).exists():
            sentence = _(
                "Game {code} is from a blind table that has not been revealed. Include all players"
                " and prepared answers, compare games, roles or teams, or remove the game."
            )
            yield sentence.format(code=row.game.code)


def _pairing_problems(
    campaign: Campaign, instrument: Instrument, drawn: Sequence[DrawnUnit]
) -> Iterator[str]:
    if campaign.rival is None:
        return
    if instrument.unit != Unit.UTTERANCE:
        yield _("Only statements can be paired. Choose another questionnaire, or turn off pairs.")
    names = [condition for condition, _recipe in campaign.systems.values()]
    if not rates_systems_only(campaign):
        of_games = campaign.chosen.values_list("condition", flat=True)
        names += {*of_games, *(u.condition for u in drawn)}
    if not all(condition for condition, _recipe in campaign.systems.values()):
        yield _("Enter a condition name for the other system’s answers.")
    elif len(set(names)) < len(names):
        yield _("Give each other system a condition name that is not used elsewhere.")
    if campaign.answer_count > MAX_ANSWERS:
        yield _("A page shows at most {most} answers to one moment. Remove some of them.").format(
            most=MAX_ANSWERS
        )


def _ranking_problems(campaign: Campaign, instrument: Instrument) -> Iterator[str]:
    player_count = max((d.max for d in instrument.dimensions if d.rank), default=0)
    for row in campaign.chosen.select_related("game") if player_count else ():
        seats = len(talk_of(row.game).names)
        if seats != player_count:
            sentence = _("Game {code} has {seats} players, but the questionnaire ranks {most}.")
            yield sentence.format(code=row.game.code, seats=seats, most=player_count)
        if campaign.choice.get("speakers", "agents") != "all" and (
            not row.game.blind and talk_of(row.game).kind_of() != AGENT
        ):
            sentence = _(
                "Game {code} was played by people, and a ranking includes all players. "
                "Include all players, or remove the game."
            )
            yield sentence.format(code=row.game.code)


def _quota_problems(
    campaign: Campaign, drawn: Sequence[DrawnUnit], rated: Sequence[DrawnUnit]
) -> Iterator[str]:
    count = len(rated)
    if campaign.units_per_rater > count:
        yield ngettext(
            "There is only {count} unit. Give each rater {count}, or choose more units.",
            "There are only {count} units. Give each rater at most {count}, or choose more units.",
            count,
        ).format(count=count)
    if campaign.repeats > campaign.units_per_rater:
        yield _("A rater can’t have more repeats than units.")
    if campaign.attention > sum(u.kind == Unit.ATTENTION for u in drawn):
        yield _("The scales share no value, so attention checks are not possible.")
    max_units = capacity((u.game, u.track) for u in rated)
    if max_units < campaign.units_per_rater <= count:
        sentence = _(
            "A rater can get at most {count} units, as no unit may be shown before another. Give"
            " each rater {count}, show fewer lines before each unit, or choose more games."
        )
        yield sentence.format(count=max_units)
    if campaign.choice.get("pick") == "sample":
        yield from _sample_problems(campaign, [u for u in drawn if u.kind != Unit.ATTENTION])


def _sample_problems(campaign: Campaign, drawn: Sequence[DrawnUnit]) -> Iterator[str]:
    """Yield a sentence for each condition with fewer units than requested."""
    wanted_count = sum(units.situation_quotas(campaign).values())
    names = {u.condition for u in drawn}
    if units.comparison_key(campaign) == compared_conditions.GAME:
        names |= set(campaign.chosen.values_list("condition", flat=True))
    drawn_counts = Counter(u.condition for u in drawn)
    for condition in sorted(names):
        if drawn_counts[condition] < wanted_count:
            sentence = _(
                "“{condition}” has only {count} of {wanted} units. Sample fewer, or choose "
                "more of its games."
            )
            yield sentence.format(
                condition=condition, count=drawn_counts[condition], wanted=wanted_count
            )


def _speaker_problems(campaign: Campaign, instrument: Instrument) -> Iterator[str]:
    """Yield a sentence for each reason why speakers cannot be compared."""
    compare = units.comparison_key(campaign)
    if compare == compared_conditions.GAME:
        return
    if instrument.unit == Unit.GAME:
        yield _("A whole game has no speaker. Compare games, or rate players or statements.")
    revealing_items = [d.label for d in instrument.dimensions if d.deeds]
    if revealing_items and compare in (compared_conditions.ROLE, compared_conditions.TEAM):
        yield _(
            "“{item}” shows raters the true roles, which are what you compare. Remove the "
            "item, or compare something else."
        ).format(item=revealing_items[0])
    if compare == compared_conditions.KIND and campaign.choice.get("speakers", "agents") != "all":
        yield _("To compare people with computer players, include all players.")


def _notes(campaign: Campaign, rated: Sequence[DrawnUnit]) -> Iterator[str]:
    """Yield sentences about weaknesses that do not keep the campaign from opening."""
    yield from _contrast_notes(rated)
    if 0 < campaign.time_limit < (minutes_needed := effort.minutes(campaign, rated)):
        sentence = ngettext(
            "Raters have {limit} minute but need about {takes}. Most will not finish.",
            "Raters have {limit} minutes but need about {takes}. Most will not finish.",
            campaign.time_limit,
        )
        yield sentence.format(limit=campaign.time_limit, takes=minutes_needed)
    drawn_situations = {s for u in rated for s in u.situations}
    for d in Instrument.from_json(campaign.instrument).dimensions:
        if d.situation and d.situation not in drawn_situations:
            sentence = _("“{item}” is never asked: no unit is in the situation “{situation}”.")
            yield sentence.format(item=d.label, situation=situations.ALL_LABELS[d.situation])
    yield from _test_notes(campaign, rated)
    for condition, (degraded_count, count) in sorted(_degraded_counts(campaign, rated).items()):
        if degraded_count > MAX_DEGRADED_SHARE * count:
            sentence = _(
                "“{condition}”: {lacking} of {count} statements lack a part of their "
                "method, because a request to the model failed. Ratings would also reflect "
                "these failures. Choose games without them, or withdraw these units."
            )
            yield sentence.format(condition=condition, lacking=degraded_count, count=count)


def _test_notes(campaign: Campaign, rated: Sequence[DrawnUnit]) -> Iterator[str]:
    """Yield a sentence for each pair of conditions that no ratings can compare."""
    for (a, b), comparison in _comparison_designs(campaign, rated).items():
        if sentence := _no_test_reason(comparison):
            yield _("“{a}” against “{b}”: {why}").format(a=a, b=b, why=sentence)
    raters = _raters_needed(campaign, len(rated))
    if 0 < raters < MIN_RATERS and campaign.raters_per_unit < MIN_RATERS:
        yield _(
            "{n} raters are enough to rate everything, but a test that generalizes to other raters"
            " needs three. Increase the ratings per unit, or give each rater fewer units."
        ).format(n=raters)


def _comparison_designs(
    campaign: Campaign, rated: Sequence[DrawnUnit]
) -> dict[tuple[str, str], ComparisonDesign]:
    """Return (condition, condition) -> the design of their comparison if all units are rated."""
    deal_numbers: dict[str, int] = {}
    games_by_condition: dict[str, set[tuple[int, int]]] = {}  # condition -> (deal, game)
    for unit in rated:
        if unit.game is None:
            continue
        deal = deal_numbers.setdefault(build_deal_key(unit.game), len(deal_numbers))
        for condition in rated_conditions(campaign, unit):
            games_by_condition.setdefault(condition, set()).add((deal, unit.game.pk))
    return {
        (a, b): choose_design(_design_places(games_by_condition[a], games_by_condition[b]))
        for a, b in combinations(sorted(games_by_condition), 2)
    }


def _design_places(first: set[tuple[int, int]], second: set[tuple[int, int]]) -> Iterator[Place]:
    yield from ((deal, game, False) for deal, game in first)
    yield from ((deal, game, True) for deal, game in second)


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


def _contrast_notes(rated: Sequence[DrawnUnit]) -> Iterator[str]:
    """Yield a sentence if ranks cannot show a difference between games.

    Ranks compare the players of a game, so their mean is the same in every game.
    """
    rankings = [u for u in rated if u.kind == Unit.RANKING]
    if rankings and all(len(set(u.conditions)) == 1 for u in rankings):
        yield _(
            "In every game, all players have the same condition, and the mean rank of a "
            "game is always the same. This ranking can’t compare conditions. It shows "
            "which seats are ahead, and whether raters agree."
        )


def _degraded_counts(campaign: Campaign, rated: Sequence[DrawnUnit]) -> dict[str, tuple[int, int]]:
    """Return condition -> (number of degraded statements, number of all statements).

    They are the rated statements, or all of a rated player or game.
    """
    degraded_by_condition: dict[str, list[bool]] = {}
    for unit in rated:
        if not (unit.line and rates_systems_only(campaign)):
            degraded_by_condition.setdefault(unit.condition, []).extend(
                is_degraded(line.labels) for line in _rated_lines(unit)
            )
    rivals = system_answers(unit__campaign=campaign, unit__withdrawn=False, state="idle")
    for condition, labels in rivals.values_list("condition", "labels"):
        degraded_by_condition.setdefault(condition, []).append(is_degraded(labels))
    return {condition: (sum(rows), len(rows)) for condition, rows in degraded_by_condition.items()}


def _rated_lines(unit: DrawnUnit) -> Sequence[SpokenTurn]:
    if unit.line:
        return (unit.line,)
    assert unit.game is not None
    return [line for line in talk_of(unit.game).spoken if unit.seat in (None, line.seat)]


def _flagged_units(campaign: Campaign, drawn: Sequence[DrawnUnit]) -> list[dict[str, Any]]:
    """Return the units to inspect. "unit" is the row's id, None if it is not drawn yet."""
    rows = {unit_rows.unit_identity(u): u for u in campaign.units.exclude(flags=[])}
    flagged_rows = []
    for unit in drawn:
        if unit.flags:
            row = rows.get(unit.identity)
            flagged_rows.append(
                {
                    "unit": row.pk if row else None,
                    "index": row.index if row else None,
                    "condition": unit.condition,
                    "speaker": unit.line.speaker if unit.line else "",
                    "text": unit.line.text if unit.line else "",
                    "flags": list(unit.flags),
                    "withdrawn": bool(row and row.withdrawn),
                }
            )
    return flagged_rows
