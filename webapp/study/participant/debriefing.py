"""The last page before the way out: what the study was about, and who was who. A study may ask here
whether one stays with one's agreement; who says nothing does, and can take it back later."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from webapp.study.models import Participant
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import enrolment, erasing, happenings, places, reveal

AGAIN = (Participant.KEPT, Participant.TAKEN_BACK)


class DebriefingPage(StagePage):
    kind = "debriefing"

    def show(self, visit: Visit) -> HttpResponse:
        told = reveal.may_be_told(visit.participant, visit.step)
        games = reveal.games_of(visit.participant) if told else []
        ethics = places.design_of(visit.participant.study).ethics
        asks = ethics.consent_again and not visit.participant.consent_again
        days = ethics.withdraw_days
        page = "study/take/debriefing.html"
        return visit.page(page, games=games, asks_again=asks, days=days)

    def post(self, visit: Visit) -> HttpResponse:
        do = visit.request.POST.get("do", "")
        if do == "on":
            return self._onward(visit)
        return (
            HttpResponse(status=204) if do == "save" else redirect("take:as", visit.participant.key)
        )

    def _onward(self, visit: Visit) -> HttpResponse:
        person, said = visit.participant, visit.request.POST.get("again", "")
        if not places.design_of(person.study).ethics.consent_again or said not in AGAIN:
            return visit.onward()
        taken_back = said == Participant.TAKEN_BACK
        with transaction.atomic():
            if taken_back:
                erasing.request(person, actor=happenings.PARTICIPANT)
            enrolment.agree_again(person, said)
            answer = visit.onward()  # before the erasure: who completes the study is paid for it
        if taken_back:
            erasing.erase(person, actor=happenings.PARTICIPANT)
        return answer
