"""Tests that each figure of a study's results follows from the CSV files of its archive."""

from __future__ import annotations

import io
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone, translation

from game.models import Game
from tests.study import studies
from tests.study.desk import sign_in
from tests.study.planted_games import result_line
from tests.study.question_games import PERSON, create_slot, play_game
from tests.study.recompute_outcomes import RecomputedFigures, read_rows
from webapp.measures import board
from webapp.study import analysis
from webapp.study.analysis import compute_results, study_results
from webapp.study.data.studies import game_files as exported
from webapp.study.data.studies import study_rows_reader
from webapp.study.design.stages import Design
from webapp.study.ethics import participant_erasure
from webapp.study.games.seat_outcomes import SeatOutcome, get_seat_outcomes
from webapp.study.looks import SEEN
from webapp.study.models import AuditEvent, Participant, Response, Slot, Study, StudyAnalysis
from webapp.study.researcher.results import study_result_tables
from webapp.study.results.estimates import compare_sides, estimate, group_games
from webapp.study.results.study_rows import GameRow, Observation
from webapp.study.sessions import participant_state, responses, slots, study_events
from webapp.study.sessions.responses import Answer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_figures")]

STAGES = [
    {"kind": "consent"},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["who-is-human", "impressions"]},
    {"kind": "debriefing"},
]


def close_study(study: Study) -> Study:
    study.state = Study.CLOSED
    study.save()
    study.slots.filter(state=Slot.FILLING).update(state=Slot.FREE)
    return study


def create_finished_study(games: int = 4) -> Study:
    """Create a study with two people a game, two conditions and a void last game.

    P003 is excluded, P006 withdrew their answers and P005 never submitted.
    """
    study = studies.create_study(
        table={"people": 2}, stages=STAGES, factors=studies.MIND_FACTORS, assignment={"games": 3}
    )
    for game in range(games):
        people = studies.seat(study, 2)
        studies.finish_game(people[0])
        for person in people:
            save_answers(person, game)
    last = study.slots.filter(state=Slot.DONE).order_by("pk").last()
    assert last
    slots.void_slot(last, "called off", actor="clock")
    Participant.objects.filter(pseudonym="P003").update(excluded=True)
    if games > 2:
        participant_erasure.erase_participant(
            Participant.objects.get(pseudonym="P006"), actor="participant"
        )
    return study


def save_answers(person: Participant, game: int) -> None:
    """Save guesses that are right for some and an answer on each scale."""
    seating = studies.seating_of(person)
    row = studies.reload(person)
    step = participant_state.current_step(row)
    number = int(row.pseudonym[1:])
    answers: dict[Any, Answer] = {("impressions", "enjoyed", 0): Answer(number=1 + number % 5)}
    assert seating.slot.game
    for other_player in seating.slot.game.players.exclude(seat=seating.seat):
        guess = ("person", "computer", "computer")[(other_player.seat + number) % 3]
        answers["who-is-human", "kind", other_player.seat] = Answer(
            choice=guess, number=1 + other_player.seat % 5
        )
    responses.save_answers(row, step, answers, revision=0, slot=seating.slot)
    if row.pseudonym != "P005":
        row.responses.filter(step=step.key).update(state=Response.GIVEN)


def test_each_figure_is_reproduced_from_the_files(tmp_path: Path) -> None:
    study = close_study(create_finished_study())
    output = study_results(study)
    results = output["results"]
    assert results["totals"]["people"] == 4, "six players without one excluded and one erased"
    recomputed = RecomputedFigures(study)
    check_guesses(results, recomputed)
    check_questionnaires_wins_and_votes(results, recomputed)
    check_omitted_data(results, study)
    check_reproducible_archive(study, output, tmp_path)


def check_guesses(results: dict[str, Any], recomputed: RecomputedFigures) -> None:
    decided = [r for r in recomputed.guesses if r["guess"] != "unsure"]
    right = [(r["game_id"], float(r["guess"] == r["truth"])) for r in decided]
    item = "who-is-human.kind"
    recomputed.check(result_line(results, "guesses", "right", item=item), right)
    for condition in ("full", "none"):
        pairs = [(g, v) for g, v in right if recomputed.condition[g] == condition]
        recomputed.check(
            result_line(results, "guesses", "right", item=item, condition=condition), pairs
        )
    for kind in ("person", "computer"):
        pairs = [(r["game_id"], float(r["guess"] == kind)) for r in decided if r["truth"] == kind]
        recomputed.check(result_line(results, "guesses", "right", item=item, group=kind), pairs)
    for row in results["sections"]["guesses"]["confusion"]:
        for guess in ("person", "computer", "unsure"):
            assert row[guess] == sum(
                (r["truth"], r["guess"]) == (row["truth"], guess)
                and row["condition"] in ("", r["condition"])
                for r in recomputed.guesses
            )
    for group, hit in (("right", "true"), ("wrong", "false")):
        sure = [(r["game_id"], float(r["sure"])) for r in decided if r["right"] == hit]
        recomputed.check(result_line(results, "guesses", "sure", item=item, group=group), sure)


def check_questionnaires_wins_and_votes(
    results: dict[str, Any], recomputed: RecomputedFigures
) -> None:
    item = "impressions.enjoyed"
    pairs = [
        (r["game_id"], float(r["number"]))
        for r in recomputed.answers
        if r["instrument"] == "impressions"
    ]
    line = result_line(results, "questionnaires", "mean", item=item)
    recomputed.check(line, pairs)
    assert line["sd"]["value"] == pytest.approx(statistics.stdev(v for _game, v in pairs))
    for kind, word in (("person", "person"), ("agent", "computer")):
        seats = [
            r
            for r in recomputed.players
            if r["speaker_kind"] == kind and r["participant"] not in recomputed.out
        ]
        for measure, yes in (("won", ("won", "true")), ("survived", ("out", "no"))):
            pairs = [(r["game_id"], float(r[yes[0]] == yes[1])) for r in seats]
            recomputed.check(result_line(results, "endings", measure, group=word), pairs)
        # In the one-night game only the village wants the Werewolf out.
        villagers = {(r["game_id"], r["seat"]) for r in seats if r["team"] == "village"}
        wolves = {(r["game_id"], r["seat"]) for r in recomputed.players if r["role"] == "werewolf"}
        cast = [
            r
            for r in recomputed.votes
            if r["kind"] == "vote" and r["target"] and (r["game_id"], r["seat"]) in villagers
        ]
        random_votes = [r for r in cast if "timeout" in r["labels"] or "fallback" in r["labels"]]
        pairs = [
            (r["game_id"], float((r["game_id"], r["target"]) in wolves))
            for r in cast
            if r not in random_votes
        ]
        recomputed.check(result_line(results, "votes", "accurate", group=word), pairs)


def check_omitted_data(results: dict[str, Any], study: Study) -> None:
    omitted, answers = results["left_out"], read_rows(study, "responses_long.csv")
    assert (omitted["void_games"], omitted["excluded"], omitted["withdrew"]) == (1, 1, 1)
    void = {r["game_id"] for r in read_rows(study, "assignments.csv") if r["state"] == "void"}
    assert omitted["answers_of_excluded"] == sum(r["participant"] == "P003" for r in answers)
    assert omitted["answers_of_void_games"] == sum(r["game_id"] in void for r in answers)
    assert omitted["answers_not_handed_in"] == sum(r["participant"] == "P005" for r in answers) > 0
    guessers = {r["participant"] for r in RecomputedFigures(study).guesses}
    assert guessers == {"P001", "P002", "P004"}


@pytest.mark.parametrize("leads", [5, PERSON])
def test_ratio_and_dc_match_the_answers_in_play(leads: int) -> None:
    """The results are of the person if another leads, and of the others if the person does."""
    slot = create_slot(play_game(sheriff_seat=leads))
    study = slot.study
    Participant.objects.update(consented_at=timezone.now())
    study.design = Design.from_json({"table": {"ruleset": "sheriff", "people": 1}}).to_json()
    results = study_results(close_study(study))["results"]
    votes = read_rows(study, "votes.csv")
    first = {r["seat"]: r["target"] for r in votes if r["kind"] == "pseudo_vote"}
    last = {r["seat"]: r["target"] for r in votes if r["kind"] == "vote"}
    moved = {s for s in first if first[s] != last[s] == last[str(leads)]}
    if leads == PERSON:
        line = result_line(results, "leadership", "dc", item="over_living", group="computer")
        assert line["value"]["value"] == pytest.approx(len(moved) / (len(first) + 1))
        assert [p["value"] for p in line["published"]] == [0.226, 0.126]
        return
    line = result_line(results, "leadership", "dc", item="person", group="person")
    assert line["value"]["value"] == float(str(PERSON) in moved) == 1.0
    assert [p["value"] for p in line["published"]] == [0.083, 0.126]
    ratings = [r for r in read_rows(study, "choices.csv") if r["before"] == "vote" and r["score"]]
    of_leader = [int(r["score"]) for r in ratings if int(r["about_seat"]) == leads]
    of_others = [int(r["score"]) for r in ratings if int(r["about_seat"]) != leads]
    line = result_line(results, "leadership", "ratio", item="person", group="person")
    assert line["value"]["value"] == pytest.approx(
        statistics.fmean(of_leader) / statistics.fmean(of_others)
    )
    assert [p["value"] for p in line["published"]] == [1.341, 1.054]
    assert (line["published"][0]["n"], line["published"][0]["n_is"]) == (40, "planned")
    contest = [t for t in results["published"] if t["paper"] == "Impressions"]
    assert all("by whom is not stated" in t["what"] for t in contest)
    assert contest[0]["rows"][0]["cells"][-1] == "3.050", "as printed"
    tables = study_result_tables.build_study_results(results, ())["sections"]
    (block,) = [b for s in tables for b in s["blocks"] if b["title"] == "Ratio, of the participant"]
    published = next(row for row in block["tables"][0].rows if row.style == "is-published")
    assert published.cells[1].text == "40 planned"
    program = result_line(results, "leadership", "correlation", item="program", group="person")
    assert program["value"]["value"] is None, "no computer player has scored anybody"
    assert [p["value"] for p in program["published"]] == [0.233]


def test_running_blind_study_hides_kinds_and_records_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    study = create_finished_study(2)
    ada = Client()
    eve = sign_in("eve")
    ada.force_login(study.owner)
    page = f"/study/studies/{study.code}/results"
    compute_results(study)
    assert "are hidden" in ada.get(page).content.decode()
    assert ada.get(f"{page}/take/md")["Location"] == page
    assert not AuditEvent.objects.filter(what=SEEN).exists()
    for _twice in range(2):
        assert ada.post(f"{page}/look")["Location"] == page
    look = f"{study.code} 1/6 unplanned look"
    assert [h.reason for h in AuditEvent.objects.filter(what=SEEN)] == [look]
    stored = StudyAnalysis.objects.get().data
    lines = {k: part["lines"] for k, part in stored["results"]["sections"].items()}
    assert [key for key, rows in lines.items() if rows] == ["questionnaires"]
    assert stored["papers"] == [], "a board of players would reveal the people"
    html = ada.get(page).content.decode()
    assert "Enjoyed" in html
    assert 'id="guesses"' not in html
    assert "participants excluded by you" in html
    assert eve.post(f"{page}/look").status_code == 404

    close_study(study)
    with monkeypatch.context() as patch:
        patch.setattr(analysis, "study_results", lambda _study: 1 / 0)
        compute_results(study)
    assert "could not be computed: ZeroDivisionError" in ada.get(page).content.decode()
    compute_results(study)
    html = ada.get(page).content.decode()
    assert 'id="guesses"' in html
    assert "could not be computed" not in html
    assert 'id="board-of-players"' in html
    assert board.PEOPLE in str(StudyAnalysis.objects.get().data["papers"][0])
    after = f"{study.code} 1/6 look after closing"
    assert [h.reason for h in AuditEvent.objects.filter(what=SEEN)] == [look, after]
    svg = ada.get(f"{page}/figures/guesses-right-who-is-human-kind.svg")
    assert svg.content.startswith(b"<svg")
    assert b"who-is-human.kind" in ada.get(f"{page}/take/estimates").content
    part_html = ada.get(f"{page}/part?have=", headers={"HX-Request": "true"}).content.decode()
    assert 'id="guesses"' in part_html

    study.state = Study.OPEN  # Reopening hides the results again.
    study.save()
    assert 'id="guesses"' not in ada.get(page).content.decode()
    assert ada.get(f"{page}/take/estimates").status_code == 404


def check_reproducible_archive(study: Study, once: dict[str, Any], folder: Path) -> None:
    with translation.override("de"):
        assert study_results(Study.objects.get()) == once
    archive_file = folder / "study.zip"
    call_command("study", "export", study.code, out=archive_file, results=True)
    study_events.record_event(
        study, SEEN, actor="eve", reason="again"
    )  # A look appends a row, which is no difference.
    output = io.StringIO()
    call_command("study", "verify", archive_file, stdout=output)
    assert "happenings.csv: as it was written; 1 more row has been appended" in output.getvalue()
    first = AuditEvent.objects.filter(study=study).order_by("pk")[0]
    AuditEvent.objects.filter(pk=first.pk).update(reason="another")
    with pytest.raises(CommandError, match="1 differences"):
        call_command("study", "verify", archive_file)
    AuditEvent.objects.filter(pk=first.pk).update(reason=first.reason)
    Participant.objects.filter(pseudonym="P001").update(excluded=True)
    with pytest.raises(CommandError):
        call_command("study", "verify", archive_file)
    now = study_results(study)["results"]
    assert now["totals"]["people"] == once["results"]["totals"]["people"] - 1


def test_games_sharing_people_are_not_independent() -> None:
    """Two people with five games each are two groups. Linked games have no test."""
    games = [GameRow(f"g{n}", f"d{n}", "ab"[n % 2], (f"P{n // 5}",)) for n in range(10)]
    observations = [Observation(float(n), f"g{n}", f"P{n // 5}", "ab"[n % 2]) for n in range(10)]
    grouped = group_games(games)
    assert estimate(observations, grouped)["groups"] == 2
    assert not grouped.is_linked
    (one,) = compare_sides(observations, ("a", "b"), grouped)
    assert (one["design"], one["n"]) == ("paired", 2)
    mixed = [replace(game, people=("P0", f"P{n}")) for n, game in enumerate(games)]
    linked = group_games(mixed)
    result = estimate(observations, linked)
    assert (result["groups"], result["ci"]["care"]) == (10, ["people_in_several"])
    (one,) = compare_sides(observations, ("a", "b"), linked)
    assert one["test"]["why"] == "linked_games"


def test_game_without_winner_counts_for_no_team(monkeypatch: pytest.MonkeyPatch) -> None:
    study = close_study(create_finished_study(3))
    first = study_results(study)["results"]
    lost = study.slots.filter(state=Slot.DONE).order_by("pk")[0].game
    assert lost

    def called_off(game: Game) -> tuple[SeatOutcome, ...]:
        return tuple(
            replace(s, has_won=s.has_won and game != lost) for s in get_seat_outcomes(game)
        )

    for module in (study_rows_reader, exported):
        monkeypatch.setattr(module, "get_seat_outcomes", called_off)
    now = study_results(study)["results"]
    before, after = (
        result_line(results, "endings", "won", group="computer") for results in (first, now)
    )
    assert "games_nobody_won" not in first["left_out"]
    assert (now["left_out"]["games_nobody_won"], after["games"]) == (1, before["games"] - 1)
    players = [r for r in read_rows(study, "players.csv") if r["game_id"] == lost.code]
    assert {r["won"] for r in players} == {""}
