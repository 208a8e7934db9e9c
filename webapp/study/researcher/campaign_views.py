"""A researcher's first page, with studies and campaigns; a new campaign, a copy, an end."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from webapp.study import campaigns
from webapp.study.eligible_games import played, usable
from webapp.study.models import Assignment, Campaign, Rater, Slot, Study
from webapp.study.researcher.access import own_campaign, researchers_only
from webapp.study.researcher.fields import kindly
from webapp.study.sessions import retention, studies

MOST = 500  # campaigns of one researcher


class NewForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("A new study that only rates"), max_length=120)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kindly(self)


@researchers_only
@require_GET
def listed(request: HttpRequest) -> HttpResponse:
    return _list(request, NewForm())


def _list(request: HttpRequest, form: NewForm) -> HttpResponse:
    mine = Assignment.objects.filter(rater__campaign__study__owner=request.user.pk)
    shown = mine.filter(rater__kind=Rater.PERSON, is_repeat=False)
    answers = dict(
        shown.filter(state=Assignment.ANSWERED, unit__game__isnull=False)
        .values_list("rater__campaign__study")
        .annotate(n=Count("pk"))
        .order_by()
    )
    agreed = Q(participants__consented_at__isnull=False)
    studies = Study.objects.filter(owner=request.user.pk).annotate(
        people=Count("participants", filter=agreed, distinct=True),
        games=Count("slots", filter=Q(slots__state=Slot.DONE), distinct=True),
        chosen=Count("campaigns__chosen", distinct=True),
    )
    for study in studies:
        study.notices = retention.notices(study)  # type: ignore[attr-defined]
        study.answers = answers.get(study.pk, 0)  # type: ignore[attr-defined]
    games = played(usable(request.user.pk or 0))
    context = {"studies": studies, "form": form, "games": games.count(), "latest": games.first()}
    status = 422 if form.errors else 200
    return render(request, "study/researcher/campaigns.html", context, status=status)


@researchers_only
@require_POST
def new(request: HttpRequest) -> HttpResponse:
    form = NewForm(request.POST)
    if form.is_valid() and Campaign.objects.filter(study__owner=request.user.pk).count() >= MOST:
        form.add_error("name", _("You have five hundred studies. Delete one first."))
    if not form.is_valid():
        return _list(request, form)
    assert isinstance(request.user, User)
    campaign = campaigns.create(request.user, form.cleaned_data["name"])
    return redirect("study:setup", campaign.code)


@own_campaign
@require_GET
def campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Where one would go on: the set-up of a draft, else how far it is."""
    page = "study:setup" if campaign.state == Campaign.DRAFT else "study:progress"
    return redirect(page, campaign.code)


@own_campaign
@require_POST
def copy(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    made = campaigns.copy(campaign)
    messages.success(request, _("This is the copy: everything in it can be changed."))
    return redirect("study:setup", made.code)


@own_campaign
@require_POST
def delete(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A campaign nobody has rated in goes without a trace; any other stays."""
    if campaign.locked:
        messages.error(
            request, _("Ratings rest on this study: close it and keep it, or erase its raters.")
        )
        return redirect("study:campaign", campaign.code)
    (campaign.study if campaign.study.rates_only else campaign).delete()
    messages.success(request, _("“{name}” is deleted.").format(name=campaign.name))
    return redirect("study:campaigns")


@own_campaign
@require_POST
def state(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Open the campaign to raters, or close it."""
    do = request.POST.get("do", "")
    if do not in ("open", "close"):
        return redirect("study:campaign", campaign.code)
    try:
        if not campaign.study.rates_only:
            (campaigns.open if do == "open" else campaigns.close)(campaign)
        elif do == "close":
            studies.close(campaign.study, request.user.get_username())
        elif campaign.study.state == Study.DRAFT:
            studies.open(campaign.study, request.user.get_username())
        else:
            studies.resume(campaign.study, request.user.get_username())
    except campaigns.Refused as refused:
        for sentence in refused.sentences:
            messages.error(request, sentence)
        return redirect("study:setup", campaign.code)
    campaign.refresh_from_db()
    if campaign.state == Campaign.OPEN:
        messages.success(request, _("The study is open. Here are the links for raters."))
        return redirect("study:study_people", campaign.study.code)
    messages.success(request, _("The study is closed: nobody is shown anything any more."))
    return redirect("study:progress", campaign.code)
