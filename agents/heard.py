"""What has been said at the table so far, as acts, with the questions one asks of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from agents.packs import pack_of
from agents.talk.acts import Act
from agents.talk.plain import named
from agents.talk.understand import understand
from game.engine import rulesets
from game.engine.views import View

PRESSING = ("suspect", "accuse", "vote")


@dataclass(frozen=True)
class Said:
    """One statement: who, in which round of talk (from 1), the words, and what they mean."""

    seat: int
    round: int
    text: str
    acts: tuple[Act, ...]
    names: frozenset[int] = frozenset()  # the seats it names

    def presses(self) -> list[int]:
        """The seats it doubts, accuses or will vote for, in order."""
        return [t for a in self.acts if a.strength for t in a.targets]


@dataclass
class Heard:
    """All statements a viewer has heard, oldest first."""

    said: list[Said] = field(default_factory=list)

    @classmethod
    def of(cls, view: View) -> Heard:
        """Everything public that was said in `view`."""
        pack = pack_of(rulesets.get(view.state.ruleset))
        found: list[Said] = []
        for turn in view.turns:
            if turn.text:
                before = found[-1].seat if found else 0
                acts = understand(turn.text, turn.seat, view.state.seats, before, pack)
                names = named(turn.text, view.state.seats)
                found.append(Said(turn.seat, turn.round, turn.text, acts, names))
        return cls(found)

    def acts(self, *kinds: str, by: int = 0) -> Iterator[Act]:
        """All acts of these kinds, oldest first, of one speaker where `by` says."""
        for said in self.said:
            if by in (0, said.seat):
                yield from (a for a in said.acts if a.kind in kinds)

    @cached_property
    def claims(self) -> dict[int, str]:
        """seat -> the role it last claimed. Whoever reports what it saw claims the Seer."""
        found: dict[int, str] = {}
        for act in self.acts("claim", "report", "deny", "retract"):
            if act.kind == "retract" or (act.kind == "deny" and found.get(act.speaker) == act.role):
                found.pop(act.speaker, None)
            elif act.kind in ("claim", "report"):
                found[act.speaker] = act.role or "seer"
        return found

    @cached_property
    def changed(self) -> dict[int, tuple[str, str]]:
        """seat -> (role it claimed first, another it claimed later), of those who did so."""
        order: dict[int, list[str]] = {}
        for act in self.acts("claim", "report"):
            role, said = act.role or "seer", order.setdefault(act.speaker, [])
            if role not in said:
                said.append(role)
        return {seat: (said[0], said[-1]) for seat, said in order.items() if len(said) > 1}

    @cached_property
    def reports(self) -> dict[int, Act]:
        """seat -> what it last reported to have seen, of those who stand by it."""
        found = {a.speaker: a for a in self.acts("report") if len(a.targets) == 2}
        return {seat: act for seat, act in found.items() if self.claims.get(seat) == "seer"}

    @cached_property
    def companions(self) -> dict[int, int]:
        """seat -> whom it last named as its companion, of those who stand by it."""
        found = {a.speaker: a.targets[0] for a in self.acts("companion") if a.targets}
        return {s: other for s, other in found.items() if self.claims.get(s) == "mason"}

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Companions who named each other, or of whom one named the other and it agreed."""
        return sorted(
            {
                (min(s, o), max(s, o))
                for s, o in self.companions.items()
                if self.companions.get(o) == s
                or (self.claims.get(o) == "mason" and self.companions.get(o, s) == s)
            }
        )

    def claimants(self, role: str) -> list[int]:
        """Seats that claim `role` now, in the order they came out with it."""
        spoken = (a for a in self.acts("claim", "report") if (a.role or "seer") == role)
        order = dict.fromkeys(a.speaker for a in spoken)
        return [s for s in order if self.claims.get(s) == role]

    def pressed_by(self, seat: int) -> dict[int, int]:
        """target -> the round in which `seat` last pressed it; the newest last."""
        found: dict[int, int] = {}
        for said in self.said:
            if said.seat == seat:
                for target in said.presses():
                    found.pop(target, None)
                    found[target] = said.round
        return found

    def pressing(self, seat: int) -> list[int]:
        """Those whose newest pressed target is `seat`, in order of speech."""
        return [s for s in self.speakers if s != seat and self.suspect_of(s) == seat]

    def suspect_of(self, seat: int) -> int:
        """Whom `seat` pressed last, 0 for nobody."""
        return next(reversed(self.pressed_by(seat)), 0)

    @cached_property
    def speakers(self) -> list[int]:
        """Seats that have spoken, in the order of their first words."""
        return list(dict.fromkeys(s.seat for s in self.said))

    def since(self, seat: int) -> list[Said]:
        """What was said since `seat` last spoke (everything, if it never did)."""
        last = max((i for i, s in enumerate(self.said) if s.seat == seat), default=-1)
        return self.said[last + 1 :]

    def toward(self, seat: int) -> list[Act]:
        """What others said to or of `seat` since it last spoke, oldest first."""
        return [a for s in self.since(seat) for a in s.acts if seat in a.targets]

    def turns(self, seat: int) -> list[Said]:
        return [s for s in self.said if s.seat == seat]

    def evaded(self, seat: int) -> int:
        """Who asked `seat` for its role and got none in its next words; 0 for nobody."""
        asker = 0
        for said in self.said:
            if said.seat == seat:
                if asker and self.claims.get(seat) is None:
                    return asker
                asker = 0
            elif any(
                a.kind == "question" and a.about == "role" and seat in a.targets for a in said.acts
            ):
                asker = said.seat
        return 0

    def texts(self) -> set[str]:
        return {said.text for said in self.said}
