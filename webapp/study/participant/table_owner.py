"""The study as the owner of its tables: what `webapp.play` calls about a guest or a report there.

`StudyConfig` in `webapp.study.apps` registers these functions as a `TableOwner` and as a signal
receiver.
"""

from typing import Any

from django.db.models import Q
from django.urls import reverse

from game.models import Player
from webapp.play.models import Report
from webapp.play.table_owners import ContinueButton, GuestProgress, OwnerMessage
from webapp.play.visitors import Guest
from webapp.study.models import Message, Participant, Seating
from webapp.study.participant.stage_pages import format_progress, read_messages
from webapp.study.sessions import messages, participant_state
from webapp.study.sessions.participant_state import GAME
from webapp.study.sessions.practice import PRACTICE


def find_progress(guest: Guest) -> GuestProgress | None:
    """Return the progress of a table's player through their study, None without a study.

    At a table of a game the player continues when the game ends, so there is no button.
    """
    if guest.player is None:
        return None
    seating = _find_seating(guest.player)
    if seating is None:
        return _find_practice_progress(guest)
    participant = seating.participant
    steps = participant_state.list_steps(participant)
    step = next((s for s in steps if s.kind == GAME and s.game == seating.round), None)
    if step is None:
        return None
    return GuestProgress(
        format_progress(participant, step), question_address=_question_address(participant)
    )


def _find_practice_progress(guest: Guest) -> GuestProgress | None:
    people = Participant.objects.filter(practice=guest.game, exit="").select_related("study")
    participant = people.first()
    step = participant_state.current_step(participant) if participant else None
    if participant is None or step is None or step.kind != PRACTICE:
        return None
    fields = {"step": str(step.index), "do": "on"}
    button = ContinueButton(reverse("take:step", args=[participant.key]), fields)
    progress = format_progress(participant, step)
    return GuestProgress(progress, participant.due_at, button, _question_address(participant))


def list_messages(guest: Guest) -> list[OwnerMessage]:
    """Return the messages between a guest with a seat and the study's researchers."""
    if guest.player is None:  # a lookup of None would match participants without a seat
        return []
    at_table = Q(practice=guest.game) | Q(seatings__player=guest.player)
    people = Participant.objects.filter(at_table)
    return read_messages(Message.objects.filter(participant__in=people))


def on_text_reported(*, report: Report, **_more: Any) -> None:
    """Send a report of a statement at a study's table to its researchers (`text_reported`)."""
    if seating := _find_seating(report.player):
        messages.report_statement(seating.participant, report.utterance)


def _find_seating(player: Player) -> Seating | None:
    return Seating.objects.filter(player=player).select_related("participant__study").first()


def _question_address(participant: Participant) -> str:
    return reverse("take:help", args=[participant.key])
