"""A researcher's first page, with all studies; a new one that only rates."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from webapp.study import campaigns
from webapp.study.eligible_games import played, usable
from webapp.study.models import Assignment, Rater, Slot, Study
from webapp.study.researcher.access import researchers_only
from webapp.study.researcher.study_views import NameForm, too_many
from webapp.study.sessions import retention


class NewForm(NameForm):
    label = gettext_lazy("A new study that only rates")


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
    assert isinstance(request.user, User)
    if form.is_valid() and (refused := too_many(request.user)):
        form.add_error("name", refused)
    if not form.is_valid():
        return _list(request, form)
    campaign = campaigns.create(request.user, form.cleaned_data["name"])
    return redirect("study:setup", campaign.code)
