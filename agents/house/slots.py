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
    """The phrases of a kind of move in the game of `pack`."""
    if own := pack.data.phrases.get(pack.spelled(kind)):
        return tuple(with_blocks(phrase, pack) for phrase in own)
    return language.remarks().get(kind) or language.general_phrases()[kind]


def with_blocks(phrase: str, pack: Pack) -> str:
    """`phrase` with the pack's blocks written out; the house's stay."""
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
    """Slot -> words: the move's own names; of its role {role}, {one} ("the Seer"), {many}; {wolf}
    ("a Werewolf"); of its look {seen} ("Beta and Zeta"), {answer} and, where it tells a role,
    {held} ("the Seer", "not a Mason")."""
    found = {
        slot: v
        if isinstance(v, str)
        else listed([name(s) for s in (v if isinstance(v, tuple) else (v,))])
        for slot, v in move.names.items()
    }
    if pack.hunted:
        found["wolf"] = pack.one(pack.hunted[0])
    if move.role:
        found |= {"role": pack.name(move.role), "one": pack.one(move.role)}
        found["many"] = pack.many(move.role)
    if move.look:
        seen = [name(seat) for seat in move.look.targets]
        found["seen"] = listed(seen)
        found["answer"] = _answer(pack, move.look, seen)
        if (told := pack.revealed_role(move.look))[0]:
            found["held"] = ("" if told[1] else "not ") + pack.one(told[0])
    return found


def listed(words: Sequence[str]) -> str:
    """ "Beta", "Beta and Zeta", "Beta, Zeta and Eta"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _answer(pack: Pack, look: Result, seen: list[str]) -> str:
    """ "Beta is a Werewolf", "neither of them is the Seer", "Beta came up as beast"."""
    role, held = pack.revealed_role(look)
    if not role:
        return f"{seen[0] if len(seen) == 1 else 'they'} came up as {look.value}"
    if len(seen) == 1:
        return f"{seen[0]} is {'' if held else 'not '}{pack.one(role)}"
    among = "one" if held else "neither" if len(seen) == 2 else "none"
    return f"{among} of them is {pack.one(role)}"
