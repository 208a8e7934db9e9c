"""Packs derived from a ruleset: parts of roles, looks of any shape, generic phrases."""

from __future__ import annotations

from copy import copy
from functools import cache
from itertools import permutations

import pytest

from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.packs import Pack, PackData, Result, pack_of
from agents.talk.dialogue import Dialogue
from agents.understanding.understand import understand
from game.engine import rulesets, visibility
from game.engine.declarations import Look, Role
from tests.agents.table import ONE_NIGHT, PlayedGame, log_of, play
from tests.two_days import TwoDays

TWO_DAYS = pack_of(rulesets.get("two-days"))


class Sages(TwoDays):
    """A ruleset with a look at three players, three possible results and no plain role."""

    name = "sages"
    deck = ("sage", "twin", "twin", "werewolf", "familiar", "hermit")
    seat_names = ("Ann", "Ben", "Cid", "Dot", "Eve", "Fay")
    default_role = ""
    teams = TwoDays.teams
    roles = (
        Role(
            "sage",
            "Sage",
            "village",
            "",
            look=Look("seen", 3, (("fur", ("werewolf",)), ("smoke", ("familiar",)), ("air", ()))),
        ),
        Role("twin", "Twin", "village", "", knows="role"),
        Role("werewolf", "Werewolf", "werewolf", "", is_hunted=True),
        Role("familiar", "Familiar", "werewolf", ""),
        Role("hermit", "Hermit", "hermit", ""),
    )


SAGES = Pack(Sages(), PackData())


def test_every_role_has_a_part() -> None:
    assert ONE_NIGHT.parts == {
        "seer": "looker",
        "mason": "mate",
        "villager": "plain",
        "werewolf": "wolf",
        "minion": "helper",
        "tanner": "loner",
    }
    assert TWO_DAYS.parts == {"augur": "looker", "villager": "plain", "werewolf": "wolf"}
    assert set(SAGES.parts.values()) == {"looker", "mate", "wolf", "helper", "loner"}


def test_ruleset_keeps_its_pack_among_many_others() -> None:
    """Caches and comparisons use the identity of the pack."""
    pack = pack_of(ONE_NIGHT.ruleset)
    for _ in range(40):
        pack_of(copy(ONE_NIGHT.ruleset))
    assert pack_of(ONE_NIGHT.ruleset) is pack


def test_look_result_reveals_a_role() -> None:
    assert ONE_NIGHT.revealed_role(Result("seer", (1, 2), "clean")) == ("werewolf", False)
    assert TWO_DAYS.revealed_role(Result("augur", (1,), "werewolf")) == ("werewolf", True)
    assert SAGES.revealed_role(Result("sage", (1, 2, 3), "smoke")) == ("familiar", True)
    assert SAGES.revealed_role(Result("sage", (1, 2, 3), "air")) == ("", True)
    accusing = [v for v, _ in Sages.roles[0].look.answers if SAGES.accuses(Result("sage", (), v))]
    assert accusing == ["fur"]


@pytest.mark.parametrize("value", ["fur", "smoke", "air"])
def test_look_of_any_shape_agrees_with_brute_force(value: str) -> None:
    """Seat 1 is the Sage and has looked at seats 2, 4 and 5."""
    look = SAGES.look("sage")
    matching_deals = [
        deal
        for deal in set(permutations(Sages.deck))
        if deal[0] == "sage" and look.answer_for(deal[s - 1] for s in (2, 4, 5)) == value
    ]
    knowledge = Knowledge(1, ((1, "sage"),), (Result("sage", (2, 4, 5), value),))
    table = infer_roles(SAGES, knowledge, ())
    for seat, role in ((2, "werewolf"), (3, "familiar"), (5, "twin")):
        probability = sum(deal[seat - 1] == role for deal in matching_deals) / len(matching_deals)
        assert table[seat][role] == pytest.approx(probability), seat


def test_report_is_weighed_by_the_deals_that_make_it_true() -> None:
    """A viewer who believes Ben's claim also believes his report."""
    for value, is_accusing in (("fur", True), ("air", False)):
        report = ("report", 2, ("sage", value, 3, 4, 5))
        before = infer_roles(SAGES, Knowledge(1, ((1, "familiar"),)), ())
        after = infer_roles(
            SAGES, Knowledge(1, ((1, "familiar"),)), (("claim", 2, ("sage",)), report)
        )
        wolf = [sum(t[s]["werewolf"] for s in (3, 4, 5)) for t in (before, after)]
        assert (wolf[1] > wolf[0] + 0.1) == is_accusing
        assert (wolf[1] < wolf[0] - 0.1) != is_accusing


def test_claim_is_weighed_by_the_part_of_its_role() -> None:
    """Liars usually claim a plain role, so a claimant of the look is probably its holder."""
    knowledge = Knowledge(1, ((1, "twin"),))
    sage = infer_roles(SAGES, knowledge, (("claim", 2, ("sage",)),))[2]
    assert sage["sage"] > 0.4 > sage["familiar"] > sage["werewolf"]
    twin = infer_roles(SAGES, knowledge, (("claim", 2, ("twin",)),))[2]
    assert twin["twin"] > 0.5


@cache
def games() -> list[PlayedGame]:
    return [play(f"packs/{i}", "two-days", method="baseline", keep=True) for i in range(8)]


def test_ruleset_without_phrases_gets_all_necessary_statements() -> None:
    """All kinds of statements occur, are understood, and true looks are reported correctly."""
    acts_seen, true_reports = set(), 0
    for game in games():
        omens = {(e["seat"], *e["targets"], e["found"]) for e in game.log if e.kind == "omen"}
        for decision, thought in game.decisions:
            action = thought.answer.action
            if not action.text:
                continue
            acts = understand(action.text, decision.seat, decision.view.state.seats, 0, TWO_DAYS)
            acts_seen |= {(a.kind, a.role) for a in acts}
            reports = [a for a in acts if a.kind == "report"]
            if decision.view.role == "augur":
                for act in reports:
                    assert (decision.seat, *act.targets, act.value == "werewolf") in omens
                    true_reports += 1
            if decision.view.state.day == 1:
                assert not reports, "there is no look before the first night"
    kinds = {kind for kind, _role in acts_seen}
    assert kinds >= {"claim", "report", "suspect", "vote", "question", "defend"}
    assert {role for kind, role in acts_seen if kind == "claim"} == {"augur", "villager"}
    assert true_reports


def test_werewolves_do_not_vote_for_known_allies() -> None:
    votes = [
        (decision, thought.answer.action.targets[0])
        for game in games()
        for decision, thought in game.decisions
        if decision.window.kind == "vote" and decision.view.role == "werewolf"
    ]
    votes_for_allies = [(s, t) for s, t in votes if s.view.state.roles.get(t) == "werewolf"]
    avoidable = [s for s, _t in votes_for_allies if len(s.window.options_for(s.seat)) > 1]
    assert len(votes) > 10
    assert not avoidable


def test_report_about_too_few_players_is_ignored() -> None:
    log = log_of({}, (1, "I'm the Seer. I looked at Beta, and Beta is the Werewolf."))
    dialogue = Dialogue.of(visibility.view_of(log, visibility.seat(2)), ONE_NIGHT)
    assert not dialogue.reports
    assert not [clue for clue in collect_clues(dialogue) if clue[0] == "report"]


@pytest.mark.parametrize("name", rulesets.names())
def test_plain_role_is_the_most_common_role(name: str) -> None:
    """Hiding players claim the plain role, so several players must hold it."""
    assert pack_of(rulesets.get(name)).plain_role == "villager"
