"""The guarded agent: what is spoken, what its model is told, and how it votes (Guarded 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from agents.decision import BackendError, Decision, Request
from agents.llm.prompting import messages
from agents.mind import Note
from agents.personas.big_five import Persona
from agents.recipe import METHODS, WEAKER, Recipe
from agents.think import Thought, think
from game.engine.events import Event
from tests.agents.table import asking
from tests.agents.village import SEER, before, dealt, divined, note, says, talk

GUARDED = Recipe("m", "guarded")
ACCUSED = (2, SEER.format("Arlo", "Arlo", "a Werewolf"))  # Arlo has seat 1


def scene(events: Sequence[Event], kind: str = "statement", **more: Any) -> Decision:
    more.setdefault("faculties", frozenset(METHODS["guarded"].faculties))
    return before(events, 1, kind, context="whole", **more)


def thought(decision: Decision, ask: Callable[..., Any], recipe: Recipe = GUARDED) -> Thought:
    return think(recipe, decision, ask)


def test_a_werewolf_that_is_found_counters_without_asking_its_model() -> None:
    ask, steps = asking()
    events = [*dealt("werewolf", 1, (8, 9)), *talk(1, ACCUSED)]
    recipe = replace(GUARDED, persona=Persona.of_character("fisherman"))
    answer = thought(scene(events), ask, recipe).answer
    assert answer.labels == ("template:counter",)
    assert answer.action.text.startswith("Och, what a tale! I am the Seer")
    assert "I looked at Bram, and Bram is a Werewolf." in answer.action.text
    assert steps == []


def test_a_werewolfs_model_is_told_that_it_is_a_villager() -> None:
    asked: list[Request] = []

    def ask(step: str, request: Request) -> dict[str, Any]:
        asked.append(request)
        return {"text": "Good day to you."}

    partners = [*dealt("werewolf", 1, (8, 9)), *talk(1, (2, "Good morning."))]
    answer = thought(scene(partners), ask).answer
    assert (answer.action.text, answer.labels) == ("Good day to you.", ())
    system, user = (m["content"] for m in messages(asked[0])[0])
    assert "You are a Villager" in system
    assert "You are a Werewolf" not in system + user
    assert "Hugo and Iris" not in system
    thought(scene(partners, faculties=frozenset()), ask, Recipe("m", "vanilla"))
    assert "You are a Werewolf" in messages(asked[1])[0][0]["content"]


def test_a_model_that_fails_is_followed_by_a_weaker_one_and_by_the_waiting_line() -> None:
    scene_now = scene([*dealt("villager", 1), *talk(1, (2, "Good morning."))])
    lost = BackendError("unreachable")
    ask, steps = asking(lost, lost)
    answer = thought(scene_now, ask).answer
    assert answer.labels == ("template:waiting", "fallback:unreachable")
    assert answer.action.text == "I need a moment to think. Go on without me."
    ask, steps = asking(lost, lost, {"text": "Morning, Bram."})
    answer = thought(scene_now, ask, replace(GUARDED, backends={WEAKER: "small"})).answer
    assert (answer.action.text, answer.labels) == ("Morning, Bram.", ())
    assert steps == ["answer/first", "answer/repair", "weaker/first"]


def test_it_votes_as_it_announced_else_at_random_and_asks_nothing() -> None:
    ask, steps = asking()
    events = [*dealt("villager", 1), *talk(1, (1, "I will vote for Ezra."))]
    assert thought(scene(events, "vote"), ask).answer.action.targets == (5,)
    silent = [*dealt("villager", 1), *talk(1, (1, "I suspect Ezra."))]
    drawn = {
        thought(scene(silent, "vote", seed=str(n)), ask).answer.action.targets for n in range(40)
    }
    assert len(drawn) > 5
    assert steps == []


def test_after_the_closing_it_says_over() -> None:
    events = [*dealt("villager", 1), *talk(1, (2, "Good morning."))]
    closed = note("guarding", day=1, line="closing_first", target=0, addressed=False)
    ask, _steps = asking()
    answer = thought(scene(events, notes=[closed]), ask).answer
    assert answer.action.kind in ("over", "say")
    assert answer.action.kind == "over" or answer.labels == ("template:over",)


def test_whoever_was_asked_for_a_vote_counts_as_decided() -> None:
    said = [(s, f"I will vote for {'Ezra' if s != 5 else 'Finn'}.") for s in range(3, 14)]
    events = [*dealt("villager", 1), *talk(1, *said)]
    decision = scene(events)
    assert guard_note(decision)["U"] == 2, "Bram and the agent itself"
    asked = note("guarding", day=1, line="inquiry", target=2, addressed=False)
    assert guard_note(scene(events, notes=[asked]))["U"] == 1


def guard_note(decision: Decision) -> dict[str, Any]:
    ask, _steps = asking({"text": "Hm."})
    (made,) = (n for n in thought(decision, ask).notes if n.faculty == "guarding")
    return made.data


def test_it_reports_its_newest_look_first() -> None:
    events = [*dealt("seer", 1), divined(1, 3, "werewolf"), *talk(1, (2, "Good morning."))]
    ask, _steps = asking()
    answer = thought(scene(events), ask).answer
    assert answer.action.text == "I am the Seer. I looked at Cleo, and Cleo is a Werewolf."
    assert answer.labels == ("template:report",)


def test_a_model_reads_votes_and_results_in_two_requests() -> None:
    """What the rule can't read, the model's reading says; both are stored with their agreement."""
    events = [*dealt("werewolf", 1, (8, 9)), *talk(1, (2, "Guess who I am, and what Arlo is!"))]
    decision = scene(events)
    number = decision.view.turns[-1].number
    ask, steps = asking(
        {"claims": [{"turn": number, "role": "seer", "targets": [1], "result": "werewolf"}]},
        {"votes": [{"turn": number, "role": "", "targets": [1], "result": ""}]},
    )
    recipe = replace(GUARDED, switches={"analysis": "model"})
    made = thought(decision, ask, recipe)
    assert steps == [f"claims/{number}/first", f"votes/{number}/first"]
    assert made.answer.labels == ("template:counter",)
    notes = {n.faculty: n for n in made.notes}
    assert notes["guarding"].data["S"] == 1
    assert notes["analysis"].data["rule"] == {str(number): []}
    assert len(notes["analysis"].data["model"][str(number)]) == 2


def test_a_failed_analysis_leaves_the_rules_reading() -> None:
    lost = BackendError("unreachable")
    ask, _steps = asking(lost, lost, lost, lost, {"text": "Hm."})
    events = [*dealt("werewolf", 1), *talk(1, ACCUSED), *says(3, "Oh.", "later")]
    made = thought(scene(events), ask, replace(GUARDED, switches={"analysis": "model"}))
    assert made.answer.labels[0] == "template:counter"
    assert any("failed" in n.data for n in made.notes if isinstance(n, Note))


def test_a_draft_that_has_to_name_a_vote_is_sent_back_once() -> None:
    """In the second of four talks of the first day."""
    decision = scene([*dealt("villager", 1), *talk(1, (1, "Hm."), (2, "Good morning."))])
    ask, steps = asking({"text": "I wonder."}, {"text": "I will vote for Ezra."})
    answer = thought(decision, ask).answer
    assert (answer.action.text, answer.labels) == ("I will vote for Ezra.", ("repaired",))
    ask, steps = asking({"text": "I wonder."}, {"text": "I still wonder."})
    assert thought(decision, ask).answer.action.text == "I still wonder."
    assert steps == ["answer/first", "answer/repair"]
