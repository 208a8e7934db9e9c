"""Pages on which researchers edit the questions of a campaign or of a study's stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Study
from webapp.study.rating import campaigns
from webapp.study.researcher.access import own_campaign, own_study_of_people, render_not_found
from webapp.study.researcher.setup import instrument_form, questionnaire_forms
from webapp.study.sessions import question_checks, questions

ItemRows = list[dict[str, Any]]


@dataclass(frozen=True)
class _QuestionEditor:
    """The page that edits an instrument.

    Attributes:
        form_class: The form of the whole instrument.
        item_forms: The formset class of its items.
        new_item: Initial data of an added item.
        load_initial_data: Returns the initial data of both forms.
        store_input: Stores the cleaned data of both forms. Raises Refused.
        redirect_after_save: Returns the response after success.
    """

    form_class: type[forms.Form]
    item_forms: Any
    new_item: Mapping[str, Any]
    load_initial_data: Callable[[], tuple[dict[str, Any], ItemRows]]
    store_input: Callable[[Mapping[str, Any], ItemRows], None]
    redirect_after_save: Callable[[], HttpResponse]
    template: str
    is_locked: bool
    context: Mapping[str, Any]

    def respond(self, request: HttpRequest) -> HttpResponse:
        """Show the forms, rearrange their items, or store them."""
        if request.method == "GET":
            instrument_data, rows = self.load_initial_data()
            return self._render_page(
                request, self.form_class(initial=instrument_data), self.item_forms(initial=rows)
            )
        action = request.POST.get("do", "save")
        if action != "save":
            rearranged_forms = instrument_form.rearrange_items(
                request.POST, action, self.form_class, self.item_forms, self.new_item
            )
            return self._render_page(request, *rearranged_forms)
        form, item_forms = self.form_class(request.POST), self.item_forms(request.POST)
        refused: list[str] = []
        if form.is_valid() and item_forms.is_valid():
            items = [dict(item.cleaned_data) for item in item_forms]
            try:
                self.store_input(form.cleaned_data, items)
            except Refused as error:
                refused = error.sentences
            else:
                messages.success(request, _("The questions were saved."))
                return self.redirect_after_save()
        return self._render_page(request, form, item_forms, refused, 422)

    def _render_page(
        self,
        request: HttpRequest,
        whole_form: forms.Form,
        item_forms: Any,
        refused: list[str] | None = None,
        status: int = 200,
    ) -> HttpResponse:
        for form in (whole_form, *item_forms) if self.is_locked else ():
            for field in form.fields.values():
                field.disabled = True
        context = {
            "tab": "setup",
            "form": whole_form,
            "items": item_forms,
            "refused": [*(refused or []), *item_forms.non_form_errors()],
            "wrong": status == 422,
            "locked": self.is_locked,
            **self.context,
        }
        return render(request, self.template, context, status=status)


@own_campaign
@require_http_methods(["GET", "POST"])
def edit_campaign_questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Edit the questions for raters, starting from the present ones or those that `from` names."""

    def load_initial_data() -> tuple[dict[str, Any], ItemRows]:
        key = request.GET.get("from", "")
        built_in = {instrument.key: instrument for instrument in instruments.for_raters()}
        source = instruments.blank_instrument() if key == "blank" else built_in.get(key)
        data = source.to_json() if source else campaign.instrument
        return instrument_form.build_initial_data(data)

    def store_input(instrument_data: Mapping[str, Any], items: ItemRows) -> None:
        data = instrument_form.build_instrument(instrument_data, items)
        if errors := Instrument.check(data):
            raise Refused(errors)
        # An unchanged built-in instrument keeps its key.
        built_in = (instrument.to_json() for instrument in instruments.for_raters())
        same = next((other for other in built_in if {**other, "key": "own"} == data), None)
        campaigns.change(campaign, instrument=same or data)

    return _QuestionEditor(
        form_class=instrument_form.InstrumentForm,
        item_forms=instrument_form.ItemForms,
        new_item=instrument_form.NEW_ITEM,
        load_initial_data=load_initial_data,
        store_input=store_input,
        redirect_after_save=lambda: redirect("study:setup", campaign.code),
        template="study/researcher/instrument.html",
        is_locked=campaign.is_locked,
        context={
            "campaign": campaign,
            "built_in": instruments.for_raters(),
            "action": reverse("study:instrument", args=[campaign.code]),
            "back": reverse("study:setup", args=[campaign.code]),
        },
    ).respond(request)


@own_study_of_people
@require_http_methods(["GET", "POST"])
def edit_study_questions(
    request: HttpRequest, study: Study, stage: int, number: int
) -> HttpResponse:
    """Edit the questions at position `number` of a stage (both from 1).

    New questions have the position after the last.
    """
    try:
        present = _instrument_at(study, stage - 1, number - 1)
    except LookupError as unknown:
        text = _("The page may have been removed, or the address may be mistyped.")
        return render_not_found(request, str(unknown.args[0]), text)
    built_in = {i.key: i for i in instruments.for_participants()}

    def load_initial_data() -> tuple[dict[str, Any], ItemRows]:
        blank = instruments.blank_instrument("session")
        sources = {**built_in, "blank": blank}
        source = sources.get(request.GET.get("from", ""), present or blank)
        return questionnaire_forms.build_initial_data(source)

    def store_input(instrument_data: Mapping[str, Any], items: ItemRows) -> None:
        key = present.key if present and present.key not in built_in else ""
        data = questionnaire_forms.build_instrument(instrument_data, items, key, _used_keys(study))
        _store_instrument(study, stage - 1, number - 1, data)

    return _QuestionEditor(
        form_class=questionnaire_forms.QuestionnaireForm,
        item_forms=questionnaire_forms.QuestionnaireItemForms,
        new_item=questionnaire_forms.NEW_ITEM,
        load_initial_data=load_initial_data,
        store_input=store_input,
        redirect_after_save=lambda: redirect("study:study_questions", study.code, stage, number),
        template="study/researcher/study_questions.html",
        is_locked=study.state != Study.DRAFT,
        context={
            "study": study,
            "built_in": instruments.for_participants(),
            "action": "?",
            "back": reverse("study:study_stage", args=[study.code, stage]),
        },
    ).respond(request)


def _instrument_at(study: Study, stage: int, number: int) -> Instrument | None:
    """Return the instrument at a position of a stage (both from 0), None after the last.

    Raises:
        LookupError: There is no such position.
    """
    stages = Design.from_json(study.design).stages
    if not 0 <= stage < len(stages) or not hasattr(stages[stage], "instruments"):
        raise LookupError(_("This stage does not exist."))
    stage_instruments = questions.stage_instruments(stages[stage], study.instruments_at_opening)
    if not 0 <= number <= len(stage_instruments):
        raise LookupError(_("These questions do not exist."))
    return stage_instruments[number] if number < len(stage_instruments) else None


def _used_keys(study: Study) -> set[str]:
    """Return the keys of all built-in instruments and of the study's instruments."""
    stages = Design.from_json(study.design).stages
    references = chain.from_iterable(getattr(stage, "instruments", ()) for stage in stages)
    study_keys = {one if isinstance(one, str) else str(one.get("key")) for one in references}
    built_in = (*instruments.for_raters(), *instruments.for_participants())
    return study_keys | {instrument.key for instrument in built_in}


def _store_instrument(study: Study, stage: int, number: int, data: Mapping[str, Any]) -> None:
    """Store an instrument at that position of a draft's stage."""
    if errors := Instrument.check(data):
        raise Refused(errors)
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if row.state != Study.DRAFT:
            raise Refused([_("The study was opened, so its questions are fixed.")])
        design = Design.from_json(row.design).to_json()
        design["stages"][stage]["instruments"][number : number + 1] = [_key_or_data(data)]
        changed_design = Design.from_json(design)
        errors = question_checks.find_instrument_errors(changed_design.stages[stage])
        if errors := errors or question_checks.find_logic_errors(changed_design.stages):
            raise Refused(errors)
        row.design = study.design = changed_design.to_json()
        row.save(update_fields=["design"])


def _key_or_data(data: Mapping[str, Any]) -> str | dict[str, Any]:
    """Return the key of the built-in instrument that equals the data, else the data."""
    instrument = Instrument.from_json(data)
    for built_in in instruments.for_participants():
        has_same_data = built_in.to_json() | {"key": ""} == instrument.to_json() | {"key": ""}
        if built_in.is_for_participants and has_same_data:
            return built_in.key
    return instrument.to_json()
