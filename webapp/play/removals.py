"""Words that were taken out of a game leave the record of its minds, too (`forgetting` says how).

Everything that was asked from a view which held the words is blanked, and so is what the speaker's
own mind prepared for that round. It is done at once, a batch a transaction, and by the sweeper
where whoever began died. What is thought of an older view meanwhile is blanked when it comes to be
written (`Asker`, `preparing`). It is the one exception to append-only minds.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents import backends
from game import erasing, hosting
from game.models import Game, Player
from game.models import Window as WindowRow
from webapp.play.forgetting import blank, wordless
from webapp.play.models import Asked, Desk, MindNote, Removal, Report
from webapp.play.preparing import first_of, key_of
from webapp.play.signals import name_erased
from webapp.play.visitors import unseat
from webapp.sqlite.shredding import overwrite_what_is_deleted, shred

BATCH = 50  # rows a transaction
BEGUN = timedelta(seconds=30)  # after which a removal that is not done is anybody's to do
RIVAL = "rival."  # how the keys begin under which a study asks for other answers: rival.DIGEST.KEY

M = TypeVar("M", Asked, MindNote)


def remove_words(game_id: int, window: str, seat: int) -> None:
    """Take a player's words out of the game and of all that may repeat them.

    Raises Illegal("no_words") where there are none.
    """
    overwrite_what_is_deleted()
    with transaction.atomic():
        hosting.remove_words(game_id, window, seat)
        row = WindowRow.objects.get(game=game_id, key=window)
        removal = Removal.objects.create(game_id=game_id, since=row.opened_seq, seat=seat)
    carry_out(removal)


def erase(player: Player) -> None:
    """Take all out that the person said, and who they were, from a finished game.

    No browser and no link leads back to the seat. Raises Illegal as `game.erasing.erase`.
    """
    overwrite_what_is_deleted()
    with transaction.atomic():
        rename = erasing.erase(player.game_id, player.seat)
        Report.objects.filter(player=player).delete()
        unseat(player)
        for desk in Desk.objects.filter(player__game=player.game_id):
            desk.draft = rename(desk.draft)
            desk.notes = {s: {**n, "text": rename(n["text"])} for s, n in desk.notes.items()}
            desk.save(update_fields=["draft", "notes"])
        name_erased.send(sender=Game, game=player.game_id, rename=rename)
        removal = Removal.objects.create(game_id=player.game_id)
    carry_out(removal)


def carry_out(removal: Removal) -> None:
    """Blank what may repeat the words. Done twice, it is done once."""
    overwrite_what_is_deleted()
    requests = Asked.objects.filter(game=removal.game, withdrawn=False)
    notes = MindNote.objects.filter(game=removal.game)
    thought = set(requests.exclude(backend=backends.HOUSE).values_list("seat", "window"))
    touched = _Touched(removal)
    rivals = touched.of(requests.filter(purpose=Asked.RIVAL))
    requests.filter(pk__in=rivals).delete()  # where they are wanted still, they are asked anew

    def change(note: MindNote) -> None:
        """The house player's notes hold names at most, and never anybody's words."""
        if not removal.since or (note.seat, note.window) in thought:
            note.data = wordless(note.data)

    _in_batches(Asked, touched.of(requests), blank)
    _in_batches(MindNote, touched.of(notes), change)
    removal.done_at = timezone.now()
    removal.save(update_fields=["done_at"])
    shred()


def resume() -> None:
    """Do what somebody began and did not end."""
    left = Removal.objects.filter(done_at=None, at__lt=timezone.now() - BEGUN)
    for removal in left.order_by("pk")[:5]:
        carry_out(removal)


class _Touched:
    """Which rows a removal is about, by where the log stood when they were thought of."""

    def __init__(self, removal: Removal) -> None:
        self.since, self.seat = removal.since, removal.seat
        windows = list(WindowRow.objects.filter(game=removal.game))
        self.stood = {row.key: row.opened_seq for row in windows}
        self.stood |= {key_of(row): row.opened_seq for row in windows if row.opens_round}
        spoken = next((row for row in windows if row.opened_seq == removal.since), None)
        first = first_of(spoken) if spoken else None
        self.round = first.opened_seq if first else removal.since

    def of(self, rows: QuerySet[Asked] | QuerySet[MindNote]) -> list[int]:
        """The ids of those it is about, in the order they were written."""
        found = rows.order_by("pk").values_list("pk", "seat", "window")
        return [pk for pk, seat, window in found if self._is(seat, window)]

    def _is(self, seat: int, window: str) -> bool:
        key = window.split(".", 2)[2] if window.startswith(RIVAL) else window
        begins = self.round if seat == self.seat else self.since
        return key not in self.stood or self.stood[key] >= begins


def _in_batches(model: type[M], keys: list[int], change: Callable[[M], None]) -> None:
    """Change the rows, a batch a transaction: nobody waits long for the database."""
    for at in range(0, len(keys), BATCH):
        with transaction.atomic():
            rows = model._default_manager.select_for_update().filter(pk__in=keys[at : at + BATCH])
            for row in rows.order_by("pk"):
                change(row)
                row.save()
