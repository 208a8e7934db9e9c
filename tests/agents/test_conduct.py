"""House players answer what they are asked, fall for no trick, and say of others what is so.

The whole measures are printed by `python -m tests.bench.conduct`.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from agents.backends.house import HouseBackend
from agents.decision import Decision, Reply, Request
from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.house.doubts import is_up_to_date
from agents.house.mindset import Mindset
from agents.house.phrase_slots import get_phrases
from agents.house.remark_choice import choose_remarks, is_announcement_kept, propose_remarks
from agents.house.remarks import Remark, RemarkPlace
from agents.language.phrasing import expansions
from agents.packs import Result, pack_of
from agents.talk.dialogue import Dialogue
from agents.think import think
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event
from game.engine.forms import NOTHING, speech
from game.engine.windows import Window
from tests.agents.conduct import pointed, references, tricks
from tests.agents.conduct.parts import FACULTIES, Lacking
from tests.agents.table import NAMES, ask_house, divined, log_of, play, scene_of, understand

PACK = pack_of(rulesets.get("one-night"))
SILENT = 4  # the Werewolf of `pointed.DEAL`


# -- who is addressed owes an answer


def test_pointed_addresses_are_answered_in_substance() -> None:
    """Those that need no game played before them."""
    scripted = [a for a in pointed.addresses() if a.before]
    found = Counter(pointed.judged(a, pointed.answered(a, "conduct")) for a in scripted)
    assert found["substance"] > 0.6 * len(scripted), found


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_a_direct_question_for_one_role_gets_a_direct_answer(seed: str) -> None:
    log = log_of(pointed.DEAL, (5, "Gamma, are you the Tanner?"))
    text = ask_house(scene_of(log, 3, seed=seed)).answer.action.text
    assert "not the Tanner" in text
    assert "Epsilon" in text


def test_an_answer_once_given_is_owed_no_more() -> None:
    log = log_of(pointed.DEAL, (5, "Gamma, are you the Tanner?"))
    thought = ask_house(scene_of(log, 3))
    (note,) = [n for n in thought.notes if n.faculty == "stance"]
    assert "met:1" in note.data["said"]
    said = (3, thought.answer.action.text)
    later = scene_of([*log, *log_of({}, said)[-3:]], 3, notes=(note,))
    assert Mindset(later, {}).demands == []


@pytest.mark.parametrize(
    ("question", "about"),
    [("what's your role?", "role"), ("whom do you suspect?", "suspect"), ("why Zeta?", "reason")],
)
@pytest.mark.parametrize("reply", ["I'd rather not say.", "Nobody, to be honest."])
def test_an_answered_question_is_put_to_nobody_again(question: str, about: str, reply: str) -> None:
    """By no house player and whoever asked, unless the addressee has told two stories since."""

    def may_ask(seat: int, *talk: tuple[int, str]) -> bool:
        mind = Mindset(scene_of(log_of(pointed.DEAL, *talk), seat), {})
        return mind.is_unasked(about, 3, 7 if about == "reason" else 0)

    before = ((3, "I suspect Zeta."), (1, "Hm."))
    asked = (*before, (5, f"Gamma, {question}"), (3, reply), (6, "All right."))
    for seat in (2, 5, 8):
        assert may_ask(seat, *before)
        assert not may_ask(seat, *asked)
    stories = ((3, "I'm a Villager."), (3, "I'm a Mason."))
    assert may_ask(8, *asked, *stories)


def test_a_seer_calls_its_rival_no_friend() -> None:
    log = log_of(pointed.DEAL, (2, "I'm the Seer."), (5, "eta do u trust beta or not"))
    moves = propose_remarks(Mindset(scene_of(log, 8), {}))
    assert [move.kind for move in moves if move.meets] == ["looker_impossible"]


def test_nobody_builds_a_suspicion_on_who_took_it_from_them() -> None:
    """Whoever pressed first is the source: "I'm with Beta", who said "I'm with Alpha"."""
    first, second = (1, "I suspect Gamma."), (2, "I agree with Alpha, I suspect Gamma too.")
    for talk, builds in (((first, second), False), ((second, first), True)):
        mind = Mindset(scene_of(log_of(pointed.DEAL, *talk), 1), {})
        agreement = Remark("doubt_agree", 1, RemarkPlace.DOUBT, {"t": 3, "x": 2}, 3)
        assert is_up_to_date(mind, agreement) == mind.can_agree_with(2, 3) == builds


@pytest.mark.parametrize(
    ("seat", "sure"), [(1, False), (8, True), (2, False)], ids=["Villager", "Seer", "Mason"]
)
def test_words_of_certainty_follow_from_the_deal_and_from_nothing_else(
    seat: int, sure: bool
) -> None:
    """However unlikely a claim is: to who could not know it, it is possible."""
    claim = (5, "I'm the Seer. I looked at Beta and Zeta, and one of them is the Werewolf.")
    mind = Mindset(scene_of(log_of(pointed.DEAL, claim), seat), {})
    unlikely = dict.fromkeys(PACK.parts, (1 - 0.01) / 5) | {"seer": 0.01}
    mind.professed = {**mind.believed, 5: unlikely}
    assert mind.is_refuted(5) == sure
    cleared = (2, "I'm the Seer. I looked at Alpha and Beta: neither of them is the Werewolf.")
    looked = Mindset(scene_of(log_of(pointed.DEAL, cleared), seat), {})
    looked.professed = {**looked.believed, 6: {"villager": 1.0}}
    assert looked.is_certainly_cleared(6) == (seat == 2)
    assert not looked.is_certainly_cleared(7)


def test_agreement_is_not_returned_for_its_own_sake() -> None:
    log = log_of(pointed.DEAL, (1, "I agree with Beta."), (2, "I agree with Alpha."))
    assert not [
        move for move in propose_remarks(Mindset(scene_of(log, 1), {})) if move.kind == "agreed"
    ]


@pytest.mark.parametrize(("record", "stands"), [("I'm a Mason.", True), ("I slept well.", False)])
def test_a_denial_takes_back_no_charge_that_is_on_record(record: str, stands: bool) -> None:
    """Beta changed its story. It is suspected for that, and only says that it is no Werewolf."""
    talk = [(2, "I'm a Villager."), (2, record), (1, "I suspect Beta."), (2, "I'm no Werewolf.")]
    mind = Mindset(scene_of(log_of(pointed.DEAL, *talk, round=2), 1), {})
    kinds = {move.kind for move in propose_remarks(mind) if 2 in move.seats}
    assert ("denial_stands" in kinds) == stands
    if stands:
        assert mind.target == 2
        assert not kinds & {"turn", "note_denial"}


def test_who_turns_to_another_does_not_take_back_what_is_on_record() -> None:
    talk = [(2, "I'm a Villager."), (2, "I'm a Mason."), (1, "I suspect Beta."), (4, "Hm.")]
    mind = Mindset(scene_of(log_of(pointed.DEAL, *talk, round=2), 1), {})
    mind.__dict__["target"] = 4
    assert {"turn_stands"} == {m.kind for m in propose_remarks(mind) if m.kind.startswith("turn")}


@pytest.mark.parametrize("text", ["Hello everyone!", "hi Gamma, how are you?", "Good morning all"])
@pytest.mark.parametrize("seed", ["a", "b"])
def test_a_greeting_is_answered_once_and_held_against_nobody(text: str, seed: str) -> None:
    log = log_of(pointed.DEAL, (5, text))
    mind = Mindset(scene_of(log, 3, seed=seed), {})
    assert mind.demands == []
    thought = ask_house(mind.decision)
    words = str(thought.answer.action.text)
    assert "Epsilon" in words
    meant = understand(words, 3)
    assert not [a for a in meant if 5 in a.targets and (a.strength or a.kind == "disagree")]
    later = scene_of([*log, *log_of({}, (3, words))[-3:]], 3, notes=tuple(thought.notes))
    assert "greet" not in {move.kind for move in propose_remarks(Mindset(later, {}))}
    others = scene_of([*log, *log_of({}, (3, words))[-3:]], 4, seed=seed)
    assert "greet" not in {move.kind for move in propose_remarks(Mindset(others, {}))}


@pytest.mark.parametrize("to", [1, 3, 8])
def test_a_charge_of_a_secret_team_is_answered_about_the_team(to: int) -> None:
    charge = (5, f"{NAMES[to - 1]}, I think you and Beta are in this together.")
    moves = propose_remarks(Mindset(scene_of(log_of(pointed.DEAL, charge, round=2), to), {}))
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
def test_a_seer_in_danger_tells_what_it_saw(before: list[tuple[int, str]], seed: str) -> None:
    log = log_of(pointed.DEAL, *before)
    log.insert(len(pointed.DEAL) + 1, divined(8, (3, 4), True))
    text = str(ask_house(scene_of(log, 8, seed=seed)).answer.action.text)
    talk = [(s, t) for s, t in [*before, (8, text)] if s == 8]
    heard = Dialogue.of(scene_of(log_of({}, *talk), 1).view, PACK)
    assert heard.reports[8] == Result("seer", (3, 4), "werewolf")
    assert "Gamma" in text
    assert "Delta" in text


def test_a_look_that_finds_somebody_is_followed_by_no_mere_doubt_of_it() -> None:
    look = Result("seer", (3,), "werewolf")
    report = Remark("report_found", 9.2, RemarkPlace.CLAIM, {"a": 3}, role="seer", look=look)
    doubts = [Remark("doubt_gut", 5.0 - s / 10, RemarkPlace.DOUBT, {"t": s}) for s in (3, 4)]
    chosen = choose_remarks(Mindset(scene_of(log_of(pointed.DEAL), 8), {}), [report, *doubts])
    assert [m.names.get("t") for m in chosen] == [None, 4]


BLAND = ((1, "I'm a Villager."), (2, "Let's talk."), (4, "I listen."))
ANNOUNCED = ("so here it is.", "think aloud.", "so listen.", "here it comes.", "where I stand.")


def replied(text: str, to: int, seed: str, *before: tuple[int, str], round: int = 1) -> str:
    """What the house player of the seat `to` says to `text`, said by Epsilon."""
    log = log_of(pointed.DEAL, *before, (5, text), round=round)
    return str(ask_house(scene_of(log, to, seed=seed)).answer.action.text)


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
def test_a_question_is_answered_with_what_it_asks_for(text: str, answer: str, seed: str) -> None:
    said = replied(text, 3, seed, *BLAND)
    assert re.search(answer, said), said
    assert "silent is what I'm not" not in said


@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("text", "answer", "denied"),
    [
        ("Gamma, if you were the Seer, would you claim now?", "I'd|at once", "not the Seer"),
        ("Gamma, what would you do if you were a Werewolf?", "I'd|quiet", "not the Werewolf"),
        ("Gamma, did anyone claim Seer yet?", "Zeta and Eta", "not the Seer|obody"),
        ("Gamma, did anyone claim Mason yet?", "obody|o one", "Mason"),
        ("Gamma, who has spoken most today?", "Zeta", "suspect"),
        ("Gamma, count the votes.", "2 for Delta", "suspect"),
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
def test_a_question_about_the_table_is_answered_from_the_record(
    text: str, answer: str, denied: str, seed: str
) -> None:
    before = (
        (1, "Hello."),
        (7, "I'm the Seer, and I'll vote for Delta."),
        (8, "I'm the Seer. I'll vote for Delta."),
        (7, "Zeta is my name."),
    )
    said = replied(text, 3, seed, *before)
    assert re.search(answer, said), said
    assert not re.search(denied, said.split(".")[0]), said


def said_after_another(question: str, to: int) -> str:
    """What the seat says to Epsilon's question when somebody else has spoken in between."""
    talk = ((7, "I'm the Seer."), (5, question), (8, "I have nothing to add."))
    return str(ask_house(scene_of(log_of(pointed.DEAL, *talk), to, seed="a")).answer.action.text)


def test_who_was_asked_by_name_answers_although_another_has_spoken_since() -> None:
    assert "Zeta" in said_after_another("Gamma, did anyone claim Seer yet?", 3).split(".")[0]
    to_all = said_after_another("Did anyone claim Seer yet?", 3)
    assert "Zeta" not in to_all.split(".")[0], "that was for the next to speak"


@pytest.mark.parametrize(
    "text",
    [
        "Beta, four people suspect you and you are silent.",
        "Three players suspect Beta.",
        "Four of us suspect you, Beta.",
    ],
)
def test_a_report_of_suspicion_is_not_the_speakers_own(text: str) -> None:
    assert not any(act.kind in ("suspect", "accuse") for act in understand(text, 1, NAMES, 2))


@pytest.mark.parametrize("seed", "abcdefgh")
def test_no_statement_ends_on_an_announcement(seed: str) -> None:
    said = replied("Gamma, what does the river tell the sea?", 3, seed, *BLAND)
    assert not said.endswith(ANNOUNCED), said


def test_the_last_words_follow_what_announces_them() -> None:
    """A move that only leads to another is left out with it, where words are short."""
    lead, doubt = (
        Remark("owed_vote", 8, RemarkPlace.LEAD),
        Remark("doubt_plain", 4, RemarkPlace.DOUBT),
    )
    assert is_announcement_kept(lead, [lead, doubt])
    assert not is_announcement_kept(lead, [lead])


def test_who_could_only_announce_something_says_something_else() -> None:
    """In this deal the heaviest moves of a player of few words announce what does not follow."""
    assert not [e for e in play("bench/106").log if e.labels]


def test_it_is_early_only_before_there_is_something_to_go_on() -> None:
    report = (8, "I'm the Seer. I looked at Delta and Zeta: neither is the Werewolf.")
    for seed in "abcdef":
        decision = scene_of(
            log_of(pointed.DEAL, report, (5, "Gamma, whom do you suspect?")), 3, seed=seed
        )
        kinds = {m.kind for m in propose_remarks(Mindset(decision, {}))}
        assert "answer_nobody" not in kinds


def test_no_opener_sums_up_what_one_other_said() -> None:
    decision = scene_of(log_of(pointed.DEAL, (1, "I'm a Villager.")), 3)
    assert "open" not in {m.kind for m in propose_remarks(Mindset(decision, {}))}


def test_who_claims_a_role_blames_nobody_for_claiming_it() -> None:
    for seed in "abcdef":
        decision = scene_of(log_of(pointed.DEAL, *BLAND, (1, "I suspect Delta.")), 3, seed=seed)
        mind = Mindset(decision, {})
        kinds = {m.kind for m in propose_remarks(mind)}
        assert not ("claim_plain" in kinds and "doubt_plain" in kinds)


def test_no_claim_stands_beside_its_own_refusal() -> None:
    decision = scene_of(log_of(pointed.DEAL, *BLAND), 3)
    claim = Remark("claim_plain", 6.6, RemarkPlace.CLAIM, role="villager")
    refusal = Remark("answer_evade", 8.4, RemarkPlace.ANSWER, {"x": 5})
    assert choose_remarks(Mindset(decision, {}), [refusal, claim]) == [claim]


def test_a_claim_is_said_in_whole_sentences() -> None:
    texts = {t for p in get_phrases(PACK, "claim_plain") for t in expansions(p, 40)}
    assert not [t for t in texts if re.search(r"\band (?:saw|heard|noticed)\b", t)]


# -- silence and confession


def silent_log(rounds: int, *claims: tuple[int, str]) -> list[Event]:
    """What the village truly says, and rounds in which the Werewolf says nothing more."""
    said = (
        (1, "I'm a Villager."),
        (2, "Theta and I are the Masons."),
        (3, "I'm a Villager."),
        (6, "I'm a Mason, and my partner is Beta."),
    )
    log = log_of(pointed.DEAL, *said, *claims)
    for number in range(rounds):
        window = Window(f"quiet.{number}", "statement", (SILENT,), speech(120), PUBLIC, PUBLIC)
        data = {"window": window.key, "seat": SILENT, **NOTHING.data()}
        log += [
            Event("window_opened", PUBLIC, window.data()),
            Event("statement", PUBLIC, data),
            Event("window_closed", PUBLIC, {"window": window.key}),
        ]
    return log


def wolf(log: list[Event], seat: int, by: int = 1) -> dict[str, float]:
    """What the seat `by` believes of `seat`."""
    view = visibility.view_of(log, visibility.seat(by))
    return infer_roles(PACK, Knowledge.of(view, PACK), collect_clues(Dialogue.of(view, PACK)))[seat]


def test_who_says_nothing_is_suspected_more_with_every_round() -> None:
    shares = [wolf(silent_log(n), SILENT)["werewolf"] for n in range(4)]
    assert shares == sorted(shares)
    assert shares[1] > shares[0]
    assert shares[3] > 1 / 7  # what it is before anybody has spoken


def test_to_claim_a_role_and_then_say_nothing_is_silence_too() -> None:
    claim = (SILENT, "I'm a Villager.")
    shares = [wolf(silent_log(n, claim), SILENT)["werewolf"] for n in range(3)]
    assert shares == sorted(shares)
    assert shares[2] > shares[0]
    accuses = (SILENT, "I'm a Villager, and I suspect Eta.")
    spoken = [wolf(silent_log(n, accuses), SILENT)["werewolf"] for n in (0, 2)]
    assert spoken[0] == spoken[1]


def test_who_says_nothing_is_asked() -> None:
    texts = [ask_house(scene_of(silent_log(1), 3, seed=s)).answer.action.text for s in "abcdef"]
    assert sum("Delta" in text for text in texts) > 3, texts


@pytest.mark.parametrize("words", [tricks.CONFESSION, "I'm the Minion.", "I'm the Tanner."])
def test_a_confession_is_as_likely_a_werewolfs_as_anybodys_trick(words: str) -> None:
    said = wolf(log_of(pointed.DEAL, (6, words)), 6, by=1)
    assert said["werewolf"] >= max(said["tanner"], 1 / 7)


def test_a_confession_taken_back_still_weighs() -> None:
    log = log_of(pointed.DEAL, (6, tricks.CONFESSION), (6, "I take that back. I'm a Villager."))
    assert wolf(log, 6)["werewolf"] > 1 / 7


# -- what is said of others


@pytest.mark.parametrize(
    ("seed", "ruleset"),
    [
        ("conduct/0", "one-night"),
        ("conduct/2", "one-night"),
        ("z/30", "sheriff"),
        ("z/1", "aiwolf-5"),
    ],
)
def test_what_is_said_of_others_is_so(seed: str, ruleset: str) -> None:
    found = references.checked(seed, ruleset)
    assert len(found) > 5
    assert not [(kind, words) for kind, so, words in found if not so]


# -- what of a mind its votes show


def ballot(decision: Decision, lacks: str) -> dict[str, dict[str, float]]:
    """How everyone is weighed in `scene` by a mind without that faculty."""
    weighed: list[dict[str, dict[str, float]]] = []

    def ask(step: str, request: Request) -> Reply:
        reply = HouseBackend().reply(step, request)
        weighed.append(reply["weighed"])
        return reply

    think(Lacking(lacks=lacks), decision, ask)
    return weighed[0]


def test_every_faculty_has_its_part_in_what_is_said_or_in_the_vote() -> None:
    """A mind that lacks one weighs a vote otherwise; persona and plan are seen elsewhere."""
    game = play("conduct/parts", keep=True, recipe=Lacking())
    decisions = [decision for decision, _ in game.decisions if decision.window.kind == "vote"]
    whole = [ballot(decision, "") for decision in decisions]
    for faculty in set(FACULTIES) - {"persona", "strategy"}:
        assert [ballot(decision, faculty) for decision in decisions] != whole, faculty
    assert any(parts["plan"] for weighed in whole for parts in weighed.values())
