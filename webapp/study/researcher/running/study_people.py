"""The page "People" of a study: the shared link and personal links."""

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from webapp.study.models import Participant, Study
from webapp.study.permissions import rooms_with
from webapp.study.planning import studies
from webapp.study.researcher import audit
from webapp.study.researcher.access import own_study_of_people
from webapp.study.researcher.fields import MAX_LABELS_PER_LIST, LabelsForm
from webapp.study.researcher.responses import download, render_form_page
from webapp.study.sessions import enrolment, participant_state

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
        hint = _("A label that is on the list already gets no second link.")
        self.fields["file"].help_text = f"{self.fields['file'].help_text} {hint}"

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not data["labels"] and not data.get("number") and not self.errors:
            self.add_error("number", _("Enter a number of links, or labels."))
        return data


@own_study_of_people("GET")
def people(request: HttpRequest, study: Study) -> HttpResponse:
    return _render_page(request, study, LinksForm())


def _render_page(request: HttpRequest, study: Study, form: LinksForm) -> HttpResponse:
    end = participant_state.exit_settings(study, "completed")
    shared_link = request.build_absolute_uri(reverse("take:shared_link", args=[study.key]))
    context = {
        "study": study,
        "campaign": study.campaigns.first() if study.rates_only else None,
        "tab": "people",
        "form": form,
        "shared_link": shared_link,
        "rooms": study.rooms.filter(rooms_with(request.user.pk)),
        "has_no_completion_code": end.code_kind == "none" and not end.url,
        "prolific_link": shared_link + PROLIFIC_QUERY,
        "unused_links": _unused_links(request, study),
    }
    return render_form_page(request, "study_people", context)


class UnusedLink(NamedTuple):
    participant: Participant
    label: str  # "" without one
    address: str


def _unused_links(request: HttpRequest, study: Study) -> list[UnusedLink]:
    links = []
    for row in enrolment.participants_with_unused_links(study):
        identity: Any = getattr(row, "identity", None)
        address = request.build_absolute_uri(reverse("take:step", args=[row.key]))
        links.append(UnusedLink(row, identity.label if identity else "", address))
    return links


@own_study_of_people("POST")
def set_listed_only(request: HttpRequest, study: Study) -> HttpResponse:
    """Set whether only people with a personal link can join, also in an open study."""
    studies.change(study, listed_only=request.POST.get("listed_only") == "1")
    only_text = _("Now only participants with a personal link can join.")
    text = only_text if study.listed_only else _("Now everyone who has the shared link can join.")
    messages.success(request, text)
    return redirect("study:study_people", study.code)


@own_study_of_people("POST")
def create_links(request: HttpRequest, study: Study) -> HttpResponse:
    """Create personal links: one for each posted label, or the posted number of them."""
    form = LinksForm(request.POST, request.FILES)
    if not form.is_valid():
        return _render_page(request, study, form)
    labels, number = form.cleaned_data["labels"], form.cleaned_data["number"]
    try:
        created_count = enrolment.create_personal_links(study, labels or [""] * number)
    except enrolment.TooManyParticipants:
        text = _("A study can have at most {most} participants, unused links included.")
        error = text.format(most=enrolment.MAX_PARTICIPANTS_PER_STUDY)
        form.add_error(form.list_field if labels else "number", error)
        return _render_page(request, study, form)
    text = ngettext("{n} link created.", "{n} links created.", created_count)
    text = text.format(n=created_count)
    if listed_count := max(0, len(labels) - created_count):
        more = ngettext(
            "{n} was on the list already.", "{n} were on the list already.", listed_count
        )
        text = f"{text} {more.format(n=listed_count)}"
    messages.success(request, text)
    return redirect("study:study_people", study.code)


@own_study_of_people("POST")
def revoke_link(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    links = enrolment.participants_with_unused_links(study)
    deleted_count, _by_model = links.filter(pseudonym=pseudonym).delete()
    if deleted_count:
        messages.success(request, _("The link no longer works."))
    else:
        messages.error(request, _("The link was used or deleted already."))
    return redirect("study:study_people", study.code)


@own_study_of_people("GET")
def download_links(request: HttpRequest, study: Study) -> HttpResponse:
    """Download the unused links as text, one per line after its label."""
    links = _unused_links(request, study)
    lines = [f"{link.label or link.participant.pseudonym}\t{link.address}\n" for link in links]
    audit.record_line(request, "export", f"{study.code} links.txt")
    return download("".join(lines), f"fabula-{study.code}-links.txt")
