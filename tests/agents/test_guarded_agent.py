"""The guarded agent: its statements, its model's prompts and its votes (Guarded 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.decision import BackendError, Decision, Note, Request
from agents.llm.prompting import build_messages
from agents.personas.big_five import Persona
from agents.recipe import WEAKER, Recipe
from tests.agents.table import scripted_ask
from tests.agents.village import (
    GUARDED,
    SEER,
    deal,
    divination,
    guarded_scene,
    note,
    statement_events,
    talk,
    think_guarded,
)

ACCUSED = (2, SEER.format("Arlo", "Arlo", "a Werewolf"))  # Arlo has seat 1


def test_accused_werewolf_counters_without_a_model_request() -> None:
    ask, steps = scripted_ask()
    events = [*deal("werewolf", 1, (8, 9)), *talk(1, ACCUSED)]
    recipe = replace(GUARDED, persona=Persona.of_character("fisherman"))
    answer = think_guarded(guarded_scene(events), ask, recipe).answer
    assert answer.labels == ("template:counter",)
    assert answer.action.text.startswith("Och, what a tale! I am the Seer")
    assert "I looked at Bram, and Bram is a Werewolf." in answer.action.text
    assert steps == []


def test_werewolf_model_is_prompted_as_a_villager() -> None:
    requests: list[Request] = []

    def ask(step: str, request: Request) -> dict[str, Any]:
        requests.append(request)
        return {"text": "Good day to you."}

    partners = [*deal("werewolf", 1, (8, 9)), *talk(1, (2, "Good morning."))]
    answer = think_guarded(guarded_scene(partners), ask).answer
    assert (answer.action.text, answer.labels) == ("Good day to you.", ())
    system, user = (m["content"] for m in build_messages(requests[0])[0])
    assert "You are a Villager" in system
    assert "You are a Werewolf" not in system + user
    assert "Hugo and Iris" not in system
    think_guarded(guarded_scene(partners, faculties=frozenset()), ask, Recipe("m", "vanilla"))
    assert "You are a Werewolf" in build_messages(requests[1])[0][0]["content"]


def test_failed_model_falls_back_to_weaker_model_or_waiting_line() -> None:
    decision = guarded_scene([*deal("villager", 1), *talk(1, (2, "Good morning."))])
    failure = BackendError("unreachable")
    ask, steps = scripted_ask(failure, failure)
    answer = think_guarded(decision, ask).answer
    assert answer.labels == ("template:waiting", "fallback:unreachable")
    assert answer.action.text == "I need a moment to think. Go on without me."
    ask, steps = scripted_ask(failure, failure, {"text": "Morning, Bram."})
    answer = think_guarded(decision, ask, replace(GUARDED, backends={WEAKER: "small"})).answer
    assert (answer.action.text, answer.labels) == ("Morning, Bram.", ())
    assert steps == ["answer/first", "answer/repair", "weaker/first"]


def test_vote_follows_the_announcement_or_is_random_without_request() -> None:
    ask, steps = scripted_ask()
    events = [*deal("villager", 1), *talk(1, (1, "I will vote for Ezra."))]
    assert think_guarded(guarded_scene(events, "vote"), ask).answer.action.targets == (5,)
    silent = [*deal("villager", 1), *talk(1, (1, "I suspect Ezra."))]
    targets = {
        think_guarded(guarded_scene(silent, "vote", seed=str(n)), ask).answer.action.targets
        for n in range(40)
    }
    assert len(targets) > 5
    assert steps == []


def test_agent_says_over_after_its_closing() -> None:
    events = [*deal("villager", 1), *talk(1, (2, "Good morning."))]
    closed = note("guarding", day=1, line="closing_first", target=0, addressed=False)
    ask, _steps = scripted_ask()
    answer = think_guarded(guarded_scene(events, notes=[closed]), ask).answer
    assert answer.action.kind in ("over", "say")
    assert answer.action.kind == "over" or answer.labels == ("template:over",)


def test_player_asked_for_a_vote_counts_as_decided() -> None:
    announcements = [(s, f"I will vote for {'Ezra' if s != 5 else 'Finn'}.") for s in range(3, 14)]
    events = [*deal("villager", 1), *talk(1, *announcements)]
    decision = guarded_scene(events)
    assert guard_note(decision)["U"] == 2, "Bram and the agent itself"
    inquiry_note = note("guarding", day=1, line="inquiry", target=2, addressed=False)
    assert guard_note(guarded_scene(events, notes=[inquiry_note]))["U"] == 1


def guard_note(decision: Decision) -> dict[str, Any]:
    ask, _steps = scripted_ask({"text": "Hm."})
    (guarding_note,) = (n for n in think_guarded(decision, ask).notes if n.faculty == "guarding")
    return guarding_note.data


def test_seer_reports_its_newest_look_first() -> None:
    events = [*deal("seer", 1), divination(1, 3, "werewolf"), *talk(1, (2, "Good morning."))]
    ask, _steps = scripted_ask()
    answer = think_guarded(guarded_scene(events), ask).answer
    assert answer.action.text == "I am the Seer. I looked at Cleo, and Cleo is a Werewolf."
    assert answer.labels == ("template:report",)


def test_model_reads_claims_and_votes_in_two_requests() -> None:
    """The model reads what the rule cannot. Both readings are stored."""
    events = [*deal("werewolf", 1, (8, 9)), *talk(1, (2, "Guess who I am, and what Arlo is!"))]
    decision = guarded_scene(events)
    number = decision.view.turns[-1].number
    ask, steps = scripted_ask(
        {"claims": [{"turn": number, "role": "seer", "targets": [1], "result": "werewolf"}]},
        {"votes": [{"turn": number, "role": "", "targets": [1], "result": ""}]},
    )
    recipe = replace(GUARDED, switches={"analysis": "model"})
    result = think_guarded(decision, ask, recipe)
    assert steps == [f"claims/{number}/first", f"votes/{number}/first"]
    assert result.answer.labels == ("template:counter",)
    notes = {n.faculty: n for n in result.notes}
    assert notes["guarding"].data["S"] == 1
    assert notes["analysis"].data["rule"] == {str(number): []}
    assert len(notes["analysis"].data["model"][str(number)]) == 2


def test_failed_analysis_falls_back_to_the_rule() -> None:
    failure = BackendError("unreachable")
    ask, _steps = scripted_ask(failure, failure, failure, failure, {"text": "Hm."})
    events = [*deal("werewolf", 1), *talk(1, ACCUSED), *statement_events(3, "Oh.", "later")]
    result = think_guarded(
        guarded_scene(events), ask, replace(GUARDED, switches={"analysis": "model"})
    )
    assert result.answer.labels[0] == "template:counter"
    assert any("failed" in n.data for n in result.notes if isinstance(n, Note))


def test_draft_without_required_vote_is_repaired_once() -> None:
    """Takes place in the second of four talks of day 1."""
    decision = guarded_scene([*deal("villager", 1), *talk(1, (1, "Hm."), (2, "Good morning."))])
    ask, steps = scripted_ask({"text": "I wonder."}, {"text": "I will vote for Ezra."})
    answer = think_guarded(decision, ask).answer
    assert (answer.action.text, answer.labels) == ("I will vote for Ezra.", ("repaired",))
    ask, steps = scripted_ask({"text": "I wonder."}, {"text": "I still wonder."})
    assert think_guarded(decision, ask).answer.action.text == "I still wonder."
    assert steps == ["answer/first", "answer/repair"]
