"""A first try of the game, at a table of one's own."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect

from webapp.play import visitors
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import practice


class PracticePage(StagePage):
    kind = practice.PRACTICE

    def show(self, visit: Visit) -> HttpResponse:
        return visit.page("study/take/practice.html", game=visit.participant.practice)

    def post(self, visit: Visit) -> HttpResponse:
        do = visit.request.POST.get("do", "")
        if do == "on":
            return visit.onward()
        if do == "table":
            visitor = visitors.coming(visit.request)
            if game := practice.begin(visit.participant, visit.step, visitor):
                visitors.welcome(visit.request, visitor)
                return redirect("table", game.code)
        if do == "save":
            return HttpResponse(status=204)
        return redirect("take:as", visit.participant.key)
