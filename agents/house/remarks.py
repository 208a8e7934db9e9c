"""Remarks: the things that a house player can say, and their phrases.

A statement consists of the heaviest few remarks. A pack's own phrases come first, then those of
`agents/language/en/remarks`, then the general ones, which name a game's roles by slots alone.

Kinds are named by the parts that roles play in the talk (`agents.packs.Part`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from pathlib import Path

from agents import language
from agents.language import number_word
from agents.packs import Pack, Result

Named = int | str | tuple[int, ...]  # content of a slot: a seat, a text, several seats
# Kinds that have no phrases: they demand the claim or the suspicion that answers a question.
UNSPOKEN = ("answer_role", "answer_suspect")
GONE = ("d", "e")  # the slots of players who may be out
CROWD = 4  # maximal number of claimants of one role that a remark lists
CROWD_PENALTY = 1.4  # taken off if more than two hold the role: one more false claim says little
HARD_EVIDENCE = 6.8  # kinds of doubts with at least this weight are evidence that others can check
DENIAL_WEIGHT = 8.5  # replies with at least this weight answer an accusation that cannot wait
# What turns a reason into a suspicion: a block, or a clause or sentence of its own.
CONCLUSION = re.compile(
    r"<(?:hence|them|among)>$|(?:, (?:so|and)|(?<=\?)) <(?:open|firm|suspect|pick)>\.$"
)
MIN_BARE_REASONS = 3
DUE_REPLY_WEIGHT = 9.0  # replies to a look that found me are said however long the statement is
NEWS_WEIGHT = 9.05  # remarks on what just happened that open a statement, above votes and replies
WEAK_REASON_WEIGHT = 3.3  # reasons that say little, below a feeling
MIN_REMARK_WEIGHT = 2.5  # lighter remarks on the talk and the course of the game are not made


class RemarkPlace(IntEnum):
    """Position of a remark in a statement. Most positions hold at most one."""

    OPEN = 0
    REPLY = 1
    ANSWER = 2  # answers a demand; a statement has at most two
    CLAIM = 3
    TABLE = 4
    TRUST = 5
    TURN = 6  # a change of mind
    LEAD = 7  # announces the doubt as an answer
    DOUBT = 8
    SUPPORT = 9  # what sets the player apart whom the doubt is about
    VOTE = 10
    ASK = 11
    CLOSE = 12


@dataclass(frozen=True)
class RemarkKind:
    """Common properties of the remarks of a kind.

    Attributes:
        position: position in a statement.
        weight: the heaviest remarks are said.
        about: the slot of the player whom it is about, "" for nobody.
        theme: kinds of one theme make the same point, which a statement makes once.
    """

    position: RemarkPlace
    weight: float
    about: str
    theme: str


def _load_kinds() -> dict[str, RemarkKind]:
    """Load `remark_kinds.toml`: position -> "weight about theme" -> kinds."""
    text = Path(__file__).with_name("remark_kinds.toml").read_text("utf-8")
    kinds: dict[str, RemarkKind] = {}
    for position, rows in tomllib.loads(text).items():
        for row, names in rows.items():
            weight, about, theme = (*row.split(" ", 2), "", "")[:3]
            kind = RemarkKind(RemarkPlace[position.upper()], float(weight), about.strip("-"), theme)
            kinds |= dict.fromkeys(names.split(), kind)
    return kinds


KINDS = _load_kinds()


@dataclass(frozen=True)
class Remark:
    """One thing to say, with everything that its phrases need.

    Attributes:
        kind: the kind of its phrases.
        weight: the heaviest remarks are said.
        position: position in a statement.
        names: slot -> seat, several seats, or a text.
        about: the seat that it is about and is not repeated for, 0 for none.
        role: the role that the kind's part stands for.
        look: the look that it tells of.
        meets: the number of the statement that it answers, from 1, 0 for none.
    """

    kind: str
    weight: float
    position: RemarkPlace
    names: Mapping[str, Named] = field(default_factory=dict)
    about: int = 0
    role: str = ""
    look: Result | None = None
    meets: int = 0

    @property
    def seats(self) -> set[int]:
        """All seats that the remark names."""
        seats = set[int]()
        for value in self.names.values():
            seats |= {value} if isinstance(value, int) else set[int]()
            seats |= set(value) if isinstance(value, tuple) else set[int]()
        return seats

    @property
    def theme(self) -> str:
        """The point that the remark makes: its kind's theme, or the kind."""
        return (KINDS[self.kind].theme if self.kind in KINDS else "") or self.kind

    @property
    def leads(self) -> bool:
        """Whether the remark only announces another one and makes no point of its own."""
        return self.position == RemarkPlace.LEAD or self.kind == "answer_role"

    @property
    def is_denial(self) -> bool:
        """Whether the remark replies to an accusation that cannot wait."""
        return self.position == RemarkPlace.REPLY and self.weight >= DENIAL_WEIGHT

    @property
    def is_hard_evidence(self) -> bool:
        """Whether the remark tells of a look, a confession or a changed story."""
        return self.position == RemarkPlace.DOUBT and KINDS[self.kind].weight >= HARD_EVIDENCE

    def repeats(self, earlier: Remark) -> bool:
        """Return whether both remarks make one point. Answers to two players do not."""
        are_answers = self.position == earlier.position == RemarkPlace.ANSWER and not self.leads
        are_to_two = are_answers and self.names.get("x") != earlier.names.get("x")
        return self.theme == earlier.theme and not are_to_two

    @property
    def key(self) -> str:
        """The key under which the stance remembers the remark (`Stance.said_keys`)."""
        return f"{self.kind}:{self.about}"


def remark(
    kind: str,
    names: Mapping[str, Named] | None = None,
    /,
    *,
    weight: float | None = None,
    about: int | None = None,
    role: str = "",
    look: Result | None = None,
    **slots: Named,
) -> Remark:
    """Build a remark of a kind of `remark_kinds.toml`.

    Args:
        names: slot -> content; `slots` adds to them.
        weight: replaces the kind's weight.
        about: replaces the seat in the kind's slot `about`.
    """
    properties, filled = KINDS[kind], {**(names or {}), **slots}
    if about is None:
        seat = filled.get(properties.about, 0)
        about = seat if isinstance(seat, int) else 0
    weight = properties.weight if weight is None else weight
    return Remark(kind, weight, properties.position, filled, about, role, look)


def counted(pack: Pack, role: str, claims: int) -> dict[str, Named]:
    """Return the slots n (number of `claims` of `role`) and k (its number in the deck)."""
    return {"n": number_word(claims), "k": number_word(pack.deck.count(role))}


def crowd_weight(pack: Pack, role: str, weight: float) -> float:
    """Return the weight of a remark on many claims of `role`, less if several players hold it."""
    return weight - CROWD_PENALTY * (pack.deck.count(role) > 2)


def look_slots(look: Result) -> dict[str, Named]:
    """Return the slots a, b, … of the players looked at."""
    return dict(zip("abcdefgh", look.targets, strict=False))


def is_announcement_kept(candidate: Remark, chosen: Iterable[Remark]) -> bool:
    """Return whether what `candidate` announces, or adds to, is among `chosen`.

    Only suspicions, claims and late answers are announced or added to. Other remarks are kept.
    """
    positions = {r.position for r in chosen}
    if candidate.kind == "answer_late":
        return any(r.meets and r.names.get("x", 0) == candidate.names["x"] for r in chosen)
    if candidate.position == RemarkPlace.TURN:
        return bool(positions & {RemarkPlace.DOUBT, RemarkPlace.VOTE})
    if candidate.position in (RemarkPlace.LEAD, RemarkPlace.SUPPORT):
        return RemarkPlace.DOUBT in positions
    return not candidate.leads or RemarkPlace.CLAIM in positions


# -- the phrases of a remark, and the texts of their slots


@lru_cache(maxsize=1024)
def get_phrases(pack: Pack, kind: str, character: str = "") -> tuple[str, ...]:
    """Return the phrases of a kind of remark in the game of `pack`.

    Args:
        character: The written character who has them, "" for those of everybody.
    """
    if character:
        sentences = language.voices()[character].phrases
        verdicts = f". [{'|'.join(sentences['hence'])}]."
        return tuple(phrase.replace("<hence>", verdicts) for phrase in sentences.get(kind, ()))
    if own := pack.data.phrases.get(pack.spelled(kind)):
        return tuple(expand_blocks(phrase, pack) for phrase in own)
    return language.remarks().get(kind) or language.general_phrases()[kind]


@lru_cache(maxsize=512)
def get_bare_reasons(
    pack: Pack, kind: str, *, is_added: bool = False, character: str = ""
) -> tuple[str, ...]:
    """Return the phrases of a doubt without the suspicion that they end with.

    Args:
        is_added: Whether the reason continues the sentence of another one.
        character: As in `get_phrases`.

    Returns:
        () if fewer than MIN_BARE_REASONS phrases of the kind can stand without it.
    """
    bare = []
    own = language.voices()[character].phrases.get(kind, ()) if character else ()
    for phrase in own if character else get_phrases(pack, kind):
        if CONCLUSION.search(phrase):
            head = phrase[: -len(language.split_phrase(phrase)[2])]
            text = CONCLUSION.sub("", phrase[len(head) :])
            if is_added:
                # The text's first word is not known behind a choice.
                if text[0] in "[<@" or re.search(r"[.?!] |\?$", text):
                    continue
                keeps_case = text.startswith(("{", "I ", "I'"))
                text = f", and {text if keeps_case else text[0].lower() + text[1:]}"
            bare.append(f"{head}{text}{'' if text.endswith('?') else '.'}")
    return tuple(bare) if len(bare) >= MIN_BARE_REASONS else ()


def expand_blocks(phrase: str, pack: Pack) -> str:
    """Return `phrase` with the pack's own blocks expanded. Shared blocks stay."""
    blocks = pack.data.blocks

    def expand_match(match: re.Match[str]) -> str:
        name, slot = match.groups()
        if name not in blocks:
            return match[0]
        return f"[{blocks[name].replace('{_}', '{' + (slot or '_') + '}')}]"

    while any(match[1] in blocks for match in language.BLOCK.finditer(phrase)):
        phrase = language.BLOCK.sub(expand_match, phrase)
    return phrase


def build_slot_texts(
    pack: Pack,
    remark: Remark,
    name: Callable[[int], str],
    is_recent: bool = True,
    habit: int = 0,
) -> dict[str, str]:
    """Return slot -> text for a remark.

    Args:
        name: returns the name of a seat.
        is_recent: whether the remark's look is of the last night.
        habit: the player's choice among wordings of a look.

    Returns:
        The remark's own slots, and `wolf` ("a Werewolf"). With a role also `role` ("Seer"), `one`
        ("the Seer") and `many` ("Seers"). With a look also `seen` ("Beta and Zeta"), `answer` and
        `night` ("last night" or "").
    """
    slot_texts = {
        slot: value
        if isinstance(value, str)
        else language.join_names(
            [name(s) for s in (value if isinstance(value, tuple) else (value,))]
        )
        for slot, value in remark.names.items()
    }
    if pack.hunted:
        slot_texts["wolf"] = pack.one(pack.hunted[0])
    if remark.role:
        slot_texts |= {"role": pack.name(remark.role), "one": pack.one(remark.role)}
        slot_texts["many"] = pack.many(remark.role)
    if remark.look:
        seen_names = [name(seat) for seat in remark.look.targets]
        slot_texts["seen"] = language.join_names(seen_names)
        slot_texts["night"] = language.small_words()["night"] if is_recent else ""
        slot_texts["answer"] = _format_look_answer(pack, remark.look, seen_names, habit)
    return slot_texts


def _format_look_answer(pack: Pack, look: Result, names: list[str], habit: int) -> str:
    """Return the answer of a look as a clause.

    Examples: "Beta is a Werewolf", "neither of them is the Seer", "Beta came up as beast".
    """
    role, is_held = pack.revealed_role(look)
    is_single = len(names) == 1
    if not role:
        form = "value" if is_single else "values"
    elif is_single:
        form = "is" if is_held else "is_not"
    else:
        form = "one" if is_held else "neither" if len(names) == 2 else "none"
    role_text = pack.one(role) if role else ""
    answers: list[str] = language.small_words()["answer"][form]
    return answers[habit % len(answers)].format(name=names[0], role=role_text, value=look.value)
