"""The page of a study's rehearsal, in which simulated people take part before real ones do."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.middleware import is_htmx_request
from webapp.proxies import site_address
from webapp.study.design.conditions import readable_names
from webapp.study.models import Rehearsal, Study
from webapp.study.planning import studies
from webapp.study.rehearsal import rehearsal_requests, study_runs
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions
from webapp.study.researcher.access import own_study_of_people
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download, render_form_page, run_or_get_errors
from webapp.study.results.result_table import DASH, PAGE_FORMAT, Notes, ResultTable
from webapp.study.sessions.participant_state import design_of, route, step_name

MAX_PARTICIPANTS = 60  # limited because each simulated person takes processor time


def _percent_field(label: Any, initial: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=0, max_value=100, initial=initial)


class RehearsalForm(forms.Form):
    """The form of a rehearsal: the number of simulated people and their behaviour."""

    participants = forms.IntegerField(
        label=gettext_lazy("Number of participants"), min_value=1, max_value=MAX_PARTICIPANTS,
        initial=12,
    )  # fmt: skip
    dropout = _percent_field(gettext_lazy("Share who leave (percent)"), 10)
    idle = _percent_field(gettext_lazy("Share who become inactive with the page open (percent)"), 0)
    careless = _percent_field(gettext_lazy("Share who answer carelessly (percent)"), 10)
    effect = forms.FloatField(
        label=gettext_lazy("Difference between conditions"),
        help_text=gettext_lazy(
            "In steps of a scale from 1 to 5. It gives the power of the planned tests: how often"
            " they would detect this difference."
        ),
        min_value=0,
        max_value=4,
        initial=0.6,
    )
    speed = forms.TypedChoiceField(
        label=gettext_lazy("Speed of reading and writing"),
        choices=list(LABELS["rehearsal_speeds"].items()),
        coerce=float,
        initial="60",
        widget=forms.RadioSelect,
    )
    here = forms.BooleanField(
        label=gettext_lazy("Run on this site, alongside its visitors"),
        help_text=gettext_lazy(
            "This shows the load that the server can handle. A copy of the study with its own"
            " places and links is opened, and deleted at the end."
        ),
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("here") and data.get("participants", 0) > settings.CROWD:
            text = _("This site allows {most} participants per address (FABULA_CROWD).")
            self.add_error("participants", text.format(most=settings.CROWD))
        return data

    def options(self, site: str, owner: str) -> StudyRunOptions:
        """Return the options of the rehearsal, for this site's address and the study's owner."""
        cleaned = self.cleaned_data
        return StudyRunOptions(
            site=site if cleaned["here"] else "",
            owner=owner,
            **{name: cleaned[name] for name in ("participants", "effect", "speed")},
            **{name: cleaned[name] / 100 for name in ("dropout", "idle", "careless")},
        )


@own_study_of_people("GET", "POST")
def rehearsal(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the result of the last rehearsal, and request another rehearsal."""
    form = RehearsalForm(request.POST or None)
    refused: list[str] = []
    if request.method == "POST" and form.is_valid():
        options = form.options(site_address(request), study.owner.get_username())
        refused = run_or_get_errors(lambda: rehearsal_requests.request_rehearsal(study, options))
        if not refused:
            return redirect("study:study_rehearsal", study.code)
    context = {"study": study, "tab": "rehearsal", "form": form, "refused": refused}
    return render_form_page(request, "study_rehearsal", context | _page_context(study))


@own_study_of_people("GET")
def rehearsal_part(request: HttpRequest, study: Study) -> HttpResponse:
    if not is_htmx_request(request):
        return redirect("study:study_rehearsal", study.code)
    context = {"study": study, **_page_context(study)}
    return render(request, "study/researcher/study_rehearsal_part.html", context)


@own_study_of_people("GET")
def download_data(request: HttpRequest, study: Study) -> HttpResponse:
    row = Rehearsal.objects.filter(study=study).first()
    if row is None or row.archive is None:
        return redirect("study:study_rehearsal", study.code)
    return download(bytes(row.archive), f"fabula-{study.code}-simulated.zip")


def _page_context(study: Study) -> dict[str, Any]:
    latest = Rehearsal.objects.filter(study=study).defer("archive").first()
    if latest is None:
        return {"row": None, "live": False}
    result = latest.result
    minutes = max(1, round(result.get("seconds", 0) / 60))
    labels = LABELS["rehearsal_counts"].items()
    return {
        "row": latest,
        "live": rehearsal_requests.is_unfinished(latest),
        "ended": latest.state in (Rehearsal.DONE, Rehearsal.FAILED),
        "has_changed_settings": latest.design != studies.config_hash(study),
        "is_without_faults": not any(result.get(key) for key in study_runs.FAULT_COUNTS),
        "counts": [(label, result[key]) for key, label in labels if key in result],
        "conditions": _condition_rows(study, result),
        "minutes": _("{minutes} min").format(minutes=minutes),
        "time_table": _build_time_table(study, result),
        "money": _waiting_and_money_rows(result),
        "has_data": Rehearsal.objects.filter(pk=latest.pk, archive__isnull=False).exists(),
        "power": _build_power_table(result.get("power") or {}),
    }


def _condition_rows(study: Study, result: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return (name for readers, counts of games) of each condition, ordered by name."""
    names, by_condition = readable_names(design_of(study)), result.get("by_condition", {})
    return sorted((names.get(name, name), counts) for name, counts in by_condition.items())


def _build_time_table(study: Study, result: Mapping[str, Any]) -> ResultTable | None:
    """Return the minutes of each stage, None for a result of an old version, which has none."""
    if not result.get("stages"):
        return None
    design = design_of(study)
    names = {step.key: step_name(step, design.assignment.games_each) for step in route(design)}
    head = (_("Stage"), _("Participants"), _("10 % (minutes)"), _("50 % (minutes)"),
            _("90 % (minutes)"), _("Longest"))  # fmt: skip
    table = ResultTable("", head, notes=Notes(PAGE_FORMAT), key="times")
    for row in result["stages"]:
        minutes = row["minutes"]
        cells = (minutes.get(key) for key in ("p10", "median", "p90", "max"))
        table.add(
            names.get(row["step"], row["step"]),
            str(minutes["n"]),
            *(DASH if cell is None else PAGE_FORMAT.number(cell, 1) for cell in cells),
        )
    return table


def _waiting_and_money_rows(result: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Return (label, text) of the waiting time, of pay and of the cost of models."""
    if "pay" not in result:
        return []
    waiting, pay, rows = result["waiting"], result["pay"], list[tuple[Any, str]]()
    if waiting["n"]:
        text = _("median {median} s, 90th percentile {p90} s, maximum {max} s")
        seconds = {name: round(value) for name, value in waiting.items()}
        rows.append((_("Wait for a game"), text.format(**seconds)))
    rows.append((_("Owed to these participants"), "{total} {currency}".format(**pay)))
    if pay["per_hour"]:
        rows.append((_("Hourly pay of those who finish"), "{per_hour} {currency}".format(**pay)))
    if cost := result.get("cost"):
        texts = [_("{n} requests").format(n=cost["requests"])]
        texts.append(", ".join(f"{amount:.2f} {name}" for name, amount in cost["money"].items()))
        if unrecorded := ", ".join(cost["unrecorded"]):
            text = _("unknown for {names}: no request was recorded")
            texts.append(text.format(names=unrecorded))
        label = _("Model costs of the whole study, with its own backends")
        rows.append((label, "; ".join(filter(None, texts))))
    return rows


def _build_power_table(power: Mapping[str, Any]) -> ResultTable | None:
    """Return the power and the type I error of each planned test, None without a computation."""
    if not power:
        return None
    head = (_("Test"), _("Difference"), _("Mean"), _("Power"), _("95 % CI"),
            _("Without a difference"))  # fmt: skip
    table = ResultTable("", head, text_columns=2, notes=Notes(PAGE_FORMAT), key="power")
    for row in power["tests"]:
        test, rate = row["test"], row["power"]
        low, high = (f"{100 * end:.0f}" for end in rate["ci"])
        table.add(
            test["item"],
            f"{test['b']} − {test['a']}",
            DASH if row["difference"] is None else PAGE_FORMAT.number(row["difference"], 2),
            f"{100 * rate['value']:.0f} %",
            _("{low} to {high}").format(low=low, high=high),
            f"{100 * row['type_i_error']['value']:.0f} %",
        )
    return table
