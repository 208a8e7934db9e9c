"""The seven setups of the Helmsman paper (SPEC 2.9), each with its own way to end."""

from __future__ import annotations

from game.engine.roles import Preset
from game.engine.rulesets.sheriff.settings import ENDS, PASSES, PERSON
from game.engine.wording import gettext_noop

_ = gettext_noop

DRAWN_SHERIFF: dict[str, bool | int | str] = {"election": False, "sheriff_dies": ENDS}
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
        {"election": True, "sheriff_dies": PASSES},
        repeats=1,
    ),
    Preset(
        "heterogeneous-swapped",
        _("The elected player continues with the tested model."),
        {"election": True, "sheriff_dies": ENDS},
        tested="office",
    ),
    Preset(
        "heterogeneous-elected",
        _("One player plays with the tested model. The game ends if another player is elected."),
        {"election": True, "sheriff_dies": ENDS},
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
            "sheriff_dies": PASSES,
            "people_lead": False,
            "needs_people": True,
            "rate_people": True,
            "poll_people": True,
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
        {"election": False, "first_sheriff": PERSON, "sheriff_dies": ENDS, "needs_people": True},
        people=1,
        deals=20,
        repeats=1,
    ),
)
