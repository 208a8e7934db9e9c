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
        gettext_lazy("Who is responsible for the data"),
        200,
        gettext_lazy("The university or person that answers for it by law."),
    )
    contact = optional_text(
        gettext_lazy("Contact"),
        200,
        gettext_lazy("An e-mail address or a postal one. Participants read it before they agree."),
    )
    board = optional_text(
        gettext_lazy("Board and number of the approval"), 200, gettext_lazy("If there is one.")
    )
    legal_basis = optional_text(
        gettext_lazy("Legal basis"),
        1000,
        gettext_lazy("Such as: consent, GDPR Art. 6(1)(a)."),
        rows=2,
    )
    least_age = number_field(
        gettext_lazy("Least age (years)"), 0, 99, gettext_lazy("0: it is not asked.")
    )
    retention_days = number_field(
        gettext_lazy("Days until everything personal is deleted"),
        0,
        MAX_DAYS,
        gettext_lazy("From the day the study is closed. 0: nothing is deleted by itself."),
    )
    identity_days = number_field(
        gettext_lazy("Days until outside names and payments are deleted"),
        0,
        MAX_DAYS,
        gettext_lazy("Before the rest. 0: with the rest."),
    )
    withdraw_days = number_field(
        gettext_lazy("Days in which participants can have their data deleted"),
        0,
        MAX_DAYS,
        gettext_lazy("From their own end. 0: as long as the data are kept."),
    )
    terms = optional_text(
        gettext_lazy("Terms of the model providers"),
        20_000,
        gettext_lazy(
            "What they do with the words they get, how long, where. You can use Markdown."
        ),
        rows=4,
    )
    publish_words = switch_field(
        gettext_lazy("Ask whether their words may be published"),
        gettext_lazy("A tick of its own beside the agreement. Nobody has to set it."),
    )
    consent_again = switch_field(
        gettext_lazy("Ask again after the debriefing"),
        gettext_lazy(
            "Whether they stay with their agreement, now that they know what it was about."
        ),
    )

    @classmethod
    def initial_data(cls, study: Study) -> dict[str, Any]:
        """Return the design's facts, or the defaults."""
        return dict(study.design.get("ethics") or Ethics().data())

    def parts(self) -> dict[str, Any]:
        """Return the part `ethics` of the design."""
        return {"ethics": dict(self.cleaned_data)}
