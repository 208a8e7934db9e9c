"""Everything of a study to take away."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from webapp.study import audit
from webapp.study.exports import studies
from webapp.study.exports.studies.study_data import Source
from webapp.study.models import Study
from webapp.study.researcher.access import no_such, own_study
from webapp.study.researcher.downloads import download
from webapp.study.researcher.export_views import rows

WHAT = {
    "participants.csv": gettext_lazy("Who took part, by number: times of every step, ways out."),
    "assignments.csv": gettext_lazy("The games as they were drawn: block, condition, deal, state."),
    "seatings.csv": gettext_lazy("Who was asked for which seat, and what came of it."),
    "happenings.csv": gettext_lazy("All that was done in the study, and why."),
    "games.csv": gettext_lazy("The games that were played, and who won."),
    "players.csv": gettext_lazy("Their seats: roles, people and computer players, who was out."),
    "utterances.csv": gettext_lazy("What was said, turn by turn."),
    "votes.csv": gettext_lazy("Who voted for whom."),
    "choices.csv": gettext_lazy("What people said of the others while they played, and why."),
    "messages.csv": gettext_lazy("What participants asked and reported, and were told."),
    "minds.jsonl": gettext_lazy("What computer players thought of the others, round by round."),
    "llm_calls.csv": gettext_lazy("Requests to models: time, tokens, failures; no words."),
    "responses_long.csv": gettext_lazy("Questionnaires, an answer a row."),
    "responses_wide.csv": gettext_lazy("The same, a column for each question."),
    "guesses.csv": gettext_lazy("Who was taken for a person, with the truth beside."),
    "ratings_long.csv": gettext_lazy("Ratings of the study’s campaigns, a value a row."),
    "raters.csv": gettext_lazy("Which rater is which participant."),
    "study.toml": gettext_lazy("The study as a file, to make the same one elsewhere."),
    "codebook.md": gettext_lazy("What every column and value means, to read."),
    "codebook.json": gettext_lazy("The same for programs."),
    "manifest.json": gettext_lazy("The hash of every file."),
}
STUDY_EXPORT = "study:study_export"  # the address of one file
ASKED_FOR = {
    studies.MESSAGES: gettext_lazy("The words of all requests to models and of their answers."),
    studies.PAYMENTS: gettext_lazy("What each participant is owed or was paid, by number."),
}


@own_study
@require_GET
def listed(request: HttpRequest, study: Study) -> HttpResponse:
    context = {
        "study": study,
        "tab": "data",
        "files": rows({name: WHAT[name] for name in studies.FILES}, STUDY_EXPORT, study.code),
        "apart": rows(ASKED_FOR, STUDY_EXPORT, study.code),
        "covered": not Source(study).ended,
        "people": study.participants.filter(consented_at__isnull=False).count(),
    }
    return render(request, "study/researcher/study_data.html", context)


@own_study
@require_GET
def one(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    if name != "all.zip" and name not in (*studies.FILES, *ASKED_FOR):
        text = _("The files there are stand on the study’s data page.")
        return no_such(request, _("There is no such file"), text)
    audit.note(request, "export", f"{study.code} {name}")
    stem = f"fabula-{study.code}"
    if name == "all.zip":
        return download(studies.zipped(study), f"{stem}.zip")
    return download(studies.one(study, name), f"{stem}-{name}")
