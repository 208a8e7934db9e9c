"""From a statement's words to speech acts. What isn't understood is no act.

A statement is cut into sentences (`plain`) and clauses (`clauses`), whose pronouns become seats
(`address`). Its look in the night is searched over all of them (`nights`); every sentence is read
for what it asks and proposes (`requests`), every clause for what it says of its speaker
(`self_claims`, `reports`), of the seats it names (`verdicts`), and of whoever was spoken of
before; last comes what only the whole statement tells (`unnamed_reactions`). Conditionals,
hearsay, past games, plain irony, quotations and lines that pose as somebody else say nothing.
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
from agents.understanding.learned.breaks import with_breaks
from agents.understanding.learned.fill import filled
from agents.understanding.limits import CpuBudget, TooCostlyError, is_short_enough, unread
from agents.understanding.looks_at_one import reported
from agents.understanding.many_days import OF_THE_LIVING, accomplices, of_today, said_dead
from agents.understanding.normalise import Sentence, plain_sentences
from agents.understanding.pronouns import Addressees
from agents.understanding.reports import LookReport, ScannedClause, shares
from agents.understanding.requests import P as REQUESTS
from agents.understanding.requests import about, asked_seats, asks_everyone, proposals
from agents.understanding.role_tokens import key_of
from agents.understanding.self_claims import P as SELF
from agents.understanding.speech_acts import SpeechAct, settled
from agents.understanding.unnamed_reactions import answers, claimed_somehow, left_over
from agents.understanding.verdicts import Finding, verdicts

P = load("understand")


# A sentence, its clauses, and whom "you" and "he" meant after it.
_Line = tuple[Sentence, list[Clause], str, str]


class _Reader:
    """Reads one statement of `speaker`.

    `to`: the seat "you" means where nobody is named.
    """

    def __init__(self, speaker: int, seats: Sequence[str], to: int, pack: Pack) -> None:
        self.speaker, self.seats, self.pack = speaker, seats, pack
        self.budget = CpuBudget()
        self.table = Addressees(str(to) if to and to != speaker else "")
        self.all = ""  # the whole statement
        self.role = ""  # claimed so far
        self.retracted = False
        self.unsaid: frozenset[int] = frozenset()  # seats that only conditions and questions name
        self.echo = ""  # a role asked back: "me, the loner?"
        self.before = ""  # the seat named last in an earlier clause
        self.verdict: tuple[str, str] = ("", "")  # the last one, of whomever
        # of the sentence at hand:
        self.asks = False
        self.many = False  # it has several clauses
        self.listing = False  # it names several roles
        self.judged = False  # it has judged somebody

    def read(self, text: str) -> list[SpeechAct]:
        """Return all acts of the statement."""
        lines = self._lines(text)
        all_clauses = [c for line in lines for c in line[1]]
        self.all = " . ".join(c.text for c in all_clauses)
        asked_clauses = {id(c) for s, clauses, *_ in lines if s.is_question for c in clauses}
        meant_seats = {
            s
            for c in all_clauses
            if not c.idle and id(c) not in asked_clauses
            for s in seats_in(c.text)
        }
        self.unsaid = frozenset(
            int(s) for c in all_clauses for s in seats_in(c.text) if s not in meant_seats
        )
        scanned = [
            ScannedClause(
                c.text, tuple(seats_in(c.text)) or tuple(filter(None, [c.vocative])), c.idle
            )
            for c in all_clauses
        ]
        own = (
            r
            for c in all_clauses
            if not c.idle
            for k, r in self_claims.roles(c.text)
            if k == "claim"
        )
        nights = reported(scanned, next((r for r in own if r.startswith("looker")), ""), self.pack)
        acts_found: list[SpeechAct] = []
        used = {id(all_clauses[i]) for night in nights for i in night.used}
        first = next((s for c in all_clauses for s in seats_in(c.text)), "")
        for sentence, clauses, you, last in lines:
            self.budget.check()
            self.table.you, self.table.last = you, last or first
            for act in self._sentence(sentence, clauses, used):
                if act.kind == "retract" and not any(a.kind == "retract" for a in acts_found):
                    acts_found = [
                        a for a in acts_found if a.kind not in ("claim", "companion", "deny")
                    ]
                acts_found.append(act)
        live = [(s, c) for s, c, *_ in lines]
        if not nights:
            acts_found += self._acts(left_over(live, acts_found))
        if not any(
            a.kind in ("claim", "deny", "propose", "companion", "retract") for a in acts_found
        ):
            acts_found += self._act("claim", role=role) if (role := claimed_somehow(live)) else ()
        if any(len(night.targets) == 1 for night in nights):
            acts_found = [act for act in acts_found if not self._repeats_look(act, nights)]
        for night in nights:
            seats = "+".join(map(str, night.targets))
            acts_found += self._act("report", seats, night.role, value=night.value)
        return acts_found

    def _repeats_look(self, act: SpeechAct, nights: Sequence[LookReport]) -> bool:
        """Return whether an act says of a seat what a look at it alone has told."""
        nights_by_targets = {n.targets: n for n in nights}
        if (night := nights_by_targets.get(act.targets)) is None:
            return False
        if act.kind == "defend":
            return not P.spares.search(self.all)
        if act.kind in ("accuse", "suspect"):
            role = key_of(night.role, self.pack)
            return self.pack.accuses(Result(role, night.targets, night.value))
        return act.kind in ("agree", "disagree") and bool(act.role)

    def _lines(self, text: str) -> list[_Line]:
        """Return the sentences of the statement that are of this game and meant."""
        sentences = plain_sentences(text, self.seats, self.pack)
        if not self.table.last:  # a pronoun before any name means whoever is named first
            self.table.last = next(
                (s for t in sentences for s in seats_in(t.text) if s != str(self.speaker)), ""
            )
        lines: list[_Line] = []
        for sentence in sentences:
            self.budget.check()
            sentence_text = re.sub(rf"@{self.speaker}(?![\d+])", "i", sentence.text)
            sentence = replace(sentence, text=sentence_text)
            clauses = self.table.clauses(sentence)
            if P.kidding.match(sentence_text) and lines:  # what went before was the joke
                lines.pop()
                sentence = replace(sentence, text=P.kidding.sub("", sentence_text))
                clauses = self.table.clauses(sentence)
            elif self._elsewhere(sentence_text):
                continue
            if clauses:
                lines.append((sentence, clauses, self.table.you, self.table.last))
        return lines

    def _elsewhere(self, sentence_text: str) -> bool:
        """Return whether a sentence is of another game, or not meant."""
        past = LEXICON.past.search(sentence_text) or LEXICON.irony.search(sentence_text)
        return bool(past or (not self.pack.nights and LEXICON.yesterday.search(sentence_text)))

    def _act(
        self, kind: str, seats: str = "", role: str = "", **more: object
    ) -> Iterator[SpeechAct]:
        """Yield the act of `kind` toward `seats` ("3", "2+3"), if any of them is another player.

        role: a token or a part; without a role of that kind in the game it is no act.
        """
        targets = tuple(int(s) for s in seats.split("+") if s.isdigit())
        targets = tuple(t for t in targets if t != self.speaker and t <= len(self.seats))
        key = key_of(role, self.pack) if role else ""
        if (targets or not seats) and bool(key) == bool(role):
            yield SpeechAct(kind, self.speaker, targets, key, **more)  # type: ignore[arg-type]

    def _acts(self, findings: Iterable[Finding]) -> Iterator[SpeechAct]:
        for kind, seats, role in findings:
            yield from self._act(kind, seats, role=role)

    def _sentence(
        self, sentence: Sentence, clauses: list[Clause], used: set[int]
    ) -> Iterator[SpeechAct]:
        """Return what one sentence says.

        Used: the clauses that tell of the night, by id.
        """
        texts = [c for c in clauses if c.text and not c.vocative]
        body = " , ".join(c.text for c in texts)
        if self.echo and P.no_me.match(body):
            yield from self._act("deny", role=self.echo)
        echo = P.echo.fullmatch(body)
        if not P.only_me.fullmatch(body):  # "helper? me? no": still asked back
            self.echo = echo[1] if echo and sentence.is_question else ""
        names = [n for c in clauses if (n := c.vocative or c.lead)]
        is_question = sentence.is_question
        self.asks, self.many, self.judged = is_question, len(texts) > 1, False
        demand = None  # a clause that asks, in a sentence without a question mark
        if seats := asked_seats(
            sentence.text, body, [c.text for c in texts], names, self.table.you, is_question
        ):
            question = list(self._act("question", seats, about=about(body)))
            yield from question
            if question and not is_question:
                demand = next((t for t in texts if REQUESTS.asking.match(t.text)), None)
        elif asks_everyone(sentence.text):
            other_seats = [s for s in range(1, len(self.seats) + 1) if s != self.speaker]
            yield from self._act("question", "+".join(map(str, other_seats)), about=about(body))
        if is_question:
            texts = [t for t in texts[:-1] if not P.question.match(t.text)]
        self.listing = self._lists(texts, body)
        proposed = list(proposals(body, is_question))
        for role, proposal in proposed:
            yield from self._act("propose", role=role, about=proposal)
        for clause in texts:
            if not clause.idle and clause is not demand:
                yield from self._clause(clause.text, body, bool(proposed), id(clause) in used)
            if seats_named := seats_in(clause.text):
                self.before = seats_named[-1]

    @staticmethod
    def _lists(clauses: list[Clause], body: str) -> bool:
        """Return whether a sentence goes through several roles instead of claiming one."""
        claims = {
            r for c in clauses if not c.idle for k, r in self_claims.roles(c.text) if k == "claim"
        }
        return len(claims) > 1 and not P.was.search(body)

    def _clause(self, text: str, body: str, proposes: bool, used: bool) -> Iterator[SpeechAct]:
        """Return what a clause of the sentence `body` says.

        Used: it tells of the night.
        """
        if self_claims.takes_back(text, self.all):
            self.retracted = True
            self.role = ""
            yield from self._act("retract")
            if not P.instead.search(text):
                return
        if partner := shares(text, self.all, self._is("mate"), self.before):
            self.role = self.role if self._is("mate") else "mate"
            yield from self._act("claim", role=self.role)
            yield from self._act("companion", partner, role=self.role)
            return
        answer = used and self.pack.nights and not P.of_itself.search(text)
        if not proposes and not answer:
            yield from self._own_roles(text, body, used)
        for act in self._of_others(text, body):
            is_now = not self.pack.nights or of_today(act.kind, text, body)
            if (not used or act.kind == "vote") and is_now:
                yield act

    def _own_roles(self, text: str, body: str, used: bool) -> Iterator[SpeechAct]:
        """Yield the roles a clause gives to its speaker or denies it."""
        before, _, after = body.partition(text)
        for kind, role in self_claims.roles(text, before, after):
            if kind == "claim":
                if self.listing:
                    continue
                self.role = role
            elif self.retracted or used or (role == "wolf" and self._of_another(text)):
                continue
            yield from self._act(kind, role=role)

    def _is(self, *parts: str) -> bool:
        """Return whether the speaker has claimed a role of one of these parts."""
        return self.role.startswith(parts)

    def _of_another(self, text: str) -> bool:
        """Return whether "not wolf" is said of the seat named before."""
        return bool(self.before and not SELF.me.search(text))

    def _of_others(self, text: str, body: str) -> Iterator[SpeechAct]:
        """Return what a clause says of other players."""
        if not self.asks:
            yield from self._acts(
                answers(text, self.table.you, self.table.last, self.judged, self.many, self.all)
            )
        if self.pack.nights:  # it hunts two
            yield from self._acts(accomplices(text, self.all))
        if P.asking_of.match(text):
            return
        for kind, seats, role in verdicts(text):
            self.verdict, self.judged = (kind, role), True
            yield from self._act(kind, seats, role=role)
        if self.verdict[0] and (match := P.same.match(text)):
            yield from self._act(self.verdict[0], match[1] or match[2], role=self.verdict[1])


def understand(
    text: str, speaker: int, seats: tuple[str, ...], to: int, pack: Pack, election: bool = False
) -> tuple[SpeechAct, ...]:
    """Return the acts in `text`, said by `speaker`, at a table of `seats` (names in order).

    to: the seat that spoke last, whom "you" means where nobody is named; 0 for nobody. pack: of the
    game that is played, whose roles are spoken of. election: it is said of who should get an
    office, so that a vote is support. A text beyond the limits (`limits`) gives one act "unread".
    """
    acts = _understood(text, speaker, seats, to, pack)
    return tuple(a for a in acts if a.kind != "vote") if election else acts


@lru_cache(maxsize=4096)
def _understood(
    text: str, speaker: int, seats: tuple[str, ...], to: int, pack: Pack
) -> tuple[SpeechAct, ...]:
    if not is_short_enough(text):
        return unread(speaker)
    text = with_breaks(text, seats)
    reader = _Reader(speaker, seats, to, pack)
    try:
        acts = list(dict.fromkeys(settled(reader.read(text))))
    except TooCostlyError:
        return unread(speaker)
    acts = filled(acts, text, speaker, seats, to, pack, reader.unsaid)
    acts = list(dict.fromkeys(acts))
    if pack.nights:
        dead = said_dead(s.text for s in plain_sentences(text, seats, pack))
        acts = [a for a in acts if a.kind not in OF_THE_LIVING or not dead & set(a.targets)]
    return tuple(acts)


def by_rules(text: str, speaker: int, seats: Sequence[str], to: int, pack: Pack) -> list[SpeechAct]:
    """Return the acts that rules find in `text`."""
    return list(dict.fromkeys(settled(_Reader(speaker, seats, to, pack).read(text))))
