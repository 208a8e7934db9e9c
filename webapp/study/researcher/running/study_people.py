"""The page "People" of a study: the shared link and personal links."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from webapp.proxies import site_address
from webapp.study.models import Identity, Participant, Study, normalize_name
from webapp.study.permissions import rooms_with
from webapp.study.planning import studies
from webapp.study.researcher import audit
from webapp.study.researcher.access import own_study_of_people
from webapp.study.researcher.fields import MAX_LABELS_PER_LIST, LabelsForm
from webapp.study.researcher.responses import download, render_form_page
from webapp.study.sessions import enrolment, participant_state

MAX_PARTICIPANTS_PER_STUDY = 5000  # unused personal links included
PROLIFIC_QUERY = (
    "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
)


class LinksForm(LabelsForm):
    """The form for personal links: a number of them, or one for each label."""

    field_order = ("number", "labels", "file")

    number = forms.IntegerField(
        label=gettext_lazy("Number of links"),
        min_value=1,
        max_value=MAX_LABELS_PER_LIST,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        again = _("A label that is on the list already gets no second link.")
        self.fields["file"].help_text = f"{self.fields['file'].help_text} {again}"

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not data["names"] and not data.get("number") and not self.errors:
            self.add_error("number", _("Enter a number of links, or labels."))
        return data


@own_study_of_people("GET")
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the links of the study."""
    return _render_page(request, study, LinksForm())


def unused_links(study: Study) -> QuerySet[Participant]:
    """Return the participants whose personal link is unused."""
    rows = study.participants.filter(invited=True, consented_at=None, exit="")
    return rows.select_related("identity")


def _render_page(request: HttpRequest, study: Study, form: LinksForm) -> HttpResponse:
    end = participant_state.exit_settings(study, "completed")
    shared_link = absolute_address(request, reverse("take:shared_link", args=[study.key]))
    context = {
        "study": study,
        "campaign": study.campaigns.first() if study.rates_only else None,
        "tab": "people",
        "form": form,
        "shared_link": shared_link,
        "rooms": study.rooms.filter(rooms_with(request.user.pk)),
        "has_no_completion_code": end.code_kind == "none" and not end.url,
        "prolific_link": shared_link + PROLIFIC_QUERY,
        "unused_links": _personal_links(request, study),
    }
    return render_form_page(request, "study_people", context)


def absolute_address(request: HttpRequest, path: str) -> str:
    """Return a path with the address of this site before it."""
    return f"{site_address(request)}{path}"


def _personal_links(request: HttpRequest, study: Study) -> list[tuple[Participant, str, str]]:
    """Return (participant, label, address) of each unused personal link."""
    links = []
    for row in unused_links(study):
        identity: Any = getattr(row, "identity", None)
        address = absolute_address(request, reverse("take:step", args=[row.key]))
        links.append((row, identity.label if identity else "", address))
    return links


@own_study_of_people("POST")
def set_listed_only(request: HttpRequest, study: Study) -> HttpResponse:
    """Set whether only people with a personal link can join, at any time."""
    studies.change(study, listed_only=request.POST.get("listed_only") == "1")
    if study.listed_only:
        messages.success(request, _("Now only participants with a personal link can join."))
    else:
        messages.success(request, _("Now everyone who has the shared link can join."))
    return redirect("study:study_people", study.code)


@own_study_of_people("POST")
def create_links(request: HttpRequest, study: Study) -> HttpResponse:
    """Create personal links. Each one is a participant who has not agreed yet."""
    form = LinksForm(request.POST, request.FILES)
    if not form.is_valid():
        return _render_page(request, study, form)
    posted_labels = form.cleaned_data["names"]
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        identities = Identity.objects.filter(participant__study=locked)
        listed = set(identities.values_list("normal_label", flat=True))
        labels = [label for label in posted_labels if normalize_name(label) not in listed]
        labels = labels if posted_labels else [""] * form.cleaned_data["number"]
        if locked.participants.count() + len(labels) > MAX_PARTICIPANTS_PER_STUDY:
            text = _("A study can have at most {most} participants, unused links included.")
            form.add_error("number", text.format(most=MAX_PARTICIPANTS_PER_STUDY))
            return _render_page(request, study, form)
        for label in labels:
            participant = Participant.objects.create(
                study=locked, pseudonym=enrolment.next_pseudonym(locked), invited=True
            )
            if label:
                Identity.objects.create(participant=participant, label=label)
    text = ngettext("{n} link created.", "{n} links created.", len(labels)).format(n=len(labels))
    if again := max(0, len(posted_labels) - len(labels)):
        more = ngettext("{n} was on the list already.", "{n} were on the list already.", again)
        text = f"{text} {more.format(n=again)}"
    messages.success(request, text)
    return redirect("study:study_people", study.code)


@own_study_of_people("POST")
def revoke_link(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Revoke an unused personal link."""
    deleted_count, _by_model = unused_links(study).filter(pseudonym=pseudonym).delete()
    if deleted_count:
        messages.success(request, _("The link no longer works."))
    else:
        messages.error(request, _("The link was used or deleted already."))
    return redirect("study:study_people", study.code)


@own_study_of_people("GET")
def download_links(request: HttpRequest, study: Study) -> HttpResponse:
    """Download the unused links as text, one per line after its label."""
    links = _personal_links(request, study)
    lines = [f"{label or row.pseudonym}\t{address}\n" for row, label, address in links]
    audit.record_line(request, "export", f"{study.code} links.txt")
    return download("".join(lines), f"fabula-{study.code}-links.txt")
