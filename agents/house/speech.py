"""What a house player says: the most pressing moves, in order, in words of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from agents.house.accusation_reasons import doubts
from agents.house.fact_checks import is_true
from agents.house.happenings import STAND, happenings, office
from agents.house.mindset import Mindset
from agents.house.observations import courtesies, observations
from agents.house.own_claims import claims
from agents.house.phrase_slots import phrases_of, slots
from agents.house.remarks import GONE, Named, Remark, RemarkPlace
from agents.house.replies import replies
from agents.house.stance import Stance
from agents.language import remarks
from agents.language.character_voice import WordingConstraints
from agents.language.phrasing import REPEATED_SENTENCE_STALENESS, SpokenTexts, draw_wording, fill
from agents.language.style import aim_words, apply_persona, max_points
from agents.packs import Pack
from agents.understanding.normalise import seats_named
from agents.understanding.speech_acts import FACTS, SpeechAct
from agents.understanding.statements import result_of
from agents.understanding.understand import understand
from game.engine.forms import Speech
from game.engine.text_checks import NO_LIMIT, count_characters, count_words

SMALL_TALK = 2.4  # what weighs less is said only where there is nothing else
AIM_WORDS = 62  # a statement stays below this where it can; the rules allow more
CHARACTERS = 5  # of a word, where characters are counted
STALE = 0.7  # of the word runs in a sentence: from here on it sounds like a repetition
OPTIONAL = (
    RemarkPlace.OPEN,
    RemarkPlace.TABLE,
    RemarkPlace.TURN,
    RemarkPlace.TRUST,
    RemarkPlace.ASK,
    RemarkPlace.CLOSE,
)
ANSWERS = (RemarkPlace.REPLY, RemarkPlace.ANSWER)
OPEN_WORDS = (RemarkPlace.CLAIM, RemarkPlace.VOTE, RemarkPlace.CLOSE)  # once out
REFUSALS = ("answer_evade", "owed_role_kept", "owed_partner_kept")  # of what a claim tells
# That one knows nothing: not beside a look of one's own. Of one player: not beside a look there.
IGNORANCE = ("answer_open", "owed_nobody", "owed_trusts_nobody")
UNDECIDED = ("owed_open", "owed_open_unclaimed")
# Of the player in {y} or {x} that it is fine.
TRUSTING = ("owed_trust_", "owed_you_trusted", "charge_defended", "spare", "hold_back")
OWED = 1.0  # how much longer than its weight an answer is kept where words are short
TRIES = 30  # other words are looked for as long as somebody has said exactly this before


def statement(mind: Mindset) -> tuple[str, Stance]:
    """One to four sentences that nobody has said in this game, and the stance after them."""
    text, spoken = composed(mind)
    text = _styled(mind, text, mind.dialogue.texts())
    keys = [m.key for m, _ in spoken if m.about]
    keys += [f"met:{m.meets}" for m, _ in spoken if m.meets]
    return text, replace(mind.stance, said_keys=(*mind.stance.said_keys, *keys))


def composed(mind: Mindset) -> tuple[str, list[tuple[Remark, str]]]:
    """Return what is said in plain words, whole and move by move."""
    moves = propose(mind)
    spoken_texts = mind.dialogue.texts()
    text, spoken = "", list[tuple[Remark, str]]()
    for number in range(TRIES):
        text, spoken = _text(mind, choose(mind, moves), moves, str(number))
        if text not in spoken_texts and _clear(mind, text, spoken):
            break
    return text, spoken


def _clear(mind: Mindset, text: str, spoken: list[tuple[Remark, str]]) -> bool:
    """Whether listeners take from `text` of the speaker just what it has told, or now tells.

    And whether it points at one player at most.
    """
    seats, dialogue = mind.view.state.seats, mind.dialogue
    claims = " ".join(words for move, words in spoken if move.position == RemarkPlace.CLAIM)
    before = dialogue.said[-1].seat if dialogue.said else 0
    acts = understand(fill(claims, {}), mind.me, seats, before, mind.pack) if claims else ()
    own_acts = _of_self(acts, mind.pack)
    turns = any(kind == "claim" and subject != mind.claimed for kind, subject in own_acts)
    allowed = own_acts if turns else own_acts | {("claim", mind.claimed)}
    if partner := dialogue.companions.get(mind.me):
        allowed.add(("companion", (dialogue.claims[mind.me], partner)))
    allowed |= {("report", report) for report in dialogue.looks.get(mind.me, ())}
    acts = understand(text, mind.me, seats, before, mind.pack)
    pressed = {t for a in acts if a.strength for t in a.targets}
    return own_acts <= _of_self(acts, mind.pack) <= allowed and len(pressed) < 2


def _of_self(acts: Iterable[SpeechAct], pack: Pack) -> set[tuple[str, object]]:
    """Return (kind, what) of the claims, companions and reports among `acts`."""
    own_acts: set[tuple[str, object]] = set()
    for act in acts:
        if act.kind == "claim":
            own_acts.add((act.kind, act.role))
        elif act.kind == "companion":
            own_acts.add((act.kind, (act.role, *act.targets)))
        elif act.kind == "report":
            own_acts.add((act.kind, result_of(act, pack) or act))
    return own_acts


def _styled(mind: Mindset, text: str, spoken_texts: set[str]) -> str:
    """Return `text` as somebody of this persona would put it, meaning just the same.

    At a table of plain speech as it is.
    """
    if mind.persona is None or mind.decision.has_plain_speech:
        return text
    seats, form = mind.view.state.seats, mind.decision.window.speech
    before = mind.dialogue.said[-1].seat if mind.dialogue.said else 0

    def meaning(words: str) -> tuple[object, ...]:
        """Return whom the words name and what they mean, "you" being the last speaker or nobody."""
        acts = [set(understand(words, mind.me, seats, to, mind.pack)) for to in (before, 0)]
        return seats_named(words, seats), acts

    meaning_before = meaning(text)

    def same(words: str) -> bool:
        return (
            words not in spoken_texts
            and text_length(words, form) <= longest_text(form)
            and meaning(words) == meaning_before
        )

    def fact(words: str) -> bool:
        """Whether they, or one sentence of them alone, tell a claim, a look or a vote, "you" being
        the last speaker or nobody.
        """
        parts = {words, *re.split(r"(?<=[.!?])\s+", words)}
        acts = (understand(p, mind.me, seats, to, mind.pack) for p in parts for to in (before, 0))
        return any(act.kind in FACTS for group in acts for act in group)

    own = [s.text for s in mind.dialogue.said if s.seat == mind.me]
    constraints = WordingConstraints(spoken_texts, own, same, fact)
    return apply_persona(text, mind.persona, mind.decision.rng, constraints)


def text_length(text: str, form: Speech) -> int:
    """Return the length of `text` in what the window counts: words, or characters."""
    return count_words(text) if form.base == NO_LIMIT else count_characters(text)


def longest_text(form: Speech) -> int:
    """Return the greatest length of a statement that nobody is addressed in."""
    return form.likely_words if form.base == NO_LIMIT else form.base


def propose(mind: Mindset) -> list[Remark]:
    """Return everything I could say now, most pressing first."""
    claim = list(claims(mind))  # first: a claim may change what I show
    if mind.speech_purpose == "stand":  # the reason to be chosen builds on the claim
        claim = [replace(m, weight=max(m.weight, STAND + 0.1)) for m in claim]
    moves = [*claim, *replies(mind), *observations(mind), *doubts(mind), *courtesies(mind)]
    moves += [*happenings(mind), *office(mind, claim)]
    moves = [m for m in moves if _of_the_living(mind, m) and is_true(mind, m)]
    open_claim = any(m.kind == "come_out" for m in claim)
    if open_claim or (mind.in_passes and mind.claimed in mind.pack.wolves):  # no case to make
        moves = [m for m in moves if m.position in OPEN_WORDS] or moves
    return sorted(moves, key=lambda m: (-m.weight, m.position, mind.pack.spelled(m.kind)))


def _of_the_living(mind: Mindset, move: Remark) -> bool:
    """Return whether a move names neither me nor a player who is out.

    The slots of players who are out (`GONE`) are exempt.
    """
    seats_gone = {seat for slot, seat in move.names.items() if slot in GONE}
    return not {*mind.view.state.out} & (move.seats - seats_gone) and mind.me not in move.seats


def choose(mind: Mindset, open_to: list[Remark]) -> list[Remark]:
    """Return the moves of this statement, in the order they are said."""
    most = max_points(mind.persona, 2 + mind.draw("length", 3))
    claim_owed = any(m.kind == "answer_role" for m in open_to)
    chosen: list[Remark] = []
    for move in open_to:
        if chosen and move.weight < SMALL_TALK:
            break
        counted = sum(not m.leads and not m.meets for m in chosen)
        is_owed = move.meets or (claim_owed and move.position == RemarkPlace.CLAIM)
        if (is_owed or counted < most) and _fits(move, chosen):
            chosen.append(move)
    claim = next((m for m in chosen if m.position == RemarkPlace.CLAIM and m.kind != "evade"), None)
    kept_remarks = [m for m in chosen if not _contradicts(m, claim) and followed(m, chosen)]
    if chosen and not kept_remarks:  # nothing but announcements
        return choose(mind, [m for m in open_to if m not in chosen])
    return sorted(_joined(kept_remarks), key=lambda m: m.position)


def _contradicts(move: Remark, claim: Remark | None) -> bool:
    """Return whether `move` keeps back or doubts what `claim` tells in the same statement."""
    if claim is None:
        return False
    if claim.look is None:
        return move.kind in REFUSALS
    undecided = move.kind in UNDECIDED and move.about in {*claim.look.targets, *claim.seats}
    return undecided or move.kind in (*REFUSALS, *IGNORANCE)


def _joined(chosen: list[Remark]) -> list[Remark]:
    """Return `chosen` with what announces an answer and the answer as one, where that is better.

    The claim of a plain role names who asked. A suspicion needs no announcement to a player who has
    had a word in the same statement.
    """
    spoken_to = {m.names.get("x") for m in chosen if m.position < RemarkPlace.TURN}
    for repeated in (m for m in chosen if m.position == RemarkPlace.LEAD and m.meets):
        if repeated.names.get("x") in spoken_to:
            chosen = [
                replace(m, meets=repeated.meets) if m.position == RemarkPlace.DOUBT else m
                for m in chosen
                if m is not repeated
            ]
    lead = next((m for m in chosen if m.kind == "answer_role"), None)
    claim = next((m for m in chosen if m.kind == "claim_plain"), None)
    if lead is None or claim is None:
        return chosen
    answer = replace(claim, kind="claim_plain_to", names=lead.names, meets=lead.meets)
    return [answer if m is claim else m for m in chosen if m is not lead]


def followed(move: Remark, chosen: Iterable[Remark]) -> bool:
    """Return whether what `move` announces follows: no turning away from one and to nobody."""
    remark_places = {m.position for m in chosen}
    if move.position in (RemarkPlace.TURN, RemarkPlace.LEAD):
        return RemarkPlace.DOUBT in remark_places
    return not move.leads or RemarkPlace.CLAIM in remark_places


def _fits(move: Remark, chosen: list[Remark]) -> bool:
    """Return whether `move` makes a point of its own, and its place is free.

    A place holds one move. Two looks may be told, and two questions answered.
    """
    here = [m for m in chosen if m.position == move.position]
    tells_looks = move.position == RemarkPlace.CLAIM and all(m.look for m in (*here, move))
    if len(here) >= (2 if tells_looks or move.position == RemarkPlace.ANSWER else 1):
        return False
    if any(move.repeats(m) for m in chosen):
        return False
    if move.position in ANSWERS and any(  # one answer to each
        m.position in ANSWERS and m.names.get("x", 0) == move.names.get("x", 1) for m in chosen
    ):
        return False
    if move.position == RemarkPlace.DOUBT and any(
        _convicts(m, move.names.get("t", 0)) for m in chosen
    ):
        return False
    if _suspects_twice(move, chosen) or any(
        _trusts(a, b) or _trusts(b, a) for a, b in ((move, m) for m in chosen)
    ):
        return False
    same_look = [m.kind for m in chosen if m.look and m.look == move.look]
    if same_look and "own_find" in (*same_look, move.kind):  # one look, told twice
        return False
    if move.position == RemarkPlace.OPEN and chosen and max(m.weight for m in chosen) > 5.5:
        return False
    if move.kind == "answer_open" and len(chosen) > 2:
        return False
    if move.position == RemarkPlace.ASK and any(
        m.kind == "companion_open"
        or (m.names.get("x") == move.about and m.position == RemarkPlace.REPLY)
        for m in chosen
    ):
        return False
    answered = (RemarkPlace.REPLY, RemarkPlace.TABLE)
    seats = {seat for m in chosen if m.position in answered for seat in m.seats}
    return not (move.position == RemarkPlace.TRUST and seats & move.seats)


def _trusts(trust: Remark, doubt: Remark) -> bool:
    """Return whether `trust` speaks well of the very player that `doubt` presses."""
    speaks_well = trust.position == RemarkPlace.TRUST or trust.kind.startswith(TRUSTING)
    presses = doubt.position in (RemarkPlace.DOUBT, RemarkPlace.VOTE)
    asker = trust.names["x"] if trust.position in ANSWERS and "y" in trust.names else 0
    return speaks_well and presses and doubt.names.get("t", 0) in trust.seats - {0, asker}


def _suspects_twice(move: Remark, chosen: list[Remark]) -> bool:
    """Return whether `move` and one of `chosen` voice the same suspicion.

    A doubt that a question or a change of mind leads to is kept.
    """
    target = move.names.get("t", 0)
    here = [m for m in chosen if m.names.get("t", 1) == target]
    if move.kind == "join_in":
        return any(m.position == RemarkPlace.DOUBT for m in here)
    led = any(m.position in (RemarkPlace.LEAD, RemarkPlace.TURN) for m in chosen)
    is_doubt = move.position == RemarkPlace.DOUBT
    return is_doubt and not led and any(m.kind == "join_in" for m in here)


def _convicts(claim: Remark, target: Named) -> bool:
    """Return whether `claim` reports a look at `target` alone, and that it is hunted.

    A doubt about the same player sounds as if the speaker did not believe its own look.
    """
    is_finding = claim.position == RemarkPlace.CLAIM and claim.kind.endswith("_found")
    return is_finding and claim.look is not None and claim.look.targets == (target,)


def _text(
    mind: Mindset, chosen: list[Remark], moves: list[Remark], salt: str
) -> tuple[str, list[tuple[Remark, str]]]:
    """Return `chosen` in words, and move by move.

    Returns what would sound stale is said otherwise, or left out where it can be.
    """
    names = mind.view.state.seats
    own = [s.text for s in mind.dialogue.said if s.seat == mind.me]
    day, spoken = mind.view.state.day, mind.dialogue.said
    today = (s.text for s in spoken if s.day == day)
    spoken_texts = SpokenTexts(names, [s.text for s in spoken], own, today)
    parts: list[tuple[Remark, str]] = []
    left_out: list[tuple[float, Remark, str]] = []
    for move in chosen:
        options = [move]
        grounds = any(said.position == RemarkPlace.DOUBT for said, _ in parts)
        if move.position == RemarkPlace.DOUBT:
            rest = [m for m in chosen if m is not move]
            options += [
                m
                for m in moves
                if m.position == RemarkPlace.DOUBT
                and m.weight > move.weight - 1.2
                and m.kind != move.kind
                if all(m.theme != r.theme for r in rest)
            ]
        best = min(
            ((*_worded(mind, option, spoken_texts, salt, grounds), option) for option in options),
            key=lambda candidate: candidate[1] + 0.15 * options.index(candidate[2]),
        )
        text, stale, move = best
        move = replace(move, meets=options[0].meets)
        may_go = move.position in OPTIONAL or (
            stale >= REPEATED_SENTENCE_STALENESS and move.position != RemarkPlace.CLAIM
        )
        if stale < STALE or not may_go or len(chosen) == 1:
            parts.append((move, text))
        else:
            left_out.append((stale, move, text))
    if not parts and left_out:  # something must be said, be it stale
        parts = [min(left_out, key=lambda candidate: candidate[0])[1:]]
    form = mind.decision.window.speech
    allowed, aim = longest_text(form), aim_words(mind.persona, AIM_WORDS)
    if form.base != NO_LIMIT:
        aim *= CHARACTERS
        parts = [p for p in parts if text_length(p[1], form) <= allowed] or parts
    while (length := sum(text_length(t, form) for _, t in parts)) > min(aim, allowed):
        if (len(parts) < 3 and length <= allowed) or len(parts) == 1:
            break
        parts.remove(min(parts, key=lambda p: p[0].weight + OWED * _is_due(p[0])))
        left = [m for m, _ in parts]
        parts = [p for p in parts if followed(p[0], left)] or parts
    if length > allowed:  # only where a ruleset asks for very few words
        return mind.decision.rng.choice(f"short/{salt}", remarks()["short"]), []
    return fill(" ".join(text for _, text in parts), {}), parts


def _is_due(move: Remark) -> bool:
    """Whether a move answers somebody or tells of oneself."""
    return move.meets > 0 or move.position == RemarkPlace.CLAIM


def circumstances(mind: Mindset) -> frozenset[str]:
    """Return what holds of `agents.language.NEEDS`."""
    dialogue, me = mind.dialogue, mind.me
    today = any(
        statement.round >= dialogue.today and statement.seat != me for statement in dialogue.said
    )
    pressed = bool(dialogue.pressing(me))
    holds = {
        "heard": today,
        "later": bool(dialogue.turns(me)) or mind.view.state.day > 1,
        "claimed": bool(mind.claimed),
        "unclaimed": not mind.claimed,
        "pressed": pressed,
        "unpressed": not pressed,
        "last": mind.last_round,
        "more": not mind.last_round and not mind.speech_purpose,
        "many": len(mind.others) > 3,
        "told": bool(dialogue.reports.keys() - {me}),
        "gave": any(a.kind == "report" for s in mind.words_today for a in s.acts),
        "sole": dialogue.reports.keys() == {me},
    }
    return frozenset(need for need, so in holds.items() if so)


def _worded(
    mind: Mindset, move: Remark, spoken: SpokenTexts, salt: str, grounds: bool
) -> tuple[str, float]:
    asker = move.names.get("x", 0)
    holds = {
        "grounds": grounds,
        "recent": move.look is not None and mind.is_recent(move.look),
        "asked": isinstance(asker, int) and mind.dialogue.asked_before(asker, mind.me),
    }
    return draw_wording(
        phrases_of(mind.pack, move.kind),
        slots(mind.pack, move, mind.view.name, holds["recent"]),
        manner=mind.stance.manner,
        circumstances=circumstances(mind) | {need for need, so in holds.items() if so},
        spoken=spoken,
        rng=mind.decision.rng,
        purpose=f"words/{salt}/{mind.pack.spelled(move.kind)}",
    )
