"""What a house player says: the most pressing moves, in order, in words of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agents.heard import result_of
from agents.house.claims import claims
from agents.house.doubts import doubts
from agents.house.mindset import Mindset
from agents.house.moves import Move, Place
from agents.house.replies import replies
from agents.house.slots import phrases_of, slots
from agents.house.stance import Stance
from agents.house.style import dressed, moves, words
from agents.house.table import courtesies, observations
from agents.house.told import so
from agents.house.voice import Hearing
from agents.house.words import Ear, fill, word
from agents.packs import Pack
from agents.talk.acts import FACTS, Act
from agents.talk.plain import named
from agents.talk.understand import understand
from game.engine.words import count_words

AIM_WORDS = 62  # a statement stays below this where it can; the rules allow more
STALE = 0.7  # of the word runs in a sentence: from here on it sounds like a repetition
OPTIONAL = (Place.OPEN, Place.TABLE, Place.TURN, Place.TRUST, Place.ASK, Place.CLOSE)
SHORT = ("Pass.", "Later.", "Nothing yet.", "Go on.", "Hm.", "Next.", "Not now.", "We'll see.")
REFUSALS = ("answer_evade", "owed_role_kept", "owed_partner_kept")  # of what a claim tells
TRIES = 30  # other words are looked for as long as somebody has said exactly this before


def statement(mind: Mindset) -> tuple[str, Stance]:
    """One to four sentences that nobody has said in this game, and the stance after them."""
    text, spoken = composed(mind)
    text = _styled(mind, text, mind.heard.texts())
    keys = [m.key for m, _ in spoken if m.about]
    keys += [f"met:{m.meets}" for m, _ in spoken if m.meets]
    return text, replace(mind.stance, said=(*mind.stance.said, *keys))


def composed(mind: Mindset) -> tuple[str, list[tuple[Move, str]]]:
    """What is said in plain words, whole and move by move."""
    moves = propose(mind)
    said = mind.heard.texts()
    text, spoken = "", list[tuple[Move, str]]()
    for number in range(TRIES):
        text, spoken = _text(mind, choose(mind, moves), moves, str(number))
        if text not in said and _clear(mind, text, spoken):
            break
    return text, spoken


def _clear(mind: Mindset, text: str, spoken: list[tuple[Move, str]]) -> bool:
    """Whether listeners take from `text` of the speaker just what it has told, or now tells.

    And whether it points at one player at most.
    """
    seats, heard = mind.view.state.seats, mind.heard
    claims = " ".join(words for move, words in spoken if move.place == Place.CLAIM)
    before = heard.said[-1].seat if heard.said else 0
    acts = understand(fill(claims, {}), mind.me, seats, before, mind.pack) if claims else ()
    told = _of_self(acts, mind.pack)
    turns = any(kind == "claim" and what != mind.claimed for kind, what in told)
    known = told if turns else told | {("claim", mind.claimed)}
    if partner := heard.companions.get(mind.me):
        known.add(("companion", (heard.claims[mind.me], partner)))
    if report := heard.reports.get(mind.me):
        known.add(("report", report))
    acts = understand(text, mind.me, seats, before, mind.pack)
    pressed = {t for a in acts if a.strength for t in a.targets}
    return told <= _of_self(acts, mind.pack) <= known and len(pressed) < 2


def _of_self(acts: Iterable[Act], pack: Pack) -> set[tuple[str, object]]:
    """(kind, what) of the claims, companions and reports among `acts`."""
    found: set[tuple[str, object]] = set()
    for act in acts:
        if act.kind == "claim":
            found.add((act.kind, act.role))
        elif act.kind == "companion":
            found.add((act.kind, (act.role, *act.targets)))
        elif act.kind == "report":
            found.add((act.kind, result_of(act, pack) or act))
    return found


def _styled(mind: Mindset, text: str, said: set[str]) -> str:
    """`text` as somebody of this persona would put it, meaning just the same; at a table of plain
    speech as it is."""
    if mind.persona is None or mind.scene.plain:
        return text
    seats, most = mind.view.state.seats, mind.scene.window.speech.max_words
    before = mind.heard.said[-1].seat if mind.heard.said else 0

    def meaning(words: str) -> tuple[object, ...]:
        """Whom the words name and what they mean, "you" being the last speaker or nobody."""
        acts = [set(understand(words, mind.me, seats, to, mind.pack)) for to in (before, 0)]
        return named(words, seats), acts

    meant = meaning(text)

    def same(words: str) -> bool:
        return words not in said and count_words(words) <= most and meaning(words) == meant

    def fact(words: str) -> bool:
        """Whether they tell a claim, a look or a vote, "you" being the last speaker or nobody."""
        acts = (understand(words, mind.me, seats, to, mind.pack) for to in (before, 0))
        return any(act.kind in FACTS for found in acts for act in found)

    own = [s.text for s in mind.heard.said if s.seat == mind.me]
    hearing = Hearing(said, own, same, fact)
    return dressed(text, mind.persona, mind.scene.draws, hearing)


def propose(mind: Mindset) -> list[Move]:
    """Everything I could say now, most pressing first."""
    claim = list(claims(mind))  # first: a claim may change what I show
    moves = [*claim, *replies(mind), *observations(mind), *doubts(mind), *courtesies(mind)]
    unnamed = {mind.me, *mind.view.state.out}  # who is out is spoken of no more
    moves = [m for m in moves if not unnamed & set(m.names.values()) and so(mind, m)]
    return sorted(moves, key=lambda m: (-m.weight, m.place, mind.pack.spelled(m.kind)))


def choose(mind: Mindset, open_to: list[Move]) -> list[Move]:
    """The moves of this statement, in the order they are said."""
    most = moves(mind.persona, 4 if mind.last_round else 3 + mind.draw("length", 2))
    chosen: list[Move] = []
    for move in open_to:
        if sum(not m.leads for m in chosen) < most and _fits(move, chosen):
            chosen.append(move)
    told = any(m.place == Place.CLAIM and m.kind != "evade" for m in chosen)
    kept = [m for m in chosen if not (told and m.kind in REFUSALS) and followed(m, chosen)]
    if chosen and not kept:  # nothing but announcements
        return choose(mind, [m for m in open_to if m not in chosen])
    return sorted(kept, key=lambda m: m.place)


def followed(move: Move, chosen: Iterable[Move]) -> bool:
    """Whether what `move` announces follows: no turning away from one and to nobody."""
    places = {m.place for m in chosen}
    if move.place in (Place.TURN, Place.LEAD):
        return Place.DOUBT in places
    return not move.leads or Place.CLAIM in places


def _fits(move: Move, chosen: list[Move]) -> bool:
    """One move a place, and none that makes a point that another has made."""
    here = [m for m in chosen if m.place == move.place]
    if len(here) >= (2 if move.place == Place.ANSWER else 1):
        return False
    if any(m.theme == move.theme for m in chosen):
        return False
    if move.place == Place.OPEN and chosen and max(m.weight for m in chosen) > 5.5:
        return False
    if move.kind == "answer_open" and len(chosen) > 2:
        return False
    if move.place == Place.ASK and any(
        m.kind == "companion_open" or (m.names.get("x") == move.about and m.place == Place.REPLY)
        for m in chosen
    ):
        return False
    seats = {v for m in chosen if m.place in (Place.REPLY, Place.TABLE) for v in m.names.values()}
    return not (move.place == Place.TRUST and seats & set(move.names.values()))


def _text(
    mind: Mindset, chosen: list[Move], moves: list[Move], salt: str
) -> tuple[str, list[tuple[Move, str]]]:
    """`chosen` in words, and move by move.

    What would sound stale is said otherwise, or left out where it can be.
    """
    names = mind.view.state.seats
    own = [s.text for s in mind.heard.said if s.seat == mind.me]
    ear = Ear(names, [s.text for s in mind.heard.said], own)
    parts: list[tuple[Move, str]] = []
    left_out: list[tuple[float, Move, str]] = []
    for move in chosen:
        options = [move]
        if move.place == Place.DOUBT:
            rest = [m for m in chosen if m is not move]
            options += [
                m
                for m in moves
                if m.place == Place.DOUBT and m.weight > move.weight - 1.2 and m.kind != move.kind
                if all(m.theme != r.theme for r in rest)
            ]
        best = min(
            ((*_worded(mind, option, ear, salt), option) for option in options),
            key=lambda found: found[1] + 0.15 * options.index(found[2]),
        )
        text, stale, move = best
        if stale < STALE or move.place not in OPTIONAL or len(chosen) == 1:
            parts.append((move, text))
        else:
            left_out.append((stale, move, text))
    if not parts and left_out:  # something must be said, be it stale
        parts = [min(left_out, key=lambda found: found[0])[1:]]
    allowed = mind.scene.window.speech.max_words
    aim = words(mind.persona, AIM_WORDS)
    while (length := sum(count_words(t) for _, t in parts)) > min(aim, allowed):
        if (len(parts) < 3 and length <= allowed) or len(parts) == 1:
            break
        parts.remove(min(parts, key=lambda p: p[0].weight))
        left = [m for m, _ in parts]
        parts = [p for p in parts if followed(p[0], left)] or parts
    if length > allowed:  # only where a ruleset asks for very few words
        return mind.scene.draws.choice(f"short/{salt}", SHORT), []
    return fill(" ".join(text for _, text in parts), {}), parts


def _worded(mind: Mindset, move: Move, ear: Ear, salt: str) -> tuple[str, float]:
    return word(
        phrases_of(mind.pack, move.kind),
        slots(mind.pack, move, mind.view.name),
        manner=mind.stance.manner,
        ear=ear,
        draws=mind.scene.draws,
        purpose=f"words/{salt}/{mind.pack.spelled(move.kind)}",
    )
