"""The form of the facts that an ethics board asks for."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from webapp.study.design.stages import Ethics
from webapp.study.models import Study
from webapp.study.researcher.fields import number_field, optional_text, switch_field
from webapp.study.researcher.setup.study_forms import PartForm

MAX_DAYS = 10_000


class EthicsForm(PartForm):
    """The form about responsibility, retention and consent."""

    controller = optional_text(
        gettext_lazy("Data controller"),
        200,
        gettext_lazy("The university or person that is legally responsible."),
    )
    contact = optional_text(
        gettext_lazy("Contact"),
        200,
        gettext_lazy("An e-mail or postal address. Participants read it before they agree."),
    )
    board = optional_text(
        gettext_lazy("Board and approval number"), 200, gettext_lazy("If available.")
    )
    legal_basis = optional_text(
        gettext_lazy("Legal basis"),
        1000,
        gettext_lazy("For example: consent, GDPR Art. 6(1)(a)."),
        rows=2,
    )
    least_age = number_field(
        gettext_lazy("Minimum age (years)"), 0, 99, gettext_lazy("Enter 0 to skip the question.")
    )
    retention_days = number_field(
        gettext_lazy("Days until all personal data are deleted"),
        0,
        MAX_DAYS,
        gettext_lazy("From the day the study closes. Enter 0 to keep them."),
    )
    identity_days = number_field(
        gettext_lazy("Days until external names and payments are deleted"),
        0,
        MAX_DAYS,
        gettext_lazy("Enter 0 to delete them with the other data."),
    )
    withdraw_days = number_field(
        gettext_lazy("Days in which participants can have their data deleted"),
        0,
        MAX_DAYS,
        gettext_lazy("From their own end. Enter 0 for as long as data are kept."),
    )
    terms = optional_text(
        gettext_lazy("Terms of the model providers"),
        20_000,
        gettext_lazy("What they do with text, for how long, and where. You can use Markdown."),
        rows=4,
    )
    publish_words = switch_field(
        gettext_lazy("Ask for permission to publish participants’ text"),
        gettext_lazy("A separate checkbox next to the consent. It is never required."),
    )
    consent_again = switch_field(
        gettext_lazy("Ask for consent again after the debriefing"),
        gettext_lazy(
            "Participants confirm or withdraw their consent now that they know the purpose."
        ),
    )

    @classmethod
    def initial_data(cls, study: Study) -> dict[str, Any]:
        """Return the design's facts, or the defaults."""
        return dict(study.design.get("ethics") or Ethics().to_json())

    def parts(self) -> dict[str, Any]:
        """Return the part `ethics` of the design."""
        return {"ethics": dict(self.cleaned_data)}
