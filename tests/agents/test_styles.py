"""Prepared lines of the guarded agent: each style has all fourteen with correct meaning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.packs import Pack, pack_of
from agents.personas.characters import CHARACTERS
from agents.personas.styles import (
    LINE_KEYS,
    PLAIN,
    BadStyle,
    LineKey,
    draw_style_character,
    style_of,
    styles,
)
from agents.understanding.statements import statement_acts
from game.engine import rulesets

MAX_STATEMENT_CHARS = 125  # The length of a statement in the contest, without spaces.
SEER = "seer"


def fill_lines(
    style: str, pack: Pack, names: tuple[str, ...], *, is_wolf: bool
) -> dict[LineKey, str]:
    """Return the lines of a style about the second player, who was seen to be a wolf or not."""
    wolf = pack.one(pack.hunted[0])
    slots = {
        "target": names[1], "call": f"{names[1]},", "looker": pack.one(SEER),
        "wolf": wolf, "answer": wolf if is_wolf else f"not {wolf}",
    }  # fmt: skip
    return {key: line.format_map(slots) for key, line in styles()[style].lines.items()}


def test_styles_are_plain_and_the_five_of_table_1() -> None:
    """Covers the characters in Table 1 of the Guarded paper (docs/papers/guarded.md)."""
    assert list(styles()) == [PLAIN, "lady", "fisherman", "rancher", "child", "mascot"]
    assert set(styles()) - {PLAIN} <= set(CHARACTERS)
    genders = [CHARACTERS[key].gender for key in styles() if key != PLAIN]
    assert genders == ["female", "male", "female", "female", ""]
    assert len(LINE_KEYS) == 14


@pytest.mark.parametrize("is_wolf", [True, False])
@pytest.mark.parametrize("ruleset", ["aiwolf-5", "aiwolf-13", "sheriff"])
@pytest.mark.parametrize("style", styles())
def test_each_line_is_understood_with_its_intended_meaning(
    style: str, ruleset: str, is_wolf: bool
) -> None:
    game = rulesets.get(ruleset)
    pack, names = pack_of(game), tuple(game.table_names)
    wolf = pack.hunted[0]
    claim_of_seer = {("claim", SEER, ()), ("report", SEER, (2,))}
    expected = {
        "report": claim_of_seer,
        "counter": claim_of_seer,
        "pose": {("claim", wolf, ())},
        "inquiry": {("question", "", (2,))},
    }
    accusing_result = pack.look(SEER).answer_for([wolf])  # type: ignore[union-attr]
    talk = next(key for key, words in game.wording.phases.items() if words.is_talk)
    for key, text in fill_lines(style, pack, names, is_wolf=is_wolf).items():
        acts = statement_acts(text, 1, names, 0, pack, talk)
        read_acts = {(act.kind, act.role, act.targets) for act in acts}
        assert read_acts == expected.get(key, set()), text
        if key in ("report", "counter"):
            (value,) = (act.value for act in acts if act.kind == "report")
            assert (value == accusing_result) is (is_wolf or key == "counter"), text


@pytest.mark.parametrize("is_wolf", [True, False])
@pytest.mark.parametrize("style", styles())
def test_lines_fit_a_statement_of_the_contest(style: str, is_wolf: bool) -> None:
    game = rulesets.get("aiwolf-13")
    lines = fill_lines(style, pack_of(game), tuple(game.table_names), is_wolf=is_wolf)
    for text in lines.values():
        assert len(text.replace(" ", "")) <= MAX_STATEMENT_CHARS, text


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
