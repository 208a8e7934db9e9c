"""The nights of the game with a Sheriff, in which Werewolves, Seer and Guard choose."""

from collections.abc import Mapping, Sequence

from game.engine.events import MODERATOR, only_seats
from game.engine.forms import picking
from game.engine.script_context import ScriptContext, Step
from game.engine.steps import open_night_choice, wait_until_morning
from game.engine.windows import Window

RATING_SHARE = 0.3  # share of the night for rating the others before the attack, if the table rates
CHOICE_DEADLINE_SHARE = 0.95  # share of the night by which the last Werewolf has chosen


def play_night(context: ScriptContext, roles: Mapping[int, str], *, is_safe: bool) -> Step[int]:
    """Play a night. Return the seat that is killed, 0 for no one.

    In a safe night only the Seer acts.
    """
    living = context.state.living()
    wolves, seers, guards = (
        [s for s in living if roles[s] == role] for role in ("werewolf", "seer", "guard")
    )
    look = open_night_choice(context, "divination", seers, picking(living))
    if is_safe:
        yield from _show_role(context, look, roles)
        yield from wait_until_morning(context)
        return 0
    guard = open_night_choice(context, "protection", guards, picking(living, allow_self=True))
    start = RATING_SHARE if context.must_rate_first else 0.0
    prey = yield from _hunt(context, wolves, living, start)
    if guard:
        protected_seat = (yield from context.close_window(guard))[guard.seats[0]].target
        context.emit("protected", MODERATOR, seat=protected_seat)
    yield from _show_role(context, look, roles)
    is_saved = prey in context.state.protected
    context.emit("attacked", MODERATOR, targets=[prey] if prey else [], saved=is_saved)
    yield from wait_until_morning(context)
    return 0 if is_saved else prey


def _show_role(context: ScriptContext, look: Window | None, roles: Mapping[int, str]) -> Step[None]:
    """Show the Seer the role of the player chosen in `look`, which is None if the Seer is out."""
    if look:
        (seat,) = look.seats
        target = (yield from context.close_window(look))[seat].target
        assert target is not None
        context.emit("divined", only_seats(seat), seat=seat, targets=[target], role=roles[target])


def _hunt(
    context: ScriptContext, wolves: Sequence[int], living: Sequence[int], start: float
) -> Step[int]:
    """Let the Werewolves choose one after the other. Each sees the earlier choices.

    The share of the night until `start` is reserved for other questions. Return the attacked seat,
    0 if the Werewolves disagree.
    """
    among, chosen = only_seats(*wolves), set[int | None]()
    for number, wolf in enumerate(_choosing_order(context, wolves), 1):
        window = context.open_window(
            "attack",
            [wolf],
            picking(living, allow_self=True),
            turn=str(number),
            answer_audience=among,
            window_audience=among,
            clock="night",
            share=start + (CHOICE_DEADLINE_SHARE - start) * number / len(wolves),
        )
        chosen.add((yield from context.close_window(window))[wolf].target)
    return chosen.pop() or 0 if len(chosen) == 1 else 0


def _choosing_order(context: ScriptContext, wolves: Sequence[int]) -> list[int]:
    """Return the Werewolves in the order of their choices: by seat, but people last.

    At a blind table the order is by seat alone. Otherwise it would reveal who is a person.
    """
    people = () if context.state.settings.get("blind") else context.state.people
    return sorted(wolves, key=lambda seat: (seat in people, seat))
