"""Pages of the live monitor: a study, its participants and games, with the researcher's actions."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from webapp.middleware import is_htmx_request
from webapp.storable_text import read_number
from webapp.study.models import Participant, Slot, Study
from webapp.study.monitor import frames, researcher_blinding
from webapp.study.monitor.page_content import find_page_content
from webapp.study.researcher.access import Row, access_of, get_row_or_404, own_study
from webapp.study.researcher.running import monitor_actions
from webapp.study.researcher.running.monitor_actions import MonitorAction
from webapp.study.sessions import messages as participant_messages


@own_study("GET", "POST")
def monitor(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the monitor of the study, and run an action on it. A draft has nothing to show."""
    if study.state == Study.DRAFT:
        return render(request, "study/monitor/page.html", {"study": study, "tab": "monitor"})
    actions = monitor_actions.study_actions(study)
    return _respond(request, study, "", study, actions, "page")


@own_study("GET", "POST")
def participant(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Show a participant with stage, visits and messages, and run an action on them."""
    row = _get_row(_participants(study).filter(pseudonym=pseudonym))
    if request.POST.get("do") == "seen":
        participant_messages.mark_seen_by_researcher(row)
        return redirect(request.path)
    about, actions = f"people/{pseudonym}", monitor_actions.PARTICIPANT_ACTIONS
    return _respond(request, study, about, row, actions, "person", participant=row)


@own_study("GET", "POST")
def game(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show a game, by the number of its slot, and run an action on it."""
    slot = _get_row(study.slots.filter(index=number))
    actions = monitor_actions.game_actions(slot)
    if request.POST and not actions and not study.is_experiment:
        # The game has ended in the meantime, and the action refuses with that reason.
        actions = monitor_actions.TABLE_ACTIONS
    return _respond(request, study, f"games/{number}", slot, actions, "game", slot=slot)


def _respond(
    request: HttpRequest,
    study: Study,
    about: str,
    target: Study | Participant | Slot,
    actions: Sequence[MonitorAction],
    template: str,
    **extra_context: Any,
) -> HttpResponse:
    """Run a posted action on the target, or show its page, `about`, with the actions' forms."""
    people = monitor_actions.find_seated_pseudonyms(target) if isinstance(target, Slot) else ()
    forms, posted = monitor_actions.build_action_forms(actions, request.POST or None, people)
    has_succeeded = posted is not None and posted.run_on(target, request.user.get_username())
    if posted and has_succeeded:
        messages.success(request, str(posted.action.success_text))
    if request.method == "POST" and (has_succeeded or posted is None):
        return redirect(request.path)
    if posted:
        target.refresh_from_db()  # the action may have been refused because of a change
    if isinstance(target, Participant):
        possible_keys = monitor_actions.possible_action_keys(target)
        forms = [form for form in forms if form.action.key in possible_keys or form.is_bound]
    is_lifted = _is_lifted(request)
    content = find_page_content(study, about, is_lifted)
    assert content, "the views have found the row"
    context = {
        "study": study,
        "tab": "monitor",
        "content": content,
        "calls": content.calls,
        "action_forms": forms,
        "page_url": request.path,
        "about": about,
        "lifted": is_lifted,
        **extra_context,
    }
    status = 422 if posted else 200  # an action that was posted has failed
    return render(request, f"study/monitor/{template}.html", context, status=status)


@own_study("GET")
def poll(request: HttpRequest, study: Study, about: str = "") -> HttpResponse:
    """Return all parts of a page that has no socket as JSON, or 304 if nothing has changed."""
    content = find_page_content(study, about, _is_lifted(request))
    if not is_htmx_request(request) or content is None:
        return redirect("study:study_monitor", study.code)
    text = frames.serialize(frames.SentParts().find_changes(content))
    etag = f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'
    if request.headers.get("If-None-Match") == etag:
        return HttpResponse(status=304)
    return HttpResponse(text, content_type="application/json", headers={"ETag": etag})


@own_study("POST")
def change_blinding(request: HttpRequest, study: Study) -> HttpResponse:
    """Lift the blinding in this session, or restore it. Both are audit events."""
    apply_change: Callable[..., None] = (
        researcher_blinding.restore_blinding
        if request.POST.get("do") == "cover"
        else researcher_blinding.lift_blinding
    )
    apply_change(request.session, access_of(request), request.user.get_username())
    return redirect(_page_address(study, request.POST.get("about", "")))


def _is_lifted(request: HttpRequest) -> bool:
    return researcher_blinding.is_lifted(request.session, access_of(request))


def _page_address(study: Study, about: str) -> str:
    """Return the address of the page `about` (see `find_page_content`), else the study's."""
    kind, _slash, name = about.partition("/")
    if kind == "people" and _participants(study).filter(pseudonym=name).exists():
        return reverse("study:study_monitor_person", args=[study.code, name])
    if kind == "games" and (slot := read_number(name)):
        return reverse("study:study_monitor_table", args=[study.code, slot])
    return reverse("study:study_monitor", args=[study.code])


def _participants(study: Study) -> QuerySet[Participant]:
    return study.participants.select_related("study").exclude(consented_at=None)


def _get_row(rows: QuerySet[Row]) -> Row:
    return get_row_or_404(rows, _("This page does not exist"), _("The address may be mistyped."))
