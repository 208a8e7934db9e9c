"""Stores what a rater submits for one assignment (`submissions`).

A submission names the revision that its page showed. If a newer one is stored, the submission is
refused with the stored values, and the page submits again on top of them. So a delayed, repeated or
overtaken request changes nothing, and the last submission counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from webapp.study.models import Assignment, Campaign, Participant, Rater, Rating
from webapp.study.rater import assigning
from webapp.study.rater.submissions import SubmittedRating
from webapp.study.rating import quotas
from webapp.study.rating.stimuli import RatingFields, submitted_values

# Fields of an assignment that a submission may change.
CHANGEABLE_FIELDS = (
    "state", "skip_reason", "leased_until", "shown_at", "first_answer_at", "submitted_at",
    "active_ms", "revision", "over_quota",
)  # fmt: skip
MIN_SEEN_INTERVAL_S = 20  # a rater's `seen_at` is updated at most this often


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
