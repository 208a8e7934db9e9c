"""Parse the text of a statement into speech acts. Text that is not understood yields no act.

1. Split the statement into sentences (`normalise`) and clauses with seats in place of pronouns
   (`clauses`).
2. Search all clauses for reports of looks (`reports`).
3. Read each sentence for questions and proposals (`verdicts`), and each clause for claims of its
   speaker (`self_claims`) and verdicts on other seats (`verdicts`).
4. Read the whole statement for what no single clause says.
5. Add and remove acts by learned models (`learned_acts`).

Conditionals, hearsay, past games, plain irony, quotations and lines that imitate another speaker
yield no act.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from time import monotonic, thread_time

from agents.language.patterns import LEXICON, load
from agents.packs import Pack, Result
from agents.understanding import self_claims, verdicts
from agents.understanding.clauses import Addressees, Clause, mentioned_seats
from agents.understanding.learned_acts import apply_learned
from agents.understanding.normalise import Sentence, is_short_enough, plain_sentences, role_key
from agents.understanding.punctuation import add_punctuation
from agents.understanding.reports import LookReport, find_reports
from agents.understanding.self_claims import PATTERNS as SELF_PATTERNS
from agents.understanding.speech_acts import SpeechAct, remove_outdone
from agents.understanding.verdicts import PATTERNS as VERDICT_PATTERNS

PATTERNS = load("understand")
# Kinds of acts that mean nothing if their target is dead.
LIVING_ONLY_KINDS = ("suspect", "accuse", "defend", "agree", "vote")
# Processor time of one statement. The costliest known text takes 0.05 s. The limit is far above it,
# because a garbage collection in this thread counts too, and a game must not depend on that.
MAX_CPU_S = 5.0
# (sentence, its clauses, seat that "you" means after it, seat that "he" means after it)
_Line = tuple[Sentence, list[Clause], str, str]


class TooCostlyError(Exception):
    """Raised when a statement has used up its processor time."""


class CpuBudget:
    """The processor time that this thread may still spend on one statement.

    Processor time is read only after MAX_CPU_S of wall-clock time, because a reading can take
    0.25 ms: with every sentence, 6 % of a game.
    """

    def __init__(self) -> None:
        self._free_until = monotonic() + MAX_CPU_S
        self._ends_at = 0.0

    def check(self) -> None:
        """Raise TooCostlyError if the time is used up."""
        if monotonic() < self._free_until:
            return
        self._ends_at = self._ends_at or thread_time() + MAX_CPU_S
        if thread_time() > self._ends_at:
            raise TooCostlyError


class _StatementReader:
    """Parser of one statement of `speaker`.

    Args:
        to: The seat that "you" means if the statement names none, 0 for none.
    """

    def __init__(self, speaker: int, seats: tuple[str, ...], to: int, pack: Pack) -> None:
        self.speaker, self.seats, self.pack = speaker, seats, pack
        self.budget = CpuBudget()
        self.addressees = Addressees(str(to) if to else "")
        self.statement = ""  # the whole statement
        self.own_role = ""  # token of the role claimed so far
        self.is_retracted = False
        self.unasserted_seats: frozenset[int] = frozenset()
        self.last_seat = ""  # named last in an earlier clause
        self.last_verdict: tuple[str, str] = ("", "")  # (kind, role), on any player
        # State of the current sentence.
        self.is_question = False
        self.has_several_clauses = False
        self.is_role_list = False
        self.has_verdict = False

    def read(self, text: str) -> list[SpeechAct]:
        """Return all acts of the statement."""
        lines = self._lines(text)
        all_clauses = [c for _, clauses, *_ in lines for c in clauses]
        self.statement = " . ".join(c.text for c in all_clauses)
        self.unasserted_seats = _find_unasserted_seats(lines)
        asserted_clauses = [clause for clause in all_clauses if not clause.is_idle]
        lookers = (role for role in _claimed_roles(all_clauses) if role.startswith("looker"))
        looks = find_reports(asserted_clauses, next(lookers, ""), self.pack)
        look_clauses = {id(asserted_clauses[i]) for look in looks for i in look.clause_indices}
        acts: list[SpeechAct] = []
        for sentence, clauses, you, last in lines:
            self.budget.check()
            self.addressees.you, self.addressees.last = you, last
            for act in self._sentence_acts(sentence, clauses, look_clauses):
                if act.kind == "retract":
                    acts = [a for a in acts if a.kind not in ("claim", "companion", "deny")]
                acts.append(act)
        acts = [act for act in acts if not self._repeats_look(act, looks)]
        for look in looks:
            seats = "+".join(map(str, look.targets))
            acts += self._build_act("report", seats, look.role, value=look.value)
        return acts

    def _repeats_look(self, act: SpeechAct, looks: Sequence[LookReport]) -> bool:
        """Return whether an act only repeats the result of a look at its one target."""
        look = next((look for look in looks if look.targets == act.targets), None)
        if look is None:
            return False
        if act.kind == "defend":
            return not PATTERNS.spares.search(self.statement)
        if act.kind in ("accuse", "suspect"):
            role = role_key(look.role, self.pack)
            return self.pack.accuses(Result(role, look.targets, look.value))
        return bool(act.role)

    def _lines(self, text: str) -> list[_Line]:
        """Return the sentences that are about this game and meant seriously."""
        sentences = plain_sentences(text, self.seats, self.pack)
        if not self.addressees.last:  # a pronoun before any name means the seat named first
            seats = (s for t in sentences for s in mentioned_seats(t.text))
            self.addressees.last = next(seats, "")
        lines: list[_Line] = []
        for sentence in sentences:
            self.budget.check()
            sentence_text = re.sub(rf"@{self.speaker}(?![\d+])", "i", sentence.text)
            sentence = replace(sentence, text=sentence_text)
            clauses = self.addressees.resolve_clauses(sentence)
            if not self._is_irrelevant(sentence_text):
                lines.append((sentence, clauses, self.addressees.you, self.addressees.last))
        return lines

    def _is_irrelevant(self, sentence_text: str) -> bool:
        """Return whether a sentence is about another game or not meant seriously."""
        if LEXICON.past.search(sentence_text) or LEXICON.irony.search(sentence_text):
            return True
        return not self.pack.has_several_nights and bool(LEXICON.yesterday.search(sentence_text))

    def _build_act(
        self, kind: str, seats: str = "", role: str = "", **fields: object
    ) -> Iterator[SpeechAct]:
        """Yield the act of `kind` toward `seats` ("3", "2+3").

        Yields none if no target is another player, or if the game has no such role.

        Args:
            role: A token or a part, "" for none.
        """
        targets = tuple(int(s) for s in seats.split("+") if s.isdigit())
        targets = tuple(t for t in targets if t != self.speaker)
        key = role_key(role, self.pack)
        if (targets or not seats) and bool(key) == bool(role):
            yield SpeechAct(kind, self.speaker, targets, key, **fields)  # type: ignore[arg-type]

    def _sentence_acts(
        self, sentence: Sentence, clauses: list[Clause], look_clauses: set[int]
    ) -> Iterator[SpeechAct]:
        """Yield the acts of one sentence.

        Args:
            look_clauses: Ids of the clauses that report a look.
        """
        spoken_clauses = [c for c in clauses if c.text and not c.vocative]
        body = " , ".join(c.text for c in spoken_clauses)
        self.is_question, self.has_verdict = sentence.is_question, False
        self.has_several_clauses = len(spoken_clauses) > 1
        questions = list(self._questions(sentence, clauses, body))
        yield from questions
        demand = None  # a clause that asks, in a sentence without a question mark
        if sentence.is_question:
            spoken_clauses = [c for c in spoken_clauses[:-1] if not PATTERNS.question.match(c.text)]
        elif questions:
            demand = next(
                (c for c in spoken_clauses if VERDICT_PATTERNS.asking.match(c.text)), None
            )
        # several roles are enumerated rather than one claimed
        self.is_role_list = len({*_claimed_roles(spoken_clauses)}) > 1 and not PATTERNS.was.search(
            body
        )
        proposals = list(verdicts.proposals(body, sentence.is_question))
        for role, proposal in proposals:
            yield from self._build_act("propose", role=role, about=proposal)
        for clause in spoken_clauses:
            if not clause.is_idle and clause is not demand:
                is_of_look = id(clause) in look_clauses
                yield from self._clause_acts(clause.text, body, bool(proposals), is_of_look)
            if seats := clause.seats:
                self.last_seat = seats[-1]

    def _questions(
        self, sentence: Sentence, clauses: Sequence[Clause], body: str
    ) -> Iterator[SpeechAct]:
        """Yield the question that a sentence asks of some players or of all."""
        texts = [c.text for c in clauses if not c.vocative]
        called_seats = "+".join(seat for c in clauses if (seat := c.vocative or c.lead))
        seats = verdicts.asked_seats(sentence, body, texts, called_seats, self.addressees.you)
        if not seats and VERDICT_PATTERNS.everyone.match(sentence.text):
            seats = "+".join(map(str, range(1, len(self.seats) + 1)))
        if seats:
            yield from self._build_act("question", seats, about=verdicts.question_topic(body))

    def _clause_acts(
        self, text: str, body: str, has_proposal: bool, is_of_look: bool
    ) -> Iterator[SpeechAct]:
        """Yield the acts of a clause.

        Args:
            body: The sentence of the clause.
            has_proposal: Whether the sentence proposes something.
            is_of_look: Whether the clause reports a look.
        """
        if self_claims.is_retraction(text, self.statement):
            self.is_retracted = True
            self.own_role = ""
            yield from self._build_act("retract")
            return
        is_mate = self.own_role.startswith("mate")
        if partner := self_claims.shared_mate(text, self.statement, is_mate, self.last_seat):
            self.own_role = "mate"
            yield from self._build_act("claim", role=self.own_role)
            yield from self._build_act("companion", partner, role=self.own_role)
            return
        if not has_proposal and not (is_of_look and not PATTERNS.of_itself.search(text)):
            yield from self._claim_acts(text, body, is_of_look)
        for act in self._acts_on_others(text) if not is_of_look else ():
            if not self.pack.has_several_nights or verdicts.is_of_today(act.kind, text, body):
                yield act

    def _claim_acts(self, text: str, body: str, is_of_look: bool) -> Iterator[SpeechAct]:
        """Yield the claims and denials of roles in a clause."""
        before, _, after = body.partition(text)
        # "not wolf" may be about the seat named before
        is_of_another = self.last_seat and not SELF_PATTERNS.me.search(text)
        for kind, role in self_claims.role_claims(text, before, after):
            if self.is_role_list if kind == "claim" else self.is_retracted or is_of_another:
                continue
            self.own_role = role if kind == "claim" else self.own_role
            yield from self._build_act(kind, role=role)

    def _acts_on_others(self, text: str) -> Iterator[SpeechAct]:
        """Yield the acts of a clause toward other players."""
        if not self.is_question:
            you, last = self.addressees.you, self.addressees.last
            reactions = verdicts.reaction_verdicts(
                text, you, last, self.has_verdict, self.has_several_clauses
            )
            for kind, seats, role in reactions:
                yield from self._build_act(kind, seats, role=role)
        if PATTERNS.asking_of.match(text):
            return
        for kind, seats, role in verdicts.find_verdicts(text):
            self.last_verdict, self.has_verdict = (kind, role), True
            yield from self._build_act(kind, seats, role=role)
        if self.last_verdict[0] and (match := PATTERNS.same.match(text)):
            kind, role = self.last_verdict
            yield from self._build_act(kind, match[1] or match[2], role=role)


def _claimed_roles(clauses: Iterable[Clause]) -> list[str]:
    """Return the roles that the clauses claim, each clause read for itself."""
    claims = (claim for clause in clauses for claim in self_claims.role_claims(clause.text))
    return [role for kind, role in claims if kind == "claim"]


def _find_unasserted_seats(lines: Sequence[_Line]) -> frozenset[int]:
    """Return the seats that only conditional clauses and questions name."""
    mentions = [
        (seat, not clause.is_idle and not sentence.is_question)
        for sentence, clauses, *_ in lines
        for clause in clauses
        for seat in clause.seats
    ]
    asserted_seats = {seat for seat, is_asserted in mentions if is_asserted}
    return frozenset(int(seat) for seat, _ in mentions if seat not in asserted_seats)


def understand(
    text: str, speaker: int, seats: tuple[str, ...], to: int, pack: Pack, is_election: bool = False
) -> tuple[SpeechAct, ...]:
    """Return the acts in `text`, said by `speaker`, at a table of `seats` (names in order).

    A text beyond the limits (MAX_TOKENS, MAX_CPU_S) gives one act "unread".

    Args:
        to: The seat that spoke last, which "you" means if the text names none. 0 for none.
        pack: Of the game that is played.
        is_election: Whether the talk is about an office, so that a vote is support.
    """
    acts = _understand(text, speaker, seats, to, pack)
    return tuple(a for a in acts if a.kind != "vote") if is_election else acts


@lru_cache(maxsize=4096)
def _understand(
    text: str, speaker: int, seats: tuple[str, ...], to: int, pack: Pack
) -> tuple[SpeechAct, ...]:
    if not is_short_enough(text):
        return (SpeechAct("unread", speaker),)
    text = add_punctuation(text, seats)
    reader = _StatementReader(speaker, seats, to, pack)
    try:
        acts = list(dict.fromkeys(remove_outdone(reader.read(text))))
    except TooCostlyError:
        return (SpeechAct("unread", speaker),)
    acts = apply_learned(acts, text, speaker, seats, to, pack, reader.unasserted_seats)
    acts = list(dict.fromkeys(acts))
    if pack.has_several_nights:
        dead_seats = verdicts.seats_said_dead(s.text for s in plain_sentences(text, seats, pack))
        acts = [
            a for a in acts if a.kind not in LIVING_ONLY_KINDS or not dead_seats & set(a.targets)
        ]
    return tuple(acts)
