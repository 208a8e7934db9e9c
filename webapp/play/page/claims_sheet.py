"""The sheet of claims on a table's page, built from the claims that a worker stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from agents.contest import PatternVariant
from agents.deduction.role_patterns import RolePattern, patterns_of_lookers
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep, contested_roles, current_claims, drop_repeats
from game.engine import rulesets
from game.engine.events import Moment
from game.engine.visibility import View
from webapp.play.models import StatedClaim
from webapp.play.page.narrator import Narrator, join_names

# Negative results exclude roles, too: the sheet lists all results above the patterns.
_CONTEST_VARIANTS: tuple[PatternVariant, ...] = ("human_results",)


@dataclass(frozen=True)
class ListedClaim:
    name: str
    text: str  # when it was made, what it says, and whether it was withdrawn
    is_dropped: bool = False  # withdrawn, or replaced by the claim of another role


@dataclass(frozen=True)
class ClaimRow:
    """All claims of one role, all results about one player, or one pattern."""

    title: str
    claims: tuple[ListedClaim, ...]
    warning: str = ""  # how the claims contradict each other, in a sentence


@dataclass(frozen=True)
class ClaimTable:
    """The sheet of claims (`#claims`)."""

    roles: tuple[ClaimRow, ...]
    results: tuple[ClaimRow, ...]
    # For each claimant of a contested role: the others' possible roles if the claim is true (SPEC
    # 2.7). Only in games whose talk runs in passes.
    patterns: tuple[ClaimRow, ...]


def build_claim_table(
    view: View, rows: Iterable[StatedClaim], events_shown: int | None
) -> ClaimTable:
    """Build the sheet for a viewer.

    A page that shows only the first `events_shown` events (None: all) has no later claims.
    """
    state = view.state
    shown_rows = tuple(row for row in rows if events_shown is None or row.seq <= events_shown)
    return _build_cached(state.ruleset, state.seats, state.rounds, shown_rows, get_language())


@lru_cache(maxsize=200)
def _build_cached(
    ruleset: str,
    seats: tuple[str, ...],
    rounds: tuple[Moment, ...],
    rows: tuple[StatedClaim, ...],
    language: str | None,
) -> ClaimTable:
    """Build the sheet, which is the same for all viewers with the same arguments."""
    steps = drop_repeats(
        ClaimStep(row.seat, row.round, row.kind, row.role, tuple(row.targets), row.value)  # type: ignore[arg-type]
        for row in rows
    )
    return _SheetBuilder(Narrator(rulesets.get(ruleset), seats), rounds, steps).build()


class _SheetBuilder:
    def __init__(
        self, narrator: Narrator, rounds: Sequence[Moment], steps: Sequence[ClaimStep]
    ) -> None:
        self.narrator, self.rounds, self.steps = narrator, rounds, steps
        self.pack: Pack = pack_of(narrator.ruleset)
        self.claimed_roles = current_claims(steps)  # seat -> the role that it claims now

    def build(self) -> ClaimTable:
        return ClaimTable(self._role_rows(), self._result_rows(), self._pattern_rows())

    def _role_rows(self) -> tuple[ClaimRow, ...]:
        contested = contested_roles(self.claimed_roles, self.pack.deck)
        rows = []
        for role in dict.fromkeys(self.pack.deck):
            steps = (s for s in self.steps if s.kind == "role" and s.role == role)
            claims = tuple(map(self._role_claim, steps))
            is_contested = role in contested
            warning = self._too_many_warning(role, len(contested[role])) if is_contested else ""
            if claims:
                rows.append(ClaimRow(self.narrator.role_name(role), claims, warning))
        return tuple(rows)

    def _role_claim(self, step: ClaimStep) -> ListedClaim:
        later = self.steps[self.steps.index(step) + 1 :]
        later_own = [s for s in later if s.seat == step.seat]
        dropped = next((s for s in later_own if s.kind in ("role", "back")), None)
        texts = [self._when_text(step)]
        if dropped is not None:
            is_withdrawn = dropped.kind == "back"
            text = _("withdrawn: {when}") if is_withdrawn else _("then claimed {role}: {when}")
            role = self.narrator.role_name(dropped.role)
            texts.append(text.format(role=role, when=self._when_text(dropped)))
        elif partners := [t for s in later_own if s.kind == "partner" for t in s.targets]:
            texts.append(_("with {name}").format(name=self._names(partners[-1:])))
        return ListedClaim(self._names([step.seat]), "; ".join(texts), dropped is not None)

    def _too_many_warning(self, role: str, claimed: int) -> str:
        dealt = self.pack.deck.count(role)
        text = ngettext(
            "{claimed} players claim this role, but the game has only {count} such card.",
            "{claimed} players claim this role, but the game has only {count} such cards.",
            dealt,
        )
        return text.format(claimed=claimed, count=dealt)

    def _result_rows(self) -> tuple[ClaimRow, ...]:
        """Build the rows of results, without those of players who dropped the claimed role."""
        looks: dict[tuple[int, ...], list[ClaimStep]] = {}
        for step in self.steps:
            if step.kind == "look" and self.claimed_roles.get(step.seat) == step.role:
                looks.setdefault(step.targets, []).append(step)
        return tuple(self._result_row(targets, looks[targets]) for targets in sorted(looks))

    def _result_row(self, targets: tuple[int, ...], looks: list[ClaimStep]) -> ClaimRow:
        is_contradicted = any(self._contradict(a, b) for a, b in combinations(looks, 2))
        warning = _("These results contradict each other.") if is_contradicted else ""
        claims = tuple(ListedClaim(self._names([s.seat]), self._result_text(s)) for s in looks)
        return ClaimRow(self._names(targets), claims, warning)

    def _result_text(self, look: ClaimStep) -> str:
        text, role = _("claimed {role}: {answer} ({when})"), self.narrator.role_name(look.role)
        return text.format(role=role, answer=self._answer_text(look), when=self._when_text(look))

    def _answer_text(self, look: ClaimStep) -> str:
        key, is_held = self.pack.revealed_role(look.result)
        if not key:
            return look.value
        role = self.narrator.role_name(key)
        if not is_held:
            return _("no {role}").format(role=role)
        text = _("a {role} is among them") if len(look.targets) > 1 else "{role}"
        return text.format(role=role)

    def _contradict(self, look: ClaimStep, other_look: ClaimStep) -> bool:
        """Return whether two results of the same players cannot both be true."""
        role, is_held = self.pack.revealed_role(look.result)
        other_role, is_other_held = self.pack.revealed_role(other_look.result)
        if role == other_role:
            return is_held != is_other_held
        return is_held and is_other_held and len(look.targets) == 1

    def _pattern_rows(self) -> tuple[ClaimRow, ...]:
        if self.pack.ruleset.rounds:
            return ()
        patterns = patterns_of_lookers(self.pack, self.steps, variants=_CONTEST_VARIANTS)
        return tuple(self._pattern_row(pattern) for pattern in patterns)

    def _pattern_row(self, pattern: RolePattern) -> ClaimRow:
        name, role = self._names([pattern.claimant]), self.narrator.role_name(pattern.role)
        title = _("{name} as {role}").format(name=name, role=role)
        *fixed, (_remaining_seats, remaining) = pattern.groups()
        claims = [
            ListedClaim(self._names(seats), self._role_names(roles))
            for seats, roles in fixed
            if pattern.claimant not in seats
        ]
        if {*self.pack.deck} - {pattern.role} - {*remaining}:  # otherwise any role is possible
            claims.append(ListedClaim(_("All others"), self._role_names(remaining)))
        return ClaimRow(title, tuple(claims))

    def _role_names(self, roles: Iterable[str]) -> str:
        return ", ".join(map(self.narrator.role_name, roles))

    def _when_text(self, step: ClaimStep) -> str:
        moment = self.rounds[step.round - 1]
        if self.pack.ruleset.days == 1 and moment.round:
            return _("round {round}").format(round=moment.round)
        if not moment.day:
            return _("in the greetings")
        return _("day {day}").format(day=moment.day)

    def _names(self, seats: Iterable[int]) -> str:
        return join_names([self.narrator.seat_name(seat) for seat in seats])
