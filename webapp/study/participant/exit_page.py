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

QUIZ = (
    gettext_lazy("Thank you for coming"),
    gettext_lazy(
        "The questions on the rules were not answered as this study needs it. You did"
        " nothing bad; there is nothing more to do."
    ),
)
# (title, text) of each exit: what happened, and that it is nobody's fault.
EXIT_TEXTS: Mapping[ExitKind, tuple[Any, Any]] = {
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
    "quiz_early": QUIZ,
    "quiz_failed": QUIZ,
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
WITHDRAWN_TEXT = (
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
        participant: Who leaves; None if nothing is stored about them. In that case the completion
        code and the return link are shown only to a POST of the first page's form, because anybody
        can open the address.
        form: For a visitor without a row: the fields of a button that posts to this address; {} for
        no button.
    """
    is_returning = participant is not None or (request.method == "POST" and form is None)
    exit_route = participant_steps.exit_settings(study, kind)
    title, text = EXIT_TEXTS[kind] if not (participant and participant.withdrew) else WITHDRAWN_TEXT
    design = participant_steps.design_of(study)
    bonus, may_follow = bonuses.exit_bonus(participant) if participant else (Decimal(0), False)
    code = _code(kind, study, participant) if is_returning else ""
    context = {
        "study": study,
        "kind": kind,
        "participant": participant,
        "words": list_messages(participant) if participant else [],
        "may_erase": bool(participant and participant_erasure.can_erase(participant)),
        "title": title,
        "text": text,
        "told": render_markdown(exit_route.text),
        "code": code,
        "url": _return_address(exit_route, participant, code) if is_returning else "",
        "form": form
        if not is_returning and (exit_route.url or exit_route.code_kind == "same")
        else None,
        "pay": design.format_money(exit_route.pay),
        "bonus": design.format_money(bonus),
        "bonus_may_follow": may_follow,
    }
    return render(request, "study/take/ended.html", context)


def _return_address(exit_route: Exit, participant: Participant | None, code: str) -> str:
    """Return the address that leads back, "" for none.

    People whom Prolific sent need no setting: the code is enough.
    """
    if exit_route.url:
        return exit_route.url if exit_route.url.startswith(("http://", "https://")) else ""
    identity: Any = getattr(participant, "identity", None)
    if code and identity and prolific.ID.fullmatch(identity.study):
        return prolific.RETURN_ADDRESS + quote(code, safe="")
    return ""


def _code(kind: ExitKind, study: Study, participant: Participant | None) -> str:
    """Return the completion code. Individual codes exist for participants only."""
    if participant:
        return participant_steps.completion_code(participant)
    exit_route = participant_steps.exit_settings(study, kind)
    return exit_route.code if exit_route.code_kind == "same" else ""
