"""Which phrases a kind of move has in a game, and what fills them.

A pack's own phrases come first, then the house's, then the plain ones, which know a game's roles
and looks by slots alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from agents import language
from agents.house.remarks import Remark
from agents.packs import Pack, Result


@lru_cache(maxsize=1024)
def phrases_of(pack: Pack, kind: str) -> tuple[str, ...]:
    """Return the phrases of a kind of move in the game of `pack`."""
    if own := pack.data.phrases.get(pack.spelled(kind)):
        return tuple(with_blocks(phrase, pack) for phrase in own)
    return language.remarks().get(kind) or language.general_phrases()[kind]


def with_blocks(phrase: str, pack: Pack) -> str:
    """Return `phrase` with the pack's blocks written out. The house's stay."""
    blocks = pack.data.blocks

    def written(match: re.Match[str]) -> str:
        name, slot = match.groups()
        if name not in blocks:
            return match[0]
        return f"[{blocks[name].replace('{_}', '{' + (slot or '_') + '}')}]"

    while any(match[1] in blocks for match in language.BLOCK.finditer(phrase)):
        phrase = language.BLOCK.sub(written, phrase)
    return phrase


def slots(
    pack: Pack, move: Remark, name: Callable[[int], str], is_recent: bool = True
) -> dict[str, str]:
    """Slot -> words: the move's own names.

    Of its role {role}, {one} ("the Seer"), {many}; {wolf} ("a Werewolf"); of its look {seen} ("Beta
    and Zeta"), {answer} and, where it tells a role, {held} ("the Seer", "not a Mason"), {night}
    ("last night", if it `is_recent`).
    """
    slot_texts = {
        slot: v
        if isinstance(v, str)
        else language.join_names([name(s) for s in (v if isinstance(v, tuple) else (v,))])
        for slot, v in move.names.items()
    }
    if pack.hunted:
        slot_texts["wolf"] = pack.one(pack.hunted[0])
    if move.role:
        slot_texts |= {"role": pack.name(move.role), "one": pack.one(move.role)}
        slot_texts["many"] = pack.many(move.role)
    if move.look:
        seen_names = [name(seat) for seat in move.look.targets]
        slot_texts["seen"] = language.join_names(seen_names)
        slot_texts["night"] = language.small_words()["night"] if is_recent else ""
        slot_texts["answer"] = _answer(pack, move.look, seen_names)
        if (told_role := pack.revealed_role(move.look))[0]:
            held_template = "{role}" if told_role[1] else language.small_words()["answer"]["not"]
            slot_texts["held"] = held_template.format(role=pack.one(told_role[0]))
    return slot_texts


def _answer(pack: Pack, look: Result, names: list[str]) -> str:
    """Return "Beta is a Werewolf", "neither of them is the Seer", "Beta came up as beast"."""
    role, is_held = pack.revealed_role(look)
    one = len(names) == 1
    if not role:
        kind = "value" if one else "values"
    elif one:
        kind = "is" if is_held else "is_not"
    else:
        kind = "one" if is_held else "neither" if len(names) == 2 else "none"
    role_text = pack.one(role) if role else ""
    answer: str = language.small_words()["answer"][kind]
    return answer.format(name=names[0], role=role_text, value=look.value)
