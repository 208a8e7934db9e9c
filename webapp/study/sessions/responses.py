"""Participants' answers to items: parsing, checks, and storage as `Response` rows.

An `Answer` holds valid and invalid input. Invalid input is kept as text, so that a page can show it
again. `find_answer_error` says what the participant has to correct. Only this module writes
answers; `lifecycle` and `quiz_tries` change their `state`.

The answers of a step (during play, of a moment) have a revision, the highest of their rows. A
submission names the revision that its page showed. If a newer one is stored, the submission changes
nothing and raises `Stale` with the stored answers. A cleared answer keeps its row, without content.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from game.engine.text_checks import MAX_ANSWER_LINE_BREAKS, tidy
from webapp.storable_text import storable
from webapp.study.design.instruments import Item, Option
from webapp.study.models import Participant, Response, Slot, Study
from webapp.study.sessions import participant_state, study_events
from webapp.study.sessions.participant_state import Step

PERSON, COMPUTER, UNSURE = "person", "computer", "unsure"  # what a `human` item stores
MAX_STORED_CHARS = 50_000  # longer texts are cut
MAX_NUMBER_CHARS = 200  # the typed text of a number is cut to this length
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
FORCED_EXITS = ("technical", "removed", "abandoned")  # participants never choose them
LATE_LIMIT = timedelta(seconds=60)  # after a forced exit, typed text is stored for this long
MAX_PAGE_ID_CHARS = 24  # length of the column `Response.page`
AnswerKey = tuple[str, str, int]  # (instrument, item, seat that it is about or 0)


@dataclass(frozen=True)
class Answer:
    """An answer to one item."""

    # A value of a scale in the instrument's own direction, a number, or how sure the participant is
    # of their choice.
    number: float | None = None
    text: str = ""
    # The key of an option, or a list of keys in the options' order.
    choice: str | list[str] | None = None

    def __bool__(self) -> bool:
        return self.number is not None or bool(self.text) or bool(self.choice)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The keys of the chosen options."""
        if isinstance(self.choice, str):
            return (self.choice,)
        return tuple(self.choice or ())


def parse_answer(
    item: Item, options: Sequence[Option], typed: Sequence[str], sure: str = ""
) -> Answer:
    """Return the answer from the posted values of an item's field.

    `sure` is that of the scale beside a choice (“How sure are you?”). Values that the page does not
    offer count as unanswered.
    """
    value = storable(typed[0]) if typed else ""
    if item.answer == "scale":
        return Answer(number=_parse_scale_step(item, value))
    if item.answer == "text":
        return Answer(text=tidy(value[:MAX_STORED_CHARS], max_breaks=MAX_ANSWER_LINE_BREAKS))
    if item.answer == "info":
        return Answer()
    if item.answer in ("number", "slider"):
        number_text = value.strip()[:MAX_NUMBER_CHARS]
        is_valid = _WHOLE_NUMBER.fullmatch(number_text) and item.min <= int(number_text) <= item.max
        return Answer(number=int(number_text)) if is_valid else Answer(text=number_text)
    chosen = [option.key for option in options if option.key in typed]
    if item.answer == "many":
        return Answer(choice=chosen or None)
    choice = chosen[0] if chosen else None
    if item.answer == "one" or choice == UNSURE or not (choice or item.required):
        return Answer(choice=choice)
    return Answer(choice=choice, number=_parse_scale_step(item, sure))


def _parse_scale_step(item: Item, typed: str) -> int | None:
    return int(typed) if _WHOLE_NUMBER.fullmatch(typed) and int(typed) in item.values else None


def find_answer_error(item: Item, answer: Answer) -> str:
    """Return a sentence that says what to correct, "" if nothing."""
    if item.answer in ("number", "slider") and answer.text:
        return _("Enter a whole number from {low} to {high}.").format(low=item.min, high=item.max)
    length = len(answer.text)
    if length > item.longest:
        limit_text = _("Your text has {length} characters. Shorten it to {most}.")
        return limit_text.format(length=length, most=item.longest)
    if item.answer == "info" or answer.choice == UNSURE or not (answer or item.required):
        return ""
    if item.is_guess:
        if not answer.choice:
            return _("Choose an answer. A guess is fine.")
        return "" if answer.number is not None else _("Choose how sure you are.")
    if answer:
        return ""
    text = {
        "text": _("Write an answer. A few words are enough."),
        "number": _("Enter a whole number from {low} to {high}."),
        "slider": _("Move the slider, or enter a whole number from {low} to {high}."),
        "one": _("Choose the answer that fits best."),
        "many": _("Choose at least one answer."),
    }.get(item.answer, _("Choose a value on the scale."))
    return text.format(low=item.min, high=item.max)


@dataclass(frozen=True)
class StoredAnswers:
    """The stored answers of a step, with their revision."""

    revision: int
    answers: Mapping[AnswerKey, Answer]


class Stale(Exception):
    """Newer answers are stored."""

    def __init__(self, stored: StoredAnswers) -> None:
        self.stored = stored


class StepChanged(Exception):
    """The participant is no longer at that step."""


def stored_answers(participant: Participant, step: Step, moment: str = "") -> StoredAnswers:
    """Return the stored answers of the step, those of `moment` if it is a question in play."""
    return _build_stored(_load_rows(participant, step, moment))


def save_answers(
    participant: Participant,
    step: Step,
    answers: Mapping[AnswerKey, Answer],
    *,
    revision: int,
    page_id: str = "",
    is_final: bool = False,
    slot: Slot | None = None,
    moment: str = "",
) -> int:
    """Store the answers that have changed, and return their new revision.

    `revision` is the one that the page showed. A submission that changes nothing is accepted on any
    revision. A final one may be older than those of its own page (`page_id`), because the reply to
    one of them may have been lost. Raise Stale or StepChanged.
    """
    with participant_state.locked_participant(participant) as row:
        if _is_closed(row) or row.step != step.index:
            raise StepChanged
        rows = _load_rows(row, step, moment)
        stored = _build_stored(rows)
        changed = {k: a for k, a in answers.items() if stored.answers.get(k, Answer()) != a}
        if not changed:
            return stored.revision
        own_page = page_id if is_final and page_id else None
        if {r.page for r in rows if r.revision > revision} - {own_page}:
            raise Stale(stored)
        new_revision, page = stored.revision + 1, page_id[:MAX_PAGE_ID_CHARS]
        fields = {"revision": new_revision, "page": page, "slot": slot, "moment": moment}
        _write_responses(row, step, changed, **fields)
        return new_revision


def was_ended_by_others(row: Participant) -> bool:
    """Return whether a researcher or the clock ended the participation."""
    last_actor = row.visits[-1]["by"] if row.visits else ""
    return row.exit in FORCED_EXITS or (bool(row.exit) and last_actor == study_events.RESEARCHER)


def _is_closed(row: Participant) -> bool:
    """Return whether the participant has left and can save nothing more (see LATE_LIMIT)."""
    if not was_ended_by_others(row) or row.exited_at is None or row.withdrew:
        return bool(row.exit)
    return timezone.now() - row.exited_at > LATE_LIMIT


def _load_rows(participant: Participant, step: Step, moment: str) -> list[Response]:
    return list(participant.responses.filter(step=step.key, moment=moment))


def _build_stored(rows: list[Response]) -> StoredAnswers:
    return StoredAnswers(
        max((r.revision for r in rows), default=0),
        {
            (r.instrument, r.item, r.about_seat): Answer(r.number, r.text, r.choice)
            for r in rows
        },
    )  # fmt: skip


def _write_responses(
    row: Participant, step: Step, changed: Mapping[AnswerKey, Answer], **common_fields: Any
) -> None:
    state, now = Response.LEFT if row.exit else Response.TYPED, timezone.now()
    Response.objects.bulk_create(
        [
            Response(
                participant=row, step=step.key, instrument=instrument, item=item, about_seat=seat,
                number=answer.number, text=answer.text, choice=answer.choice, state=state, at=now,
                **common_fields,
            )
            for (instrument, item, seat), answer in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["participant", "step", "about_seat", "moment", "instrument", "item"],
        update_fields=["number", "text", "choice", "slot", "state", "page", "revision", "at"],
    )  # fmt: skip


def read_rows(study: Study) -> Iterator[Response]:
    """Yield every answer except of participants who withdrew their data, in a stable order."""
    rows = Response.objects.filter(participant__study=study, participant__withdrew=False)
    rows = rows.select_related("participant").order_by("participant_id", "pk")
    return (row for row in rows.iterator(2000) if Answer(row.number, row.text, row.choice))
