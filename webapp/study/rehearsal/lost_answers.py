"""Comparison of the answers that simulated people submitted with those in the database.

There are three kinds of answers: of a stage (`Response`), of a rating's page (`Rating`) and of a
game (`Answer`, by the id of the post). Withdrawn answers are not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from game.engine.text_checks import MAX_ANSWER_LINE_BREAKS, tidy
from game.models import Answer
from webapp.study.models import Assignment, Participant, Response
from webapp.study.rater.rating_form import PLACE_PREFIX
from webapp.study.rating.stimuli import build_fields, submitted_values
from webapp.study.rehearsal.person import LEFT, Person, SubmittedForm, values_by_field
from webapp.study.sessions import participant_steps


def missing_answers(people: Iterable[Person]) -> list[str]:
    """Return a line for every answer that is missing in the database."""
    return [lost_line for person in people for lost_line in _missing_of_person(person)]


def _missing_of_person(person: Person) -> Iterator[str]:
    participant = Participant.objects.filter(key=person.key).select_related("study").first()
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
            yield from _missing_in_play(participant, form)
        elif kind == "rate" and remaining[:1] == ["item"] and not participant.withdrew:
            rating_forms[remaining[1]] = form
    for key, form in rating_forms.items():
        yield from _missing_in_rating(participant, key, form)


def _missing_at_stages(participant: Participant, person: Person) -> Iterator[str]:
    """Yield a line for each answer of a step that is in no row."""
    keys = {str(step.index): step.key for step in participant_steps.list_steps(participant)}
    for form in person.submitted:
        submitted_fields = values_by_field(form)
        step = keys.get(submitted_fields.get("step", [""])[0])
        if step is None or not form.path.startswith("/take/as/"):
            continue
        rows = list(Response.objects.filter(participant=participant, step=step))
        for name in form.question_names & set(submitted_fields):
            for submitted in submitted_fields[name]:
                value = tidy(submitted, max_breaks=MAX_ANSWER_LINE_BREAKS)
                if (
                    value
                    and name != "post"
                    and not any(_has_answer(row, name, value) for row in rows)
                ):
                    yield f"{participant.pseudonym} {step}: {name} = {value!r}"


def _has_answer(row: Response, name: str, value: str) -> bool:
    """Return whether the row has that answer to the question of the form field `name`."""
    parts = [unquote(part) for part in name.split("/")]
    if row.item not in (name, *parts) or (row.about_seat and str(row.about_seat) not in parts):
        return False
    chosen = row.choice if isinstance(row.choice, list) else [row.choice]
    number = "" if row.number is None else f"{row.number:g}"
    return value in (row.text, number, *chosen)


def _missing_in_play(participant: Participant, form: SubmittedForm) -> Iterator[str]:
    for post in values_by_field(form).get("post", []):
        if not Answer.objects.filter(post=post).exists():
            yield f"{participant.pseudonym} in play: {form.path} {post}"


def _missing_in_rating(participant: Participant, key: str, form: SubmittedForm) -> Iterator[str]:
    rows = Assignment.objects.filter(key=key).select_related("unit__campaign")
    assignment = rows.first()
    if assignment is None:
        yield f"{participant.pseudonym} rating: {form.path} is not there"
        return
    values = submitted_values(assignment, build_fields(assignment))
    for name, sent_values in values_by_field(form).items():
        if name in form.question_names and not name.startswith(f"{PLACE_PREFIX}/"):
            for value in filter(None, sent_values):
                if str(values.get(name)) != value:
                    yield f"{participant.pseudonym} rating {key}: {name} = {value}"
