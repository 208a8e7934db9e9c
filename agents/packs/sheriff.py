"""The pack of the game with a Sheriff."""

from __future__ import annotations

from agents import language
from agents.packs import PackData

# Seed strategies, in our own words: the paper gives none.
WAYS: dict[str, tuple[str, ...]] = {
    "seer": (
        "say at once whom you looked at, so that the village has it before you are killed",
        "wait with your role until you have found a Werewolf, and steer the vote till then",
        "tell the Guard between the lines that you are worth protecting",
        "where somebody else claims the Seer, say that it is a Werewolf",
    ),
    "guard": (
        "pass for a Villager, so that the Werewolves don't look for you",
        "protect whoever claims the Seer and is believed",
        "say what you are only where you would be voted out otherwise",
    ),
    "villager": (
        "compare what each says today with what they said before, and name what does not fit",
        "look at who voted with whom, and say who spares whom",
        "press those who follow every suspicion and begin none",
        "ask the Sheriff for reasons, and follow the Sheriff only where they hold",
    ),
    "werewolf": (
        "pass for a Villager, vote with the others, and never with your partner alone",
        "pass for the Seer and name one of the village a Werewolf",
        "get elected, be fair in small things, and use the last word when it counts",
        "doubt your partner a little where it costs nothing",
    ),
}

PHRASES = language.pack("sheriff")
PACK = PackData(
    win_shares={"village": 0.51, "werewolf": 0.49},
    words={
        "seer": ("fortune teller", "clairvoyant"),
        "guard": ("bodyguard", "body guard", "gaurd"),
        "villager": (
            *("town", "townie", "townsfolk", "townsperson", "vanilla"),
            *("vil", "vill", "villa", "villie", "villy", "vt"),
        ),
        "werewolf": (),
    },
    deeds=(
        *("guard", "guarded", "guarding", "protect", "protected", "protecting", "save", "saved"),
        *("saving", "watch over", "watched over", "shield", "shielded", "defended at night"),
    ),
    badge=("sheriff", "sherif", "sherrif", "sherriff", "badge"),
    claims={
        "villager": {"villager": 0.8, "guard": 0.7, "seer": 0.1, "werewolf": 0.68},
        "guard": {"guard": 0.2, "werewolf": 0.06},
    },
    poses={
        "guard": (("villager", 6), ("guard", 1)),
        "werewolf": (("villager", 8), ("seer", 2)),
    },
    when={"seer": (2, 5, 3), "guard": (0, 1, 4), "villager": (3, 3, 2)},
    strategy_seeds=WAYS,
    phrases=PHRASES.phrases,
    blocks=PHRASES.blocks,
    kinds={
        "looker": "seer",
        "lookers": "seers",
        "plain": "villager",
        "plains": "villagers",
        "keeper": "guard",
    },
    figures={"lead": 0.3, "distance": 0.35},
    even_ends=True,
)
