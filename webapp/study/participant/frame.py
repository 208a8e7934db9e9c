"""What stands around every stage: where one is on the way, and how to leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play.chat_parts import Words
from webapp.study.markdown import html
from webapp.study.models import Message, Participant, Seating
from webapp.study.sessions import messages, places, planning
from webapp.study.sessions.route import WAITING, Step


def frame(participant: Participant, step: Step, taken: Sequence[Seating]) -> dict[str, Any]:
    """The context of `study/take/stage.html`. taken: the participant's `slots.taken`."""
    return {
        "participant": participant,
        "study": participant.study,
        "step": step,
        "title": step.stage.title or _title(step.kind),
        "text": html(step.stage.text),
        "progress": progress(participant, step),
        "due_at": participant.due_at,
        "at": standing(participant, taken),
        "words": words(participant),
    }


def progress(participant: Participant, step: Step) -> str:
    """Where one is, in words: "3 of 6: The game, about 12 minutes". The waiting room is part of
    the game it leads to."""
    parts = [s for s in places.steps(participant) if s.kind != WAITING]
    number = sum(s.index <= step.index for s in parts) + (step.kind == WAITING)
    text = _("{number} of {count}: {title}").format(
        number=number, count=len(parts), title=step.stage.title or _title(step.kind)
    )
    takes = planning.minutes_of(places.design_of(participant.study), step.stage)
    minutes = round(takes * participant.extra_time / 100)
    if not minutes:
        return text
    about = ngettext("{text}, about {n} minute", "{text}, about {n} minutes", minutes)
    return about.format(text=text, n=minutes)


def standing(participant: Participant, taken: Sequence[Seating]) -> str:
    """A value that changes whenever another page is due to the participant."""
    seats = "".join(f"-{seating.pk}{seating.state}" for seating in taken)
    return f"{participant.step}{participant.exit}{seats}"


def words(participant: Participant) -> list[Words]:
    """What stands on their page of what they asked and were told."""
    return [told(row) for row in messages.shown(participant)]


def told(message: Message) -> Words:
    """Whoever of the researchers wrote it is not told."""
    return Words(message.text, message.at, message.from_participant)


def _title(kind: str) -> str:
    return {
        "background": _("About you"),
        "rules": _("How the game goes"),
        "practice": _("A first try"),
        WAITING: _("The waiting room"),
        "game": _("The game"),
        "questionnaire": _("What you thought"),
        "ratings": _("Words of other games"),
        "interview": _("Looking back"),
        "debriefing": _("What this was about"),
    }.get(kind, "")
