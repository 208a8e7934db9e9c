"""Pages of a researcher's studies: list, creation, copy, file, opening, closing, deletion.

Campaigns have pages of their own for copy, opening, closing and deletion.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.storable_text import storable
from webapp.study import permissions
from webapp.study.design.refusals import Refused
from webapp.study.ethics import retention
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Assignment, Campaign, Rater, Slot, Study, StudyRole
from webapp.study.permissions import Permission
from webapp.study.planning import ready, studies, study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.rating import campaigns
from webapp.study.researcher import audit
from webapp.study.researcher.access import access_of, own_campaign, own_study, researchers_only
from webapp.study.researcher.fields import ResearcherForm
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download, render_form_page, run_or_show_errors
from webapp.study.sessions import study_campaigns

MAX_STUDIES_PER_RESEARCHER = 500
EXPERIMENT_DESIGN = {"table": {"people": 0, "blind": False}}
STATE_CHANGES: dict[str, Callable[[Study, str], None]] = {
    "open": studies.open, "unlock": studies.unlock, "pause": studies.pause,
    "resume": studies.resume, "close": studies.close,
}  # fmt: skip


class NameForm(ResearcherForm):
    name = forms.CharField(label=gettext_lazy("Name of the study"), max_length=120)


class NewRatingForm(ResearcherForm):
    name = forms.CharField(label=gettext_lazy("A new study with ratings only"), max_length=120)


@researchers_only("GET", "POST")
def create_study(request: HttpRequest) -> HttpResponse:
    """Create a study: from a template (`ready=key`), from a file, or empty with a name."""
    form = NameForm()
    refused: list[str] = []
    if request.method == "POST":
        try:
            if (study := _create_requested_study(request)) is not None:
                return redirect("study:study_setup", study.code)
            form = NameForm(request.POST)
        except Refused as error:
            refused = error.sentences
    templates: dict[str, dict[str, DesignFile]] = {"ready": {}, "ratings": {}, "experiments": {}}
    for key, file in ready.all_ready().items():
        if file.design.is_experiment:
            templates["experiments"][key] = file
        else:
            templates["ratings" if file.design.rates_only else "ready"][key] = file
    context = {"form": form, "refused": refused, **templates}
    return render_form_page(request, "study_new", context)


def _create_requested_study(request: HttpRequest) -> Study | None:
    """Create the requested study. Return None if its name is missing."""
    assert isinstance(request.user, User)
    if refused := _study_limit_error(request.user):
        raise Refused([refused])
    if key := request.POST.get("ready"):
        try:
            return _create_from_file(request.user, ready.get(key))
        except LookupError as error:
            raise Refused([str(error.args[0])]) from None
    if (upload := request.FILES.get("file")) is not None:
        if (upload.size or 0) > study_file.MAX_BYTES:
            raise Refused([_("The file is too large for a study.")])
        try:
            text = upload.read().decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise Refused([_("Save the study as plain text (UTF-8).")]) from None
        return _create_from_file(request.user, study_file.parse_study_file(text))
    form = NameForm(request.POST)
    if not form.is_valid():
        return None
    options = {"design": EXPERIMENT_DESIGN} if request.POST.get("kind") == "experiment" else {}
    return studies.create(request.user, form.cleaned_data["name"], **options)


def _study_limit_error(owner: User) -> str:
    """Return an error if the researcher has MAX_STUDIES_PER_RESEARCHER studies, "" if not."""
    if Study.objects.filter(owner=owner).count() < MAX_STUDIES_PER_RESEARCHER:
        return ""
    text = _("You have reached the maximum of {limit} studies. Delete one first.")
    return text.format(limit=MAX_STUDIES_PER_RESEARCHER)


def _create_from_file(owner: User, file: DesignFile) -> Study:
    """Create the study of a file, with its seed if it has one."""
    options = {"seed": file.seed} if file.seed else {}
    return studies.create(owner, file.name, design=file.design, **options)


@researchers_only("GET")
def study_list(request: HttpRequest) -> HttpResponse:
    return _render_list(request, NewRatingForm())


def _render_list(request: HttpRequest, form: NewRatingForm) -> HttpResponse:
    accessible = Study.objects.filter(permissions.studies_with(request.user.pk))
    answers = Assignment.objects.filter(
        rater__campaign__study__in=accessible,
        rater__kind=Rater.PERSON,
        is_repeat=False,
        state=Assignment.ANSWERED,
        unit__game__isnull=False,
    )
    by_study = answers.values_list("rater__campaign__study").annotate(n=Count("pk")).order_by()
    answer_counts = dict(by_study)
    has_consented = Q(participants__consented_at__isnull=False)
    roles = dict(StudyRole.objects.filter(account=request.user.pk).values_list("study", "role"))
    listed_studies = accessible.select_related("owner").annotate(
        people=Count("participants", filter=has_consented, distinct=True),
        games=Count("slots", filter=Q(slots__state=Slot.DONE), distinct=True),
        chosen=Count("campaigns__chosen_games", distinct=True),
    )
    games = finished_games(usable_games(request.user.pk or 0))
    context = {
        "studies": [
            {
                "study": study,
                "answer_count": answer_counts.get(study.pk, 0),
                "shared_role": permissions.ROLE_NAMES.get(roles.get(study.pk, ""), ""),
                "notices": retention.deletion_notices(study),
            }
            for study in listed_studies
        ],
        "form": form,
        "games": games.count(),
        "latest": games.first(),
    }
    return render_form_page(request, "campaigns", context)


@researchers_only("POST")
def create_rating_study(request: HttpRequest) -> HttpResponse:
    form = NewRatingForm(request.POST)
    assert isinstance(request.user, User)
    if form.is_valid() and (refused := _study_limit_error(request.user)):
        form.add_error("name", refused)
    if not form.is_valid():
        return _render_list(request, form)
    campaign = campaigns.create(request.user, form.cleaned_data["name"])
    return redirect("study:setup", campaign.code)


@own_study("GET")
def study_home(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the setup of a draft, else to the monitor. Analysts get the results."""
    if study.rates_only and (campaign := study.own_campaign):
        return redirect("study:campaign", campaign.code)
    access = access_of(request)
    if not access.has_permission(Permission.RUN):
        return redirect("study:study_results", study.code)
    is_setup = study.state == Study.DRAFT and access.has_permission(Permission.EDIT)
    return redirect("study:study_setup" if is_setup else "study:study_monitor", study.code)


def _copy(request: HttpRequest, subject: Study | Campaign) -> HttpResponse:
    """Copy a study or campaign, and redirect to the setup of the copy."""
    assert isinstance(request.user, User)
    if isinstance(subject, Study):
        url_name, code = "study:study_setup", studies.copy(subject, request.user).code
    else:
        url_name, code = "study:setup", campaigns.copy(subject, request.user).code
    messages.success(request, _("This is the copy. You can change everything in it."))
    return redirect(url_name, code)


def _delete(request: HttpRequest, subject: Study | Campaign) -> HttpResponse:
    """Delete a study, unless people took part, or a campaign, unless it has ratings."""
    is_study = isinstance(subject, Study)
    delete: Callable[[Any], None] = studies.delete if is_study else campaigns.delete
    if not run_or_show_errors(request, lambda: delete(subject)):
        return redirect("study:study" if is_study else "study:campaign", subject.code)
    messages.success(request, _("“{name}” was deleted.").format(name=subject.name))
    return redirect("study:campaigns")


copy_study, copy_campaign = own_study("POST")(_copy), own_campaign("POST")(_copy)
delete_study, delete_campaign = own_study("POST")(_delete), own_campaign("POST")(_delete)


@own_study("POST")
def change_study_state(request: HttpRequest, study: Study) -> HttpResponse:
    action = request.POST.get("do", "")
    change = STATE_CHANGES.get(action)
    if change is None:
        return redirect("study:study", study.code)
    if not run_or_show_errors(request, lambda: change(study, request.user.get_username())):
        return redirect("study:study", study.code)
    group = "experiment_state_messages" if study.is_experiment else "study_state_messages"
    messages.success(request, LABELS[group][action])
    if action == "open" and not study.is_experiment:
        return redirect("study:study_people", study.code)
    page = "study_setup" if action == "unlock" else "study_monitor"
    return redirect(f"study:{page}", study.code)


@own_study("GET")
def download_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Download the study as a file, from which it can be created elsewhere."""
    design = study_campaigns.design_with_settings(study)
    text = study_file.format_study_file(DesignFile(study.name, design, seed=study.seed))
    audit.record_line(request, "export", f"{study.code} study.toml")
    return download(storable(text), f"{slugify(study.name)[:60] or 'study'}.toml")


@own_campaign("GET")
def campaign_home(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Redirect to the setup of a draft, else to the progress. Analysts get the results."""
    access = access_of(request)
    if not access.has_permission(Permission.RUN):
        return redirect("study:results", campaign.code)
    is_setup = campaign.state == Study.DRAFT and access.has_permission(Permission.EDIT)
    return redirect("study:setup" if is_setup else "study:progress", campaign.code)


@own_campaign("POST")
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
