"""The texts of the one-night game."""

from dataclasses import replace

from game.engine import common_wording
from game.engine.wording import EndingTexts, EventTexts, PhaseTexts, WindowTexts, Wording, cases
from game.engine.wording import gettext_noop as _

EVENTS = {
    **common_wording.EVENTS,
    "divination": EventTexts(),
    "divined": EventTexts(
        "private",
        own=cases(
            found=_("You looked at {targets}: the Werewolf is one of the two."),
            else_=_("You looked at {targets}: neither is the Werewolf."),
        ),
        end=cases(
            found=_("Looked at {targets}: one of the two was the Werewolf."),
            else_=_("Looked at {targets}: neither was the Werewolf."),
        ),
        replay=cases(
            found=_("{seat} looks at {targets}: the Werewolf is one of the two."),
            else_=_("{seat} looks at {targets}: neither is the Werewolf."),
        ),
        prompt=cases(
            found="Only you know: you looked at {targets}; the Werewolf is among them.",
            else_="Only you know: you looked at {targets}; the Werewolf is not among them.",
        ),
        icon="seer",
    ),
    "poll": EventTexts(
        replay=cases(
            ({"chosen": True, "several": True}, _("{who} suspect {targets}")),
            chosen=_("{who} suspects {targets}"),
            several=_("{who} suspect nobody"),
            else_=_("{who} suspects nobody"),
        ),
        together=_("Straw poll after round {round}, of the computer players. {each}."),
    ),
}

WINDOWS = {
    **common_wording.WINDOWS,
    "divination": WindowTexts(
        mine=_("You are the Seer: choose two players to look at."),
        title=_("Look at two players"),
        help=_("Choose two players. You learn whether the Werewolf is one of the two."),
        button=_("Look"),
        prompt="You look at others to learn whether the Werewolf is among them.",
        name=_("Whom to look at"),
    ),
    "poll": WindowTexts(
        mine=_("Straw poll: who do you think is the Werewolf?"),
        waiting=_("Everyone is asked, in secret, whom they suspect."),
        title=_("Straw poll"),
        help=_("Who do you think is the Werewolf? No player ever sees your answer."),
        button=_("Answer"),
        prompt=cases(
            hunted="A question to you alone; no one at the table will ever see the answer: who is "
            "the Werewolf? It is you, so name the player you would most like the others to "
            "suspect.",
            else_="A question to you alone; no one at the table will ever see the answer: who "
            "do you really think is the Werewolf?",
        ),
        name=_("Whom to suspect"),
    ),
}

PHASES = {
    "night": replace(
        common_wording.NIGHT_PHASE,
        text=_("Night falls. Everyone closes their eyes."),
        guess=_("Who is the Werewolf, do you think?"),
    ),
    "talk": PhaseTexts(
        title=_("Round {round} of {rounds}"),
        text=cases(
            ({"round": 1}, _("The sun is up. Everyone speaks once, in order.")),
            else_=_("Everyone speaks once, in order."),
        ),
        step=_("Round {round} of {rounds}"),
        prompt="Round {round}",
        is_talk=True,
    ),
    "vote": replace(common_wording.VOTE_PHASE, title=_("The vote")),
}

ENDINGS = {
    "werewolf_out": EndingTexts(
        _("The Werewolf was voted out."),
        role="werewolf",
        headline=cases(
            ({"holder": True, "won": False}, _("The vote found you: {wins}")),
            ({"out": False}, _("The vote found the Werewolf: {wins}")),
        ),
    ),
    "tanner_out": EndingTexts(
        _("The Tanner wanted nothing else than to be voted out."),
        role="tanner",
        headline=cases(
            ({"holder": True, "won": True}, _("They voted you out, as you wanted: {wins}")),
            ({"out": False, "won": False}, _("{out} wanted to be voted out: {wins}")),
        ),
    ),
    "werewolf_safe": EndingTexts(
        _("The vote missed both the Werewolf and the Tanner."),
        role="werewolf",
        headline=cases(
            ({"holder": True, "won": True}, _("The vote missed you: {wins}")),
            ({"out": True, "won": True}, _("You are out instead of the Werewolf: {wins}")),
            ({"out": True, "won": False}, _("You are out, and the Werewolf is not: {wins}")),
            else_=_("The vote missed the Werewolf: {wins}"),
        ),
    ),
    "opening_over": EndingTexts(_("The first statement was all that this game was for.")),
}

WORDING = Wording(EVENTS, WINDOWS, PHASES, ENDINGS)
