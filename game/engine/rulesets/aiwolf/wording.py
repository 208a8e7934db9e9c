"""The texts of the contest's games: their questions, phases and endings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from game.engine import common_wording
from game.engine.rulesets.aiwolf.event_wording import EVENTS
from game.engine.wording import CAUSES, EndingTexts, PhaseTexts, WindowTexts, Wording, cases
from game.engine.wording import gettext_noop as _

WINDOWS = {
    **common_wording.WINDOWS,
    "statement": replace(
        common_wording.WINDOWS["statement"],
        prompt=cases(
            (
                {"last": True, "votes": True},
                "This is statement {number} of your {all} today; a pass counts too. You are not"
                " asked again before the vote.",
            ),
            else_="This is statement {number} of your {all} today; a pass counts too.",
        ),
    ),
    "whisper": WindowTexts(
        mine=cases(
            ({"day": 0}, _("Whisper: what will each of you claim?")),
            else_=_("Whisper: whom to attack, and what to claim?"),
        ),
        waiting=cases(
            alone=_("{name}, a Werewolf like you, is whispering."),
            else_=_("All Werewolves whisper at the same time."),
        ),
        title=_("Whispers"),
        hears=_("Only the Werewolves hear this."),
        over=_("I’m done for tonight"),
        passed=cases(
            ({"manner": "over", "everyone": True}, _("Nobody has more to whisper tonight.")),
            ({"manner": "over", "many": True}, _("{names} are done for tonight.")),
            ({"manner": "over"}, _("{names} is done for tonight.")),
            everyone=_("Nobody whispers anything."),
            many=_("{names} whisper nothing."),
            else_=_("{names} whispers nothing."),
        ),
        prompt="You whisper with the other Werewolves. Agree on which role each of you will claim"
        " and, from day 1 on, whom to attack this night and why.",
        name=_("What to whisper"),
    ),
    "divination": WindowTexts(
        mine=_("You are the Seer: choose one player to look at."),
        title=_("Look at one player"),
        help=_("In the morning you learn whether they are a Werewolf or human."),
        button=_("Look"),
        prompt="You look at one other player and learn in the morning whether that player is a"
        " Werewolf or human. The Possessed is human.",
        name=_("Whom to look at"),
        picks="learn",
    ),
    "guard": WindowTexts(
        mine=_("You are the Bodyguard: whose door do you watch tonight?"),
        title=_("Protect one player"),
        help=_("The player you choose can’t be killed tonight. You can’t choose yourself."),
        button=_("Protect"),
        prompt="You protect one other player, perhaps the same as before. That player can't be "
        "killed this night.",
        name=_("Whom to protect"),
        picks="keep",
    ),
    "attack": WindowTexts(
        mine=cases(
            again=_("You did not agree. Choose again: whom do you attack?"),
            else_=_("You are a Werewolf: whom do you attack?"),
        ),
        waiting=_("The other Werewolves choose, too."),
        title=_("The attack"),
        help=cases(
            alone=_("In the morning the village learns of it."),
            else_=_("All Werewolves choose at the same time. A tie is broken at random."),
        ),
        button=_("Choose"),
        prompt=cases(
            alone="You choose whom to attack this night, alone: take the player who serves your "
            "side best.",
            else_="All Werewolves choose at the same time whom to attack this night: you, with "
            "{partners}. The player with the most votes is attacked; a tie is broken at "
            "random. A choice of a Werewolf does not count.",
        ),
        sees="It is night. No one else sees your choice before the morning.",
        name=_("Whom to attack"),
        picks="harm",
    ),
    "vote": replace(
        common_wording.WINDOWS["vote"],
        mine=cases(
            again=_("A tie. Vote once more: who has to go?"),
            else_=_("Vote: who has to go?"),
        ),
        help=_("The player with the most votes is out. A tie is broken at random."),
        prompt="Now everyone votes at the same time, in secret. The player with the most votes is "
        "out; a tie is broken at random.",
        sees="No one else sees your vote before the next morning.",
    ),
}

PHASES = {
    "evening": replace(
        common_wording.NIGHT_PHASE,
        title=_("The evening before"),
        text=_("The village sleeps. The Werewolves meet for the first time."),
        step=_("Evening"),
        prompt="The evening before day 0",
    ),
    "night": replace(
        common_wording.NIGHT_PHASE,
        title=cases(({"day": 0}, _("The first night")), else_=_("Night {day}")),
        text=cases(
            ({"day": 0}, _("Night falls. Nobody dies in this one.")),
            else_=_("The last window goes dark. Everyone closes their eyes."),
        ),
    ),
    "dawn": PhaseTexts(
        title=_("The morning of day {day}"),
        text=_("The sun comes over the roofs, and the village counts its people."),
        step=_("Morning"),
        prompt="Morning {day}",
    ),
    "talk": PhaseTexts(
        title=cases(({"day": 0}, _("The greetings")), else_=_("Day {day}")),
        text=cases(
            ({"day": 0}, _("Nothing has happened yet. Everyone says hello, and nobody is out.")),
            else_=_("Everyone speaks in turn, until all have said what they want to say."),
        ),
        step=_("Talk"),
        prompt="Day {day}",
        is_talk=True,
    ),
    "vote": common_wording.VOTE_PHASE,
}

ENDINGS = {
    "wolves_gone": EndingTexts(
        _("No Werewolf is left."),
        role="werewolf",
        headline=cases(
            ({"holder": True, "won": False}, _("The village has found you: {wins}")),
            ({"won": True, "out": False}, _("The last Werewolf is gone: {wins}")),
        ),
    ),
    "wolves_equal": EndingTexts(
        _("The Werewolves are as many as the humans."),
        role="werewolf",
        headline=cases(
            ({"holder": True, "won": True}, _("Nobody can stop you any more: {wins}")),
            ({"won": False, "out": False}, _("The Werewolves are as many as you: {wins}")),
        ),
    ),
    "too_long": EndingTexts(_("The last day that this table had is over.")),
}

WORDING = Wording(
    EVENTS, WINDOWS, PHASES, ENDINGS, causes={**CAUSES, "attack": _("Killed in the night")}
)

T = TypeVar("T")
_KINDS_OF_LARGE_GAME = ("evening", "whisper", "guard", "identified")


def _without_large_game(texts: Mapping[str, T]) -> dict[str, T]:
    return {key: value for key, value in texts.items() if key not in _KINDS_OF_LARGE_GAME}


# The wording of the game with one Werewolf and without Medium and Bodyguard.
SMALL_GAME_WORDING = replace(
    WORDING,
    events=_without_large_game(EVENTS),
    windows=_without_large_game(WINDOWS),
    phases=_without_large_game(PHASES),
)
