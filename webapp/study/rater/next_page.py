"""The page that follows a rater's page: the next one, feedback on practice, or a break."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.urls import reverse

from webapp.study.models import Assignment
from webapp.study.rating.known_answers import PRACTICE


def next_address(assignment: Assignment, keys: Sequence[uuid.UUID]) -> str:
    """Return the target of the button "next".

    Args:
        keys: Keys of all the rater's pages, in order.
    """
    if assignment.unit.use == PRACTICE:
        return reverse("rate:feedback", args=[assignment.key])
    return address_after_feedback(assignment, keys)


def address_after_feedback(assignment: Assignment, keys: Sequence[uuid.UUID]) -> str:
    """Return the target of the button "next" after feedback."""
    if assignment.key not in keys:
        return reverse("rate:overview", args=[assignment.rater.key])
    number = keys.index(assignment.key) + 1
    if number == len(keys):
        return reverse("rate:overview", args=[assignment.rater.key])
    if has_break_after(assignment, number):
        return reverse("rate:break", args=[assignment.key])
    return reverse("rate:item", args=[keys[number]])


def has_break_after(assignment: Assignment, number: int) -> bool:
    """Return whether a break follows the page with that number (from 1)."""
    pages_per_break = assignment.unit.campaign.break_after
    return bool(pages_per_break) and number % pages_per_break == 0
