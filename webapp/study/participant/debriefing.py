"""The last page before the way out: what the study was about, and who was who."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect

from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import reveal


class DebriefingPage(StagePage):
    kind = "debriefing"

    def show(self, visit: Visit) -> HttpResponse:
        told = reveal.may_be_told(visit.participant, visit.step)
        games = reveal.games_of(visit.participant) if told else []
        return visit.page("study/take/debriefing.html", games=games)

    def post(self, visit: Visit) -> HttpResponse:
        do = visit.request.POST.get("do", "")
        if do == "on":
            return visit.onward()
        return (
            HttpResponse(status=204) if do == "save" else redirect("take:as", visit.participant.key)
        )
