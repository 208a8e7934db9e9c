"""Statements: a turn's text with its meaning, and turns in which a player says nothing.

`agents.talk.dialogue` keeps the statements of a game and answers queries on them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.language import small_words
from agents.language.patterns import load
from agents.packs import Pack, Result
from agents.understanding.limits import is_short_enough
from agents.understanding.normalise import plain_sentences, seats_named
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand

UNDERSTAND = load("understand")
PRESSING = ("suspect", "accuse", "vote")
AGAINST = (*PRESSING, "disagree")
Turn = tuple[int, int, str, int, str, int]  # seat, round of talk, text, day, phase, pass (0: none)


@dataclass(frozen=True)
class Statement:
    """One statement: its speaker, round of talk (from 1), text, and meaning."""

    seat: int
    round: int
    text: str
    acts: tuple[SpeechAct, ...]
    names: frozenset[int] = frozenset()  # the seats it names
    day: int = 0
    greets: bool = False  # whether it greets, and says no more

    @property
    def tells_nothing(self) -> bool:
        """Whether the statement only passes the turn: "…", "Pass.", "Nothing to say."."""
        return not self.acts and UNDERSTAND.passed.fullmatch(self.text.lower()) is not None

    @property
    def only_listens(self) -> bool:
        """Whether the statement only says that the speaker listens for now."""
        return not self.acts and UNDERSTAND.listens.search(self.text.lower()) is not None

    def presses(self) -> list[int]:
        """Return the seats that it doubts, accuses or will vote for, in order."""
        return [t for a in self.acts if a.strength for t in a.targets]

    def opposes(self) -> set[int]:
        """Return the seats that it accuses or disbelieves."""
        return {t for a in self.acts if a.kind in AGAINST for t in a.targets}


def result_of(act: SpeechAct, pack: Pack) -> Result | None:
    """Return the result that a report states, None if no look in this game can give it."""
    look = pack.look(act.role)
    if act.kind != "report" or look is None or len(act.targets) != look.seats:
        return None
    return act.result if act.value in dict(look.answers) else None


def _with_claimed_role(
    acts: tuple[SpeechAct, ...], claimed: str, pack: Pack
) -> tuple[SpeechAct, ...]:
    """Return the acts, with reports attributed to the role that the speaker claimed before.

    The words of a report do not distinguish roles with like looks. A claim in the same statement
    does.
    """
    look = pack.look(claimed) if claimed else None
    if look is None or any(a.kind == "claim" for a in acts):
        return acts

    def is_alike(act: SpeechAct) -> bool:
        reported_look = pack.look(act.role) if act.kind == "report" else None
        return reported_look is not None and reported_look.seats == look.seats

    return tuple(replace(a, role=claimed) if is_alike(a) else a for a in acts)


def statement_acts(
    text: str,
    seat: int,
    seats: tuple[str, ...],
    before: int,
    pack: Pack,
    phase: str,
    looker: str = "",
) -> tuple[SpeechAct, ...]:
    """Return what a statement means.

    Args:
        seats: names of all seats.
        before: the seat that spoke before, 0 for none.
        phase: key of the phase.
        looker: the role by which the speaker last said that it learns something.
    """
    phase_words = pack.ruleset.wording.phases.get(phase)
    election = phase_words is not None and not phase_words.talk
    return _with_claimed_role(understand(text, seat, seats, before, pack, election), looker, pack)


@lru_cache(maxsize=4096)  # every new statement reads the whole talk again
def is_greeting(text: str, seats: tuple[str, ...]) -> bool:
    """Return whether `text` greets the table or a player of `seats`, and says no more."""
    text = re.sub("|".join(map(re.escape, seats)) or "(?!)", " ", text, flags=re.IGNORECASE)
    text_words = set(re.findall(r"[a-z']+", text.lower().replace("’", "'")))
    needed, allowed = (set(small_words()["greeting"][key].split()) for key in ("needs", "allows"))
    return bool(text_words & needed) and text_words <= needed | allowed


@lru_cache(maxsize=4096)  # every new statement reads the whole talk again
def saved_in(text: str, seats: tuple[str, ...], pack: Pack) -> int:
    """Return whom a speaker says in `text` that it protected in a night, 0 for nobody."""
    if not pack.data.deeds or not is_short_enough(text):
        return 0
    statements = (s.text for s in plain_sentences(text, seats, pack) if not s.is_question)
    saves = [save for sentence in statements if (save := UNDERSTAND.save.search(sentence))]
    return int(saves[-1][1] or saves[-1][2]) if saves else 0


def _count_given_up(turns: tuple[Turn, ...]) -> Counter[int]:
    """Return seat -> the passes in which it did not speak, for days on which it said nothing.

    If talk runs in passes, a player who says Over at once has one silent turn a day. Players who
    talk have several, so the turns that it gave up count as silent, too.
    """
    last: dict[tuple[int, int], int] = {}  # (day, seat) -> its last pass
    talked = {(day, seat) for seat, _number, text, day, *_ in turns if text}
    for seat, _number, _text, day, _phase, pass_ in turns:
        last[day, seat] = max(pass_, last.get((day, seat), 0))
    longest = {day: max(p for (d, _), p in last.items() if d == day) for day, _ in last}
    given_up: Counter[int] = Counter()
    for (day, seat), pass_ in last.items():
        if (day, seat) not in talked:
            given_up[seat] += longest[day] - pass_
    return given_up


def read_statements(turns: tuple[Turn, ...], seats: tuple[str, ...], pack: Pack) -> list[Statement]:
    """Return the turns that have words, with their meaning, oldest first."""
    statements: list[Statement] = []
    lookers: dict[int, str] = {}  # seat -> the role by which it last said that it learns something
    for seat, number, text, day, phase, _pass in turns:
        if not text:
            continue
        before = statements[-1].seat if statements else 0
        looker, greets = lookers.get(seat, ""), is_greeting(text, seats)
        acts = () if greets else statement_acts(text, seat, seats, before, pack, phase, looker)
        lookers.update((a.speaker, a.role) for a in acts if a.role and pack.look(a.role)
                       and a.kind in ("claim", "report"))  # fmt: skip
        names = seats_named(text, seats)
        statements.append(Statement(seat, number, text, acts, names, day, greets))
    return statements


def count_silent_turns(turns: tuple[Turn, ...]) -> Counter[int]:
    """Return seat -> the turns in which it said nothing, and the passes that it gave up."""
    silent = Counter(seat for seat, _number, text, *_when in turns if not text)
    silent.update(_count_given_up(turns))
    return silent
