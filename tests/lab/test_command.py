"""Tests of `manage.py metrics`, which prints metrics of stored games as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.decision import Note
from game import game_actions, locked_game
from game.cached_games import OpenWindow
from game.engine.events import ABSTAIN, pick, rate, say
from game.models import Game, Player
from game.selectors import open_windows
from tests.game.table import finish, new_game
from webapp.play.turns import agent_records

pytestmark = pytest.mark.django_db
SETTINGS = {"election": False, "max_rounds": 1, "first_sheriff": "villager"}


def run_metrics(*games: str) -> dict[str, Any]:
    out = StringIO()
    call_command("metrics", *games, stdout=out, stderr=StringIO())
    output: dict[str, Any] = json.loads(out.getvalue())
    return output


def play_one_day_game(seed: str = "1", people: Sequence[int] = (), **settings: Any) -> Game:
    """Play a game of one day in which nobody dies and nobody is exiled.

    Before the Sheriff speaks, all are for seat 1. Then seats 1 to 3 abstain, and 4 to 7 are for
    themselves.
    """
    game = new_game(*people, ruleset="sheriff", seed=seed, settings={**SETTINGS, **settings})
    while windows := open_windows(game):
        for window in windows:
            for seat in window.missing:
                answer(game, window, seat)
    game.refresh_from_db()
    return game


def answer(game: Game, window: OpenWindow, seat: int) -> None:
    legal, key = window.window.legal, window.window.key
    options = window.window.options_for(seat)
    if legal.name == "ratings":
        action = rate()
    elif legal.name == "speech":
        action = say("Let us look at each other.")
    elif window.window.kind in ("pseudo_vote", "election"):
        action = pick(1)
    elif window.window.kind == "vote":
        action = ABSTAIN if seat < 4 else pick(seat)
    else:  # the werewolves disagree: each attacks itself
        action = pick(seat if seat in options else options[0])
    locked_game.record_answer(game.pk, seat, key, action)


def sheriff_of(game: Game) -> int:
    (badge,) = game.events.filter(kind="badge_given").values_list("data", flat=True)
    return int(badge["seat"])


def store_ratings(game: Game, toward: int, among: int) -> None:
    """Store ratings at the vote: `toward` for the Sheriff, `among` for all others."""
    sheriff, seats = sheriff_of(game), range(1, 8)
    for judge in seats:
        ratings = [
            {"seat": s, "role": "villager", "confidence": toward if s == sheriff else among}
            for s in seats
            if s != judge
        ]
        key = "vote.1.0"
        row = game.windows.get(key=key)
        note = Note("reliability", row.moment, {"ratings": ratings}, key)
        agent_records.store_notes(game, judge, key, [note])


def row_of_variant(rows: list[dict[str, Any]], variant: str) -> dict[str, Any]:
    (matching_row,) = (row for row in rows if row["variant"] == variant)
    return matching_row


def test_metrics_give_each_game_and_the_mean_over_games() -> None:
    first, second = play_one_day_game("1"), play_one_day_game("2")
    store_ratings(first, 10, 5)  # ratio 2
    store_ratings(second, 6, 6)  # ratio 1
    report = run_metrics(first.code, second.code, first.code)
    assert [game["game"] for game in report["games"]] == [first.code, second.code]
    assert row_of_variant(report["games"][0]["metrics"]["ratio"], "others")["value"] == 2
    mean = row_of_variant(report["aggregate"]["ratio"], "others")
    assert (mean["value"], mean["n"], mean["unit"]) == (1.5, 2, "games")
    assert mean["published"]["helmsman Table 1"]["Ratio"]["GLM-3"] == 1.054
    assert report["aggregate"]["ratio_by_role"]["villager"]["with badge"]["n"] == 2
    assert "helmsman Table 25" in report["aggregate"]["ratio_by_role"]["published"]


def test_decision_change_has_both_divisors_and_their_published_figures() -> None:
    game = play_one_day_game("2")
    assert sheriff_of(game) == 2
    # The other six were for seat 1 before. Then the Sheriff, 1 and 3 abstain: these two follow.
    # 4 to 7 are for themselves. So all six changed.
    table = run_metrics(game.code)["aggregate"]
    over_others, over_living = (
        row_of_variant(table["dc"], "over_others"),
        row_of_variant(table["dc"], "over_living"),
    )
    assert over_others["value"] == pytest.approx(2 / 6, abs=1e-6)
    assert over_living["value"] == pytest.approx(2 / 7, abs=1e-6)
    assert "published" not in over_others
    assert over_living["published"]["helmsman Table 1"]["DC"]["M-7B"] == 0.151
    assert row_of_variant(table["dc_star"], "over_others")["value"] == 1
    assert row_of_variant(table["dc_star"], "over_living")["value"] == pytest.approx(
        6 / 7, abs=1e-6
    )


def test_undefined_metric_is_null_with_a_reason() -> None:
    table = run_metrics(play_one_day_game().code)["aggregate"]  # without ratings
    ratio = row_of_variant(table["ratio"], "others")
    assert (ratio["value"], ratio["n"]) == (None, 0)
    assert ratio["why"] == (
        "in no game: no day has both scores of the Sheriff and scores among the others"
    )
    assert row_of_variant(table["correlation"], "program")["value"] is None
    (win,) = table["win"]  # cut at the last day: not completed
    assert (win["value"], win["why"]) == (None, "no game was completed")
    assert table["completion"][0]["value"] == 0


def test_void_and_unfinished_games_are_left_out_and_named() -> None:
    game, running = play_one_day_game(), new_game(1, ruleset="sheriff")
    called_off = new_game(1, ruleset="sheriff", seed="9")
    game_actions.call_off(called_off.pk)
    not_elected_game = play_one_day_game("3", election=True, must_elect=7, candidates=7)
    report = run_metrics(game.code, running.code, called_off.code, not_elected_game.code)
    assert [row["game"] for row in report["games"]] == [game.code]
    assert report["aggregate"]["completion"][0]["n"] == 1
    assert report["left_out"] == {
        "running": [running.code],
        "called_off": [called_off.code],
        "not_elected": [not_elected_game.code],
    }


def test_games_without_a_sheriff_have_wins_and_straw_polls() -> None:
    game = finish(new_game(ruleset="one-night"))
    report = run_metrics(game.code)
    assert report["not_defined"] == (
        "one-night has no Sheriff: metrics of leadership are not defined there"
    )
    assert set(report["aggregate"]) == {
        *("win_by_team", "win_by_role", "win_rate"),
        *("vote_share", "judgement_variation", "vote_share_for_team", "contradictions"),
    }
    assert report["aggregate"]["contradictions"]["published"]["guarded Section 6"]
    shares = report["aggregate"]["vote_share"]
    assert sum(share["value"] for key, share in shares.items() if key != "published") <= 100
    assert shares["published"]["humanized Table 6"]["Werewolf"]["Baseline"] == 22.1
    assert report["aggregate"]["judgement_variation"][0]["published"]["humanized Table 5"]
    teams = report["aggregate"]["win_by_team"]
    assert {team: row["value"] for team, row in teams.items()}[game.winner] == 1


def test_games_are_read_from_a_file_or_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = play_one_day_game("1"), play_one_day_game("2")
    file = tmp_path / "games.jsonl"
    file.write_text(f'{{"game": "{first.code}", "seed": "1/0"}}\n\n{second.code}\n')
    assert [game["game"] for game in run_metrics(str(file))["games"]] == [first.code, second.code]
    monkeypatch.setattr("sys.stdin", StringIO(f"{second.code}\n"))
    assert [game["game"] for game in run_metrics("-")["games"]] == [second.code]
    file.write_text('{"winner": "village"}\n')
    with pytest.raises(CommandError, match="no game in this line"):
        run_metrics(str(file))


def test_unknown_game_and_mixed_rulesets_are_refused() -> None:
    with pytest.raises(CommandError, match="there is no game 'nothing'"):
        run_metrics("nothing")
    one_night_game = finish(new_game(ruleset="one-night"))
    with pytest.raises(CommandError, match="different rulesets: one-night, sheriff; ask for each"):
        run_metrics(one_night_game.code, play_one_day_game().code)


def test_person_is_identified_by_seat_and_their_ratings_count() -> None:
    game = new_game(2, ruleset="sheriff", settings={**SETTINGS, "rate_people": True})
    while windows := open_windows(game):
        for window in windows:
            for seat in window.missing:
                if window.window.kind == "reliability":
                    # The first other as a werewolf for sure (1), all others as villagers (8).
                    first, *remaining = window.window.options_for(seat)
                    rows = {first: {"role": "werewolf", "confidence": 10}}
                    rows |= {s: {"role": "villager", "confidence": 8} for s in remaining}
                    ratings = window.window.legal.parse({"ratings": rows})
                    locked_game.record_answer(game.pk, seat, window.window.key, ratings)
                else:
                    answer(game, window, seat)
    game.refresh_from_db()
    (report,) = run_metrics(game.code)["games"]
    assert report["people"] == [2]
    assert Player.objects.get(game=game, seat=2).kind == Player.PERSON
    assert sheriff_of(game) == 5
    # The Sheriff has an 8; the others, seats 1, 3, 4, 6 and 7, have 1, 8, 8, 8, 8: 33 / 5 = 6.6.
    ratio = row_of_variant(report["metrics"]["ratio"], "person")
    assert ratio["value"] == pytest.approx(8 / 6.6, abs=1e-6)
