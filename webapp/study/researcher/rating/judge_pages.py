"""Pages of judges of a campaign: add one, see its cost, begin, pause, remove."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.play.error_pages import is_htmx_request
from webapp.storable_text import storable
from webapp.study.design.refusals import Refused
from webapp.study.judging import criteria, judge_cost, judges
from webapp.study.judging.judge_cost import Estimate
from webapp.study.judging.judges import Progress
from webapp.study.models import Campaign, Judge, Study
from webapp.study.researcher import audit
from webapp.study.researcher.access import (
    own_campaign,
    own_study,
    render_not_found,
)
from webapp.study.researcher.action_errors import run_or_show_errors

# Texts of the stored causes for which judges pause themselves.
PAUSE_REASON_TEXTS = {
    "limit": gettext_lazy("The maximum number of requests is reached."),
    "key": gettext_lazy("The server rejects the API key. Correct the key, then resume the judge."),
    "model": gettext_lazy("The server does not know the model."),
    "refused_request": gettext_lazy("The server rejects the request."),
    "unknown": gettext_lazy("This language model is no longer set up on this site."),
    "rate": gettext_lazy("The server accepts no more requests for now."),
    "timeout": gettext_lazy("The server does not answer in time."),
    "unreachable": gettext_lazy("The server cannot be reached."),
}

MODES = [
    (Judge.RATER, gettext_lazy("as a rater: sees and answers what human raters do")),
    (Judge.PAPER, gettext_lazy("as in the paper: whole games, true roles, 1 to 10")),
    (Judge.LISTS, gettext_lazy("as in the paper: lists, for Variation and Memorability")),
]


class JudgeForm(forms.Form):
    """The form of a new judge.

    If `is_experiment`, it offers only the modes of the paper, because there are no raters.
    """

    name = forms.CharField(label=gettext_lazy("Name of the judge"), max_length=60)
    backend = forms.ChoiceField(label=gettext_lazy("Language model"))
    mode = forms.ChoiceField(
        label=gettext_lazy("Method"), choices=MODES, initial=Judge.RATER, widget=forms.RadioSelect
    )
    reach = forms.ChoiceField(
        label=gettext_lazy("Number of units"),
        choices=[
            (Judge.WAY, gettext_lazy("as many units as a human rater")),
            (Judge.ALL, gettext_lazy("all units")),
        ],
        initial=Judge.WAY,
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
    price_in = forms.DecimalField(
        label=gettext_lazy("Price per million input tokens"),
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=4,
    )
    price_out = forms.DecimalField(
        label=gettext_lazy("Price per million output tokens"),
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=4,
    )

    def __init__(self, models: list[str], data: Any = None, *, is_experiment: bool = False) -> None:
        super().__init__(data)
        if is_experiment:  # it has no raters
            mode = self.fields["mode"]
            assert isinstance(mode, forms.ChoiceField)
            mode.choices, mode.initial = MODES[1:], Judge.PAPER
            del self.fields["reach"]
        backend = self.fields["backend"]
        assert isinstance(backend, forms.ChoiceField)
        backend.choices = [(name, name) for name in models]
        area = forms.Textarea(attrs={"rows": 3})
        self.personas = critic_personas()
        if is_experiment:
            del self.personas["persona"]
        for key, (label, text) in self.personas.items():
            self.fields[key] = forms.CharField(
                label=label,
                initial=text,
                required=False,
                max_length=judges.MAX_PERSONA_CHARS,
                widget=area,
            )

    @property
    def critic_fields(self) -> list[forms.BoundField]:
        """Return the fields of the critics' personas."""
        return [self[key] for key in self.personas]

    def settings(self) -> dict[str, Any]:
        """Return the arguments of `judges.add`."""
        cleaned = self.cleaned_data
        judge_settings = {name: cleaned[name] for name in SETTING_NAMES if name in cleaned}
        personas = {
            key.removeprefix("persona").strip("_"): storable(cleaned[key]) for key in self.personas
        }
        return {**judge_settings, "name": storable(judge_settings["name"]), "personas": personas}


SETTING_NAMES = ("name", "backend", "mode", "reach", "draws", "temperature", "limit", "price_in",
            "price_out")  # fmt: skip


def critic_personas() -> dict[str, tuple[str, str]]:
    """Return form field -> (label, default persona) of each critic."""
    personas = {"persona": (_("The critic as a rater"), criteria.RATER_PERSONA)}
    for one in (*criteria.CRITERIA, *criteria.LIST_CRITERIA):
        label = _("The critic of {criterion}, as in the paper").format(criterion=one.label)
        personas[f"persona_{one.key}"] = (label, one.persona)
    return personas


@dataclass(frozen=True)
class JudgeCard:
    """A judge as the page shows it.

    Attributes:
        estimate: expected cost before it begins, else None.
        why: the reason if it paused itself.
        spent: cost so far, None if unknown.
    """

    row: Judge
    progress: Progress
    estimate: Estimate | None
    why: str
    spent: Decimal | None

    @property
    def is_live(self) -> bool:
        return self.row.state == Judge.RUNNING


def _build_card(row: Judge) -> JudgeCard:
    progress = judges.progress(row)
    estimate = judge_cost.estimate_judge(row) if row.state == Judge.DRAFT else None
    pause_text = (
        PAUSE_REASON_TEXTS.get(row.failure, row.failure) if row.state == Judge.PAUSED else ""
    )
    spent = judge_cost.cost(row, progress.tokens_in, progress.tokens_out)
    return JudgeCard(row, progress, estimate, str(pause_text), spent)


@own_study
@require_http_methods(["GET", "HEAD", "POST"])
def study_judges(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the judges of an experiment, or of a study's ratings."""
    if study.is_experiment:
        return redirect("study:judges", judges.campaign_of_experiment(study).code)
    if study.own_campaign:
        return redirect("study:judges", study.own_campaign.code)
    text = _("A judge needs an experiment, or a study with a rating stage.")
    return render_not_found(request, _("There is nothing to judge"), text)


@own_campaign
@require_http_methods(["GET", "HEAD", "POST"])
def judge_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the judges, and the form for another one."""
    refused: list[str] = []
    try:
        models = judges.judge_backends()
    except Refused as error:
        models, refused = [], error.sentences
    data = request.POST if request.method == "POST" else None
    form = JudgeForm(models, data, is_experiment=campaign.study.is_experiment)
    if request.method == "POST" and form.is_valid():
        try:
            judge_row = judges.add(campaign, **form.settings())
        except Refused as error:
            refused = error.sentences
        else:
            audit.record_line(request, "judge", f"{campaign.code} {judge_row.pseudonym}: added")
            return redirect("study:judges", campaign.code)
    context = {
        "campaign": campaign,
        "tab": "judges",
        "form": form,
        "models": models,
        "refused": refused,
        **_part_context(campaign),
    }
    status = 422 if form.errors or refused else 200
    return render(request, "study/researcher/judges.html", context, status=status)


def _part_context(campaign: Campaign) -> dict[str, Any]:
    rows = campaign.judges.select_related("campaign", "rater")
    cards = [_build_card(row) for row in rows]
    return {"cards": cards, "live": any(card.is_live for card in cards)}


@own_campaign
@require_GET
def judges_part(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the part of the page with the judges, which is polled."""
    if not is_htmx_request(request):
        return redirect("study:judges", campaign.code)
    context = {"campaign": campaign, **_part_context(campaign)}
    return render(request, "study/researcher/judges_part.html", context)


ACTIONS_BY_NAME = {"start": judges.start, "pause": judges.pause, "remove": judges.remove}


@own_campaign
@require_POST
def change_judge(request: HttpRequest, campaign: Campaign, pseudonym: str) -> HttpResponse:
    """Start, resume, pause or remove a judge."""
    judge_row = campaign.judges.filter(pseudonym=pseudonym).first()
    if judge_row is None:
        text = _("No judge of this study is called {name}.").format(name=pseudonym[:20])
        return render_not_found(request, _("This judge does not exist"), text)
    action = request.POST.get("do", "")
    perform_action = ACTIONS_BY_NAME.get(action)
    if perform_action and run_or_show_errors(request, lambda: perform_action(judge_row)):
        audit.record_line(request, "judge", f"{campaign.code} {pseudonym}: {action}")
    return redirect("study:judges", campaign.code)
