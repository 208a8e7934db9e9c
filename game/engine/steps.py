"""Steps that the scripts of rulesets share: a statement, talk in passes, a ballot, the end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from game.engine.events import PUBLIC, RECORD, Audience, Option, only_seats
from game.engine.forms import Form, Pick, Speech, picking
from game.engine.labels import is_forced
from game.engine.ruleset import Ruleset, TalkLimits, team_of
from game.engine.script_context import ScriptContext, Step
from game.engine.side_questions import ASK_WHY, MAX_REASON_WORDS, POLL_PEOPLE
from game.engine.text_checks import NO_LIMIT
from game.engine.windows import Answer, Clock, Default, Window


def run_statement(
    context: ScriptContext,
    seat: int,
    legal: Form,
    *,
    kind: str = "statement",
    raters: Sequence[int] | None = None,
) -> Step[Answer]:
    """Let `seat` make a statement to everyone, or say nothing if its time runs out."""
    window = context.open_window(
        kind,
        [seat],
        legal,
        turn=str(seat),
        answer_audience=PUBLIC,
        window_audience=PUBLIC,
        default="nothing",
        clock="statement",
        raters=raters,
    )
    answers = yield from context.close_window(window)
    return answers[seat]


@dataclass
class _TalkBudget:
    """The answers that a player has left in a talk, and the Skips left in a row (or NO_LIMIT)."""

    answers: int
    skips: int

    def spend(self, answer: Answer, max_skips: int) -> bool:
        """Count an answer. Return whether the player is done: Over, or a Skip too many."""
        kind, is_silence = answer.action.kind, is_forced(answer.labels)
        is_done = kind == "over" or (kind == "skip" and not self.skips and not is_silence)
        self.answers = 0 if is_done else self.answers - 1
        if kind == "say":
            self.skips = max_skips
        elif self.skips != NO_LIMIT and not is_silence:
            self.skips = max(0, self.skips - 1)
        return is_done


def run_talk_in_passes(
    context: ScriptContext,
    kind: str,
    order: Sequence[int],
    legal: Speech,
    *,
    among: Audience,
    limits: TalkLimits,
    prefix: str = "",
    is_simultaneous: bool = False,
    clock: Clock = "statement",
    share: float = 1.0,
) -> Step[None]:
    """Run a talk in passes over `order` (SPEC 1.3).

    Every answer uses up one of `TalkLimits.max_answers`, also a Skip or a silence. A player who
    says Over is done, and a pass of nothing but Over ends the talk. A silence is a Skip that does
    not count towards `TalkLimits.max_skips`.

    Args:
        prefix: begins the turns of the windows, if a phase has several talks.
        is_simultaneous: whether all players of a pass are asked at once.
        share: the share of a night by which the whole talk is over, if `clock` is the night's.
    """
    budgets = {seat: _TalkBudget(limits.max_answers, limits.max_skips) for seat in order}
    for number in range(1, limits.max_passes + 1):
        asked_seats = [s for s in order if budgets[s].answers > 0]
        # The seats of a group answer at once. Without anyone to ask there is no group.
        is_one_group = is_simultaneous and asked_seats
        groups = [asked_seats] if is_one_group else [[s] for s in asked_seats]
        is_talk_over = True
        for seats in groups:
            window = context.open_window(
                kind,
                seats,
                replace(legal, may_skip=legal.may_skip and any(budgets[s].skips for s in seats)),
                turn=f"{prefix}{number}" if is_simultaneous else f"{prefix}{number}.{seats[0]}",
                pass_=number,
                answer_audience=among,
                window_audience=among,
                default="skip",
                clock=clock,
                share=share,
            )
            for seat, answer in (yield from context.close_window(window)).items():
                is_talk_over &= budgets[seat].spend(answer, limits.max_skips)
        if is_talk_over:
            return


def open_ballot(
    context: ScriptContext,
    seats: Sequence[int],
    options: Sequence[Option],
    *,
    kind: str = "vote",
    turn: str = "",
    among: Audience = PUBLIC,
    may_abstain: bool = False,
    allow_self: bool = False,
    raters: Sequence[int] | None = None,
    default: Default | None = None,
    is_secret: bool = False,
    share: float = 1.0,
) -> Window:
    """Let `seats` vote at once. When all votes are in, `among` sees them.

    Args:
        default: the action of a seat whose time runs out; None: abstain if permitted, else a drawn
            option.
        is_secret: whether no seat sees the votes of others until the script publishes them.
        share: as for `run_talk_in_passes`.
    """
    reason_words = MAX_REASON_WORDS if context.state.settings.get(ASK_WHY) else 0
    return context.open_window(
        kind,
        seats,
        Pick(
            tuple(options),
            allow_self=allow_self,
            may_abstain=may_abstain,
            max_reason_words=reason_words,
        ),
        turn=turn,
        answer_audience=None if is_secret else among,
        window_audience=among,
        default=default or ("abstain" if may_abstain else "draw"),
        clock="vote" if among == PUBLIC else "night",
        share=share,
        raters=raters,
    )


def open_poll(
    context: ScriptContext,
    kind: str,
    seats: Sequence[int],
    legal: Form,
    *,
    raters: Sequence[int] | None = None,
) -> Window:
    """Open a poll on record: no player ever sees its answers.

    Agents are asked, and people too if the setting POLL_PEOPLE is on. The script waits only for
    people.
    """
    asks_people = bool(context.state.settings.get(POLL_PEOPLE))
    return context.open_window(
        kind,
        seats,
        legal,
        answer_audience=RECORD,
        window_audience=PUBLIC if asks_people else RECORD,
        asks="everyone" if asks_people else "agents",
        waits_for="people" if asks_people else "nobody",
        default="abstain",
        clock="poll",
        raters=raters,
    )


def open_night_choice(
    context: ScriptContext, kind: str, seats: Sequence[int], legal: Form, default: Default = "draw"
) -> Window | None:
    """Open a secret choice at night for `seats`, which hold a role. None if no one holds it."""
    if not seats:
        return None
    own = only_seats(*seats)
    return context.open_window(
        kind, seats, legal, answer_audience=own, window_audience=own, default=default, clock="night"
    )


def seats_with_most_votes(votes: Mapping[int, Answer]) -> list[int]:
    """Return the seats with the most votes, sorted. The script breaks a tie."""
    counts = Counter(seat for a in votes.values() if (seat := a.target) is not None)
    max_votes = max(counts.values(), default=0)
    return sorted(seat for seat, count in counts.items() if count == max_votes)


def wait_until_morning(context: ScriptContext, turn: str = "") -> Step[None]:
    """Wait for the end of a night of fixed length. A shorter night would reveal who acted."""
    window = context.open_window(
        "morning",
        [],
        picking(()),
        turn=turn,
        answer_audience=RECORD,
        window_audience=RECORD,
        clock="night",
    )
    yield from context.close_window(window)


def end_game(
    context: ScriptContext, ruleset: Ruleset, winner: str, reason: str, roles: dict[int, str]
) -> None:
    """End the game: reveal all roles and record the winning team, "" for no one."""
    winners = [s for s in context.seats if team_of(ruleset, roles[s]) == winner]
    for seat in context.seats:
        context.emit("role_revealed", PUBLIC, seat=seat, role=roles[seat])
    context.emit("game_over", PUBLIC, winner=winner, winners=winners, reason=reason)
