"""Stores a person's drafts, private notes, guess and last typing time on the server."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from game.engine import rulesets
from game.engine.text_checks import MAX_CHARACTERS_PER_WORD, tidy
from game.models import Player
from webapp.connections import asynchronous_commits
from webapp.play.models import Desk
from webapp.play.visitors import Guest
from webapp.storable_text import storable

GUESS_KEY = "guess"  # key of the guess in `Desk.notes`, whose other keys are seats
MAX_NOTE_CHARS = 80
MAX_DRAFT_CHARS = 130 * MAX_CHARACTERS_PER_WORD  # a little more than the longest statement


def save_draft(player: Player, text: str, *, is_secret: bool = False) -> None:
    """Store the text being written, cut to MAX_DRAFT_CHARS.

    A secret draft belongs to a talk that not everyone can read. No other talk offers it.
    """
    field = "secret_draft" if is_secret else "draft"
    Desk.objects.filter(player=player).update(**{field: storable(text)[:MAX_DRAFT_CHARS]})


def save_note(guest: Guest, form: Mapping[str, str]) -> bool:
    """Store a note on a seat: a role and a short text. Return False if the form is invalid."""
    roles = {r.key for r in rulesets.get(guest.game.ruleset).roles}
    seats = {str(p.seat) for p in guest.game.players.all()}
    seat, value = form.get("seat", ""), form.get("value", "")
    if seat not in seats or (value and value not in roles):
        return False
    text = tidy(storable(form.get("text", "")), max_breaks=0)[:MAX_NOTE_CHARS]
    _add_note(guest.player, seat, {"value": value, "text": text})
    return True


def save_guess(player: Player, phase: int, seat: str) -> bool:
    """Store a person's private suspicion. Return False if there is no such seat."""
    if seat not in {str(p.seat) for p in player.game.players.all()}:
        return False
    _add_note(player, GUESS_KEY, {"phase": phase, "seat": int(seat)})
    return True


def _add_note(player: Player | None, key: str, note: dict[str, str | int]) -> None:
    with transaction.atomic():
        desk = Desk.objects.select_for_update().get(player=player)
        desk.notes = {**desk.notes, key: note}
        desk.save(update_fields=["notes"])


def note_typing(player: Player) -> None:
    with asynchronous_commits():
        Desk.objects.filter(player=player).update(typing_at=timezone.now())
