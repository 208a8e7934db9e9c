"""Wording of the two-day game."""

from __future__ import annotations

from game.engine import common_wording
from game.engine.wording import (
    CAUSES,
    EndingTexts,
    EventTexts,
    PhaseTexts,
    WindowTexts,
    Wording,
    cases,
)
from game.engine.wording import gettext_noop as _

EVENTS = {
    **common_wording.EVENTS,
    "candidacy": EventTexts("statement"),
    "whisper": EventTexts("statement"),
    "drawn": EventTexts(
        "moderator",
        table=cases(
            ({"purpose": "tie"}, _("{among} have equally many votes. Drawn by lot: {result}.")),
            ({"purpose": "candidates"}, _("The lots for mayor fell in this order: {result}.")),
            ({"purpose": "order"}, ""),
        ),
        replay=cases(({"purpose": "deal"}, _("The roles are dealt. {deal}."))),
        prompt=cases(
            ({"purpose": "tie"}, "Equally many votes: {among}. Drawn by lot: {result}."),
            ({"purpose": "candidates"}, "The lots for mayor: {result}."),
        ),
    ),
    "election": EventTexts(
        "vote",
        table=cases(
            ({"chosen": True}, _("{seat} wants {targets} as mayor.")),
            else_=_("{seat} wants nobody as mayor."),
        ),
        prompt=cases(({"chosen": True}, "{seat} for {targets}"), else_="{seat} for nobody"),
        prompt_together="The election: {each}.",
    ),
    "badge_given": EventTexts(
        "moderator",
        table=cases(
            ({"own": True}, _("You are the mayor now.")), else_=_("{seat} is the mayor now.")
        ),
        prompt=cases(({"own": True}, "You are the mayor."), else_="{seat} is the mayor."),
        is_chapter=True,
        icon="role-sheriff",
    ),
    "appraisal": EventTexts(),
    "first_side": EventTexts(
        "moderator",
        table=_("{seat} lets the {targets} begin."),
        prompt=cases(
            ({"own": True}, "You let the {targets} begin."),
            else_="{seat} lets the {targets} begin.",
        ),
    ),
    "heir": EventTexts(
        "moderator",
        table=_("{seat} hands the badge to {targets}."),
        prompt=cases(
            ({"own": True}, "You hand the badge to {targets}."),
            else_="{seat} hands the badge to {targets}.",
        ),
    ),
    "augury": EventTexts(),
    "omen": EventTexts(
        "private",
        own=cases(
            ({"found": True}, _("You looked at {targets}: a Werewolf.")),
            else_=_("You looked at {targets}: not a Werewolf."),
        ),
        end=cases(
            ({"found": True}, _("Looked at {targets}: a Werewolf.")),
            else_=_("Looked at {targets}: not a Werewolf."),
        ),
        replay=cases(
            ({"found": True}, _("{seat} looks at {targets}: a Werewolf.")),
            else_=_("{seat} looks at {targets}: not a Werewolf."),
        ),
        prompt=cases(
            ({"found": True}, "Only you know: you looked at {targets}, a Werewolf."),
            else_="Only you know: you looked at {targets}, not a Werewolf.",
        ),
    ),
    "attack": EventTexts(
        "private",
        own=_("You choose {targets}."),
        table=_("{seat} chooses {targets}."),
        replay=_("{seat} chooses {targets}."),
        prompt=cases(
            ({"own": True}, "Only your side knows: you chose {targets}."),
            else_="Only your side knows: {seat} chose {targets}.",
        ),
    ),
    "quiet_night": EventTexts(
        "moderator",
        table=_("Nobody died in the night."),
        prompt="Nobody died in the night.",
    ),
    "out": EventTexts(
        "out",
        table=cases(
            ({"cause": "attack", "own": True}, _("You were killed in the night.")),
            ({"cause": "attack"}, _("{seat} was killed in the night.")),
            ({"own": True}, _("You are voted out.")),
            else_=_("{seat} is voted out."),
        ),
        prompt=cases(
            ({"cause": "attack", "own": True}, "You were killed in the night."),
            ({"cause": "attack"}, "{seat} was killed in the night."),
            ({"own": True}, "You were voted out."),
            else_="{seat} was voted out.",
        ),
        is_chapter=True,
    ),
}

WINDOWS = {
    **common_wording.WINDOWS,
    "candidacy": WindowTexts(
        mine=_("You stand for mayor: say why."),
        waiting=_("{name} is speaking."),
        waiting_for_absent=_("{name} is away. The table waits."),
        prompt="You stand for mayor. Say why they should choose you.",
        name=_("What to say"),
    ),
    "whisper": WindowTexts(
        mine=_("Whisper to the other Werewolf."),
        title=_("Whispers"),
        hears=_("Only the Werewolves hear this."),
        prompt="You whisper to the other Werewolf; nobody else hears it.",
        name=_("What to whisper"),
    ),
    "election": WindowTexts(
        mine=_("Who is to be mayor?"),
        waiting=_("Waiting for everyone’s choice."),
        title=_("The election"),
        help=_("Choose one of the candidates, or nobody."),
        button=_("Choose"),
        prompt="Choose who is to be mayor.",
        name=_("Whom to elect"),
    ),
    "appraisal": WindowTexts(
        mine=_("What do you take the others for?"),
        title=_("Your guesses"),
        help=_("Only you see them. Leave out whom you can’t tell."),
        button=_("Keep"),
        prompt="Say what you take each of the others for, and how surely.",
        name=_("Who is what"),
    ),
    "first_side": WindowTexts(
        mine=_("Who begins: your left, or your right?"),
        waiting=_("{name} chooses who begins."),
        title=_("Left or right"),
        help=_("You speak last; choose which side begins."),
        button=_("Choose"),
        prompt="Choose on which side of you the talk begins.",
        name=_("Which side begins"),
        options={"left": _("left"), "right": _("right")},
    ),
    "heir": WindowTexts(
        mine=_("Who gets your badge?"),
        waiting=_("{name} hands on the badge."),
        title=_("Your badge"),
        help=_("You leave the game. Whoever you choose is the mayor."),
        button=_("Hand on"),
        prompt="You leave the game. Choose who is the mayor after you.",
        name=_("To whom the badge goes"),
    ),
    "augury": WindowTexts(
        mine=_("Whom do you look at?"),
        title=_("The omens"),
        help=_("You learn whether they are a Werewolf."),
        button=_("Look"),
        prompt="Choose whom to look at; you learn whether it is a Werewolf.",
        name=_("Whom to look at"),
    ),
    "attack": WindowTexts(
        mine=_("Whom do you kill?"),
        title=_("The kill"),
        help=_("Only where both Werewolves choose the same player does anybody die."),
        button=_("Choose"),
        prompt="Choose whom to kill; it happens only if the other Werewolf chooses the same.",
        name=_("Whom to kill"),
    ),
}

PHASES = {
    "election": PhaseTexts(
        title=_("The election"),
        text=_("The village needs a mayor."),
        step=_("Election"),
        prompt="The election",
        icon="vote",
    ),
    "talk": PhaseTexts(
        title=_("Day {day}"),
        text=_("The sun is up."),
        step=_("Talk"),
        prompt="Day {day}",
        is_talk=True,
    ),
    "vote": PhaseTexts(
        title=_("The vote of day {day}"),
        text=_("Everyone votes, in secret, for who must go."),
        step=_("Vote"),
        prompt="Vote {day}",
        icon="vote",
    ),
    "night": PhaseTexts(
        title=_("Night {day}"),
        text=_("Night falls. Everyone closes their eyes."),
        waits=_("It is night. Some players have something to do now; the others wait."),
        step=_("Night"),
        prompt="Night {day}",
        light="night",
        icon="night",
        guess=_("Who is a Werewolf, do you think?"),
    ),
}

ENDINGS = {"two_days": EndingTexts(_("Two days are over."))}

WORDING = Wording(
    EVENTS,
    WINDOWS,
    PHASES,
    ENDINGS,
    {"mayor": _("mayor")},
    {**CAUSES, "attack": _("Killed in the night")},
)
