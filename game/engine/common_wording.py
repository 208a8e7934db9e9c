"""Texts that rulesets share: of events, windows and phases, and a game's introduction.

EVENTS and WINDOWS have a text for each kind that the engine and its steps emit. A ruleset starts
from them (`{**EVENTS, …}`) and replaces the sentences that differ in its game.
"""

from game.engine.roles import IntroPicture
from game.engine.side_questions import ROLE_GUESS_KIND, VOTE_REASON
from game.engine.wording import SILENT, EventTexts, Facts, PhaseTexts, WindowTexts, cases
from game.engine.wording import gettext_noop as _

# Tells the holders of a role who the others are.
_FELLOW_HOLDERS = cases(
    ({"others": 0}, ""),
    ({"others": 1}, _("{others} is the other {role}.")),
    else_=_("{others} are the others: {role}."),
)

EVENTS: dict[str, EventTexts] = {
    **dict.fromkeys(("game_opened", "people_seated", "window_opened", "window_closed"), SILENT),
    **dict.fromkeys(("role_revealed", "morning"), SILENT),
    "phase_opened": EventTexts("phase", is_chapter=True),
    "role_dealt": EventTexts(
        "private",
        own=cases(unique=_("You are the {role}. {goal}"), else_=_("You are a {role}. {goal}")),
    ),
    "acquainted": EventTexts(
        "private",
        own=_FELLOW_HOLDERS,
        end=_FELLOW_HOLDERS,
        replay=cases(
            ({"others": 1}, _("{seats} learns that nobody else is a {role}.")),
            else_=_("{seats} learn of each other. Role: {role}."),
        ),
        prompt=cases(
            ({"others": 0}, ""),
            ({"others": 1}, "You know the other {role}: {others}."),
            else_="You know who else is a {role}: {others}.",
        ),
    ),
    "drawn": EventTexts(
        "moderator",
        table=cases(
            (
                {"purpose": "tie"},
                _("{among} have the same number of votes. Drawn at random: {result}."),
            )
        ),
        replay=cases(({"purpose": "deal"}, _("The roles are dealt. {deal}."))),
        prompt=cases(({"purpose": "tie"}, "Tie: {among}. Drawn at random: {result}.")),
    ),
    "statement": EventTexts("statement"),
    "vote": EventTexts(
        "vote",
        table=cases(
            chosen=_("{seat} votes for {targets}."),
            else_=_("{seat} votes for nobody."),
        ),
        prompt=cases(chosen="{seat} for {targets}", else_="{seat} for nobody"),
        prompt_together="The vote: {each}.",
    ),
    "out": EventTexts(
        "out",
        table=cases(
            ({"told": True, "unique": True}, _("{seat} is out, and was the {role}.")),
            told=_("{seat} is out, and was a {role}."),
            else_=_("{seat} is out."),
        ),
        prompt=cases(
            ({"told": True, "own": True}, "You are out ({cause}; role: {role})."),
            told="{seat} is out ({cause}; role: {role}).",
            own="You are out ({cause}).",
            else_="{seat} is out ({cause}).",
        ),
    ),
    "badge_given": EventTexts(
        "moderator",
        table=cases(own=_("You have the badge now."), else_=_("{seat} has the badge now.")),
        prompt=cases(own="You have the badge.", else_="{seat} has the badge."),
        is_chapter=True,
    ),
    "protected": SILENT,
    ROLE_GUESS_KIND: SILENT,
    VOTE_REASON: SILENT,
    "game_over": EventTexts("over", table="{why} {headline}", is_chapter=True),
}

WINDOWS: dict[str, WindowTexts] = {
    "morning": WindowTexts(""),
    "statement": WindowTexts(
        mine=_("It’s your turn: say something to the table."),
        waiting=cases(
            alone=_("{name} is speaking."),
            else_=_("Everyone speaks at the same time."),
        ),
        waiting_for_absent=_("{name} is away. The table waits."),
        name=_("What to say"),
    ),
    "vote": WindowTexts(
        mine=_("Vote: who has to go?"),
        waiting=_("Waiting for everyone’s vote."),
        title=_("Your vote"),
        help=_("The player with the most votes is out."),
        button=_("Vote"),
        prompt="Now everyone votes at the same time, in secret. The player with the most votes is"
        " out.",
        name=_("Whom to vote for"),
        is_ballot=True,
        picks="exile",
    ),
    ROLE_GUESS_KIND: WindowTexts(
        mine=_("What do you take the others for?"),
        title=_("Whom you trust"),
        help=_("Only you see this. Change only the players about whom you have changed your mind."),
        button=_("Keep"),
        prompt="Say what you take each of the others for, and how surely.",
        name=_("Who is what"),
    ),
}

NIGHT_PHASE = PhaseTexts(
    title=_("Night"),
    waits=_("It is night. Some players have something to do now; the others wait."),
    step=_("Night"),
    prompt="Night {day}",
    light="night",
    icon="night",
    guess=_("Who is a Werewolf, do you think?"),
)

VOTE_PHASE = PhaseTexts(
    title=_("The vote of day {day}"),
    text=_("The talking is done. Everyone votes, in secret, for who must go."),
    step=_("The vote"),
    prompt="Vote {day}",
    icon="vote",
)


def build_out_texts(night_death: Facts) -> EventTexts:
    """Return the texts of `out` for games in which players die at night or by vote.

    `night_death` has the facts of an `out` at night. `table` and `own` are left to the ruleset,
    because they tell the death as a story.
    """
    return EventTexts(
        "out",
        prompt=cases(
            ({**night_death, "own": True}, "You were killed in the night."),
            (night_death, "{seat} was killed in the night."),
            own="You were voted out.",
            else_="{seat} was voted out.",
        ),
        brief=cases(
            (night_death, _("{seat} was killed in the night.")), else_=_("{seat} was voted out.")
        ),
        is_chapter=True,
    )


def build_one_night_intro(players: int) -> list[IntroPicture]:
    """Return four pictures that introduce a game of one night, one day of talk and one vote."""
    cards = _("{players} players get one card each. Only you see yours.")
    return [
        IntroPicture("cards", _("A secret role"), cards, {"players": players}),
        IntroPicture(
            "night",
            _("Night"),
            _("Everyone closes their eyes. A few players learn something about the others."),
        ),
        IntroPicture(
            "speech",
            _("Day"),
            _("Everyone speaks in turn. You may say anything: the truth, or a lie."),
        ),
        IntroPicture(
            "vote",
            _("The vote"),
            _("Everyone votes at the same time. The player with the most votes is out."),
        ),
    ]
