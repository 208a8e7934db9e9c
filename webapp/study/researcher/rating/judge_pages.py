"""The page of a campaign's judges: adding, cost, progress, starting, pausing, removing."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.middleware import is_htmx_request
from webapp.storable_text import storable
from webapp.study.design.refusals import Refused
from webapp.study.judging import criteria, judge_progress, judges
from webapp.study.models import Campaign, Judge, Study
from webapp.study.researcher import audit
from webapp.study.researcher.access import PageNotFound, get_row_or_404, own_campaign, own_study
from webapp.study.researcher.fields import set_choices
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import render_form_page, run_or_show_errors

ACTIONS = {"start": judges.start, "pause": judges.pause, "remove": judges.remove}
MODES = list(LABELS["judge_modes"].items())


def _price_field(label: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label, required=False, min_value=0, max_digits=10, decimal_places=4
    )


class JudgeForm(forms.Form):
    """The form of a new judge. An experiment has no raters, so only modes of the paper."""

    name = forms.CharField(label=gettext_lazy("Name of the judge"), max_length=60)
    backend = forms.ChoiceField(label=gettext_lazy("Language model"))
    mode = forms.ChoiceField(
        label=gettext_lazy("Method"), choices=MODES, initial=Judge.RATER, widget=forms.RadioSelect
    )
    reach = forms.ChoiceField(
        label=gettext_lazy("Number of units"),
        choices=list(LABELS["judge_reaches"].items()),
        initial=Judge.ONE_RATER,
        widget=forms.RadioSelect,
    )
    draws = forms.TypedChoiceField(
        label=gettext_lazy("Draws per question"),
        help_text=gettext_lazy("The mean is used, and each draw is stored. The paper used five."),
        choices=[(n, str(n)) for n in range(1, judges.MAX_DRAWS + 1)],
        coerce=int,
        initial=1,
    )
    temperature = forms.FloatField(
        label=gettext_lazy("Temperature"),
        help_text=gettext_lazy("Leave empty to use the model’s own setting."),
        required=False,
        min_value=0,
        max_value=2,
        widget=forms.NumberInput(attrs={"step": "0.1"}),
    )
    limit = forms.IntegerField(
        label=gettext_lazy("Request limit"), required=False, min_value=1, max_value=1_000_000
    )
    price_in = _price_field(gettext_lazy("Price per million input tokens"))
    price_out = _price_field(gettext_lazy("Price per million output tokens"))

    def __init__(self, models: list[str], data: Any = None, *, is_experiment: bool = False) -> None:
        super().__init__(data)
        self.personas = _critic_personas()
        if is_experiment:
            del self.personas["persona"], self.fields["reach"]
            set_choices(self, "mode", MODES[1:]).initial = Judge.PAPER
        set_choices(self, "backend", [(name, name) for name in models])
        for key, (label, text) in self.personas.items():
            self.fields[key] = forms.CharField(
                label=label, initial=text, required=False, max_length=judges.MAX_PERSONA_CHARS,
                widget=forms.Textarea(attrs={"rows": 3}),
            )  # fmt: skip

    @property
    def critic_fields(self) -> list[forms.BoundField]:
        return [self[key] for key in self.personas]

    def settings(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        settings = {name: cleaned[name] for name in self.base_fields if name in cleaned}
        personas = {
            key.removeprefix("persona").strip("_"): storable(cleaned[key]) for key in self.personas
        }
        return {**settings, "name": storable(settings["name"]), "personas": personas}


def _critic_personas() -> dict[str, tuple[str, str]]:
    """Return form field -> (label, default persona) of each critic."""
    personas = {"persona": (_("The critic as a rater"), criteria.RATER_PERSONA)}
    for criterion in (*criteria.CRITERIA, *criteria.LIST_CRITERIA):
        label = _("The critic of {criterion}, as in the paper").format(criterion=criterion.label)
        personas[f"persona_{criterion.key}"] = (label, criterion.persona)
    return personas


@own_study("GET", "HEAD", "POST")
def study_judges(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the judges of an experiment, or of a study's ratings."""
    if study.is_experiment:
        return redirect("study:judges", judges.campaign_of_experiment(study).code)
    if study.own_campaign:
        return redirect("study:judges", study.own_campaign.code)
    text = _("A judge needs an experiment, or a study with a rating stage.")
    raise PageNotFound(_("There is nothing to judge"), text)


@own_campaign("GET", "HEAD", "POST")
def judge_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    refused: list[str] = []
    try:
        models = judges.judge_backends()
    except Refused as error:
        models, refused = [], error.sentences
    data = request.POST if request.method == "POST" else None
    form = JudgeForm(models, data, is_experiment=campaign.study.is_experiment)
    if request.method == "POST" and form.is_valid():
        try:
            judge = judges.add(campaign, **form.settings())
        except Refused as error:
            refused = error.sentences
        else:
            audit.record_line(request, "judge", f"{campaign.code} {judge.pseudonym}: added")
            return redirect("study:judges", campaign.code)
    context = {
        "campaign": campaign,
        "tab": "judges",
        "form": form,
        "models": models,
        "refused": refused,
        **_part_context(campaign),
    }
    return render_form_page(request, "judges", context)


def _part_context(campaign: Campaign) -> dict[str, Any]:
    rows = list(campaign.judges.select_related("campaign", "rater"))
    is_live = any(row.state == Judge.RUNNING for row in rows)
    return {"cards": list(map(_build_card, rows)), "live": is_live}


def _build_card(row: Judge) -> dict[str, Any]:
    """Return a judge with its progress, expected and actual cost, and why it paused itself."""
    progress = judge_progress.read_progress(row)
    is_paused = row.state == Judge.PAUSED
    return {
        "row": row,
        "progress": progress,
        "estimate": judge_progress.estimate_judge(row) if row.state == Judge.DRAFT else None,
        "why": LABELS["pause_reasons"].get(row.failure, row.failure) if is_paused else "",
        "spent": judge_progress.cost(row, progress.tokens_in, progress.tokens_out),
    }


@own_campaign("GET")
def judges_part(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if not is_htmx_request(request):
        return redirect("study:judges", campaign.code)
    context = {"campaign": campaign, **_part_context(campaign)}
    return render(request, "study/researcher/judges_part.html", context)


@own_campaign("POST")
def change_judge(request: HttpRequest, campaign: Campaign, pseudonym: str) -> HttpResponse:
    text = _("No judge of this study is called {name}.").format(name=pseudonym[:20])
    rows = campaign.judges.filter(pseudonym=pseudonym)
    judge = get_row_or_404(rows, _("This judge does not exist"), text)
    action = request.POST.get("do", "")
    perform_action = ACTIONS.get(action)
    if perform_action and run_or_show_errors(request, lambda: perform_action(judge)):
        audit.record_line(request, "judge", f"{campaign.code} {pseudonym}: {action}")
    return redirect("study:judges", campaign.code)
