"""Reads the rows that a study's results are computed from (docs/study-results.md)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from game.engine import labels, rulesets
from game.models import Game, Player, Vote
from webapp.lab.record_builder import winning_team_by_exiled_role
from webapp.lab.stored_games import load_record
from webapp.measures.game_record import GameRecord
from webapp.study.data.studies.response_files import guess_truth, items_by_key
from webapp.study.data.studies.study_source import Inclusion, StudySource
from webapp.study.design.instruments import Item
from webapp.study.games.seat_outcomes import build_deal_key, get_seat_outcomes, has_no_winner
from webapp.study.models import Condition, Response, Seating, Slot
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
    Observation,
    SeatRow,
    StudyRows,
)
from webapp.study.sessions.slots import PLAYED_STATES

ITEM_KINDS = {"scale": SCALE, "slider": SCALE, "number": NUMBER, "one": CHOICE, "many": CHOICE}
COMPLETED = "completed"
EXITS_BEFORE_GAMES = ("screened_out", "unsuitable", "quiz_early", "full", "declined")
# Labels of votes that no player cast.
UNCAST_VOTE_LABELS = ("timeout", labels.FALLBACK, "stand-in")


def build_study_rows(source: StudySource) -> StudyRows:
    """Return all data that count, and the numbers of data that are left out.

    Games whose kinds of players are hidden give only data that reveal none.
    """
    return _StudyRowsReader(source).read()


class _StudyRowsReader:
    """Reads the rows.

    Attributes:
        left_out: Key of a reason -> number of data that do not count.
    """

    def __init__(self, source: StudySource) -> None:
        self.source = source
        self.left_out: Counter[str] = Counter()
        self.inclusion = Inclusion(source)

    def read(self) -> StudyRows:
        slots = self.inclusion.counted_slots
        games = tuple(self._build_game_row(slot) for slot in slots.values())
        votes = [vote for game in games for vote in self._vote_rows(slots[game.code], game.seats)]
        guesses, answers = self._read_responses()
        self._count_left_out_participants()
        analysis = self.source.design.analysis
        participants = self.source.participants
        return StudyRows(
            conditions=tuple(row.name for row in self.source.conditions.values()),
            games=games,
            guesses=tuple(guesses),
            answers=tuple(answers),
            votes=tuple(votes),
            items=tuple(self._item_rows()),
            is_revealed=all(map(self.source.may_reveal_kinds, self.source.slots)),
            people=len(self.inclusion.counted_people),
            left_out={key: count for key, count in sorted(self.left_out.items()) if count},
            enrolment=self._count_enrolment(),
            flow=tuple(map(self._build_flow_row, self.source.conditions.values())),
            completed=frozenset(p.pseudonym for p in participants if p.exit == COMPLETED),
            planned=tuple(test.to_json() for test in analysis.tests),
            has_interim_plan=analysis.interim,
            is_experiment=self.source.study.is_experiment,
        )

    # Games ------------------------------------------------------------------------------------

    def _build_game_row(self, slot: Slot) -> GameRow:
        game = _game_of(slot)
        pseudonyms = self.inclusion.pseudonyms_by_seat(slot)
        stand_in_seats = self.inclusion.stand_in_seats(slot)
        left_out_people = self.inclusion.withdrew | self.inclusion.excluded
        left_out_seats = stand_in_seats | {s for s, p in pseudonyms.items() if p in left_out_people}
        players = self.source.players[game.pk].values()
        people_seats = {player.seat for player in players if player.kind == Player.PERSON}
        outcomes, may_reveal = get_seat_outcomes(game), self.source.may_reveal_kinds(slot)
        if may_reveal:
            self.left_out["stood_in_seats"] += len(stand_in_seats)
            self.left_out["games_nobody_won"] += has_no_winner(outcomes)
        seat_rows = []
        for seat, outcome in enumerate(outcomes, 1):
            kind = PERSON if seat in people_seats else COMPUTER
            if not may_reveal or seat in left_out_seats:
                kind = ""
            won = None if has_no_winner(outcomes) else outcome.has_won
            participant = pseudonyms.get(seat, "") if kind == PERSON else ""
            seat_rows.append(
                SeatRow(
                    seat=seat,
                    kind=kind,
                    role=outcome.role,
                    team=outcome.team,
                    won=won,
                    survived=not outcome.out,
                    participant=participant,
                )
            )
        return GameRow(
            code=game.code,
            deal=build_deal_key(game),
            condition=slot.condition.name,
            people=tuple(pseudonyms[seat] for seat in sorted(pseudonyms)),
            seats=tuple(seat_rows),
            record=self._load_leader_record(game) if may_reveal else None,
            counted=frozenset(people_seats - left_out_seats),
        )

    def _load_leader_record(self, game: Game) -> GameRecord | None:
        """Return the record of a game with a leader, None for other games and void records."""
        if not rulesets.get(game.ruleset).badge:
            return None
        record = load_record(game)
        self.left_out["ended_before_a_vote"] += record.is_void
        return None if record.is_void else record

    def _vote_rows(self, slot: Slot, seat_rows: Sequence[SeatRow]) -> Iterator[Observation]:
        """Yield the last ballot of each day, of voters whose team wants a hunted role out.

        This leaves out the team of the hunted, and teams that win by their own exile (the Tanner).
        """
        if not self.source.may_reveal_kinds(slot):
            return
        game = _game_of(slot)
        ruleset, outcomes = rulesets.get(game.ruleset), get_seat_outcomes(game)
        hunted = {role.key for role in ruleset.roles if role.is_hunted}
        team_by_exiled_role = winning_team_by_exiled_role(ruleset)
        left_out_teams = {
            role.team
            for role in ruleset.roles
            if role.is_hunted or team_by_exiled_role.get(role.key) == role.team
        }
        voters = {row.seat: row for row in seat_rows}
        cast = Vote.objects.filter(game=game, kind__in=ruleset.wording.ballots)
        votes = list(cast.select_related("event").order_by("event__seq"))
        last_windows = {vote.day: vote.event.data["window"] for vote in votes}
        for vote in votes:
            voter = voters[vote.seat]
            is_last = vote.event.data["window"] == last_windows[vote.day]
            if not is_last or voter.team in left_out_teams or not voter.kind:
                continue
            if any(labels.label_kind(label) in UNCAST_VOTE_LABELS for label in vote.labels):
                self.left_out["drawn_votes"] += 1
            elif vote.target is None:
                self.left_out["abstentions"] += 1
            else:
                is_right = float(outcomes[vote.target - 1].role in hunted)
                yield Observation(is_right, game.code, voter.participant, side=voter.kind)

    # Answers ----------------------------------------------------------------------------------

    @cached_property
    def _items(self) -> dict[tuple[str, str], Item]:
        return items_by_key(self.source)

    def _item_rows(self) -> Iterator[ItemRow]:
        for (instrument, key), item in self._items.items():
            if kind := ITEM_KINDS.get(item.answer):
                options = {option.key: option.label for option in item.options}
                yield ItemRow(
                    f"{instrument}.{key}", item.label or item.question, kind, item.min,
                    item.max, item.low_pole, item.high_pole, options,
                )  # fmt: skip

    def _read_responses(self) -> tuple[list[GuessRow], list[AnswerRow]]:
        """Return the rows of answers that count. Count the others by reason."""
        guesses: list[GuessRow] = []
        answers: list[AnswerRow] = []
        for row, slot in self.source.read_answers():
            item = self._items.get((row.instrument, row.item))
            if item is None or item.answer == "text":
                continue
            if reason := self.inclusion.exclusion_key(row, slot, item):
                self.left_out[reason] += 1
                continue
            may_reveal = slot is not None and self.source.may_reveal_kinds(slot)
            if item.answer in (HUMAN, ROLE):
                if slot and may_reveal:
                    guesses.append(self._build_guess_row(row, item, slot))
            elif not row.about_seat or may_reveal:
                answers.append(self._build_answer_row(row, slot))
        return guesses, answers

    def _build_guess_row(self, row: Response, item: Item, slot: Slot) -> GuessRow:
        return GuessRow(
            game=_game_of(slot).code,
            participant=row.participant.pseudonym,
            seat=row.about_seat,
            item=f"{row.instrument}.{row.item}",
            subject=item.answer,
            guess=str(row.choice),
            truth=guess_truth(self.source, _game_of(slot), row, item.answer),
            sure=row.number,
        )

    def _build_answer_row(self, row: Response, slot: Slot | None) -> AnswerRow:
        participant, game = row.participant.pseudonym, slot.game if slot else None
        condition = slot.condition.name if slot else self._only_condition(participant)
        chosen = row.choice if isinstance(row.choice, list) else [row.choice] if row.choice else []
        key = f"{row.instrument}.{row.item}"
        code = game.code if game else ""
        return AnswerRow(participant, code, condition, key, row.number, tuple(chosen))

    def _only_condition(self, participant: str) -> str:
        """Return the only condition that the participant played, "" for several."""
        names = {
            slot.condition.name
            for slot in self.inclusion.counted_slots.values()
            if participant in self.inclusion.pseudonyms_by_seat(slot).values()
        }
        return names.pop() if len(names) == 1 else ""

    # Numbers of participants ------------------------------------------------------------------

    @cached_property
    def _offers(self) -> list[tuple[int, str, str]]:
        """(condition id, participant's key, state) of every seat that was offered."""
        seatings = Seating.objects.filter(slot__study=self.source.study)
        return list(seatings.values_list("slot__condition", "participant__key", "state"))

    def _count_enrolment(self) -> dict[str, int]:
        people = self.source.participants
        offered = {key for _condition, key, _state in self._offers}
        eligible_people = [p for p in people if p.exit not in EXITS_BEFORE_GAMES]
        return {
            "enrolled": len(people),
            "screened_out": len(people) - len(eligible_people),
            "unassigned": sum(p.key not in offered for p in eligible_people),
        }

    def _build_flow_row(self, condition: Condition) -> FlowRow:
        offers = [(key, state) for pk, key, state in self._offers if pk == condition.pk]
        assigned = {key for key, _state in offers}
        started = {key for key, state in offers if state in PLAYED_STATES}
        players = [p for p in self.source.participants if p.key in started]
        slots = [slot for slot in self.source.slots if slot.condition_id == condition.pk]
        void_reasons = Counter(slot.void_reason for slot in slots if slot.state == Slot.VOID)
        return FlowRow(
            condition.name,
            assigned=sum(p.key in assigned for p in self.source.participants),
            started=len(players),
            under_way=sum(not p.exit for p in players),
            completed=sum(p.exit == COMPLETED for p in players),
            withdrew=sum(p.withdrew for p in players),
            excluded=sum(p.excluded for p in players),
            games=sum(slot.state == Slot.DONE for slot in slots),
            void=dict(sorted(void_reasons.items())),
        )

    def _count_left_out_participants(self) -> None:
        inclusion, participants = self.inclusion, self.source.participants
        counted_or_excluded = inclusion.counted_people | inclusion.withdrew | inclusion.excluded
        self.left_out["void_games"] = sum(s.state == Slot.VOID for s in self.source.slots)
        self.left_out["withdrew"] = len(inclusion.withdrew)
        self.left_out["excluded"] = len(inclusion.excluded)
        self.left_out["no_game"] = sum(p.pseudonym not in counted_or_excluded for p in participants)


def _game_of(slot: Slot) -> Game:
    assert slot.game
    return slot.game
