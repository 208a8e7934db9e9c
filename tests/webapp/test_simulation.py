"""Tests of simulated games: equal at any concurrency, complete and without stand-ins."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from game import selectors
from game.engine import visibility
from game.models import Game, Window
from webapp.play.models import LLMCall, MindNote

pytestmark = pytest.mark.django_db(transaction=True)


def simulate(**options: object) -> list[dict[str, object]]:
    out = StringIO()
    arguments = {"ruleset": "one-night", "games": 2, "seed": "7", **options}
    call_command("simulate", stdout=out, stderr=StringIO(), **arguments)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_same_seed_gives_the_same_games_at_any_concurrency() -> None:
    sequential, concurrent = simulate(concurrency=1), simulate(concurrency=8)
    variable_keys = ("game", "seconds")
    assert [{k: v for k, v in g.items() if k not in variable_keys} for g in sequential] == [
        {k: v for k, v in g.items() if k not in variable_keys} for g in concurrent
    ]
    assert len({g["digest"] for g in sequential}) == 2
    assert simulate(seed="8", games=1)[0]["digest"] not in {g["digest"] for g in sequential}
    for game in sequential:
        assert list(game)[:12] == [
            "game",
            "ruleset",
            "seed",
            "winner",
            "out",
            "roles",
            "votes",
            "statements",
            "fallbacks",
            "llm_calls",
            "seconds",
            "digest",
        ]
        assert (game["statements"], game["fallbacks"], game["llm_calls"]) == (24, 0, 0)
        assert len(game["votes"]) == 8
        assert sorted(game["roles"].values()).count("mason") == 2


def test_finished_simulation_closes_all_windows_and_records_every_decision() -> None:
    (result,) = simulate(games=1)
    game = Game.objects.get(code=result["game"])
    assert not Window.objects.filter(game=game, closed_at=None).exists()
    assert LLMCall.objects.filter(game=game).count() == 1 + 24 + 24 + 8
    assert MindNote.objects.filter(game=game, faculty="stance").count() == 24


def test_seat_or_role_can_have_its_own_recipe() -> None:
    (result,) = simulate(games=1, cast=["werewolf:method=full", "1:method=favor"])
    players = Game.objects.get(code=result["game"]).players.order_by("seat")
    dealt_roles = list(result["roles"].values())  # type: ignore[attr-defined]
    methods = ["full" if role == "werewolf" else "baseline" for role in dealt_roles]
    assert [player.recipe["method"] for player in players] == ["favor", *methods[1:]]
    for invalid, error in (("sheriff:method=full", "no seat or role"), ("1:method=x", "known: ")):
        with pytest.raises(CommandError, match=error):
            simulate(cast=[invalid])


def test_transcript_command_shows_the_view_of_the_viewer() -> None:
    (result,) = simulate(games=1)

    def read_transcript(viewer: str) -> list[dict[str, object]]:
        out = StringIO()
        call_command("transcript", result["game"], viewer=viewer, stdout=out)
        return [json.loads(line) for line in out.getvalue().splitlines()]

    moderator_lines, public_lines = read_transcript("moderator"), read_transcript("public")
    assert {line["kind"] for line in moderator_lines} >= {"poll", "divined", "role_dealt"}
    assert not {line["kind"] for line in public_lines} & {"poll", "divined", "role_dealt"}
    assert read_transcript("Beta") == read_transcript("2")
    assert len(public_lines) < len(read_transcript("2")) < len(moderator_lines)
    game = Game.objects.get(code=result["game"])
    assert len(public_lines) == len(selectors.view_for(game, visibility.PUBLIC).events)
    with pytest.raises(CommandError, match="known: moderator, public, 1 or Alpha"):
        read_transcript("Nobody")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"ruleset": "chess"}, "known: aiwolf-13, aiwolf-5, one-night"),
        ({"backend": "oracle"}, "known: house"),
        ({"method": "magic"}, "known: baseline"),
        ({"games": 0}, "from 1 up"),
        ({"games": None}, "--games is required"),
    ],
)
def test_unknown_name_is_refused_with_the_known_ones(
    options: dict[str, object], error: str
) -> None:
    with pytest.raises(CommandError, match=error):
        simulate(**options)
    assert not Game.objects.exists()
