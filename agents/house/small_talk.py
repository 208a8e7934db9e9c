"""Small talk: greetings, questions, proposals, and what is said for want of a point."""

from collections.abc import Iterator
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remarks import Remark, RemarkPlace, remark
from agents.language import gives_reason
from agents.talk.course import seats_that_said_over

STYLE_PERCENT = 40  # share of the players who say how they mean to play, or ask about it
OPENING_PERCENT = 45  # how often a game's first speaker says that there is nothing to say yet
TEASE_PERCENT = 40  # how often a player that wants votes hints that it hides something
PASS_FADE = 0.6  # weight that questions lose with each statement of the speaker today
LOT_SCALE = 60  # a lot of 0 to 99 is divided by it: up to 1.65 of added weight
MAX_PROPOSALS = 2  # statements a day what a role should do, replies included
CALL_PERCENT = 40  # how often a looker who has not come out is called
AGREE_PERCENT = 50  # share of the players who agree to a proposal; the others object


def build_courtesies(m: Mindset) -> Iterator[Remark]:
    """Yield greetings, a question, and what is said for want of a point."""
    if m.has_no_evidence and not m.dialogue.turns(m.me):
        yield remark("greet_all")
        if m.chance("play style", STYLE_PERCENT):
            yield remark("play_style")
    yield from _greetings(m)
    if not m.dialogue.statements and m.chance("open", OPENING_PERCENT):
        yield remark("open_first")
    if m.is_bait and m.round > 1 and m.chance("tease", TEASE_PERCENT):
        yield remark("tease")
    yield from _questions(m)
    yield remark("close_late" if m.is_last_round else "close_early")


def _greetings(m: Mindset) -> Iterator[Remark]:
    """Yield a greeting to players who greeted me, or who greeted the table without an answer."""
    for statement in m.dialogue.since(m.me):
        greeting = remark("greet", x=statement.seat)
        if not statement.greets or greeting.key in m.stance.said_keys:
            continue
        is_to_me = m.me in statement.names
        if is_to_me or not (statement.names or m.count_mentions({statement.seat})):
            yield greeting if is_to_me else replace(greeting, weight=5.4)


def _questions(m: Mindset) -> Iterator[Remark]:
    """Yield at most one question. Players who were asked, or are done, are not asked again."""
    closed_seats = seats_that_said_over(m.view) | {
        t for s in m.dialogue.since(m.me) for a in s.acts if a.kind == "question" for t in a.targets
    }
    if m.has_no_evidence:
        light = [remark("ask_light", t=s) for s in m.others if s not in closed_seats]
        if light and not m.passes_today and m.chance("ask light", STYLE_PERCENT):
            yield light[m.draw("question", len(light))]
        return
    weight = 2.6 + m.draw("curious", 100) / LOT_SCALE - PASS_FADE * m.passes_today
    questions = [
        question
        for s in m.others
        # In the last round, only players who will still speak are asked.
        if s not in closed_seats and (not m.is_last_round or _will_speak(m, s))
        for question in _questions_to(m, s, weight)
        if question.key not in m.stance.said_keys
    ]
    urgent = [q for q in questions if q.kind in ("ask_silent", "ask_last_role")]
    if questions := urgent or questions:
        yield questions[m.draw("question", len(questions))]


def _will_speak(m: Mindset, seat: int) -> bool:
    """Return whether `seat` speaks after me in this round. A day's first speaker varies."""
    if m.in_passes or not m.has_attacks:
        return seat > m.me
    state = m.view.state
    turns = (t for t in m.view.turns if t.moment.day == state.day)
    return not any(t.seat == seat and t.moment.phase == state.phase for t in turns)


def _questions_to(m: Mindset, s: int, weight: float) -> Iterator[Remark]:
    """Yield the questions that suit seat `s`, around `weight`."""
    dialogue = m.dialogue
    turns = dialogue.turns(s)
    if dialogue.silent[s]:
        yield remark("ask_silent", t=s)
    has_claimed = s in dialogue.claims or s == m.mate
    if not has_claimed and (turns or m.round == 1) and m.is_unasked("role", s):
        bonus = 0.6 if s == m.target or m.round > 1 else 0.0
        yield remark("ask_role", t=s, weight=weight + bonus)
    if turns and not dialogue.pressed_by(s) and m.is_unasked("suspect", s):
        yield remark("ask_suspect", t=s, weight=weight + 0.2)
    bare = (new for new in dialogue.since(m.me) if new.seat == s and not gives_reason(new.text))
    pressed = [u for new in bare for u in new.presses()]
    x = pressed[-1] if pressed and s not in dialogue.lookers else s
    if x not in (m.me, m.target, s) and m.is_unasked("reason", s, x):
        yield remark("ask_reason", t=s, x=x, weight=weight + 0.3)
    have_others_claimed = {*m.others} - {s} <= {*dialogue.claims}
    if not (has_claimed or m.is_unasked("role", s)) and have_others_claimed and m.claimed:
        yield remark("ask_last_role", t=s)
    if dialogue.is_mate(s) and s not in dialogue.companions and not m.mate:
        role = dialogue.claims[s]
        yield remark("ask_partner", t=s, weight=weight + 1.5, role=role)


def build_proposals(m: Mindset) -> Iterator[Remark]:
    """Yield proposals what lookers and mates should do, and replies to such proposals."""
    dialogue, looker, mate = m.dialogue, m.pack.role("looker"), m.pack.role("mate")
    if count_proposals(m) >= MAX_PROPOSALS:
        return
    is_hidden = m.part == "looker" or m.poses_as("looker")
    about_looker = [a for a in dialogue.acts("propose") if a.role == looker]
    if looker and m.has_night_passed and not dialogue.lookers and not is_hidden:
        spelled = m.pack.spelled("looker")
        if m.round > 1:
            if m.chance("call the looker", CALL_PERCENT):
                yield remark("no_looker_yet", role=looker)
        elif not about_looker:
            kind = "looker_speak" if m.draw(f"{spelled} early", 2) else "looker_wait"
            weight = 1.4 if m.draw(f"propose {spelled}", 3) else 4.0
            yield remark(kind, weight=weight, role=looker)
    new = [a for s in dialogue.since(m.me) for a in s.acts if a.kind == "propose"]
    if new and new[-1] in about_looker and m.round == 1 and not dialogue.lookers:
        side = "with" if m.chance("agree to it", AGREE_PERCENT) else "against"
        kind = f"{side}_looker_{new[-1].about}"
        yield Remark(kind, 3.4, RemarkPlace.TABLE, {"x": new[-1].speaker}, role=looker)
    is_early = m.round == 1 and mate and not dialogue.claimants(mate) and not m.mate
    if is_early and not dialogue.acts("propose") and m.chance(f"ask {m.pack.spelled('mates')}", 20):
        yield remark("mates_speak", role=mate)


def count_proposals(m: Mindset) -> int:
    """Return how many statements today propose what a role should do, or reply to a proposal."""
    proposers, count = set[int](), 0
    for statement in m.dialogue.statements:
        proposes = any(a.kind == "propose" for a in statement.acts)
        replies = (a for a in statement.acts if a.kind in ("agree", "disagree") and not a.role)
        if statement.round >= m.dialogue.today:
            count += proposes or any(proposers & {*a.targets} for a in replies)
            proposers |= {statement.seat} if proposes else set()
    return count
