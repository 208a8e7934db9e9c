"""The plan of a campaign: a dry run of drawing its units, and what keeps it from opening."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import Player
from webapp.study.design import rating_design
from webapp.study.design.analysis_plan import planned_test_errors
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_design import MAX_ANSWERS
from webapp.study.games import situations
from webapp.study.games.public_talk import AGENT, talk_of
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating import effort, exclusion, plan_notes, unit_candidates, units
from webapp.study.rating.stimuli import rates_systems_only, system_answers
from webapp.study.rating.unit_candidates import PlannedUnit, unit_identity
from webapp.study.rating.units import capacity


def build_plan(campaign: Campaign) -> dict[str, Any]:
    """Return the plan. Queue the reading of games whose situations are needed.

    Units that depend on situations of the `unread` games are not counted. `units` and
    `by_condition` leave out attention checks and withdrawn units. `ratings` are values.
    """
    missing = unit_candidates.games_without_situations(campaign)
    situations.request_reading(missing)
    drawn_units, rated_units = _plan_units(campaign)
    rows = [planned.unit for planned in rated_units]
    return {
        "unread": len(missing),
        "units": len(rated_units),
        "by_condition": dict(sorted(_count_by_condition(rated_units).items())),
        "ratings": effort.count_values(campaign, rows) * campaign.raters_per_unit,
        "raters_needed": effort.raters_needed(campaign, len(rated_units)),
        "minutes_per_rater": effort.estimate_minutes(campaign, rows),
        "problems": [
            *_problems(campaign, drawn_units, rated_units),
            *drawn_unit_problems(campaign),
        ],
        "notes": list(plan_notes.find_notes(campaign, rated_units)),
        "rules": exclusion.describe_rules(campaign),
        "flags": _flagged_units(campaign, drawn_units),
    }


def find_problems(campaign: Campaign) -> list[str]:
    """Return sentences that say why the campaign cannot be opened and what to do."""
    drawn_units, rated_units = _plan_units(campaign)
    return list(_problems(campaign, drawn_units, rated_units))


def _plan_units(campaign: Campaign) -> tuple[list[PlannedUnit], list[PlannedUnit]]:
    """Return (units that will be drawn, those of them that will be rated)."""
    drawn_units = units.plan_units(campaign)
    withdrawn_keys = {unit_identity(u) for u in campaign.units.filter(withdrawn=True)}
    rated_units = [
        planned
        for planned in drawn_units
        if planned.unit.kind != Unit.ATTENTION and unit_identity(planned.unit) not in withdrawn_keys
    ]
    return drawn_units, rated_units


def _count_by_condition(rated_units: Sequence[PlannedUnit]) -> Counter[str]:
    return Counter(s.condition for planned in rated_units for s in planned.stimuli)


def _problems(
    campaign: Campaign, drawn_units: Sequence[PlannedUnit], rated_units: Sequence[PlannedUnit]
) -> Iterator[str]:
    instrument = Instrument.from_json(campaign.instrument)
    yield from Instrument.check(campaign.instrument)
    if not campaign.consent.strip():
        yield _("Write the consent text that raters agree to.")
    if not instrument.example:
        yield _("Write a worked example. Raters see it before they start.")
    if not campaign.chosen_games.exists():
        yield _("Choose at least one finished game.")
        return
    if missing := unit_candidates.games_without_situations(campaign):
        yield units.unread_notice(missing)
        return
    yield from _blind_problems(campaign)
    yield from _speaker_problems(campaign, instrument)
    yield from _pairing_problems(campaign, instrument, drawn_units)
    yield from _ranking_problems(campaign, instrument)
    if not rated_units:
        yield _("These games have nothing to rate. Choose other games or units.")
        return
    conditions = sorted(_count_by_condition(rated_units))
    sides = {dimension.key: conditions for dimension in instrument.dimensions}
    yield from planned_test_errors(campaign.planned_analysis.get("tests", ()), sides)
    yield from _quota_problems(campaign, drawn_units, rated_units)
    yield from exclusion.find_limit_problems(campaign, campaign.units.filter(use=Unit.GOLD).count())


def _blind_problems(campaign: Campaign) -> Iterator[str]:
    """Yield a sentence for each blind game in which the ratings would reveal people."""
    reveals_people = (
        unit_candidates.comparison_key(campaign) in rating_design.REVEALING_KEYS
        or campaign.choice.get("words", "any") != "any"
    )
    if unit_candidates.rates_all_speakers(campaign) and not reveals_people:
        return
    for chosen in campaign.chosen_games.select_related("game"):
        if chosen.game.blind and chosen.game.players.filter(kind=Player.PERSON).exists():
            sentence = _(
                "Game {code} is from a blind table that has not been revealed. Include all players"
                " and prepared answers, compare games, roles or teams, or remove the game."
            )
            yield sentence.format(code=chosen.game.code)


def _speaker_problems(campaign: Campaign, instrument: Instrument) -> Iterator[str]:
    """Yield a sentence for each reason why speakers cannot be compared."""
    compare = unit_candidates.comparison_key(campaign)
    if compare == rating_design.COMPARE_GAMES:
        return
    if instrument.unit == Unit.GAME:
        yield _("A whole game has no speaker. Compare games, or rate players or statements.")
    revealing_items = [d.label for d in instrument.dimensions if d.deeds]
    if revealing_items and compare in (rating_design.ROLE, rating_design.TEAM):
        yield _(
            "“{item}” shows raters the true roles, which are what you compare. Remove the "
            "item, or compare something else."
        ).format(item=revealing_items[0])
    if compare == rating_design.KIND and not unit_candidates.rates_all_speakers(campaign):
        yield _("To compare people with computer players, include all players.")


def _pairing_problems(
    campaign: Campaign, instrument: Instrument, drawn_units: Sequence[PlannedUnit]
) -> Iterator[str]:
    if campaign.rival is None:
        return
    if instrument.unit != Unit.UTTERANCE:
        yield _("Only statements can be paired. Choose another questionnaire, or turn off pairs.")
    system_names = [system.condition for system in campaign.systems.values()]
    names = list(system_names)
    if not rates_systems_only(campaign):
        game_names = campaign.chosen_games.values_list("condition", flat=True)
        names += {*game_names, *(unit.condition for unit in drawn_units)}
    if not all(system_names):
        yield _("Enter a condition name for the other system’s answers.")
    elif len(set(names)) < len(names):
        yield _("Give each other system a condition name that is not used elsewhere.")
    if campaign.answer_count > MAX_ANSWERS:
        yield _("A page shows at most {most} answers to one moment. Remove some of them.").format(
            most=MAX_ANSWERS
        )


def _ranking_problems(campaign: Campaign, instrument: Instrument) -> Iterator[str]:
    """Yield a sentence for each game that the questionnaire's ranking does not fit."""
    player_count = max((d.max for d in instrument.dimensions if d.rank), default=0)
    for chosen in campaign.chosen_games.select_related("game") if player_count else ():
        seat_count = len(talk_of(chosen.game).names)
        if seat_count != player_count:
            sentence = _("Game {code} has {seats} players, but the questionnaire ranks {most}.")
            yield sentence.format(code=chosen.game.code, seats=seat_count, most=player_count)
        is_known_mixed = not chosen.game.blind and talk_of(chosen.game).kind_of() != AGENT
        if is_known_mixed and not unit_candidates.rates_all_speakers(campaign):
            sentence = _(
                "Game {code} was played by people, and a ranking includes all players. "
                "Include all players, or remove the game."
            )
            yield sentence.format(code=chosen.game.code)


def _quota_problems(
    campaign: Campaign, drawn_units: Sequence[PlannedUnit], rated_units: Sequence[PlannedUnit]
) -> Iterator[str]:
    """Yield sentences about numbers that the units, scales or tracks do not allow."""
    count = len(rated_units)
    if campaign.units_per_rater > count:
        yield ngettext(
            "There is only {count} unit. Give each rater {count}, or choose more units.",
            "There are only {count} units. Give each rater at most {count}, or choose more units.",
            count,
        ).format(count=count)
    if campaign.repeats > campaign.units_per_rater:
        yield _("A rater can’t have more repeats than units.")
    if campaign.attention > sum(u.unit.kind == Unit.ATTENTION for u in drawn_units):
        yield _("The scales share no value, so attention checks are not possible.")
    max_units = capacity((u.unit.game, u.unit.track) for u in rated_units)
    if max_units < campaign.units_per_rater <= count:
        sentence = _(
            "A rater can get at most {count} units, as no unit may be shown before another. Give"
            " each rater {count}, show fewer lines before each unit, or choose more games."
        )
        yield sentence.format(count=max_units)
    if campaign.choice.get("pick") == "sample":
        sample = [u for u in drawn_units if u.unit.kind != Unit.ATTENTION]
        yield from _sample_problems(campaign, sample)


def _sample_problems(campaign: Campaign, drawn_units: Sequence[PlannedUnit]) -> Iterator[str]:
    """Yield a sentence for each condition with fewer units than requested."""
    wanted_count = sum(units.situation_quotas(campaign).values())
    names = {u.condition for u in drawn_units}
    if unit_candidates.comparison_key(campaign) == rating_design.COMPARE_GAMES:
        names |= set(campaign.chosen_games.values_list("condition", flat=True))
    drawn_counts = Counter(u.condition for u in drawn_units)
    for condition in sorted(names):
        if drawn_counts[condition] < wanted_count:
            sentence = _(
                "“{condition}” has only {count} of {wanted} units. Sample fewer, or choose "
                "more of its games."
            )
            yield sentence.format(
                condition=condition, count=drawn_counts[condition], wanted=wanted_count
            )


def drawn_unit_problems(campaign: Campaign) -> list[str]:
    """Return sentences about drawn units: shown known answers, and missing systems' answers."""
    return [*_known_unit_problems(campaign), *_answer_problems(campaign)]


def _known_unit_problems(campaign: Campaign) -> Iterator[str]:
    """Yield a sentence for each game in which a unit is not on the track of the known answers.

    Every rater gets the units with a known answer, so all units of the game must be on their track.
    A change of the settings can have moved them.
    """
    known_tracks = set(campaign.units.exclude(use="").values_list("game", "game__code", "track"))
    for code in sorted({code for _game, code, _track in known_tracks if code}):
        tracks = {track for _game, game_code, track in known_tracks if game_code == code}
        rated_units = campaign.units.filter(game__code=code, withdrawn=False)
        if len(tracks) > 1 or rated_units.exclude(track__in=tracks).exists():
            sentence = _(
                "In game {code}, units with a known answer are shown before others, or the "
                "reverse. Choose these units again, or show fewer lines before each unit."
            )
            yield sentence.format(code=code)


def _answer_problems(campaign: Campaign) -> list[str]:
    if campaign.rival is None:
        return []
    rows = system_answers(unit__campaign=campaign, unit__withdrawn=False)
    states = Counter(rows.values_list("state", flat=True))
    sentences = []
    if not sum(states.values()):
        sentences.append(_("Generate the other system’s answers first."))
    if waiting := states[Stimulus.WAITING]:
        sentences.append(
            ngettext(
                "{count} answer of the other system is missing. Start generating it, or wait.",
                "{count} answers of the other system are missing. Start generating them, or wait.",
                waiting,
            ).format(count=waiting)
        )
    if failed := states[Stimulus.FAILED]:
        sentences.append(
            ngettext(
                "{count} answer of the other system failed. Try again, or withdraw its unit.",
                "{count} answers of the other system failed. Try again, or withdraw their units.",
                failed,
            ).format(count=failed)
        )
    return sentences


def _flagged_units(campaign: Campaign, drawn_units: Sequence[PlannedUnit]) -> list[dict[str, Any]]:
    """Return the units to inspect. "unit" is the row's id, None if there is no row yet."""
    rows = {unit_identity(u): u for u in campaign.units.exclude(flags=[])}
    flagged_units = [planned for planned in drawn_units if planned.unit.flags]
    return [_describe_flags(p, rows.get(unit_identity(p.unit))) for p in flagged_units]


def _describe_flags(planned: PlannedUnit, row: Unit | None) -> dict[str, Any]:
    return {
        "unit": row.pk if row else None,
        "index": row.index if row else None,
        "condition": planned.condition,
        "speaker": planned.turn.speaker if planned.turn else "",
        "text": planned.turn.text if planned.turn else "",
        "flags": planned.unit.flags,
        "withdrawn": bool(row and row.withdrawn),
    }
