"""Tests of the games of experiments: seating, void and failed games, budget, probe, extension."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from game.models import Game
from tests.endpoint import Endpoint
from tests.study.experiments import (
    LLM_TABLE,
    METHODS,
    SHORT_GAME_TABLE,
    database,
    open_experiment,
    plan_problems,
    slot_states,
)
from webapp.play.live import notifier
from webapp.play.models import LLMCall, Table
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, TableDesign
from webapp.study.experiments import game_starts, local_run
from webapp.study.models import Slot, Study
from webapp.study.monitor import model_requests, page_content
from webapp.study.planning import studies
from webapp.study.sessions import slots
from webapp.study.sessions.slots import deal_roles, draw_schedule
from webapp.study.sessions.study_events import monitor_group


@database
def test_league_systems_are_seated_by_their_dealt_roles() -> None:
    league = [{"name": f"s{n}", "seat": {"method": m}} for n, m in enumerate(("full", "baseline"))]
    study = open_experiment(
        table={**SHORT_GAME_TABLE, "ruleset": "aiwolf-5"},
        assignment={"games": 6, "deals": "fresh"},
        experiment={"league": league},
    )
    game_starts.extend_experiment(study, 12, "ada")
    cards: Counter[tuple[str, str]] = Counter()
    for slot in study.slots.select_related("condition"):
        roles = deal_roles(TableDesign.from_json(slot.condition.table), slot.deal)
        cards.update(zip(slot.systems, roles, strict=True))
    deck = Counter(rulesets.get("aiwolf-5").deck)
    for system in ("s0", "s1"):
        counts = {role: cards[system, role] for role in deck}
        assert counts == {role: 6 * n for role, n in deck.items()}, "twelve games of two systems"
    game_starts.start_games(study.pk)
    playing = study.slots.filter(state=Slot.PLAYING).first()
    assert playing
    assert playing.game
    methods = [player.recipe["method"] for player in playing.game.players.order_by("seat")]
    assert methods == [{"s0": "full", "s1": "baseline"}[name] for name in playing.systems]


@database
def test_repeats_share_the_deal_only_and_replay_identically() -> None:
    study = open_experiment(factors=[METHODS], assignment={"games": 4}, experiment={"repeats": 2})
    games = list(local_run.play_games(study))
    assert slot_states(study) == {"done": 8}
    assert len({game["digest"] for game in games}) == 8
    roles: dict[str, set[tuple[str, ...]]] = {}
    for game in games:
        dealt = Game.objects.get(code=game["game"]).seed
        roles.setdefault(dealt.partition("#")[0], set()).add(tuple(game["roles"].values()))
    assert len(roles) == 2, "conditions share deals"
    assert all(len(dealt) == 1 for dealt in roles.values())
    assert not Table.objects.exists(), "no table and no daily budget are used"
    first = open_experiment(factors=[METHODS], assignment={"games": 2}, experiment={"repeats": 2})
    replayed = {game["slot"]: game["digest"] for game in local_run.play_games(first)}
    assert len(replayed) == 4
    assert replayed.items() <= {game["slot"]: game["digest"] for game in games}.items()


@database
def test_recipe_follows_the_dealt_role_unless_seat_overrides_it() -> None:
    """Helmsman assigns recipes by role. The recipe of a seat takes precedence."""
    casting = {"werewolf": {"method": "full"}, "1": {"method": "favor"}}
    table = {**SHORT_GAME_TABLE, "method": "baseline", "casting": casting}
    study = open_experiment(table=table, assignment={"games": 3})
    games = {game["slot"]: game for game in local_run.play_games(study)}
    for game in games.values():
        recipes = Game.objects.get(code=game["game"]).players.order_by("seat")
        roles = game["roles"].values()
        methods = ["full" if role == "werewolf" else "baseline" for role in roles]
        assert [player.recipe["method"] for player in recipes] == ["favor", *methods[1:]]
    assert len({tuple(game["roles"].values()) for game in games.values()}) == 3, "the deals differ"
    by_seat = {str(seat): {"method": "full" if role == "werewolf" else "baseline"}
               for seat, role in enumerate(games[1]["roles"].values(), 1)}  # fmt: skip
    same = open_experiment(
        table={**table, "casting": {**by_seat, "1": {"method": "favor"}}}, assignment={"games": 1}
    )
    (first,) = local_run.play_games(same)
    assert first["digest"] == games[1]["digest"], "recipes by role and by seat give the same game"
    nobody = plan_problems(table={**table, "casting": {"sheriff": {"method": "full"}}})
    assert "There is no seat or role sheriff" in nobody[0]


@database
def test_games_of_a_dead_process_are_continued() -> None:
    study = open_experiment(assignment={"games": 3}, experiment={"at_once": 2})
    uninterrupted = open_experiment(assignment={"games": 3})
    digests = {game["slot"]: game["digest"] for game in local_run.play_games(uninterrupted)}
    assert game_starts.start_games(study.pk) == 2  # The process dies here.
    assert slot_states(study) == {"playing": 2, "free": 1}
    assert {game["slot"]: game["digest"] for game in local_run.play_games(study)} == digests


@database
def test_concurrent_processes_start_no_more_games_than_allowed() -> None:
    study = open_experiment(assignment={"games": 12}, experiment={"at_once": 3})
    errors = []

    def start() -> None:
        try:
            game_starts.start_games(study.pk)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, slot_states(study)) == ([], {"playing": 3, "free": 9})


@database
def test_void_game_is_replayed_with_other_draws() -> None:
    """In some of these games the drawn Sheriff is killed in the first night."""
    table = {
        **SHORT_GAME_TABLE,
        "ruleset": "sheriff",
        "settings": {"election": False, "sheriff_dies": "ends", "max_rounds": 1},
    }
    study = open_experiment(table=table, assignment={"games": 9, "deals": "fresh"})
    games = list(local_run.play_games(study))
    voids = [game for game in games if game["state"] == "void"]
    assert voids, "no game was void, so choose another seed"
    assert slot_states(study) == {"done": 9, "void": len(voids)}
    for void in voids:
        replacement = study.slots.filter(block=void["block"]).last()
        assert replacement
        assert replacement.deal.startswith(f"{void['seed'].partition('#')[0]}#.")
    upto_first = min(void["slot"] for void in voids)
    strict = open_experiment(table=table, assignment={"games": upto_first, "deals": "fresh"},
                             experiment={"replays": 0, "failures": 99})  # fmt: skip
    list(local_run.play_games(strict))
    assert list(strict.slots.filter(state=Slot.FAILED).values_list("index", flat=True)) == [
        upto_first
    ]
    assert strict.slots.filter(state=Slot.VOID).count() == 0


@database
def test_failed_games_show_cause_pause_experiment_and_restart(endpoint: Endpoint) -> None:
    study = open_experiment(
        table=LLM_TABLE, assignment={"games": 3}, experiment={"failures": 2, "at_once": 1}
    )
    endpoint.rules.key = "another"
    games = list(local_run.play_games(study))
    assert [game["state"] for game in games] == ["failed", "failed"]
    assert "answers were given in place of a model that failed" in games[0]["cause"]
    study.refresh_from_db()
    assert (study.state, slot_states(study)) == (Study.PAUSED, {"failed": 2, "free": 1})
    paused = study.audit_events.filter(what="paused").last()
    assert paused
    assert paused.reason == "2 games have failed"
    endpoint.rules.key = None
    with pytest.raises(Refused, match="Failed games: 1, 2"):
        game_starts.restart_game(study, 3, "ada")
    game_starts.restart_game(study, 1, "ada")
    game_starts.restart_game(study, 2, "ada")
    studies.resume(study, "ada")
    assert {game["state"] for game in local_run.play_games(study)} == {"done"}
    assert slot_states(study) == {"done": 3, "void": 2}


@database
def test_paused_experiment_finishes_games_and_starts_none() -> None:
    study = open_experiment(assignment={"games": 3}, experiment={"at_once": 1})
    assert game_starts.start_games(study.pk) == 1
    studies.pause(study, "ada")
    assert len(list(local_run.play_games(study))) == 1
    assert slot_states(study) == {"done": 1, "free": 2}
    studies.resume(study, "ada")
    assert len(list(local_run.play_games(study))) == 2


@database
def test_exhausted_budget_pauses_and_running_games_finish(endpoint: Endpoint) -> None:
    experiment = {"at_once": 1, "budget": {"requests": 70}}
    study = open_experiment(table=LLM_TABLE, assignment={"games": 5}, experiment=experiment)
    assert [game["state"] for game in local_run.play_games(study)] == ["done", "done"]
    study.refresh_from_db()
    request_count = LLMCall.objects.filter(backend="openai").count()
    paused = study.audit_events.filter(what="paused").last()
    assert paused
    assert (study.state, paused.reason) == (
        Study.PAUSED,
        f"{request_count} of 70 requests are used",
    )


@database
def test_probe_plays_one_game_per_condition_and_pauses(endpoint: Endpoint) -> None:
    levels = [{"name": name, "table": {"method": name}} for name in ("baseline", "favor")]
    factors = [{"name": "method", "levels": levels}]
    study = open_experiment(table=LLM_TABLE, factors=factors, assignment={"games": 2},
                            experiment={"probe": True, "at_once": 8})  # fmt: skip
    assert sorted(game["condition"] for game in local_run.play_games(study)) == [
        "baseline",
        "favor",
    ]
    study.refresh_from_db()
    assert study.state == Study.PAUSED
    used = model_requests.request_stats(study)
    pace = page_content.find_pace(study, Design.from_json(study.design), used)
    (requests, *_more) = pace["costs"]
    assert requests == ("requests", used.requests, 2 * used.requests, 0), (
        "half of the games were played"
    )
    assert pace["reason"].startswith("the first game of each condition has been played")
    studies.resume(study, "ada")
    assert len(list(local_run.play_games(study))) == 2


@database
def test_extension_adds_whole_groups_and_is_recorded() -> None:
    study = open_experiment(factors=[METHODS], assignment={"games": 2}, experiment={"repeats": 2})
    before = list(study.slots.values_list("index", "deal"))
    with pytest.raises(Refused, match="come in groups of 2"):
        game_starts.extend_experiment(study, 3, "ada")
    with pytest.raises(Refused, match="Enter a number from 3"):
        game_starts.extend_experiment(study, 2, "ada")
    game_starts.extend_experiment(study, 4, "ada")
    longer = open_experiment(factors=[METHODS], assignment={"games": 4}, experiment={"repeats": 2})
    slots = list(study.slots.values_list("index", "deal"))
    assert slots[:4] == before
    assert slots == list(longer.slots.values_list("index", "deal"))
    extended = study.audit_events.filter(what="extended").last()
    assert extended
    assert extended.reason == "2 → 4 games"


FILE = """
name = "Two methods"
seed = "file"
[table]
ruleset = "one-night"
people = 0
blind = false
[assignment]
games = 1
[[factors]]
name = "method"
[[factors.levels]]
name = "full"
table = {method = "full"}
[[factors.levels]]
name = "plain"
table = {method = "baseline"}
"""


def run_experiment(*arguments: str, log: StringIO | None = None) -> list[dict[str, Any]]:
    output = StringIO()
    call_command("experiment", *arguments, stdout=output, stderr=log or StringIO())
    return [json.loads(line) for line in output.getvalue().splitlines()]


@database
def test_command_plays_an_experiment_file_only_once(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(FILE)
    log = StringIO()
    games = run_experiment("run", str(file), "--here", log=log)
    assert sorted(game["condition"] for game in games) == ["full", "plain"]
    assert "1 games have ended, 2 are planned" in log.getvalue()
    assert log.getvalue().endswith("--format markdown\n"), "the log ends with the next step"
    assert run_experiment("run", str(file), "--here") == []
    (status,) = run_experiment("status", str(file))
    assert status["games"] == {"full": {"done": 1}, "plain": {"done": 1}}
    run_experiment("extend", str(file), "--games", "2")
    assert len(run_experiment("run", status["experiment"], "--here")) == 2
    with pytest.raises(CommandError, match="no file, ready experiment or experiment code"):
        run_experiment("status", "nothing")
    file.write_text(FILE.replace("Two methods", "The same deals"))
    log = StringIO()
    run_experiment("run", str(file), log=log)
    assert "“Two methods” has the same seed" in log.getvalue()
    User.objects.create_user("ada")
    User.objects.create_user("bea")
    file.write_text(FILE.replace("Two methods", "Another"))
    with pytest.raises(CommandError, match="--owner NAME; researchers: ada, bea"):
        run_experiment("run", str(file))


@database
def test_refused_run_leaves_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "repeats.toml"
    file.write_text(FILE.replace("games = 1", "games = 2") + "[experiment]\nrepeats = 2\n")
    with pytest.raises(CommandError, match="2"):
        run_experiment("run", str(file), "--games", "3")
    assert not Study.objects.exists()
    run_experiment("run", str(file))
    assert Study.objects.get().state == Study.OPEN


@database
def test_command_ends_after_its_notices_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_experiment(assignment={"games": 1})
    recipients = list[str]()

    async def send(message: notifier.Message) -> None:
        await asyncio.sleep(0.2)
        recipients.append(message.channel_group)

    monkeypatch.setattr(notifier, "_send", send)
    run_experiment("pause", study.code)
    assert recipients[-1:] == [monitor_group(study.pk)], "open pages show the pause"


@database
def test_redraw_seed_keeps_the_deal() -> None:
    assert [slots._redraw_seed(deal) for deal in ("a", "a#.1", "a#2", "a#2.1")] == [
        "a#.1", "a#.2", "a#2.1", "a#2.2",
    ]  # fmt: skip


@given(systems=st.integers(5, 13), rounds=st.integers(1, 6), seed=st.text(max_size=3))
def test_league_gives_each_system_each_card_equally_often(
    systems: int, rounds: int, seed: str
) -> None:
    schedule = draw_schedule(systems, 5, systems * rounds, SeededRandom(seed))
    for card in range(5):
        assert set(Counter(game[card] for game in schedule).values()) == {rounds}
        assert len({game[card] for game in schedule}) == systems
    assert all(len(set(game)) == 5 for game in schedule), "no system plays against itself"


@pytest.mark.parametrize(("systems", "cards", "games"), [(8, 5, 120), (13, 13, 13), (3, 5, 30)])
def test_league_schedules_match_the_papers(systems: int, cards: int, games: int) -> None:
    """Impressions, Tables 5 and 6. Pairs meet 42 or 43 times, where 42.9 is even."""
    schedule = draw_schedule(systems, cards, games, SeededRandom("paper"))
    games_per_card = games // systems
    for card in range(cards):
        assert set(Counter(game[card] for game in schedule).values()) == {games_per_card}
    meetings = Counter(frozenset(pair) for game in schedule for pair in combinations(game, 2))
    meetings = Counter({pair: n for pair, n in meetings.items() if len(pair) == 2})
    assert len(meetings) == systems * (systems - 1) // 2
    assert max(meetings.values()) <= 1.2 * min(meetings.values())
    with pytest.raises(ValueError, match="no multiple"):
        draw_schedule(systems, cards, games + 1, SeededRandom("paper"))
