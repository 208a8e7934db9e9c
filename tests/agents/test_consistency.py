"""House players do not contradict their claims, looks, partners and denials.

This file plays a few games; `python -m tests.bench consistency` plays two hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.understanding.speech_acts import SpeechAct
from game.engine.forms import pick
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import NAMES, ONE_NIGHT, PlayedGame, play, understand

GAMES = 5


@dataclass
class Story:
    """Claims of one player about itself so far."""

    role: str = ""
    report: SpeechAct | None = None
    partner: tuple[int, ...] = ()
    denied: set[str] = field(default_factory=set)


def find_contradictions(story: Story, acts: tuple[SpeechAct, ...]) -> Iterator[str]:
    """Yield the contradictions between `acts` and `story`, and update `story`."""
    taken_back = any(a.kind == "retract" for a in acts)
    taken_back |= any(a.kind == "deny" and a.role == story.role for a in acts)
    if taken_back:
        story.role, story.report, story.partner, story.denied = "", None, (), set()
    for act in acts:
        role = {"claim": act.role, "companion": act.role, "report": "seer"}.get(act.kind, "")
        if role and story.role not in ("", role):
            yield f"claims {role} after {story.role}"
        if role and role in story.denied:
            yield f"claims {role} after denying it"
        story.role = role or story.role
        if act.kind == "report":
            if story.report not in (None, act):
                yield f"saw {act.targets} after {story.report}"
            story.report = act
        if act.kind == "companion":
            if story.partner not in ((), act.targets):
                yield f"names {act.targets} after {story.partner}"
            story.partner = act.targets
        if act.kind == "deny":
            story.denied.add(act.role)


def find_errors(game: PlayedGame) -> list[str]:
    """Return statements of `game` that contradict the speaker's claims or knowledge."""
    errors = []
    stories = {seat: Story() for seat in range(1, 9)}
    look = next((e for e in game.log if e.kind == "divined"), None)
    before = 0
    for seat, text in game.statements:
        acts, role = understand(text, seat, NAMES, before), game.roles[seat]
        before = seat
        problems = list(find_contradictions(stories[seat], acts))
        for act in acts:
            if act.kind == "claim" and act.role in ("werewolf", "minion"):
                problems.append(f"gives itself away as {act.role}")
            if role in ("villager", "seer", "mason"):
                if act.kind == "claim" and act.role != role:
                    problems.append(f"an honest {role} claims {act.role}")
                if act.kind == "deny" and act.role == role:
                    problems.append(f"an honest {role} denies it")
            if act.kind == "report" and role == "seer":
                actual = (tuple(look["targets"]), look["found"]) if look else None
                if (act.targets, ONE_NIGHT.accuses(act.result)) != actual:
                    problems.append(f"the Seer saw {actual}")
            if act.kind == "report" and seat in act.targets:
                problems.append("looked at itself")
        cleared = stories[seat].report
        pressed = {t for a in acts if a.strength for t in a.targets}
        if cleared and not ONE_NIGHT.accuses(cleared.result) and pressed & set(cleared.targets):
            problems.append("presses whom it cleared")
        if pressed & set(stories[seat].partner):
            problems.append("presses its partner")
        errors += [f"{NAMES[seat - 1]} ({role}): {w}: {text}" for w in problems]
    return errors


def answer_votes(view: View, window: Window) -> Answer | None:
    """Answer polls and votes without thinking, which saves most of the time."""
    if window.kind not in ("poll", "vote"):
        return None
    return Answer(pick(window.options_for(view.seat)[0]))


def contradictions(number: int) -> list[str]:
    """Return the contradictions of one game of house players without personas."""
    seed = f"consistency/{number}"
    game = play(seed, person=answer_votes, method="baseline")
    assert len(game.statements) == 24
    return [f"{seed}: {error}" for error in find_errors(game)]


def test_house_players_do_not_contradict_themselves() -> None:
    errors = [error for number in range(GAMES) for error in contradictions(number)]
    assert not errors, "\n".join(errors)


def test_contradictions_are_detected() -> None:
    """The detector itself can find errors."""
    for first, second in (
        ("I'm a Villager.", "I'm the Seer."),
        ("I'm the Seer. I checked Gamma and Delta, both are clean.", "I'm a Mason."),
        ("I looked at Gamma and Delta: both are clean.", "I looked at Eta and Zeta: both clean."),
        ("I'm a Mason, my partner is Gamma.", "I'm a Mason, my partner is Delta."),
        ("I'm not a Mason.", "I'm a Mason."),
    ):
        story = Story()
        assert not list(find_contradictions(story, understand(first, 1, NAMES)))
        assert list(find_contradictions(story, understand(second, 1, NAMES))), (first, second)
    story = Story()
    assert not list(find_contradictions(story, understand("I'm a Villager.", 1, NAMES)))
    back = "I take back what I said. I'm the Seer."
    assert not list(find_contradictions(story, understand(back, 1, NAMES)))
