"""The minds of the computer players at one line of the replay: beliefs, plans and memories.

The sources are the notes that the mind had at that moment (`agents.decision.mind_at`), and the
requests for the line's answer. Parts that a mind lacks are omitted. A blind table shows no minds.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.decision import mind_at
from agents.faculties.memory import SCORE_WEIGHTS
from agents.packs import pack_of
from agents.personas.big_five import Persona
from game.engine import visibility
from game.engine.ruleset import team_of
from game.models import Player
from webapp.play.models import LLMCall
from webapp.play.page.agent_cards import factor_scores
from webapp.play.page.narrator import role_name
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.contest_notes import contest_note_parts
from webapp.play.replay.heat_tables import HeatCell, HeatMapBuilder, HeatRow, HeatTable
from webapp.play.replay.request_panels import build_request_panels
from webapp.play.replay.trust_panel import TrustPanel
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint
from webapp.play.turns.agent_records import load_notes

# The figures of a memory's score, in the order of `agents.faculties.memory.SCORE_WEIGHTS`.
MEMORY_FIGURE_LABELS = (
    gettext_lazy("heard recently"),
    gettext_lazy("liked the speaker then"),
    gettext_lazy("likes the speaker now"),
)
# The summands of a built-in player's vote (`agents.house.mindset.Mindset.score_parts`).
VOTE_PART_LABELS = {
    "werewolf": gettext_lazy("Werewolf, as it shows the table"),
    "reasons": gettext_lazy("Reasons of its role"),
    "gut": gettext_lazy("Gut feeling"),
    "fondness": gettext_lazy("Likes and dislikes"),
    "memory": gettext_lazy("Recalled statements"),
    "plan": gettext_lazy("Its plan"),
    "word": gettext_lazy("Announced votes"),
}
# The same summands in the same order, as reasons for a vote for {name}.
VOTE_REASONS = {
    "werewolf": gettext_lazy("{name} looked more like a Werewolf"),
    "reasons": gettext_lazy("its role had reasons to"),
    "gut": gettext_lazy("of a gut feeling"),
    "fondness": gettext_lazy("it liked {name} less"),
    "memory": gettext_lazy("of recalled statements"),
    "plan": gettext_lazy("that was its plan"),
    "word": gettext_lazy("of announced votes"),
}


@dataclass(frozen=True)
class RoleProbabilities:
    roles: list[tuple[str, str]]  # (key, name)
    rows: list[HeatRow]
    is_of_round: bool  # the judgement was made at the start of the round; no later answer had one


@dataclass(frozen=True)
class RoleGuess:
    seat: Seat
    role: str
    side: str  # "teammate" | "opponent" | ""


@dataclass(frozen=True)
class RecalledStatement:
    """A statement that a mind recalled, with three figures from 0 to 1 that explain why."""

    turn: int  # number of the statement among the turns
    speaker: Seat
    text: str  # "" if the host removed it
    at: int  # the line with the statement
    recency: float
    importance: float
    fondness: float
    score: float  # the weighted sum of the figures

    @property
    def parts(self) -> list[float]:
        """The figures times their weights, with two digits."""
        figures = (self.recency, self.importance, self.fondness)
        return [round(w * x, 2) for w, x in zip(SCORE_WEIGHTS, figures, strict=True)]

    @property
    def total(self) -> float:
        return sum(self.parts)

    @property
    def bars(self) -> list[tuple[float, float]]:
        """The (start, length) of each part's bar. A bar starts where the one before ends."""
        ends = list(accumulate(self.parts))
        return [(end - part, part) for end, part in zip(ends, self.parts, strict=True)]


@dataclass(frozen=True)
class VoteWeights:
    """How much a built-in player wanted to vote for a player, in percentage points."""

    seat: Seat
    parts: list[float]  # points by VOTE_PART_LABELS, with one decimal
    is_chosen: bool

    @property
    def total(self) -> float:
        return sum(self.parts)


@dataclass(frozen=True)
class MindsPanel:
    """The panel of minds: the tables of all minds, and one mind."""

    heats: list[HeatTable]
    mind: "MindPanel | None"  # None before anyone has spoken


def build_minds_panel(point: ReplayPoint) -> MindsPanel | None:
    """Build the panel at a point of the replay, None for the public view, which shows no mind.

    The all-knowing view shows every mind, a seat's view only its own.
    """
    replayed, viewer = point.replayed, point.transcript.viewer
    can_show_minds = replayed.can_show_minds and replayed.disclosed.can_show_agent_traits
    if viewer == visibility.PUBLIC or not can_show_minds:
        return None
    thinkers, own_seat = _thinkers(replayed), viewer.seat
    shown_seats = thinkers & {own_seat} if own_seat else thinkers
    if not shown_seats:
        return None
    mind = MindPanel(point, sorted(shown_seats))
    heats = HeatMapBuilder(point, mind.minds, mind.number)
    heat_tables = [table for table in (heats.favor(), heats.trust()) if table]
    return MindsPanel(heat_tables, mind if mind.number else None)


def _thinkers(replayed: ReplayedGame) -> set[int]:
    """Return the seats for which a computer player has thought, even only as a stand-in."""
    agents = {p.seat for p in replayed.players if p.kind == Player.AGENT}
    return agents | set(_requests_in_play(replayed).values_list("seat", flat=True))


def _requests_in_play(replayed: ReplayedGame) -> QuerySet[LLMCall]:
    return LLMCall.objects.filter(game=replayed.game).exclude(purpose=LLMCall.RIVAL)


class MindPanel:
    """The mind that is open at a line: the speaker's, else that of the last speaker.

    `number` is its seat, 0 before anyone has spoken: then there is nothing to show.
    """

    def __init__(self, point: ReplayPoint, shown_seats: list[int]) -> None:
        self.replayed, self.transcript, self.seats = point.replayed, point.transcript, point.seats
        self.point, self.shown_seats = point, shown_seats
        self.state = point.view.state
        speaker, window = point.answer_key
        shown_speaker = speaker if speaker in shown_seats else self._last_shown_speaker()
        self.number = self.transcript.viewer.seat or shown_speaker
        self.window = window if self.number and self.number == speaker else ""
        game, moment, closed = self.replayed.game, self.state.moment, point.closed_window_keys
        self.minds = {s: mind_at(load_notes(game, s), moment, closed) for s in shown_seats}
        if self.number:
            self._describe()

    def _last_shown_speaker(self) -> int:
        """Return the shown seat that spoke or voted last, 0 for none."""
        for line in reversed(self.transcript.entries[: self.point.line_number]):
            is_answer = line.kind in ("statement", "vote")
            if is_answer and line.speaker and line.speaker.number in self.shown_seats:
                return line.speaker.number
        return 0

    def _is_made_by_now(self, row: LLMCall) -> bool:
        """Return whether the mind had made the request by now."""
        if row.purpose == LLMCall.PREPARATION:
            return row.moment <= self.state.moment
        return row.window in self.point.closed_window_keys

    def _describe(self) -> None:
        requests = _requests_in_play(self.replayed).filter(seat=self.number).order_by("pk")
        past_requests = [row for row in requests if self._is_made_by_now(row)]
        mind, ruleset = self.minds[self.number], self.replayed.ruleset
        player = next(p for p in self.replayed.players if p.seat == self.number)
        persona_data = (player.recipe or {}).get("persona")
        persona = Persona.of(persona_data) if persona_data else None
        self.seat = self.seats[self.number]
        # The line is its own, so its memories and requests are shown.
        self.is_own_line, self.line = bool(self.window), self.point.line if self.window else None
        self.bars = factor_scores(persona) if persona else []
        self.adjectives = persona.summary() if persona else ""
        # The text as it is in the backend's prompt.
        self.persona = persona.text() if persona else ""
        self.role_probabilities = self._build_role_probabilities(past_requests)
        self.vote_weights = self._build_vote_weights(past_requests)  # the highest weights are first
        # Headers of the columns of `vote_weights`.
        self.vote_part_labels = [str(name) for name in VOTE_PART_LABELS.values()]
        sentences = (
            self._suspicion_sentence(self.role_probabilities),
            _vote_reason(self.vote_weights),
        )
        self.summary = " ".join(filter(None, sentences))
        trust = TrustPanel(self.point, self.number, mind)
        self.trust, self.trust_course = trust.build_trust(self.window), trust.build_course()
        self.plan = str(mind.latest("strategy").get("plan") or "")
        self.guesses = self._build_guesses(mind.latest("judgement"))
        # Only built-in players have a stance.
        self.stance = self._stance_rows(mind.latest("stance"))
        self.recalled_statements = self._build_recalled()
        self.memory_weights = list(zip(map(str, MEMORY_FIGURE_LABELS), SCORE_WEIGHTS, strict=True))
        self.max_memory_score = sum(SCORE_WEIGHTS)
        names = {number: seat.name for number, seat in self.seats.items()}
        self.contest_notes = contest_note_parts(mind, names, ruleset.name)
        own_requests = [row for row in past_requests if self._belongs_to_line(row)]
        # A request made by now may repeat a removed text.
        is_redacted = any(
            line.removed for line in self.transcript.entries[: self.point.line_number]
        )
        self.requests = build_request_panels(own_requests, ruleset.wording, is_redacted=is_redacted)

    def _belongs_to_line(self, row: LLMCall) -> bool:
        """Return whether a request was made for the line's answer, or to prepare its round."""
        if row.purpose == LLMCall.PREPARATION:
            is_own_statement = self.window and self.point.line.kind == "statement"
            rounds = self.state.rounds
            return bool(is_own_statement and rounds and row.moment == rounds[-1])
        return bool(self.window) and row.window == self.window

    def _build_role_probabilities(self, past_requests: list[LLMCall]) -> RoleProbabilities | None:
        """Build the judgement made for the line, else the newest one, None without a judgement."""
        notes = [n for n in self.minds[self.number].of("judgement") if n.data.get("roles")]
        of_line = [r for r in past_requests if r.window == self.window]
        since_note = [r for r in past_requests if not notes or r.moment >= notes[-1].moment]
        of_answer = _newest_judgement(of_line) or _newest_judgement(since_note)
        if not (of_answer or notes):
            return None
        chances_by_seat = of_answer or notes[-1].data["roles"]
        role_options = [(r.key, _(r.name)) for r in self.replayed.ruleset.roles]
        true_roles = self.transcript.view.state.roles  # as this viewer knows them after the game
        rows = []
        for seat in self.seats.values():
            if chances := chances_by_seat.get(str(seat.number)):
                cells: list[HeatCell | None] = [
                    _chance_cell(chances.get(key, 0.0), true_roles.get(seat.number) == key)
                    for key, _n in role_options
                ]
                rows.append(HeatRow(seat, cells, seat.number == self.number))
        return RoleProbabilities(role_options, rows, is_of_round=not of_answer)

    def _suspicion_sentence(self, probabilities: RoleProbabilities | None) -> str:
        """Return the player's main suspect as a sentence, "" for a player who knows the hunted."""
        pack = pack_of(self.replayed.ruleset)
        if probabilities is None or self.replayed.dealt_roles[self.number] in pack.wolves:
            return ""
        columns = [n for n, (key, _name) in enumerate(probabilities.roles) if key in pack.hunted]
        chances = {
            row.seat.name: sum(int(cell.text) for n in columns if (cell := row.cells[n]))
            for row in probabilities.rows
            if not row.is_current and not row.seat.is_out
        }
        suspect = max(chances, key=lambda name: chances[name], default="")
        role = role_name(self.replayed.ruleset.name, pack.hunted[0])
        text = _("Suspects {name} most: {chance} % to be a {role}.")
        return suspect and text.format(name=suspect, chance=chances[suspect], role=role)

    def _build_guesses(self, judgement: Mapping[str, Any]) -> list[RoleGuess]:
        """Build the plan's guesses of the others' roles. None is more frequent than in the deck."""
        ruleset, rows = self.replayed.ruleset, judgement.get("list") or {}
        own_role = self.replayed.dealt_roles[self.number]
        likeliest = {s: str(row["role"]) for s, row in rows.items() if row.get("role")}
        other_roles = Counter(ruleset.deck) - Counter([own_role])
        role_keys = {r.key for r in ruleset.roles}
        fitted = _fit_to_deck(other_roles, likeliest, judgement.get("roles") or {})
        guesses = []
        for number, seat in self.seats.items():
            role = fitted.get(str(number), "")
            if role in role_keys:
                is_mate = team_of(ruleset, role) == team_of(ruleset, own_role)
                side = "teammate" if is_mate else "opponent"
                guesses.append(RoleGuess(seat, role_name(ruleset.name, role), side))
            elif role:  # a model may answer with any word
                guesses.append(RoleGuess(seat, role, ""))
        return guesses

    def _stance_rows(self, data: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return (label, value) of a built-in player's stance, [] without one."""
        name, pose = self.replayed.ruleset.name, str(data.get("pose", ""))
        role_keys = {r.key for r in self.replayed.ruleset.roles}
        poses = {"none": _("no one: evades"), "turncoat": _("a Villager first, then the Seer")}
        posing = role_name(name, pose) if pose in role_keys else poses.get(pose, pose)
        manners = {"plain": _("plain"), "warm": _("warm"), "blunt": _("blunt")}
        manners |= {"careful": _("careful"), "wry": _("wry")}
        manner = str(data.get("manner", ""))
        rows = [
            (_("Pretends to be"), posing),
            (_("Plans to claim this by round"), str(data.get("when", ""))),
            (_("Manner"), manners.get(manner, manner)),
        ]
        return [(label, value) for label, value in rows if value]

    def _build_recalled(self) -> list[RecalledStatement]:
        """Build the statements that the mind recalled for the line, [] for lines of others."""
        notes = self.minds[self.number].of("memory")
        note = next((n for n in notes if self.window and n.window == self.window), None)
        turns_by_number = {turn.number: turn for turn in self.transcript.view.turns}
        recalled = []
        for row in note.data.get("retrieved", ()) if note else ():
            turn = turns_by_number.get(row["turn"])
            if turn is None or row["speaker"] not in self.seats:
                continue
            at = self.transcript.find_line_by_view_position(turn.position)
            figures = (row["recency"], row["importance"], row["fondness"], row["score"])
            speaker = self.seats[turn.seat]
            recalled.append(RecalledStatement(turn.number, speaker, turn.text, at, *figures))
        return recalled

    def _build_vote_weights(self, past_requests: list[LLMCall]) -> list[VoteWeights]:
        """Build the weights that led to the line's vote, [] unless a built-in player cast it."""
        ballots = self.replayed.ruleset.wording.ballots
        vote_requests = (r for r in past_requests if r.window == self.window and r.kind in ballots)
        row = next(vote_requests, None)
        parts_by_seat = (row.reply or {}).get("weighed") if row else None
        if not isinstance(parts_by_seat, dict):
            return []
        chosen = self.point.line.target
        rows = [
            VoteWeights(
                self.seats[int(seat)],
                [round(100 * float(parts.get(name, 0)), 1) for name in VOTE_PART_LABELS],
                chosen is not None and chosen.number == int(seat),
            )
            for seat, parts in parts_by_seat.items()
        ]
        return sorted(rows, key=lambda row: -row.total)


def _vote_reason(weights: list[VoteWeights]) -> str:
    """Return the main reason for the vote rather than for the runner-up, "" without a vote.

    If the runner-up had more points, the sentence gives no reason: the agent kept an accusation.
    """
    chosen = next((row for row in weights if row.is_chosen), None)
    second = next((row for row in weights if not row.is_chosen), None)
    if chosen is None or second is None:
        return ""
    parts = zip(VOTE_REASONS, chosen.parts, second.parts, strict=True)
    lead_by_part = {part: own - other for part, own, other in parts}
    if chosen.total < second.total:
        text = _("Voted for {name} after accusing them earlier, although {other} had more points.")
    else:
        text = _("Voted for {name} rather than {other}, mostly because {reason}.")
    reason = str(VOTE_REASONS[max(lead_by_part, key=lambda part: lead_by_part[part])])
    name, runner_up = chosen.seat.name, second.seat.name
    return text.format(name=name, other=runner_up, reason=reason.format(name=name))


def _fit_to_deck(
    deck: Counter[str], likeliest: Mapping[str, str], chances: Mapping[str, Mapping[str, float]]
) -> dict[str, str]:
    """Return seat -> guessed role, no role more often than in `deck`.

    The surest guesses keep their likeliest role. The others get the likeliest role that is left, by
    `chances` (seat -> role -> probability). The plan itself used `likeliest` (equation 8 of
    Humanized), where a role may be repeated without limit.
    """
    left = deck.copy()
    roles: dict[str, str] = {}
    for seat in sorted(likeliest, key=lambda s: -max(chances.get(s, {}).values(), default=0.0)):
        row = chances.get(seat, {})
        options = [likeliest[seat], *sorted(row, key=lambda role: -row[role])]
        roles[seat] = next((role for role in options if left[role] > 0), likeliest[seat])
        left[roles[seat]] -= 1
    return roles


def _newest_judgement(rows: list[LLMCall]) -> Mapping[str, Mapping[str, float]]:
    """Return seat -> role -> probability of the newest judgement in the requests, {} for none."""
    for row in reversed(rows):
        judgement = row.brief.get("judgement") if isinstance(row.brief, dict) else None
        if isinstance(judgement, dict) and judgement.get("roles"):
            roles: Mapping[str, Mapping[str, float]] = judgement["roles"]
            return roles
    return {}


def _chance_cell(probability: float, is_true: bool) -> HeatCell:
    """Return the cell of a probability, in percent, with a colour level from 0 to 8."""
    level = max(0, min(8, round(8 * probability)))
    return HeatCell(str(round(100 * probability)), level, is_true)
