"""Prepared lines of the guarded agent: each style has all fourteen with correct meaning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.packs import pack_of
from agents.personas.characters import CHARACTERS
from agents.personas.styles import (
    LINE_KEYS,
    PLAIN,
    BadStyle,
    draw_style_character,
    style_of,
    styles,
)
from agents.understanding.statements import statement_acts
from game.engine import rulesets

LIMIT = 125  # characters of a statement in the contest


def test_styles_are_plain_and_the_five_of_table_1() -> None:
    assert list(styles()) == [PLAIN, "lady", "fisherman", "rancher", "child", "mascot"]
    assert set(styles()) - {PLAIN} <= set(CHARACTERS)
    genders = [CHARACTERS[key].gender for key in styles() if key != PLAIN]
    assert genders == ["female", "male", "female", "female", ""]
    assert len(LINE_KEYS) == 14


@pytest.mark.parametrize("ruleset", ["aiwolf-5", "aiwolf-13", "sheriff"])
@pytest.mark.parametrize("style", styles())
def test_each_line_is_understood_with_its_intended_meaning(style: str, ruleset: str) -> None:
    game = rulesets.get(ruleset)
    pack, names = pack_of(game), tuple(game.table_names)
    talk = next(key for key, words in game.wording.phases.items() if words.is_talk)
    seer, (wolf, *_) = "seer", pack.hunted
    for is_found in (True, False):
        answer = pack.one(wolf) if is_found else f"not {pack.one(wolf)}"
        slots = {
            "target": names[1], "call": f"{names[1]},", "looker": pack.one(seer),
            "wolf": pack.one(wolf), "answer": answer,
        }  # fmt: skip
        for key, line in styles()[style].lines.items():
            text = line.format_map(slots)
            acts = statement_acts(text, 1, names, 0, pack, talk)
            read_acts = {(act.kind, act.role, act.targets) for act in acts}
            expected = {
                "report": {("claim", seer, ()), ("report", seer, (2,))},
                "counter": {("claim", seer, ()), ("report", seer, (2,))},
                "pose": {("claim", wolf, ())},
                "inquiry": {("question", "", (2,))},
            }.get(key, set())
            assert read_acts == expected, text
            if key in ("report", "counter"):
                (value,) = (act.value for act in acts if act.kind == "report")
                accuses = pack.look(seer).answer_for([wolf])  # type: ignore[union-attr]
                assert (value == accuses) is (is_found or key == "counter"), text
            if ruleset == "aiwolf-13":
                assert len(text.replace(" ", "")) <= LIMIT, text


def test_style_with_missing_line_or_wrong_slot_is_rejected() -> None:
    default = style_of("")
    assert default.key == PLAIN
    with pytest.raises(BadStyle, match="'waiting' is missing"):
        replace(default, lines={**default.lines, "waiting": " "})
    with pytest.raises(BadStyle, match=r"'pose' needs \{wolf\}"):
        replace(default, lines={**default.lines, "pose": "I am a Werewolf."})
    with pytest.raises(BadStyle, match=r"'over' can't have \{target\}: it takes no slot"):
        replace(default, lines={**default.lines, "over": "Bye, {target}."})


def test_five_seats_get_five_styles() -> None:
    drawn = {draw_style_character(("guarding",), "s", seat) for seat in range(1, 6)}
    assert drawn == set(styles()) - {PLAIN}
    assert draw_style_character(("persona",), "s", 1) == ""
