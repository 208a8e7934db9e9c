"""How people come to a study: the link for all, and personal links for those on a list."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from webapp.study import audit
from webapp.study.models import Identity, Participant, Study, normal
from webapp.study.researcher.access import own_study
from webapp.study.researcher.rater_views import MOST, PROLIFIC, LinksForm, address
from webapp.study.sessions import places, studies


def shared_way(study: Study) -> str:
    return reverse("take:shared", args=[study.key])


@own_study
@require_GET
def people(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, LinksForm())


def waiting(study: Study) -> QuerySet[Participant]:
    """Personal links that nobody has used yet."""
    rows = study.participants.filter(invited=True, consented_at=None, exit="")
    return rows.select_related("identity")


def _page(request: HttpRequest, study: Study, form: LinksForm) -> HttpResponse:
    end = places.way_out(study, "completed")
    context = {
        "study": study,
        "tab": "people",
        "form": form,
        "shared": address(request, shared_way(study)),
        "nothing_to_hand_in": end.code_kind == "none" and not end.url,
        "prolific": address(request, shared_way(study) + PROLIFIC),
        "waiting": [
            (row, _label(row), address(request, reverse("take:as", args=[row.key])))
            for row in waiting(study)
        ],
    }
    status = 422 if form.errors else 200
    return render(request, "study/researcher/study_people.html", context, status=status)


def _label(participant: Participant) -> str:
    identity: Any = getattr(participant, "identity", None)
    return identity.label if identity else ""


@own_study
@require_POST
def listed_only(request: HttpRequest, study: Study) -> HttpResponse:
    """Whether the link for all lets anybody in; it can be changed at any time."""
    studies.change(study, listed_only=request.POST.get("listed_only") == "1")
    if study.listed_only:
        messages.success(request, _("Only those with a personal link come in."))
    else:
        messages.success(request, _("Whoever has the link for all can come in."))
    return redirect("study:study_people", study.code)


@own_study
@require_POST
def links(request: HttpRequest, study: Study) -> HttpResponse:
    """Make personal links. Nobody takes part before agreeing on the page behind theirs."""
    form = LinksForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, form)
    asked = form.cleaned_data["names"]
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        there = Identity.objects.filter(participant__study=locked)
        listed = set(there.values_list("normal", flat=True))
        names = [name for name in asked if normal(name) not in listed]
        names = names if asked else [""] * form.cleaned_data["number"]
        if locked.participants.count() + len(names) > MOST:
            form.add_error("number", _("A study has {most} links at most.").format(most=MOST))
            return _page(request, study, form)
        for name in names:
            made = Participant.objects.create(
                study=locked, pseudonym=studies.next_pseudonym(locked), invited=True
            )
            if name:
                Identity.objects.create(participant=made, label=name)
    text = ngettext("{n} link made.", "{n} links made.", len(names)).format(n=len(names))
    if again := max(0, len(asked) - len(names)):
        more = ngettext("{n} is listed already.", "{n} are listed already.", again)
        text = f"{text} {more.format(n=again)}"
    messages.success(request, text)
    return redirect("study:study_people", study.code)


@own_study
@require_POST
def revoke(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Take a link back that nobody has used."""
    gone, _each = waiting(study).filter(pseudonym=pseudonym).delete()
    if gone:
        messages.success(request, _("The link opens nothing any more."))
    else:
        messages.error(request, _("That link was used, or is gone already."))
    return redirect("study:study_people", study.code)


@own_study
@require_GET
def link_list(request: HttpRequest, study: Study) -> HttpResponse:
    """The links nobody has used yet, one in each line after its label, as a text file."""
    lines = (
        f"{_label(row) or row.pseudonym}\t{address(request, reverse('take:as', args=[row.key]))}\n"
        for row in waiting(study)
    )
    audit.note(request, "export", f"{study.code} links.txt")
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    name = f"fabula-{study.code}-links.txt"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
