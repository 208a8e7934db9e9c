"""Two days: an election, a badge, a side, ratings, a look, whispers, a kill chosen in sequence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.engine.events import PUBLIC, only_seats
from game.engine.forms import picking, rating, speech
from game.engine.ruleset import Ruleset, TalkLimits
from game.engine.ruleset_files import load_files
from game.engine.script_context import Script, ScriptContext, Step
from game.engine.steps import (
    end_game,
    open_ballot,
    run_statement,
    run_talk_in_passes,
    seats_with_most_votes,
    wait_until_morning,
)
from game.engine.windows import Window
from game.engine.wording import gettext_noop as _

MAYOR = "mayor"  # the badge
LIMITS = {"statement": TalkLimits(2, 6), "whisper": TalkLimits(2, 4)}


class TwoDays(Ruleset):
    """Five seats with two whispering werewolves. Each day has talk, a vote, a look and a kill."""

    name = "two-days"
    version = 1
    title = _("Two days")
    summary = _("Five players, two days, a mayor. For tests.")
    seat_names = ("Ann", "Ben", "Cid", "Dot", "Eve")
    deck = ("augur", "villager", "villager", "werewolf", "werewolf")
    default_role = "villager"
    days = 2
    max_words = 30
    files = load_files(__file__)
    teams, roles, settings = files.teams, files.roles, files.settings
    course, quiz, wording = files.course, files.quiz, files.wording

    def day_phases(self, day: int, settings: Mapping[str, Any]) -> list[tuple[str, int]]:
        first = ["election"] if day == 1 else []
        return [(phase, 0) for phase in (*first, "talk", "vote", "night")]

    def talk_limits(self, kind: str, settings: Mapping[str, Any]) -> TalkLimits | None:
        return LIMITS.get(kind)

    def script(self, context: ScriptContext) -> Script:
        context.deal(self.deck)
        roles = dict(context.state.roles)
        wolves = context.state.holders("werewolf")
        context.emit("acquainted", only_seats(*wolves), role="werewolf", seats=list(wolves))
        for day in range(1, self.days + 1):
            if day == 1:
                yield from self._elect(context)
            yield from self._talk(context, day)
            yield from self._vote(context, day)
            yield from self._night(context, day, roles)
        alive = [roles[s] for s in context.state.living()]
        winner = "werewolf" if "werewolf" in alive else "village"
        end_game(context, self, winner, "two_days", roles)

    def _elect(self, context: ScriptContext) -> Step[None]:
        """Elect the mayor: candidates speak, all vote or abstain, the first drawn wins a tie."""
        settings = context.state.settings
        context.open_phase("election", day=1)
        drawn = context.draw_order("candidates", context.seats, PUBLIC)
        if not settings.get("election", True):
            context.give_badge(MAYOR, drawn[0])
            return
        candidates = drawn[: settings.get("candidates", 2)]
        for seat in candidates:
            yield from run_statement(context, seat, speech(self.max_words), kind="candidacy")
        ballot = open_ballot(
            context,
            context.seats,
            candidates,
            kind="election",
            may_abstain=True,
            allow_self=True,
        )
        most = seats_with_most_votes((yield from context.close_window(ballot)))
        context.give_badge(MAYOR, min(most or candidates, key=candidates.index))

    def _talk(self, context: ScriptContext, day: int) -> Step[None]:
        context.open_phase("talk", day=day)
        mayor, living = context.state.badges[MAYOR], context.state.living()
        living_others = [s for s in living if s != mayor]
        judged = context.open_window(
            "appraisal", [mayor], rating(living_others, self.deck),
            answer_audience=only_seats(mayor), window_audience=only_seats(mayor), default="nothing",
        )  # fmt: skip
        yield from context.close_window(judged)
        side = context.open_window(
            "first_side",
            [mayor],
            picking(["left", "right"]),
            answer_audience=PUBLIC,
            window_audience=PUBLIC,
        )
        chosen = (yield from context.close_window(side))[mayor].action.targets[0]
        seats = [
            s for s in (*context.seats[mayor:], *context.seats[: mayor - 1]) if s in living_others
        ]
        around = seats if chosen == "left" else seats[::-1]
        last = context.state.settings.get("speaks", "last") == "last"
        order = [*around, mayor] if last else [mayor, *around]
        legal = speech(self.max_words, may_skip=True, may_over=True, to=living)
        yield from run_talk_in_passes(
            context, "statement", order, legal, among=PUBLIC, limits=LIMITS["statement"]
        )

    def _vote(self, context: ScriptContext, day: int) -> Step[None]:
        context.open_phase("vote", day=day)
        living = context.state.living()
        votes = yield from context.close_window(open_ballot(context, living, living))
        if len(leading := seats_with_most_votes(votes)) > 1:
            again = open_ballot(context, living, leading, turn="again", allow_self=True)
            leading = seats_with_most_votes((yield from context.close_window(again)))
        exiled = leading[0] if len(leading) == 1 else context.draw(f"tie/{day}", leading, PUBLIC)
        context.emit("out", PUBLIC, seat=exiled, cause="vote")
        yield from self._pass_badge(context, exiled)

    def _pass_badge(self, context: ScriptContext, dead: int) -> Step[None]:
        """Let a dead mayor choose the heir of the badge."""
        if context.state.badges.get(MAYOR) != dead:
            return
        legal = picking(context.state.living())
        window = context.open_window(
            "heir", [dead], legal, turn=str(dead), answer_audience=PUBLIC, window_audience=PUBLIC
        )
        heir = (yield from context.close_window(window))[dead].target
        assert heir is not None
        context.give_badge(MAYOR, heir)

    def _night(self, context: ScriptContext, day: int, roles: dict[int, str]) -> Step[None]:
        context.open_phase("night", day=day)
        wolves = [s for s in context.state.living() if roles[s] == "werewolf"]
        prey = [s for s in context.state.living() if roles[s] != "werewolf"]
        killed = 0
        augury = self._open_augury(context, [s for s in prey if roles[s] == "augur"])
        if wolves and prey:
            killed = yield from self._hunt(context, wolves, prey)
        if augury:
            (augur,) = augury.seats
            target = (yield from context.close_window(augury))[augur].target
            is_werewolf = target in context.state.holders("werewolf")
            context.emit("omen", only_seats(augur), seat=augur, targets=[target], found=is_werewolf)
        yield from wait_until_morning(context)
        if not killed:
            context.emit("quiet_night", PUBLIC)
            return
        context.emit("out", PUBLIC, seat=killed, cause="attack")
        yield from self._pass_badge(context, killed)

    def _open_augury(self, context: ScriptContext, augurs: list[int]) -> Window | None:
        """Open the look of a living augur, in parallel to the werewolves' choice."""
        if not augurs:
            return None
        (augur,) = augurs
        legal = picking([s for s in context.state.living() if s != augur])
        return context.open_window(
            "augury",
            [augur],
            legal,
            answer_audience=only_seats(augur),
            window_audience=only_seats(augur),
            clock="night",
        )

    def _hunt(self, context: ScriptContext, wolves: list[int], prey: list[int]) -> Step[int]:
        """Let the werewolves choose in sequence. Returns the victim, or 0 if they disagree."""
        among = only_seats(*wolves)
        if len(wolves) > 1:
            yield from run_talk_in_passes(
                context, "whisper", wolves, speech(self.max_words, may_over=True), among=among,
                limits=LIMITS["whisper"], clock="night", share=0.5,
            )  # fmt: skip
        targets = set()
        for number, wolf in enumerate(wolves, 1):
            window = context.open_window(
                "attack", [wolf], picking(prey), turn=str(number), clock="night",
                answer_audience=among, window_audience=among,
                share=0.5 + number / (2 * len(wolves) + 1),
            )  # fmt: skip
            targets.add((yield from context.close_window(window))[wolf].target)
        return targets.pop() or 0 if len(targets) == 1 else 0
