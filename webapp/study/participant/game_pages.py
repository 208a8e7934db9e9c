"""Pages of games: the waiting room, the game, the practice game, and the bar above a table."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse

from webapp.play import visitors
from webapp.play.models import Report
from webapp.play.table_owners import ContinueButton, GuestProgress, OwnerMessage
from webapp.play.visitors import Guest
from webapp.study.models import Message, Participant, Seating, Study
from webapp.study.participant.stage_pages import StagePage, Visit, format_progress, read_messages
from webapp.study.sessions import messages, participant_state, practice, seating, slot_games, slots
from webapp.study.sessions.participant_state import WAITING
from webapp.study.sessions.practice import PRACTICE


class GamePage(StagePage):
    """The page of a game step. It redirects to the game's table."""

    kind = "game"

    def show(self, visit: Visit) -> HttpResponse:
        rows = visit.participant.seatings.filter(round=visit.step.game, state=Seating.SEATED)
        seating = rows.select_related("slot__game").last()
        game = seating.slot.game if seating else None
        if game and not game.ended_at:
            return redirect("table", game.code)
        if seating:  # the game is over, and `finish_slot` moves the participant
            slot_games.finish_slot(seating.slot)
            visit.participant.refresh_from_db()
            if participant_state.current_step(visit.participant) != visit.step:
                return visit.reload()
        return visit.page("study/take/between_games.html")


class PracticePage(StagePage):
    """The page of the practice step. Its button leads to the participant's own table."""

    kind = PRACTICE

    def show(self, visit: Visit) -> HttpResponse:
        return visit.page("study/take/practice.html", game=visit.participant.practice)

    def post(self, visit: Visit) -> HttpResponse:
        if visit.action == "on":
            return visit.advance()
        if visit.action == "table":
            visitor = visitors.request_visitor(visit.request)
            if game := practice.begin_practice(visit.participant, visit.step, visitor):
                visitors.welcome(visit.request, visitor)
                return redirect("table", game.code)
        return super().post(visit)


def find_progress(guest: Guest) -> GuestProgress | None:
    """Return the progress of a table's player through their study, None without a study."""
    if guest.player is None:
        return None
    seatings = Seating.objects.filter(player=guest.player).select_related("participant__study")
    seating = seatings.first()
    if seating is None:
        return _find_practice_progress(guest)
    participant = seating.participant
    steps = participant_state.list_steps(participant)
    step = next((s for s in steps if s.kind == "game" and s.game == seating.round), None)
    if step is None:
        return None
    help_address = reverse("take:help", args=[participant.key])
    return GuestProgress(format_progress(participant, step), question_address=help_address)


def _find_practice_progress(guest: Guest) -> GuestProgress | None:
    """Return the progress at a practice table, with the button that ends the practice."""
    people = Participant.objects.filter(practice=guest.game, exit="").select_related("study")
    participant = people.first()
    step = participant_state.current_step(participant) if participant else None
    if participant is None or step is None or step.kind != PRACTICE:
        return None
    fields = {"step": str(step.index), "do": "on"}
    button = ContinueButton(reverse("take:step", args=[participant.key]), fields)
    help_address = reverse("take:help", args=[participant.key])
    progress = format_progress(participant, step)
    return GuestProgress(progress, participant.due_at, button, help_address)


def list_messages(guest: Guest) -> list[OwnerMessage]:
    """Return the messages between the player at a study's table and its researchers."""
    is_guest = Q(practice=guest.game) | Q(seatings__player=guest.player)
    rows = Message.objects.filter(participant__in=Participant.objects.filter(is_guest))
    return read_messages(rows)


def on_text_reported(*, report: Report, **_more: Any) -> None:
    """Send a report of a statement at a study's table to its researchers."""
    seating = Seating.objects.filter(player=report.player).select_related("participant").first()
    if seating:
        messages.report_statement(seating.participant, report.utterance)


class WaitingPage(StagePage):
    """The page of a waiting room. `render_part` is what changes while a participant waits."""

    kind = WAITING

    def show(self, visit: Visit) -> HttpResponse:
        context = _build_context(visit)
        if context["waiting"].state == "begins":
            # The process that began the game may not have moved the participant yet.
            occupied = visit.participant.seatings.filter(state__in=slots.OCCUPIED_STATES)
            slot_games.sync_step(occupied.get(round=visit.step.game))
            return visit.reload()
        return visit.page("study/take/waiting.html", **context)

    def render_part(self, visit: Visit) -> str:
        return render_to_string("study/take/waiting_part.html", _build_context(visit))

    def post(self, visit: Visit) -> HttpResponse:
        if visit.action == "ready":
            seating.confirm_ready(visit.participant)
        elif visit.action == "leave":
            seating.leave_queue(visit.participant)
        return super().post(visit)


def _build_context(visit: Visit) -> dict[str, Any]:
    study = visit.participant.study
    design = participant_state.design_of(study)
    rules = design.waiting
    status = seating.waiting_status(visit.participant, visit.seatings)
    return {
        "waiting": status,
        "arrived_at": visit.participant.step_at,
        "waited_minutes": round(status.waited_s / 60),
        "max_minutes": _to_minutes(rules.most),
        "paid_after_minutes": _to_minutes(rules.leave_paid_after),
        "pay": design.format_money(participant_state.exit_settings(study, "waited_out").pay),
        "begins_short": rules.at_most == "begin",
        "blind": design.is_blind,
        "paused": study.state == Study.PAUSED,
        "ready_within": rules.ready,
    }


def _to_minutes(seconds: int) -> int:
    """Round to minutes, at least 1, so that no page says "0 minutes"."""
    return max(1, round(seconds / 60))
