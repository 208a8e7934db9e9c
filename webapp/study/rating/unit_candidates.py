"""Finds the units of a campaign's games that can be rated, and the conditions of their speakers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from game.engine import labels
from game.models import Game
from webapp.study.design import compared_conditions
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import (
    AGENT,
    PERSON,
    PublicTalk,
    SpeakerSystem,
    SpokenTurn,
    find_model_flags,
    talk_of,
)
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.games.situations import PROFILE, situations_of, unread_games
from webapp.study.models import Campaign, CampaignGame, Unit
from webapp.study.rating.unit_rows import DrawnUnit


def find_candidates(campaign: Campaign, chosen: CampaignGame) -> list[DrawnUnit]:
    """Return the units of a game that could be drawn, in the order of its log."""
    instrument = Instrument.from_json(campaign.instrument)
    return [
        unit
        for unit in _game_units(campaign, instrument, chosen)
        if instrument.dimensions_in(unit.situations) and _is_on_team(campaign, unit)
    ]


def _game_units(
    campaign: Campaign, instrument: Instrument, chosen: CampaignGame
) -> Iterator[DrawnUnit]:
    talk = talk_of(chosen.game)
    is_anyone_rated = rates_all_speakers(campaign)
    seats = range(1, len(talk.names) + 1)
    situations = _profile_situations(instrument, talk)
    if instrument.unit == Unit.UTTERANCE:
        yield from _utterances(campaign, chosen, talk)
    elif instrument.is_ranking:
        conditions = tuple(_seat_condition(campaign, chosen, talk, seat) for seat in seats)
        if all(conditions) and (is_anyone_rated or talk.kind_of() == AGENT):
            game_unit = _whole_unit(chosen, talk, None, chosen.condition)
            yield replace(
                game_unit, kind=Unit.RANKING, conditions=conditions, situations=situations
            )
    elif instrument.unit == Unit.PLAYER:
        for seat in seats:
            condition = _seat_condition(campaign, chosen, talk, seat)
            if condition and (is_anyone_rated or talk.kind_of(seat) == AGENT):
                yield replace(_whole_unit(chosen, talk, seat, condition), situations=situations)
    elif is_anyone_rated or talk.kind_of() != PERSON:
        yield _whole_unit(chosen, talk, None, chosen.condition)


def _utterances(campaign: Campaign, chosen: CampaignGame, talk: PublicTalk) -> Iterator[DrawnUnit]:
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
        yield DrawnUnit(
            Unit.UTTERANCE,
            speaker_condition(campaign, chosen, turn),
            chosen.game,
            turn.position,
            turn.seat,
            tuple(turn_situations),
            tuple(find_model_flags(turn.text)),
            turn=turn,
            speaker_kind=turn.kind,
            model=turn.model,
            method=turn.method,
        )


def _whole_unit(
    chosen: CampaignGame, talk: PublicTalk, seat: int | None, condition: str
) -> DrawnUnit:
    """Return the unit of a player over a game, or of a game."""
    turns = [turn for turn in talk.spoken if seat in (None, turn.seat)]
    model, method = talk.models_of(seat or 0)
    return DrawnUnit(
        Unit.PLAYER if seat else Unit.GAME,
        condition,
        chosen.game,
        talk.last,
        seat,
        flags=tuple(dict.fromkeys(flag for t in turns for flag in find_model_flags(t.text))),
        speaker_kind=talk.kind_of(seat or 0),
        model=model,
        method=method,
    )


def _profile_situations(instrument: Instrument, talk: PublicTalk) -> tuple[str, ...]:
    """Return (PROFILE,) if players have profiles and an item asks about them, otherwise ()."""
    asks_profile = any(d.situation == PROFILE for d in instrument.dimensions)
    return (PROFILE,) if asks_profile and talk.profiles else ()


def _is_on_team(campaign: Campaign, unit: DrawnUnit) -> bool:
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
    """Return the compared property, one of `compared_conditions.COMPARISONS`."""
    return str(campaign.choice.get("compare") or compared_conditions.COMPARE_GAMES)


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
    if compare == compared_conditions.COMPARE_GAMES:
        return chosen.condition
    return compared_conditions.condition_of_seat(compare, chosen.game, seat, kind, system)
