"""The setup page of a campaign, and its plan, which follows the typed settings."""

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
from webapp.study.researcher.rating.campaign_form import CampaignForm, build_settings
from webapp.study.researcher.responses import render_form_page
from webapp.study.researcher.setup.study_setup import setup_parts


@own_campaign
@require_http_methods(["GET", "POST"])
def setup(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the form with the plan. Store a posted one, and redirect to the requested page."""
    is_locked = campaign.is_locked
    if request.method == "GET":
        return _render_page(request, campaign, CampaignForm(campaign, is_locked=is_locked))
    refused: list[str] = []
    form = CampaignForm(campaign, request.POST, is_locked=is_locked)
    if form.is_valid():
        new_settings = build_settings(campaign, form.cleaned_data)
        if is_locked:  # the other fields are read-only
            changeable = [name for name in campaigns.ALWAYS_CHANGEABLE if name in new_settings]
            new_settings = {name: new_settings[name] for name in changeable}
        try:
            campaigns.change(campaign, **new_settings)
            if request.POST.get("do") == "open":
                if problems := campaigns.plan(campaign)["problems"]:
                    raise campaigns.Refused(problems)
                return redirect("study:study_open", campaign.study.code)
            messages.success(request, _("Saved."))
            return redirect(_url_name_after_save(request), campaign.code)
        except campaigns.Refused as error:
            refused = error.sentences
            campaign.refresh_from_db()
    return _render_page(request, campaign, form, refused)


def _url_name_after_save(request: HttpRequest) -> str:
    """Return the URL name of the page after saving, because buttons to other pages save first."""
    url_names = {"games": "study:games", "instrument": "study:instrument", "units": "study:units"}
    return url_names.get(request.POST.get("do", ""), "study:setup")


def _render_page(
    request: HttpRequest, campaign: Campaign, form: CampaignForm, refused: list[str] | None = None
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused or [],
        "plan": None if form.is_locked else campaigns.plan(campaign),
        "conditions": game_picker.count_games_by_condition(campaign),
        "locked": form.is_locked,
        "parts": setup_parts(campaign.study),
        "part": "rating",
        "tab": "setup",
    }
    return render_form_page(request, "setup", context)


@own_campaign
@require_POST
def campaign_plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    form = CampaignForm(campaign, request.POST)
    if form.is_valid():
        with suppress(campaigns.Refused):  # only saving shows errors
            campaigns.apply(campaign, build_settings(campaign, form.cleaned_data))
    context = {
        "campaign": campaign,
        "plan": campaigns.plan(campaign),
        "incomplete": [form[name].label for name in form.errors if name != "__all__"],
    }
    return render(request, "study/researcher/plan.html", context)
