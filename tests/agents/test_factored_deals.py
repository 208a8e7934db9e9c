"""Probabilities over factored deals, compared with those over enumerated deals."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.deduction import likelihoods
from agents.deduction.deals import Deals, Logs, Mask, enumerate_deals
from agents.deduction.factored_deals import NotFactored, factor_deals
from agents.deduction.likelihoods import DeckTooLarge, Knowledge, deals_of, infer_roles
from agents.packs import Pack, PackData, Result
from game.engine.declarations import Look, Role
from tests.agents.contest import CONTEST, Contest, Crowd, random_clues
from tests.agents.table import ONE_NIGHT, SHERIFF

POOL = ("werewolf", "werewolf", "possessed", "seer", "medium", "mason", "mason", "villager")
decks = st.lists(st.sampled_from(POOL), min_size=2, max_size=7).map(tuple)
roles = st.sampled_from(sorted(set(POOL)))
seats = st.integers(1, 7)
chances = st.floats(1e-9, 1.0)


def _seat(deals: Deals, seat: int) -> int:
    return (seat - 1) % deals.rows.shape[1] + 1


@st.composite
def evidence(draw: st.DrawFn) -> tuple[str, tuple[object, ...]]:
    """Draw a kind of fact or clue, with its seats, roles and probabilities."""
    kind = draw(st.sampled_from(("holds", "count", "look", "by_role", "report", "mates")))
    about = (draw(seats), draw(seats), draw(roles), draw(roles), draw(chances), draw(chances))
    return kind, about


def _value(deals: Deals, kind: str, about: tuple) -> tuple[str, Mask | Logs]:
    """Return ("keep_only" or "add_clue", its value for every deal)."""
    seat_a, seat_b, role, other_role, likely, unlikely = about
    seat_a, seat_b = _seat(deals, seat_a), _seat(deals, seat_b)
    look = Look("seen", 1, ((role, (role,)), ("else", ())))
    match kind:
        case "holds":
            return "keep_only", ~deals.any_holds([seat_a, seat_b], role)
        case "count":
            return "keep_only", 2 * deals.count([seat_a, seat_b], role, "werewolf") < 3
        case "look":
            return "keep_only", deals.gives_answer(
                (seat_a,), look, "else" if likely < 0.5 else role
            )
        case "by_role":
            return "add_clue", deals.by_role(seat_a, {role: likely, other_role: unlikely}, 0.3)
        case "report":
            true = np.where(deals.gives_answer((seat_b,), look, role), 0.0, np.log(likely))
            return "add_clue", np.where(deals.holds(seat_a, other_role), true, np.log(unlikely))
    both = deals.holds(seat_a, role) & deals.holds(seat_b, other_role)
    return "add_clue", np.where(both, np.log(likely), np.log(unlikely))


@given(deck=decks, outer=st.sets(roles), talk=st.lists(evidence(), max_size=12))
@settings(max_examples=40, deadline=None)
def test_factored_probabilities_equal_enumerated_probabilities(
    deck: tuple[str, ...], outer: set[str], talk: list[tuple[str, tuple]]
) -> None:
    exact = enumerate_deals(deck).uniform()
    factored = factor_deals(deck, tuple(sorted(outer))).uniform()
    for kind, about in talk:
        try:
            call, value = _value(factored.deals, kind, about)
        except NotFactored:
            continue
        getattr(factored, call)(value)
        getattr(exact, call)(_value(exact.deals, kind, about)[1])
    assert factored.remaining_count == exact.remaining_count
    assert np.abs(factored.shares() - exact.shares()).max() < 1e-12


@pytest.mark.parametrize(
    ("seed", "knowledge"),
    [
        (1, Knowledge(1, ((1, "villager"),), killed=(2, 3), living=(1, *range(5, 14)))),
        (2, Knowledge(7, ((7, "seer"),), (Result("seer", (3,), "werewolf"),), (9,), saved=(4,))),
    ],
)
def test_thirteen_seats_agree_with_all_1441440_enumerated_deals(
    seed: int, knowledge: Knowledge
) -> None:
    talk = random_clues(seed, 60)
    factored = infer_roles(CONTEST, knowledge, talk)
    with mock.patch.object(likelihoods, "deals_of", lambda pack: enumerate_deals(pack.deck)):
        infer_roles.cache_clear()
        exact = infer_roles(CONTEST, knowledge, talk)
    infer_roles.cache_clear()
    for seat, row in exact.items():
        assert factored[seat] == pytest.approx(row, rel=0, abs=1e-12)


def test_very_unlikely_clues_do_not_underflow() -> None:
    """Each seat's clue has a likelihood of 1e-100: the product is 1e-1300."""
    belief = deals_of(CONTEST).uniform()
    for seat in range(1, 14):
        belief.add_clue(belief.deals.by_role(seat, {"seer": 1.0}, 1e-100))
    belief.add_clue(belief.deals.by_role(4, {"seer": 1.0}, 0.5))
    table = belief.probabilities()
    assert table[4]["seer"] == pytest.approx(2 / 14)
    assert table[5]["seer"] == pytest.approx(1 / 14)


def test_clue_on_two_inner_seats_is_rejected() -> None:
    deals = deals_of(CONTEST)
    belief = deals.uniform()
    belief.keep_only(deals.holds(2, "werewolf") & deals.holds(3, "seer"))
    assert belief.remaining_count == 55 * 9 * 8 * 7
    with pytest.raises(NotFactored, match="seats 2, 3"):
        deals.holds(2, "medium") & deals.holds(3, "seer")


class ExactSeer(Contest):
    """Thirteen seats whose Seer learns the role: a report is about two inner roles."""

    name = "exact-seer"
    deck = ("seer", "villager", "villager", *("bodyguard",) * 4, "werewolf", "werewolf")
    roles = (
        Role(
            "seer",
            "Seer",
            "village",
            "",
            look=Look("seen", 1, tuple((r, (r,)) for r in ("villager", "bodyguard", "werewolf"))),
        ),
        *(role for role in Contest.roles if role.key != "seer"),
    )


def test_deal_representation_follows_clues_and_deck_size() -> None:
    assert len(deals_of(CONTEST).rows) == 2_860
    assert len(deals_of(ONE_NIGHT).rows) == 10_080
    assert len(deals_of(SHERIFF).rows) == 420
    small = Pack(ExactSeer(), PackData())
    with mock.patch.object(likelihoods, "SMALL_DECK_DEALS", 1_000):
        assert len(deals_of(small).rows) == 3_780
    with pytest.raises(DeckTooLarge, match=r"'crowd-40' has [\d,]+ deals"):
        deals_of(Pack(Crowd(), PackData()))
