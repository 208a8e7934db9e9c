"""Pages with a notice for raters and participants, such as that a link does not work."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from webapp.study.models import Study
from webapp.study.sessions import participant_state
from webapp.study.toml_files import read_labels

NOTICES = read_labels(__file__, "notices.toml")


def render_notice(request: HttpRequest, key: str, study: Study | None = None) -> HttpResponse:
    """Render one of NOTICES. Those about the `study` may name its contact."""
    labels = NOTICES[key]
    contact = participant_state.design_of(study).ethics.contact if study else ""
    researchers = _("the researchers through the service that sent you here")
    text = labels["text"].format(contact=contact or researchers)
    if contact and labels.get("names_contact"):
        text += " " + _("If you have questions, write to {contact}.").format(contact=contact)
    return render_text(request, labels["status"], labels["title"], text)


def render_text(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    """Render a notice with this text."""
    context = {"title": title, "text": text}
    return render(request, "study/rater/notice.html", context, status=status)
