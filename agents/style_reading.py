"""How the agents understand the lines of a style, and which words are unfit for a table.

`python -m agents.style_reading` reads {"ruleset": name, "styles": [TOML text, …], "backend": name}
from its input and writes {"readings": rows of each style, "statement": what the backend says in the
first}, so that a caller need not load the understanding. Without a backend nothing is said.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from pyobscenity import find_matches

from agents.decision import BackendError
from agents.faculties.guard import fill_line
from agents.llm.leaks import INSTRUCTIONS, MARKS, PROGRAM, has_reasoning
from agents.packs import Pack, pack_of
from agents.personas.big_five import Persona
from agents.personas.own_style import OwnStyle, parse
from agents.personas.styles import KEYS, PLAIN, Key, Style, styles
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import statement_acts
from game.engine import rulesets
from game.engine.ruleset import Ruleset

SPEAKER, TARGET = 1, 2  # seats of the examples
SAID = {
    "deny": "denies to be {role}",
    "retract": "takes back a claim",
    "companion": "claims to be {role} with {names}",
    "accuse": "accuses {names}",
    "suspect": "suspects {names}",
    "defend": "defends {names}",
    "vote": "announces a vote for {names}",
    "agree": "agrees with {names}",
    "disagree": "disagrees with {names}",
    "question": "asks {names}",
    "propose": "proposes what {role} should do",
}
# They tell nothing of the speaker's role, results or vote, so any line may have them.
HARMLESS_KINDS = ("question", "propose", "unread")


@dataclass(frozen=True)
class LineReading:
    """How a line is understood.

    Attributes:
        key: its situation, or the place of another text of the style.
        text: the line with example names in its slots.
        understood: what it says, in words.
        fault: why it cannot be used, as a sentence, "" if it can.
    """

    key: str
    text: str
    understood: str
    fault: str = ""


def read_style(own: OwnStyle, ruleset: Ruleset) -> list[LineReading]:
    """Read the fourteen lines as the agents do in a game of the ruleset, and all other words."""
    readings = [read_line(own.style, key, ruleset) for key in KEYS]
    character = own.character
    other_texts = {
        "name": (character.name,),
        "first_person": (character.first_person,),
        "habits": character.habits,
        "examples": character.examples,
    }
    for key, texts in other_texts.items():
        readings += [LineReading(key, t, "", fault) for t in texts if (fault := _unfit(t))]
    return readings


def read_line(style: Style, key: Key, ruleset: Ruleset) -> LineReading:
    """Read one line of a style: it has to mean what the plain line of its situation does."""
    pack, names = pack_of(ruleset), tuple(ruleset.table_names)
    reading: LineReading | None = None
    for finds_hunted in (True, False):
        text, acts = _read(style, key, ruleset, finds_hunted)
        understood = _understood(acts, pack, names)
        fault = _unfit(text)
        plain_acts = _read(styles()[PLAIN], key, ruleset, finds_hunted)[1]
        plain_facts = _facts(plain_acts)
        extra = _facts(acts) - plain_facts
        if not plain_facts <= _facts(acts) or any(kind not in HARMLESS_KINDS for kind, *_ in extra):
            expected = _understood(plain_acts, pack, names)
            fault = f"It is understood as “{understood}”, and has to mean “{expected}”."
        if reading is None or (fault and not reading.fault):
            reading = LineReading(key, text, understood, fault)
    assert reading is not None
    return reading


def _read(
    style: Style, key: Key, ruleset: Ruleset, finds_hunted: bool
) -> tuple[str, tuple[SpeechAct, ...]]:
    """Return a line with example names, and what it says."""
    pack, names = pack_of(ruleset), tuple(ruleset.table_names)
    talk = next((phase for phase, words in ruleset.wording.phases.items() if words.talk), "")
    text = fill_line(style, key, pack, names[TARGET - 1], False, finds_hunted)
    return text, statement_acts(text, SPEAKER, names, 0, pack, talk)


def _facts(acts: Sequence[SpeechAct]) -> set[tuple[str, str, tuple[int, ...], str]]:
    return {(act.kind, act.role, act.targets, act.value) for act in acts}


def _understood(acts: Sequence[SpeechAct], pack: Pack, names: Sequence[str]) -> str:
    return ", ".join(_described(act, pack, names) for act in acts) or "nothing to note"


def _described(act: SpeechAct, pack: Pack, names: Sequence[str]) -> str:
    people = " and ".join(names[seat - 1] for seat in act.targets) or "nobody by name"
    if act.kind == "claim":
        return f"claims to be {pack.one(act.role)}"
    if act.kind == "report":
        return f"reports that {people} is {pack.answer_text(act.result)}"
    role = pack.one(act.role) if act.role else "somebody"
    return SAID.get(act.kind, act.kind).format(role=role, names=people)


def _unfit(text: str) -> str:
    """Return why no player can have these words, "" if one can."""
    if PROGRAM.search(text) or INSTRUCTIONS.search(text):
        return "It speaks of a program or its instructions, and players are people at a table."
    if MARKS.search(text) or has_reasoning(text):
        return "It has marks of a template, or thoughts that are not spoken."
    matches = (match.matched_text for match in find_matches(text))
    if word := next((match for match in matches if any(map(str.isalpha, match))), ""):
        return f"It has a swear word or a slur (“{word}”): choose another word."
    return ""


def say_something(text: str, backend: str) -> dict[str, str]:
    """Return what a model says first in a game, as {"text": …}, or {"trouble": cause}."""
    from agents.backends import UnknownBackend, get
    from agents.backends.trial import CHECK_TIMEOUT_S, first_statement
    from agents.model_catalog import BadCatalog

    request = first_statement()
    decision = replace(request.decision, persona=Persona.of_style(text))
    try:
        reply = get(backend).reply("style", replace(request, decision=decision), CHECK_TIMEOUT_S)
    except BackendError as error:
        return {"trouble": error.cause}
    except (BadCatalog, UnknownBackend):
        return {"trouble": "unknown"}
    return {"text": str(reply["text"])}


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    ruleset, texts = rulesets.get(request["ruleset"]), request["styles"]
    readings = [[asdict(line) for line in read_style(parse(text), ruleset)] for text in texts]
    backend = request.get("backend")
    statement = say_something(texts[0], backend) if backend else {}
    json.dump({"readings": readings, "statement": statement}, sys.stdout)


if __name__ == "__main__":
    main()
