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
            "People come for pay or by a service, and are not told whom to ask: write a contact"
            " under “Ethics”, or in the text that they agree to."
        )
    if ethics.consent_again and not has_debriefing:
        yield _("There is no debriefing after which one could agree again: add it, or do not ask.")
    if (
        ethics.identity_days
        and ethics.retention_days
        and ethics.identity_days > ethics.retention_days
    ):
        yield _("Outside names are kept longer than the data they belong to: shorten that.")
    if (
        ethics.withdraw_days
        and ethics.retention_days
        and ethics.withdraw_days > ethics.retention_days
    ):
        yield _(
            "People are told that they can have their data deleted for longer than these are kept"
            " for sure: shorten that."
        )


def notes(design: Design) -> Iterator[str]:
    """Yield sentences about missing facts that a board requires. They do not prevent opening."""
    ethics = design.ethics
    missing = [
        label
        for label, is_present in (
            (_("who is responsible"), ethics.controller),
            (_("a contact"), ethics.contact),
            (_("the board’s approval"), ethics.board),
            (_("the legal basis"), ethics.legal_basis),
            (_("a least age"), ethics.least_age),
            (_("how long data are kept"), ethics.retention_days),
        )
        if not is_present
    ]
    if missing:
        yield _("A board will ask for more under “Ethics”: {what}.").format(what=", ".join(missing))
    if recipients.backends_of(design) and not ethics.terms.strip():
        yield _(
            "Words go to language models: write under “Ethics” what their providers do with them."
        )
