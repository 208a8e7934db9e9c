"""The texts of the game with a Sheriff: its questions, phases and endings."""

from dataclasses import replace

from game.engine import common_wording
from game.engine.rulesets.sheriff.event_wording import EVENTS
from game.engine.wording import CAUSES, EndingTexts, PhaseTexts, WindowTexts, Wording, cases
from game.engine.wording import gettext_noop as _

WINDOWS = {
    **common_wording.WINDOWS,
    "divination": WindowTexts(
        mine=_("You are the Seer: choose one player to look at."),
        title=_("Look at one player"),
        help=_("Choose one player. You learn their exact role."),
        button=_("Look"),
        prompt="You look at one other player and learn that player's exact role.",
        name=_("Whom to look at"),
        picks="learn",
    ),
    "protection": WindowTexts(
        mine=_("You are the Guard: whose door do you watch tonight?"),
        title=_("Protect one player"),
        help=_("The player you choose can’t be killed tonight. You can choose yourself."),
        button=_("Protect"),
        prompt="You protect one player, perhaps yourself, perhaps the same as before. That player "
        "can't be killed this night.",
        name=_("Whom to protect"),
        picks="keep",
    ),
    "attack": WindowTexts(
        mine=_("You are a Werewolf: whom do you attack?"),
        waiting=_("{name}, a Werewolf like you, is choosing."),
        title=_("The attack"),
        help=_("If there are two of you, a player is attacked only if both choose the same one."),
        button=_("Choose"),
        prompt=cases(
            (
                {"alone": True},
                "You choose whom the Werewolves attack this night. No other Werewolf is left, "
                "so you choose alone: take the player who serves your side best.",
            ),
            (
                {"answered": False},
                "You choose whom the Werewolves attack this night, and you choose first: "
                "{partners} sees your choice and then chooses too. No one is attacked unless "
                "both of you choose the same player. Choose the player who serves your side "
                "best.",
            ),
            else_="You choose whom the Werewolves attack this night, and you choose second: "
            "{first} has chosen {choice}. No one is attacked unless both of you choose "
            "the same player. Agree, or disagree and prevent an attack: whichever serves "
            "your side best.",
        ),
        name=_("Whom to attack"),
        picks="harm",
    ),
    "candidacy": WindowTexts(
        mine=_("You are a candidate for Sheriff: say why they should choose you."),
        waiting=_("{name} stands for Sheriff, and is speaking."),
        waiting_for_absent=_("{name} is away. The table waits."),
        prompt="You are a candidate for Sheriff. Say why the others should choose you: when all "
        "candidates have spoken, everyone votes. The Sheriff decides who speaks first, "
        "speaks last, and recommends whom to vote for.",
        name=_("Why to be elected"),
        says="stand",
    ),
    "election": WindowTexts(
        mine=_("Who is to be the Sheriff?"),
        waiting=_("Waiting for everyone’s choice."),
        title=_("The election"),
        help=cases(
            own=_(
                "Choose one of the candidates, or abstain. You are a candidate and can "
                "choose yourself. In a tie, the candidate who was drawn first becomes "
                "Sheriff."
            ),
            else_=_(
                "Choose one of the candidates, or abstain. In a tie, the candidate who was "
                "drawn first becomes Sheriff."
            ),
        ),
        button=_("Choose"),
        prompt="Everyone votes at the same time for one of the candidates as Sheriff; candidates "
        "may vote for themselves. In a tie, or without any vote, the candidate who was "
        "drawn first becomes Sheriff. Every day the Sheriff decides who speaks first, "
        "speaks last, and recommends whom to vote for. Choose the candidate who would serve"
        " your own side best in that, or abstain.",
        name=_("Your choice for Sheriff"),
        picks="trust",
    ),
    "first_side": WindowTexts(
        mine=_("Sheriff, who begins: the player on your left, or on your right?"),
        waiting=_("{name}, the Sheriff, chooses who begins."),
        title=_("Left or right"),
        help=_("The talk goes round the table from that side, and you speak last."),
        button=_("Choose"),
        prompt="You are the Sheriff. Choose who begins to speak: {left}, on your left, or {right},"
        " on your right. From there the talk goes on round the table, and you speak last.",
        name=_("Which side begins"),
        options={"left": _("left"), "right": _("right")},
    ),
    "pseudo_vote": WindowTexts(
        mine=_("In secret, before the Sheriff speaks: whom would you vote for now?"),
        waiting=_("Everyone is asked, in secret, whom they would vote for now."),
        title=_("If the vote were now"),
        help=_("Whom would you vote for now? No player ever sees your answer."),
        button=_("Answer"),
        # both votes need the same prompt, or the effect of the Sheriff's speech could not be
        # measured (Eq. 8, 9)
        asked_as="vote",
        name=_("Whom to vote for, before the Sheriff speaks"),
        picks="exile",
    ),
    "statement": replace(
        common_wording.WINDOWS["statement"],
        prompt="It is your turn to speak. The Sheriff speaks last today; then everyone votes.",
    ),
    "summing_up": WindowTexts(
        mine=_("Sheriff, you speak last: sum up and recommend a vote."),
        waiting=_("{name}, the Sheriff, has the last word."),
        waiting_for_absent=_("{name} is away. The table waits."),
        prompt="You are the Sheriff and speak last today: sum up what was said, and recommend by "
        "name for whom the others should vote. Then everyone votes.",
        name=_("How to sum up"),
        says="lead",
    ),
    "vote": replace(
        common_wording.WINDOWS["vote"],
        help=_("The player with the most votes is out. In a tie, no one is."),
        prompt="Now everyone votes for a living player or abstains. When all votes are in, "
        "everyone sees who voted for whom. The player with the most votes is out. In a tie,"
        " no one is.",
    ),
    "heir": WindowTexts(
        mine=_("Who gets your badge?"),
        waiting=_("{name} hands on the badge."),
        title=_("Your badge"),
        help=_("You leave the game. Choose the next Sheriff."),
        button=_("Hand on"),
        prompt="You were the Sheriff and leave the game. Choose the next Sheriff, who decides "
        "every day who speaks first, speaks last, and recommends whom to vote for. Your "
        "side can still win.",
        name=_("Who gets the badge"),
        picks="entrust",
    ),
}

PHASES = {
    "night": replace(
        common_wording.NIGHT_PHASE,
        title=_("Night {day}"),
        text=cases(
            ({"day": 1}, _("Night falls. Everyone closes their eyes.")),
            else_=_("The lamps go out one by one. Everyone closes their eyes again."),
        ),
    ),
    "dawn": PhaseTexts(
        title=_("The morning of day {day}"),
        text=_("A rooster crows. The village looks who comes to breakfast."),
        step=_("Morning"),
        prompt="Morning {day}",
    ),
    "election": PhaseTexts(
        title=_("The Sheriff"),
        text=_("The village needs somebody to have the last word: a Sheriff."),
        step=_("Election"),
        prompt="The Sheriff",
        icon="role-sheriff",
    ),
    "talk": PhaseTexts(
        title=_("Day {day}"),
        text=_("Everyone speaks once, and the Sheriff last."),
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
            ({"holder": True, "won": False}, _("The village has found you both: {wins}")),
            ({"won": True, "out": False}, _("The last Werewolf is gone: {wins}")),
        ),
    ),
    "wolves_equal": EndingTexts(
        _("The Werewolves are as many as the others."),
        role="werewolf",
        headline=cases(
            ({"holder": True, "won": True}, _("Nobody can stop you any more: {wins}")),
            ({"won": False, "out": False}, _("The Werewolves are as many as you: {wins}")),
        ),
    ),
    "void": EndingTexts(
        _(
            "The player who was to be the Sheriff died on the first night, so this game does not "
            "count."
        ),
        is_result=False,
    ),
    "not_elected": EndingTexts(
        _("Another Sheriff was elected than this table is about, so it ends here.")
    ),
    "sheriff_died": EndingTexts(_("The Sheriff is dead, and at this table that is the end.")),
    "no_person_left": EndingTexts(
        _("Nobody is left whom this table waits for, and so the story ends here.")
    ),
    "too_long": EndingTexts(_("The last day that this table had is over.")),
}

WORDING = Wording(
    EVENTS,
    WINDOWS,
    PHASES,
    ENDINGS,
    badges={"sheriff": _("Sheriff")},
    causes={**CAUSES, "attack": _("Killed in the night")},
)
