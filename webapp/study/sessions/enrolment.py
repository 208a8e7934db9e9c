"""Enrolment: personal links, the consent text, and the participant who agrees to it.

The consent text is the researcher's text, and the study's settings of controller, contact, age and
retention as sentences. Every version that a participant agreed to is stored.
"""

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from webapp.study import study_models
from webapp.study.design.exits import ExitKind
from webapp.study.design.participation_rules import Ethics
from webapp.study.design.stages import Stage
from webapp.study.models import (
    ConsentText,
    Identity,
    Participant,
    Study,
    digest_name,
    erased_key,
    normalize_name,
)
from webapp.study.sessions import lifecycle, participant_state, slots, study_events
from webapp.study.sessions.participant_state import route

TIME_LIMIT_PERCENTS = (100, 150, 200)  # choices of a participant, of the usual time limits
CONSENT_STEP = "consent-0"  # `Step.key` of the first step
MAX_PARTICIPANTS_PER_STUDY = 5000  # unused personal links included


class NameTaken(Exception):
    """A participant with that outside name exists already."""


class TooManyParticipants(Exception):
    """The study would have more than MAX_PARTICIPANTS_PER_STUDY participants."""


class NotOpened(Exception):
    """The study became a draft, or got another consent text, while a visitor agreed."""


@dataclass(frozen=True)
class Agreement:
    """An agreement as the first page submits it."""

    version: str  # SHA-256 of the consent text
    extra_time: int = 100  # one of TIME_LIMIT_PERCENTS
    # What the browser check of the page detected (`Participant.device`).
    device: Mapping[str, Any] = field(default_factory=dict)
    shown_at: datetime | None = None  # when the page was shown; None if unknown
    # Whether the participant's texts may be published; None if not asked.
    publish_words: bool | None = None
    of_age: bool | None = None  # the participant has the least age; None if not asked
    experience: int | None = None  # experience with the game, 0 to 4; None if not asked


def find_participant(study: Study, names: Mapping[str, str]) -> Participant | None:
    """Return the participant with that outside name and session, None if there is none.

    A name alone does not identify a participant, because others may know it. `names` are fields
    of `Identity`: label, study, session.
    """
    if not (names.get("label") and names.get("session")):
        return None
    label = normalize_name(names["label"])
    rows = Identity.objects.filter(participant__study=study, normal_label=label)
    identity = rows.filter(session=names["session"]).select_related("participant__study").first()
    return identity.participant if identity else None


def was_erased(key: str) -> bool:
    """Return whether `key` was the key of an erased participant's link."""
    return Participant.objects.filter(key=erased_key(key)).exists()


def is_name_taken(study: Study, names: Mapping[str, str]) -> bool:
    """Return whether a participant has that outside name, or had it before being erased."""
    if not names.get("label"):
        return False
    label = normalize_name(names["label"])
    rows = Identity.objects.filter(participant__study=study, normal_label=label)
    erased = study.participants.filter(name_digest=digest_name(study.pk, label))
    return bool(label) and (rows.exists() or erased.exists())


def increment_turned_away(study: Study, kind: ExitKind) -> None:
    """Count a visitor who came to an open study and did not begin. Nothing else is stored."""
    with slots.locked_study(study) as row:
        if row.state == Study.OPEN:
            row.turned_away = {**row.turned_away, kind: row.turned_away.get(kind, 0) + 1}
            row.save(update_fields=["turned_away"])


def next_pseudonym(study: Study) -> str:
    """Return the next free pseudonym, P001 or SIM001 (simulated). The caller holds the study."""
    prefix = "SIM" if study.rehearsal else "P"
    participants = Participant.objects.filter(study=study)
    return study_models.next_pseudonym(prefix, participants.values_list("pseudonym", flat=True))


def enrol(
    study: Study, names: Mapping[str, str], visitor: uuid.UUID, agreement: Agreement
) -> Participant:
    """Create the participant who has agreed on the page of the shared link.

    `names` are as in `find_participant`, and `ticket`, the key of the new personal link. A form
    that is submitted twice has the same ticket and creates one participant.

    Raises:
        NameTaken: A participant has that outside name, or had it before being erased.
        NotOpened: The study is a draft, or its consent text is another one now.
    """
    with transaction.atomic():
        _lock_opened_study(study, agreement)
        if row := Participant.objects.filter(study=study, key=names["ticket"]).first():
            return row
        if is_name_taken(study, names):
            raise NameTaken
        row = Participant(study=study, key=names["ticket"], pseudonym=next_pseudonym(study))
        _begin_with_agreement(row, visitor, agreement)
        identity = {name: names.get(name, "") for name in ("label", "study", "session")}
        if any(identity.values()):
            Identity.objects.create(participant=row, **identity)
    return row


def create_personal_links(study: Study, labels: Sequence[str]) -> int:
    """Create a personal link for each new label, "" for a link without one. Return their number.

    Each link is a participant who has not agreed yet. If there are too many, TooManyParticipants is
    raised and nothing is created.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        identities = Identity.objects.filter(participant__study=row)
        known_labels = set(identities.values_list("normal_label", flat=True))
        new_labels = [
            label for label in labels if not label or normalize_name(label) not in known_labels
        ]
        if row.participants.count() + len(new_labels) > MAX_PARTICIPANTS_PER_STUDY:
            raise TooManyParticipants
        for label in new_labels:
            name = next_pseudonym(row)
            participant = Participant.objects.create(study=row, pseudonym=name, invited=True)
            if label:
                Identity.objects.create(participant=participant, label=label)
    return len(new_labels)


def participants_with_unused_links(study: Study) -> QuerySet[Participant]:
    """Return the participants whose personal link is unused."""
    rows = study.participants.filter(invited=True, consented_at=None, exit="")
    return rows.select_related("identity")


def record_consent(
    participant: Participant, visitor: uuid.UUID, agreement: Agreement
) -> Participant:
    """Record, once, that an invited participant has agreed. Raise NotOpened as `enrol` does."""
    with participant_state.locked_participant(participant) as row:
        _lock_opened_study(row.study, agreement)
        if not row.consented_at:
            _begin_with_agreement(row, visitor, agreement)
    return row


def _lock_opened_study(study: Study, agreement: Agreement) -> None:
    """Lock the study's row until the transaction ends, so that state and text cannot change.

    Raise NotOpened if the study is a draft, or if the agreement is to another consent text.
    """
    row = Study.objects.select_for_update().get(pk=study.pk)
    if row.state == Study.DRAFT or consent_version(row) != agreement.version:
        raise NotOpened


def _begin_with_agreement(row: Participant, visitor: uuid.UUID, agreement: Agreement) -> None:
    """Store the agreement and its text, and begin the participation. The study is locked."""
    now = timezone.now()
    row.consented_at = row.seen_at = row.input_at = now
    row.consent_version = agreement.version
    row.visitor = visitor
    row.extra_time = agreement.extra_time
    row.device = dict(agreement.device)
    row.publish_words = agreement.publish_words
    row.of_age = agreement.of_age
    ConsentText.objects.get_or_create(
        study=row.study,
        version=agreement.version,
        defaults={"text": consent_text(row.study)},
    )
    shown_at = (agreement.shown_at or now).isoformat()
    row.times = {CONSENT_STEP: shown_at}
    actor = study_events.PARTICIPANT
    visit = {"step": CONSENT_STEP, "came": shown_at, "went": now.isoformat(), "by": actor}
    row.visits = [visit]
    lifecycle.begin_participation(row, agreement.experience)
    study_events.record_event(row, "agreed", actor=actor)


def consent_stage(study: Study) -> Stage:
    return route(participant_state.design_of(study))[0].stage


def consent_text(study: Study) -> str:
    """Return the consent text in Markdown."""
    design = participant_state.design_of(study)
    # In the site's language, not the reader's, so that all participants agree to one text.
    with override(settings.LANGUAGE_CODE):
        facts = [f"- {sentence}" for sentence in _settings_sentences(design.ethics)]
        heading = _("Also good to know:")
    text = consent_stage(study).text
    return "\n\n".join([text.rstrip(), heading, "\n".join(facts)]).lstrip() if facts else text


def consent_version(study: Study) -> str:
    """Return the SHA-256 (hex) of the consent text."""
    return hashlib.sha256(consent_text(study).encode()).hexdigest()


def record_second_consent(participant: Participant, answer: str) -> None:
    """Record, once, whether a participant keeps their consent: Participant.KEPT or TAKEN_BACK."""
    actor = study_events.PARTICIPANT
    with participant_state.locked_participant(participant) as row:
        if row.consent_again:
            return
        row.consent_again = answer
        row.save(update_fields=["consent_again"])
        study_events.record_event(row, f"consent_again:{answer}", actor=actor)


def _settings_sentences(ethics: Ethics) -> Iterator[str]:
    for text, value in (
        (_("Responsible for this study and its data: {value}."), ethics.controller),
        (_("Questions and complaints: {value}."), ethics.contact),
        (_("Approved by: {value}."), ethics.board),
        (_("Legal basis: {value}."), ethics.legal_basis.rstrip(".")),
        (_("You must be at least {value} years old."), ethics.least_age),
    ):
        if value:
            yield text.format(value=value)
    if ethics.withdraw_days:
        yield ngettext(
            "You can have your data deleted until {n} day after your participation ends.",
            "You can have your data deleted until {n} days after your participation ends.",
            ethics.withdraw_days,
        ).format(n=ethics.withdraw_days)
    if ethics.identity_days:
        yield ngettext(
            "The name or number that came with your link, and what you were paid, are deleted"
            " {n} day after the study is closed.",
            "The name or number that came with your link, and what you were paid, are deleted"
            " {n} days after the study is closed.",
            ethics.identity_days,
        ).format(n=ethics.identity_days)
    if ethics.retention_days:
        yield ngettext(
            "Everything else that is personal is deleted {n} day after the study is closed.",
            "Everything else that is personal is deleted {n} days after the study is closed.",
            ethics.retention_days,
        ).format(n=ethics.retention_days)
