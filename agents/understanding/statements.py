"""Statements: the text of a turn with its meaning. Also counts the silent turns of players.

`agents.talk.dialogue` stores the statements of a game and answers queries on them.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.language import small_words
from agents.language.patterns import load
from agents.packs import Pack, Result
from agents.understanding.normalise import find_named_seats, is_short_enough, plain_sentences
from agents.understanding.speech_acts import STRENGTH, SpeechAct
from agents.understanding.understand import understand

UNDERSTAND = load("understand")
AGAINST = (*STRENGTH, "disagree")
Turn = tuple[int, int, str, int, str, int]  # seat, round of talk, text, day, phase, pass (0: none)


@dataclass(frozen=True)
class Statement:
    """One statement: its speaker, round of talk (from 1), text, and meaning.

    Attributes:
        names: The seats it names.
        greets: Whether it is a greeting and nothing else.
    """

    seat: int
    round: int
    text: str
    acts: tuple[SpeechAct, ...]
    names: frozenset[int] = frozenset()
    day: int = 0
    greets: bool = False

    @property
    def tells_nothing(self) -> bool:
        """Whether the statement only passes the turn: "…", "Pass.", "Nothing to say."."""
        return not self.acts and UNDERSTAND.passed.fullmatch(self.text.lower()) is not None

    @property
    def only_listens(self) -> bool:
        """Whether the statement only says that the speaker listens for now."""
        return not self.acts and UNDERSTAND.listens.search(self.text.lower()) is not None

    def presses(self) -> list[int]:
        """Return the seats that the speaker doubts, accuses or wants to vote for, in order."""
        return [t for a in self.acts if a.strength for t in a.targets]

    def opposes(self) -> set[int]:
        """Return the seats that the speaker accuses or disbelieves."""
        return {t for a in self.acts if a.kind in AGAINST for t in a.targets}


def result_of(act: SpeechAct, pack: Pack) -> Result | None:
    """Return the result that a report states, None if no look in this game can give it."""
    look = pack.look(act.role)
    if act.kind != "report" or look is None or len(act.targets) != look.seats:
        return None
    return act.result if act.value in dict(look.answers) else None


def statement_acts(
    text: str,
    seat: int,
    seats: tuple[str, ...],
    before: int,
    pack: Pack,
    phase: str,
    looking_role: str = "",
) -> tuple[SpeechAct, ...]:
    """Return what a statement means.

    The words of a report do not distinguish roles with similar looks. So a report without a claim
    beside it is attributed to `looking_role`.

    Args:
        seats: Names of all seats.
        before: The seat that spoke before, 0 for none.
        phase: Key of the phase.
        looking_role: The looking role that the speaker last claimed or reported as.
    """
    phase_words = pack.ruleset.wording.phases.get(phase)
    is_election = phase_words is not None and not phase_words.is_talk
    acts = understand(text, seat, seats, before, pack, is_election)
    look = pack.look(looking_role)
    if look is None or any(act.kind == "claim" for act in acts):
        return acts
    roles_alike = {r for r in pack.parts if (other := pack.look(r)) and other.seats == look.seats}
    return tuple(
        replace(act, role=looking_role) if act.kind == "report" and act.role in roles_alike else act
        for act in acts
    )


@lru_cache(maxsize=4096)  # every new statement reads the whole talk again
def is_greeting(text: str, seats: tuple[str, ...]) -> bool:
    """Return whether `text` only greets the table or a player of `seats`."""
    text = re.sub("|".join(map(re.escape, seats)) or "(?!)", " ", text, flags=re.IGNORECASE)
    text_words = set(re.findall(r"[a-z']+", text.lower().replace("’", "'")))
    needed, allowed = (set(small_words()["greeting"][key].split()) for key in ("needs", "allows"))
    return bool(text_words & needed) and text_words <= needed | allowed


@lru_cache(maxsize=4096)  # every new statement reads the whole talk again
def protected_seat(text: str, seats: tuple[str, ...], pack: Pack) -> int:
    """Return the seat that the speaker says it protected in a night, 0 for none."""
    if not pack.data.deeds or not is_short_enough(text):
        return 0
    statements = (s.text for s in plain_sentences(text, seats, pack) if not s.is_question)
    saves = [save for sentence in statements if (save := UNDERSTAND.save.search(sentence))]
    return int(saves[-1][1] or saves[-1][2]) if saves else 0


def read_statements(turns: tuple[Turn, ...], seats: tuple[str, ...], pack: Pack) -> list[Statement]:
    """Return the turns with text as statements, oldest first."""
    statements: list[Statement] = []
    looking_roles: dict[int, str] = {}  # seat -> the looking role that it claimed last
    for seat, number, text, day, phase, _pass in turns:
        if not text:
            continue
        before = statements[-1].seat if statements else 0
        looking_role, greets = looking_roles.get(seat, ""), is_greeting(text, seats)
        acts: tuple[SpeechAct, ...] = ()
        if not greets:
            acts = statement_acts(text, seat, seats, before, pack, phase, looking_role)
        looking_roles.update((a.speaker, a.role) for a in acts if a.role and pack.look(a.role)
                       and a.kind in ("claim", "report"))  # fmt: skip
        names = find_named_seats(text, seats)
        statements.append(Statement(seat, number, text, acts, names, day, greets))
    return statements


def count_silent_turns(turns: tuple[Turn, ...]) -> Counter[int]:
    """Return seat -> number of its turns without text, plus the passes that it gave up.

    If talk runs in passes, a player who says Over at once has one silent turn a day, while others
    have several. So the passes given up on a day without a word count as silent, too.
    """
    silent_turns = Counter(seat for seat, _number, text, *_when in turns if not text)
    passes: dict[int, dict[int, int]] = {}  # day -> seat -> its last pass that day
    for seat, _number, _text, day, _phase, pass_ in turns:
        last_passes = passes.setdefault(day, {})
        last_passes[seat] = max(pass_, last_passes.get(seat, 0))
    talking_seats = {(day, seat) for seat, _number, text, day, *_ in turns if text}
    for day, last_passes in passes.items():
        for seat, last_pass in last_passes.items():
            if (day, seat) not in talking_seats:
                silent_turns[seat] += max(last_passes.values()) - last_pass
    return silent_turns
