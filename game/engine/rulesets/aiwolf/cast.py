"""The teams, the roles and the two decks of the contest's games."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from game.engine.roles import IntroPicture, Look, Role, Team
from game.engine.wording import gettext_noop as _

HUMAN, WOLF = "human", "werewolf"  # the two species
NAMES = (
    *("Arlo", "Bram", "Cleo", "Dara", "Ezra", "Finn", "Greta"),
    *("Hugo", "Iris", "Jonas", "Kira", "Levi", "Mina"),
)


@dataclass(frozen=True)
class Cast:
    """What one size of the game declares."""

    name: str
    title: str
    summary: str
    deck: tuple[str, ...]
    passes: int  # the contest's cap on the passes of a day's talk


CASTS = {
    5: Cast(
        "aiwolf-5",
        _("The small village"),
        _("Five players: a Seer, a Werewolf, and one who secretly helps it. About ten minutes."),
        ("seer", "villager", "villager", "possessed", "werewolf"),
        passes=20,
    ),
    13: Cast(
        "aiwolf-13",
        _("The large village"),
        _("Thirteen players, three Werewolves who whisper at night. About an hour."),
        (*("seer", "medium", "bodyguard"), *("villager",) * 6, "possessed", *("werewolf",) * 3),
        passes=52,
    ),
}

TEAMS = (
    Team(
        "village",
        _("the village"),
        _("No Werewolf is left."),
        _("Find every Werewolf and vote them out."),
        "Take whoever you think most likely to be a Werewolf. Each Werewolf who is voted out brings"
        " the village nearer to winning; each other player brings the Werewolves nearer.",
    ),
    Team(
        "werewolf",
        _("the werewolf team"),
        _("At least as many Werewolves as humans are left."),
        _("Bring the Werewolves level with the humans."),
        "Do what serves your side best: every human who is voted out brings the Werewolves nearer"
        " to winning. Vote with those who suspect somebody of the village.",
    ),
)

_SPECIES = ((WOLF, ("werewolf",)), (HUMAN, ()))
_ROLES = (
    Role(
        "seer",
        _("Seer"),
        "village",
        _("Looks at one other player each night and learns whether they are a Werewolf or human."),
        look=Look("divined", 1, _SPECIES, field="species"),
    ),
    Role(
        "medium",
        _("Medium"),
        "village",
        _("Learns each morning whether the player who was voted out was a Werewolf or human."),
        look=Look("identified", 1, _SPECIES, field="species", is_of_exiled=True),
    ),
    Role(
        "bodyguard",
        _("Bodyguard"),
        "village",
        _("Protects one other player each night: that player can’t be killed."),
    ),
    Role("villager", _("Villager"), "village", _("Knows nothing but their own role.")),
    Role(
        "possessed",
        _("Possessed"),
        "werewolf",
        _(
            "Is human and wins with the Werewolves, without knowing who they are. The Seer sees a"
            " human."
        ),
        "You are human, and your side wins with the Werewolves, whom you don't know: vote for"
        " one who is probably of the village and whom others suspect as well.",
    ),
    Role(
        "werewolf",
        _("Werewolf"),
        "werewolf",
        _("Kills with the other Werewolves at night, and knows who they are."),
        knows="role",
        is_hunted=True,
    ),
)

# Key of a team or role -> field -> text, for a deck with one Werewolf.
_LONE_TEAMS: dict[str, dict[str, Any]] = {
    "village": {
        "goal": _("Find the Werewolf and vote that player out."),
        "vote": "Take whoever you think most likely to be the Werewolf. If that player is the"
        " Werewolf, the village wins at once; anybody else brings the Werewolf nearer to winning.",
    },
    "werewolf": {
        "goal": _("See to it that the Werewolf is left with one human at most."),
        "vote": "Do what serves your side best: every human who is voted out brings the Werewolf"
        " nearer to winning. Vote with those who suspect somebody of the village.",
    },
}
_LONE_ROLES: dict[str, dict[str, Any]] = {
    "possessed": {
        "does": _(
            "Counts as human and wins with the Werewolf, without knowing who it is. The Seer sees a"
            " human."
        ),
        "vote": "You are human, and your side wins with the Werewolf, whom you don't know: vote for"
        " one who is probably of the village and whom others suspect as well.",
    },
    "werewolf": {"does": _("Kills one player each night. Nobody else is a Werewolf.")},
}


def roles_of(deck: Sequence[str]) -> tuple[Role, ...]:
    """Return the roles in the deck, with the texts for one Werewolf if the deck holds one."""
    texts = _LONE_ROLES if deck.count("werewolf") == 1 else {}
    return tuple(replace(r, **texts.get(r.key, {})) for r in _ROLES if r.key in deck)


def teams_of(deck: Sequence[str]) -> tuple[Team, ...]:
    """Return the teams, with the texts for one Werewolf if the deck holds one."""
    texts = _LONE_TEAMS if deck.count("werewolf") == 1 else {}
    return tuple(replace(team, **texts.get(team.key, {})) for team in TEAMS)


def intro_of(deck: Sequence[str]) -> list[IntroPicture]:
    """Return the introduction: four pictures with texts."""
    figures = {"players": len(deck), "werewolves": deck.count("werewolf")}
    is_large = "medium" in deck
    return [
        IntroPicture(
            "cards",
            _("A secret role"),
            _(
                "{players} players get one card each, and {werewolves} of them are Werewolves."
                " One human, the Possessed, is secretly on their side."
            )
            if is_large
            else _(
                "{players} players get one card each, and one of them is the Werewolf. One"
                " human, the Possessed, is secretly on its side."
            ),
            figures,
        ),
        IntroPicture(
            "speech",
            _("Day"),
            _(
                "You speak in turn, up to four times a day. You may say anything, or finish"
                " for the day. Write @ and a name to address a player."
            ),
        ),
        IntroPicture(
            "vote",
            _("The vote"),
            _("Everyone votes at the same time. The player with the most votes is voted out."),
        ),
        IntroPicture(
            "night",
            _("Night"),
            _(
                "The Werewolves whisper and choose whom to kill. The Seer looks at one player,"
                " and the Bodyguard protects one."
            )
            if is_large
            else _("The Werewolf chooses whom to kill, and the Seer looks at one player."),
        ),
    ]
