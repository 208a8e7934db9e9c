"""Every phrase of the house player is understood by its listeners as it is meant.

Here in a few of the texts that it can become; `python -m tests.bench phrases` takes sixty.
"""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from agents import language
from agents.house import remarks
from agents.house.phrase_slots import build_slot_texts, get_phrases
from agents.house.remarks import Remark, RemarkPlace
from agents.language.phrasing import expansions, fill
from agents.packs import Pack, PackData, Result, pack_of
from agents.understanding import understand as talk
from agents.understanding.speech_acts import SpeechAct
from game.engine import rulesets
from game.engine.text_checks import count_words, text_error
from tests.agents.meanings import meaning
from tests.agents.table import ONE_NIGHT, understand

SEATS = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
SLOTS = {"t": "Beta", "x": "Gamma", "y": "Delta", "z": "Epsilon", "a": "Theta", "b": "Zeta"}
GONE = {"d": "Eta", "e": "Zeta"}
PHRASES, ASIDES = language.remarks(), language.asides()
# Whispers are no talk of the table, and last words that induce votes have a test of their own.
PLAIN = {
    k: p for k, p in language.general_phrases().items() if not k.startswith(("whisper_", "induce_"))
}
KINDS = sorted({*PHRASES, *PLAIN})
PACKS = {name: pack_of(rulesets.get(name)) for name in rulesets.names()}
# A word in a kind's name -> the role that it means in the one-night game, as MEANINGS has it.
PARTS = dict.fromkeys(("plain", "plains"), "villager") | {"bait": "tanner", "keeper": "keeper"}
PARTS |= dict.fromkeys(("mate", "mates", "fellow", "companion", "partner"), "mason")
SAMPLE = 2  # of what a phrase can become in the one-night game; 1 in others
WORDS = {"r": "Villager", "q": "Seer", "n": "three", "k": "two", "w": "nervous"}
WORDS |= {"all": "Gamma, Delta and Epsilon"}
ASIDE_SLOTS = [(pole, slot) for pole in sorted(ASIDES) for slot in ("before", "after", "soft")]
ROLES = ("Seer", "Mason", "Werewolf", "Minion", "Tanner")
NOTICES = [k for k in PHRASES if not k.startswith(("answer", "doubt"))]
ROLE_NOTICES = [(k, r) for k in NOTICES if any("{r}" in p for p in PHRASES[k]) for r in ROLES]
SEAT = {slot: SEATS.index(name) + 1 for slot, name in SLOTS.items()}
GONE_SEAT = {slot: SEATS.index(name) + 1 for slot, name in GONE.items()}


def said_in(pack: Pack) -> list[str]:
    """The kinds that somebody may say in the game of `pack`: none of a role that it lacks.

    Where it has no phrases of its own, those in plain words alone, which know its roles by slots.
    """
    kinds = KINDS if pack.data.phrases else sorted(PLAIN)
    look = pack.look(pack.role("looker"))
    alone = look is not None and look.seats == 1  # as who is voted out is looked at
    kinds = [kind for kind in kinds if alone or not re.search("exiled_(found|clean)", kind)]
    return [kind for kind in kinds if role_in(pack, role_named(kind))]


def role_named(kind: str) -> str:
    """The role a move of `kind` is about, as MEANINGS has it."""
    return next((PARTS[word] for word in kind.split("_") if word in PARTS), "seer")


def role_in(pack: Pack, meant: str) -> str:
    """The role of the game of `pack` that plays the part which `meant` plays in the one-night game;
    "" for none."""
    if meant == "keeper":  # who protects: of the plain ones, the one the deck holds once
        plain = pack.roles("plain")
        return next((role for role in plain if pack.deck.count(role) == 1), pack.plain_role)
    if meant == "tanner":
        return next(iter(pack.data.baits), "")
    part = ONE_NIGHT.part(meant)
    return pack.plain_role if part == "plain" else pack.role(part) if part else ""


def short(act: SpeechAct, pack: Pack = ONE_NIGHT) -> str:
    """An act as tests/agents/meanings.py writes it."""
    slots = {seat: slot for slot, seat in (GONE_SEAT | SEAT).items()}
    sign = ("-", "+")[pack.accuses(act.result)] if act.kind == "report" else ""
    role = f"={act.role}" if act.role and act.kind != "report" else ""
    about = f"/{act.about or 'any'}" if act.kind in ("question", "propose") else ""
    targets = " ".join(slots[t] for t in act.targets)
    return f"{act.kind}{sign}{role}{' ' if targets else ''}{targets}{about}"


def fits(pattern: str, act: str) -> bool:
    parts = [re.escape(p).replace(r"\|", "|") for p in pattern.split("*")]
    kind, space, rest = ".*".join(parts).partition(r"\ ")
    return bool(re.fullmatch(f"(?:{kind}){space}{rest}", act))


def faults(kind: str, text: str, pack: Pack = ONE_NIGHT) -> list[str]:
    """How the acts understood from `text` differ from what `kind` means."""
    acts = [short(a, pack) for a in talk.understand(text, 1, SEATS, 0, pack)]
    wanted = [w.strip() for w in meant_in(pack, kind).split(";") if w.strip()]
    missing = [w for w in wanted if not w.endswith("?") and not any(fits(w, a) for a in acts)]
    extra = [a for a in acts if not any(fits(w.rstrip("?"), a) for w in wanted)]
    return [f"missing {m}" for m in missing] + [f"extra {e}" for e in extra]


def meant_in(pack: Pack, kind: str) -> str:
    """What `kind` means, with the roles of the game of `pack`, and as many seen as it lets see."""
    if pack.ruleset is ONE_NIGHT.ruleset and "keeper" not in kind:
        return meaning(kind)
    found = re.sub(r"=(\w+)", lambda m: f"={role_in(pack, m[1])}", meaning(kind))
    found = re.sub(r"seer(?=/)", role_in(pack, "seer"), found)
    look = pack.look(pack.role("looker"))
    return found if look is None or look.seats > 1 else found.replace(" a b", " a")


def fillings(kind: str, pack: Pack = ONE_NIGHT) -> Iterator[dict[str, str]]:
    """What fills a move of `kind` in the game of `pack`.

    Once for each answer of the look that it may tell.
    """
    looker = pack.role("looker")
    look = pack.look(looker)
    assert look is not None
    clean = bool({"clean", "clears"} & set(kind.split("_")))
    targets = tuple(SEAT[slot] for slot in "ab"[: look.seats])
    answers = [Result(looker, targets, value) for value, _roles in look.answers]
    names = {slot: SEAT[slot] for slot in SLOTS} | GONE_SEAT
    for told in answers:
        if pack.accuses(told) != clean:
            role = role_in(pack, role_named(kind))
            move = Remark(kind, 1, RemarkPlace.TABLE, names, role=role, look=told)
            yield {**build_slot_texts(pack, move, lambda seat: SEATS[seat - 1]), **WORDS}


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_has_phrases_for_kinds_that_there_are(name: str) -> None:
    pack = PACKS[name]
    assert set(pack.data.phrases) <= {pack.spelled(kind) for kind in KINDS}
    assert not set(PHRASES) & set(PLAIN)


# Functions that make a remark -> the position of the kind among their arguments.
MAKERS = {"remark": 0, "Remark": 0, "say": 1, "_count_claimants": 1, "_name_seats": 2}


def test_whatever_the_core_can_say_has_words_in_any_game() -> None:
    """Every kind of move is named where it is made, whole or in parts: `f"{side}_mate_speak"`, and
    has a row in `remark_kinds.toml`; every row belongs to a kind that is made."""
    made, literals = set[str](), set[str]()
    for path in Path(remarks.__file__).parent.glob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text()))]
        literals |= {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
        calls = [n for n in nodes if isinstance(n, ast.Call) and _name(n.func) in MAKERS]
        kinds = [call.args[MAKERS[_name(call.func)]] for call in calls]
        if calls:
            kinds += [n.value for n in nodes if isinstance(n, ast.Assign)
                      and _name(n.targets[0]) == "kind"]  # fmt: skip
        made |= {pattern for kind in kinds for pattern in _patterns(kind)}
    assert len(made) > 180
    rows = {*remarks.KINDS}
    for known in ({*KINDS}, rows):
        assert not [kind for kind in made if not any(re.fullmatch(kind, k) for k in known)]
    assert not [r for r in rows - literals if not any(re.fullmatch(kind, r) for kind in made)]
    assert {*remarks.KINDS} <= {*KINDS}
    bare = Pack(rulesets.get("one-night"), PackData())
    assert all(get_phrases(bare, kind) for kind in KINDS)


def _name(node: ast.expr) -> str:
    return getattr(node, "id", "")


def _patterns(node: ast.expr) -> Iterator[str]:
    """The kinds that an expression can be, as patterns; none of a name."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(p.value if isinstance(p, ast.Constant) else r"\w+" for p in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*_patterns(node.body), *_patterns(node.orelse))


def misunderstood(name: str, kind: str, most: int = SAMPLE) -> Iterator[str]:
    """What of `most` texts of each phrase of `kind`, the pack's and plain ones, is not understood
    in its game as it is meant, or not fit to be said."""
    pack = PACKS[name]
    for phrase in dict.fromkeys((*get_phrases(pack, kind), *PLAIN.get(kind, ()))):
        filled = product(fillings(kind, pack), expansions(phrase, most))
        for text in dict.fromkeys(fill(expanded, found) for found, expanded in filled):
            if bad := faults(kind, text, pack):
                yield f"{text} -> {bad}"
            if not fit(text):
                yield f"{text} -> not fit to be said"


def fit(text: str) -> bool:
    """Whether a text is a sentence that the table takes.

    All filled in, without the speaker's own name.
    """
    said = text_error(text, 120) == "" and count_words(text) <= 60
    filled = not re.search(r"[{}<>\[\]|~]", text) and "Alpha" not in text
    return said and filled and text[0].isupper() and text[-1] in ".?!"


def meaningful(pole: str, slot: str, most: int = SAMPLE) -> Iterator[str]:
    """Asides that are taken to mean something, or take away what is said behind them."""
    for aside in ASIDES[pole][slot]:
        for text in expansions(aside, most):
            if understand(text, 1, SEATS):
                yield text
            elif slot == "soft":
                acts = understand(f"{text}I suspect Beta.", 1, SEATS)
                if [(a.kind, a.targets) for a in acts] != [("suspect", (2,))]:
                    yield f"{text}I suspect Beta."


def taken_for_claims(kind: str, role: str, most: int = SAMPLE) -> Iterator[str]:
    """Notices in which a role is taken for a claim.

    One's own, which may be said again where somebody disbelieves it, is never an evil one.
    """
    if kind == "disbelieved" and role not in ("Seer", "Mason"):
        return
    own = {f"claim={role.lower()}"} if kind == "disbelieved" else set()
    for phrase in PHRASES[kind]:
        for text in expansions(phrase, most):
            said = fill(text, {**SLOTS, "r": role})
            found = {short(a) for a in understand(said, 1, SEATS)}
            if not {a for a in found if not a.startswith("question x")} <= own:
                yield said


# The game of five has the phrases of the game of thirteen, and no role of its own.
SAID = [(n, kind) for n, pack in PACKS.items() if n != "aiwolf-5" for kind in said_in(pack)]


@pytest.mark.parametrize(("name", "kind"), SAID)
def test_a_phrase_is_understood_as_it_is_meant_and_fit_to_be_said(name: str, kind: str) -> None:
    wrong = list(misunderstood(name, kind, SAMPLE if name == "one-night" else 1))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("pole", "slot"), ASIDE_SLOTS)
def test_an_aside_means_nothing(pole: str, slot: str) -> None:
    assert not list(meaningful(pole, slot))


@pytest.mark.parametrize(("kind", "role"), ROLE_NOTICES)
def test_a_role_in_a_notice_is_not_taken_for_a_claim(kind: str, role: str) -> None:
    assert not list(taken_for_claims(kind, role))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('thanks = ["[Thank you|Thanks, {x}."]', "brackets do not match"),
        ('thanks = ["<gratitude>, {x}."]', "there is no block gratitude"),
        ('thanks = ["~grim Thanks, {x}."]', "there is no manner grim"),
        ('thanks = ["?rain Thanks."]', "there is no need rain"),
        ('thanks = ["?heard Thanks.", "~warm Thanks."]', "thanks has no phrase for everybody"),
        ('thanks = "Thanks."', "thanks must be a list"),
    ],
)
def test_broken_phrase_is_refused_with_its_file_and_kind(
    tmp_path: Path, text: str, fault: str
) -> None:
    (tmp_path / "thanks.toml").write_text(text)
    with pytest.raises(language.BadPhraseError, match=f"thanks.toml: .*{fault}"):
        language.read_pack(tmp_path)
