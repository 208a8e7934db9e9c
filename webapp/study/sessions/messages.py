"""Messages between a participant and the researchers: help, reports and answers.

Each `Message` has one recipient. A participant's page says "the researchers" and never names one.
All participants at a table get the same text, so that no message reveals who is a person.
"""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game import game_actions
from game.engine.text_checks import MAX_ANSWER_LINE_BREAKS, tidy
from game.models import Utterance
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import text_check
from webapp.study.models import Message, Participant, Seating, Slot, Study
from webapp.study.sessions import participant_state, slots, study_events

MAX_CHARS = 1000
# A participant can send at most MAX_MESSAGES requests for help within LIMIT_INTERVAL.
MAX_MESSAGES, LIMIT_INTERVAL = 3, timedelta(seconds=60)
# The same text again within this time is a double press.
DOUBLE_PRESS_INTERVAL = timedelta(seconds=10)


def request_help(participant: Participant, text: str) -> None:
    """Send a participant's request for help. A double press sends it once."""
    checked = _check_text(text)
    with participant_state.locked_participant(participant) as row:
        now = timezone.now()
        requests = row.messages.filter(kind=Message.HELP)
        if requests.filter(text=checked, at__gt=now - DOUBLE_PRESS_INTERVAL).exists():
            return
        if requests.filter(at__gt=now - LIMIT_INTERVAL).count() >= MAX_MESSAGES:
            raise Refused([_("You have sent several messages. Please wait a minute.")])
        _store_from_participant(row, Message.HELP, text=checked)


def report_statement(participant: Participant, utterance: Utterance) -> None:
    """Send a participant's report of a statement at their table, once for each statement."""
    with participant_state.locked_participant(participant) as row:
        if not row.messages.filter(kind=Message.REPORT, utterance=utterance).exists():
            _store_from_participant(row, Message.REPORT, utterance=utterance)


def send_to_participant(participant: Participant, text: str, *, actor: str) -> None:
    """Send a message to one participant."""
    checked = _check_text(text)
    with participant_state.locked_participant(participant) as row:
        if not row.consented_at or row.withdrew:
            raise Refused([_("There is no one to receive this message.")])
        _store_for_participants(row.study, [row], checked, actor, "told")


def send_to_table(slot: Slot, text: str, *, actor: str) -> None:
    """Send the same message to all participants at a table."""
    checked = _check_text(text)
    with slots.locked_study(slot.study_id) as study:
        seated = slot.seatings.filter(state__in=slots.OCCUPIED_STATES, participant__exit="")
        rows = Participant.objects.filter(pk__in=seated.values("participant"))
        row = Slot.objects.get(pk=slot.pk)
        if row.state not in (Slot.FILLING, Slot.PLAYING):
            raise Refused([_("This game is not running.")])
        _store_for_participants(study, rows, checked, actor, "told_table", row)


def send_to_all(study: Study, text: str, *, actor: str) -> None:
    """Send the same message to all active participants."""
    checked = _check_text(text)
    with slots.locked_study(study) as locked_study:
        rows = Participant.objects.filter(study=locked_study, exit="", consented_at__isnull=False)
        _store_for_participants(locked_study, rows, checked, actor, "told_all")


def mark_seen_by_researcher(participant: Participant) -> None:
    """Mark the messages from the participant as seen."""
    rows = participant.messages.filter(from_participant=True, seen_at=None)
    rows.update(seen_at=timezone.now())


def _check_text(text: str) -> str:
    check = text_check(gettext_lazy("The message"), MAX_CHARS, 1, keep_lines=True)
    return check(tidy(text, max_breaks=MAX_ANSWER_LINE_BREAKS) if isinstance(text, str) else text)


def _store_from_participant(row: Participant, kind: str, **content: Any) -> None:
    """Store a participant's message and its audit event. `content` is `text` or `utterance`."""
    actor, slot = study_events.PARTICIPANT, _current_slot(row)
    Message.objects.create(
        study_id=row.study_id,
        participant=row,
        slot=slot,
        kind=kind,
        from_participant=True,
        actor=actor,
        **content,
    )
    study_events.record_event(row, kind, actor=actor, slot=slot)


def _current_slot(participant: Participant) -> Slot | None:
    """Return the slot whose game the participant plays now."""
    rows = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    seating = rows.select_related("slot").last()
    return seating.slot if seating else None


def _store_for_participants(
    study: Study,
    recipients: Iterable[Participant],
    text: str,
    actor: str,
    event_kind: str,
    slot: Slot | None = None,
) -> None:
    """Send a message to each recipient who has not just got the same text.

    The caller holds a row's lock, so that nobody sends it at the same time.
    """
    if not recipients:
        raise Refused([_("There is no one to receive this message.")])
    since = timezone.now() - DOUBLE_PRESS_INTERVAL
    same_text = study.messages.filter(from_participant=False, text=text, actor=actor, at__gt=since)
    same_text = same_text.filter(slot=slot) if slot else same_text
    reached = set(same_text.values_list("participant", flat=True))
    recipients = [row for row in recipients if row.pk not in reached]
    if not recipients:
        return
    new_messages = Message.objects.bulk_create(
        Message(
            study=study,
            participant=row,
            slot=slot or _current_slot(row),
            kind=Message.MESSAGE,
            from_participant=False,
            actor=actor,
            text=text,
        )
        for row in recipients
    )
    subject = recipients[0] if event_kind == "told" else study
    study_events.record_event(subject, event_kind, actor=actor, slot=slot)
    study_events.refresh_pages_on_commit(message.participant_id for message in new_messages)
    games = {m.slot.game_id if m.slot else m.participant.practice_id for m in new_messages}
    for game in filter(None, games):
        transaction.on_commit(partial(game_actions.refresh_pages, game), robust=True)
