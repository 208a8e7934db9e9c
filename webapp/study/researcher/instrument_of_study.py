"""The page of questions that a study asks its participants: read them, change them, add one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from webapp.study import instruments
from webapp.study.design import Design
from webapp.study.instruments import Instrument
from webapp.study.models import Study
from webapp.study.researcher.access import no_such, own_study
from webapp.study.researcher.instrument_form import rearranged
from webapp.study.researcher.instrument_item_form import (
    NEW_ITEM,
    AskedForm,
    AskedItemForms,
    shown,
    stated,
)
from webapp.study.sessions import questions
from webapp.study.value_checks import Refused


def at(study: Study, stage: int, number: int) -> Instrument | None:
    """What stands in that place of a stage (both from 0); none in the place after the last.
    Raises LookupError where there is no such place."""
    stages = Design.of(study.design).stages
    if not 0 <= stage < len(stages) or not hasattr(stages[stage], "instruments"):
        raise LookupError(_("There is no such stage."))
    found = questions.chosen(stages[stage], study.asked)
    if not 0 <= number <= len(found):
        raise LookupError(_("There are no such questions."))
    return found[number] if number < len(found) else None


def keys(study: Study) -> set[str]:
    """The keys of all instruments that the study or everybody has."""
    named = [n for s in Design.of(study.design).stages for n in getattr(s, "instruments", ())]
    own = {n if isinstance(n, str) else str(n.get("key")) for n in named}
    return own | {i.key for i in (*instruments.all(), *instruments.of_participants())}


def put(study: Study, stage: int, number: int, data: Mapping[str, Any]) -> None:
    """Put an instrument in that place of a draft's stage. Raises Refused."""
    if faults := Instrument.check(data):
        raise Refused(faults)
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if row.state != Study.DRAFT:
            raise Refused([_("The study was opened with these questions: they stay.")])
        design = Design.of(row.design).data()
        design["stages"][stage]["instruments"][number : number + 1] = [_named(data)]
        found = Design.of(design)
        if faults := questions.faults(found.stages[stage]):
            raise Refused(faults)
        row.design = study.design = found.data()
        row.save(update_fields=["design"])


def _named(data: Mapping[str, Any]) -> str | dict[str, Any]:
    """The key of the built-in instrument that the data are an unchanged copy of, else the data."""
    instrument = Instrument.of(data)
    for one in instruments.of_participants():
        if one.for_participants and one.data() | {"key": ""} == instrument.data() | {"key": ""}:
            return one.key
    return instrument.data()


@own_study
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, study: Study, stage: int, number: int) -> HttpResponse:
    """The questions at place `number` of a stage, both from 1; after the last one: new ones."""
    try:
        before = at(study, stage - 1, number - 1)
    except LookupError as unknown:
        text = _("It may have been taken out, or the address may be mistyped.")
        return no_such(request, str(unknown.args[0]), text)
    if request.method == "GET":
        whole, rows = shown(_start(request, before))
        return _page(request, study, stage, AskedForm(initial=whole), AskedItemForms(initial=rows))
    do = request.POST.get("do", "save")
    if do != "save":
        typed = rearranged(request.POST, do, AskedForm, AskedItemForms, NEW_ITEM)
        return _page(request, study, stage, *typed)
    form, items = AskedForm(request.POST), AskedItemForms(request.POST)
    refused: list[str] = []
    if form.is_valid() and items.is_valid():
        own = before.key if before and before.key not in _built_in() else ""
        given = [dict(item.cleaned_data) for item in items]
        try:
            data = stated(form.cleaned_data, given, own, keys(study))
            put(study, stage - 1, number - 1, data)
        except Refused as error:
            refused = error.sentences
        else:
            messages.success(request, _("The questions are saved."))
            return redirect("study:study_questions", study.code, stage, number)
    return _page(request, study, stage, form, items, refused, 422)


def _built_in() -> dict[str, Instrument]:
    return {one.key: one for one in instruments.of_participants()}


def _start(request: HttpRequest, before: Instrument | None) -> Instrument:
    """What stands there, or what one wants to start from."""
    known, key = _built_in(), request.GET.get("from", "")
    if key in known:
        return known[key]
    return before if before and key != "blank" else instruments.blank("session")


def _page(
    request: HttpRequest,
    study: Study,
    stage: int,
    whole: forms.Form,
    items: Any,
    refused: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    locked = study.state != Study.DRAFT
    for form in (whole, *items) if locked else ():
        for field in form.fields.values():
            field.disabled = True
    context = {
        "study": study,
        "tab": "setup",
        "form": whole,
        "items": items,
        "refused": [*(refused or []), *items.non_form_errors()],
        "wrong": status == 422,
        "locked": locked,
        "built_in": instruments.of_participants(),
        "action": "?",
        "back": reverse("study:study_stage", args=[study.code, stage]),
    }
    return render(request, "study/researcher/study_questions.html", context, status=status)
