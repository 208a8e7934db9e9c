"""The one-night game of the Humanized paper, appendix A (SPEC 1.1)."""

from collections.abc import Mapping
from typing import Any

from game.engine.events import PUBLIC, only_seats
from game.engine.forms import picking, speech
from game.engine.ruleset import Ruleset
from game.engine.ruleset_files import load_files
from game.engine.script_context import Script, ScriptContext
from game.engine.steps import end_game, open_ballot, open_poll, run_statement, seats_with_most_votes
from game.engine.windows import Window
from game.engine.wording import gettext_noop as _

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
    files = load_files(__file__, players=len(deck), rounds=rounds, divined=divined)
    teams, roles, settings = files.teams, files.roles, files.settings
    course, quiz, wording = files.course, files.quiz, files.wording

    @property
    def figures(self) -> dict[str, Any]:
        return {**super().figures, "divined": self.divined}

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
