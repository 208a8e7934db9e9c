"""The request for help, from any page of a participant and from their table."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webapp.study.design.refusals import Refused
from webapp.study.models import Participant
from webapp.study.participant.pages import participant_required, request_limit
from webapp.study.participant.stage_pages import list_messages
from webapp.study.sessions import messages


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@participant_required
def help_page(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the help page, or send a request. Refused input is shown again.

    A script gets JSON: the messages on the page, and the reason of a refusal.
    """
    typed, refused = request.POST.get("text", ""), ""
    is_script = "application/json" in request.headers.get("Accept", "")
    if request.method == "POST":
        if not request_limit.allows(participant.key):
            return HttpResponse(status=429)
        try:
            messages.request_help(participant, typed)
        except Refused as refusal:
            refused = str(refusal)
        if not is_script and not refused:
            return redirect("take:step", participant.key)
    status = 422 if refused else 200
    shown_messages = list_messages(participant)
    if is_script:
        html = render_to_string("play/told_words.html", {"words": shown_messages})
        return JsonResponse({"refused": refused, "words": html}, status=status)
    context = {
        "participant": participant,
        "words": shown_messages,
        "typed": typed,
        "refused": refused,
    }
    return render(request, "study/take/help.html", context, status=status)
