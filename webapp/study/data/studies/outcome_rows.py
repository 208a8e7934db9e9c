"""Rows of a study's results, and counts of data that are left out (docs/study-results.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from game.engine import labels, rulesets
from game.models import Game, Player, Vote
from webapp.lab.record_builder import exile_wins
from webapp.lab.stored_games import load_record
from webapp.study.data.studies.inclusion import Counting
from webapp.study.data.studies.response_files import instruments_asked
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.instruments import Item
from webapp.study.games.seat_outcomes import (
    SeatOutcome,
    build_deal_key,
    get_seat_outcomes,
    has_no_winner,
)
from webapp.study.models import Condition, Seating, Slot
from webapp.study.results.study_rows import (
    CHOICE,
    COMPUTER,
    HUMAN,
    NUMBER,
    PERSON,
    ROLE,
    SCALE,
    AnswerRow,
    FlowRow,
    GameRow,
    GuessRow,
    ItemRow,
    SeatRow,
    StudyRows,
    VoteRow,
)
from webapp.study.sessions import responses
from webapp.study.sessions.play_answers import PLAYED_STATES
from webapp.study.sessions.responses import ResponseRow

KINDS = {"scale": SCALE, "slider": SCALE, "number": NUMBER, "one": CHOICE, "many": CHOICE}
COMPLETED = "completed"
SCREENED = ("screened_out", "unsuitable", "quiz_early", "full", "declined")  # before any game
UNCAST_VOTE_LABELS = ("timeout", labels.FALLBACK, "stand-in")  # labels of votes that nobody cast


def build_study_rows(source: StudySource) -> StudyRows:
    """Return all data that count. Games with hidden kinds give only data that reveal no kind."""
    return _Reader(source).read()


class _Reader:
    """Reads the rows. left_out: number of data that do not count, by reason."""

    def __init__(self, source: StudySource) -> None:
        self.source = source
        self.left_out: Counter[str] = Counter()
        self.counting = Counting(source)
        self.known = self.counting.known

    def read(self) -> StudyRows:
        games = tuple(self._build_game_row(slot) for slot in self.known.values())
        votes = tuple(
            vote for game in games for vote in self._votes(self.known[game.code], game.seats)
        )
        guesses, answers = self._read_responses()
        self._count_left_out_participants()
        conditions = [c.name for c in self.source.conditions.values()]
        return StudyRows(
            tuple(conditions),
            games,
            tuple(guesses),
            tuple(answers),
            votes,
            tuple(self._items()),
            all(self.source.may_reveal_kinds(slot) for slot in self.source.slots),
            len(self.counting.people),
            {key: n for key, n in sorted(self.left_out.items()) if n},
            self._enrolment(),
            tuple(self._flow(condition) for condition in self.source.conditions.values()),
            frozenset(p.pseudonym for p in self.source.participants if p.exit == COMPLETED),
            tuple(test.to_json() for test in self.source.design.analysis.tests),
            self.source.design.analysis.interim,
            self.source.study.is_experiment,
        )

    # Who took part ----------------------------------------------------------------------------

    @cached_property
    def _seated(self) -> list[tuple[int, str, str]]:
        """(condition's id, participant's key, state) of every seat that was offered."""
        rows = Seating.objects.filter(slot__study=self.source.study)
        return list(rows.values_list("slot__condition", "participant__key", "state"))

    def _enrolment(self) -> dict[str, int]:
        people = self.source.participants
        offered = {key for _condition, key, _state in self._seated}
        out = sum(p.exit in SCREENED for p in people)
        none = sum(p.key not in offered and p.exit not in SCREENED for p in people)
        return {"enrolled": len(people), "screened_out": out, "unassigned": none}

    def _flow(self, condition: Condition) -> FlowRow:
        own = [(key, state) for pk, key, state in self._seated if pk == condition.pk]
        assigned = {key for key, _state in own}
        started = {key for key, state in own if state in PLAYED_STATES}
        begun = [p for p in self.source.participants if p.key in started]
        slots = [s for s in self.source.slots if s.condition_id == condition.pk]
        return FlowRow(
            condition.name,
            assigned=sum(p.key in assigned for p in self.source.participants),
            started=len(begun),
            under_way=sum(not p.exit for p in begun),
            completed=sum(p.exit == COMPLETED for p in begun),
            withdrew=sum(p.withdrew for p in begun),
            excluded=sum(p.excluded for p in begun),
            games=sum(s.state == Slot.DONE for s in slots),
            void=dict(
                sorted(Counter(s.void_reason for s in slots if s.state == Slot.VOID).items())
            ),
        )

    def _count_left_out_participants(self) -> None:
        self.left_out["void_games"] = sum(s.state == Slot.VOID for s in self.source.slots)
        self.left_out["withdrew"] = len(self.counting.withdrew)
        self.left_out["excluded"] = len(self.counting.excluded)
        out = self.counting.people | self.counting.withdrew | self.counting.excluded
        self.left_out["no_game"] = sum(p.pseudonym not in out for p in self.source.participants)

    # Games ------------------------------------------------------------------------------------

    def _build_game_row(self, slot: Slot) -> GameRow:
        game = game_of(slot)
        pseudonyms_by_seat, stood_in = self.counting.sat(slot), self.counting.stood_in(slot)
        may_reveal_kinds = self.source.may_reveal_kinds(slot)
        seats_left = {
            seat
            for seat, name in pseudonyms_by_seat.items()
            if name in self.counting.withdrew | self.counting.excluded
        }
        if may_reveal_kinds:
            self.left_out["stood_in_seats"] += len(stood_in)
            self.left_out["games_nobody_won"] += has_no_winner(get_seat_outcomes(game))
        players = self.source.players[game.pk]
        people = {seat for seat, p in players.items() if p.kind == Player.PERSON}
        seats = tuple(
            self._seat(
                n,
                outcome,
                "" if not may_reveal_kinds or n in stood_in | seats_left else players[n].kind,
                pseudonyms_by_seat.get(n, ""),
            )
            for n, outcome in enumerate(get_seat_outcomes(game), 1)
        )
        if has_no_winner(get_seat_outcomes(game)):
            seats = tuple(replace(seat, won=None) for seat in seats)
        game_record = (
            load_record(game) if may_reveal_kinds and rulesets.get(game.ruleset).badge else None
        )
        if game_record and game_record.is_void:
            self.left_out["ended_before_a_vote"] += 1
            game_record = None
        pseudonyms = tuple(pseudonyms_by_seat[s] for s in sorted(pseudonyms_by_seat))
        return GameRow(
            game.code, build_deal_key(game), slot.condition.name, pseudonyms,
            seats, game_record, frozenset(people - stood_in - seats_left),
        )  # fmt: skip

    def _seat(self, number: int, outcome: SeatOutcome, kind: str, pseudonym: str) -> SeatRow:
        seat_kind = {Player.PERSON: PERSON, Player.AGENT: COMPUTER}.get(kind, "")
        person_name = pseudonym if seat_kind == PERSON else ""
        return SeatRow(
            number,
            seat_kind,
            outcome.role,
            outcome.team,
            outcome.has_won,
            not outcome.out,
            person_name,
        )

    def _votes(self, slot: Slot, seat_rows: tuple[SeatRow, ...]) -> Iterator[VoteRow]:
        """Yield the last ballot of each day, of voters whose team wants a hunted role out.

        Those are neither the team of the hunted nor one that wins by its own exile (the Tanner).
        """
        game = game_of(slot)
        if not self.source.may_reveal_kinds(slot):
            return
        ruleset = rulesets.get(game.ruleset)
        hunted = {role.key for role in ruleset.roles if role.is_hunted}
        wins = exile_wins(ruleset)
        excluded_teams = {role.team for role in ruleset.roles if role.is_hunted}
        excluded_teams |= {role.team for role in ruleset.roles if wins.get(role.key) == role.team}
        ballots, seats = ruleset.wording.ballots, get_seat_outcomes(game)
        seats_by_number = {seat.seat: seat for seat in seat_rows}
        cast = Vote.objects.filter(game=game, kind__in=ballots).select_related("event")
        vote_rows = list(cast.order_by("event__seq"))
        last = {vote.day: vote.event.data["window"] for vote in vote_rows}
        for vote in vote_rows:
            outcome = seats[vote.seat - 1]
            if vote.event.data["window"] != last[vote.day] or outcome.team in excluded_teams:
                continue
            if not seats_by_number[vote.seat].kind:
                continue
            if any(labels.label_kind(label) in UNCAST_VOTE_LABELS for label in vote.labels):
                self.left_out["drawn_votes"] += 1
            elif vote.target is None:
                self.left_out["abstentions"] += 1
            else:
                right = seats[vote.target - 1].role in hunted
                by = seats_by_number[vote.seat]
                yield VoteRow(game.code, vote.seat, by.kind, right, by.participant)

    # What was said ----------------------------------------------------------------------------

    @cached_property
    def _items_asked(self) -> dict[tuple[str, str], Item]:
        return {(i.key, item.key): item for i in instruments_asked(self.source) for item in i.items}

    def _items(self) -> Iterator[ItemRow]:
        for (instrument, _key), item in self._items_asked.items():
            if kind := KINDS.get(item.answer):
                options = {o.key: o.label for o in item.options}
                yield ItemRow(
                    f"{instrument}.{item.key}", item.label or item.question, kind, item.min,
                    item.max, item.low_pole, item.high_pole, options,
                )  # fmt: skip

    def _read_responses(self) -> tuple[list[GuessRow], list[AnswerRow]]:
        guesses: list[GuessRow] = []
        answers: list[AnswerRow] = []
        slots = {slot.index: slot for slot in self.source.slots}
        for row in responses.read_rows(self.source.study):
            item = self._items_asked.get((row.instrument, row.item))
            slot = slots.get(row.slot) if row.slot else None
            if (
                item is None
                or item.answer == "text"
                or not self._include_or_count_reason(row, slot, item)
            ):
                continue
            if item.answer in (HUMAN, ROLE):
                guesses += self._guess(row, item, slot)
            elif not row.about_seat or (slot and self.source.may_reveal_kinds(slot)):
                answers += self._answer(row, slot)
        return guesses, answers

    def _include_or_count_reason(self, row: ResponseRow, slot: Slot | None, item: Item) -> bool:
        """Return whether the answer counts. Otherwise count it under the reason."""
        reason = self.counting.why_not(row, slot, item)
        self.left_out[reason] += bool(reason)
        return not reason

    def _guess(self, row: ResponseRow, item: Item, slot: Slot | None) -> Iterator[GuessRow]:
        if slot is None or not self.source.may_reveal_kinds(slot):
            return
        game = game_of(slot)
        player = self.source.players[game.pk][row.about_seat]
        truth = PERSON if player.kind == Player.PERSON else COMPUTER
        if item.answer == ROLE:
            truth = get_seat_outcomes(game)[row.about_seat - 1].role
        yield GuessRow(
            row.game, row.participant, row.about_seat, f"{row.instrument}.{row.item}", item.answer,
            str(row.choice), truth, row.number,
        )  # fmt: skip

    def _answer(self, row: ResponseRow, slot: Slot | None) -> Iterator[AnswerRow]:
        condition = slot.condition.name if slot else self._condition_of(row.participant)
        chosen = row.choice if isinstance(row.choice, list) else [row.choice] if row.choice else []
        key = f"{row.instrument}.{row.item}"
        yield AnswerRow(row.participant, row.game, condition, key, row.number, tuple(chosen))

    def _condition_of(self, participant: str) -> str:
        """Return the only condition that the participant played, "" for several."""
        names = {
            slot.condition.name
            for slot in self.known.values()
            if participant in self.counting.sat(slot).values()
        }
        return names.pop() if len(names) == 1 else ""


def game_of(slot: Slot) -> Game:
    assert slot.game
    return slot.game
