"""The page of a study's rehearsal, in which simulated people take part before real ones do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from webapp.study.design.value_checks import Refused
from webapp.study.models import Rehearsal, Study
from webapp.study.planning import studies
from webapp.study.rehearsal import requested
from webapp.study.rehearsal.study_runs import StudyRunOptions
from webapp.study.researcher.access import is_htmx_request, own_study_of_people
from webapp.study.researcher.results.campaign_result_tables import PAGE
from webapp.study.results.result_table import DASH, Notes, ResultTable

MOST = 60  # each simulated person uses a little of the machine

# The counts, in the order of the page.
COUNTED = {
    "completed": gettext_lazy("came to the end"),
    "drawn_to_leave": gettext_lazy("were drawn to leave on the way"),
    "left": gettext_lazy("left on the way, as they were told to"),
    "screened": gettext_lazy("were screened out, or failed the quiz"),
    "waited_out": gettext_lazy("waited in vain for others"),
}


class RehearsalForm(forms.Form):
    """The number of simulated people and their behaviour."""

    participants = forms.IntegerField(
        label=gettext_lazy("How many people come"), min_value=1, max_value=MOST, initial=12
    )
    dropout = forms.IntegerField(
        label=gettext_lazy("How many of a hundred leave"), min_value=0, max_value=100, initial=10
    )
    careless = forms.IntegerField(
        label=gettext_lazy("How many of a hundred answer carelessly"),
        min_value=0,
        max_value=100,
        initial=10,
    )
    effect = forms.FloatField(
        label=gettext_lazy("How far conditions are apart"),
        help_text=gettext_lazy(
            "In steps of a scale from 1 to 5, for the power of the tests that are planned: how"
            " often they would find it."
        ),
        min_value=0,
        max_value=4,
        initial=0.6,
    )
    speed = forms.TypedChoiceField(
        label=gettext_lazy("How quickly they read and write"),
        choices=[
            ("60", gettext_lazy("sixty times as fast as people: a few minutes")),
            ("10", gettext_lazy("ten times as fast")),
            ("1", gettext_lazy("like people: as long as the study takes")),
        ],
        coerce=float,
        initial="60",
        widget=forms.RadioSelect,
    )

    def asked(self) -> StudyRunOptions:
        cleaned = self.cleaned_data
        return StudyRunOptions(
            participants=cleaned["participants"],
            dropout=cleaned["dropout"] / 100,
            careless=cleaned["careless"] / 100,
            effect=cleaned["effect"],
            speed=cleaned["speed"],
        )


@own_study_of_people
@require_http_methods(["GET", "POST"])
def rehearsal(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the result of the last rehearsal, and request another one."""
    form, refused = RehearsalForm(request.POST or None), list[str]()
    if request.method == "POST" and form.is_valid():
        try:
            requested.request_rehearsal(study, form.asked())
            return redirect("study:study_rehearsal", study.code)
        except Refused as error:
            refused = error.sentences
    context = {"study": study, "tab": "rehearsal", "form": form, "refused": refused}
    status = 422 if form.errors or refused else 200
    template = "study/researcher/study_rehearsal.html"
    return render(request, template, context | _page_context(study), status=status)


@own_study_of_people
@require_GET
def part(request: HttpRequest, study: Study) -> HttpResponse:
    if not is_htmx_request(request):
        return redirect("study:study_rehearsal", study.code)
    context = {"study": study, **_page_context(study)}
    return render(request, "study/researcher/study_rehearsal_part.html", context)


def _page_context(study: Study) -> dict[str, Any]:
    row = Rehearsal.objects.filter(study=study).first()
    if row is None:
        return {"row": None, "live": False}
    return {
        "row": row,
        "live": requested.is_running(row),
        "ended": row.state in (Rehearsal.DONE, Rehearsal.FAILED),
        "changed": row.design != studies.config_hash(study),
        "well": not (row.result.get("stuck") or row.result.get("answers_lost")),
        "counted": [
            (label, row.result[key]) for key, label in COUNTED.items() if key in row.result
        ],
        "conditions": sorted(row.result.get("by_condition", {}).items()),
        "minutes": _minutes(row.result.get("seconds", 0)),
        "power": _power_table(row.result.get("power") or {}),
    }


def _power_table(power: Mapping[str, Any]) -> ResultTable | None:
    """Return how often the planned tests reject with the effect and without it."""
    if not power:
        return None
    head = (_("Test"), _("Difference"), _("Mean"), _("Power"), _("95 % CI"),
            _("Without a difference"))  # fmt: skip
    table = ResultTable("", head, 2, Notes(PAGE), "power")
    for row in power["tests"]:
        test, rate = row["test"], row["power"]
        low, high = (f"{100 * end:.0f}" for end in rate["ci"])
        table.add(
            test["item"],
            f"{test['b']} − {test['a']}",
            DASH if row["difference"] is None else PAGE.number(row["difference"], 2),
            f"{100 * rate['value']:.0f} %",
            _("{low} to {high}").format(low=low, high=high),
            f"{100 * row['type_i_error']['value']:.0f} %",
        )
    return table


def _minutes(seconds: float) -> str:
    return _("{minutes} min").format(minutes=max(1, round(seconds / 60)))
