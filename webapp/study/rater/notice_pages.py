"""Pages with a notice for raters and participants, such as that a link does not work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from webapp.study.models import Study
from webapp.study.sessions import participant_state


def notice(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    context = {"title": title, "text": text}
    return render(request, "study/rater/notice.html", context, status=status)


def rate_limit_notice(request: HttpRequest) -> HttpResponse:
    text = _(
        "Too many people have started from your network. Wait a few minutes and press the button"
        " again, or ask the researcher for a personal link."
    )
    return notice(request, 429, _("Please wait a moment"), text)


def unknown_link_notice(request: HttpRequest) -> HttpResponse:
    text = _("The link may be incomplete. Ask the sender for the full link.")
    return notice(request, 404, _("This link does not work"), text)


def erased_notice(request: HttpRequest) -> HttpResponse:
    """Render the page for a link whose participant's data are deleted."""
    text = _(
        "Your data in this study are deleted. If you joined with a name or number, we keep "
        "a check value. No one can read the name from it; it only shows whether the same "
        "name is used again."
    )
    return notice(request, 410, _("Your data are deleted"), text)


def not_open_notice(request: HttpRequest, study: Study) -> HttpResponse:
    text = _("The researchers have not opened the study yet. Please try again later.")
    return notice(request, 409, _("Not open yet"), text + contact_line(study))


def contact_line(study: Study) -> str:
    """Return a space and the sentence that names the contact, "" without a contact."""
    contact = participant_state.design_of(study).ethics.contact
    text = _("If you have questions, write to {contact}.")
    return f" {text.format(contact=contact)}" if contact else ""


def name_taken_notice(request: HttpRequest, study: Study) -> HttpResponse:
    contact = participant_state.design_of(study).ethics.contact
    text = _(
        "A participant with the same name or number has already started. If that was you, continue"
        " in the browser where you started, or open your own link. You find it at the bottom of"
        " every page there. If you have neither, write to {contact} and describe what you see here."
    )
    sender = _("the researchers through the service that sent you here")
    text = text.format(contact=contact or sender)
    return notice(request, 409, _("You have already started"), text)
