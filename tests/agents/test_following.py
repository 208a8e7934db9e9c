"""Followers, who repeat others' accusations: how house players judge and imitate them."""

from __future__ import annotations

from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.house.mindset import Mindset
from agents.house.seat_choice import choose_vote
from agents.packs import pack_of
from agents.talk.dialogue import Dialogue
from game.engine import rulesets
from tests.agents.contest_scene import scene
from tests.agents.contest_scene import statement_events as line

PACK = pack_of(rulesets.get("aiwolf-13"))
HUGO, JONAS, LEVI = 8, 10, 12  # accused players of `scene`'s table


def suspicions(*statements: tuple[int, str], known_wolf: int = 0) -> dict[int, float]:
    """Return the werewolf probability by seat, as Villager seat 1 infers it from `statements`."""
    events = [event for seat, text in statements for event in line(seat, text)]
    view = scene(1, "villager", *events).view
    clues = collect_clues(Dialogue.of(view, PACK))
    knowledge = Knowledge.of(view, PACK)
    if known_wolf:
        roles = (*knowledge.roles, (known_wolf, "werewolf"))
        knowledge = Knowledge(knowledge.seat, roles, living=knowledge.living)
    return {s: row["werewolf"] for s, row in infer_roles(PACK, knowledge, clues).items()}


def test_only_the_first_accuser_of_a_werewolf_gains_trust() -> None:
    accusations = [(seat, "I suspect Levi.") for seat in (7, 8, 9)]
    chances = suspicions(*accusations, known_wolf=LEVI)
    assert chances[7] < 0.6 * chances[8]
    assert chances[8] == chances[9] == max(chances[s] for s in range(2, 12))
    late = suspicions(*accusations, (7, "I vote for Levi."), known_wolf=LEVI)
    assert late[7] == chances[7]  # it was the first accuser


def test_announced_vote_binds_a_villager_more_than_a_werewolf() -> None:
    words = {}
    for role, mates in (("werewolf", "Levi Mina"), ("villager", "")):
        for text in ("I suspect Jonas.", "I vote for Jonas."):
            decision = scene(3, role, *line(3, text), kind="vote", mates=mates)
            _target, weighed = choose_vote(Mindset(decision, {}), range(1, 14))
            words[role, text[:6]] = weighed[str(JONAS)]["word"]
    gains = {
        role: words[role, "I vote"] - words[role, "I susp"] for role in ("werewolf", "villager")
    }
    assert 0 < gains["werewolf"] < gains["villager"]


def test_follower_is_suspected_more_with_every_statement() -> None:
    talk = [(7, "I suspect Levi."), (9, "I suspect Levi. I vote for Levi.")]
    bare = (11, "I vote for Levi.")
    chances = [suspicions(*talk, *[bare] * n)[11] for n in range(4)]
    assert chances[1] < chances[2] < chances[3]
    assert chances[3] > 1.2 * chances[0]
    claimant = suspicions(*talk, (11, "I'm a Villager."), bare, bare)[11]
    only_claim = suspicions(*talk, (11, "I'm a Villager."))[11]
    assert claimant > 1.2 * only_claim


def test_one_original_statement_ends_follower_status() -> None:
    talk = [(7, "I suspect Levi."), (9, "I suspect Levi. I vote for Levi.")]
    votes = [(11, "I vote for Levi.")] * 2
    follower = suspicions(*talk, *votes)[11]
    for own in ("I suspect Finn.", "I trust Greta.", "Jonas, what is your role?"):
        assert suspicions(*talk, *votes, (11, own))[11] < 0.95 * follower, own
    first = suspicions((11, "I vote for Levi."), (11, "I vote for Levi."), *talk)[11]
    assert first < 0.95 * follower


def test_werewolf_votes_for_the_player_most_others_want_out() -> None:
    """A Villager in the same position weighs the majority less."""
    events = [*line(3, "I suspect Jonas. I vote for Jonas."), *line(4, "I suspect Mina.")]
    for seat in (5, 7, 9, 11):
        events += line(seat, "I vote for Hugo.")
    votes = {}
    for role, mates in (("werewolf", "Levi Mina"), ("villager", "")):
        decision = scene(3, role, *events, kind="vote", mates=mates)
        target, weighed = choose_vote(Mindset(decision, {}), range(1, 14))
        votes[role] = target, weighed[str(HUGO)]["word"]
    assert votes["werewolf"][0] == HUGO
    assert votes["werewolf"][1] > 1.5 * votes["villager"][1]
