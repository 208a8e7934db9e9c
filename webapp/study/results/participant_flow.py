"""The flow of participants (CONSORT), attrition, and results of completers only.

Completers are participants who came to the study's end. All other results count every participant
who played (intention to treat).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from math import comb, prod
from operator import itemgetter
from typing import Any

import numpy as np

from webapp.statistics.intervals import BOOTSTRAP_SEED
from webapp.statistics.reported_statistics import Outcome, defined, undefined
from webapp.study.results.study_rows import FlowRow, SeatRow, StudyRows

MAX_TABLES = 200_000  # up to this number all are enumerated, else this many are drawn
LOG_PROBABILITY_TOLERANCE = 1e-9  # values that differ by less count as equal


def participant_flow(rows: StudyRows) -> dict[str, Any]:
    """Return enrolled, screened_out, unassigned, conditions (a row each) and attrition."""
    return {
        **rows.enrolment,
        "conditions": [asdict(row) for row in rows.flow],
        "attrition": compare_attrition(rows.flow),
    }


def compare_attrition(flow: Sequence[FlowRow]) -> Outcome:
    """Test whether conditions lost the same share of the participants who began.

    Fisher's exact test, or Freeman and Halton's for more than two conditions. Participants who are
    under way are left out.
    """
    left_or_completed = [row for row in flow if row.started > row.under_way]
    totals = [row.started - row.under_way for row in left_or_completed]
    lost = [row.started - row.under_way - row.completed for row in left_or_completed]
    if len(totals) < 2 or not sum(lost):
        return undefined("no_attrition")
    is_exact = prod(n + 1 for n in totals[:-1]) <= MAX_TABLES
    p_value = (_exact_p_value if is_exact else _sampled_p_value)(lost, totals)
    method = "exact" if is_exact else "drawn tables"
    return defined(p_value, method=method, lost=lost, of=totals)


def _exact_p_value(lost: Sequence[int], totals: Sequence[int]) -> float:
    """Return the probability of the tables with these margins that are no likelier than ours."""

    def weight(table: Iterable[int]) -> int:
        return prod(comb(n, k) for n, k in zip(totals, table, strict=True))

    lost_total, observed_weight, extreme_weight = sum(lost), weight(lost), 0
    for counts in product(*(range(n + 1) for n in totals[:-1])):
        last = lost_total - sum(counts)
        own_weight = weight((*counts, last)) if 0 <= last <= totals[-1] else 0
        if own_weight <= observed_weight:
            extreme_weight += own_weight
    return extreme_weight / comb(sum(totals), lost_total)


def _sampled_p_value(lost: Sequence[int], totals: Sequence[int]) -> float:
    """Return an estimate of `_exact_p_value` from random tables."""
    from scipy.special import gammaln

    sizes = np.array(totals)

    def log_weights(tables: Any) -> Any:
        return -(gammaln(tables + 1) + gammaln(sizes - tables + 1)).sum(axis=-1)

    generator = np.random.default_rng(BOOTSTRAP_SEED)
    drawn = generator.multivariate_hypergeometric(sizes, sum(lost), MAX_TABLES)
    extreme = (log_weights(drawn) <= log_weights(np.array(lost)) + LOG_PROBABILITY_TOLERANCE).sum()
    return float((extreme + 1) / (MAX_TABLES + 1))  # + 1: the observed table counts as drawn


def completer_rows(rows: StudyRows) -> StudyRows:
    """Return the rows without the values of participants who are not completers."""

    def is_counted(pseudonym: str) -> bool:
        return not pseudonym or pseudonym in rows.completed

    def counted_seat(seat: SeatRow) -> SeatRow:
        return seat if is_counted(seat.participant) else replace(seat, kind="", participant="")

    games = tuple(replace(g, seats=tuple(map(counted_seat, g.seats))) for g in rows.games)
    counted_rows: dict[str, Any] = {
        name: tuple(row for row in getattr(rows, name) if is_counted(row.participant))
        for name in ("guesses", "answers", "votes")
    }
    return replace(rows, games=games, **counted_rows)


def changed_comparisons(
    all_sections: Mapping[str, Any], completer_sections: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the completers' comparisons over all conditions whose difference changes."""
    read_key = itemgetter("section", "measure", "item", "group", "condition", "of", "a", "b")
    all_rows, rows_of_completers = (
        [row for section in sections.values() for row in section["comparisons"]]
        for sections in (all_sections, completer_sections)
    )
    differences = {read_key(row): row["difference"] for row in all_rows}
    over_all = (row for row in rows_of_completers if row["condition"] == "")
    return [row for row in over_all if differences.get(read_key(row)) != row["difference"]]
