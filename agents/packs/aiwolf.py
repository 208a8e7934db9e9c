"""The pack of the contest's games with five and thirteen players."""

from __future__ import annotations

from agents.language import idioms
from agents.packs import PackData

# Seed strategies, in our own words.
WAYS: dict[str, tuple[str, ...]] = {
    "seer": (
        "say at once whom you looked at and what you saw, so that the village has it",
        "wait with your role until you have found a Werewolf or somebody else claims it",
        "where somebody else claims the Seer, say that it is the Possessed or a Werewolf, and why",
    ),
    "medium": (
        "tell each morning what the player who was voted out was",
        "use your result to say which of two Seers can't be true",
    ),
    "bodyguard": (
        "pass for a Villager, so that the Werewolves don't look for you",
        "protect whoever claims the Seer and is believed",
        "say what you are only where you would be voted out otherwise",
    ),
    "villager": (
        "compare the results that are told, and name what can't be true together",
        "where several claim the Seer, have all of them look at the same player, or vote them out"
        " one after the other",
        "press those who follow every suspicion and begin none",
        "look at who voted with whom, and say who spares whom",
    ),
    "possessed": (
        "claim the Seer on the first day and call somebody of the village a Werewolf",
        "say that whoever else claims the Seer lies, and stay with one story",
        "defend whoever may be a Werewolf, never openly",
    ),
    "werewolf": (
        "pass for a Villager, and vote with the others",
        "claim the Seer where nobody has, and clear whom you want on your side",
    ),
}
PARTNERS = {
    "werewolf": (
        "turn suspicion from a partner to somebody else, so that nobody sees that you belong"
        " together",
        "agree in the whisper on whom to kill and on who claims which role",
        "leave a partner who is lost",
    ),
}

PACK = PackData(
    win_shares={"village": 0.54, "werewolf": 0.46},  # of five seats and of thirteen
    idioms=idioms("aiwolf"),
    words={
        "seer": ("fortune teller", "clairvoyant", "diviner", "prophet"),
        "medium": ("psychic", "shaman"),
        "bodyguard": ("body guard", "guard", "knight", "bg"),
        "villager": (
            *("town", "townie", "townsfolk", "townsperson", "vanilla"),
            *("vil", "vill", "villa", "villie", "villy", "vt"),
        ),
        "possessed": ("madman", "lunatic", "traitor"),
        "werewolf": (),
    },
    deeds=(
        *("guarded", "guarding", "protect", "protected", "protecting", "save", "saved"),
        *("saving", "watch over", "watched over", "shield", "shielded", "defended at night"),
    ),
    claims={
        "seer": {"seer": 0.85, "possessed": 0.6, "werewolf": 0.15},
        "medium": {"medium": 0.6, "possessed": 0.05, "werewolf": 0.03},
        "villager": {"villager": 0.7, "bodyguard": 0.6, "possessed": 0.3, "werewolf": 0.65},
        "bodyguard": {"bodyguard": 0.1, "werewolf": 0.03},
        "possessed": {"possessed": 0.3, "werewolf": 0.05},
    },
    poses={
        "bodyguard": (("villager", 1),),
        "possessed": (("seer", 8), ("medium", 1), ("villager", 1)),
        "werewolf": (("villager", 8), ("seer", 1)),
    },
    when={"seer": (1, 8, 1), "medium": (0, 2, 6), "villager": (3, 3, 2)},
    strategy_seeds=WAYS,
    partner_seeds=PARTNERS,
    figures={"distance": 0.6, "block": 0.06, "pressed_mate": 0.45, "voted_mate": 0.6},
    even_ends=True,
)
