"""Targets that house players choose for kills, protection, looks and trust."""

from __future__ import annotations

from functools import lru_cache

from agents.decision import Decision
from agents.deduction.likelihoods import collect_clues, infer_roles
from agents.house.doubts import build_doubts
from agents.house.happenings import build_happenings
from agents.house.mindset import Mindset
from agents.house.seat_choice import choose_pick, choose_vote
from game.engine.events import ABSTAIN
from game.engine.windows import Window
from tests.agents.table import SHERIFF, PlayedGame, play

SEEDS = [f"choices/{i}" for i in (*range(6, 14), 33)]


@lru_cache
def games() -> list[PlayedGame]:
    return [play(seed, "sheriff", keep=True) for seed in SEEDS]


def choices_of(kind: str) -> list[tuple[PlayedGame, Decision, int]]:
    """Return (game, decision, target) of every choice of `kind`."""
    return [
        (game, decision, int(thought.answer.action.targets[0]))
        for game in games()
        for decision, thought in game.decisions
        if decision.window.kind == kind and thought.answer.action != ABSTAIN
    ]


def test_games_need_no_fallback_and_each_side_wins_some() -> None:
    assert not [e.labels for game in games() for e in game.log if e.labels]
    assert {game.winner for game in games()} == {"village", "werewolf"}


def test_werewolves_agree_on_a_target_outside_their_team() -> None:
    attacks: dict[tuple[int, int], set[int]] = {}
    for number, game in enumerate(games()):
        for event in game.log:
            if event.kind == "attack":
                night = int(event["window"].split(".")[1])
                attacks.setdefault((number, night), set()).add(event["targets"][0])
                assert game.roles[event["targets"][0]] != "werewolf"
    assert attacks
    assert {len(targets) for targets in attacks.values()} == {1}


def test_seer_does_not_look_at_a_player_twice() -> None:
    looks: dict[int, list[int]] = {}
    for game, _decision, target in choices_of("divination"):
        looks.setdefault(id(game), []).append(target)
    assert max(map(len, looks.values())) > 1
    for targets in looks.values():
        assert len(set(targets)) == len(targets)


def test_seer_skips_a_known_player_even_if_suspected() -> None:
    decision = next(s for _g, s, _t in choices_of("divination") if s.view.state.day > 1)
    mind = Mindset(decision, {})
    (looked_at,) = mind.knowledge.looks[0].targets
    fresh = next(s for s in mind.others if s != looked_at)
    mind.believed[looked_at], mind.believed[fresh] = {"werewolf": 1.0}, {"villager": 1.0}
    assert choose_pick(mind, "learn", [looked_at, fresh]) == fresh


def test_guard_protects_the_seer_after_day_1() -> None:
    protected = [
        (game.roles[target], decision) for game, decision, target in choices_of("protection")
    ]
    later = [role for role, decision in protected if decision.view.state.day > 1]
    assert "seer" in later


def test_most_candidates_elect_themselves_and_werewolves_their_mates() -> None:
    votes = choices_of("election")
    own = []
    for game, decision, target in votes:
        stand = decision.window.options_for(decision.seat)
        mates = [s for s in stand if game.roles[s] == game.roles[decision.seat] == "werewolf"]
        if decision.seat in stand:
            own.append(target == decision.seat)
        elif mates:
            assert target in mates
    assert len(votes) > 20
    assert 0.6 < sum(own) / len(own) < 1


def test_candidate_votes_only_for_a_trusted_rival() -> None:
    decision = next(
        s
        for _g, s, _t in choices_of("election")
        if s.view.role == "villager" and s.seat in s.window.options_for(s.seat)
    )
    stand = [int(s) for s in decision.window.options_for(decision.seat) if s != ABSTAIN]
    rival = next(s for s in stand if s != decision.seat)
    for role, elected in (("villager", rival), ("werewolf", decision.seat)):
        mind = Mindset(decision, {})
        mind.believed = {s: {"werewolf": 0.5, "villager": 0.5} for s in mind.others}
        mind.believed[rival] = {role: 1.0}
        mind.professed = mind.believed
        assert choose_pick(mind, "trust", stand) == elected


def test_voters_mention_next_day_if_they_followed_the_sheriff() -> None:
    kinds = set()
    for game, decision in [(g, d) for g in games() for d, _ in g.decisions]:
        if decision.window.kind != "statement" or decision.view.state.day == 1:
            continue
        mind, day = Mindset(decision, {}), decision.view.state.day - 1
        votes = {e["seat"]: e["targets"][0] for d, e, _ in game.votes if d == day and e["targets"]}
        for move in build_happenings(mind):
            if move.kind.startswith("lead_"):
                kinds.add(move.kind)
                assert votes[mind.me] == move.names["e"]
                advice = move.names["e" if move.kind == "lead_followed" else "d"]
                turns = [s for s in mind.dialogue.statements if s.day == day]
                assert advice in turns[-1].presses()
                if move.kind == "lead_followed":
                    earlier_accusers = {s.seat for s in turns[:-1] if advice in s.presses()}
                    assert mind.me not in earlier_accusers, "it had that name before the Sheriff"
                    kinds.add("led")
    assert kinds == {"lead_followed", "lead_refused", "led"}


def test_voter_repeats_a_vote_against_a_favorite_only_after_a_reason() -> None:
    cases = set()
    for game, decision, _target in choices_of("vote"):
        day = decision.view.state.day
        cast = {int(e["targets"][0]) for d, e, _ in game.votes
                if d < day and e["seat"] == decision.seat and e["targets"]}  # fmt: skip
        for seat in cast & {*decision.window.options_for(decision.seat)}:
            votes = {}
            for favor in (50, 95):
                mind = Mindset(decision, {"favor": {"favor": {str(seat): favor}}})
                mind.professed = {s: {"villager": 1.0} for s in mind.others} | {
                    seat: {"werewolf": 1.0}
                }
                votes[favor] = choose_vote(mind, decision.window.options_for(decision.seat))[0]
            has_reason = mind.dialogue.pressed_by(mind.me).get(seat, -1) >= mind.dialogue.today
            if votes[50] == seat:
                cases.add(has_reason)
                assert (votes[95] == seat) == has_reason
    assert False in cases


def test_doubt_of_a_favorite_mentions_both_liking_and_suspicion() -> None:
    minds = (Mindset(d, {}) for g in games() for d, _ in g.decisions
             if d.window.kind == "statement" and d.view.state.day > 1)  # fmt: skip
    decision, target = next(
        (m.decision, m.target) for m in minds if m.hunted_probability(m.target) > 0.5
    )
    for favor, is_mentioned in ((50, False), (95, True)):
        mind = Mindset(decision, {"favor": {"favor": {str(target): favor}}})
        mind.__dict__["target"] = target
        kinds = {move.kind for move in build_doubts(mind)}
        assert ("despite_liking" in kinds) == is_mentioned


def test_broken_pledge_raises_suspicion_slightly() -> None:
    decision = next(d for d, _ in games()[0].decisions if d.view.role == "villager")
    mind = Mindset(decision, {})
    seat = mind.others[0]
    before = infer_roles(SHERIFF, mind.knowledge, ())[seat]["werewolf"]
    after = infer_roles(SHERIFF, mind.knowledge, (("broke", seat, (1,)),))[seat]["werewolf"]
    assert before < after < 1.3 * before
    talk = [mind for g in games() for d, _ in g.decisions for mind in [Mindset(d, {}).dialogue]]
    broken = [dialogue for dialogue in talk if dialogue.broken_pledges]
    assert broken
    for dialogue in broken:
        for (day, voter), (pledged, voted) in dialogue.broken_pledges.items():
            assert ("broke", voter, (day,)) in collect_clues(dialogue)
            assert pledged != voted == dialogue.course.first_votes(day)[voter]


def test_pseudo_vote_never_names_oneself_or_a_defensible_mate() -> None:
    """A Werewolf names its mate only if that mate is lost."""
    for game, decision, target in choices_of("pseudo_vote"):
        both = {game.roles[decision.seat], game.roles[target]}
        assert both != {"werewolf"} or Mindset(decision, {}).is_given_up(target)
        assert target != decision.seat


def test_voter_abstains_if_all_candidates_are_distrusted() -> None:
    decision = next(s for _g, s, _t in choices_of("election") if s.view.role == "villager")
    mind = Mindset(decision, {})
    candidates = [s for s in mind.others if s != mind.me]
    for seat in candidates:
        mind.believed[seat] = {"werewolf": 0.9, "villager": 0.1}
    mind.professed = mind.believed
    assert choose_pick(mind, "trust", candidates) == 0
    mind.believed[candidates[1]] = {"villager": 1.0}
    assert choose_pick(mind, "trust", candidates) == candidates[1]


def test_every_single_player_choice_declares_its_purpose() -> None:
    """A choice without a purpose would be drawn by lot."""
    for game in games():
        for decision, _ in game.decisions:
            window: Window = decision.window
            names_seats = window.legal.name == "pick" and isinstance(
                window.options_for(decision.seat)[0], int
            )
            assert not names_seats or decision.ruleset.wording.window(window.kind).picks
