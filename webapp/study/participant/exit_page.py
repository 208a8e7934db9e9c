"""The page of an exit: its texts, the completion code, and the link back to the platform.

The code is shown only after the participant's data are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from webapp.study.design.exits import Exit, ExitKind
from webapp.study.ethics import participant_erasure
from webapp.study.models import Participant, Study
from webapp.study.participant.stage_pages import list_messages, render_markdown
from webapp.study.payments import prolific
from webapp.study.sessions import bonuses, participant_state

FAILED_QUIZ_TEXTS = (
    _("Thank you for your interest"),
    _(
        "To take part in this study, all questions about the rules must be answered "
        "correctly. You did nothing wrong, and there is nothing more to do."
    ),
)
# (title, text) of each exit: what happened, and that the participant is not to blame.
TEXTS_BY_EXIT: Mapping[ExitKind, tuple[Any, Any]] = {
    "completed": (
        _("Thank you. Everything is saved."),
        _("You have reached the end of the study."),
    ),
    "declined": (
        _("Thank you for your interest"),
        _("You decided not to take part, and that is fine. Nothing about you is stored."),
    ),
    "screened_out": (
        _("Thank you for your interest"),
        _("This study is looking for a different group of people. You did nothing wrong."),
    ),
    "unsuitable": (
        _("This browser does not work here"),
        _(
            "It does not store cookies or your input, so your progress would be lost. Nothing about"
            " you is stored. Open the link in another browser, or allow cookies for this site."
        ),
    ),
    "quiz_early": FAILED_QUIZ_TEXTS,
    "quiz_failed": FAILED_QUIZ_TEXTS,
    "waited_out": (
        _("Thank you for waiting"),
        _("There were not enough players for a game in time. You did nothing wrong."),
    ),
    "full": (
        _("All places are taken"),
        _("Other participants were faster. You did nothing wrong."),
    ),
    "timed_out": (
        _("Your time is up"),
        _("Your ratings so far are saved. There is nothing more to do."),
    ),
    "abandoned": (
        _("Your participation has ended"),
        _("Your page was inactive for a long time. Everything you did until then is saved."),
    ),
    "left": (
        _("You have left the study"),
        _("There is nothing more to do. Thank you for taking part."),
    ),
    "removed": (
        _("You are no longer part of this study"),
        _("The researchers have ended your participation. Ask them if you don’t know why."),
    ),
    "technical": (
        _("Something went wrong on our side"),
        _("You did nothing wrong. Everything you did until then is saved."),
    ),
}
WITHDRAWN_TEXTS = (
    _("Your answers are deleted"),
    _("There is nothing more to do. Thank you for taking part."),
)


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
    title, text = WITHDRAWN_TEXTS if has_withdrawn else TEXTS_BY_EXIT[kind]
    context = {
        "study": study,
        "kind": kind,
        "participant": participant,
        "title": title,
        "text": text,
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
        "may_erase": participant_erasure.can_erase(participant),
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
