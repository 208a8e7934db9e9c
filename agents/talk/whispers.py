"""Whispers within one side: plans for attacks, for spared players, for votes and for claims.

`agents.talk.dialogue` reads the public talk. Whispers are separate, so that none of their content
can reach public statements, pages or counts. They are read when a seat that heard them decides. The
patterns are data (`agents/language/en/patterns/whispers.toml`).
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.normalise import Sentence, is_short_enough, plain_sentences, role_key
from agents.understanding.speech_acts import SpeechAct
from game.engine.events import PUBLIC
from game.engine.visibility import View

PATTERNS = load("whispers")
_SEAT = re.compile(r"\d+")
_MENTION = re.compile(r"@([\d+]+)")
_WOLF_WORDS = ("wolf", "black")
# Topic of a request -> its pattern. A whisper may match several, so the order matters: the first
# that matches is taken. Topics without a pattern are "accuse" (the named player), "own" (approval
# of the speaker's claim), "result" (an announced report), and "prey" (any other question).
TOPICS = {
    "advice": PATTERNS.asks_advice,  # what should I claim?
    "distance": PATTERNS.asks_distance,  # pretend to attack me
    "support": PATTERNS.asks_support,  # defend me
    "whom": PATTERNS.asks_whom,  # whom do we accuse?
    "no_role": PATTERNS.asks_no_role,  # do not claim this role
    "role": PATTERNS.asks_role,  # claim this role
    "claim": PATTERNS.asks_claim,  # which of us claims what?
    "spare": PATTERNS.asks_spare,  # whom do we leave alive?
}
# How a whisper says which result will be reported of whom. Each pattern has a group for the players
# ("2" or "2+3") and most have one for the result, in either order.
RESULT_PATTERNS = (
    PATTERNS.look_result,
    PATTERNS.color_result,
    PATTERNS.announced_result,
    PATTERNS.requested_report,
    PATTERNS.future,
    PATTERNS.cleared,
    PATTERNS.cleared_instead,
)
ROLE_TOPICS = ("role", "no_role")
PROPOSALS = ("distance", "support", *ROLE_TOPICS)  # topics that need no question mark


@dataclass(frozen=True)
class WhisperRequest:
    """Request of a whisper to a partner."""

    topic: str = ""  # key of TOPICS or one of the topics without a pattern, "" for no request
    addressee: int = 0  # the partner whom the request addresses by name, 0 for all
    role: str = ""  # the role that the listener should claim, or should not claim


@dataclass(frozen=True)
class Whisper:
    """Whisper of one seat, as the plans in it.

    A claim or a report is what the speaker intends to say, a retraction means that it will claim
    nothing. `prey` and `spare` are about the night, `vote` and `defend` about the day.
    """

    seat: int
    day: int
    position: int  # position of the whisper's event among those that the viewer saw, from 1
    acts: tuple[SpeechAct, ...]
    topic: str = ""  # this and the next two: as in `WhisperRequest`
    addressee: int = 0
    role: str = ""


def read_whispers(view: View, pack: Pack) -> tuple[Whisper, ...]:
    """Return the whispers to groups that include the viewer, oldest first."""
    whispers, day = [], 0
    for position, event in enumerate(view.events, 1):
        if event.kind == "phase_opened":
            day = event.data.get("day", 0)
        if event.audience == PUBLIC or event.data.get("manner") != "say":
            continue
        hearers = frozenset(event.audience.seats)
        if len(hearers) > 1 and event.data.get("text"):
            acts = parse_plans(event["text"], event["seat"], hearers, view.state.seats, pack)
            request = find_request(event["text"], acts, view.state.seats, pack)
            addressee = request.addressee if request.addressee in hearers else 0
            whispers.append(
                Whisper(event["seat"], day, position, acts, request.topic, addressee, request.role)
            )
    return tuple(whispers)


def find_request(
    text: str, acts: Sequence[SpeechAct], seats: tuple[str, ...], pack: Pack
) -> WhisperRequest:
    """Return the request of a whisper."""
    if not is_short_enough(text):
        return WhisperRequest()
    sentences = plain_sentences(text, seats, pack)
    names = (match for s in sentences if (match := PATTERNS.vocative.search(s.text)))
    addressee = next((int(match[1] or match[2]) for match in names), 0)
    for topic, pattern in TOPICS.items():
        candidates = (s.text for s in sentences if s.is_question or topic in PROPOSALS)
        if match := next(filter(None, map(pattern.search, candidates)), None):
            role = role_key(match[1], pack) if topic in ROLE_TOPICS else ""
            return WhisperRequest(topic, addressee, role)
    questions = [s.text for s in sentences if s.is_question]
    return WhisperRequest(_topic_of_plans(text, {act.kind for act in acts}, questions), addressee)


def _topic_of_plans(text: str, kinds: Collection[str], questions: Sequence[str]) -> str:
    """Return the topic that follows from the kinds of plans in a whisper, "" for none."""
    if "vote" in kinds:
        return "accuse"
    if "?" not in text:
        return "result" if "report" in kinds else ""
    if "claim" not in kinds:
        return "prey"
    return "" if questions and all(map(PATTERNS.asks_back.search, questions)) else "own"


def planned_claims(whispers: Sequence[Whisper]) -> dict[int, str]:
    """Return seat -> the role that it last announced, in the order of the announcements."""
    claims: dict[int, str] = {}
    for act in (act for whisper in whispers for act in whisper.acts):
        if act.kind == "retract":
            claims.pop(act.speaker, None)
        elif act.kind == "claim":
            claims[act.speaker] = act.role
    return claims


def latest_plans(whispers: Sequence[Whisper], *kinds: str) -> dict[tuple[int, int], str]:
    """Return (seat, target) -> the kind of its newest plan for the target, if one of `kinds`."""
    plans = {
        (act.speaker, target): act.kind
        for whisper in whispers
        for act in whisper.acts
        for target in act.targets
        if act.kind in ("prey", "spare", "vote", "defend")
    }
    return {key: kind for key, kind in plans.items() if kind in kinds}


@lru_cache(maxsize=512)
def parse_plans(
    text: str, speaker: int, partners: frozenset[int], seats: tuple[str, ...], pack: Pack
) -> tuple[SpeechAct, ...]:
    """Return the plans in a whisper of `speaker` to its `partners`, who are never a target."""
    if not is_short_enough(text):
        return ()
    reader = _WhisperReader(speaker, partners | {speaker}, pack)
    for sentence in plain_sentences(text, seats, pack):
        reader.read(sentence)
    return tuple(dict.fromkeys(reader.finish()))


@dataclass
class _WhisperReader:
    """Reader of one whisper, sentence by sentence."""

    speaker: int
    side: frozenset[int]  # the speaker and its partners, who are never targets
    pack: Pack
    acts: list[SpeechAct] = field(default_factory=list)  # the plans found so far
    last_mentioned: tuple[int, ...] = ()  # the seats mentioned last
    unplanned_mentions: tuple[int, ...] = ()  # the seats mentioned without a plan for them
    # Seats whose plan follows: "@2" in "@2 and @3 should survive".
    pending_targets: tuple[int, ...] = ()
    expected_kind: str = ""  # kind of a plan whose player follows: "kill the looker0: @2"

    def read(self, sentence: Sentence) -> None:
        """Add the plans of a sentence."""
        text, reported = sentence.text, set[int]()
        is_question = sentence.is_question and PATTERNS.question.search(text) is not None
        if not is_question:
            self._read_claim(text)
            if results := tuple(self._results(text)):
                self.acts += results
                self.last_mentioned = results[-1].targets
                reported = {target for act in results for target in act.targets}
        for clause in filter(None, PATTERNS.end.split(text)):
            mentioned = self._targets_in(clause)
            if is_question or PATTERNS.idle.search(clause):
                self.last_mentioned = mentioned or self.last_mentioned
            else:
                self._read_clause(clause, mentioned, reported)

    def finish(self) -> Iterator[SpeechAct]:
        """Yield all plans. A name alone is a player to attack if there is no other plan."""
        planned = {t for a in self.acts for t in a.targets if a.kind != "report"}
        yield from self.acts
        if not any(a.kind == "prey" for a in self.acts):
            targets = tuple(s for s in self.unplanned_mentions if s not in planned)
            yield from self._plans("prey", targets)

    def _targets_in(self, clause: str) -> tuple[int, ...]:
        """Return the players outside the side that a clause mentions."""
        mentions = (int(s) for m in _MENTION.findall(clause) for s in _SEAT.findall(m))
        return tuple(s for s in dict.fromkeys(mentions) if s not in self.side)

    def _read_clause(self, clause: str, mentioned: tuple[int, ...], reported: set[int]) -> None:
        """Add the clause's plans to attack, spare, or vote for players.

        The sentence names results of the players in `reported`: that is no plan to attack them.
        """
        kind = self._plan_kind(clause)
        is_bare = PATTERNS.bare.search(clause) is not None
        if reported:
            is_plan = is_bare or kind in ("spare", "prey")
            if not is_plan or not mentioned or reported & {*mentioned}:
                self.last_mentioned = mentioned or self.last_mentioned
                return
        if is_bare:
            kind = self._read_bare_mention(kind, mentioned)
        if clause.startswith("@") and self.pending_targets and kind:
            mentioned = tuple(dict.fromkeys((*self.pending_targets, *mentioned)))
        if mentioned and not kind and not is_bare:
            self.last_mentioned, self.pending_targets = mentioned, ()
            return
        if kind and (targets := self._plan_targets(clause, kind, mentioned)):
            self.acts += self._plans(kind, targets)
            self.pending_targets, self.expected_kind = (), ""
        self.last_mentioned = mentioned or self.last_mentioned

    def _read_bare_mention(self, kind: str, mentioned: tuple[int, ...]) -> str:
        """Read a clause of names only. Return the kind of plan for them.

        If the kind is not known yet, return "" and keep the players for a later clause.
        """
        if self.expected_kind and mentioned:
            return kind or self.expected_kind
        if not kind:
            self.pending_targets = mentioned
            self.unplanned_mentions += mentioned
        return kind

    def _plan_targets(self, clause: str, kind: str, mentioned: tuple[int, ...]) -> tuple[int, ...]:
        """Find the players that a plan is for. Keep its kind if they follow in a later clause."""
        is_for_everybody = PATTERNS.everybody.search(clause)
        if mentioned or kind not in ("prey", "spare") or is_for_everybody:
            return mentioned
        self.expected_kind = "" if self.last_mentioned else kind
        return self.last_mentioned  # "bite her", "no bite please"

    def _plan_kind(self, clause: str) -> str:
        """Return the kind of plan a clause makes, "" for none."""
        by_night = PATTERNS.by_night.search(clause) and not PATTERNS.by_day.search(clause)
        if PATTERNS.by_vote.search(clause) and not by_night:
            if not self._targets_in(clause):
                return ""
            return "defend" if PATTERNS.not_vote.search(clause) else "vote"
        if PATTERNS.not_spare.search(clause):
            return "prey"
        if PATTERNS.spare.search(clause):
            return "spare"
        return "prey" if PATTERNS.prey.search(clause) else ""

    def _read_claim(self, text: str) -> None:
        """Add the role that the speaker intends to claim, or its plan to claim none."""
        if PATTERNS.hide.search(text):
            self.acts.append(SpeechAct("retract", self.speaker))
        elif not PATTERNS.idle.match(text):
            for match in (PATTERNS.claim.search(text), PATTERNS.claim_me.search(text)):
                if match and (role := role_key(match[1], self.pack)):
                    self.acts.append(SpeechAct("claim", self.speaker, (), role))
                    return

    def _results(self, text: str) -> Iterator[SpeechAct]:
        """Yield the results that will be reported."""
        role = self.pack.role("looker")
        look = self.pack.look(role)
        if look is None or PATTERNS.idle.match(text):
            return
        for pattern in RESULT_PATTERNS:
            for match in pattern.finditer(text):
                words = match.groups()
                seats = next(w for w in words if w[0].isdigit())
                word = next((w for w in words if not w[0].isdigit()), "human")
                is_past = PATTERNS.past_result.search(text[: match.start()])
                if is_past and pattern is not PATTERNS.look_result:
                    continue
                roles = self.pack.hunted if word in _WOLF_WORDS else (self.pack.plain_role,)
                for seat in _SEAT.findall(seats):
                    if int(seat) not in self.side or word not in _WOLF_WORDS:
                        value = look.answer_for(roles)
                        yield SpeechAct("report", self.speaker, (int(seat),), role, value)

    def _plans(self, kind: str, targets: tuple[int, ...]) -> Iterator[SpeechAct]:
        for target in targets:
            yield SpeechAct(kind, self.speaker, (target,))  # type: ignore[arg-type]
