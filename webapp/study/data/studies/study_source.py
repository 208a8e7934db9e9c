"""The data of a study that all export files are made from, and what of them may be revealed yet.

While the study is running, no one may learn who is a person at a blind table, not even its
researcher (`StudySource.may_reveal_kinds`). Until it ends, kinds, models, methods, labels and
people's seats are empty, and rows that only people or only computer players have are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets
from game.models import Game, Player
from webapp.study.csv_cells import csv_table
from webapp.study.data.outside_names import name_remover, remove_contacts
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Judge, Participant, Seating, Slot, Study
from webapp.study.sessions.play_answers import PLAYED_STATES

STUDY_EXPORT_VERSION = "2"  # version of a study's export, raised with every change of a column
STUDY = ("export_schema_version", "study_id")
WITHHELD = "[not to be published]"


class NotPublishable(ValueError):
    """The study is running, so a file to publish would reveal who is a person."""


class StudySource:
    """A study with its slots and games.

    Attributes:
        anonymous: E-mail addresses, telephone numbers and completion codes are left out.
        public: For files to publish: anonymous, and without the texts of participants who do not
            want theirs published.

    Raises:
        NotPublishable: `public` is set and the study has not ended.
    """

    def __init__(self, study: Study, *, public: bool = False, anonymous: bool = False) -> None:
        self.study, self.public, self.anonymous = study, public, anonymous or public
        if public and not self.is_ended:
            raise NotPublishable("close the study first: until then nobody may see who is a person")
        self.head = (STUDY_EXPORT_VERSION, study.code)

    @cached_property
    def design(self) -> Design:
        return Design.from_json(self.study.design)

    @cached_property
    def conditions(self) -> dict[int, Condition]:
        return {row.pk: row for row in self.study.conditions.all()}

    @cached_property
    def slots(self) -> list[Slot]:
        return list(self.study.slots.select_related("game", "condition"))

    @cached_property
    def played(self) -> list[tuple[Slot, Game]]:
        """Slots with their ended games, also those that were called off."""
        return [(s, s.game) for s in self.slots if s.game and s.game.ended_at]

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
    def people(self) -> dict[tuple[int, int], str]:
        """(slot id, seat) -> pseudonym of the participant who played there."""
        rows = Seating.objects.filter(slot__study=self.study, state__in=PLAYED_STATES)
        return {
            (slot, seat): name
            for slot, seat, name in rows.order_by("pk").values_list(
                "slot", "seat", "participant__pseudonym"
            )
        }

    @cached_property
    def is_ended(self) -> bool:
        """`Study.has_ended`, read once."""
        return self.study.has_ended

    @cached_property
    def has_judges(self) -> bool:
        """Whether this is an experiment with judges."""
        judges = Judge.objects.filter(campaign__study=self.study)
        return self.study.is_experiment and judges.exists()

    def may_reveal_kinds(self, slot: Slot) -> bool:
        """Return whether it may be revealed who is a person in this slot's game."""
        if self.is_ended:
            return True
        blind = slot.game.blind if slot.game else slot.condition.table.get("blind", True)
        return not blind

    @cached_property
    def withheld(self) -> frozenset[str]:
        """Pseudonyms of participants whose texts are left out."""
        rows = self.participants if self.public else []
        return frozenset(row.pseudonym for row in rows if row.publish_words is False)

    def words(self, participant: str, text: str) -> str:
        """Return a player's text as the files have it.

        Args:
            participant: The pseudonym of the author, "" for an author who is no participant.
        """
        if text and participant in self.withheld:
            return WITHHELD
        return remove_contacts(text) if self.anonymous else text

    @cached_property
    def remove_names(self) -> Callable[[str], str]:
        """A function that removes participants' outside names from a text."""
        return name_remover([self.study.pk])

    def use_seat_names(self, game: Game) -> Callable[[str], str]:
        """Return a function that replaces the table's names in a text by seat names."""
        players = self.players[game.pk]
        names = [players[seat].name for seat in sorted(players)]
        return build_name_replacer(
            names, tuple(rulesets.get(game.ruleset).seat_names)[: len(names)]
        )

    def table(self, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
        """Return a CSV file of the study.

        STUDY's columns are prepended, and outside names are removed.
        """
        return csv_table((*STUDY, *columns), self._rows(columns, rows))

    def table_of_dicts(self, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
        """Return a CSV file of rows that map columns to values. Each must have all `columns`."""
        return self.table(columns, ([row[column] for column in columns] for row in rows))

    def _rows(self, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> Iterator[Any]:
        for row in rows:
            values = [self.remove_names(v) if isinstance(v, str) else v for v in row]
            assert len(values) == len(columns), columns
            yield (*self.head, *values)

    def json_lines(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return a file of JSON Lines in the same way."""
        head = dict(zip(STUDY, self.head, strict=True))
        row_lines = (
            json.dumps({**head, **map_texts(row, self.remove_names)}, ensure_ascii=False)
            for row in rows
        )
        return "".join(line + "\n" for line in row_lines).encode()


def map_texts(data: Any, change: Callable[[str], str]) -> Any:
    """Return JSON-shaped `data` with every text changed. The keys stay."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {key: map_texts(value, change) for key, value in data.items()}
    return [map_texts(v, change) for v in data] if isinstance(data, list | tuple) else data


def as_json(data: Any) -> str:
    """Return the JSON of a cell, "" for empty data."""
    if data in (None, {}, []):
        return ""
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def short_number(number: float | None) -> int | float | None:
    """Return whole numbers as int: 4 for 4.0."""
    return int(number) if number is not None and number == int(number) else number
