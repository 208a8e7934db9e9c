"""Which data of a study count in its results. The files' column `counts` uses the same rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from game.models import Player
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.instruments import Item
from webapp.study.models import Response, Slot
from webapp.study.results.study_rows import HUMAN, ROLE
from webapp.study.sessions.responses import ResponseRow

COUNTING_STATES = (Response.GIVEN, Response.EXPIRED)  # states of answers that count
STAND_IN_DEVIATIONS = ("stand_ins", "left")  # deviations of a slot that list seats with a stand-in


class Counting:
    """Decides which games, people and answers count.

    known: code of a game that counts -> its slot. withdrew, excluded: pseudonyms.
    """

    def __init__(self, source: StudySource) -> None:
        self.source = source
        self.known: Mapping[str, Slot] = {
            s.game.code: s for s in source.slots if s.state == Slot.DONE and s.game
        }
        people = source.participants
        self.withdrew = {p.pseudonym for p in people if p.withdrew}
        self.excluded = {p.pseudonym for p in people if p.excluded} - self.withdrew
        self._taken_over: dict[int, set[int]] = {}

    @cached_property
    def people(self) -> set[str]:
        """Participants who played in a game that counts, without excluded and withdrawn ones."""
        played = {name for s in self.known.values() for name in self.sat(s).values()}
        return played - self.withdrew - self.excluded

    def sat(self, slot: Slot) -> dict[int, str]:
        """Return seat -> pseudonym of the participant who played there."""
        return {s: name for (pk, s), name in self.source.people.items() if pk == slot.pk}

    def stood_in(self, slot: Slot) -> set[int]:
        """Return people's seats at which a computer player answered for some time."""
        if slot.pk not in self._taken_over:
            assert slot.game
            by_slot = {
                d["seat"]
                for deviation in STAND_IN_DEVIATIONS
                for d in slot.deviations.get(deviation, ())
            }
            players = self.source.players[slot.game.pk].values()
            seats_left = {p.seat for p in players if p.stand_in or p.left_at}
            self._taken_over[slot.pk] = by_slot | seats_left
        return self._taken_over[slot.pk]

    def why_not(self, row: ResponseRow, slot: Slot | None, item: Item | None) -> str:
        """Return the key of the reason why an answer does not count, "" if it counts."""
        if row.participant in self.excluded:
            return "answers_of_excluded"
        if slot and slot.state != Slot.DONE:
            return "answers_of_void_games"
        if row.state not in COUNTING_STATES:
            return "answers_not_handed_in"
        if row.participant not in self.people:
            return "answers_without_a_game"
        if item is not None and item.answer in (HUMAN, ROLE) and slot:
            return self._why_no_guess(row, slot)
        return ""

    def _why_no_guess(self, row: ResponseRow, slot: Slot) -> str:
        if not row.choice:
            return "guesses_without_a_choice"
        if not slot.game or not self.source.may_reveal_kinds(slot):
            return ""  # neither the participant's seat nor a stand-in may be revealed yet
        person = self.source.players[slot.game.pk][row.about_seat].kind == Player.PERSON
        return "guesses_of_stood_in" if person and row.about_seat in self.stood_in(slot) else ""
