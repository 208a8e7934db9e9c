"""The expected requests of games to language models, and the expected costs of an experiment.

Costs are means of earlier requests and games of this database.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from django.utils.translation import gettext as _

from agents import backends, model_catalog
from agents.recipe import METHODS, OFFICE
from game.engine import rulesets
from webapp.play.models import LLMCall
from webapp.study.design.conditions import ConditionPlan, merge_tables
from webapp.study.design.stages import Design, TableDesign
from webapp.study.models import Slot
from webapp.study.planning.estimates import game_length

RECENT_REQUESTS, RECENT_GAMES = 500, 50  # the means are computed from this many of the latest ones


@dataclass(frozen=True)
class ExpectedCosts:
    """The expected costs of all games. Tokens and money are without those of `unrecorded`."""

    requests: int = 0
    tokens: int = 0
    money: Mapping[str, float] = field(default_factory=dict)  # currency -> amount
    # None if there is no earlier game of a condition's ruleset and backend.
    hours: float | None = None
    unrecorded: Sequence[str] = ()  # backends without an earlier request whose tokens are known


def expected_costs(design: Design, conditions: Sequence[ConditionPlan]) -> ExpectedCosts:
    """Estimate the costs of all games of an experiment."""
    requests: Counter[str] = Counter()
    for condition in conditions:
        requests += requests_of_condition(design, condition.table)
    models = model_catalog.valid_chat_models()
    tokens, money, unrecorded = 0.0, dict[str, float](), list[str]()
    for backend, count in sorted(requests.items()):
        means = _mean_tokens(backend)
        if means is None:
            unrecorded.append(backend)
            continue
        tokens += count * sum(means)
        cost = models[backend].cost(*map(round, means)) if backend in models else None
        if cost is not None:
            currency = models[backend].currency
            money[currency] = money.get(currency, 0) + count * cost
    return ExpectedCosts(
        requests.total(), round(tokens), money, _expected_hours(design, conditions), unrecorded
    )


def budget_errors(design: Design, costs: ExpectedCosts) -> Iterator[str]:
    """Yield a sentence for each limit that one game of each condition would exceed."""
    budget, games = design.experiment.budget, design.assignment.games
    figures = (
        (budget.requests, costs.requests, _("{n} requests")),
        (budget.tokens, costs.tokens, _("{n} tokens")),
        (budget.money, sum(costs.money.values()), _("{n} in money")),
    )
    for limit, total, unit in figures:
        if 0 < limit < (needed := round(total / games, 2)):
            text = _("One game of each condition needs about {needed}. Allow more than {limit}.")
            yield text.format(needed=unit.format(n=f"{needed:,.12g}"), limit=limit)


def _mean_tokens(backend: str) -> tuple[float, float] | None:
    """Return the mean tokens of prompts and of answers, None without earlier requests."""
    rows = LLMCall.objects.filter(backend=backend, exchange__usage__isnull=False).order_by("-pk")
    usages = [usage for usage in rows.values_list("exchange__usage", flat=True)[:RECENT_REQUESTS]
            if isinstance(usage, dict) and usage.get("prompt_tokens")]  # fmt: skip
    if not usages:
        return None
    return (
        fmean(usage["prompt_tokens"] for usage in usages),
        fmean(usage.get("completion_tokens") or 0 for usage in usages),
    )


def _expected_hours(design: Design, conditions: Sequence[ConditionPlan]) -> float | None:
    """Return the hours until all games are played, with `at_once` concurrent games."""
    seconds = 0.0
    for condition in conditions:
        similar_slots = Slot.objects.filter(
            state=Slot.DONE,
            study__design__table__people=0,
            condition__table__ruleset=condition.table.ruleset,
            condition__table__backend=condition.table.backend,
        ).order_by("-pk")
        times = similar_slots.values_list("began_at", "ended_at")[:RECENT_GAMES]
        durations_s = [(end - begin).total_seconds() for begin, end in times if begin and end]
        if not durations_s:
            return None
        seconds += design.assignment.games * fmean(durations_s)
    return seconds / design.experiment.at_once / 3600


def requests_of_game(table: TableDesign) -> int:
    """Return the expected number of requests of a game, without built-in players."""
    return round(sum(requests_by_backend(table).values()))


def requests_by_backend(table: TableDesign) -> dict[str, float]:
    """Return backend -> expected number of requests of a game, without built-in players."""
    game = game_length(table.ruleset, table.settings)
    deck = rulesets.get(table.ruleset).deck
    seats = len(deck)
    counts: dict[str, float] = defaultdict(float)
    # Drawn seats of people count as the first seats.
    people_seats = table.people_seats or range(1, min(table.people, seats) + 1)
    for seat in set(range(1, seats + 1)) - set(people_seats):
        # The roles of the seats are those of the deck. Another deal changes the sum only if the
        # casting has both roles and seats.
        casting = {**table.casting.get(deck[seat - 1], {}), **table.casting.get(str(seat), {})}
        backend = casting.get("backend") or table.backend
        method = METHODS.get(casting.get("method") or table.method)
        faculty_names = method.own_faculties if method else ()
        faculty_requests = sum(game.faculties.get(name, 0) for name in faculty_names)
        # One seat at a time holds the badge, and each seat about as often.
        office_share = 1 / seats if (office := table.backends.get(OFFICE)) else 0
        for name, share in ((backend, 1 - office_share), (office, office_share)):
            if name and name != backends.HOUSE and share:
                counts[name] += share * (game.answers + faculty_requests) / seats
    return counts


def requests_of_condition(design: Design, table: TableDesign) -> Counter[str]:
    """Return backend -> expected number of requests of all games of a condition."""
    seats = len(rulesets.get(table.ruleset).deck)
    tables = [*system_tables(design, table, seats).values()] or [table]
    total: Counter[str] = Counter()
    for system_table in tables:
        for backend, count in requests_by_backend(system_table).items():
            total[backend] += round(design.assignment.games * count / len(tables))
    return total


def system_tables(design: Design, table: TableDesign, seats: int) -> dict[str, TableDesign]:
    """Return system -> the table with that system in its first `seats` seats."""
    tables = {}
    for system in design.experiment.league:
        own_seats = {str(seat): system.seat for seat in range(1, seats + 1)}
        casting = merge_tables(table.casting, own_seats)
        tables[system.name] = table.model_copy(update={"casting": casting})
    return tables
