"""Who claimed what, and one's own story so far: read by rule from what a viewer heard.

Rows hold seats, role keys of the deck, results and rounds, and no word that anybody said: what is
told from them can hold nothing that a player wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.heard import Heard
from agents.talk.acts import Act
from game.engine.ruleset import Ruleset
from game.engine.views import View

SEER = "seer"  # whoever reports what it saw in the night claims to be the Seer


@dataclass(frozen=True)
class Step:
    """One step of a player's story. round: of talk, from 1 on over all days.

    kind: `role` (it claims `role`), `partner` (it and `targets` share `role`), `look` (it looked at
    `targets`; `found`: the Werewolf is among them), `back` (it takes back `role`), `vote` (it
    announces a vote for `targets`).
    true: whether its teller, who reads it, knows it to be true; None for others' steps.
    """

    seat: int
    round: int
    kind: Literal["role", "partner", "look", "back", "vote"]
    role: str = ""
    targets: tuple[int, ...] = ()
    found: bool = False
    true: bool | None = None

    @property
    def same(self) -> tuple[object, ...]:
        """What makes two steps of one story the same."""
        return self.kind, self.role, self.targets, self.found


def steps_of(view: View, ruleset: Ruleset) -> list[Step]:
    """Everyone's steps in the talk that `view` heard, oldest first: each once, and again only
    after it was taken back."""
    found: list[Step] = []
    standing: dict[int, str] = {}  # seat -> the role it claims
    told: dict[int, set[tuple[object, ...]]] = {}
    for said in Heard.of(view).said:
        for act in said.acts:
            for step in _of(act, said.round, standing.get(said.seat, ""), set(ruleset.deck)):
                known = told.setdefault(said.seat, set())
                if step.same in known:
                    continue
                found.append(step)
                if step.kind == "back":
                    known.clear()
                    standing.pop(said.seat, None)
                    continue
                if step.kind == "role":
                    standing[said.seat] = step.role
                if step.kind in ("role", "vote"):  # the one before no longer holds
                    known -= {same for same in known if same[0] == step.kind}
                known.add(step.same)
    return found


def _of(act: Act, round_: int, standing: str, deck: set[str]) -> Iterator[Step]:
    """The steps that one act makes, for a speaker who claims `standing` so far."""
    role = SEER if act.kind == "report" else act.role
    if act.kind in ("claim", "report", "companion") and role in deck:
        if role != standing:
            yield Step(act.speaker, round_, "role", role)
        if act.kind == "report" and act.targets:
            targets = tuple(sorted(act.targets))
            yield Step(act.speaker, round_, "look", role, targets, act.found)
        if act.kind == "companion" and act.targets:
            yield Step(act.speaker, round_, "partner", role, act.targets[:1])
    elif standing and (act.kind == "retract" or (act.kind == "deny" and role == standing)):
        yield Step(act.speaker, round_, "back", standing)
    elif act.kind == "vote" and act.targets:
        yield Step(act.speaker, round_, "vote", targets=act.targets[:1])


def claimed(steps: Iterable[Step], view: View) -> dict[int, list[Step]]:
    """seat -> what it claimed, of every other player in the game, out or not; [] for nothing."""
    rows: dict[int, list[Step]] = {
        seat: [] for seat in range(1, len(view.state.seats) + 1) if seat != view.seat
    }
    for step in steps:
        if step.seat in rows and step.kind != "vote":
            rows[step.seat].append(step)
    return rows


def standing(steps: Iterable[Step]) -> dict[int, str]:
    """seat -> the role it claims after these steps."""
    found: dict[int, str] = {}
    for step in steps:
        if step.kind == "back":
            found.pop(step.seat, None)
        elif step.kind == "role":
            found[step.seat] = step.role
    return found


def contested(steps: Iterable[Step], ruleset: Ruleset) -> dict[str, list[int]]:
    """role -> the seats that claim it now, of roles claimed by more than the deck holds."""
    claims = standing(steps)
    found = {role: sorted(s for s, r in claims.items() if r == role) for role in ruleset.deck}
    return {role: seats for role, seats in found.items() if len(seats) > ruleset.deck.count(role)}


def announced(steps: Iterable[Step]) -> dict[int, list[int]]:
    """seat -> those who announced a vote for it and have named nobody else since, in order of
    their seats; most votes first."""
    last = {s.seat: s.targets[0] for s in steps if s.kind == "vote"}
    found: dict[int, list[int]] = {}
    for voter, target in sorted(last.items()):
        found.setdefault(target, []).append(voter)
    return dict(sorted(found.items(), key=lambda row: (-len(row[1]), row[0])))


def own_story(steps: Iterable[Step], view: View) -> list[Step]:
    """One's own steps, announced votes included, each with whether it was true."""
    return [replace(step, true=_true(step, view)) for step in steps if step.seat == view.seat]


def _true(step: Step, view: View) -> bool | None:
    """Whether the viewer knows its own step to be true; None where that is no question."""
    match step.kind:
        case "role":
            return step.role == view.role
        case "partner":
            held = [view.state.roles.get(seat) for seat in step.targets]
            return view.role == step.role and all(role == step.role for role in held)
        case "look":
            looks = [(tuple(sorted(e["targets"])), e["found"]) for e in _looks(view)]
            return (step.targets, step.found) in looks
    return None


def _looks(view: View) -> Iterator[Mapping[str, Any]]:
    """The viewer's own looks in the night, with their results."""
    return (e.data for e in view.events if e.kind == "divined" and "found" in e.data)
