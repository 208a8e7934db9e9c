"""Small talk: greetings, openers, trust, questions, last words."""

from __future__ import annotations

from collections.abc import Iterator

from agents.house.mindset import Mindset
from agents.house.remark_rules import is_true
from agents.house.remarks import Remark, remark
from agents.talk.course import seats_done

MIN_FRIEND_PROBABILITY = 0.75  # of the village, to be trusted aloud
KEEP_TRUST_PERCENT = 50  # of the times, trust is not said aloud
PASS_FADE = 0.6  # weight that trust and questions lose with each statement of a day
LOT_SCALE = 60  # a lot of 0 to 99 is divided by it: up to 1.65 of added weight


def build_courtesies(m: Mindset) -> Iterator[Remark]:
    """Yield an opener, trust in a player, a question and last words."""
    if m.has_no_evidence and not m.dialogue.turns(m.me):
        yield remark("greet_all")
        yield remark("play_style")
    if not m.dialogue.said:
        yield remark("open_first")
    elif len(m.dialogue.said) > 2:  # it speaks of what was said so far
        yield remark("open")
    friends = [
        s
        for s in m.others
        if m.village_probability(s) > MIN_FRIEND_PROBABILITY and s not in (m.mate, m.target)
    ]
    if friends and not (m.is_bait or m.has_no_evidence):
        friend = friends[m.draw("friend", len(friends))]
        is_kept = m.chance("keep it", KEEP_TRUST_PERCENT)
        if not is_kept and f"trust:{friend}" not in m.stance.said_keys:
            yield remark("trust", x=friend, weight=3.6 - PASS_FADE * m.passes_today)
    if m.is_bait:
        yield remark("tease")
    yield from _questions(m)
    kind = "close_late" if m.is_last_round else "close_early"
    weight = 1.6 + m.draw("closing", 100) / LOT_SCALE - 0.4 * m.passes_today
    yield remark(kind, weight=weight)


def _questions(m: Mindset) -> Iterator[Remark]:
    """Yield at most one question. Players who were asked, or are done, are not asked again."""
    closed_seats = seats_done(m.view) | {
        t for s in m.dialogue.since(m.me) for a in s.acts if a.kind == "question" for t in a.targets
    }
    if m.has_no_evidence:
        light = [remark("ask_light", t=s) for s in m.others if s not in closed_seats]
        if light and not m.passes_today:
            yield light[m.draw("question", len(light))]
        return
    weight = 2.6 + m.draw("curious", 100) / LOT_SCALE - PASS_FADE * m.passes_today
    questions = [
        question
        for s in m.others
        # in the last round, only players who will still speak
        if s not in closed_seats and (not m.is_last_round or s > m.me)
        for question in _questions_to(m, s, weight)
        if question.key not in m.stance.said_keys and is_true(m, question)
    ]
    silent = [q for q in questions if q.kind == "ask_silent"]
    if questions := silent or questions:
        yield questions[m.draw("question", len(questions))]


def _questions_to(m: Mindset, s: int, weight: float) -> Iterator[Remark]:
    """Yield the questions that suit seat `s`, around `weight`."""
    dialogue = m.dialogue
    turns = dialogue.turns(s)
    if dialogue.silent[s]:
        yield remark("ask_silent", t=s)
    if dialogue.claims.get(s) is None and (turns or m.round == 1) and s != m.mate:
        bonus = 0.6 if s == m.target or m.round > 1 else 0.0
        yield remark("ask_role", t=s, weight=weight + bonus)
    if turns and not dialogue.pressed_by(s):
        yield remark("ask_suspect", t=s, weight=weight + 0.2)
    pressed = [u for new in dialogue.since(m.me) if new.seat == s for u in new.presses()]
    if pressed and pressed[-1] not in (m.me, m.target, s) and s not in dialogue.lookers:
        yield remark("ask_reason", t=s, x=pressed[-1], weight=weight + 0.3)
    if dialogue.is_mate(s) and s not in dialogue.companions and not m.mate:
        role = dialogue.claims[s]
        yield remark("ask_partner", t=s, weight=weight + 1.5, role=role)
