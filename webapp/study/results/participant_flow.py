"""The flow of participants through a study (CONSORT), attrition, and results of completers alone.

All other results count every participant who played (intention to treat). Comparisons among the
participants who came to the study's end are shown beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np

from webapp.statistics.intervals import SEED
from webapp.statistics.reported_statistics import Outcome, defined, undefined
from webapp.study.results.study_rows import FlowRow, StudyRows

MAX_TABLES = 200_000  # all are enumerated up to this number, else this many are drawn
TOLERANCE = 1e-9  # of a logarithm of a probability


def participant_flow(rows: StudyRows) -> dict[str, Any]:
    """Return enrolled, screened_out, unassigned, conditions (a row each) and attrition."""
    return {
        **rows.enrolment,
        "conditions": [asdict(row) for row in rows.flow],
        "attrition": attrition(rows.flow),
    }


def attrition(flow: Sequence[FlowRow]) -> Outcome:
    """Test whether conditions lost the same share of the participants who began.

    It is Fisher's exact test, Freeman and Halton's for more than two conditions. Participants who
    are under way are left out.
    """
    begun = [row for row in flow if row.started - row.under_way > 0]
    totals = [row.started - row.under_way for row in begun]
    lost = [row.started - row.under_way - row.completed for row in begun]
    if len(begun) < 2 or not sum(lost):
        return undefined("no_attrition")
    sizes = prod(n + 1 for n in totals[:-1])
    p = _exact_p_value(lost, totals) if sizes <= MAX_TABLES else _sampled_p_value(lost, totals)
    method = "exact" if sizes <= MAX_TABLES else "drawn tables"
    return defined(p, method=method, lost=lost, of=totals)


def _exact_p_value(lost: Sequence[int], totals: Sequence[int]) -> float:
    """Return the probability of all tables of these margins no likelier than the given one."""

    def weight(table: Iterable[int]) -> int:
        return prod(comb(n, k) for n, k in zip(totals, table, strict=True))

    lost_total, observed, reached = sum(lost), weight(lost), 0
    for counts in product(*(range(n + 1) for n in totals[:-1])):
        last = lost_total - sum(counts)
        own = weight((*counts, last)) if 0 <= last <= totals[-1] else 0
        reached += own * (own <= observed)
    return reached / comb(sum(totals), lost_total)


def _sampled_p_value(lost: Sequence[int], totals: Sequence[int]) -> float:
    """Return the same probability, estimated from random tables."""
    from scipy.special import gammaln

    sizes = np.array(totals)

    def log_weights(tables: Any) -> Any:
        return -(gammaln(tables + 1) + gammaln(sizes - tables + 1)).sum(axis=-1)

    drawn = np.random.default_rng(SEED).multivariate_hypergeometric(sizes, sum(lost), MAX_TABLES)
    reached = (log_weights(drawn) <= log_weights(np.array(lost)) + TOLERANCE).sum()
    return float((reached + 1) / (MAX_TABLES + 1))


def completer_rows(rows: StudyRows) -> StudyRows:
    """Return the rows without participants who did not come to the study's end."""

    def is_counted(pseudonym: str) -> bool:
        return not pseudonym or pseudonym in rows.completed

    games = tuple(
        replace(
            game,
            seats=tuple(
                s if is_counted(s.participant) else replace(s, kind="", participant="")
                for s in game.seats
            ),
        )
        for game in rows.games
    )
    return replace(
        rows,
        games=games,
        guesses=tuple(row for row in rows.guesses if is_counted(row.participant)),
        answers=tuple(row for row in rows.answers if is_counted(row.participant)),
        votes=tuple(row for row in rows.votes if is_counted(row.participant)),
    )


def changed_comparisons(
    all_sections: Mapping[str, Any], completer_sections: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the completers' comparisons over all conditions that differ from all people's."""
    names = ("section", "measure", "item", "group", "condition", "of", "a", "b")
    of_everybody = {
        tuple(row[name] for name in names): row
        for section in all_sections.values()
        for row in section["comparisons"]
    }
    return [
        row
        for section in completer_sections.values()
        for row in section["comparisons"]
        if row["condition"] == ""
        and of_everybody.get(tuple(row[name] for name in names), {}).get("difference")
        != row["difference"]
    ]
