"""Reads the data of a study once, for all files of its export, and hides what is still secret.

While the study is running, no one may learn who is a person at a blind table, not even its
researcher (`StudySource.may_reveal_kinds`). Until it ends, kinds, models, methods, labels and
people's seats are empty, and rows that only people or only computer players have are left out.

`Inclusion` decides what counts in the results and in the column `counts` of the files.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets
from game.models import Game, Player
from webapp.study.csv_cells import csv_table
from webapp.study.data.archive import ExportTable
from webapp.study.data.text_redaction import build_name_remover, remove_contacts
from webapp.study.design.instruments import Item
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Judge, Participant, Response, Seating, Slot, Study
from webapp.study.results.study_rows import HUMAN, ROLE
from webapp.study.sessions import responses
from webapp.study.sessions.slots import PLAYED_STATES

STUDY_EXPORT_VERSION = "2"  # raised with every change of a column
STUDY_COLUMNS = ("export_schema_version", "study_id")  # the first columns of every file
WITHHELD_TEXT = "[not to be published]"
COUNTING_STATES = (Response.GIVEN, Response.EXPIRED)  # states of answers that count
STAND_IN_DEVIATIONS = ("stand_ins", "left")  # deviations of a slot that list seats with a stand-in


class NotPublishable(ValueError):
    """The study is running, so a file to publish would reveal who is a person."""


class StudySource:
    """A study with its slots and games.

    Attributes:
        anonymous: Whether e-mail addresses, telephone numbers and completion codes are left out.
        public: Whether the files will be published. Then they are anonymous, and they lack the
            texts of participants who do not want theirs published.

    Raises:
        NotPublishable: `public` is set and the study has not ended.
    """

    def __init__(self, study: Study, *, public: bool = False, anonymous: bool = False) -> None:
        self.study, self.public = study, public
        self.anonymous = anonymous or public
        if public and not self.has_ended:
            raise NotPublishable("close the study first: until then nobody may see who is a person")
        self.study_values = (STUDY_EXPORT_VERSION, study.code)  # the values of STUDY_COLUMNS

    @cached_property
    def design(self) -> Design:
        return Design.from_json(self.study.design)

    @cached_property
    def conditions(self) -> dict[int, Condition]:
        """Condition id -> condition."""
        return {row.pk: row for row in self.study.conditions.all()}

    @cached_property
    def slots(self) -> list[Slot]:
        return list(self.study.slots.select_related("game", "condition"))

    @cached_property
    def ended_games(self) -> list[tuple[Slot, Game]]:
        """Each ended game with its slot. A game that was called off has ended too."""
        return [(slot, slot.game) for slot in self.slots if slot.game and slot.game.ended_at]

    @cached_property
    def participants(self) -> list[Participant]:
        """All participants who agreed. Unused personal links are not included."""
        return list(self.study.participants.filter(consented_at__isnull=False))

    @cached_property
    def players(self) -> dict[int, dict[int, Player]]:
        """Game id -> seat -> player."""
        players_by_game: dict[int, dict[int, Player]] = {}
        for player in Player.objects.filter(game__slot__study=self.study):
            players_by_game.setdefault(player.game_id, {})[player.seat] = player
        return players_by_game

    @cached_property
    def pseudonyms(self) -> dict[tuple[int, int], str]:
        """(slot id, seat) -> pseudonym of the participant who played there."""
        seatings = Seating.objects.filter(slot__study=self.study, state__in=PLAYED_STATES)
        rows = seatings.order_by("pk").values_list("slot", "seat", "participant__pseudonym")
        return {(slot, seat): name for slot, seat, name in rows}

    @cached_property
    def has_ended(self) -> bool:
        """`Study.has_ended`, read once so that all files agree."""
        return self.study.has_ended

    @cached_property
    def has_judges(self) -> bool:
        """Whether this is an experiment with judges."""
        judges = Judge.objects.filter(campaign__study=self.study)
        return self.study.is_experiment and judges.exists()

    def read_answers(self) -> Iterator[tuple[Response, Slot | None]]:
        """Yield every answer with its slot, except about slots that are newer than `slots`."""
        slots: dict[int | None, Slot | None] = {slot.pk: slot for slot in self.slots}
        slots[None] = None
        for row in responses.read_rows(self.study):
            if row.slot_id in slots:
                yield row, slots[row.slot_id]

    def may_reveal_kinds(self, slot: Slot) -> bool:
        """Return whether the export may reveal which players of this slot's game are people."""
        if self.has_ended:
            return True
        blind = slot.game.blind if slot.game else slot.condition.table.get("blind", True)
        return not blind

    @cached_property
    def withheld_pseudonyms(self) -> frozenset[str]:
        """Pseudonyms of participants whose texts are left out."""
        people = self.participants if self.public else []
        return frozenset(person.pseudonym for person in people if person.publish_words is False)

    def redact(self, text: str, author: str = "") -> str:
        """Return a text without what the files may not contain, except outside names.

        Args:
            author: The pseudonym of the participant who wrote it, "" for any other author.
        """
        if text and author in self.withheld_pseudonyms:
            return WITHHELD_TEXT
        return remove_contacts(text) if self.anonymous else text

    @cached_property
    def remove_names(self) -> Callable[[str], str]:
        """A function that removes participants' outside names from a text."""
        return build_name_remover([self.study.pk])

    def seat_name_replacer(self, game: Game) -> Callable[[str], str]:
        """Return a function that replaces the names at the table by seat names in a text."""
        players = self.players[game.pk]
        names = [players[seat].name for seat in sorted(players)]
        return build_name_replacer(names, rulesets.get(game.ruleset).seat_names[: len(names)])


class StudyTable(ExportTable[StudySource]):
    """A CSV file of a study's export: STUDY_COLUMNS, then its own."""

    def columns(self, source: StudySource) -> tuple[str, ...]:
        return (*STUDY_COLUMNS, *super().columns(source))

    def build(self, source: StudySource) -> bytes:
        return csv_table(self.columns(source), self._complete_rows(source))

    def _complete_rows(self, source: StudySource) -> Iterator[Sequence[Any]]:
        """Yield the values of all columns, without outside names."""
        for row in self.read_rows(source):
            yield (*source.study_values, *map_texts(row, source.remove_names))


class StudyJsonLines(StudyTable):
    """A file of JSON Lines of a study's export, with an object for each row."""

    def build(self, source: StudySource) -> bytes:
        columns = self.columns(source)
        objects = (dict(zip(columns, row, strict=True)) for row in self._complete_rows(source))
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in objects).encode()


def map_texts(data: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of JSON data in which `change` has replaced every text except keys."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {key: map_texts(value, change) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [map_texts(value, change) for value in data]
    return data


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
