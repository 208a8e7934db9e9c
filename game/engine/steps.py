"""Parts that scripts share: a statement, talk in passes, a ballot, the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from game.engine.events import PUBLIC, RECORD, Audience
from game.engine.forms import Form, Option, picking
from game.engine.ruleset import Ruleset, team_of
from game.engine.table import Step, Table
from game.engine.windows import Answer, Clock, Window


def statement(
    table: Table, seat: int, legal: Form, *, kind: str = "statement", turn: str = ""
) -> Step[Answer]:
    """`seat` speaks to everyone; whoever lets the time run out said nothing."""
    window = table.open(
        kind,
        [seat],
        legal,
        turn=turn or str(seat),
        hears=PUBLIC,
        knows=PUBLIC,
        default="nothing",
        clock="statement",
    )
    answers = yield from table.close(window)
    return answers[seat]


def talk_in_passes(
    table: Table,
    kind: str,
    order: Sequence[int],
    legal: Form,
    *,
    among: Audience,
    talks_each: int,
    talks_all: int,
    clock: Clock = "statement",
    share: float = 1.0,
) -> Step[None]:
    """Talk in passes over `order`; who says Over is done, all Over ends it (SPEC 1.3).

    share: the part of a night by which the whole talk is over, where `clock` is the night's.
    """
    left = dict.fromkeys(order, talks_each)
    spoken = passes = 0
    while left and spoken < talks_all:
        passes += 1
        for seat in [s for s in order if s in left]:
            window = table.open(
                kind,
                [seat],
                legal,
                turn=f"{passes}.{seat}",
                pass_=passes,
                hears=among,
                knows=among,
                default="nothing",
                clock=clock,
                share=share,
            )
            manner = (yield from table.close(window))[seat].action.manner
            spoken += manner == "say"
            left[seat] -= 1
            if manner in ("over", "nothing") or left[seat] == 0:
                del left[seat]
            if spoken >= talks_all:
                break


def open_ballot(
    table: Table,
    seats: Sequence[int],
    options: Sequence[Option],
    *,
    kind: str = "vote",
    turn: str = "",
    among: Audience = PUBLIC,
    may_abstain: bool = False,
    self_ok: bool = False,
) -> Window:
    """Ask `seats` to vote at once, in secret until all are in; then `among` sees the votes."""
    return table.open(
        kind,
        seats,
        picking(options, self_ok=self_ok, may_abstain=may_abstain),
        turn=turn,
        hears=among,
        knows=among,
        default="abstain" if may_abstain else "draw",
        clock="vote" if among == PUBLIC else "night",
    )


def leaders(votes: Mapping[int, Answer]) -> list[int]:
    """The seats with the most votes, sorted; several if tied. The script breaks the tie."""
    counts = Counter(a.target for a in votes.values() if a.target is not None)
    most = max(counts.values(), default=0)
    return sorted(seat for seat, count in counts.items() if count == most and seat is not None)


def until_morning(table: Table) -> Step[None]:
    """Wait for the end of a night of fixed length, so that it tells nothing of who acted."""
    window = table.open("morning", [], picking(()), hears=RECORD, knows=RECORD, clock="night")
    yield from table.close(window)


def finish(table: Table, ruleset: Ruleset, winner: str, reason: str, roles: dict[int, str]) -> None:
    """`winner` (a team, "" for nobody) has won: everyone's role is told, and the game is over."""
    winners = [s for s in table.seats if team_of(ruleset, roles[s]) == winner]
    for seat in table.seats:
        table.tell("role_revealed", PUBLIC, seat=seat, role=roles[seat])
    table.tell("game_over", PUBLIC, winner=winner, winners=winners, reason=reason)
