"""Phrases of a kind of remark in a game, and the texts that fill their slots.

A pack's own phrases come first, then those of `agents/language/en/remarks`, then the general ones,
which name a game's roles and looks by slots alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from agents import language
from agents.house.remarks import Remark
from agents.packs import Pack, Result

CONCLUSION = re.compile("<(?:hence|them)>$")  # the block that turns a reason into a suspicion
MIN_BARE_REASONS = 3


@lru_cache(maxsize=1024)
def get_phrases(pack: Pack, kind: str) -> tuple[str, ...]:
    """Return the phrases of a kind of remark in the game of `pack`."""
    if own := pack.data.phrases.get(pack.spelled(kind)):
        return tuple(expand_blocks(phrase, pack) for phrase in own)
    return language.remarks().get(kind) or language.general_phrases()[kind]


@lru_cache(maxsize=512)
def get_bare_reasons(pack: Pack, kind: str, lead: str = "") -> tuple[str, ...]:
    """Return the phrases of a doubt without the suspicion that they end with.

    Args:
        lead: Begins each phrase, for example "<besides>".

    Returns:
        () if fewer than MIN_BARE_REASONS phrases of the kind can stand without it.
    """
    bare = []
    for phrase in get_phrases(pack, kind):
        if CONCLUSION.search(phrase):
            head = phrase[: -len(language.split_phrase(phrase)[2])]
            text = CONCLUSION.sub("", phrase[len(head) :])
            if lead and text[0] in "[<@":  # the text's first word is not known here
                continue
            keeps_case = not lead or text.startswith(("{", "I ", "I'"))
            text = text if keeps_case else text[0].lower() + text[1:]
            bare.append(f"{head}{lead}{text}.")
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
        kind = "value" if is_single else "values"
    elif is_single:
        kind = "is" if is_held else "is_not"
    else:
        kind = "one" if is_held else "neither" if len(names) == 2 else "none"
    role_text = pack.one(role) if role else ""
    answers: list[str] = language.small_words()["answer"][kind]
    return answers[habit % len(answers)].format(name=names[0], role=role_text, value=look.value)
