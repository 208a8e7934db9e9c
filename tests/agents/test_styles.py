"""The prepared lines of the guard: each style has all fourteen, and each reads as it is meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.packs import pack_of
from agents.personas.characters import CHARACTERS
from agents.personas.styles import KEYS, PLAIN, BadStyle, character_of, style_of, styles
from agents.understanding.statements import statement_acts
from game.engine import rulesets

LIMIT = 125  # characters of a statement in the contest


def test_the_five_kinds_of_table_1_and_a_plain_one() -> None:
    assert list(styles()) == [PLAIN, "lady", "fisherman", "rancher", "child", "mascot"]
    assert set(styles()) - {PLAIN} <= set(CHARACTERS)
    genders = [CHARACTERS[key].gender for key in styles() if key != PLAIN]
    assert genders == ["female", "male", "female", "female", ""]
    assert len(KEYS) == 14


@pytest.mark.parametrize("ruleset", ["aiwolf-5", "aiwolf-13", "sheriff"])
@pytest.mark.parametrize("style", styles())
def test_each_line_reads_as_it_is_meant(style: str, ruleset: str) -> None:
    game = rulesets.get(ruleset)
    pack, names = pack_of(game), tuple(game.table_names)
    talk = next(key for key, words in game.wording.phases.items() if words.is_talk)
    seer, (wolf, *_) = "seer", pack.hunted
    for found in (True, False):
        answer = pack.one(wolf) if found else f"not {pack.one(wolf)}"
        slots = {
            "target": names[1], "call": f"{names[1]},", "looker": pack.one(seer),
            "wolf": pack.one(wolf), "answer": answer,
        }  # fmt: skip
        for key, line in styles()[style].lines.items():
            text = line.format_map(slots)
            acts = statement_acts(text, 1, names, 0, pack, talk)
            read = {(act.kind, act.role, act.targets) for act in acts}
            meant = {
                "report": {("claim", seer, ()), ("report", seer, (2,))},
                "counter": {("claim", seer, ()), ("report", seer, (2,))},
                "pose": {("claim", wolf, ())},
                "inquiry": {("question", "", (2,))},
            }.get(key, set())
            assert read == meant, text
            if key in ("report", "counter"):
                (value,) = (act.value for act in acts if act.kind == "report")
                accuses = pack.look(seer).answer_for([wolf])  # type: ignore[union-attr]
                assert (value == accuses) is (found or key == "counter"), text
            if ruleset == "aiwolf-13":
                assert len(text.replace(" ", "")) <= LIMIT, text


def test_a_style_without_a_line_or_a_slot_is_refused() -> None:
    plain = style_of("")
    assert plain.key == PLAIN
    with pytest.raises(BadStyle, match="'waiting' is missing"):
        replace(plain, lines={**plain.lines, "waiting": " "})
    with pytest.raises(BadStyle, match=r"'pose' needs \{wolf\}"):
        replace(plain, lines={**plain.lines, "pose": "I am a Werewolf."})
    with pytest.raises(BadStyle, match=r"'over' can't have \{target\}: it takes no slot"):
        replace(plain, lines={**plain.lines, "over": "Bye, {target}."})


def test_five_seats_have_five_styles() -> None:
    drawn = {character_of(("guarding",), "s", seat) for seat in range(1, 6)}
    assert drawn == set(styles()) - {PLAIN}
    assert character_of(("persona",), "s", 1) == ""
