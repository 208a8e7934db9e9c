"""Checks of a design for what an ethics board requires."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from webapp.study.design.stages import ConsentStage, DebriefingStage, Design
from webapp.study.planning import recipients

# A way to write to the researcher in a text: an e-mail address, a web address or a phone number.
WRITTEN_TO = re.compile(r"\S@\S|https?://\S|\+?\d[\d /()-]{6,}\d")


def recruits(design: Design) -> bool:
    """Return whether people come for pay or by a service.

    That is so if an exit pays, has a code or leads back.
    """
    return any(
        out.pay or out.url.strip() or out.code_kind != "none" for out in design.exits.values()
    )


def find_errors(design: Design) -> Iterator[str]:
    """Yield sentences that keep the study from opening."""
    ethics, debriefs = design.ethics, any(isinstance(s, DebriefingStage) for s in design.stages)
    texts = " ".join(s.text for s in design.stages if isinstance(s, ConsentStage))
    if recruits(design) and not ethics.contact.strip() and not WRITTEN_TO.search(texts):
        yield _(
            "People come for pay or by a service, and are not told whom to ask: write a contact"
            " under “Ethics”, or in the text that they agree to."
        )
    if ethics.consent_again and not debriefs:
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
    """Yield sentences about what a board asks for, though the study can open without it."""
    ethics = design.ethics
    missing = [
        word
        for word, is_present in (
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
