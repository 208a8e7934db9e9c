"""The pages of the ways out: what becomes of things, the researcher's words, a code, a way back.

Whoever stands here is out: what they did is stored, and only then is there a code.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from webapp.study import money
from webapp.study.markdown import html
from webapp.study.models import Participant, Study
from webapp.study.participant.frame import words
from webapp.study.sessions import places
from webapp.study.sessions.design import ExitKind


def ended(
    request: HttpRequest,
    study: Study,
    kind: ExitKind,
    participant: Participant | None = None,
    *,
    form: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The page of that way out. participant: who goes; none where nothing is stored of them: then
    what leads back with a code is shown to who posted the form of the first page alone, for
    anybody can open an address. form: of others, what a button for that posts
    to this very address; {} for no button."""
    came = participant is not None or (request.method == "POST" and form is None)
    way = places.way_out(study, kind)
    title, text = _words(kind)
    context = {
        "study": study,
        "kind": kind,
        "participant": participant,
        "words": words(participant) if participant else [],
        "title": title,
        "text": text,
        "told": html(way.text),
        "code": _code(kind, study, participant) if came else "",
        "url": way.url if came and way.url.startswith(("http://", "https://")) else "",
        "form": form if not came and (way.url or way.code_kind == "same") else None,
        "pay": money.told(way.pay, places.design_of(study).currency),
    }
    return render(request, "study/take/ended.html", context)


def _code(kind: ExitKind, study: Study, participant: Participant | None) -> str:
    """Codes of one's own are drawn for participants; of anybody else nothing is stored."""
    if participant:
        return places.code_of(participant)
    way = places.way_out(study, kind)
    return way.code if way.code_kind == "same" else ""


def _words(kind: ExitKind) -> tuple[str, str]:
    """(title, text): what happened, and that nobody did anything wrong."""
    return {
        "completed": (
            _("Thank you. All of it is stored."),
            _("You have been through all of it, down to the last page."),
        ),
        "declined": (
            _("Thank you for coming"),
            _("You would rather not take part, and that is fine. Nothing about you is stored."),
        ),
        "screened_out": (
            _("Thank you for coming"),
            _("This study needs other people this time. Nothing you did was wrong."),
        ),
        "unsuitable": (
            _("This browser can’t be used here"),
            _(
                "It keeps no cookies, or nothing of what is typed, so your place would be lost."
                " Nothing about you is stored. Open the link in another browser, or allow cookies"
                " for this site."
            ),
        ),
        "quiz_early": (
            _("Thank you for coming"),
            _(
                "The questions on the rules were not answered as this study needs it. You did"
                " nothing bad; there is nothing more to do."
            ),
        ),
        "quiz_failed": (
            _("Thank you for coming"),
            _(
                "The questions on the rules were not answered as this study needs it. You did"
                " nothing bad; there is nothing more to do."
            ),
        ),
        "waited_out": (
            _("Thank you for waiting"),
            _("No game came together in time. You were there, and nothing you did was wrong."),
        ),
        "full": (
            _("All places are taken"),
            _("Others were quicker. Nothing you did was wrong."),
        ),
        "left": (
            _("You have left"),
            _("Nothing more is asked of you. Thank you for coming."),
        ),
        "removed": (
            _("You are no longer part of this study"),
            _("Whoever runs it has taken you out of it. Ask them if you don’t know why."),
        ),
        "technical": (
            _("Something broke on our side"),
            _("You did nothing wrong. What you did until then is stored."),
        ),
    }[kind]
