"""Turns that could not be rated, who a seat was, and what a plan can reach: results and exports."""

from __future__ import annotations

import pytest

from game import host_actions
from tests.study.desk import signed_in
from tests.study.rating import begun, way
from tests.study.test_exports import long, read
from tests.study.test_result_views import plain
from tests.study.test_setup import at
from tests.study.world import campaign, finished, rate, rater
from webapp.study import analysis
from webapp.study import data as exports
from webapp.study.games.seat_outcomes import seats_of
from webapp.study.models import Analysis, Stimulus
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, rating_rows, units

pytestmark = pytest.mark.django_db
SILENT = {(1, 2): "", (2, 2): "", (1, 5): ""}


def selection(of: campaigns.Campaign) -> dict[str, dict]:  # type: ignore[type-arg]
    analysis.compute_results(of)
    rows = Analysis.objects.get(campaign=of).data["results"]["selection"]["conditions"]
    return {row["condition"]: row for row in rows}


def test_failed_turns_are_counted_by_condition_with_their_cause_and_shown() -> None:
    failing = finished("1", words=SILENT, label="fallback:refusal")
    of = campaign(failing, finished("2", words={(1, 1): ""}))
    campaigns.open(of)
    assert of.units.count() == 21 + 23
    rate(rater(of), of.units.all()[0], 3)
    found = selection(of)
    assert (found["one"]["turns"], found["one"]["words"], found["one"]["failed"]) == (24, 21, 3)
    assert found["one"]["causes"] == {"timed_out": 0, "refused": 3, "unusable": 0}
    assert found["one"]["share_failed"] == {"value": 0.125, "part": 3, "whole": 24}
    # The default of somebody who ran out of time.
    assert found["two"]["causes"] == {"timed_out": 1, "refused": 0, "unusable": 0}
    told = plain(signed_in().get(at("results", of)).content)
    assert "one 24 21 3 12.5 % 3 refused" in told
    assert "selection by success" in told
    data = Analysis.objects.get().data
    assert "| one | 24 | 21 | 3 | 0.125 | 0 | 3 | 0 | 0 | 0 |" in data["markdown"]
    turns = [r["turn"] for r in read(exports.build_file(of, "transcripts.csv"))]
    assert turns.count("failed:refused") == 3
    assert turns.count("failed:timed_out") == 1
    assert turns.count("words") == 44


def test_a_persons_silence_is_no_failure_and_a_blind_table_is_not_told() -> None:
    person = finished("1", words={(1, 2): ""}, names={2: "Annabel"})
    of = campaign(person, choice={"pick": "all", "speakers": "all", "situations": []})
    units.draw_units(of)
    rate(rater(of), of.units.all()[0], 3)
    assert (selection(of)["one"]["passed"], selection(of)["one"]["failed"]) == (1, 0)
    # Of the computer players' words alone, the person's turns are none of the campaign's.
    mine = campaign(person)
    units.draw_units(mine)
    rate(rater(mine), mine.units.all()[0], 3)
    assert selection(mine)["one"]["turns"] == 21
    blind = finished("1", words=SILENT, names={8: "Annabel"}, blind=True)
    hidden = campaign(blind, choice={"pick": "all", "speakers": "all", "situations": []})
    units.draw_units(hidden)
    rate(rater(hidden), hidden.units.all()[0], 3)
    row = selection(hidden)["one"]
    assert (row["untold"], row["turns"], row["share_failed"]["why"]) == (24, 0, "no_turns")
    assert {r["turn"] for r in read(exports.build_file(hidden, "transcripts.csv"))} == {""}


def test_the_other_systems_failures_count_even_where_their_units_were_withdrawn() -> None:
    of = campaign(finished(), rival={"backend": "house"}, rival_condition="rival")
    units.draw_units(of)
    rivals = Stimulus.objects.filter(place=2).order_by("pk")
    rivals.update(state="idle", text="So.")
    for stimulus, why in zip(rivals[:2], ("timeout", "passed (skip)"), strict=True):
        Stimulus.objects.filter(pk=stimulus.pk).update(state="failed", failure=why, text="")
        units.withdraw(stimulus.unit)
    rate(rater(of), of.units.all()[5], 3)
    row = selection(of)["rival"]
    assert (row["turns"], row["words"], row["failed"], row["passed"]) == (24, 22, 1, 1)
    assert row["causes"]["timed_out"] == 1


def test_exports_and_marks_tell_who_the_seat_was() -> None:
    game = finished("1")
    of = campaign(game)
    units.draw_units(of)
    who = rater(of)
    for unit in of.units.all()[:8]:
        rate(who, unit, 3)
    was = seats_of(game)
    rows = {int(r["seat"]): r for r in long(of)}
    assert len(rows) == 8
    for seat, row in rows.items():
        mine = was[seat - 1]
        assert (row["role"], row["team"], row["out"]) == (mine.role, mine.team, mine.out or "no")
        assert (row["winner"], row["deal_seed"]) == (game.winner, "1")
    assert "vote" in {r["out"] for r in rows.values()}
    marks = {m.seat: m for m in rating_rows.to_ratings(of)}
    assert {(s, m.role, m.team, m.out or "no") for s, m in marks.items()} == {
        (s, r["role"], r["team"], r["out"]) for s, r in rows.items()
    }
    item = read(exports.build_file(of, "items.csv"))[0]
    said = read(exports.build_file(of, "transcripts.csv"))[0]
    for row in (item, said):
        assert (row["deal_seed"], row["seat"], row["role"]) == ("1", "1", was[0].role)


def test_games_of_one_seed_share_a_deal() -> None:
    of = campaign(finished("1"), finished("2"), finished("1"), finished("2"))
    units.draw_units(of)
    who = rater(of)
    for unit in of.units.all()[::4]:
        rate(who, unit, 3)
    marks = rating_rows.to_ratings(of)
    assert (len({m.game for m in marks}), len({m.deal for m in marks})) == (4, 2)


def test_the_plan_warns_where_no_ratings_could_tell() -> None:
    def notes(*seeds: str) -> list[str]:
        of = campaign(*(finished(seed) for seed in seeds))
        return [
            n for n in campaigns.plan(of)["notes"] if "has only one game" in n or "one deal" in n
        ]

    (apart,) = notes("1", "2")
    assert "“one” against “two”: one of them has only one game" in apart
    (dealt,) = notes("1", "1")
    assert "only one deal has both" in dealt
    assert notes("1", "2", "3", "4") == []
    assert notes("1") == []
    rivals = campaign(finished("1"), finished("2"), rival={"backend": "house"}, rival_condition="r")
    told = [n for n in campaigns.plan(rivals)["notes"] if "“one” against “r”" in n]
    assert len(told) == 1


def test_results_of_an_older_layout_are_worked_out_anew() -> None:
    of = campaign(finished("1"), finished("2"))
    campaigns.open(of)
    rate(rater(of), of.units.all()[0], 3)
    analysis.compute_results(of)
    row = Analysis.objects.get()
    row.data["results"]["version"] = 1
    del row.data["results"]["selection"]
    row.save()
    page = signed_in().get(at("results", of))  # not with what it can't read
    assert page.status_code == 200
    assert "Individuality" not in plain(page.content)


def test_turns_have_the_conditions_of_their_speakers() -> None:
    game = finished("1", words=SILENT, label="fallback:refusal")
    of = campaign(game, choice={"pick": "all", "compare": "team", "situations": []})
    units.draw_units(of)
    rate(rater(of), of.units.all()[0], 3)
    found = selection(of)
    teams = [seat.team for seat in seats_of(game)]
    assert {team: row["turns"] for team, row in found.items()} == {
        team: 3 * teams.count(team) for team in set(teams)
    }
    assert sum(row["failed"] for row in found.values()) == 3
    said = read(exports.build_file(of, "transcripts.csv"))
    assert all(row["condition"] == row["team"] for row in said)


def test_words_taken_out_are_a_new_state_and_given_to_nobody_any_more() -> None:
    """They are counted as removed, and a sentence that they are gone is nothing to rate."""
    of = campaign(finished("1"), finished("2"), units_per_rater=48, raters_per_unit=9)
    campaigns.open(of)
    unit = of.units.all()[0]
    had = begun(of)
    assert unit in [a.unit for a in way(had)]
    before = analysis.input_digest(of)
    host_actions.remove_words(
        unit.game_id, units.talk_of(unit.game).at(unit.position).window, unit.seat
    )
    assert analysis.input_digest(of) != before
    assert unit not in [a.unit for a in way(begun(of))]
    assigning.assign_pages(had)
    assert unit not in [a.unit for a in way(had)]
    assert selection(of)["one"]["removed"] == 1
