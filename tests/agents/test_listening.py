"""House players react to a person's statement in their next statement."""

from __future__ import annotations

from functools import cache

import pytest

from game.engine.events import say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.hearing import SAID, AddressCase, answers
from tests.agents.table import NAMES, ask_house, divination, log_of, play, scene_of

SEEDS = ("listen/0", "listen/1", "listen/2")
CASES = [(case, i) for case in SAID for i in range(3)]


class Answered(Exception):
    """Raised to stop the game as soon as the reply exists."""


@cache
def reply(words: str, seed: str = "listen/0", speaker: int = 1, round: int = 1) -> str:
    """Return the reply of the seat after `speaker` to `words` in `round`.

    The speaker's other statements carry no information.
    """
    own_statements: list[str] = []

    def person(view: View, window: Window) -> Answer | None:
        if window.kind != "statement":
            return None
        statements = [e for e in view.events if e.kind == "statement" and e.data.get("text")]
        if own_statements and statements[-1]["seat"] == speaker + 1:
            raise Answered(statements[-1]["text"])
        if view.seat != speaker:
            return None
        if view.state.round == round:
            own_statements.append(words)
            return Answer(say(words))
        return Answer(say("hm, let me hear the others first"))

    try:
        play(seed, person=person, method="baseline")
    except Answered as answered:
        return str(answered)
    raise AssertionError("nobody answered")


def fill_names(text: str, speaker: int = 1) -> str:
    n, o, p = (NAMES[(speaker + i) % 8] for i in range(3))
    return text.format(n=n.lower(), o=o.lower(), p=p)


@pytest.mark.parametrize(("case", "i"), CASES, ids=[f"{c.act} {i}" for c, i in CASES])
def test_addressee_shows_in_its_reply_that_it_understood(case: AddressCase, i: int) -> None:
    words = fill_names(case.wordings[i])
    text = reply(words, SEEDS[i])
    assert answers(text, case.kinds, {"x": "Alpha"}), f"{SEEDS[i]}: {words} -> {text}"


@pytest.mark.parametrize("case", SAID, ids=[c.act for c in SAID])
def test_unrelated_statement_gets_no_such_reply(case: AddressCase) -> None:
    for seed in SEEDS:
        text = reply("what a lovely morning", seed)
        assert not answers(text, case.kinds, {"x": "Alpha"}), text


MASONS = ("listen/93", "listen/98", "listen/128")  # Alpha and Beta are the Masons


@pytest.mark.parametrize("seed", MASONS)
def test_fellow_mason_confirms_and_other_roles_deny_partnership(seed: str) -> None:
    for words in next(case for case in SAID if case.act == "companion").wordings:
        text = reply(fill_names(words), seed)
        assert answers(text, ("confirm_mate",), {"x": "Alpha"}), text
        text = reply(fill_names(words), SEEDS[1])
        assert answers(text, ("deny_partner",), {"x": "Alpha"}), text


@pytest.mark.parametrize("seed", SEEDS)
def test_cleared_player_and_bystander_react_to_the_report(seed: str) -> None:
    for words in (
        "i'm the seer, i checked {n} and {o} and both are clean",
        "seer here. checked {n} + {o}, neither is the wolf",
        "last night i looked at {n} and {o}. neither is the werewolf",
    ):
        text = reply(fill_names(words), seed)
        reaction_kinds = ("thanks_clean", "counter_report_found", "counter_report_clean")
        assert answers(text, reaction_kinds, {"x": "Alpha"}), text
        text = reply(fill_names(words.replace("{n}", "{p}")), seed)
        assert answers(text, ("report_clears", *reaction_kinds), {"x": "Alpha"}), text


@pytest.mark.parametrize("round", [2, 3])
@pytest.mark.parametrize("act", ["companion", "accuse", "vote", "retract"])
def test_players_still_listen_late_in_the_game(act: str, round: int) -> None:
    """At least two of four seeds must react: other accusers may weigh more."""
    case = next(c for c in SAID if c.act == act)
    words = fill_names(case.wordings[round - 2])
    texts = [reply(words, f"late/{i}", round=round) for i in range(4)]
    assert sum(answers(text, case.kinds, {"x": "Alpha"}) for text in texts) > 1, texts


@pytest.mark.parametrize("seed", SEEDS)
def test_player_defends_a_doubted_claim(seed: str) -> None:
    roles = {1: "villager", 2: "seer", 3: "mason", 4: "mason"}
    for words in ("beta is not the seer", "i bet beta isnt the seer", "no way beta is the seer"):
        log = [*log_of(roles, (2, "I'm the Seer."), (1, words)), divination(2, (3, 4), False)]
        text = ask_house(scene_of(log, 2, seed=seed)).answer.action.text
        assert answers(text, ("disbelieved",), {"x": "Alpha"}), text


@pytest.mark.parametrize("seed", SEEDS)
def test_mason_exposes_a_false_partner_without_denying_its_role(seed: str) -> None:
    roles = {1: "villager", 2: "mason", 3: "mason", 4: "seer"}
    log = log_of(roles, (1, "beta and me are the two masons"))
    text = ask_house(scene_of(log, 2, seed=seed)).answer.action.text
    assert answers(text, ("expose_mate",), {"x": "Alpha"}), text
    assert not answers(text, ("deny_partner",), {"x": "Alpha"}), text


def test_question_about_the_votes_gets_their_count() -> None:
    text = reply("Beta, count the votes so far for us.", "listen/0", round=3)
    assert answers(text, ("owed_ballots", "owed_ballots_none"), {"x": "Alpha"}), text
