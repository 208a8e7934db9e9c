"""Parse the text of a statement into speech acts. Text that is not understood yields no act.

1. Split the statement into sentences (`normalise`) and clauses (`clauses`), and resolve pronouns to
   seats (`pronouns`).
2. Search all clauses for reports of looks (`looks_at_one`, `reports`).
3. Read each sentence for questions and proposals (`requests`), and each clause for claims of its
   speaker (`self_claims`, `reports`) and verdicts on other seats (`verdicts`,
   `unnamed_reactions`).
4. Read the whole statement for what no single clause says (`unnamed_reactions`).
5. Add and remove acts by learned models (`learned.fill`).

Conditionals, hearsay, past games, plain irony, quotations and lines that imitate another speaker
yield no act.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from agents.language.patterns import LEXICON, load
from agents.packs import Pack, Result
from agents.understanding import self_claims
from agents.understanding.clauses import Clause, seats_in
from agents.understanding.learned.breaks import add_punctuation
from agents.understanding.learned.fill import apply_learned
from agents.understanding.limits import CpuBudget, TooCostlyError, is_short_enough, unread_acts
from agents.understanding.looks_at_one import look_reports
from agents.understanding.many_days import (
    LIVING_ONLY_KINDS,
    accomplice_verdicts,
    is_of_today,
    seats_said_dead,
)
from agents.understanding.normalise import Sentence, plain_sentences
from agents.understanding.pronouns import Addressees
from agents.understanding.reports import LookReport, ScannedClause, shared_mate
from agents.understanding.requests import P as REQUESTS
from agents.understanding.requests import asked_seats, asks_everyone, proposals, question_topic
from agents.understanding.role_tokens import role_key
from agents.understanding.self_claims import P as SELF
from agents.understanding.speech_acts import SpeechAct, remove_outdone
from agents.understanding.unnamed_reactions import claimed_role, reaction_verdicts, remaining_doubts
from agents.understanding.verdicts import Finding, find_verdicts

P = load("understand")
OWN_ROLE_KINDS = ("claim", "deny", "propose", "companion", "retract")
# (sentence, its clauses, seat that "you" means after it, seat that "he" means after it)
_Line = tuple[Sentence, list[Clause], str, str]


class _StatementReader:
    """Parser of one statement of `speaker`.

    Args:
        to: The seat that "you" means if the statement names none, 0 for none.
    """

    def __init__(self, speaker: int, seats: Sequence[str], to: int, pack: Pack) -> None:
        self.speaker, self.seats, self.pack = speaker, seats, pack
        self.budget = CpuBudget()
        self.addressees = Addressees(str(to) if to and to != speaker else "")
        self.statement = ""  # the whole statement
        self.own_role = ""  # token of the role claimed so far
        self.is_retracted = False
        self.unasserted_seats: frozenset[int] = frozenset()
        self.echoed_role = ""  # a role that the speaker asks back: "me, the loner?"
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
        looks = self._find_looks(all_clauses)
        look_clauses = {id(all_clauses[i]) for look in looks for i in look.used}
        acts: list[SpeechAct] = []
        first_seat = next((s for c in all_clauses for s in seats_in(c.text)), "")
        for sentence, clauses, you, last in lines:
            self.budget.check()
            self.addressees.you, self.addressees.last = you, last or first_seat
            for act in self._sentence_acts(sentence, clauses, look_clauses):
                if act.kind == "retract" and not any(a.kind == "retract" for a in acts):
                    acts = [a for a in acts if a.kind not in ("claim", "companion", "deny")]
                acts.append(act)
        line_clauses = [(sentence, clauses) for sentence, clauses, *_ in lines]
        if not looks:
            acts += self._verdict_acts(remaining_doubts(line_clauses, acts))
        if not any(a.kind in OWN_ROLE_KINDS for a in acts) and (role := claimed_role(line_clauses)):
            acts += self._build_act("claim", role=role)
        if any(len(look.targets) == 1 for look in looks):
            acts = [act for act in acts if not self._repeats_look(act, looks)]
        for look in looks:
            seats = "+".join(map(str, look.targets))
            acts += self._build_act("report", seats, look.role, value=look.value)
        return acts

    def _find_looks(self, clauses: Sequence[Clause]) -> list[LookReport]:
        scanned_clauses = [
            ScannedClause(
                c.text, tuple(seats_in(c.text)) or tuple(filter(None, [c.vocative])), c.is_idle
            )
            for c in clauses
        ]
        roles = _claimed_roles(clauses)
        claimed_looker = next((role for role in roles if role.startswith("looker")), "")
        return look_reports(scanned_clauses, claimed_looker, self.pack)

    def _repeats_look(self, act: SpeechAct, looks: Sequence[LookReport]) -> bool:
        """Return whether an act only repeats the result of a look at its one target."""
        looks_by_targets = {look.targets: look for look in looks}
        if (look := looks_by_targets.get(act.targets)) is None:
            return False
        if act.kind == "defend":
            return not P.spares.search(self.statement)
        if act.kind in ("accuse", "suspect"):
            role = role_key(look.role, self.pack)
            return self.pack.accuses(Result(role, look.targets, look.value))
        return act.kind in ("agree", "disagree") and bool(act.role)

    def _lines(self, text: str) -> list[_Line]:
        """Return the sentences that are about this game and meant seriously."""
        sentences = plain_sentences(text, self.seats, self.pack)
        if not self.addressees.last:  # a pronoun before any name means the seat named first
            self.addressees.last = next(
                (s for t in sentences for s in seats_in(t.text) if s != str(self.speaker)), ""
            )
        lines: list[_Line] = []
        for sentence in sentences:
            self.budget.check()
            sentence_text = re.sub(rf"@{self.speaker}(?![\d+])", "i", sentence.text)
            sentence = replace(sentence, text=sentence_text)
            clauses = self.addressees.resolve_clauses(sentence)
            if P.kidding.match(sentence_text) and lines:  # the sentence before was the joke
                lines.pop()
                sentence = replace(sentence, text=P.kidding.sub("", sentence_text))
                clauses = self.addressees.resolve_clauses(sentence)
            elif self._is_irrelevant(sentence_text):
                continue
            if clauses:
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
        targets = tuple(t for t in targets if t != self.speaker and t <= len(self.seats))
        key = role_key(role, self.pack) if role else ""
        if (targets or not seats) and bool(key) == bool(role):
            yield SpeechAct(kind, self.speaker, targets, key, **fields)  # type: ignore[arg-type]

    def _verdict_acts(self, findings: Iterable[Finding]) -> Iterator[SpeechAct]:
        for kind, seats, role in findings:
            yield from self._build_act(kind, seats, role=role)

    def _sentence_acts(
        self, sentence: Sentence, clauses: list[Clause], look_clauses: set[int]
    ) -> Iterator[SpeechAct]:
        """Yield the acts of one sentence.

        Args:
            look_clauses: Ids of the clauses that report a look.
        """
        spoken_clauses = [c for c in clauses if c.text and not c.vocative]
        body = " , ".join(c.text for c in spoken_clauses)
        if self.echoed_role and P.no_me.match(body):
            yield from self._build_act("deny", role=self.echoed_role)
        echo = P.echo.fullmatch(body)
        if not P.only_me.fullmatch(body):  # "helper? me? no": the role is still asked back
            self.echoed_role = echo[1] if echo and sentence.is_question else ""
        is_question = sentence.is_question
        self.is_question, self.has_verdict = is_question, False
        self.has_several_clauses = len(spoken_clauses) > 1
        demand = None  # a clause that asks, in a sentence without a question mark
        addressed_seats = [seat for c in clauses if (seat := c.vocative or c.lead)]
        texts = [c.text for c in spoken_clauses]
        you = self.addressees.you
        if seats := asked_seats(sentence.text, body, texts, addressed_seats, you, is_question):
            question = list(self._build_act("question", seats, about=question_topic(body)))
            yield from question
            if question and not is_question:
                demand = next((c for c in spoken_clauses if REQUESTS.asking.match(c.text)), None)
        elif asks_everyone(sentence.text):
            other_seats = "+".join(
                str(s) for s in range(1, len(self.seats) + 1) if s != self.speaker
            )
            yield from self._build_act("question", other_seats, about=question_topic(body))
        if is_question:
            spoken_clauses = [c for c in spoken_clauses[:-1] if not P.question.match(c.text)]
        # several roles are enumerated rather than one claimed
        self.is_role_list = len({*_claimed_roles(spoken_clauses)}) > 1 and not P.was.search(body)
        found_proposals = list(proposals(body, is_question))
        for role, proposal in found_proposals:
            yield from self._build_act("propose", role=role, about=proposal)
        for clause in spoken_clauses:
            if not clause.is_idle and clause is not demand:
                is_of_look = id(clause) in look_clauses
                yield from self._clause_acts(clause.text, body, bool(found_proposals), is_of_look)
            if named_seats := seats_in(clause.text):
                self.last_seat = named_seats[-1]

    def _clause_acts(
        self, text: str, body: str, has_proposal: bool, is_of_look: bool
    ) -> Iterator[SpeechAct]:
        """Yield the acts of a clause.

        Args:
            body: Its sentence.
            has_proposal: Whether the sentence proposes something.
            is_of_look: Whether the clause reports a look.
        """
        if self_claims.is_retraction(text, self.statement):
            self.is_retracted = True
            self.own_role = ""
            yield from self._build_act("retract")
            if not P.instead.search(text):
                return
        if partner := shared_mate(text, self.statement, self._has_claimed("mate"), self.last_seat):
            self.own_role = self.own_role if self._has_claimed("mate") else "mate"
            yield from self._build_act("claim", role=self.own_role)
            yield from self._build_act("companion", partner, role=self.own_role)
            return
        is_look_answer = (
            is_of_look and self.pack.has_several_nights and not P.of_itself.search(text)
        )
        if not has_proposal and not is_look_answer:
            yield from self._claim_acts(text, body, is_of_look)
        for act in self._acts_on_others(text, body):
            is_now = not self.pack.has_several_nights or is_of_today(act.kind, text, body)
            if (not is_of_look or act.kind == "vote") and is_now:
                yield act

    def _claim_acts(self, text: str, body: str, is_of_look: bool) -> Iterator[SpeechAct]:
        """Yield the claims and denials of roles in a clause."""
        before, _, after = body.partition(text)
        for kind, role in self_claims.role_claims(text, before, after):
            if kind == "claim":
                if self.is_role_list:
                    continue
                self.own_role = role
            elif self.is_retracted or is_of_look or (role == "wolf" and self._is_of_another(text)):
                continue
            yield from self._build_act(kind, role=role)

    def _has_claimed(self, *parts: str) -> bool:
        """Return whether the speaker has claimed a role of one of these parts."""
        return self.own_role.startswith(parts)

    def _is_of_another(self, text: str) -> bool:
        """Return whether "not wolf" is about the seat named before."""
        return bool(self.last_seat and not SELF.me.search(text))

    def _acts_on_others(self, text: str, body: str) -> Iterator[SpeechAct]:
        """Yield the acts of a clause toward other players."""
        if not self.is_question:
            yield from self._verdict_acts(
                reaction_verdicts(
                    text,
                    self.addressees.you,
                    self.addressees.last,
                    self.has_verdict,
                    self.has_several_clauses,
                )
            )
        if self.pack.has_several_nights:  # only these games have two hunted players
            yield from self._verdict_acts(accomplice_verdicts(text, self.statement))
        if P.asking_of.match(text):
            return
        for kind, seats, role in find_verdicts(text):
            self.last_verdict, self.has_verdict = (kind, role), True
            yield from self._build_act(kind, seats, role=role)
        if self.last_verdict[0] and (match := P.same.match(text)):
            kind, role = self.last_verdict
            yield from self._build_act(kind, match[1] or match[2], role=role)


def _claimed_roles(clauses: Iterable[Clause]) -> list[str]:
    """Return the roles that the clauses claim, each clause read for itself."""
    asserted = (c.text for c in clauses if not c.is_idle)
    claims = (claim for text in asserted for claim in self_claims.role_claims(text))
    return [role for kind, role in claims if kind == "claim"]


def _find_unasserted_seats(lines: Sequence[_Line]) -> frozenset[int]:
    """Return the seats that only conditional clauses and questions name."""
    asserted_seats: set[str] = set()
    all_seats: set[str] = set()
    for sentence, clauses, *_ in lines:
        for clause in clauses:
            all_seats.update(seats_in(clause.text))
            if not clause.is_idle and not sentence.is_question:
                asserted_seats.update(seats_in(clause.text))
    return frozenset(map(int, all_seats - asserted_seats))


def understand(
    text: str, speaker: int, seats: tuple[str, ...], to: int, pack: Pack, is_election: bool = False
) -> tuple[SpeechAct, ...]:
    """Return the acts in `text`, said by `speaker`, at a table of `seats` (names in order).

    A text beyond the limits (`limits`) gives one act "unread".

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
        return unread_acts(speaker)
    text = add_punctuation(text, seats)
    reader = _StatementReader(speaker, seats, to, pack)
    try:
        acts = list(dict.fromkeys(remove_outdone(reader.read(text))))
    except TooCostlyError:
        return unread_acts(speaker)
    acts = apply_learned(acts, text, speaker, seats, to, pack, reader.unasserted_seats)
    acts = list(dict.fromkeys(acts))
    if pack.has_several_nights:
        dead_seats = seats_said_dead(s.text for s in plain_sentences(text, seats, pack))
        acts = [
            a for a in acts if a.kind not in LIVING_ONLY_KINDS or not dead_seats & set(a.targets)
        ]
    return tuple(acts)


def find_acts_by_rules(
    text: str, speaker: int, seats: Sequence[str], to: int, pack: Pack
) -> list[SpeechAct]:
    """Return the acts in `text` by the rules alone, without the learned models."""
    acts = _StatementReader(speaker, seats, to, pack).read(text)
    return list(dict.fromkeys(remove_outdone(acts)))
