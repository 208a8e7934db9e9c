"""Role patterns: the paper's Figure 19, and the stricter variants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agents.contest import PATTERN_VARIANTS
from agents.deduction.role_patterns import RolePattern, patterns_of_lookers
from agents.packs import Pack, Result
from agents.talk.claim_steps import ClaimStep
from tests.agents.contest import CONTEST, SEATS
from tests.agents.table import ONE_NIGHT

# Figure 19: Victoria and Minato claim the Seer. Victoria reports Yumi as a Werewolf. The werewolves
# killed Toshio, and the village exiled Victoria.
NAMES = (
    *("Jonathan", "Midori", "Minato", "Mio", "Misaki", "Mizuki", "Ryuji"),
    *("Shion", "Shizue", "Shunichi", "Toshio", "Victoria", "Yumi"),
)
SEAT = {name: seat for seat, name in enumerate(NAMES, 1)}
CLAIMS = {SEAT["Jonathan"]: "villager", SEAT["Victoria"]: "seer", SEAT["Minato"]: "seer"}
FIGURE_19 = [(SEAT["Victoria"], Result("seer", (SEAT["Yumi"],), "werewolf"))]
OTHERS = {"bodyguard", "medium", "possessed", "villager", "werewolf"}


def role_patterns(
    pack: Pack, claims: Mapping[int, str], results: Iterable[tuple[int, Result]], **options: Any
) -> list[RolePattern]:
    steps = [ClaimStep(seat, 1, "role", role) for seat, role in claims.items()]
    steps += [ClaimStep(seat, 1, "look", r.source, r.targets, r.value) for seat, r in results]
    return patterns_of_lookers(pack, steps, **options)


def _by_claimant(patterns: list[RolePattern]) -> dict[str, RolePattern]:
    return {NAMES[pattern.claimant - 1]: pattern for pattern in patterns}


def test_figure_19_has_one_pattern_per_claimant() -> None:
    patterns = _by_claimant(role_patterns(CONTEST, CLAIMS, FIGURE_19, victims=[SEAT["Toshio"]]))
    assert list(patterns) == ["Minato", "Victoria"]
    for claimant, fixed in (("Victoria", {"Yumi": "werewolf"}), ("Minato", {})):
        fixed = {claimant: "seer", **fixed}
        for name, seat in SEAT.items():
            possible = set(patterns[claimant].roles[seat])
            assert possible == ({fixed[name]} if name in fixed else OTHERS), (claimant, name)
    *fixed, (other_seats, roles) = patterns["Victoria"].groups()
    assert fixed == [([SEAT["Victoria"]], ("seer",)), ([SEAT["Yumi"]], ("werewolf",))]
    assert len(other_seats) == 11
    assert roles == ("villager", "medium", "bodyguard", "possessed", "werewolf")


def test_claims_within_the_deck_give_no_pattern() -> None:
    assert role_patterns(CONTEST, {1: "seer", 2: "medium"}, FIGURE_19) == []


def test_contested_role_that_does_not_look_gives_no_pattern() -> None:
    assert role_patterns(CONTEST, dict.fromkeys(range(1, 8), "villager"), ()) == []


def test_only_own_results_of_the_contested_role_count() -> None:
    results = [
        (1, Result("seer", (5,), "werewolf")),
        (1, Result("medium", (6,), "werewolf")),
        (2, Result("seer", (7,), "werewolf")),
        (3, Result("medium", (8,), "werewolf")),
    ]
    first, second = role_patterns(CONTEST, {1: "seer", 2: "seer", 3: "medium"}, results)
    assert [s for s in SEATS if first.roles[s] == ["werewolf"]] == [5]
    assert [s for s in SEATS if second.roles[s] == ["werewolf"]] == [7]


def test_look_at_two_players_fixes_neither_role() -> None:
    results = [(1, Result("seer", (3, 4), "werewolf"))]
    first, _second = role_patterns(ONE_NIGHT, {1: "seer", 2: "seer"}, results)
    assert first.roles[3] == first.roles[4] == first.roles[5]


def test_stricter_variants_exclude_victims_and_cleared_players() -> None:
    results = [(1, Result("seer", (5,), "human"))]
    claims = {1: "seer", 2: "seer"}
    default, *_ = role_patterns(CONTEST, claims, results, victims=[2])
    assert set(default.roles[2]) == set(default.roles[5]) == OTHERS
    strict, rival = role_patterns(
        CONTEST, claims, results, victims=[2], variants=("victims_human", "human_results")
    )
    assert set(strict.roles[2]) == set(strict.roles[5]) == OTHERS - {"werewolf"}
    assert set(rival.roles[5]) == OTHERS
    assert rival.roles[2] == ["seer"]


def test_exact_counts_keep_only_roles_of_complete_deals() -> None:
    results = [(1, Result("seer", (seat,), "werewolf")) for seat in (5, 6, 7)]
    claims = {1: "seer", 2: "seer"}
    loose, _rival = role_patterns(CONTEST, claims, results)
    assert "werewolf" in loose.roles[8]
    exact, rival = role_patterns(CONTEST, claims, results, variants=PATTERN_VARIANTS)
    assert [s for s in SEATS if "werewolf" in exact.roles[s]] == [5, 6, 7]
    assert set(rival.roles[5]) == OTHERS
    impossible, _rival = role_patterns(
        CONTEST,
        claims,
        [*results, (1, Result("seer", (8,), "werewolf"))],
        variants=PATTERN_VARIANTS,
    )
    assert not any(impossible.roles.values())
