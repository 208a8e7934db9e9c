"""What everybody could hear before a statement: claims, reports, votes and pledges so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from agents.packs import Pack
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine.events import PUBLIC, Event

_meaning = lru_cache(maxsize=4096)(understand)


@dataclass
class Heard:
    """The public events before a statement."""

    events: list[Event]
    seats: tuple[str, ...]
    pack: Pack
    talk: list[tuple[int, tuple[SpeechAct, ...], int, int]] = field(default_factory=list)
    votes: dict[str, dict[int, int]] = field(default_factory=dict)  # window -> voter -> target
    out: dict[int, str] = field(default_factory=dict)  # seat -> cause
    badges: list[int] = field(default_factory=list)
    leaders: dict[int, int] = field(default_factory=dict)  # day of a ballot -> who had the badge
    first: dict[int, str] = field(default_factory=dict)  # day -> the window of its first ballot

    def __post_init__(self) -> None:
        day = round_ = before = 0
        talks = True
        words = self.pack.ruleset.wording
        for event in self.events:
            data = event.data
            if event.kind == "phase_opened":
                day, round_ = data["day"], data.get("round", 0)
                talks = (
                    words.phases[data["phase"]].is_talk if data["phase"] in words.phases else True
                )
            elif data.get("manner") == "say" and event.audience == PUBLIC and data.get("text"):
                acts = _meaning(
                    data["text"], data["seat"], self.seats, before, self.pack, not talks
                )
                before = data["seat"]
                self.talk.append((before, self._by_claimed_role(before, acts), day, round_))
            elif event.kind == "out":
                self.out[data["seat"]] = data["cause"]
            elif words.picks_of(event.kind) == "exile" and event.audience == PUBLIC:
                target = next(iter(data.get("targets", ())), 0)
                if isinstance(target, int) and target:
                    self.votes.setdefault(data["window"], {})[data["seat"]] = target
                    voted = data.get("day", day)  # thirteen seats see the votes a day later
                    self.leaders[voted] = self.badges[-1] if self.badges else 0
                    self.first.setdefault(voted, data["window"])
            elif event.kind == "badge_given" and event.audience == PUBLIC:
                self.badges.append(data["seat"])

    def _by_claimed_role(self, seat: int, acts: tuple[SpeechAct, ...]) -> tuple[SpeechAct, ...]:
        """A report in words of a Seer, by who claims to be a Medium, is a Medium's."""
        role = self.claims_by(seat)
        if not self.pack.look(role) or any(a.kind == "claim" for a in acts):
            return acts
        return tuple(replace(a, role=role) if a.kind == "report" else a for a in acts)

    def acts(self, seat: int, *kinds: str) -> list[SpeechAct]:
        said = [a for s, acts, _, _ in self.talk if s == seat for a in acts]
        return [a for a in said if not kinds or a.kind in kinds]

    def claims_by(self, seat: int) -> str:
        """The role that `seat` claims now, "" for none."""
        role = ""
        for act in self.acts(seat, "claim", "report", "deny", "retract"):
            if act.kind in ("claim", "report"):
                role = act.role
            elif act.kind == "retract" or act.role == role:
                role = ""
        return role

    def claimants(self, role: str) -> set[int]:
        return {s for s in range(1, len(self.seats) + 1) if role and self.claims_by(s) == role}

    def presses(self, seat: int) -> list[tuple[int, int, int]]:
        """(statement, target, strength) of all that `seat` pressed."""
        return [
            (n, t, a.strength)
            for n, (s, acts, _, _) in enumerate(self.talk)
            if s == seat
            for a in acts
            if a.strength
            for t in a.targets
        ]

    def now(self, seat: int) -> int:
        """Whom `seat` presses now, 0 for nobody."""
        pressed = self.presses(seat)
        return pressed[-1][1] if pressed else 0

    def when(self, seat: int, target: int) -> int:
        """The first statement in which `seat` pressed `target`; past all for never."""
        return next((n for n, t, _ in self.presses(seat) if t == target), len(self.talk))

    def looks(self, seat: int, about: set[int], finds: bool | None) -> bool:
        """Whether `seat` has reported a look at all of `about` that finds, or clears."""
        told = (a for a in self.acts(seat, "report") if about <= {*a.targets})
        return any(finds in (None, self.pack.accuses(a.result)) for a in told)

    def part(self, seat: int) -> str:
        return str(self.pack.part(self.claims_by(seat)))

    @cached_property
    def last_votes(self) -> dict[int, int]:
        return next(reversed(self.votes.values()), {})

    @property
    def quiet(self) -> bool:
        """Whether everybody lived through a night in which somebody could be attacked."""
        nights, killed = 0, 0
        for event in self.events:
            words = self.pack.ruleset.wording
            phase = words.phases.get(event.data.get("phase", ""))
            talks = event.kind == "phase_opened" and phase is not None and phase.is_talk
            if talks and event.data.get("round", 0) < 2:
                nights += self.pack.ruleset.has_attack_on(event.data["day"] - 1, {})
            killed += event.kind == "out" and words.picks_of(event.data["cause"]) == "harm"
        return nights > killed

    @property
    def voted(self) -> int:
        """The day of the last ballot."""
        return max(self.first, default=0)

    def pledge(self, seat: int, voted: int = 0) -> int:
        """Whom `seat` said it would vote for on a ballot's day (the last), and pressed last."""
        pledged = 0
        for who, acts, day, _ in self.talk:
            for act in acts if (who, day) == (seat, voted or self.voted) else ():
                if act.strength and act.targets and pledged not in act.targets[-1:]:
                    pledged = act.targets[-1] if act.kind == "vote" else 0
        return pledged

    def advice(self, day: int = 0) -> int:
        """For whom the holder of the badge spoke last on the day of a ballot."""
        return self.pledge(self.leaders[day or self.voted], day)

    def broken(self, seat: int) -> list[tuple[int, int, int]]:
        """(day, whom it said it would vote for, whom it voted for) where that was another one."""
        votes = [
            (d, self.pledge(seat, d), self.votes[w].get(seat, 0)) for d, w in self.first.items()
        ]
        return [(d, p, e) for d, p, e in votes if p and e and e not in (p, self.advice(d))]

    @cached_property
    def last(self) -> dict[int, int]:
        """Seat -> its last statement."""
        return {seat: n for n, (seat, *_) in enumerate(self.talk)}
