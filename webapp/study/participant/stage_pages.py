"""What the page of a stage does: one class a kind, found by it.

The participant's one page (`pages.way`) finds the step somebody is at, and asks its StagePage to
show it and to take what was posted. A stage page stores what was answered (sessions.responses) and
moves its participant by `sessions.lifecycle` alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from webapp.study.models import Participant, Seating
from webapp.study.sessions import lifecycle, slots
from webapp.study.sessions.route import Step


@dataclass(frozen=True)
class Visit:
    """One request of a participant at a step. ends: the step's time is over, and what is posted is
    the last of its page."""

    request: HttpRequest
    participant: Participant
    step: Step
    ends: bool = False

    def onward(self) -> HttpResponse:
        """The step is done: on to the next one."""
        lifecycle.advance(self.participant, self.step.index)
        return redirect("take:as", self.participant.key)

    @cached_property
    def taken(self) -> Sequence[Seating]:
        """The participant's seats, as they were when first asked for."""
        return slots.taken(self.participant)

    @property
    def site(self) -> str:
        """The address of the site, as this browser knows it."""
        return f"{self.request.scheme}://{self.request.get_host()}"

    def page(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        """A page within the frame of the way (progress, leaving), `study/take/stage.html`."""
        from webapp.study.participant.frame import frame

        told = frame(self.participant, self.step, self.taken) | {"site": self.site} | context
        return render(self.request, template, told, status=status)


class StagePage(ABC):
    """The page of one kind of step."""

    kind: str

    @abstractmethod
    def show(self, visit: Visit) -> HttpResponse:
        """A GET."""

    @abstractmethod
    def post(self, visit: Visit) -> HttpResponse:
        """A POST from a page of this very step (one of another step is not stored: the page that is
        due is shown). `do=save` keeps what is typed and answers 204."""

    def part(self, visit: Visit) -> str:
        """The part of the page that changes while it is open, as HTML; "" where nothing does."""
        return ""


class PlainPage(StagePage):
    """The page of a kind that nothing is asked in: its text, and a button that leads on."""

    kind = ""

    def show(self, visit: Visit) -> HttpResponse:
        return visit.page("study/take/plain.html")

    def post(self, visit: Visit) -> HttpResponse:
        if visit.request.POST.get("do") == "save":
            return HttpResponse(status=204)
        return visit.onward()


_PAGES: dict[str, StagePage] = {}
_PLAIN = PlainPage()


def register(page: StagePage) -> None:
    _PAGES[page.kind] = page


def page_of(kind: str) -> StagePage:
    return _PAGES.get(kind, _PLAIN)
