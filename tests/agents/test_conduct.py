"""House players answer questions, resist tricks and say only true things about others.

`python -m tests.bench.conduct` prints the full measurements.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from agents.backends.house import HouseBackend
from agents.decision import Decision, Reply, Request
from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.house.doubt_reasons import build_reasons
from agents.house.doubts import is_up_to_date
from agents.house.mindset import Mindset
from agents.house.remark_choice import choose_remarks, propose_remarks
from agents.house.remarks import Remark, RemarkPlace
from agents.packs import Result, pack_of
from agents.talk.dialogue import Dialogue
from agents.think import think
from game.engine import rulesets, visibility
from game.engine.events import NOTHING, PUBLIC, Event
from game.engine.forms import speech
from game.engine.windows import Window
from tests.agents.conduct import addresses, references, tricks
from tests.agents.conduct.faculties import FACULTIES, ReducedRecipe
from tests.agents.conduct.recorded_statements import record_statements
from tests.agents.table import NAMES, ask_house, divination, log_of, play, scene_of, understand

PACK = pack_of(rulesets.get("one-night"))
SILENT = 4  # the Werewolf of `addresses.DEAL`


# -- answers to direct addresses


def test_direct_addresses_get_a_substantial_answer() -> None:
    """Covers the addresses that need no preceding game."""
    scripted = [a for a in addresses.load_addresses() if a.before]
    counts = Counter(addresses.judge_reply(a, addresses.reply_to(a, "conduct")) for a in scripted)
    assert counts["substance"] > 0.6 * len(scripted), counts


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_question_about_one_role_gets_a_direct_answer(seed: str) -> None:
    log = log_of(addresses.DEAL, (5, "Gamma, are you the Tanner?"))
    text = ask_house(scene_of(log, 3, seed=seed)).answer.action.text
    assert "not the Tanner" in text


def test_answered_question_is_no_longer_pending() -> None:
    log = log_of(addresses.DEAL, (5, "Gamma, are you the Tanner?"))
    thought = ask_house(scene_of(log, 3))
    (note,) = [n for n in thought.notes if n.faculty == "stance"]
    assert "met:1" in note.data["said"]
    statement = (3, thought.answer.action.text)
    later = scene_of([*log, *log_of({}, statement)[-3:]], 3, notes=(note,))
    assert Mindset(later, {}).demands == []


@pytest.mark.parametrize(
    ("question", "about"),
    [("what's your role?", "role"), ("whom do you suspect?", "suspect"), ("why Zeta?", "reason")],
)
@pytest.mark.parametrize("reply", ["I'd rather not say.", "Nobody, to be honest."])
def test_answered_question_is_not_repeated(question: str, about: str, reply: str) -> None:
    """No house player repeats it, unless the addressee has changed its story since."""

    def may_ask(seat: int, *talk: tuple[int, str]) -> bool:
        mind = Mindset(scene_of(log_of(addresses.DEAL, *talk), seat), {})
        return mind.is_unasked(about, 3, 7 if about == "reason" else 0)

    before = ((3, "I suspect Zeta."), (1, "Hm."))
    after_reply = (*before, (5, f"Gamma, {question}"), (3, reply), (6, "All right."))
    for seat in (2, 5, 8):
        assert may_ask(seat, *before)
        assert not may_ask(seat, *after_reply)
    stories = ((3, "I'm a Villager."), (3, "I'm a Mason."))
    assert may_ask(8, *after_reply, *stories)


def test_seer_denies_trust_in_a_rival_seer() -> None:
    log = log_of(addresses.DEAL, (2, "I'm the Seer."), (5, "eta do u trust beta or not"))
    moves = propose_remarks(Mindset(scene_of(log, 8), {}))
    assert [move.kind for move in moves if move.meets] == ["looker_impossible"]


def test_agreement_cites_only_earlier_accusers() -> None:
    """The first accuser is the source and cannot cite a follower."""
    first, second = (1, "I suspect Gamma."), (2, "I agree with Alpha, I suspect Gamma too.")
    for talk, builds in (((first, second), False), ((second, first), True)):
        mind = Mindset(scene_of(log_of(addresses.DEAL, *talk), 1), {})
        agreement = Remark("doubt_agree", 1, RemarkPlace.DOUBT, {"t": 3, "x": 2}, 3)
        assert is_up_to_date(mind, agreement) == mind.can_agree_with(2, 3) == builds


@pytest.mark.parametrize(
    ("seat", "sure"), [(1, False), (8, True), (2, False)], ids=["Villager", "Seer", "Mason"]
)
def test_certainty_requires_proof_from_the_deal(seat: int, sure: bool) -> None:
    """An unlikely claim stays possible for a viewer who cannot refute it."""
    claim = (5, "I'm the Seer. I looked at Beta and Zeta, and one of them is the Werewolf.")
    mind = Mindset(scene_of(log_of(addresses.DEAL, claim), seat), {})
    unlikely = dict.fromkeys(PACK.parts, (1 - 0.01) / 5) | {"seer": 0.01}
    mind.professed = {**mind.believed, 5: unlikely}
    assert mind.is_refuted(5) == sure
    cleared = (2, "I'm the Seer. I looked at Alpha and Beta: neither of them is the Werewolf.")
    observer = Mindset(scene_of(log_of(addresses.DEAL, cleared), seat), {})
    observer.professed = {**observer.believed, 6: {"villager": 1.0}}
    assert observer.is_certainly_cleared(6) == (seat == 2)
    assert not observer.is_certainly_cleared(7)


RESULT = "I'm the Seer. I looked at Delta and Zeta: one of them is the Werewolf."


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        (
            [
                (2, "I'm a Mason, and Theta is my partner."),
                (6, "I'm a Mason, and Beta is my partner."),
                (8, RESULT),
                (5, "I'm the Seer. I looked at Beta and Gamma: neither of them is the Werewolf."),
            ],
            {"duel_late", "duel_clears", "duel_known"},
        ),
        (
            [
                (3, "I suspect Epsilon."),
                (5, "I'm the Seer. I looked at Gamma and Zeta: one of them is the Werewolf."),
                (8, RESULT),
                (5, "I suspect Alpha."),
            ],
            {"duel_payback", "duel_aim"},
        ),
    ],
)
def test_looker_attacks_its_rival_with_facts(
    talk: list[tuple[int, str]], expected: set[str]
) -> None:
    log = log_of(addresses.DEAL, *talk, round=2)
    scenes = [scene_of(log, 8, seed=f"duel/{i}") for i in range(20)]
    kinds = {r.kind for scene in scenes for r in propose_remarks(Mindset(scene, {}))}
    assert {k for k in kinds if k.startswith("duel")} - {"duel_why"} == expected


def _find_of(seat: int, *seen: int) -> tuple[int, str]:
    names = " and ".join(NAMES[s - 1] for s in seen)
    return seat, f"I'm the Seer. I looked at {names}: one of them is the Werewolf."


def test_rival_of_a_believed_looker_is_the_suspect_of_two() -> None:
    """Eta found Gamma and Epsilon, and Epsilon claims the same role: it's no doubt of Gamma."""
    lie = (5, "I'm the Seer. I looked at Alpha and Beta: neither of them is the Werewolf.")
    mind = Mindset(scene_of(log_of(addresses.DEAL, _find_of(8, 3, 5), lie), 1), {})
    mind.professed = {**mind.believed, 8: {"seer": 0.9, "werewolf": 0.1}}
    looks = ("doubt_reported", "doubt_other_rival")
    found = {s: {r.kind for r in build_reasons(mind, s) if r.kind in looks} for s in (3, 5)}
    assert found == {3: set(), 5: {"doubt_other_rival"}}
    assert mind.excused_seats == {3}


@pytest.mark.parametrize("seat", [1, 4])
def test_player_named_beside_a_confirmed_mate_calls_the_look_a_lie(seat: int) -> None:
    pair = [
        (2, "I'm a Mason, and Theta is my partner."),
        (6, "I'm a Mason, and Beta is my partner."),
    ]
    mind = Mindset(scene_of(log_of(addresses.DEAL, *pair, _find_of(7, 2, seat)), seat), {})
    assert "rebut_report_pair" in {r.kind for r in propose_remarks(mind)}


def test_player_dropped_after_a_defence_is_dropped_aloud() -> None:
    talk = [(1, "I'd vouch for Beta."), (1, "I suspect Delta."), (3, "Hm."), (4, "Hm.")]
    mind = Mindset(scene_of(log_of(addresses.DEAL, *talk, round=2), 1), {})
    mind.__dict__["target"] = 2
    kinds = {r.kind for r in propose_remarks(mind) if r.kind.startswith("turn")}
    assert kinds == {"turn_trust"}


def test_partner_of_a_mate_is_missed_only_after_everyone_had_a_turn() -> None:
    talk = [(5, "I'm a Mason."), *((s, "Hm.") for s in (6, 7, 8, 1, 2, 3, 4, 5))]
    for count in (2, len(talk)):
        mind = Mindset(scene_of(log_of(addresses.DEAL, *talk[:count], round=2), 1), {})
        kinds = {r.kind for r in build_reasons(mind, 5)}
        assert ("doubt_mate_alone" in kinds) == (count == len(talk))


@pytest.mark.parametrize("seed", ["duel/0", "duel/1", "duel/2", "duel/3"])
def test_claim_is_repeated_to_a_rival_at_most_once(seed: str) -> None:
    disputes = Counter(
        (statement.seat, remark.about)
        for statement in record_statements(seed)
        for remark, _ in statement.wording
        if remark.kind == "rival"
    )
    assert all(count == 1 for count in disputes.values())


def test_agreement_is_not_answered_with_agreement() -> None:
    log = log_of(addresses.DEAL, (1, "I agree with Beta."), (2, "I agree with Alpha."))
    assert not [
        move for move in propose_remarks(Mindset(scene_of(log, 1), {})) if move.kind == "agreed"
    ]


@pytest.mark.parametrize(("record", "stands"), [("I'm a Mason.", True), ("I slept well.", False)])
def test_denial_does_not_clear_a_recorded_contradiction(record: str, stands: bool) -> None:
    """Beta is suspected for changing its story and answers only with a denial."""
    talk = [(2, "I'm a Villager."), (2, record), (1, "I suspect Beta."), (2, "I'm no Werewolf.")]
    mind = Mindset(scene_of(log_of(addresses.DEAL, *talk, round=2), 1), {})
    kinds = {move.kind for move in propose_remarks(mind) if 2 in move.seats}
    assert ("denial_stands" in kinds) == stands
    if stands:
        assert mind.target == 2
        assert not kinds & {"turn", "note_denial"}


def test_target_change_does_not_withdraw_a_recorded_charge() -> None:
    talk = [(2, "I'm a Villager."), (2, "I'm a Mason."), (1, "I suspect Beta."), (4, "Hm.")]
    mind = Mindset(scene_of(log_of(addresses.DEAL, *talk, round=2), 1), {})
    mind.__dict__["target"] = 4
    assert {"turn_stands"} == {m.kind for m in propose_remarks(mind) if m.kind.startswith("turn")}


@pytest.mark.parametrize("text", ["Hello everyone!", "hi Gamma, how are you?", "Good morning all"])
@pytest.mark.parametrize("seed", ["a", "b"])
def test_greeting_is_answered_once_without_accusation(text: str, seed: str) -> None:
    log = log_of(addresses.DEAL, (5, text))
    mind = Mindset(scene_of(log, 3, seed=seed), {})
    assert mind.demands == []
    thought = ask_house(mind.decision)
    reply = str(thought.answer.action.text)
    assert "Epsilon" in reply
    acts = understand(reply, 3)
    assert not [a for a in acts if 5 in a.targets and (a.strength or a.kind == "disagree")]
    later = scene_of([*log, *log_of({}, (3, reply))[-3:]], 3, notes=tuple(thought.notes))
    assert "greet" not in {move.kind for move in propose_remarks(Mindset(later, {}))}
    bystander = scene_of([*log, *log_of({}, (3, reply))[-3:]], 4, seed=seed)
    assert "greet" not in {move.kind for move in propose_remarks(Mindset(bystander, {}))}


@pytest.mark.parametrize("to", [1, 3, 8])
def test_charge_of_a_secret_team_is_answered_about_the_team(to: int) -> None:
    charge = (5, f"{NAMES[to - 1]}, I think you and Beta are in this together.")
    moves = propose_remarks(Mindset(scene_of(log_of(addresses.DEAL, charge, round=2), to), {}))
    kind = {move.kind for move in moves if move.kind.startswith("charge")}
    assert kind == {"charge_together"}


MINE = (8, "I'm the Seer. I looked at Gamma and Delta: one of them is the Werewolf.")


@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize(
    "before",
    [
        [(2, "I suspect Eta.")],
        [MINE, (2, "I don't believe Eta, Eta is lying.")],
        [MINE, (3, "I'm the Seer, and I looked at Eta and Beta. One of them is the Werewolf.")],
    ],
    ids=["accused", "called a liar", "contradicted"],
)
def test_accused_seer_reveals_its_result(before: list[tuple[int, str]], seed: str) -> None:
    log = log_of(addresses.DEAL, *before)
    log.insert(len(addresses.DEAL) + 1, divination(8, (3, 4), True))
    text = str(ask_house(scene_of(log, 8, seed=seed)).answer.action.text)
    talk = [(s, t) for s, t in [*before, (8, text)] if s == 8]
    dialogue = Dialogue.of(scene_of(log_of({}, *talk), 1).view, PACK)
    assert dialogue.reports[8] == Result("seer", (3, 4), "werewolf")
    assert "Gamma" in text
    assert "Delta" in text


def test_report_is_not_followed_by_a_doubt_of_the_same_player() -> None:
    look = Result("seer", (3,), "werewolf")
    report = Remark("report_found", 9.2, RemarkPlace.CLAIM, {"a": 3}, role="seer", look=look)
    doubts = [Remark("doubt_gut", 5.0 - s / 10, RemarkPlace.DOUBT, {"t": s}) for s in (3, 4)]
    chosen = choose_remarks(Mindset(scene_of(log_of(addresses.DEAL), 8), {}), [report, *doubts])
    assert [m.names.get("t") for m in chosen] == [None, 4]


@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Gamma, should the Seer speak now or keep quiet?", "Seer should"),
        ("Gamma, do you believe my Villager claim?", "because|since|undecided|reason"),
        ("Gamma, why should anyone believe you?", "prove|proof|word|reasons|easy"),
        ("Gamma, prove you are not the Tanner.", "not the Tanner"),
        ("Gamma, what did you get dealt?", "Villager"),
    ],
)
def test_answer_matches_the_question(text: str, answer: str, seed: str) -> None:
    reply = addresses.reply_to_epsilon(text, 3, seed, *addresses.BLAND)
    assert re.search(answer, reply), reply
    assert "silent is what I'm not" not in reply


@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("text", "answer", "denied"),
    [
        ("Gamma, if you were the Seer, would you claim now?", "I'd|at once", "not the Seer"),
        ("Gamma, what would you do if you were a Werewolf?", "I'd|quiet", "not the Werewolf"),
        ("Gamma, did anyone claim Seer yet?", "Zeta and Eta", "not the Seer|obody(?! else)"),
        ("Gamma, did anyone claim Mason yet?", "obody|o one", "Mason"),
        (
            "Gamma, which Seer do you believe, Zeta or Eta?",
            "Zeta|Eta",
            "Epsilon is",
        ),
        (
            "Gamma, you told us that you are the Seer: what did you see?",
            "never",
            "here's my answer",
        ),
    ],
)
def test_question_about_the_game_is_answered_from_the_record(
    text: str, answer: str, denied: str, seed: str
) -> None:
    before = (
        (1, "Hello."),
        (7, "I'm the Seer, and I'll vote for Delta."),
        (8, "I'm the Seer. I'll vote for Delta."),
        (7, "Zeta is my name."),
    )
    reply = addresses.reply_to_epsilon(text, 3, seed, *before)
    assert re.search(answer, reply), reply
    assert not re.search(denied, reply.split(".")[0]), reply


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_question_between_roles_is_answered_with_the_own_look(seed: str) -> None:
    log = log_of(addresses.DEAL, MINE, (5, "Eta, is Gamma the Tanner or the Werewolf?"))
    text = ask_house(scene_of(log, 8, seed=seed)).answer.action.text
    first = text.split(".")[0]
    assert "Gamma and Delta" in first, text
    assert "Tanner" not in first, text


def reply_after_another(question: str, to: int) -> str:
    """Return the reply of seat `to` to Epsilon's question after another player has spoken."""
    talk = ((7, "I'm the Seer."), (5, question), (8, "I have nothing to add."))
    return str(ask_house(scene_of(log_of(addresses.DEAL, *talk), to, seed="a")).answer.action.text)


def test_named_addressee_answers_after_another_speaker() -> None:
    assert "Zeta" in reply_after_another("Gamma, did anyone claim Seer yet?", 3).split(".")[0]
    to_all = reply_after_another("Did anyone claim Seer yet?", 3)
    assert "Zeta" not in to_all.split(".")[0], "the next speaker should answer"


@pytest.mark.parametrize(
    "text",
    [
        "Beta, four people suspect you and you are silent.",
        "Three players suspect Beta.",
        "Four of us suspect you, Beta.",
    ],
)
def test_reported_suspicion_is_not_the_speakers_own(text: str) -> None:
    assert not any(act.kind in ("suspect", "accuse") for act in understand(text, 1, NAMES, 2))


# -- silence and confession


def silent_log(rounds: int, *claims: tuple[int, str]) -> list[Event]:
    """Log of true village statements and `rounds` rounds in which the Werewolf is silent."""
    statements = (
        (1, "I'm a Villager."),
        (2, "Theta and I are the Masons."),
        (3, "I'm a Villager."),
        (6, "I'm a Mason, and my partner is Beta."),
    )
    log = log_of(addresses.DEAL, *statements, *claims)
    for number in range(rounds):
        window = Window(f"quiet.{number}", "statement", (SILENT,), speech(120), PUBLIC, PUBLIC)
        data = {"window": window.key, "seat": SILENT, **NOTHING.to_json()}
        log += [
            Event("window_opened", PUBLIC, window.to_json()),
            Event("statement", PUBLIC, data),
            Event("window_closed", PUBLIC, {"window": window.key}),
        ]
    return log


def role_beliefs(log: list[Event], seat: int, by: int = 1) -> dict[str, float]:
    """Return the role probabilities of `seat` as seat `by` infers them."""
    view = visibility.view_of(log, visibility.seat(by))
    return infer_roles(PACK, Knowledge.of(view, PACK), collect_clues(Dialogue.of(view, PACK)))[seat]


def test_silent_player_is_suspected_more_each_round() -> None:
    shares = [role_beliefs(silent_log(n), SILENT)["werewolf"] for n in range(4)]
    assert shares == sorted(shares)
    assert shares[1] > shares[0]
    assert shares[3] > 1 / 7  # the prior before any statement


def test_silence_after_a_role_claim_raises_suspicion() -> None:
    claim = (SILENT, "I'm a Villager.")
    shares = [role_beliefs(silent_log(n, claim), SILENT)["werewolf"] for n in range(3)]
    assert shares == sorted(shares)
    assert shares[2] > shares[0]
    accuses = (SILENT, "I'm a Villager, and I suspect Eta.")
    spoken = [role_beliefs(silent_log(n, accuses), SILENT)["werewolf"] for n in (0, 2)]
    assert spoken[0] == spoken[1]


def test_silent_player_is_addressed() -> None:
    texts = [ask_house(scene_of(silent_log(1), 3, seed=s)).answer.action.text for s in "abcdef"]
    assert sum("Delta" in text for text in texts) > 3, texts


@pytest.mark.parametrize("words", [tricks.CONFESSION, "I'm the Minion.", "I'm the Tanner."])
def test_confession_is_read_as_werewolf_at_least_as_often_as_tanner(words: str) -> None:
    beliefs = role_beliefs(log_of(addresses.DEAL, (6, words)), 6, by=1)
    assert beliefs["werewolf"] >= max(beliefs["tanner"], 1 / 7)


def test_withdrawn_confession_still_raises_suspicion() -> None:
    log = log_of(addresses.DEAL, (6, tricks.CONFESSION), (6, "I take that back. I'm a Villager."))
    assert role_beliefs(log, 6)["werewolf"] > 1 / 7


# -- statements about others


@pytest.mark.parametrize(
    ("seed", "ruleset"),
    [
        ("conduct/0", "one-night"),
        ("conduct/2", "one-night"),
        ("z/30", "sheriff"),
        ("z/1", "aiwolf-5"),
    ],
)
def test_statements_about_others_are_true(seed: str, ruleset: str) -> None:
    checks = references.check_references(seed, ruleset)
    assert len(checks) > 5
    assert not [(kind, words) for kind, is_true, words in checks if not is_true]


# -- effect of faculties on votes


def ballot(decision: Decision, removed: str) -> dict[str, dict[str, float]]:
    """Return the vote weights of a mind without the faculty `removed`."""
    weighed: list[dict[str, dict[str, float]]] = []

    def ask(step: str, request: Request) -> Reply:
        reply = HouseBackend().reply(step, request)
        weighed.append(reply["weighed"])
        return reply

    think(ReducedRecipe(removed=removed), decision, ask)
    return weighed[0]


def test_every_faculty_changes_the_vote() -> None:
    """Other tests cover persona and plan."""
    game = play("conduct/parts", keep=True, recipe=ReducedRecipe())
    decisions = [decision for decision, _ in game.decisions if decision.window.kind == "vote"]
    all_faculties = [ballot(decision, "") for decision in decisions]
    for faculty in set(FACULTIES) - {"persona", "strategy"}:
        assert [ballot(decision, faculty) for decision in decisions] != all_faculties, faculty
    assert any(parts["plan"] for weighed in all_faculties for parts in weighed.values())
