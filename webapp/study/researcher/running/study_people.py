"""The page "People" of a study: the shared link and personal links."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST

from webapp.proxies import site_address
from webapp.study.models import Identity, Participant, Study, normalize_name
from webapp.study.permissions import rooms_with
from webapp.study.planning import studies
from webapp.study.researcher import audit
from webapp.study.researcher.access import own_study_of_people
from webapp.study.researcher.downloads import download
from webapp.study.researcher.fields import MAX_LABELS_PER_LIST, LabelsForm
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


@own_study_of_people
@require_GET
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the links of the study."""
    return _render_page(request, study, LinksForm())


def unused_links(study: Study) -> QuerySet[Participant]:
    """Return the participants whose personal link is unused."""
    rows = study.participants.filter(invited=True, consented_at=None, exit="")
    return rows.select_related("identity")


def _render_page(request: HttpRequest, study: Study, form: LinksForm) -> HttpResponse:
    end = participant_state.exit_settings(study, "completed")
    context = {
        "study": study,
        "campaign": study.campaigns.first() if study.rates_only else None,
        "tab": "people",
        "form": form,
        "shared": absolute_address(request, _shared_link_path(study)),
        "rooms": study.rooms.filter(rooms_with(request.user.pk)),
        "nothing_to_hand_in": end.code_kind == "none" and not end.url,
        "prolific": absolute_address(request, _shared_link_path(study) + PROLIFIC_QUERY),
        "waiting": [
            (row, _label_of(row), absolute_address(request, reverse("take:step", args=[row.key])))
            for row in unused_links(study)
        ],
    }
    status = 422 if form.errors else 200
    return render(request, "study/researcher/study_people.html", context, status=status)


def absolute_address(request: HttpRequest, path: str) -> str:
    """Return a path with the address of this site before it."""
    return f"{site_address(request)}{path}"


def _shared_link_path(study: Study) -> str:
    """Return the path of the link that all participants share."""
    return reverse("take:shared_link", args=[study.key])


def _label_of(participant: Participant) -> str:
    identity: Any = getattr(participant, "identity", None)
    return identity.label if identity else ""


@own_study_of_people
@require_POST
def set_listed_only(request: HttpRequest, study: Study) -> HttpResponse:
    """Set whether only people with a personal link can join, at any time."""
    studies.change(study, listed_only=request.POST.get("listed_only") == "1")
    if study.listed_only:
        messages.success(request, _("Now only participants with a personal link can join."))
    else:
        messages.success(request, _("Now everyone who has the shared link can join."))
    return redirect("study:study_people", study.code)


@own_study_of_people
@require_POST
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


@own_study_of_people
@require_POST
def revoke_link(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Revoke an unused personal link."""
    deleted_count, _by_model = unused_links(study).filter(pseudonym=pseudonym).delete()
    if deleted_count:
        messages.success(request, _("The link no longer works."))
    else:
        messages.error(request, _("The link was used or deleted already."))
    return redirect("study:study_people", study.code)


@own_study_of_people
@require_GET
def download_links(request: HttpRequest, study: Study) -> HttpResponse:
    """Download the unused links as text, one per line after its label."""
    lines = []
    for row in unused_links(study):
        link = absolute_address(request, reverse("take:step", args=[row.key]))
        lines.append(f"{_label_of(row) or row.pseudonym}\t{link}\n")
    audit.record_line(request, "export", f"{study.code} links.txt")
    return download("".join(lines), f"fabula-{study.code}-links.txt")
