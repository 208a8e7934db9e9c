"""A study's setup: an overview, and a page for each part with the resulting plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from game.engine import rulesets
from webapp.study.design.exits import EXITS, Bonus, Platform
from webapp.study.design.stages import Design, Ethics
from webapp.study.models import Study
from webapp.study.planning import studies, study_plan
from webapp.study.planning.pay_checks import BONUS_LABELS
from webapp.study.program import app_version
from webapp.study.rating import campaigns
from webapp.study.researcher.access import own_study, render_not_found
from webapp.study.researcher.fields import number_field, optional_text, switch_field
from webapp.study.researcher.setup.study_forms import (
    AnalysisForm,
    DuringForm,
    ExitsForm,
    ExperimentForm,
    GamesForm,
    PartForm,
    WaitingForm,
)
from webapp.study.researcher.setup.study_summary import (
    EXPERIMENT_PARTS,
    PARTS,
    RATER_PARTS,
    RATING_PART,
    summarize_parts,
)
from webapp.study.researcher.setup.study_table_form import TableForm

BONUS_FIELD_LABELS = {
    "won": _("For each game that their team wins"),
    "survived": _("For each game they survive to the end"),
    "guessed_human": _("For each correct guess of human or computer player"),
}
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


FORMS: Mapping[str, type[PartForm]] = {
    "table": TableForm,
    "games": GamesForm,
    "experiment": ExperimentForm,
    "during": DuringForm,
    "analysis": AnalysisForm,
    "waiting": WaitingForm,
    "exits": ExitsForm,
    "pay": PayForm,
    "ethics": EthicsForm,
}


def build_context(study: Study, part: str, **extra_context: Any) -> dict[str, Any]:
    """Return the context of every page of the setup: the study, its parts, the plan."""
    parts = setup_parts(study)
    keys = [key for key, _title in parts]
    following_parts = keys[keys.index(part) + 1 :] if part in keys else []
    return {
        "study": study,
        "tab": "setup",
        "part": part,
        "part_title": dict(parts).get(part),
        "parts": parts,
        "next_part": following_parts[0] if following_parts else "",
        "locked": study.state != Study.DRAFT,
        "why_locked": studies.lock_reason(study) if study.state != Study.DRAFT else "",
        **plan_context(study),
        **extra_context,
    }


def plan_context(study: Study) -> dict[str, Any]:
    """Return the study's plan and the template that shows it."""
    if study.rates_only and (campaign := study.own_campaign):
        plan = {**campaigns.plan(campaign), "unread": False}
        return {"campaign": campaign, "plan": plan, "plan_page": "study/researcher/plan.html"}
    return {"plan": study_plan.build_plan(study), "plan_page": "study/researcher/study_plan.html"}


def setup_parts(study: Study) -> Sequence[tuple[str, Any]]:
    """Return the parts of the study's setup: (key, title)."""
    if study.is_experiment:
        return EXPERIMENT_PARTS
    if not study.rates_only:
        return PARTS
    return (RATING_PART, *(part for part in PARTS if part[0] in RATER_PARTS))


@own_study
@require_http_methods(["GET", "POST"])
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """Show a summary of all parts, and the name, which can always be changed.

    A study that only rates starts with the page of its ratings.
    """
    if study.rates_only and (campaign := study.own_campaign):
        return redirect("study:setup", campaign.code)
    refused: Sequence[str] = ()
    if request.method == "POST":
        try:
            studies.change(study, name=request.POST.get("name", ""))
            messages.success(request, _("Saved."))
            return redirect("study:study_setup", study.code)
        except studies.Refused as error:
            refused = error.sentences
    context = build_context(
        study,
        "",
        lines=summarize_parts(Design.from_json(study.design)),
        refused=refused,
        settings_hash=study.config_hash or studies.config_hash(study),
        version=app_version(),
    )
    template = "study/researcher/study_setup.html"
    return render(request, template, context, status=422 if refused else 200)


@own_study
@require_GET
def confirm_opening(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the plan of the study, and ask for confirmation to open it."""
    if study.state != Study.DRAFT:
        return redirect("study:study_setup", study.code)
    summary = summarize_parts(Design.from_json(study.design))
    keys = [key for key, _title in setup_parts(study)]
    context = build_context(study, "", lines=[line for line in summary if line.key in keys])
    return render(request, "study/researcher/study_open.html", context)


@own_study
@require_http_methods(["GET", "POST"])
def setup_part(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    """Show the form of a part, and store it."""
    if part not in FORMS or part not in dict(setup_parts(study)):
        text = gettext("The address may be mistyped.")
        return render_not_found(request, gettext("This page does not exist"), text)
    if request.method == "POST" and request.POST.get("do", "").startswith("game:"):
        return _change_ruleset(request, study, request.POST["do"].removeprefix("game:"))
    form = FORMS[part](study, request.POST if request.method == "POST" else None)
    refused: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            studies.change(study, **form.build_settings())
            messages.success(request, _("Saved."))
            return _redirect_after_save(request, study, part)
        except studies.Refused as error:
            refused = error.sentences
    context = build_context(study, part, form=form, refused=refused)
    status = 422 if form.errors or refused else 200
    return render(request, "study/researcher/study_part.html", context, status=status)


def _redirect_after_save(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    """Redirect to the next part, the same one, or the overview."""
    if request.POST.get("do") == "next":
        return redirect_to_part(study, build_context(study, part)["next_part"])
    return redirect_to_part(study, part)


def redirect_to_part(study: Study, part: str) -> HttpResponse:
    """Redirect to the page of a part, or to the overview if there is no such part."""
    pages = {"factors": "study:study_factors", "stages": "study:study_stages"}
    if part in FORMS:
        return redirect("study:study_part", study.code, part)
    return redirect(pages.get(part, "study:study_setup"), study.code)


def _change_ruleset(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Change the study's ruleset, and reset everything that depended on the old one."""
    if name in rulesets.names():
        seats = len(rulesets.get(name).deck)
        table = study.design["table"] | {"ruleset": name, "settings": {}, "casting": {}}
        table |= {"people_seats": [], "people_roles": []}
        table["people"] = min(table["people"], seats)
        change_parts(request, study, table=table)
    return redirect_to_part(study, "table")


def change_parts(request: HttpRequest, study: Study, **parts: Any) -> bool:
    """Set parts of the design and return whether they are valid. The next page shows errors."""
    try:
        studies.change(study, design={**study.design, **parts})
    except studies.Refused as refused:
        for sentence in refused.sentences:
            messages.error(request, sentence)
        return False
    return True


@own_study
@require_POST
def setup_plan(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    incomplete: list[str] = []
    if part in FORMS:
        form = FORMS[part](study, request.POST)
        if form.is_valid():
            study.design = Design.from_json(form.build_settings()["design"]).to_json()
        incomplete = [str(form[name].label) for name in form.errors if name != "__all__"]
    context = {"study": study, "incomplete": incomplete, **plan_context(study)}
    return render(request, context["plan_page"], context)
