"""A request as messages: the agent's frame first, the same bytes at every turn, then the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.faculties.memory import heard
from agents.model.quoting import quoted
from agents.prompts import template, version
from agents.scene import Request, Scene
from game.engine.events import Event
from game.engine.roles import Line, Ruleset, role_of, team_of

Messages = list[dict[str, str]]
FEELINGS = {
    1: "loathe deeply",
    2: "dislike",
    3: "are neutral toward",
    4: "appreciate",
    5: "are devoted to",
}
NAMES = {"statement": "statement", "vote": "vote", "poll": "poll"}
OWN = ("favor", "judgement", "strategy")


def template_of(request: Request) -> str:
    """The name of the template a kind of request has."""
    if request.kind in OWN:
        return request.kind
    if request.scene.window.legal.form == "speech":
        return "statement"
    return NAMES.get(request.kind, "choice")


def messages(request: Request, leave_out: int = 0) -> tuple[Messages, str]:
    """(messages, version of their template), without the oldest `leave_out` lines of talk."""
    name = template_of(request)
    user = template(name).substitute(_fields(request, name, leave_out)).strip()
    user = "\n".join(line for line in _squeezed(user))
    found = [{"role": "system", "content": frame(request.scene)}, {"role": "user", "content": user}]
    if refused := request.brief.get("refused"):
        if said := request.brief.get("answered"):
            found.append({"role": "assistant", "content": str(said)})
        why = template("repair").substitute(why=refused).strip()
        found.append({"role": "user", "content": why})
    return found, version(name)


def _squeezed(text: str) -> list[str]:
    """Lines with no two empty ones in a row: parts that say nothing leave no gap."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return lines


def frame(scene: Scene) -> str:
    """Rules, role, secrets and persona: byte-identical at every turn of one agent's game."""
    view, ruleset = scene.view, scene.ruleset
    own = view.name(scene.seat)
    role = role_of(ruleset, view.role)
    persona = scene.persona.text() if scene.persona else "An ordinary person at a table of friends."
    return template("frame").substitute(
        name=own,
        count=len(view.state.seats),
        others=", ".join(view.state.seats),
        rules="\n".join(f"{title}: {_told(line)}" for title, line in ruleset.steps)
        + "\n"
        + "\n".join(f"{t.name.capitalize()} wins: {t.wins}" for t in ruleset.teams),
        roles="\n".join(
            f"{ruleset.deck.count(r.key)} {r.name} ({r.team}): {_told(r.does)}"
            for r in ruleset.roles
        ),
        secrets=f"You are {role.name}, of {_team(ruleset, view.role)}." + _known(scene),
        persona=persona,
    )


def _team(ruleset: Ruleset, role: str) -> str:
    key = team_of(ruleset, role)
    return next(t.name for t in ruleset.teams if t.key == key)


def _told(line: Line | str) -> str:
    return line.text.format(**line.params) if isinstance(line, Line) else str(line)


def _known(scene: Scene) -> str:
    """What was dealt before anybody spoke; what is learned later stands with the talk."""
    view, told = scene.view, []
    for event in view.events:
        if event.kind == "acquainted":
            names = [view.name(s) for s in event["seats"] if s != scene.seat]
            told.append(f" You know the other {event['role'].title()}: {', '.join(names)}.")
    return "".join(told)


def _fields(request: Request, name: str, leave_out: int = 0) -> dict[str, Any]:
    scene, brief = request.scene, request.brief
    view = scene.view
    legal = scene.window.legal
    options = [view.name(o) for o in scene.window.options_for(scene.seat) if isinstance(o, int)]
    return {
        "talk": talk(scene, leave_out),
        "memory": _memory(scene, brief.get("memory", {})),
        "favor": _favor(scene, brief.get("favor", {})),
        "plan": _plan(brief.get("strategy", {})),
        "list": _list(scene, brief.get("strategy", {}).get("list", {})),
        "ways": "\n".join(f"- {way}" for way in brief.get("strategy", {}).get("ways", ())),
        "round": view.state.round,
        "before": view.state.round - 1,
        "rounds": scene.ruleset.rounds or "several",
        "words": legal.max_words,
        "options": ", ".join(options),
        "number": legal.count,
        "question": QUESTIONS.get(scene.window.kind, "Make your choice."),
    }


QUESTIONS = {"divination": "You look at others to learn whether the Werewolf is among them."}


def talk(scene: Scene, leave_out: int = 0) -> str:
    """What happened so far, as this seat saw it: numbered lines, words between quotation marks.

    Without the oldest `leave_out` lines of talk; what only this seat was told stays.
    """
    view, lines = scene.view, []
    if leave_out:
        lines.append(f"(The first {leave_out} turns of the talk are left out.)")
    for event in without_oldest(view.events, leave_out):
        match event.kind:
            case "phase_opened":
                lines.append(f"-- {_phase(event.data)}")
            case "statement" if event.audience.kind == "public":
                said = event.data.get("text")
                words = f"says {quoted(said)}" if said else "says nothing."
                lines.append(f"{view.name(event['seat'])} {words}")
            case "divined":
                lines.append(_divined(scene, event.data))
            case "out":
                lines.append(f"{view.name(event['seat'])} is out.")
    return "WHAT HAPPENED SO FAR\n" + ("\n".join(lines) or "Nothing yet.")


def without_oldest(events: Sequence[Event], leave_out: int) -> Iterator[Event]:
    """The events without the first so many public statements."""
    for event in events:
        if leave_out and event.kind == "statement" and event.audience.kind == "public":
            leave_out -= 1
        else:
            yield event


def _phase(data: Mapping[str, Any]) -> str:
    if data["phase"] == "talk":
        return f"Day {data['day']}, round {data['round']} of talk"
    return f"{str(data['phase']).capitalize()} {data['day']}"


def _divined(scene: Scene, data: Mapping[str, Any]) -> str:
    names = " and ".join(scene.view.name(s) for s in data["targets"])
    among = "is" if data.get("found") else "is not"
    return f"Only you know: you looked at {names}; the Werewolf {among} among them."


def _memory(scene: Scene, brief: Mapping[str, Any]) -> str:
    rows = brief.get("memory", ())
    if not rows:
        return ""
    told = [f"{scene.view.name(r['speaker'])}: {quoted(r['text'])}" for r in rows]
    return "WHAT COMES BACK TO YOUR MIND\n" + "\n".join(told)


def _favor(scene: Scene, brief: Mapping[str, Any]) -> str:
    levels: Mapping[str, int] = brief.get("levels", {})
    if not levels:
        return ""
    told = [f"You {FEELINGS[level]} {scene.view.name(int(s))}." for s, level in levels.items()]
    return "HOW YOU FEEL\n" + "\n".join(told)


def _plan(brief: Mapping[str, Any]) -> str:
    return f"YOUR PLAN\n{brief['plan']}\n" if brief.get("plan") else ""


def _list(scene: Scene, rows: Mapping[str, Mapping[str, str]]) -> str:
    if not rows:
        return ""
    told = [
        f"{scene.view.name(int(s))}: most likely {row['role'].title()}, your {row['side']}."
        for s, row in rows.items()
    ]
    return "WHAT YOU MAKE OF THE OTHERS\n" + "\n".join(told)


def spoken(scene: Scene) -> list[str]:
    """The others' words, as they were said."""
    return [m.text for m in heard(scene) if m.speaker != scene.seat]
