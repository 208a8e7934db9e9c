"""The form of the facts that an ethics board asks for."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from webapp.study.design.stages import Ethics
from webapp.study.models import Study
from webapp.study.researcher.fields import number_field, optional_text, switch_field
from webapp.study.researcher.setup.study_forms import PartForm

MAX_DAYS = 10_000


class EthicsForm(PartForm):
    """The form about responsibility, retention and consent."""

    controller = optional_text(
        _("Data controller"), 200, _("The university or person that is legally responsible.")
    )
    contact = optional_text(
        _("Contact"), 200, _("An e-mail or postal address. Participants read it before they agree.")
    )
    board = optional_text(_("Board and approval number"), 200, _("If available."))
    legal_basis = optional_text(
        _("Legal basis"), 1000, _("For example: consent, GDPR Art. 6(1)(a)."), rows=2
    )
    least_age = number_field(_("Minimum age (years)"), 0, 99, _("Enter 0 to skip the question."))
    retention_days = number_field(
        _("Days until all personal data are deleted"),
        0,
        MAX_DAYS,
        _("From the day the study closes. Enter 0 to keep them."),
    )
    identity_days = number_field(
        _("Days until external names and payments are deleted"),
        0,
        MAX_DAYS,
        _("Enter 0 to delete them with the other data."),
    )
    withdraw_days = number_field(
        _("Days in which participants can have their data deleted"),
        0,
        MAX_DAYS,
        _("From their own end. Enter 0 for as long as data are kept."),
    )
    terms = optional_text(
        _("Terms of the model providers"),
        20_000,
        _("What they do with text, for how long, and where. You can use Markdown."),
        rows=4,
    )
    publish_words = switch_field(
        _("Ask for permission to publish participants’ text"),
        _("A separate checkbox next to the consent. It is never required."),
    )
    consent_again = switch_field(
        _("Ask for consent again after the debriefing"),
        _("Participants confirm or withdraw their consent now that they know the purpose."),
    )

    @classmethod
    def initial_data(cls, study: Study) -> dict[str, Any]:
        """Return the design's facts, or the defaults."""
        return dict(study.design.get("ethics") or Ethics().to_json())

    def parts(self) -> dict[str, Any]:
        """Return the part `ethics` of the design."""
        return {"ethics": dict(self.cleaned_data)}
