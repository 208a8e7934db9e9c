"""A researcher's campaigns: home page, copy, deletion, opening and closing."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from webapp.study.models import Campaign, Study
from webapp.study.permissions import Permission
from webapp.study.planning import studies
from webapp.study.rating import campaigns
from webapp.study.researcher.access import access_of, own_campaign
from webapp.study.researcher.action_errors import run_or_show_errors
from webapp.study.researcher.study_views import COPIED_MESSAGE, DELETED_MESSAGE


@own_campaign
@require_GET
def campaign_home(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Redirect to the setup of a draft, else to the progress. Analysts get the results."""
    access = access_of(request)
    if not access.has_permission(Permission.RUN):
        return redirect("study:results", campaign.code)
    is_setup = campaign.state == Study.DRAFT and access.has_permission(Permission.EDIT)
    return redirect("study:setup" if is_setup else "study:progress", campaign.code)


@own_campaign
@require_POST
def copy_campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Copy a campaign, and redirect to the setup of the copy."""
    assert isinstance(request.user, User)
    duplicate = campaigns.copy(campaign, request.user)
    messages.success(request, COPIED_MESSAGE)
    return redirect("study:setup", duplicate.code)


@own_campaign
@require_POST
def delete_campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Delete a campaign, unless it has ratings."""
    if not run_or_show_errors(request, lambda: campaigns.delete(campaign)):
        return redirect("study:campaign", campaign.code)
    messages.success(request, DELETED_MESSAGE.format(name=campaign.name))
    return redirect("study:campaigns")


@own_campaign
@require_POST
def change_campaign_state(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Open or close a campaign, or its study if participants only rate in it."""
    action = request.POST.get("do", "")
    change = {"open": _open_ratings, "close": _close_ratings}.get(action)
    if change is None:
        return redirect("study:campaign", campaign.code)
    if not run_or_show_errors(request, lambda: change(campaign, request.user.get_username())):
        is_editor = access_of(request).has_permission(Permission.EDIT)
        return redirect("study:setup" if is_editor else "study:campaign", campaign.code)
    if action == "open":
        messages.success(request, _("The study is open. Here are the links for raters."))
        return redirect("study:study_people", campaign.study.code)
    messages.success(request, _("The study is closed. Participants can no longer use it."))
    return redirect("study:progress", campaign.code)


def _open_ratings(campaign: Campaign, actor: str) -> None:
    if not campaign.study.rates_only:
        campaigns.open(campaign)
    elif campaign.study.state == Study.DRAFT:
        studies.open(campaign.study, actor)
    else:
        studies.resume(campaign.study, actor)


def _close_ratings(campaign: Campaign, actor: str) -> None:
    if campaign.study.rates_only:
        studies.close(campaign.study, actor)
    else:
        campaigns.close(campaign)
