"""A researcher's studies: list, creation, copy, file, opening, closing and deletion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.storable_text import storable
from webapp.study import permissions
from webapp.study.ethics import retention
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Assignment, Campaign, Rater, Slot, Study, StudyRole
from webapp.study.permissions import Permission
from webapp.study.planning import ready, studies, study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.rating import campaigns
from webapp.study.researcher import audit
from webapp.study.researcher.access import access_of, own_campaign, own_study, researchers_only
from webapp.study.researcher.downloads import download
from webapp.study.researcher.fields import set_error_messages
from webapp.study.sessions import rated_games

MAX_STUDIES = 500  # of one researcher
UNLOCKED_MESSAGE = gettext_lazy("The study is a draft again. You can change everything in it.")
EXPERIMENT_DESIGN = {"table": {"people": 0, "blind": False}}


class NameForm(forms.Form):
    """The form of a new, empty study: its name."""

    label = gettext_lazy("Name of the study")

    name = forms.CharField(max_length=120)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = self.label
        set_error_messages(self)


def why_no_more_studies(owner: User) -> str:
    """Return why the researcher can have no further study, "" if they can."""
    if Study.objects.filter(owner=owner).count() < MAX_STUDIES:
        return ""
    return _("You have reached the maximum of 500 studies. Delete one first.")


@researchers_only
@require_http_methods(["GET", "POST"])
def create_study(request: HttpRequest) -> HttpResponse:
    """Create a study: from a ready one (`ready=key`), from a file, or empty with a name."""
    form, refused = NameForm(), list[str]()
    if request.method == "POST":
        try:
            new_study = _create_requested(request)
            if new_study is not None:
                return redirect("study:study_setup", new_study.code)
            form = NameForm(request.POST)
        except studies.Refused as error:
            refused = error.sentences
    all_ready = ready.all_ready().items()
    context = {
        "form": form,
        "refused": refused,
        "ready": {
            key: file
            for key, file in all_ready
            if not (file.design.is_experiment or file.design.is_rating_only)
        },
        "ratings": {key: file for key, file in all_ready if file.design.is_rating_only},
        "experiments": {key: file for key, file in all_ready if file.design.is_experiment},
    }
    has_errors = bool(refused or form.errors)
    template = "study/researcher/study_new.html"
    return render(request, template, context, status=422 if has_errors else 200)


def _create_requested(request: HttpRequest) -> Study | None:
    """Create the requested study. Return None if its name is missing."""
    assert isinstance(request.user, User)
    if refused := why_no_more_studies(request.user):
        raise studies.Refused([refused])
    if key := request.POST.get("ready"):
        try:
            return _create_from_file(request.user, ready.get(key))
        except LookupError as error:
            raise studies.Refused([str(error.args[0])]) from None
    if (upload := request.FILES.get("file")) is not None:
        if (upload.size or 0) > study_file.MAX_BYTES:
            raise studies.Refused([_("The file is too large for a study.")])
        try:
            text = upload.read().decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise studies.Refused([_("Save the study as plain text (UTF-8).")]) from None
        return _create_from_file(request.user, study_file.parse_study_file(text))
    form = NameForm(request.POST)
    if not form.is_valid():
        return None
    kind = {"design": EXPERIMENT_DESIGN} if request.POST.get("kind") == "experiment" else {}
    return studies.create(request.user, form.cleaned_data["name"], **kind)


def _create_from_file(owner: User, file: DesignFile) -> Study:
    """Create the study of a file, with its seed if it has one."""
    seed = {"seed": file.seed} if file.seed else {}
    return studies.create(owner, file.name, design=file.design, **seed)


class NewRatingForm(NameForm):
    """The form of a new study that only rates: its name."""

    label = gettext_lazy("A new study with ratings only")


@researchers_only
@require_GET
def study_list(request: HttpRequest) -> HttpResponse:
    """Show the studies that the researcher owns or shares."""
    return _render_list(request, NewRatingForm())


def _render_list(request: HttpRequest, form: NewRatingForm) -> HttpResponse:
    reachable = Study.objects.filter(permissions.studies_with(request.user.pk))
    all_assignments = Assignment.objects.filter(rater__campaign__study__in=reachable)
    assignments = all_assignments.filter(rater__kind=Rater.PERSON, is_repeat=False)
    answers = dict(
        assignments.filter(state=Assignment.ANSWERED, unit__game__isnull=False)
        .values_list("rater__campaign__study")
        .annotate(n=Count("pk"))
        .order_by()
    )
    has_consented = Q(participants__consented_at__isnull=False)
    roles = dict(StudyRole.objects.filter(account=request.user.pk).values_list("study", "role"))
    studies = reachable.select_related("owner").annotate(
        people=Count("participants", filter=has_consented, distinct=True),
        games=Count("slots", filter=Q(slots__state=Slot.DONE), distinct=True),
        chosen=Count("campaigns__chosen", distinct=True),
    )
    for study in studies:
        study.notices = retention.deletion_notices(study)  # type: ignore[attr-defined]
        study.answers = answers.get(study.pk, 0)  # type: ignore[attr-defined]
        study.shared_role = permissions.ROLE_NAMES.get(roles.get(study.pk, ""), "")  # type: ignore[attr-defined]
    games = finished_games(usable_games(request.user.pk or 0))
    context = {"studies": studies, "form": form, "games": games.count(), "latest": games.first()}
    status = 422 if form.errors else 200
    return render(request, "study/researcher/campaigns.html", context, status=status)


@researchers_only
@require_POST
def create_rating_study(request: HttpRequest) -> HttpResponse:
    """Create a study that only rates."""
    form = NewRatingForm(request.POST)
    assert isinstance(request.user, User)
    if form.is_valid() and (refused := why_no_more_studies(request.user)):
        form.add_error("name", refused)
    if not form.is_valid():
        return _render_list(request, form)
    campaign = campaigns.create(request.user, form.cleaned_data["name"])
    return redirect("study:setup", campaign.code)


def _redirect_to_page(subject: Study | Campaign, *, setup: bool) -> HttpResponse:
    """Redirect to the setup of a study or campaign, or to its monitor or progress."""
    if isinstance(subject, Campaign):
        return redirect("study:setup" if setup else "study:progress", subject.code)
    return redirect("study:study_setup" if setup else "study:study_monitor", subject.code)


@require_GET
def _redirect_home(request: HttpRequest, subject: Study | Campaign) -> HttpResponse:
    """Redirect to the setup of a draft, else to the progress, for analysts to the results."""
    if isinstance(subject, Study) and subject.rates_only and (campaign := subject.own_campaign):
        return redirect("study:campaign", campaign.code)
    access = access_of(request)
    if not access.has_permission(Permission.RUN):
        return redirect(
            "study:results" if isinstance(subject, Campaign) else "study:study_results",
            subject.code,
        )
    return _redirect_to_page(
        subject, setup=subject.state == Study.DRAFT and access.has_permission(Permission.EDIT)
    )


@require_POST
def _copy_subject(request: HttpRequest, subject: Study | Campaign) -> HttpResponse:
    """Copy a study or campaign, and redirect to the setup of the copy."""
    assert isinstance(request.user, User)
    copy_function: Callable[..., Study | Campaign] = (
        campaigns.copy if isinstance(subject, Campaign) else studies.copy
    )
    new_subject = copy_function(subject, request.user)
    messages.success(request, _("This is the copy. You can change everything in it."))
    return _redirect_to_page(new_subject, setup=True)


@require_POST
def _delete_subject(request: HttpRequest, subject: Study | Campaign) -> HttpResponse:
    """Delete a study or campaign, unless people took part."""
    try:
        campaigns.delete(subject) if isinstance(subject, Campaign) else studies.delete(subject)
    except studies.Refused as refused:
        _show_errors(request, refused.sentences)
        return _redirect_to_home(subject)
    messages.success(request, _("“{name}” was deleted.").format(name=subject.name))
    return redirect("study:campaigns")


def _redirect_to_home(subject: Study | Campaign) -> HttpResponse:
    return redirect(
        "study:campaign" if isinstance(subject, Campaign) else "study:study", subject.code
    )


def _possible_changes(
    subject: Study | Campaign,
) -> dict[str, tuple[Callable[[Any, str], None], Any]]:
    """Return the changes of state: key -> (function, message after success)."""
    if isinstance(subject, Campaign):
        return {
            "open": (_open_ratings, _("The study is open. Here are the links for raters.")),
            "close": (
                _close_ratings, _("The study is closed. Participants can no longer use it.")
            ),
        }  # fmt: skip
    if subject.is_experiment:
        return {
            "open": (studies.open, _("The games are starting.")),
            "unlock": (studies.unlock, UNLOCKED_MESSAGE),
            "pause": (studies.pause, _("No more games will start. Games in progress continue.")),
            "resume": (studies.resume, _("The games continue.")),
            "close": (studies.close, _("The experiment is closed. No more games will start.")),
        }
    return {
        "open": (studies.open, _("The study is open. Here are the links.")),
        "unlock": (studies.unlock, UNLOCKED_MESSAGE),
        "pause": (studies.pause, _("New participants cannot join for now.")),
        "resume": (studies.resume, _("New participants can join again.")),
        "close": (studies.close, _("The study is closed. New participants cannot join.")),
    }


def _open_ratings(campaign: Campaign, by: str) -> None:
    """Open the campaign to raters, or the whole study if it only rates."""
    if not campaign.study.rates_only:
        campaigns.open(campaign)
    elif campaign.study.state == Study.DRAFT:
        studies.open(campaign.study, by)
    else:
        studies.resume(campaign.study, by)


def _close_ratings(campaign: Campaign, by: str) -> None:
    """Close the campaign, or the whole study if it only rates."""
    if campaign.study.rates_only:
        studies.close(campaign.study, by)
    else:
        campaigns.close(campaign)


@require_POST
def _change_state(request: HttpRequest, subject: Study | Campaign) -> HttpResponse:
    """Open, unlock, pause, resume or close a study or campaign."""
    action, changes = request.POST.get("do", ""), _possible_changes(subject)
    if action not in changes:
        return _redirect_to_home(subject)
    change, success_text = changes[action]
    try:
        change(subject, request.user.get_username())
    except studies.Refused as refused:
        _show_errors(request, refused.sentences)
        is_editor = isinstance(subject, Campaign) and access_of(request).has_permission(
            Permission.EDIT
        )
        return _redirect_to_page(subject, setup=True) if is_editor else _redirect_to_home(subject)
    messages.success(request, success_text)
    if action == "open" and not (isinstance(subject, Study) and subject.is_experiment):
        study = subject.study if isinstance(subject, Campaign) else subject
        return redirect("study:study_people", study.code)
    return _redirect_to_page(subject, setup=action == "unlock")


study_home, campaign_home = own_study(_redirect_home), own_campaign(_redirect_home)
copy_study, copy_campaign = own_study(_copy_subject), own_campaign(_copy_subject)
delete_study, delete_campaign = own_study(_delete_subject), own_campaign(_delete_subject)
change_study_state = own_study(_change_state)
change_campaign_state = own_campaign(_change_state)


@own_study
@require_GET
def download_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Download the study as a file, from which it can be created elsewhere."""
    design = rated_games.design_with_settings(study)
    text = study_file.format_study_file(DesignFile(study.name, design, seed=study.seed))
    audit.record_line(request, "export", f"{study.code} study.toml")
    return download(storable(text), f"{slugify(study.name)[:60] or 'study'}.toml")


def _show_errors(request: HttpRequest, sentences: Sequence[str]) -> None:
    for sentence in sentences:
        messages.error(request, sentence)
