"""Forms of a study's exits, bonuses and recruiting platform."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.study.design.exits import BONUS_LABELS, EXITS, Bonus, Exit, Platform
from webapp.study.researcher.fields import (
    CHECKBOXES,
    lines_of_text,
    optional_text,
    radio_buttons,
    return_address_field,
    setting_field,
    show_if,
)
from webapp.study.researcher.setup.study_forms import PartForm

BONUS_FIELD_LABELS = {
    "won": _("For each game that their team wins"),
    "survived": _("For each game they survive to the end"),
    "guessed_human": _("For each correct guess of human or computer player"),
}
CODE_KINDS = [
    ("none", _("no code")),
    ("same", _("one code for all")),
    ("own", _("a random code for each")),
]


class ExitsForm(PartForm):
    EXIT_FIELDS = ("text", "code_kind", "code", "url", "pay")
    currency = optional_text(
        _("Currency"), 8, _("For example: GBP or €. Leave empty if there is no pay.")
    )

    def own_fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        for kind in EXITS:
            fields |= {f"{kind}-{name}": field for name, field in _exit_fields().items()}
            show_if(fields[f"{kind}-code"], f"{kind}-code_kind", "same")
        return fields

    def build_initial_data(self) -> dict[str, Any]:
        design = self.study.design
        initial: dict[str, Any] = {"currency": design["currency"]}
        for kind in EXITS:
            exit_data = {"code_kind": "none", **design["exits"].get(kind, {})}
            initial |= {f"{kind}-{name}": exit_data.get(name, "") for name in self.EXIT_FIELDS}
        return initial

    def build_parts(self) -> dict[str, Any]:
        data, exits = self.cleaned_data, {}
        for kind in EXITS:
            exit_data = {name: data[f"{kind}-{name}"] for name in self.EXIT_FIELDS}
            exit_data["pay"] = str(exit_data["pay"] or Decimal(0))
            if Exit.from_json(exit_data) != Exit():
                exits[kind] = exit_data
        return {"currency": data["currency"], "exits": exits}

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self["currency"]]

    @property
    def exits(self) -> list[tuple[Any, list[forms.BoundField], bool]]:
        """(label, fields, whether it has settings or errors, so that it is unfolded) of each."""
        rows = []
        for kind, label in EXITS.items():
            fields = [self[f"{kind}-{name}"] for name in self.EXIT_FIELDS]
            has_settings = kind in self.study.design["exits"]
            has_errors = any(field.errors for field in fields)
            rows.append((label, fields, has_settings or has_errors))
        return rows


def _exit_fields() -> dict[str, forms.Field]:
    return {
        "text": setting_field(Exit, "text", **lines_of_text(2)),
        "code_kind": setting_field(Exit, "code_kind", **radio_buttons(*CODE_KINDS)),
        "code": setting_field(Exit, "code"),
        "url": return_address_field(),
        "pay": _money_field(_("Pay"), 1000),
    }


class PayForm(PartForm):
    """The form of the bonus of each rule, and of the recruiting platform's rewards and limits."""

    def own_fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        for rule in BONUS_LABELS:
            fields[f"{rule}-amount"] = _money_field(BONUS_FIELD_LABELS[rule], 1000)
            fields[f"{rule}-most"] = _money_field(
                _("… maximum of this bonus per participant"), 10_000,
                _("Leave empty for no maximum."),
            )  # fmt: skip
        fields["rewards"] = setting_field(
            Platform, "rewards", choices=list(EXITS.items()), **CHECKBOXES
        )
        fields["most_minutes"] = setting_field(Platform, "most_minutes")
        return fields

    def build_initial_data(self) -> dict[str, Any]:
        platform = Platform.from_json(self.study.design.get("platform", {}))
        initial: dict[str, Any] = platform.to_json()
        for bonus_data in self.study.design.get("bonuses", ()):
            bonus = Bonus.from_json(bonus_data)
            initial[f"{bonus.rule}-amount"] = bonus.amount
            initial[f"{bonus.rule}-most"] = bonus.most or None
        return initial

    def build_parts(self) -> dict[str, Any]:
        data = self.cleaned_data
        bonuses = [
            {"rule": rule, "amount": str(amount), "most": str(data[f"{rule}-most"] or 0)}
            for rule in BONUS_LABELS
            if (amount := data[f"{rule}-amount"])
        ]
        platform = {name: data[name] for name in ("rewards", "most_minutes")}
        return {"bonuses": bonuses, "platform": platform}


def _money_field(label: Any, max_value: int, help_text: Any = "") -> forms.DecimalField:
    return forms.DecimalField(
        label=label, help_text=help_text, min_value=0, max_value=max_value, decimal_places=2,
        required=False,
    )  # fmt: skip
