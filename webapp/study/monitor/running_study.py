"""The participants and games of a running study, as the monitor shows them.

Durations are texts that change at most once a minute.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.models import Game, Player, Window
from webapp.play.models import Desk
from webapp.play.page.narrator import Narrator
from webapp.study.design.conditions import condition_label
from webapp.study.design.exits import EXITS
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Participant, Seating, Slot, Study
from webapp.study.monitor.researcher_blinding import Blinding
from webapp.study.sessions import dropouts, participant_state
from webapp.study.sessions.participant_state import ABSENT_AFTER, WAITING, Step, route

MIN_HOURS_IN_DAYS = 48  # shorter durations are given in hours
QUIET_AFTER = timedelta(minutes=1)  # shorter times without input are not shown


def format_duration(seconds: float) -> str:
    """Return "less than a minute", "7 min", "2 h 5 min" or "3 days"."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return _("less than a minute")
    hours, remaining_minutes = divmod(minutes, 60)
    if hours >= MIN_HOURS_IN_DAYS:
        return _("{n} days").format(n=hours // 24)
    if hours:
        return _("{hours} h {minutes} min").format(hours=hours, minutes=remaining_minutes)
    return _("{minutes} min").format(minutes=minutes)


def format_age(since: datetime | None, now: datetime) -> str:
    """Return the duration from `since` to `now`, "" for None."""
    return format_duration((now - since).total_seconds()) if since else ""


@dataclass(frozen=True)
class ActiveParticipant:
    """An active participant. Durations are text."""

    pseudonym: str
    stage: str
    since: str  # duration at this stage
    away: str  # duration without an open page, "" if one is open
    quiet: str  # duration without input, "" for less than QUIET_AFTER
    missed: int  # number of questions missed in a row in their game
    game: int  # index of the slot of their game or offer, 0 for none
    offer: str  # state of their seating, "" without one


def step_name(step: Step, games_each: int) -> str:
    """Return the name of a step for readers, with its game's number if there are several."""
    kinds = {WAITING: _("The waiting room"), "game": _("The game")}
    name = kinds.get(step.kind) or step.stage.label
    return f"{name} {step.game}" if step.game and games_each > 1 else name


class ActiveParticipants:
    """All active participants of a study, read in five queries."""

    def __init__(self, study: Study, design: Design, now: datetime) -> None:
        self.design, self.now = design, now
        self.steps = list(route(design))
        self.unused_links = 0
        self.rows: list[Participant] = []
        fields = ("pseudonym", "step", "step_at", "seen_at", "input_at", "consented_at", "study_id")
        for row in study.participants.filter(exit="").only(*fields):
            if row.consented_at is None:
                self.unused_links += 1
            else:
                self.rows.append(row)
        self.seats = find_seats(study)
        self._seat_by_participant = {s.participant_id: s for s in self.seats}
        # After a game, its page stays open until the participant continues.
        ended = Desk.objects.filter(
            player__seating__slot__study=study, player__seating__slot__state=Slot.DONE
        )
        end_pages = ended.order_by("seen_at").values_list("player__seating__participant", "seen_at")
        self._end_page_seen_at = dict(end_pages)
        self._answer_records = dropouts.read_answer_records(study)

    def list_participants(self) -> list[ActiveParticipant]:
        """Return the participants, ordered by step and by the time of their arrival there."""
        rows = sorted(self.rows, key=lambda p: (p.step, p.step_at or self.now, p.pk))
        return [self.build_participant(row) for row in rows]

    def build_participant(self, row: Participant) -> ActiveParticipant:
        step = self.steps[min(row.step, len(self.steps) - 1)]
        seat = self._seat_by_participant.get(row.pk)
        record = self._answer_records.get(seat.pk if seat else 0, dropouts.AnswerRecord())
        times = (record.last_at, participant_state.last_input(row))
        quiet_since = max((t for t in times if t), default=None)
        is_quiet = quiet_since is not None and self.now - quiet_since > QUIET_AFTER
        return ActiveParticipant(
            pseudonym=row.pseudonym,
            stage=step_name(step, self.design.assignment.games_each),
            since=format_age(row.step_at, self.now),
            away=self._format_absence(row, seat),
            quiet=format_age(quiet_since, self.now) if is_quiet else "",
            missed=record.missed,
            game=seat.slot.index if seat else 0,
            offer=seat.state if seat else "",
        )

    def _format_absence(self, row: Participant, seat: Seating | None) -> str:
        """Return the duration without an open page, "" if one is open."""
        if seat and seat.state == Seating.SEATED:
            return format_age(seat.away_since, self.now)
        times = (row.seen_at, row.step_at, self._end_page_seen_at.get(row.pk))
        last = max((t for t in times if t), default=None)
        is_absent = last is not None and self.now - last > ABSENT_AFTER
        return format_age(last, self.now) if is_absent else ""

    def count_stages(self) -> list[tuple[str, int, str, str]]:
        """Return (name, participants, longest and median stay) of unused links and each stage."""
        times_by_step = defaultdict[int, list[float]](list)
        for row in self.rows:
            since = row.step_at or self.now
            times_by_step[row.step].append(max((self.now - since).total_seconds(), 0))
        games_each = self.design.assignment.games_each
        stage_counts = [(_("links not used yet"), self.unused_links, "", "")]
        for step in self.steps[1:]:  # nothing is stored about visitors before consent
            times = times_by_step[step.index]
            longest, typical = (
                format_duration(statistic(times)) if times else "" for statistic in (max, median)
            )
            stage_counts.append((step_name(step, games_each), len(times), longest, typical))
        return stage_counts


def find_seats(study: Study) -> list[Seating]:
    """Return the seatings of running and filling games, with participants and players."""
    rows = Seating.objects.filter(
        slot__study=study,
        slot__state__in=[Slot.FILLING, Slot.PLAYING],
        state__in=[Seating.HELD, Seating.READY, Seating.SEATED],
    )
    rows = rows.select_related("participant", "player", "slot").order_by("seat")
    return list(
        rows.only(
            "state", "seat", "away_since", "participant__pseudonym", "participant__exit",
            "player__name", "player__stand_in", "player__left_at", "slot__index", "slot__state",
        )
    )  # fmt: skip


def exit_rows(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return {"name", "n"} of each exit in `counts`."""
    return [{"name": EXITS[kind], "n": counts[kind]} for kind in EXITS if kind in counts]


def visit_rows(row: Participant, steps: Sequence[Step], games_each: int) -> list[dict[str, Any]]:
    """Return {"name", "came", "went", "by"} of each visit to a stage, with times as datetimes."""
    names = {step.key: step_name(step, games_each) for step in steps}
    return [
        {
            "name": names.get(visit["step"], visit["step"]),
            "came": datetime.fromisoformat(visit["came"]),
            "went": datetime.fromisoformat(visit["went"]) if visit["went"] else None,
            "by": visit["by"],
        }
        for visit in row.visits
    ]


@dataclass(frozen=True)
class SeatedParticipant:
    """A participant in a running game. While blinded, seat is 0 and name is ""."""

    pseudonym: str
    seat: int
    name: str
    away: str  # duration of the absence as text, "" if present
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
    people: tuple[SeatedParticipant, ...]
    is_experiment: bool = False  # whether no seat is a participant's

    @property
    def away(self) -> Sequence[SeatedParticipant]:
        """The participants who are absent and have not left permanently."""
        return [person for person in self.people if person.away and not person.has_left]


class StudyGames:
    """The games of a study, read in four queries for any number of games."""

    def __init__(
        self,
        study: Study,
        blinding: Blinding,
        wanted_per_condition: int,
        seats: Sequence[Seating],  # seatings in games that are running or being filled
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
        self.seats = defaultdict[int, list[Seating]](list)
        for seat in seats:
            self.seats[seat.slot_id].append(seat)

    def count_by_state(self) -> dict[str, Any]:
        """Return the numbers of games in all, of each condition (unless blinded), and by cause.

        Void and failed games are in no other number. `percent` is the share of `done` in `wanted`.
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
        game, seats = slot.game, self._seatings_at(slot)
        return RunningGame(
            number=slot.index,
            phase=self.phases.get(slot.game_id or 0, ""),
            elapsed=format_age(slot.began_at, self.now),
            is_paused=bool(game and game.paused_at),
            condition=self.names.get(slot.condition_id, "") if self.blinding.is_lifted else "",
            people=tuple(_build_seated_participant(s, self.blinding, self.now) for s in seats),
            is_experiment=not slot.seats,
        )

    def _seatings_at(self, slot: Slot) -> list[Seating]:
        """Return the seatings of a game, while blinded in the order of pseudonyms."""
        seats = [s for s in self.seats[slot.pk] if s.state == Seating.SEATED]
        if self.blinding.is_lifted:
            return seats
        return sorted(seats, key=lambda seating: seating.participant.pseudonym)


def _build_seated_participant(
    seat: Seating, blinding: Blinding, now: datetime
) -> SeatedParticipant:
    player = seat.player
    return SeatedParticipant(
        pseudonym=seat.participant.pseudonym,
        seat=seat.seat if blinding.is_lifted else 0,
        name=player.name if player and blinding.is_lifted else "",
        away=format_age(seat.away_since, now),
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


def describe_agent(player: Player) -> str:
    """Return backend and method of an agent, "" for a person."""
    if player.kind == Player.PERSON:
        return ""
    recipe = player.recipe
    return " · ".join(str(recipe[key]) for key in ("backend", "method") if recipe.get(key))
