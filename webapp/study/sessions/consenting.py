"""The text that participants agree to: the researcher's words, and what the study settles of
controller, contact, age and retention. What was shown is kept, word for word, by its version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from webapp.study.models import ConsentText, Participant, Study
from webapp.study.sessions import happenings, places
from webapp.study.sessions.design import Design, Ethics, Stage
from webapp.study.sessions.route import route


def consent_of(study: Study) -> Stage:
    """The stage that is agreed to."""
    return route(places.design_of(study))[0].stage


def consent_text(study: Study) -> str:
    """What is agreed to, in Markdown. In the site's own language, whatever the reader's is: what
    was agreed to is then one text."""
    design = places.design_of(study)
    with override(settings.LANGUAGE_CODE):
        facts = [f"- {line}" for line in _lines(design)]
        head = _("Also good to know:")
    own = consent_of(study).text
    return "\n\n".join([own.rstrip(), head, "\n".join(facts)]).lstrip() if facts else own


def consent_version(study: Study) -> str:
    """SHA-256 (hex) of that text."""
    return hashlib.sha256(consent_text(study).encode()).hexdigest()


def keep_text(study: Study) -> None:
    """Somebody agrees to the text as it is now: it is kept. In the caller's transaction."""
    text = consent_text(study)
    version = hashlib.sha256(text.encode()).hexdigest()
    ConsentText.objects.get_or_create(study=study, version=version, defaults={"text": text})


def agree_again(participant: Participant, said: str) -> None:
    """What they say of their agreement, now that they know what the study was about: once."""
    with transaction.atomic():
        row = places.locked(participant)
        if row.consent_again:
            return
        row.consent_again = said
        row.save(update_fields=["consent_again"])
        what = f"consent_again:{said}"
        happenings.note(row.study_id, what, actor=happenings.PARTICIPANT, participant=row)


def _lines(design: Design) -> Iterator[str]:
    told: Ethics = design.ethics
    if told.controller:
        yield _("Responsible for this study and its data: {who}.").format(who=told.controller)
    if told.contact:
        yield _("Questions and complaints: {contact}.").format(contact=told.contact)
    if told.board:
        yield _("Approved by: {board}.").format(board=told.board)
    if told.legal_basis:
        yield _("Legal basis: {basis}.").format(basis=told.legal_basis.rstrip("."))
    if told.least_age:
        yield _("You have to be {age} years old at least.").format(age=told.least_age)
    if told.withdraw_days:
        yield ngettext(
            "You can have your data deleted until {n} day after you have come to the end.",
            "You can have your data deleted until {n} days after you have come to the end.",
            told.withdraw_days,
        ).format(n=told.withdraw_days)
    yield from _kept(told)


def _kept(told: Ethics) -> Iterator[str]:
    if told.identity_days:
        yield ngettext(
            "The name or number that came with your link, and what you were paid, are deleted"
            " {n} day after the study is closed.",
            "The name or number that came with your link, and what you were paid, are deleted"
            " {n} days after the study is closed.",
            told.identity_days,
        ).format(n=told.identity_days)
    if told.retention_days:
        yield ngettext(
            "Everything else that is personal is deleted {n} day after the study is closed.",
            "Everything else that is personal is deleted {n} days after the study is closed.",
            told.retention_days,
        ).format(n=told.retention_days)
