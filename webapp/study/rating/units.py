"""The units of a campaign: its candidates, the sample drawn from them, and their tracks.

Everything is drawn from the campaign's seed, so the same settings and games give the same units on
any machine.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils.translation import ngettext

from game.engine import labels
from game.engine.seeded_random import SeededRandom
from game.models import Game
from webapp.study.design import compared_conditions
from webapp.study.design.instruments import Instrument
from webapp.study.design.refusals import Refused
from webapp.study.games.public_talk import AGENT, PublicTalk, SpokenTurn, find_model_flags, talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.games.situations import PROFILE
from webapp.study.models import Campaign, CampaignGame, Unit
from webapp.study.rating import situation_cache, stimuli
from webapp.study.rating.unit_rows import (
    DrawnUnit,
    create_units,
    planned_rows,
    stored_rows,
    unit_identity,
)

ANY = "any"  # a quota for units in any situation
ELSEWHERE = ""  # a quota for units in none of the situations with a quota


def draw_checks(campaign: Campaign) -> list[DrawnUnit]:
    """Draw the attention checks of a campaign. Each asks for a value that every scale has."""
    dimensions = Instrument.from_json(campaign.instrument).dimensions_of(Unit.ATTENTION)
    low, high = max(d.min for d in dimensions), min(d.max for d in dimensions)
    draws = SeededRandom(campaign.seed)
    values = range(low, high + 1)
    if not values:
        return []
    return [
        DrawnUnit(Unit.ATTENTION, expected=draws.choice(f"check/{n}", values))
        for n in range(campaign.attention)
    ]


def list_candidates(campaign: Campaign) -> dict[CampaignGame, list[DrawnUnit]]:
    """Return all units that could be drawn, by chosen game, in the order of the log."""
    return {row: _candidates(campaign, row) for row in campaign.chosen.select_related("game")}


def _candidates(campaign: Campaign, row: CampaignGame) -> list[DrawnUnit]:
    instrument = Instrument.from_json(campaign.instrument)
    return [
        u
        for u in _game_units(campaign, instrument, row)
        if instrument.dimensions_in(u.situations) and _is_on_team(campaign, u)
    ]


def _is_on_team(campaign: Campaign, unit: DrawnUnit) -> bool:
    """Return whether the speaker's true team is one of the chosen teams.

    True if no team is chosen or the unit has no single speaker.
    """
    wanted_teams = campaign.choice.get("teams") or []
    if not wanted_teams or unit.seat is None or unit.game is None:
        return True
    return get_seat_outcomes(unit.game)[unit.seat - 1].team in wanted_teams


def _game_units(
    campaign: Campaign, instrument: Instrument, row: CampaignGame
) -> Iterator[DrawnUnit]:
    talk, speakers = talk_of(row.game), campaign.choice.get("speakers", "agents")
    if instrument.unit == Unit.UTTERANCE:
        yield from _utterances(campaign, row, talk, speakers)
    elif instrument.is_ranking:  # only games in which every player has a condition
        conditions = tuple(
            _seat_condition(campaign, row, talk, seat) for seat in range(1, 1 + len(talk.names))
        )
        if all(conditions) and (speakers == "all" or talk.kind_of() == AGENT):
            whole_unit = _whole_unit(row, talk, None, row.condition)
            yield replace(
                whole_unit,
                kind=Unit.RANKING,
                conditions=conditions,
                situations=_profile_situations(instrument, talk),
            )
    elif instrument.unit == Unit.PLAYER:
        for seat in range(1, len(talk.names) + 1):
            condition = _seat_condition(campaign, row, talk, seat)
            if condition and (speakers == "all" or talk.kind_of(seat) == AGENT):
                player = _whole_unit(row, talk, seat, condition)
                yield replace(player, situations=_profile_situations(instrument, talk))
    elif speakers == "all" or talk.kind_of() != "person":
        yield _whole_unit(row, talk, None, row.condition)


def _profile_situations(instrument: Instrument, talk: PublicTalk) -> tuple[str, ...]:
    """Return (PROFILE,) if players have profiles and an item asks about them, otherwise ()."""
    asks_profile = any(d.situation == PROFILE for d in instrument.dimensions)
    return (PROFILE,) if asks_profile and talk.profiles else ()


def _condition(
    campaign: Campaign, row: CampaignGame, seat: int, kind: str, mind: tuple[str, str]
) -> str:
    """Return the condition of a seat or its text, "" if it has none and so is not rated."""
    compare = comparison_key(campaign)
    if compare == compared_conditions.GAME:
        return row.condition
    return compared_conditions.condition_of_seat(compare, row.game, seat, kind, mind)


def _seat_condition(campaign: Campaign, row: CampaignGame, talk: PublicTalk, seat: int) -> str:
    """Return the condition of a seat over a whole game."""
    return _condition(campaign, row, seat, talk.kind_of(seat), talk.models_of(seat))


def comparison_key(campaign: Campaign) -> str:
    """Return the compared property, one of `compared_conditions.KEYS`."""
    return str(campaign.choice.get("compare") or compared_conditions.GAME)


def condition_of(campaign: Campaign, row: CampaignGame, line: SpokenTurn) -> str:
    """Return the condition of a turn to speak."""
    return _condition(campaign, row, line.seat, line.kind, (line.model, line.method))


def _whole_unit(row: CampaignGame, talk: PublicTalk, seat: int | None, condition: str) -> DrawnUnit:
    """Return the unit of a player over a game, or of a game."""
    lines = [line for line in talk.spoken if seat in (None, line.seat)]
    model, method = talk.models_of(seat or 0)
    return DrawnUnit(
        Unit.PLAYER if seat else Unit.GAME,
        condition,
        row.game,
        talk.last,
        seat,
        flags=tuple(dict.fromkeys(f for line in lines for f in find_model_flags(line.text))),
        speaker_kind=talk.kind_of(seat or 0),
        model=model,
        method=method,
    )


def _utterances(
    campaign: Campaign, row: CampaignGame, talk: PublicTalk, speakers: str
) -> Iterator[DrawnUnit]:
    wanted_situations = campaign.choice.get("situations") or []
    words = campaign.choice.get("words", "any")
    situations_by_position = (
        situation_cache.situations_of(row.game) if _needs_situations(campaign) else None
    ) or {}
    for line in talk.spoken:
        turn_situations = situations_by_position.get(line.position, [])
        if not line.text or (speakers != "all" and line.kind != AGENT):
            continue
        # A prepared line was chosen by a rule (Guarded 4.4).
        is_prepared = bool(labels.details_of_kind(labels.TEMPLATE, line.labels))
        if words != "any" and is_prepared != (words == "prepared"):
            continue
        if wanted_situations and not set(wanted_situations) & set(turn_situations):
            continue
        yield DrawnUnit(
            Unit.UTTERANCE,
            condition_of(campaign, row, line),
            row.game,
            line.position,
            line.seat,
            tuple(turn_situations),
            tuple(find_model_flags(line.text)),
            line=line,
            speaker_kind=line.kind,
            model=line.model,
            method=line.method,
        )


def _needs_situations(campaign: Campaign) -> bool:
    """Return whether the units or their questions depend on situations."""
    instrument, choice = Instrument.from_json(campaign.instrument), campaign.choice
    asks_situations = any(d.situation for d in instrument.dimensions)
    chooses_situations = bool(choice.get("situations") or choice.get("quotas"))
    return instrument.unit == Unit.UTTERANCE and (asks_situations or chooses_situations)


def games_without_situations(campaign: Campaign) -> list[Game]:
    """Return the chosen games whose situations are needed but not known yet."""
    if not _needs_situations(campaign):
        return []
    return situation_cache.games_to_read([r.game for r in campaign.chosen.select_related("game")])


def plan_units(campaign: Campaign) -> list[DrawnUnit]:
    """Return the units that will be drawn, attention checks last."""
    units_by_game = list_candidates(campaign)
    if campaign.choice.get("pick") == "sample":
        units_by_game = _draw_sample(campaign, units_by_game)
    rated = [unit for rows in units_by_game.values() for unit in _assign_tracks(campaign, rows)]
    return [*rated, *draw_checks(campaign)]


def _assign_tracks(campaign: Campaign, rows: Sequence[DrawnUnit]) -> list[DrawnUnit]:
    """Return the units of a game, in the order of its log, each with its track."""
    turns = [unit.line.place for unit in rows if unit.line]
    if len(turns) < len(rows) or stimuli.rates_systems_only(campaign):
        return list(rows)  # pages show the whole talk, or the log's words are not rated
    track_numbers = tracks(turns, campaign.context)
    return [replace(unit, track=track) for unit, track in zip(rows, track_numbers, strict=True)]


def _draw_sample(
    campaign: Campaign, units_by_game: dict[CampaignGame, list[DrawnUnit]]
) -> dict[CampaignGame, list[DrawnUnit]]:
    """Draw the same number of units for each condition, spread evenly over its games.

    With quotas the number is fixed for each situation.
    """
    draws, drawn_identities = SeededRandom(campaign.seed), set[tuple[Any, ...]]()
    for condition in dict.fromkeys(u.condition for rows in units_by_game.values() for u in rows):
        candidates_by_game = {
            row: [u for u in rows if u.condition == condition]
            for row, rows in units_by_game.items()
        }
        games = [row for row in units_by_game if candidates_by_game[row]]
        games = draws.shuffled(f"games/{condition}", games)
        piles = [
            _shuffle_by_track(campaign, draws, units_by_game[row], candidates_by_game[row])
            for row in games
        ]
        for situation, count in situation_quotas(campaign).items():
            undrawn_piles = [
                [
                    u
                    for u in pile
                    if _is_in_situation(campaign, u, situation)
                    and u.identity not in drawn_identities
                ]
                for pile in piles
            ]
            drawn_identities |= _deal_units(undrawn_piles, count)
    return {
        row: [u for u in rows if u.identity in drawn_identities]
        for row, rows in units_by_game.items()
    }


def _shuffle_by_track(
    campaign: Campaign,
    draws: SeededRandom,
    game_units: Sequence[DrawnUnit],
    chosen_units: Sequence[DrawnUnit],
) -> list[DrawnUnit]:
    """Return the chosen units of a game in a drawn order, track by track.

    So the first ones can be assigned to one rater. Settings without "fill" are older than tracks.
    They keep their order, so that their sample stays the same.
    """
    rows = _assign_tracks(campaign, game_units)
    track = {unit.identity: unit.track for unit in rows}
    code = rows[0].game.code if rows[0].game else ""
    order = draws.shuffled(f"tracks/{code}", sorted(set(track.values())))
    shuffled = draws.shuffled(f"units/{code}", list(chosen_units))
    if "fill" not in campaign.choice:
        return shuffled
    return sorted(shuffled, key=lambda unit: order.index(track[unit.identity]))


def situation_quotas(campaign: Campaign) -> dict[str, int]:
    """Return situation (or ANY, ELSEWHERE) -> units in the sample of each condition."""
    quota_data = campaign.choice.get("quotas")
    return dict(quota_data) if quota_data else {ANY: int(campaign.choice.get("per_condition") or 0)}


def _is_in_situation(campaign: Campaign, unit: DrawnUnit, situation: str) -> bool:
    if situation == ELSEWHERE:
        return not set(unit.situations) & set(situation_quotas(campaign))
    return situation == ANY or situation in unit.situations


def _deal_units(piles: Sequence[list[DrawnUnit]], count: int) -> set[tuple[Any, ...]]:
    """Return the identities of `count` units, taken from the piles in turn."""
    drawn_identities: list[tuple[Any, ...]] = []
    for turn in range(max(map(len, piles), default=0)):
        drawn_identities += [pile[turn].identity for pile in piles if turn < len(pile)]
    return set(drawn_identities[:count])


def draw_units(campaign: Campaign) -> int:
    """Create the rows of the units, unless the existing rows match the plan.

    Units that the researcher withdrew stay withdrawn if they are drawn again.

    Returns:
        The number of units without attention checks.

    Raises:
        Refused: Games must be read for their situations first.
    """
    if missing := games_without_situations(campaign):
        raise Refused([unread_notice(missing)])
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        planned_units = plan_units(campaign)
        if planned_rows(campaign, planned_units) != stored_rows(campaign):
            withdrawn_units = {unit_identity(u): u for u in campaign.units.filter(withdrawn=True)}
            campaign.units.all().delete()
            create_units(campaign, planned_units, withdrawn_units)
    return sum(unit.kind != Unit.ATTENTION for unit in planned_units)


def draw_added_games(campaign: Campaign) -> int:
    """Draw the units of games that were added to the campaign.

    Existing rows and everything that depends on them stay. This is for campaigns that rate all
    units, because a sample cannot grow without a new draw. Unread games are added the next time.

    Returns:
        The number of new units without attention checks.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        drawn = set(campaign.units.exclude(game=None).values_list("game", flat=True))
        unread_games = {game.pk for game in games_without_situations(campaign)}
        rows = campaign.chosen.exclude(game__in=drawn | unread_games).select_related("game")
        rated_units = [
            u for row in rows for u in _assign_tracks(campaign, _candidates(campaign, row))
        ]
        has_checks = campaign.units.filter(kind=Unit.ATTENTION).exists()
        last = campaign.units.order_by("-index").first()
        new_units = [*rated_units, *([] if has_checks else draw_checks(campaign))]
        create_units(campaign, new_units, {}, first=last.index + 1 if last else 1)
    return len(rated_units)


def unread_notice(missing: Sequence[Game]) -> str:
    """Return a sentence saying that games are being read for their situations."""
    return ngettext(
        "The talk of {count} game is still being analysed. Try again in a few seconds.",
        "The talk of {count} games is still being analysed. Try again in a few seconds.",
        len(missing),
    ).format(count=len(missing))


def withdraw(unit: Unit, *, is_withdrawn: bool = True) -> None:
    """Withdraw a unit, so that it is no longer assigned, or restore it."""
    unit.withdrawn = is_withdrawn
    unit.use = ""
    unit.known = {}
    unit.save(update_fields=["withdrawn", "use", "known"])


def tracks(turns: Sequence[int], context: int) -> list[int]:
    """Return the track (from 0) of each unit of a game. A rater gets units of one track only.

    No unit of a track shows the text of another as context. Otherwise a later unit would reveal
    which side of a pair is from the game, and raters would read single texts before they rate them.
    There are as few tracks as possible, and their sizes differ by at most one.

    Args:
        turns: The turn that each unit rates (from 1), in ascending order.
        context: The number of turns that a unit shows before its own.
    """
    first, track_count = 0, 1
    for last, turn in enumerate(turns):
        while turns[first] < turn - context:
            first += 1
        track_count = max(track_count, last - first + 1)
    return [number % track_count for number in range(len(turns))]


def capacity(units: Iterable[tuple[object, int]]) -> int:
    """Return the number of units that any rater can get.

    Args:
        units: (game, track) of each unit.
    """
    sizes: defaultdict[object, Counter[int]] = defaultdict(Counter)
    for game, track in units:
        sizes[game][track] += 1
    return sum(min(track_sizes.values()) for track_sizes in sizes.values())
