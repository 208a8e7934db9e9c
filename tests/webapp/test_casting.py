"""Casting a table seat by seat: backend, method, persona and temperature of each."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from django.test import Client

from agents.personas.big_five import PROFILES
from agents.personas.characters import CHARACTERS
from agents.recipe import METHODS, Recipe
from game.models import Game
from tests.endpoint import Endpoint
from tests.webapp.test_model_choices import endpoint as endpoint  # the fixture
from webapp.play.models import Membership
from webapp.play.simulation.game_pool import simulate
from webapp.play.tables.opening import open_similar_table

pytestmark = pytest.mark.django_db(transaction=True)


def opened(**fields: object) -> Game:
    """The table that the form opens, watched, so that every seat is a computer player's."""
    data = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "backend": "house"}
    answer = Client().post("/tables/new", {**data, **fields})
    assert answer.status_code == 302, answer.content.decode()[:3000]
    return Game.objects.latest("pk")


def refused(**fields: object) -> str:
    data = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "backend": "house"}
    answer = Client().post("/tables/new", {**data, **fields})
    assert answer.status_code == 422
    assert not Game.objects.exists()
    return str(answer.content.decode())


def recipes(game: Game) -> Mapping[int, dict]:
    return {p.seat: p.recipe for p in game.players.all()}


def test_every_seat_has_what_was_cast_for_it_and_the_others_what_the_table_has() -> None:
    who = next(iter(CHARACTERS))
    made = recipes(
        opened(
            **{
                "method": "favor",
                "seat-1-method": "b5p+strategy",
                "seat-1-persona": "profile:profile-2",
                "seat-3-method": "full",
                "seat-3-persona": f"character:{who}",
                "seat-4-method": "b5p",
                "seat-4-persona": "own",
                **{f"seat-4-{f}": n for f, n in zip("OCEAN", (1, 7, 3, 4, 6), strict=True)},
            }
        )
    )
    assert made[1]["method"] == "b5p+strategy"
    assert tuple(made[1]["persona"]["scores"].values()) == PROFILES["profile-2"]
    assert made[3]["persona"]["character"] == who
    assert made[4]["persona"]["scores"] == {"O": 1, "C": 7, "E": 3, "A": 4, "N": 6}
    assert {made[n]["method"] for n in (2, 5, 6, 7, 8)} == {"favor"}
    assert not any("persona" in made[n] for n in (2, 5, 6, 7, 8))


def test_every_method_can_be_chosen() -> None:
    names = list(METHODS)
    for some in (names[:8], names[8:]):
        made = recipes(opened(**{f"seat-{n}-method": m for n, m in enumerate(some, 1)}))
        assert [made[n]["method"] for n in range(1, len(some) + 1)] == some
    assert len(set(METHODS.values())) == len(METHODS)


def test_seats_of_one_table_think_with_different_backends(endpoint: Endpoint) -> None:
    page = Client().get("/tables/new").content.decode()
    front, advanced = page.split('id="advanced"')
    assert "One model per seat" in front
    assert ('name="seat-2-backend"' in front, 'name="seat-2-backend"' in advanced) == (True, False)
    made = recipes(opened(**{"seat-2-backend": "openai", "seat-2-temperature": "1.5"}))
    assert {n for n, recipe in made.items() if recipe["backend"] == "openai"} == {2}
    assert {n: r["temperature"] for n, r in made.items() if "temperature" in r} == {2: 1.5}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"seat-2-method": "full", "seat-2-persona": "own", "seat-2-N": "0"}, "greater than or"),
        ({"seat-2-persona": "own", "seat-2-O": "9"}, "less than or equal to 7"),
        ({"seat-2-persona": "profile:nobody"}, "Select a valid choice"),
        ({"seat-2-method": "guess"}, "Select a valid choice"),
        ({"seat-2-backend": "nobody"}, "Check the settings of the computer players"),
        ({"method": "favor", "seat-2-persona": "own"}, "method has no personality"),
        (
            {"blind": "on", "seat-2-persona": "character:judge"},
            "would reveal a computer player",
        ),
    ],
)
def test_a_casting_that_cannot_be_is_refused_and_kept(fields: dict[str, str], told: str) -> None:
    page = refused(**fields, **{"seat-7-persona": "own", "seat-7-C": "6"})
    assert told in page
    assert re.search(r'name="seat-7-C"\s+value="6"', page)


@pytest.mark.usefixtures("endpoint")
def test_a_seat_whose_model_cannot_play_is_told_before_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    assert "refuses the key" in refused(**{"seat-2-backend": "openai"})


def test_the_same_again_keeps_the_casting() -> None:
    first = opened(**{"method": "favor", "seat-6-method": "baseline"})
    host = Membership.objects.get(game=first).visitor
    second = open_similar_table(host, first)
    assert recipes(second)[6]["method"] == "baseline"
    assert recipes(second)[1]["method"] == "favor"


@pytest.mark.usefixtures("endpoint")
def test_a_temperature_out_of_range_is_refused() -> None:
    assert "less than or equal to 2" in refused(**{"seat-2-temperature": "3"})


def test_a_seats_temperature_reaches_its_model(endpoint: Endpoint) -> None:
    recipe = Recipe("openai", "baseline", temperature=0.3)
    list(simulate("one-night", games=1, seed="warm", recipe=recipe, concurrency=1))
    sent = {call.body.get("temperature") for call in endpoint.calls}
    assert sent == {0.3}


def test_the_same_again_does_without_a_model_that_is_gone(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened(**{"seat-2-backend": "openai", "seat-2-method": "favor"})
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    second = open_similar_table(Membership.objects.get(game=first).visitor, first)
    assert recipes(second)[2]["backend"] == "house"
    assert recipes(second)[2]["method"] == "favor"


def test_switches_of_a_table_hold_where_a_seat_has_its_method() -> None:
    fields = {"method": "helmsman", "switches": "reasoning=none, sorting=off"}
    game = opened(**fields, **{"seat-2-method": "full", "seat-3-switches": "reasoning=each"})
    made = recipes(game)
    assert made[1]["switches"] == {"reasoning": "none", "sorting": "off"}
    assert "switches" not in made[2]
    assert made[3]["switches"] == {"reasoning": "each", "sorting": "off"}
    again = open_similar_table(Membership.objects.get(game=game).visitor, game)
    assert {n: r.get("switches") for n, r in recipes(again).items()} == {
        n: r.get("switches") for n, r in made.items()
    }


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"switches": "sorting=off"}, "There is no option “sorting” here"),
        ({"method": "helmsman", "switches": "manner=hint"}, "Choose reasoning, sorting"),
        ({"method": "helmsman", "switches": "sorting=maybe"}, "Choose on, off"),
        ({"method": "helmsman", "switches": "sorting"}, "as in “claims=model, manner"),
        ({"method": "full", "seat-3-switches": "sorting=off"}, "There is no option “sorting”"),
    ],
)
def test_unknown_switches_are_refused_with_those_there_are(
    fields: dict[str, str], told: str
) -> None:
    page = refused(**fields)
    assert told in page
    assert any(value in page for name, value in fields.items() if "switches" in name)
