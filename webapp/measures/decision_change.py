"""DC and DC*: share of players whose vote changed after the Sheriff spoke (Helmsman 3.2, D.5)."""

from collections.abc import Collection
from functools import partial
from typing import Literal

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import Day, GameRecord

DC, DC_STAR = "dc", "dc_star"
# The divisor of the count: the number of others (the paper's N-1), or of all living players as in
# the authors' program.
Divisor = Literal["over_others", "over_living"]
DIVISORS: tuple[Divisor, ...] = ("over_others", "over_living")
PERSON = "person"  # the variant by people's days, each of which is 1 or 0
UNDEFINED = "no day has a vote of the Sheriff and answers from before the Sheriff spoke"


def compared_seats(day: Day) -> list[int]:
    """Return the others with a vote and a pseudo-vote, which people are not always asked for."""
    return [s for s in day.others if s in day.pseudo_votes and s in day.votes]


def day_change(
    day: Day, over: Divisor, *, star: bool = False, voters: Collection[int] | None = None
) -> float | None:
    """Return the share of the others whose vote changed after the Sheriff's speech.

    Two abstentions are equal. None if the Sheriff did not vote, or no other player has both votes.

    Args:
        star: Whether any change counts (DC*). If not, only one to the Sheriff's vote counts (DC).
        voters: The seats whose votes count, all others by default.
    """
    seats = [s for s in compared_seats(day) if voters is None or s in voters]
    if not seats or day.leader not in day.votes:
        return None
    recommended = day.votes[day.leader]
    changed = [
        seat
        for seat in seats
        if day.pseudo_votes[seat] != day.votes[seat] and (star or day.votes[seat] == recommended)
    ]
    return len(changed) / (len(seats) + (over == "over_living"))


def decision_change(game: GameRecord, over: Divisor, *, star: bool = False) -> Figure:
    """Return DC or DC* of a game, averaged over the days with a vote."""
    metric = DC_STAR if star else DC
    game.require_leader(metric)
    days = game.days_with_vote
    values = [day_change(day, over, star=star) for day in days]
    unasked = sum(len(day.others) - len(compared_seats(day)) for day in days)
    omitted = {"players not asked before the Sheriff spoke": unasked}
    return mean_figure(metric, over, values, "days", UNDEFINED, omitted)


BY_DIVISOR = {over: partial(decision_change, over=over) for over in DIVISORS}
STAR_BY_DIVISOR = {over: partial(decision_change, over=over, star=True) for over in DIVISORS}


def decision_change_by_person(game: GameRecord) -> Figure:
    """Return DC of people alone, averaged over people's days, each 1 or 0 (SPEC 4)."""
    game.require_leader(DC)
    values = [
        day_change(day, "over_others", voters=(seat,))
        for day in game.days_with_vote
        for seat in day.others
        if seat in game.people
    ]
    reason = "no person was asked before the Sheriff spoke"
    return mean_figure(DC, PERSON, values, "days of people", reason)
