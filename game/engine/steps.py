"""Parts that scripts share: a statement, talk in passes, a ballot, the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from game.engine.events import PUBLIC, RECORD, Audience
from game.engine.forms import Form, Option, picking
from game.engine.ruleset import Ruleset, team_of
from game.engine.script_context import ScriptContext, Step
from game.engine.side_questions import ASK_WHY, REASON_WORDS
from game.engine.windows import Answer, Clock, Window


def statement(
    context: ScriptContext,
    seat: int,
    legal: Form,
    *,
    kind: str = "statement",
    turn: str = "",
    raters: Sequence[int] | None = None,
) -> Step[Answer]:
    """`seat` speaks to everyone.

    Whoever lets the time run out said nothing. raters: as `ScriptContext.open` takes them.
    """
    window = context.open(
        kind,
        [seat],
        legal,
        turn=turn or str(seat),
        answer_audience=PUBLIC,
        window_audience=PUBLIC,
        default="nothing",
        clock="statement",
        raters=raters,
    )
    answers = yield from context.close(window)
    return answers[seat]


def talk_in_passes(
    context: ScriptContext,
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
    """Talk in passes over `order`.

    Who says Over is done, all Over ends it (SPEC 1.3).

    share: the part of a night by which the whole talk is over, where `clock` is the night's.
    """
    left = dict.fromkeys(order, talks_each)
    spoken = passes = 0
    while left and spoken < talks_all:
        passes += 1
        for seat in [s for s in order if s in left]:
            window = context.open(
                kind,
                [seat],
                legal,
                turn=f"{passes}.{seat}",
                pass_=passes,
                answer_audience=among,
                window_audience=among,
                default="nothing",
                clock=clock,
                share=share,
            )
            action_kind = (yield from context.close(window))[seat].action.kind
            spoken += action_kind == "say"
            left[seat] -= 1
            if action_kind in ("over", "nothing") or left[seat] == 0:
                del left[seat]
            if spoken >= talks_all:
                break


def open_ballot(
    context: ScriptContext,
    seats: Sequence[int],
    options: Sequence[Option],
    *,
    kind: str = "vote",
    turn: str = "",
    among: Audience = PUBLIC,
    may_abstain: bool = False,
    self_ok: bool = False,
    raters: Sequence[int] | None = None,
) -> Window:
    """Ask `seats` to vote at once, in secret until all are in.

    Then `among` sees the votes. raters: as `ScriptContext.open` takes them.
    """
    reason_words = REASON_WORDS if context.state.settings.get(ASK_WHY.key) else 0
    return context.open(
        kind,
        seats,
        picking(options, self_ok=self_ok, may_abstain=may_abstain, reason_words=reason_words),
        turn=turn,
        answer_audience=among,
        window_audience=among,
        default="abstain" if may_abstain else "draw",
        clock="vote" if among == PUBLIC else "night",
        raters=raters,
    )


def leaders(votes: Mapping[int, Answer]) -> list[int]:
    """Return the seats with the most votes, sorted.

    Several if tied. The script breaks the tie.
    """
    counts = Counter(a.target for a in votes.values() if a.target is not None)
    most = max(counts.values(), default=0)
    return sorted(seat for seat, count in counts.items() if count == most and seat is not None)


def until_morning(context: ScriptContext) -> Step[None]:
    """Wait for the end of a night of fixed length, so that it tells nothing of who acted."""
    window = context.open(
        "morning", [], picking(()), answer_audience=RECORD, window_audience=RECORD, clock="night"
    )
    yield from context.close(window)


def finish(
    context: ScriptContext, ruleset: Ruleset, winner: str, reason: str, roles: dict[int, str]
) -> None:
    """`winner` (a team, "" for nobody) has won: everyone's role is told, and the game is over."""
    winners = [s for s in context.seats if team_of(ruleset, roles[s]) == winner]
    for seat in context.seats:
        context.emit("role_revealed", PUBLIC, seat=seat, role=roles[seat])
    context.emit("game_over", PUBLIC, winner=winner, winners=winners, reason=reason)
