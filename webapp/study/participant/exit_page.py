"""Exit pages: what happens with the data, the researcher's text, the completion code, a link back.

The code is shown only after the participant's data are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from webapp.study.design.stages import Exit, ExitKind
from webapp.study.ethics import participant_erasure
from webapp.study.markdown import render_markdown
from webapp.study.models import Participant, Study
from webapp.study.participant.stage_pages import list_messages
from webapp.study.payments import prolific
from webapp.study.sessions import bonuses, participant_steps

FAILED_QUIZ_TEXTS = (
    gettext_lazy("Thank you for coming"),
    gettext_lazy(
        "The questions on the rules were not answered as this study needs it. You did"
        " nothing bad; there is nothing more to do."
    ),
)
# (title, text) of each exit: what happened, and that the participant is not to blame.
TEXTS_BY_EXIT: Mapping[ExitKind, tuple[Any, Any]] = {
    "completed": (
        gettext_lazy("Thank you. All of it is stored."),
        gettext_lazy("You have been through all of it, down to the last page."),
    ),
    "declined": (
        gettext_lazy("Thank you for coming"),
        gettext_lazy(
            "You would rather not take part, and that is fine. Nothing about you is stored."
        ),
    ),
    "screened_out": (
        gettext_lazy("Thank you for coming"),
        gettext_lazy("This study needs other people this time. Nothing you did was wrong."),
    ),
    "unsuitable": (
        gettext_lazy("This browser can’t be used here"),
        gettext_lazy(
            "It keeps no cookies, or nothing of what is typed, so your place would be lost."
            " Nothing about you is stored. Open the link in another browser, or allow cookies"
            " for this site."
        ),
    ),
    "quiz_early": FAILED_QUIZ_TEXTS,
    "quiz_failed": FAILED_QUIZ_TEXTS,
    "waited_out": (
        gettext_lazy("Thank you for waiting"),
        gettext_lazy(
            "No game came together in time. You were there, and nothing you did was wrong."
        ),
    ),
    "full": (
        gettext_lazy("All places are taken"),
        gettext_lazy("Others were quicker. Nothing you did was wrong."),
    ),
    "timed_out": (
        gettext_lazy("The time for this is over"),
        gettext_lazy("What you rated until now is stored. Nothing more is asked of you."),
    ),
    "abandoned": (
        gettext_lazy("Your part has ended"),
        gettext_lazy(
            "Nothing came from your page for a long time. What you did until then is stored."
        ),
    ),
    "left": (
        gettext_lazy("You have left"),
        gettext_lazy("Nothing more is asked of you. Thank you for coming."),
    ),
    "removed": (
        gettext_lazy("You are no longer part of this study"),
        gettext_lazy("Whoever runs it has taken you out of it. Ask them if you don’t know why."),
    ),
    "technical": (
        gettext_lazy("Something broke on our side"),
        gettext_lazy("You did nothing wrong. What you did until then is stored."),
    ),
}
WITHDRAWN_TEXTS = (
    gettext_lazy("Your answers are deleted"),
    gettext_lazy("Nothing more is asked of you. Thank you for coming."),
)


def render_exit_page(
    request: HttpRequest,
    study: Study,
    kind: ExitKind,
    participant: Participant | None = None,
    *,
    form: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Render the page of an exit.

    Args:
        participant: The participant who left; None for a visitor without a row. A visitor sees the
            completion code and the return link only after a POST of the first page's form, because
            anybody can open the address.
        form: For a visitor: the fields of a button that posts to this address; {} for no button.
    """
    may_show_code = participant is not None or (request.method == "POST" and form is None)
    settings = participant_steps.exit_settings(study, kind)
    has_withdrawn = participant is not None and participant.withdrew
    title, text = WITHDRAWN_TEXTS if has_withdrawn else TEXTS_BY_EXIT[kind]
    design = participant_steps.design_of(study)
    bonus, may_follow = bonuses.exit_bonus(participant) if participant else (Decimal(0), False)
    code = _completion_code(kind, study, participant) if may_show_code else ""
    needs_button = not may_show_code and (settings.url or settings.code_kind == "same")
    context = {
        "study": study,
        "kind": kind,
        "participant": participant,
        "words": list_messages(participant) if participant else [],
        "may_erase": bool(participant and participant_erasure.can_erase(participant)),
        "title": title,
        "text": text,
        "told": render_markdown(settings.text),
        "code": code,
        "url": _return_address(settings, participant, code) if may_show_code else "",
        "form": form if needs_button else None,
        "pay": design.format_money(settings.pay),
        "bonus": design.format_money(bonus),
        "bonus_may_follow": may_follow,
    }
    return render(request, "study/take/ended.html", context)


def _return_address(settings: Exit, participant: Participant | None, code: str) -> str:
    """Return the address that leads back to the recruiting service, "" for none.

    For participants whom Prolific sent, the code is enough.
    """
    if settings.url:
        return settings.url if settings.url.startswith(("http://", "https://")) else ""
    identity: Any = getattr(participant, "identity", None)
    if code and identity and prolific.ID_PATTERN.fullmatch(identity.study):
        return prolific.RETURN_ADDRESS + quote(code, safe="")
    return ""


def _completion_code(kind: ExitKind, study: Study, participant: Participant | None) -> str:
    """Return the completion code. Only participants have codes of their own."""
    if participant:
        return participant_steps.completion_code(participant)
    settings = participant_steps.exit_settings(study, kind)
    return settings.code if settings.code_kind == "same" else ""
