"""Checks of a design for what an ethics board requires."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from webapp.study.design.stages import ConsentStage, DebriefingStage, Design
from webapp.study.planning import recipients

# A contact in a text: an e-mail address, a web address or a phone number.
CONTACT_PATTERN = re.compile(r"\S@\S|https?://\S|\+?\d[\d /()-]{6,}\d")


def is_recruiting(design: Design) -> bool:
    """Return whether people come for pay or by a recruiting service.

    They do if an exit has pay, a code or a return address.
    """
    return any(
        settings.pay or settings.url.strip() or settings.code_kind != "none"
        for settings in design.exits.values()
    )


def find_errors(design: Design) -> Iterator[str]:
    """Yield sentences that keep the study from opening."""
    ethics = design.ethics
    has_debriefing = any(isinstance(s, DebriefingStage) for s in design.stages)
    consent_texts = " ".join(s.text for s in design.stages if isinstance(s, ConsentStage))
    if (
        is_recruiting(design)
        and not ethics.contact.strip()
        and not CONTACT_PATTERN.search(consent_texts)
    ):
        yield _(
            "Participants are paid or recruited by a service, but they see no contact. Enter a"
            " contact under “Ethics” or in the consent text."
        )
    if ethics.consent_again and not has_debriefing:
        yield _("Renewed consent needs a debriefing. Add one, or turn renewed consent off.")
    if (
        ethics.identity_days
        and ethics.retention_days
        and ethics.identity_days > ethics.retention_days
    ):
        yield _("External names are kept longer than other data. Shorten their retention.")
    if (
        ethics.withdraw_days
        and ethics.retention_days
        and ethics.withdraw_days > ethics.retention_days
    ):
        yield _(
            "Participants may delete their data for longer than the data are kept. Shorten that"
            " period."
        )


def find_ethics_notes(design: Design) -> Iterator[str]:
    """Yield sentences about missing facts that a board requires. They do not prevent opening."""
    ethics = design.ethics
    missing = [
        label
        for label, is_present in (
            (_("the data controller"), ethics.controller),
            (_("a contact"), ethics.contact),
            (_("the approval of the ethics board"), ethics.board),
            (_("the legal basis"), ethics.legal_basis),
            (_("a minimum age"), ethics.least_age),
            (_("the retention period"), ethics.retention_days),
        )
        if not is_present
    ]
    if missing:
        yield _("Ethics boards require more under “Ethics”: {what}.").format(
            what=", ".join(missing)
        )
    if recipients.backends_of(design) and not ethics.terms.strip():
        yield _("Describe under “Ethics” what the providers of language models do with text.")
