"""What a statement demands of one player: the questions put to it and the reasons held against it.

A linear model judges every sentence from the seat that it may concern: who is named in it, who is
spoken to, who was named last (`units`). It was trained on lines of independent authors
(`tests/agents/train_demands.py`). The seats and roles that a demand is about are read off the
sentence by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.features import (
    SENTENCE_ENDS,
    character_ngrams,
    is_seat,
    seat_numbers,
    statement_tokens,
    word_ngrams,
)
from agents.understanding.linear_models import load_models
from agents.understanding.normalise import is_short_enough
from agents.understanding.tokens import role_key

QUESTIONS = {
    "role": "which role it holds; `roles`: those that are named",
    "why": "its reason for what it says of `of`, or for what it said last",
    "whom": "whom it suspects, of `of` or of all",
    "trust": "whom it trusts, of `of` or of all",
    "opinion": "what it thinks of `of`",
    "vote": "whom it votes for, or whether it votes for `of` too",
    "result": "what it saw or did in the night",
    "partner": "who shares its role",
    "plan": "what the table, or the holder of one of `roles`, should do",
    "mind": "what would change its mind",
    "unequal": "why it judges two players, or its claim and another's, differently",
    "motive": "why it did or said something else than accusing a player",
    "source": "how it knows something",
    "deal": "an offer",
    "then": "whom or what it would choose if something were so of another player",
    "suppose": "what it would do with another role",
    "wrong": "whether it may be mistaken, and what then",
    "would_have": "what it would have done in another case",
    "stand": "whether it stands by its words",
    "chat": "small talk",
    "open": "anything else",
}
CHARGES = {
    "silent": "it says too little or names nobody",
    "changed": "it changed its story or its target",
    "echo": "it only repeats others",
    "timing": "it spoke, claimed or accused too early or too late",
    "evaded": "it left a question open",
    "side": "it pressed or defended `of`",
    "doubt": "it lies, or is not believed",
    "manner": "how it talks or behaves",
}
INTENTS = (*QUESTIONS, *CHARGES)
NAMING = ("whom", "vote")  # whose answer is a player: "apart from Beta" excludes one
WEIGHTS = Path(__file__).with_name("demands.npz")
MAX_DEMANDS = 2  # a speaker may have of one player in one statement
# The log odds from which a sentence demands anything, a certain thing, and a second thing.
THRESHOLDS = {"any": -0.2, "first": -1.0, "second": 0.3}
# The same for charges. An answer to a charge that nobody made is worse than none.
CHARGE_THRESHOLDS = {"any": 0.5, "first": -0.2, "second": 0.3}
REASON_FIRST = 0.8  # how much likelier a mere doubt must be than a charge with a reason

PATTERNS = load("demands")
# Intents that rules recognise by their words, in the order of the file. Those not in INTENTS ask
# who has claimed a role, who has spoken most, how the votes stand, and how it likes to play.
RULED = {
    name.removeprefix("for_"): pattern
    for name, pattern in PATTERNS.patterns.items()
    if name.startswith("for_")
}
# What a demand speaks of: a defence, playing together, a vote, an accusation, a question, a claim
# of the player, its own card beside others; `quoted`: that it claimed the role that is named.
TOPICS = {
    name.removeprefix("about_"): pattern
    for name, pattern in PATTERNS.patterns.items()
    if name.startswith("about_")
}
_YOU, _THIRD = PATTERNS.words["you"], PATTERNS.words["third"]


@dataclass(frozen=True)
class Demand:
    """Something `by` wants of a player.

    Attributes:
        intent: One of INTENTS or RULED.
        of: The seats it is about, without the player.
        roles: Keys of the ruleset.
        excluded: The seats that are named as no answer ("apart from Beta").
        direct: Whether it is said to the player, not of it.
        topics: The TOPICS that it speaks of.
        word: How the player is said to behave, such as "nervous".
    """

    by: int
    intent: str
    of: tuple[int, ...] = ()
    roles: tuple[str, ...] = ()
    excluded: tuple[int, ...] = ()
    direct: bool = True
    topics: frozenset[str] = frozenset()
    word: str = ""

    @property
    def is_charge(self) -> bool:
        return self.intent in CHARGES

    @property
    def is_bare(self) -> bool:
        """Whether it says little about what it wants, as in "and why?"."""
        return self.intent == "open" or (self.intent == "why" and not self.of)


@dataclass(frozen=True)
class Unit:
    """One sentence seen from one seat, to which it may be said (`is_direct`)."""

    number: int
    sentence: tuple[str, ...]
    features: frozenset[str]
    is_direct: bool


@lru_cache(maxsize=8192)
def demands(
    text: str, by: int, seat: int, seats: tuple[str, ...], pack: Pack, before: int = 0
) -> tuple[Demand, ...]:
    """Return what `text` of `by` demands of `seat`, in order, at most MAX_DEMANDS.

    Args:
        before: The seat that spoke last, which "you" means if nobody is named, 0 for none.
    """
    if not is_short_enough(text) or by == seat:
        return ()
    sentences = _sentences(text, by, seats, pack)
    scored = [s for unit in units(sentences, seat, before) for s in _score_intents(unit)]
    has_charge = any(intent in CHARGES for *_, intent in scored)
    has_question = any(intent in QUESTIONS for *_, intent in scored)
    best: list[tuple[int, Demand]] = []
    for _, unit, intent in sorted(scored, key=lambda row: -row[0]):
        demand = _build_demand(by, seat, unit, intent, sentences, pack)
        is_appeal = has_charge and demand.intent == "why" and not demand.of  # "…. Explain that."
        is_repeated = has_question and demand.intent == "evaded"  # the question is put again
        # "Suppose that Beta lies. What then?"
        is_premise = PATTERNS.supposition.search(" ".join(unit.sentence)) and any(
            later.number > unit.number for _, later, _ in scored
        )
        if not (is_appeal or is_repeated or is_premise):
            best.append((unit.number, demand))
    in_order = (demand for _, demand in sorted(best[:MAX_DEMANDS], key=lambda row: row[0]))
    return tuple({(d.intent, d.of): d for d in in_order}.values())


@lru_cache(maxsize=256)  # every seat reads what the statement demands of it
def _sentences(
    text: str, by: int, seats: tuple[str, ...], pack: Pack
) -> tuple[tuple[str, ...], ...]:
    return tuple(split_sentences(statement_tokens(text, seats, by, pack)))


def _score_intents(unit: Unit) -> Iterator[tuple[float, Unit, str]]:
    """Yield (certainty, sentence, intent) of what one sentence demands."""
    text = " ".join(unit.sentence) if unit.is_direct else ""
    intent = next((i for i, pattern in RULED.items() if pattern.search(text)), "")
    if intent and not (intent in CHARGES and _is_of_the_speaker(unit.sentence)):
        yield 1.0, unit, intent
        return
    if PATTERNS.no_charge.search(text) or PATTERNS.dissent.search(" ".join(unit.sentence)):
        return
    scores = load_models(WEIGHTS).models["demands"].scores(unit.features)
    certainty = scores.pop("any")
    if unit.sentence[-1] != "?":  # "she lies: first this, then that" is best answered on its reason
        scores["doubt"] -= REASON_FIRST
    if unit.is_direct and _is_of_the_speaker(unit.sentence):
        if unit.sentence[-1] != "?":
            return
        scores = {i: s for i, s in scores.items() if i not in CHARGES and i != "role"}
    first, second = sorted(scores, key=lambda intent: -scores[intent])[:2]
    if unit.sentence[-1] != "?" and first in QUESTIONS:
        if not unit.is_direct:
            return  # "Beta gets my vote"
        if first in NAMING and not (_YOU & {*unit.sentence} or PATTERNS.request.search(text)):
            return  # "going by the last vote, Beta thinks like me"
        if {"i", "my"} & {*unit.sentence} and not PATTERNS.wants_to_know.search(text):
            return  # "Beta, you're getting my vote"
    least = CHARGE_THRESHOLDS if first in CHARGES else THRESHOLDS
    if certainty > least["any"] or scores[first] > least["first"]:
        yield max(certainty, scores[first]), unit, first
        if scores[second] > least["second"]:
            yield scores[second], unit, second
    elif unit.is_direct and unit.sentence[-1] == "?" and "by name" in unit.features:
        yield certainty, unit, max((i for i in QUESTIONS if i in scores), key=lambda i: scores[i])


def _is_of_the_speaker(sentence: Sequence[str]) -> bool:
    """Return whether a sentence is only about its speaker: "When did I defend Delta, Beta?"."""
    return bool({"i", "my"} & set(sentence)) and not (_YOU | _THIRD) & set(sentence)


def split_sentences(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the sentences of a statement, each with the mark at its end."""
    sentences: list[tuple[str, ...]] = []
    start = 0
    for i, word in enumerate(words):
        if word in SENTENCE_ENDS or i == len(words) - 1:
            if any(w not in SENTENCE_ENDS for w in words[start : i + 1]):
                sentences.append(tuple(words[start : i + 1]))
            start = i + 1
    return sentences


def units(sentences: Sequence[tuple[str, ...]], seat: int, before: int) -> Iterator[Unit]:
    """Yield the sentences that may demand something of `seat`, with the features of each."""
    target, addressee, last = f"@{seat}", f"@{before}" if before else "", ""
    is_called = False  # by name, so far
    for number, sentence in enumerate(sentences):
        if name := _vocative(sentence):
            addressee, is_called = name, True
        is_to_all = not name and PATTERNS.to_all.match(" ".join(sentence)) is not None
        names, says_you = [w for w in sentence if is_seat(w)], bool(_YOU & {*sentence})
        after = sentences[number + 1] if number + 1 < len(sentences) else ()
        is_answered = sentence[-1] == "?" and bool({*names} & {*after}) and not says_you
        is_direct = is_to_all or (addressee == target and (is_called or not is_answered))
        is_third = last == target and bool(_THIRD & {*sentence}) and not names
        if target in names or is_direct or is_third:
            signs = [f"to {'name' if name == target else 'you' if is_direct else 'other'}"]
            signs += ["everyone"] * is_to_all + ["third"] * is_third + ["by name"] * is_called
            signs += ["named"] * (target in names)
            signs += ["you"] * (is_direct and (says_you or is_to_all))
            prior = sentences[number - 1] if number else ()
            view, *context = ([_view_token(w, target) for w in s] for s in (sentence, after, prior))
            features = frozenset(_features(view, signs, *context))
            yield Unit(number, sentence, features, is_direct)
        last = names[-1] if names else last


@lru_cache(maxsize=1024)
def _vocative(sentence: tuple[str, ...]) -> str:
    """Return the seat token that a sentence turns to by name, "" for none."""
    words = [word for word in sentence if word not in SENTENCE_ENDS]
    match = PATTERNS.vocative.match(" ".join(words + ["?"] * (sentence[-1] == "?")))
    return next(filter(None, match.groups()), "") if match else ""


def _view_token(word: str, target: str) -> str:
    if word == target:
        return "T"
    if is_seat(word):
        return "O"
    return "R" if _is_role(word) else word


@lru_cache(maxsize=8192)
def _is_role(word: str) -> bool:
    return PATTERNS.role_word.fullmatch(word) is not None


def _features(
    view: Sequence[str], signs: Sequence[str], after: Sequence[str], prior: Sequence[str]
) -> Iterator[str]:
    """Yield the features of a sentence seen from a seat, with the sentences around it."""
    yield from signs
    words = ["<", *(w for w in view if w not in (",", "'")), ">"]
    tag = "d" if "to other" not in signs else "o"
    for word in words:
        yield f"1 {word}"
        yield f"{tag} {word}"
        yield from character_ngrams(word, (4, 5))
    yield from word_ngrams("2", words, (2,))
    yield from word_ngrams("3", words, (3,))
    yield from (f"skip {a} {c}" for a, c in zip(words, words[2:], strict=False))
    yield f"start {' '.join(words[1:3])} {tag}"
    yield f"length {min(len(words) // 4, 5)}"
    yield f"others {min(view.count('O'), 2)}"
    for name, neighbours in (("next", after), ("prior", prior)):
        yield from word_ngrams(name, neighbours or ["none"], (1, 2))


def _build_demand(
    by: int,
    seat: int,
    unit: Unit,
    intent: str,
    sentences: Sequence[tuple[str, ...]],
    pack: Pack,
) -> Demand:
    """Return the demand of a sentence, with the seats and roles that it is about."""
    sentence, text = unit.sentence, " ".join(unit.sentence)
    is_question = sentence[-1] == "?"
    if is_question and intent == "result" and PATTERNS.asks_reason.search(text):
        intent = "why"
    earlier = " ".join(sentences[unit.number - 1]) if unit.number else ""
    supposed = earlier if PATTERNS.supposition.search(earlier) else ""
    exceptions = (match[0].split() for match in PATTERNS.exception.finditer(f"{supposed} {text}"))
    excluded = tuple(s for words in exceptions for s in seat_numbers(words) if s != seat)
    if intent == "partner" and not PATTERNS.fellow.search(text):
        intent = "open"
    intent, of = _find_subjects(by, seat, unit, intent, sentences, excluded)
    choice = PATTERNS.two_roles.search(text) if intent == "opinion" and len(of) == 1 else None
    words = choice[0].split() if choice else sentence
    keys = (role_key(w, pack) for w in words if PATTERNS.role_word.fullmatch(w))
    roles = tuple(dict.fromkeys(key for key in keys if key))
    excluded = excluded if intent in NAMING else ()
    manner = PATTERNS.for_manner.search(text) if intent == "manner" else None
    word = next(filter(None, manner.groups()), "") if manner else ""
    return Demand(
        by,
        intent,
        of,
        roles,
        excluded,
        unit.is_direct,
        frozenset(topic for topic, pattern in TOPICS.items() if pattern.search(text)),
        word,
    )


def _find_subjects(
    by: int,
    seat: int,
    unit: Unit,
    intent: str,
    sentences: Sequence[tuple[str, ...]],
    excluded: tuple[int, ...],
) -> tuple[str, tuple[int, ...]]:
    """Return the intent and the seats that the demand of a sentence is about.

    The intent is "opinion" for a question after trust or an opinion that is about its speaker, and
    for a choice between two roles of one player ("is she the one or the other?").
    """
    sentence, text = unit.sentence, " ".join(unit.sentence)
    is_direct_question = unit.is_direct and sentence[-1] == "?"
    of = tuple(s for s in seat_numbers(sentence) if s != seat)
    if len(of) == 1 and PATTERNS.two_roles.search(text):
        return "opinion", of
    if intent in NAMING:
        of = tuple(s for s in of if s not in excluded)
    one_seat = {"vote": PATTERNS.vote_for, "why": PATTERNS.deeds}.get(intent)
    if one_seat and (match := one_seat.search(text)):
        of = tuple(s for s in seat_numbers(match.groups()) if s != seat)
    elif intent == "unequal":
        of = (*of, by) if PATTERNS.words["first"] & set(sentence) else of
    elif intent in (*NAMING, "trust") and of and PATTERNS.asker_too.search(text):
        of = (*of, by)
    if not of and unit.number and intent in ("whom", "trust", "opinion", "vote", "why", "side"):
        of = _seats_before(by, seat, sentence, sentences[unit.number - 1])
        of = tuple(s for s in of if s not in excluded)
    if not of and (
        (
            intent in ("opinion", "trust")
            and (PATTERNS.words["first"] & set(sentence) or PATTERNS.of_asker.search(text))
        )
        or (intent == "open" and is_direct_question and {"am", "i"} <= set(sentence))
    ):
        return "opinion", (by,)
    if intent == "why" and (
        PATTERNS.why_just_me.search(text) or (not of and PATTERNS.why_me.search(text))
    ):
        return intent, (by,)
    return intent, of


def _seats_before(
    by: int, seat: int, sentence: Sequence[str], earlier: Sequence[str]
) -> tuple[int, ...]:
    """Return the seats of the `earlier` sentence to which a sentence points back."""
    is_ranked = PATTERNS.ranks.search(" ".join(earlier))
    if not is_ranked and not (_THIRD | PATTERNS.words["back"]) & set(sentence):
        return ()
    asker = (by,) if is_ranked and "me" in earlier else ()
    return (*(s for s in seat_numbers(earlier) if s != seat), *asker)
