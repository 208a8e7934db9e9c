"""Every phrase of the house player is understood by its listeners as it is meant."""

import re

import pytest

from agents.house.phrases import PHRASES
from agents.house.phrases.asides import ASIDES
from agents.house.phrases.notices import NOTICES
from agents.house.words import expansions, fill
from agents.talk.acts import Act
from game.engine.words import count_words, fault
from tests.agents.meanings import meaning
from tests.agents.table import understand

SEATS = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
SLOTS = {"t": "Beta", "x": "Gamma", "y": "Delta", "z": "Epsilon", "a": "Theta", "b": "Zeta"}
SAMPLE = 60  # of what a phrase can become
WORDS = {"r": "Villager", "q": "Seer", "n": "three"}
SEAT = {slot: SEATS.index(name) + 1 for slot, name in SLOTS.items()}


def short(act: Act) -> str:
    """An act as tests/agents/meanings.py writes it."""
    slots = {seat: slot for slot, seat in SEAT.items()}
    sign = ("-", "+")[act.found] if act.kind == "report" else ""
    role = f"={act.role}" if act.role and act.kind != "report" else ""
    about = f"/{act.about or 'any'}" if act.kind in ("question", "propose") else ""
    targets = " ".join(slots[t] for t in act.targets)
    return f"{act.kind}{sign}{role}{' ' if targets else ''}{targets}{about}"


def fits(pattern: str, act: str) -> bool:
    parts = [re.escape(p).replace(r"\|", "|") for p in pattern.split("*")]
    kind, space, rest = ".*".join(parts).partition(r"\ ")
    return bool(re.fullmatch(f"(?:{kind}){space}{rest}", act))


def faults(kind: str, text: str) -> list[str]:
    """How the acts understood from `text` differ from what `kind` means."""
    acts = [short(a) for a in understand(text, 1, SEATS)]
    wanted = [w.strip() for w in meaning(kind).split(";") if w.strip()]
    missing = [w for w in wanted if not w.endswith("?") and not any(fits(w, a) for a in acts)]
    extra = [a for a in acts if not any(fits(w.rstrip("?"), a) for w in wanted)]
    return [f"missing {m}" for m in missing] + [f"extra {e}" for e in extra]


def texts(kind: str) -> list[str]:
    found = []
    for phrase in PHRASES[kind]:
        for text in expansions(phrase, SAMPLE):
            found.append(fill(text, {**SLOTS, **WORDS}))
    return found


@pytest.mark.parametrize("kind", sorted(PHRASES))
def test_a_phrase_is_understood_as_it_is_meant(kind: str) -> None:
    wrong = [f"{text} -> {bad}" for text in texts(kind) if (bad := faults(kind, text))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", sorted(PHRASES))
def test_a_phrase_is_fit_to_be_said(kind: str) -> None:
    for text in texts(kind):
        assert fault(text, 120) == ""
        assert count_words(text) <= 60
        assert not re.search(r"[{}<>\[\]|~]", text), text
        assert "Alpha" not in text
        assert text[0].isupper(), text
        assert text[-1] in ".?!", text


@pytest.mark.parametrize("pole", sorted(ASIDES))
@pytest.mark.parametrize("slot", ["before", "after", "soft"])
def test_an_aside_means_nothing(pole: str, slot: str) -> None:
    for aside in ASIDES[pole][slot]:
        for text in expansions(aside, SAMPLE):
            assert not understand(text, 1, SEATS), text
            if slot == "soft":
                (act,) = understand(f"{text}I suspect Beta.", 1, SEATS)
                assert (act.kind, act.targets) == ("suspect", (2,)), text


@pytest.mark.parametrize("role", ["Seer", "Mason", "Werewolf", "Minion", "Tanner"])
@pytest.mark.parametrize("kind", [k for k in NOTICES if any("{r}" in p for p in NOTICES[k])])
def test_a_role_in_a_notice_is_not_taken_for_a_claim(kind: str, role: str) -> None:
    """One's own, which may be said again where somebody disbelieves it, is never an evil one."""
    if kind == "disbelieved" and role not in ("Seer", "Mason"):
        return
    own = {f"claim={role.lower()}"} if kind == "disbelieved" else set()
    for phrase in NOTICES[kind]:
        for text in expansions(phrase, SAMPLE):
            said = fill(text, {**SLOTS, "r": role})
            found = {short(a) for a in understand(said, 1, SEATS)}
            assert {a for a in found if not a.startswith("question x")} <= own, said
