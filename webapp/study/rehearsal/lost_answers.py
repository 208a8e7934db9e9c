"""Compares the answers that simulated people submitted with those in the database.

Three kinds of answers are compared: those of a stage (`Response`), of a rating's page (`Rating`)
and of a game (`Answer`, by the post's own id). Withdrawn answers are not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from game.engine.text_checks import MAX_ANSWER_LINE_BREAKS, tidy
from game.models import Answer
from webapp.study.models import Assignment, Participant, Response
from webapp.study.rater.rating_form import PLACE_PREFIX, build_fields, submitted_values
from webapp.study.rehearsal.person import LEFT, Person, Posted, names_of
from webapp.study.sessions import participant_steps


def missing_answers(people: Iterable[Person]) -> list[str]:
    """Return a line for every answer that is missing in the database."""
    return [lost_line for person in people for lost_line in _of(person)]


def _of(person: Person) -> Iterator[str]:
    participant = Participant.objects.filter(key=person.key).select_related("study").first()
    if participant is None:
        if person.own and person.end != LEFT:  # who leaves may have everything deleted
            yield f"{person.own}: the participant is not there"
        return
    if not participant.withdrew:
        yield from _at_stages(participant, person)
    rated: dict[str, Posted] = {}
    for one in person.posted:
        kind, *rest = one.where.strip("/").split("/")
        if kind == "games" and rest[1:] == ["answer"]:
            yield from _in_play(participant, one)
        elif kind == "rate" and rest[:1] == ["item"] and not participant.withdrew:
            rated[rest[1]] = one
    for key, one in rated.items():
        yield from _of_ratings(participant, key, one)


def _at_stages(participant: Participant, person: Person) -> Iterator[str]:
    """Yield a line for each answer submitted at a step that no row holds."""
    keys = {str(step.index): step.key for step in participant_steps.steps_of(participant)}
    for one in person.posted:
        sent_fields = names_of(one)
        step = keys.get(sent_fields.get("step", [""])[0])
        if step is None or not one.where.startswith("/take/as/"):
            continue
        rows = list(Response.objects.filter(participant=participant, step=step))
        for name in one.asked & set(sent_fields):
            for value in filter(None, map(_typed, sent_fields[name])):
                if name != "post" and not any(_holds(row, name, value) for row in rows):
                    yield f"{participant.pseudonym} {step}: {name} = {value!r}"


def _typed(value: str) -> str:
    return tidy(value, max_breaks=MAX_ANSWER_LINE_BREAKS)


def _holds(row: Response, name: str, value: str) -> bool:
    """Return whether the row has that answer to the question of the form field `name`."""
    parts = [unquote(part) for part in name.split("/")]
    if row.item not in (name, *parts) or (row.about_seat and str(row.about_seat) not in parts):
        return False
    chosen = row.choice if isinstance(row.choice, list) else [row.choice]
    number = "" if row.number is None else f"{row.number:g}"
    return value in (row.text, number, *chosen)


def _in_play(participant: Participant, one: Posted) -> Iterator[str]:
    for post in names_of(one).get("post", []):
        if not Answer.objects.filter(post=post).exists():
            yield f"{participant.pseudonym} in play: {one.where} {post}"


def _of_ratings(participant: Participant, key: str, one: Posted) -> Iterator[str]:
    rows = Assignment.objects.filter(key=key).select_related("unit__campaign")
    assignment = rows.first()
    if assignment is None:
        yield f"{participant.pseudonym} rating: {one.where} is not there"
        return
    values = submitted_values(assignment, build_fields(assignment))
    for name, sent_values in names_of(one).items():
        if name in one.asked and not name.startswith(f"{PLACE_PREFIX}/"):
            for value in filter(None, sent_values):
                if str(values.get(name)) != value:
                    yield f"{participant.pseudonym} rating {key}: {name} = {value}"
