"""The games of a running study, as the monitor shows them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from game.engine import rulesets
from game.models import Game, Window
from webapp.play.page.narrator import Narrator
from webapp.study.design.conditions import condition_label
from webapp.study.models import Condition, Seating, Slot, Study
from webapp.study.monitor.durations import format_age
from webapp.study.monitor.researcher_blinding import Blinding


@dataclass(frozen=True)
class SeatedParticipant:
    """A participant in a running game. While blinded, seat is 0 and name is ""."""

    pseudonym: str
    seat: int
    name: str
    time_away: str  # duration of the absence as text, "" if present
    is_replaced: bool  # whether an agent has their seat
    has_left: bool


@dataclass(frozen=True)
class RunningGame:
    """A running game. `number` is the index of its slot."""

    number: int
    phase: str  # title of its phase, "" if no question is open
    elapsed: str  # duration since its beginning as text
    is_paused: bool
    condition: str  # name of its condition, "" while blinded
    people: tuple[SeatedParticipant, ...]  # hashable, because rendered rows are cached
    is_experiment: bool = False  # whether no seat is a participant's

    @property
    def absent_people(self) -> Sequence[SeatedParticipant]:
        """The participants who are absent and have not left permanently."""
        return [person for person in self.people if person.time_away and not person.has_left]


class StudyGames:
    """The games of a study, read in four queries for any number of games."""

    def __init__(
        self,
        study: Study,
        blinding: Blinding,
        wanted_per_condition: int,
        seatings: Sequence[Seating],  # seatings in games that are running or being filled
        now: datetime,
    ) -> None:
        self.blinding, self.now = blinding, now
        self.wanted_per_condition = wanted_per_condition
        self.conditions: list[Condition] = list(study.conditions.all())
        self.names = {
            row.pk: condition_label(blinding.design, row.levels) or row.name
            for row in self.conditions
        }
        fields = ("condition", "state", "void_reason")
        self.slot_rows = list(study.slots.order_by().values_list(*fields, named=True))
        rows = study.slots.filter(state=Slot.PLAYING, game__isnull=False).select_related("game")
        self.playing = list(rows.order_by("index"))
        self.phases = find_phase_titles([slot.game for slot in self.playing if slot.game])
        self._seatings_by_slot = defaultdict[int, list[Seating]](list)
        for seating in seatings:
            self._seatings_by_slot[seating.slot_id].append(seating)

    def count_by_state(self) -> dict[str, Any]:
        """Return the numbers of games for the monitor's counts.

        - `wanted`, and `percent`, the share of `done` in it.
        - The number for each state of a slot. A game has one state, so none counts twice.
        - `conditions`: the same for each condition, empty while blinded.
        - `causes`: (cause, number) of void and failed games, the most frequent first.
        """
        states = Counter(row.state for row in self.slot_rows)
        wanted_count = self.wanted_per_condition * len(self.conditions)
        causes = Counter(
            self.blinding.redact_void_reason(row.void_reason)
            for row in self.slot_rows
            if row.state in (Slot.VOID, Slot.FAILED)
        )
        counted_states = (Slot.DONE, Slot.PLAYING, Slot.FILLING, Slot.VOID, Slot.FAILED)
        return {
            "wanted": wanted_count,
            **{state: states[state] for state in counted_states},
            "percent": 100 * states[Slot.DONE] // wanted_count if wanted_count else 0,
            "conditions": self._condition_rows() if self.blinding.is_lifted else [],
            "causes": causes.most_common(),
        }

    def _condition_rows(self) -> list[dict[str, Any]]:
        counts = Counter((row.condition, row.state) for row in self.slot_rows)
        return [
            {
                "name": self.names[row.pk],
                "wanted": self.wanted_per_condition,
                **{s: counts[row.pk, s] for s in (Slot.DONE, Slot.PLAYING, Slot.VOID)},
            }
            for row in self.conditions
        ]

    def build_game(self, slot: Slot) -> RunningGame:
        game = slot.game
        people = tuple(
            _build_seated_participant(seating, self.blinding, self.now)
            for seating in self._seatings_at(slot)
        )
        return RunningGame(
            number=slot.index,
            phase=self.phases.get(slot.game_id or 0, ""),
            elapsed=format_age(slot.began_at, self.now),
            is_paused=bool(game and game.paused_at),
            condition=self.names.get(slot.condition_id, "") if self.blinding.is_lifted else "",
            people=people,
            is_experiment=not slot.seats,  # the slot lists the seats for people
        )

    def _seatings_at(self, slot: Slot) -> list[Seating]:
        """Return the seatings of a game, while blinded in the order of pseudonyms."""
        seatings = [s for s in self._seatings_by_slot[slot.pk] if s.state == Seating.SEATED]
        if self.blinding.is_lifted:
            return seatings
        return sorted(seatings, key=lambda seating: seating.participant.pseudonym)


def _build_seated_participant(
    seating: Seating, blinding: Blinding, now: datetime
) -> SeatedParticipant:
    player = seating.player
    return SeatedParticipant(
        pseudonym=seating.participant.pseudonym,
        seat=seating.seat if blinding.is_lifted else 0,
        name=player.name if player and blinding.is_lifted else "",
        time_away=format_age(seating.away_since, now),
        is_replaced=bool(player and player.stand_in),
        has_left=bool(player and player.left_at),
    )


def find_phase_titles(games: Sequence[Game]) -> dict[int, str]:
    """Return game's id -> title of the phase of its latest open question."""
    games_by_id = {game.pk: game for game in games}
    rows = Window.objects.filter(game__in=list(games_by_id), closed_at=None).order_by("pk")
    fields = ("game_id", "phase_number", "pass_number", "day", "phase", "round")
    titles_by_game: dict[int, str] = {}
    for row in rows.only(*fields):
        ruleset = rulesets.get(games_by_id[row.game_id].ruleset)
        titles_by_game[row.game_id] = Narrator(ruleset, ()).phase_title(row.moment)
    return titles_by_game
