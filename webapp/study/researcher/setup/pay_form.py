"""The form of a study's bonuses, and of the platform that recruits and pays people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.study.design.exits import EXITS
from webapp.study.design.stages import Bonus, Platform
from webapp.study.models import Study
from webapp.study.planning.pay_checks import BONUS_LABELS
from webapp.study.researcher.fields import number_field
from webapp.study.researcher.setup.study_forms import PartForm

BONUS_FIELD_LABELS = {
    "won": _("For each game that their team wins"),
    "survived": _("For each game they survive to the end"),
    "guessed_human": _("For each correct guess of human or computer player"),
}


def _money_field(label: Any, max_value: int, help_text: Any = "") -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        help_text=help_text,
        min_value=0,
        max_value=max_value,
        decimal_places=2,
        required=False,
    )


class PayForm(PartForm):
    """A bonus for each rule (empty for none), and the platform's rewards and limits."""

    def own_fields(self) -> dict[str, forms.Field]:
        """Return the amount and limit of each bonus, and the platform's fields."""
        fields: dict[str, forms.Field] = {}
        for rule in BONUS_LABELS:
            fields[f"{rule}-amount"] = _money_field(BONUS_FIELD_LABELS[rule], 1000)
            fields[f"{rule}-most"] = _money_field(
                _("… maximum of this bonus per participant"),
                10_000,
                _("Leave empty for no maximum."),
            )
        fields["rewards"] = forms.MultipleChoiceField(
            label=_("The platform pays base pay"),
            help_text=_(
                "The platform pays it as its reward to the participants it recruited. Their base"
                " pay is in no payment file of yours. All other pay is paid as a bonus."
            ),
            choices=list(EXITS.items()),
            required=False,
            widget=forms.CheckboxSelectMultiple,
        )
        fields["most_minutes"] = number_field(
            _("Maximum time on the platform (minutes)"),
            0,
            1440,
            _("Prolific’s maximum allowed time. Enter 0 for no limit."),
        )
        return fields

    @classmethod
    def initial_data(cls, study: Study) -> dict[str, Any]:
        """Return the bonuses and the platform of the design."""
        platform = Platform.from_json(study.design.get("platform", {}))
        initial: dict[str, Any] = platform.to_json()
        for bonus_data in study.design.get("bonuses", ()):
            bonus = Bonus.from_json(bonus_data)
            initial[f"{bonus.rule}-amount"] = bonus.amount
            initial[f"{bonus.rule}-most"] = bonus.most or None
        return initial

    def parts(self) -> dict[str, Any]:
        """Return the parts `bonuses` and `platform` of the design."""
        data = self.cleaned_data
        bonuses = [
            {
                "rule": rule,
                "amount": str(data[f"{rule}-amount"]),
                "most": str(data[f"{rule}-most"] or 0),
            }
            for rule in BONUS_LABELS
            if data[f"{rule}-amount"]
        ]
        names = ("rewards", "most_minutes")
        return {"bonuses": bonuses, "platform": {name: data[name] for name in names}}
