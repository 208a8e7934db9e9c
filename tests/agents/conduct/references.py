"""What house players say that others have said or done, held against the log.

The moves of every statement are taken down as they are put into words; whether one is so is worked
out here from the statements before it alone, not by the house player's own check.
"""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

from agents.house import speech
from agents.house.remarks import Remark
from agents.house.suspicion import Mindset
from agents.packs import pack_of
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets
from tests.agents.table import play

Talk = list[tuple[int, tuple[SpeechAct, ...]]]  # (seat, what it meant), oldest first


def references(
    seed: str, method: str = "full", ruleset: str = "one-night"
) -> Iterator[tuple[str, bool, str]]:
    """(kind of move, whether what it says of others is so, the words) of a played game."""
    rules = rulesets.get(ruleset)
    taken: list[tuple[int, int, list[tuple[Remark, str]]]] = []
    composed = speech.composed

    def noted(mind: Mindset) -> tuple[str, list[tuple[Remark, str]]]:
        text, spoken = composed(mind)
        taken.append((len(mind.dialogue.said), mind.me, spoken))
        return text, spoken

    with patch.object(speech, "composed", noted):
        game = play(seed, ruleset, method=method)
    talk: Talk = []
    before = 0
    for seat, text in game.said:
        talk.append((seat, understand(text, seat, rules.seat_names, before, pack_of(rules))))
        before = seat
    for number, me, spoken in taken:
        for move, words in spoken:
            at = {slot: s for slot, s in move.names.items() if isinstance(s, int)}
            at |= {"me": me, "seats": len(rules.seat_names)}
            if move.kind in _SO:
                yield move.kind, _SO[move.kind](talk[:number], at), words


def checked(seed: str, ruleset: str = "one-night") -> list[tuple[str, bool, str]]:
    """All references of one game, for a pool of processes."""
    return list(references(seed, ruleset=ruleset))


def _presses(talk: Talk, seat: int) -> list[tuple[int, int, int]]:
    """(statement, target, strength) of all that `seat` pressed."""
    return [
        (number, target, act.strength)
        for number, (speaker, acts) in enumerate(talk)
        if speaker == seat
        for act in acts
        if act.strength
        for target in act.targets
    ]


def _now(talk: Talk, seat: int) -> int:
    """Whom `seat` presses now, 0 for nobody."""
    pressed = _presses(talk, seat)
    return pressed[-1][1] if pressed else 0


def _when(talk: Talk, seat: int, target: int) -> int:
    """The first statement in which `seat` pressed `target`; past all for never."""
    return next((n for n, t, _ in _presses(talk, seat) if t == target), len(talk))


def _joined(talk: Talk, at: dict[str, int]) -> bool:
    """`x` presses `t` now, and has accused it or said it will vote for it."""
    hard = any(t == at["t"] and strength > 1 for _, t, strength in _presses(talk, at["x"]))
    return hard and _now(talk, at["x"]) == at["t"]


def _pressed(talk: Talk, at: dict[str, int]) -> bool:
    return _now(talk, at["x"]) == at["t"]


def _both(talk: Talk, at: dict[str, int]) -> bool:
    return _when(talk, at["y"], at["me"]) < _when(talk, at["x"], at["me"]) < len(talk)


def _followed(talk: Talk, at: dict[str, int]) -> bool:
    """`x` pressed me only after `y` had."""
    return _when(talk, at["y"], at["me"]) < _when(talk, at["x"], at["me"]) < len(talk)


def _switched(talk: Talk, at: dict[str, int]) -> bool:
    return _when(talk, at["x"], at["y"]) < _when(talk, at["x"], at["me"]) < len(talk)


def _flipped(talk: Talk, at: dict[str, int]) -> bool:
    first, later = _when(talk, at["t"], at["x"]), _when(talk, at["t"], at["y"])
    return first < later < len(talk)


def _echoed(talk: Talk, at: dict[str, int]) -> bool:
    return _when(talk, at["x"], at["y"]) < _when(talk, at["t"], at["y"]) < len(talk)


def _early(talk: Talk, at: dict[str, int]) -> bool:
    own = [number for number, (seat, _) in enumerate(talk) if seat == at["t"]]
    return bool(own) and _when(talk, at["t"], at["x"]) == own[0] < at["seats"]


def _did(kind: str, who: str, whom: str):  # type: ignore[no-untyped-def]
    def check(talk: Talk, at: dict[str, int]) -> bool:
        return any(
            act.kind == kind and at[whom] in act.targets
            for seat, acts in talk
            if seat == at[who]
            for act in acts
        )

    return check


def _i_pressed(talk: Talk, at: dict[str, int]) -> bool:
    return _when(talk, at["me"], at["y"]) < len(talk)


def _not(check):  # type: ignore[no-untyped-def]
    return lambda talk, at: not check(talk, at)


def _paired(a: str, b: str):  # type: ignore[no-untyped-def]
    """Whether `a` and `b` named each other, or one the other and that one claims the same."""

    def check(talk: Talk, at: dict[str, int]) -> bool:
        named = [
            (seat, act.targets[0])
            for seat, acts in talk
            for act in acts
            if act.kind == "companion" and act.targets
        ]
        x, y = at[a], at[b]
        claims = {(seat, act.role) for seat, acts in talk for act in acts if act.kind == "claim"}
        both = (x, y) in named and (y, x) in named
        one = ((x, y) in named and (y, "mason") in claims) or (
            (y, x) in named and (x, "mason") in claims
        )
        return both or one

    return check


_SO = {
    "vote_with": _joined,
    "doubt_agree": _pressed,
    "join_in": _pressed,
    "rebut_many": _both,
    "rebut_echo": _followed,
    "rebut_flip": _switched,
    "doubt_flip": _flipped,
    "doubt_echo": _echoed,
    "doubt_early": _early,
    "doubt_defender": _did("defend", "t", "x"),
    "rebut_mate": _paired("me", "y"),
    "mates_known": _paired("x", "y"),
    "spare_mate": _paired("y", "z"),
    "turn_mate": _paired("x", "y"),
    "doubt_third_mate": _paired("x", "y"),
    "owed_trust_pair": _paired("y", "z"),
    "charge_pressed": _i_pressed,
    "charge_pressed_not": _not(_i_pressed),
    "charge_defended": _did("defend", "me", "y"),
    "charge_defended_not": _not(_did("defend", "me", "y")),
    "owed_never_pressed": _not(_i_pressed),
    "charge_first": lambda talk, at: (
        min((_when(talk, seat, at["y"]), seat) for seat in range(1, at["seats"] + 1))[1] == at["me"]
    ),
}
