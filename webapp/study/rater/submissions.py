"""Parses and checks what a rater submits for one page, as JSON by a script or as a plain form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.engine.text_checks import tidy
from webapp.storable_text import storable
from webapp.study.rater.rating_form import PLACE_PREFIX
from webapp.study.rating.stimuli import RatingFields

JSON_KEYS = {"values", "skip", "revision", "active_ms"}
MAX_REASON_CHARS = 200
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
