"""The links of participants: the shared link of a study, a room, and the personal link.

A personal link leads to the participant's current step, whose page is a `StagePage`.

Opening a link stores nothing; a visitor becomes a participant by agreeing. An outside name alone
gives no access. Together with the session of the platform (PROLIFIC_PID with SESSION_ID) it leads
back to the participant's current step.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.models import new_key
from webapp.proxies import client_address
from webapp.rate_counters import ProcessRate
from webapp.study.design.exits import ExitKind
from webapp.study.design.stages import QUESTION_KINDS
from webapp.study.models import Identity, Participant, Room, Study, normalize_name
from webapp.study.participant import consent_page
from webapp.study.participant.debriefing import DebriefingPage
from webapp.study.participant.exit_page import VisitorField, render_exit_page
from webapp.study.participant.game_pages import GamePage, PracticePage, WaitingPage
from webapp.study.participant.questionnaires import QuestionnairePage
from webapp.study.participant.ratings import RatingsPage
from webapp.study.participant.rules import RulesPage
from webapp.study.participant.stage_pages import PlainPage, StagePage, Visit
from webapp.study.rater.notice_pages import render_notice
from webapp.study.sessions import (
    enrolment,
    lifecycle,
    participant_state,
    responses,
    rooms,
    study_events,
)
from webapp.study.sessions.enrolment import Agreement
from webapp.study.sessions.participant_state import GAME, WAITING, record_input, record_presence

_PAGES: dict[str, StagePage] = {
    page.kind: page
    for page in (
        RulesPage(),
        PracticePage(),
        WaitingPage(),
        GamePage(),
        RatingsPage(),
        DebriefingPage(),
        *map(QuestionnairePage, QUESTION_KINDS),
    )
}
request_limit = ProcessRate(80, 10)  # 80 requests of a participant in 10 s, far above normal use


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def shared_link(request: HttpRequest, key: str) -> HttpResponse:
    """Show the consent page of the link that all participants share, and enrol on agreement."""
    study = Study.objects.filter(key=key).first()
    if study is None or study.is_experiment:
        return render_notice(request, "unknown_link")
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
        return render_notice(request, "erased")
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


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def personal_link(request: HttpRequest, key: str) -> HttpResponse:
    """Show the consent page or the current step, or in another browser offer to continue there."""
    participant = Participant.objects.filter(key=key).select_related("study").first()
    if participant is None:
        return render_notice(request, "erased" if enrolment.was_erased(key) else "unknown_link")
    if not participant.consented_at:
        return personal_consent(request, participant)
    if not participant_state.uses_browser(request.session, participant):
        field = VisitorField("own", key, is_posted=request.method == "POST")
        return offer_move(request, participant, field)
    if not participant.withdrew:
        # A page submits by itself when its time ends. That is not input of the participant.
        if request.method == "POST" and not _is_step_expired(participant):
            record_input(participant)
        else:
            record_presence(participant)
    if participant.exit:
        step = participant_state.current_step(participant)
        is_posted = request.method == "POST" and request.POST.get("step") == str(step.index)
        if is_posted and responses.was_ended_by_others(participant):
            # `responses.save_answers` accepts a page's answers for a short time.
            _save_final_input(Visit(request, participant, step))
        exit_kind = cast(ExitKind, participant.exit)  # Django types the column as text
        return render_exit_page(request, participant.study, exit_kind, participant)
    if request.method == "POST" and not request_limit.try_acquire(key):
        return HttpResponse(status=429)
    return _handle_step(request, participant)


def _save_final_input(visit: Visit) -> None:
    """Store the posted answers without completing the step, whichever button was pressed."""
    posted = visit.request.POST.copy()
    posted["do"] = "save"
    visit.request.POST = posted  # type: ignore[assignment]
    find_page(visit.step.kind).post(replace(visit, is_final=True))


def find_page(kind: str) -> StagePage:
    return _PAGES.get(kind) or PlainPage()


def _handle_step(request: HttpRequest, participant: Participant) -> HttpResponse:
    step = participant_state.current_step(participant)
    visit = Visit(request, participant, step)
    posts_to_step = request.method == "POST" and request.POST.get("step") == str(step.index)
    if _is_step_expired(participant):
        if posts_to_step:  # when its time ends, the page posts the typed answers
            _save_final_input(visit)
        lifecycle.advance(participant, step.index, actor=study_events.CLOCK, if_due=True)
        return redirect("take:step", participant.key)
    if request.method != "POST":
        participant_state.start_step_timer(participant, step)
        return find_page(step.kind).show(visit)
    if not posts_to_step:
        return redirect("take:step", participant.key)
    return find_page(step.kind).post(visit)


def _is_step_expired(participant: Participant) -> bool:
    """Return whether the step's time is over. Waiting rooms and games end by other rules."""
    if participant_state.current_step(participant).kind in (WAITING, GAME):
        return False
    return participant.due_at is not None and participant.due_at <= timezone.now()


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
    notice_keys = {Study.CLOSED: "closed", Study.PAUSED: "paused", Study.DRAFT: "not_open"}
    return render_notice(request, notice_keys[study.state], study)


def _refuse_visitor(
    request: HttpRequest, study: Study, names: Mapping[str, str]
) -> HttpResponse | None:
    """Return a notice that says why a visitor of the shared link cannot begin, None if they can."""
    if notice := closed_notice(request, study):
        return notice
    if study.listed_only and not names.get("room"):
        return render_notice(request, "listed_only")
    if enrolment.is_name_taken(study, names):
        return render_notice(request, "name_taken", study)
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
        return render_notice(request, "unknown_link")
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
