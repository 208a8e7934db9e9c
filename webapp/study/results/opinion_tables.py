"""Tables of favor and belief over time, by role and condition (Humanized 2.3 and 2.4)."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from webapp.measures.figure import Figure, add_interval
from webapp.measures.game_record import BELIEF, FAVOR, GameRecord
from webapp.study.results.result_table import ResultTable, format_ends

Opinions = dict[str, dict[str, dict[int, Figure]]]  # condition -> role -> round -> mean


class Subject(NamedTuple):
    """What opinions are about, and how its table and figure show them."""

    key: str  # key of the table and of the figure
    title: str
    help: str
    digits: int
    low: float  # `low` and `high` are the ends of the scale
    high: float


SUBJECTS = {
    FAVOR: Subject(
        "favor-by-round",
        "Favor over time, by role and condition",
        "How much the other players like the holders of a role: 50 is neutral, 100 the maximum.",
        digits=1,
        low=1,
        high=100,
    ),
    BELIEF: Subject(
        "belief-by-round",
        "Belief over time, by role and condition",
        "How probable the others think it that the holders of a role are Werewolves, from 0 to 1."
        " The Werewolves' team, who know it, are not asked.",
        digits=2,
        low=0,
        high=1,
    ),
}


def opinion_table(
    conditions: Mapping[str, Sequence[GameRecord]], subject: str
) -> ResultTable | None:
    """Return the mean opinions by role and round, None if no agent has any."""
    texts = SUBJECTS[subject]
    head = ("Condition", "Role", "Round", "Games", "Mean", "95% CI")
    table = ResultTable(texts.title, head, text_columns=3, key=texts.key, folded=True)
    table.help, table.figure = texts.help, texts.key
    opinions = opinions_by_condition(conditions, subject)
    for name, by_role in opinions.items():
        for role, row in by_role.items():
            for number, figure in row.items():
                mean = f"{figure.value:.{texts.digits}f}"
                interval = format_ends(figure.interval, texts.digits)
                table.add(name, role, number, figure.n, mean, interval)
    table.note(
        "Mean over games of what living players think of living holders when the round opens."
        " CI: over games, on the logit; none below three games or where all are alike."
    )
    if missing := [name for name in conditions if name not in opinions]:
        table.note(f"Without {subject}, as no agent there notes it: {', '.join(missing)}.")
    return table if opinions else None


def opinions_by_condition(conditions: Mapping[str, Sequence[GameRecord]], subject: str) -> Opinions:
    """Return the opinions by role and round of the conditions that have any."""
    all_opinions = {name: opinions_by_round(games, subject) for name, games in conditions.items()}
    return {name: by_role for name, by_role in all_opinions.items() if by_role}


def opinions_by_round(games: Sequence[GameRecord], subject: str) -> dict[str, dict[int, Figure]]:
    """Return role -> round -> what the others think of its holders, the mean over games.

    The value of a game is the mean over all pairs of a living judge and a living holder. Players
    who know the Werewolves do not judge a belief (`record_builder`).

    Args:
        subject: FAVOR (1 to 100, 50 at the start) or BELIEF (probability of being a Werewolf).
    """
    game_means: dict[tuple[str, int], list[float]] = {}
    for game in games:
        pair_values: dict[tuple[str, int], list[float]] = {}
        for opinion in (o for o in game.opinions if o.subject == subject):
            for seat, value in opinion.values.items():
                pair_values.setdefault((game.roles[seat], opinion.round), []).append(value)
        for key, values in pair_values.items():
            game_means.setdefault(key, []).append(fmean(values))
    means: dict[str, dict[int, Figure]] = {}
    for (role, number), values in sorted(game_means.items()):
        mean = Figure(subject, "by role", fmean(values), len(values), "games")
        mean = add_interval(mean, values, SUBJECTS[subject].low, SUBJECTS[subject].high)
        means.setdefault(role, {})[number] = mean
    return means
