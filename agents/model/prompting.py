"""A request as messages: the agent's frame first, the same bytes at every turn, then the rest.

Order of the rest: the talk, to which lines are only added; what comes to mind of it; claims and
own story; beliefs, feelings and plan; the question. So a prompt begins as the one before it did,
as far as it can, and a server that keeps prefixes reads only what is new.
"""

from __future__ import annotations

from typing import Any

from agents import claims_table
from agents.faculties.judgement import left
from agents.model import sections
from agents.model.quoting import called, listed
from agents.model.transcript import recalled, talk, when
from agents.prompts import template, version
from agents.scene import Request, Scene
from game.engine.forms import Pick, Speech
from game.engine.roles import Line, Role
from game.engine.ruleset import Ruleset, role_of, team_named, team_of

Messages = list[dict[str, str]]
NAMES = {"statement": "statement", "vote": "vote", "poll": "poll"}
OWN = ("favor", "judgement", "strategy")
KNOWN = " Nobody else is asked about: the rest you know."
QUESTIONS = {"divination": "You look at others to learn whether the Werewolf is among them."}


def template_of(request: Request) -> str:
    """The name of the template a kind of request has."""
    if request.kind in OWN:
        return request.kind
    if isinstance(request.scene.window.legal, Speech):
        return "statement"
    return NAMES.get(request.kind, "choice")


def messages(request: Request, leave_out: int = 0) -> tuple[Messages, str]:
    """(messages, version of their template). leave_out: how many of the oldest turns of the talk
    are not told."""
    name, system = template_of(request), frame(request.scene)
    rows = request.brief.get("memory", {}).get("memory", ())
    fields = {**_fields(request), "talk": "", "memory": ""}
    rest = len(system) + len(template(name).substitute(fields))
    told = talk(request.scene, [row["turn"] for row in rows], rest, leave_out)
    fields |= {"talk": told.text, "memory": recalled(request.scene, told, rows)}
    user = "\n".join(_squeezed(template(name).substitute(fields).strip()))
    found = [{"role": "system", "content": system}, {"role": "user", "content": user}]
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
    """Rules, role, goal, secrets and persona: byte-identical at every turn of one agent's game."""
    view, ruleset = scene.view, scene.ruleset
    return template("frame").substitute(
        name=called(view.name(scene.seat), scene),
        count=len(view.state.seats),
        others=listed(range(1, len(view.state.seats) + 1), scene),
        rules="\n".join(f"{title}: {_told(line)}" for title, line in ruleset.steps)
        + "\n"
        + "\n".join(f"{_capital(t.name)} wins: {t.wins}" for t in ruleset.teams),
        roles="\n".join(_role(ruleset, role) for role in ruleset.roles),
        secrets=_identity(scene) + _known(scene),
        persona=(scene.persona and scene.persona.text()) or "An ordinary person among friends.",
        own="Your own plan and reasons stand between quotation marks too, as you wrote them. "
        if {"favor", "strategy"} & scene.faculties
        else "",
    )


def _capital(text: str) -> str:
    """`text` with its first letter, and no other, changed to a capital."""
    return text[:1].upper() + text[1:]


def _told(line: Line | str) -> str:
    return line.text.format(**line.params) if isinstance(line, Line) else str(line)


def _role(ruleset: Ruleset, role: Role) -> str:
    side = _side(ruleset, role, "its")
    return f"{ruleset.deck.count(role.key)} {role.name}, of {side}: {_told(role.does)}"


def _side(ruleset: Ruleset, role: Role, whose: str) -> str:
    """The name of the role's team; a team of one player has none worth telling."""
    alone = sum(team_of(ruleset, key) == role.team for key in ruleset.deck) == 1
    return f"no team but {whose} own" if alone else team_named(ruleset, role.team).name


def _identity(scene: Scene) -> str:
    role = role_of(scene.ruleset, scene.view.role)
    goal = team_named(scene.ruleset, role.team).goal
    told = f" Your goal: {goal}" if goal else ""
    return f"You are {role.name}, of {_side(scene.ruleset, role, 'your')}.{told}"


def _known(scene: Scene) -> str:
    """What was dealt before anybody spoke; what is learned later stands with the talk."""
    view, told = scene.view, []
    for event in view.events:
        if event.kind == "acquainted":
            others = listed((s for s in event["seats"] if s != scene.seat), scene)
            told.append(f" You know the other {event['role'].title()}: {others}.")
    return "".join(told)


def _fields(request: Request) -> dict[str, Any]:
    """Everything a template may hold but the talk."""
    scene, brief = request.scene, request.brief
    strategy = brief.get("strategy", {})
    steps = claims_table.steps_of(scene.view, scene.ruleset)
    state = scene.view.state
    options = [o for o in scene.window.options_for(scene.seat) if isinstance(o, int)]
    legal = scene.window.legal
    may_abstain, count = (legal.may_abstain, legal.count) if isinstance(legal, Pick) else (False, 1)
    abstain = " You may also choose nobody." if may_abstain else ""
    return {
        "claims": sections.claims(scene, steps),
        "story": sections.story(scene, steps),
        "list": sections.judged(scene, strategy.get("list", {})),
        "favor": sections.favor(scene, brief.get("favor", {})),
        "plan": sections.plan(scene, strategy),
        "ways": "\n".join(f"- {way}" for way in strategy.get("ways", ())),
        "aim": sections.aim(scene),
        "order": sections.order(scene),
        "now": when(scene.ruleset, scene.began),
        "before": when(scene.ruleset, state.rounds[-2] if scene.round > 1 else scene.began),
        "rounds": f" of {scene.ruleset.rounds}" if scene.ruleset.rounds else "",
        "words": legal.max_words if isinstance(legal, Speech) else 0,
        "options": f"{listed(options, scene)}.{abstain}",
        "number": count,
        "question": QUESTIONS.get(scene.window.kind, "Make your choice."),
        "others": listed((s for s in range(1, len(state.seats) + 1) if s != scene.seat), scene),
        "unsure": listed(sections.unsure(scene), scene),
        "marks": ", ".join(['"…"'] * count),
        "shares": ", ".join(f'"{role}": …' for role in left(scene)),
        "left": sections.deck_left(scene),
        "known": " Nobody else is asked about: the rest you know."
        if sections.certain(scene)
        else "",
    }
