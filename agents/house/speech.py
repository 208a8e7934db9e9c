"""What a house player says: the most pressing moves, in order, in words of its own."""

from __future__ import annotations

from dataclasses import replace

from agents.house.claims import claims
from agents.house.doubts import doubts
from agents.house.mindset import Mindset
from agents.house.moves import Move, Place
from agents.house.replies import replies
from agents.house.stance import Stance
from agents.house.table import courtesies, observations
from agents.house.words import Ear, fill, word
from game.engine.words import count_words

AIM_WORDS = 62  # a statement stays below this where it can; the rules allow more
TRIES = 30  # other words are looked for as long as somebody has said exactly this before


def statement(mind: Mindset) -> tuple[str, Stance]:
    """One to four sentences that nobody has said in this game, and the stance after them."""
    chosen = choose(mind)
    said = mind.heard.texts()
    text = ""
    for number in range(TRIES):
        text = _text(mind, chosen, str(number))
        if text not in said:
            break
    keys = tuple(m.key for m in chosen if m.about)
    return text, replace(mind.stance, said=(*mind.stance.said, *keys))


def choose(mind: Mindset) -> list[Move]:
    """The moves of this statement, in the order they are said."""
    claim = list(claims(mind))  # first: a claim may change what I show
    moves = [*claim, *replies(mind), *observations(mind), *doubts(mind), *courtesies(mind)]
    most = 3 + mind.draw("length", 2)
    chosen: list[Move] = []
    for move in sorted(moves, key=lambda m: (-m.weight, m.place, m.kind)):
        if len(chosen) < most and _fits(move, chosen):
            chosen.append(move)
    places = {m.place for m in chosen}
    if Place.DOUBT not in places:  # no turning away from one and to nobody
        chosen = [m for m in chosen if m.place not in (Place.TURN, Place.LEAD)]
    if Place.CLAIM not in places:
        chosen = [m for m in chosen if m.kind != "answer_role"]
    return sorted(chosen, key=lambda m: m.place)


def _fits(move: Move, chosen: list[Move]) -> bool:
    """One move a place, and none that says what another has said."""
    if any(m.place == move.place for m in chosen):
        return False
    kinds = {m.kind for m in chosen}
    if move.place == Place.OPEN and kinds and max(m.weight for m in chosen) > 5.5:
        return False
    if move.kind == "answer_open" and len(chosen) > 2:
        return False
    seats = {v for m in chosen if m.place in (Place.REPLY, Place.TABLE) for v in m.names.values()}
    return not (move.place == Place.TRUST and seats & set(move.names.values()))


def _text(mind: Mindset, chosen: list[Move], salt: str) -> str:
    names = mind.view.state.seats
    own = [s.text for s in mind.heard.said if s.seat == mind.me]
    ear = Ear(names, [s.text for s in mind.heard.said], own)
    parts: list[tuple[Move, str]] = []
    for move in chosen:
        filled = {k: mind.view.name(v) if isinstance(v, int) else v for k, v in move.names.items()}
        text = word(
            move.kind,
            filled,
            manner=mind.stance.manner,
            ear=ear,
            draws=mind.scene.draws,
            purpose=f"words/{salt}",
        )
        parts.append((move, text))
    while sum(count_words(t) for _, t in parts) > AIM_WORDS and len(parts) > 2:
        parts.remove(min(parts, key=lambda p: p[0].weight))
    return fill(" ".join(text for _, text in parts), {})
