"""The page of an exit: its texts, the completion code, and the link back to the platform.

The code is shown only after the participant's data are stored.
"""

from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from webapp.study.design.exits import EXIT_LABELS, Exit, ExitKind
from webapp.study.ethics import participant_erasure
from webapp.study.models import Participant, Study
from webapp.study.participant.stage_pages import list_messages, render_markdown
from webapp.study.payments import prolific
from webapp.study.sessions import bonuses, participant_state

WITHDRAWN_LABELS = {
    "title": _("Your answers are deleted"),
    "text": _("There is nothing more to do. Thank you for taking part."),
}


class VisitorField(NamedTuple):
    """The field of the consent page's form that identifies a visitor."""

    name: Literal["coming", "own"]  # "coming" for a shared link, "own" for a personal link
    value: str  # the form that `consent_page.sign_form` signed, or the key of the personal link
    is_posted: bool  # whether a form with this field sent the request


def render_exit_page(
    request: HttpRequest,
    study: Study,
    kind: ExitKind,
    participant: Participant | None = None,
    visitor_field: VisitorField | None = None,
) -> HttpResponse:
    """Render the page of an exit, of a participant who left or of a visitor who did not begin.

    A visitor sees the completion code and the return link only after a POST of the consent page's
    form, because anyone can open the address. If the study is full, a button posts it.
    """
    is_from_form = visitor_field is None or visitor_field.is_posted
    shows_code = participant is not None or (request.method == "POST" and is_from_form)
    settings = participant_state.exit_settings(study, kind)
    has_withdrawn = participant is not None and participant.withdrew
    labels = WITHDRAWN_LABELS if has_withdrawn else EXIT_LABELS[kind]
    context = {
        "study": study,
        "kind": kind,
        "participant": participant,
        "title": labels["title"],
        "text": labels["text"],
        "exit_text": render_markdown(settings.text),
        "pay": participant_state.design_of(study).format_money(settings.pay),
    }
    if shows_code:
        code = settings.completion_code(participant.code if participant else "")
        context |= {"code": code, "url": _return_address(settings, participant, code)}
    elif kind == "full" and (settings.url or settings.code_kind == "same"):
        context["button_field"] = visitor_field
    if participant:
        context |= _participant_context(participant)
    return render(request, "study/take/exit.html", context)


def _participant_context(participant: Participant) -> dict[str, Any]:
    bonus_amount, may_follow = bonuses.exit_bonus(participant)
    design = participant_state.design_of(participant.study)
    return {
        "owner_messages": list_messages(participant),
        "can_erase": participant_erasure.can_erase(participant),
        "bonus": design.format_money(bonus_amount),
        "bonus_may_follow": may_follow,
    }


def _return_address(settings: Exit, participant: Participant | None, code: str) -> str:
    """Return the address that leads back to the platform, "" for none."""
    if settings.url:
        return settings.url if settings.url.startswith(("http://", "https://")) else ""
    identity: Any = getattr(participant, "identity", None)
    if code and identity and prolific.ID_PATTERN.fullmatch(identity.study):
        return prolific.RETURN_ADDRESS + quote(code, safe="")
    return ""
