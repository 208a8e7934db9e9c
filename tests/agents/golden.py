"""Golden prompts: requests of whole games with scripted statements and answers, as text.

.venv/bin/python -m tests.agents.golden    # rewrite tests/agents/prompts after a change

The games run from a fixed seed with scripted replies instead of models. A prompt changes only if
prompts, rules or the understanding of statements change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents import contest
from agents.claims.talk_summary import required_lines
from agents.decision import Reply, Request
from agents.faculties.judgement import remaining_roles
from agents.faculties.reliability import rating_form
from agents.llm.prompting import build_messages
from agents.llm.schemas import build_schema
from agents.personas.big_five import Persona
from agents.recipe import Recipe
from agents.reliability_scale import FACULTY as RELIABILITY
from game.engine.forms import Ratings, Speech
from tests.agents.table import play

FOLDER = Path(__file__).parent / "prompts"
PERSONA = Persona({"O": 6, "C": 2, "E": 7, "A": 3, "N": 5}, "golden")
# The statements in turn. {previous} and {next} are the speaker's neighbors.
LINES = (
    "Good morning. I'm a Villager, and I want to hear from {next} first.",
    "I don't trust {previous}: that was no answer.",
    "I'm the Seer. I looked at {next} and {previous}, and one of these two is the Werewolf.",
    "I'll vote for {previous} unless somebody changes my mind.",
    "{next} has been quiet so far. What do you think, {next}?",
    "I believe {previous}, and I have nothing to hide.",
)


@dataclass
class Script:
    """Backend that answers every request by its position in the game and records it."""

    lines: Sequence[str] = LINES
    requests: list[Request] = field(default_factory=list)

    def ask(self, step: str, request: Request) -> Reply:
        self.requests.append(request)
        decision = request.decision
        requested_seats = request.brief.get(RELIABILITY, {}).get("requested_seats")
        ratings = {"ratings": _ratings(request, requested_seats)} if requested_seats else {}
        other_seats = [s for s in decision.view.state.living() if s != decision.seat]
        turns = len(decision.view.turns)
        number = turns + decision.seat
        match request.kind:
            case "favor":
                scores = {str(s): 1 + (s + number) % 10 for s in other_seats}
                return {"scores": scores, "reason": "Some were kinder to me than others."}
            case "judgement":
                roles = sorted(remaining_roles(decision))
                row = {r: 0.1 + 0.2 * n for n, r in enumerate(roles)}
                return {"roles": {str(s): row for s in other_seats}}
            case "strategy":
                return {
                    "plan": f"Press {decision.view.name(other_seats[number % len(other_seats)])}."
                }
            case contest.CHARACTER:
                return {"lines": ["A retired postman of 61.", "Sighs before every answer."]}
            case contest.SUMMARY:
                return {"lines": [line.text for line in required_lines(decision)] or ["Nothing."]}
            case contest.CLAIMS:
                return {"claims": []}
            case contest.VOTES:
                return {"votes": []}
            case contest.GUESS:
                reasons = {str(other_seats[0]): ["The first to claim it."]}
                return {"looker": other_seats[0], "hunted": other_seats[-1], "why": reasons}
        if isinstance(decision.window.legal, Speech):
            seats_by_slot = {"next": other_seats[0], "previous": other_seats[-1]}
            names_by_slot = {word: decision.view.name(seat) for word, seat in seats_by_slot.items()}
            return {
                "text": self.lines[(turns + turns // 8) % len(self.lines)].format(**names_by_slot),
                **ratings,
            }
        if isinstance(decision.window.legal, Ratings):
            return ratings
        options = decision.window.options_for(decision.seat)
        legal = decision.window.pick
        first = number if turns else 0
        targets = [options[(first + n) % len(options)] for n in range(legal.count)]
        return {"targets": targets, **ratings}


def _ratings(request: Request, seats: list[int]) -> dict[str, Any]:
    """Return a role, a confidence, a reason and the last statement as evidence for each seat."""
    decision = request.decision
    roles, cited = (
        rating_form(decision).roles,
        [t.position for t in decision.view.turns if t.text][-1:],
    )
    return {
        str(seat): {
            "role": roles[(seat + len(cited)) % len(roles)],
            "confidence": 5 + seat % 6,
            "reason": f"It is what number {seat} would say.",
            "evidence": cited,
        }
        for seat in seats
    }


@dataclass(frozen=True)
class Game:
    """One game and its golden requests: the first of each kind, and those in `more`.

    An entry of `more` is (kind, number of earlier requests of that kind).
    """

    name: str
    ruleset: str
    recipe: Recipe
    more: tuple[tuple[str, int], ...] = ()
    only: tuple[str, ...] = ()


def _one_night(method: str, *more: tuple[str, int], context: str = "paper", **options: Any) -> Game:
    recipe = Recipe("scripted", method, PERSONA, context=context)
    return Game(f"one-night-{method}", "one-night", recipe, more, **options)


def _helmsman(name: str, *more: tuple[str, int], **switches: Any) -> Game:
    only = switches.pop("only", ())
    return Game(name, "sheriff", Recipe("scripted", "helmsman", switches=switches), more, only)


GAMES = (
    _one_night("baseline", ("statement", 9), ("statement", 20), ("poll", 3)),
    _one_night("b5p", only=("statement",)),
    _one_night("favor", ("favor", 8), ("statement", 20), only=("favor", "statement", "vote")),
    _one_night(
        "strategy", ("strategy", 16), ("statement", 20), only=("judgement", "strategy", "statement")
    ),
    _one_night("full", ("statement", 20), context="whole"),
    Game(
        "sheriff-full",
        "sheriff",
        Recipe("scripted", "full", PERSONA, context="paper"),
        more=(("statement", 12),),
        only=("favor", "statement", "pseudo_vote", "summing_up", "vote"),
    ),
    Game(
        "aiwolf-contest",
        "aiwolf-13",
        Recipe("scripted", "contest", PERSONA, switches={"claims": "both"}),
        # A closing statement, a fake result in a closing statement, claims shared with partners.
        more=(
            *(("summary", 13), ("statement", 54), ("statement", 101), ("whisper", 12)),
            *(("vote", 4), ("vote", 14)),
        ),
    ),
    Game(
        "aiwolf-guarded",
        "aiwolf-5",
        Recipe("scripted", "guarded", switches={"analysis": "both"}),
        more=(("statement", 4),),
        only=("claims", "votes", "statement"),
    ),
    Game(
        "aiwolf-guarded-style",
        "aiwolf-5",
        Recipe("scripted", "guarded", Persona.of_character("mascot", "golden")),
        only=("statement",),
    ),
    _helmsman("sheriff-helmsman", ("attack", 1), ("statement", 8), ("vote", 2)),
    _helmsman(
        "sheriff-helmsman-apart", ("scoring", 20), only=("scoring", "statement"), reasoning="apart"
    ),
)


def requests_of(game: Game) -> Iterator[tuple[str, Request]]:
    """Yield (file name, request) of the golden requests of a game."""
    script = Script()
    persona = game.recipe.persona  # a character sits in every seat
    personas = dict.fromkeys(range(1, 14), persona) if persona and persona.character else None
    play("golden", game.ruleset, recipe=game.recipe, personas=personas, ask=script.ask)
    counts: dict[str, int] = {}
    for request in script.requests:
        number = counts[request.kind] = counts.get(request.kind, -1) + 1
        is_kind_included = not game.only or request.kind in game.only
        if is_kind_included and (number == 0 or (request.kind, number) in game.more):
            yield f"{request.kind}{f'-{number + 1}' if number else ''}", request


def golden_prompts() -> dict[str, str]:
    """Map paths below FOLDER to golden prompts, with one frame per game."""
    prompts: dict[str, str] = {}
    for game in GAMES:
        for name, request in requests_of(game):
            (system, user), _ = build_messages(request)
            prompts.setdefault(f"{game.name}/frame.txt", f"{system['content']}\n")
            fields = ", ".join(_fields(build_schema(request)))
            prompts[f"{game.name}/{name}.txt"] = f"{user['content']}\n\n(answer: {fields})\n"
    return prompts


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the keys of an answer in schema order."""
    for key, part in schema["properties"].items():
        inner = part.get("items", {}).get("properties")
        yield f"{key} [{', '.join(inner)}]" if inner else key


def main() -> None:
    """Rewrite the golden prompts."""
    prompts = golden_prompts()
    for path in FOLDER.rglob("*.txt"):
        if str(path.relative_to(FOLDER)) not in prompts:
            path.unlink()
    for name, text in prompts.items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_text(text, "utf-8")
    print(f"{len(prompts)} golden prompts in {FOLDER}")


if __name__ == "__main__":
    main()
