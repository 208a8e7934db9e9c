"""The teams, the roles and the deck of the game with a Sheriff."""

from game.engine.roles import IntroPicture, Look, Role, Team
from game.engine.wording import gettext_noop as _

DECK = ("seer", "guard", "villager", "villager", "villager", "werewolf", "werewolf")
TEAMS = (
    Team(
        "village",
        _("the village"),
        _("No Werewolf is left."),
        _("Find both Werewolves and vote them out."),
        "Take whoever you think most likely to be a Werewolf.",
    ),
    Team(
        "werewolf",
        _("the werewolf team"),
        _("At least as many Werewolves as other players are left."),
        _("Stay alive until half of the remaining players are Werewolves."),
        "Do what serves your side best: every player of the village who is voted out brings the"
        " Werewolves nearer to winning, and a day on which nobody goes costs them nothing.",
    ),
)
ROLES = (
    Role(
        "seer",
        _("Seer"),
        "village",
        _("Looks at one other player each night and learns their exact role."),
        look=Look(
            "divined",
            1,
            (("werewolf", ("werewolf",)), ("guard", ("guard",)), ("villager", ("villager",))),
            field="role",
        ),
    ),
    Role("villager", _("Villager"), "village", _("Knows nothing but their own role.")),
    Role(
        "guard",
        _("Guard"),
        "village",
        _("Protects one player each night, perhaps themselves: that player can’t be killed."),
    ),
    Role(
        "werewolf",
        _("Werewolf"),
        "werewolf",
        _("Knows the other Werewolf. At night they kill a player if both choose the same one."),
        knows="role",
        is_hunted=True,
    ),
)
INTRO = [
    IntroPicture(
        "cards",
        _("A secret role"),
        _(
            "{players} players get one card each. Only you see yours; the two Werewolves know"
            " each other."
        ),
        {"players": len(DECK)},
    ),
    IntroPicture(
        "night",
        _("Night"),
        _(
            "The Werewolves choose whom to kill, the Seer looks at one player, and the Guard"
            " protects one. In the morning you hear who died."
        ),
    ),
    IntroPicture(
        "badge",
        _("The Sheriff"),
        _(
            "On the first day the village elects a Sheriff, who decides who speaks first "
            "and always speaks last. A Sheriff who dies passes the badge to another player."
        ),
    ),
    IntroPicture(
        "speech", _("Day"), _("Everyone speaks once. You may say anything: the truth, or a lie.")
    ),
    IntroPicture(
        "vote",
        _("The vote"),
        _(
            "Everyone votes at the same time. The player with the most votes is voted out; "
            "in a tie, no one is. Then night falls again."
        ),
    ),
]
