"""Tests of games with several days in campaigns: notes for raters, situations and exports."""

from __future__ import annotations

import csv
import io
import json

import pytest

from game import selectors
from game.engine import rulesets, visibility
from game.models import Game
from tests.game.sheriff import FIRST, PREY, two_days
from tests.study.world import create_campaign, ended_game
from webapp.study.data import campaign_export as data
from webapp.study.design import instruments
from webapp.study.games import situations
from webapp.study.games.game_reveal import reveal_of
from webapp.study.games.public_talk import talk_of
from webapp.study.models import Campaign, Unit
from webapp.study.rating import units
from webapp.study.rating.rater_view import RenderedUnit, render_unit

pytestmark = pytest.mark.django_db
SHERIFF, DEAD = f"player_{FIRST}", f"player_{PREY}"
ROLES = [role.name for role in rulesets.get("sheriff").roles]


def draw_units(campaign: Campaign) -> list[Unit]:
    units.draw_units(campaign)
    return list(campaign.units.exclude(kind=Unit.ATTENTION).prefetch_related("stimuli"))


def unit_of(drawn_units: list[Unit], phase: str, seat: int) -> Unit:
    for unit in drawn_units:
        assert unit.game
        if unit.seat == seat and talk_of(unit.game).turn_at(unit.position).phase == phase:
            return unit
    raise AssertionError(f"seat {seat} says nothing in {phase}")


def notes(page: RenderedUnit) -> list[str]:
    return [line.text for line in page.context if not line.speaker]


def heir_seat(game: Game) -> int:
    return selectors.view_for(game, visibility.PUBLIC).state.badges["sheriff"]


def test_rater_sees_day_deaths_and_sheriff() -> None:
    game = two_days()
    drawn_units, heir = draw_units(create_campaign(game, context=8)), heir_seat(game)
    talk = [line for line in talk_of(game).spoken if line.phase == "talk.2.0"]
    first = render_unit(unit_of(drawn_units, "talk.2.0", talk[0].seat))
    assert first.moment == (
        f"Day 2. {SHERIFF} was voted out. player_{heir} is the Sheriff."
        f" {DEAD} was killed in the night."
    )
    assert notes(first)[-5:] == [
        f"The vote: {_player_list()} for {SHERIFF}.",
        f"{SHERIFF} was voted out.",
        f"player_{heir} is the Sheriff.",
        "Day 2.",
        f"{DEAD} was killed in the night.",
    ]
    earlier = render_unit(unit_of(drawn_units, "talk.1.0", talk[0].seat))
    assert earlier.moment == f"Day 1. {SHERIFF} is the Sheriff."
    assert "voted out" not in " ".join(notes(earlier))


def _player_list() -> str:
    names = [f"player_{seat}" for seat in range(1, 8)]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def test_notes_between_statements_reveal_no_role_or_night_action() -> None:
    game = two_days()
    for drawn_units in (
        draw_units(create_campaign(game, context=8)),
        draw_units(create_campaign(game, instrument=instruments.get("engagement").to_json())),
    ):
        for unit in drawn_units:
            page = render_unit(unit)
            text = " ".join([page.moment, *notes(page)])
            assert not [role for role in ROLES if role in text]
            assert "protects" not in text
            assert "would vote" not in text


def test_campaign_speeches_and_final_statements_are_labelled_units() -> None:
    game = two_days()
    drawn_units = draw_units(create_campaign(game, context=8))
    campaign_speech = render_unit(unit_of(drawn_units, "election.1.0", FIRST))
    assert campaign_speech.sides[0].apart == "stands for Sheriff"
    assert campaign_speech.moment == "Day 1."
    final_statement = render_unit(unit_of(drawn_units, "talk.1.0", FIRST))
    assert final_statement.sides[0].apart == "has the last word, as Sheriff"
    speech = next(line for line in final_statement.context if line.speaker)
    assert speech.apart == "stands for Sheriff"
    in_turn = [line for line in final_statement.context if line.speaker and not line.apart]
    assert len(in_turn) == 6, "ordinary turns have no label"


def test_whole_game_page_shows_deaths_and_ballots() -> None:
    game = two_days()
    (unit,) = draw_units(create_campaign(game, instrument=instruments.get("engagement").to_json()))
    lines = notes(render_unit(unit))
    assert lines[0] == "Day 1."
    assert f"{SHERIFF} is the Sheriff." in lines
    assert len([text for text in lines if text.startswith(("Election:", "The vote:"))]) == 3
    assert lines[-1] == "Nobody got a vote, so nobody is out."


def test_single_vote_game_has_no_day_notes() -> None:
    game = ended_game()
    drawn_units = draw_units(create_campaign(game, context=8))
    for unit in drawn_units:
        page = render_unit(unit)
        assert (page.moment, notes(page)) == ("", [])
    (game_unit,) = draw_units(
        create_campaign(game, instrument=instruments.get("engagement").to_json())
    )
    lines = render_unit(game_unit).context
    assert [line.text[:10] for line in lines[-8:]] == ["votes for "] * 8


def test_werewolf_accusation_is_found_after_campaign_speeches() -> None:
    """The accused answers after the talk of day 2 began. Day 1 has other kinds of speeches."""
    turns = [line.seat for line in talk_of(two_days()).spoken if line.phase == "talk.2.0"]
    accuser, accused = turns[0], turns[1]
    claim = f"I am the Seer. I looked at player_{accused}, and player_{accused} is a Werewolf."
    game = two_days({(2, accuser): claim})
    talk, situation_keys = talk_of(game), situations.find_situations(game)
    accused_seats = {
        talk.turn_at(p).seat for p, keys in situation_keys.items() if situations.CALLED in keys
    }
    phases = {
        talk.turn_at(p).phase for p, keys in situation_keys.items() if situations.CALLED in keys
    }
    assert accused_seats == {accused}
    assert phases == {"talk.2.0"}


def test_sheriffs_last_statement_closes_each_day() -> None:
    game = two_days()
    talk, situation_keys = talk_of(game), situations.find_situations(game)
    closing = [talk.turn_at(p) for p, keys in situation_keys.items() if situations.CLOSING in keys]
    assert [(line.phase, line.seat) for line in closing] == [
        ("talk.1.0", FIRST),
        ("talk.2.0", heir_seat(game)),
    ]


def test_reveal_lists_ballots_by_name_and_nights() -> None:
    game = two_days()
    reveal = reveal_of(game)
    dead, first = reveal.rows[PREY - 1], reveal.rows[FIRST - 1]
    assert dead.votes.splitlines() == [
        f"Election of day 1: {'–' if PREY == 7 else SHERIFF}",
        f"The vote of day 1: {SHERIFF}",
    ]
    assert first.end == dead.end == "Out."
    assert [title for title, _text in reveal.nights] == ["Day 1", "Day 2"]
    assert f"The Werewolves attack {DEAD}." in reveal.nights[1][1]
    assert reveal_of(ended_game()).nights == ()


def test_each_export_with_game_ids_has_rulesets() -> None:
    sheriff, night = two_days(), ended_game()
    campaign = create_campaign(sheriff, night, attention=1)
    units.draw_units(campaign)
    rules = {sheriff.code: "sheriff", night.code: "one-night", "": ""}
    for name in ("items.csv", "transcripts.csv"):
        rows = list(
            csv.DictReader(io.StringIO(data.build_file(campaign, name).decode(), newline=""))
        )
        assert {row["game_id"] for row in rows} >= {sheriff.code, night.code}
        assert all(row["ruleset"] == rules[row["game_id"]] for row in rows)
    for line in data.build_file(campaign, "transcripts.jsonl").decode().splitlines():
        row = json.loads(line)
        assert row["ruleset"] == rules[row["game_id"]]
    for name, content in data.build_files(campaign).items():
        head = content.decode().splitlines()[0] if name.endswith(".csv") else ""
        assert ("game_id" in head) == ("ruleset" in head), name
    assert "ruleset" in data.build_file(campaign, "codebook.md").decode()


def test_seven_players_can_be_ranked() -> None:
    contest = instruments.get("contest-7").to_json()
    (unit,) = draw_units(create_campaign(two_days(), instrument=contest))
    assert unit.kind == Unit.RANKING
    assert [side.speaker for side in render_unit(unit).sides] == [
        f"player_{n}" for n in range(1, 8)
    ]
