"""Tables of an experiment's design, changes, games and costs (Helmsman D.6)."""

from collections import Counter
from typing import Any

from django.db.models import Count, QuerySet, Sum

from agents import backends, model_catalog
from game.engine import labels, rulesets
from game.models import Event
from webapp.play.models import LLMCall
from webapp.study import looks
from webapp.study.design.stages import Design
from webapp.study.judging import concordance
from webapp.study.models import Campaign, Condition, Rater, Slot, Study
from webapp.study.results.result_table import DASH, DESIGN_KEY, ResultTable

FAILED_STATES = (Slot.VOID, Slot.FAILED)
# Labels of answers that a model did not freely give.
COUNTED_LABELS = (*labels.DEGRADED, "repaired", "shortened")
# Audit event that changes an experiment after its start -> its name in the table.
CHANGE_LABELS = {"paused": "paused", "resumed": "continued", "extended": "games added",
           "stopped": "stopped", "closed": "closed"}  # fmt: skip


def fact_tables(study: Study) -> list[ResultTable]:
    """Return the tables of the design, the changes since the start, games, and requests."""
    tables = [_design_table(study), _change_table(study), _game_table(study), _cost_table(study)]
    return [table for table in tables if table.rows]


def _design_table(study: Study) -> ResultTable:
    design = Design.from_json(study.design)
    table = ResultTable("The design", ("Part", "As it was fixed"), text_columns=2, key=DESIGN_KEY)
    experiment, assignment = design.experiment, design.assignment
    ruleset = rulesets.get(design.table.ruleset)
    table.add("Game", f"{ruleset.title}, {len(ruleset.deck)} computer players")
    usual_player = f"{design.table.backend}, method {design.table.method}"
    table.add("Players", f"{usual_player}, unless a condition says otherwise")
    for factor in design.factors:
        table.add(f"Varied: {factor.name}", " / ".join(level.name for level in factor.levels))
    if experiment.league:
        table.add("League", " / ".join(system.name for system in experiment.league))
    deals = "the same deals in all" if assignment.deals == "shared" else "other deals in each"
    repeats = f", each deal {experiment.repeats} times" if experiment.repeats > 1 else ""
    table.add("Games", f"{assignment.games} of each condition, {deals}{repeats}")
    table.add(
        "A game fails",
        f"if more than {experiment.fallbacks} per cent of its answers come from no model, or if it"
        f" was void {experiment.replays + 1} times",
    )
    limits = (f"{value:g} {name}" for name, value in experiment.budget.to_json().items() if value)
    table.add("Budget", ", ".join(limits) or "no limit")
    tests = (f"{t.item}: {t.a} against {t.b}" for t in design.analysis.tests)
    table.add("Tested as planned", "; ".join(tests) or "nothing: all tests are exploratory")
    return table


def _change_table(study: Study) -> ResultTable:
    head = ("When (UTC)", "What", "Why")
    table = ResultTable("Changes and looks since the start", head, text_columns=3, key="changes")
    rows = study.audit_events.filter(what__in=CHANGE_LABELS).values_list("at", "what", "reason")
    events = [(at, CHANGE_LABELS[event], reason or DASH) for at, event, reason in rows]
    for at, count, planned, kind in looks.recorded_looks(study):
        events.append((at, "results seen", f"{kind}, with {count} of {planned} games"))
    for at, event, detail in sorted(events):
        table.add(f"{at:%Y-%m-%d %H:%M}", event, detail)
    return table


def _game_table(study: Study) -> ResultTable:
    conditions = list(study.conditions.prefetch_related("slots"))
    label_counts = {condition.name: _count_labels(condition) for condition in conditions}
    totals = sum(label_counts.values(), Counter[str]())
    kinds = [kind for kind in COUNTED_LABELS if totals[kind]]
    head = ("Condition", "Counted", "Void", "Failed", "Deviations", *kinds)
    table = ResultTable("Games by condition", head, key="games-by-condition")
    table.help = (
        "Conditions that fail most often come first. The last columns count answers of "
        "counted games that a model did not freely give, by label."
    )

    def failed_share(condition: Condition) -> float:
        slots = condition.slots.all()
        return sum(slot.state in FAILED_STATES for slot in slots) / max(1, len(slots))

    for condition in sorted(conditions, key=failed_share, reverse=True):
        name, slots = condition.name, condition.slots.all()
        states = Counter(slot.state for slot in slots)
        deviating = sum(bool(slot.deviations) for slot in slots)
        counts = (states[Slot.DONE], states[Slot.VOID], states[Slot.FAILED], deviating)
        table.add(name, *counts, *(label_counts[name][kind] for kind in kinds))
        failed = (slot for slot in slots if slot.state in FAILED_STATES)
        causes = Counter((slot.state, slot.void_reason) for slot in failed)
        for (state, cause), n in causes.most_common():
            table.note(f"{name}, {state}: {n} × {cause}.")
    if not kinds:
        table.note("No answer of a counted game has a label.")
    return table


def _count_labels(condition: Condition) -> Counter[str]:
    """Count the labels of answers in the games that count, by kind."""
    events = Event.objects.filter(game__slot__condition=condition, game__slot__state=Slot.DONE)
    label_lists = events.exclude(labels=[]).values_list("labels", flat=True)
    return Counter(labels.label_kind(label) for own in label_lists for label in own)


def _cost_table(study: Study) -> ResultTable:
    head = ("Condition", "Built-in requests", "Requests", "Tokens in", "Tokens out", "Money",
            "Hours of games")  # fmt: skip
    table = ResultTable("Requests and cost by condition", head, key="cost-by-condition")
    models = model_catalog.valid_chat_models()
    for condition in study.conditions.all():
        calls = LLMCall.objects.filter(game__slot__condition=condition)
        requests, tokens_in, tokens_out = (Counter[str]() for _ in range(3))  # sums by backend
        paid = calls.exclude(backend=backends.HOUSE).exclude(purpose=LLMCall.RIVAL)
        # One at a time: there may be very many.
        for backend, usage in paid.values_list("backend", "exchange__usage").iterator():
            token_counts = usage if isinstance(usage, dict) else {}
            requests[backend] += 1
            tokens_in[backend] += int(token_counts.get("prompt_tokens") or 0)
            tokens_out[backend] += int(token_counts.get("completion_tokens") or 0)
        costs = [
            models[name].cost(tokens_in[name], tokens_out[name]) if name in models else None
            for name in requests
        ]
        built_in = calls.filter(backend=backends.HOUSE).count()
        counts = (built_in, requests.total(), tokens_in.total(), tokens_out.total())
        money = DASH if None in costs else f"{sum(filter(None, costs)):.2f}"
        times = condition.slots.values_list("began_at", "ended_at")
        hours = sum((end - begin).total_seconds() for begin, end in times if begin and end) / 3600
        table.add(condition.name, *counts, money, f"{hours:.1f}")
        if None in costs:
            table.note("The price of a model is not known: docs/models.md, price_in.")
    table.note(
        "Requests: to language models. Built-in requests: of built-in players, which ask for the"
        " same steps of a method and cost nothing. All games are counted, void and failed ones too."
    )
    return table


def rating_campaigns(study: Study) -> QuerySet[Campaign]:
    """Return the campaigns in which people rate the experiment's games, all of its owner."""
    campaigns = Campaign.objects.filter(
        chosen_games__game__slot__study=study, study__owner=study.owner
    )
    # The experiment's own campaigns are those of its judges, which are language models.
    return campaigns.exclude(study=study).distinct().order_by("pk")


def experiment_inputs(study: Study) -> list[Any]:
    """Return what an experiment's results depend on besides its games, to notice changes."""
    raters = Rater.objects.filter(campaign__in=rating_campaigns(study)).order_by("pk")
    embeddings = model_catalog.valid_embedding_model()
    ratings = raters.values_list("pk", "excluded", "campaign__state", "campaign__name")
    return [
        embeddings.model if embeddings else "",
        *filter(None, map(concordance.judge_state, study.campaigns.all())),
        study.audit_events.filter(what__in=CHANGE_LABELS).count(),
        len(list(looks.recorded_looks(study))),
        *ratings.annotate(Count("assignments"), Sum("assignments__revision")),
    ]
