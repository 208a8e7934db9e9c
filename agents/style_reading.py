"""Checks of an owner's style: the agents' reading of its lines, and unsuitable text.

`python -m agents.style_reading` runs them in a process of its own, so that a caller need not load
the understanding. It reads {"ruleset": name, "styles": [TOML text, …], "backend": name} from its
input, and writes {"readings": rows of each style, "statement": a first statement in the first
style, by the backend if there is one}.
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
from agents.personas.own_style import OwnStyle, parse_own_style
from agents.personas.styles import KEYS, PLAIN, Key, Style, styles
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import statement_acts
from game.engine import rulesets
from game.engine.ruleset import Ruleset

SPEAKER, TARGET = 1, 2  # seats of the examples
PHRASE_BY_KIND = {
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
# Speech acts that reveal nothing of the speaker's role, results or vote: any line may have them.
HARMLESS_KINDS = ("question", "propose", "unread")


@dataclass(frozen=True)
class LineReading:
    """The reading of one line.

    Attributes:
        key: its situation, or the key of another text of the style.
        text: the line with example names in its slots.
        understood: its meaning to the agents, as a phrase.
        fault: the reason why it cannot be used, as a sentence, "" if it can.
    """

    key: str
    text: str
    understood: str
    fault: str = ""


def read_style(own: OwnStyle, ruleset: Ruleset) -> list[LineReading]:
    """Read the fourteen lines as agents do in a game of the ruleset, and check all other texts."""
    readings = [read_line(own.style, key, ruleset) for key in KEYS]
    character = own.character
    other_texts = {
        "name": (character.name,),
        "first_person": (character.first_person,),
        "habits": character.habits,
        "examples": character.examples,
    }
    for key, texts in other_texts.items():
        for text in texts:
            if fault := _find_unfit_words(text):
                readings.append(LineReading(key, text, "", fault))
    return readings


def read_line(style: Style, key: Key, ruleset: Ruleset) -> LineReading:
    """Read one line of a style. It must have the meaning of the situation's plain line."""
    pack, names = pack_of(ruleset), tuple(ruleset.table_names)
    reading: LineReading | None = None
    for is_accusation in (True, False):
        text, acts = _read(style, key, ruleset, is_accusation)
        understood = _describe_acts(acts, pack, names)
        fault = _find_unfit_words(text)
        plain_acts = _read(styles()[PLAIN], key, ruleset, is_accusation)[1]
        plain_facts = _facts(plain_acts)
        extra = _facts(acts) - plain_facts
        if not plain_facts <= _facts(acts) or any(kind not in HARMLESS_KINDS for kind, *_ in extra):
            expected = _describe_acts(plain_acts, pack, names)
            fault = f"It is understood as “{understood}”, and has to mean “{expected}”."
        if reading is None or (fault and not reading.fault):
            reading = LineReading(key, text, understood, fault)
    assert reading is not None
    return reading


def request_statement(text: str, backend: str) -> dict[str, str]:
    """Return a model's first statement in a game, {"text": …}, or {"trouble": cause}."""
    from agents.backends import UnknownBackend, get
    from agents.backends.trial import CHECK_TIMEOUT_S, first_statement_request
    from agents.model_catalog import BadCatalog

    request = first_statement_request()
    decision = replace(request.decision, persona=Persona.of_style(text))
    try:
        reply = get(backend).reply("style", replace(request, decision=decision), CHECK_TIMEOUT_S)
    except BackendError as error:
        return {"trouble": error.cause}
    except (BadCatalog, UnknownBackend):
        return {"trouble": "unknown"}
    return {"text": str(reply["text"])}


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    ruleset, texts = rulesets.get(request["ruleset"]), request["styles"]
    readings = [
        [asdict(line) for line in read_style(parse_own_style(text), ruleset)] for text in texts
    ]
    backend = request.get("backend")
    statement = request_statement(texts[0], backend) if backend else {}
    json.dump({"readings": readings, "statement": statement}, sys.stdout)


def _read(
    style: Style, key: Key, ruleset: Ruleset, is_accusation: bool
) -> tuple[str, tuple[SpeechAct, ...]]:
    """Return a line with example names, and its speech acts."""
    pack, names = pack_of(ruleset), tuple(ruleset.table_names)
    talk = next((phase for phase, words in ruleset.wording.phases.items() if words.is_talk), "")
    text = fill_line(
        style, key, pack, names[TARGET - 1], has_mentions=False, is_accusation=is_accusation
    )
    return text, statement_acts(text, SPEAKER, names, 0, pack, talk)


def _facts(acts: Sequence[SpeechAct]) -> set[tuple[str, str, tuple[int, ...], str]]:
    return {(act.kind, act.role, act.targets, act.value) for act in acts}


def _describe_acts(acts: Sequence[SpeechAct], pack: Pack, names: Sequence[str]) -> str:
    return ", ".join(_describe_act(act, pack, names) for act in acts) or "nothing to note"


def _describe_act(act: SpeechAct, pack: Pack, names: Sequence[str]) -> str:
    people = " and ".join(names[seat - 1] for seat in act.targets) or "nobody by name"
    if act.kind == "claim":
        return f"claims to be {pack.one(act.role)}"
    if act.kind == "report":
        return f"reports that {people} is {pack.answer_text(act.result)}"
    role = pack.one(act.role) if act.role else "somebody"
    return PHRASE_BY_KIND.get(act.kind, act.kind).format(role=role, names=people)


def _find_unfit_words(text: str) -> str:
    """Return the reason why no player may say this, as a sentence, "" if one may."""
    if PROGRAM.search(text) or INSTRUCTIONS.search(text):
        return "It speaks of a program or its instructions, and players are people at a table."
    if MARKS.search(text) or has_reasoning(text):
        return "It has marks of a template, or thoughts that are not spoken."
    matches = (match.matched_text for match in find_matches(text))
    if word := next((match for match in matches if any(map(str.isalpha, match))), ""):
        return f"It has a swear word or a slur (“{word}”): choose another word."
    return ""


if __name__ == "__main__":
    main()
