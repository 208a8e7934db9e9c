"""House players' choices and remarks in scripted moments of the 13-player contest village."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from agents.decision import Decision, Mind
from agents.house.doubt_reasons import build_reasons
from agents.house.doubts import build_doubts
from agents.house.happenings import build_happenings
from agents.house.mindset import Mindset
from agents.house.remark_choice import propose_remarks
from agents.house.remarks import RemarkPlace
from agents.house.replies import answer_demand
from agents.house.seat_choice import guard_chance, prey_score
from agents.packs import pack_of
from agents.understanding.demands import Demand
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, only_seats
from game.engine.forms import speech
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.visibility import view_of
from game.engine.windows import Window
from tests.agents.contest_scene import night, scene, statement_events, talk
from tests.agents.table import ask_house

HUMAN = statement_events(3, "I'm the Medium, and Dara was not a Werewolf.")
WOLF = statement_events(3, "I'm the Medium, and Dara was a Werewolf.")


@pytest.mark.parametrize(("medium_report", "seer", "liar"), [(HUMAN, 2, 1), (WOLF, 1, 2)])
def test_medium_result_decides_between_two_seers(
    medium_report: list[Event], seer: int, liar: int
) -> None:
    believed = Mindset(scene(7, "villager", *medium_report), {}).believed
    assert believed[seer]["seer"] > 1.2 * believed[liar]["seer"]
    guarded = ask_house(scene(7, "bodyguard", *medium_report, kind="guard")).answer.action.targets
    assert guarded in ((3,), (seer,))


def test_werewolves_avoid_guarded_and_falsely_accused_targets() -> None:
    mind = Mindset(scene(7, "werewolf", *HUMAN, kind="attack", mates="Greta Hugo Iris"), {})
    worth = {s: guard_chance(mind, s) for s in mind.others}
    first = max(worth, key=lambda s: worth[s])
    assert first in (2, 3)
    target = ask_house(mind.decision).answer.action.targets[0]
    assert target not in (first, 8, 9)
    lie = statement_events(1, "I'm the Seer. Last night I looked at Jonas: Jonas is a Werewolf.")
    accused = Mindset(scene(7, "werewolf", *HUMAN, *lie, kind="attack", mates="Hugo Iris"), {})
    assert prey_score(accused, 10) < prey_score(accused, 11) - 0.3


def test_werewolves_spare_their_possessed_ally() -> None:
    """Arlo and the Medium are right about Dara, so Bram must be the false Seer."""
    mind = Mindset(scene(7, "werewolf", *WOLF, kind="attack", mates="Dara Hugo"), {})
    assert mind.believed[2]["seer"] > 0.3, "may still be the Seer"
    assert prey_score(mind, 2) < prey_score(mind, 10)


def test_werewolf_changes_target_after_its_own_failed_attack() -> None:
    def attack_target(*night: Event) -> int:
        events = (*HUMAN, *night)
        decision = scene(7, "werewolf", *events, kind="attack", mates="Greta Hugo Iris")
        return ask_house(decision).answer.action.targets[0]

    first = attack_target()
    pick = Event("attack", only_seats(7), {"window": "attack.1.0", "seat": 7, "targets": [first]})
    of_partner = Event(
        "attack", only_seats(7), {"window": "attack.1.0", "seat": 8, "targets": [first]}
    )
    assert attack_target(of_partner) == first
    assert attack_target(pick) != first


def test_bodyguard_claims_villager_when_asked_its_role() -> None:
    question = statement_events(8, "Greta, what's your role?")
    text = ask_house(scene(7, "bodyguard", *HUMAN, *question)).answer.action.text
    assert "Villager" in text
    assert "Bodyguard" not in text


def acts_of(decision: Decision) -> tuple[SpeechAct, ...]:
    """Return the speech acts of the house player's statement."""
    rules = decision.ruleset
    text = ask_house(decision).answer.action.text
    return understand(text, decision.seat, rules.seat_names, 0, pack_of(rules))


def reports(acts: tuple[SpeechAct, ...]) -> set[tuple[int, str]]:
    return {(act.targets[0], act.value) for act in acts if act.kind == "report"}


SEEDS = [f"scene/{number}" for number in range(12)]


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_seer_reports_found_werewolf_and_disbelieves_rival_seers(seed: str) -> None:
    look = Event("divined", only_seats(7), {"seat": 7, "targets": [8], "species": "werewolf"})
    decision = scene(7, "seer", look, *HUMAN, seed=seed)
    acts = acts_of(decision)
    assert reports(acts) == {(8, "werewolf")}
    assert {act.role for act in acts if act.kind == "claim"} <= {"seer"}
    believed = Mindset(decision, {}).believed
    assert believed[1]["seer"] == believed[2]["seer"] == 0


@pytest.mark.parametrize(("role", "rivals"), [("medium", 0), ("seer", 2)])
def test_only_a_claim_to_the_same_role_makes_a_rival(role: str, rivals: int) -> None:
    """Two Seer claims do not contradict a Medium."""
    mind = Mindset(scene(7, role), {})
    doubts = [move for seat in (1, 2) for move in build_reasons(mind, seat)]
    assert sum(move.kind == "doubt_my_rival" for move in doubts) == rivals


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_possessed_fake_seer_reports_one_plausible_new_result(seed: str) -> None:
    acts = acts_of(scene(2, "possessed", *HUMAN, seed=seed))
    ((target, _value),) = reports(acts)
    assert target not in (2, 4, 6), "neither itself, a dead nor an inspected player"
    assert not [act for act in acts if act.kind == "claim" and act.role != "seer"]


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_werewolf_does_not_defend_a_lost_partner(seed: str) -> None:
    lost = statement_events(1, "I'm the Seer. Last night I looked at Hugo: Hugo is a Werewolf.")
    for speaker in (5, 6, 10, 11, 12, 13):
        lost += statement_events(speaker, "I believe Arlo. I'll vote for Hugo.")
    decision = scene(7, "werewolf", *WOLF, *lost, mates="Hugo Iris", seed=seed)
    assert not [a for a in acts_of(decision) if a.kind == "defend" and 8 in a.targets]


def test_at_least_a_third_of_werewolves_vote_for_a_lost_partner() -> None:
    lost = statement_events(1, "I'm the Seer. Last night I looked at Hugo: Hugo is a Werewolf.")
    for speaker in (5, 6, 10, 11, 12, 13):
        lost += statement_events(speaker, "I believe Arlo. I'll vote for Hugo.")
    deals = [
        scene(7, "werewolf", *WOLF, *lost, kind="vote", mates="Hugo Iris", seed=seed)
        for seed in SEEDS
    ]
    votes = [ask_house(deal).answer.action.targets for deal in deals]
    assert votes.count((8,)) >= len(votes) / 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hugo, claiming Medium on the first evening helps only the wolves.", set()),
        ("My Medium story was never a story.", {("retract", "")}),
        ("I never said I'm the Medium.", {("deny", "medium")}),
        ("I am the Werewolf, Ezra. If we both vote Cleo, we win.", {("claim", "werewolf")}),
    ],
)
def test_remarks_about_claims_are_not_read_as_claims(
    text: str, expected: set[tuple[str, str]]
) -> None:
    rules = rulesets.get("aiwolf-13")
    acts = understand(text, 1, rules.seat_names, 0, pack_of(rules))
    assert {(a.kind, a.role) for a in acts if a.kind in ("claim", "deny", "retract")} == expected


def test_denied_claim_does_not_count_as_changed_story() -> None:
    def changed_claimants(*texts: str) -> set[int]:
        spoken = [event for text in texts for event in statement_events(8, text)]
        return {*Mindset(scene(7, "villager", *spoken), {}).dialogue.changed}

    assert changed_claimants("I'm the Medium.", "I'm the Seer.") == {8}
    assert (
        changed_claimants("I'm the Medium.", "I never said I'm the Medium. I'm the Seer.") == set()
    )


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_possessed_joins_a_confessed_werewolf_among_three(seed: str) -> None:
    last = [
        Event("out", PUBLIC, {"seat": seat, "cause": "vote", "day": 1})
        for seat in range(1, 14)
        if seat not in (4, 7, 8, 9)
    ]
    confession = statement_events(
        8, "I am the Werewolf, Greta. If we both vote Iris, the werewolves win."
    )
    acts = acts_of(scene(7, "possessed", *last, *confession, seed=seed))
    assert ("claim", "possessed") in {(act.kind, act.role) for act in acts}
    voting = scene(7, "possessed", *last, *confession, kind="vote", seed=seed)
    assert ask_house(voting).answer.action.targets == (9,)


@pytest.mark.parametrize("seed", "abc")
def test_medium_repeats_its_result_without_explaining_a_choice(seed: str) -> None:
    look = Event("identified", only_seats(3), {"seat": 3, "targets": [4], "species": "human"})
    events = [look, *HUMAN, *statement_events(5, "Cleo, what did you learn about Dara?")]
    text = ask_house(scene(3, "medium", *events, seed=seed)).answer.action.text
    assert "Dara" in text, text
    assert not re.search("promised|looked|look at|picked|wanted to (?:know|be sure)", text), text


@pytest.mark.parametrize(
    "question",
    [
        "Greta, which of the two Seers do you believe, Arlo or Bram?",
        "Greta, do you believe Arlo or Bram?",
        "Greta, which Seer is real, Arlo or Bram?",
    ],
)
def test_villager_believes_one_of_two_rival_seers_when_asked(question: str) -> None:
    moves = propose_remarks(Mindset(scene(7, "villager", *statement_events(5, question)), {}))
    (answer,) = (r for r in moves if r.position == RemarkPlace.ANSWER)
    assert answer.kind == "owed_trust_despite"
    assert answer.names["y"] in (1, 2)


def test_announced_listener_is_not_accused_of_silence() -> None:
    def kinds(text: str) -> set[str]:
        mind = Mindset(scene(7, "villager", *statement_events(5, text)), {})
        mind.target, mind.round = 5, 1
        return {remark.kind for remark in build_doubts(mind)}

    assert "doubt_nothing" in kinds("I have no idea what to make of it.")
    assert "doubt_nothing" not in kinds("I am going to sit back and listen for a bit.")


def test_finished_speaker_gets_no_question() -> None:
    def asked_seats(*events: Event) -> set[int]:
        moves = propose_remarks(Mindset(scene(7, "villager", *events), {}))
        return {sum(r.seats) for r in moves if r.position == RemarkPlace.ASK}

    (first_addressee,) = asked_seats(*statement_events(5, "I'm a Villager."))
    window, spoken, closed = statement_events(first_addressee, "I'm done.")
    over = replace(spoken, data={**spoken.data, "manner": "over", "text": ""})
    assert first_addressee not in asked_seats(
        *statement_events(5, "I'm a Villager."), window, over, closed
    )


def greetings(*statements: tuple[int, str]) -> set[str]:
    """Return the kinds of remarks that Greta and Iris may make on day 0 after `statements`."""
    rules = rulesets.get("aiwolf-13")
    data = {"ruleset": rules.name, "version": 1, "seats": list(rules.seat_names), "settings": {}}
    kinds = set[str]()
    for me, seed in ((7, "a"), (7, "b"), (9, "c"), (9, "d")):
        log = [Event("game_opened", PUBLIC, data), talk(0)]
        log.append(Event("role_dealt", only_seats(me), {"seat": me, "role": "villager"}))
        log += [event for speaker, text in statements for event in statement_events(speaker, text)]
        window = Window(
            "x", "statement", (me,), speech(60), only_seats(me), only_seats(me), fold(log).moment
        )
        log.append(Event("window_opened", only_seats(me), window.to_json()))
        view = view_of(log, visibility.seat(me))
        mind = Mindset(Decision(rules, view, window, Mind(()), SeededRandom(seed)), {})
        moves = propose_remarks(mind)
        kinds |= {r.kind for r in moves}
        kinds |= {"presses" for r in moves if r.position in (RemarkPlace.DOUBT, RemarkPlace.VOTE)}
    return kinds


TALK = ((1, "Hi."), (2, "I suspect Cleo."), (4, "Cleo is the Werewolf."), (3, "I'm a Villager."))


def test_greetings_contain_no_accusation() -> None:
    kinds = greetings(*TALK)
    assert kinds >= {"greet_all", "play_style", "ask_light"}
    assert not kinds & {"presses", "join_in", "rebut_back", "ask_role", "ask_suspect"}
    accused = greetings(*TALK, (5, "Greta and Iris are the Werewolves."))
    assert not accused & {"presses", "join_in", "rebut_back"}


@pytest.mark.parametrize(
    "ground",
    [((5, "I'm the Seer. I looked at Cleo: Cleo is a Werewolf."),), ((3, "I'm the Seer."),)],
    ids=["a result", "two stories"],
)
def test_result_or_second_claim_in_greetings_allows_an_accusation(
    ground: tuple[tuple[int, str], ...],
) -> None:
    assert "presses" in greetings(*TALK, *ground)


@pytest.mark.parametrize(
    "question", ["how do you like to play?", "are you nervous?", "do you keep notes?"]
)
def test_small_talk_question_gets_a_small_talk_answer(question: str) -> None:
    assert {"answer_style", "answer_chat"} & greetings((5, f"Greta, {question}"))


def test_contradictory_results_are_remarked_once() -> None:
    def kinds(*more: Event) -> set[str]:
        return {r.kind for r in propose_remarks(Mindset(scene(7, "villager", *HUMAN, *more), {}))}

    assert "looks_clash" in kinds()
    assert "looks_clash" not in kinds(
        *statement_events(5, "Arlo and Cleo can't both be right about Dara.")
    )


def test_only_actual_results_of_a_killed_seer_are_repeated() -> None:
    def kinds(dead: int, *statements: Event) -> set[str]:
        killed = Event("out", PUBLIC, {"seat": dead, "cause": "attack", "day": 2})
        events = [
            *statements,
            night(2),
            killed,
            talk(3),
            *statement_events(8, "Morning."),
            *statement_events(6, "Hi."),
        ]
        mind = Mindset(scene(7, "villager", *events), {})
        return {r.kind for r in (*build_reasons(mind, 10), *build_happenings(mind))}

    report = statement_events(1, "I looked at Jonas last night: Jonas is a Werewolf.")
    assert "doubt_left_found" in kinds(1, *WOLF, *report)
    assert "night_looker" not in kinds(
        3, *statement_events(3, "I'm the Medium, and I have no result yet.")
    )


def test_exile_confirmed_by_the_medium_is_not_called_a_mistake() -> None:
    mind = Mindset(scene(7, "villager", *WOLF), {})
    assert "exiled_wrong" not in {remark.kind for remark in build_happenings(mind)}


def test_cleared_player_is_not_pressed_and_named_suspect_counts() -> None:
    report = statement_events(
        7, "I'm the Seer. Last night I looked at Jonas: Jonas is not a Werewolf."
    )
    mind = Mindset(scene(7, "possessed", *report), {})
    assert mind.scores[10] < min(s for seat, s in mind.scores.items() if seat != 10)
    demand = Demand(8, "silent")
    accuser = Mindset(scene(7, "villager", *statement_events(7, "I'll vote for Dara.")), {})
    assert answer_demand(accuser, demand) is None
