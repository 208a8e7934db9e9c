"""Ratio: how much the others rely on one player, divided by how much they rely on each other."""

from collections.abc import Collection, Sequence
from statistics import fmean

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import Day, GameRecord

RATIO, BY_ROLE = "ratio", "ratio_by_role"
OTHERS, PERSON = "others", "person"  # the judges whose scores count
UNDEFINED = "no day has both scores of the Sheriff and scores among the others"


def day_ratio(day: Day, target: int, judges: Collection[int] | None = None) -> float | None:
    """Return the trust in `target`, divided by the trust among the other living players.

    Both are mean scores, the second over all scored ordered pairs. None if either has no score.
    `judges` are the seats whose scores count, all other living ones by default.
    """
    other_seats = [seat for seat in day.living if seat != target]
    judging_seats = [seat for seat in other_seats if judges is None or seat in judges]
    rows = [day.scores.get(judge, {}) for judge in judging_seats]
    toward = [row[target] for row in rows if target in row]
    # A row has no score of the judge itself.
    among = [row[seat] for row in rows for seat in other_seats if seat in row]
    return fmean(toward) / fmean(among) if toward and among else None


def ratio(game: GameRecord) -> Figure:
    """Return the ratio of each day's Sheriff, averaged over the days with a vote."""
    game.require_leader(RATIO)
    days = game.days_with_vote
    values = [day_ratio(day, day.leader) if day.leader else None for day in days]
    return mean_figure(RATIO, OTHERS, values, "days", UNDEFINED, _count_gaps(days))


def ratio_by_person(game: GameRecord) -> Figure:
    """Return the Sheriff's ratio by people's scores alone, averaged over people's days.

    A person's days are those on which the person lives and is not the Sheriff (SPEC 4).
    """
    game.require_leader(RATIO)
    values = [
        day_ratio(day, day.leader, (seat,)) if day.leader else None
        for day in game.days_with_vote
        for seat in day.others
        if seat in game.people
    ]
    return mean_figure(RATIO, PERSON, values, "days of people", "no person scored the Sheriff")


def _count_gaps(days: Sequence[Day]) -> dict[str, int]:
    """Count the pairs of living players without a score, and with one from before the vote.

    The Sheriff is only a target.
    """
    pairs = [(day, j, t) for day in days for j in day.others for t in day.living if t != j]
    return {
        "unscored pairs": sum(t not in day.scores.get(j, {}) for day, j, t in pairs),
        "pairs with an older score (kept)": sum(
            (j, t) in day.older_score_pairs for day, j, t in pairs
        ),
    }


def ratio_by_role(games: Sequence[GameRecord]) -> dict[str, dict[str, Figure]]:
    """Return role -> "without badge" | "with badge" -> mean over player-days (Table 25).

    A player-day is a living player on a day with a vote. The Sheriff is one of the others whose
    scores count for another player.
    """
    ratios: dict[tuple[str, bool], list[float | None]] = {}
    for game in games:
        game.require_leader(BY_ROLE)
        for day in game.days_with_vote:
            for seat in day.living:
                role_and_badge = game.roles[seat], seat == day.leader
                ratios.setdefault(role_and_badge, []).append(day_ratio(day, seat))
    table: dict[str, dict[str, Figure]] = {}
    for (role, has_badge), values in sorted(ratios.items()):
        badge = "with badge" if has_badge else "without badge"
        figure = mean_figure(BY_ROLE, OTHERS, values, "player-days", "nobody was scored")
        table.setdefault(role, {})[badge] = figure
    return table
