"""A night: the Werewolves choose one after the other, the Seer looks, the Guard protects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from game.engine.events import MODERATOR, to
from game.engine.forms import picking
from game.engine.script_context import ScriptContext, Step
from game.engine.steps import until_morning
from game.engine.windows import Window

RATED = 0.3  # share of the night for rating the other players, if the table has that question
CHOSEN = 0.95  # share of the night by which the last Werewolf has chosen


def quiet_first_night(context: ScriptContext, roles: Mapping[int, str]) -> Step[int]:
    """Play a first night without an attack, in which only the Seer acts.

    Return 0: nobody is killed.
    """
    living = context.state.living()
    look = _open(context, "divination", [s for s in living if roles[s] == "seer"], living)
    yield from _learn(context, look, roles)
    yield from until_morning(context)
    return 0


def night(context: ScriptContext, roles: Mapping[int, str]) -> Step[int]:
    """Play a night. Return the seat that is killed, 0 for nobody."""
    living = context.state.living()
    wolves, seers, guards = (
        [s for s in living if roles[s] == role] for role in ("werewolf", "seer", "guard")
    )
    look = _open(context, "divination", seers, living)
    guard = _open(context, "protection", guards, living, self_ok=True)
    prey = yield from _hunt(context, wolves, living, RATED if context.must_rate_first else 0.0)
    if guard:
        protected_seat = (yield from context.close(guard))[guard.seats[0]].target
        context.emit("protected", MODERATOR, seat=protected_seat)
    yield from _learn(context, look, roles)
    saved = prey in context.state.protected
    context.emit("attacked", MODERATOR, targets=[prey] if prey else [], saved=saved)
    yield from until_morning(context)
    return 0 if saved else prey


def _learn(context: ScriptContext, look: Window | None, roles: Mapping[int, str]) -> Step[None]:
    """Show the Seer the role of the player it looked at. look: None if the Seer is dead."""
    if look:
        (seat,) = look.seats
        target = (yield from context.close(look))[seat].target
        assert target is not None
        context.emit("divined", to(seat), seat=seat, targets=[target], role=roles[target])


def _open(
    context: ScriptContext,
    kind: str,
    seats: Sequence[int],
    options: Sequence[int],
    *,
    self_ok: bool = False,
) -> Window | None:
    """Open a choice for the holder of a role, None if that player is dead."""
    if not seats:
        return None
    own, legal = to(*seats), picking(options, self_ok=self_ok)
    return context.open(kind, seats, legal, answer_audience=own, window_audience=own, clock="night")


def _hunt(
    context: ScriptContext, wolves: Sequence[int], living: Sequence[int], start: float
) -> Step[int]:
    """Return the seat that the Werewolves attack, 0 if they disagree.

    Each Werewolf sees the choices of those before.

    start: the share of the night that is reserved for other questions.
    """
    among, chosen = to(*wolves), set[int | None]()
    for number, wolf in enumerate(_in_turn(context, wolves), 1):
        window = context.open(
            "attack",
            [wolf],
            picking(living, self_ok=True),
            turn=str(number),
            answer_audience=among,
            window_audience=among,
            clock="night",
            share=start + (CHOSEN - start) * number / len(wolves),
        )
        chosen.add((yield from context.close(window))[wolf].target)
    return chosen.pop() or 0 if len(chosen) == 1 else 0


def _in_turn(context: ScriptContext, wolves: Sequence[int]) -> list[int]:
    """Return the Werewolves in seat order, but people last.

    At a blind table the order is by seat alone, because otherwise it would reveal who is a person.
    """
    people = () if context.state.settings.get("blind") else context.state.people
    return sorted(wolves, key=lambda seat: (seat in people, seat))
