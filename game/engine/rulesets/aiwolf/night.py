"""The nights of the contest's games: whispers, divination, guard and attack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from game.engine.events import MODERATOR, only_seats
from game.engine.forms import picking
from game.engine.rulesets.aiwolf.talk_rules import limits_of, statement_form
from game.engine.script_context import ScriptContext, Step
from game.engine.steps import (
    open_ballot,
    open_night_choice,
    run_talk_in_passes,
    seats_with_most_votes,
    wait_until_morning,
)
from game.engine.windows import Answer, Default, Window

WHISPER_DEADLINE_SHARE = 0.7  # share of the night by which whispers are over
CHOICE_DEADLINE_SHARE = 0.95  # share of the night by which the Werewolves have chosen


@dataclass(frozen=True)
class LastBallot:
    """The ballot that decided a vote or an attack: its window's key, and the votes by seat."""

    window: str = ""
    votes: Mapping[int, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class NightResult:
    """The results of a night, which the next morning reveals.

    Attributes:
        killed: the killed seat, 0 for none.
        divined: the Seer's target, 0 for none.
        attack: the Werewolves' ballot.
    """

    killed: int = 0
    divined: int = 0
    attack: LastBallot = LastBallot()


class Night:
    """Plays one night.

    Attributes:
        roles: seat -> role key.
        rules: the effective value of every setting.
        living: the seats that are in the game when the night begins.
        wolves: the living Werewolves.
    """

    def __init__(
        self, context: ScriptContext, roles: Mapping[int, str], rules: Mapping[str, Any]
    ) -> None:
        self.context, self.roles, self.rules = context, roles, rules
        self.living = context.state.living()
        self.wolves = [s for s in self.living if roles[s] == "werewolf"]

    def play_evening(self) -> Step[None]:
        """Play the evening of day 0, on which the Werewolves whisper for the first time."""
        yield from self._whisper()
        yield from wait_until_morning(self.context, self.context.state.phase)

    def play_first_night(self) -> Step[NightResult]:
        """Play the night of day 0: whispers and a divination, without an attack."""
        look = self._open_choice("divination", "seer")
        yield from self._whisper()
        target = yield from self._close_choice(look)
        yield from wait_until_morning(self.context)
        return NightResult(divined=target)

    def play_later_night(self) -> Step[NightResult]:
        """Play the night of a later day, after its vote."""
        look = self._open_choice("divination", "seer")
        guard = self._open_choice("guard", "bodyguard")
        yield from self._whisper()
        prey, ballot = yield from self._attack()
        divined = yield from self._close_choice(look)
        guarded = yield from self._close_choice(guard)
        if guarded:
            self.context.emit("protected", MODERATOR, seat=guarded)
        is_saved = prey != 0 and prey == guarded
        self.context.emit("attacked", MODERATOR, targets=[prey] if prey else [], saved=is_saved)
        yield from wait_until_morning(self.context)
        return NightResult(0 if is_saved else prey, divined, ballot)

    def _whisper(self) -> Step[None]:
        """Let the Werewolves talk with each other in secret, if two or more are left."""
        if len(self.wolves) < 2:
            return
        context, day, among = self.context, self.context.state.day, only_seats(*self.wolves)
        purpose = f"whispers/{context.state.moment.phase_number}"
        yield from run_talk_in_passes(
            context,
            "whisper",
            context.draw_order(purpose, self.wolves, among),
            statement_form(self.rules, "whisper", tuple(self.wolves)),
            among=among,
            limits=limits_of(self.rules, "whisper"),
            prefix=f"{context.state.phase}." if not day else "",
            is_simultaneous=self.rules["together"],
            clock="night",
            share=WHISPER_DEADLINE_SHARE,
        )

    def _open_choice(self, kind: str, role: str) -> Window | None:
        """Let the holder of `role` choose another player. None if no living player holds it."""
        seats = [s for s in self.living if self.roles[s] == role]
        default: Default = "nothing" if self.rules["drop_invalid"] else "draw"
        return open_night_choice(self.context, kind, seats, picking(self.living), default)

    def _close_choice(self, window: Window | None) -> Step[int]:
        """Return the chosen seat, 0 for none."""
        if window is None:
            return 0
        (answer,) = (yield from self.context.close_window(window)).values()
        return answer.target or 0

    def _attack(self) -> Step[tuple[int, LastBallot]]:
        """Let the Werewolves choose a victim. Return its seat, 0 for none, and the last ballot.

        A vote for a Werewolf does not count. The form permits one only with `drop_invalid`.
        """
        context = self.context
        humans = [s for s in self.living if s not in self.wolves]
        options = self.living if self.rules["drop_invalid"] else humans
        ballot = LastBallot()
        tied: Sequence[int] = ()
        for number in range(1, self.rules.get("attack_max_count", 1) + 1):
            window = open_ballot(
                context,
                self.wolves,
                options,
                kind="attack",
                turn="again" if number > 1 else "",
                among=only_seats(*self.wolves),
                default="nothing" if self.rules["drop_invalid"] else "draw",
                is_secret=True,
                share=CHOICE_DEADLINE_SHARE,
            )
            votes = yield from context.close_window(window)
            ballot = LastBallot(window.key, votes)
            tied = seats_with_most_votes({s: a for s, a in votes.items() if a.target in humans})
            if len(tied) == 1:
                return tied[0], ballot
        if not tied or self.rules.get("allow_no_target"):
            return 0, ballot
        return context.draw(f"prey/{context.state.day}", tied, only_seats(*self.wolves)), ballot
