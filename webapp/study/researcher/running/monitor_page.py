"""Pages of the live monitor: a study, its participants and games, with the researcher's actions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.play.error_pages import is_htmx_request
from webapp.storable_text import read_number
from webapp.study.models import Participant, Slot, Study
from webapp.study.monitor import frames, page_content, researcher_blinding
from webapp.study.monitor.frames import PageContent
from webapp.study.researcher.access import access_of, own_study, render_not_found
from webapp.study.researcher.running import monitor_actions
from webapp.study.researcher.running.monitor_actions import ActionForm, MonitorAction
from webapp.study.sessions import messages as participant_messages

FOLDER = "study/monitor/"


@own_study
@require_http_methods(["GET", "POST"])
def monitor(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the monitor of the study, and run an action on it. A draft has nothing to show."""
    if study.state == Study.DRAFT:
        return render(request, f"{FOLDER}page.html", {"study": study, "tab": "monitor"})
    page_url = reverse("study:study_monitor", args=[study.code])
    forms = _handle_actions(request, study, monitor_actions.study_actions(study), page_url)
    if isinstance(forms, HttpResponse):
        return forms
    study.refresh_from_db()
    content = page_content.study_content(study, _is_lifted(request))
    return _render_page(request, study, "page", content, page_url, forms)


@own_study
@require_http_methods(["GET", "POST"])
def participant(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Show a participant with stage, visits and messages, and run an action on them."""
    row = _find_participant(study, pseudonym)
    if row is None:
        return _render_not_found(request)
    page_url = reverse("study:study_monitor_person", args=[study.code, pseudonym])
    if request.POST.get("do") == "seen":
        participant_messages.mark_seen_by_researcher(row)
        return redirect(page_url)
    forms = _handle_actions(request, row, monitor_actions.PERSON_ACTIONS, page_url)
    if isinstance(forms, HttpResponse):
        return forms
    content = page_content.participant_content(study, _is_lifted(request), pseudonym)
    row.refresh_from_db()
    possible_keys = monitor_actions.possible_actions(row)
    forms = [form for form in forms if form.action.key in possible_keys or form.is_bound]
    return _render_page(request, study, "person", content, page_url, forms, who=row)


@own_study
@require_http_methods(["GET", "POST"])
def game(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show a game, by the number of its slot, and run an action on it."""
    slot = study.slots.filter(index=number).first()
    if slot is None:
        return _render_not_found(request)
    actions = monitor_actions.game_actions(slot)
    if request.POST and not actions and not study.is_experiment:
        # The game has ended in the meantime, and the action refuses with that reason.
        actions = monitor_actions.TABLE_ACTIONS
    page_url = reverse("study:study_monitor_table", args=[study.code, number])
    seated = monitor_actions.seated_pseudonyms(slot)
    forms = _handle_actions(request, slot, actions, page_url, seated)
    if isinstance(forms, HttpResponse):
        return forms
    content = page_content.game_content(study, _is_lifted(request), number)
    return _render_page(request, study, "game", content, page_url, forms, slot=slot)


def _handle_actions(
    request: HttpRequest,
    target: Any,
    actions: Sequence[MonitorAction],
    page_url: str,
    people: Sequence[str] = (),
) -> list[ActionForm] | HttpResponse:
    """Run a posted action on the target. Return a redirect after success, else the forms."""
    forms, posted = monitor_actions.build_action_forms(actions, request.POST or None, people)
    if posted and posted.run_on(target, request.user.get_username()):
        messages.success(request, str(posted.action.done))
        return redirect(page_url)
    if request.method == "POST" and posted is None:
        return redirect(page_url)
    return forms


@own_study
@require_GET
def poll(request: HttpRequest, study: Study, about: str = "") -> HttpResponse:
    """Return all parts of a page that has no socket as JSON, or 304 if nothing has changed."""
    content = find_page_content(study, about, _is_lifted(request))
    if not is_htmx_request(request) or content is None:
        return redirect("study:study_monitor", study.code)
    text = frames.serialize(content.to_json())
    etag = f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'
    if request.headers.get("If-None-Match") == etag:
        return HttpResponse(status=304)
    return HttpResponse(text, content_type="application/json", headers={"ETag": etag})


@own_study
@require_POST
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


def find_page_content(study: Study, about: str, is_lifted: bool) -> PageContent | None:
    """Return the content of a page, None if there is no such page.

    Args:
        about: "" for the study, else people/<pseudonym> or games/<number>.
    """
    kind, _slash, name = about.partition("/")
    try:
        if not about and study.state != Study.DRAFT:
            return page_content.study_content(study, is_lifted)
        if kind == "people":
            return page_content.participant_content(study, is_lifted, name)
        return page_content.game_content(study, is_lifted, int(name)) if kind == "games" else None
    except (Participant.DoesNotExist, Slot.DoesNotExist, ValueError):
        return None


def _page_address(study: Study, about: str) -> str:
    """Return the address of the page `about` (see `find_page_content`), else the study's."""
    kind, _slash, name = about.partition("/")
    if kind == "people" and _find_participant(study, name):
        return reverse("study:study_monitor_person", args=[study.code, name])
    if kind == "games" and (slot := read_number(name)):
        return reverse("study:study_monitor_table", args=[study.code, slot])
    return reverse("study:study_monitor", args=[study.code])


def _find_participant(study: Study, pseudonym: str) -> Participant | None:
    rows = study.participants.select_related("study")
    return rows.filter(pseudonym=pseudonym).exclude(consented_at=None).first()


def _render_not_found(request: HttpRequest) -> HttpResponse:
    return render_not_found(
        request, _("This page does not exist"), _("The address may be mistyped.")
    )


def _render_page(
    request: HttpRequest,
    study: Study,
    template: str,
    content: PageContent,
    page_url: str,
    forms: list[ActionForm],
    **extra_context: Any,
) -> HttpResponse:
    root = reverse("study:study_monitor", args=[study.code])
    context = {
        "study": study,
        "tab": "monitor",
        "content": content,
        "calls": content.calls,
        "acts": forms,
        "page_url": page_url,
        "about": page_url.removeprefix(root).strip("/"),
        "lifted": _is_lifted(request),
        **extra_context,
    }
    status = 422 if any(form.is_bound for form in forms) else 200  # a bound form has failed
    return render(request, f"{FOLDER}{template}.html", context, status=status)
