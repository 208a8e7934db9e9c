"""The page of a campaign's questions: read them, change them, add one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from webapp.study import campaigns, instruments
from webapp.study.instruments import Instrument
from webapp.study.models import Campaign
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.instrument_form import (
    NEW_ITEM,
    ItemForms,
    WholeForm,
    rearranged,
    shown,
    stated,
)


@own_campaign
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if request.method == "GET":
        return _page(request, campaign, *_forms(_start(request, campaign)))
    do = request.POST.get("do", "save")
    if do != "save":
        return _page(
            request, campaign, *rearranged(request.POST, do, WholeForm, ItemForms, NEW_ITEM)
        )
    whole, items = WholeForm(request.POST), ItemForms(request.POST)
    refused: list[str] = []
    if whole.is_valid() and items.is_valid():
        data = stated(whole.cleaned_data, [dict(form.cleaned_data) for form in items])
        refused = Instrument.check(data) or _saved(campaign, data)
        if not refused:
            messages.success(request, _("The questions are saved."))
            return redirect("study:setup", campaign.code)
    return _page(request, campaign, whole, items, refused, 422)


def _start(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """The campaign's own questions, or those one wants to start from."""
    key = request.GET.get("from", "")
    if key == "blank":
        return instruments.blank().data()
    known = {i.key: i for i in instruments.all()}
    return known[key].data() if key in known else campaign.instrument


def _saved(campaign: Campaign, data: dict[str, Any]) -> list[str]:
    """Why the campaign can't have these questions; nothing where it has them now."""
    same = next((i for i in instruments.all() if {**i.data(), "key": "own"} == data), None)
    try:
        campaigns.change(campaign, instrument=same.data() if same else data)
    except campaigns.Refused as refused:
        return refused.sentences
    return []


def _forms(data: dict[str, Any]) -> tuple[WholeForm, Any]:
    whole, items = shown(data)
    return WholeForm(initial=whole), ItemForms(initial=items)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    whole: forms.Form,
    items: Any,
    refused: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    locked = campaign.locked
    if locked:
        for form in (whole, *items):
            for field in form.fields.values():
                field.disabled = True
    context = {
        "campaign": campaign,
        "tab": "setup",
        "form": whole,
        "items": items,
        "refused": [*(refused or []), *items.non_form_errors()],
        "wrong": status == 422,
        "locked": locked,
        "built_in": instruments.all(),
        "action": reverse("study:instrument", args=[campaign.code]),
        "back": reverse("study:setup", args=[campaign.code]),
    }
    return render(request, "study/researcher/instrument.html", context, status=status)
