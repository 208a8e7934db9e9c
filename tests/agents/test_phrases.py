"""Every phrase of the house player is understood by its listeners as it is meant.

Here in a few of the texts that it can become; `python -m tests.bench phrases` takes sixty.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from itertools import product
from pathlib import Path

import pytest

from agents import language
from agents.house import remark_rules, remarks
from agents.house.facts import FACTS, FACTS_WITH_OPTIONS
from agents.house.mindset import Mindset
from agents.house.phrase_slots import build_slot_texts, get_phrases
from agents.house.remark_rules import CHECKS, OWN_VIEW
from agents.house.remarks import Remark, RemarkPlace
from agents.language.decision_lists import Line, parse_decision_list
from agents.language.phrasing import expansions, fill
from agents.packs import Pack, PackData, Result, pack_of
from agents.understanding import understand as talk
from agents.understanding.demands import Demand
from agents.understanding.speech_acts import SpeechAct
from game.engine import rulesets
from game.engine.text_checks import count_words, text_error
from tests.agents.conduct import pointed
from tests.agents.meanings import meaning
from tests.agents.table import ONE_NIGHT, log_of, scene_of, understand

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


def test_whatever_the_core_can_say_has_words_in_any_game() -> None:
    """Every kind of move is named where it is made, whole or in parts: `f"{side}_mate_speak"`, and
    has a row in `remark_kinds.toml`."""
    made = {line.result.split()[0] for line in rule_lines() if line.result} - {"see"}
    assert len(made) > 90
    for path in Path(remark_rules.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Remark", "remark"):
                made |= set(_patterns(node.args[0]))
    assert len(made) > 90
    assert not [kind for kind in made if not any(re.fullmatch(kind, known) for known in KINDS)]
    assert not [kind for kind in made if not any(re.fullmatch(kind, row) for row in remarks.KINDS)]
    assert {*remarks.KINDS} <= {*KINDS}
    bare = Pack(rulesets.get("one-night"), PackData())
    assert all(get_phrases(bare, kind) for kind in KINDS)


def test_every_kind_that_names_others_has_a_check_or_is_only_a_view() -> None:
    """A kind without a check would never be said."""
    slots = ("{x}", "{y}", "{z}", "{t}", "{d}", "{e}", "{all}")
    said = {kind: (*PHRASES.get(kind, ()), *PLAIN.get(kind, ())) for kind in KINDS}
    named = {kind for kind in KINDS if any(slot in p for p in said[kind] for slot in slots)}
    assert named <= {*CHECKS} | OWN_VIEW, named - {*CHECKS} - OWN_VIEW
    assert not {*CHECKS} & OWN_VIEW
    assert {*CHECKS} | OWN_VIEW <= {*KINDS}


def rule_lines() -> Iterator[Line]:
    """Every line of the rules in `agents/house/rules`."""
    for path in sorted((Path(remark_rules.__file__).parent / "rules").glob("*.toml")):
        for table in tomllib.loads(path.read_text()).values():
            for text in table.values():
                lines = [*parse_decision_list(text, ValueError)]
                while lines:
                    yield (line := lines.pop())
                    lines += line.lines


def test_every_condition_of_a_rule_is_a_fact_a_member_or_a_slot() -> None:
    """Another name would fail only in the game in which the line is reached."""
    mind = Mindset(scene_of(log_of(pointed.DEAL), 1), {})
    slots = {"me", "x", "w", "is_to_me", "is_last", "strength"}
    slots |= {field.name for field in fields(Demand)}
    conditions = [c.removeprefix("each ") for line in rule_lines() for c in line.conditions]
    slots |= {slot for c in conditions if " = " in c for slot in c.split(" = ")[0].split()}
    owners = (mind, mind.dialogue, mind.dialogue.course)
    facts = [fact for c in conditions for fact in re.split(" (?:==?|!=|[<>]=?) ", c)[-2:]]
    facts = [fact for fact in facts if not re.match(r"\d", fact)]
    for condition in facts:
        name = condition.removeprefix("not ").split()[0]
        is_member = any(hasattr(owner, name) for owner in owners)
        is_fact = name in FACTS or name.split(":")[0] in FACTS_WITH_OPTIONS
        assert is_member or is_fact or name in slots, condition


def test_every_list_that_a_rule_goes_on_with_is_there() -> None:
    lists = {*remark_rules.FIRST_LINES, *remark_rules.EVERY_LINES}
    results = [line.result.split() for line in rule_lines()]
    assert {words[1] for words in results if words[:1] == ["see"]} <= lists


def _patterns(node: ast.expr) -> Iterator[str]:
    """The kinds that an expression can be, as patterns; none of a name."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(p.value if isinstance(p, ast.Constant) else r"\w+" for p in node.values)


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
