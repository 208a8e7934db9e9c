"""Add acts that the rules missed, and remove claims that are very unlikely, by learned models."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from agents.language.patterns import LEXICON
from agents.packs import Pack
from agents.understanding.features import (
    features,
    load_models,
    role_part,
    roles_in,
    seat_numbers,
    statement_tokens,
)
from agents.understanding.normalise import role_key
from agents.understanding.speech_acts import SIDE_SUSPICION, Kind, SpeechAct, exclusion_kind
from agents.understanding.verdicts import question_topic

# The kind of a report on this seat alone, which shows what the speaker thinks of it.
SEAT_REPORT = "seat report"
# Kind -> the kinds of acts on the same seat that exclude it.
_EXCLUDED_BY: Mapping[Kind, frozenset[str]] = {
    "accuse": frozenset(("accuse", "defend", SIDE_SUSPICION, "companion", SEAT_REPORT)),
    "suspect": frozenset(("suspect", "accuse", "defend", SIDE_SUSPICION, "companion", SEAT_REPORT)),
    "defend": frozenset(("defend", "accuse", "suspect", "agree", "companion", "report")),
    "agree": frozenset(("agree", "accuse", "disagree", "defend", "suspect", "companion")),
    "disagree": frozenset(("disagree", "accuse", "agree", "suspect", "companion")),
    "vote": frozenset(("vote", "defend")),
    "question": frozenset(("question",)),
}
# Kinds that conditional clauses and questions do not express.
_ASSERTED_KINDS = ("vote", "defend", "accuse")
# Kinds that are not the speaker's own if the statement reports them of others.
_SUSPICIONS = ("suspect", "accuse")
# Kinds that an accusation of the same seat contains or contradicts.
_WEAKER_THAN_ACCUSATION = frozenset(("suspect", "disagree", "agree"))
MIN_REPLACING_SCORE = 1.5  # an accusation with a lower score does not replace acts of the rules
# Added to the threshold of a kind that the rules found for other seats, and of all kinds if they
# found a question to this seat.
WEAK_CONTEXT_PENALTY = 1.5
_CLAIM_EXCLUDED_BY = frozenset(("claim", "companion", "retract", "report"))
_DENIAL_EXCLUDED_BY = frozenset(("deny", "claim", "companion", "retract"))
_CALLED_ON_PARTS = ("looker", "mate", "keeper")  # roles that are asked to speak or wait


@dataclass(frozen=True)
class _Statement:
    """A statement with its speaker and the acts that the rules found."""

    words: tuple[str, ...]
    speaker: int
    pack: Pack
    rule_acts: tuple[SpeechAct, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)


# A text is read twice, addressed to the last speaker and to no seat. Most targets score the same.
@lru_cache(maxsize=1024)
def _scores(subject: str, target: str, words: tuple[str, ...]) -> dict[str, float]:
    """Return kind -> log odds for a target (`@3`, a role, "" for the whole statement)."""
    models = load_models()
    return models.models[subject].scores(features(target, words, models.classes))


def apply_learned(
    acts: Sequence[SpeechAct],
    text: str,
    speaker: int,
    seats: tuple[str, ...],
    addressee: int,
    pack: Pack,
    unasserted_seats: frozenset[int],
) -> list[SpeechAct]:
    """Return the acts of the rules with those of the models added and unlikely ones removed.

    Args:
        acts: The acts that the rules found in `text`.
        addressee: The seat that "you" means if the text names none, 0 for none.
        unasserted_seats: Seats that only conditional clauses and questions name.
    """
    words, all_acts = statement_tokens(text, seats, speaker, pack), list(acts)
    statement = _Statement(words, speaker, pack, tuple(acts))
    reported_kinds = _SUSPICIONS if LEXICON.others_suspect.search(statement.text) else ()
    if "i" not in words:  # with "i" the suspicion may be the speaker's own
        all_acts = [act for act in all_acts if act.kind not in reported_kinds]
    named_seats = [seat for seat in seat_numbers(words) if seat <= len(seats)]
    for seat in dict.fromkeys([*named_seats, *filter(None, [addressee])]):
        if seat != speaker:
            unasserted_kinds = _ASSERTED_KINDS if seat in unasserted_seats else ()
            excluded_kinds = (*reported_kinds, *unasserted_kinds)
            all_acts = _add_seat_acts(all_acts, statement, seat, excluded_kinds)
    return _update_role_acts(all_acts, statement)


def _add_seat_acts(
    acts: list[SpeechAct], statement: _Statement, seat: int, excluded_kinds: Sequence[str]
) -> list[SpeechAct]:
    """Return `acts` with the likely acts on `seat` added, except `excluded_kinds`."""
    scores = _scores("seat", f"@{seat}", statement.words)
    thresholds = load_models().add_thresholds
    rule_acts, text = statement.rule_acts, statement.text
    kinds_elsewhere = {exclusion_kind(act) for act in rule_acts if set(act.targets) - {seat}}
    present_kinds = {exclusion_kind(act) for act in acts if seat in act.targets}
    if any(act.kind == "report" and act.targets == (seat,) for act in rule_acts):
        present_kinds.add(SEAT_REPORT)
    # In a game of several days, these are votes of another day, or support for an office.
    is_other_vote = bool(LEXICON.election.search(text) or LEXICON.no_vote_now.search(text))
    if statement.pack.has_several_nights and is_other_vote:
        excluded_kinds = (*excluded_kinds, "vote")
    for kind in sorted(_EXCLUDED_BY.keys() - set(excluded_kinds), key=lambda k: (-scores[k], k)):
        threshold = thresholds[kind]
        if kind in kinds_elsewhere or "question" in present_kinds:
            threshold += WEAK_CONTEXT_PENALTY
        if kind == "accuse" and present_kinds & _WEAKER_THAN_ACCUSATION:
            threshold = max(threshold, MIN_REPLACING_SCORE)
        if scores[kind] < threshold or present_kinds & _EXCLUDED_BY[kind]:
            continue
        if kind == "accuse":
            # An accusation contains or contradicts these, but not the disbelief of a claim.
            acts = [
                act
                for act in acts
                if seat not in act.targets or act.kind not in _WEAKER_THAN_ACCUSATION or act.role
            ]
        present_kinds.add(kind)
        topic = question_topic(text) if kind == "question" else ""
        acts = [*acts, SpeechAct(kind, statement.speaker, (seat,), about=topic)]
    return acts


def _update_role_acts(acts: list[SpeechAct], statement: _Statement) -> list[SpeechAct]:
    """Return `acts` with the likely claims, denials, retractions and proposals of roles."""
    kinds, models, words = {act.kind for act in acts}, load_models(), statement.words
    if (
        "retract" not in kinds
        and _scores("line", "", words)["retract"] >= models.add_thresholds["retract"]
    ):
        claimed = [act for act in acts if act.kind == "claim"]
        acts = [act for act in acts if act.kind != "deny" and act not in claimed[:-1]]
        acts.append(SpeechAct("retract", statement.speaker))
        kinds.add("retract")
    for role in roles_in(words):
        key = role_key(role, statement.pack)
        # A role without words in the pack may have an everyday word as its name: "i will watch".
        if key not in statement.pack.data.words:
            continue
        scores, part = _scores("role", role, words), role_part(role)
        drop_threshold = models.drop_thresholds.get(part, -inf)
        if scores["claim"] < drop_threshold and not _is_plainly_claimed(role, words):
            acts = [act for act in acts if (act.kind, act.role) != ("claim", key)]
        likely_kinds = {
            kind for kind, score in scores.items() if score >= models.add_thresholds[kind]
        }
        if part not in _CALLED_ON_PARTS:
            likely_kinds -= {"speak", "wait"}
        acts = [*acts, *_role_acts(likely_kinds, kinds, statement.speaker, key)]
    return acts


def _is_plainly_claimed(role: str, words: Sequence[str]) -> bool:
    """Return whether a sentence is "i am the {role}", apart from names."""
    text = " ".join(w for w in words if w[0] not in "@," and w not in ("the", "a", "an"))
    sentences = re.split(r"[.!;—–]", text.replace(" 'm ", " am "))
    return any(sentence.strip() == f"i am {role}" for sentence in sentences)


def _role_acts(
    likely_kinds: set[str], present_kinds: set[Kind], speaker: int, key: str
) -> Iterator[SpeechAct]:
    """Yield the likely acts on a role that `present_kinds` do not exclude."""
    if "claim" in likely_kinds and not present_kinds & _CLAIM_EXCLUDED_BY:
        yield SpeechAct("claim", speaker, role=key)
    elif "deny" in likely_kinds and not present_kinds & _DENIAL_EXCLUDED_BY:
        yield SpeechAct("deny", speaker, role=key)
    for proposal in ("speak", "wait"):
        if proposal in likely_kinds and "propose" not in present_kinds:
            yield SpeechAct("propose", speaker, role=key, about=proposal)
