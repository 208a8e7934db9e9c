"""The page "Ethics" of a study: the record for a board, retention, and erasure."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from webapp.study.ethics import participant_erasure, retention
from webapp.study.models import Erasure, Study
from webapp.study.participant.stage_pages import render_markdown
from webapp.study.planning import ethics_record
from webapp.study.researcher import audit
from webapp.study.researcher.access import own_study_of_people
from webapp.study.researcher.responses import download, run_or_get_errors
from webapp.study.sessions import participant_state

# The form of HTML ids. Both forms of the page have a field `reason`.
PROLONG_AUTO_ID = "prolong_%s"
DELETED_MESSAGE = _("The data of {name} were deleted.")
PARTLY_DELETED_MESSAGE = _(
    "The data of {name} were deleted. Some data remain and will be deleted automatically."
    " See below."
)


class ErasureForm(forms.Form):
    pseudonym = forms.CharField(
        label=_("Participant number"), max_length=20, help_text=_("For example: P001.")
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=200, help_text=_("The reason is stored. Do not write a name.")
    )
    deletes_owed = forms.BooleanField(
        label=_("Delete the external name and payments even if pay is still due"), required=False
    )


class ProlongForm(forms.Form):
    days = forms.IntegerField(
        label=_("Additional days"), min_value=1, max_value=retention.MAX_DAYS_PER_PROLONGATION
    )
    reason = forms.CharField(label=_("Reason"), max_length=300)


@own_study_of_people("GET")
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the record for a board, the dates of deletion, and the forms."""
    return _render_page(request, study)


def _render_page(request: HttpRequest, study: Study, **refused_form: forms.Form) -> HttpResponse:
    """Render the page. `refused_form` is `erasure` or `prolong` with its errors, if any."""
    text = ethics_record.render_markdown(study)
    pending_erasures = Erasure.objects.filter(participant__study=study, done_at=None)
    context = {
        "study": study,
        "tab": "ethics",
        "record": render_markdown(text.partition("\n")[2]),  # without its title, which the page has
        "notices": retention.deletion_notices(study),
        "has_retention_limit": bool(participant_state.design_of(study).ethics.retention_days),
        "pending_erasures": list(pending_erasures.select_related("participant")),
        "erasure": ErasureForm(),
        "prolong": ProlongForm(auto_id=PROLONG_AUTO_ID),
        **refused_form,
    }
    status = 422 if refused_form else 200
    return render(request, "study/researcher/study_ethics.html", context, status=status)


@own_study_of_people("GET")
def download_record(request: HttpRequest, study: Study) -> HttpResponse:
    audit.record_line(request, "export", f"{study.code} ethics.md")
    return download(ethics_record.render_markdown(study), f"fabula-{study.code}-ethics.md")


@own_study_of_people("POST")
def erase_data(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete a participant's data. An active participant leaves the study."""
    form = ErasureForm(request.POST)
    if form.is_valid():
        cleaned = form.cleaned_data
        people = study.participants.exclude(consented_at=None)
        person = people.filter(pseudonym__iexact=cleaned["pseudonym"]).first()
        if person is None:
            form.add_error("pseudonym", _("No participant has this number."))
        else:
            erasure = participant_erasure.erase_participant(
                person,
                actor=request.user.get_username(),
                reason=cleaned["reason"],
                keeps_owed=not cleaned["deletes_owed"],
            )
            audit.record_line(request, "erase", f"{study.code} {person.pseudonym}")
            erasure.refresh_from_db()
            text = DELETED_MESSAGE if erasure.done_at else PARTLY_DELETED_MESSAGE
            messages.success(request, text.format(name=person.pseudonym))
            return redirect("study:study_ethics", study.code)
    return _render_page(request, study, erasure=form)


@own_study_of_people("POST")
def prolong(request: HttpRequest, study: Study) -> HttpResponse:
    """Prolong the retention. The reason is recorded."""
    form = ProlongForm(request.POST, auto_id=PROLONG_AUTO_ID)
    if form.is_valid():
        days, reason = form.cleaned_data["days"], form.cleaned_data["reason"]
        actor = request.user.get_username()
        errors = run_or_get_errors(
            lambda: retention.prolong_retention(study, days, actor=actor, reason=reason)
        )
        if not errors:
            messages.success(request, _("The retention period was extended."))
            return redirect("study:study_ethics", study.code)
        form.add_error(None, forms.ValidationError(errors))
    return _render_page(request, study, prolong=form)
