"""What a window asks of a model, by the form of the answer: the fields of its template."""

from __future__ import annotations

from agents.model import sections
from agents.model.quoting import listed
from agents.model.telling import EVERYONE, UNSURE, asked, hearers, option, seen
from agents.model.transcript import when
from agents.scene import Scene
from game.engine.events import PUBLIC, RECORD
from game.engine.forms import PASSES, Option, Pick, Ratings, Speech
from game.engine.ruleset import role_of

FIELDS = (
    *("opening", "words", "address", "to"),
    *("options", "number", "unread", "wanted", "marks"),
    *("rated", "roles", "least", "most"),
)
SPEAKS = "no"  # of `pass`: the statement counts
PASS_TOLD = {
    "skip": "you say nothing this time",
    "over": "you have nothing more to say, and are not asked again in this talk",
}
UNREAD = " that nobody else will read"


def fields(scene: Scene) -> dict[str, str]:
    """What the template of the window's form holds of the question; "" for another form's."""
    found = dict.fromkeys(FIELDS, "")
    match scene.window.legal:
        case Speech() as legal:
            found |= _speech(scene, legal)
        case Pick() as legal:
            found |= _pick(scene, legal)
        case Ratings() as legal:
            found |= _ratings(scene, legal)
    return found


def _speech(scene: Scene, legal: Speech) -> dict[str, str]:
    rounds = f" of {scene.ruleset.rounds}" if scene.ruleset.rounds else ""
    turn = f"It is your turn to speak, {when(scene.ruleset, scene.began)}{rounds}."
    parts = (asked(scene).prompt or turn, sections.order(scene), hearers(scene))
    found = {"opening": _joined(*parts), "words": str(legal.max_words), "address": "", "to": ""}
    if to := legal.options_for(scene.seat):
        said = f' You may turn to one of them: name in "to" one of {_named(to, scene)}, or'
        found |= {"address": f'{said} "{EVERYONE}".', "to": ', "to": "…"'}
    if ways := passes(legal):
        told = " ".join(f'"{key}": {PASS_TOLD[key]}.' for key in ways)
        found["address"] += f' Instead of words you may pass. "pass" is "{SPEAKS}", or {told}'
        found["to"] += f', "pass": "{SPEAKS}"'
    return found


def passes(legal: Speech) -> list[str]:
    """The ways in which one may pass instead of speaking."""
    may = {"skip": legal.may_skip, "over": legal.may_over}
    return [key for key in PASSES if may[key]]


def _pick(scene: Scene, legal: Pick) -> dict[str, str]:
    options, several = legal.options_for(scene.seat), legal.count > 1
    nobody = " You may also choose nobody." if legal.may_abstain else ""
    players = all(isinstance(o, int) for o in options)
    what = "name" if players else "choice"
    marks = ", ".join(['"…"'] * legal.count)
    open_ballot = asked(scene).ballot and scene.window.hears == PUBLIC
    who_sees = "" if open_ballot else seen(scene)  # a vote's question says it itself
    return {
        "opening": _joined(who_sees, asked(scene).prompt or "Make your choice."),
        "options": f"{_named(options, scene)}.{nobody}",
        "number": str(legal.count) if several else "one",
        "unread": "" if scene.window.hears == RECORD else UNREAD,
        "wanted": f"{legal.count} {what}s" if several else f"the {what}",
        "marks": f'"choices": [{marks}]' if several else '"choice": "…"',
    }


def _ratings(scene: Scene, legal: Ratings) -> dict[str, str]:
    roles = [role_of(scene.ruleset, key).name for key in legal.roles]
    return {
        "opening": _joined(seen(scene), asked(scene).prompt),
        "options": f"{_named(legal.options_for(scene.seat), scene)}.",
        "rated": sections.rated(scene),
        "roles": ", ".join([*roles, UNSURE]),
        "least": str(legal.least),
        "most": str(legal.most),
    }


def _named(options: tuple[Option, ...], scene: Scene) -> str:
    """The options as a sentence lists them."""
    seats = [o for o in options if isinstance(o, int)]
    words = [option(o, scene) for o in options if not isinstance(o, int)]
    return ", ".join([*([listed(seats, scene)] if seats else []), *words])


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
