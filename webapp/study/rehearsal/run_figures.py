"""Figures of a rehearsed study: counts, waiting times, minutes, pay, lost answers.

A lost answer was accepted but is not in the database. It can be one of a stage (`Response`), of a
rating's page (`Rating`) or of a game (`Answer`, by the id of the post). Answers of participants who
withdrew are not checked.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from statistics import median, quantiles
from typing import Any
from urllib.parse import unquote

from game.engine.text_checks import MAX_ANSWER_LINE_BREAKS, tidy
from game.models import Answer
from webapp.study.models import Assignment, Participant, Payment, Response, Seating, Slot, Study
from webapp.study.payments.payment_decisions import visible_payments
from webapp.study.rater.rating_form import PLACE_PREFIX
from webapp.study.rating.stimuli import build_fields, submitted_values
from webapp.study.rehearsal import separate_process
from webapp.study.rehearsal.person import CLOSED, ENDED, IDLE, LEFT, STUCK, Person, SubmittedForm
from webapp.study.sessions import bonuses, participant_state, slots
from webapp.study.sessions.participant_state import WAITING, design_of, exit_settings, route

MAX_STUCK_REASONS = 5
SCREENING_EXITS = ("screened_out", "quiz_early", "quiz_failed", "unsuitable")
# Name in the report -> percentile.
PERCENTILES = {"p10": 10, "p25": 25, "median": 50, "p75": 75, "p90": 90}


def run_figures(study: Study, speed: float) -> dict[str, Any]:
    """Return `waiting` (seconds of each visit), `stages` (minutes) and `pay` of a rehearsed study.

    Measured times are multiplied by `speed`, although it does not divide the machine's own time.
    So at a high speed, the minutes of games and of waiting are upper bounds.
    """
    people = list(study.participants.filter(consented_at__isnull=False))
    minutes = {row.pk: participant_state.minutes_by_step(row) for row in people}
    stages, waits = [], list[float]()
    for step in route(design_of(study)):
        values = [speed * by_step[step.key] for by_step in minutes.values() if step.key in by_step]
        stages.append({"step": step.key, "minutes": distribution(values)})
        if step.kind == WAITING:
            waits += [60 * value for value in values]
    completed = [speed * sum(minutes[p.pk].values()) for p in people if p.exit == "completed"]
    return {
        "waiting": distribution(waits),
        "stages": stages,
        "pay": _pay_figures(study, people, completed),
    }


def distribution(values: Sequence[float]) -> dict[str, float]:
    """Return n, PERCENTILES and max of the values, rounded to 0.01. Without values: {"n": 0}."""
    if not values:
        return {"n": 0}
    at_least_two = [*values, *values] if len(values) == 1 else values  # `quantiles` needs two
    cuts = quantiles(at_least_two, n=100, method="inclusive")
    percentiles = {name: round(cuts[p - 1], 2) for name, p in PERCENTILES.items()}
    return {"n": len(values), **percentiles, "max": round(max(values), 2)}


def _pay_figures(
    study: Study, people: Sequence[Participant], completed: Sequence[float]
) -> dict[str, Any]:
    """Return the amounts due as strings, and the pay per median hour (of minutes `completed`)."""
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


def run_counts(study: Study, people: Sequence[Person], seconds: float) -> dict[str, Any]:
    """Return the counts of simulated people, games, and answers that the database lacks."""
    exits = dict(Participant.objects.filter(study=study).values_list("key", "exit"))
    ends = Counter(exits.get(person.key, "") or person.end for person in people)
    stuck = [person for person in people if person.end == STUCK]
    lost = missing_answers(people)
    wrong_payments = find_wrong_pay(study, people)
    stuck_lines = [f"{p.own_path or 'before consent'}: {p.end_detail}" for p in stuck]
    for kind, lines in (("stuck", stuck_lines), ("lost", lost), ("paid wrongly", wrong_payments)):
        for line in lines:
            separate_process.report_progress(f"{kind}: {line}")
    return {
        "participants": len(people),
        "completed": ends["completed"],
        "left": sum(person.end in (LEFT, CLOSED) for person in people),
        "drawn_to_leave": sum(person.habits.leaves_at is not None for person in people),
        "idle": sum(person.end == IDLE for person in people),
        "drawn_to_idle": sum(person.habits.idles_at is not None for person in people),
        "inside": study.participants.filter(exit="", consented_at__isnull=False).count(),
        "screened": sum(ends[kind] for kind in SCREENING_EXITS),
        "waited_out": ends["waited_out"],
        "games": study.slots.filter(state=Slot.DONE).count(),
        "stuck": len(stuck),
        "stuck_where": [person.end_detail for person in stuck[:MAX_STUCK_REASONS]],
        "answers_lost": len(lost),
        "pay_wrong": len(wrong_payments),
        "codes_wrong": sum(map(_has_wrong_code, people)),
        "seconds": round(seconds, 1),
        "answers": sum(len(person.submitted) for person in people),
        "ways_out": dict(sorted(ends.items())),
        "by_condition": _counts_by_condition(study),
    }


def _has_wrong_code(person: Person) -> bool:
    """Return whether the person's last page showed another code than the database has."""
    participant = _find_participant(person) if person.end == ENDED else None
    return participant is not None and (
        person.code != participant_state.completion_code(participant)
    )


def _find_participant(person: Person) -> Participant | None:
    return Participant.objects.filter(key=person.key).select_related("study").first()


def find_wrong_pay(study: Study, people: Sequence[Person]) -> list[str]:
    """Return a line for each exit or payment that does not fit what a person did."""
    rows = study.participants.filter(consented_at__isnull=False, withdrew=False)
    unknown_rows = rows.exclude(key__in=[person.key for person in people])
    return [
        *(line for person in people for line in _find_wrong_pay_of(study, person)),
        *(f"{row} is no simulated person, or one a second time" for row in unknown_rows),
    ]


def _find_wrong_pay_of(study: Study, person: Person) -> Iterator[str]:
    if (row := _find_participant(person)) is None:
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
    """Return whether the person submitted everything: only the debriefing may be missing."""
    steps = route(design_of(study))
    texts = [text for form in person.submitted for text in form.values.get("step", [])]
    last = max((int(text) for text in texts if text.isdecimal()), default=0)
    return steps[-1].kind == "debriefing" and last >= steps[-1].index - 1


def _counts_by_condition(study: Study) -> dict[str, dict[str, int]]:
    """Return condition -> numbers of its games, and of their players who completed the study."""
    counts_by_condition = {}
    for name, states in slots.slot_counts(study).items():
        completed_seatings = Seating.objects.filter(
            slot__study=study, slot__condition__name=name, state=Seating.SEATED,
            participant__exit="completed",
        )  # fmt: skip
        completed = completed_seatings.values("participant").distinct().count()
        counts_by_condition[name] = {
            "games": states[Slot.DONE],
            "void": states[Slot.VOID],
            "playing": states[Slot.PLAYING],
            "completed": completed,
        }
    return counts_by_condition


def missing_answers(people: Iterable[Person]) -> list[str]:
    return [line for person in people for line in _missing_of_person(person)]


def _missing_of_person(person: Person) -> Iterator[str]:
    participant = _find_participant(person)
    if participant is None:
        if person.own_path and person.end != LEFT:  # leaving may delete all data
            yield f"{person.own_path}: the participant is not there"
        return
    if not participant.withdrew:
        yield from _missing_at_stages(participant, person)
    rating_forms: dict[str, SubmittedForm] = {}
    for form in person.submitted:
        kind, *remaining = form.path.strip("/").split("/")
        if kind == "games" and remaining[1:] == ["answer"]:
            for post in form.values.get("post", []):
                if not Answer.objects.filter(post=post).exists():
                    yield f"{participant.pseudonym} in play: {form.path} {post}"
        elif kind == "rate" and remaining[:1] == ["item"] and not participant.withdrew:
            rating_forms[remaining[1]] = form
    for key, form in rating_forms.items():
        yield from _missing_in_rating(participant, key, form)


def _missing_at_stages(participant: Participant, person: Person) -> Iterator[str]:
    keys = {str(step.index): step.key for step in participant_state.list_steps(participant)}
    for form in person.submitted:
        submitted_fields = form.values
        step = keys.get(submitted_fields.get("step", [""])[0])
        if step is None or not form.path.startswith("/take/as/"):
            continue
        rows = list(Response.objects.filter(participant=participant, step=step))
        for name in form.question_names & set(submitted_fields):
            for submitted in submitted_fields[name]:
                value = tidy(submitted, max_breaks=MAX_ANSWER_LINE_BREAKS)
                if value and not any(_has_answer(row, name, value) for row in rows):
                    yield f"{participant.pseudonym} {step}: {name} = {value!r}"


def _has_answer(row: Response, name: str, value: str) -> bool:
    """Return whether the row has that answer to the question of the form field `name`."""
    parts = [unquote(part) for part in name.split("/")]
    if row.item not in (name, *parts) or (row.about_seat and str(row.about_seat) not in parts):
        return False
    chosen = row.choice if isinstance(row.choice, list) else [row.choice]
    number = "" if row.number is None else f"{row.number:g}"
    return value in (row.text, number, *chosen)


def _missing_in_rating(participant: Participant, key: str, form: SubmittedForm) -> Iterator[str]:
    assignment = Assignment.objects.filter(key=key).select_related("unit__campaign").first()
    if assignment is None:
        yield f"{participant.pseudonym} rating: {form.path} is not there"
        return
    values = submitted_values(assignment, build_fields(assignment))
    for name, sent_values in form.values.items():
        if name in form.question_names and not name.startswith(f"{PLACE_PREFIX}/"):
            for value in filter(None, sent_values):
                if str(values.get(name)) != value:
                    yield f"{participant.pseudonym} rating {key}: {name} = {value}"
