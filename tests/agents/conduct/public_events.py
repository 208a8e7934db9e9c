"""Public information before a statement: claims, reports, votes and pledges."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from agents.packs import Pack
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine.events import PUBLIC, Event


@dataclass
class PublicLog:
    """The public events before a statement."""

    events: list[Event]
    seats: tuple[str, ...]
    pack: Pack
    # (seat, acts, day) of each statement
    talk: list[tuple[int, tuple[SpeechAct, ...], int]] = field(default_factory=list)
    votes: dict[str, dict[int, int]] = field(default_factory=dict)  # window -> voter -> target
    out: dict[int, str] = field(default_factory=dict)  # seat -> cause
    badges: list[int] = field(default_factory=list)
    leaders: dict[int, int] = field(default_factory=dict)  # day of a ballot -> holder of the badge
    first_ballots: dict[int, str] = field(default_factory=dict)  # day -> window of its first ballot

    def __post_init__(self) -> None:
        day = before = 0
        talks = True
        words = self.pack.ruleset.wording
        for event in self.events:
            data = event.data
            if event.kind == "phase_opened":
                day = data["day"]
                talks = (
                    words.phases[data["phase"]].is_talk if data["phase"] in words.phases else True
                )
            elif data.get("manner") == "say" and event.audience == PUBLIC and data.get("text"):
                seat, text = data["seat"], data["text"]
                acts = understand(text, seat, self.seats, before, self.pack, not talks)
                self.talk.append((seat, self._by_claimed_role(seat, acts), day))
                before = seat
            elif event.kind == "out":
                self.out[data["seat"]] = data["cause"]
            elif words.picks_of(event.kind) == "exile" and event.audience == PUBLIC:
                target = next(iter(data.get("targets", ())), 0)
                if isinstance(target, int) and target:
                    self.votes.setdefault(data["window"], {})[data["seat"]] = target
                    ballot_day = data.get("day", day)  # thirteen seats see the votes a day later
                    self.leaders[ballot_day] = self.badges[-1] if self.badges else 0
                    self.first_ballots.setdefault(ballot_day, data["window"])
            elif event.kind == "badge_given" and event.audience == PUBLIC:
                self.badges.append(data["seat"])

    def _by_claimed_role(self, seat: int, acts: tuple[SpeechAct, ...]) -> tuple[SpeechAct, ...]:
        """Attribute a report to the claimed role: a Medium may use the words of a Seer."""
        role = self.claims_by(seat)
        if not self.pack.look(role) or any(a.kind == "claim" for a in acts):
            return acts
        return tuple(replace(a, role=role) if a.kind == "report" else a for a in acts)

    def acts(self, seat: int, *kinds: str) -> list[SpeechAct]:
        acts_of_seat = [a for s, acts, _ in self.talk if s == seat for a in acts]
        return [a for a in acts_of_seat if not kinds or a.kind in kinds]

    def claims_by(self, seat: int) -> str:
        """Return the current role claim of `seat`, "" for none."""
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
        """Return (statement index, target, strength) of all accusations of `seat`."""
        return [
            (n, t, a.strength)
            for n, (s, acts, _) in enumerate(self.talk)
            if s == seat
            for a in acts
            if a.strength
            for t in a.targets
        ]

    def current_target(self, seat: int) -> int:
        """Return the target that `seat` accused last, 0 for none."""
        pressed = self.presses(seat)
        return pressed[-1][1] if pressed else 0

    def press_index(self, seat: int, target: int) -> int:
        """Return the index of the first accusation, or the number of statements if none."""
        return next((n for n, t, _ in self.presses(seat) if t == target), len(self.talk))

    def has_look(self, seat: int, about: set[int], finds: bool | None) -> bool:
        """Return whether `seat` has reported a look at all of `about` that accuses or clears."""
        reports = (a for a in self.acts(seat, "report") if about <= {*a.targets})
        return any(finds in (None, self.pack.accuses(a.result)) for a in reports)

    def part(self, seat: int) -> str:
        return str(self.pack.part(self.claims_by(seat)))

    @cached_property
    def last_votes(self) -> dict[int, int]:
        return next(reversed(self.votes.values()), {})

    @property
    def had_quiet_night(self) -> bool:
        """Whether there was a night with an attack window and without a death."""
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
    def last_ballot_day(self) -> int:
        """The day of the last ballot."""
        return max(self.first_ballots, default=0)

    def pledge(self, seat: int, ballot_day: int = 0) -> int:
        """Return the target of the last vote announcement on a ballot day (default: the last)."""
        pledged = 0
        for speaker, acts, day in self.talk:
            for act in acts if (speaker, day) == (seat, ballot_day or self.last_ballot_day) else ():
                if act.strength and act.targets and pledged not in act.targets[-1:]:
                    pledged = act.targets[-1] if act.kind == "vote" else 0
        return pledged

    def advice(self, day: int = 0) -> int:
        """Return the vote that the badge holder recommended last on the day of a ballot."""
        return self.pledge(self.leaders[day or self.last_ballot_day], day)

    def broken_pledges(self, seat: int) -> list[tuple[int, int, int]]:
        """Return (day, announced target, actual target) of votes against the announcement."""
        ballots = self.first_ballots.items()
        votes = [(d, self.pledge(seat, d), self.votes[w].get(seat, 0)) for d, w in ballots]
        return [(d, p, e) for d, p, e in votes if p and e and e not in (p, self.advice(d))]

    @cached_property
    def last_statements(self) -> dict[int, int]:
        """Seat -> its last statement."""
        return {seat: n for n, (seat, *_) in enumerate(self.talk)}
