"""Whispers among Werewolves: understanding, effect on partners, secrecy from others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from agents import language
from agents.house import passes
from agents.house.mindset import Mindset
from agents.house.own_claims import build_claims
from agents.language.phrasing import expansions
from agents.packs import pack_of
from agents.talk.whispers import parse_plans, read_whispers
from game.engine.forms import speech_with_mentions
from game.engine.text_checks import NO_LIMIT, count_characters
from tests.agents.table import ask_house
from tests.agents.whisper_scenes import FORM, NAMES, RULES, WOLVES, whisper_scene

PACK = pack_of(RULES)
HELD_OUT = 225  # lines from here on were not used to write the patterns
LINES = Path(__file__).parent / "contest_lines"
PLAYERS = (
    *("Aiko", "Ben", "Chika", "Daisuke", "Emi", "Fumio", "Goro", "Hana", "Isamu", "Jun", "Kana"),
    *("Leo", "Mika"),
)
KINDS = {"attack": "prey", "spare": "spare", "will_claim": "claim"}
# Phrases that answer a partner and make no plan.
WITHOUT_PLAN = (
    *("whisper_support_friend", "whisper_support_foe", "whisper_distance_friend"),
    *("whisper_distance_foe", "whisper_believe", "whisper_advice", "whisper_own", "whisper_wait"),
    *("whisper_role_taken", "whisper_role_crowded", "whisper_no_role"),
)
Plan = tuple[str, int, str]  # kind, target, role or result


def plans(text: str) -> set[Plan]:
    acts = parse_plans(text, 7, frozenset(WOLVES), NAMES, PACK)
    return {(a.kind, sum(a.targets), a.value or a.role) for a in acts}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let's kill Finn tonight.", {("prey", 6, "")}),
        ("Finn, please.", {("prey", 6, "")}),
        ("What about Finn?", {("prey", 6, "")}),
        ("Don't eat Finn, he's probably the Possessed.", {("spare", 6, "")}),
        ("Leave Finn alone and bite Cleo.", {("spare", 6, ""), ("prey", 3, "")}),
        ("Cleo and Finn should survive.", {("spare", 3, ""), ("spare", 6, "")}),
        ("Let's all vote for Finn tomorrow.", {("vote", 6, "")}),
        ("I'll claim Seer in the morning.", {("claim", 0, "seer")}),
        ("I leave the Seer to you, I claim nothing.", {("retract", 0, "")}),
        ("Hugo, have you any idea who the Seer is?", set()),
        ("Who do you want dead?", set()),
        ("Hugo, I can't help you.", set()),
        ("Tomorrow I'll report that Finn is a Werewolf.", {("report", 6, "werewolf")}),
        ("My first result will be Hugo, white.", {("report", 8, "human")}),
        ("Bram says that Finn is a Werewolf.", set()),
        ("If we had killed Finn, we'd have won.", set()),
        ("Then let us all take Kira.", {("prey", 11, "")}),
        ("Report Levi as a Werewolf.", {("report", 12, "werewolf")}),
        (
            "Arlo, not Kira: report Levi as a Werewolf.",
            {("prey", 1, ""), ("spare", 11, ""), ("report", 12, "werewolf")},
        ),
        ("Don't vouch for me, say Kira.", {("report", 11, "human")}),
    ],
)
def test_plans_in_whispers_are_understood(text: str, expected: set[Plan]) -> None:
    assert plans(text) == expected


@pytest.mark.parametrize("kind", [k for k in language.general_phrases() if "whisper_" in k])
def test_house_whispers_are_understood_with_their_meaning(kind: str) -> None:
    """Every phrase is explicit, so that partners with any backend can agree on it."""
    role = "Werewolf" if kind in ("whisper_find", "whisper_clear") else "Seer"
    target = "Hugo" if kind == "whisper_lost" else "Finn"
    expected = {
        "whisper_pose": {("claim", 0, "seer")},
        "whisper_stay": {("claim", 0, "seer")},
        "whisper_spare": {("spare", 6, "")},
        "whisper_keep": {("spare", 6, "")},
        "whisper_keep_pressed": {("spare", 6, "")},
        "whisper_find": {("report", 6, "werewolf")},
        "whisper_clear": {("report", 6, "human")},
        "whisper_accuse": {("vote", 6, "")},
        "whisper_accuse_other": {("vote", 6, "")},
        "whisper_accuse_first": {("vote", 6, "")},
        **{kind: set[Plan]() for kind in WITHOUT_PLAN},
        "whisper_hide": set[Plan](),
        **{f"whisper_role_{k}": {("claim", 0, "seer")} for k in ("looker", "plain")},
        **{f"whisper_role_{k}": {("claim", 0, "medium")} for k in ("kept", "other")},
        "whisper_lost": set[Plan](),
        "whisper_refuse": set[Plan](),
    }.get(kind, {("prey", 6, "")})
    for phrase in language.general_phrases()[kind]:
        for text in expansions(phrase, 60):
            own = "the Medium" if kind in ("whisper_role_kept", "whisper_role_other") else "Dara"
            words = text.replace("{t}", target).replace("{role}", role).replace("{y}", own)
            words = words.replace("{one}", "the Seer").replace("{x}", "Hugo")
            assert plans(words) - {("retract", 0, "")} == expected, words


@pytest.mark.parametrize(
    ("kind", "precision", "recall"),
    [("attack", 0.7, 0.8), ("spare", 0.8, 0.7), ("will_claim", 0.85, 0.7)],
)
def test_held_out_whispers_reach_the_required_accuracy(
    kind: str, precision: float, recall: float
) -> None:
    correct = recognized = labeled = 0
    for path in sorted(LINES.glob("author_[ab].jsonl")):
        for line in map(json.loads, path.read_text().splitlines()[HELD_OUT:]):
            if line["phase"] != "whisper":
                continue
            speaker = PLAYERS.index(line["by"]) + 1
            before = PLAYERS.index(line["before"]) + 1 if line["before"] in PLAYERS else speaker
            partners = frozenset({speaker, before})
            acts = parse_plans(line["text"], speaker, partners, PLAYERS, PACK)
            found_plans = {(sum(a.targets), a.role) for a in acts if a.kind == KINDS[kind]}
            expected = {
                (PLAYERS.index(a["target"]) + 1 if "target" in a else 0, a.get("role", ""))
                for a in line["acts"]
                if a["act"] == kind
            }
            correct, recognized = (
                correct + len(found_plans & expected),
                recognized + len(found_plans),
            )
            labeled += len(expected)
    assert labeled >= 20
    assert correct / recognized >= precision
    assert correct / labeled >= recall


# -- Werewolves in a scripted night


def attack_target(*whispers: tuple[int, str]) -> int:
    return ask_house(whisper_scene(7, *whispers, kind="attack")).answer.action.targets[0]


def test_werewolves_attack_agreed_targets_and_spare_protected_ones() -> None:
    assert attack_target((8, "Let's kill Finn tonight."), (9, "Finn, yes.")) == 6
    assert attack_target((8, "Let's kill Finn."), (9, "Don't eat Finn. I'd take Dara.")) == 4
    usual_target = attack_target()
    assert attack_target((8, f"Leave {NAMES[usual_target - 1]} alone.")) != usual_target
    lie = f"Tomorrow I'll report that {NAMES[usual_target - 1]} is a Werewolf."
    assert attack_target((8, lie)) != usual_target


def test_agreement_on_an_attack_includes_a_reason() -> None:
    text = ask_house(whisper_scene(7, (8, "Let's kill Finn tonight."))).answer.action.text
    assert ("prey", 6, "") in plans(text)
    assert len(text.replace("Finn", "").split()) > 5


def test_request_to_spare_a_player_is_confirmed() -> None:
    text = ask_house(whisper_scene(7, (8, "Don't eat Finn, he helps us."))).answer.action.text
    assert ("spare", 6, "") in plans(text)
    assert ("prey", 6, "") not in plans(text)


def test_partner_claim_is_not_repeated() -> None:
    def claimed_roles(*whispers: tuple[int, str]) -> set[str]:
        mind = Mindset(whisper_scene(7, *whispers, day=0, kind="statement", pose="seer"), {})
        return {remark.role for remark in build_claims(mind)} | {mind.stance.pose}

    assert "seer" in claimed_roles((8, "Have you any idea who the Seer is?"))
    assert "seer" in claimed_roles((8, "I'll claim Seer."), (8, "On reflection, I claim nothing."))
    assert "seer" not in claimed_roles((8, "I'll claim Seer tomorrow."))


def test_player_to_be_spared_is_pressed_less() -> None:
    def score(*whispers: tuple[int, str]) -> float:
        return Mindset(whisper_scene(7, *whispers, kind="statement"), {}).scores[6]

    assert score((8, "Leave Finn alive, he is useful.")) < score() - 0.1
    assert score((8, "Hello.")) == score()


@pytest.mark.parametrize("seat", [7, 8])
def test_whispered_result_is_reported_unchanged(seat: int) -> None:
    whisper = (seat, "In the morning I'll say that Finn is not a Werewolf.")
    seer = () if seat == 7 else ((7, "I'm going to be the Seer."),)
    decision = whisper_scene(7, *seer, whisper, day=0, kind="statement", pose="seer")
    looks = [remark.look for remark in build_claims(Mindset(decision, {}))]
    assert [(look.targets, look.value) for look in looks if look] == [((6,), "human")]


def test_fake_seer_whispers_its_next_result() -> None:
    decision = whisper_scene(7, day=1, pose="seer", evening="I'm going to be the Seer.")
    kinds = {kind for kind, _target, _value in plans(ask_house(decision).answer.action.text)}
    assert kinds == {"prey", "report"}


def test_partner_counterproposal_or_question_is_answered() -> None:
    def answer(*whispers: tuple[int, str], **more: str) -> set[Plan]:
        return plans(ask_house(whisper_scene(7, *whispers, **more)).answer.action.text or "")

    own = (7, "I'd take Jonas tonight: people listen to Jonas.")
    assert answer((8, "Let's kill Jonas."), own, (9, "Good night.")) == set()
    assert answer((8, "Let's kill Jonas."), own, (9, "Say Mina if you agree.")) == {
        ("prey", 10, "")
    }
    assert answer(own, (8, "No Jonas, attack Levi. OK, both of you?")) == {("prey", 12, "")}
    text = ask_house(
        whisper_scene(7, (8, "Jonas."), (9, "Jonas."), own, (8, "Levi!"))
    ).answer.action.text
    assert "Levi" in text
    seer = {"pose": "seer", "evening": "I'm going to be the Seer."}
    requested_plans = answer(own, (8, "Greta, report Levi as a Werewolf."), **seer)
    assert ("report", 12, "werewolf") in requested_plans


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who claims Seer?", "claim"),
        ("Greta, will you be the Seer tomorrow?", "claim"),
        ("Whom should we leave alive?", "spare"),
        ("Anybody we should spare tonight?", "spare"),
        ("Whom do we attack?", "prey"),
    ],
)
@pytest.mark.parametrize("day", [0, 2])
def test_partner_question_is_answered(question: str, kind: str, day: int) -> None:
    """The rule also applies to a first night without attack, and after a whisper of the seat."""
    own = (7, "I'd take Jonas tonight: people listen to Jonas.")
    for earlier in ((), (own,)):
        decision = whisper_scene(7, *earlier, (8, question), day=day, pose="seer")
        text = ask_house(decision).answer.action.text or ""
        if kind != "prey" or day:
            assert kind in {a.kind for a in parse_plans(text, 7, frozenset(WOLVES), NAMES, PACK)}


@pytest.mark.parametrize(
    ("request_text", "kinds"),
    [
        ("Greta, support me tomorrow.", ("support_friend", "support_foe")),
        ("Could you vote with me tomorrow, Greta?", ("support_friend", "support_foe")),
        ("Attack me a little.", ("distance_friend", "distance_foe")),
        ("Greta, accuse Finn tomorrow.", ("accuse", "accuse_other")),
        ("Should we accuse Finn tomorrow?", ("accuse", "accuse_other")),
        ("Who should I accuse?", ("accuse_first",)),
        ("Tomorrow I will say that Levi is a Werewolf.", ("believe",)),
        ("Greta, claim Medium.", ("role_looker",)),
        ("Claim the Seer tomorrow, Greta.", ("role_looker",)),
        ("You claim Villager.", ("role_plain",)),
        ("Don't claim Seer, Greta.", ("no_role",)),
        ("What should I claim?", ("advice",)),
        ("I'll claim Seer, OK?", ("own",)),
    ],
)
@pytest.mark.parametrize("day", [0, 2])
def test_partner_proposal_for_the_day_is_answered(
    request_text: str, kinds: tuple[str, ...], day: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also applies after several own whispers, and before a night without attack."""
    phrased_kinds: list[str] = []
    original = passes.build_phrase

    def record_phrase(mind: Mindset, kind: str, names: dict[str, str]) -> str:
        phrased_kinds.append(kind.removeprefix("whisper_"))
        return original(mind, kind, names)

    monkeypatch.setattr(passes, "build_phrase", record_phrase)
    own = [(7, f"I'd take {name} tonight: people listen to {name}.") for name in NAMES[9:12]]
    text = ask_house(whisper_scene(7, *own, (8, request_text), day=day)).answer.action.text
    assert text
    assert set(phrased_kinds) & set(kinds)
    elsewhere = (8, f"Iris, {request_text.replace('Greta, ', '').replace(', Greta', '')}")
    if not day:  # on other nights the newest attack plan is also answered
        assert not ask_house(whisper_scene(7, *own, elsewhere, day=day)).answer.action.text


@pytest.mark.parametrize(
    ("request_text", "role", "pose"),
    [
        ("Greta, claim the Seer tomorrow.", "seer", "villager"),
        ("You claim Medium.", "medium", "villager"),
        ("I want you to be the Seer tomorrow, Greta.", "seer", "villager"),
        ("Can you claim Villager tomorrow?", "villager", "seer"),
        ("Don't claim Seer.", "villager", "seer"),
    ],
)
def test_role_requested_by_a_partner_is_accepted_and_claimed(
    request_text: str, role: str, pose: str
) -> None:
    role_request = (8, request_text)
    reply = ask_house(whisper_scene(7, role_request, day=0, pose=pose)).answer.action.text
    assert role == "villager" or ("claim", 0, role) in plans(reply)
    later = Mindset(
        whisper_scene(7, role_request, (7, reply), day=0, kind="statement", pose=pose), {}
    )
    assert {r.role for r in build_claims(later)} in ({role}, set())
    assert later.stance.pose == role


@pytest.mark.parametrize(
    ("earlier", "objection"),
    [("I'll claim Seer.", "two of us|other would fall"), ("", "second story|two stories|hanged")],
    ids=["a partner does", "another claim"],
)
def test_rejected_role_request_gets_a_reason(earlier: str, objection: str) -> None:
    whispers = (*([(9, earlier)] if earlier else []), (8, "Greta, claim Seer tomorrow."))
    decision = whisper_scene(7, *whispers, day=0, spoken="" if earlier else "I'm a Villager.")
    reply = ask_house(decision).answer.action.text
    assert re.search(objection, reply), reply
    assert "seer" not in {role for kind, _seat, role in plans(reply) if kind == "claim"}


def test_agreed_target_is_pressed_by_day() -> None:
    def score(*whispers: tuple[int, str]) -> float:
        return Mindset(whisper_scene(7, *whispers, kind="statement"), {}).scores[6]

    assert score((7, "Agreed, I'll accuse Finn tomorrow.")) > score() + 0.1


def test_werewolf_skips_until_its_partners_are_silent() -> None:
    """A house player skips until all its partners were silent for a whole pass."""

    def pass_kind(*answers: tuple[int, str], may_skip: bool = True) -> str:
        decision = whisper_scene(7, *answers, day=0)
        legal = replace(FORM, may_skip=may_skip)
        window = replace(decision.window, legal=legal)
        return ask_house(replace(decision, window=window)).answer.action.kind

    own = (7, "I'd rather not claim anything yet.")
    assert pass_kind(own, (8, "Good night."), (9, "Good night.")) == "skip"
    assert pass_kind(own, (8, "over"), (9, "skip")) == "skip"
    assert pass_kind(own, (7, "skip"), (8, "over"), (9, "skip")) == "over"
    assert pass_kind(own, (8, "over"), (9, "over")) == "over"
    assert pass_kind(own, (9, "skip"), may_skip=False) == "over"


def test_whispers_fit_the_character_limit() -> None:
    form = speech_with_mentions(NO_LIMIT, 125, 125, WOLVES)
    decision = whisper_scene(7, (8, "Don't eat Finn."), (9, "Let's kill Cleo."))
    window = replace(decision.window, legal=form)
    text = ask_house(replace(decision, window=window)).answer.action.text
    assert 0 < count_characters(text) <= 125


@pytest.mark.parametrize("kind", ["statement", "attack"])
def test_whispers_do_not_affect_other_players(kind: str) -> None:
    whispers = ((8, "I'll claim Seer. Kill Cleo."), (9, "Spare Finn. I'll report Bram is black."))
    with_whispers, without = whisper_scene(10, *whispers, kind=kind), whisper_scene(10, kind=kind)
    assert read_whispers(with_whispers.view, PACK) == ()
    assert Mindset(with_whispers, {}).scores == Mindset(without, {}).scores
    assert ask_house(with_whispers).answer.action == ask_house(without).answer.action


def test_whispers_are_not_part_of_the_public_dialogue() -> None:
    """Prompts, claims tables and surveys read the dialogue, so it must not contain whispers."""
    whispers = ((8, "I'll claim Seer. Kill Cleo."), (9, "I'll report that Bram is a Werewolf."))
    mind = Mindset(whisper_scene(7, *whispers, kind="statement"), {})
    assert mind.whispers
    assert mind.dialogue.claims == {3: "medium"}
    assert not list(mind.dialogue.acts("report", "prey", "spare", by=9))
