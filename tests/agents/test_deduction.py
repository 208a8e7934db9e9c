"""Deduction is exact: it agrees with counting by hand and with brute force."""

from itertools import permutations

import numpy as np
import pytest

from agents.deduction.deals import enumerate_deals
from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.packs import pack_of
from agents.talk.dialogue import Dialogue
from game.engine import rulesets, visibility
from tests.agents.table import divined, log_of

PACK = pack_of(rulesets.get("one-night"))
DECK = PACK.deck
SMALL = ("seer", "villager", "villager", "werewolf")


def test_the_one_night_deck_has_10080_deals() -> None:
    assert len(enumerate_deals(DECK).rows) == 10_080
    assert len({tuple(row) for row in enumerate_deals(DECK).rows.tolist()}) == 10_080


def test_deals_are_shared_and_read_only() -> None:
    assert enumerate_deals(DECK) is enumerate_deals(DECK)
    with pytest.raises(ValueError, match="read-only"):
        enumerate_deals(DECK).rows[0, 0] = 0


def test_before_anything_is_known_the_deck_gives_the_odds() -> None:
    table = enumerate_deals(DECK).uniform().probabilities()
    for seat in range(1, 9):
        assert table[seat]["mason"] == pytest.approx(0.25)
        assert table[seat]["werewolf"] == pytest.approx(0.125)
        assert sum(table[seat].values()) == pytest.approx(1)


def test_shares_counted_in_groups_are_those_counted_seat_by_seat() -> None:
    all_ = enumerate_deals(DECK)
    weights = np.random.default_rng(7).random(len(all_.rows))
    for seat, row in enumerate(all_.shares(weights)):
        alone = np.bincount(all_.rows[:, seat], weights, len(all_.roles))
        assert row == pytest.approx(alone)


def test_a_small_deck_by_hand() -> None:
    """I am a Villager of S V V W: six deals of S, V, W remain, so 1/3 each for everyone else."""
    belief = enumerate_deals(SMALL).uniform()
    assert belief.remaining_count == 12
    belief.keep_only(belief.deals.holds(1, "villager"))
    assert belief.remaining_count == 6
    table = belief.probabilities()
    assert table[1] == pytest.approx({"seer": 0, "villager": 1, "werewolf": 0})
    assert table[2] == pytest.approx({"seer": 1 / 3, "villager": 1 / 3, "werewolf": 1 / 3})
    # Seat 2 says something three times likelier of a Werewolf: 3/(3+1+1) there, 1/5 elsewhere.
    belief.add_binary_clue(belief.deals.holds(2, "werewolf"), 0.6, 0.2)
    table = belief.probabilities()
    assert table[2]["werewolf"] == pytest.approx(3 / 5)
    assert table[3]["werewolf"] == pytest.approx(1 / 5)


def test_it_agrees_with_brute_force() -> None:
    """The Seer of seat 1 saw the Werewolf among 2 and 3; seat 2 talks like a Villager."""
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


def test_what_contradicts_itself_falls_back_to_the_deck() -> None:
    belief = enumerate_deals(SMALL).uniform()
    belief.keep_only(belief.deals.holds(1, "seer"))
    belief.keep_only(belief.deals.holds(2, "seer"))
    assert belief.remaining_count == 0
    assert belief.probabilities()[3]["werewolf"] == pytest.approx(0.25)


def test_a_role_outside_the_deck_is_held_by_nobody() -> None:
    assert not enumerate_deals(SMALL).holds(1, "mason").any()


def _judged(log: list, seat: int) -> dict:
    view = visibility.view_of(log, visibility.seat(seat))
    return infer_roles(PACK, Knowledge.of(view, PACK), collect_clues(Dialogue.of(view, PACK)))


def test_facts_of_the_view_count_as_certain() -> None:
    log = [*log_of({1: "seer"}), divined(1, (2, 3), True)]
    table = _judged(log, 1)
    assert table[1]["seer"] == pytest.approx(1)
    assert table[2]["werewolf"] + table[3]["werewolf"] == pytest.approx(1)
    masons = _judged(log_of({4: "mason", 6: "mason"}), 4)
    assert masons[6]["mason"] == pytest.approx(1)


def test_reports_move_beliefs_and_counterclaims_weaken_them() -> None:
    one = (2, "I'm the Seer. I checked Gamma and Delta, and one of them is the Werewolf.")
    two = (5, "I'm the Seer. I checked Zeta and Eta, and one of them is the Werewolf.")
    before = _judged(log_of({1: "villager"}), 1)
    after = _judged(log_of({1: "villager"}, one), 1)
    both = _judged(log_of({1: "villager"}, one, two), 1)
    assert after[3]["werewolf"] > 1.5 * before[3]["werewolf"]
    assert after[2]["seer"] > 0.35
    assert both[2]["seer"] < after[2]["seer"]


def test_a_third_mason_is_a_liar_to_the_masons() -> None:
    table = _judged(log_of({1: "mason", 2: "mason"}, (3, "I'm a Mason.")), 1)
    assert table[3]["werewolf"] + table[3]["minion"] + table[3]["tanner"] > 0.85


def test_own_words_tell_oneself_nothing() -> None:
    quiet = _judged(log_of({1: "villager"}), 1)
    loud = _judged(log_of({1: "villager"}, (1, "I'm the Seer. I suspect Beta.")), 1)
    assert quiet == loud


def test_beliefs_do_not_depend_on_what_is_cached() -> None:
    log = log_of({1: "villager"}, (2, "I'm the Seer."), (3, "I suspect Beta."), (4, "I'm a Mason."))
    first = _judged(log, 1)
    _judged(log_of({5: "tanner"}, (3, "I suspect Zeta.")), 5)
    enumerate_deals.cache_clear()
    assert _judged(log, 1) == first


def test_rows_are_small() -> None:
    assert enumerate_deals(DECK).rows.dtype == np.int8
