"""The page of the waiting room: the waiting time, its maximum, and the button "I am ready".

Participants may leave with pay after some time. At the maximum time the study's rule applies.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string

from webapp.study.models import Study
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import participant_steps, seating, slot_games, slots
from webapp.study.sessions.participant_steps import WAITING


class WaitingPage(StagePage):
    kind = WAITING

    def show(self, visit: Visit) -> HttpResponse:
        context = _build_context(visit)
        if context["outlook"].state == "begins":
            # The process that began the game may not have moved the participant yet.
            seatings = visit.participant.seatings.filter(
                round=visit.step.game, state__in=slots.OCCUPIED_STATES
            )
            slot_games.sync_step(seatings.get())
            return redirect("take:step", visit.participant.key)
        return visit.page("study/take/waiting.html", **context)

    def render_part(self, visit: Visit) -> str:
        return render_to_string("study/take/waiting_part.html", _build_context(visit))

    def post(self, visit: Visit) -> HttpResponse:
        do = visit.request.POST.get("do", "")
        if do == "ready":
            seating.confirm_ready(visit.participant)
        elif do == "leave":
            seating.leave_queue(visit.participant)
        return redirect("take:step", visit.participant.key)


def _build_context(visit: Visit) -> dict[str, Any]:
    design = participant_steps.design_of(visit.participant.study)
    rules = design.waiting
    status = seating.waiting_status(visit.participant, visit.seatings)
    return {
        "outlook": status,
        "since": visit.participant.step_at,
        "waited": round(status.waited_s / 60),
        "most": _to_minutes(rules.most),
        "paid_after": _to_minutes(rules.leave_paid_after),
        "pay": design.format_money(
            participant_steps.exit_settings(visit.participant.study, "waited_out").pay
        ),
        "begins_short": rules.at_most == "begin",
        "blind": design.is_blind,
        "paused": visit.participant.study.state == Study.PAUSED,
        "ready_within": rules.ready,
    }


def _to_minutes(seconds: int) -> int:
    """Return minutes, rounded and at least 1, so that no page says "0 minutes"."""
    return max(1, round(seconds / 60))
