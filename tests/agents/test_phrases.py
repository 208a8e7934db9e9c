"""Every phrase of the house player is understood with its intended meaning.

This file tests a few expansions of each; `python -m tests.bench phrases` tests sixty.
"""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from agents import language
from agents.house import remarks
from agents.house.remarks import (
    Remark,
    RemarkPlace,
    build_slot_texts,
    get_bare_reasons,
    get_phrases,
)
from agents.language.phrasing import expansions, fill
from agents.packs import Pack, PackData, Result, pack_of
from agents.understanding import understand as talk
from agents.understanding.speech_acts import SpeechAct
from game.engine import rulesets
from game.engine.text_checks import count_words, text_error
from tests.agents.conduct import references
from tests.agents.meanings import meaning
from tests.agents.table import ONE_NIGHT, understand

SEATS = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
SLOTS = {"t": "Beta", "x": "Gamma", "y": "Delta", "z": "Epsilon", "a": "Theta", "b": "Zeta"}
DEAD = {"d": "Eta", "e": "Zeta"}
PHRASES = language.remarks()
# Whispers are not public talk, and vote-inducing phrases have their own test.
PLAIN = {
    k: p for k, p in language.general_phrases().items() if not k.startswith(("whisper_", "induce_"))
}
KINDS = sorted({*PHRASES, *PLAIN})
PACKS = {name: pack_of(rulesets.get(name)) for name in rulesets.names()}
# Maps a word in a kind's name to its one-night role, as in MEANINGS.
PARTS = dict.fromkeys(("plain", "plains"), "villager") | {"bait": "tanner", "keeper": "keeper"}
PARTS |= dict.fromkeys(("mate", "mates", "fellow", "companion", "partner"), "mason")
SAMPLE = 2  # expansions per phrase in the one-night game; other games use 1
WORDS = {"r": "Villager", "q": "Seer", "n": "three", "k": "two", "w": "nervous"}
WORDS |= {"all": "Gamma, Delta and Epsilon"}
VOICED = [(key, k) for key, v in language.voices().items() for k in v.phrases if k != "hence"]
ROLES = ("Seer", "Mason", "Werewolf", "Minion", "Tanner")
NOTICES = [k for k in PHRASES if not k.startswith(("answer", "doubt"))]
ROLE_NOTICES = [(k, r) for k in NOTICES if any("{r}" in p for p in PHRASES[k]) for r in ROLES]
SEAT = {slot: SEATS.index(name) + 1 for slot, name in SLOTS.items()}
DEAD_SEAT = {slot: SEATS.index(name) + 1 for slot, name in DEAD.items()}


def kinds_of(pack: Pack) -> list[str]:
    """Return the kinds that can occur in the game of `pack`.

    A pack without phrases of its own uses only generic ones, which name its roles by slots.
    """
    kinds = KINDS if pack.data.phrases else sorted(PLAIN)
    look = pack.look(pack.role("looker"))
    alone = look is not None and look.seats == 1  # an exiled player is looked at alone
    kinds = [kind for kind in kinds if alone or not re.search("exiled_(found|clean)", kind)]
    return [kind for kind in kinds if role_in(pack, role_of_kind(kind))]


def role_of_kind(kind: str) -> str:
    """Return the one-night role that a move of `kind` is about, as in MEANINGS."""
    return next((PARTS[word] for word in kind.split("_") if word in PARTS), "seer")


def role_in(pack: Pack, one_night_role: str) -> str:
    """Return the role of `pack` with the part of `one_night_role`, or "" if there is none."""
    if one_night_role == "keeper":  # the protector is the plain role that the deck holds once
        plain_roles = pack.roles("plain")
        return next((role for role in plain_roles if pack.deck.count(role) == 1), pack.plain_role)
    if one_night_role == "tanner":
        return next(iter(pack.data.baits), "")
    part = ONE_NIGHT.part(one_night_role)
    if part == "plain":
        return pack.plain_role
    return pack.role(part) if part else ""


def format_act(act: SpeechAct, pack: Pack = ONE_NIGHT) -> str:
    """Format an act in the notation of tests/agents/meanings.py."""
    slots = {seat: slot for slot, seat in (DEAD_SEAT | SEAT).items()}
    sign = ("-", "+")[pack.accuses(act.result)] if act.kind == "report" else ""
    role = f"={act.role}" if act.role and act.kind != "report" else ""
    about = f"/{act.about or 'any'}" if act.kind in ("question", "propose") else ""
    targets = " ".join(slots[t] for t in act.targets)
    return f"{act.kind}{sign}{role}{' ' if targets else ''}{targets}{about}"


def fits(pattern: str, act: str) -> bool:
    parts = [re.escape(p).replace(r"\|", "|") for p in pattern.split("*")]
    kind, space, rest = ".*".join(parts).partition(r"\ ")
    return bool(re.fullmatch(f"(?:{kind}){space}{rest}", act))


def find_differences(kind: str, text: str, pack: Pack = ONE_NIGHT) -> list[str]:
    """Return the differences between the acts in `text` and the meaning of `kind`."""
    acts = [format_act(a, pack) for a in talk.understand(text, 1, SEATS, 0, pack)]
    expected = [w.strip() for w in meaning_in(pack, kind).split(";") if w.strip()]
    missing = [w for w in expected if not w.endswith("?") and not any(fits(w, a) for a in acts)]
    extra = [a for a in acts if not any(fits(w.rstrip("?"), a) for w in expected)]
    return [f"missing {m}" for m in missing] + [f"extra {e}" for e in extra]


LOOK_WORDINGS = max(map(len, language.small_words()["answer"].values()))


def meaning_in(pack: Pack, kind: str) -> str:
    """Return the meaning of `kind` with the roles and the look size of the game of `pack`."""
    if pack.ruleset is ONE_NIGHT.ruleset and "keeper" not in kind:
        return meaning(kind)
    text = re.sub(r"=(\w+)", lambda m: f"={role_in(pack, m[1])}", meaning(kind))
    text = re.sub(r"seer(?=/)", role_in(pack, "seer"), text)
    look = pack.look(pack.role("looker"))
    return text if look is None or look.seats > 1 else text.replace(" a b", " a")


def fillings(kind: str, pack: Pack = ONE_NIGHT) -> Iterator[dict[str, str]]:
    """Yield slot texts of a move of `kind` for each matching answer of the pack's look."""
    looker = pack.role("looker")
    look = pack.look(looker)
    assert look is not None
    is_clearing = bool({"clean", "clears"} & set(kind.split("_")))
    targets = tuple(SEAT[slot] for slot in "ab"[: look.seats])
    answers = [Result(looker, targets, value) for value, _roles in look.answers]
    names = {slot: SEAT[slot] for slot in SLOTS} | DEAD_SEAT
    for result in answers:
        if pack.accuses(result) != is_clearing:
            role = role_in(pack, role_of_kind(kind))
            move = Remark(kind, 1, RemarkPlace.TABLE, names, role=role, look=result)
            for habit in range(LOOK_WORDINGS):
                slots = build_slot_texts(pack, move, lambda seat: SEATS[seat - 1], habit=habit)
                yield {**slots, **WORDS}


@pytest.mark.parametrize("name", PACKS)
def test_pack_has_phrases_only_for_existing_kinds(name: str) -> None:
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
    for known in ({*KINDS, *remarks.UNSPOKEN}, rows):
        assert not [kind for kind in made if not any(re.fullmatch(kind, k) for k in known)]
    assert not [r for r in rows - literals if not any(re.fullmatch(kind, r) for kind in made)]
    assert {*remarks.KINDS} <= {*KINDS, *remarks.UNSPOKEN}
    bare = Pack(rulesets.get("one-night"), PackData())
    assert all(get_phrases(bare, kind) for kind in KINDS)


def test_every_kind_naming_others_is_checked_or_an_opinion() -> None:
    """The checks are `tests.agents.conduct.references`, which knows no code of the house player."""
    slots = ("{x}", "{y}", "{z}", "{t}", "{d}", "{e}", "{all}")
    phrases = {kind: (*PHRASES.get(kind, ()), *PLAIN.get(kind, ())) for kind in KINDS}
    naming_kinds = {k for k in KINDS if any(slot in p for p in phrases[k] for slot in slots)}
    checked_kinds = {*references.CHECKS, *references.COUNTING_KINDS}
    assert naming_kinds - checked_kinds <= references.OPINIONS
    assert not checked_kinds & references.OPINIONS
    assert checked_kinds | references.OPINIONS <= {*KINDS}


def _name(node: ast.expr) -> str:
    return getattr(node, "id", "")


def _patterns(node: ast.expr) -> Iterator[str]:
    """Yield the kinds that an expression can evaluate to, as patterns."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(p.value if isinstance(p, ast.Constant) else r"\w+" for p in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*_patterns(node.body), *_patterns(node.orelse))


def find_misreadings(
    name: str, kind: str, limit: int = SAMPLE, character: str = ""
) -> Iterator[str]:
    """Yield errors of up to `limit` expansions of each phrase of `kind`."""
    pack = PACKS[name]
    general = () if character else PLAIN.get(kind, ())
    for phrase in dict.fromkeys((*get_phrases(pack, kind, character), *general)):
        fillings_of_phrase = product(fillings(kind, pack), expansions(phrase, limit))
        for text in dict.fromkeys(
            fill(expanded, slot_texts) for slot_texts, expanded in fillings_of_phrase
        ):
            if differences := find_differences(kind, text, pack):
                yield f"{text} -> {differences}"
            if not is_valid(text):
                yield f"{text} -> not a valid statement"


def find_misread_reasons(kind: str, character: str = "") -> Iterator[str]:
    """Yield reasons without their conclusion that say more than the suspicion of the target."""
    expected = [f"{w.strip().rstrip('?')}?" for w in meaning_in(ONE_NIGHT, kind).split(";")]
    for phrase in (
        *get_bare_reasons(ONE_NIGHT, kind, character=character),
        *get_bare_reasons(ONE_NIGHT, kind, is_added=True, character=character),
    ):
        for slot_texts, expanded in product(fillings(kind, ONE_NIGHT), expansions(phrase, SAMPLE)):
            text = fill(expanded, slot_texts)
            acts = [format_act(a) for a in talk.understand(text, 1, SEATS, 0, ONE_NIGHT)]
            if not is_valid(text) or not all(any(fits(w[:-1], a) for w in expected) for a in acts):
                yield f"{text} -> {acts}"


def is_valid(text: str) -> bool:
    """Return whether a text is a legal statement without open slots or the speaker's own name.

    It may continue a sentence (", so …") or announce another one ("…:").
    """
    is_legal = text_error(text, 120) == "" and count_words(text) <= 60
    is_filled = not re.search(r"[{}<>\[\]|~]", text) and "Alpha" not in text
    begins_well = text[0].isupper() or text.startswith(", ")
    return is_legal and is_filled and begins_well and text[-1] in ".?!:"


def notices_read_as_claims(kind: str, role: str, limit: int = SAMPLE) -> Iterator[str]:
    """Yield notices in which a role is read as a claim.

    A disbelieved player may repeat its own claim, which is never an evil role.
    """
    if kind == "disbelieved" and role not in ("Seer", "Mason"):
        return
    allowed = {f"claim={role.lower()}"} if kind == "disbelieved" else set()
    for phrase in PHRASES[kind]:
        for text in expansions(phrase, limit):
            notice = fill(text, {**SLOTS, "r": role})
            read_acts = {format_act(a) for a in understand(notice, 1, SEATS)}
            if not {a for a in read_acts if not a.startswith("question x")} <= allowed:
                yield notice


# The game of five seats has the phrases and roles of the game of thirteen.
PACK_KINDS = [(n, kind) for n, pack in PACKS.items() if n != "aiwolf-5" for kind in kinds_of(pack)]


@pytest.mark.parametrize(("name", "kind"), PACK_KINDS)
def test_phrase_is_understood_correctly_and_is_a_valid_statement(name: str, kind: str) -> None:
    errors = list(find_misreadings(name, kind, SAMPLE if name == "one-night" else 1))
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if get_bare_reasons(ONE_NIGHT, kind)])
def test_reason_without_its_conclusion_is_understood_correctly(kind: str) -> None:
    errors = list(find_misread_reasons(kind))
    assert not errors, "\n".join(errors)


def test_no_phrase_joins_two_dots_and_a_comma() -> None:
    phrases = (p for group in language.remarks().values() for p in group)
    texts = (fill(text, {}) for phrase in phrases for text in expansions(phrase, 12))
    assert [text for text in texts if re.search(r"(?<!\.)\.\.(?!\.)|\.,", text)] == []


@pytest.mark.parametrize(("character", "kind"), VOICED)
def test_sentence_of_a_character_is_understood_correctly(character: str, kind: str) -> None:
    errors = [*find_misread_reasons(kind, character)]
    for name in ("one-night", "sheriff"):
        if role_in(PACKS[name], role_of_kind(kind)):
            errors += find_misreadings(name, kind, 5, character)
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize(("kind", "role"), ROLE_NOTICES)
def test_role_in_a_notice_is_not_read_as_a_claim(kind: str, role: str) -> None:
    assert not list(notices_read_as_claims(kind, role))


def test_every_need_is_stated_by_a_phrase() -> None:
    packs = [
        language.pack_phrases(path.stem).phrases for path in (language.FOLDER / "packs").iterdir()
    ]
    tables = (language.remarks(), language.general_phrases(), *packs)
    phrases = (p for table in tables for options in table.values() for p in options)
    assert {*language.NEEDS} == {n for p in phrases for n in language.split_phrase(p)[0]}


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
def test_broken_phrase_error_names_its_file_and_kind(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "thanks.toml").write_text(text)
    with pytest.raises(language.BadPhraseError, match=f"thanks.toml: .*{fault}"):
        language.read_pack(tmp_path)
