"""A platform's list of submissions, compared with the participants of the study.

Prolific exports a study as CSV with a line of column names. Its "Submission id" is the SESSION_ID
of its links. A comparison stores the platform's status of each participant, and changes no other
data.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.exits import EXIT_DESCRIPTIONS
from webapp.study.design.refusals import Refused
from webapp.study.models import Identity, Participant, PlatformStatus, Study, normalize_name
from webapp.study.sessions import participant_state, slots

MAX_BYTES, MAX_ROWS = 900_000, 20_000  # the server accepts bodies of 1 MB at most
# Column -> (its name for messages, the names that Prolific has given it, in letters and digits).
COLUMNS = {
    "submission": ("Submission id", ("submissionid", "sessionid")),
    "person": ("Participant id", ("participantid", "prolificid")),
    "status": ("Status", ("status",)),
    "code": ("Completion code", ("completioncode", "enteredcode", "studycode")),
}
APPROVED, AWAITING, REJECTED = "approved", "awaiting_review", "rejected"
RETURNED, TIMED_OUT, SCREENED_OUT = "returned", "timed_out", "screened_out"
ACTIVE, RESERVED, OTHER = "active", "reserved", "other"
STATUSES = {
    APPROVED: gettext_lazy("approved"),
    AWAITING: gettext_lazy("awaiting review"),
    REJECTED: gettext_lazy("rejected"),
    RETURNED: gettext_lazy("returned"),
    TIMED_OUT: gettext_lazy("timed out"),
    SCREENED_OUT: gettext_lazy("screened out"),
    ACTIVE: gettext_lazy("active"),
    RESERVED: gettext_lazy("place reserved"),
    OTHER: gettext_lazy("other"),
}
ENDED_STATUSES = (RETURNED, TIMED_OUT)  # Submissions with these statuses get no reward.
MAX_IDS_IN_REFUSAL = 5
NO_CODE_TEXTS = ("", "nocode")  # Cells of the column of codes, in lower case, that hold no code.


@dataclass(frozen=True)
class Submission:
    submission: str  # id of the submission, which is the session of the participant's link
    person: str
    status: str  # one of STATUSES
    code: str  # completion code as the participant entered it on the platform


@dataclass(frozen=True)
class Difference:
    """A difference between the list and the study. Its fields are keys of stored data."""

    participant: str  # the pseudonym, "" if the submission belongs to no participant
    submission: str
    there: str  # status of the submission on the platform, "" if the list lacks it
    here: str  # exit of the participant, "" if they are active
    what: str  # what differs, a sentence like `do`
    do: str  # what to do

    @property
    def status_label(self) -> str:
        return str(STATUSES.get(self.there, _("missing")))

    @property
    def exit_label(self) -> str:
        return str(EXIT_DESCRIPTIONS.get(self.here, ""))


Advice = tuple[str, str]  # sentences: what differs, and what to do


@dataclass(frozen=True)
class ListComparison:
    differences: Sequence[Difference]
    agreeing_count: int  # number of submissions without a difference
    other_people_count: int  # participants who did not come from the platform
    by_status: Mapping[str, int]


def parse_list(data: bytes) -> list[Submission]:
    """Return the submissions of a downloaded list (CSV), or raise `Refused`."""
    if len(data) > MAX_BYTES:
        raise Refused([_("The file is too large for a list of submissions.")])
    try:
        decoded = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused([_("Save the list as CSV in UTF-8, as it was downloaded.")]) from None
    heading = decoded.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=heading.count)  # spreadsheets may have changed it
    reader = csv.reader(io.StringIO(decoded, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        raise Refused([_("The CSV file cannot be read. Download the list again.")]) from None
    if len(rows) > MAX_ROWS:
        raise Refused([_("The file has more rows than a study can have submissions.")])
    return _parse_rows(rows)


def _parse_rows(rows: Sequence[Sequence[str]]) -> list[Submission]:
    columns = _find_columns(rows[0] if rows else ())
    submissions = []
    for row in rows[1:]:
        cells = {name: row[i].strip() if i < len(row) else "" for name, i in columns.items()}
        cells["status"] = parse_status(cells["status"])
        submissions.append(Submission(**cells))
    counts = Counter(submission.submission for submission in submissions)
    if invalid_ids := [key for key, n in counts.items() if n > 1 or not key]:
        text = _("Some submissions have several rows, or rows have no submission ID: {which}.")
        raise Refused([text.format(which=", ".join(map(repr, invalid_ids[:MAX_IDS_IN_REFUSAL])))])
    return submissions


def parse_status(text: str) -> str:
    """Return the status that the platform calls `text`: "Awaiting Review" -> AWAITING."""
    status = re.sub(r"[^a-z]+", "_", text.lower()).strip("_")
    return status if status in STATUSES else OTHER


def _find_columns(heading: Sequence[str]) -> dict[str, int]:
    """Return column -> its index. Raise `Refused` if the file lacks one of them."""
    names = [re.sub(r"[^a-z0-9]", "", cell.lower()) for cell in heading]
    columns, missing = {}, []
    for column, (title, aliases) in COLUMNS.items():
        column_index = next((names.index(name) for name in aliases if name in names), None)
        if column_index is None:
            missing.append(f"“{title}”")
        else:
            columns[column] = column_index
    if missing:
        text = _("The list has no column {which}. Download the unchanged list again.")
        raise Refused([text.format(which=", ".join(missing))])
    return columns


def compare_list(study: Study, rows: Sequence[Submission]) -> ListComparison:
    """Compare the list with the study, and store the platform's status of each participant."""
    identities = Identity.objects.filter(participant__study=study).exclude(session="")
    identities_by_session = {i.session: i for i in identities.select_related("participant__study")}
    rows_by_submission = {row.submission: row for row in rows}
    matched = {k: i for k, i in identities_by_session.items() if k in rows_by_submission}
    # A list covers one of the platform's studies, so it lacks the other studies' participants.
    studies = {identity.study for identity in (matched or identities_by_session).values()}
    _store_statuses(study, {i: rows_by_submission[key].status for key, i in matched.items()})
    differences = list(_missing_submissions(identities_by_session, rows_by_submission, studies))
    for row in rows:
        differences += _compare_submission(row, identities_by_session.get(row.submission))
    consented = study.participants.filter(consented_at__isnull=False)
    differing = {d.submission for d in differences if d.submission in rows_by_submission}
    return ListComparison(
        differences=differences,
        agreeing_count=len(rows) - len(differing),
        other_people_count=consented.exclude(pk__in=identities.values("participant")).count(),
        by_status=Counter(row.status for row in rows),
    )


def _store_statuses(study: Study, statuses: Mapping[Identity, str]) -> None:
    now = timezone.now()
    with transaction.atomic():
        slots.lock_study(study)
        PlatformStatus.objects.bulk_create(
            (
                PlatformStatus(participant=identity.participant, status=status, at=now)
                for identity, status in statuses.items()
            ),
            update_conflicts=True,
            unique_fields=["participant"],
            update_fields=["status", "at"],
        )


def _missing_submissions(
    identities_by_session: Mapping[str, Identity],
    rows_by_submission: Mapping[str, Submission],
    studies: set[str],
) -> Iterator[Difference]:
    """Yield a difference for each submission to one of `studies` that the list lacks."""
    for session, identity in identities_by_session.items():
        participant: Any = identity.participant
        is_expected = identity.study in studies and participant.exit == "completed"
        if is_expected and session not in rows_by_submission:
            yield Difference(
                participant=participant.pseudonym,
                submission=session,
                there="",
                here=participant.exit,
                what=_("Finished here, but the list does not contain the submission."),
                do=_(
                    "Search for their ID on the platform. The pay is owed in any case: ask the"
                    " platform, or pay another way."
                ),
            )


def _compare_submission(row: Submission, identity: Identity | None) -> Iterator[Difference]:
    if identity is None:
        if row.status not in (RESERVED, ACTIVE, *ENDED_STATUSES):
            yield _build_difference(row, None, _unknown_advice(row))
        return
    participant: Any = identity.participant
    if normalize_name(row.person) != identity.normal_label:
        problem = _("The submission belongs to different participants there and here.")
        action = _("The link may have been shared. Ask the platform before you pay.")
        yield _build_difference(row, participant, (problem, action))
    advice = (
        _completed_advice(row, participant)
        if participant.exit == "completed"
        else _unfinished_advice(row, participant)
    )
    if advice:
        yield _build_difference(row, participant, advice)


def _unknown_advice(row: Submission) -> Advice:
    problem = _("A submission on the platform belongs to no participant who agreed here.")
    if row.status == APPROVED:
        action = _(
            "It is approved, and that stays so. Check whether the link contained SESSION_ID."
        )
    else:
        action = _(
            "Ask the participant what happened. If they did not take part, ask them to return the"
            " submission. Do not reject it."
        )
    return problem, action


def _completed_advice(row: Submission, participant: Participant) -> Advice | None:
    """Return the advice for a completed participant, None if the status fits."""
    if row.status in ENDED_STATUSES:
        return (
            _("Finished here, but returned or timed out there. No reward is paid."),
            _("Pay the base pay as a bonus on the participant’s page."),
        )
    if row.status == REJECTED:
        return (
            _("Finished here, but rejected there."),
            _("Undo the rejection there. Participants who finish must be paid."),
        )
    code = participant_state.completion_code(participant)
    if code and row.code.strip().casefold() != code.casefold():
        has_no_code = row.code.casefold() in NO_CODE_TEXTS
        return (
            _("No code there.") if has_no_code else _("The codes there and here differ."),
            _("The participant finished here. Approve the submission anyway."),
        )
    if row.status == AWAITING:
        return _("Finished here, and awaiting review there."), _("Approve the submission.")
    return None


def _unfinished_advice(row: Submission, participant: Participant) -> Advice | None:
    """Return the advice for an unfinished participant, None if the status fits."""
    if row.status == APPROVED:
        return (
            _("Approved there, but not finished here."),
            _("The reward was paid. You can withhold what is owed here, with a reason."),
        )
    if row.status in (AWAITING, REJECTED) and participant.exit:
        return (
            _("Submitted there, but left through another exit here."),
            _("Ask the participant to return the submission, and pay what is owed for the"
              " completed part as a bonus. Do not reject it."),
        )  # fmt: skip
    if row.status in (*ENDED_STATUSES, AWAITING, REJECTED) and not participant.exit:
        return (
            _("No longer active there, but still in the study here."),
            _("Wait until the participant has finished or left. Then pay what is owed as a bonus."),
        )
    return None


def _build_difference(
    row: Submission, participant: Participant | None, advice: Advice
) -> Difference:
    problem, action = advice
    return Difference(
        participant=participant.pseudonym if participant else "",
        submission=row.submission,
        there=row.status,
        here=participant.exit if participant else "",
        what=problem,
        do=action,
    )
