"""What a statement demands of one player: the questions put to it and the charges against it.

A linear model judges what a statement says to or about the seat (`passages`). It was trained on
lines of independent authors (`tests/agents/train_demands.py`). Some demands are known by their
words (`demands.toml`). The seats and roles that a demand is about are read off one sentence by
rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.features import load_models, seat_numbers, statement_tokens
from agents.understanding.normalise import is_short_enough, role_key
from agents.understanding.passages import (
    WEIGHTS,
    Passage,
    Sentence,
    Unit,
    find_passage,
    split_sentences,
)

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
# Intents that get one answer if a passage has several of them.
REASON_QUESTIONS = frozenset(("why", "unequal", "motive", "source"))
# Charges that are met by the answer to a question for the reason of an accusation.
COVERED_BY_REASON = ("changed", "echo", "wrong")
NAMING = ("whom", "vote")  # demands whose answer is a player: "apart from Beta" excludes one
MAX_DEMANDS = 2  # a statement makes at most this many demands on one player


class Margins(NamedTuple):
    """By how much a question, or a charge, must outscore "none"."""

    question: float
    charge: float  # an answer to a charge that nobody made is worse than none


# `Passage.address` -> margins. A player who is only mentioned is rarely asked anything.
MIN_MARGINS = {
    "called": Margins(-2.5, -0.7),
    "addressed": Margins(-1.0, -0.7),
    "mentioned": Margins(1.0, 0.3),
}
SECOND_MARGIN = 1.5  # the second demand must outscore "none" by this much more than the first
SECOND_LOSS = 1.5  # a second demand that scores less than the first by this much is dropped

PATTERNS = load("demands")
# Intents that rules recognise by their words: who has `claimed` a role, who has `spoken` most, how
# the `ballots` stand, and the player's `style` of play.
RULE_PATTERNS = {
    name.removeprefix("for_"): pattern
    for name, pattern in PATTERNS.patterns.items()
    if name.startswith("for_")
}
# What a demand speaks of: a defence, playing together, a vote, an accusation, a question, a look, a
# claim of the player, its own card beside others, a late moment, what the player would be, a choice
# between players; `quoted`: that it claimed the role that is named.
TOPICS = {
    name.removeprefix("about_"): pattern
    for name, pattern in PATTERNS.patterns.items()
    if name.startswith("about_")
}


@dataclass(frozen=True)
class Demand:
    """Something `by` wants of a player.

    Attributes:
        intent: One of QUESTIONS, CHARGES or RULE_PATTERNS.
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
        """Whether the demand says little about what it wants, as in "and why?"."""
        return self.intent == "open" or (self.intent == "why" and not self.of)


@lru_cache(maxsize=8192)
def demands(
    text: str, by: int, seat: int, seats: tuple[str, ...], pack: Pack, before: int = 0
) -> tuple[Demand, ...]:
    """Return what `text` of `by` demands of `seat`, the strongest last, at most MAX_DEMANDS.

    Args:
        before: The seat that spoke last, which "you" means if nobody is named, 0 for none.
    """
    if not is_short_enough(text) or by == seat:
        return ()
    sentences = _sentences(text, by, seats, pack)
    chosen = list(_choose_intents(find_passage(sentences, seat, before)))
    has_charge = any(intent in CHARGES for _, intent in chosen)
    has_question = any(intent in QUESTIONS for _, intent in chosen)
    results: list[Demand] = []
    for unit, intent in chosen:
        demand = _build_demand(by, seat, unit, intent, sentences, pack)
        is_appeal = has_charge and demand.intent == "why" and not demand.of  # "…. Explain that."
        is_repeated = has_question and demand.intent == "evaded"  # the question is put again
        if not (is_appeal or is_repeated):
            results.append(demand)
    # Such an answer meets the charge, too.
    if any(d.intent in REASON_QUESTIONS and d.of for d in results):
        results = [d for d in results if d.intent not in COVERED_BY_REASON]
    return tuple({(d.intent, d.of): d for d in reversed(results[:MAX_DEMANDS])}.values())


@lru_cache(maxsize=256)  # every seat reads what the statement demands of it
def _sentences(text: str, by: int, seats: tuple[str, ...], pack: Pack) -> tuple[Sentence, ...]:
    return tuple(split_sentences(statement_tokens(text, seats, by, pack)))


def _choose_intents(passage: Passage) -> Iterator[tuple[Unit, str]]:
    """Yield (sentence, intent) of what a passage demands, the strongest first.

    Intents that rules recognise come first, in the order of the text, then the model's, the
    likeliest first.
    """
    units = {unit.number: unit for unit in passage.units}
    has_any = False
    for unit in passage.units:
        if intent := _ruled_intent(unit):
            has_any = True
            yield units.pop(unit.number), intent
    if not units:
        return
    model = load_models(WEIGHTS).models["demands"]
    scores = model.scores(passage.features)
    none_score = scores.pop("none")
    unit_scores = {number: model.scores(unit.features) for number, unit in units.items()}
    best = max(scores, key=lambda intent: scores[intent])
    similar = REASON_QUESTIONS - {best} if best in REASON_QUESTIONS else frozenset()
    ranked = sorted({*scores} - similar, key=lambda intent: -scores[intent])[:MAX_DEMANDS]
    close = [intent for intent in ranked if scores[intent] > scores[best] - SECOND_LOSS]
    for intent in [i for i in close if i != "open"] or close:  # an open question has no answer
        margins = MIN_MARGINS[passage.address]
        min_margin = margins.charge if intent in CHARGES else margins.question
        if scores[intent] - none_score > min_margin + SECOND_MARGIN * has_any:
            has_any = True
            yield units[max(units, key=lambda n: (unit_scores[n][intent], n))], intent
    asking = [unit for unit in units.values() if unit.is_direct and _is_question(unit.sentence)]
    if not has_any and asking and passage.address == "called":
        yield asking[-1], max(QUESTIONS, key=lambda intent: scores[intent])


def _is_question(sentence: Sentence) -> bool:
    return sentence[-1] == "?" or PATTERNS.asks_something.match(" ".join(sentence)) is not None


def _ruled_intent(unit: Unit) -> str:
    """Return the intent that a sentence to the player shows by its words, "" for none."""
    text = " ".join(unit.sentence) if unit.is_direct else ""
    return next((intent for intent, pattern in RULE_PATTERNS.items() if pattern.search(text)), "")


def _build_demand(
    by: int,
    seat: int,
    unit: Unit,
    intent: str,
    sentences: Sequence[Sentence],
    pack: Pack,
) -> Demand:
    """Return the demand of a sentence, with the seats and roles that it is about."""
    sentence, text = unit.sentence, " ".join(unit.sentence)
    earlier = " ".join(sentences[unit.number - 1]) if unit.number else ""
    supposed = earlier if PATTERNS.supposition.search(earlier) else ""
    exceptions = (match[0].split() for match in PATTERNS.exception.finditer(f"{supposed} {text}"))
    excluded = tuple(s for words in exceptions for s in seat_numbers(words) if s != seat)
    of = tuple(s for s in seat_numbers(sentence) if s != seat)
    two_roles = PATTERNS.two_roles.search(text) if len(of) == 1 else None  # "is she this or that?"
    if two_roles:
        intent = "opinion"
    else:
        of = _find_subject_seats(by, seat, unit, intent, sentences, excluded)
    if not of and _asks_of_asker(unit, intent):
        intent, of = "opinion", (by,)
    words = two_roles[0].split() if two_roles else sentence
    keys = (role_key(w, pack) for w in words if PATTERNS.role_word.fullmatch(w))
    manners = (word for word in sentence if word in PATTERNS.words["manner"])
    return Demand(
        by,
        intent,
        of,
        roles=tuple(dict.fromkeys(key for key in keys if key)),
        excluded=excluded if intent in NAMING else (),
        direct=unit.is_direct,
        topics=frozenset(topic for topic, pattern in TOPICS.items() if pattern.search(text)),
        word=next(manners, "") if intent == "manner" else "",
    )


def _asks_of_asker(unit: Unit, intent: str) -> bool:
    """Return whether a question that names nobody is about its asker: "do you believe me?"."""
    words, text = set(unit.sentence), " ".join(unit.sentence)
    if intent in ("opinion", "trust"):
        return bool(PATTERNS.words["first"] & words or PATTERNS.of_asker.search(text))
    is_direct_question = unit.is_direct and unit.sentence[-1] == "?"
    return intent == "open" and is_direct_question and {"am", "i"} <= words


def _find_subject_seats(
    by: int,
    seat: int,
    unit: Unit,
    intent: str,
    sentences: Sequence[Sentence],
    excluded: tuple[int, ...],
) -> tuple[int, ...]:
    """Return the seats that the demand of a sentence is about, without `excluded`."""
    sentence, text = unit.sentence, " ".join(unit.sentence)
    of = tuple(s for s in seat_numbers(sentence) if s != seat)
    if intent in NAMING:
        of = tuple(s for s in of if s not in excluded)
    pattern = {
        "vote": PATTERNS.vote_for,
        "deal": PATTERNS.vote_for,
        "why": PATTERNS.deeds,
        "then": PATTERNS.about_choice,  # "do you go after Beta or after Gamma?"
    }.get(intent)
    if pattern and (match := pattern.search(text)):
        names = [word for word in match.groups() if word[0] == "@"]
        of = tuple(s for s in seat_numbers(names) if s != seat)
    elif intent == "unequal":
        of = (*of, by) if PATTERNS.words["first"] & set(sentence) else of
    elif intent in (*NAMING, "trust") and of and PATTERNS.asker_too.search(text):
        of = (*of, by)
    if not of and unit.number and intent in ("whom", "trust", "opinion", "vote", "why", "side"):
        of = _seats_in_earlier_sentence(by, seat, sentence, sentences[unit.number - 1])
        of = tuple(s for s in of if s not in excluded)
    is_why_me = PATTERNS.why_just_me.search(text) or (not of and PATTERNS.why_me.search(text))
    return (by,) if intent == "why" and is_why_me else of


def _seats_in_earlier_sentence(
    by: int, seat: int, sentence: Sequence[str], earlier: Sequence[str]
) -> tuple[int, ...]:
    """Return the seats of the `earlier` sentence to which a sentence points back."""
    is_ranked = PATTERNS.ranks.search(" ".join(earlier))
    if not is_ranked and not (PATTERNS.words["third"] | PATTERNS.words["back"]) & set(sentence):
        return ()
    asker = (by,) if is_ranked and "me" in earlier else ()
    return (*(s for s in seat_numbers(earlier) if s != seat), *asker)
