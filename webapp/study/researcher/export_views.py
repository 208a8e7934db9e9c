"""Pages and downloads of all data of a campaign or a study."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from webapp.study import analysis, looks
from webapp.study.data import campaign_export, studies
from webapp.study.data.studies.study_source import StudySource
from webapp.study.models import Campaign, Rater, Rating, Study
from webapp.study.researcher import audit
from webapp.study.researcher.access import PageNotFound, access_of, own_campaign, own_study
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download

ALL_FILES, PUBLIC_FILES = "all.zip", "public.zip"

# Files that are empty in an experiment. Its page does not list them.
PEOPLE_FILES = {
    "participants.csv", "seatings.csv", "choices.csv", "messages.csv", "responses_long.csv",
    "responses_wide.csv", "guesses.csv", "ratings_long.csv", "raters.csv", studies.PAYMENTS_FILE,
}  # fmt: skip


@own_campaign("GET")
def campaign_files(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context = {
        "campaign": campaign,
        "tab": "exports",
        "files": {name: LABELS["campaign_files"][name] for name in campaign_export.FILE_NAMES},
        "ratings": Rating.objects.filter(
            assignment__rater__campaign=campaign, assignment__rater__kind=Rater.PERSON
        ).count(),
    }
    return render(request, "study/researcher/exports.html", context)


@own_study("GET")
def study_files(request: HttpRequest, study: Study) -> HttpResponse:
    """List the files of a study. Optional files with personal data are listed apart."""
    source, access = StudySource(study), access_of(request)
    omitted_names = PEOPLE_FILES if study.is_experiment else set[str]()
    names = [name for name in studies.FILE_NAMES if name not in omitted_names]
    files = {name: LABELS["study_files"][name] for name in names}
    if source.has_judges:
        files[studies.JUDGE_SCORES_FILE] = LABELS["campaign_files"][studies.JUDGE_SCORES_FILE]
    optional_files = {
        name: text
        for name, text in LABELS["optional_files"].items()
        if name not in omitted_names and access.may("study_export", name)
    }
    context = {
        "study": study,
        "tab": "data",
        "files": files,
        "separate_files": optional_files,
        "covered": not source.has_ended,
        "people": study.participants.filter(consented_at__isnull=False).count(),
    }
    return render(request, "study/researcher/study_data.html", context)


@own_campaign("GET")
def campaign_file(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    if name != ALL_FILES and name not in campaign_export.FILE_NAMES:
        raise _no_file(_("The available files are listed on the export page."))
    anonymous = not access_of(request).can_see_identities
    if name == ALL_FILES:
        body = campaign_export.build_zip(campaign, anonymous=anonymous)
    else:
        body = campaign_export.build_file(campaign, name, anonymous=anonymous)
    return _send_file(request, campaign.code, name, body)


@own_study("GET")
def study_file(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Download one file of a study, a ZIP of all files, or the ZIP for publication."""
    source = StudySource(study)
    known_names = {ALL_FILES, PUBLIC_FILES, *studies.FILE_NAMES, *LABELS["optional_files"]}
    if source.has_judges:
        known_names.add(studies.JUDGE_SCORES_FILE)
    if name not in known_names:
        raise _no_file(_("See the study’s data page for its files."))
    if name == PUBLIC_FILES and not source.has_ended:
        raise _no_file(_("Close the study before you publish it."))
    anonymous = not access_of(request).can_see_identities
    if name in (ALL_FILES, PUBLIC_FILES):
        report = analysis.report_data(study)
        options = studies.ExportOptions(
            public=name == PUBLIC_FILES, anonymous=anonymous, report=report is not None
        )
        body = studies.build_zip(study, options, report)
        if report:
            looks.record_look(study, request.user.get_username())
    else:
        body = studies.build_file(study, name, anonymous=anonymous)
    return _send_file(request, study.code, name, body)


def _no_file(text: str) -> PageNotFound:
    return PageNotFound(_("This file does not exist"), text)


def _send_file(request: HttpRequest, code: str, name: str, body: bytes) -> HttpResponse:
    audit.record_line(request, "export", f"{code} {name}")
    stem = f"fabula-{code}"
    return download(body, f"{stem}.zip" if name == ALL_FILES else f"{stem}-{name}")
