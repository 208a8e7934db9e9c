"""The set-up page of a campaign: all settings, with the resulting plan updated while typing."""

from __future__ import annotations

from contextlib import suppress

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from webapp.study.models import Campaign
from webapp.study.rating import campaigns
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.rating import game_picker
from webapp.study.researcher.rating.setup_form import SetupForm, settings
from webapp.study.researcher.setup.study_setup import setup_parts


@own_campaign
@require_http_methods(["GET", "POST"])
def setup(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if request.method == "GET":
        return _page(request, campaign, SetupForm(campaign, locked=campaign.locked))
    locked, refused = campaign.locked, []
    form = SetupForm(campaign, request.POST, locked=locked)
    if form.is_valid():
        new_settings = settings(campaign, form.cleaned_data)
        if locked:  # the other settings were only shown
            new_settings = {
                name: new_settings[name]
                for name in campaigns.ALWAYS_CHANGEABLE
                if name in new_settings
            }
        try:
            campaigns.change(campaign, **new_settings)
            if request.POST.get("do") == "open":
                if problems := campaigns.plan(campaign)["problems"]:
                    raise campaigns.Refused(problems)
                return redirect("study:study_open", campaign.study.code)
            messages.success(request, _("Saved."))
            return redirect(_next(request), campaign.code)
        except campaigns.Refused as error:
            refused = error.sentences
            campaign.refresh_from_db()
    return _page(request, campaign, form, refused)


def _next(request: HttpRequest) -> str:
    """Return the page after saving: buttons that lead to another page save first."""
    next_routes = {"games": "study:games", "instrument": "study:instrument", "units": "study:units"}
    return next_routes.get(request.POST.get("do", ""), "study:setup")


def _page(
    request: HttpRequest, campaign: Campaign, form: SetupForm, refused: list[str] | None = None
) -> HttpResponse:
    wrong, locked = bool(form.errors or refused), form.locked
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused or [],
        "plan": None if locked else campaigns.plan(campaign),
        "conditions": game_picker.conditions(campaign),
        "locked": locked,
        "parts": setup_parts(campaign.study),
        "part": "rating",
        "tab": "setup",
    }
    return render(request, "study/researcher/setup.html", context, status=422 if wrong else 200)


@own_campaign
@require_POST
def plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    form = SetupForm(campaign, request.POST)
    if form.is_valid():
        with suppress(campaigns.Refused):  # only saving reports what is wrong
            campaigns.apply(campaign, settings(campaign, form.cleaned_data))
    context = {
        "campaign": campaign,
        "plan": campaigns.plan(campaign),
        "incomplete": [form[name].label for name in form.errors if name != "__all__"],
    }
    return render(request, "study/researcher/plan.html", context)
