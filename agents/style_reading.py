"""Checks of a style that the owner of a table wrote: what its lines mean, and unsuitable text.

`python -m agents.style_reading` runs them in a process of its own, so that a web process need not
load the understanding. Its input is {"ruleset": name, "styles": [TOML text, …], "backend": name, if
any}, its output {"readings": the `LineReading`s of each style, "statement": as
`request_statement` returns it for the first style, {} without a backend}.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from pyobscenity import find_matches

from agents.decision import BackendError
from agents.faculties.guard import fill_slots
from agents.llm.unspoken_text import LEAKS, has_reasoning
from agents.packs import Pack, pack_of
from agents.personas.big_five import Persona
from agents.personas.own_style import OwnStyle, parse_own_style
from agents.personas.styles import LINE_KEYS, PLAIN, LineKey, Style, styles
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import statement_acts
from game.engine import rulesets
from game.engine.ruleset import Ruleset

SPEAKER, TARGET = 1, 2  # seats of the speaker and of the player whom a line is about
# Kind of speech act -> its meaning as a predicate of the speaker.
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
# Speech acts that reveal no role, result or vote of the speaker: any line may have them.
HARMLESS_KINDS = ("question", "propose", "unread")


@dataclass(frozen=True)
class LineReading:
    """The reading of one line."""

    key: str  # the line's situation, or the key of another text of the style
    text: str  # the line with example names in its slots
    understood: str  # the line's meaning to the agents, as a phrase
    fault: str = ""  # why the line cannot be used, as a sentence, "" if it can


def read_style(style: OwnStyle, ruleset: Ruleset) -> list[LineReading]:
    """Return the readings of the fourteen lines, and of those other texts that cannot be used."""
    readings = [read_line(style.style, key, ruleset) for key in LINE_KEYS]
    character = style.character
    other_texts = {
        "name": (character.name,),
        "first_person": (character.first_person,),
        "habits": character.habits,
        "examples": character.examples,
    }
    for key, texts in other_texts.items():
        for text in texts:
            if fault := _find_unsuitable_text(text):
                readings.append(LineReading(key, text, "", fault))
    return readings


def read_line(style: Style, key: LineKey, ruleset: Ruleset) -> LineReading:
    """Return the reading of one line.

    The line must have the meaning of the situation's plain line. It is read as an accusation and as
    its opposite. The reading that cannot be used is returned.
    """
    readings = [
        _read_variant(style, key, ruleset, is_accusation) for is_accusation in (True, False)
    ]
    return next((reading for reading in readings if reading.fault), readings[0])


def _read_variant(style: Style, key: LineKey, ruleset: Ruleset, is_accusation: bool) -> LineReading:
    pack, names = pack_of(ruleset), tuple(ruleset.table_names)
    text, acts = _fill_and_parse(style, key, ruleset, is_accusation)
    _plain_text, plain_acts = _fill_and_parse(styles()[PLAIN], key, ruleset, is_accusation)
    understood, expected = (_describe_acts(a, pack, names) for a in (acts, plain_acts))
    fault = _find_unsuitable_text(text)
    extra_facts = _facts(acts) - _facts(plain_acts)
    if _facts(plain_acts) - _facts(acts) or any(k not in HARMLESS_KINDS for k, *_ in extra_facts):
        fault = f"It is understood as “{understood}”, and has to mean “{expected}”."
    return LineReading(key, text, understood, fault)


def request_statement(text: str, backend: str) -> dict[str, str]:
    """Return a model's first statement in a game, {"text": …}, or {"trouble": cause}."""
    from agents.backends import UnknownBackend, get
    from agents.backends.trial import CHECK_TIMEOUT_S, first_statement_request
    from agents.model_catalog import InvalidCatalog

    request = first_statement_request()
    decision = replace(request.decision, persona=Persona.of_style(text))
    try:
        reply = get(backend).reply("style", replace(request, decision=decision), CHECK_TIMEOUT_S)
    except BackendError as error:
        return {"trouble": error.cause}
    except (InvalidCatalog, UnknownBackend):
        return {"trouble": "unknown"}
    return {"text": str(reply["text"])}


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    ruleset, texts = rulesets.get(request["ruleset"]), request["styles"]
    own_styles = map(parse_own_style, texts)
    readings = [[asdict(line) for line in read_style(own, ruleset)] for own in own_styles]
    backend = request.get("backend")
    statement = request_statement(texts[0], backend) if backend else {}
    json.dump({"readings": readings, "statement": statement}, sys.stdout)


def _fill_and_parse(
    style: Style, key: LineKey, ruleset: Ruleset, is_accusation: bool
) -> tuple[str, tuple[SpeechAct, ...]]:
    """Return a line with example names, and its speech acts."""
    pack, names = pack_of(ruleset), tuple(ruleset.table_names)
    phases = ruleset.wording.phases
    talk = next((name for name, phase in phases.items() if phase.is_talk), "")
    text = fill_slots(
        style, key, pack, names[TARGET - 1], has_mentions=False, is_accusation=is_accusation
    )
    return text, statement_acts(text, SPEAKER, names, 0, pack, talk)


def _facts(acts: Sequence[SpeechAct]) -> set[tuple[str, str, tuple[int, ...], str]]:
    """Return the (kind, role, targets, value) of each act."""
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


def _find_unsuitable_text(text: str) -> str:
    """Return why no player may say `text`, as a sentence, "" if players may say it."""
    if LEAKS.program.search(text) or LEAKS.instructions.search(text):
        return "It speaks of a program or its instructions, and players are people at a table."
    if LEAKS.marks.search(text) or has_reasoning(text):
        return "It has marks of a template, or thoughts that are not spoken."
    matches = (match.matched_text for match in find_matches(text))
    if word := next((match for match in matches if any(map(str.isalpha, match))), ""):
        return f"It has a swear word or a slur (“{word}”): choose another word."
    return ""


if __name__ == "__main__":
    main()
