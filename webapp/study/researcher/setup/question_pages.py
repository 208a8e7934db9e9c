"""Pages on which researchers edit the questions of a campaign or of a study's stage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from webapp.storable_text import read_number
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Study
from webapp.study.rating import campaigns
from webapp.study.researcher.access import PageNotFound, own_campaign, own_study_of_people
from webapp.study.researcher.responses import run_or_get_errors
from webapp.study.researcher.setup import instrument_forms
from webapp.study.sessions import question_checks, questions

ItemRows = list[dict[str, Any]]
MAX_POSTED_ITEMS = 50  # limit of items that are rearranged, however many were posted


@dataclass(frozen=True)
class _QuestionEditor:
    """The page that edits an instrument.

    Attributes:
        form_class: The form of the whole instrument.
        item_forms: The formset class of its items.
        new_item: Initial data of an added item.
        load_initial_data: Returns the initial data of both forms.
        store_input: Stores the cleaned data of both forms. Raises Refused.
    """

    form_class: type[forms.Form]
    item_forms: Any
    new_item: Mapping[str, Any]
    load_initial_data: Callable[[], tuple[dict[str, Any], ItemRows]]
    store_input: Callable[[Mapping[str, Any], ItemRows], None]
    saved_url: str
    template: str
    is_locked: bool
    context: Mapping[str, Any]

    def respond(self, request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            instrument_data, rows = self.load_initial_data()
            return self._render_page(
                request, self.form_class(initial=instrument_data), self.item_forms(initial=rows)
            )
        action = request.POST.get("do", "save")
        if action != "save":
            return self._render_page(request, *self._rearrange_items(request.POST, action))
        form, item_forms = self.form_class(request.POST), self.item_forms(request.POST)
        refused: list[str] = []
        if form.is_valid() and item_forms.is_valid():
            # A form beyond the initial ones that was left blank has no data.
            items = [dict(item.cleaned_data) for item in item_forms if item.cleaned_data]
            refused = run_or_get_errors(lambda: self.store_input(form.cleaned_data, items))
            if not refused:
                messages.success(request, _("The questions were saved."))
                return redirect(self.saved_url)
        return self._render_page(request, form, item_forms, refused, is_rejected=True)

    def _rearrange_items(self, post: QueryDict, action: str) -> tuple[forms.Form, Any]:
        """Return the forms as typed, after the action `add`, `remove:<index>` or `up:<index>`."""
        names = self.item_forms.form.base_fields
        item_count = min(read_number(post.get("form-TOTAL_FORMS", "")), MAX_POSTED_ITEMS)
        rows = [
            {name: post.get(f"form-{index}-{name}", "") for name in names}
            for index in range(item_count)
        ]
        verb, _colon, number = action.partition(":")
        index = read_number(number, -1)
        if verb == "add":
            rows.append({name: str(self.new_item.get(name, "")) for name in names})
        elif verb == "remove" and 0 <= index < len(rows):
            rows.pop(index)
        elif verb == "up" and 0 < index < len(rows):
            rows.insert(index - 1, rows.pop(index))
        typed_data = {name: post.get(name, "") for name in self.form_class.base_fields}
        item_forms = self.item_forms(initial=rows or [dict(self.new_item)])
        return self.form_class(initial=typed_data), item_forms

    def _render_page(
        self,
        request: HttpRequest,
        form: forms.Form,
        item_forms: Any,
        refused: Sequence[str] = (),
        *,
        is_rejected: bool = False,
    ) -> HttpResponse:
        for locked_form in (form, *item_forms) if self.is_locked else ():
            for field in locked_form.fields.values():
                field.disabled = True
        context = {
            "tab": "setup",
            "form": form,
            "items": item_forms,
            "refused": [*refused, *item_forms.non_form_errors()],
            "wrong": is_rejected,
            "locked": self.is_locked,
            **self.context,
        }
        return render(request, self.template, context, status=422 if is_rejected else 200)


@own_campaign("GET", "POST")
def edit_campaign_questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Edit the questions for raters. `from` names other questions to start from."""

    def load_initial_data() -> tuple[dict[str, Any], ItemRows]:
        key = request.GET.get("from", "")
        built_in = {instrument.key: instrument for instrument in instruments.for_raters()}
        source = instruments.blank_instrument() if key == "blank" else built_in.get(key)
        data = source.to_json() if source else campaign.instrument
        return instrument_forms.build_initial_data(data)

    def store_input(instrument_data: Mapping[str, Any], items: ItemRows) -> None:
        data = instrument_forms.build_instrument(instrument_data, items)
        if errors := Instrument.check(data):
            raise Refused(errors)
        # An unchanged built-in instrument keeps its key.
        built_in = (instrument.to_json() for instrument in instruments.for_raters())
        equal = next((stored for stored in built_in if {**stored, "key": "own"} == data), None)
        campaigns.change(campaign, instrument=equal or data)

    return _QuestionEditor(
        form_class=instrument_forms.InstrumentForm,
        item_forms=instrument_forms.ItemFormSet,
        new_item=instrument_forms.NEW_ITEM,
        load_initial_data=load_initial_data,
        store_input=store_input,
        saved_url=reverse("study:setup", args=[campaign.code]),
        template="study/researcher/instrument.html",
        is_locked=campaign.has_ratings,
        context={
            "campaign": campaign,
            "built_in": instruments.for_raters(),
            "action": reverse("study:instrument", args=[campaign.code]),
            "back": reverse("study:setup", args=[campaign.code]),
        },
    ).respond(request)


@own_study_of_people("GET", "POST")
def edit_study_questions(
    request: HttpRequest, study: Study, stage: int, number: int
) -> HttpResponse:
    """Edit the questions at a position of a stage (both from 1), or add questions at its end."""
    present = _instrument_at(study, stage - 1, number - 1)
    built_in = {i.key: i for i in instruments.for_participants()}

    def load_initial_data() -> tuple[dict[str, Any], ItemRows]:
        blank = instruments.blank_instrument("session")
        sources = {**built_in, "blank": blank}
        source = sources.get(request.GET.get("from", ""), present or blank)
        return instrument_forms.build_questionnaire_data(source)

    def store_input(instrument_data: Mapping[str, Any], items: ItemRows) -> None:
        key = present.key if present and present.key not in built_in else ""
        data = instrument_forms.build_questionnaire(instrument_data, items, key, _used_keys(study))
        _store_instrument(study, stage - 1, number - 1, data)

    return _QuestionEditor(
        form_class=instrument_forms.QuestionnaireForm,
        item_forms=instrument_forms.QuestionnaireItemFormSet,
        new_item=instrument_forms.NEW_QUESTION,
        load_initial_data=load_initial_data,
        store_input=store_input,
        saved_url=reverse("study:study_questions", args=[study.code, stage, number]),
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
    """Return the instrument at a position of a stage (both from 0), None after the last."""
    stages = Design.from_json(study.design).stages
    text = _("The page may have been removed, or the address may be mistyped.")
    if not 0 <= stage < len(stages) or not hasattr(stages[stage], "instruments"):
        raise PageNotFound(_("This stage does not exist."), text)
    stage_instruments = questions.stage_instruments(stages[stage], study.instruments_at_opening)
    if not 0 <= number <= len(stage_instruments):
        raise PageNotFound(_("These questions do not exist."), text)
    return stage_instruments[number] if number < len(stage_instruments) else None


def _used_keys(study: Study) -> set[str]:
    """Return the keys of all built-in instruments and of the study's instruments."""
    stages = Design.from_json(study.design).stages
    references = chain.from_iterable(getattr(stage, "instruments", ()) for stage in stages)
    study_keys = {r if isinstance(r, str) else str(r.get("key")) for r in references}
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
    built_in = instruments.for_participants()
    equal = (b for b in built_in if replace(instrument, key=b.key) == b)
    return next((b.key for b in equal), instrument.to_json())
