"""The game step, whose page is the game's table, and the practice step."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from webapp.play import visitors
from webapp.play.guest import Guest
from webapp.play.models import Report
from webapp.play.page.chat import OwnerMessage
from webapp.play.page.table_owners import ContinueButton, GuestProgress
from webapp.study.models import Message, Participant, Seating
from webapp.study.participant.stage_pages import StagePage, Visit, format_message, format_progress
from webapp.study.sessions import messages, participant_steps, practice, slot_games
from webapp.study.sessions.practice import PRACTICE


class GamePage(StagePage):
    kind = "game"

    def show(self, visit: Visit) -> HttpResponse:
        rows = visit.participant.seatings.filter(round=visit.step.game, state=Seating.SEATED)
        seat = rows.select_related("slot__game").last()
        game = seat.slot.game if seat else None
        if game and not game.ended_at:
            return redirect("table", game.code)
        if seat:  # the game is over; the participant is moved as soon as that is recorded
            slot_games.finish_slot(seat.slot)
            visit.participant.refresh_from_db()
            if participant_steps.step_of(visit.participant) != visit.step:
                return redirect("take:as", visit.participant.key)
        return visit.page("study/take/between.html")

    def post(self, visit: Visit) -> HttpResponse:
        return redirect("take:as", visit.participant.key)


class PracticePage(StagePage):
    """A practice game at the participant's own table."""

    kind = PRACTICE

    def show(self, visit: Visit) -> HttpResponse:
        return visit.page("study/take/practice.html", game=visit.participant.practice)

    def post(self, visit: Visit) -> HttpResponse:
        do = visit.request.POST.get("do", "")
        if do == "on":
            return visit.advance()
        if do == "table":
            visitor = visitors.request_visitor(visit.request)
            if game := practice.begin_practice(visit.participant, visit.step, visitor):
                visitors.welcome(visit.request, visitor)
                return redirect("table", game.code)
        if do == "save":
            return HttpResponse(status=204)
        return redirect("take:as", visit.participant.key)


def find_progress(guest: Guest) -> GuestProgress | None:
    """Return the study's progress of the player at a table, None if the table is in no study."""
    if guest.player is None:
        return None
    seat = Seating.objects.filter(player=guest.player).select_related("participant__study").first()
    if seat is None:
        return _practice_bar(guest)
    route = participant_steps.steps_of(seat.participant)
    step = next((s for s in route if s.kind == "game" and s.game == seat.round), None)
    return (
        GuestProgress(
            format_progress(seat.participant, step), question_address=_ask(seat.participant)
        )
        if step
        else None
    )


def _practice_bar(guest: Guest) -> GuestProgress | None:
    """Return the progress at a practice table, which is left by the stage's own button."""
    participant = (
        Participant.objects.filter(practice=guest.game, exit="").select_related("study").first()
    )
    if participant is None or (step := participant_steps.step_of(participant)).kind != PRACTICE:
        return None
    fields = {"step": str(step.index), "do": "on"}
    on = ContinueButton(reverse("take:as", args=[participant.key]), fields)
    return GuestProgress(
        format_progress(participant, step), participant.due_at, on, _ask(participant)
    )


def _ask(participant: Participant) -> str:
    return reverse("take:help", args=[participant.key])


def list_messages(guest: Guest) -> list[OwnerMessage]:
    """Return the messages between the player at a study's table and its researchers."""
    own = Q(practice=guest.game) | Q(seatings__player=guest.player)
    rows = Message.objects.filter(participant__in=Participant.objects.filter(own))
    return [format_message(row) for row in messages.read_messages(rows)]


def on_words_reported(*, report: Report, **_more: Any) -> None:
    """Forward a report of a statement at a study's table to the researchers."""
    seat = Seating.objects.filter(player=report.player).select_related("participant").first()
    if seat:
        messages.report_statement(seat.participant, "", report.utterance)
