"""Games of experiments: who sits where, void and failed ones, budget, probe, extension."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from game.engine import rulesets
from game.models import Game
from tests.endpoint import Endpoint
from tests.study.experiments import (
    METHODS,
    MODEL,
    TABLE,
    database,
    opened,
    refusals,
    states,
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
from webapp.study.sessions.notices import monitor_group
from webapp.study.sessions.slots import deal_roles


@database
def test_the_systems_of_a_league_sit_where_their_cards_are_dealt() -> None:
    league = [{"name": f"s{n}", "seat": {"method": m}} for n, m in enumerate(("full", "baseline"))]
    study = opened(
        table={**TABLE, "ruleset": "aiwolf-5"},
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
        got = {role: cards[system, role] for role in deck}
        assert got == {role: 6 * n for role, n in deck.items()}, "twelve games by two systems"
    game_starts.start_games(study.pk)
    playing = study.slots.filter(state=Slot.PLAYING).first()
    assert playing
    assert playing.game
    methods = [player.recipe["method"] for player in playing.game.players.order_by("seat")]
    assert methods == [{"s0": "full", "s1": "baseline"}[name] for name in playing.systems]


@database
def test_games_are_played_here_and_repeats_share_a_deal_only() -> None:
    study = opened(factors=[METHODS], assignment={"games": 4}, experiment={"repeats": 2})
    games = list(local_run.play_games(study))
    assert states(study) == {"done": 8}
    assert len({game["digest"] for game in games}) == 8
    roles: dict[str, set[tuple[str, ...]]] = {}
    for game in games:
        dealt = Game.objects.get(code=game["game"]).seed
        roles.setdefault(dealt.partition("#")[0], set()).add(tuple(game["roles"].values()))
    assert len(roles) == 2, "conditions share deals as well"
    assert all(len(dealt) == 1 for dealt in roles.values())
    assert not Table.objects.exists(), "no page of a table, no daily budget of the site"
    first = opened(factors=[METHODS], assignment={"games": 2}, experiment={"repeats": 2})
    again = {game["slot"]: game["digest"] for game in local_run.play_games(first)}
    assert len(again) == 4
    assert again.items() <= {game["slot"]: game["digest"] for game in games}.items()


@database
def test_a_recipe_follows_the_role_that_is_dealt() -> None:
    """Helmsman's seats by role. A seat's own choice comes before its role's."""
    casting = {"werewolf": {"method": "full"}, "1": {"method": "favor"}}
    table = {**TABLE, "method": "baseline", "casting": casting}
    study = opened(table=table, assignment={"games": 3})
    games = {game["slot"]: game for game in local_run.play_games(study)}
    for game in games.values():
        recipes = Game.objects.get(code=game["game"]).players.order_by("seat")
        roles = game["roles"].values()
        wanted = ["full" if role == "werewolf" else "baseline" for role in roles]
        assert [player.recipe["method"] for player in recipes] == ["favor", *wanted[1:]]
    assert len({tuple(game["roles"].values()) for game in games.values()}) == 3, "other deals"
    by_seat = {str(seat): {"method": "full" if role == "werewolf" else "baseline"}
               for seat, role in enumerate(games[1]["roles"].values(), 1)}  # fmt: skip
    same = opened(
        table={**table, "casting": {**by_seat, "1": {"method": "favor"}}}, assignment={"games": 1}
    )
    (first,) = local_run.play_games(same)
    assert first["digest"] == games[1]["digest"], "named by role or by seat, it is the same game"
    nobody = refusals(table={**table, "casting": {"sheriff": {"method": "full"}}})
    assert "There is no seat or role sheriff" in nobody[0]


@database
def test_games_that_a_process_left_behind_are_continued() -> None:
    study = opened(assignment={"games": 3}, experiment={"at_once": 2})
    whole = opened(assignment={"games": 3})
    wanted = {game["slot"]: game["digest"] for game in local_run.play_games(whole)}
    assert game_starts.start_games(study.pk) == 2  # and now the process is gone
    assert states(study) == {"playing": 2, "free": 1}
    assert {game["slot"]: game["digest"] for game in local_run.play_games(study)} == wanted


@database
def test_processes_that_start_games_at_once_start_no_more_than_are_wanted() -> None:
    study = opened(assignment={"games": 12}, experiment={"at_once": 3})
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
    assert (errors, states(study)) == ([], {"playing": 3, "free": 9})


@database
def test_a_void_game_is_played_again_with_other_draws() -> None:
    """The Sheriff who is drawn is killed in the first night in some of these."""
    table = {
        **TABLE,
        "ruleset": "sheriff",
        "settings": {"election": False, "sheriff_dies": "ends", "max_rounds": 1},
    }
    study = opened(table=table, assignment={"games": 9, "deals": "fresh"})
    games = list(local_run.play_games(study))
    voids = [game for game in games if game["state"] == "void"]
    assert voids, "none of these was void: take another seed"
    assert states(study) == {"done": 9, "void": len(voids)}
    for void in voids:
        again = study.slots.filter(block=void["block"]).last()
        assert again
        assert again.deal.startswith(f"{void['seed'].partition('#')[0]}#.")
    upto_first = min(void["slot"] for void in voids)
    strict = opened(table=table, assignment={"games": upto_first, "deals": "fresh"},
                    experiment={"replays": 0, "failures": 99})  # fmt: skip
    list(local_run.play_games(strict))
    assert list(strict.slots.filter(state=Slot.FAILED).values_list("index", flat=True)) == [
        upto_first
    ]
    assert strict.slots.filter(state=Slot.VOID).count() == 0


@database
def test_failed_games_show_their_cause_pause_the_experiment_and_are_restarted(
    endpoint: Endpoint,
) -> None:
    study = opened(table=MODEL, assignment={"games": 3}, experiment={"failures": 2, "at_once": 1})
    endpoint.rules.key = "another"
    games = list(local_run.play_games(study))
    assert [game["state"] for game in games] == ["failed", "failed"]
    assert "answers were given in place of a model that failed" in games[0]["cause"]
    study.refresh_from_db()
    assert (study.state, states(study)) == (Study.PAUSED, {"failed": 2, "free": 1})
    paused = study.happenings.filter(what="paused").last()
    assert paused
    assert paused.reason == "2 games have failed"
    endpoint.rules.key = None
    with pytest.raises(Refused, match="Failed games: 1, 2"):
        game_starts.restart_game(study, 3, "ada")
    game_starts.restart_game(study, 1, "ada")
    game_starts.restart_game(study, 2, "ada")
    studies.resume(study, "ada")
    assert {game["state"] for game in local_run.play_games(study)} == {"done"}
    assert states(study) == {"done": 3, "void": 2}


@database
def test_a_paused_experiment_lets_its_games_end_and_starts_no_more() -> None:
    study = opened(assignment={"games": 3}, experiment={"at_once": 1})
    assert game_starts.start_games(study.pk) == 1
    studies.pause(study, "ada")
    assert len(list(local_run.play_games(study))) == 1
    assert states(study) == {"done": 1, "free": 2}
    studies.resume(study, "ada")
    assert len(list(local_run.play_games(study))) == 2


@database
def test_a_spent_budget_pauses_and_the_running_games_end(endpoint: Endpoint) -> None:
    experiment = {"at_once": 1, "budget": {"requests": 70}}
    study = opened(table=MODEL, assignment={"games": 5}, experiment=experiment)
    assert [game["state"] for game in local_run.play_games(study)] == ["done", "done"]
    study.refresh_from_db()
    asked = LLMCall.objects.filter(backend="openai").count()
    paused = study.happenings.filter(what="paused").last()
    assert paused
    assert (study.state, paused.reason) == (Study.PAUSED, f"{asked} of 70 requests are used")


@database
def test_a_probe_plays_one_game_of_each_condition_and_pauses(endpoint: Endpoint) -> None:
    levels = [{"name": name, "table": {"method": name}} for name in ("baseline", "favor")]
    factors = [{"name": "method", "levels": levels}]
    study = opened(table=MODEL, factors=factors, assignment={"games": 2},
                   experiment={"probe": True, "at_once": 8})  # fmt: skip
    assert sorted(game["condition"] for game in local_run.play_games(study)) == [
        "baseline",
        "favor",
    ]
    study.refresh_from_db()
    assert study.state == Study.PAUSED
    used = model_requests.request_stats(study)
    pace = page_content.find_pace(study, Design.from_json(study.design), used)
    (requests, *_more) = pace.costs
    assert requests == ("requests", used.requests, 2 * used.requests, 0), (
        "half of the games are played"
    )
    assert pace.reason.startswith("the first game of each condition has been played")
    studies.resume(study, "ada")
    assert len(list(local_run.play_games(study))) == 2


@database
def test_an_extension_adds_whole_groups_and_is_recorded() -> None:
    study = opened(factors=[METHODS], assignment={"games": 2}, experiment={"repeats": 2})
    before = list(study.slots.values_list("index", "deal"))
    with pytest.raises(Refused, match="come in groups of 2"):
        game_starts.extend_experiment(study, 3, "ada")
    with pytest.raises(Refused, match="Enter a number from 3"):
        game_starts.extend_experiment(study, 2, "ada")
    game_starts.extend_experiment(study, 4, "ada")
    longer = opened(factors=[METHODS], assignment={"games": 4}, experiment={"repeats": 2})
    drawn = list(study.slots.values_list("index", "deal"))
    assert drawn[:4] == before
    assert drawn == list(longer.slots.values_list("index", "deal"))
    extended = study.happenings.filter(what="extended").last()
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


def command(*arguments: str, log: StringIO | None = None) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("experiment", *arguments, stdout=out, stderr=log or StringIO())
    return [json.loads(line) for line in out.getvalue().splitlines()]


@database
def test_the_command_plays_a_file_and_does_not_play_it_twice(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(FILE)
    log = StringIO()
    games = command("run", str(file), "--here", log=log)
    assert sorted(game["condition"] for game in games) == ["full", "plain"]
    assert "1 games have ended, 2 are planned" in log.getvalue()
    assert log.getvalue().endswith("--format markdown\n"), "what to do next"
    assert command("run", str(file), "--here") == []
    (status,) = command("status", str(file))
    assert status["games"] == {"full": {"done": 1}, "plain": {"done": 1}}
    command("extend", str(file), "--games", "2")
    assert len(command("run", status["experiment"], "--here")) == 2
    with pytest.raises(CommandError, match="no file, ready experiment or experiment code"):
        command("status", "nothing")
    file.write_text(FILE.replace("Two methods", "The same deals"))
    log = StringIO()
    command("run", str(file), log=log)
    assert "“Two methods” has the same seed" in log.getvalue()
    User.objects.create_user("ada")
    User.objects.create_user("bea")
    file.write_text(FILE.replace("Two methods", "Another"))
    with pytest.raises(CommandError, match="--owner NAME; researchers: ada, bea"):
        command("run", str(file))


@database
def test_a_command_ends_when_its_notices_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    study, sent = opened(assignment={"games": 1}), list[str]()

    async def send(to: str, kind: str) -> None:
        await asyncio.sleep(0.2)
        sent.append(to)

    monkeypatch.setattr(notifier, "_send", send)
    command("pause", study.code)
    assert sent[-1:] == [monitor_group(study.pk)], "pages that are open show the pause"


@database
def test_drawing_again_changes_what_players_draw_and_not_the_deal() -> None:
    assert [slots._redraw_seed(deal) for deal in ("a", "a#.1", "a#2", "a#2.1")] == [
        "a#.1", "a#.2", "a#2.1", "a#2.2",
    ]  # fmt: skip
