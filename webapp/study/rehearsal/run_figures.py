"""Figures of a rehearsed study: counts, waiting times, minutes for each stage, pay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from statistics import median, quantiles
from typing import Any

from webapp.study.models import Participant, Payment, Seating, Slot, Study
from webapp.study.payments.payment_decisions import visible_payments
from webapp.study.rehearsal import lost_answers, process
from webapp.study.rehearsal.person import CLOSED, ENDED, IDLE, LEFT, STUCK, Person, names_of
from webapp.study.sessions import bonuses, slots
from webapp.study.sessions.participant_steps import (
    WAITING,
    completion_code,
    design_of,
    exit_settings,
    minutes_by_step,
    route,
)

SAID_AT_MOST = 5  # number of people in the report who were stuck
# Percentiles of a distribution, by name. All of them are in the unit of the values.
PERCENTILES = {"p10": 10, "p25": 25, "median": 50, "p75": 75, "p90": 90}


def run_figures(study: Study, speed: float) -> dict[str, Any]:
    """Return `waiting`, `stages` and `pay` of a rehearsed study.

    Measured times are multiplied by `speed`. So are times that the machine took: at a high speed
    the minutes of games and of waiting are upper bounds.

    Returns:
        waiting: distribution of the seconds in a waiting room, one value for each visit. stages:
        step's key and the distribution of its minutes, in order. pay: see `_pay`.
    """
    people = list(study.participants.filter(consented_at__isnull=False))
    minutes = {row.pk: minutes_by_step(row) for row in people}
    stages, waits = [], list[float]()
    for step in route(design_of(study)):
        values = [speed * own[step.key] for own in minutes.values() if step.key in own]
        stages.append({"step": step.key, "minutes": distribution(values)})
        if step.kind == WAITING:
            waits += [60 * value for value in values]
    completed = [speed * sum(minutes[p.pk].values()) for p in people if p.exit == "completed"]
    return {
        "waiting": distribution(waits),
        "stages": stages,
        "pay": _pay(study, people, completed),
    }


def distribution(values: Sequence[float]) -> dict[str, float]:
    """Return n, the PERCENTILES and max of the values, rounded to 0.01; {"n": 0} of none."""
    if not values:
        return {"n": 0}
    cuts = quantiles([*values, *values[:1]] if len(values) == 1 else values, n=100,
                     method="inclusive")  # fmt: skip
    percentiles = {name: round(cuts[at - 1], 2) for name, at in PERCENTILES.items()}
    return {"n": len(values), **percentiles, "max": round(max(values), 2)}


def _pay(study: Study, people: Sequence[Participant], completed: Sequence[float]) -> dict[str, Any]:
    """Return what is owed. completed: minutes of each participant who completed the study.

    Returns:
        currency; total; by_exit: exit -> people and total; per_hour: the mean pay of those who
        completed the study, for the median of their minutes, None if nobody did. Amounts are
        strings.
    """
    amounts_due = dict.fromkeys((row.pk for row in people), Decimal(0))
    for payment in visible_payments(study):
        amounts_due[payment.participant_id] += payment.amount
    by_exit: dict[str, list[Decimal]] = {}
    for row in people:
        by_exit.setdefault(row.exit, []).append(amounts_due[row.pk])
    total_completed = sum(by_exit.get("completed", ()), Decimal(0))
    hours = Decimal(median(completed)) / 60 if completed else Decimal(0)
    return {
        "currency": design_of(study).currency,
        "total": f"{sum(amounts_due.values(), Decimal(0)):.2f}",
        "by_exit": {
            kind: {"people": len(amounts), "total": f"{sum(amounts, Decimal(0)):.2f}"}
            for kind, amounts in sorted(by_exit.items())
        },
        "per_hour": f"{total_completed / len(completed) / hours:.2f}" if hours else None,
    }


def counts(study: Study, people: Sequence[Person], seconds: float) -> dict[str, Any]:
    """Return the counts of simulated people, games, and answers that the database lacks."""
    exits = dict(Participant.objects.filter(study=study).values_list("key", "exit"))
    ends = Counter(exits.get(person.key, "") or person.end for person in people)
    stuck = [person for person in people if person.end == STUCK]
    lost = lost_answers.missing_answers(people)
    wrong = wrong_pay(study, people)
    for person in stuck:
        process.report(f"stuck: {person.own or 'before consent'}: {person.why}")
    for lost_answer in lost:
        process.report(f"lost: {lost_answer}")
    for line in wrong:
        process.report(f"paid wrongly: {line}")
    screened = ("screened_out", "quiz_early", "quiz_failed", "unsuitable")
    return {
        "participants": len(people),
        "completed": ends["completed"],
        "left": sum(person.end in (LEFT, CLOSED) for person in people),
        "drawn_to_leave": sum(person.habits.leaves_at is not None for person in people),
        "idle": sum(person.end == IDLE for person in people),
        "drawn_to_idle": sum(person.habits.idles_at is not None for person in people),
        "inside": study.participants.filter(exit="", consented_at__isnull=False).count(),
        "screened": sum(ends[kind] for kind in screened),
        "waited_out": ends["waited_out"],
        "games": study.slots.filter(state=Slot.DONE).count(),
        "stuck": len(stuck),
        "stuck_where": [person.why for person in stuck[:SAID_AT_MOST]],
        "answers_lost": len(lost),
        "pay_wrong": len(wrong),
        "codes_wrong": len(_wrong_codes(people)),
        "seconds": round(seconds, 1),
        "answers": sum(len(person.posted) for person in people),
        "ways_out": dict(sorted(ends.items())),
        "by_condition": _by_condition(study),
    }


def _wrong_codes(people: Sequence[Person]) -> list[str]:
    """Return own links whose last page showed another code than the database has."""
    wrong_codes = []
    for person in people:
        rows = Participant.objects.filter(key=person.key).select_related("study")
        participant = rows.first() if person.end == ENDED else None
        if participant and person.code != completion_code(participant):
            wrong_codes.append(person.own)
    return wrong_codes


def wrong_pay(study: Study, people: Sequence[Person]) -> list[str]:
    """Return a line for each fault of people's exits and pay, compared with what they did."""
    rows = study.participants.filter(consented_at__isnull=False, withdrew=False)
    strangers = rows.exclude(key__in=[person.key for person in people])
    return [
        *(line for person in people for line in _wrong_pay(study, person)),
        *(f"{row} is nobody, or somebody a second time" for row in strangers),
    ]


def _wrong_pay(study: Study, person: Person) -> Iterator[str]:
    rows = Participant.objects.filter(key=person.key, study=study).select_related("study")
    if (row := rows.first()) is None:
        return
    is_absent, absences = person.end in (CLOSED, IDLE), ("abandoned", "timed_out", "")
    if is_absent and row.exit == "completed" and not _reached_debriefing(study, person):
        yield f"{row} completed, and has stopped before the end"
    if person.end == ENDED and row.exit in absences:
        yield f"{row} took part to the end, and left by {row.exit!r}"
    due = exit_settings(study, row.exit).pay
    expected = {row.exit: due} if due and row.exit else {}
    for bonus, cases in bonuses.count_bonus_cases(row) if row.exit else ():
        expected[bonuses.REASON_PREFIX + bonus.rule] = bonuses.bonus_amount(bonus, cases)
    payments = dict(Payment.objects.filter(participant=row).values_list("reason", "amount"))
    if payments != expected and not row.withdrew:
        yield f"{row} ({row.exit}) is owed {payments}, expected is {expected}"


def _reached_debriefing(study: Study, person: Person) -> bool:
    """Return whether only the debriefing was missing, which asks for nothing."""
    steps = route(design_of(study))
    texts = [text for one in person.posted for text in names_of(one).get("step", [])]
    last = max((int(text) for text in texts if text.isdecimal()), default=0)
    return steps[-1].kind == "debriefing" and last >= steps[-1].index - 1


def _by_condition(study: Study) -> dict[str, dict[str, int]]:
    """Return condition -> its games, and how many participants completed the study from them."""
    counts_by_condition = {}
    for name, states in slots.slot_counts(study).items():
        through = Seating.objects.filter(
            slot__study=study, slot__condition__name=name, state=Seating.SEATED,
            participant__exit="completed",
        )  # fmt: skip
        completed = through.values("participant").distinct().count()
        counts_by_condition[name] = {
            "games": states[Slot.DONE],
            "void": states[Slot.VOID],
            "playing": states[Slot.PLAYING],
            "completed": completed,
        }
    return counts_by_condition
