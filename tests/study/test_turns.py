"""Turns that could not be rated, who a seat was, and what a plan can reach: results and exports."""

from __future__ import annotations

import pytest

from game import host_actions
from tests.study.desk import sign_in
from tests.study.rating import pages_of, start_rater
from tests.study.test_exports import ratings_long, read_csv
from tests.study.test_result_views import text_of
from tests.study.test_setup import page_url
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.study import analysis
from webapp.study import data as exports
from webapp.study.games.seat_outcomes import seats_of
from webapp.study.models import Analysis, Stimulus
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, to_ratings, units

pytestmark = pytest.mark.django_db
SILENT = {(1, 2): "", (2, 2): "", (1, 5): ""}


def selection(of: campaigns.Campaign) -> dict[str, dict]:  # type: ignore[type-arg]
    analysis.compute_results(of)
    rows = Analysis.objects.get(campaign=of).data["results"]["selection"]["conditions"]
    return {row["condition"]: row for row in rows}


def test_failed_turns_are_counted_by_condition_and_cause() -> None:
    failing = ended_game("1", words=SILENT, label="fallback:refusal")
    of = create_campaign(failing, ended_game("2", words={(1, 1): ""}))
    campaigns.open(of)
    assert of.units.count() == 21 + 23
    rate_unit(add_rater(of), of.units.all()[0], 3)
    found = selection(of)
    assert (found["one"]["turns"], found["one"]["words"], found["one"]["failed"]) == (24, 21, 3)
    assert found["one"]["causes"] == {"timed_out": 0, "refused": 3, "unusable": 0}
    assert found["one"]["share_failed"] == {"value": 0.125, "part": 3, "whole": 24}
    # The default of somebody who ran out of time.
    assert found["two"]["causes"] == {"timed_out": 1, "refused": 0, "unusable": 0}
    told = text_of(sign_in().get(page_url("results", of)).content)
    assert "one 24 21 3 12.5 % 3 refused" in told
    assert "selection by success" in told
    data = Analysis.objects.get().data
    assert "| one | 24 | 21 | 3 | 0.125 | 0 | 3 | 0 | 0 | 0 |" in data["markdown"]
    turns = [r["turn"] for r in read_csv(exports.build_file(of, "transcripts.csv"))]
    assert turns.count("failed:refused") == 3
    assert turns.count("failed:timed_out") == 1
    assert turns.count("words") == 44


def test_silence_of_a_person_is_no_failure_and_blind_is_hidden() -> None:
    person = ended_game("1", words={(1, 2): ""}, names={2: "Annabel"})
    of = create_campaign(person, choice={"pick": "all", "speakers": "all", "situations": []})
    units.draw_units(of)
    rate_unit(add_rater(of), of.units.all()[0], 3)
    assert (selection(of)["one"]["passed"], selection(of)["one"]["failed"]) == (1, 0)
    # Of the computer players' words alone, the person's turns are none of the campaign's.
    mine = create_campaign(person)
    units.draw_units(mine)
    rate_unit(add_rater(mine), mine.units.all()[0], 3)
    assert selection(mine)["one"]["turns"] == 21
    blind = ended_game("1", words=SILENT, names={8: "Annabel"}, blind=True)
    hidden = create_campaign(blind, choice={"pick": "all", "speakers": "all", "situations": []})
    units.draw_units(hidden)
    rate_unit(add_rater(hidden), hidden.units.all()[0], 3)
    row = selection(hidden)["one"]
    assert (row["untold"], row["turns"], row["share_failed"]["why"]) == (24, 0, "no_turns")
    assert {r["turn"] for r in read_csv(exports.build_file(hidden, "transcripts.csv"))} == {""}


def test_rival_failures_count_even_if_their_units_are_withdrawn() -> None:
    of = create_campaign(ended_game(), rival={"backend": "house"}, rival_condition="rival")
    units.draw_units(of)
    rivals = Stimulus.objects.filter(place=2).order_by("pk")
    rivals.update(state="idle", text="So.")
    for stimulus, why in zip(rivals[:2], ("timeout", "passed (skip)"), strict=True):
        Stimulus.objects.filter(pk=stimulus.pk).update(state="failed", failure=why, text="")
        units.withdraw(stimulus.unit)
    rate_unit(add_rater(of), of.units.all()[5], 3)
    row = selection(of)["rival"]
    assert (row["turns"], row["words"], row["failed"], row["passed"]) == (24, 22, 1, 1)
    assert row["causes"]["timed_out"] == 1


def test_exports_and_marks_include_role_team_and_outcome() -> None:
    game = ended_game("1")
    of = create_campaign(game)
    units.draw_units(of)
    who = add_rater(of)
    for unit in of.units.all()[:8]:
        rate_unit(who, unit, 3)
    was = seats_of(game)
    rows = {int(r["seat"]): r for r in ratings_long(of)}
    assert len(rows) == 8
    for seat, row in rows.items():
        mine = was[seat - 1]
        assert (row["role"], row["team"], row["out"]) == (mine.role, mine.team, mine.out or "no")
        assert (row["winner"], row["deal_seed"]) == (game.winner, "1")
    assert "vote" in {r["out"] for r in rows.values()}
    marks = {m.seat: m for m in to_ratings.to_ratings(of)}
    assert {(s, m.role, m.team, m.out or "no") for s, m in marks.items()} == {
        (s, r["role"], r["team"], r["out"]) for s, r in rows.items()
    }
    item = read_csv(exports.build_file(of, "items.csv"))[0]
    said = read_csv(exports.build_file(of, "transcripts.csv"))[0]
    for row in (item, said):
        assert (row["deal_seed"], row["seat"], row["role"]) == ("1", "1", was[0].role)


def test_games_of_one_seed_share_a_deal() -> None:
    of = create_campaign(ended_game("1"), ended_game("2"), ended_game("1"), ended_game("2"))
    units.draw_units(of)
    who = add_rater(of)
    for unit in of.units.all()[::4]:
        rate_unit(who, unit, 3)
    marks = to_ratings.to_ratings(of)
    assert (len({m.game for m in marks}), len({m.deal for m in marks})) == (4, 2)


def test_plan_warns_if_ratings_cannot_show_a_difference() -> None:
    def notes(*seeds: str) -> list[str]:
        of = create_campaign(*(ended_game(seed) for seed in seeds))
        return [
            n for n in campaigns.plan(of)["notes"] if "has only one game" in n or "one deal" in n
        ]

    (apart,) = notes("1", "2")
    assert "“one” against “two”: one of them has only one game" in apart
    (dealt,) = notes("1", "1")
    assert "only one deal has both" in dealt
    assert notes("1", "2", "3", "4") == []
    assert notes("1") == []
    rivals = create_campaign(
        ended_game("1"), ended_game("2"), rival={"backend": "house"}, rival_condition="r"
    )
    told = [n for n in campaigns.plan(rivals)["notes"] if "“one” against “r”" in n]
    assert len(told) == 1


def test_results_of_an_older_layout_are_computed_again() -> None:
    of = create_campaign(ended_game("1"), ended_game("2"))
    campaigns.open(of)
    rate_unit(add_rater(of), of.units.all()[0], 3)
    analysis.compute_results(of)
    row = Analysis.objects.get()
    row.data["results"]["version"] = 1
    del row.data["results"]["selection"]
    row.save()
    page = sign_in().get(page_url("results", of))  # not with what it can't read
    assert page.status_code == 200
    assert "Individuality" not in text_of(page.content)


def test_turns_have_the_conditions_of_their_speakers() -> None:
    game = ended_game("1", words=SILENT, label="fallback:refusal")
    of = create_campaign(game, choice={"pick": "all", "compare": "team", "situations": []})
    units.draw_units(of)
    rate_unit(add_rater(of), of.units.all()[0], 3)
    found = selection(of)
    teams = [seat.team for seat in seats_of(game)]
    assert {team: row["turns"] for team, row in found.items()} == {
        team: 3 * teams.count(team) for team in set(teams)
    }
    assert sum(row["failed"] for row in found.values()) == 3
    said = read_csv(exports.build_file(of, "transcripts.csv"))
    assert all(row["condition"] == row["team"] for row in said)


def test_removed_text_changes_the_digest_and_is_not_assigned() -> None:
    """They are counted as removed, and a sentence that they are gone is nothing to rate."""
    of = create_campaign(ended_game("1"), ended_game("2"), units_per_rater=48, raters_per_unit=9)
    campaigns.open(of)
    unit = of.units.all()[0]
    had = start_rater(of)
    assert unit in [a.unit for a in pages_of(had)]
    before = analysis.input_digest(of)
    host_actions.remove_words(
        unit.game_id, units.talk_of(unit.game).at(unit.position).window, unit.seat
    )
    assert analysis.input_digest(of) != before
    assert unit not in [a.unit for a in pages_of(start_rater(of))]
    assigning.assign_pages(had)
    assert unit not in [a.unit for a in pages_of(had)]
    assert selection(of)["one"]["removed"] == 1
