"""Which phrases a kind of move has in a game, and what fills them.

A pack's own phrases come first, then the house's, then the plain ones, which know a game's roles
and looks by slots alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
    """Return `phrase` with the pack's blocks written out.

    The house's stay.
    """
    blocks = pack.data.blocks

    def written(match: re.Match[str]) -> str:
        name, slot = match.groups()
        if name not in blocks:
            return match[0]
        return f"[{blocks[name].replace('{_}', '{' + (slot or '_') + '}')}]"

    while any(match[1] in blocks for match in language.BLOCK.finditer(phrase)):
        phrase = language.BLOCK.sub(written, phrase)
    return phrase


def slots(pack: Pack, move: Remark, name: Callable[[int], str]) -> dict[str, str]:
    """Slot -> words: the move's own names.

    Of its role {role}, {one} ("the Seer"), {many}; {wolf} ("a Werewolf"); of its look {seen} ("Beta
    and Zeta"), {answer} and, where it tells a role, {held} ("the Seer", "not a Mason").
    """
    slot_texts = {
        slot: v
        if isinstance(v, str)
        else listed([name(s) for s in (v if isinstance(v, tuple) else (v,))])
        for slot, v in move.names.items()
    }
    if pack.hunted:
        slot_texts["wolf"] = pack.one(pack.hunted[0])
    if move.role:
        slot_texts |= {"role": pack.name(move.role), "one": pack.one(move.role)}
        slot_texts["many"] = pack.many(move.role)
    if move.look:
        seen_names = [name(seat) for seat in move.look.targets]
        slot_texts["seen"] = listed(seen_names)
        slot_texts["answer"] = _answer(pack, move.look, seen_names)
        if (told_role := pack.revealed_role(move.look))[0]:
            slot_texts["held"] = ("" if told_role[1] else "not ") + pack.one(told_role[0])
    return slot_texts


def listed(words: Sequence[str]) -> str:
    """Return "Beta", "Beta and Zeta", "Beta, Zeta and Eta"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _answer(pack: Pack, look: Result, names: list[str]) -> str:
    """Return "Beta is a Werewolf", "neither of them is the Seer", "Beta came up as beast"."""
    role, is_held = pack.revealed_role(look)
    if not role:
        return f"{names[0] if len(names) == 1 else 'they'} came up as {look.value}"
    if len(names) == 1:
        return f"{names[0]} is {'' if is_held else 'not '}{pack.one(role)}"
    among = "one" if is_held else "neither" if len(names) == 2 else "none"
    return f"{among} of them is {pack.one(role)}"
