"""Sums over factored deals are those over enumerated deals, whatever is known and said."""

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
from game.engine.roles import Look, Role
from tests.agents.contest import CONTEST, Contest, Crowd, talk_of
from tests.agents.table import ONE_NIGHT, SHERIFF

POOL = ("werewolf", "werewolf", "possessed", "seer", "medium", "mason", "mason", "villager")
decks = st.lists(st.sampled_from(POOL), min_size=2, max_size=7).map(tuple)
roles = st.sampled_from(sorted(set(POOL)))
seats = st.integers(1, 7)
chances = st.floats(1e-9, 1.0)


def _seat(all_: Deals, seat: int) -> int:
    return (seat - 1) % all_.rows.shape[1] + 1


@st.composite
def evidence(draw: st.DrawFn) -> tuple[str, tuple[object, ...]]:
    """A kind of fact or clue, and what it is about."""
    kind = draw(st.sampled_from(("holds", "count", "look", "by_role", "report", "mates")))
    about = (draw(seats), draw(seats), draw(roles), draw(roles), draw(chances), draw(chances))
    return kind, about


def _value(all_: Deals, kind: str, about: tuple) -> tuple[str, Mask | Logs]:
    """Return ("keep_only" or "add_clue", its value for every deal)."""
    one, other, role, second, likely, odd = about
    one, other = _seat(all_, one), _seat(all_, other)
    look = Look("seen", 1, ((role, (role,)), ("else", ())))
    match kind:
        case "holds":
            return "keep_only", ~all_.any_holds([one, other], role)
        case "count":
            return "keep_only", 2 * all_.count([one, other], role, "werewolf") < 3
        case "look":
            return "keep_only", all_.gives_answer((one,), look, "else" if likely < 0.5 else role)
        case "by_role":
            return "add_clue", all_.by_role(one, {role: likely, second: odd}, 0.3)
        case "report":
            true = np.where(all_.gives_answer((other,), look, role), 0.0, np.log(likely))
            return "add_clue", np.where(all_.holds(one, second), true, np.log(odd))
    both = all_.holds(one, role) & all_.holds(other, second)
    return "add_clue", np.where(both, np.log(likely), np.log(odd))


@given(deck=decks, outer=st.sets(roles), talk=st.lists(evidence(), max_size=12))
@settings(max_examples=40, deadline=None)
def test_any_deck_with_any_outer_roles_gives_the_enumerated_probabilities(
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
    ("seed", "known"),
    [
        (1, Knowledge(1, ((1, "villager"),), killed=(2, 3), living=(1, *range(5, 14)))),
        (2, Knowledge(7, ((7, "seer"),), (Result("seer", (3,), "werewolf"),), (9,), saved=(4,))),
    ],
)
def test_thirteen_seats_agree_with_all_1441440_deals(seed: int, known: Knowledge) -> None:
    talk = talk_of(seed, 60)
    factored = infer_roles(CONTEST, known, talk)
    with mock.patch.object(likelihoods, "deals_of", lambda pack: enumerate_deals(pack.deck)):
        infer_roles.cache_clear()
        exact = infer_roles(CONTEST, known, talk)
    infer_roles.cache_clear()
    for seat, row in exact.items():
        assert factored[seat] == pytest.approx(row, rel=0, abs=1e-12)


def test_words_that_no_deal_makes_likely_leave_probabilities() -> None:
    """Every seat's words are 1e-100 times as likely as they could be: the product is 1e-1300."""
    belief = deals_of(CONTEST).uniform()
    for seat in range(1, 14):
        belief.add_clue(belief.deals.by_role(seat, {"seer": 1.0}, 1e-100))
    belief.add_clue(belief.deals.by_role(4, {"seer": 1.0}, 0.5))
    table = belief.probabilities()
    assert table[4]["seer"] == pytest.approx(2 / 14)
    assert table[5]["seer"] == pytest.approx(1 / 14)


def test_a_clue_on_two_inner_seats_is_refused() -> None:
    all_ = deals_of(CONTEST)
    belief = all_.uniform()
    belief.keep_only(all_.holds(2, "werewolf") & all_.holds(3, "seer"))
    assert belief.remaining_count == 55 * 9 * 8 * 7
    with pytest.raises(NotFactored, match="seats 2, 3"):
        all_.holds(2, "medium") & all_.holds(3, "seer")


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


def test_a_ruleset_gets_the_deals_that_its_clues_and_size_allow() -> None:
    assert len(deals_of(CONTEST).rows) == 2_860
    assert len(deals_of(ONE_NIGHT).rows) == 10_080
    assert len(deals_of(SHERIFF).rows) == 420
    small = Pack(ExactSeer(), PackData())
    with mock.patch.object(likelihoods, "SMALL_DECK_DEALS", 1_000):
        assert len(deals_of(small).rows) == 3_780
    with pytest.raises(DeckTooLarge, match=r"'crowd-40' has [\d,]+ deals"):
        deals_of(Pack(Crowd(), PackData()))
