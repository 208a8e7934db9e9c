"""People are heard: whoever is addressed or meant shows it in its next words."""

from __future__ import annotations

from functools import cache

import pytest

from game.engine.forms import say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.hearing import SAID, Heard, answers
from tests.agents.table import NAMES, ask_house, divined, log_of, play, scene_of

SEEDS = ("listen/0", "listen/1", "listen/2")
CASES = [(case, i) for case in SAID for i in range(3)]


class Answered(Exception):
    """There is a reply: the game may be left."""


@cache
def reply(words: str, seed: str = "listen/0", speaker: int = 1, round: int = 1) -> str:
    """What the seat after `speaker` says right after it said `words` in `round`.

    Its other statements tell nothing.
    """
    said: list[str] = []

    def person(view: View, window: Window) -> Answer | None:
        if window.kind != "statement":
            return None
        statements = [e for e in view.events if e.kind == "statement" and e.data.get("text")]
        if said and statements[-1]["seat"] == speaker + 1:
            raise Answered(statements[-1]["text"])
        if view.seat != speaker:
            return None
        if view.state.round == round:
            said.append(words)
            return Answer(say(words))
        return Answer(say("hm, let me hear the others first"))

    try:
        play(seed, person=person, method="baseline")
    except Answered as found:
        return str(found)
    raise AssertionError("nobody answered")


def worded(text: str, speaker: int = 1) -> str:
    n, o, p = (NAMES[(speaker + i) % 8] for i in range(3))
    return text.format(n=n.lower(), o=o.lower(), p=p)


@pytest.mark.parametrize(("case", "i"), CASES, ids=[f"{c.act} {i}" for c, i in CASES])
def test_whoever_is_meant_shows_that_it_understood(case: Heard, i: int) -> None:
    words = worded(case.wordings[i])
    text = reply(words, SEEDS[i])
    assert answers(text, case.kinds, {"x": "Alpha"}), f"{SEEDS[i]}: {words} -> {text}"


@pytest.mark.parametrize("case", SAID, ids=[c.act for c in SAID])
def test_without_the_words_there_is_no_such_reply(case: Heard) -> None:
    for seed in SEEDS:
        text = reply("what a lovely morning", seed)
        assert not answers(text, case.kinds, {"x": "Alpha"}), text


MASONS = ("listen/93", "listen/98", "listen/128")  # Alpha and Beta are the Masons


@pytest.mark.parametrize("seed", MASONS)
def test_a_fellow_mason_confirms_what_anybody_else_denies(seed: str) -> None:
    for words in next(case for case in SAID if case.act == "companion").wordings:
        text = reply(worded(words), seed)
        assert answers(text, ("confirm_mate",), {"x": "Alpha"}), text
        text = reply(worded(words), SEEDS[1])
        assert answers(text, ("deny_partner",), {"x": "Alpha"}), text


@pytest.mark.parametrize("seed", SEEDS)
def test_whoever_is_cleared_and_whoever_hears_of_it_says_something_of_it(seed: str) -> None:
    for words in (
        "i'm the seer, i checked {n} and {o} and both are clean",
        "seer here. checked {n} + {o}, neither is the wolf",
        "last night i looked at {n} and {o}. neither is the werewolf",
    ):
        text = reply(worded(words), seed)
        seen = ("thanks_clean", "counter_report_found", "counter_report_clean")
        assert answers(text, seen, {"x": "Alpha"}), text
        text = reply(worded(words.replace("{n}", "{p}")), seed)
        assert answers(text, ("report_clears", *seen), {"x": "Alpha"}), text


@pytest.mark.parametrize("round", [2, 3])
@pytest.mark.parametrize("act", ["companion", "accuse", "vote", "question", "retract"])
def test_late_in_the_game_they_still_listen(act: str, round: int) -> None:
    """Mostly: then one may be pressed by others who weigh more."""
    case = next(c for c in SAID if c.act == act)
    words = worded(case.wordings[round - 2])
    texts = [reply(words, f"late/{i}", round=round) for i in range(4)]
    assert sum(answers(text, case.kinds, {"x": "Alpha"}) for text in texts) > 1, texts


@pytest.mark.parametrize("seed", SEEDS)
def test_a_claim_that_is_doubted_is_stood_by(seed: str) -> None:
    roles = {1: "villager", 2: "seer", 3: "mason", 4: "mason"}
    for words in ("beta is not the seer", "i bet beta isnt the seer", "no way beta is the seer"):
        log = [*log_of(roles, (2, "I'm the Seer."), (1, words)), divined(2, (3, 4), False)]
        text = ask_house(scene_of(log, 2, seed=seed)).answer.action.text
        assert answers(text, ("disbelieved",), {"x": "Alpha"}), text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mason_that_is_called_anothers_partner_exposes_it_and_denies_nothing(seed: str) -> None:
    roles = {1: "villager", 2: "mason", 3: "mason", 4: "seer"}
    log = log_of(roles, (1, "beta and me are the two masons"))
    text = ask_house(scene_of(log, 2, seed=seed)).answer.action.text
    assert answers(text, ("expose_mate",), {"x": "Alpha"}), text
    assert not answers(text, ("deny_partner",), {"x": "Alpha"}), text
