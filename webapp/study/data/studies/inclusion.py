"""Decides which data of a study count in its results and in the column `counts` of its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from game.models import Player
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.instruments import Item
from webapp.study.models import Response, Slot
from webapp.study.results.study_rows import HUMAN, ROLE

COUNTING_STATES = (Response.GIVEN, Response.EXPIRED)  # states of answers that count
STAND_IN_DEVIATIONS = ("stand_ins", "left")  # deviations of a slot that list seats with a stand-in


class Inclusion:
    """Decides which games, people and answers count.

    Attributes:
        counted_slots: Code of a game that counts -> its slot.
        withdrew: Pseudonyms of participants who withdrew their data.
        excluded: Pseudonyms of other participants whom a researcher excluded.
    """

    def __init__(self, source: StudySource) -> None:
        self.source = source
        self.counted_slots: Mapping[str, Slot] = {
            slot.game.code: slot for slot in source.slots if slot.state == Slot.DONE and slot.game
        }
        people = source.participants
        self.withdrew = {person.pseudonym for person in people if person.withdrew}
        self.excluded = {person.pseudonym for person in people if person.excluded} - self.withdrew

    @cached_property
    def counted_people(self) -> set[str]:
        """Pseudonyms of participants who count and played in a game that counts."""
        slots = self.counted_slots.values()
        played = {name for slot in slots for name in self.pseudonyms_by_seat(slot).values()}
        return played - self.withdrew - self.excluded

    def pseudonyms_by_seat(self, slot: Slot) -> dict[int, str]:
        """Return seat -> pseudonym of the participant who played there."""
        pseudonyms = self.source.pseudonyms.items()
        return {seat: name for (slot_id, seat), name in pseudonyms if slot_id == slot.pk}

    def stand_in_seats(self, slot: Slot) -> set[int]:
        """Return people's seats for which a computer player answered for some time."""
        assert slot.game
        recorded_seats = {
            entry["seat"]
            for deviation in STAND_IN_DEVIATIONS
            for entry in slot.deviations.get(deviation, ())
        }
        players = self.source.players[slot.game.pk].values()
        return recorded_seats | {p.seat for p in players if p.stand_in or p.left_at}

    def exclusion_key(self, row: Response, slot: Slot | None, item: Item | None) -> str:
        """Return the key of the reason why an answer does not count, "" if it counts."""
        if row.participant.pseudonym in self.excluded:
            return "answers_of_excluded"
        if slot and slot.state != Slot.DONE:
            return "answers_of_void_games"
        if row.state not in COUNTING_STATES:
            return "answers_not_handed_in"
        if row.participant.pseudonym not in self.counted_people:
            return "answers_without_a_game"
        if item is not None and item.answer in (HUMAN, ROLE) and slot:
            return self._guess_exclusion_key(row, slot)
        return ""

    def _guess_exclusion_key(self, row: Response, slot: Slot) -> str:
        if not row.choice:
            return "guesses_without_a_choice"
        if not slot.game or not self.source.may_reveal_kinds(slot):
            return ""  # neither the participant's seat nor a stand-in may be revealed yet
        is_person = self.source.players[slot.game.pk][row.about_seat].kind == Player.PERSON
        has_stand_in = is_person and row.about_seat in self.stand_in_seats(slot)
        return "guesses_of_stood_in" if has_stand_in else ""
