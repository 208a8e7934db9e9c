"""Steps of every player's claims so far, in the order they were made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agents.dialogue import Dialogue, result_of
from agents.packs import Pack, Result
from agents.understanding.speech_acts import SpeechAct


@dataclass(frozen=True)
class ClaimStep:
    """One step of a player's claims.

    Attributes:
        round: round of talk, from 1, over all days.
        kind: `role` (claims `role`), `partner` (shares `role` with `targets`), `look` (as `role`,
            looked at `targets` and got the answer `value`), `back` (withdraws the claim of `role`),
            `vote` (announces a vote for `targets`).
        true: whether the claimant, as the reader, knows it to be true. None for others' steps.
    """

    seat: int
    round: int
    kind: Literal["role", "partner", "look", "back", "vote"]
    role: str = ""
    targets: tuple[int, ...] = ()
    value: str = ""
    true: bool | None = None

    @property
    def result(self) -> Result:
        """The result of a look."""
        return Result(self.role, self.targets, self.value)

    @property
    def same(self) -> tuple[object, ...]:
        """Key that two equal steps of one player share."""
        return self.kind, self.role, self.targets, self.value


def claim_steps(dialogue: Dialogue) -> list[ClaimStep]:
    """Return all players' steps, oldest first, without repeats.

    A step counts again after it was withdrawn. An announced vote counts again on another day.
    """
    steps: list[ClaimStep] = []
    standing: dict[int, str] = {}  # seat -> its current claim
    told_by_seat: dict[int, set[tuple[object, ...]]] = {}
    day = 0
    for statement in dialogue.said:
        if day != (day := statement.day):
            for told_steps in told_by_seat.values():
                told_steps -= {same for same in told_steps if same[0] == "vote"}
        for act in statement.acts:
            for step in _steps(
                dialogue.pack, act, statement.round, standing.get(statement.seat, "")
            ):
                told_steps = told_by_seat.setdefault(statement.seat, set())
                if step.same in told_steps:
                    continue
                steps.append(step)
                if step.kind == "back":
                    told_steps.clear()
                    standing.pop(statement.seat, None)
                    continue
                if step.kind == "role":
                    standing[statement.seat] = step.role
                if step.kind in ("role", "vote"):  # the previous one is no longer valid
                    told_steps -= {same for same in told_steps if same[0] == step.kind}
                told_steps.add(step.same)
    return steps


def _steps(pack: Pack, act: SpeechAct, round_: int, standing: str) -> Iterator[ClaimStep]:
    """Yield the steps of one act, for a speaker who claims `standing` so far."""
    role, seat = act.role, act.speaker
    if act.kind in ("claim", "report", "companion") and role in pack.deck:
        if role != standing:
            yield ClaimStep(seat, round_, "role", role)
        if result := result_of(act, pack):
            yield ClaimStep(seat, round_, "look", role, result.targets, result.value)
        elif (
            act.kind == "report" and len(act.targets) > 1
        ):  # one of several, where looks are at one
            yield ClaimStep(seat, round_, "look", role, act.targets, act.value)
        if act.kind == "companion" and act.targets:
            yield ClaimStep(seat, round_, "partner", role, act.targets[:1])
    elif standing and (act.kind == "retract" or (act.kind == "deny" and role == standing)):
        yield ClaimStep(seat, round_, "back", standing)
    elif act.kind == "vote" and act.targets:
        yield ClaimStep(seat, round_, "vote", targets=act.targets[:1])
