"""Entrances for participants: the shared link of a study, a room, the page of a personal link.

Opening a link stores nothing; a visitor becomes a participant by agreeing. An outside name alone
gives no access. Together with the session of the platform (PROLIFIC_PID with SESSION_ID) it leads
back to the participant's current step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.models import new_key
from webapp.proxies import client_address
from webapp.study.models import Identity, Participant, Room, Study, normalize_name
from webapp.study.participant import consent_page
from webapp.study.participant.exit_page import VisitorField
from webapp.study.rater import notice_pages
from webapp.study.sessions import enrolment, participant_state, rooms
from webapp.study.sessions.enrolment import Agreement


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def shared_link(request: HttpRequest, key: str) -> HttpResponse:
    """Show the consent page of the link that all participants share, and enrol on agreement."""
    study = Study.objects.filter(key=key).first()
    if study is None or study.is_experiment:
        return notice_pages.unknown_link_notice(request)
    return handle_arrival(request, study, consent_page.parse_names(request.GET))


def handle_arrival(
    request: HttpRequest,
    study: Study,
    names: Mapping[str, str],
    wait: Callable[[], HttpResponse] | None = None,
) -> HttpResponse:
    """Lead a visitor to the study's first page, or back to their current step.

    The first page has the outside names and a ticket as a signed form, the field `coming`. A POST
    without a valid one does not come from that page. A posted form's names replace those of the
    address. `wait` renders the page of visitors who cannot begin yet, in place of `closed_notice`.
    """
    field = VisitorField("coming", request.POST.get("coming", ""), is_posted=True)
    posted_names = consent_page.read_form(study.key, field.value)
    if posted_names is None:
        field = VisitorField("coming", consent_page.sign_form(study.key, names), is_posted=False)
    elif enrolment.was_erased(posted_names["ticket"]):
        return notice_pages.erased_notice(request)
    else:
        names = posted_names
    if response := _lead_back(request, study, names, field):
        return response
    if refusal := wait() if wait else _refuse_visitor(request, study, names):
        return refusal

    def enrol(agreement: Agreement) -> Participant | None:
        if not consent_page.may_start(f"take/{study.pk}", client_address(request)):
            return None
        visitor = participant_state.choose_visitor(request, study, names["ticket"])
        return enrolment.enrol(study, names, visitor, agreement)

    return consent_page.handle_consent_page(request, study, field, enrol)


def _lead_back(
    request: HttpRequest, study: Study, names: Mapping[str, str], field: VisitorField
) -> HttpResponse | None:
    """Lead a participant back to their current step or browser, None for a new visitor."""
    current = participant_state.find_current_participant(request, study)
    if current and not _has_other_name(current, names):
        return redirect("take:step", current.key)
    if named_participant := enrolment.find_participant(study, names):
        if not named_participant.consented_at:
            return redirect("take:step", named_participant.key)
        return offer_move(request, named_participant, field)
    previous = participant_state.find_previous_participant(request, study)
    if previous and not _has_other_name(previous, names):
        return offer_move(request, previous, VisitorField("own", previous.key, is_posted=False))
    return None


def personal_consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the consent page of a personal link, and record the agreement."""
    study = participant.study

    def enrol(agreement: Agreement) -> Participant:
        visitor = participant_state.choose_visitor(request, study, participant.key)
        return enrolment.record_consent(participant, visitor, agreement)

    field = VisitorField("own", participant.key, "own" in request.POST)
    return closed_notice(request, study) or consent_page.handle_consent_page(
        request, study, field, enrol
    )


def closed_notice(request: HttpRequest, study: Study) -> HttpResponse | None:
    """Return a notice that says why no visitor can begin now, None if the study is open."""
    if study.state == Study.OPEN:
        return None
    if study.state == Study.CLOSED:
        text = _("The study needs no more participants. Thank you for your interest.")
        return notice_pages.notice(request, 410, _("This study is closed"), text)
    if study.state == Study.PAUSED:
        text = _("You can’t start right now. Please open the link again later today.")
        return notice_pages.notice(
            request, 409, _("This study is paused"), text + notice_pages.contact_line(study)
        )
    return notice_pages.not_open_notice(request, study)


def _refuse_visitor(
    request: HttpRequest, study: Study, names: Mapping[str, str]
) -> HttpResponse | None:
    """Return a notice that says why a visitor of the shared link cannot begin, None if they can."""
    if notice := closed_notice(request, study):
        return notice
    if study.listed_only and not names.get("room"):
        text = _(
            "This study is by invitation only, and each participant has a link of their own. Open "
            "the full link that was sent to you, or ask the person who invited you."
        )
        return notice_pages.notice(request, 403, _("Open your own link"), text)
    if enrolment.is_name_taken(study, names):
        return notice_pages.name_taken_notice(request, study)
    return None


def _has_other_name(participant: Participant, names: Mapping[str, str]) -> bool:
    label = normalize_name(names.get("label", ""))
    rows = Identity.objects.filter(participant=participant)
    known_label = rows.values_list("normal_label", flat=True).first()
    return bool(label) and bool(known_label) and label != known_label


def offer_move(request: HttpRequest, participant: Participant, field: VisitorField) -> HttpResponse:
    """Offer to move a participant from another browser to this one, or do it if confirmed."""
    if field.is_posted and request.POST.get("change"):
        participant_state.move_to_browser(request, participant)
        return redirect("take:step", participant.key)
    signed_form = field.value if field.name == "coming" else ""
    context = {"action": consent_page.form_address(participant.study, field), "coming": signed_form}
    return render(request, "study/take/move_browser.html", context)


@never_cache
@require_safe
def enter_room(request: HttpRequest, name: str) -> HttpResponse:
    """Show the first page of the room's study, or the page where visitors wait for it."""
    room = Room.objects.filter(name=name).select_related("study").first()
    if room is None:
        return notice_pages.unknown_link_notice(request)
    response = _render_room(request, room)
    response["Referrer-Policy"] = "strict-origin"  # the address may contain an outside name
    return response


def _render_room(request: HttpRequest, room: Room) -> HttpResponse:
    names = consent_page.parse_names(request.GET)
    label, study = rooms.find_label(room, names["label"]), rooms.find_study(room)
    if "visit" in request.GET:
        return _answer_poll(request, room, label, study)
    if label is None:
        context = {"room": room, "typed": names["label"]}
        status = 403 if names["label"] else 200
        return render(request, "study/take/room_label.html", context, status=status)

    def wait() -> HttpResponse:
        query = request.GET.copy()
        query["visit"] = new_key()
        context = {"label": label, "query": query.urlencode()}
        return render(request, "study/take/room.html", context)

    if study is None:
        return wait()
    if label:
        names |= {"label": label, "session": names["session"] or rooms.room_session(room)}
    if room.labels:
        names["room"] = room.name
    return handle_arrival(request, study, names, wait if rooms.is_waiting(study) else None)


def _answer_poll(
    request: HttpRequest, room: Room, label: str | None, study: Study | None
) -> HttpResponse:
    """Answer a waiting page's poll: record its visit, or make it reload if the wait is over."""
    response = HttpResponse(status=204)
    if label is None or not rooms.is_waiting(study):
        response["HX-Refresh"] = "true"
    else:
        rooms.record_visit(room, label, request.GET["visit"])
    return response
