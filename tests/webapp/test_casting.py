"""Tests of casting a table seat by seat: backend, method, persona and temperature."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from agents.personas.big_five import PROFILES
from agents.personas.characters import CHARACTERS
from agents.recipe import METHODS, Recipe
from tests.endpoint import Endpoint
from tests.simulated_games import simulate
from tests.webapp.tables import open_watched_table, post_refused_form, recipes_by_seat
from webapp.play.models import Membership
from webapp.play.tables.opening import open_similar_table

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_seat_gets_its_cast_recipe_and_others_the_table_recipe() -> None:
    character = next(iter(CHARACTERS))
    recipes = recipes_by_seat(
        open_watched_table(
            **{
                "method": "favor",
                "seat-1-method": "b5p+strategy",
                "seat-1-persona": "profile:profile-2",
                "seat-3-method": "full",
                "seat-3-persona": f"character:{character}",
                "seat-4-method": "b5p",
                "seat-4-persona": "own",
                **{f"seat-4-{f}": n for f, n in zip("OCEAN", (1, 7, 3, 4, 6), strict=True)},
            }
        )
    )
    assert recipes[1]["method"] == "b5p+strategy"
    assert tuple(recipes[1]["persona"]["scores"].values()) == PROFILES["profile-2"]
    assert recipes[3]["persona"]["character"] == character
    assert recipes[4]["persona"]["scores"] == {"O": 1, "C": 7, "E": 3, "A": 4, "N": 6}
    assert {recipes[n]["method"] for n in (2, 5, 6, 7, 8)} == {"favor"}
    assert not any("persona" in recipes[n] for n in (2, 5, 6, 7, 8))


def test_every_method_can_be_cast() -> None:
    names = list(METHODS)
    for methods in (names[:8], names[8:]):
        recipes = recipes_by_seat(
            open_watched_table(**{f"seat-{n}-method": m for n, m in enumerate(methods, 1)})
        )
        assert [recipes[n]["method"] for n in range(1, len(methods) + 1)] == methods
    assert len(set(METHODS.values())) == len(METHODS)


def test_seats_of_one_table_use_different_backends(keyed_endpoint: Endpoint) -> None:
    page = Client().get("/tables/new").content.decode()
    front, advanced = page.split('id="advanced"')
    assert "One model per seat" in front
    assert ('name="seat-2-backend"' in front, 'name="seat-2-backend"' in advanced) == (True, False)
    recipes = recipes_by_seat(
        open_watched_table(**{"seat-2-backend": "openai", "seat-2-temperature": "1.5"})
    )
    assert {n for n, recipe in recipes.items() if recipe["backend"] == "openai"} == {2}
    assert {n: r["temperature"] for n, r in recipes.items() if "temperature" in r} == {2: 1.5}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"seat-2-method": "full", "seat-2-persona": "own", "seat-2-N": "0"}, "greater than or"),
        ({"seat-2-persona": "own", "seat-2-O": "9"}, "less than or equal to 7"),
        ({"seat-2-persona": "profile:nobody"}, "Select a valid choice"),
        ({"seat-2-method": "guess"}, "Select a valid choice"),
        ({"seat-2-backend": "nobody"}, "Check the settings of the computer players"),
        ({"method": "favor", "seat-2-persona": "own"}, "method has no personality"),
        ({"blind": "on", "seat-2-persona": "character:judge"}, "would reveal a computer player"),
    ],
)
def test_invalid_casting_is_refused_and_form_values_kept(
    fields: dict[str, str], error: str
) -> None:
    page = post_refused_form(**fields, **{"seat-7-persona": "own", "seat-7-C": "6"})
    assert error in page
    assert re.search(r'name="seat-7-C"\s+value="6"', page)


@pytest.mark.usefixtures("keyed_endpoint")
def test_seat_with_unusable_model_is_refused_before_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    assert "refuses the key" in post_refused_form(**{"seat-2-backend": "openai"})


def test_similar_table_keeps_the_casting() -> None:
    first = open_watched_table(**{"method": "favor", "seat-6-method": "baseline"})
    host = Membership.objects.get(game=first).visitor
    second = open_similar_table(host, first)
    assert recipes_by_seat(second)[6]["method"] == "baseline"
    assert recipes_by_seat(second)[1]["method"] == "favor"


def test_too_long_switches_are_refused() -> None:
    assert "at most 500 characters" in post_refused_form(switches="claims=" + "x" * 500)


@pytest.mark.usefixtures("keyed_endpoint")
def test_temperature_out_of_range_is_refused() -> None:
    assert "less than or equal to 2" in post_refused_form(**{"seat-2-temperature": "3"})


def test_temperature_of_a_seat_reaches_its_model(keyed_endpoint: Endpoint) -> None:
    recipe = Recipe("openai", "baseline", temperature=0.3)
    list(simulate("one-night", games=1, seed="warm", recipe=recipe, concurrency=1))
    temperatures = {call.body.get("temperature") for call in keyed_endpoint.calls}
    assert temperatures == {0.3}


def test_similar_table_replaces_an_unavailable_model(
    keyed_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_watched_table(**{"seat-2-backend": "openai", "seat-2-method": "favor"})
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    second = open_similar_table(Membership.objects.get(game=first).visitor, first)
    assert recipes_by_seat(second)[2]["backend"] == "house"
    assert recipes_by_seat(second)[2]["method"] == "favor"


def test_table_switches_apply_to_seats_with_the_table_method() -> None:
    fields = {"method": "helmsman", "switches": "reasoning=none, sorting=off"}
    game = open_watched_table(
        **fields, **{"seat-2-method": "full", "seat-3-switches": "reasoning=each"}
    )
    recipes = recipes_by_seat(game)
    assert recipes[1]["switches"] == {"reasoning": "none", "sorting": "off"}
    assert "switches" not in recipes[2]
    assert recipes[3]["switches"] == {"reasoning": "each", "sorting": "off"}
    similar = open_similar_table(Membership.objects.get(game=game).visitor, game)
    assert {n: r.get("switches") for n, r in recipes_by_seat(similar).items()} == {
        n: r.get("switches") for n, r in recipes.items()
    }


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"switches": "sorting=off"}, "There is no option “sorting” here"),
        ({"method": "helmsman", "switches": "manner=hint"}, "Choose reasoning, sorting"),
        ({"method": "helmsman", "switches": "sorting=maybe"}, "Choose on, off"),
        ({"method": "helmsman", "switches": "sorting"}, "as in “claims=model, manner"),
        ({"method": "full", "seat-3-switches": "sorting=off"}, "There is no option “sorting”"),
    ],
)
def test_unknown_switches_are_refused_with_the_known_ones(
    fields: dict[str, str], error: str
) -> None:
    page = post_refused_form(**fields)
    assert error in page
    assert any(value in page for name, value in fields.items() if "switches" in name)
