"""What rules leave silent, filled by what was learned; what they find very unlikely, taken away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.language.patterns import LEXICON
from agents.packs import Pack
from agents.understanding.learned.features import features, part_of, roles_in, seats_named, tokens
from agents.understanding.learned.linear import Learned, learned
from agents.understanding.requests import about
from agents.understanding.role_tokens import key_of
from agents.understanding.speech_acts import Kind, SpeechAct

TAKEN = "taken"  # a suspicion of holding a role of the wolf's side, as a kind of its own
SEEN = "seen"  # a report of this seat alone: it says what the speaker thinks of it
# kind -> what was said of the same seat already that leaves no room for it
_EXCLUDED_BY: Mapping[Kind, frozenset[str]] = {
    "accuse": frozenset(("accuse", "defend", TAKEN, "companion", SEEN)),
    "suspect": frozenset(("suspect", "accuse", "defend", TAKEN, "companion", SEEN)),
    "defend": frozenset(("defend", "accuse", "suspect", "agree", "companion", "report")),
    "agree": frozenset(("agree", "accuse", "disagree", "defend", "suspect", "companion")),
    "disagree": frozenset(("disagree", "accuse", "agree", "suspect", "companion")),
    "vote": frozenset(("vote", "defend")),
    "question": frozenset(("question",)),
}
# what conditions and questions don't say
_VERDICTS = ("vote", "defend", "accuse")
# what is not the speaker's own where it reports that others do so
_SUSPICIONS = ("suspect", "accuse")
# what an accusation says already, or stands against
_LESS = frozenset(("suspect", "disagree", "agree"))
OVER = 1.5  # the least score of an accusation in place of what rules found
ELSEWHERE = 1.5  # added to a threshold where rules found the kind of others, or a question to it
# what leaves no room for a claim
_FACTS = frozenset(("claim", "companion", "retract", "report"))
_CALLED_ON = ("looker", "mate", "keeper")  # who should speak or wait


@dataclass(frozen=True)
class _Statement:
    """A statement with its speaker and what rules found in it."""

    words: tuple[str, ...]
    speaker: int
    pack: Pack
    ruled: tuple[SpeechAct, ...]
    learned: Learned
    election: bool  # it speaks of the office that the village gives
    no_vote: bool  # … or of votes of other days

    def scores(self, family: str, target: str) -> dict[str, float]:
        """Kind -> log odds that it is said of `target` (`@3`, a role, "" for the whole)."""
        return _scores(family, target, self.words)


# A text is read once as said to the last speaker and once as said to nobody: of most targets its
# words say the same.
@lru_cache(maxsize=1024)
def _scores(family: str, target: str, words: tuple[str, ...]) -> dict[str, float]:
    models = learned()
    return models.models[family].scores(features(target, words, models.classes))


def filled(
    acts: Sequence[SpeechAct],
    text: str,
    speaker: int,
    seats: tuple[str, ...],
    to: int,
    pack: Pack,
    unsaid: frozenset[int],
) -> list[SpeechAct]:
    """Return `acts`, which rules found in `text`, with what was learned.

    Unsaid: the seats that only conditions and questions name.
    """
    models = learned()
    words = tokens(text, seats, speaker, pack)
    all_acts = list(acts)
    if not words:
        return all_acts
    full_text = " ".join(words) if pack.nights else ""
    election = bool(LEXICON.election.search(full_text))
    votes_later = bool(LEXICON.no_vote_now.search(full_text))
    statement = _Statement(words, speaker, pack, tuple(acts), models, election, votes_later)
    reported = _SUSPICIONS if LEXICON.others_suspect.search(" ".join(words)) else ()
    if reported and "i" not in words:
        all_acts = [act for act in all_acts if act.kind not in reported]
    for seat in dict.fromkeys([*seats_named(words, len(seats)), *filter(None, [to])]):
        if seat != speaker:
            never = (*reported, *(_VERDICTS if seat in unsaid else ()))
            all_acts = _of_seat(all_acts, statement, seat, never)
    return _of_itself(all_acts, statement)


def _of_seat(
    acts: list[SpeechAct], statement: _Statement, seat: int, never: Sequence[str]
) -> list[SpeechAct]:
    """Return `acts` with what is said of `seat`, but for the kinds in `never`."""
    likely = statement.scores("seat", f"@{seat}")
    elsewhere = {_kind(act) for act in statement.ruled if set(act.targets) - {seat}}
    have = {_kind(act) for act in acts if seat in act.targets}
    if any(act.kind == "report" and act.targets == (seat,) for act in statement.ruled):
        have.add(SEEN)
    for kind in sorted(_EXCLUDED_BY, key=lambda k: (-likely[k], k)):
        least = statement.learned.add[kind]
        if kind in elsewhere or "question" in have or statement.election:
            least += ELSEWHERE
        if kind in never or (kind == "accuse" and seat in _among(statement.ruled)):
            continue
        if kind == "vote" and (statement.election or statement.no_vote):
            continue
        if kind == "accuse" and have & _LESS:
            least = max(least, OVER)
        if likely[kind] < least or have & _EXCLUDED_BY[kind]:
            continue
        if kind == "accuse":
            acts = [part for act in acts for part in _without(act, seat)]
        have.add(kind)
        topic = about(" ".join(statement.words)) if kind == "question" else ""
        acts = [*acts, SpeechAct(kind, statement.speaker, (seat,), about=topic)]
    return acts


def _among(acts: Sequence[SpeechAct]) -> set[int]:
    """Seats of which one is suspected, whichever."""
    several = (a.targets for a in acts if a.kind == "suspect" and len(a.targets) > 1)
    return {seat for seats in several for seat in seats}


def _kind(act: SpeechAct) -> str:
    return TAKEN if act.kind == "suspect" and act.role else act.kind


def _without(act: SpeechAct, seat: int) -> Iterator[SpeechAct]:
    """Yield `act` without `seat`, where an accusation of `seat` says it already or denies it."""
    of_claim = act.kind == "disagree" and act.role
    if _kind(act) not in _LESS or seat not in act.targets or of_claim:
        yield act
    elif left := tuple(t for t in act.targets if t != seat):
        yield replace(act, targets=left)


def _of_itself(acts: list[SpeechAct], statement: _Statement) -> list[SpeechAct]:
    """Return `acts` with the roles the speaker claims, denies, takes back or wants to hear of."""
    kinds, models = {act.kind for act in acts}, statement.learned
    if "retract" not in kinds and statement.scores("line", "")["retract"] >= models.add["retract"]:
        claimed = [act for act in acts if act.kind == "claim"]
        acts = [act for act in acts if act.kind != "deny" and act not in claimed[:-1]]
        acts.append(SpeechAct("retract", statement.speaker))
        kinds.add("retract")
    for role in roles_in(statement.words):
        key = key_of(role, statement.pack)
        if (
            key not in statement.pack.data.words
        ):  # a name that may be an everyday word: "i will watch"
            continue
        likely, part = statement.scores("role", role), part_of(role)
        ironic = likely["claim"] < models.drop.get(part, likely["claim"])
        if ironic and not _is_plainly_claimed(role, statement.words):
            acts = [act for act in acts if (act.kind, act.role) != ("claim", key)]
        sure = {kind for kind, score in likely.items() if score >= models.add[kind]}
        if part not in _CALLED_ON:
            sure -= {"speak", "wait"}
        acts = [*acts, *_of_role(sure, kinds, statement.speaker, key)]
    return acts


def _is_plainly_claimed(role: str, words: Sequence[str]) -> bool:
    """Return whether a sentence says "i am the {role}" and no more, but for whom it turns to."""
    bare = (w for w in words if w[0] != "@" and w not in (",", "the", "a", "an", "hey", "listen"))
    text = re.sub(r"(?<!\S)'m(?!\S)", "am", " ".join(bare))
    return any(s.strip() == f"i am {role}" for s in re.split(r"[.!;—–]", text))


def _of_role(sure: set[str], kinds: set[Kind], speaker: int, key: str) -> Iterator[SpeechAct]:
    """Yield the acts of the `sure` kinds that `kinds`, found by rules, leave room for."""
    if "claim" in sure and not kinds & _FACTS:
        yield SpeechAct("claim", speaker, role=key)
    elif "deny" in sure and not kinds & {"deny", "claim", "companion", "retract"}:
        yield SpeechAct("deny", speaker, role=key)
    for proposal in ("speak", "wait"):
        if proposal in sure and "propose" not in kinds:
            yield SpeechAct("propose", speaker, role=key, about=proposal)
