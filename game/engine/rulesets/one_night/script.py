"""The one-night game of the Humanized paper, appendix A (SPEC 1.1)."""

from collections.abc import Mapping
from typing import Any

from game.engine.common_wording import load_wording
from game.engine.events import PUBLIC, only_seats
from game.engine.forms import picking, speech
from game.engine.quiz import load_quiz
from game.engine.roles import Look, Role, RulesSection, Setting, Team
from game.engine.ruleset import Ruleset
from game.engine.script_context import Script, ScriptContext
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY, POLL_PEOPLE
from game.engine.steps import end_game, open_ballot, open_poll, run_statement, seats_with_most_votes
from game.engine.windows import Window
from game.engine.wording import gettext_noop as _

_NIGHT = _(
    "The Seer picks {divined} other players and learns whether the Werewolf is among them. The "
    "Masons learn who the other Mason is. No one else learns anything."
)
_DAY = _(
    "{rounds} rounds of talk. In each, everyone speaks once, in seat order, in at most {words} "
    "words. Anyone may claim anything."
)
_VOTE = _(
    "Everyone votes for another player. All votes are revealed together. The player with the most "
    "votes is out and reveals their role. A tie is broken at random."
)
# Role that is voted out -> (winning team, reason), where it is not the werewolves' success.
RESULT_BY_EXILED = {"werewolf": ("village", "werewolf_out"), "tanner": ("tanner", "tanner_out")}
OPENING_ONLY = "opening_only"  # the persona experiment (Humanized 3.1, H)


class OneNight(Ruleset):
    """Eight seats, one night, three rounds of statements, one vote."""

    name = "one-night"
    version = 1
    title = _("One night")
    summary = _("Eight players, one night, three rounds of talk, one vote. About ten minutes.")
    days = 1
    rounds = 3
    max_words = 120
    default_role = "villager"
    divined = 2
    seat_names = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")
    deck = ("seer", "mason", "mason", "villager", "villager", "werewolf", "minion", "tanner")
    teams = (
        Team(
            "village",
            _("the village"),
            _("The Werewolf is voted out."),
            _("Find the Werewolf and vote it out."),
            "You win only if the Werewolf goes, and for that the votes must come together: of two"
            " whom you suspect about alike, take the one whom more of the others suspect. Whoever"
            " seems to want votes may be the Tanner: if the Tanner goes, you lose.",
        ),
        Team(
            "werewolf",
            _("the werewolf team"),
            _("Anyone but the Werewolf or the Tanner is voted out, the Minion included."),
            _("See to it that neither the Werewolf nor the Tanner is voted out."),
            "Anybody but the Werewolf and the Tanner may go, and your side wins. Vote with those"
            " who suspect one of the village, so that the votes come together there.",
        ),
        Team(
            "tanner",
            _("the Tanner"),
            _("The Tanner is voted out."),
            _("Get yourself voted out."),
            "You want the votes on yourself, and can't vote for yourself. Your vote serves you"
            " where it helps nobody else to the most: on one whom hardly anyone suspects, never on"
            " your strongest rival for the votes.",
        ),
    )
    roles = (
        Role(
            "seer",
            _("Seer"),
            "village",
            _("Picks two other players at night and learns whether the Werewolf is among the two."),
            look=Look("divined", divined, (("werewolf", ("werewolf",)), ("clean", ()))),
        ),
        Role(
            "mason",
            _("Mason"),
            "village",
            _("The two Masons learn who the other is."),
            knows="role",
        ),
        Role("villager", _("Villager"), "village", _("Knows nothing but their own role.")),
        Role(
            "werewolf",
            _("Werewolf"),
            "werewolf",
            _("Hides among the others. Does not know who the Minion is."),
            "If you are voted out, your side has lost. Any other but the Tanner will do, the Minion"
            " too: vote for the one of them most likely to get the others' votes, so that they"
            " don't come together on you.",
            is_hunted=True,
        ),
        Role(
            "minion",
            _("Minion"),
            "werewolf",
            _("Helps the Werewolf without knowing who it is."),
            "You don't know the Werewolf: vote for one who is surely neither the Werewolf nor the"
            " Tanner and whom others suspect as well. Votes that fall on yourself do no harm: your"
            " side wins if you are voted out.",
        ),
        Role("tanner", _("Tanner"), "tanner", _("Plays alone and wants to be voted out.")),
    )
    settings = (
        Setting(
            POLL_PEOPLE,
            _("Ask people in the straw poll"),
            _(
                "After every round the computer players are asked in secret who they think the"
                " Werewolf is. People can be asked too. No other player ever sees an answer."
            ),
            is_for_studies=True,
        ),
        ASK_ROLE_GUESSES,
        ASK_WHY,
        Setting(
            OPENING_ONLY,
            _("End after the first statement"),
            _(
                "A Villager has the first seat and speaks first, without a night or any talk"
                " before; then the game ends. Only for games of computer players."
            ),
            is_for_studies=True,
        ),
    )

    wording = load_wording(__file__)
    quiz = load_quiz(__file__, players=len(deck), rounds=rounds, divined=divined)

    def describe_course(self, settings: Mapping[str, Any]) -> list[RulesSection]:
        figures = {"divined": self.divined, "rounds": self.rounds, "words": self.max_words}
        return [
            RulesSection(_("Night"), (_NIGHT,), figures),
            RulesSection(_("Day"), (_DAY,), figures),
            RulesSection(_("Vote"), (_VOTE,)),
        ]

    def day_phases(self, day: int, settings: Mapping[str, Any]) -> list[tuple[str, int]]:
        return [("night", 0), *(("talk", n) for n in range(1, self.rounds + 1)), ("vote", 0)]

    def find_conflict(self, settings: Mapping[str, Any], people: int) -> str:
        if settings.get(OPENING_ONLY) and people:
            return "opening_only ends the game before a person can act: play it without people"
        return ""

    def script(self, context: ScriptContext) -> Script:
        if context.state.settings.get(OPENING_ONLY):
            yield from self._opening(context)
            return
        context.deal(self.deck)
        roles = dict(context.state.roles)
        yield from self._night(context)
        poll: Window | None = None
        for number in range(1, self.rounds + 1):
            context.open_phase("talk", day=1, round=number)
            for seat in context.seats:
                yield from run_statement(context, seat, speech(self.max_words))
            if poll:  # closed only now, when it delays no player any more
                yield from context.close_window(poll)
            poll = open_poll(context, "poll", context.seats, picking(context.seats))
            yield from context.wait_for(poll)
        context.open_phase("vote", day=1)
        vote = open_ballot(context, context.seats, context.seats)
        if poll:
            yield from context.close_window(poll)
        votes = yield from context.close_window(vote)
        tied = seats_with_most_votes(votes)
        chosen = tied[0] if len(tied) == 1 else context.draw("tie", tied, PUBLIC)
        context.emit("out", PUBLIC, seat=chosen, cause="vote", role=roles[chosen])
        winner, reason = RESULT_BY_EXILED.get(roles[chosen], ("werewolf", "werewolf_safe"))
        end_game(context, self, winner, reason, roles)

    def _opening(self, context: ScriptContext) -> Script:
        """Let a Villager make the first statement of the talk, and end the game there."""
        context.deal(self.deck, first=self.default_role)
        context.open_phase("talk", day=1, round=1)
        yield from run_statement(context, context.seats[0], speech(self.max_words))
        end_game(context, self, "", "opening_over", dict(context.state.roles))

    def _night(self, context: ScriptContext) -> Script:
        context.open_phase("night", day=1)
        masons = context.state.holders("mason")
        context.emit("acquainted", only_seats(*masons), role="mason", seats=list(masons))
        (seer,) = context.state.holders("seer")
        (werewolf,) = context.state.holders("werewolf")
        window = context.open_window(
            "divination",
            [seer],
            picking(context.seats, self.divined),
            answer_audience=only_seats(seer),
            window_audience=only_seats(seer),
            clock="night",
        )
        answers = yield from context.close_window(window)
        targets = list(answers[seer].action.targets)
        context.emit(
            "divined", only_seats(seer), seat=seer, targets=targets, found=werewolf in targets
        )
