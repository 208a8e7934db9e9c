"""Withdrawals: remove text, or a player, from a game and from everything derived from it.

A withdrawal redacts every request and note that was made from a view with the text, and what the
speaker's own mind prepared for that round (`agent_records`). It is the only exception to
append-only minds. It works in batches; if the process dies, the sweeper continues. What agents
compute meanwhile from an older view is redacted when it is written (`llm_calls`, `answering`).
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents import backends
from game import erasing, game_actions
from game.engine.forms import Illegal
from game.models import Game, Player
from game.models import Window as WindowRow
from webapp.play import shredding
from webapp.play.models import (
    ChatLine,
    Desk,
    FinalClaims,
    Hindsight,
    LLMCall,
    MindNote,
    PublicReplay,
    Report,
    Withdrawal,
)
from webapp.play.readings import delete_claims
from webapp.play.signals import name_erased, text_redacted
from webapp.play.turns.agent_records import redact_call, redact_note_data
from webapp.play.turns.answering import preparation_key
from webapp.play.visitors import remove_from_seat

logger = logging.getLogger(__name__)

BATCH_ROWS = 50  # rows that one transaction changes
# Any process may complete a withdrawal that is unfinished after this time.
RESUME_AFTER = timedelta(seconds=30)
RIVAL_PREFIX = "rival."  # Begins the window keys of a study's rival answers: rival.DIGEST.KEY.

Row = TypeVar("Row", LLMCall, MindNote)


def request_text_removal(game_id: int, window: str, seat: int) -> None:
    """Remove the text from the game now (Illegal: `no_words`), and record the withdrawal.

    `complete_withdrawals` redacts what may repeat it, after the commit.
    """
    shredding.overwrite_deleted_rows()
    with transaction.atomic():
        game_actions.remove_text(game_id, window, seat)
        _delete_readings(game_id)
        row = WindowRow.objects.get(game=game_id, key=window)
        Withdrawal.objects.create(game_id=game_id, since=row.opened_seq, seat=seat)


def _delete_readings(game_id: int) -> None:
    """Delete what workers read from the game's talk. Call it in the removal's transaction."""
    delete_claims(Game.objects.get(pk=game_id))
    Hindsight.objects.filter(game=game_id).delete()
    FinalClaims.objects.filter(game=game_id).delete()


def erase_person(player: Player) -> None:
    """Erase the person's text, name and links from a finished game (`request_erasure`)."""
    request_erasure(player)
    complete_withdrawals(player.game_id)


def request_erasure(player: Player) -> None:
    """Record the erasure of a player, as `lock_erasable` permits it.

    `complete_withdrawals` carries it out after the commit.
    """
    with transaction.atomic():
        erasing.lock_erasable(player.game_id, player.seat)
        Withdrawal.objects.create(game_id=player.game_id, seat=player.seat)


def _erase_player(game_id: int, seat: int) -> None:
    with transaction.atomic():
        rename = erasing.erase_player(game_id, seat)
        _delete_readings(game_id)
        links = PublicReplay.objects.filter(game=game_id, revoked_at=None)
        links.update(revoked_at=timezone.now())
        player = Player.objects.get(game=game_id, seat=seat)
        Report.objects.filter(player=player).delete()
        ChatLine.objects.filter(player=player).delete()
        for line in ChatLine.objects.filter(game=game_id):
            if (new_text := rename(line.text)) != line.text:
                line.text = new_text[: ChatLine.MAX_CHARS]
                line.save(update_fields=["text"])
        remove_from_seat(player)
        for desk in Desk.objects.filter(player__game=game_id):
            desk.draft, desk.secret_draft = rename(desk.draft), rename(desk.secret_draft)
            desk.notes = {
                s: {**note, "text": rename(note["text"])} if "text" in note else note
                for s, note in desk.notes.items()
            }
            desk.save(update_fields=["draft", "secret_draft", "notes"])
        name_erased.send(sender=Game, game=game_id, rename=rename)


def complete_withdrawals(game_id: int) -> None:
    """Complete a game's recorded withdrawals, in several transactions of its own."""
    for withdrawal in Withdrawal.objects.filter(game=game_id, done_at=None).order_by("pk"):
        complete_withdrawal(withdrawal)


def complete_withdrawal(withdrawal: Withdrawal) -> None:
    """Redact what may repeat the text, and erase the player if requested. Idempotent."""
    shredding.overwrite_deleted_rows()
    if withdrawal.is_erasure:
        assert withdrawal.seat is not None
        with suppress(Illegal):  # erased already, by the call that died or by another call
            _erase_player(withdrawal.game_id, withdrawal.seat)
    calls = LLMCall.objects.filter(game=withdrawal.game)
    notes = MindNote.objects.filter(game=withdrawal.game)
    # Redacted calls are included: a process may have died before it redacted their notes.
    turns_of_models = set(calls.exclude(backend=backends.HOUSE).values_list("seat", "window"))
    requests = calls.filter(withdrawn=False)
    affected = _AffectedRows(withdrawal)
    rivals = affected.find_ids(requests.filter(purpose=LLMCall.RIVAL))
    requests.filter(pk__in=rivals).delete()  # a study requests them again if it still needs them

    def redact_note(note: MindNote) -> None:
        """Remove a note's text if a model wrote it. The built-in player's notes hold none."""
        if not withdrawal.since or (note.seat, note.window) in turns_of_models:
            note.data = redact_note_data(note.data)

    _change_in_batches(LLMCall, affected.find_ids(requests), redact_call)
    _change_in_batches(MindNote, affected.find_ids(notes), redact_note)
    text_redacted.send(sender=Game, game=withdrawal.game_id)
    with transaction.atomic():
        withdrawal.done_at = timezone.now()
        withdrawal.save(update_fields=["done_at"])
        shredding.record_shredding()
    shredding.shred_recorded()


def resume_withdrawals() -> None:
    """Complete unfinished withdrawals. One that fails is tried again in a later sweep."""
    unfinished = Withdrawal.objects.filter(done_at=None, at__lt=timezone.now() - RESUME_AFTER)
    for withdrawal in unfinished.order_by("pk"):
        try:
            complete_withdrawal(withdrawal)
        except Exception:
            logger.exception("withdrawal %s could not be completed", withdrawal.pk)


class _AffectedRows:
    """Selects the rows that a withdrawal affects, by the length of the log behind each row."""

    def __init__(self, withdrawal: Withdrawal) -> None:
        self.since, self.seat = withdrawal.since, withdrawal.seat
        windows = list(WindowRow.objects.filter(game=withdrawal.game))
        self.log_length_by_key = {row.key: row.opened_seq for row in windows}
        rounds = [row for row in windows if row.opens_round]
        self.log_length_by_key |= {preparation_key(row): row.opened_seq for row in rounds}
        round_starts = [row.opened_seq for row in rounds if row.opened_seq <= withdrawal.since]
        self.round_start = max(round_starts, default=withdrawal.since)

    def find_ids(self, rows: QuerySet[LLMCall] | QuerySet[MindNote]) -> list[int]:
        """Return the ids of the affected rows, in the order they were written."""
        calls = rows.order_by("pk").values_list("pk", "seat", "window")
        return [pk for pk, seat, window in calls if self._is_affected(seat, window)]

    def _is_affected(self, seat: int, window: str) -> bool:
        key = window.split(".", 2)[2] if window.startswith(RIVAL_PREFIX) else window
        affected_from = self.round_start if seat == self.seat else self.since
        return key not in self.log_length_by_key or self.log_length_by_key[key] >= affected_from


def _change_in_batches(model: type[Row], keys: list[int], change: Callable[[Row], None]) -> None:
    """Change the rows in batches of one transaction each.

    A single transaction would block other writers of the database for long.
    """
    for start in range(0, len(keys), BATCH_ROWS):
        with transaction.atomic():
            rows = model._default_manager.select_for_update().filter(
                pk__in=keys[start : start + BATCH_ROWS]
            )
            for row in rows.order_by("pk"):
                change(row)
                row.save()
