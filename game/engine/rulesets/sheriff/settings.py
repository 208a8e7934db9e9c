"""The settings of the game with a Sheriff, and the Helmsman paper's seven setups (SPEC 2.9).

The defaults are the paper's homogeneous game with an election.
"""

from game.engine.roles import Preset, Setting
from game.engine.rulesets.sheriff.cast import DECK, ROLES
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY, POLL_PEOPLE, RATE_LEADER
from game.engine.wording import gettext_noop as _

PERSON = "person"  # a value of `first_sheriff`: a person becomes the Sheriff
BADGE_PASSES, GAME_ENDS = "passes", "ends"  # values of `sheriff_dies`

SETTINGS = (
    Setting(
        "election",
        _("Elect the Sheriff"),
        _("Otherwise the Sheriff is drawn at random at the start and announced on the first day."),
        default=True,
    ),
    Setting(
        "candidates",
        _("Number of candidates"),
        _("This many players are drawn at random. Each explains why they should be Sheriff."),
        default=3,
        min_value=1,
        max_value=len(DECK),
        needs=("election", True),
    ),
    Setting(
        "first_sheriff",
        _("Who can be drawn as Sheriff"),
        _("One of them is drawn at random."),
        default="anybody",
        choices=(
            ("anybody", _("any player")),
            *((role.key, role.name) for role in ROLES),
            (PERSON, _("a person")),
        ),
        needs=("election", False),
    ),
    Setting(
        "sheriff_seat",
        _("The Sheriff's seat"),
        _("This seat has the badge from the first day on. Enter 0 to draw it at random."),
        default=0,
        max_value=len(DECK),
        needs=("election", False),
        is_for_studies=True,
    ),
    Setting(
        "people_lead",
        _("People can be the Sheriff"),
        _("Otherwise people are never candidates and never get the badge from another Sheriff."),
        default=True,
    ),
    Setting(
        "sheriff_dies",
        _("When the Sheriff dies"),
        _("A Sheriff who dies can choose the next one."),
        default=BADGE_PASSES,
        choices=(
            (BADGE_PASSES, _("the badge passes to another player")),
            (GAME_ENDS, _("the game ends")),
        ),
    ),
    Setting(
        "safe_first_night",
        _("No one is killed on the first night"),
        _("The Werewolves only meet each other. They hunt from the second night on."),
        casual=True,
    ),
    Setting(
        "election_day",
        _("The first day ends with the election"),
        _(
            "The candidates speak and the Sheriff is elected. Discussions and votes begin the "
            "next day."
        ),
        casual=True,
        needs=("election", True),
    ),
    Setting(
        "sheriff_breaks_ties",
        _("The Sheriff breaks ties"),
        _("If several players have the most votes, the one that the Sheriff voted for is out."),
        casual=True,
    ),
    Setting(
        "dead_see",
        _("Players who are out see all roles"),
        _(
            "They watch the rest of the game and see who everyone is. At a blind table they never"
            " do."
        ),
        default=True,
    ),
    Setting(
        "max_rounds",
        _("Maximum number of days"),
        _("The game ends without a winner after the vote of that day."),
        default=6,
        min_value=1,
        max_value=30,
    ),
    Setting(
        "must_elect",
        _("Continue only if this seat is elected"),
        _(
            "The number of a seat whose player is always a candidate. If another player is "
            "elected, the game ends. Enter 0 to continue with any Sheriff."
        ),
        default=0,
        max_value=len(DECK),
        needs=("election", True),
        is_for_studies=True,
    ),
    Setting(
        "needs_people",
        _("End without people"),
        _("A game with people ends as soon as the last of them is out."),
        is_for_studies=True,
    ),
    Setting(
        POLL_PEOPLE,
        _("Ask people before the Sheriff speaks"),
        _(
            "Before the Sheriff speaks, computer players are asked in secret how they would "
            "vote. People can be asked too. No other player ever sees an answer."
        ),
        is_for_studies=True,
    ),
    ASK_ROLE_GUESSES,
    Setting(
        RATE_LEADER,
        _("Ask people for role guesses around the Sheriff's speech"),
        _(
            "People guess the roles before the Sheriff speaks and again before the vote. Only "
            "they see their answers."
        ),
        is_for_studies=True,
    ),
    ASK_WHY,
)


DRAWN_SHERIFF: dict[str, bool | int | str] = {"election": False, "sheriff_dies": GAME_ENDS}
PRESETS = (
    Preset(
        "heterogeneous",
        _("The Sheriff plays with the tested model, all other players with another."),
        DRAWN_SHERIFF,
        tested="seat",
        seat_setting="sheriff_seat",
    ),
    Preset(
        "homogeneous",
        _("All players play with the tested model. The Sheriff is drawn at random."),
        DRAWN_SHERIFF,
    ),
    Preset(
        "homogeneous-election",
        _("All players play with the tested model and elect the Sheriff."),
        {"election": True, "sheriff_dies": BADGE_PASSES},
        repeats=1,
    ),
    Preset(
        "heterogeneous-swapped",
        _("The elected player continues with the tested model."),
        {"election": True, "sheriff_dies": GAME_ENDS},
        tested="office",
    ),
    Preset(
        "heterogeneous-elected",
        _("One player plays with the tested model. The game ends if another player is elected."),
        {"election": True, "sheriff_dies": GAME_ENDS},
        tested="seat",
        seat_setting="must_elect",
    ),
    Preset(
        "human-evaluation",
        _(
            "One person plays with six computer players and is never the Sheriff. Before each "
            "action, the person states whom they believe. The game ends when the person dies."
        ),
        {
            "election": True,
            "sheriff_dies": BADGE_PASSES,
            "people_lead": False,
            "needs_people": True,
            ASK_ROLE_GUESSES.key: True,
            POLL_PEOPLE: True,
        },
        people=1,
        deals=40,
        repeats=1,
    ),
    Preset(
        "human-baseline",
        _(
            "One person is the Sheriff among six computer players. The game ends when the "
            "person dies."
        ),
        {
            "election": False,
            "first_sheriff": PERSON,
            "sheriff_dies": GAME_ENDS,
            "needs_people": True,
        },
        people=1,
        deals=20,
        repeats=1,
    ),
)
