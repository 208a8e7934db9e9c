"""Parses, checks and stores what a rater submits for one assignment.

A submission names the revision that its page showed. If a newer one is stored, the submission is
refused with the stored values, and the page submits again on top of them. So a delayed, repeated or
overtaken request changes nothing, and the last submission counts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.engine.text_checks import tidy
from webapp.storable_text import storable
from webapp.study.models import Assignment, Campaign, Participant, Rater, Rating
from webapp.study.rater import assigning
from webapp.study.rater.rating_form import PLACE_PREFIX
from webapp.study.rating import quotas
from webapp.study.rating.stimuli import RatingFields, submitted_values

# Fields of an assignment that a submission may change.
CHANGEABLE_FIELDS = (
    "state", "skip_reason", "leased_until", "shown_at", "first_answer_at", "submitted_at",
    "active_ms", "revision", "over_quota",
)  # fmt: skip
JSON_KEYS = {"values", "skip", "revision", "active_ms"}
MAX_REASON_CHARS = 200
MIN_SEEN_INTERVAL_S = 20  # a rater's `seen_at` is updated at most this often
MAX_REVISION = 2**31
MAX_ACTIVE_MS = 24 * 60 * 60 * 1000
NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")

SKIP_REASONS = (
    gettext_lazy("I don’t understand the words"),
    gettext_lazy("Too little of the talk is shown to judge"),
    gettext_lazy("I would rather not rate this"),
    gettext_lazy("The page does not look right"),
)
UNREADABLE = gettext_lazy("This answer could not be read. Reload the page. Your ratings are kept.")


class InvalidSubmission(Exception):
    """The submission is not acceptable. Its argument tells the rater why."""


class RaterFinished(Exception):
    """The rater has submitted everything, or left."""


class SavedState(NamedTuple):
    """The stored state of an assignment, as its page gets it. Fields as in `SubmittedRating`."""

    revision: int
    values: Mapping[str, int]
    skip: str | None
    complete: bool


class Stale(Exception):
    """Newer values are stored. Its argument is the `SavedState`."""


@dataclass(frozen=True)
class SubmittedRating:
    """A rater's submission for one page."""

    values: Mapping[str, int]  # name of a field -> value
    skip: str | None = None  # the reason for skipping the page, None if it is not skipped
    # The revision that the page showed, None if the submission always counts.
    revision: int | None = None
    # Milliseconds that the rater has been active on the page, None if unknown.
    active_ms: int | None = None


def read_json(data: Any, rating_fields: RatingFields) -> SubmittedRating:
    """Parse the rating that a script submits, or raise InvalidSubmission."""
    if not isinstance(data, dict) or set(data) - JSON_KEYS:
        raise InvalidSubmission(UNREADABLE)
    values, skip = data.get("values"), data.get("skip")
    revision, active_ms = data.get("revision"), data.get("active_ms")
    if not isinstance(values, dict) or not _is_whole(revision, MAX_REVISION):
        raise InvalidSubmission(UNREADABLE)
    if active_ms is not None and not _is_whole(active_ms, MAX_ACTIVE_MS):
        raise InvalidSubmission(_("The time spent could not be read. Reload the page."))
    return _validate(SubmittedRating(values, skip, revision, active_ms), rating_fields)


def _is_whole(value: Any, maximum: int) -> bool:
    return type(value) is int and 0 <= value <= maximum


def read_form(form: Mapping[str, str], rating_fields: RatingFields) -> SubmittedRating:
    """Parse the rating of a form sent without scripts, or raise InvalidSubmission."""
    if form.get("do") == "skip":
        reason = form.get("reason_text", "").strip() or form.get("reason", "")
        return _validate(SubmittedRating({}, reason), rating_fields)
    names_without_value = {"csrfmiddlewaretoken", "do", "reason", "reason_text"}
    values: dict[str, Any] = {}
    for name, text in form.items():
        if name.startswith(f"{PLACE_PREFIX}/"):
            _read_rank(values, name, text, rating_fields)
        elif name not in names_without_value:
            values[name] = _parse_number(text)
    return _validate(SubmittedRating(values), rating_fields)


def _read_rank(values: dict[str, Any], name: str, slot: str, rating_fields: RatingFields) -> None:
    """Add the value of a ranking's field "place/RANK/DIMENSION", posted with a player's slot."""
    if not slot:
        return
    _prefix, rank, dimension = name.split("/", 2) if name.count("/") > 1 else (name, "", "")
    field = f"{slot}/{dimension}"
    if field in values and field in rating_fields:
        text = _("“{question}”: a player has two places. Give each player one place.")
        raise InvalidSubmission(text.format(question=rating_fields[field].dimension.label))
    values[field] = _parse_number(rank)


def _parse_number(text: str) -> Any:
    """Return the number, or the text itself if it is not one, which `_validate` refuses."""
    return int(text) if NUMBER.fullmatch(text) else text


def _validate(submission: SubmittedRating, rating_fields: RatingFields) -> SubmittedRating:
    """Return the submission with a tidied reason. Raise InvalidSubmission if it is not valid."""
    for name, value in submission.values.items():
        field = rating_fields.get(name) if isinstance(name, str) else None
        if field is None:
            raise InvalidSubmission(_("This question is not on the page. Reload the page."))
        scale = field.dimension.values
        if type(value) is not int or value not in scale:
            text = _("“{question}”: enter a whole number from {low} to {high}.")
            raise InvalidSubmission(
                text.format(question=field.dimension.label, low=scale[0], high=scale[-1])
            )
    _check_ranks(submission.values, rating_fields)
    skip = submission.skip
    if skip is None:
        return submission
    reason = tidy(storable(skip), max_breaks=0) if isinstance(skip, str) else ""
    if not reason or len(reason) > MAX_REASON_CHARS:
        text = _("To skip this page, give a reason of at most {most} characters.")
        raise InvalidSubmission(text.format(most=MAX_REASON_CHARS))
    if submission.values:
        raise InvalidSubmission(_("Rate this page or skip it, but not both."))
    return replace(submission, skip=reason)


def _check_ranks(values: Mapping[str, int], rating_fields: RatingFields) -> None:
    """Raise InvalidSubmission if two players have the same rank in a ranking."""
    used_ranks = set()
    for name, value in values.items():
        dimension = rating_fields[name].dimension
        if dimension.rank and (dimension.key, value) in used_ranks:
            text = _("“{question}”: two players have place {place}. Give each place to one player.")
            place = dimension.place_of(value)
            raise InvalidSubmission(text.format(question=dimension.label, place=place))
        used_ranks.add((dimension.key, value))


def state_of(assignment: Assignment, rating_fields: RatingFields) -> SavedState:
    values = submitted_values(assignment, rating_fields)
    skip = assignment.skip_reason if assignment.state == Assignment.SKIPPED else None
    is_complete = skip is not None or len(values) == len(rating_fields)
    return SavedState(assignment.revision, values, skip, is_complete)


def store_rating(
    assignment: Assignment, submission: SubmittedRating, rating_fields: RatingFields
) -> SavedState:
    """Replace the stored values, or raise Stale, RaterFinished or (if erased) DoesNotExist."""
    # The first attempt does not lock the campaign's row, so that raters rarely wait for each other.
    # The second one is needed if the answer may take a place in a quota.
    for locks_campaign in (False, True):
        with transaction.atomic():
            if locks_campaign:  # before the assignment's row, as in assigning.assign_pages
                Campaign.objects.select_for_update().get(pk=assignment.rater.campaign_id)
            row = _lock_assignment(assignment)
            now = timezone.now()
            if not locks_campaign and (not _holds_place(row, now) or _is_first(row)):
                continue
            state = _apply_submission(row, submission, rating_fields, now)
        _record_seen(row.rater, now)
        return state
    raise AssertionError("the campaign's row was held")


def _lock_assignment(assignment: Assignment) -> Assignment:
    """Return the assignment's locked row. Its loaded unit and campaign do not change."""
    rows = Assignment.objects.select_for_update(of=("self",)).select_related("rater")
    row = rows.get(pk=assignment.pk)
    row.unit, row.rater.campaign = assignment.unit, assignment.rater.campaign
    return row


def _holds_place(row: Assignment, now: datetime) -> bool:
    """Return whether the answer needs no further place in its unit's quota."""
    if quotas.is_outside_quotas(row) or row.state == Assignment.ANSWERED:
        return True
    return row.state == Assignment.OPEN and row.leased_until > now + assigning.LEASE_MARGIN


def _is_first(row: Assignment) -> bool:
    """Return whether this is the rater's first answer, which confirms all tentative leases.

    That writes rows of other units, so the campaign's row must be locked.
    """
    return row.first_answer_at is None and not quotas.has_answered(row.rater)


def _apply_submission(
    row: Assignment, submission: SubmittedRating, rating_fields: RatingFields, now: datetime
) -> SavedState:
    if row.rater.finished_at or row.rater.left_as:
        raise RaterFinished
    old_state = state_of(row, rating_fields)
    if submission.revision is not None and submission.revision != old_state.revision:
        raise Stale(old_state)
    if submission.active_ms is not None:
        row.active_ms = max(row.active_ms or 0, submission.active_ms)
    if (old_state.values, old_state.skip) != (dict(submission.values), submission.skip):
        _store_values(row, old_state, submission, rating_fields)
        _update_assignment(row, submission, len(submission.values) == len(rating_fields), now)
    row.save(update_fields=CHANGEABLE_FIELDS)
    return SavedState(
        row.revision, submission.values, submission.skip, row.submitted_at is not None
    )


def _record_seen(rater: Rater, now: datetime) -> None:
    """Record that the rater was seen. The assignment's row is unlocked already.

    An erasure locks the rater's row first, so holding both here could cause a deadlock.
    """
    if rater.seen_at is None or (now - rater.seen_at).total_seconds() > MIN_SEEN_INTERVAL_S:
        Rater.objects.filter(pk=rater.pk).update(seen_at=now)
        Participant.objects.filter(raters=rater.pk).update(input_at=now)


def _store_values(
    row: Assignment, old_state: SavedState, submission: SubmittedRating, rating_fields: RatingFields
) -> None:
    for name in set(old_state.values) - set(submission.values):
        field = rating_fields[name]
        row.ratings.filter(stimulus=field.stimulus, dimension=field.dimension.key).delete()
    changed = [n for n, value in submission.values.items() if old_state.values.get(n) != value]
    Rating.objects.bulk_create(
        [
            Rating(
                assignment=row,
                stimulus_id=rating_fields[name].stimulus,
                dimension=rating_fields[name].dimension.key,
                value=submission.values[name],
            )
            for name in changed
        ],
        update_conflicts=True,
        unique_fields=["assignment", "stimulus", "dimension"],
        update_fields=["value"],
    )


def _update_assignment(
    row: Assignment, submission: SubmittedRating, is_complete: bool, now: datetime
) -> None:
    holds_place = _holds_place(row, now)
    is_late = row.state == Assignment.TIMED_OUT
    if _is_first(row):
        quotas.confirm_leases(row.rater, now)
    row.revision += 1
    row.shown_at = row.shown_at or now
    row.first_answer_at = row.first_answer_at or now
    row.skip_reason = submission.skip or ""
    row.submitted_at = now if is_complete or submission.skip else None
    has_room = holds_place or quotas.has_room(row, now)
    if submission.skip:
        row.state, row.over_quota = Assignment.SKIPPED, False
    elif is_complete:
        row.over_quota = row.over_quota if holds_place else not has_room
        row.state = Assignment.ANSWERED
    elif not is_late or has_room:
        row.state = Assignment.OPEN
        renewed = quotas.lease_expiry(row.rater.campaign, now, has_answered=True)
        row.leased_until = renewed if has_room else now
    if is_late and row.state != Assignment.TIMED_OUT:
        assigning.drop_unseen_page(row.rater)
