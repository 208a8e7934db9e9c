"""Finds the units of a campaign's games that can be rated, and the conditions of their speakers.

A `PlannedUnit` is not stored. `units` chooses among the candidates and stores them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from game.engine import labels
from game.models import Game
from webapp.study.design import rating_design
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import (
    AGENT,
    MIXED,
    PERSON,
    PublicTalk,
    SpeakerSystem,
    SpokenTurn,
    find_model_flags,
    talk_of,
)
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.games.situations import PROFILE, situations_of, unread_games
from webapp.study.models import Campaign, CampaignGame, Stimulus, Unit
from webapp.study.rating.stimuli import rates_systems_only


@dataclass(frozen=True)
class PlannedUnit:
    """A unit that is not stored: its unsaved row, and the unsaved rows of its stimuli."""

    unit: Unit
    stimuli: list[Stimulus]
    # The condition of its speaker. Samples have as many units of each condition. If only other
    # systems' answers are rated, no stimulus has it.
    condition: str = ""
    turn: SpokenTurn | None = None  # the turn of an utterance, None for other units


def unit_identity(unit: Unit) -> tuple[Any, ...]:
    """Return the values that identify a unit in its campaign, stored or not."""
    return (unit.kind, unit.game_id, unit.position, unit.seat, unit.expected)


def find_candidates(campaign: Campaign, chosen: CampaignGame) -> list[PlannedUnit]:
    """Return the units of a game that could be drawn, in the order of its log."""
    instrument = Instrument.from_json(campaign.instrument)
    return [
        planned
        for planned in _game_units(campaign, instrument, chosen)
        if instrument.dimensions_in(planned.unit.situations) and _is_on_team(campaign, planned.unit)
    ]


def _game_units(
    campaign: Campaign, instrument: Instrument, chosen: CampaignGame
) -> Iterator[PlannedUnit]:
    talk = talk_of(chosen.game)
    is_anyone_rated = rates_all_speakers(campaign)
    seats = range(1, len(talk.names) + 1)
    situations = _profile_situations(instrument, talk)
    if instrument.unit == Unit.UTTERANCE:
        yield from _utterances(campaign, chosen, talk)
    elif instrument.is_ranking:
        stimuli = [
            _speaker_stimulus(talk, seat, _seat_condition(campaign, chosen, talk, seat), place=seat)
            for seat in seats
        ]
        has_conditions = all(stimulus.condition for stimulus in stimuli)
        if has_conditions and (is_anyone_rated or talk.kind_of() == AGENT):
            unit = _whole_unit(chosen, talk, None, kind=Unit.RANKING, situations=situations)
            yield PlannedUnit(unit, stimuli, chosen.condition)
    elif instrument.unit == Unit.PLAYER:
        for seat in seats:
            condition = _seat_condition(campaign, chosen, talk, seat)
            if condition and (is_anyone_rated or talk.kind_of(seat) == AGENT):
                unit = _whole_unit(chosen, talk, seat, kind=Unit.PLAYER, situations=situations)
                yield PlannedUnit(unit, [_speaker_stimulus(talk, seat, condition)], condition)
    elif is_anyone_rated or talk.kind_of() != PERSON:
        unit = _whole_unit(chosen, talk, None, kind=Unit.GAME)
        stimulus = _speaker_stimulus(talk, 0, chosen.condition)
        yield PlannedUnit(unit, [stimulus], chosen.condition)


def _utterances(
    campaign: Campaign, chosen: CampaignGame, talk: PublicTalk
) -> Iterator[PlannedUnit]:
    wanted_situations = campaign.choice.get("situations") or []
    wanted_texts = campaign.choice.get("words", "any")
    situations_by_position: Mapping[int, list[str]] = {}
    if _needs_situations(campaign):
        situations_by_position = situations_of(chosen.game) or {}
    for turn in talk.spoken:
        turn_situations = situations_by_position.get(turn.position, [])
        if not turn.text or not (rates_all_speakers(campaign) or turn.kind == AGENT):
            continue
        # A prepared text was chosen by a rule (Guarded 4.4).
        is_prepared = bool(labels.details_of_kind(labels.TEMPLATE, turn.labels))
        if wanted_texts != "any" and is_prepared != (wanted_texts == "prepared"):
            continue
        if wanted_situations and not set(wanted_situations) & set(turn_situations):
            continue
        unit = Unit(
            kind=Unit.UTTERANCE,
            game=chosen.game,
            position=turn.position,
            seat=turn.seat,
            situations=list(turn_situations),
            flags=find_model_flags(turn.text),
        )
        condition = speaker_condition(campaign, chosen, turn)
        yield PlannedUnit(unit, _statement_stimuli(campaign, turn, condition), condition, turn)


def _statement_stimuli(campaign: Campaign, turn: SpokenTurn, condition: str) -> list[Stimulus]:
    """Return the rated answers to the moment of a turn. Those of systems have no text yet."""
    answers = [
        Stimulus(
            place=place, condition=system.condition, state=Stimulus.WAITING, speaker_kind=AGENT
        )
        for place, system in campaign.systems.items()
    ]
    if rates_systems_only(campaign):
        return answers
    statement = Stimulus(
        condition=condition,
        utterance_id=turn.utterance,
        speaker_kind=turn.kind,
        model=turn.model,
        method=turn.method,
        labels=list(turn.labels),
    )
    return [statement, *answers]


def _speaker_stimulus(talk: PublicTalk, seat: int, condition: str, place: int = 1) -> Stimulus:
    """Return the stimulus of a player over a game, or of a game (seat 0)."""
    model, method = talk.models_of(seat)
    return Stimulus(
        place=place,
        condition=condition,
        speaker_kind=talk.kind_of(seat),
        model=model,
        method=method,
    )


def _whole_unit(chosen: CampaignGame, talk: PublicTalk, seat: int | None, **fields: Any) -> Unit:
    """Return the unit of a player over a game, or of a game."""
    turns = [turn for turn in talk.spoken if seat in (None, turn.seat)]
    flags = list(dict.fromkeys(flag for t in turns for flag in find_model_flags(t.text)))
    return Unit(game=chosen.game, position=talk.last, seat=seat, flags=flags, **fields)


def _profile_situations(instrument: Instrument, talk: PublicTalk) -> list[str]:
    """Return [PROFILE] if players have profiles and an item asks about them, otherwise []."""
    asks_profile = any(d.situation == PROFILE for d in instrument.dimensions)
    return [PROFILE] if asks_profile and talk.profiles else []


def _is_on_team(campaign: Campaign, unit: Unit) -> bool:
    """Return whether the speaker's true team is chosen, or none is, or there is no speaker."""
    wanted_teams = campaign.choice.get("teams") or []
    if not wanted_teams or unit.seat is None or unit.game is None:
        return True
    return get_seat_outcomes(unit.game)[unit.seat - 1].team in wanted_teams


def games_without_situations(campaign: Campaign) -> list[Game]:
    """Return the chosen games whose situations are needed but not found yet."""
    if not _needs_situations(campaign):
        return []
    chosen_games = campaign.chosen_games.select_related("game")
    return unread_games([chosen.game for chosen in chosen_games])


def _needs_situations(campaign: Campaign) -> bool:
    instrument, choice = Instrument.from_json(campaign.instrument), campaign.choice
    asks_situations = any(d.situation for d in instrument.dimensions)
    chooses_situations = bool(choice.get("situations") or choice.get("quotas"))
    return instrument.unit == Unit.UTTERANCE and (asks_situations or chooses_situations)


def rates_all_speakers(campaign: Campaign) -> bool:
    """Return whether texts of all players are rated, not only those of computer players."""
    return bool(campaign.choice.get("speakers", "agents") == "all")


def comparison_key(campaign: Campaign) -> str:
    """Return the compared property, one of `rating_design.COMPARISON_LABELS`."""
    return str(campaign.choice.get("compare") or rating_design.COMPARE_GAMES)


def speaker_condition(campaign: Campaign, chosen: CampaignGame, turn: SpokenTurn) -> str:
    system = SpeakerSystem(turn.model, turn.method)
    return _condition(campaign, chosen, turn.seat, turn.kind, system)


def _seat_condition(campaign: Campaign, chosen: CampaignGame, talk: PublicTalk, seat: int) -> str:
    return _condition(campaign, chosen, seat, talk.kind_of(seat), talk.models_of(seat))


def _condition(
    campaign: Campaign, chosen: CampaignGame, seat: int, kind: str, system: SpeakerSystem
) -> str:
    """Return the condition of a speaker, "" if there is none and so the speaker is not rated."""
    compare = comparison_key(campaign)
    if compare == rating_design.COMPARE_GAMES:
        return chosen.condition
    if compare in (rating_design.ROLE, rating_design.TEAM):
        outcome = get_seat_outcomes(chosen.game)[seat - 1]
        return outcome.role if compare == rating_design.ROLE else outcome.team
    if kind == MIXED:  # a person and a computer player both spoke for the seat
        return ""
    is_kind_compared = compare == rating_design.KIND or kind == PERSON
    return kind if is_kind_compared else " ".join(system)[: rating_design.MAX_CONDITION_CHARS]
