"""What a table may choose. The defaults are the paper's homogeneous game with an election."""

from __future__ import annotations

from game.engine.roles import Setting
from game.engine.rulesets.sheriff.cast import DECK, ROLES
from game.engine.wording import gettext_noop

_ = gettext_noop
PERSON = "person"  # whoever is a person is the Sheriff
PASSES, ENDS = "passes", "ends"

SETTINGS = (
    Setting(
        "election",
        _("Elect the Sheriff"),
        _("Otherwise the Sheriff is drawn in secret at the start and named on the first day."),
        True,
    ),
    Setting(
        "candidates",
        _("Candidates"),
        _("How many players are drawn to stand for Sheriff."),
        3,
        least=1,
        most=len(DECK),
        needs=("election", True),
    ),
    Setting(
        "must_elect",
        _("Play on only if this seat is elected"),
        _("The player in this seat always stands. If somebody else is elected, the game ends."),
        0,
        most=len(DECK),
        needs=("election", True),
    ),
    Setting(
        "first_sheriff",
        _("Who is the Sheriff"),
        _("Who can be drawn, where nobody is elected."),
        "anybody",
        choices=(
            ("anybody", _("anybody")),
            *((role.key, role.name) for role in ROLES),
            (PERSON, _("a person")),
        ),
        needs=("election", False),
    ),
    Setting(
        "sheriff_seat",
        _("The Sheriff's seat"),
        _("This seat has the badge from the first day on; 0: it is drawn."),
        0,
        most=len(DECK),
        needs=("election", False),
    ),
    Setting(
        "people_lead",
        _("People can be the Sheriff"),
        _("Otherwise people neither stand for Sheriff nor get the badge from another Sheriff."),
        True,
    ),
    Setting(
        "sheriff_dies",
        _("When the Sheriff dies"),
        _("A Sheriff who dies can choose who is the next one."),
        PASSES,
        choices=((PASSES, _("the badge goes on")), (ENDS, _("the game ends"))),
    ),
    Setting(
        "needs_people",
        _("End without people"),
        _("The game ends as soon as no person is left in it, if any person played."),
        False,
    ),
    Setting(
        "max_rounds",
        _("Days at most"),
        _("After the vote of that day the game ends, and nobody wins."),
        6,
        least=1,
        most=30,
    ),
    Setting(
        "poll_people",
        _("Ask people before the Sheriff speaks"),
        _(
            "Computer players are asked in secret whom they would vote for, before the Sheriff"
            " speaks. People can be asked too. No other player ever sees an answer."
        ),
        False,
    ),
    Setting(
        "rate_people",
        _("Ask people whom they take for what"),
        _("Before everything they do, except in the first night. Only they see their answers."),
        False,
    ),
)
