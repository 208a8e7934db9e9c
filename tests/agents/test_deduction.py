"""Exact deduction, compared with hand calculation and brute force."""

from itertools import permutations

import numpy as np
import pytest

from agents.deduction.deals import enumerate_deals
from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.packs import pack_of
from agents.talk.dialogue import Dialogue
from game.engine import rulesets, visibility
from tests.agents.table import divination, log_of

PACK = pack_of(rulesets.get("one-night"))
DECK = PACK.deck
SMALL = ("seer", "villager", "villager", "werewolf")


def test_one_night_deck_has_10080_deals() -> None:
    assert len(enumerate_deals(DECK).rows) == 10_080
    assert len({tuple(row) for row in enumerate_deals(DECK).rows.tolist()}) == 10_080


def test_deals_are_shared_and_read_only() -> None:
    assert enumerate_deals(DECK) is enumerate_deals(DECK)
    with pytest.raises(ValueError, match="read-only"):
        enumerate_deals(DECK).rows[0, 0] = 0


def test_prior_probabilities_follow_the_deck() -> None:
    table = enumerate_deals(DECK).uniform().probabilities()
    for seat in range(1, 9):
        assert table[seat]["mason"] == pytest.approx(0.25)
        assert table[seat]["werewolf"] == pytest.approx(0.125)
        assert sum(table[seat].values()) == pytest.approx(1)


def test_grouped_shares_equal_shares_counted_seat_by_seat() -> None:
    deals = enumerate_deals(DECK)
    weights = np.random.default_rng(7).random(len(deals.rows))
    for seat, row in enumerate(deals.shares(weights)):
        alone = np.bincount(deals.rows[:, seat], weights, len(deals.roles))
        assert row == pytest.approx(alone)


def test_small_deck_matches_a_hand_calculation() -> None:
    """Seat 1 is a Villager of S V V W, so six deals remain with 1/3 for each other role."""
    belief = enumerate_deals(SMALL).uniform()
    assert belief.remaining_count == 12
    belief.keep_only(belief.deals.holds(1, "villager"))
    assert belief.remaining_count == 6
    table = belief.probabilities()
    assert table[1] == pytest.approx({"seer": 0, "villager": 1, "werewolf": 0})
    assert table[2] == pytest.approx({"seer": 1 / 3, "villager": 1 / 3, "werewolf": 1 / 3})
    # A statement of seat 2 is three times likelier of a Werewolf: 3/(3+1+1), 1/5 elsewhere.
    belief.add_binary_clue(belief.deals.holds(2, "werewolf"), 0.6, 0.2)
    table = belief.probabilities()
    assert table[2]["werewolf"] == pytest.approx(3 / 5)
    assert table[3]["werewolf"] == pytest.approx(1 / 5)


def test_deduction_agrees_with_brute_force() -> None:
    """Seat 1 is the Seer, the Werewolf is seat 2 or 3, and seat 2 talks like a Villager."""
    weight = {"villager": 0.8, "werewolf": 0.5, "seer": 0.1, "tanner": 0.3}
    deck = ("seer", "villager", "villager", "werewolf", "tanner")
    total, counts = 0.0, dict.fromkeys(range(5), 0.0)
    for deal in set(permutations(deck)):
        if deal[0] == "seer" and "werewolf" in deal[1:3]:
            total += weight[deal[1]]
            for seat in range(5):
                counts[seat] += weight[deal[1]] * (deal[seat] == "werewolf")
    belief = enumerate_deals(deck).uniform()
    belief.keep_only(belief.deals.holds(1, "seer"))
    belief.keep_only(belief.deals.any_holds((2, 3), "werewolf"))
    belief.add_clue(belief.deals.by_role(2, weight, 1.0))
    table = belief.probabilities()
    for seat in range(5):
        assert table[seat + 1]["werewolf"] == pytest.approx(counts[seat] / total)


def test_contradictory_facts_fall_back_to_the_deck() -> None:
    belief = enumerate_deals(SMALL).uniform()
    belief.keep_only(belief.deals.holds(1, "seer"))
    belief.keep_only(belief.deals.holds(2, "seer"))
    assert belief.remaining_count == 0
    assert belief.probabilities()[3]["werewolf"] == pytest.approx(0.25)


def test_role_outside_the_deck_has_no_holder() -> None:
    assert not enumerate_deals(SMALL).holds(1, "mason").any()


def _role_beliefs(log: list, seat: int) -> dict:
    view = visibility.view_of(log, visibility.seat(seat))
    return infer_roles(PACK, Knowledge.of(view, PACK), collect_clues(Dialogue.of(view, PACK)))


def test_facts_in_the_view_are_certain() -> None:
    log = [*log_of({1: "seer"}), divination(1, (2, 3), True)]
    table = _role_beliefs(log, 1)
    assert table[1]["seer"] == pytest.approx(1)
    assert table[2]["werewolf"] + table[3]["werewolf"] == pytest.approx(1)
    masons = _role_beliefs(log_of({4: "mason", 6: "mason"}), 4)
    assert masons[6]["mason"] == pytest.approx(1)


def test_report_shifts_beliefs_and_counterclaim_weakens_it() -> None:
    report = (2, "I'm the Seer. I checked Gamma and Delta, and one of them is the Werewolf.")
    counterclaim = (5, "I'm the Seer. I checked Zeta and Eta, and one of them is the Werewolf.")
    before = _role_beliefs(log_of({1: "villager"}), 1)
    after = _role_beliefs(log_of({1: "villager"}, report), 1)
    both = _role_beliefs(log_of({1: "villager"}, report, counterclaim), 1)
    assert after[3]["werewolf"] > 1.5 * before[3]["werewolf"]
    assert after[2]["seer"] > 0.35
    assert both[2]["seer"] < after[2]["seer"]


def test_third_mason_claim_is_a_lie_to_the_masons() -> None:
    table = _role_beliefs(log_of({1: "mason", 2: "mason"}, (3, "I'm a Mason.")), 1)
    assert table[3]["werewolf"] + table[3]["minion"] + table[3]["tanner"] > 0.85


def test_own_statements_do_not_change_own_beliefs() -> None:
    quiet = _role_beliefs(log_of({1: "villager"}), 1)
    loud = _role_beliefs(log_of({1: "villager"}, (1, "I'm the Seer. I suspect Beta.")), 1)
    assert quiet == loud


def test_beliefs_do_not_depend_on_the_cache() -> None:
    log = log_of({1: "villager"}, (2, "I'm the Seer."), (3, "I suspect Beta."), (4, "I'm a Mason."))
    first = _role_beliefs(log, 1)
    _role_beliefs(log_of({5: "tanner"}, (3, "I suspect Zeta.")), 5)
    enumerate_deals.cache_clear()
    assert _role_beliefs(log, 1) == first


def test_deal_rows_use_one_byte_per_role() -> None:
    assert enumerate_deals(DECK).rows.dtype == np.int8
