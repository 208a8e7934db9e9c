"""The pages of a participant's stages: their order, and the form of each stage."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from webapp.storable_text import read_number
from webapp.study.design import instruments, stages
from webapp.study.design.refusals import Refused
from webapp.study.models import Campaign, Study
from webapp.study.permissions import Permission, studies_with
from webapp.study.planning.stage_checks import SINGLE_STAGES
from webapp.study.researcher.access import PageNotFound, own_study_of_people
from webapp.study.researcher.fields import lines_of_text, number_field, radio_buttons, setting_field
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import render_form_page
from webapp.study.researcher.setup.study_forms import PartForm
from webapp.study.researcher.setup.study_setup import (
    build_context,
    change_parts_or_show_errors,
    save_and_get_errors,
)
from webapp.study.sessions import questions, study_campaigns

KINDS = {str(kind().to_json()["kind"]): kind for kind in stages.STAGE_CLASSES}
# Nothing is stored before consent, and games have limits of their own.
STAGES_WITHOUT_LIMIT = (stages.ConsentStage, stages.GameStage)
# Setting of the quiz -> options of its field.
QUIZ_OPTIONS: dict[str, dict[str, Any]] = {
    "questions": {},
    "tries": {},
    "then": radio_buttons(*LABELS["quiz_ends"].items()),
}
OWN_PREFIX = "own:"  # Begins the form's name for an instrument that is stored in the design.


class StageForm(PartForm):
    """The form of the stage with this index, for the account that changes it (or the owner)."""

    title = setting_field(stages.Stage, "title")
    text = setting_field(stages.Stage, "text", **lines_of_text(6))

    def __init__(
        self,
        study: Study,
        index: int,
        data: Mapping[str, Any] | None = None,
        account_id: int | None = None,
    ) -> None:
        self.index = index
        self.account_id = account_id or study.owner_id
        self.stage = study.design["stages"][index]
        self.kind = KINDS[self.stage["kind"]]
        super().__init__(study, data)

    def build_initial_data(self) -> dict[str, Any]:
        """Return the stage's settings, with defaults for settings newer than the stored stage."""
        default_stage = self.kind()
        initial = {
            name: self.stage.get(name, getattr(default_stage, name, None)) for name in self.fields
        }
        initial |= {f"quiz-{key}": value for key, value in self.stage.get("quiz", {}).items()}
        if "instruments" in self.stage:
            initial["instruments"] = [_instrument_name(i) for i in self.stage["instruments"]]
        return initial

    def own_fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        if self.kind not in STAGES_WITHOUT_LIMIT:
            fields["minutes"] = setting_field(stages.Stage, "minutes")
        if self.kind not in (*STAGES_WITHOUT_LIMIT, stages.PracticeStage):
            fields["idle_minutes"] = setting_field(stages.Stage, "idle_minutes")
        if self.kind not in SINGLE_STAGES:
            fields["each_game"] = setting_field(stages.Stage, "each_game")
        if self.kind in stages.QUESTION_STAGES:
            fields["instruments"] = forms.MultipleChoiceField(
                label=_("Questionnaire"),
                choices=_instrument_choices(self.stage["instruments"]),
                widget=forms.CheckboxSelectMultiple,
                error_messages={"required": _("Choose a questionnaire.")},
            )
        if self.kind is stages.BackgroundStage:
            fields["least_experience"] = _least_experience_field()
        if self.kind is stages.RulesStage:
            for name, options in QUIZ_OPTIONS.items():
                fields[f"quiz-{name}"] = setting_field(stages.Quiz, name, **options)
        if self.kind is stages.RatingsStage and not self.stage["campaign"]:
            fields |= _rating_fields(self.study, self.account_id)
        if self.kind is stages.DebriefingStage:
            fields["reveal"] = setting_field(stages.DebriefingStage, "reveal")
        return fields

    @property
    def is_rating(self) -> bool:
        return self.kind is stages.RatingsStage

    @property
    def has_questionnaires(self) -> bool:
        return self.kind in stages.QUESTION_STAGES

    @property
    def questionnaires(self) -> list[tuple[str, bool]]:
        """(title, whether it is the study's own) of the stage's questionnaires, in order."""
        references = self.stage.get("instruments", [])
        titles = dict(_instrument_choices(references))
        return [(titles[_instrument_name(i)], not isinstance(i, str)) for i in references]

    def build_parts(self) -> dict[str, Any]:
        data = dict(self.cleaned_data)
        quiz_names = [name for name in data if name.startswith("quiz-")]
        quiz = {name.removeprefix("quiz-"): data.pop(name) for name in quiz_names}
        stage = {**self.stage, **data, **({"quiz": quiz} if quiz else {})}
        if "instruments" in data:
            stored_instruments = {_instrument_name(i): i for i in self.stage["instruments"]}
            stage["instruments"] = [
                stored_instruments.get(name, name) for name in data["instruments"]
            ]
        all_stages = list(self.study.design["stages"])
        all_stages[self.index] = stage
        return {"stages": all_stages}


def _instrument_name(instrument: str | Mapping[str, Any]) -> str:
    """Return the form's name for an instrument: a built-in one's key, or the prefixed own key."""
    return instrument if isinstance(instrument, str) else OWN_PREFIX + str(instrument.get("key"))


def _instrument_choices(chosen: Sequence[Any]) -> list[tuple[str, str]]:
    """Return (name, title) of the built-in instruments and of other chosen ones."""
    choices = [(i.key, i.title) for i in instruments.for_participants()]
    titles = dict(choices)
    for instrument in chosen:
        if (name := _instrument_name(instrument)) not in titles:
            title = "" if isinstance(instrument, str) else instrument.get("title")
            choices.append((name, str(title or name)))
    return choices


def _least_experience_field() -> forms.Field:
    levels = [
        (number, _(option.label)) for number, option in enumerate(questions.experience_levels({}))
    ]
    return forms.TypedChoiceField(
        label=_("Required knowledge of the game"),
        choices=[(0, _("none")), *levels[1:]],
        coerce=int,
        help_text=_("All others are screened out. The stage “About you” must ask for it."),
    )


def _rating_fields(study: Study, account_id: int) -> dict[str, forms.Field]:
    """Return the fields of the most common settings. The campaign's own page has them all."""
    return {
        "instrument": forms.ChoiceField(
            label=_("Questionnaire for each unit"),
            choices=[(i.key, i.title) for i in instruments.for_raters()],
        ),
        "items": number_field(_("Units per participant"), 1, 100),
        "campaign": forms.ChoiceField(
            label=_("Source of the games"),
            choices=[("", _("games of this study")), *_other_campaigns(study, account_id)],
            required=False,
        ),
    }


def _other_campaigns(study: Study, account_id: int) -> Iterator[tuple[str, str]]:
    """Yield (code, label) of the owner's other campaigns that the account may edit."""
    editable = Study.objects.filter(studies_with(account_id, Permission.EDIT), owner=study.owner)
    rows = Campaign.objects.filter(study__in=editable).exclude(study=study)
    for campaign in rows.select_related("study"):
        if campaign.study.rates_only:
            yield campaign.code, _("games of “{name}”").format(name=campaign.name)


@own_study_of_people("GET", "POST")
def show_stages(request: HttpRequest, study: Study) -> HttpResponse:
    if request.method == "POST":
        return _rearrange_stages(request, study)
    design_stages = stages.Design.from_json(study.design).stages
    rows = [(stage, stage.label, stage.kind_label) for stage in design_stages]
    present_kinds = {type(stage) for stage in design_stages}
    kinds = [
        (key, kind.kind_label)
        for key, kind in KINDS.items()
        if kind not in SINGLE_STAGES or kind not in present_kinds
    ]
    context = build_context(study, "stages", stages=rows, kinds=kinds)
    return render(request, "study/researcher/study_stages.html", context)


def _rearrange_stages(request: HttpRequest, study: Study) -> HttpResponse:
    """Add, remove or move a stage by the buttons `add`, `remove:2`, `up:2` and `down:2`."""
    stage_list: list[Any] = list(study.design["stages"])
    action, _colon, number_text = request.POST.get("do", "").partition(":")
    index = read_number(number_text) - 1
    is_index = 0 <= index < len(stage_list)
    kind = request.POST.get("kind", "")
    new_index = -1
    if action == "add" and kind in KINDS:
        new_index = _default_index(kind, stage_list)
        stage_list.insert(new_index, KINDS[kind]().to_json())
    elif action == "remove" and is_index:
        stage_list.pop(index)
    elif action == "up" and is_index and index > 0:
        stage_list.insert(index - 1, stage_list.pop(index))
    elif action == "down" and is_index:
        stage_list.insert(index + 1, stage_list.pop(index))
    else:
        return redirect("study:study_stages", study.code)
    if not change_parts_or_show_errors(request, study, stages=stage_list) or new_index < 0:
        return redirect("study:study_stages", study.code)
    return redirect("study:study_stage", study.code, new_index + 1)


def _default_index(kind: str, stage_list: Sequence[Any]) -> int:
    """Return the index of a new stage: after the last one that is earlier in STAGE_CLASSES."""
    if KINDS[kind] is stages.ConsentStage:
        return 0
    ranks = {key: rank for rank, key in enumerate(KINDS)}
    earlier = (n for n, stage in enumerate(stage_list, 1) if ranks[stage["kind"]] <= ranks[kind])
    return max(earlier, default=0)


@own_study_of_people("POST")
def open_ratings_setup(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Redirect to the setup of a stage's ratings. The first call creates the campaign."""
    try:
        campaign = study_campaigns.get_or_create_draft(study, number - 1)
    except (Refused, LookupError):
        return redirect("study:study_stages", study.code)
    return redirect("study:setup", campaign.code)


@own_study_of_people("GET", "POST")
def edit_stage(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    if not 1 <= number <= len(study.design["stages"]):
        text = gettext("The stage may have been removed, or the address may be mistyped.")
        raise PageNotFound(gettext("This stage does not exist"), text)
    posted = request.POST if request.method == "POST" else None
    form = StageForm(study, number - 1, posted, request.user.pk)
    errors: Sequence[str] = ()
    if form.is_valid():
        errors = save_and_get_errors(request, study, **form.build_settings())
        if not errors:
            return redirect("study:study_stages", study.code)
    kind = form.kind.kind_label
    context = build_context(study, "stages", form=form, refused=errors, kind=kind, number=number)
    return render_form_page(request, "study_stage", context)
