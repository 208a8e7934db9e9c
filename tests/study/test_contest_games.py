"""Tests of contest games in campaigns and studies: talk in passes, five and thirteen seats."""

from __future__ import annotations

from collections import Counter

import pytest

from game.engine import rulesets
from game.engine.events import Action, say
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from game.models import Game
from tests.study.contest_games import OVER, finished_contest_game
from tests.study.world import add_rater, create_campaign, rate_unit
from webapp.study.design import instruments
from webapp.study.design.stages import TableDesign
from webapp.study.games import situations
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Unit
from webapp.study.rating import campaigns, stimuli, units
from webapp.study.rating.rater_view import render_unit
from webapp.study.rating.rating_rows import read_marks
from webapp.study.sessions.slots import SeatBalance, deal_roles

pytestmark = pytest.mark.django_db


def talk_in_two_passes(window: Window, seat: int) -> Action:
    """Say one statement a day, then Over. Seat 2 says two and seat 4 none."""
    statement_count = {2: 2, 4: 0}.get(seat, 1)
    if window.moment.pass_ > statement_count:
        return OVER
    return say(f"Seat {seat} speaks on day {window.moment.day}, pass {window.moment.pass_}.")


@pytest.fixture(params=["aiwolf-5", "aiwolf-13"])
def game(request: pytest.FixtureRequest) -> Game:
    return finished_contest_game(request.param, talk_in_two_passes, "two passes")


def test_contest_ranking_covers_all_seats(game: Game) -> None:
    seats = len(rulesets.get(game.ruleset).seat_names)
    contest = instruments.get(f"contest-{seats}").to_json()
    campaign = create_campaign(game, instrument=contest, units_per_rater=1)
    campaigns.open(campaign)
    (unit,) = campaign.units.exclude(kind=Unit.ATTENTION)
    assert unit.kind == Unit.RANKING
    page = render_unit(unit)
    assert [side.speaker for side in page.sides] == list(rulesets.get(game.ruleset).seat_names)
    assert page.deeds is not None
    assert len(page.deeds.rows) == seats


def test_silent_passes_form_one_line_and_displace_no_context(game: Game) -> None:
    campaign = create_campaign(game, context=3)
    units.draw_units(campaign)
    talk = talk_of(game)
    for unit in campaign.units.exclude(kind=Unit.ATTENTION).prefetch_related("stimuli"):
        context = render_unit(unit).context
        before = [line for line in talk.spoken if line.text and line.position < unit.position]
        spoken = [line.text for line in context if line.speaker]
        assert spoken == [line.text for line in before[-3:]]
        notes = [line.text for line in context if not line.speaker]
        silent = [text for text in notes if "nothing" in text]
        assert len(silent) <= 2 * len({line.day for line in before[-3:]}) + 1, notes


def test_units_of_one_track_do_not_show_each_others_text(game: Game) -> None:
    campaign = create_campaign(game, context=3)
    units.draw_units(campaign)
    rows = list(campaign.units.exclude(kind=Unit.ATTENTION).prefetch_related("stimuli"))
    talk = talk_of(game)
    for unit in rows:
        context_positions = {line.position for line in talk.before(unit.position, 3)}
        assert not [u for u in rows if u.track == unit.track and u.position in context_positions]


def test_last_statements_of_each_day_are_closing(game: Game) -> None:
    talk, situation_keys = talk_of(game), situations.find_situations(game)
    closing = {p for p, keys in situation_keys.items() if situations.CLOSING in keys}
    last = {(line.day, line.seat): line.position for line in talk.spoken if line.text}
    assert closing == set(last.values())
    assert len(closing) < len([line for line in talk.spoken if line.text])


def test_statement_before_the_last_is_not_closing() -> None:
    def talk(window: Window, seat: int) -> Action:
        if window.moment.pass_ > 3:
            return OVER
        return say(f"Pass {window.moment.pass_}, seat {seat}.")

    game = finished_contest_game("aiwolf-5", talk, "three passes")
    spoken, situation_keys = talk_of(game), situations.find_situations(game)
    closing = [
        spoken.turn_at(p).text for p, keys in situation_keys.items() if situations.CLOSING in keys
    ]
    assert closing
    assert all(text.startswith("Pass 3") for text in closing)


@pytest.mark.parametrize("ruleset", ["aiwolf-5", "aiwolf-13"])
def test_species_report_counts_as_a_werewolf_accusation(ruleset: str) -> None:
    names = rulesets.get(ruleset).seat_names

    def talk(window: Window, seat: int) -> Action:
        if window.moment.day != 1 or window.moment.pass_ > 2:
            return OVER
        if seat == 1 and window.moment.pass_ == 1:
            return say(f"I am the Seer. I divined {names[2]}, and {names[2]} is a Werewolf.")
        return say("I have nothing to tell.")

    game = finished_contest_game(ruleset, talk, "species report")
    spoken, situation_keys = talk_of(game), situations.find_situations(game)
    accused = [spoken.turn_at(p) for p, keys in situation_keys.items() if situations.CALLED in keys]
    accuser = next(line for line in spoken.spoken if line.seat == 1 and line.day == 1)
    assert [line.seat for line in accused] == [3], "only at their next statement"
    assert accused[0].position > accuser.position


@pytest.mark.parametrize("compare", ["team", "role"])
def test_campaign_compares_roles_or_teams_within_a_game(compare: str) -> None:
    game = finished_contest_game("aiwolf-13", talk_in_two_passes, "two passes")
    campaign = create_campaign(game, choice={"compare": compare, "pick": "all"})
    campaigns.open(campaign)
    unit = campaign.units.exclude(kind=Unit.ATTENTION).first()
    rate_unit(add_rater(campaign), unit, 3)
    speakers = [seat for number, seat in enumerate(get_seat_outcomes(game), 1) if number != 4]
    conditions = {seat.role if compare == "role" else seat.team for seat in speakers}
    assert {s.condition for u in campaign.units.all() for s in u.stimuli.all()} == conditions
    assert len(conditions) > 1
    assert len(read_marks(campaign)) == len(stimuli.unit_dimensions(unit))


def test_people_get_all_thirteen_seats_balanced_over_roles() -> None:
    table = TableDesign(ruleset="aiwolf-13", people=1)
    balance, seats, roles = SeatBalance(13), Counter[int](), Counter[str]()

    for number in range(52):
        deal = deal_roles(table, f"deal/{number}")
        (seat,) = balance.choose_seats(table, deal, SeededRandom(f"seats/{number}"))
        balance.count_game([seat], deal)
        seats[seat] += 1
        roles[deal[seat - 1]] += 1
    assert set(seats) == set(range(1, 14))
    assert max(seats.values()) - min(seats.values()) <= 3
    for role, holders in Counter(rulesets.get("aiwolf-13").deck).items():
        assert abs(roles[role] - 4 * holders) <= 4, roles
