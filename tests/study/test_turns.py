"""Tests of turns without statements, of roles in exports and of the plan's warnings."""

from __future__ import annotations

import pytest

from game import game_actions
from tests.study.csv_files import ratings_long, read_csv
from tests.study.desk import sign_in
from tests.study.pages import page_url, text_of
from tests.study.rating import pages_of, start_rater
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.study import analysis
from webapp.study.data import campaign_export as exports
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Analysis, Stimulus
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, rating_plan, rating_rows, units

pytestmark = pytest.mark.django_db
SILENT = {(1, 2): "", (2, 2): "", (1, 5): ""}


def selection_by_condition(campaign: campaigns.Campaign) -> dict[str, dict]:  # type: ignore[type-arg]
    analysis.compute_results(campaign)
    rows = Analysis.objects.get(campaign=campaign).data["results"]["selection"]["conditions"]
    return {row["condition"]: row for row in rows}


def test_failed_turns_are_counted_by_condition_and_cause() -> None:
    failing = ended_game("1", words=SILENT, label="fallback:refusal")
    campaign = create_campaign(failing, ended_game("2", words={(1, 1): ""}))
    campaigns.open(campaign)
    assert campaign.units.count() == 21 + 23
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    rows = selection_by_condition(campaign)
    assert (rows["one"]["turns"], rows["one"]["words"], rows["one"]["failed"]) == (24, 21, 3)
    assert rows["one"]["causes"] == {"timed_out": 0, "refused": 3, "unusable": 0}
    assert rows["one"]["share_failed"] == {"value": 0.125, "part": 3, "whole": 24}
    # The default answer after a timeout.
    assert rows["two"]["causes"] == {"timed_out": 1, "refused": 0, "unusable": 0}
    text = text_of(sign_in().get(page_url("results", campaign)))
    assert "one 24 21 3 12.5 % 3 refused" in text
    assert "selection by success" in text
    data = Analysis.objects.get().data
    assert "| one | 24 | 21 | 3 | 0.125 | 0 | 3 | 0 | 0 | 0 |" in data["markdown"]
    turns = [r["turn"] for r in read_csv(exports.build_file(campaign, "transcripts.csv"))]
    assert turns.count("failed:refused") == 3
    assert turns.count("failed:timed_out") == 1
    assert turns.count("words") == 44


def test_silence_of_a_person_is_no_failure_and_blind_is_hidden() -> None:
    person = ended_game("1", words={(1, 2): ""}, names={2: "Annabel"})
    campaign = create_campaign(person, choice={"pick": "all", "speakers": "all", "situations": []})
    units.draw_units(campaign)
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    assert (
        selection_by_condition(campaign)["one"]["passed"],
        selection_by_condition(campaign)["one"]["failed"],
    ) == (1, 0)
    # A campaign of computer players has no turns of people.
    agents_campaign = create_campaign(person)
    units.draw_units(agents_campaign)
    rate_unit(add_rater(agents_campaign), agents_campaign.units.all()[0], 3)
    assert selection_by_condition(agents_campaign)["one"]["turns"] == 21
    blind = ended_game("1", words=SILENT, names={8: "Annabel"}, blind=True)
    hidden = create_campaign(blind, choice={"pick": "all", "speakers": "all", "situations": []})
    units.draw_units(hidden)
    rate_unit(add_rater(hidden), hidden.units.all()[0], 3)
    row = selection_by_condition(hidden)["one"]
    assert (row["untold"], row["turns"], row["share_failed"]["why"]) == (24, 0, "no_turns")
    assert {r["turn"] for r in read_csv(exports.build_file(hidden, "transcripts.csv"))} == {""}


def test_rival_failures_count_even_if_their_units_are_withdrawn() -> None:
    campaign = create_campaign(ended_game(), rival={"backend": "house"}, rival_condition="rival")
    units.draw_units(campaign)
    rivals = Stimulus.objects.filter(place=2).order_by("pk")
    rivals.update(state="idle", text="So.")
    for stimulus, failure in zip(rivals[:2], ("timeout", "passed (skip)"), strict=True):
        Stimulus.objects.filter(pk=stimulus.pk).update(state="failed", failure=failure, text="")
        units.set_withdrawn(stimulus.unit, is_withdrawn=True)
    rate_unit(add_rater(campaign), campaign.units.all()[5], 3)
    row = selection_by_condition(campaign)["rival"]
    assert (row["turns"], row["words"], row["failed"], row["passed"]) == (24, 22, 1, 1)
    assert row["causes"]["timed_out"] == 1


def test_exports_include_role_team_and_outcome() -> None:
    game = ended_game("1")
    campaign = create_campaign(game)
    units.draw_units(campaign)
    rater = add_rater(campaign)
    for unit in campaign.units.all()[:8]:
        rate_unit(rater, unit, 3)
    outcomes = get_seat_outcomes(game)
    rows = {int(r["seat"]): r for r in ratings_long(campaign)}
    assert len(rows) == 8
    for seat, row in rows.items():
        outcome = outcomes[seat - 1]
        assert (row["role"], row["team"], row["out"]) == (
            outcome.role,
            outcome.team,
            outcome.out or "no",
        )
        assert (row["winner"], row["deal_seed"]) == (game.winner, "1")
    assert "vote" in {r["out"] for r in rows.values()}
    item = read_csv(exports.build_file(campaign, "items.csv"))[0]
    transcript_row = read_csv(exports.build_file(campaign, "transcripts.csv"))[0]
    for row in (item, transcript_row):
        assert (row["deal_seed"], row["seat"], row["role"]) == ("1", "1", outcomes[0].role)


def test_games_of_one_seed_share_a_deal() -> None:
    campaign = create_campaign(ended_game("1"), ended_game("2"), ended_game("1"), ended_game("2"))
    units.draw_units(campaign)
    rater = add_rater(campaign)
    for unit in campaign.units.all()[::4]:
        rate_unit(rater, unit, 3)
    marks = rating_rows.read_marks(campaign)
    assert (len({m.game for m in marks}), len({m.deal for m in marks})) == (4, 2)


def test_plan_warns_if_ratings_cannot_show_a_difference() -> None:
    def notes(*seeds: str) -> list[str]:
        campaign = create_campaign(*(ended_game(seed) for seed in seeds))
        return [
            n
            for n in rating_plan.build_plan(campaign)["notes"]
            if "has only one game" in n or "one deal" in n
        ]

    (separate,) = notes("1", "2")
    assert "“one” against “two”: one of them has only one game" in separate
    (dealt,) = notes("1", "1")
    assert "only one deal has both" in dealt
    assert notes("1", "2", "3", "4") == []
    assert notes("1") == []
    rivals = create_campaign(
        ended_game("1"), ended_game("2"), rival={"backend": "house"}, rival_condition="r"
    )
    warnings = [n for n in rating_plan.build_plan(rivals)["notes"] if "“one” against “r”" in n]
    assert len(warnings) == 1


def test_results_of_an_older_layout_are_computed_again() -> None:
    campaign = create_campaign(ended_game("1"), ended_game("2"))
    campaigns.open(campaign)
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    analysis.compute_results(campaign)
    row = Analysis.objects.get()
    row.data["results"]["version"] = 1
    del row.data["results"]["selection"]
    row.save()
    page = sign_in().get(page_url("results", campaign))  # The old layout is not shown.
    assert page.status_code == 200
    assert "Individuality" not in text_of(page)


def test_turns_have_the_conditions_of_their_speakers() -> None:
    game = ended_game("1", words=SILENT, label="fallback:refusal")
    campaign = create_campaign(game, choice={"pick": "all", "compare": "team", "situations": []})
    units.draw_units(campaign)
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    rows = selection_by_condition(campaign)
    teams = [seat.team for seat in get_seat_outcomes(game)]
    assert {team: row["turns"] for team, row in rows.items()} == {
        team: 3 * teams.count(team) for team in set(teams)
    }
    assert sum(row["failed"] for row in rows.values()) == 3
    transcript = read_csv(exports.build_file(campaign, "transcripts.csv"))
    assert all(row["condition"] == row["team"] for row in transcript)


def test_removed_text_changes_the_digest_and_is_not_assigned() -> None:
    """The turn is counted as removed and its notice cannot be rated."""
    campaign = create_campaign(
        ended_game("1"), ended_game("2"), units_per_rater=48, raters_per_unit=9
    )
    campaigns.open(campaign)
    unit = campaign.units.all()[0]
    rater = start_rater(campaign)
    assert unit in [a.unit for a in pages_of(rater)]
    before = analysis.input_digest(campaign)
    game_actions.remove_text(
        unit.game_id, talk_of(unit.game).turn_at(unit.position).window, unit.seat
    )
    assert analysis.input_digest(campaign) != before
    assert unit not in [a.unit for a in pages_of(start_rater(campaign))]
    assigning.assign_pages(rater)
    assert unit not in [a.unit for a in pages_of(rater)]
    assert selection_by_condition(campaign)["one"]["removed"] == 1
