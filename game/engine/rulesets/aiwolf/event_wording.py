"""The texts of events in the contest's games."""

from dataclasses import replace

from game.engine import common_wording
from game.engine.wording import EventTexts, cases
from game.engine.wording import gettext_noop as _

_IS_WOLF = {"species": "werewolf"}


def _night_choice_texts(mine: str, replay: str, prompt: str) -> EventTexts:
    """Return the texts of a secret choice at night, which no other seat sees during the game."""
    return EventTexts(
        "private",
        own=cases(chosen=mine, else_=_("You choose nobody.")),
        replay=cases(chosen=replay, else_=_("{seat} chooses nobody.")),
        prompt=cases(chosen=prompt, else_="You chose nobody."),
        brief=cases(chosen=replay),
    )


_PARTNERS = cases(({"others": 0}, ""), else_=_("{others} are the other Werewolves."))
_TIED_VOTES = _("{among} have the same number of votes. Drawn at random: {result}.")
_DEATHS = cases(
    (
        {"cause": "attack", "seat": (1, 4, 7, 10, 13)},
        _("{seat}’s lamp burned all night, and nobody is at home. {seat} was killed in the night."),
    ),
    (
        {"cause": "attack", "seat": (2, 5, 8, 11)},
        _("The well is quiet: {seat} always came first. {seat} was killed in the night."),
    ),
    (
        {"cause": "attack"},
        _("Somebody sets one cup too many on the table. {seat} was killed in the night."),
    ),
    (
        {"cause": "vote", "seat": (1, 4, 7, 10, 13)},
        _("{seat} is voted out, and takes only a coat along. The gate falls shut."),
    ),
    (
        {"cause": "vote", "seat": (2, 5, 8, 11)},
        _("{seat} is voted out. The dog follows as far as the bridge, and comes back alone."),
    ),
    else_=_("{seat} is voted out, and does not look back. The road is empty again."),
)


def _species_texts(
    own: str, own_human: str, end: str, end_human: str, prompt: str, prompt_human: str
) -> EventTexts:
    """Return the texts of a result of the Seer or the Medium."""
    learned = cases(
        (_IS_WOLF, _("{seat} learns: {targets} is a Werewolf.")),
        else_=_("{seat} learns: {targets} is human."),
    )
    return EventTexts(
        "private",
        own=cases((_IS_WOLF, own), else_=own_human),
        end=cases((_IS_WOLF, end), else_=end_human),
        replay=learned,
        prompt=cases((_IS_WOLF, prompt), else_=prompt_human),
        brief=learned,
    )


EVENTS: dict[str, EventTexts] = {
    **common_wording.EVENTS,
    "acquainted": replace(common_wording.EVENTS["acquainted"], own=_PARTNERS, end=_PARTNERS),
    "whisper": EventTexts("statement"),
    "divination": EventTexts(),
    "guard": _night_choice_texts(
        _("You protect {targets}."),
        _("{seat} protects {targets}."),
        "Only you know: you protected {targets} that night.",
    ),
    "attack": _night_choice_texts(
        _("You choose {targets}."),
        _("{seat} chooses to attack {targets}."),
        "You chose {targets} for the attack.",
    ),
    "attack_shown": EventTexts(
        "private",
        table=cases(own="", else_=_("In the night {seat} chose {targets}.")),
        prompt=cases(own="", else_="Only your side knows: {seat} chose {targets}."),
        reveals="attack",
    ),
    "attacked": EventTexts(
        replay=cases(
            ({"chosen": False}, _("Nobody is attacked.")),
            saved=_("{targets} is attacked, and is protected."),
            else_=_("{targets} is attacked."),
        )
    ),
    "divined": _species_texts(
        _("You looked at {targets}: a Werewolf."),
        _("You looked at {targets}: human."),
        _("Looked at {targets}: a Werewolf."),
        _("Looked at {targets}: human."),
        "Your look showed: {targets} is a Werewolf.",
        "Your look showed: {targets} is human (perhaps the Possessed), not a Werewolf.",
    ),
    "identified": _species_texts(
        _("{targets}, who was voted out, was a Werewolf."),
        _("{targets}, who was voted out, was human."),
        _("Learned that {targets} was a Werewolf."),
        _("Learned that {targets} was human."),
        "You learn: {targets}, who was voted out, was a Werewolf.",
        "You learn: {targets}, who was voted out, was human (perhaps the Possessed).",
    ),
    "quiet_night": EventTexts(
        "moderator",
        table=_("All who went to bed are here again: nobody died in the night."),
        prompt="Nobody died in the night.",
        brief=_("Nobody died in the night."),
    ),
    "undecided": EventTexts(
        "moderator",
        table=_("Nobody has a vote, so nobody is out."),
        prompt="Nobody had a vote, so nobody was voted out.",
        brief=_("Nobody is voted out."),
    ),
    "vote": EventTexts(
        "private",
        own=cases(chosen=_("You vote for {targets}."), else_=_("You vote for nobody.")),
        replay=common_wording.EVENTS["vote"].table,
        prompt=cases(chosen="You voted for {targets}.", else_="You did not vote."),
    ),
    "vote_shown": EventTexts(
        "vote",
        table=_("{seat} voted for {targets}."),
        prompt="{seat} for {targets}",
        prompt_together="The votes, as all learned the next morning: {each}.",
        reveals="vote",
    ),
    "drawn": EventTexts(
        "moderator",
        table=cases(
            ({"purpose": "speakers"}, _("Today they speak in this order: {result}.")),
            ({"purpose": "whispers"}, ""),
            ({"purpose": "prey"}, _("Your votes tie: {among}. Drawn at random: {result}.")),
        ),
        replay=cases(
            ({"purpose": "deal"}, _("The roles are dealt. {deal}.")),
            ({"purpose": "exile"}, _TIED_VOTES),
        ),
        brief=cases(
            ({"purpose": "exile"}, _TIED_VOTES),
            ({"purpose": "prey"}, _("Tie: {among}. Drawn at random: {result}.")),
        ),
        prompt=cases(
            ({"purpose": "speakers"}, "The speaking order of the day, drawn at random: {result}."),
            ({"purpose": "prey"}, "Tie: {among}. Drawn at random: {result}."),
        ),
    ),
    "out": replace(
        common_wording.build_out_texts({"cause": "attack"}),
        table=_DEATHS,
        own=cases(
            (
                {"cause": "attack"},
                _("You were killed in the night. From here on you watch, and the others miss you."),
            ),
            else_=_("You are voted out, and your secret goes with you. From here on you watch."),
        ),
    ),
}
