"""The one-night game's pack."""

from __future__ import annotations

from agents import language
from agents.packs import PackData

# Seed strategies. The paper prints the Seer's (its Table 14) and names two others, a Werewolf that
# hides and a Minion that poses as the Werewolf (2.4); a Tanner that says it is the Werewolf is
# among its examples of a twist (Table 16). The others are ours, and all are in our own words.
WAYS: dict[str, tuple[str, ...]] = {
    "seer": (
        "say early that you are the Seer and what you saw, so that the village can use it",
        "keep your role to yourself and steer the talk by what you know",
        "take the risk of passing for a Villager, watch who gives itself away, and tell at the end",
        "where somebody else claims the Seer, say that it is the Werewolf or of its team",
    ),
    "mason": (
        "name your partner early, so that the village has two whom it can trust",
        "stay hidden and see who claims to be a Mason falsely",
        "vouch for your partner without saying why, and say it only when one of you is in danger",
    ),
    "villager": (
        "say that you are a Villager and ask the silent ones where they stand",
        "compare the claims and press whoever contradicts itself",
        "back the Seer whose report fits the talk, and say why",
        "draw out whoever avoids taking sides, and hold everyone to what they said before",
    ),
    "werewolf": (
        "pass for a Villager and follow the strongest suspicion against somebody else",
        "pass for the Seer with a look that fits the table, and accuse an opponent",
        "pass for a Mason where nobody can object",
        "be the one who asks the good questions, and let others do the accusing",
    ),
    "minion": (
        "pass for the Werewolf, by a slip or a bad lie, so that the votes fall on you",
        "pass for the Seer and contradict the true one's report",
        "draw suspicion onto one of the village and away from the likeliest Werewolf",
    ),
    "tanner": (
        "pass for the Werewolf: be caught in a lie, evade, accuse without reason",
        "say outright that you are the Werewolf, and let them wonder",
        "claim a role that its true holder is sure to dispute",
        "evade straight questions at the wrong moment, without ever asking for votes",
    ),
}

PHRASES = language.pack("one_night")
PACK = PackData(
    win_shares={"village": 0.396, "werewolf": 0.533, "tanner": 0.071},
    words={
        "seer": ("fortune teller", "clairvoyant"),
        "mason": (),
        "villager": (
            *("town", "townie", "townsfolk", "townsperson", "vanilla"),
            *("vil", "vill", "villa", "villie", "villy", "vt"),
        ),
        "werewolf": (),
        "minion": (),
        "tanner": ("jester",),
    },
    claims={
        "tanner": {"tanner": 0.15, "werewolf": 0.2, "minion": 0.08},
        "werewolf": {"werewolf": 0.3, "tanner": 0.3, "minion": 0.1},
        "minion": {"minion": 0.1, "werewolf": 0.15, "tanner": 0.1},
    },
    changed={"tanner": 0.6},
    poses={"tanner": (("mason", 6), ("none", 4), ("turncoat", 2))},
    baits=("tanner",),
    figures={"speaks": 0.8, "bait": 0.6},
    strategy_seeds=WAYS,
    phrases=PHRASES.phrases,
    blocks=PHRASES.blocks,
    kinds={
        "looker": "seer",
        "lookers": "seers",
        "mate": "mason",
        "mates": "masons",
        "fellow": "mate",
        "plain": "villager",
        "plains": "villagers",
        "bait": "tanner",
    },
)
