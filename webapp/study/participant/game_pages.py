"""Pages of game steps: the game, the practice game, and the waiting room."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string

from webapp.play import visitors
from webapp.study.models import Seating, Study
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import participant_state, practice, seating, slot_games, slots
from webapp.study.sessions.participant_state import GAME, WAITING
from webapp.study.sessions.practice import PRACTICE


class GamePage(StagePage):
    """The page of a game step. It redirects to the game's table until the game is over."""

    kind = GAME

    def show(self, visit: Visit) -> HttpResponse:
        rows = visit.participant.seatings.filter(round=visit.step.game, state=Seating.SEATED)
        last_seating = rows.select_related("slot__game").last()
        game = last_seating.slot.game if last_seating else None
        if game and not game.ended_at:
            return redirect("table", game.code)
        if last_seating:  # the game is over, and `finish_slot` moves the participant
            slot_games.finish_slot(last_seating.slot)
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
                visitors.store_visitor(visit.request, visitor)
                return redirect("table", game.code)
        return super().post(visit)


class WaitingPage(StagePage):
    """The page of a waiting room. `render_part` is what changes while a participant waits."""

    kind = WAITING

    def show(self, visit: Visit) -> HttpResponse:
        context = _waiting_context(visit)
        if context["waiting"].state == "begins":
            # The process that began the game may not have moved the participant yet.
            occupied = visit.participant.seatings.filter(state__in=slots.OCCUPIED_STATES)
            slot_games.sync_step(occupied.get(round=visit.step.game))
            return visit.reload()
        return visit.page("study/take/waiting.html", **context)

    def render_part(self, visit: Visit) -> str:
        return render_to_string("study/take/waiting_part.html", _waiting_context(visit))

    def post(self, visit: Visit) -> HttpResponse:
        if visit.action == "ready":
            seating.confirm_ready(visit.participant)
        elif visit.action == "leave":
            seating.leave_queue(visit.participant)
        return super().post(visit)


def _waiting_context(visit: Visit) -> dict[str, Any]:
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
