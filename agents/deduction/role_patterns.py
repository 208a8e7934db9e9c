"""Role patterns: the possible roles of all players if one claimant of a role is honest.

Impressions 6.1 and Figure 19, SPEC 2.7: computed from public claims by rule, without a model. The
paper's pattern fixes the claimant's role and the targets of its results that name a role; every
other player, rivals and victims included, may hold every remaining role. `PatternVariant` has
stricter readings, which are ours. The module reads no text, so a web process can import it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from agents.contest import PatternVariant
from agents.packs import Pack, Result
from agents.talk.claim_steps import ClaimStep, contested_roles, current_claims


@dataclass(frozen=True)
class RolePattern:
    """The roles that remain possible if `claimant` holds `role`."""

    role: str
    claimant: int
    # Seat -> possible roles, in the ruleset's order. With `exact_counts` all are empty if no deal
    # fits the claimant's words.
    roles: Mapping[int, Sequence[str]]

    def groups(self) -> list[tuple[list[int], Sequence[str]]]:
        """Return (seats, roles that each of them can hold), the most seats last."""
        seats_by_roles: dict[tuple[str, ...], list[int]] = {}
        for seat, roles in self.roles.items():
            seats_by_roles.setdefault(tuple(roles), []).append(seat)
        rows = ((seats, roles) for roles, seats in seats_by_roles.items())
        return sorted(rows, key=lambda row: len(row[0]))


def patterns_of_lookers(
    pack: Pack,
    steps: Sequence[ClaimStep],
    *,
    victims: Collection[int] = (),
    variants: Collection[PatternVariant] = (),
) -> list[RolePattern]:
    """Return a pattern for each claimant of each role that looks and is claimed too often.

    `victims` are the seats that the hunted killed. Without `variants` the patterns are the paper's.
    """
    looks = [step for step in steps if step.kind == "look"]
    patterns = []
    for role, claimants in contested_roles(current_claims(steps), pack.deck).items():
        for claimant in claimants if pack.part(role) == "looker" else ():
            results = [s.result for s in looks if s.seat == claimant and s.role == role]
            possible = _possible(pack, role, claimant, results, variants)
            if "victims_human" in variants:
                for seat in set(victims) - {claimant}:
                    possible[seat] = [r for r in possible[seat] if r not in pack.hunted]
            if "exact_counts" in variants:
                possible = _in_a_deal(pack, possible)
            patterns.append(RolePattern(role, claimant, possible))
    return patterns


def _possible(
    pack: Pack,
    role: str,
    claimant: int,
    results: Sequence[Result],
    variants: Collection[PatternVariant],
) -> dict[int, list[str]]:
    """Return seat -> roles that the claimant's role and results leave."""
    deck = list(pack.deck)
    deck.remove(role)
    left = [key for key in pack.parts if key in deck]
    possible = {seat: list(left) for seat in range(1, len(pack.deck) + 1)}
    for result in results:
        revealed, holds = pack.revealed_role(result)
        if revealed and holds and len(result.targets) == 1:
            possible[result.targets[0]] = [revealed]
        elif revealed and not holds and "human_results" in variants:
            for seat in result.targets:
                possible[seat] = [r for r in possible[seat] if r != revealed]
    possible[claimant] = [role]
    return possible


def _in_a_deal(pack: Pack, possible: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Return the roles that a seat has in any deal that `possible` allows."""
    from agents.deduction.likelihoods import deals_of  # a web process never loads it

    belief = deals_of(pack).uniform()
    for seat, roles in possible.items():
        belief.keep_only(belief.deals.holds(seat, *roles))
    if not belief.remaining_count:
        return {seat: [] for seat in possible}
    shares = belief.probabilities()
    return {seat: [r for r in roles if shares[seat][r]] for seat, roles in possible.items()}
