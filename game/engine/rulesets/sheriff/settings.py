"""A table's settings. The defaults are the paper's homogeneous game with an election."""

from __future__ import annotations

from game.engine.roles import Setting
from game.engine.rulesets.sheriff.cast import DECK, ROLES
from game.engine.side_questions import ASK_WHY, RATE_PEOPLE
from game.engine.wording import gettext_noop

_ = gettext_noop
PERSON = "person"  # a value of `first_sheriff`: a person becomes the Sheriff
PASSES, ENDS = "passes", "ends"

SETTINGS = (
    Setting(
        "election",
        _("Elect the Sheriff"),
        _("Otherwise the Sheriff is drawn by lot: in secret at the start, named on the first day."),
        True,
    ),
    Setting(
        "candidates",
        _("How many stand for Sheriff"),
        _("So many players are drawn by lot, and say why they should be chosen."),
        3,
        least=1,
        most=len(DECK),
        needs=("election", True),
    ),
    Setting(
        "first_sheriff",
        _("Who can be drawn as Sheriff"),
        _("One of them is drawn by lot."),
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
        study=True,
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
        "safe_first_night",
        _("Nobody is killed in the first night"),
        _("The Werewolves get to know each other, and begin to hunt in the second night."),
        False,
        casual=True,
    ),
    Setting(
        "election_day",
        _("The first day ends with the election"),
        _("The candidates speak and the Sheriff is elected. Talks and votes begin the next day."),
        False,
        casual=True,
        needs=("election", True),
    ),
    Setting(
        "sheriff_breaks_ties",
        _("The Sheriff breaks ties"),
        _("If several players have the most votes, the one that the Sheriff voted for is out."),
        False,
        casual=True,
    ),
    Setting(
        "dead_see",
        _("The dead see all roles"),
        _("Whoever is out watches, and sees who everybody is. At a blind table they never do."),
        True,
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
        "must_elect",
        _("Play on only if this seat is elected"),
        _(
            "The number of a seat. Whoever sits there always stands for Sheriff; if somebody else"
            " is elected, the game ends. 0: whoever is elected, the game goes on."
        ),
        0,
        most=len(DECK),
        needs=("election", True),
        study=True,
    ),
    Setting(
        "needs_people",
        _("End without people"),
        _("The game ends as soon as no person is left in it, if any person played."),
        False,
        study=True,
    ),
    Setting(
        "poll_people",
        _("Ask people before the Sheriff speaks"),
        _(
            "Computer players are asked in secret whom they would vote for, before the Sheriff"
            " speaks. People can be asked too. No other player ever sees an answer."
        ),
        False,
        study=True,
    ),
    RATE_PEOPLE,
    Setting(
        "rate_leader",
        _("Ask people whom they take for what, around the Sheriff's last word"),
        _("Before the Sheriff speaks, and again before the vote. Only they see their answers."),
        False,
        study=True,
    ),
    ASK_WHY,
)
