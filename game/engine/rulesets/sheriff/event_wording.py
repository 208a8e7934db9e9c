"""The texts of events in the game with a Sheriff."""

from dataclasses import replace

from game.engine import common_wording
from game.engine.wording import EventTexts, Text, cases
from game.engine.wording import gettext_noop as _


def _night_choice_texts(mine: str, table_text: str, prompt: Text, brief: str = "") -> EventTexts:
    """Return the texts of a choice at night: for its player, and for the others who see it."""
    return EventTexts(
        "private",
        table=cases(own=mine, else_=table_text),
        replay=table_text,
        prompt=prompt,
        brief=brief,
    )


_DEATHS = cases(
    (
        {"cause": "attack", "day": 1, "seat": (2, 5)},
        _(
            "No smoke from {seat}’s chimney, and the door is only pulled to. {seat} was killed in"
            " the night. Nobody touches the coat on the hook."
        ),
    ),
    (
        {"cause": "attack", "day": 1, "seat": (3, 6)},
        _(
            "The dog has not slept tonight, and it is {seat}’s dog. {seat} was killed in the"
            " night. A child leads it home on a string."
        ),
    ),
    (
        {"cause": "attack", "day": 1},
        _(
            "One bed is empty this morning, and the window stands open: {seat} was killed in the"
            " night. The baker keeps a roll warm all the same."
        ),
    ),
    (
        {"cause": "attack", "day": 2, "seat": (2, 4, 6)},
        _(
            "{seat}’s shutters stay closed although the sun is on them. {seat} was killed in the"
            " night. Someone stops the clock in the hall."
        ),
    ),
    (
        {"cause": "attack", "day": 2},
        _(
            "{seat} always swept the steps before anybody was up. Today the broom leans where it"
            " was left: {seat} was killed in the night."
        ),
    ),
    (
        {"cause": "attack"},
        _(
            "They knock, and wait, and knock again. {seat} was killed in the night. Somebody feeds"
            " the cat, and nobody says much."
        ),
    ),
    (
        {"cause": "vote", "day": 1, "seat": (2, 5)},
        _(
            "{seat} is voted out, gives the house key to a neighbour, and asks who will water the"
            " beans. Then the gate falls shut, and nobody learns who went there."
        ),
    ),
    (
        {"cause": "vote", "day": 1, "seat": (3, 6)},
        _(
            "{seat} is voted out. They walk along as far as the mill; from there {seat} goes on"
            " alone, and nobody learns who it was."
        ),
    ),
    (
        {"cause": "vote", "day": 1},
        _(
            "{seat} is voted out. At the gate somebody puts a loaf under {seat}’s arm; then the"
            " bolt falls, and nobody learns who went there."
        ),
    ),
    (
        {"cause": "vote", "day": 2, "seat": (2, 4, 6)},
        _(
            "{seat} is voted out, says good night to each of them by name, and shuts the gate with"
            " care."
        ),
    ),
    (
        {"cause": "vote", "day": 2},
        _(
            "{seat} is voted out, waves once from the bridge, and takes the secret along over the"
            " hill."
        ),
    ),
    else_=_(
        "{seat} is voted out. The others watch the lantern grow small on the road, and wonder"
        " whether they were right."
    ),
)

_LOOKED = cases(
    unique=_("{seat} looks at {targets}: the {role}."),
    else_=_("{seat} looks at {targets}: a {role}."),
)
_ATTACKED = cases(
    ({"chosen": False}, _("The Werewolves don’t agree, and attack nobody.")),
    saved=_("The Werewolves attack {targets}, whom the Guard protects."),
    else_=_("The Werewolves attack {targets}."),
)

_FIRST_SIDE = cases(
    own=_("You let the player on your {targets} begin."),
    else_=_("{seat} lets the player on the {targets} begin."),
)
_HEIR = cases(
    own=_("You hand the badge to {targets}."),
    else_=_("{seat} hands the badge to {targets}."),
)

EVENTS: dict[str, EventTexts] = {
    **common_wording.EVENTS,
    "divination": EventTexts(),
    "divined": EventTexts(
        "private",
        own=cases(
            unique=_("You looked at {targets}: the {role}."),
            else_=_("You looked at {targets}: a {role}."),
        ),
        end=cases(
            unique=_("Looked at {targets}: the {role}."),
            else_=_("Looked at {targets}: a {role}."),
        ),
        replay=_LOOKED,
        prompt=cases(
            unique="Only you know: you looked at {targets}, the {role}.",
            else_="Only you know: you looked at {targets}, a {role}.",
        ),
        brief=_LOOKED,
        icon="seer",
    ),
    "protection": _night_choice_texts(
        _("You watch the door of {targets}."),
        _("{seat} protects {targets}."),
        "Only you know: you protected {targets}.",
        _("{seat} protects {targets}."),
    ),
    "attack": _night_choice_texts(
        _("You choose {targets}."),
        _("{seat} wants to attack {targets}."),
        cases(
            own="Only the Werewolves know: you chose to attack {targets}.",
            else_="Only the Werewolves know: {seat} chose to attack {targets}.",
        ),
    ),
    "attacked": EventTexts("moderator", replay=_ATTACKED, brief=_ATTACKED),
    "unveiled": EventTexts(
        "private", own=_("Nothing is hidden from you any more: every seat shows its role.")
    ),
    "quiet_night": EventTexts(
        "moderator",
        table=cases(
            ({"day": 1}, _("Every chair at the long table is taken: nobody died in the night.")),
            else_=_("They count twice, and nobody is missing: nobody died in the night."),
        ),
        prompt="Nobody died in the night.",
        brief=_("Nobody died in the night."),
    ),
    "safe_night": EventTexts(
        "moderator",
        table=_(
            "The first night passes in peace. From now on the Werewolves hunt, so look around."
        ),
        prompt="Nobody was attacked in the first night: the rules forbid it.",
        brief=_("Nobody was attacked in the first night, by the rules."),
    ),
    "candidates": EventTexts(
        "moderator",
        table=cases(
            ({"own": True, "others": 0}, _("The lot falls on you alone to stand for Sheriff.")),
            ({"own": True}, _("The lots are drawn. You stand for Sheriff, beside {others}.")),
            ({"others": 1}, _("The lots are drawn. {seats} alone stands for Sheriff.")),
            else_=_("The lots are drawn. {seats} stand for Sheriff, and speak in this order."),
        ),
        prompt=cases(
            ({"own": True, "others": 0}, "You are the only candidate for Sheriff."),
            ({"others": 1, "own": False}, "{seats} alone stands for Sheriff."),
            else_="The candidates for Sheriff, in an order drawn at random: {seats}.",
        ),
        brief=cases(
            ({"others": 1}, _("{seats} alone stands for Sheriff.")),
            else_=_("{seats} stand for Sheriff."),
        ),
    ),
    "candidacy": EventTexts("statement", brief=_("stands for Sheriff")),
    "election": EventTexts(
        "vote",
        table=cases(
            chosen=_("{seat} wants {targets} as Sheriff."),
            else_=_("{seat} wants none of them as Sheriff."),
        ),
        prompt=common_wording.EVENTS["vote"].prompt,
        prompt_together="The election of the Sheriff: {each}.",
        tied=cases(
            ({"voted": False}, _("Of all who stand, the first drawn becomes Sheriff.")),
            else_=_("Of those with the most votes, the first drawn becomes Sheriff."),
        ),
    ),
    "badge_given": EventTexts(
        "moderator",
        table=cases(
            own=_("The badge is pinned to your coat: you are the Sheriff now."),
            else_=_("The badge is pinned to {seat}’s coat: {seat} is the Sheriff now."),
        ),
        prompt=cases(own="You are the Sheriff.", else_="{seat} is the Sheriff."),
        brief=_("{seat} is the Sheriff."),
        is_chapter=True,
        icon="role-sheriff",
    ),
    "first_side": EventTexts("moderator", table=_FIRST_SIDE, prompt=_FIRST_SIDE),
    "summing_up": EventTexts("statement", brief=_("has the last word, as Sheriff")),
    "pseudo_vote": EventTexts(
        replay=cases(
            ({"chosen": True, "several": True}, _("{who} would vote for {targets}")),
            chosen=_("{who} would vote for {targets}"),
            several=_("{who} would vote for nobody"),
            else_=_("{who} would vote for nobody"),
        ),
        together=_("Asked in secret before the Sheriff spoke: {each}."),
    ),
    "undecided": EventTexts(
        "moderator",
        table=cases(
            ({"among": []}, _("Nobody got a vote, so nobody is out.")),
            else_=_("{among} have equally many votes. The village lets it be: nobody is out."),
        ),
        prompt=cases(
            ({"among": []}, "No one got a vote, so no one is out."),
            else_="Tie: {among}. No one is out.",
        ),
        brief=cases(
            ({"among": []}, _("Nobody got a vote, so nobody is out.")),
            else_=_("Tie: {among}. No one is out."),
        ),
    ),
    "tie_broken": EventTexts(
        "moderator",
        table=cases(
            own=_("{among} have equally many votes. Your badge decides: you voted for {targets}."),
            else_=_(
                "{among} have equally many votes. The badge decides: {seat} voted for {targets}."
            ),
        ),
        prompt=cases(
            own="Equally many votes: {among}. Your own vote decided for {targets}.",
            else_="Equally many votes: {among}. The Sheriff {seat} decided for {targets}.",
        ),
        brief=_("Equally many votes: {among}. The Sheriff, {seat}, decided for {targets}."),
    ),
    "heir": EventTexts("moderator", table=_HEIR, prompt=_HEIR),
    "out": replace(
        common_wording.build_out_texts({"cause": "attack"}),
        table=_DEATHS,
        own=cases(
            (
                {"cause": "attack"},
                _(
                    "You were killed in the night. The others find your cup still on the table, and"
                    " miss you. From here on you watch."
                ),
            ),
            else_=_(
                "You are voted out. They walk you to the gate, and your secret goes with you. From"
                " here on you watch."
            ),
        ),
    ),
}
