"""Check logs of contest games against their rules (SPEC 1.3), independent of the script.

The audit reads only the log's events and uses no state, step or form of the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from game.engine.events import Event

DECKS = {
    5: Counter(villager=2, seer=1, possessed=1, werewolf=1),
    13: Counter(villager=6, seer=1, medium=1, bodyguard=1, possessed=1, werewolf=3),
}
HUMANS = {"villager", "seer", "medium", "bodyguard", "possessed"}


@dataclass
class Section:
    """The events of one phase."""

    phase: str
    day: int
    events: list[Event] = field(default_factory=list)

    def of(self, kind: str) -> list[Event]:
        return [e for e in self.events if e.kind == kind]


class Audit:
    """Audit of one log. `faults` lists the violations, one sentence each."""

    def __init__(self, log: Sequence[Event]) -> None:
        self.log, self.faults = log, list[str]()
        self.settings: dict[str, Any] = dict(log[0]["settings"])
        self.names: list[str] = log[0]["seats"]
        self.roles = {e["seat"]: e["role"] for e in log if e.kind == "role_dealt"}
        self.windows = {e["key"]: e for e in log if e.kind == "window_opened"}
        self.living = set(self.roles)
        self.last_votes: dict[int, int] = {}
        self.last_attack: dict[int, int] = {}
        self.exiled = self.killed = self.divined = 0
        self.is_over = False

    def setting(self, name: str, default: Any) -> Any:
        return self.settings.get(name, default)

    def check(self, holds: object, text: str) -> None:
        if not holds:
            self.faults.append(text)

    @property
    def wolves(self) -> set[int]:
        return {s for s in self.living if self.roles[s] == "werewolf"}

    def run(self) -> list[str]:
        """Return the violations of a finished game's log."""
        self.check(Counter(self.roles.values()) == DECKS[len(self.names)], "the deck is wrong")
        acquainted = [e for e in self.log if e.kind == "acquainted"]
        self.check(
            [set(e["seats"]) for e in acquainted] == [self.wolves]
            and set(acquainted[0].audience.seats) == self.wolves,
            "the werewolves do not know each other alone",
        )
        for section in self._sections():
            self.check(not self.is_over, f"{section.phase} {section.day} after the end")
            self._no_role_is_public(section)
            getattr(self, f"_{section.phase}")(section)
        self.check(self.is_over, "the game ended without a reason")
        return self.faults

    def _sections(self) -> Iterator[Section]:
        sections: list[Section] = []
        for event in self.log:
            if event.kind == "phase_opened":
                sections.append(Section(event["phase"], event["day"]))
            elif sections:
                sections[-1].events.append(event)
        first = ["evening", "talk", "night"] if len(self.names) == 13 else ["talk", "night"]
        expected = [(phase, 0) for phase in first]
        expected += [(p, d) for d in range(1, 40) for p in ("dawn", "talk", "vote", "night")]
        order = [(s.phase, s.day) for s in sections]
        self.check(order == expected[: len(order)], f"the phases are {order}")
        yield from sections

    def _no_role_is_public(self, section: Section) -> None:
        public_reveals = [e for e in section.of("role_revealed") if e.audience.kind == "public"]
        ended = bool(section.of("game_over"))
        self.check(not public_reveals or ended, f"a role is shown on day {section.day}")

    # -- talk

    def _talk(self, section: Section) -> None:
        order = self._drawn_order(section, "speakers")
        self.check(sorted(order) == sorted(self.living), "the order is not of the living")
        self._passes(section.of("statement"), order, "talk", "public")

    def _evening(self, section: Section) -> None:
        self._whispers(section)

    def _whispers(self, section: Section) -> None:
        whispers = section.of("whisper")
        if len(self.wolves) < 2:
            self.check(not whispers, "a lone werewolf whispers")
            return
        among = f"seats:{'.'.join(map(str, sorted(self.wolves)))}"
        self._passes(whispers, self._drawn_order(section, "whispers"), "whisper", among)

    def _drawn_order(self, section: Section, purpose: str) -> list[int]:
        draws = (e for e in section.of("drawn") if e["purpose"].startswith(purpose))
        return list(next(draws)["result"])

    def _passes(
        self, statements: list[Event], order: list[int], prefix: str, audience: str
    ) -> None:
        each = self.setting(f"{prefix}_per_agent", 4)
        skips = self.setting(f"{prefix}_max_skip", 0)
        max_passes = self.setting(f"{prefix}_per_day", 12 if prefix == "whisper" else 52)
        remaining, skip_rows = dict.fromkeys(order, each), dict.fromkeys(order, 0)
        answers = iter(statements)
        passes = 0
        while True:
            turn = [s for s in order if remaining[s]]
            if not turn or passes == max_passes:
                break
            passes += 1
            is_continued = False
            for seat in sorted(turn) if self.setting("together", False) else turn:
                event = next(answers, None)
                if event is None or event["seat"] != seat:
                    self.check(False, f"{prefix}: pass {passes} does not ask seat {seat}")
                    return
                self.check(str(event.audience) == audience, f"{prefix}: heard by others")
                is_done = self._answer(event, skip_rows, skips, prefix)
                remaining[seat] = 0 if is_done else remaining[seat] - 1
                is_continued |= not is_done
            if not is_continued:
                break
        self.check(next(answers, None) is None, f"{prefix}: goes on after its end")

    def _answer(self, event: Event, skip_rows: dict[int, int], skips: int, prefix: str) -> bool:
        """Return whether the answer ends the seat's talk, and count consecutive skips."""
        seat, forced = event["seat"], "timeout" in event.labels
        if event["manner"] == "say":
            skip_rows[seat] = 0
            self._length(event, prefix)
        if event["manner"] == "skip" and not forced:
            skip_rows[seat] += 1
            return 0 <= skips < skip_rows[seat]
        self.check(event["manner"] != "nothing", f"{prefix}: a silence that is no Skip")
        return bool(event["manner"] == "over")

    def _length(self, event: Event, prefix: str) -> None:
        if self.setting("count", "words") != "characters":
            return
        text, setting_prefix = event["text"], "whisper_" if prefix == "whisper" else ""
        other_names = [n for s, n in enumerate(self.names, 1) if s != event["seat"]]
        mentions = [(text.find("@" + n), -len(n)) for n in other_names if "@" + n in text]
        start, length = min(mentions, default=(len(text), 0))
        before, after = text[:start], text[start + 1 - length :] if mentions else ""
        for part, limit in ((before, "base_length"), (after, "mention_length")):
            characters = sum(not c.isspace() for c in part)
            max_characters = self.setting(setting_prefix + limit, 125)
            self.check(
                max_characters < 0 or characters <= max_characters,
                f"{characters} characters of {max_characters}",
            )
        self.check(text.strip(), "an empty statement")
        if mentions and (seat := other_names.index(text[start + 1 : start + 1 - length])) >= 0:
            named_seat = self.names.index(other_names[seat]) + 1
            hearers = self.wolves if setting_prefix else self.living
            expected = [named_seat] if named_seat in hearers else []
            self.check(event.data.get("targets", []) == expected, f"{text!r} is to {event.data}")

    # -- vote

    def _vote(self, section: Section) -> None:
        ballots = [list(g) for _k, g in groupby(section.of("vote"), key=lambda e: e["window"])]
        self.check(0 < len(ballots) <= self.setting("vote_max_count", 1), "too many ballots")
        tied: set[int] = set()
        for number, ballot in enumerate(ballots):
            self.check(number == 0 or len(tied) != 1, "a second ballot without a tie")
            votes = self._votes(ballot, self.living, self.setting("allow_self_vote", False))
            tied = _most_voted(votes)
            self.last_votes = votes
        needs_second_ballot = len(tied) != 1 and len(ballots) < self.setting("vote_max_count", 1)
        self.check(not needs_second_ballot, "no second ballot after a tie")
        exiled = [e["seat"] for e in section.of("out")]
        self.exiled = exiled[0] if exiled else 0
        self.check(
            exiled == [] if not tied else len(exiled) == 1 and exiled[0] in tied,
            f"{exiled} of {tied}",
        )
        self._check_draw(section, "exile", tied)
        self.living -= set(exiled)
        self._check_end(section)

    def _check_draw(self, section: Section, purpose: str, tied: set[int]) -> None:
        draws = [e for e in section.of("drawn") if e["purpose"].startswith(purpose)]
        expected = [sorted(tied)] if len(tied) > 1 else []
        self.check([sorted(e["among"]) for e in draws] == expected, f"{purpose}: a wrong draw")

    def _votes(self, ballot: list[Event], options: set[int], allow_self: bool) -> dict[int, int]:
        votes = {}
        expected_seats = set(self.windows[ballot[0]["window"]]["seats"])
        self.check(
            expected_seats == {e["seat"] for e in ballot}, "a vote of a seat without a request"
        )
        for event in ballot:
            seat, targets = event["seat"], event.data.get("targets", [])
            self.check(str(event.audience) == f"seats:{seat}", "a vote is seen before the morning")
            if targets:
                votes[seat] = targets[0]
                self.check(targets[0] in options, f"{seat} chooses {targets[0]}, who may not be")
                self.check(allow_self or targets[0] != seat, f"{seat} chooses itself")
        return votes

    # -- night

    def _night(self, section: Section) -> None:
        self._whispers(section)
        self.divined = self._choice(section, "divination", "seer")
        if section.day == 0:
            self.check(not section.of("attack"), "an attack on day 0")
            self.killed = 0
            return
        guarded = self._choice(section, "guard", "bodyguard")
        ballots = [list(g) for _k, g in groupby(section.of("attack"), key=lambda e: e["window"])]
        self.check(0 < len(ballots) <= self.setting("attack_max_count", 1), "too many attacks")
        drop, tied = self.setting("drop_invalid", False), set[int]()
        for number, ballot in enumerate(ballots):
            self.check(number == 0 or len(tied) != 1, "a second attack without a tie")
            self.check({e["seat"] for e in ballot} == self.wolves, "others than wolves attack")
            options = self.living if drop else self.living - self.wolves
            self.last_attack = self._votes(ballot, options, allow_self=False)
            counted = {s: t for s, t in self.last_attack.items() if t not in self.wolves}
            tied = _most_voted(counted)
        if len(tied) > 1 and self.setting("allow_no_target", False):
            tied = set()
        self._check_draw(section, "prey", tied)
        (attack,) = section.of("attacked")
        self.check(set(attack["targets"]) <= tied and bool(attack["targets"]) == bool(tied), "prey")
        prey = attack["targets"][0] if attack["targets"] else 0
        self.check(attack["saved"] == (prey > 0 and prey == guarded), "the guard did not count")
        self.killed = 0 if prey == guarded else prey

    def _choice(self, section: Section, kind: str, role: str) -> int:
        events = section.of(kind)
        holders = [s for s in self.living if self.roles[s] == role]
        self.check([e["seat"] for e in events] == holders, f"{kind} by {events}")
        for event in events:
            self.check(str(event.audience) == f"seats:{event['seat']}", f"{kind} is seen")
            for target in event.data.get("targets", []):
                self.check(target in self.living - {event["seat"]}, f"{kind} of {target}")
                return int(target)
        return 0

    # -- morning

    def _dawn(self, section: Section) -> None:
        dead = [e["seat"] for e in section.of("out")]
        self.check(
            dead == ([self.killed] if self.killed else []), f"{dead} instead of {self.killed}"
        )
        self.living -= set(dead)
        if self._check_end(section):
            return
        visible = self.setting("vote_visibility", True) and section.day > 1
        self._check_votes_shown(section, "vote_shown", self.last_votes if visible else {}, "public")
        among = f"seats:{'.'.join(map(str, sorted(self.wolves)))}"
        self._check_votes_shown(section, "attack_shown", self.last_attack if visible else {}, among)
        self._check_results(section, "divined", "seer", self.divined)
        self._check_results(section, "identified", "medium", self.exiled)
        self.exiled = 0

    def _check_votes_shown(
        self, section: Section, kind: str, votes: dict[int, int], audience: str
    ) -> None:
        events = section.of(kind)
        self.check({e["seat"]: e["targets"][0] for e in events} == votes, f"{kind}: wrong votes")
        self.check({str(e.audience) for e in events} <= {audience}, f"{kind}: wrong viewers")

    def _check_results(self, section: Section, kind: str, role: str, target: int) -> None:
        holders = [s for s in self.living if self.roles[s] == role]
        expected = []
        if holders and target:
            species = "human" if self.roles[target] in HUMANS else "werewolf"
            expected = [(f"seats:{holders[0]}", [target], species)]
        results = [(str(e.audience), e["targets"], e["species"]) for e in section.of(kind)]
        self.check(results == expected, f"{kind}: {results} instead of {expected}")

    # -- the end

    def _check_end(self, section: Section) -> bool:
        wolves, humans = len(self.wolves), len(self.living) - len(self.wolves)
        winner = "" if wolves else "village"
        if wolves >= humans:
            winner = "werewolf"
        max_day = self.setting("max_day", -1)
        too_long = section.phase == "dawn" and 0 <= max_day < section.day and not winner
        ends = section.of("game_over")
        self.is_over = bool(ends)
        self.check(bool(ends) == bool(winner or too_long), f"{wolves} against {humans}: {ends}")
        for end in ends:
            self.check(end["winner"] == winner, f"{end['winner']} wins instead of {winner}")
            side = {"werewolf", "possessed"}
            winners = [
                s for s, r in self.roles.items() if winner and (r in side) == (winner in side)
            ]
            self.check(sorted(end["winners"]) == sorted(winners), "wrong winners")
        return bool(ends)


def _most_voted(votes: dict[int, int]) -> set[int]:
    counts = Counter(votes.values())
    return {s for s, n in counts.items() if n == max(counts.values())}


def find_violations(log: Sequence[Event]) -> list[str]:
    """Return the violations of the rules in the log of a finished game."""
    return Audit(log).run()
