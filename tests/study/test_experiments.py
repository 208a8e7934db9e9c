"""Experiments: designs without people, their schedule, and what happens to games that fail."""

from __future__ import annotations

import html
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from game.models import Game
from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.game.table import new_game
from tests.study.test_study_setup import entered
from webapp.play.models import LLMCall, Table
from webapp.study.data.studies import participant_files
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design, TableDesign
from webapp.study.design.value_checks import Refused
from webapp.study.experiments import here, running
from webapp.study.games.league import draw_league
from webapp.study.management.commands import experiment
from webapp.study.models import Slot, Study
from webapp.study.monitor import experiment_pace, model_requests
from webapp.study.planning import studies, study_file
from webapp.study.planning.expected_costs import expected_costs
from webapp.study.planning.experiment_checks import backends_of, league_note, requests
from webapp.study.researcher.setup.study_setup import FORMS
from webapp.study.sessions import slots
from webapp.study.sessions.slots import deal_roles

METHODS = {
    "name": "method",
    "levels": [
        {"name": "full", "table": {"method": "full"}},
        {"name": "plain", "table": {"method": "baseline"}},
    ],
}
TABLE = {"people": 0, "blind": False, "ruleset": "one-night"}
MODEL = {**TABLE, "backend": "openai", "method": "baseline"}

database = pytest.mark.django_db(transaction=True)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(models=["m"]) as found:
        set_up(monkeypatch, found)
        yield found


def draft(**design: Any) -> Study:
    owner, _new = User.objects.get_or_create(username="ada")
    data = {"table": TABLE, "assignment": {"games": 2}, **design}
    return studies.create(owner, "An experiment", seed="s", design=Design.of(data))


def opened(**design: Any) -> Study:
    study = draft(**design)
    studies.open(study)
    return study


def refusals(**design: Any) -> list[str]:
    return list(studies.plan(draft(**design)).problems)


def states(study: Study) -> Counter[str]:
    return Counter(study.slots.values_list("state", flat=True))


def test_a_design_without_people_has_no_stages_and_is_read_back_from_its_file() -> None:
    design = Design.of({"table": TABLE, "experiment": {"repeats": 3}, "factors": [METHODS]})
    assert (design.is_experiment, design.stages) == (True, ())
    text = study_file.format_study_file(study_file.DesignFile("E", design, seed="s"))
    assert study_file.parse_study_file(text).design == design
    with pytest.raises(Refused, match="needs 1 or more"):
        Design.of({"table": {"people": 1}, "stages": []})


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ({"stages": [{"kind": "consent"}]}, "take out its stages"),
        ({"factors": [{"name": "f", "levels": [{"name": "a", "table": {"people": 2}}]}]},
         "a: people play there"),
        ({"experiment": {"repeats": 4}}, "2 games are no multiple of it: choose 4"),
        ({"experiment": {"league": [{"name": "a"}]}}, "two systems or more"),
        ({"experiment": {"league": [{"name": "a"}, {"name": "a"}]}}, "Two systems are called “a”"),
        ({"experiment": {"league": [{"name": n} for n in "abc"]}},
         "3 systems need a multiple of 3 games: choose 3"),
        ({"experiment": {"league": [{"name": "a"}, {"name": "b", "seat": {"backend": "nobody"}}]}},
         "b: There is no model called “nobody” here"),
        ({"table": MODEL, "experiment": {"budget": {"requests": 5}}}, "allow more than 5"),
        ({"table": {**MODEL, "backend": "nobody"}}, "There is no model called “nobody” here"),
    ],
)  # fmt: skip
@database
def test_what_cannot_be_opened_says_what_to_do(
    design: dict[str, Any], sentence: str, endpoint: Endpoint
) -> None:
    assert sentence in " ".join(refusals(**design))
    with pytest.raises(Refused):
        opened(**design)


@pytest.mark.parametrize(
    ("seat", "sentence"),
    [
        ({"backend": 5}, "this is a text"),
        ({"profile": True}, "this is a table of settings"),
        ({"switches": "hint"}, "this is a table of settings"),
        ({"switches": {"manner": ["hint"]}}, "this is a text"),
        ({"scores": {"openness": "x"}}, "this is a number"),
        ({"temperature": []}, "this is a number"),
    ],
)
def test_a_seat_of_another_type_is_refused_and_crashes_nothing(
    seat: dict[str, Any], sentence: str
) -> None:
    for design in (
        {"table": {**TABLE, "casting": {"1": seat}}},
        {"table": TABLE, "experiment": {"league": [{"name": "a", "seat": seat}]}},
    ):
        with pytest.raises(Refused, match=sentence):
            Design.of(design)


@database
def test_a_budget_in_money_needs_prices(endpoint: Endpoint) -> None:
    found = refusals(table=MODEL, experiment={"budget": {"money": 5}})
    assert "“openai” has no price" in found[0]


@database
def test_a_study_with_people_has_people_in_every_condition() -> None:
    levels = [{"name": "none", "table": {"people": 0}}, {"name": "one"}]
    plan = studies.plan(draft(table={"people": 1}, factors=[{"name": "n", "levels": levels}]))
    assert "none: nobody plays there. A study has people in every condition." in plan.problems


@given(systems=st.integers(5, 13), rounds=st.integers(1, 6), seed=st.text(max_size=3))
def test_in_a_league_each_system_has_each_card_equally_often(
    systems: int, rounds: int, seed: str
) -> None:
    schedule = draw_league(systems, 5, systems * rounds, SeededRandom(seed))
    for card in range(5):
        assert set(Counter(game[card] for game in schedule).values()) == {rounds}
        assert len({game[card] for game in schedule}) == systems
    assert all(len(set(game)) == 5 for game in schedule), "nobody plays against itself"


@pytest.mark.parametrize(("systems", "cards", "games"), [(8, 5, 120), (13, 13, 13), (3, 5, 30)])
def test_the_papers_leagues(systems: int, cards: int, games: int) -> None:
    """Impressions, Tables 5 and 6. Pairs meet as evenly as can be: 42 or 43 times of 42.9."""
    schedule = draw_league(systems, cards, games, SeededRandom("paper"))
    each = games // systems
    for card in range(cards):
        assert set(Counter(game[card] for game in schedule).values()) == {each}
    met = Counter(frozenset(pair) for game in schedule for pair in combinations(game, 2))
    met = Counter({pair: n for pair, n in met.items() if len(pair) == 2})
    assert len(met) == systems * (systems - 1) // 2
    assert max(met.values()) <= 1.2 * min(met.values())
    with pytest.raises(ValueError, match="no multiple"):
        draw_league(systems, cards, games + 1, SeededRandom("paper"))


@database
def test_the_systems_of_a_league_sit_where_their_cards_are_dealt() -> None:
    league = [{"name": f"s{n}", "seat": {"method": m}} for n, m in enumerate(("full", "baseline"))]
    study = opened(
        table={**TABLE, "ruleset": "aiwolf-5"},
        assignment={"games": 6, "deals": "fresh"},
        experiment={"league": league},
    )
    cards: Counter[tuple[str, str]] = Counter()
    for slot in study.slots.select_related("condition"):
        roles = deal_roles(TableDesign.of(slot.condition.table), slot.deal)
        cards.update(zip(slot.systems, roles, strict=True))
    deck = Counter(rulesets.get("aiwolf-5").deck)
    for system in ("s0", "s1"):
        got = {role: cards[system, role] for role in deck}
        assert got == {role: 3 * n for role, n in deck.items()}, "six games by two systems"
    running.start_games(study.pk)
    playing = study.slots.filter(state=Slot.PLAYING).first()
    assert playing
    assert playing.game
    methods = [player.recipe["method"] for player in playing.game.players.order_by("seat")]
    assert methods == [{"s0": "full", "s1": "baseline"}[name] for name in playing.systems]


@database
def test_games_are_played_here_and_repeats_share_a_deal_only() -> None:
    study = opened(factors=[METHODS], assignment={"games": 4}, experiment={"repeats": 2})
    games = list(here.play(study))
    assert states(study) == {"done": 8}
    assert len({game["digest"] for game in games}) == 8
    roles: dict[str, set[tuple[str, ...]]] = {}
    for game in games:
        dealt = Game.objects.get(code=game["game"]).seed
        roles.setdefault(dealt.partition("#")[0], set()).add(tuple(game["roles"].values()))
    assert len(roles) == 2, "conditions share deals as well"
    assert all(len(dealt) == 1 for dealt in roles.values())
    assert not Table.objects.exists(), "no page of a table, no daily budget of the site"
    other = opened(factors=[METHODS], assignment={"games": 4}, experiment={"repeats": 2})
    again = {game["slot"]: game["digest"] for game in here.play(other)}
    assert again == {game["slot"]: game["digest"] for game in games}


@database
def test_a_recipe_follows_the_role_that_is_dealt() -> None:
    """Helmsman's seats by role. A seat's own choice comes before its role's."""
    casting = {"werewolf": {"method": "full"}, "1": {"method": "favor"}}
    table = {**TABLE, "method": "baseline", "casting": casting}
    study = opened(table=table, assignment={"games": 3})
    games = {game["slot"]: game for game in here.play(study)}
    for game in games.values():
        recipes = Game.objects.get(code=game["game"]).players.order_by("seat")
        roles = game["roles"].values()
        wanted = ["full" if role == "werewolf" else "baseline" for role in roles]
        assert [player.recipe["method"] for player in recipes] == ["favor", *wanted[1:]]
    assert len({tuple(game["roles"].values()) for game in games.values()}) == 3, "other deals"
    by_seat = {str(seat): {"method": "full" if role == "werewolf" else "baseline"}
               for seat, role in enumerate(games[1]["roles"].values(), 1)}  # fmt: skip
    same = opened(table={**table, "casting": {**by_seat, "1": {"method": "favor"}}})
    (first, *_more) = sorted(here.play(same), key=lambda game: game["slot"])
    assert first["digest"] == games[1]["digest"], "named by role or by seat, it is the same game"
    nobody = refusals(table={**table, "casting": {"sheriff": {"method": "full"}}})
    assert "There is no seat or role sheriff" in nobody[0]


@database
def test_games_that_a_process_left_behind_are_continued() -> None:
    study = opened(assignment={"games": 3}, experiment={"at_once": 2})
    whole = opened(assignment={"games": 3})
    wanted = {game["slot"]: game["digest"] for game in here.play(whole)}
    assert running.start_games(study.pk) == 2  # and now the process is gone
    assert states(study) == {"playing": 2, "free": 1}
    assert {game["slot"]: game["digest"] for game in here.play(study)} == wanted


@database
def test_processes_that_start_games_at_once_start_no_more_than_are_wanted() -> None:
    study = opened(assignment={"games": 12}, experiment={"at_once": 3})
    errors = []

    def start() -> None:
        try:
            running.start_games(study.pk)
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
    table = {**TABLE, "ruleset": "sheriff", "settings": {"election": False, "sheriff_dies": "ends"}}
    study = opened(table=table, assignment={"games": 9, "deals": "fresh"})
    games = list(here.play(study))
    voids = [game for game in games if game["state"] == "void"]
    assert voids, "none of these was void: take another seed"
    assert states(study) == {"done": 9, "void": len(voids)}
    for void in voids:
        again = study.slots.filter(block=void["block"]).last()
        assert again
        assert again.deal.startswith(f"{void['seed'].partition('#')[0]}#.")
    strict = opened(table=table, assignment={"games": 9, "deals": "fresh"},
                    experiment={"replays": 0, "failures": 99})  # fmt: skip
    list(here.play(strict))
    failed = strict.slots.filter(state=Slot.FAILED)
    assert failed.count() > 0
    assert strict.slots.filter(state=Slot.VOID).count() == 0


@database
def test_failed_games_show_their_cause_pause_the_experiment_and_are_restarted(
    endpoint: Endpoint,
) -> None:
    study = opened(table=MODEL, assignment={"games": 3}, experiment={"failures": 2, "at_once": 1})
    endpoint.rules.key = "another"
    games = list(here.play(study))
    assert [game["state"] for game in games] == ["failed", "failed"]
    assert "answers were given in place of a model that failed" in games[0]["cause"]
    study.refresh_from_db()
    assert (study.state, states(study)) == (Study.PAUSED, {"failed": 2, "free": 1})
    paused = study.happenings.filter(what="paused").last()
    assert paused
    assert paused.reason == "2 games have failed"
    endpoint.rules.key = None
    with pytest.raises(Refused, match="Failed games: 1, 2"):
        running.restart(study, 3, "ada")
    running.restart(study, 1, "ada")
    running.restart(study, 2, "ada")
    studies.resume(study, "ada")
    assert {game["state"] for game in here.play(study)} == {"done"}
    assert states(study) == {"done": 3, "void": 2}


@database
def test_a_spent_budget_pauses_and_the_running_games_end(endpoint: Endpoint) -> None:
    experiment = {"at_once": 1, "budget": {"requests": 70}}
    study = opened(table=MODEL, assignment={"games": 5}, experiment=experiment)
    assert [game["state"] for game in here.play(study)] == ["done", "done"]
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
    assert sorted(game["condition"] for game in here.play(study)) == ["baseline", "favor"]
    study.refresh_from_db()
    assert study.state == Study.PAUSED
    used = model_requests.request_stats(study)
    pace = experiment_pace.pace_of(study, Design.of(study.design), used)
    (requests, *_more) = pace.costs
    assert requests == ("requests", used.asked, 2 * used.asked, 0), "half of the games are played"
    assert pace.reason.startswith("the first game of each condition is played")
    studies.resume(study, "ada")
    assert len(list(here.play(study))) == 2


@database
def test_costs_are_expected_from_what_was_recorded(endpoint: Endpoint) -> None:
    design = {"table": MODEL, "assignment": {"games": 10}, "experiment": {"at_once": 5}}
    before = studies.plan(draft(**design))
    assert before.costs
    assert (before.costs.tokens, before.costs.hours) == (0, None)
    assert "Tokens and money of openai are known after the first games" in before.notes[0]
    probe = opened(table=MODEL, assignment={"games": 1})
    list(here.play(probe))
    used = model_requests.request_stats(probe)
    after = studies.plan(draft(**design)).costs
    assert after
    tokens = (used.tokens_in + used.tokens_out) / used.asked
    assert after.tokens == pytest.approx(after.requests * tokens, rel=0.02)
    slot = probe.slots.get()
    assert slot.ended_at
    assert slot.began_at
    lasted = (slot.ended_at - slot.began_at).total_seconds()
    assert after.hours == pytest.approx(10 * lasted / 5 / 3600)


@database
def test_costs_rest_on_games_and_requests_like_these(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Planted: a game of one minute that is like them, longer ones that are not; two prices."""
    file = tmp_path / "models.toml"
    entry = 'key_env = ""\nmodel = "m"\nprice_in = {}\nprice_out = {}\n'
    file.write_text(f"[cheap]\n{entry.format(1, 2)}[dear]\n{entry.format(100, 100)}")
    monkeypatch.setenv("FABULA_MODELS", str(file))
    table = {**TABLE, "backend": "cheap", "method": "baseline"}
    others = [
        {**table, "ruleset": "aiwolf-5"},
        {**table, "backend": "dear"},
        {**table, "people": 1},
    ]
    begin, game = timezone.now(), new_game()
    for number, (own, state, minutes) in enumerate(
        [(table, Slot.DONE, 1), (table, Slot.FAILED, 600), *((o, Slot.DONE, 600) for o in others)]
    ):
        study = draft(table=own)
        Slot.objects.create(
            study=study, index=number, block=0, deal="", state=state, began_at=begin,
            condition=study.conditions.create(index=1, name="c", table=own),
            ended_at=begin + timedelta(minutes=minutes),
        )  # fmt: skip
    for backend, tokens in (("cheap", 1_000), ("dear", 900_000)):
        LLMCall.objects.create(
            game=game, seat=1, window=backend, step="s", backend=backend, kind="vote", brief={},
            exchange={"usage": {"prompt_tokens": tokens, "completion_tokens": 500}}, seconds=1,
        )  # fmt: skip
    design = Design.of({"table": table, "assignment": {"games": 10}, "experiment": {"at_once": 5}})
    costs = expected_costs(design, build_conditions(design))
    assert costs.requests > 10
    assert costs.hours == pytest.approx(10 / 5 / 60)
    assert costs.tokens == costs.requests * 1_500
    # 1,000 tokens in at 1 and 500 out at 2 per million.
    assert costs.money == {"USD": pytest.approx(costs.requests * 0.002)}
    # In a league each system has a share of the seats, in one condition.
    systems = [{"name": name, "seat": {"backend": name}} for name in ("cheap", "dear")]
    shared = Design.of(
        {"table": table, "assignment": {"games": 10}, "experiment": {"league": systems}}
    )
    (cell,) = build_conditions(shared)
    asked = requests(shared, cell.table)
    assert asked["cheap"] == asked["dear"] == pytest.approx(costs.requests / 2, abs=1)
    assert backends_of(shared, [cell]) == {"cheap", "dear"}
    assert league_note(shared) == "Each of 2 systems has each card 5 times."
    assert league_note(design) == ""


@database
def test_a_budget_in_money_needs_the_prices_of_models_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "models.toml"
    file.write_text(
        '[priced]\nkey_env = ""\nmodel = "m"\nprice_in = 1\nprice_out = 1\n'
        '[free]\nkey_env = ""\nmodel = "m"\n'
    )
    monkeypatch.setenv("FABULA_MODELS", str(file))
    rules = {"budget": {"money": 5}}
    seats = {"1": {"backend": "priced"}, "2": {"backend": "free"}}
    problems = studies.plan(draft(table={**TABLE, "casting": seats}, experiment=rules)).problems
    (unpriced,) = [problem for problem in problems if "has no price" in problem]
    assert "“free”" in unpriced
    file.write_text("[broken\n")
    plan = studies.plan(draft(table=TABLE, experiment=rules))
    assert any("models.toml" in problem for problem in plan.problems)


@database
def test_an_extension_adds_whole_groups_and_is_recorded() -> None:
    study = opened(factors=[METHODS], assignment={"games": 2}, experiment={"repeats": 2})
    before = list(study.slots.values_list("index", "deal"))
    with pytest.raises(Refused, match="come in groups of 2"):
        running.extend(study, 3, "ada")
    with pytest.raises(Refused, match="give a number from 3"):
        running.extend(study, 2, "ada")
    running.extend(study, 4, "ada")
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
    with pytest.raises(CommandError, match="no ready experiment"):
        command("status", "nothing")
    User.objects.create_user("ada")
    User.objects.create_user("bea")
    file.write_text(FILE.replace("Two methods", "Another"))
    with pytest.raises(CommandError, match="--owner NAME; researchers: ada, bea"):
        command("run", str(file))


@pytest.fixture
def ada(client: Client) -> Client:
    owner, _new = User.objects.get_or_create(username="ada")
    client.force_login(owner)
    return client


def pressed(client: Client, study: Study, page: str, **data: Any) -> str:
    """The page after a post, its sentences included."""
    found = client.post(reverse(f"study:{page}", args=[study.code]), data, follow=True)
    return html.unescape(found.content.decode())


@database
def test_a_failed_game_is_restarted_and_games_are_added_on_the_pages(
    ada: Client, endpoint: Endpoint
) -> None:
    study = opened(table=MODEL, assignment={"games": 1}, experiment={"failures": 1})
    endpoint.rules.key = "another"
    list(here.play(study))
    endpoint.rules.key = None
    running.start_games(study.pk)
    page = ada.get(reverse("study:study_monitor", args=[study.code])).content.decode()
    assert "1 has failed." in page
    one = reverse("study:study_monitor_table", args=[study.code, 1])
    assert "in place of a model that failed" in ada.get(one).content.decode()
    ada.post(one, {"do": "restart"})
    assert states(study) == {"void": 1, "free": 1}
    assert "give a number from 2" in pressed(
        ada, study, "study_monitor", do="extend", **{"extend-games": "1"}
    )
    pressed(ada, study, "study_monitor", do="extend", **{"extend-games": "3"})
    assert states(study) == {"void": 1, "free": 3}
    assert {game["state"] for game in here.play(study)} == {"done"}
    ada.post(reverse("study:study_state", args=[study.code]), {"do": "close"})
    listed = ada.get(reverse("study:all_games"), {"study": study.code}).content.decode()
    assert listed.count("Look back") == 4, "with the failed one, to see why"


@database
def test_the_pages_of_people_are_not_offered(ada: Client) -> None:
    study = draft()
    page = ada.get(reverse("study:study_setup", args=[study.code])).content.decode()
    assert "Start the experiment" in page
    for name in ("study_people", "study_payments", "study_ethics", "study_rehearsal"):
        assert f'href="{reverse(f"study:{name}", args=[study.code])}"' not in page
        assert ada.get(reverse(f"study:{name}", args=[study.code])).status_code == 404
    for part in ("games", "waiting", "exits", "pay", "ethics", "during"):
        assert ada.get(reverse("study:study_part", args=[study.code, part])).status_code == 404
    offered = ada.get(reverse("study:study_factors", args=[study.code])).content.decode()
    assert "vary=method" in offered
    assert not re.search("vary=(people|blind|faces|personas|pace)", offered)
    table = reverse("study:study_part", args=[study.code, "table"])
    assert 'name="people"' not in ada.get(table).content.decode()
    fields = {"ruleset": "one-night", "backend": "house", "method": "baseline", "do": "save"}
    assert ada.post(table, fields).status_code == 302
    study.refresh_from_db()
    assert (study.design["table"]["method"], study.is_experiment) == ("baseline", True)


@database
def test_the_pages_and_the_command_make_the_same_design(ada: Client) -> None:
    """The same design and seed give the same games, so nothing more has to be compared."""
    ada.post(reverse("study:new_study"), {"ready": "humanized-methods"})
    study = Study.objects.get()
    sent = entered(FORMS["experiment"](study), games=2, do="save")
    ada.post(reverse("study:study_part", args=[study.code, "experiment"]), sent)
    study.refresh_from_db()
    made = experiment._changed(experiment._file("humanized-methods"), {"games": 2, "backend": ""})
    assert study.design == made.design.data()
    assert study.design["assignment"]["games"] == 2


@database
def test_nobody_enters_an_experiment_and_its_games_are_not_deleted(
    ada: Client, client: Client
) -> None:
    study = opened(assignment={"games": 1})
    assert Client().get(f"/take/{study.key}/").status_code == 404
    list(here.play(study))
    assert "close it and keep it" in pressed(ada, study, "study_delete")
    assert Study.objects.filter(pk=study.pk).exists()
    again = draft()
    assert studies.plan(again).notes == [
        "“An experiment” has the same seed: its deals are the same where the table is."
    ]
    with pytest.raises(Refused, match="open already"):
        studies.open(study)


@database
def test_a_league_is_typed_a_line_each_and_keeps_what_a_line_cannot_say(ada: Client) -> None:
    league = [{"name": "a", "seat": {"method": "contest", "switches": {"manner": "hint"}}}]
    study = draft(experiment={"league": league})
    part = reverse("study:study_part", args=[study.code, "experiment"])
    assert "a /contest …" in ada.get(part).content.decode()
    fields = {"games": 4, "deals": "fresh", "repeats": 1, "at_once": 4, "replays": 3,
              "fallbacks": 20, "failures": 3, "budget_requests": 0, "budget_tokens": 0,
              "budget_money": 0, "seed": "s", "do": "save"}  # fmt: skip
    wrong = ada.post(part, {**fields, "league": "a /contest …\nsecond"})
    assert "“second” is no system" in html.unescape(wrong.content.decode())
    ada.post(part, {**fields, "league": "a /contest …\nb house/full"})
    study.refresh_from_db()
    assert study.design["experiment"]["league"] == [
        *league, {"name": "b", "seat": {"backend": "house", "method": "full"}}
    ]  # fmt: skip
    studies.open(study)
    csv = participant_files.assignments(StudySource(study)).decode()
    assert ",systems," in csv.splitlines()[0]


@database
def test_drawing_again_changes_what_players_draw_and_not_the_deal() -> None:
    assert [slots._redrawn(deal) for deal in ("a", "a#.1", "a#2", "a#2.1")] == [
        "a#.1", "a#.2", "a#2.1", "a#2.2",
    ]  # fmt: skip
