"""The flow of participants through a study (CONSORT), attrition, and results of completers alone.

What the page shows first counts everybody who played, whether they came to the end or not
(intention to treat). The comparisons of those who came to the end alone stand beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np

from webapp.statistics.intervals import SEED
from webapp.statistics.reported_statistics import Outcome, defined, unknown
from webapp.study.results.study_rows import FlowRow, StudyRows

TABLES = 200_000  # up to so many are enumerated for an exact p; else so many are drawn
CLOSE = 1e-9


def participant_flow(rows: StudyRows) -> dict[str, Any]:
    """Return enrolled, screened_out, unassigned, conditions (a row each) and attrition."""
    return {
        **rows.enrolment,
        "conditions": [asdict(row) for row in rows.flow],
        "attrition": attrition(rows.flow),
    }


def attrition(flow: Sequence[FlowRow]) -> Outcome:
    """Test whether the share of those who began and did not come to the end is the same.

    Fisher's exact test, Freeman and Halton's for more than two conditions. Who is under way counts
    in neither.
    """
    begun = [row for row in flow if row.started - row.under_way > 0]
    totals = [row.started - row.under_way for row in begun]
    lost = [row.started - row.under_way - row.completed for row in begun]
    if len(begun) < 2 or not sum(lost):
        return unknown("no_attrition")
    sizes = prod(n + 1 for n in totals[:-1])
    p = _enumerated(lost, totals) if sizes <= TABLES else _sampled_p_value(lost, totals)
    method = "exact" if sizes <= TABLES else "drawn tables"
    return defined(p, method=method, lost=lost, of=totals)


def _enumerated(lost: Sequence[int], totals: Sequence[int]) -> float:
    """Return the share of tables of these margins that are no likelier than the given one."""

    def weight(table: Iterable[int]) -> int:
        return prod(comb(n, k) for n, k in zip(totals, table, strict=True))

    lost_total, observed, reached = sum(lost), weight(lost), 0
    for part in product(*(range(n + 1) for n in totals[:-1])):
        own = weight((*part, rest)) if 0 <= (rest := lost_total - sum(part)) <= totals[-1] else 0
        reached += own * (own <= observed)
    return reached / comb(sum(totals), lost_total)


def _sampled_p_value(lost: Sequence[int], totals: Sequence[int]) -> float:
    from scipy.special import gammaln

    sizes = np.array(totals)

    def logs(tables: Any) -> Any:
        return -(gammaln(tables + 1) + gammaln(sizes - tables + 1)).sum(axis=-1)

    drawn = np.random.default_rng(SEED).multivariate_hypergeometric(sizes, sum(lost), TABLES)
    reached = (logs(drawn) <= logs(np.array(lost)) + CLOSE).sum()
    return float((reached + 1) / (TABLES + 1))


def completers_of(rows: StudyRows) -> StudyRows:
    """Return the same of those alone who came to the end."""

    def is_counted(pseudonym: str) -> bool:
        return not pseudonym or pseudonym in rows.completed

    games = tuple(
        replace(
            game,
            seats=tuple(
                s if is_counted(s.who) else replace(s, kind="", who="") for s in game.seats
            ),
        )
        for game in rows.games
    )
    return replace(
        rows,
        games=games,
        guesses=tuple(row for row in rows.guesses if is_counted(row.participant)),
        answers=tuple(row for row in rows.answers if is_counted(row.participant)),
        votes=tuple(row for row in rows.votes if is_counted(row.who)),
    )


def without_lost(
    everybody: Mapping[str, Any], completers: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the comparisons over all conditions that differ among completers, those of them."""
    names = ("section", "measure", "item", "group", "condition", "of", "a", "b")
    before = {
        tuple(one[name] for name in names): one
        for section in everybody.values()
        for one in section["comparisons"]
    }
    return [
        one
        for section in completers.values()
        for one in section["comparisons"]
        if one["condition"] == ""
        and before.get(tuple(one[name] for name in names), {}).get("difference")
        != one["difference"]
    ]
